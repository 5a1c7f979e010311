// What evaluations gave, beside the checkpoints.
#include "runtime/checkpoint/EvaluationHistory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <unistd.h>

namespace graphc::checkpoint {
namespace {
using testing::HasSubstr;

TEST(EvaluationHistory, WhatIsWrittenIsRead) {
  const EvaluationHistory made{
      {{13, {{"a\"b", 0.1}, {"c", 2}}}, {26, {{"c", std::nan("")}}}, {39, {}}}};
  auto read = decodeEvaluations(encodeEvaluations(made), "f");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->made.size(), 3u);
  EXPECT_EQ(read->made[0].metrics, made.made[0].metrics) << "to the bit";
  EXPECT_EQ(read->made[1].metrics.size(), 1u);
  EXPECT_TRUE(std::isnan(read->made[1].metrics["c"]));
  EXPECT_EQ(read->made[2].step, 39u);
  EXPECT_TRUE(read->made[2].metrics.empty());
  EXPECT_FALSE(read->removeAfter(39));
  EXPECT_TRUE(read->removeAfter(25));
  EXPECT_EQ(read->made.size(), 1u);
}

TEST(EvaluationHistory, EarlierVersionsRecordedOneMetric) {
  auto read = decodeEvaluations(R"({"metric": "a", "evaluations": [[13, 0.5], [26, null]]})", "f");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->made.size(), 2u);
  EXPECT_EQ(read->made[0].metrics["a"], 0.5);
  EXPECT_TRUE(std::isnan(read->made[1].metrics["a"]));
}

TEST(EvaluationHistory, WhatCannotBeIsNamed) {
  for (auto [text, words] :
       {std::pair("[", "f:1:"), std::pair("[]", "not a JSON object"),
        std::pair("{\"metric\": \"a\"}", "is missing or not an array"),
        std::pair("{\"metric\": 1, \"evaluations\": []}", "is missing or not an array"),
        std::pair("{\"metric\": \"a\", \"evaluations\": [[1]]}", "no step or no metrics"),
        std::pair("{\"metric\": \"a\", \"evaluations\": [[-1, 2]]}", "no step or no metrics"),
        std::pair("{\"metric\": \"a\", \"evaluations\": [[1, \"x\"]]}",
                  "at step 1 is not a number"),
        std::pair("{\"metric\": \"a\", \"evaluations\": [[2, 1], [2, 1]]}",
                  "not in ascending order at step 2"),
        std::pair("{\"evaluations\": [3]}", "no step or no metrics"),
        std::pair("{\"evaluations\": [{\"step\": 3}]}", "no step or no metrics"),
        std::pair("{\"evaluations\": [{\"step\": 3, \"metrics\": []}]}", "no step or no metrics"),
        std::pair("{\"evaluations\": [{\"step\": 3, \"metrics\": {\"a\": true}}]}",
                  "at step 3 is not a number")}) {
    auto read = decodeEvaluations(text, "f");
    EXPECT_TRUE(absl::IsDataLoss(read.status())) << text;
    EXPECT_THAT(std::string(read.status().message()), HasSubstr(words));
  }
}

TEST(EvaluationHistory, NoneAreNoFile) {
  const std::string folder = testing::TempDir() + "evaluations-" + std::to_string(getpid());
  const std::string file = folder + "/evaluations.json";
  std::filesystem::create_directories(folder);
  EXPECT_TRUE(readEvaluations(folder)->made.empty());
  ASSERT_TRUE(writeEvaluations(folder, {{{1, {{"a", 2}}}}}).ok());
  EXPECT_EQ(readEvaluations(folder)->made[0].metrics["a"], 2);
  EXPECT_TRUE(std::filesystem::exists(file));
  ASSERT_TRUE(writeEvaluations(folder, {}).ok());
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_TRUE(writeEvaluations(folder, {}).ok()) << "there is none";
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace graphc::checkpoint
