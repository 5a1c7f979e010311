#include "runtime/session/results/FetchPrinter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace graphc::session {
namespace {

plan::TensorType typeOf(plan::DataType dtype, std::vector<int64_t> shape) {
  plan::TensorType type;
  type.set_dtype(dtype);
  for (int64_t size : shape)
    type.add_shape(size);
  return type;
}

TEST(FormatTensor, LooksLikeNumpy) {
  int32_t twenty = 20, four[] = {1, 2, 3, 4};
  float values[] = {0.1f, 1e30f, -0.0f, NAN};
  uint8_t bits[] = {1, 0};
  EXPECT_EQ(formatTensor(typeOf(plan::I32, {1, 1}), &twenty), "[[20]]");
  EXPECT_EQ(formatTensor(typeOf(plan::I32, {2, 2}), four), "[[1 2] [3 4]]");
  EXPECT_EQ(formatTensor(typeOf(plan::F32, {4}), values), "[0.1 1e+30 -0 nan]");
  EXPECT_EQ(formatTensor(typeOf(plan::I1, {2}), bits), "[true false]");
  float scalar = 400;
  EXPECT_EQ(formatTensor(typeOf(plan::F32, {}), &scalar), "400");
}

TEST(FormatTensor, AbridgesWhatIsLarge) {
  std::vector<int64_t> many(2000);
  for (size_t i = 0; i < many.size(); ++i)
    many[i] = static_cast<int64_t>(i);
  EXPECT_EQ(formatTensor(typeOf(plan::I64, {2000}), many.data()), "[0 1 2 ... 1997 1998 1999]");
}

struct Replicas : testing::Test {
  Replicas() {
    plan::Phase &phase = *plan.add_phases();
    phase.set_name("train_step");
    plan::Program &program = *plan.add_programs();
    program.set_instances(2);
    for (const char *name : {"loss", "total", "first"}) {
      plan::Buffer &buffer = *program.add_buffers();
      *buffer.mutable_type() = typeOf(plan::F32, {});
      buffer.set_bytes(4);
      plan::Port &port = *program.add_fetches();
      port.set_name(name);
      port.set_buffer(static_cast<uint32_t>(program.buffers_size() - 1));
    }
    program.mutable_fetches(1)->set_reduction(plan::SUM);
    program.mutable_fetches(2)->set_reduction(plan::FIRST_REPLICA);
  }
  void add(FetchPrinter &printer, uint64_t step, uint32_t instance, uint32_t fetch, float value) {
    service::Fetched fetched;
    fetched.set_step(step);
    fetched.set_instance(instance);
    fetched.set_fetch(fetch);
    fetched.set_value(&value, 4);
    EXPECT_TRUE(printer.add(fetched).ok());
  }
  plan::Plan plan;
  std::vector<std::string> lines;
  std::function<void(const std::string &)> print = [this](const std::string &line) {
    lines.push_back(line);
  };
};

TEST_F(Replicas, AreReducedAsDeclaredOnceAllAreThere) {
  FetchPrinter printer(plan, {"loss", "total", "first"}, print);
  for (uint32_t fetch : {0u, 1u, 2u})
    add(printer, 0, 1, fetch, 3);
  EXPECT_TRUE(lines.empty());
  for (uint32_t fetch : {0u, 1u, 2u})
    add(printer, 0, 0, fetch, 1);
  EXPECT_THAT(lines, testing::ElementsAre("loss 2", "total 4", "first 1"));
}

TEST_F(Replicas, StepsArePrintedInOrder) {
  FetchPrinter printer(plan, {"loss"}, print);
  add(printer, 0, 0, 0, 1);
  add(printer, 1, 0, 0, 5);
  add(printer, 1, 1, 0, 5);
  EXPECT_TRUE(lines.empty()) << "step 0 is not complete";
  add(printer, 0, 1, 0, 1);
  EXPECT_THAT(lines, testing::ElementsAre("loss 1", "loss 5"));
}

TEST_F(Replicas, AsynchronousOnesPrintEachAsItComesWithItsTask) {
  plan.mutable_phases(0)->set_ends_by_end_of_stream(true);
  plan.add_jobs()->set_name("worker");
  plan.mutable_jobs(0)->set_tasks(2);
  plan.mutable_replicas()->add_ranges()->set_count(2);
  plan.mutable_replicas()->set_size(2);
  plan.mutable_programs(0)->set_spread(true);
  FetchPrinter printer(plan, {"loss"}, print);
  add(printer, 4, 1, 0, 9);
  add(printer, 0, 0, 0, 1);
  EXPECT_THAT(lines,
              testing::ElementsAre("/job:worker/task:1 loss 9", "/job:worker/task:0 loss 1"));
}

TEST_F(Replicas, WhatWaitsForOtherReplicasIsBounded) {
  FetchPrinter printer(plan, {"loss"}, print, 256 << 20);
  plan.mutable_programs(0)->mutable_buffers(0)->set_bytes(1 << 20);
  service::Fetched fetched;
  fetched.set_value(std::string(1 << 20, 'x'));
  absl::Status status;
  for (uint64_t step = 0; step < 400 && status.ok(); ++step) {
    fetched.set_step(step);
    status = printer.add(fetched);
  }
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("wait for those of other replicas"));
  EXPECT_GT(fetched.step(), 200u);
}

TEST_F(Replicas, AValueThatComesTwiceIsRefused) {
  FetchPrinter printer(plan, {"loss"}, print);
  service::Fetched fetched;
  fetched.set_value("1234");
  EXPECT_TRUE(printer.add(fetched).ok());
  EXPECT_EQ(printer.add(fetched).message(), "loss of step 1 comes twice");
}

} // namespace
} // namespace graphc::session
