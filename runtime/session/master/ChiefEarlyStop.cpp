#include "runtime/session/master/ChiefEarlyStop.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"

#include "absl/strings/str_cat.h"

#include <cmath>

namespace graphc::session {

absl::Status ChiefEarlyStop::begin(uint64_t step) {
  if (!checkpoints_.wanted())
    return absl::OkStatus();
  const std::string &folder = checkpoints_.directory();
  const char *flag = stop_ && !stop_->endsTraining() ? "; --export best" : "; --early_stop";
  FileWatchdog::Work work(files_, absl::StrCat("reading the evaluations of ", folder));
  absl::StatusOr<checkpoint::EvaluationHistory> found = checkpoint::readEvaluations(folder);
  if (!found.ok() && !stop_)
    return absl::OkStatus(); // left to who wants it
  if (!found.ok() && !absl::IsDataLoss(found.status()))
    return base::annotate(found.status(), "--checkpoint_dir");
  if (!found.ok())
    warn_(absl::StrCat(base::describe(found.status()), flag,
                       " starts counting again from this step"));
  const bool isOf =
      found.ok() && (!stop_ || found->made.empty() || found->metric == stop_->metric());
  if (!isOf && found.ok())
    warn_(absl::StrCat("earlier evaluations measured ", base::foreignText(found->metric), flag,
                       " starts counting again from this step"));
  checkpoint::EvaluationHistory kept = isOf ? *std::move(found) : checkpoint::EvaluationHistory();
  if (kept.forgetBehind(step) || !isOf)
    GRAPHC_RETURN_IF_ERROR(
        base::annotate(checkpoint::writeEvaluations(folder, kept), "--checkpoint_dir"));
  if (!stop_)
    return absl::OkStatus();
  for (const checkpoint::EvaluationRecord &one : kept.made)
    stop_->evaluated(one.step, {{stop_->metric(), one.value}});
  made_ = std::move(kept);
  if (std::optional<uint64_t> best = stop_->bestStep())
    checkpoints_.spare(*best);
  return absl::OkStatus();
}

absl::Status ChiefEarlyStop::evaluated(uint64_t step, const std::map<std::string, double> &means) {
  if (!stop_)
    return absl::OkStatus();
  stop_->evaluated(step, means);
  if (stop_->isBest())
    checkpoints_.spare(step);
  if (!checkpoints_.wanted())
    return absl::OkStatus();
  auto value = means.find(stop_->metric());
  made_.metric = stop_->metric();
  made_.forgetBehind(step ? step - 1 : 0);
  made_.made.push_back({step, value == means.end() ? std::nan("") : value->second});
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
