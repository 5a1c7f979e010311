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
                         " starts counting again from this step"));
    return absl::OkStatus();
  }
  made_ = *std::move(found);
  if (made_.forgetBehind(step))
    GRAPHC_RETURN_IF_ERROR(
        base::annotate(checkpoint::writeEvaluations(folder, made_), "--checkpoint_dir"));
  if (stop_)
    compareEarlier();
  return absl::OkStatus();
}

void ChiefEarlyStop::compareEarlier() {
  const EarlyStop none = *stop_;
  size_t without = 0;
  const auto compare = [&](bool onlyThoseThere) {
    *stop_ = none;
    without = 0;
    for (const checkpoint::EvaluationRecord &one : made_.made) {
      if (!one.metrics.contains(stop_->metric()))
        ++without;
      else if (!onlyThoseThere || base::exists(checkpoints_.pathOf(one.step)))
        stop_->evaluated(one.step, one.metrics);
    }
  };
  compare(/*onlyThoseThere=*/false);
  if (without > 0)
    warn_(absl::StrCat(without, " of ", made_.made.size(), " earlier evaluations did not measure ",
                       stop_->metric(), "; ", flag(), " compares the others"));
  if (stop_->bestStep() && best().empty()) {
    const std::string gone = describeMissing();
    if (!stop_->endsTraining())
      compare(/*onlyThoseThere=*/true);
    warn_(absl::StrCat(gone,
                       stop_->endsTraining()
                           ? ""
                           : "; --export best compares the evaluations whose checkpoints exist"));
  }
  if (std::optional<uint64_t> best = stop_->bestStep())
    checkpoints_.spare(*best);
}

absl::Status ChiefEarlyStop::evaluated(uint64_t step, const std::map<std::string, double> &means) {
  if (stop_) {
    stop_->evaluated(step, means);
    if (stop_->isBest())
      checkpoints_.spare(step);
  }
  if (!checkpoints_.wanted())
    return absl::OkStatus();
  if (!damage_.empty())
    warn_(absl::StrCat(std::exchange(damage_, ""),
                       "; evaluations are recorded again from this step"));
  made_.forgetBehind(step ? step - 1 : 0);
  made_.made.push_back({step, means});
  FileWatchdog::Work work(files_, absl::StrCat("writing into ", checkpoints_.directory()));
  return base::annotate(checkpoint::writeEvaluations(checkpoints_.directory(), made_),
                        "--checkpoint_dir");
}

std::string ChiefEarlyStop::best() const {
  if (!stop_ || !stop_->bestStep() || !checkpoints_.wanted())
    return "";
  const std::string path = checkpoints_.pathOf(*stop_->bestStep());
  return base::exists(path) ? path : "";
}

std::string ChiefEarlyStop::describeMissing() const {
  if (!stop_->bestStep())
    return absl::StrCat("no evaluation gave a number for ", stop_->metric());
  return absl::StrCat("the best evaluation (", stop_->describeBest(), ") belongs to ",
                      checkpoints_.pathOf(*stop_->bestStep()), ", which no longer exists");
}

} // namespace graphc::session
