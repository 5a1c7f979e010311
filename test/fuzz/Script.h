// A conversation as the input of a fuzz target: a byte that says what there is, then messages, each
// behind two bytes of its own and its length (16 bits, little endian). What is cut off ends the
// conversation.
#ifndef GRAPHC_TEST_FUZZ_SCRIPT_H
#define GRAPHC_TEST_FUZZ_SCRIPT_H

#include "test/fuzz/FieldMutator.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace graphc::test {

struct Line {
  uint8_t who = 0, how = 0;
  std::string bytes;
};

struct Script {
  uint8_t setting = 0;
  std::vector<Line> lines;
};

inline constexpr size_t kMostLines = 64;

inline Script readScript(std::string_view text) {
  Script script;
  if (text.empty())
    return script;
  script.setting = uint8_t(text[0]);
  for (text.remove_prefix(1); text.size() >= 4 && script.lines.size() < kMostLines;) {
    size_t length = uint8_t(text[2]) | size_t(uint8_t(text[3])) << 8;
    Line line{uint8_t(text[0]), uint8_t(text[1]), std::string(text.substr(4, length))};
    text.remove_prefix(std::min(text.size(), 4 + length));
    script.lines.push_back(std::move(line));
  }
  return script;
}

inline std::string writeScript(const Script &script) {
  std::string text(1, char(script.setting));
  for (const Line &line : script.lines) {
    std::string bytes = line.bytes.substr(0, 65535);
    text += {char(line.who), char(line.how), char(bytes.size() & 255), char(bytes.size() >> 8)};
    text += bytes;
  }
  return text;
}

/// Changes, doubles, moves or leaves out a line; `change` changes the bytes of one.
template <class Change>
size_t mutateScript(uint8_t *data, size_t size, size_t maxSize, unsigned seed, Change change) {
  FieldRandom random(seed);
  Script script = readScript({reinterpret_cast<const char *>(data), size});
  std::vector<Line> &lines = script.lines;
  if (lines.empty() || random() % 8 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  for (unsigned changes = 1 + random() % 3; changes > 0 && !lines.empty(); --changes) {
    const size_t at = random() % lines.size(), other = random() % lines.size();
    switch (random() % 12) {
    case 0:
      lines.erase(lines.begin() + long(at));
      break;
    case 1:
      if (lines.size() < kMostLines)
        lines.insert(lines.begin() + long(other), Line(lines[at]));
      break;
    case 2:
      std::swap(lines[at], lines[other]);
      break;
    case 3:
      lines[at].who = uint8_t(random() % 8);
      break;
    case 4:
      lines[at].how ^= uint8_t(1u << (random() % 8));
      break;
    case 5:
      script.setting ^= uint8_t(1u << (random() % 8));
      break;
    default:
      change(lines[at].bytes, random);
    }
  }
  std::string text = writeScript(script);
  if (text.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  memcpy(data, text.data(), text.size());
  return text.size();
}

} // namespace graphc::test
#endif
