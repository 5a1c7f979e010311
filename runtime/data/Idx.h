//===- Idx.h - the IDX format of the MNIST family -------------------------------------------------------------*- C++ -*-===//
//
// Two zero bytes, a type, the number of dimensions, each dimension as 32 bits, the elements; everything big endian. The
// first dimension counts samples.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DATA_IDX_H
#define GRAPHC_RUNTIME_DATA_IDX_H

#include "runtime/data/ByteReader.h"

#include <functional>
#include <vector>

namespace graphc::data {

/// Values are IDX's own type bytes.
enum class StoredType : uint8_t { U8 = 0x08, I8 = 0x09, I16 = 0x0B, I32 = 0x0C, F32 = 0x0D, F64 = 0x0E };

size_t sizeOf(StoredType type);
const char *nameOf(StoredType type);

struct IdxHeader {
  StoredType type = StoredType::U8;
  std::vector<uint32_t> shape; ///< 1 to 8 dimensions
  uint64_t headerBytes = 0;
  uint64_t payloadBytes = 0; ///< checked product; fits
  uint64_t samples() const { return shape.front(); }
  uint64_t elementsPerSample() const;
};

constexpr uint64_t maxIdxPayload = uint64_t(1) << 40;

/// Reads and checks the header.
absl::StatusOr<IdxHeader> readIdxHeader(ByteReader &reader, const std::string &name);

/// Passes the payload on in pieces, in this machine's byte order, and checks that it is exactly as long as the header
/// says. Memory is bounded whatever the header claims.
absl::Status readIdxPayload(ByteReader &reader, const IdxHeader &header, const std::string &name,
                            const std::function<absl::Status(const uint8_t *, size_t)> &sink);

} // namespace graphc::data
#endif
