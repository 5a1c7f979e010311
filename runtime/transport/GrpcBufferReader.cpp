#include "runtime/transport/GrpcBufferReader.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

namespace graphc::transport {

absl::Status GrpcBufferReader::open(const grpc::ByteBuffer &message) {
  slices_.clear();
  if (grpc::Status status = message.Dump(&slices_); !status.ok())
    return absl::InternalError(
        absl::StrCat("a message from ", peer_, " could not be read: ", status.error_message()));
  index_ = offset_ = 0;
  left_ = message.Length();
  return absl::OkStatus();
}

absl::Status GrpcBufferReader::take(void *to, uint64_t bytes) {
  if (bytes > left_)
    return absl::DataLossError(absl::StrCat("a message from ", peer_, " is cut off: ", left_,
                                            " bytes are left where ", bytes, " should be"));
  left_ -= bytes;
  while (bytes > 0) {
    const grpc::Slice &slice = slices_[index_];
    uint64_t part = std::min<uint64_t>(bytes, slice.size() - offset_);
    std::memcpy(to, slice.begin() + offset_, part);
    to = static_cast<std::byte *>(to) + part;
    bytes -= part;
    offset_ += part;
    if (offset_ == slice.size()) {
      ++index_;
      offset_ = 0;
    }
  }
  return absl::OkStatus();
}

} // namespace graphc::transport
