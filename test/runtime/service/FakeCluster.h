//===- FakeCluster.h - a coordinator and tasks that only keep what they are told, for tests ---===//
#ifndef GRAPHC_TEST_RUNTIME_SERVICE_FAKECLUSTER_H
#define GRAPHC_TEST_RUNTIME_SERVICE_FAKECLUSTER_H

#include "runtime/common/base/Mutex.h"
#include "runtime/service/TaskCoordinator.h"

#include <gtest/gtest.h>

namespace graphc::service {

class FakeTask : public TaskLink {
public:
  void send(const ToTask &message) override {
    base::MutexLock lock(mutex);
    messages.push_back(message);
  }
  std::vector<ToTask> taken() {
    base::MutexLock lock(mutex);
    return messages;
  }
  bool aborted() {
    for (const ToTask &message : taken())
      if (message.has_abort())
        return true;
    return false;
  }
  base::Mutex mutex;
  std::vector<ToTask> messages;
};

inline Hello helloOf(uint32_t task, const std::string &name) {
  Hello hello;
  hello.set_task(task);
  hello.set_name(name);
  hello.set_fingerprint("feed");
  hello.set_incarnation(100 + task);
  hello.set_pid(4000 + task);
  hello.set_host("here");
  return hello;
}

struct Cluster : testing::Test {
  Cluster() {
    options.fingerprint = "feed";
    options.taskNames = {"/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"};
    options.lostAfter = absl::Seconds(1);
    options.joinDeadline = absl::Milliseconds(50);
    options.announce = [this](const std::string &line) { announced.push_back(line); };
    coordinator = std::make_unique<TaskCoordinator>(options);
  }
  absl::Status join(uint32_t task) {
    return coordinator->join(helloOf(task, options.taskNames[task]), tasks[task]);
  }
  void joinAll() {
    for (uint32_t task : {0u, 1u, 2u})
      ASSERT_TRUE(join(task).ok());
    ASSERT_TRUE(coordinator->waitForAll().ok());
  }
  TaskCoordinator::Options options;
  std::vector<std::string> announced;
  std::unique_ptr<TaskCoordinator> coordinator;
  std::shared_ptr<FakeTask> tasks[3] = {std::make_shared<FakeTask>(), std::make_shared<FakeTask>(),
                                        std::make_shared<FakeTask>()};
};

} // namespace graphc::service
#endif
