// IDX files, plain and compressed, and every conversion of what they hold.
#include "runtime/data/ElementConversion.h"
#include "runtime/data/IdxFile.h"

#include <algorithm>

using namespace graphc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto file = data::IdxFile::decode({reinterpret_cast<const char *>(data), size}, "fuzz");
  if (!file.ok())
    return 0;
  uint64_t elements = std::min<uint64_t>(file->header().elementsPerSample(), 4096);
  std::vector<uint64_t> out(elements);
  for (plan::DataType to : {plan::F32, plan::F64, plan::I32, plan::I64, plan::U8, plan::I8})
    if (data::canConvert(file->header().type, to))
      data::convertRow({file->header().type, to, 0.5, 1}, file->payload(), elements, out.data());
  return 0;
}
