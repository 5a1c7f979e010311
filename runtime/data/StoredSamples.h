//===- StoredSamples.h - samples as a file or a cache holds them --------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_DATA_STOREDSAMPLES_H
#define GRAPHC_RUNTIME_DATA_STOREDSAMPLES_H

#include "runtime/common/base/File.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace graphc::data {

/// Elements as they are stored, in this machine's byte order. The first six are IDX's own type
/// bytes; a Bool is any byte, false where it is 0.
enum class StoredType : uint8_t {
  U8 = 0x08,
  I8 = 0x09,
  I16 = 0x0B,
  I32 = 0x0C,
  F32 = 0x0D,
  F64 = 0x0E,
  Bool = 0x40,
  U16 = 0x41,
  U32 = 0x42,
  I64 = 0x43,
  F16 = 0x44
};

/// 0 for what is none of them.
size_t sizeOf(StoredType type);
const char *nameOf(StoredType type);

constexpr uint64_t maxArrayBytes = uint64_t(1) << 40;

/// An array, dense and row-major, whose first dimension counts samples.
struct ArrayHeader {
  StoredType type = StoredType::U8;
  std::vector<uint32_t> shape; ///< 1 to 8 dimensions, none of them 0
  uint64_t payloadBytes = 0; ///< checked product, at most maxArrayBytes
  uint64_t samples() const { return shape.front(); }
  uint64_t elementsPerSample() const;
};

/// Bytes that stay where they are: mapped, or in memory.
struct StoredBytes {
  base::MappedFile mapping;
  std::vector<uint8_t> memory;
  const uint8_t *data = nullptr;
  uint64_t size = 0;
  const char *where = ""; ///< for the log: "mapped", "cache", "decoded into the cache", "memory"
};

/// One component of all samples.
struct StoredColumn {
  /// Samples in a row of one file.
  struct Segment {
    std::shared_ptr<const StoredBytes> bytes;
    uint64_t begin = 0; ///< in bytes->data
    uint64_t samples = 0;
    std::string path;
  };
  StoredType type = StoredType::U8;
  uint64_t elements = 0; ///< of a sample
  uint64_t stride = 0; ///< bytes from one sample to the next; windows of a text overlap
  std::string name, shape; ///< as the plan names it, and what is said of its shape: "60000x28x28"
  std::vector<Segment> segments;

  uint64_t rowBytes() const { return elements * sizeOf(type); }
  uint64_t samples() const;
  /// The segment of a sample, whose number becomes that in the segment.
  const Segment &segmentOf(uint64_t &sample) const {
    size_t i = 0;
    while (sample >= segments[i].samples) // a handful
      sample -= segments[i++].samples;
    return segments[i];
  }
  const uint8_t *at(uint64_t sample) const {
    const Segment &segment = segmentOf(sample);
    return segment.bytes->data + segment.begin + sample * stride;
  }
};

} // namespace graphc::data
#endif
