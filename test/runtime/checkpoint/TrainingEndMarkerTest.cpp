#include "runtime/checkpoint/TrainingEndMarker.h"

#include "runtime/common/base/File.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace graphc::checkpoint {
namespace {
using testing::HasSubstr;

TEST(TrainingEndMarker, ComesBackAsItWasWritten) {
  const std::string dir = testing::TempDir() + "finished-" + std::to_string(getpid());
  std::filesystem::create_directories(dir);
  EXPECT_FALSE(readFinished(dir)->has_value()) << "no training has ended there";
  EXPECT_FALSE(readFinished(dir + "/none")->has_value()) << "nor begun";
  ASSERT_TRUE(writeFinished(dir, {1172, {std::nullopt, 2.5}}).ok());
  auto found = readFinished(dir);
  ASSERT_TRUE(found.ok() && found->has_value()) << found.status();
  EXPECT_EQ((*found)->step, 1172u);
  EXPECT_FALSE((*found)->goal.steps.has_value());
  EXPECT_EQ((*found)->goal.epochs, 2.5);
  ASSERT_TRUE(removeFinished(dir).ok());
  EXPECT_FALSE(readFinished(dir)->has_value());
  EXPECT_TRUE(removeFinished(dir).ok()) << "it is gone already";
  std::filesystem::remove_all(dir);
}

TEST(TrainingEndMarker, NoEpochsHaveNoSign) {
  auto found = decodeFinished("{\"step\": 7, \"epochs\": -0.0}\n", "d/finished.json");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_FALSE(std::signbit(*found->goal.epochs));
}

TEST(TrainingEndMarker, ATrainingThatHasFurtherToGoIsNotOver) {
  // the second ended early
  const TrainingEndMarker epochs{60, {std::nullopt, 5}}, steps{60, {100, std::nullopt}};
  EXPECT_TRUE(epochs.reaches({}));
  EXPECT_TRUE(epochs.reaches({std::nullopt, 5}));
  EXPECT_FALSE(epochs.reaches({std::nullopt, 5.5}));
  EXPECT_TRUE(epochs.reaches({60, std::nullopt}));
  EXPECT_FALSE(epochs.reaches({61, std::nullopt}));
  EXPECT_TRUE(steps.reaches({100, std::nullopt}));
  EXPECT_FALSE(steps.reaches({101, std::nullopt}));
  EXPECT_FALSE(steps.reaches({std::nullopt, 1}));
}

TEST(TrainingEndMarker, DamagedOnesAreRefused) {
  for (const char *text : {"", "{", "[]", "{}", R"({"step": -1})", R"({"step": 1.5})",
                           R"({"step": "1"})", R"({"step": 1, "steps": -2})",
                           R"({"step": 1, "epochs": -1})", R"({"step": 1, "epochs": "5"})"}) {
    auto found = decodeFinished(text, "d/finished.json");
    EXPECT_TRUE(absl::IsDataLoss(found.status())) << text << ": " << found.status();
    EXPECT_THAT(std::string(found.status().message()), HasSubstr("d/finished.json")) << text;
  }
}

} // namespace
} // namespace graphc::checkpoint
