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
  const EvaluationHistory made{"a\"b", {{13, 0.1}, {26, std::nan("")}, {39, -3}}};
  auto read = decodeEvaluations(encodeEvaluations(made), "f");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->metric, "a\"b");
  ASSERT_EQ(read->made.size(), 3u);
  EXPECT_EQ(read->made[0].value, 0.1) << "to the bit";
  EXPECT_TRUE(std::isnan(read->made[1].value));
  EXPECT_EQ(read->made[2].step, 39u);
  EXPECT_FALSE(read->forgetBehind(39));
  EXPECT_TRUE(read->forgetBehind(25));
  EXPECT_EQ(read->made.size(), 1u);
}

TEST(EvaluationHistory, WhatCannotBeIsNamed) {
  for (auto [text, words] :
       {std::pair("[", "f:1:"), std::pair("[]", "no JSON object"),
        std::pair("{\"metric\": \"a\"}", "which evaluations"),
        std::pair("{\"metric\": \"a\", \"evaluations\": [[1]]}", "no pair"),
        std::pair("{\"metric\": \"a\", \"evaluations\": [[-1, 2]]}", "no pair"),
        std::pair("{\"metric\": \"a\", \"evaluations\": [[1, \"x\"]]}", "at step 1 is no number"),
        std::pair("{\"metric\": \"a\", \"evaluations\": [[2, 1], [2, 1]]}",
                  "at step 2 stands behind a later one")}) {
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
  ASSERT_TRUE(writeEvaluations(folder, {"a", {{1, 2}}}).ok());
  EXPECT_EQ(readEvaluations(folder)->metric, "a");
  EXPECT_TRUE(std::filesystem::exists(file));
  ASSERT_TRUE(writeEvaluations(folder, {"a", {}}).ok());
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_TRUE(writeEvaluations(folder, {}).ok());
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace graphc::checkpoint
