#include "tools/graphrun/Feeds.h"

#include "runtime/base/Status.h"
#include "runtime/base/Text.h"
#include "runtime/checkpoint/Npy.h"
#include "runtime/plan/Types.h"

#include "absl/strings/str_cat.h"

namespace graphc::graphrun {
namespace {
struct Argument {
  plan::TensorType type;
  std::string function; ///< of this run; empty: of another entry
};

std::map<std::string, Argument> argumentsOf(const plan::Plan &plan, const std::string &entry) {
  std::map<std::string, Argument> arguments;
  for (const plan::Phase &phase : plan.phases()) {
    bool wanted = entry == "train"  ? phase.role() != plan::PREDICT
                  : entry == "eval" ? phase.role() == plan::EVAL
                                    : phase.role() == plan::PREDICT;
    for (uint32_t index : phase.programs()) {
      const plan::Program &program = plan.programs(static_cast<int>(index));
      for (const plan::Port &feed : program.feeds()) {
        Argument &argument = arguments[feed.name()];
        argument.type = program.buffers(static_cast<int>(feed.buffer())).type();
        if (wanted)
          argument.function = phase.name();
      }
    }
  }
  return arguments;
}
} // namespace

absl::StatusOr<std::map<std::string, std::string>> readFeeds(const plan::Plan &plan, const Flags &flags) {
  std::map<std::string, Argument> arguments = argumentsOf(plan, flags.entry);
  std::vector<std::string> names;
  for (const auto &[name, argument] : arguments)
    names.push_back(name);
  std::map<std::string, std::string> feeds;
  for (const auto &[name, path] : flags.feeds) {
    auto argument = arguments.find(name);
    if (argument == arguments.end())
      return absl::InvalidArgumentError(
          absl::StrCat("--feed ", name, ": the plan has no argument of this name", base::didYouMean(name, names)));
    GRAPHC_ASSIGN_OR_RETURN(checkpoint::NpyArray array, checkpoint::readNpy(path));
    if (!plan::sameType(argument->second.type, array.type))
      return absl::InvalidArgumentError(absl::StrCat("--feed ", name, ": expected ",
                                                     plan::typeText(argument->second.type), ", ", path, " has ",
                                                     plan::typeText(array.type)));
    feeds[name] = std::move(array.data);
  }
  for (const auto &[name, argument] : arguments)
    if (!argument.function.empty() && !feeds.contains(name))
      return absl::InvalidArgumentError(absl::StrCat(argument.function, " has the argument ", name, " : ",
                                                     plan::typeText(argument.type), "; give its value with --feed ",
                                                     name, "=FILE.npy"));
  return feeds;
}

} // namespace graphc::graphrun
