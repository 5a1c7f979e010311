#include "runtime/data/CsvFile.h"
#include "test/runtime/data/TestFiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

using namespace graphc::data;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

CsvOptions csvColumns(std::vector<CsvColumn> columns) {
  CsvOptions options;
  options.columns = std::move(columns);
  return options;
}

absl::StatusOr<DecodedArray> parseCsv(const std::string &content, const CsvOptions &options) {
  return decodeInMemory([&](const ElementSink &sink) -> absl::StatusOr<ArrayHeader> {
    auto reader = graphc::base::openBytes(content, "f.csv");
    if (!reader.ok())
      return reader.status();
    return decodeCsv(**reader, "f.csv", options, sink);
  });
}

std::string csvError(const std::string &content, const CsvOptions &options) {
  auto parsed = parseCsv(content, options);
  return parsed.ok() ? "" : std::string(parsed.status().message());
}

std::vector<float> floatsOf(const std::string &content, const CsvOptions &options) {
  auto parsed = parseCsv(content, options);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  std::vector<float> values(parsed.ok() ? parsed->header.payloadBytes / 4 : 0);
  if (parsed.ok())
    memcpy(values.data(), parsed->bytes->data, values.size() * 4);
  return values;
}

const CsvOptions two = csvColumns({{"b"}, {"a"}});

TEST(CsvFile, FindsColumnsByNameAndNumber) {
  EXPECT_THAT(floatsOf("a,b,c\n1,2,x\n3,4,y\n", two), ElementsAre(2, 1, 4, 3));
  EXPECT_THAT(floatsOf("\xEF\xBB\xBF\"a\", b ,c\r\n 1,\"2\",x\r\n3,4,\"y, \"\"z\"\"\nmore\"", two),
              ElementsAre(2, 1, 4, 3));
  CsvOptions numbers = csvColumns({{{}, 2}, {{}, 0}});
  numbers.header = false;
  numbers.separator = ';';
  EXPECT_THAT(floatsOf("1;2;3\n4;5;6", numbers), ElementsAre(3, 1, 6, 4));
  EXPECT_THAT(floatsOf(gzip("1;2;3\n4;5;6\n\n\r\n"), numbers), ElementsAre(3, 1, 6, 4));
}

TEST(CsvFile, ReadsNumbersOfEveryType) {
  auto read = [&](StoredType type, const std::string &text) {
    CsvOptions one = csvColumns({{{}, 0, type}});
    one.header = false;
    auto parsed = parseCsv(text + "\n", one);
    return parsed.ok() ? std::string(reinterpret_cast<const char *>(parsed->bytes->data),
                                     parsed->header.payloadBytes)
                       : "!" + std::string(parsed.status().message());
  };
  auto bytes = [](auto value) {
    return std::string(reinterpret_cast<const char *>(&value), sizeof(value));
  };
  EXPECT_EQ(read(StoredType::F32, "0.1"), bytes(0.1f));
  EXPECT_EQ(read(StoredType::F32, "+1.5e-3"), bytes(1.5e-3f));
  EXPECT_EQ(read(StoredType::F32, "1e-60"), bytes(0.0f));
  EXPECT_EQ(read(StoredType::F64, "-0.1"), bytes(-0.1));
  EXPECT_EQ(read(StoredType::F64, "1e-999"), bytes(0.0));
  EXPECT_EQ(read(StoredType::I64, "-9223372036854775808"), bytes(INT64_MIN));
  EXPECT_EQ(read(StoredType::I32, "2147483647"), bytes(INT32_MAX));
  EXPECT_EQ(read(StoredType::I8, "-128"), bytes(int8_t(-128)));
  EXPECT_EQ(read(StoredType::U8, "255"), bytes(uint8_t(255)));
  EXPECT_EQ(read(StoredType::Bool, "true"), bytes(uint8_t(1)));
  for (const char *text :
       {"nan", "inf", "-inf", "1.5x", "0x10", "--1", "+-1", "1 2", "e5", "-", "+"})
    EXPECT_THAT(read(StoredType::F32, text), testing::StartsWith("!f.csv:1:1: ")) << text;
  EXPECT_EQ(read(StoredType::F32, "1e39"),
            "!f.csv:1:1: \"1e39\" is too large, expected a value of f32");
  EXPECT_EQ(read(StoredType::F64, "1e999"),
            "!f.csv:1:1: \"1e999\" is too large, expected a value of f64");
  EXPECT_EQ(read(StoredType::I32, "2147483648"),
            "!f.csv:1:1: \"2147483648\" is out of range, expected a value of i32");
  EXPECT_EQ(read(StoredType::I32, "3.0"),
            "!f.csv:1:1: \"3.0\" is no integer, expected a value of i32");
  EXPECT_EQ(read(StoredType::Bool, "yes"),
            "!f.csv:1:1: \"yes\" is neither 0 nor 1, false nor true, expected a value of bool");
}

TEST(CsvFile, WhatIsMissingIsSaid) {
  CsvOptions filled = two;
  filled.missing = -1;
  EXPECT_THAT(floatsOf("a,b\n,2\n3, \n", filled), ElementsAre(2, -1, -1, 3));
  EXPECT_EQ(
      csvError("a,b\n1,2\n3,\n", two),
      "f.csv:3:3: an empty field; expected a number, or missing = … in #graph.csv for what is not there");
}

TEST(CsvFile, ErrorsSayWhere) {
  EXPECT_EQ(csvError("a,b\n1,2\n3,\"x\ny\"\n", two),
            "f.csv:3:3: \"x?y\" is no number, expected a value of f32");
  EXPECT_EQ(csvError("a,b\n\"1\",2\n\"x\n\",2\n4,q\n", csvColumns({{"b"}})),
            "f.csv:5:3: \"q\" is no number, expected a value of f32");
  EXPECT_EQ(csvError("a,b\n1,2,3\n", two),
            "f.csv:2:5: 3 fields in this record, expected 2 as in the first one");
  EXPECT_EQ(csvError("a,b\n1,2\n\n3,4\n", two),
            "f.csv:3:1: an empty line; expected a record, or the end of the file");
  EXPECT_EQ(csvError("a,c\n1,2\n", two), "f.csv:1:1: no column \"b\" among the 2: \"a\", \"c\"");
  EXPECT_EQ(csvError("a,b,b\n1,2,3\n", two),
            "f.csv:1:5: a second column is called \"b\"; say which by its number");
  EXPECT_EQ(csvError("a,b\n1,\"2\n", two), "f.csv:2:3: a quote opens here and is not closed");
  EXPECT_EQ(csvError("a,b\n1,2\"3\n", two),
            "f.csv:2:4: a quote within a field; expected it doubled, and the field in quotes");
  EXPECT_EQ(csvError("a,b\n1,2\r3\n", two), "f.csv:2:4: a carriage return within a line");
  EXPECT_EQ(csvError("", two), "f.csv: it is empty, expected lines of numbers");
  CsvOptions single = csvColumns({{{}, 0}});
  single.header = false;
  EXPECT_THAT(floatsOf("1\n2\n\n", single), ElementsAre(1, 2));
  EXPECT_EQ(csvError("1\n\n2\n", single),
            "f.csv:2:1: an empty line; expected a record, or the end of the file");
  EXPECT_EQ(csvError("a,b\n", two), "f.csv: it is empty, expected at least one sample");
  CsvOptions all = csvColumns({{{}, 0}, {{}, 1}});
  all.all = true;
  EXPECT_EQ(csvError("a,b,c\n1,2,3\n", all),
            "f.csv:1:1: 3 columns, but a sample has 2 elements; say which with columns = […]");
}

TEST(CsvFile, FilesWithoutEndAreRefusedInBoundedMemory) {
  EXPECT_THAT(csvError(std::string(3 << 20, '1'), two),
              HasSubstr("f.csv:1:1: a record of more than 1048576 bytes"));
  EXPECT_THAT(csvError("a,b\n1,\"" + std::string(3 << 20, '\n'), two),
              HasSubstr("f.csv:2:3: a record of more than 1048576 bytes"));
  EXPECT_THAT(csvError("a,b\n1,2\n" + std::string(3 << 20, '\n') + "3", two),
              HasSubstr("f.csv:3:1: an empty line"));
  // A small file that inflates to a large one ends where its rows are too many.
  const std::string rows = gzip([] {
    std::string text = "a,b\n";
    for (int i = 0; i < 200000; ++i)
      text += "1,2\n";
    return text;
  }());
  ASSERT_LT(rows.size(), 4000u);
  auto reader = graphc::base::openBytes(rows, "f.csv");
  ASSERT_TRUE(reader.ok());
  auto ended =
      decodeCsv(**reader, "f.csv", two,
                atMost(1 << 20, "f.csv", [](const uint8_t *, size_t) { return absl::OkStatus(); }));
  EXPECT_THAT(std::string(ended.status().message()), HasSubstr("decodes to more than the 1 MiB"));
}

} // namespace
