#include "runtime/data/TextVocabulary.h"
#include "test/runtime/data/TestFiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

using namespace graphc::data;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

namespace {

absl::StatusOr<std::vector<int32_t>> tokensOf(const std::string &lines, const std::string &text) {
  auto vocabulary = TextVocabulary::parse(lines, "v");
  if (!vocabulary.ok())
    return vocabulary.status();
  auto reader = graphc::base::openBytes(text, "t");
  auto decoded =
      decodeInMemory([&](const ElementSink &sink) { return vocabulary->cut(**reader, "t", sink); });
  if (!decoded.ok())
    return decoded.status();
  std::vector<int32_t> tokens(decoded->header.samples());
  memcpy(tokens.data(), decoded->bytes->data, tokens.size() * 4);
  return tokens;
}

std::string tokensError(const std::string &lines, const std::string &text) {
  return std::string(tokensOf(lines, text).status().message());
}

TEST(TextVocabulary, TakesTheLongestTokenThatFits) {
  EXPECT_THAT(*tokensOf("a\nab\nabcd\nb\nc\n\\n\n\\x20\n", "abcab d"s.substr(0, 6) + "\nabcd"),
              ElementsAre(1, 4, 1, 6, 5, 2));
  EXPECT_THAT(*tokensOf("\\\\\r\n\\t\r\n\\r", "\t\\\r"), ElementsAre(1, 0, 2));
  EXPECT_THAT(*tokensOf("a\naa", gzip("aaa")), ElementsAre(1, 0));
}

TEST(TextVocabulary, TokensLieAcrossTheReadersPieces) {
  std::string text;
  while (text.size() < 200001)
    text += "abc";
  EXPECT_THAT(*tokensOf("abc\na\nb\nc", text), testing::Each(0));
  EXPECT_EQ(tokensOf("abc\na\nb\nc", text + "ab")->size(), text.size() / 3 + 2);
}

TEST(TextVocabulary, RefusesWhatIsNone) {
  EXPECT_EQ(tokensError("", "a"),
            "v: a vocabulary of 0 bytes, expected 1 to 4194304, one token a line");
  EXPECT_EQ(tokensError("a\n\nb\n", "a"),
            "v:2: an empty line; expected a token (a line break is \\n)");
  EXPECT_EQ(tokensError("a\nb\na\n", "a"), "v:3: the token of line 1 again");
  EXPECT_EQ(tokensError("\\q\n", "a"), "v:1: an escape that is none of \\n \\r \\t \\\\ \\xHH");
  EXPECT_EQ(tokensError("\\x4\n", "a"), "v:1: an escape that is none of \\n \\r \\t \\\\ \\xHH");
  EXPECT_THAT(tokensError(std::string(257, 'a'), "a"),
              HasSubstr("v:1: a token of 257 bytes, expected at most 256"));
  EXPECT_THAT(tokensError(std::string((1 << 22) + 1, 'a'), "a"),
              HasSubstr("a vocabulary of 4194305 bytes"));
  EXPECT_EQ(tokensError("a\n\\n\n", "aa\naxyz"),
            "t:2:2: no token of the vocabulary begins with what is here, \"xyz\"; "
            "add one for each byte that the text has, such as \\xHH");
  EXPECT_EQ(tokensError("a\n", ""), "t: it is empty, expected at least one sample");
}

} // namespace
