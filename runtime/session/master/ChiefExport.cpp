#include "runtime/session/master/ChiefExport.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/session/results/ModelExport.h"

#include "absl/strings/str_cat.h"

namespace graphc::session {

absl::Status ChiefExport::write(const std::string &checkpoint, bool notFinite) {
  if (directory_.empty())
    return absl::OkStatus();
  if (notFinite) {
    isTold_ = true;
    log_(absl::StrCat("--export_dir ", directory_,
                      ": nothing is exported, since training ended by --nan stop"));
    return absl::OkStatus();
  }
  if (checkpoint.empty())
    return absl::FailedPreconditionError(
        absl::StrCat("--export_dir ", directory_,
                     ": there is no checkpoint to export; train with --checkpoint_dir first"));
  FileWatchdog::Work work(files_, absl::StrCat("exporting to ", directory_));
  absl::StatusOr<std::string> path = writeExport(plan_, checkpoint, directory_, log_, goesOn_);
  if (absl::Status ends = goesOn_(); !path.ok() && !ends.ok()) // what is said of that is the run's
    return ends;
  if (!path.ok())
    return base::annotate(path.status(), absl::StrCat("--export_dir ", directory_));
  isTold_ = true;
  log_(absl::StrCat("exported ", checkpoint, " to ", *path, "; graphrun ", *path, " runs it"));
  return absl::OkStatus();
}

void ChiefExport::ended(const absl::Status &run) const {
  if (directory_.empty() || isTold_ || run.ok())
    return;
  log_(absl::StrCat("--export_dir ", directory_, ": nothing is exported, since ",
                    absl::IsCancelled(run) ? "the run was stopped" : "the run failed"));
}

} // namespace graphc::session
