//===- AnsweredRun.h - a driver and tasks that answer at once -----------------------*- C++ -*-===//
#ifndef GRAPHC_TEST_RUNTIME_SESSION_ANSWEREDRUN_H
#define GRAPHC_TEST_RUNTIME_SESSION_ANSWEREDRUN_H

#include "runtime/session/master/AnswerValidator.h"
#include "runtime/session/master/MasterDriver.h"
#include "runtime/session/results/FetchPrinter.h"
#include "test/runtime/session/HonestAnswer.h"
#include "test/runtime/session/LonePlan.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

namespace graphc::session {

/// A driver whose tasks answer at once and as they should, where `twist` does not change that.
struct AnsweredRun : testing::Test {
  struct Task final : service::TaskLink {
    Task(AnsweredRun &test, uint32_t number) : test(test), number(number) {}
    void send(const service::ToTask &message) override {
      if (message.has_order())
        test.answer(number, message.order());
      service::ClockReading reading;
      reading.set_id(message.clock());
      if (message.has_clock())
        test.coordinator->clockRead({number, 100 + number}, reading);
    }
    AnsweredRun &test;
    const uint32_t number;
  };
  void answer(uint32_t task, const service::Order &order) {
    if (order.has_begin())
      begun = order.begin();
    if (order.has_begin() && task == 0)
      begins.push_back(begun);
    service::Done done = honestAnswer(loaded.plan, task, order, begun);
    if (twist)
      twist(task, order, done);
    coordinator->done({task, 100 + task}, done);
  }
  /// The error that the run ends with.
  std::string run() {
    loaded.fingerprint = std::string(64, 'a');
    service::TaskCoordinator::Options coordinated;
    coordinated.fingerprint = loaded.fingerprint;
    std::vector<plan::Task> tasks = plan::allTasks(loaded.plan);
    for (const plan::Task &task : tasks)
      coordinated.taskNames.push_back(plan::taskText(loaded.plan, task));
    FetchPrinter printer(loaded.plan, options.fetches,
                         [this](const std::string &line) { lines.push_back(line); });
    coordinated.fetched = [&](const service::Fetched &value) {
      return value.has_report() ? reporting->reported(value) : printer.add(value);
    };
    coordinator = std::make_unique<service::TaskCoordinator>(coordinated);
    options.steps = 3;
    shown.clear();
    printed.clear();
    begins.clear();
    options.show = [this](const observe::ProgressSnapshot &snapshot) { shown.push_back(snapshot); };
    options.print = [this](const std::string &line) { printed.push_back(line); };
    options.log = [](const std::string &) {};
    MasterDriver driver(loaded, *coordinator, options);
    reporting = &driver;
    heartbeat = [&] { driver.heartbeat(); };
    for (uint32_t task = 0; task < tasks.size(); ++task)
      EXPECT_TRUE(
          coordinator->join(honestHello(loaded, task), std::make_shared<Task>(*this, task)).ok());
    return std::string(driver.run().message());
  }
  /// The same with a change of task 1's answer to one kind of order.
  std::string with(service::Order::KindCase kind, std::function<void(service::Done &)> change,
                   uint32_t of = 1) {
    twist = [=](uint32_t task, const service::Order &order, service::Done &done) {
      if (task == of && order.kind_case() == kind)
        change(done);
    };
    return run();
  }
  ~AnsweredRun() override { std::filesystem::remove_all(folder); }

  plan::LoadedPlan loaded{plan::parameterServerPlan({2, 2}), ""};
  DriverOptions options;
  std::function<void(uint32_t, const service::Order &, service::Done &)> twist;
  std::unique_ptr<service::TaskCoordinator> coordinator;
  std::vector<std::string> lines, printed;
  std::vector<observe::ProgressSnapshot> shown;
  service::Order::Begin begun;
  std::vector<service::Order::Begin> begins;
  MasterDriver *reporting = nullptr;
  std::function<void()> heartbeat; ///< of the driver that runs
  std::string folder = testing::TempDir() + "/answers-" + std::to_string(getpid());
};

inline void addMetric(service::Done &done, const char *name, double sum, int64_t count,
                      uint64_t epoch = 0) {
  service::MetricSum &metric = *done.add_metrics();
  metric.set_name(name);
  metric.set_sum(sum);
  metric.set_count(count);
  metric.set_epoch(epoch);
}

} // namespace graphc::session
#endif
