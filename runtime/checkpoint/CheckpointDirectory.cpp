//===- CheckpointDirectory.cpp - the chief's side: lock, nonce, commit, clearing away ---------===//

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/checkpoint/CheckpointLayout.h"
#include "runtime/common/base/FileLock.h"
#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/random.h>
#include <unistd.h>

namespace graphc::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr size_t kWord = 32, kShownOfWord = 8;

/// "step-40.1f2e3d4c.partial", whoever made it.
bool isPartial(std::string_view name) {
  if (!name.ends_with(partialSuffix))
    return false;
  name.remove_suffix(sizeof(partialSuffix) - 1);
  const size_t dot = name.find('.');
  uint64_t step = 0;
  return parseStep(name.substr(0, dot), step) && // without a word: of graphrun 0.1.0 and before
         (dot == std::string_view::npos ||
          (name.size() - dot - 1 == kShownOfWord &&
           std::all_of(name.begin() + static_cast<ptrdiff_t>(dot) + 1, name.end(),
                       [](char c) { return absl::ascii_isxdigit(c); })));
}

} // namespace

bool isWord(std::string_view word) {
  return word.size() == kWord &&
         std::all_of(word.begin(), word.end(), [](char c) { return absl::ascii_isxdigit(c); });
}

absl::StatusOr<std::string> makeWord() {
  unsigned char random[kWord / 2];
  if (getrandom(random, sizeof(random), 0) != sizeof(random))
    return base::errnoStatus("getrandom", errno);
  std::string word;
  for (unsigned char byte : random)
    absl::StrAppend(&word, absl::Hex(byte, absl::kZeroPad2));
  return word;
}

std::string stepPath(const std::string &dir, uint64_t step) {
  return absl::StrCat(dir, "/step-", step);
}

std::string partialPath(const std::string &dir, uint64_t step, const std::string &word) {
  return absl::StrCat(stepPath(dir, step), ".", word.substr(0, kShownOfWord), partialSuffix);
}

bool parseStep(std::string_view name, uint64_t &step) {
  constexpr std::string_view prefix = "step-";
  if (name.substr(0, prefix.size()) != prefix)
    return false;
  name.remove_prefix(prefix.size());
  // One spelling only: "step-07" or "step-+7" are not ours.
  return absl::SimpleAtoi(absl::string_view(name.data(), name.size()), &step) &&
         absl::StrCat(step) == absl::string_view(name.data(), name.size());
}

absl::StatusOr<CheckpointDirectory> CheckpointDirectory::open(const std::string &dir, uint32_t keep,
                                                              absl::Duration wait) {
  if (isCheckpoint(dir)) {
    const fs::path one = fs::path(dir).has_filename() ? fs::path(dir) : fs::path(dir).parent_path();
    return absl::InvalidArgumentError(absl::StrCat(
        "--checkpoint_dir ", dir,
        " is one checkpoint, expected the folder that has it: training goes on from the newest in --checkpoint_dir ",
        one.has_parent_path() ? one.parent_path().native() : ".",
        ", and --entry eval and predict take this one"));
  }
  CheckpointDirectory directory;
  directory.dir_ = dir;
  directory.keep_ = keep;
  std::error_code error;
  const bool isNew = !fs::exists(dir, error);
  if (absl::Status s = base::makeDirectories(dir); !s.ok())
    return base::annotate(s, "--checkpoint_dir");
  if (isNew) // else a power failure could take the folder with all that was committed in it
    for (fs::path path = fs::absolute(dir, error); path.has_relative_path();
         path = path.parent_path())
      (void)base::syncDirectory(path.parent_path().native());
  directory.lock_.reset(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.lock_)
    return base::annotate(base::errnoStatus(dir, errno), "--checkpoint_dir");
  if (!base::lockWithin(directory.lock_.get(), wait))
    return absl::FailedPreconditionError(absl::StrCat(
        "--checkpoint_dir ", dir, " is in use by another run; end it or name another folder"));
  // Only what this program names so is cleared; it holds the lock, so nobody is writing these.
  std::vector<fs::path> left;
  for (fs::directory_iterator entry(dir, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().native();
    if (absl::StartsWith(name, noncePrefix) || isPartial(name))
      left.push_back(entry->path());
  }
  for (const fs::path &path : left)
    fs::remove_all(path, error);

  absl::StatusOr<CheckpointNonce> nonce = CheckpointNonce::create(dir);
  if (!nonce.ok())
    return base::annotate(nonce.status(), "--checkpoint_dir cannot be written");
  directory.word_ = nonce->word();
  directory.mark_.emplace(std::move(*nonce));
  return directory;
}

absl::StatusOr<CheckpointNonce> CheckpointNonce::create(const std::string &dir) {
  CheckpointNonce nonce;
  GRAPHC_ASSIGN_OR_RETURN(nonce.text_, makeWord());
  base::removeLeft(dir, noncePrefix); // of runs that were killed
  std::string path = absl::StrCat(dir, "/", noncePrefix, nonce.text_);
  nonce.file_.reset(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!nonce.file_)
    return base::errnoStatus(path, errno);
  nonce.path_ = path;
  if (!base::holdFile(nonce.file_.get()))
    return absl::UnavailableError(absl::StrCat(path, ": another run has removed it; start again"));
  return nonce;
}

CheckpointNonce::~CheckpointNonce() {
  if (!path_.empty())
    unlink(path_.c_str());
}

absl::Status notTheChiefs(const std::string &dir) {
  return absl::FailedPreconditionError(absl::StrCat(
      dir,
      " is not the chief's folder of that name; all tasks that own variables must see the same "
      "folder (a shared file system)"));
}

/// A file of a random name that the chief has made shows whether this task sees the same folder.
absl::Status checkNonce(const std::string &dir, const std::string &nonce) {
  if (!isWord(nonce))
    return absl::InvalidArgumentError("malformed nonce of the checkpoint folder");
  if (access(absl::StrCat(dir, "/", noncePrefix, nonce).c_str(), F_OK) != 0)
    return notTheChiefs(dir);
  if (access(dir.c_str(), W_OK) != 0)
    return base::annotate(base::errnoStatus(dir, errno), "cannot be written");
  return absl::OkStatus();
}

absl::Status CheckpointDirectory::prepare(uint64_t step) {
  std::string path = partialPath(dir_, step, word_);
  std::error_code error;
  fs::remove_all(path, error);
  if (error)
    return base::errnoStatus(path, error.value());
  return base::makeDirectories(path);
}

void CheckpointDirectory::abandon(uint64_t step) {
  std::error_code error; // the next open() tries again
  fs::remove_all(partialPath(dir_, step, word_), error);
}

absl::Status CheckpointDirectory::commit(const CheckpointManifest &manifest) {
  std::string partial = partialPath(dir_, manifest.globalStep, word_),
              path = stepPath(dir_, manifest.globalStep);
  GRAPHC_RETURN_IF_ERROR(
      base::writeFileAtomic(absl::StrCat(partial, "/", manifestFile), encodeManifest(manifest)));
  std::error_code error;
  if (fs::exists(path, error)) {
    // The same step again (an older checkpoint was restored, or this one was damaged): swap, so
    // that one of the two is there at any moment. Where the file system cannot swap, the old one
    // goes first.
    if (renameat2(AT_FDCWD, partial.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) {
      fs::remove_all(partial, error);
    } else {
      fs::remove_all(path, error);
      if (error)
        return base::errnoStatus(path, error.value());
      if (rename(partial.c_str(), path.c_str()) != 0)
        return base::errnoStatus(path, errno);
    }
  } else if (rename(partial.c_str(), path.c_str()) != 0) {
    return base::errnoStatus(path, errno);
  }
  GRAPHC_RETURN_IF_ERROR(base::syncDirectory(dir_));
  return prune(manifest.globalStep);
}

absl::Status CheckpointDirectory::prune(uint64_t newest) {
  if (!keep_)
    return absl::OkStatus();
  GRAPHC_ASSIGN_OR_RETURN(std::vector<uint64_t> steps, committedSteps(dir_));
  // A later step than the one just committed is a damaged one that was skipped: it does not count
  // as kept.
  std::erase_if(steps, [&](uint64_t step) { return step > newest || step == spared_; });
  for (size_t i = 0; i + keep_ < steps.size(); ++i) {
    // Renamed first: no reader can open a half removed one, and a kill in between leaves a .partial
    // to be cleared.
    std::string path = stepPath(dir_, steps[i]), gone = partialPath(dir_, steps[i], word_);
    std::error_code error;
    fs::remove_all(gone, error);
    if (rename(path.c_str(), gone.c_str()) != 0)
      return base::errnoStatus(path, errno);
    fs::remove_all(gone, error);
    if (error)
      return base::errnoStatus(gone, error.value());
  }
  return absl::OkStatus();
}

} // namespace graphc::checkpoint
