#include "runtime/data/NpyFile.h"
#include "runtime/common/base/ZipEntry.h"
#include "test/runtime/data/TestFiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphc::data;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const std::string bytesArray = npyFile("|u1", "(3, 2)", "abcdef");

std::string npyError(const std::string &content, const std::string &array = "",
                     uint64_t limit = 1 << 20) {
  auto decoded = decodeNpy(content, "f", array, limit);
  return decoded.ok() ? "" : std::string(decoded.status().message());
}

std::string npyBytes(const std::string &content, const std::string &array = "") {
  auto decoded = decodeNpy(content, "f", array, 1 << 20);
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return decoded.ok() ? std::string(reinterpret_cast<const char *>(decoded->bytes->data),
                                    decoded->header.payloadBytes)
                      : "";
}

TEST(NpyFile, ReadsAllVersionsAndTypes) {
  for (int version : {1, 2, 3})
    EXPECT_EQ(npyBytes(npyFile("|u1", "(3, 2)", "abcdef", false, version)), "abcdef") << version;
  for (const char *descr :
       {"|b1", "|u1", "|i1", "<i2", "<u2", "<i4", "<u4", "<i8", "<f2", "<f4", "<f8"}) {
    const std::string elements(size_t(3 * (descr[2] - '0')), 'x');
    EXPECT_EQ(npyBytes(npyFile(descr, "(3,)", elements)), elements) << descr;
  }
  // one order as good as the other
  EXPECT_EQ(npyBytes(npyFile("|u1", "(3, 1)", "abc", /*fortran=*/true)), "abc");
}

TEST(NpyFile, FindsArraysInArchives) {
  for (bool compress : {false, true})
    for (bool wide : {false, true}) {
      const std::string archive =
          zipFile({{"x.npy", bytesArray}, {"y.npy", npyFile("|u1", "(2,)", "yz")}}, compress, wide);
      EXPECT_EQ(npyBytes(archive, "x"), "abcdef") << compress << wide;
      EXPECT_EQ(npyBytes(archive, "y"), "yz") << compress << wide;
      EXPECT_EQ(npyError(archive, "z"), "f:z: no such array; the archive has x, y");
    }
}

TEST(NpyFile, MapsWhatIsNotCompressed) {
  TemporaryFolder folder;
  DatasetSearchPath search;
  search.cacheDir = folder / "cache";
  const auto open = [&](const std::string &name, const std::string &content,
                        const std::string &array) {
    auto opened = openNpy(folder.write(name, content), array, search);
    EXPECT_TRUE(opened.ok()) << opened.status();
    if (!opened.ok())
      return std::string();
    EXPECT_THAT(opened->header.shape, ElementsAre(3, 2));
    return std::string(opened->bytes->where) + " " +
           std::string(reinterpret_cast<const char *>(opened->bytes->data) + opened->begin, 6);
  };
  EXPECT_EQ(open("x.npy", bytesArray, ""), "mapped abcdef");
  EXPECT_EQ(open("x.npz", zipFile({{"x.npy", bytesArray}}, false), "x"), "mapped abcdef");
  EXPECT_EQ(open("y.npz", zipFile({{"x.npy", bytesArray}}, true), "x"),
            "decoded into the cache abcdef");
  EXPECT_EQ(open("z.npy.gz", gzip(bytesArray), ""), "decoded into the cache abcdef");
}

TEST(NpyFile, RefusesWhatItCannotUse) {
  EXPECT_EQ(npyError("PK"), "f: not a usable .npy: it does not start with NumPy's magic number");
  EXPECT_THAT(npyError(npyFile(">f4", "(1,)", "abcd")),
              HasSubstr("elements of type '>f4'; expected bool, i1"));
  EXPECT_THAT(npyError(npyFile("|O", "(1,)", "abcd")), HasSubstr("elements of type '|O'"));
  EXPECT_THAT(npyError(npyFile("|u1", "(3, 2)", "abcdef", true)),
              HasSubstr("column-major order; save numpy.ascontiguous"));
  EXPECT_THAT(npyError(npyFile("|u1", "()", "a")),
              HasSubstr("it has 0 dimensions, expected 1 to 8"));
  EXPECT_THAT(npyError(npyFile("|u1", "(3, 0)", "")), HasSubstr("dimension 1 is 0"));
  EXPECT_THAT(npyError(npyFile("|u1", "(3,)", "ab")),
              HasSubstr("promises 3 bytes of elements, found 2"));
  EXPECT_THAT(npyError(npyFile("|u1", "(3,)", "abcd")), HasSubstr("more bytes follow than the 3"));
  EXPECT_THAT(npyError(npyFile("|u1", "(3,)", "abc", false, 4)),
              HasSubstr("format version 4; 1 to 3 are known"));
}

TEST(NpyFile, HeadersThatClaimTooMuchAllocateNothing) {
  EXPECT_THAT(npyError(npyFile("<f8", "(4611686018427387904, 4)", "")),
              HasSubstr("more than 1 TiB"));
  EXPECT_THAT(npyError(npyFile("<f8", "(2147483647, 2147483647, 2147483647, 2147483647)", "")),
              HasSubstr("more than 1 TiB"));
  EXPECT_THAT(npyError(npyFile("|u1", "(1099511627776,)", "")), HasSubstr("more than 1 TiB"));
  EXPECT_THAT(npyError(npyFile("|u1", "(1048576, 1048576)", "")),
              HasSubstr("promises 1099511627776 bytes of elements, found 0"));
}

TEST(NpyFile, BombsEndAtTheLimit) {
  const std::string zeros(16 << 20, '\0');
  const std::string bomb = zipFile({{"x.npy", npyFile("|u1", "(16777216,)", zeros)}}, true);
  ASSERT_LT(bomb.size(), 20000u);
  EXPECT_THAT(npyError(bomb, "x", 1 << 20),
              HasSubstr("f:x: decodes to more than the 1 MiB that --data_cache_mb allows"));
  // Deflate that says it is shorter than it is.
  std::string liar = zipFile({{"x.npy", bytesArray + std::string(100, 'x')}}, true);
  const size_t at = liar.find("PK\1\2");
  liar.replace(at + 24, 4, littleEndian(bytesArray.size(), 4));
  EXPECT_THAT(npyError(liar, "x"), HasSubstr("the entry has more bytes than its directory says"));
}

TEST(NpyFile, EveryFlippedBitOfAnArchiveIsAnErrorOrTheSame) {
  for (bool compress : {false, true}) {
    const std::string good = zipFile({{"x.npy", bytesArray}}, compress, true);
    int refused = 0;
    for (size_t i = 0; i < good.size(); ++i)
      for (int bit = 0; bit < 8; ++bit) {
        std::string flipped = good;
        flipped[i] ^= char(1 << bit);
        auto decoded = decodeNpy(flipped, "f", "x", 1 << 20);
        refused += !decoded.ok();
        if (decoded.ok()) {
          EXPECT_EQ(std::string(reinterpret_cast<const char *>(decoded->bytes->data), 6), "abcdef")
              << i << " " << bit;
        }
      }
    EXPECT_GT(refused, 500);
    for (size_t length = 0; length < good.size(); ++length)
      EXPECT_NE(npyError(good.substr(0, length), "x"), "") << length;
  }
}

} // namespace
