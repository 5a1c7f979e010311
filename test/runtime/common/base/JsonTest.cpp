#include "runtime/common/base/Json.h"
#include "runtime/common/base/TextUtils.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphc::base;
using testing::HasSubstr;

namespace {

std::string jsonError(std::string_view text, const JsonLimits &limits = {}) {
  auto value = parseJson(text, "f", limits);
  return value.ok() ? "" : std::string(value.status().message());
}

TEST(Json, KeepsPositionsOfValuesAndKeys) {
  auto root = parseJson("{\n  \"a\": [1,\n   -2.5e1]}", "f");
  ASSERT_TRUE(root.ok()) << root.status();
  const JsonMember &a = root->members.at(0);
  EXPECT_EQ(a.position.line, 2u);
  EXPECT_EQ(a.position.column, 3u);
  EXPECT_EQ(a.value.elements.at(0).integer, 1);
  EXPECT_EQ(a.value.elements.at(1).position.line, 3u);
  EXPECT_EQ(a.value.elements.at(1).position.column, 4u);
  EXPECT_EQ(a.value.elements.at(1).number, -25.0);
  EXPECT_EQ(a.value.elements.at(1).kind, JsonValue::Kind::Float);
}

TEST(Json, ColumnsCountCharactersNotBytes) {
  EXPECT_EQ(jsonError("[\"äöü\", x]"), "f:1:9: expected a value, found 'x'");
}

TEST(Json, DecodesEscapes) {
  auto root = parseJson(R"("a\"\\\/\b\f\n\r\t\u00e4\ud83d\ude00")", "f");
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_EQ(root->string, "a\"\\/\b\f\n\r\t\u00e4\U0001F600");
}

TEST(Json, RefusesMalformedText) {
  EXPECT_EQ(jsonError(""), "f:1:1: the file is empty; expected a JSON object");
  EXPECT_EQ(jsonError("\xEF\xBB\xBF[1,]"), jsonError("[1,]"))
      << "a byte order mark is no part of it";
  EXPECT_EQ(
      jsonError("{\"a\": 1,}"),
      "f:1:9: expected a member name in double quotes, found '}'; remove the comma before it");
  EXPECT_EQ(jsonError("{,}"), "f:1:2: expected a member name in double quotes, found ','");
  EXPECT_EQ(jsonError("[1, ]"), "f:1:5: expected a value, found ']'; remove the comma before it");
  EXPECT_EQ(jsonError("{\"a\" 1}"), "f:1:6: expected ':' after \"a\", found '1'");
  EXPECT_EQ(jsonError("[1 2]"), "f:1:4: expected ',' or ']' in an array, found '2'");
  EXPECT_EQ(jsonError("{\"a\": 1"), "f:1:8: expected ',' or '}' in an object, found end of file");
  EXPECT_EQ(jsonError("\"abc"), "f:1:1: string without a closing '\"' on its line");
  EXPECT_EQ(jsonError("\"a\tb\""), "f:1:3: unexpected control character 0x09 in a string");
  EXPECT_EQ(jsonError("\"\xff\""), "f:1:2: unexpected byte 0xff, which is not UTF-8 in a string");
  EXPECT_EQ(jsonError("\"\\x\""), "f:1:3: unknown escape \\ followed by 'x'");
  EXPECT_EQ(jsonError("\"\\ud800\""), "f:1:8: half a surrogate pair in a \\u escape");
  EXPECT_EQ(jsonError("01"), "f:1:1: malformed number");
  EXPECT_EQ(jsonError("1."), "f:1:1: malformed number: digits must follow the point");
  EXPECT_EQ(jsonError("1e999"), "f:1:1: number out of range");
  EXPECT_EQ(jsonError("nul"), "f:1:1: expected a value, found 'n'");
  EXPECT_EQ(jsonError("1 2"), "f:1:3: unexpected '2' after the end of the value");
}

TEST(Json, RefusesDuplicateKeys) {
  EXPECT_EQ(jsonError("{\"a\": 1,\n\"a\": 2}"), "f:2:1: duplicate key \"a\"");
}

TEST(Json, IsBounded) {
  EXPECT_THAT(jsonError(std::string(100000, '[')), HasSubstr("nested deeper than 32 levels"));
  EXPECT_THAT(jsonError("[1,2,3]", {.values = 3}), HasSubstr("more than 3 values"));
  EXPECT_THAT(jsonError("[1,2,3]", {.bytes = 3}), HasSubstr("has 7 bytes; at most 3"));
}

TEST(Json, BigIntegersBecomeFloats) {
  auto root = parseJson("[9223372036854775807, 9223372036854775808]", "f");
  ASSERT_TRUE(root.ok());
  EXPECT_EQ(root->elements[0].integer, INT64_MAX);
  EXPECT_EQ(root->elements[1].kind, JsonValue::Kind::Float);
}

TEST(Json, FindsTheNearestWord) {
  std::vector<std::string> words = {"strategy", "placement", "devices"};
  EXPECT_EQ(nearestWord("stragety", words), "strategy");
  EXPECT_EQ(nearestWord("device", words), "devices");
  EXPECT_EQ(nearestWord("banana", words), "");
}

TEST(Json, QuotesWhatItPrints) { EXPECT_EQ(quoteJson("a\"\\\n\x01"), "\"a\\\"\\\\\\n\\u0001\""); }

} // namespace
