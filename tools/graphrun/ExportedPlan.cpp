#include "tools/graphrun/ExportedPlan.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/session/results/ModelExport.h"

#include "absl/strings/str_cat.h"

#include <filesystem>
#include <sys/stat.h>
#include <system_error>

namespace graphc::graphrun {

absl::Status useExport(RunFlags &flags) {
  struct stat info{};
  if (stat(flags.plan.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return absl::OkStatus();
  const char *wrong = !flags.checkpointDirectory.empty() ? "--checkpoint_dir"
                      : !flags.initFrom.empty()          ? "--init_from"
                      : flags.epochs                     ? "--epochs"
                      : flags.steps == 0u                ? "--steps 0"
                      : flags.evaluator                  ? "--evaluator"
                      : !flags.jobName.empty()           ? "--job_name"
                                                         : nullptr;
  if (wrong)
    return absl::InvalidArgumentError(absl::StrCat(
        flags.plan,
        " is a folder: an export has its own variables, and makes predictions alone; leave ", wrong,
        " out"));
  GRAPHC_ASSIGN_OR_RETURN(session::ModelExport found, session::openExport(flags.plan));
  flags.plan = found.plan;
  flags.checkpointDirectory = found.variables;
  if (flags.entry == "train") // the default
    flags.entry = "predict";
  return absl::OkStatus();
}

absl::Status checkExportFolder(const RunFlags &flags) {
  std::error_code error; // neither has to be there yet
  const auto place = [&error](const std::string &path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path + "/."), error);
  };
  if (!flags.exportDirectory.empty() && !flags.checkpointDirectory.empty() &&
      place(flags.exportDirectory) == place(flags.checkpointDirectory) && !error)
    return absl::InvalidArgumentError("--export_dir and --checkpoint_dir are one folder; name two");
  return absl::OkStatus();
}

} // namespace graphc::graphrun
