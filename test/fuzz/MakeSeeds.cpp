// Seeds of the fuzz targets of the two protocols, from what real runs said: make_seeds FOLDER
// task|master|recording|data. Every task of a small plan is a session of this process, under a real
// driver.
#include "runtime/common/plan/LanePosition.h"
#include "runtime/common/plan/PlanSketch.h"
#include "runtime/service/ControlLink.h"
#include "runtime/session/master/MasterDriver.h"
#include "runtime/session/results/FetchPrinter.h"
#include "runtime/session/task/OrderExecutor.h"
#include "test/fuzz/DataScript.h"
#include "test/fuzz/Protocol.h"
#include "test/runtime/session/HonestAnswer.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/Mutex.h"

#include "absl/strings/str_cat.h"

#include <cstdlib>
#include <filesystem>
#include <thread>

using namespace graphc;

namespace {
void check(const absl::Status &status) {
  if (status.ok())
    return;
  std::fprintf(stderr, "make_seeds: %s\n", std::string(status.message()).c_str());
  std::exit(1);
}

void write(const std::string &folder, const std::string &name, const std::string &bytes) {
  check(base::writeFileAtomic(folder + "/" + name, bytes));
}

/// What one run said, to each task and by all of them.
struct Recording {
  base::Mutex mutex;
  std::vector<test::Script> toTask;
  test::Script byTasks;
};

class RecordingLink final : public service::ControlLink, public service::TaskLink {
public:
  RecordingLink(service::TaskCoordinator &coordinator, uint32_t task, Recording &recording)
      : coordinator_(coordinator), task_(task), recording_(recording) {}
  void send(service::FromTask message) override {
    {
      base::MutexLock lock(recording_.mutex);
      recording_.byTasks.lines.push_back({uint8_t(task_), 0, message.SerializeAsString()});
    }
    service::LocalLink(coordinator_, task_, 100 + task_).send(std::move(message));
  }
  void send(const service::ToTask &message) override {
    if (!message.has_heartbeat()) {
      base::MutexLock lock(recording_.mutex);
      recording_.toTask[task_].lines.push_back({0, 0, message.SerializeAsString()});
    }
    deliver(message);
  }
  void close() override {}

private:
  service::TaskCoordinator &coordinator_;
  const uint32_t task_;
  Recording &recording_;
};

void run(const plan::LoadedPlan &plan, session::DriverOptions options, Recording &recording) {
  const std::vector<plan::Task> tasks = plan::allTasks(plan.plan);
  recording.toTask.resize(tasks.size());
  service::TaskCoordinator::Options coordinated;
  coordinated.fingerprint = plan.fingerprint;
  for (const plan::Task &task : tasks)
    coordinated.taskNames.push_back(plan::taskText(plan.plan, task));
  session::FetchPrinter printer(plan.plan, options.fetches, [](const std::string &) {});
  coordinated.fetched = [&](const service::Fetched &value) { return printer.add(value); };
  service::TaskCoordinator coordinator(std::move(coordinated));
  options.run = "the-run-of-the-seeds";
  options.show = [](const observe::ProgressSnapshot &) {};
  options.print = options.log = [](const std::string &) {};
  session::MasterDriver driver(plan, coordinator, std::move(options));
  std::vector<std::shared_ptr<RecordingLink>> links;
  std::vector<std::thread> threads;
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    links.push_back(std::make_shared<RecordingLink>(coordinator, task, recording));
    check(coordinator.join(session::honestHello(plan, task), links.back()));
    threads.emplace_back([&plan, task, link = links.back()] {
      transport::DataService streams;
      session::TaskOptions own;
      own.task = task;
      own.transport.incarnation = 100 + task;
      own.transport.data = &streams;
      own.log = own.warn = [](const std::string &) {};
      session::OrderExecutor session(plan, own, *link);
      service::FromTask progress;
      *progress.mutable_progress() = session.progress();
      link->send(progress);
      if (std::optional<session::TaskFailure> failure = session.run())
        check(failure->status);
    });
  }
  check(driver.run());
  for (std::thread &thread : threads)
    thread.join();
}

/// What the targets make of it is in FuzzTask.cpp and FuzzMaster.cpp.
void control(const std::string &folder, bool towardsTask) {
  for (uint8_t setting = 0; setting < 32; ++setting) {
    const bool several = setting & 1, evaluates = setting & 2, saves = setting & 4,
               fetches = setting & 8;
    if (evaluates && (several || saves))
      continue;
    session::DriverOptions options;
    options.entry = evaluates ? "eval" : "train";
    options.steps = 6;
    const std::string files = test::scratchFolder() + "/seeds";
    std::filesystem::remove_all(files);
    if (saves) {
      options.checkpointDirectory = files;
      options.saveEverySteps = 2;
    }
    if (fetches)
      options.fetches = {several ? "loss0" : evaluates ? "seen" : "loss"};
    if (setting & 16)
      options.dumpDirectory = test::scratchFolder() + "/seeds-dumped";
    Recording recording;
    run(test::protocolPlan(several), std::move(options), recording);
    recording.byTasks.setting = setting;
    if (!towardsTask)
      write(folder, "run-" + std::to_string(setting), test::writeScript(recording.byTasks));
    for (uint8_t task = 0; towardsTask && task < recording.toTask.size() && task < 2; ++task) {
      recording.toTask[task].setting = uint8_t(several + 2 * task);
      write(folder, "run-" + std::to_string(setting) + "-task-" + std::to_string(task),
            test::writeScript(recording.toTask[task]));
    }
  }
  if (!towardsTask) // a run whose tasks all are honest, for what is mad to come into
    for (uint8_t setting = 0; setting < 32; ++setting)
      write(folder, "honest-" + std::to_string(setting),
            test::writeScript({setting, std::vector<test::Line>(24)}));
  for (uint8_t several = 0; !towardsTask && several < 2; ++several)
    for (size_t before = 3; before < 7;
         ++before) { // numbers that nobody can add, of every task, behind so many honest answers
      service::FromTask most;
      most.mutable_progress()->set_steps(UINT64_MAX);
      most.mutable_progress()->set_loss_count(INT64_MAX);
      service::FromTask count;
      count.mutable_progress()->set_loss_count(INT64_MAX);
      for (const service::FromTask &message : {most, count}) {
        test::Script script{several, std::vector<test::Line>(before)};
        for (uint8_t task = 0; task < 3; ++task)
          script.lines.push_back({task, 0, message.SerializeAsString()});
        script.lines.resize(script.lines.size() + 12);
        write(folder,
              absl::StrCat("most-", several, "-", before,
                           message.progress().steps() ? "" : "-losses"),
              test::writeScript(script));
      }
    }
}

/// Every lane of a plan at each of its places, and what was there before.
void recordings(const std::string &folder) {
  for (bool several : {false, true})
    for (uint32_t doing = 0; doing < plan::kDoings; ++doing) {
      const plan::LoadedPlan &plan = test::protocolPlan(several);
      test::Script script;
      script.lines.push_back({0, 0, plan::sketchOf(plan.plan).SerializeAsString()});
      for (uint32_t task = 0; task < plan::allTasks(plan.plan).size(); ++task) {
        service::Recording recording;
        *recording.mutable_self() = session::honestHello(plan, task);
        recording.set_time_us(1000000 * (task + 1));
        for (int program = 0; program < plan.plan.programs_size(); ++program)
          for (int i = 0; i <= plan.plan.programs(program).instructions_size(); ++i) {
            service::LanePosition place;
            place.set_program(static_cast<uint32_t>(program));
            place.set_instruction(static_cast<uint32_t>(i));
            place.set_doing(doing);
            place.set_stood_ms(20000);
            place.set_channel(static_cast<uint32_t>(i % std::max(1, plan.plan.channels_size())));
            *(i % 2 ? recording.add_events()->mutable_place() : recording.add_lanes()) = place;
          }
        recording.add_events()->set_text("order: run");
        if (doing % 2)
          recording.set_failure("it failed");
        script.lines.push_back({1, 0, recording.SerializeAsString()});
      }
      write(folder, std::to_string(doing) + (several ? "-several" : "-one"),
            test::writeScript(script));
    }
}
} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const std::string folder = argv[1], what = argv[2];
  if (what == "data") {
    for (auto &[name, bytes] : test::dataSeeds())
      write(folder, name, bytes);
    return 0;
  }
  if (what == "recording")
    recordings(folder);
  else
    control(folder, what == "task");
  return 0;
}
