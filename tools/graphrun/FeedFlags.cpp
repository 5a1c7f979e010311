#include "tools/graphrun/FeedFlags.h"

#include "runtime/checkpoint/NpyFormat.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/session/results/PlanArguments.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace graphc::graphrun {
absl::StatusOr<std::map<std::string, std::string>> readFeeds(const plan::Plan &plan,
                                                             const RunFlags &flags) {
  std::map<std::string, session::PlanArgument> arguments = session::argumentsOf(plan, flags.entry);
  std::vector<std::string> names;
  for (const auto &[name, argument] : arguments)
    names.push_back(name);
  std::map<std::string, std::string> feeds;
  for (const auto &[name, path] : flags.feeds) {
    auto argument = arguments.find(name);
    if (argument == arguments.end())
      return absl::InvalidArgumentError(absl::StrCat(
          "--feed ", name, ": the plan has no argument of this name", base::didYouMean(name, names),
          names.empty() ? "; it has none" : absl::StrCat("; it has ", absl::StrJoin(names, ", "))));
    GRAPHC_ASSIGN_OR_RETURN(checkpoint::NpyArray array, checkpoint::readNpy(path));
    if (!plan::sameType(argument->second.type, array.type))
      return absl::InvalidArgumentError(absl::StrCat("--feed ", name, ": expected ",
                                                     plan::typeText(argument->second.type), ", ",
                                                     path, " has ", plan::typeText(array.type)));
    feeds[name] = std::move(array.data);
  }
  for (const auto &[name, argument] : arguments)
    if (!argument.function.empty() && !feeds.contains(name))
      return absl::InvalidArgumentError(absl::StrCat(
          argument.function, " has the argument ", name, " : ", plan::typeText(argument.type),
          "; give its value with --feed ", name, "=FILE.npy"));
  return feeds;
}

} // namespace graphc::graphrun
