// CSV files: the first byte says how they are read. Each row that comes out is as long as all of
// them.
#include "runtime/data/CsvFile.h"

#include <cstdlib>

using namespace graphc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  data::CsvOptions options;
  options.header = data[0] & 1;
  options.separator = data[0] & 2 ? ';' : ',';
  if (data[0] & 4)
    options.missing = 1;
  options.all = data[0] & 8;
  options.columns = {{{}, 0, data::StoredType::F32},
                     {{}, 1, data::StoredType::I32},
                     {{}, 0, data::StoredType::F64}};
  if (data[0] & 1 && data[0] & 16)
    options.columns[0].name = "a";
  auto reader = base::openBytes({reinterpret_cast<const char *>(data) + 1, size - 1}, "fuzz");
  if (!reader.ok())
    return 0;
  uint64_t bytes = 0;
  auto sink = data::atMost(1 << 22, "fuzz", [&](const uint8_t *, size_t count) {
    bytes += count;
    return absl::OkStatus();
  });
  auto header = data::decodeCsv(**reader, "fuzz", options, sink);
  if (header.ok() && (header->payloadBytes != bytes || bytes != header->samples() * 16))
    abort();
  return 0;
}
