#include "runtime/session/results/PlanArguments.h"

#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace graphc::session {

std::map<std::string, PlanArgument> argumentsOf(const plan::Plan &plan, const std::string &entry) {
  std::map<std::string, PlanArgument> arguments;
  for (const plan::Phase &phase : plan.phases()) {
    bool wanted = entry == "train"  ? phase.role() != plan::PREDICT
                  : entry == "eval" ? phase.role() == plan::EVAL
                                    : phase.role() == plan::PREDICT;
    for (uint32_t index : phase.programs()) {
      const plan::Program &program = plan.programs(static_cast<int>(index));
      for (const plan::Port &feed : program.feeds()) {
        PlanArgument &argument = arguments[feed.name()];
        argument.type = program.buffers(static_cast<int>(feed.buffer())).type();
        if (wanted)
          argument.function = phase.name();
      }
    }
  }
  return arguments;
}

absl::Status checkFeeds(const plan::Plan &plan, const plan::Phase &phase, const plan::Task &task,
                        const std::map<std::string, std::string> &feeds) {
  for (uint32_t index : phase.programs()) {
    const plan::Program &program = plan.programs(static_cast<int>(index));
    if (!plan::lanesOn(plan, program, task)) // in-graph, the client alone has the values
      continue;
    for (const plan::Port &feed : program.feeds()) {
      const plan::TensorType &type =
          plan.programs(static_cast<int>(index)).buffers(static_cast<int>(feed.buffer())).type();
      auto given = feeds.find(feed.name());
      if (given == feeds.end())
        return absl::InvalidArgumentError(absl::StrCat(
            phase.name(), " has the argument ", feed.name(), " : ", plan::typeText(type),
            "; give its value with --feed ", feed.name(), "=FILE.npy"));
      if (given->second.size() != plan::tensorBytes(type).value_or(0))
        return absl::InvalidArgumentError(absl::StrCat("--feed ", feed.name(), ": expected ",
                                                       plan::typeText(type), ", the file has ",
                                                       given->second.size(), " bytes of data"));
    }
  }
  return absl::OkStatus();
}

plan::Role roleOf(const std::string &entry) {
  return entry == "train" ? plan::TRAIN : entry == "eval" ? plan::EVAL : plan::PREDICT;
}

std::vector<std::string> resultsOf(const plan::Plan &plan, const plan::Phase &phase) {
  std::vector<std::string> names;
  for (uint32_t index : phase.programs())
    for (const plan::Port &fetch : plan.programs(static_cast<int>(index)).fetches())
      if (std::find(names.begin(), names.end(), fetch.name()) == names.end())
        names.push_back(fetch.name());
  return names;
}

} // namespace graphc::session
