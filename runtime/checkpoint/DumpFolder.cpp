#include "runtime/checkpoint/DumpFolder.h"

#include "runtime/checkpoint/CheckpointLayout.h"
#include "runtime/common/base/FileLock.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::checkpoint {
namespace {
namespace fs = std::filesystem;
constexpr char kPrefix[] = ".graphrun-dump-";
constexpr char kGone[] = ".gone";

/// First by another name: from then on whoever of its run wakes up late finds nothing to write
/// into, nor to give a name from.
void removeFolder(const std::string &path) {
  std::error_code error;
  const std::string gone = absl::EndsWith(path, kGone) ? path : path + kGone;
  const bool isMoved = gone == path || ::rename(path.c_str(), gone.c_str()) == 0;
  fs::remove_all(isMoved ? gone : path, error);
}
} // namespace

std::string dumpPath(const std::string &dir, const std::string &word) {
  return isWord(word) ? absl::StrCat(dir, "/", kPrefix, word) : "";
}

bool clearDumps(const std::string &dir, absl::Duration wait) {
  std::error_code error;
  std::vector<fs::path> left;
  for (fs::directory_iterator entry(dir, error), end; !error && entry != end;
       entry.increment(error))
    if (const std::string name = entry->path().filename().native();
        absl::StartsWith(name, kPrefix) &&
        !dumpPath(dir, std::string(absl::StripSuffix(name.substr(sizeof kPrefix - 1), kGone)))
             .empty())
      left.push_back(entry->path());
  bool isFree = true;
  const absl::Time until = absl::Now() + wait;
  for (const fs::path &path : left) {
    base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd)
      continue; // it has gone meanwhile
    const bool isLetGo = base::lockWithin(fd.get(), until - absl::Now());
    // where there are no locks nobody knows whose it is
    if (isLetGo && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0)
      removeFolder(path.native());
    isFree &= isLetGo || !base::exists(path.native());
  }
  return isFree;
}

absl::StatusOr<DumpFolder> DumpFolder::create(const std::string &dir, absl::Duration wait) {
  DumpFolder folder;
  GRAPHC_RETURN_IF_ERROR(base::makeDirectories(dir));
  if (!clearDumps(dir, wait))
    return absl::FailedPreconditionError(
        absl::StrCat(dir, " is in use by another run; end it or name another folder"));
  GRAPHC_ASSIGN_OR_RETURN(folder.word_, makeWord());
  const std::string path = dumpPath(dir, folder.word_);
  if (::mkdir(path.c_str(), 0777) != 0)
    return base::errnoStatus(dir, errno);
  folder.dir_ = dir;
  folder.held_.reset(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!folder.held_ ||
      (::flock(folder.held_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
      !base::exists(path))
    return absl::UnavailableError(absl::StrCat(path, ": another run has removed it; start again"));
  return folder;
}

DumpFolder::~DumpFolder() {
  if (!dir_.empty())
    removeFolder(dumpPath(dir_, word_));
}

absl::Status publish(const std::string &dir, const std::string &word, const std::string &file) {
  const std::string path = absl::StrCat(dir, "/", file);
  if (::rename(absl::StrCat(dumpPath(dir, word), "/", file).c_str(), path.c_str()) != 0)
    return errno == ENOENT ? absl::AbortedError(absl::StrCat(
                                 path, ": the run that this is of is over, as others see it; "
                                       "nothing is written there"))
                           : base::errnoStatus(path, errno);
  return base::syncDirectory(dir);
}

} // namespace graphc::checkpoint
