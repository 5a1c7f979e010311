// .npy files, and with a first byte of 'z' the array "x" of a .npz archive; then every conversion
// of what they hold.
#include "runtime/data/ElementConversion.h"
#include "runtime/data/NpyFile.h"

using namespace graphc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  auto array = data::decodeNpy({reinterpret_cast<const char *>(data) + 1, size - 1}, "fuzz",
                               data[0] == 'z' ? "x" : "", 1 << 22);
  if (!array.ok())
    return 0;
  uint64_t elements = std::min<uint64_t>(array->header.elementsPerSample(), 4096);
  std::vector<uint64_t> out(elements);
  for (plan::DataType to :
       {plan::F32, plan::F64, plan::I1, plan::I32, plan::I64, plan::U8, plan::I8})
    if (data::canConvert(array->header.type, to))
      data::convertRow({array->header.type, to, 0.5, 1}, array->bytes->data, elements, out.data());
  return 0;
}
