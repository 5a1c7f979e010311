// A vocabulary, a line of "=", then a text that it cuts into tokens of its own.
#include "runtime/data/TextVocabulary.h"

#include <cstdlib>
#include <cstring>

using namespace graphc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view input(reinterpret_cast<const char *>(data), size);
  const size_t line = input.find("\n=\n");
  if (line == std::string_view::npos)
    return 0;
  auto vocabulary = data::TextVocabulary::parse(input.substr(0, line + 1), "fuzz");
  auto reader = base::openBytes(input.substr(line + 3), "fuzz");
  if (!vocabulary.ok() || !reader.ok())
    return 0;
  uint64_t count = 0;
  auto sink = data::atMost(1 << 22, "fuzz", [&](const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i += 4, ++count) {
      uint32_t token = 0;
      memcpy(&token, bytes + i, 4);
      if (token >= vocabulary->size())
        abort();
    }
    return absl::OkStatus();
  });
  auto header = vocabulary->cut(**reader, "fuzz", sink);
  if (header.ok() && header->samples() != count)
    abort();
  return 0;
}
