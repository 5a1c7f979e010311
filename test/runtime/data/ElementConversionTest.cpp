#include "runtime/data/ElementConversion.h"
#include "runtime/common/base/PhiloxRandom.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

using namespace graphc;
using namespace graphc::data;

namespace {

TEST(ElementConversion, BytesToFloatIsTwoRoundedOperations) {
  std::vector<uint8_t> in(256 + 13);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = uint8_t(i);
  for (auto [scale, offset] :
       {std::pair(1 / 255.0, 0.0), std::pair(2 / 255.0, -1.0), std::pair(1.0, 0.0)}) {
    std::vector<float> out(in.size());
    convertRow({StoredType::U8, plan::F32, scale, offset}, in.data(), in.size(), out.data());
    for (size_t i = 0; i < in.size(); ++i) {
      // volatile: no contraction in the reference either
      volatile float product = float(in[i]) * float(scale);
      volatile float sum = product + float(offset);
      ASSERT_EQ(out[i], float(sum)) << i << " " << scale << " " << offset;
    }
  }
}

TEST(ElementConversion, IntegersWiden) {
  int16_t in[3] = {-32768, -1, 32767};
  int64_t wide[3];
  convertRow({StoredType::I16, plan::I64, 1, 0}, reinterpret_cast<uint8_t *>(in), 3, wide);
  EXPECT_EQ(wide[0], -32768);
  EXPECT_EQ(wide[1], -1);
  EXPECT_EQ(wide[2], 32767);
  uint8_t labels[2] = {0, 255};
  int32_t out[2];
  convertRow({StoredType::U8, plan::I32, 1, 0}, labels, 2, out);
  EXPECT_EQ(out[1], 255);
  double precise[2];
  convertRow({StoredType::U8, plan::F64, 0.1, 0}, labels, 2, precise);
  EXPECT_EQ(precise[1], 255 * 0.1);
}

TEST(ElementConversion, OnlyLosslessConversionsExist) {
  EXPECT_TRUE(canConvert(StoredType::U8, plan::F32));
  EXPECT_TRUE(canConvert(StoredType::F32, plan::F64));
  EXPECT_FALSE(canConvert(StoredType::F64, plan::F32));
  EXPECT_FALSE(canConvert(StoredType::I32, plan::U8));
  EXPECT_FALSE(canConvert(StoredType::F32, plan::I32));
  EXPECT_FALSE(canConvert(StoredType::U8, plan::BF16));
  EXPECT_FALSE(canConvert(StoredType::I8, plan::U8));
}

TEST(Synthetic, WordsAreThoseOfBasePhilox) {
  base::PhiloxGenerator reference(0x123456789abcdef0, 77);
  for (size_t blocks : {size_t(1), size_t(15), size_t(16), size_t(17), size_t(40)}) {
    std::vector<uint32_t> words(blocks * 4);
    uint64_t first = 0xfffffff8; // the low half of the counter wraps within
    philoxWords(0x123456789abcdef0, 77, first, blocks, words.data());
    for (size_t i = 0; i < words.size(); ++i)
      ASSERT_EQ(words[i], reference.word(first * 4 + i)) << blocks << " " << i;
  }
}

TEST(Synthetic, ValuesAreInRangeAndUniform) {
  std::vector<float> floats(100000);
  syntheticRow(7, 0, 3, plan::F32, 0, floats.size(), floats.data());
  double sum = 0, squares = 0;
  for (float v : floats) {
    ASSERT_GE(v, 0.f);
    ASSERT_LT(v, 1.f);
    sum += v, squares += double(v) * v;
  }
  EXPECT_NEAR(sum / 1e5, 0.5, 0.005);
  EXPECT_NEAR(squares / 1e5, 1.0 / 3, 0.005);
  std::vector<int32_t> integers(100000);
  syntheticRow(7, 1, 3, plan::I32, 10, integers.size(), integers.data());
  std::vector<int> counts(10);
  for (int32_t v : integers) {
    ASSERT_GE(v, 0);
    ASSERT_LT(v, 10);
    ++counts[size_t(v)];
  }
  for (int count : counts)
    EXPECT_NEAR(count, 10000, 500);
}

TEST(Synthetic, RowsAreIndependentOfHowTheyAreCut) {
  // Sample i's words start at its own block, whatever was made before.
  constexpr size_t n = 785;
  std::vector<double> row(n);
  syntheticRow(5, 2, 9, plan::F64, 0, n, row.data());
  base::PhiloxGenerator philox(5, 2);
  uint64_t block = 9 * ((n + 1) / 2);
  for (size_t i = 0; i < n; ++i) {
    base::PhiloxBlock words = philox.block(block + i / 2);
    ASSERT_EQ(row[i], base::uniformDouble(words[i % 2 * 2], words[i % 2 * 2 + 1])) << i;
  }
}

} // namespace
