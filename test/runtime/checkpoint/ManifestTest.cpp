#include "runtime/checkpoint/Manifest.h"
#include "test/runtime/checkpoint/Tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::checkpoint;
using testing::HasSubstr;

namespace {

Manifest example() {
  Manifest manifest;
  manifest.globalStep = 12;
  manifest.dataPositions["train_step"] = 3072;
  manifest.shards.push_back({"ps-1.safetensors",
                             20,
                             0x00abcdef,
                             std::string(64, 'a'),
                             {{"b", tensorType(plan::F32, {2})}, {"global_step", tensorType(plan::I64)}}});
  manifest.shards.push_back({"ps-0.safetensors", 10, 1, std::string(64, '0'), {{"a", tensorType(plan::F64, {3, 4})}}});
  return manifest;
}

TEST(Manifest, RoundTrips) {
  std::string text = encodeManifest(example());
  auto decoded = decodeManifest(text, "m");
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(encodeManifest(*decoded), text);
  EXPECT_EQ(decoded->globalStep, 12u);
  EXPECT_EQ(decoded->dataPositions.at("train_step"), 3072u);
  EXPECT_EQ(decoded->shards[0].file, "ps-0.safetensors") << "shards are sorted";
  EXPECT_EQ(decoded->shards[1].crc32c, 0x00abcdefu);
  EXPECT_EQ(decoded->find("b").first, &decoded->shards[1]);
  EXPECT_EQ(decoded->find("c").second, nullptr);
}

TEST(Manifest, ShardsTravelAsText) {
  auto shard = decodeShard(encodeShard(example().shards[0]));
  ASSERT_TRUE(shard.ok()) << shard.status();
  EXPECT_EQ(encodeShard(*shard), encodeShard(example().shards[0]));
  EXPECT_FALSE(decodeShard("{}").ok());
}

TEST(Manifest, EveryFlippedBitIsRefused) {
  std::string good = encodeManifest(example());
  for (size_t i = 0; i < good.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] ^= char(1 << bit);
      EXPECT_FALSE(decodeManifest(bad, "m").ok()) << "byte " << i << " bit " << bit;
    }
  for (size_t cut = 0; cut < good.size(); ++cut)
    EXPECT_FALSE(decodeManifest(good.substr(0, cut), "m").ok()) << cut;
}

TEST(Manifest, ShardFilesAreNamesNotPaths) {
  EXPECT_TRUE(isShardFile("ps-0.safetensors"));
  for (const char *bad : {"", "a", "../a.safetensors", "/a.safetensors", ".a.safetensors", "a b.safetensors"})
    EXPECT_FALSE(isShardFile(bad)) << bad;
  Manifest manifest = example();
  manifest.shards[0].file = "../x.safetensors";
  EXPECT_THAT(std::string(decodeManifest(encodeManifest(manifest), "m").status().message()),
              HasSubstr("not the name of a shard"));
}

TEST(Manifest, RefusesContradictions) {
  Manifest manifest = example();
  manifest.shards[1].file = manifest.shards[0].file;
  EXPECT_THAT(std::string(decodeManifest(encodeManifest(manifest), "m").status().message()),
              HasSubstr("is given twice"));
  manifest = example();
  manifest.shards[1].variables[0].name = "b";
  EXPECT_THAT(std::string(decodeManifest(encodeManifest(manifest), "m").status().message()),
              HasSubstr("variable \"b\" is given twice"));
  manifest = example();
  manifest.shards[0].sha256 = "short";
  EXPECT_THAT(std::string(decodeManifest(encodeManifest(manifest), "m").status().message()),
              HasSubstr("malformed sum"));
}

} // namespace
