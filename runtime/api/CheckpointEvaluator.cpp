#include "runtime/api/CheckpointEvaluator.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/executor/LaneRunner.h"
#include "runtime/observe/event.pb.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <sys/stat.h>

namespace graphc::session {
namespace {
constexpr absl::Duration kLookEvery = absl::Milliseconds(200);

std::string checkpointAt(const std::string &folder, uint64_t step) {
  return absl::StrCat(folder, "/step-", step);
}

/// Tells a folder from a later one of the same name.
uint64_t identityOf(const std::string &path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}
} // namespace

CheckpointEvaluator::CheckpointEvaluator(const plan::LoadedPlan &plan, Options options)
    : plan_(plan), options_(std::move(options)) {}

absl::Status CheckpointEvaluator::run() {
  since_ = absl::Now();
  nextReport_ = absl::ZeroDuration(); // the first wait is told at once
  for (bool first = true;; first = false) {
    if (stops())
      return absl::CancelledError("the evaluator was stopped, as asked");
    // Before the folder is looked at: all that training has saved until it said so, or ended, is
    // seen below.
    const bool lives = !options_.trainingLives || options_.trainingLives();
    auto finished = checkpoint::readFinished(folder());
    if (std::string why = finished.ok() ? "" : base::describe(finished.status());
        why != unreadable_) {
      unreadable_ = why;
      if (!why.empty())
        log(absl::StrCat(why, "; whether training is over is not known"));
    }
    const bool isOver = finished.ok() && *finished && (*finished)->reaches(options_.goal);
    GRAPHC_ASSIGN_OR_RETURN(std::vector<uint64_t> steps, newSteps());
    if (first) {
      foundSome_ = !steps.empty();
      std::reverse(steps.begin(), steps.end()); // the newest; older ones only where that is damaged
    }
    for (uint64_t step : steps) {
      GRAPHC_RETURN_IF_ERROR(evaluate(step));
      if (first && last_)
        break;
    }
    if (steps.empty() && isOver) {
      log(last_ ? absl::StrCat("training is over, and its last checkpoint, step-", *last_,
                               ", evaluated")
                : absl::StrCat("training is over at step ", (*finished)->step,
                               ", and has no checkpoint to evaluate"));
      return absl::OkStatus();
    }
    if (steps.empty() && !lives)
      return absl::FailedPreconditionError(
          absl::StrCat("training has ended, and has not said in ", folder(),
                       " that it is over: finished.json is ",
                       finished.ok() && *finished ? "an earlier one's" : "not there or damaged",
                       "; what is there was ",
                       last_ ? absl::StrCat("evaluated up to step-", *last_) : "not evaluated"));
    if (steps.empty())
      GRAPHC_RETURN_IF_ERROR(await(finished.ok() && *finished));
  }
}

/// Those that nobody has looked at yet, in their order.
absl::StatusOr<std::vector<uint64_t>> CheckpointEvaluator::newSteps() {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<uint64_t> steps, checkpoint::committedSteps(folder()));
  if (last_ && (steps.empty() || steps.back() < *last_) && !steps.empty()) {
    log(absl::StrCat(folder(), " has no step-", *last_, " any more, and ends at step-",
                     steps.back(), ": training goes on from there"));
    last_.reset();
  }
  std::erase_if(steps, [this](uint64_t step) {
    auto skipped = skipped_.find(step);
    return (last_ && step <= *last_) ||
           (skipped != skipped_.end() &&
            skipped->second == identityOf(checkpointAt(folder(), step)));
  });
  return steps;
}

absl::Status CheckpointEvaluator::evaluate(uint64_t step) {
  if (stops())
    return absl::CancelledError("the evaluator was stopped, as asked");
  RunOptions run = options_.run;
  run.entry = "eval";
  run.checkpoint = checkpointAt(folder(), step);
  const uint64_t identity = identityOf(run.checkpoint);
  absl::StatusOr<RunResult> result = session::run(plan_, run);
  if (!result.ok() && (absl::IsCancelled(result.status()) || stops()))
    return absl::CancelledError("the evaluator was stopped, as asked");
  if (!result.ok() && identityOf(run.checkpoint) != identity) {
    log(absl::StrCat("checkpoint ", run.checkpoint,
                     " is skipped: it went while it was read, as older ones do",
                     " (--keep_checkpoint_max)"));
    return absl::OkStatus();
  }
  // What else it fails by, a data set that is missing say, would be the same with each checkpoint.
  if (!result.ok() && !checkpoint::openCheckpoint(run.checkpoint).ok()) {
    log(absl::StrCat("checkpoint ", run.checkpoint, " is skipped: ", result.status().message()));
    skipped_[step] = identity;
    return absl::OkStatus();
  }
  GRAPHC_RETURN_IF_ERROR(result.status());
  options_.print(absl::StrCat(
      "step ", step, ": ",
      absl::StrJoin(result->metrics, ", ", [](std::string *out, const auto &metric) {
        absl::StrAppend(out, metric.first, " ", absl::StrFormat("%.6g", metric.second));
      })));
  last_ = step;
  since_ = absl::Now();
  nextReport_ = executor::firstReport(options_.wait);
  return keep(step, result->metrics);
}

/// Files of an earlier evaluator of this training lose what they have of this checkpoint and later
/// ones; where the training is new, they are another one's.
absl::Status CheckpointEvaluator::keep(uint64_t step,
                                       const std::map<std::string, double> &metrics) {
  observe::StepRecord record;
  record.phase = "eval";
  record.step = step;
  record.time = absl::Now();
  record.scalars.assign(metrics.begin(), metrics.end());
  if (!options_.historyFile.empty()) {
    if (!history_) {
      auto opened = observe::HistoryFile::open(
          options_.historyFile, {foundSome_, step ? step - 1 : 0, 0}, options_.run.log);
      if (!opened.ok())
        return base::annotate(opened.status(), "--history");
      history_ = *std::move(opened);
    }
    GRAPHC_RETURN_IF_ERROR(base::annotate(history_->write(record), "--history"));
  }
  if (!options_.summaryFolder.empty()) {
    if (!events_) {
      auto created =
          observe::EventFile::create(options_.summaryFolder, step ? step - 1 : 0, record.time);
      if (!created.ok())
        return base::annotate(created.status(), "--summary_dir");
      events_ = *std::move(created);
    }
    GRAPHC_RETURN_IF_ERROR(
        base::annotate(events_->write(observe::eventOf(record)), "--summary_dir"));
  }
  return absl::OkStatus();
}

/// A look later; what is waited for is told from time to time, and not waited for for ever.
absl::Status CheckpointEvaluator::await(bool hasEnded) {
  const absl::Duration waited = absl::Now() - since_;
  const std::string what =
      last_ ? absl::StrCat("a checkpoint behind step-", *last_) : "a checkpoint";
  if (!options_.trainingLives && waited >= options_.wait)
    return absl::DeadlineExceededError(absl::StrCat(
        "no ", what.substr(2), " has come into ", folder(), " for ",
        absl::FormatDuration(options_.wait), " (--wait_deadline), and ",
        hasEnded
            ? "the training that has ended there had fewer steps or epochs to make than this evaluator's flags say; "
              "give "
              "both the same"
            : "training has not said there that it is over: it was stopped or killed, or saves more rarely; start this "
              "again with it, or give --wait_deadline more seconds"));
  if (waited >= nextReport_) {
    log(absl::StrCat(
        "waiting for ", what, " in ", folder(),
        waited < absl::Seconds(1)
            ? ""
            : absl::StrCat(", since ", absl::FormatDuration(absl::Floor(waited, absl::Seconds(1)))),
        options_.trainingLives ? "; as long as training lives"
                               : absl::StrCat("; at most ", absl::FormatDuration(options_.wait),
                                              " (--wait_deadline)")));
    nextReport_ = std::max(2 * waited, executor::firstReport(options_.wait));
  }
  for (absl::Time until = absl::Now() + kLookEvery; absl::Now() < until && !stops();)
    absl::SleepFor(absl::Milliseconds(20));
  return absl::OkStatus();
}

} // namespace graphc::session
