// The bytes; that TensorBoard reads them is tested with TensorBoard (test/run/test_tensorboard.py).
#include "runtime/observe/EventFile.h"

#include "runtime/observe/event.pb.h"
#include "test/runtime/common/base/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace graphc::observe {
namespace {
using testing::ElementsAre;

/// The events of a folder's files, in the order of names.
std::vector<Event> eventsOf(const std::string &folder) {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file())
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Event> events;
  for (const std::string &file : files) {
    std::string bytes = *base::readFile(file);
    for (size_t at = 0; at < bytes.size();) {
      uint64_t length;
      std::memcpy(&length, &bytes[at], sizeof length);
      EXPECT_TRUE(events.emplace_back().ParseFromString(bytes.substr(at + 12, length)));
      EXPECT_EQ(bytes.substr(at, length + 16), tfRecord(bytes.substr(at + 12, length)));
      at += length + 16;
    }
  }
  return events;
}

struct EventFileTest : testing::Test {
  static StepRecord at(const std::string &phase, uint64_t step, const std::string &task = "") {
    StepRecord record;
    record.phase = phase;
    record.step = step;
    record.task = task;
    record.time = absl::FromUnixMillis(1500);
    record.scalars = {{"loss", 0.25}};
    return record;
  }
  TemporaryFolder made;
  const std::string folder = made.str();
  const absl::Time now = absl::FromUnixSeconds(1000);
};

// The record that TensorFlow writes at the begin of each file: version 2 at second 1.5.
TEST(TfRecord, IsFramedAsTensorFlowFramesIt) {
  EXPECT_EQ(tfRecord(""), std::string("\0\0\0\0\0\0\0\0\x29\x03\x98\x07\xd8\xea\x82\xa2", 16));
  EXPECT_EQ(tfRecord("123456789").substr(21), std::string("\xe5\xb0\x8a\xc7", 4))
      << "of CRC-32C e3069283";
}

TEST_F(EventFileTest, AFileBeginsWithItsVersionAndWhereTheRunBegins) {
  ASSERT_TRUE(EventFile::create(folder + "/new", 200, now).ok());
  std::vector<Event> events = eventsOf(folder + "/new");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].file_version(), "brain.Event:2");
  EXPECT_EQ(events[0].wall_time(), 1000);
  EXPECT_EQ(events[1].session_log().status(), SessionLog::START);
  EXPECT_EQ(events[1].step(), 201) << "TensorBoard drops what older files have from there on";
}

TEST_F(EventFileTest, NoFileIsWrittenTwice) {
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(EventFile::create(folder, 0, now).ok());
  EXPECT_EQ(eventsOf(folder).size(), 6u);
}

TEST_F(EventFileTest, PhasesAndTasksHaveFoldersOfTheirOwn) {
  auto writer = SummaryWriter::open(folder, {.restored = true, .step = 10, .stepOfTask = 5}, now);
  ASSERT_TRUE(writer.ok()) << writer.status();
  for (const StepRecord &record :
       {at("train", 11), at("eval", 12), at("train", 6, "/job:worker/task:1"), at("eval", 13)})
    ASSERT_TRUE((*writer)->write(record).ok());
  GraphDef graph;
  graph.add_node()->set_name("w");
  ASSERT_TRUE((*writer)->write(graph, now).ok());
  auto stepsOf = [&](const std::string &under) {
    std::vector<int64_t> steps;
    for (const Event &event : eventsOf(folder + under))
      if (!event.has_file_version())
        steps.push_back(event.step());
    return steps;
  };
  EXPECT_THAT(stepsOf(""), ElementsAre(11, 11, 0));
  EXPECT_THAT(stepsOf("/eval"), ElementsAre(11, 12, 13));
  EXPECT_THAT(stepsOf("/worker-1"), ElementsAre(6, 6));
  GraphDef read;
  ASSERT_TRUE(read.ParseFromString(eventsOf(folder).back().graph_def()));
  EXPECT_EQ(read.node(0).name(), "w");
}

TEST(EventOf, HasScalarsAndHistograms) {
  StepRecord record;
  record.step = 3;
  record.scalars = {{"loss", 0.25}};
  TensorHistogram histogram;
  histogram.add(2);
  histogram.add(4);
  record.histograms = {{"w", histogram}};
  Event event = eventOf(record);
  ASSERT_EQ(event.summary().value_size(), 2);
  EXPECT_EQ(event.step(), 3);
  EXPECT_EQ(event.summary().value(0).tag(), "loss");
  EXPECT_EQ(event.summary().value(0).simple_value(), 0.25f);
  const HistogramProto &written = event.summary().value(1).histo();
  EXPECT_EQ(written.num(), 2);
  EXPECT_EQ(written.sum(), 6);
  EXPECT_EQ(written.sum_squares(), 20);
  EXPECT_EQ(written.bucket_size(), written.bucket_limit_size());
}

} // namespace
} // namespace graphc::observe
