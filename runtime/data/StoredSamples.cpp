#include "runtime/data/StoredSamples.h"

namespace graphc::data {

size_t sizeOf(StoredType type) {
  switch (type) {
  case StoredType::U8:
  case StoredType::I8:
  case StoredType::Bool:
    return 1;
  case StoredType::I16:
  case StoredType::U16:
  case StoredType::F16:
    return 2;
  case StoredType::I32:
  case StoredType::U32:
  case StoredType::F32:
    return 4;
  case StoredType::F64:
  case StoredType::I64:
    return 8;
  }
  return 0;
}

const char *nameOf(StoredType type) {
  switch (type) {
  case StoredType::U8:
    return "u8";
  case StoredType::I8:
    return "i8";
  case StoredType::I16:
    return "i16";
  case StoredType::I32:
    return "i32";
  case StoredType::F32:
    return "f32";
  case StoredType::F64:
    return "f64";
  case StoredType::Bool:
    return "bool";
  case StoredType::U16:
    return "u16";
  case StoredType::U32:
    return "u32";
  case StoredType::I64:
    return "i64";
  case StoredType::F16:
    return "f16";
  }
  return "?";
}

uint64_t ArrayHeader::elementsPerSample() const {
  uint64_t count = 1;
  for (size_t i = 1; i < shape.size(); ++i)
    count *= shape[i];
  return count;
}

uint64_t StoredColumn::samples() const {
  uint64_t count = 0;
  for (const Segment &segment : segments)
    count += segment.samples;
  return count;
}

} // namespace graphc::data
