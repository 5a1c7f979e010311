#include "runtime/session/master/FileWatchdog.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <utility>

namespace graphc::session {

FileWatchdog::Work::Work(FileWatchdog &watch, std::string what) : watch_(watch) {
  base::MutexLock lock(watch_.mutex_);
  watch_.working_ = Working{std::move(what), absl::Now()};
}

FileWatchdog::Work::~Work() {
  base::MutexLock lock(watch_.mutex_);
  watch_.working_.reset();
}

absl::Status FileWatchdog::check(absl::Time now) const {
  base::MutexLock lock(mutex_);
  if (!working_ || now - working_->since <= deadline_)
    return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrCat(working_->what, " takes longer than ", absl::FormatDuration(deadline_)));
}

} // namespace graphc::session
