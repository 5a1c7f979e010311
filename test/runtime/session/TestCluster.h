//===- TestCluster.h - every task of a plan as a session of this process ------------*- C++ -*-===//
//
// Real servers, control streams and transports, without processes, so that sanitizers see all of
// it.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TEST_RUNTIME_SESSION_TESTCLUSTER_H
#define GRAPHC_TEST_RUNTIME_SESSION_TESTCLUSTER_H

#include "runtime/common/base/Socket.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/service/MasterService.h"
#include "runtime/service/RunSecret.h"
#include "runtime/service/TaskServer.h"
#include "runtime/session/master/MasterDriver.h"
#include "runtime/session/results/FetchPrinter.h"
#include "runtime/session/task/OrderExecutor.h"

#include <gtest/gtest.h>

#include <thread>

namespace graphc::session {

class TestCluster {
public:
  explicit TestCluster(plan::Plan plan, DriverOptions options, TaskOptions taskOptions = {})
      : options(std::move(options)), taskOptions(std::move(taskOptions)) {
    service::silenceGrpc();
    loaded.plan = std::move(plan);
    loaded.fingerprint = std::string(64, 'a');
    this->options.run = service::randomHex(8);
    this->options.show = [this](const observe::ProgressSnapshot &snapshot) {
      shown.push_back(snapshot);
    };
    this->options.print = [this](const std::string &line) { printed.push_back(line); };
    this->options.log = [this](const std::string &line) { logged.push_back(line); };
  }

  /// Runs to the end; the driver's status. Each task's failure is in `failures`.
  absl::Status run() {
    std::vector<plan::Task> tasks = plan::allTasks(loaded.plan);
    failures.assign(tasks.size(), std::nullopt);
    identity_.secret = service::randomHex(32);
    service::TaskCoordinator::Options coordinated;
    coordinated.fingerprint = loaded.fingerprint;
    for (const plan::Task &task : tasks) {
      coordinated.taskNames.push_back(plan::taskText(loaded.plan, task));
      sockets_.push_back(*base::UnnamedListener::make(SOCK_STREAM));
      addresses.push_back(sockets_.back().inheritedAddress());
    }
    FetchPrinter printer(loaded.plan, options.fetches,
                         [this](const std::string &line) { fetched.push_back(line); });
    coordinated.fetched = [&](const service::Fetched &value) { return printer.add(value); };
    coordinator = std::make_unique<service::TaskCoordinator>(std::move(coordinated));
    service::MasterService master(*coordinator);
    driver = std::make_unique<MasterDriver>(loaded, *coordinator, options);

    std::vector<std::thread> threads;
    for (uint32_t task = 0; task < tasks.size(); ++task)
      threads.emplace_back([&, task] { runTask(task, tasks, master); });
    std::atomic<bool> over{false};
    std::thread heartbeat([&] {
      while (!over) {
        driver->heartbeat();
        if (onHeartbeat)
          onHeartbeat();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    absl::Status status = driver->run();
    for (std::thread &thread : threads)
      thread.join();
    over = true;
    heartbeat.join();
    return status;
  }

  plan::LoadedPlan loaded;
  DriverOptions options;
  TaskOptions taskOptions;
  std::function<void()> onHeartbeat;
  std::unique_ptr<service::TaskCoordinator> coordinator;
  std::unique_ptr<MasterDriver> driver;
  std::vector<std::optional<TaskFailure>> failures;
  std::vector<observe::ProgressSnapshot> shown;
  std::vector<std::string> printed, logged, fetched, addresses;

private:
  service::TaskIdentity identity_;
  std::vector<base::UnnamedListener> sockets_; ///< by task number
  void runTask(uint32_t number, const std::vector<plan::Task> &tasks,
               service::MasterService &master) {
    bool chief = plan::sameTask(tasks[number], loaded.plan.chief());
    auto server = service::TaskServer::start(
        {addresses[number], std::move(sockets_[number].listener), identity_},
        {chief ? &master : nullptr});
    ASSERT_TRUE(server.ok()) << server.status();
    service::Hello hello;
    hello.set_task(number);
    hello.set_name(plan::taskText(loaded.plan, tasks[number]));
    hello.set_fingerprint(loaded.fingerprint);
    hello.set_incarnation(service::randomIncarnation());
    hello.set_host("here");
    hello.set_host_id("here");
    hello.set_address(addresses[number]);
    std::shared_ptr<service::ControlLink> link;
    if (chief) {
      auto local = std::make_shared<service::LocalLink>(*coordinator, number);
      link = local;
      ASSERT_TRUE(local->join(hello).ok());
    } else {
      const uint32_t at = plan::taskNumber(loaded.plan, loaded.plan.chief());
      auto stream = std::make_shared<service::StreamLink>(
          service::TaskDialer(addresses[at], identity_), "the chief");
      link = stream;
      ASSERT_TRUE(
          stream->open(hello, absl::Now() + absl::Seconds(20), [](const std::string &) {}).ok());
    }
    TaskOptions own = taskOptions;
    own.task = number;
    own.transport.identity = identity_;
    own.transport.incarnation = hello.incarnation();
    own.transport.data = &(*server)->data();
    own.log = own.warn = [](const std::string &) {};
    {
      OrderExecutor session(loaded, own, *link);
      std::atomic<bool> over{false};
      std::thread heartbeat([&] {
        while (!over) {
          service::FromTask message;
          *message.mutable_progress() = session.progress();
          message.mutable_progress()->set_stop_requested(stop);
          link->send(message);
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
      });
      failures[number] = session.run();
      over = true;
      heartbeat.join();
    }
    link->close();
    if (chief)
      master.close();
  }

public:
  std::atomic<bool> stop{false}; ///< as if every task had got SIGTERM
};

} // namespace graphc::session
#endif
