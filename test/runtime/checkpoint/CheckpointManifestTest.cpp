#include "runtime/checkpoint/CheckpointManifest.h"
#include "test/runtime/checkpoint/Tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::checkpoint;
using testing::HasSubstr;

namespace {

CheckpointManifest example() {
  CheckpointManifest manifest;
  manifest.globalStep = 12;
  manifest.dataPositions["train_step"] = 3072;
  manifest.shards.push_back(
      {"ps-1.safetensors",
       20,
       0x00abcdef,
       std::string(64, 'a'),
       {{"b", tensorType(plan::F32, {2}), {}}, {"global_step", tensorType(plan::I64), {}}}});
  manifest.shards.push_back({"ps-0.safetensors",
                             10,
                             1,
                             std::string(64, '0'),
                             {{"a", tensorType(plan::F64, {3, 4}), {}}}});
  return manifest;
}

TEST(CheckpointManifest, RoundTrips) {
  std::string text = encodeManifest(example());
  auto decoded = decodeManifest(text, "m");
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(encodeManifest(*decoded), text);
  EXPECT_EQ(decoded->globalStep, 12u);
  EXPECT_EQ(decoded->dataPositions.at("train_step"), 3072u);
  EXPECT_EQ(decoded->shards[0].file, "ps-0.safetensors") << "shards are sorted";
  EXPECT_EQ(decoded->shards[1].crc32c, 0x00abcdefu);
  auto pieces = decoded->pieces();
  ASSERT_EQ(pieces.at("b").size(), 1u);
  EXPECT_EQ(pieces.at("b")[0].shard, &decoded->shards[1]);
  EXPECT_FALSE(pieces.contains("c"));
}

TEST(CheckpointManifest, WhatWasTakenAheadRoundTrips) {
  CheckpointManifest manifest = example();
  manifest.dataTaken["train_step"] = {3070, 3071, 3080, 3081};
  auto decoded = decodeManifest(encodeManifest(manifest), "m");
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->dataTaken, manifest.dataTaken);
  auto refusal = [&](const std::string &stream, std::vector<uint64_t> ahead) {
    manifest.dataTaken = {{stream, std::move(ahead)}};
    return std::string(decodeManifest(encodeManifest(manifest), "m").status().message());
  };
  EXPECT_THAT(refusal("train_step", {4}),
              HasSubstr("ranges of samples without an end, or out of order"));
  EXPECT_THAT(refusal("train_step", {4, 3}),
              HasSubstr("ranges of samples without an end, or out of order"));
  EXPECT_THAT(refusal("train_step", {}), HasSubstr("expected ranges of samples"));
  EXPECT_THAT(refusal("other", {4, 5}), HasSubstr("samples of a stream that has no position"));
}

/// w, 6 rows of 2, on three owners: rows 0 and 1, 2 to 4, 5.
CheckpointManifest splitExample() {
  CheckpointManifest manifest = example();
  auto part = [](const char *name, int64_t rows, uint64_t row) {
    VariableInfo info{name, tensorType(plan::F32, {rows, 2}), plan::Part()};
    info.part->set_of("w");
    *info.part->mutable_type() = tensorType(plan::F32, {6, 2});
    info.part->set_row(row);
    return info;
  };
  manifest.shards[0].variables.push_back(part("w/part_0", 2, 0));
  manifest.shards[1].variables.push_back(part("w/part_1", 3, 2));
  manifest.shards[0].variables.push_back(part("w/part_2", 1, 5));
  return manifest;
}

TEST(CheckpointManifest, PartsOfAVariableAreFound) {
  auto decoded = decodeManifest(encodeManifest(splitExample()), "m");
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(encodeManifest(*decoded), encodeManifest(splitExample()));
  auto pieces = decoded->pieces();
  EXPECT_FALSE(pieces.contains("w/part_0"));
  ASSERT_EQ(pieces.at("w").size(), 3u);
  EXPECT_EQ(pieces.at("w")[1].info->name, "w/part_1");
  EXPECT_EQ(pieces.at("w")[1].begin, 16u);
  EXPECT_EQ(pieces.at("w")[1].end, 40u);
}

TEST(CheckpointManifest, RefusesPartsThatMakeNoWhole) {
  auto refusal = [](auto damage) {
    CheckpointManifest manifest = splitExample();
    damage(manifest);
    return std::string(decodeManifest(encodeManifest(manifest), "m").status().message());
  };
  auto &&first = [](CheckpointManifest &m) -> VariableInfo & { return m.shards[0].variables[2]; };
  auto &&middle = [](CheckpointManifest &m) -> VariableInfo & { return m.shards[1].variables[1]; };
  EXPECT_THAT(
      refusal([&](CheckpointManifest &m) { m.shards[0].variables.pop_back(); }),
      HasSubstr(
          "a part of variable \"w\" is missing: nothing holds what lies behind \"w/part_1\""));
  EXPECT_THAT(
      refusal([&](CheckpointManifest &m) { m.shards[1].variables.pop_back(); }),
      HasSubstr(
          "a part of variable \"w\" is missing: nothing holds what lies before \"w/part_2\""));
  EXPECT_THAT(refusal([&](CheckpointManifest &m) { middle(m).part->set_row(1); }),
              HasSubstr("have rows in common"));
  EXPECT_THAT(refusal([&](CheckpointManifest &m) { middle(m).part->set_row(4); }),
              HasSubstr("is not the rows from 4 of"));
  EXPECT_THAT(refusal([&](CheckpointManifest &m) { middle(m).part->set_row(~0ull >> 1); }),
              HasSubstr("is not the rows from"));
  EXPECT_THAT(
      refusal([&](CheckpointManifest &m) { middle(m).part->mutable_type()->set_shape(0, 7); }),
      HasSubstr("the parts of variable \"w\" are of tensor<6x2xf32> and of tensor<7x2xf32>"));
  EXPECT_THAT(
      refusal([&](CheckpointManifest &m) { middle(m).part->mutable_type()->set_shape(1, 3); }),
      HasSubstr("is not the rows from 2 of tensor<6x3xf32>"));
  EXPECT_THAT(refusal([&](CheckpointManifest &m) { first(m).part->set_of("b"); }),
              HasSubstr("variable \"b\" is given twice: \"w/part_0\" and \"b\" have rows"));
  EXPECT_THAT(refusal([&](CheckpointManifest &m) {
                m.shards[1].variables.push_back({"w", tensorType(plan::F32, {6, 2}), {}});
              }),
              HasSubstr("variable \"w\" is given twice"));
}

TEST(CheckpointManifest, ShardsTravelAsText) {
  auto shard = decodeShard(encodeShard(example().shards[0]));
  ASSERT_TRUE(shard.ok()) << shard.status();
  EXPECT_EQ(encodeShard(*shard), encodeShard(example().shards[0]));
  EXPECT_FALSE(decodeShard("{}").ok());
}

TEST(CheckpointManifest, EveryFlippedBitIsRefused) {
  std::string good = encodeManifest(example());
  for (size_t i = 0; i < good.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] ^= char(1 << bit);
      EXPECT_FALSE(decodeManifest(bad, "m").ok()) << "byte " << i << " bit " << bit;
    }
  for (size_t cut = 0; cut < good.size(); ++cut)
    EXPECT_THAT(std::string(decodeManifest(good.substr(0, cut), "m").status().message()),
                HasSubstr("m: the manifest does not end with its checksum"))
        << cut;
}

TEST(CheckpointManifest, ShardFilesAreNamesNotPaths) {
  EXPECT_TRUE(isShardFile("ps-0.safetensors"));
  for (const char *bad :
       {"", "a", "../a.safetensors", "/a.safetensors", ".a.safetensors", "a b.safetensors"})
    EXPECT_FALSE(isShardFile(bad)) << bad;
  CheckpointManifest manifest = example();
  manifest.shards[0].file = "../x.safetensors";
  EXPECT_THAT(std::string(decodeManifest(encodeManifest(manifest), "m").status().message()),
              HasSubstr("not the name of a shard"));
}

TEST(CheckpointManifest, RefusesContradictions) {
  CheckpointManifest manifest = example();
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
              HasSubstr("malformed checksum"));
}

} // namespace
