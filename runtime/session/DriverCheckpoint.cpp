// The driver's part of checkpoints: which one to begin with, and the commit of a new one.
#include "runtime/base/Status.h"
#include "runtime/plan/Types.h"
#include "runtime/session/Driver.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <algorithm>

namespace graphc::session {
namespace {
constexpr absl::Duration kFileDeadline = absl::Minutes(30); ///< a big checkpoint on a slow disk
} // namespace

/// The chief finds the newest checkpoint, each owner looks whether it sees the same folder, and all initialise or restore.
absl::Status Driver::initialize() {
  service::Order initialize;
  initialize.mutable_initialize();
  std::optional<checkpoint::Found> found;
  if (!options_.dumpDirectory.empty()) {
    service::Order check;
    check.mutable_check()->set_directory(options_.dumpDirectory);
    std::optional<checkpoint::Nonce> nonce;
    // Owners of parts write one file together; the owner of a whole variable may write where nobody else sees it.
    if (std::any_of(plan_.variables().begin(), plan_.variables().end(), [](auto &v) { return v.has_part_of(); })) {
      GRAPHC_RETURN_IF_ERROR(base::makeDirectories(options_.dumpDirectory));
      GRAPHC_ASSIGN_OR_RETURN(checkpoint::Nonce made, checkpoint::Nonce::create(options_.dumpDirectory));
      check.mutable_check()->set_nonce(nonce.emplace(std::move(made)).word());
    }
    GRAPHC_RETURN_IF_ERROR(base::annotate(order(std::move(check), kFileDeadline).status(), "--dump_variables"));
  }
  if (const std::string &dir = options_.checkpointDirectory; !dir.empty()) {
    bool trains = options_.entry == "train";
    if (trains) {
      {
        FileWork work(*this, absl::StrCat("opening --checkpoint_dir ", dir));
        GRAPHC_ASSIGN_OR_RETURN(checkpoint::Directory held, checkpoint::Directory::open(dir));
        directory_.emplace(std::move(held));
      }
      service::Order check;
      check.mutable_check()->set_directory(dir);
      check.mutable_check()->set_nonce(directory_->nonce());
      GRAPHC_RETURN_IF_ERROR(base::annotate(order(std::move(check), kFileDeadline).status(), "--checkpoint_dir"));
      directory_->forgetNonce();
    } // else it only reads, also while another run trains there
    std::vector<std::string> warnings;
    {
      FileWork work(*this, absl::StrCat("reading the checkpoints of ", dir));
      GRAPHC_ASSIGN_OR_RETURN(found, checkpoint::findNewest(dir, warnings));
    }
    bool allDamaged = !found && !warnings.empty();
    if (found)
      GRAPHC_RETURN_IF_ERROR(checkpoint::checkVariables(*found, plan_, warnings));
    for (const std::string &warning : warnings)
      options_.log(warning);
    if (allDamaged) // to begin anew would in time overwrite what is left of them
      return absl::DataLossError(absl::StrCat("--checkpoint_dir ", dir,
                                              " has no checkpoint that is whole; move its step-… away to begin anew, "
                                              "or name another folder"));
    if (!found && !trains)
      return absl::NotFoundError(absl::StrCat("--checkpoint_dir ", dir, " has no checkpoint for --entry ",
                                              options_.entry, "; without the flag it runs the initial values"));
  }
  if (found)
    initialize.mutable_initialize()->set_restore_from(found->path);
  GRAPHC_ASSIGN_OR_RETURN(std::vector<service::Done> ready, order(std::move(initialize), kFileDeadline));
  GRAPHC_RETURN_IF_ERROR(compareMirrors(ready, "at the start"));
  for (const service::Done &done : ready)
    if (done.has_global_step())
      step_ = static_cast<uint64_t>(done.global_step());
  if (found) {
    step_ = found->manifest.globalStep;
    positions_ = found->manifest.dataPositions;
    restored_ = true;
    savedStep_ = found->manifest.globalStep;
    options_.log(absl::StrCat("going on from ", found->path));
  }
  return absl::OkStatus();
}

/// Replicas with a copy each of the variables must agree to the bit.
absl::Status Driver::compareMirrors(const std::vector<service::Done> &answers, std::string_view when) const {
  std::vector<plan::Task> tasks = plan::allTasks(plan_);
  std::optional<size_t> first;
  for (size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i].has_mirrors_crc())
      continue;
    if (!first)
      first = i;
    else if (answers[i].mirrors_crc() != answers[*first].mirrors_crc())
      return absl::DataLossError(absl::StrCat("the copies of the variables on ", plan::taskText(plan_, tasks[*first]),
                                              " and ", plan::taskText(plan_, tasks[i]), " differ ",
                                              absl::string_view(when.data(), when.size()),
                                              "; replicas that mirror variables have to stay equal: do all tasks run "
                                              "the same plan and graphrun on alike CPUs?"));
  }
  return absl::OkStatus();
}

absl::Status Driver::save() {
  if (step_ == savedStep_)
    return absl::OkStatus();
  absl::Status status = writeCheckpoint();
  if (!status.ok())
    directory_->abandon(step_);
  return status;
}

/// The chief makes the folder, each owner writes its shard into it, the chief writes the manifest and renames: only then is it one.
absl::Status Driver::writeCheckpoint() {
  {
    FileWork work(*this, absl::StrCat("clearing ", options_.checkpointDirectory));
    GRAPHC_RETURN_IF_ERROR(directory_->prepare(step_));
  }
  service::Order save;
  save.mutable_save()->set_directory(options_.checkpointDirectory);
  save.mutable_save()->set_step(step_);
  GRAPHC_ASSIGN_OR_RETURN(std::vector<service::Done> written, order(std::move(save), kFileDeadline));
  GRAPHC_RETURN_IF_ERROR(compareMirrors(written, "at the checkpoint"));
  checkpoint::Manifest manifest;
  manifest.globalStep = step_;
  manifest.dataPositions = positions_;
  for (const service::Done &done : written) {
    if (done.shard().empty())
      continue;
    GRAPHC_ASSIGN_OR_RETURN(checkpoint::ShardInfo shard, checkpoint::decodeShard(done.shard()));
    manifest.shards.push_back(std::move(shard));
  }
  {
    FileWork work(*this, absl::StrCat("committing a checkpoint in ", options_.checkpointDirectory));
    GRAPHC_RETURN_IF_ERROR(directory_->commit(manifest));
  }
  savedStep_ = step_;
  base::MutexLock lock(mutex_);
  savedAt_ = absl::Now();
  return absl::OkStatus();
}

} // namespace graphc::session
