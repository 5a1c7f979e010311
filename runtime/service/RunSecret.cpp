#include "runtime/service/RunSecret.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/Sha256.h"
#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::service {
namespace {
constexpr size_t kKeyBytes = 32;

void fillRandom(void *to, size_t bytes) {
  auto *at = static_cast<char *>(to);
  while (bytes > 0) {
    ssize_t got = getrandom(at, bytes, 0);
    if (got <= 0)
      continue; // EINTR; the kernel's pool is ready long before any user program runs
    at += got;
    bytes -= static_cast<size_t>(got);
  }
}

absl::StatusOr<std::string> keyFile() {
  const char *state = std::getenv("XDG_STATE_HOME"), *home = std::getenv("HOME");
  if (state && *state)
    return absl::StrCat(state, "/graphc/key");
  if (home && *home)
    return absl::StrCat(home, "/.local/state/graphc/key");
  return absl::FailedPreconditionError(
      "neither HOME nor XDG_STATE_HOME is set: there is no place for the key that tells this user's "
      "tasks from others'; set one of them");
}

/// The key, made where it is missing. Two tasks that start at once, in one process perhaps, make
/// two temporary files and link() lets one win.
absl::StatusOr<std::string> userKey() {
  GRAPHC_ASSIGN_OR_RETURN(std::string path, keyFile());
  if (access(path.c_str(), F_OK) != 0) {
    GRAPHC_RETURN_IF_ERROR(base::makeDirectories(path.substr(0, path.rfind('/')), 0700));
    std::string temporary = absl::StrCat(path, ".", getpid(), "-", randomHex(4)),
                key = randomHex(kKeyBytes);
    base::UniqueFd fd(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd)
      return base::errnoStatus(temporary, errno);
    absl::Status written = base::writeAll(fd.get(), key.data(), key.size(), temporary);
    bool linked = written.ok() && (link(temporary.c_str(), path.c_str()) == 0 || errno == EEXIST);
    int error = errno;
    unlink(temporary.c_str());
    GRAPHC_RETURN_IF_ERROR(written);
    if (!linked)
      return base::errnoStatus(path, error);
  }
  struct stat info{};
  if (stat(path.c_str(), &info) != 0)
    return base::errnoStatus(path, errno);
  if (info.st_uid != geteuid())
    return absl::FailedPreconditionError(absl::StrCat(
        path,
        " belongs to another user (sudo that keeps HOME?); set XDG_STATE_HOME to a folder of this user"));
  if ((info.st_mode & 077) != 0)
    return absl::FailedPreconditionError(
        absl::StrCat(path, " can be read by others; remove it (another one will be made)"));
  GRAPHC_ASSIGN_OR_RETURN(std::string key, base::readFile(path, 4096));
  if (key.size() < 2 * kKeyBytes)
    return absl::DataLossError(
        absl::StrCat(path, " is cut off; remove it (another one will be made)"));
  return key;
}
} // namespace

std::string randomBytes(size_t bytes) {
  std::string raw(bytes, '\0');
  fillRandom(raw.data(), bytes);
  return raw;
}

std::string randomHex(size_t bytes) { return absl::BytesToHexString(randomBytes(bytes)); }

uint64_t randomIncarnation() {
  uint64_t value = 0;
  while (value == 0)
    fillRandom(&value, sizeof value);
  return value;
}

absl::StatusOr<std::string> userSecret() {
  GRAPHC_ASSIGN_OR_RETURN(std::string key, userKey());
  return base::toHex(base::sha256(absl::StrCat("graphc run secret 2\n", key)));
}

absl::StatusOr<std::string> startSecret(const std::string &run) {
  GRAPHC_ASSIGN_OR_RETURN(std::string key, userKey());
  return base::toHex(base::sha256(absl::StrCat("graphc start secret 1\n", run, "\n", key)));
}

} // namespace graphc::service
