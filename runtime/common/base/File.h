//===- File.h - whole files: read, replace atomically, map --------------------------*- C++ -*-===//
//
// Every error names the file.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_FILE_H
#define GRAPHC_RUNTIME_COMMON_BASE_FILE_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace graphc::base {

/// Owns a file descriptor.
class UniqueFd {
public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd &&other) noexcept : fd_(other.release()) {}
  UniqueFd &operator=(UniqueFd &&other) noexcept {
    reset(other.release());
    return *this;
  }
  ~UniqueFd() { reset(); }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() {
    int old = fd_;
    fd_ = -1;
    return old;
  }
  void reset(int next = -1);

private:
  int fd_ = -1;
};

/// The whole content of a regular file or pipe ("-": standard input), refused above `maxBytes`.
absl::StatusOr<std::string> readFile(const std::string &path, uint64_t maxBytes = UINT64_MAX);

/// Writes all of `data` to `fd`, however the kernel cuts it.
absl::Status writeAll(int fd, const void *data, size_t bytes, const std::string &name);
/// The same at a place of the file, whose position stays.
absl::Status writeAllAt(int fd, const void *data, size_t bytes, uint64_t at,
                        const std::string &name);

/// Replaces `path` as a whole or not at all: temporary file beside it, fsync, rename, fsync of the
/// directory. What is no regular file (/dev/stdout, a FIFO) is written as it is. What a killed
/// writer of `path` has left beside it is used again.
absl::Status writeFileAtomic(const std::string &path, std::string_view content, int mode = 0644);

/// Renames it to FILE.1, FILE.2, …, the first that there is not; which one that is.
absl::StatusOr<std::string> moveAway(const std::string &path);
/// Whether there is something of that name, which this process may look for.
bool exists(const std::string &path);
/// Whether a file could be written at `path` (or, where that is a folder, in it); tries it, and
/// leaves nothing.
absl::Status checkWritable(const std::string &path);

/// Files of a name of their own that end with their maker: each is held (holdFile) by the process
/// that made it, as long as that lives. What killed ones have left in a folder under names with
/// this beginning goes.
void removeLeft(const std::string &directory, std::string_view prefix);
/// Holds a file that was just made, until its descriptor is closed; false where removeLeft() was
/// faster, and it has no name any more.
bool holdFile(int fd);

absl::Status syncDirectory(const std::string &directory);
/// mkdir -p.
absl::Status makeDirectories(const std::string &path, int mode = 0777);

/// Whether a file may be reached by a symbolic link in its folder. What lies there under a name of
/// ours is then somebody else's choice.
enum class SymlinkPolicy { Follow, Refuse };

/// A file mapped read-only and private. Where somebody cuts the file short meanwhile, what lay
/// behind its new end reads as zeros, and cut() says so; without that the process would die of
/// SIGBUS.
class MappedFile {
public:
  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();
  static absl::StatusOr<MappedFile> open(const std::string &path,
                                         SymlinkPolicy links = SymlinkPolicy::Follow);

  const uint8_t *data() const { return base_; }
  size_t size() const { return bytes_; }
  std::string_view view() const { return {reinterpret_cast<const char *>(base_), bytes_}; }
  bool cut() const;

private:
  uint8_t *base_ = nullptr; // null for an empty file
  size_t bytes_ = 0;
  int guard_ = -1; // in the table of MappedFile.cpp
};

/// A sealed memfd (no write, no resize, close-on-exec) that holds `content`; `name` is for /proc
/// only.
absl::StatusOr<UniqueFd> sealedMemfd(const std::string &name, std::string_view content);

} // namespace graphc::base
#endif
