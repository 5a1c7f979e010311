#include "runtime/checkpoint/SafetensorsFile.h"
#include "test/runtime/checkpoint/Tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::checkpoint;
using testing::HasSubstr;

namespace {

std::string encode(const std::vector<TensorView> &tensors) {
  std::string out;
  absl::Status status = encodeSafetensors(tensors, [&](const void *data, size_t size) {
    out.append(static_cast<const char *>(data), size);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return out;
}

std::string withHeader(std::string header, const std::string &data) {
  uint64_t length = header.size();
  return std::string(reinterpret_cast<char *>(&length), 8) + header + data;
}

std::string safetensorsError(const std::string &content) {
  auto entries = decodeSafetensors(content, "s");
  return entries.ok() ? "" : std::string(entries.status().message());
}

const float w[2] = {1, 2};
const int64_t step = 5;
const uint8_t flag = 1;

TEST(SafetensorsFile, WritesTheFormat) {
  std::string out = encode({{"flag", tensorType(plan::I1), &flag, 1},
                            {"w", tensorType(plan::F32, {1, 2}), w, 8},
                            {"step", tensorType(plan::I64), &step, 8}});
  std::string header = R"({"step":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
                       R"("w":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]},)"
                       R"("flag":{"dtype":"BOOL","shape":[],"data_offsets":[16,17]}})";
  header.append((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(out, withHeader(header, std::string("\5\0\0\0\0\0\0\0\0\0\x80\x3f\0\0\0\x40\1", 17)));
  auto entries = decodeSafetensors(out, "s");
  ASSERT_TRUE(entries.ok()) << entries.status();
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ((*entries)[1].name, "w");
  EXPECT_EQ((*entries)[1].offset, 8 + header.size() + 8);
}

TEST(SafetensorsFile, OrderOfTheCallerDoesNotMatter) {
  TensorView a{"a", tensorType(plan::F32, {2}), w, 8}, b{"b", tensorType(plan::I64), &step, 8};
  EXPECT_EQ(encode({a, b}), encode({b, a}));
}

TEST(SafetensorsFile, RefusesHostileFiles) {
  EXPECT_THAT(safetensorsError("1234567"), HasSubstr("fewer than 8 bytes"));
  EXPECT_THAT(safetensorsError(std::string(8, '\xff')), HasSubstr("its header is longer"));
  EXPECT_THAT(safetensorsError(withHeader("[]", "")), HasSubstr("not an object"));
  EXPECT_THAT(safetensorsError(withHeader("{\"a\":1}", "")), HasSubstr("tensor \"a\" lacks dtype"));
  auto tensor = [](const std::string &dtype, const std::string &shape, const std::string &offsets) {
    return "{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
  };
  for (auto [dtype, shape, offsets] : std::vector<std::array<std::string, 3>>{
           {"F32", "[1]", "[0,8]"},     // shape needs 4
           {"F32", "[2]", "[0,9]"},     // longer than the shape
           {"F32", "[2]", "[8,16]"},    // beyond the file
           {"F32", "[2]", "[8,0]"},     // backwards
           {"F32", "[2]", "[-8,0]"},    // negative
           {"F99", "[2]", "[0,8]"},     // unknown
           {"F32", "[4611686018427387904,4611686018427387904]", "[0,0]"}}) // overflow
    EXPECT_THAT(safetensorsError(withHeader("{\"a\":" + tensor(dtype, shape, offsets) + "}",
                                            std::string(8, 'x'))),
                HasSubstr("tensor \"a\" has an unknown dtype, or offsets"))
        << dtype << shape << offsets;
  EXPECT_THAT(
      safetensorsError(withHeader("{\"a\":" + tensor("F32", "[-1]", "[0,4]") + "}", "1234")),
      HasSubstr("malformed shape"));
  std::string twice =
      "{\"a\":" + tensor("U8", "[4]", "[0,4]") + ",\"b\":" + tensor("U8", "[4]", "[2,6]") + "}";
  EXPECT_THAT(safetensorsError(withHeader(twice, "123456")),
              HasSubstr("overlaps another or leaves a gap"));
  std::string gap =
      "{\"a\":" + tensor("U8", "[4]", "[0,4]") + ",\"b\":" + tensor("U8", "[1]", "[5,6]") + "}";
  EXPECT_THAT(safetensorsError(withHeader(gap, "123456")),
              HasSubstr("overlaps another or leaves a gap"));
  EXPECT_THAT(safetensorsError(withHeader("{\"a\":" + tensor("U8", "[4]", "[0,4]") + "}", "12345")),
              HasSubstr("bytes follow its last tensor"));
}

} // namespace
