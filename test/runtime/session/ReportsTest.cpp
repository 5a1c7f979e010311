// Which steps lanes report, and what the chief makes of it.
#include "runtime/session/progress/RunRecords.h"
#include "runtime/session/results/FetchFiles.h"
#include "runtime/session/results/RecordFiles.h"
#include "runtime/session/task/PhaseCallbacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace graphc::session {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

service::Order::Begin::Reports every(uint64_t steps, double seconds = 0) {
  service::Order::Begin::Reports reports;
  reports.set_every_steps(steps);
  reports.set_every_seconds(seconds);
  return reports;
}

TEST(ReportSchedule, TheFirstStepAndEachThatTheNumberDivides) {
  ReportSchedule schedule(every(3));
  std::vector<uint64_t> reported;
  for (uint64_t made = 1; made <= 10; ++made)
    if (schedule.wants(made))
      reported.push_back(made);
  EXPECT_THAT(reported, ElementsAre(1, 3, 6, 9));
  ReportSchedule later(every(100));
  EXPECT_FALSE(later.wants(101)) << "a run that goes on has had its first step";
}

TEST(ReportSchedule, AStepEachSoManySeconds) {
  ReportSchedule hourly(every(0, 3600)), often(every(0, 0.05));
  EXPECT_TRUE(hourly.wants(1));
  EXPECT_TRUE(often.wants(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_FALSE(hourly.wants(2));
  EXPECT_TRUE(often.wants(2));
  EXPECT_FALSE(ReportSchedule().wants(1));
}

TEST(RunningLoss, IsReadAsItWasWritten) {
  RunningLoss cell;
  std::atomic<bool> over{false};
  std::thread writer([&] {
    for (uint64_t i = 1; !over; ++i)
      cell.set({i, {static_cast<double>(i), i}});
  });
  for (int i = 0; i < 20000; ++i) {
    const RunningLoss::Value value = cell.get();
    ASSERT_EQ(value.epoch, value.loss.count);
    ASSERT_EQ(value.loss.sum, static_cast<double>(value.epoch));
  }
  over = true;
  writer.join();
}

/// Two replicas with a scalar, a vector of two and a metric.
struct Reported : testing::Test {
  Reported() {
    plan.add_phases()->set_name("train_step");
    plan.mutable_phases(0)->add_programs(0);
    plan::Program &program = *plan.add_programs();
    program.set_instances(2);
    for (int size : {0, 2}) {
      plan::Buffer &buffer = *program.add_buffers();
      buffer.mutable_type()->set_dtype(plan::F32);
      if (size)
        buffer.mutable_type()->add_shape(size);
      buffer.set_bytes(size ? 8 : 4);
      plan::Port &port = *program.add_fetches();
      port.set_name(size ? "w" : "loss");
      port.set_buffer(static_cast<uint32_t>(program.buffers_size() - 1));
    }
    program.add_metrics()->set_name("accuracy");
  }
  service::Fetched report(uint64_t step, uint32_t instance, float loss, double sum, int64_t count) {
    service::Fetched fetched;
    fetched.set_step(step);
    fetched.set_instance(instance);
    const float vector[] = {loss, -loss};
    fetched.mutable_report()->add_values(&loss, 4);
    fetched.mutable_report()->add_values(vector, 8);
    fetched.mutable_report()->add_metrics()->set_sum(sum);
    fetched.mutable_report()->mutable_metrics(0)->set_count(count);
    return fetched;
  }
  plan::Plan plan;
  std::vector<observe::StepRecord> records;
  std::vector<bool> rests;
  ReportCollector::Deliver keep = [this](observe::StepRecord record, bool rest) {
    records.push_back(std::move(record));
    rests.push_back(rest);
  };
};

TEST_F(Reported, AStepIsWholeOnceEachLaneHasReported) {
  ReportCollector collector(plan, keep);
  ASSERT_TRUE(collector.add(report(4, 0, 1, 3, 4)).ok());
  ASSERT_TRUE(collector.add(report(9, 0, 5, 1, 1)).ok());
  EXPECT_TRUE(records.empty());
  ASSERT_TRUE(collector.add(report(4, 1, 3, 0, 2)).ok());
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].phase, "train");
  EXPECT_EQ(records[0].step, 5u) << "steps made";
  EXPECT_THAT(records[0].scalars, ElementsAre(Pair("loss", 2.0), Pair("accuracy", 0.5)));
  ASSERT_EQ(records[0].histograms.size(), 1u);
  EXPECT_EQ(records[0].histograms[0].first, "w");
  EXPECT_EQ(records[0].histograms[0].second.max(), 2);
  EXPECT_EQ(records[0].histograms[0].second.count(), 2u);
  ASSERT_TRUE(collector.add(report(9, 1, 5, 0, 0)).ok());
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1].step, 10u);
}

TEST_F(Reported, OneThatCountedNothingHasNoMetric) {
  ReportCollector collector(plan, keep);
  for (uint32_t instance : {0u, 1u})
    ASSERT_TRUE(collector.add(report(0, instance, 1, 0, 0)).ok());
  EXPECT_THAT(records.at(0).scalars, ElementsAre(Pair("loss", 1.0)));
}

TEST_F(Reported, TasksThatShareNoStepReportByThemselves) {
  plan.mutable_phases(0)->set_ends_by_end_of_stream(true);
  plan.add_jobs()->set_name("worker");
  plan.mutable_jobs(0)->set_tasks(2);
  plan.mutable_replicas()->add_ranges()->set_count(2);
  plan.mutable_replicas()->set_size(2);
  plan.mutable_programs(0)->set_spread(true);
  ReportCollector collector(plan, keep);
  ASSERT_TRUE(collector.add(report(7, 1, 3, 1, 2)).ok());
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].task, "/job:worker/task:1");
  EXPECT_EQ(records[0].step, 8u);
  EXPECT_THAT(records[0].scalars, ElementsAre(Pair("loss", 3.0), Pair("accuracy", 0.5)));
}

TEST_F(Reported, WhatWaitsForOtherLanesIsBounded) {
  ReportCollector collector(plan, keep, /*mostWaiting=*/1000);
  absl::Status status;
  for (uint64_t step = 0; step < 1000 && status.ok(); ++step)
    status = collector.add(report(step, 0, 1, 0, 0));
  EXPECT_THAT(std::string(status.message()), HasSubstr("wait for those of other replicas"));
}

struct Observer final : TrainingObserver {
  explicit Observer(absl::Status begins = {}, absl::Status ends = {})
      : begins(std::move(begins)), ends(std::move(ends)) {}
  absl::Status begin(const RunStart &) override { return begins; }
  void record(const observe::StepRecord &record) override { records.push_back(record); }
  absl::Status end(bool complete) override {
    ended.push_back(complete);
    return ends;
  }
  absl::Status begins, ends;
  std::vector<observe::StepRecord> records;
  std::vector<bool> ended;
};

TEST_F(Reported, RecordsHaveTheirEpochAndTheRateSinceTheOneBefore) {
  Observer observer;
  RunRecords run(plan, {.observers = {&observer}, .everySteps = 5});
  ASSERT_TRUE(run.begin({}).ok());
  service::Order::Begin begin;
  run.ask(begin);
  EXPECT_EQ(begin.reports().every_steps(), 5u);
  run.train({.samples = 20, .samplesPerStep = 4, .total = 100});
  for (uint64_t step : {4, 5})
    for (uint32_t instance : {0u, 1u})
      ASSERT_TRUE(run.reported(report(step, instance, 1, 0, 0)).ok());
  run.evaluated(6, {{"accuracy", 0.5}});
  ASSERT_EQ(observer.records.size(), 3u);
  EXPECT_EQ(observer.records[0].epoch, 1u);
  EXPECT_EQ(observer.records[1].epoch, 2u);
  EXPECT_THAT(observer.records[0].scalars, ElementsAre(Pair("loss", 1.0)));
  EXPECT_THAT(observer.records[1].scalars,
              ElementsAre(Pair("loss", 1.0), Pair("global_step/sec", testing::Gt(0.0))));
  EXPECT_EQ(observer.records[2].phase, "eval");
  EXPECT_EQ(observer.records[2].step, 6u);
  EXPECT_THAT(observer.records[2].scalars, ElementsAre(Pair("accuracy", 0.5)));
  ASSERT_TRUE(run.end(true).ok());
  EXPECT_THAT(observer.ended, ElementsAre(true));
}

TEST_F(Reported, ARestIsARecordOnlyWhereTrainingEndsWithIt) {
  Observer observer;
  RunRecords run(plan, {.observers = {&observer}, .everySteps = 5});
  ASSERT_TRUE(run.begin({}).ok());
  run.train({.samples = 20, .samplesPerStep = 4, .total = 100});
  const auto make = [&](uint64_t step, bool rest) {
    for (uint32_t instance : {0u, 1u}) {
      service::Fetched one = report(step, instance, 1, 1, 2);
      one.mutable_report()->set_rest(rest);
      ASSERT_TRUE(run.reported(one).ok());
    }
  };
  make(2, true); // a checkpoint
  EXPECT_TRUE(observer.records.empty());
  make(4, false);
  ASSERT_EQ(observer.records.size(), 1u);
  run.trained(); // the step before the end was recorded
  EXPECT_EQ(observer.records.size(), 1u);
  make(6, true);
  make(7, true);
  run.trained();
  run.trained();
  ASSERT_EQ(observer.records.size(), 2u);
  EXPECT_EQ(observer.records[1].step, 8u);
  EXPECT_THAT(observer.records[1].scalars, ElementsAre(Pair("loss", 1.0), Pair("accuracy", 0.5),
                                                       Pair("global_step/sec", testing::Gt(0.0))));
}

TEST_F(Reported, WhoHasBegunIsToldTheEnd) {
  Observer first({}, absl::DataLossError("cut")), second(absl::NotFoundError("no folder")), third;
  RunRecords run(plan, {.observers = {&first, &second, &third}});
  service::Order::Begin begin;
  run.ask(begin);
  EXPECT_FALSE(begin.has_reports());
  EXPECT_EQ(run.begin({}).message(), "no folder");
  EXPECT_EQ(run.end(false).message(), "cut");
  EXPECT_THAT(first.ended, ElementsAre(false));
  EXPECT_TRUE(second.ended.empty() && third.ended.empty());
}

} // namespace
} // namespace graphc::session
