#include "runtime/checkpoint/NpyStream.h"

#include "runtime/checkpoint/NpyFormat.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::checkpoint {
namespace {
constexpr size_t kMostWaiting = 1 << 16;
constexpr int64_t kMostRows = INT64_MAX;

std::string folderOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// A link stays one.
std::string targetOf(const std::string &path) {
  char *resolved = ::realpath(path.c_str(), nullptr);
  std::string target = resolved ? resolved : path;
  ::free(resolved);
  return target;
}
} // namespace

std::string NpyStream::partialPathOf(const std::string &path) { return targetOf(path) + kPartial; }

absl::StatusOr<std::string> NpyStream::header(int64_t rows) const {
  plan::TensorType all = row_.dtype() == plan::BF16 ? asF32(row_) : row_;
  all.clear_shape();
  all.add_shape(rows);
  for (int64_t size : row_.shape())
    all.add_shape(size);
  return encodeNpyHeader(all, headerBytes_);
}

absl::StatusOr<std::unique_ptr<NpyStream>> NpyStream::create(const std::string &path,
                                                             const plan::TensorType &row) {
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return absl::InvalidArgumentError(absl::StrCat(
        path,
        ": no regular file; how many rows a .npy has stands at its beginning and is known at the end"));
  std::unique_ptr<NpyStream> stream(new NpyStream(targetOf(path), row));
  stream->rowBytes_ = plan::tensorBytes(row).value_or(0);
  absl::StatusOr<std::string> header = stream->header(kMostRows);
  if (!header.ok())
    return base::annotate(header.status(), path);
  stream->headerBytes_ = header->size();
  stream->fd_ = base::UniqueFd(
      ::open(stream->partialPath().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!stream->fd_)
    return base::errnoStatus(stream->partialPath(), errno);
  // Until it is known how many rows there are, it says none.
  GRAPHC_ASSIGN_OR_RETURN(stream->waiting_, stream->header(0));
  return stream;
}

absl::Status NpyStream::append(const void *data, uint64_t rows) {
  rows_ += rows;
  if (row_.dtype() == plan::BF16)
    waiting_ += widened(data, rows * rowBytes_);
  else
    waiting_.append(static_cast<const char *>(data), rows * rowBytes_);
  return waiting_.size() < kMostWaiting ? absl::OkStatus() : flush();
}

absl::Status NpyStream::flush() {
  GRAPHC_RETURN_IF_ERROR(
      base::writeAll(fd_.get(), waiting_.data(), waiting_.size(), partialPath()));
  waiting_.clear();
  return absl::OkStatus();
}

absl::Status NpyStream::writeHeader() {
  GRAPHC_RETURN_IF_ERROR(flush());
  GRAPHC_ASSIGN_OR_RETURN(std::string last, header(static_cast<int64_t>(rows_)));
  if (::lseek(fd_.get(), 0, SEEK_SET) != 0)
    return base::errnoStatus(partialPath(), errno);
  return base::writeAll(fd_.get(), last.data(), last.size(), partialPath());
}

absl::Status NpyStream::commit() {
  GRAPHC_RETURN_IF_ERROR(writeHeader());
  if (::fsync(fd_.get()) != 0)
    return base::errnoStatus(partialPath(), errno);
  if (::rename(partialPath().c_str(), path_.c_str()) != 0)
    return base::errnoStatus(path_, errno);
  return base::syncDirectory(folderOf(path_));
}

absl::Status NpyStream::keepPartial() { return writeHeader(); }

} // namespace graphc::checkpoint
