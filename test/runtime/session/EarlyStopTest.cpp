// When training ends for want of better evaluations.
#include "runtime/session/progress/EarlyStop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace graphc::session {
namespace {
using testing::HasSubstr;

EarlyStop made(const std::string &text) {
  auto stop = EarlyStop::parse(text);
  EXPECT_TRUE(stop.ok()) << stop.status();
  return *stop;
}

TEST(EarlyStop, EndsBehindSoManyEvaluationsInARowWithoutABetterOne) {
  EarlyStop stop = made("accuracy:2");
  std::vector<bool> over, best;
  for (double value : {0.5, 0.6, 0.6, 0.7, 0.65, 0.7}) {
    stop.evaluated(10 * (over.size() + 1), {{"accuracy", value}, {"loss", 0}});
    over.push_back(stop.isOver());
    best.push_back(stop.isBest());
  }
  EXPECT_THAT(over, testing::ElementsAre(false, false, false, false, false, true));
  EXPECT_THAT(best, testing::ElementsAre(true, true, false, true, false, false));
  EXPECT_EQ(stop.bestStep(), 40u);
  EXPECT_EQ(stop.describe(),
            "accuracy has not become better in 2 evaluations, since 0.7 at step 40");
}

TEST(EarlyStop, TheNameOrTheFlagSaysWhatIsBetter) {
  for (auto [text, second] : {std::pair("val_loss:1", 0.4), std::pair("Error:1", 0.4),
                              std::pair("top5_accuracy:1", 0.6), std::pair("distance:1:min", 0.4),
                              std::pair("reward:1:max", 0.6), std::pair("loss:1:max", 0.6)}) {
    EarlyStop stop = made(text);
    stop.evaluated(1, {{stop.metric(), 0.5}});
    stop.evaluated(2, {{stop.metric(), second}});
    EXPECT_EQ(stop.bestStep(), 2u) << text;
    EXPECT_FALSE(stop.isOver()) << text;
  }
}

TEST(EarlyStop, WhatIsNoNumberIsNoBetter) {
  EarlyStop stop = made("loss:2");
  EXPECT_FALSE(stop.isOver() || stop.isBest() || stop.bestStep());
  stop.evaluated(1, {{"loss", std::nan("")}});
  EXPECT_FALSE(stop.isOver() || stop.isBest());
  stop.evaluated(2, {}); // nothing was counted
  EXPECT_TRUE(stop.isOver());
  EXPECT_EQ(stop.describe(), "loss has not become better in 2 evaluations");
}

TEST(EarlyStop, MistakesAreNamed) {
  for (const char *text : {"accuracy", "accuracy:", "accuracy:0", "accuracy:x", ":3",
                           "accuracy:3:up", "accuracy:3:max:1"})
    EXPECT_THAT(std::string(EarlyStop::parse(text).status().message()),
                HasSubstr(std::string("--early_stop ") + text + ": expected METRIC:PATIENCE"));
  EXPECT_THAT(
      std::string(EarlyStop::parse("distance:3").status().message()),
      HasSubstr(
          "--early_stop distance:3: the name distance does not say whether higher or lower is "
          "better; give distance:3:max or distance:3:min"));
}

} // namespace
} // namespace graphc::session
