#include "runtime/session/master/ChiefEarlyStop.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"

#include "absl/strings/str_cat.h"

#include <utility>

namespace graphc::session {

absl::Status ChiefEarlyStop::begin(uint64_t step) {
  if (!checkpoints_.wanted())
    return absl::OkStatus();
  const std::string &folder = checkpoints_.directory();
  FileWatchdog::Work work(files_, absl::StrCat("reading the evaluations of ", folder));
  absl::StatusOr<checkpoint::EvaluationHistory> found = checkpoint::readEvaluations(folder);
  if (!found.ok() && stop_ && !absl::IsDataLoss(found.status()))
    return base::annotate(found.status(), "--checkpoint_dir");
  if (!found.ok()) {
    damage_ = base::describe(found.status());
    if (stop_)
      warn_(absl::StrCat(std::exchange(damage_, ""), "; ", flag(),
                         " compares only evaluations from this step on"));
    return absl::OkStatus();
  }
  records_ = *std::move(found);
  if (records_.removeAfter(step))
    GRAPHC_RETURN_IF_ERROR(
        base::annotate(checkpoint::writeEvaluations(folder, records_), "--checkpoint_dir"));
  if (stop_)
    compareEarlierRuns();
  return absl::OkStatus();
}

void ChiefEarlyStop::compareEarlierRuns() {
  size_t ignored = 0;
  for (const checkpoint::EvaluationRecord &one : records_.made) {
    if (!one.metrics.contains(stop_->metric())) {
      ++ignored;
      continue;
    }
    stop_->evaluated(one.step, one.metrics);
    if (base::exists(checkpoints_.pathOf(one.step)))
      best_->evaluated(one.step, one.metrics);
  }
  if (ignored > 0)
    warn_(absl::StrCat(ignored, " of ", records_.made.size(),
                       " earlier evaluations did not measure ", stop_->metric(), "; ", flag(),
                       " ignores them"));
  if (stop_->bestStep() && stop_->bestStep() != best_->bestStep())
    warn_(absl::StrCat(describeGone(*stop_), "; the best checkpoint is chosen from those that do"));
  if (std::optional<uint64_t> best = best_->bestStep())
    checkpoints_.spare(*best);
}

absl::Status ChiefEarlyStop::evaluated(uint64_t step, const std::map<std::string, double> &means) {
  if (stop_) {
    stop_->evaluated(step, means);
    best_->evaluated(step, means);
    if (best_->isBest())
      checkpoints_.spare(step);
  }
  if (!checkpoints_.wanted())
    return absl::OkStatus();
  if (!damage_.empty())
    warn_(absl::StrCat(std::exchange(damage_, ""),
                       "; evaluations are recorded again from this step"));
  records_.removeAfter(step ? step - 1 : 0);
  records_.made.push_back({step, means});
  FileWatchdog::Work work(files_, absl::StrCat("writing into ", checkpoints_.directory()));
  return base::annotate(checkpoint::writeEvaluations(checkpoints_.directory(), records_),
                        "--checkpoint_dir");
}

std::string ChiefEarlyStop::best() const {
  if (!best_ || !best_->bestStep() || !checkpoints_.wanted())
    return "";
  const std::string path = checkpoints_.pathOf(*best_->bestStep());
  return base::exists(path) ? path : "";
}

std::string ChiefEarlyStop::describeGone(const EarlyStop &compared) const {
  return absl::StrCat("the best evaluation (", compared.describeBest(), ") belongs to ",
                      checkpoints_.pathOf(*compared.bestStep()), ", which does not exist");
}

std::string ChiefEarlyStop::describeMissing() const {
  const EarlyStop &compared = best_->bestStep() ? *best_ : *stop_;
  return compared.bestStep() ? describeGone(compared)
                             : absl::StrCat("no evaluation gave a number for ", compared.metric());
}

} // namespace graphc::session
