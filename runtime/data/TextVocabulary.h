//===- TextVocabulary.h - a text cut into tokens ------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_DATA_TEXTVOCABULARY_H
#define GRAPHC_RUNTIME_DATA_TEXTVOCABULARY_H

#include "runtime/data/DecodedFileCache.h"

#include <array>

namespace graphc::data {

class TextVocabulary {
public:
  static constexpr size_t mostBytes = 1 << 22, mostTokenBytes = 256;

  /// One token a line, counted from 0; \n \r \t \\ \xHH are escapes. Errors name the file and the
  /// line.
  static absl::StatusOr<TextVocabulary> parse(std::string_view content, const std::string &name);

  size_t size() const { return count_; }

  /// Gives the sink the text's tokens as I32: from left to right the longest one that fits. An
  /// error, with line and column (in bytes), where none does.
  absl::StatusOr<ArrayHeader> cut(base::ByteReader &text, const std::string &name,
                                  const ElementSink &sink) const;

private:
  /// A tree of prefixes: a node's children are a list.
  struct Node {
    uint32_t child = 0, sibling = 0; ///< 0: none
    int32_t token = -1;
    uint8_t byte = 0;
  };
  uint32_t childOf(uint32_t node, uint8_t byte) const;

  std::vector<Node> nodes_;
  std::array<uint32_t, 256> first_ = {}; ///< the root's children
  size_t count_ = 0, longest_ = 0;
};

} // namespace graphc::data
#endif
