#include "runtime/session/results/ModelExport.h"

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/common/base/File.h"
#include "runtime/common/base/FileLock.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/StandalonePlan.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <sys/stat.h>

namespace graphc::session {
namespace {
namespace fs = std::filesystem;
constexpr char kPlanFile[] = "/predict.plan", kVariables[] = "/variables", kPartial[] = ".partial";
/// A big export to a slow disk, by another run.
constexpr absl::Duration kOtherExport = absl::Minutes(4);
constexpr char kShard[] = "variables.safetensors";

/// A number from 1 on in its one spelling; 0: none.
uint64_t versionOf(const std::string &name) {
  uint64_t version = 0;
  return absl::SimpleAtoi(name, &version) && absl::StrCat(version) == name ? version : 0;
}

absl::StatusOr<std::vector<std::string>> namesIn(const std::string &dir) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(dir, error), end; !error && entry != end;
       entry.increment(error))
    names.push_back(entry->path().filename().native());
  if (error)
    return base::errnoStatus(dir, error.value());
  return names;
}

absl::StatusOr<uint64_t> newestVersion(const std::string &dir) {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<std::string> names, namesIn(dir));
  uint64_t newest = 0;
  for (const std::string &name : names)
    newest = std::max(newest, versionOf(name));
  return newest;
}

/// The model's variables that the plan reads, whole, whatever parts they are in there.
absl::Status writeVariables(const plan::Plan &plan, const checkpoint::CommittedCheckpoint &found,
                            const std::string &dir) {
  std::map<std::string, std::string> values;
  std::vector<checkpoint::RestoreTarget> wanted;
  std::vector<checkpoint::TensorView> tensors;
  for (const plan::Variable &variable : plan.variables()) {
    const std::string &name = plan::modelName(variable);
    const plan::TensorType &type = plan::modelType(variable);
    if (values.contains(name))
      continue;
    std::string &value = values[name];
    value.resize(plan::tensorBytes(type).value_or(0));
    wanted.push_back({name, type, value.data(), value.size(), 0});
    tensors.push_back({name, type, value.data(), value.size()});
  }
  GRAPHC_RETURN_IF_ERROR(checkpoint::restoreVariables(found, wanted));
  const uint64_t step = found.manifest.globalStep;
  GRAPHC_ASSIGN_OR_RETURN(checkpoint::CheckpointDirectory directory,
                          checkpoint::CheckpointDirectory::open(dir));
  directory.forgetNonce();
  GRAPHC_RETURN_IF_ERROR(directory.prepare(step));
  checkpoint::CheckpointManifest manifest;
  manifest.globalStep = step;
  manifest.algorithms = found.manifest.algorithms;
  if (!tensors.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(checkpoint::ShardInfo shard,
                            checkpoint::writeShard(dir, directory.nonce(), step, kShard, tensors));
    manifest.shards.push_back(std::move(shard));
  }
  return directory.commit(manifest);
}

absl::Status damaged(const std::string &path, const absl::Status &why) {
  return absl::DataLossError(
      absl::StrCat("the export ", path, " is damaged: ", why.message(),
                   "; copy it anew, export it again, or name another version"));
}
} // namespace

absl::StatusOr<std::string> writeExport(const plan::Plan &plan, const std::string &checkpoint,
                                        const std::string &dir,
                                        const std::function<void(const std::string &)> &log,
                                        const std::function<absl::Status()> &goesOn) {
  GRAPHC_ASSIGN_OR_RETURN(plan::Plan predictions,
                          plan::standalonePlan(plan, plan::PREDICT, "worker"));
  GRAPHC_ASSIGN_OR_RETURN(checkpoint::CommittedCheckpoint found,
                          checkpoint::readCheckpoint(checkpoint));
  GRAPHC_RETURN_IF_ERROR(base::makeDirectories(dir));
  base::UniqueFd lock(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock)
    return base::errnoStatus(dir, errno);
  if (!base::lockWithin(lock.get(), absl::ZeroDuration())) {
    log(absl::StrCat("another run exports to ", dir, "; waiting until it has, at most ",
                     absl::FormatDuration(kOtherExport)));
    const bool isHeld =
        base::lockWithin(lock.get(), kOtherExport, [&goesOn] { return goesOn && !goesOn().ok(); });
    if (goesOn)
      GRAPHC_RETURN_IF_ERROR(goesOn());
    if (!isHeld)
      return absl::FailedPreconditionError(
          absl::StrCat("another run has exported there for ", absl::FormatDuration(kOtherExport),
                       "; the same command exports again, with nothing left to train"));
  }
  std::error_code error;
  GRAPHC_ASSIGN_OR_RETURN(std::vector<std::string> names, namesIn(dir));
  for (const std::string &name : names) // of a killed run; the lock says that nobody is writing it
    if (absl::EndsWith(name, kPartial) && versionOf(std::string(absl::StripSuffix(name, kPartial))))
      fs::remove_all(absl::StrCat(dir, "/", name), error);
  GRAPHC_ASSIGN_OR_RETURN(uint64_t newest, newestVersion(dir));
  const std::string path = absl::StrCat(dir, "/", newest + 1), partial = path + kPartial;
  const auto write = [&]() -> absl::Status {
    GRAPHC_RETURN_IF_ERROR(writeVariables(predictions, found, partial + kVariables));
    GRAPHC_RETURN_IF_ERROR(plan::writePlan(partial + kPlanFile, predictions));
    GRAPHC_RETURN_IF_ERROR(base::syncDirectory(partial));
    // EINVAL: the file system cannot refuse
    if (renameat2(AT_FDCWD, partial.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) != 0 &&
        (errno != EINVAL || rename(partial.c_str(), path.c_str()) != 0))
      return base::errnoStatus(path, errno);
    return base::syncDirectory(dir);
  };
  if (absl::Status status = write(); !status.ok()) {
    fs::remove_all(partial, error);
    return status;
  }
  return path;
}

absl::StatusOr<ModelExport> openExport(const std::string &path) {
  ModelExport found;
  found.path = path;
  if (!base::exists(path + kPlanFile)) {
    GRAPHC_ASSIGN_OR_RETURN(const uint64_t newest, newestVersion(path));
    GRAPHC_ASSIGN_OR_RETURN(std::vector<uint64_t> steps, checkpoint::committedSteps(path));
    if (newest)
      found.path = absl::StrCat(path, "/", newest);
    else
      return absl::InvalidArgumentError(
          steps.empty()
              ? absl::StrCat(
                    path,
                    ": a folder, and no export (graphrun model.plan --export_dir DIR writes one)")
              : absl::StrCat(
                    path,
                    ": a folder of checkpoints, not a plan; graphrun model.plan --checkpoint_dir ",
                    path,
                    " goes on from them, and with --entry predict predicts by the newest; graphrun show ",
                    path, " says what is in them"));
  }
  found.plan = found.path + kPlanFile;
  found.variables = found.path + kVariables;
  if (!base::exists(found.plan))
    return damaged(found.path, absl::NotFoundError("it has no predict.plan"));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<uint64_t> steps, checkpoint::committedSteps(found.variables));
  if (steps.size() != 1)
    return damaged(found.path, absl::NotFoundError(
                                   absl::StrCat("its variables are ", steps.size(),
                                                " checkpoints, expected one: variables/step-N")));
  const std::string checkpoint = absl::StrCat(found.variables, "/step-", steps.front());
  if (auto whole = checkpoint::openCheckpoint(checkpoint); !whole.ok())
    return damaged(found.path, whole.status());
  return found;
}

} // namespace graphc::session
