//===- IdxFile.h - one IDX file, decoded and in memory ------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_DATA_IDXFILE_H
#define GRAPHC_RUNTIME_DATA_IDXFILE_H

#include "runtime/data/DecodedFileCache.h"
#include "runtime/data/IdxFormat.h"

namespace graphc::data {

class IdxFile {
public:
  /// A plain file of bytes is mapped as it is, anything else decoded once.
  static absl::StatusOr<IdxFile> open(const std::string &path, const DatasetSearchPath &search);
  /// The same from bytes (tests, fuzzing); always decoded in memory.
  static absl::StatusOr<IdxFile> decode(std::string_view content, const std::string &name);

  const ArrayHeader &header() const { return head_; }
  /// header().payloadBytes bytes, native byte order.
  const uint8_t *payload() const { return bytes_->data + begin_; }
  /// Where the bytes are, for the log.
  const char *source() const { return bytes_->where; }
  const std::shared_ptr<const StoredBytes> &content() const { return bytes_; }
  /// Where the payload begins in them.
  uint64_t offset() const { return begin_; }

private:
  ArrayHeader head_;
  std::shared_ptr<const StoredBytes> bytes_;
  uint64_t begin_ = 0;
};

} // namespace graphc::data
#endif
