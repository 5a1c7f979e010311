//===- ByteReader.h - bytes of a plain or gzip-compressed file, one after the other -*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_BYTEREADER_H
#define GRAPHC_RUNTIME_COMMON_BASE_BYTEREADER_H

#include "absl/status/statusor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace graphc::base {

class ByteReader {
public:
  virtual ~ByteReader() = default;
  /// Fills `out` as far as there are bytes and says how many; fewer than `bytes` only at the end.
  /// Errors name the file.
  virtual absl::StatusOr<size_t> read(void *out, size_t bytes) = 0;
};

/// Reads `content` as it is, or inflated where it starts with gzip's magic number (all members of
/// the file; their sums are checked). `content` must outlive the reader; `name` is for errors.
absl::StatusOr<std::unique_ptr<ByteReader>> openBytes(std::string_view content, std::string name);

/// Reads `content` as it is, whatever it starts with.
std::unique_ptr<ByteReader> openPlain(std::string_view content);
/// Inflates all of `content`, bare deflate as in a zip archive, which has its own sums.
absl::StatusOr<std::unique_ptr<ByteReader>> openDeflated(std::string_view content,
                                                         std::string name);

bool isGzip(std::string_view content);

} // namespace graphc::base
#endif
