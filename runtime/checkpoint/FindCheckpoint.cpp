//===- FindCheckpoint.cpp - which checkpoint a run goes on from -------------------------------===//
//
// The newest one whose manifest and shards are whole. A damaged or unfinished one is skipped, with
// a warning that says why.
//
//===------------------------------------------------------------------------------------------===//
#include "runtime/checkpoint/CheckpointLayout.h"

#include "runtime/common/base/Crc32c.h"
#include "runtime/common/base/Sha256.h"
#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::checkpoint {

namespace fs = std::filesystem;

absl::StatusOr<std::vector<uint64_t>> committedSteps(const std::string &dir) {
  std::vector<uint64_t> steps;
  std::error_code error;
  fs::directory_iterator entry(dir, error), end;
  if (error == std::errc::no_such_file_or_directory)
    return steps;
  for (; !error && entry != end; entry.increment(error)) {
    uint64_t step = 0;
    if (parseStep(entry->path().filename().native(), step))
      steps.push_back(step);
  }
  if (error)
    return base::errnoStatus(dir, error.value());
  std::sort(steps.begin(), steps.end());
  return steps;
}

absl::StatusOr<base::MappedFile> openShard(const CommittedCheckpoint &checkpoint,
                                           const ShardInfo &shard) {
  std::string path = absl::StrCat(checkpoint.path, "/", shard.file);
  GRAPHC_ASSIGN_OR_RETURN(base::MappedFile file,
                          base::MappedFile::open(path, base::SymlinkPolicy::Refuse));
  if (file.size() != shard.bytes)
    return absl::DataLossError(
        absl::StrCat(path, ": ", file.size(), " bytes, the manifest promises ", shard.bytes));
  uint32_t crc = base::crc32c(file.view());
  if (crc != shard.crc32c)
    return absl::DataLossError(
        absl::StrFormat("%s: crc32c %08x, the manifest promises %08x; the file was changed or "
                        "damaged",
                        path, crc, shard.crc32c));
  if (base::toHex(base::sha256(file.view())) != shard.sha256)
    return absl::DataLossError(absl::StrCat(
        path, ": its SHA-256 differs from the manifest's; the file was changed or damaged"));
  return file;
}

absl::StatusOr<CommittedCheckpoint> readCheckpoint(const std::string &path) {
  CommittedCheckpoint found;
  found.path = path;
  std::string manifestPath = absl::StrCat(path, "/", manifestFile);
  GRAPHC_ASSIGN_OR_RETURN(std::string text, base::readFile(manifestPath, 64 << 20));
  GRAPHC_ASSIGN_OR_RETURN(found.manifest, decodeManifest(text, manifestPath));
  return found;
}

absl::Time madeAt(const std::string &path) {
  struct stat info{};
  if (stat(absl::StrCat(path, "/", manifestFile).c_str(), &info) != 0)
    return absl::InfinitePast();
  return absl::TimeFromTimespec(info.st_mtim);
}

absl::Status checkShard(const CommittedCheckpoint &checkpoint, const ShardInfo &shard) {
  return openShard(checkpoint, shard).status();
}

absl::StatusOr<CommittedCheckpoint> openCheckpoint(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(CommittedCheckpoint found, readCheckpoint(path));
  for (const ShardInfo &shard : found.manifest.shards)
    GRAPHC_RETURN_IF_ERROR(openShard(found, shard).status());
  return found;
}

bool isCheckpoint(const std::string &dir) {
  return access(absl::StrCat(dir, "/", manifestFile).c_str(), F_OK) == 0;
}

absl::StatusOr<std::optional<CommittedCheckpoint>> findNewest(const std::string &dir,
                                                              std::vector<std::string> &warnings) {
  if (isCheckpoint(dir))
    return openCheckpoint(dir);
  std::vector<uint64_t> steps;
  GRAPHC_ASSIGN_OR_RETURN(steps, committedSteps(dir));
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    std::string path = stepPath(dir, *step);
    absl::StatusOr<CommittedCheckpoint> found = openCheckpoint(path);
    if (found.ok() && found->manifest.globalStep != *step)
      found = absl::DataLossError(
          absl::StrCat(path, ": its manifest is that of step ", found->manifest.globalStep));
    if (found.ok())
      return std::optional<CommittedCheckpoint>(std::move(*found));
    warnings.push_back(
        absl::StrCat("checkpoint ", path, " is skipped: ", found.status().message()));
  }
  return std::optional<CommittedCheckpoint>();
}

} // namespace graphc::checkpoint
