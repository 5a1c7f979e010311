// What a task leaves behind: the ring under threads, a file that outlives kill -9 and damage, and
// what the files of all tasks say together.
#include "runtime/session/hangs/FlightRecorder.h"

#include "runtime/common/base/File.h"
#include "runtime/common/plan/PlanSketch.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/session/hangs/ExplainRecordings.h"
#include "test/runtime/common/base/TemporaryFolder.h"
#include "test/runtime/common/plan/PlanBuilder.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <thread>
#include <unistd.h>

namespace graphc::session {
namespace {
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

plan::LanePosition placeOf(uint64_t n) {
  plan::LanePosition place;
  place.lane = {uint32_t(n), uint32_t(n + 1)};
  place.step = n;
  place.iteration = uint32_t(n + 2);
  place.instruction = uint32_t(n + 3);
  place.doing = plan::LaneActivity(n % plan::kDoings);
  place.channel = uint32_t(n + 4);
  place.peer = uint32_t(n + 5);
  place.begins = n % 2;
  return place;
}

void expectPlace(const plan::LanePosition &place) {
  const plan::LanePosition wanted = placeOf(place.step);
  EXPECT_EQ(place.lane, wanted.lane);
  EXPECT_EQ(place.iteration, wanted.iteration);
  EXPECT_EQ(place.instruction, wanted.instruction);
  EXPECT_EQ(place.doing, wanted.doing);
  EXPECT_EQ(place.channel, wanted.channel);
  EXPECT_EQ(place.peer, wanted.peer);
  EXPECT_EQ(place.begins, wanted.begins);
}

TEST(EventRing, KeepsTheLastThousand) {
  auto ring = std::make_unique<executor::EventRing>();
  EXPECT_TRUE(ring->last().empty());
  for (uint64_t n = 0; n < 2500; ++n)
    ring->add(placeOf(n), int64_t(n));
  std::vector<executor::LaneEvent> last = ring->last();
  ASSERT_EQ(last.size(), 1000u);
  for (uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(last[i].place.step, 1500 + i);
    EXPECT_EQ(last[i].time, int64_t(1500 + i));
    expectPlace(last[i].place);
  }
}

TEST(EventRing, NoEventIsHalfOfTwo) {
  auto ring = std::make_unique<executor::EventRing>();
  std::atomic<uint64_t> number{0};
  std::atomic<bool> enough{false};
  std::vector<std::thread> lanes;
  for (int lane = 0; lane < 3; ++lane)
    lanes.emplace_back([&] {
      for (uint64_t n; (n = number++) < 300000 || !enough;)
        ring->add(placeOf(n), int64_t(n));
    });
  size_t read = 0;
  while (number < 300000 || read < 10000) {
    for (const executor::LaneEvent &event : ring->last()) {
      ASSERT_EQ(event.time, int64_t(event.place.step));
      expectPlace(event.place);
      ++read;
    }
  }
  enough = true;
  for (std::thread &lane : lanes)
    lane.join();
  EXPECT_GE(ring->last().size(), 990u)
      << "a lane that was held up may have come behind the one that took its slot again";
}

struct Folder : testing::Test {
  Folder() {
    loaded.plan = plan::parameterServerPlan({1, 2});
    loaded.fingerprint = std::string(64, 'a');
  }

  service::Hello hello(uint32_t task) const {
    service::Hello hello;
    hello.set_task(task);
    hello.set_name(plan::taskText(loaded.plan, plan::allTasks(loaded.plan)[task]));
    hello.set_fingerprint(loaded.fingerprint);
    hello.set_pid(100 + task);
    hello.set_host("here");
    return hello;
  }
  std::unique_ptr<FlightRecorder> open(uint32_t task) {
    auto opened =
        FlightRecorder::open(path + "/failure", loaded, hello(task), [](const std::string &) {});
    EXPECT_TRUE(opened.ok()) << opened.status();
    return *std::move(opened);
  }
  absl::StatusOr<service::Recording> recorded(const std::string &name) const {
    auto bytes = base::readFile(path + "/failure/" + name);
    return bytes.ok() ? decodeRecording(*bytes) : bytes.status();
  }
  static std::string texts(const service::Recording &recording) {
    std::vector<std::string> all;
    for (const service::Recording::Event &event : recording.events())
      all.push_back(event.has_place() ? absl::StrCat("step ", event.place().step()) : event.text());
    return absl::StrJoin(all, ", ");
  }

  TemporaryFolder made;
  const std::string path = made.str();
  plan::LoadedPlan loaded;
};

TEST_F(Folder, AFailureIsThereAtOnceWithWhatCameBefore) {
  std::unique_ptr<FlightRecorder> recorder = open(2);
  recorder->begin("run-1");
  recorder->note("order: run");
  plan::LanePosition at;
  at.step = 7;
  recorder->lanes().add(at, base::nowNanoseconds());
  recorder->keep("the disk is gone", false);
  auto recording = recorded("worker-1.rec");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->failure(), "the disk is gone");
  EXPECT_EQ(recording->run(), "run-1");
  EXPECT_EQ(texts(*recording), "order: run, step 7, failed: the disk is gone");
  EXPECT_LE(std::abs(recording->events(1).time_us() - recording->events(0).time_us()), 60'000'000)
      << "one clock";
}

TEST_F(Folder, KillMinusNineLeavesWhatWasBefore) {
  EXPECT_EXIT(
      {
        std::unique_ptr<FlightRecorder> recorder = open(1);
        recorder->note("the last words");
        for (auto there = recorded("worker-0.rec");
             !there.ok() || texts(*there) != "the last words"; there = recorded("worker-0.rec"))
          absl::SleepFor(absl::Milliseconds(10));
        raise(SIGKILL);
      },
      testing::KilledBySignal(SIGKILL), "");
  auto recording = recorded("worker-0.rec");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(texts(*recording), "the last words");
  EXPECT_EQ(recording->failure(), "");
}

TEST_F(Folder, AGoodEndLeavesNothing) {
  std::unique_ptr<FlightRecorder> first = open(0), second = open(1);
  first->drop();
  EXPECT_TRUE(std::filesystem::exists(path + "/failure/plan.sketch"));
  second->drop();
  EXPECT_TRUE(std::filesystem::is_empty(path + "/failure"));
}

TEST_F(Folder, WhereNothingCanBeWrittenTheFlagIsNamed) {
  base::writeFileAtomic(path + "/failure", "a file").IgnoreError();
  auto opened =
      FlightRecorder::open(path + "/failure", loaded, hello(0), [](const std::string &) {});
  EXPECT_THAT(std::string(opened.status().message()),
              AllOf(HasSubstr("--failure_dir"), HasSubstr("failure")));
}

TEST_F(Folder, TheRecorderLooksAtTheLanesUntilTheyGo) {
  std::unique_ptr<FlightRecorder> recorder = open(1);
  std::atomic<int> looks{0};
  recorder->watch([&]() -> std::optional<std::vector<service::LanePosition>> {
    if (looks++)
      return std::nullopt; // the task has failed: they are where they were
    service::LanePosition place;
    place.set_step(41);
    return std::vector{place};
  });
  while (looks < 3)
    absl::SleepFor(absl::Milliseconds(10));
  recorder->watch({});
  recorder->keep("over", true);
  auto recording = recorded("worker-0.rec");
  ASSERT_TRUE(recording.ok()) << recording.status();
  ASSERT_EQ(recording->lanes_size(), 1);
  EXPECT_EQ(recording->lanes(0).step(), 41u);
  EXPECT_TRUE(recording->secondary());
}

service::Recording small(const service::Hello &self, const std::string &failure) {
  service::Recording recording;
  *recording.mutable_self() = self;
  recording.set_failure(failure);
  return recording;
}

TEST_F(Folder, AnyDamageLeavesOneOfTheTwoHalvesOrNone) {
  const service::Recording older = small(hello(0), "older"), newer = small(hello(0), "newer");
  std::string file = encodeHalf(3, older);
  file.resize(kHalfBytes);
  file += encodeHalf(4, newer);
  ASSERT_EQ(decodeRecording(file)->failure(), "newer");
  auto first = [&](size_t at) { return at < kHalfBytes; };
  for (size_t at = 0; at < file.size(); at = at + 1 == 300 ? kHalfBytes : at + 1)
    for (uint8_t bit = 1; bit; bit <<= 1) {
      std::string damaged = file;
      damaged[at] = char(damaged[at] ^ bit);
      auto recording = decodeRecording(damaged);
      ASSERT_TRUE(recording.ok()) << at;
      ASSERT_EQ(recording->failure(), first(at) ? "newer" : "older") << at;
    }
  for (size_t length = 0; length < file.size(); length += length % 1000 ? 1 : 7)
    if (auto recording = decodeRecording(std::string_view(file).substr(0, length)); recording.ok())
      ASSERT_EQ(recording->failure(), "older") << length;
  EXPECT_FALSE(decodeRecording("").ok());
  EXPECT_FALSE(decodeRecording(std::string(2 * kHalfBytes, '\0')).ok());
}

TEST_F(Folder, WhatIsTooLongLosesItsOldestEvents) {
  service::Recording recording = small(hello(0), "why");
  for (int i = 0; i < 5000; ++i)
    recording.add_events()->set_text(absl::StrCat(i, " ", std::string(500, 'x')));
  const std::string half = encodeHalf(1, recording);
  EXPECT_LE(half.size(), kHalfBytes);
  auto read = decodeRecording(half);
  ASSERT_TRUE(read.ok());
  EXPECT_GE(read->events_size(), 100);
  EXPECT_EQ(read->events_before() + uint64_t(read->events_size()), 5000u);
  EXPECT_THAT(read->events(read->events_size() - 1).text(), testing::StartsWith("4999 "));
  EXPECT_EQ(read->failure(), "why");
}

/// The folder of a run with one server and two workers, of which worker 0 is the chief.
struct Explained : Folder {
  Explained() {
    service::Sketch sketch;
    sketch.set_fingerprint(loaded.fingerprint);
    sketch.set_plan(plan::sketchOf(loaded.plan).SerializeAsString());
    files.sketch = sketch.SerializeAsString();
    // The server waits for worker 1, worker 0 for the server.
    service::LanePosition server, chief, worker;
    server.set_program(1);
    server.set_step(3);
    server.set_instruction(find(1, plan::Instruction::kAggregate));
    server.set_doing(uint32_t(plan::LaneActivity::Receives));
    server.set_channel(1);
    server.set_peer(1);
    chief.set_step(4);
    chief.set_instruction(find(0, plan::Instruction::kReceive));
    chief.set_doing(uint32_t(plan::LaneActivity::Receives));
    worker.set_instance(1);
    worker.set_step(3);
    worker.set_instruction(find(0, plan::Instruction::kCall));
    const service::LanePosition places[] = {server, chief, worker};
    for (uint32_t task = 0; task < 3; ++task) {
      recordings[task] = small(hello(task), "");
      recordings[task].set_run("run-1");
      recordings[task].set_time_us(1'000'000'000);
      *recordings[task].add_lanes() = places[task];
      recordings[task].mutable_lanes(0)->set_stood_ms(20000);
    }
  }
  uint32_t find(int program, plan::Instruction::KindCase kind) const {
    uint32_t i = 0;
    while (loaded.plan.programs(program).instructions(int(i)).kind_case() != kind)
      ++i;
    return i;
  }
  std::vector<std::string> lines(size_t events = 5) {
    for (auto &[task, recording] : recordings)
      files.recordings[absl::StrCat("task-", task, ".rec")] = encodeHalf(1, recording);
    auto explained = explain(files, events);
    EXPECT_TRUE(explained.ok()) << explained.status();
    return explained.value_or(std::vector<std::string>{""});
  }
  FailureFiles files;
  std::map<uint32_t, service::Recording> recordings;
};

TEST_F(Explained, ASlowKernelFirstThenTheChain) {
  const std::vector<std::string> said = lines();
  EXPECT_THAT(said[0],
              testing::StartsWith(
                  "cause: /job:worker/task:1 train_step.worker[1] computes kernel gradient"));
  EXPECT_EQ(said[1], "who waited for whom:");
  EXPECT_THAT(
      said[2],
      HasSubstr(
          "/job:worker/task:0 train_step.worker[0] waits at step 5 to receive w0.to_worker[0] (by-hand.mlir:1:3)"));
  EXPECT_THAT(said[3], HasSubstr("/job:ps/task:0 train_step.ps0 waits at step 4"));
}

TEST_F(Explained, StepsAreCountedOverTheTraining) {
  for (auto &[task, recording] : recordings)
    recording.mutable_lanes(0)->set_steps_before(100);
  const std::vector<std::string> said = lines();
  EXPECT_THAT(said[2], HasSubstr("worker[0] waits at step 105 to receive"));
  EXPECT_THAT(said[3], HasSubstr("ps0 waits at step 104"));
}

TEST_F(Explained, WhoStoppedRecordingWasSilent) {
  recordings[2].set_time_us(1'000'000'000 - 12'000'000);
  EXPECT_THAT(lines()[0],
              HasSubstr("cause: /job:worker/task:1 (process 102 on here) does not answer for 12s"));
}

TEST_F(Explained, WhoLeftNothingIsNamed) {
  recordings.erase(2);
  const std::vector<std::string> said = lines();
  EXPECT_THAT(said[0], HasSubstr("cause: /job:worker/task:1 has said nothing"));
  EXPECT_THAT(said, testing::Contains("  /job:worker/task:1: has left no recording"));
}

TEST_F(Explained, TheChiefsWordComesFirst) {
  recordings[0].set_failure("the data stream with /job:worker/task:1 is gone");
  recordings[0].set_secondary(true);
  EXPECT_THAT(lines()[0], HasSubstr("cause: as /job:ps/task:0 heard: "));
  recordings[2].set_failure("kernel failed\x1b[2J");
  EXPECT_EQ(lines()[0], "cause: /job:worker/task:1: kernel failed\\x1b[2J");
  recordings[1].set_failure("/job:worker/task:1: kernel failed");
  recordings[1].set_secondary(true);
  EXPECT_EQ(lines()[0], "cause: /job:worker/task:1: kernel failed");
}

TEST_F(Explained, EventsOfEachTask) {
  for (int i = 0; i < 20; ++i) {
    service::Recording::Event &event = *recordings[2].add_events();
    event.set_time_us(1'000'000'000 - 1'000'000 * (20 - i));
    if (i % 2)
      event.set_text(absl::StrCat("event ", i));
    else
      *event.mutable_place() = recordings[2].lanes(0);
  }
  const std::string said = absl::StrJoin(lines(3), "\n");
  EXPECT_THAT(
      said,
      AllOf(
          HasSubstr("events, the last 3 of 20:"), HasSubstr("-1.000000 s event 19"),
          HasSubstr("-2.000000 s /job:worker/task:1 train_step.worker[1] computes kernel gradient"),
          Not(HasSubstr("event 15"))));
}

TEST_F(Explained, WhatIsOfAnotherRunIsLeftOut) {
  recordings[2].set_run("run-0");
  recordings[2].set_time_us(999'000'000);
  recordings[0].mutable_self()->set_fingerprint("another");
  files.recordings["noise.rec"] = "noise";
  const std::vector<std::string> said = lines();
  EXPECT_THAT(said, testing::Contains("left out: /job:worker/task:1: it is of an earlier run"));
  EXPECT_THAT(said, testing::Contains("left out: task-0.rec: it is of another plan"));
  EXPECT_THAT(said, testing::Contains(testing::StartsWith(
                        "left out: noise.rec: it is no recording of graphrun")));
}

TEST_F(Explained, NothingToExplainIsSaid) {
  EXPECT_THAT(std::string(explain({}, 5).status().message()),
              HasSubstr("plan.sketch: the sketch of the plan is damaged: the chief is no task"));
  EXPECT_THAT(std::string(explain({files.sketch, {}}, 5).status().message()),
              HasSubstr("no recording of a task is there"));
}

TEST_F(Explained, AnyDamageOfASketchIsRefusedOrExplained) {
  const std::string good = plan::sketchOf(loaded.plan).SerializeAsString();
  size_t refused = 0;
  lines();
  for (size_t at = 0; at < good.size(); ++at)
    for (uint8_t flip : {1, 0x10, 0x7f, 0x80}) {
      std::string damaged = good;
      damaged[at] = char(damaged[at] ^ flip);
      service::Sketch sketch;
      sketch.set_fingerprint(loaded.fingerprint);
      sketch.set_plan(damaged);
      files.sketch = sketch.SerializeAsString();
      refused += !explain(files, 5).ok();
    }
  EXPECT_GT(refused, good.size() / 2);
}

} // namespace
} // namespace graphc::session
