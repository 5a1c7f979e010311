// A master and tasks that are out of their minds: any messages in any order to a real coordinator
// and driver. A line without bytes is what honest tasks would answer, so that what is mad comes at
// any point of a run.
#include "runtime/service/ControlLink.h"
#include "runtime/session/master/MasterDriver.h"
#include "runtime/session/results/FetchPrinter.h"
#include "test/fuzz/Protocol.h"
#include "test/runtime/session/HonestAnswer.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

using namespace graphc;

namespace {
/// Bits of Line::how and of Script::setting.
constexpr uint8_t kKeepId = 1, kStale = 2, kSeveral = 1, kEvaluates = 2, kSaves = 4, kFetches = 8,
                  kStats = 16;

/// Tasks that say what is in the script, on the driver's thread.
class Tasks {
public:
  Tasks(const plan::LoadedPlan &plan, test::Script script, service::TaskCoordinator &coordinator)
      : plan_(plan), script_(std::move(script)), coordinator_(coordinator),
        count_(uint32_t(plan::allTasks(plan.plan).size())), incarnations_(count_) {}

  void join() {
    for (; next_ < script_.lines.size(); ++next_) {
      service::FromTask message;
      if (!message.ParseFromString(script_.lines[next_].bytes) || !message.has_hello())
        break;
      const uint32_t task = message.hello().task();
      if (!coordinator_.join(message.hello(), member(task)).ok())
        continue;
      if (message.hello().name() != session::honestHello(plan_, task).name())
        abort();
      incarnations_[task] = message.hello().incarnation();
    }
    for (uint32_t task = 0; task < count_; ++task) // some may have come
      if (const service::Hello hello = session::honestHello(plan_, task);
          coordinator_.join(hello, member(task)).ok())
        incarnations_[task] = hello.incarnation();
  }
  session::MasterDriver *driver = nullptr;

private:
  struct Task final : service::TaskLink {
    Task(Tasks &tasks, uint32_t number) : tasks(tasks), number(number) {}
    void send(const service::ToTask &message) override {
      if (message.has_order())
        tasks.ordered(number, message.order());
    }
    Tasks &tasks;
    const uint32_t number;
  };
  std::shared_ptr<service::TaskLink> member(uint32_t task) {
    return std::make_shared<Task>(*this, task);
  }

  void ordered(uint32_t task, const service::Order &order) {
    if (task == 0)
      answered_.assign(count_, false);
    if (order.has_begin())
      begun_ = order.begin();
    if (task + 1 < count_)
      return;
    while (!coordinator_.rootCause() &&
           std::find(answered_.begin(), answered_.end(), false) != answered_.end()) {
      if (next_ == script_.lines.size()) {
        for (uint32_t one = 0; one < count_; ++one)
          service::LocalLink(coordinator_, one, incarnations_[one]).send(failure());
        return;
      }
      say(script_.lines[next_++], order);
      driver->heartbeat();
    }
  }
  static service::FromTask failure() {
    service::FromTask message;
    message.mutable_failed()->set_message("the script has ended");
    return message;
  }
  void say(const test::Line &line, const service::Order &order) {
    service::FromTask message;
    if (!message.ParseFromString(line.bytes))
      return; // gRPC ends the stream
    if (line.bytes.empty()) {
      for (uint32_t task = 0; task < count_; ++task)
        if (!answered_[task])
          coordinator_.done({task, incarnations_[task]},
                            session::honestAnswer(plan_.plan, task, order, begun_));
      answered_.assign(count_, true);
      return;
    }
    const uint32_t task = line.who % count_;
    if (message.has_done() && !(line.how & kKeepId))
      message.mutable_done()->set_id(order.id());
    if (message.has_done() && message.done().id() == order.id() && !message.done().has_error() &&
        !(line.how & kStale))
      answered_[task] = true;
    const uint64_t stale = line.how & kStale ? 1 : 0; // of an earlier process, whom nobody hears
    service::LocalLink(coordinator_, task, incarnations_[task] + stale).send(std::move(message));
  }

  const plan::LoadedPlan &plan_;
  const test::Script script_;
  service::TaskCoordinator &coordinator_;
  const uint32_t count_;
  std::vector<uint64_t> incarnations_; ///< of who has joined, by task number
  size_t next_ = 0;
  std::vector<bool> answered_; ///< the order under way
  service::Order::Begin begun_;
};
} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  return test::mutateScript(data, size, maxSize, seed, test::mutateMessage<service::FromTask>);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  google::protobuf::SetLogHandler(nullptr);
  test::Script script = test::readScript({reinterpret_cast<const char *>(data), size});
  const plan::LoadedPlan &plan = test::protocolPlan(script.setting & kSeveral);
  session::DriverOptions options;
  options.entry = !(script.setting & kSeveral) && (script.setting & kEvaluates) ? "eval" : "train";
  options.steps = 6;
  options.run = "fuzz";
  options.show = [](const observe::ProgressSnapshot &) {};
  options.print = options.log = [](const std::string &) {};
  const std::string folder = test::scratchFolder() + "/checkpoints";
  if (script.setting & kSaves) {
    std::filesystem::remove_all(folder);
    if (options.entry == "train")
      options.checkpointDirectory = folder;
    options.saveEverySteps = 2;
  }
  if (script.setting & kFetches)
    options.fetches = {script.setting & kSeveral ? "loss0"
                       : options.entry == "eval" ? "seen"
                                                 : "loss"};
  if (script.setting & kStats)
    options.statsFile = test::scratchFolder() + "/stats";
  service::TaskCoordinator::Options coordinated;
  coordinated.fingerprint = plan.fingerprint;
  for (const plan::Task &task : plan::allTasks(plan.plan))
    coordinated.taskNames.push_back(plan::taskText(plan.plan, task));
  session::FetchPrinter printer(plan.plan, options.fetches, [](const std::string &) {});
  coordinated.fetched = [&](const service::Fetched &value) { return printer.add(value); };
  service::TaskCoordinator coordinator(std::move(coordinated));
  Tasks tasks(plan, std::move(script), coordinator);
  session::MasterDriver driver(plan, coordinator, std::move(options));
  tasks.driver = &driver;
  tasks.join();
  absl::Status status = driver.run();
  if (status.ok() ? coordinator.rootCause().has_value() : status.message().empty())
    abort(); // well in spite of a failure, or an error without a name
  return 0;
}
