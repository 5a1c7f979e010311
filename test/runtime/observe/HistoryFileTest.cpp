#include "runtime/observe/HistoryFile.h"

#include "runtime/common/base/File.h"
#include "test/runtime/common/base/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace graphc::observe {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct HistoryTest : testing::Test {
  static StepRecord at(uint64_t step, const std::string &task = "") {
    StepRecord record;
    record.phase = "train";
    record.step = step;
    record.task = task;
    record.time = absl::FromUnixMillis(1500);
    return record;
  }
  void write(const ResumePoint &restart, std::vector<StepRecord> records) {
    auto history =
        HistoryFile::open(path, restart, [this](const std::string &line) { said.push_back(line); });
    ASSERT_TRUE(history.ok()) << history.status();
    for (const StepRecord &record : records)
      ASSERT_TRUE((*history)->write(record).ok());
  }
  std::vector<uint64_t> steps(const std::string &of) {
    std::vector<uint64_t> found;
    std::ifstream file(of);
    for (std::string line; std::getline(file, line);)
      found.push_back(nlohmann::json::parse(line).value("step", uint64_t(999)));
    return found;
  }
  TemporaryFolder folder;
  const std::string path = folder / "history.jsonl";
  std::vector<std::string> said;
};

TEST_F(HistoryTest, ALineHasWhatARecordHas) {
  StepRecord record = at(7);
  record.epoch = 2;
  record.scalars = {{"loss", 0.5}, {"far", HUGE_VAL}};
  record.histograms.emplace_back("w", TensorHistogram());
  record.histograms[0].second.add(1);
  record.histograms[0].second.add(std::nan(""));
  EXPECT_EQ(
      toJson(record),
      R"({"step":7,"wall_time":1.5,"epoch":2,"phase":"train","values":{"loss":0.5,"far":null},)"
      R"("histograms":{"w":{"count":1,"min":1.0,"max":1.0,"mean":1.0,"stddev":0.0,"not_finite":1}}})");
  EXPECT_EQ(
      toJson(at(3, "/job:worker/task:1")),
      R"({"step":3,"wall_time":1.5,"phase":"train","task":"/job:worker/task:1","values":{}})");
}

TEST_F(HistoryTest, StepsThatAreMadeAgainAreDropped) {
  write({},
        {at(100), at(200), at(30, "/job:worker/task:1"), at(60, "/job:worker/task:1"), at(300)});
  std::ofstream(path, std::ios::app) << R"({"step":301,"wa)"; // killed there
  write({.restored = true, .step = 200, .stepOfTask = 50}, {at(300)});
  EXPECT_THAT(steps(path), ElementsAre(100, 200, 30, 300));
  EXPECT_THAT(said, ElementsAre(HasSubstr("2 lines behind step 200 dropped")));
  said.clear();
  write({.restored = true, .step = 300, .stepOfTask = 100}, {at(400)});
  EXPECT_THAT(steps(path), ElementsAre(100, 200, 30, 300, 400));
  EXPECT_THAT(said, IsEmpty());
}

TEST_F(HistoryTest, ARunFromTheBeginTakesNothingOfAnother) {
  write({}, {at(1)});
  write({}, {at(2)});
  write({}, {at(3)});
  EXPECT_THAT(steps(path), ElementsAre(3));
  EXPECT_THAT(steps(path + ".1"), ElementsAre(1));
  EXPECT_THAT(steps(path + ".2"), ElementsAre(2));
  EXPECT_THAT(said,
              ElementsAre(HasSubstr("history.jsonl.1 now"), HasSubstr("history.jsonl.2 now")));
}

TEST_F(HistoryTest, ForeignLinesStay) {
  std::ofstream(path) << "no record\n[1]\n{\"step\":\"x\"}\n{\"step\":9}\n";
  write({.restored = true, .step = 5}, {});
  auto text = base::readFile(path);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, "no record\n[1]\n{\"step\":\"x\"}\n");
}

TEST_F(HistoryTest, WhatCannotBeWrittenIsNamed) {
  auto history = HistoryFile::open(folder / "none/history.jsonl", {}, nullptr);
  EXPECT_THAT(std::string(history.status().message()), HasSubstr("/none/history.jsonl"));
  auto full = HistoryFile::open("/dev/full", {}, nullptr);
  ASSERT_TRUE(full.ok()) << full.status();
  EXPECT_THAT(std::string((*full)->write(at(1)).message()), HasSubstr("/dev/full: No space left"));
}

} // namespace
} // namespace graphc::observe
