#include "runtime/session/results/RecordFiles.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/observe/PlanGraph.h"
#include "runtime/observe/event.pb.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace graphc::session {

absl::Status RecordFiles::begin(const RunStart &start) {
  base::MutexLock lock(mutex_);
  if (!options_.historyFile.empty()) {
    auto history = observe::HistoryFile::open(options_.historyFile, start.restart, options_.log);
    if (!history.ok())
      return base::annotate(history.status(), "--history");
    history_ = *std::move(history);
  }
  if (!options_.summaryFolder.empty()) {
    const absl::Time now = absl::Now();
    auto summaries = observe::SummaryWriter::open(options_.summaryFolder, start.restart, now);
    if (!summaries.ok())
      return base::annotate(summaries.status(), "--summary_dir");
    summaries_ = *std::move(summaries);
    return base::annotate(summaries_->write(graphOf(plan_), now), "--summary_dir");
  }
  return absl::OkStatus();
}

void RecordFiles::record(const observe::StepRecord &record) {
  base::MutexLock lock(mutex_);
  if (history_ && !keep(history_->write(record), "--history"))
    history_.reset();
  if (summaries_ && !keep(summaries_->write(record), "--summary_dir"))
    summaries_.reset();
}

bool RecordFiles::keep(const absl::Status &status, const std::string &flag) {
  if (status.ok())
    return true;
  const absl::Status named = base::annotate(status, flag);
  options_.log(absl::StrCat(base::describe(named), "; nothing more is written there"));
  failed_.Update(
      absl::DataLossError(absl::StrCat(base::describe(named), "; it ends before the run does")));
  return false;
}

absl::Status RecordFiles::end(bool) {
  base::MutexLock lock(mutex_);
  history_.reset();
  summaries_.reset();
  return failed_;
}

} // namespace graphc::session
