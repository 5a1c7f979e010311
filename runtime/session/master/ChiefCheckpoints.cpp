#include "runtime/session/master/ChiefCheckpoints.h"

#include "runtime/checkpoint/CheckpointLayout.h"
#include "runtime/checkpoint/WarmStart.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/session/peers/AnswerConsistency.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace graphc::session {

/// Locks the folder for this run, then every task that owns variables looks whether it sees that
/// very folder.
absl::Status ChiefCheckpoints::hold() {
  {
    FileWatchdog::Work work(files_, absl::StrCat("opening --checkpoint_dir ", options_.directory));
    GRAPHC_ASSIGN_OR_RETURN(
        checkpoint::CheckpointDirectory held,
        checkpoint::CheckpointDirectory::open(options_.directory, options_.keep, options_.wait));
    directory_.emplace(std::move(held));
    // what is said there is an earlier run's
    GRAPHC_RETURN_IF_ERROR(checkpoint::removeFinished(options_.directory));
  }
  service::Order check;
  check.mutable_check()->set_directory(options_.directory);
  check.mutable_check()->set_nonce(directory_->nonce());
  GRAPHC_RETURN_IF_ERROR(
      base::annotate(coordinator_.giveOrder(std::move(check), absl::Now() + kFileDeadline).status(),
                     "--checkpoint_dir"));
  directory_->forgetNonce();
  return absl::OkStatus();
}

absl::Status ChiefCheckpoints::finish(uint64_t step, std::optional<uint64_t> steps,
                                      std::optional<double> epochs) {
  if (!directory_)
    return absl::OkStatus();
  const checkpoint::TrainingEndMarker finished{
      step, {steps, steps ? std::nullopt : std::optional(epochs.value_or(1))}};
  FileWatchdog::Work work(files_, absl::StrCat("writing into ", options_.directory));
  return base::annotate(checkpoint::writeFinished(options_.directory, finished),
                        "--checkpoint_dir");
}

/// The one that was asked for, of which the plan may take a part.
absl::StatusOr<std::optional<checkpoint::CommittedCheckpoint>> ChiefCheckpoints::openOnly() {
  FileWatchdog::Work work(files_, absl::StrCat("reading ", options_.only));
  GRAPHC_ASSIGN_OR_RETURN(checkpoint::CommittedCheckpoint found,
                          checkpoint::openCheckpoint(options_.only));
  std::vector<std::string> leftOut;
  GRAPHC_RETURN_IF_ERROR(checkpoint::checkVariables(found, plan_, leftOut));
  saved_ = found.manifest.globalStep;
  return found;
}

/// The newest checkpoint that is whole; damaged ones before it are warnings, but a folder with none
/// but damaged ones is an error.
absl::StatusOr<std::optional<checkpoint::CommittedCheckpoint>> ChiefCheckpoints::open() {
  if (options_.writes)
    GRAPHC_RETURN_IF_ERROR(hold());
  else if (!options_.only.empty())
    return openOnly();
  std::vector<std::string> warnings;
  std::optional<checkpoint::CommittedCheckpoint> found;
  {
    FileWatchdog::Work work(files_,
                            absl::StrCat("reading the checkpoints of ", options_.directory));
    GRAPHC_ASSIGN_OR_RETURN(found, checkpoint::findNewest(options_.directory, warnings));
  }
  const bool allDamaged = !found && !warnings.empty();
  if (found)
    GRAPHC_RETURN_IF_ERROR(checkpoint::checkVariables(*found, plan_, warnings));
  for (const std::string &warning : warnings)
    options_.log(warning);
  if (allDamaged) // to begin anew would in time overwrite what is left of them
    return absl::DataLossError(
        absl::StrCat("--checkpoint_dir ", options_.directory,
                     " has no checkpoint that is whole; move its step-… away to begin anew, "
                     "or name another folder"));
  if (!found && !options_.writes)
    return absl::NotFoundError(absl::StrCat(
        "--checkpoint_dir ", options_.directory,
        " has no checkpoint, which --entry eval and predict require; omit the flag to use the initial "
        "values, or give --init_from FILE to load values"));
  if (found) {
    saved_ = found->manifest.globalStep;
    base::MutexLock lock(mutex_);
    known_ = {saved_, checkpoint::madeAt(found->path), 0};
  }
  return found;
}

absl::Status ChiefCheckpoints::begin(const std::string &from, service::Order::Initialize &order) {
  if (from.empty())
    return checkpoint::checkInitialized(plan_);
  const std::string flag = absl::StrCat("--init_from ", from);
  FileWatchdog::Work work(files_, absl::StrCat("reading ", flag));
  std::vector<std::string> skipped;
  auto origin = checkpoint::WarmStartSource::find(from, skipped);
  for (const std::string &warning : skipped)
    options_.log(warning);
  if (!origin.ok())
    return base::annotate(origin.status(), flag);
  auto made = origin->beginnings(plan_);
  if (absl::Status sound = made.ok() ? origin->check(*made, plan_) : made.status(); !sound.ok())
    return base::annotate(sound, flag);
  order.set_init_from(origin->path());
  if (const checkpoint::ValuesFile *file = origin->file()) {
    GRAPHC_ASSIGN_OR_RETURN(const uint32_t crc, file->crc32c());
    order.mutable_init_file()->set_bytes(file->bytes());
    order.mutable_init_file()->set_crc32c(crc);
  }
  constexpr size_t kMostNames = 20;
  options_.log(absl::StrCat("beginning with ", made->sources.size(),
                            made->sources.size() == 1 ? " variable" : " variables", " of ",
                            origin->path(),
                            made->others.empty() ? "" : "; with values of their own begin ",
                            checkpoint::listed(made->others, kMostNames)));
  return absl::OkStatus();
}

std::string ChiefCheckpoints::pathOf(uint64_t step) const {
  return checkpoint::stepPath(options_.directory, step);
}

absl::Status ChiefCheckpoints::save(uint64_t step, const Positions &positions, const Ahead &ahead) {
  if (saved_ == step)
    return absl::OkStatus();
  absl::Status status = write(step, positions, ahead);
  if (!status.ok() || !notFinite_.empty())
    directory_->abandon(step);
  return status;
}

/// The chief makes the folder, each owner writes its shard into it, the chief writes the manifest
/// and renames: only then is it one.
absl::Status ChiefCheckpoints::write(uint64_t step, const Positions &positions,
                                     const Ahead &ahead) {
  {
    FileWatchdog::Work work(files_, absl::StrCat("clearing ", options_.directory));
    GRAPHC_RETURN_IF_ERROR(directory_->prepare(step));
  }
  service::Order save;
  save.mutable_save()->set_directory(options_.directory);
  save.mutable_save()->set_step(step);
  GRAPHC_ASSIGN_OR_RETURN(std::vector<service::Done> written,
                          coordinator_.giveOrder(std::move(save), absl::Now() + kFileDeadline));
  for (const service::Done &done : written)
    if (notFinite_.empty() && !done.not_finite().empty())
      notFinite_ = absl::StrCat(base::foreignText(done.not_finite()), " behind step ", step);
  if (!notFinite_.empty())
    return absl::OkStatus();
  GRAPHC_RETURN_IF_ERROR(compareMirrors(plan_, written, "at the checkpoint"));
  checkpoint::CheckpointManifest manifest;
  manifest.globalStep = step;
  manifest.dataPositions = positions;
  manifest.dataTaken = ahead;
  manifest.algorithms = algorithms_;
  for (const service::Done &done : written) {
    if (done.shard().empty())
      continue;
    GRAPHC_ASSIGN_OR_RETURN(checkpoint::ShardInfo shard, checkpoint::decodeShard(done.shard()));
    manifest.shards.push_back(std::move(shard));
  }
  {
    FileWatchdog::Work work(files_,
                            absl::StrCat("committing a checkpoint in ", options_.directory));
    GRAPHC_RETURN_IF_ERROR(directory_->commit(manifest));
  }
  saved_ = step;
  const absl::Time now = absl::Now();
  startClock(now);
  base::MutexLock lock(mutex_);
  known_ = {step, now, known_.saved + 1};
  return absl::OkStatus();
}

void ChiefCheckpoints::startClock(absl::Time now) {
  base::MutexLock lock(mutex_);
  savedAt_ = now;
}

bool ChiefCheckpoints::due(absl::Time now) const {
  base::MutexLock lock(mutex_);
  return wanted() && options_.everySeconds && savedAt_ &&
         now - *savedAt_ >= absl::Seconds(*options_.everySeconds);
}

} // namespace graphc::session
