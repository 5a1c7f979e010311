#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::base {

void UniqueFd::reset(int next) {
  if (fd_ >= 0)
    ::close(fd_);
  fd_ = next;
}

/// Never waits for a writer: what is no regular file is refused, unless the caller handed it over
/// open, as a pipe of <(…).
static absl::StatusOr<UniqueFd> openToRead(const std::string &path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info{};
  if (!fd || ::fstat(fd.get(), &info) != 0)
    return errnoStatus(path, errno);
  if (S_ISREG(info.st_mode))
    return fd;
  if (S_ISDIR(info.st_mode))
    return errnoStatus(path, EISDIR);
  bool handedOver = path == "/dev/stdin" || path.rfind("/dev/fd/", 0) == 0 ||
                    path.rfind("/proc/self/fd/", 0) == 0;
  if (!handedOver || !(S_ISFIFO(info.st_mode) || ::isatty(fd.get())))
    return absl::InvalidArgumentError(absl::StrCat(path, ": not a regular file"));
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) & ~O_NONBLOCK);
  return fd;
}

absl::StatusOr<std::string> readFile(const std::string &path, uint64_t maxBytes) {
  UniqueFd owned;
  int fd = STDIN_FILENO;
  if (path != "-") {
    GRAPHC_ASSIGN_OR_RETURN(owned, openToRead(path));
    fd = owned.get();
  }
  size_t expected = 4096;
  struct stat info{};
  if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
    if (uint64_t(info.st_size) > maxBytes)
      return absl::ResourceExhaustedError(absl::StrCat(
          path, ": the file has ", info.st_size, " bytes, more than the limit of ", maxBytes));
    // one more: the read that finds the end
    expected = std::max<size_t>(expected, size_t(info.st_size) + 1);
  }
  std::string content;
  for (size_t filled = 0;;) {
    if (filled == content.size())
      content.resize(std::max(expected, 2 * filled));
    ssize_t got = ::read(fd, content.data() + filled, content.size() - filled);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return errnoStatus(path, errno);
    filled += size_t(got);
    if (filled > maxBytes)
      return absl::ResourceExhaustedError(
          absl::StrCat(path, ": more than the limit of ", maxBytes, " bytes"));
    if (got == 0) {
      content.resize(filled);
      return content;
    }
  }
}

absl::Status writeAll(int fd, const void *data, size_t bytes, const std::string &name) {
  const char *p = static_cast<const char *>(data);
  while (bytes) {
    ssize_t n = ::write(fd, p, bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) // a file system that takes nothing and says nothing would be asked for ever
      return errnoStatus(name, n < 0 ? errno : EIO);
    p += n, bytes -= size_t(n);
  }
  return absl::OkStatus();
}

absl::Status writeAllAt(int fd, const void *data, size_t bytes, uint64_t at,
                        const std::string &name) {
  const char *p = static_cast<const char *>(data);
  while (bytes) {
    ssize_t n = ::pwrite(fd, p, bytes, off_t(at));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return errnoStatus(name, n < 0 ? errno : EIO);
    p += n, at += uint64_t(n), bytes -= size_t(n);
  }
  return absl::OkStatus();
}

static std::string directoryOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

absl::Status syncDirectory(const std::string &directory) {
  UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd)
    return errnoStatus(directory, errno);
  if (::fsync(fd.get()) != 0 && errno != EINVAL) // EINVAL: a file system that cannot
    return errnoStatus(directory, errno);
  return absl::OkStatus();
}

void removeLeft(const std::string &directory, std::string_view prefix) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().native(), path = entry->path().native();
    if (name.size() <= prefix.size() || name.compare(0, prefix.size(), prefix) != 0)
      continue;
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0)
      ::unlink(path.c_str());
  }
}

bool holdFile(int fd) {
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0)
    return errno != EWOULDBLOCK; // a file system without locks: nobody removes it either
  struct stat info{};
  return ::fstat(fd, &info) == 0 && info.st_nlink > 0;
}

/// An empty file beside `target` to be written and renamed, whose name is left in `name`. It is
/// locked while it has that name, and the name is always the same one, so that what a killed writer
/// left is used again, unless somebody else writes `target` at this moment.
static absl::StatusOr<UniqueFd> makeTemporary(const std::string &target, std::string &name) {
  for (int number = 0; number < 100; ++number) {
    name = absl::StrCat(target, ".graphc-tmp-", number);
    UniqueFd fd(::open(name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
    if (!fd && (errno == EACCES || errno == ELOOP) &&
        ::faccessat(AT_FDCWD, name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0)
      continue; // somebody else's file
    if (!fd)
      return errnoStatus(target, errno);
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK)
        continue;
      ::unlink(name.c_str()); // a file system without locks
      name = absl::StrCat(target, ".graphc-tmp-XXXXXX");
      fd.reset(::mkostemp(name.data(), O_CLOEXEC));
      return fd ? absl::StatusOr<UniqueFd>(std::move(fd)) : errnoStatus(target, errno);
    }
    struct stat held{}, named{};
    bool ours = ::fstat(fd.get(), &held) == 0 && S_ISREG(held.st_mode) &&
                held.st_uid == ::geteuid() && held.st_nlink == 1 &&
                ::lstat(name.c_str(), &named) == 0 && held.st_ino == named.st_ino;
    if (!ours) // or its writer has renamed it since it was opened
      continue;
    if (::ftruncate(fd.get(), 0) != 0)
      return errnoStatus(target, errno);
    return fd;
  }
  return errnoStatus(target, EBUSY);
}

/// As it was first asked for. It is read from the kernel's text: umask() itself would set it, for
/// other threads too.
static mode_t processUmask() {
  static const mode_t mask = [] {
    const absl::StatusOr<std::string> status = readFile("/proc/self/status", 1 << 20);
    const size_t at = status.ok() ? status->find("\nUmask:") : std::string::npos;
    return at == std::string::npos ? mode_t(022)
                                   : mode_t(strtoul(status->c_str() + at + 7, nullptr, 8) & 0777);
  }();
  return mask;
}

absl::Status writeFileAtomic(const std::string &path, std::string_view content, int mode) {
  // A device or a pipe cannot be replaced: /dev/stdout, /dev/null, a FIFO that somebody reads.
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    UniqueFd special(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
    if (!special)
      return errno == ENXIO ? absl::UnavailableError(absl::StrCat(path, ": nobody reads this pipe"))
                            : errnoStatus(path, errno);
    ::fcntl(special.get(), F_SETFL, ::fcntl(special.get(), F_GETFL) & ~O_NONBLOCK);
    return writeAll(special.get(), content.data(), content.size(), path);
  }
  // Through a link the file that it names is replaced, and never the link: /dev/stdout is one.
  std::string target = path;
  if (::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode))
    if (char *resolved = ::realpath(path.c_str(), nullptr)) {
      target = resolved;
      ::free(resolved);
    }
  std::string temporary;
  GRAPHC_ASSIGN_OR_RETURN(UniqueFd fd, makeTemporary(target, temporary));
  auto fail = [&](absl::Status status) {
    ::unlink(temporary.c_str());
    return status;
  };
  // mkostemp makes 0600: what is replaced keeps its mode, unless the file is to be this user's
  // alone, and a new one has the umask's.
  const bool isThere = ::stat(target.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  if (::fchmod(fd.get(),
               isThere && (mode & 077) ? info.st_mode & 0777 : mode_t(mode) & ~processUmask()) != 0)
    return fail(errnoStatus(path, errno));
  if (absl::Status status = writeAll(fd.get(), content.data(), content.size(), path); !status.ok())
    return fail(status);
  if (::fsync(fd.get()) != 0)
    return fail(errnoStatus(path, errno));
  if (::rename(temporary.c_str(), target.c_str()) != 0)
    return fail(errnoStatus(path, errno));
  return syncDirectory(directoryOf(target));
}

absl::StatusOr<std::string> moveAway(const std::string &path) {
  for (unsigned n = 1; n; ++n) {
    const std::string old = absl::StrCat(path, ".", n);
    if (exists(old))
      continue;
    if (::rename(path.c_str(), old.c_str()) != 0)
      return errnoStatus(old, errno);
    return old;
  }
  return absl::ResourceExhaustedError(
      absl::StrCat(path, ": too many files of earlier runs beside it"));
}

bool exists(const std::string &path) { return access(path.c_str(), F_OK) == 0; }

absl::Status checkWritable(const std::string &path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode))
    return ::access(path.c_str(), W_OK) == 0 ? absl::OkStatus() : errnoStatus(path, errno);
  std::string folder = S_ISDIR(info.st_mode) ? path : directoryOf(path);
  // Tried, since access() believes root whatever the file system says; without a name where that is
  // possible, so that nothing is left by a process that is killed.
  UniqueFd fd(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (fd || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
    return fd ? absl::OkStatus() : errnoStatus(path, errno);
  std::string probe = folder + "/.graphrun-XXXXXX";
  fd.reset(::mkostemp(probe.data(), O_CLOEXEC));
  if (!fd)
    return errnoStatus(path, errno);
  ::unlink(probe.c_str());
  return absl::OkStatus();
}

absl::Status makeDirectories(const std::string &path, int mode) {
  for (size_t at = 0; at != std::string::npos;) {
    at = path.find('/', at + 1);
    std::string prefix = path.substr(0, at);
    if (prefix.empty() || ::mkdir(prefix.c_str(), mode_t(mode)) == 0 || errno == EEXIST)
      continue;
    struct stat info{};
    int error = errno;
    if (::stat(prefix.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
      continue;
    return errnoStatus(prefix, error);
  }
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return errnoStatus(path, ENOTDIR);
  return absl::OkStatus();
}

absl::StatusOr<UniqueFd> sealedMemfd(const std::string &name, std::string_view content) {
  UniqueFd fd(::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd)
    return errnoStatus("memfd_create", errno);
  GRAPHC_RETURN_IF_ERROR(writeAll(fd.get(), content.data(), content.size(), name));
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
    return errnoStatus("sealing a memfd", errno);
  return fd;
}

} // namespace graphc::base
