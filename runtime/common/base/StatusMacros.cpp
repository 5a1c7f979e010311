#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstring>

namespace graphc::base {

static absl::StatusCode codeOf(int error) {
  switch (error) {
  case ENOENT:
  case ENOTDIR:
    return absl::StatusCode::kNotFound;
  case EACCES:
  case EPERM:
  case EROFS:
    return absl::StatusCode::kPermissionDenied;
  case EEXIST:
  case EADDRINUSE:
    return absl::StatusCode::kAlreadyExists;
  case ENOSPC:
  case EMFILE:
  case ENFILE:
  case ENOMEM:
  case EDQUOT:
    return absl::StatusCode::kResourceExhausted;
  case ECONNREFUSED:
  case ECONNRESET:
  case EPIPE:
    return absl::StatusCode::kUnavailable;
  case EINVAL:
  case ENAMETOOLONG:
  case EISDIR:
    return absl::StatusCode::kInvalidArgument;
  default:
    return absl::StatusCode::kUnknown;
  }
}

absl::Status errnoStatus(std::string_view what, int error) {
  char buffer[128];
  const char *remedy = error == EMFILE ? "; raise ulimit -n" : "";
  return absl::Status(
      codeOf(error),
      absl::StrCat(view(what), ": ", strerror_r(error, buffer, sizeof buffer), remedy));
}

absl::Status annotate(const absl::Status &status, std::string_view context) {
  if (status.ok())
    return status;
  return absl::Status(status.code(), absl::StrCat(view(context), ": ", status.message()));
}

std::string describe(const absl::Status &status) {
  if (status.message().empty())
    return absl::StatusCodeToString(status.code());
  return std::string(status.message());
}

} // namespace graphc::base
