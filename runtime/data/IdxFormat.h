//===- IdxFormat.h - the IDX format of the MNIST family -----------------------------*- C++ -*-===//
//
// Two zero bytes, a type, the number of dimensions, each dimension as 32 bits, the elements;
// everything big endian. The first dimension counts samples.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DATA_IDXFORMAT_H
#define GRAPHC_RUNTIME_DATA_IDXFORMAT_H

#include "runtime/common/base/ByteReader.h"
#include "runtime/data/StoredSamples.h"

#include <functional>
#include <vector>

namespace graphc::data {

struct IdxHeader : ArrayHeader {
  uint64_t headerBytes = 0;
};

/// Reads and checks the header.
absl::StatusOr<IdxHeader> readIdxHeader(base::ByteReader &reader, const std::string &name);

/// Passes the payload on in pieces, in this machine's byte order, and checks that it is exactly as
/// long as the header says. Memory is bounded whatever the header claims.
absl::Status readIdxPayload(base::ByteReader &reader, const IdxHeader &header,
                            const std::string &name,
                            const std::function<absl::Status(const uint8_t *, size_t)> &sink);

} // namespace graphc::data
#endif
