#include "runtime/common/base/CpuFeatures.h"
#include "runtime/common/base/Crc32c.h"
#include "runtime/common/base/Sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace graphc::base {
namespace {

// FIPS 180-4's examples.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(toHex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(toHex(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(toHex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(toHex(sha256(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesEqualTheWhole) {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += char(i * 7);
  for (size_t cut : {0, 1, 64, 999}) {
    Sha256 hash;
    hash.update(std::string_view(text).substr(0, cut));
    hash.update(std::string_view(text).substr(cut));
    EXPECT_EQ(toHex(hash.finish()), toHex(sha256(text))) << cut;
  }
}

// RFC 3720, B.4.
TEST(Crc32c, KnownAnswers) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
}

TEST(Crc32c, HardwareEqualsTable) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(crc32c(0, text.data(), text.size()), crc32cPortable(0, text.data(), text.size()))
        << i;
    text += char(i * 13);
  }
}

TEST(Crc32c, GoesOnWhereItStopped) {
  std::string text(1000, 'x');
  EXPECT_EQ(crc32c(crc32c(0, text.data(), 77), text.data() + 77, 923), crc32c(text));
}

// RFC 4231, cases 1, 2 and 6 (a key longer than a block).
TEST(Hmac, KnownAnswers) {
  EXPECT_EQ(toHex(hmacSha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(toHex(hmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(toHex(hmacSha256(std::string(131, '\xaa'),
                             "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Cpu, KnowsWhatIsMissing) {
  EXPECT_TRUE(missingCpuFeatures({}).empty());
  EXPECT_TRUE(missingCpuFeatures({"-amx-fp16"}).empty()) << "switched off";
  EXPECT_EQ(missingCpuFeatures({"+feature2099"}), std::vector<std::string>{"feature2099"});
#if defined(__x86_64__)
  EXPECT_TRUE(missingCpuFeatures({"+sse2", "cx8", "+x87", "64bit"}).empty());
  ASSERT_TRUE(maxCpuLevel().ok()) << maxCpuLevel().status();
  auto allows = [](std::string_view feature) {
    return !maxCpuLevel()->has_value() || cpuLevelHasFeature(**maxCpuLevel(), feature);
  };
  EXPECT_EQ(hasCpuFeatures({"avx2"}), __builtin_cpu_supports("avx2") && allows("avx2"));
  EXPECT_EQ(hasCpuFeatures({"avx512f"}), __builtin_cpu_supports("avx512f") && allows("avx512f"));
  EXPECT_EQ(hasCpuFeatures({"avx512vnni"}),
            __builtin_cpu_supports("avx512vnni") && allows("avx512vnni"));
  EXPECT_EQ(hasCpuFeatures({"fma4"}), __builtin_cpu_supports("fma4") && allows("fma4"));
  EXPECT_EQ(hasCpuFeatures({"gfni"}), __builtin_cpu_supports("gfni") && allows("gfni"));
  EXPECT_TRUE(isCpuFeature("avx10.2") && isCpuFeature("egpr") && !isCpuFeature("feature2099"));
#endif
}

TEST(Cpu, ParsesTheLimit) {
  EXPECT_EQ(*parseMaxCpuLevel(""), std::nullopt);
  EXPECT_EQ(*parseMaxCpuLevel("x86-64-v2"), CpuLevel::V2);
  EXPECT_EQ(*parseMaxCpuLevel("x86-64-v3"), CpuLevel::V3);
  EXPECT_EQ(*parseMaxCpuLevel("x86-64-v4"), CpuLevel::V4);
  for (const char *wrong : {"x86-64", "AVX2", "x86-64-v3 ", "native"})
    EXPECT_EQ(parseMaxCpuLevel(wrong).status().message(),
              absl::StrCat("the environment variable GRAPHC_MAX_CPU_ISA is '", wrong,
                           "'; expected x86-64-v2, x86-64-v3 or x86-64-v4, or no such variable"));
}

TEST(Cpu, EachLevelAddsFeatures) {
  auto firstLevel = [](std::string_view feature) {
    for (CpuLevel level : {CpuLevel::V2, CpuLevel::V3, CpuLevel::V4})
      if (cpuLevelHasFeature(level, feature))
        return int(level);
    return 0;
  };
  EXPECT_EQ(firstLevel("sse4.2"), 2);
  EXPECT_EQ(firstLevel("avx2"), 3);
  EXPECT_EQ(firstLevel("fma"), 3);
  EXPECT_EQ(firstLevel("avx512f"), 4);
  EXPECT_EQ(firstLevel("avx512vnni"), 0) << "not part of any level";
  EXPECT_EQ(firstLevel("amx-tile"), 0);
  EXPECT_EQ(firstLevel("feature2099"), 0);
}

} // namespace
} // namespace graphc::base
