//===- GrpcBufferReader.h - taking a message of a data stream apart ----------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_GRPCBUFFERREADER_H
#define GRAPHC_RUNTIME_TRANSPORT_GRPCBUFFERREADER_H

#include "absl/status/status.h"
#include <grpcpp/support/byte_buffer.h>

#include <string>
#include <vector>

namespace graphc::transport {

/// Reads one message after the other from front to back; keeps its memory for the next.
class GrpcBufferReader {
public:
  explicit GrpcBufferReader(const std::string &peer) : peer_(peer) {}
  absl::Status open(const grpc::ByteBuffer &message);
  /// Copies the next `bytes` bytes.
  absl::Status take(void *to, uint64_t bytes);
  uint64_t left() const { return left_; } ///< bytes that were not taken yet
  void close() { slices_.clear(); }

private:
  const std::string &peer_; ///< for messages
  std::vector<grpc::Slice> slices_;
  size_t index_ = 0, offset_ = 0; ///< of the next byte
  uint64_t left_ = 0;
};

} // namespace graphc::transport
#endif
