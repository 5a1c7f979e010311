#include "runtime/common/base/File.h"
#include "runtime/observe/ProcessInfo.h"
#include "runtime/observe/ProgressLine.h"
#include "runtime/observe/StatsFile.h"

#include "absl/time/clock.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <poll.h>
#include <pty.h>
#include <thread>
#include <unistd.h>

namespace graphc::observe {
namespace {

TEST(StepTimes, QuantilesAreWithinOneBucket) {
  StepTimes times;
  for (uint64_t us = 1; us <= 1000; ++us)
    times.add(us * 1000);
  EXPECT_EQ(times.count(), 1000u);
  EXPECT_DOUBLE_EQ(times.minimumMs(), 0.001);
  EXPECT_NEAR(times.quantileMs(0.5), 0.5, 0.5 * 0.016);
  EXPECT_NEAR(times.quantileMs(0.99), 0.99, 0.99 * 0.016);
}

TEST(StepTimes, ExtremesStayInTheTable) {
  StepTimes times;
  times.add(0);
  times.add(UINT64_MAX);
  EXPECT_EQ(times.minimumMs(), 0);
  EXPECT_GT(times.quantileMs(1), 1e9);
  StepTimes empty;
  EXPECT_EQ(empty.quantileMs(0.5), 0);
  empty.merge(times);
  EXPECT_EQ(empty.count(), 2u);
}

TEST(ProgressLine, FormatsAsDocumented) {
  ProgressSnapshot snapshot;
  snapshot.step = 586, snapshot.steps = 1172, snapshot.epoch = 3, snapshot.epochs = 5;
  snapshot.stepsPerSecond = 586, snapshot.loss = 0.41234;
  EXPECT_EQ(formatProgress(snapshot, kBarWidth),
            "epoch 3/5  step 586/1172  586 steps/s  loss 0.4123  [=======>        ] eta 0:01");
  EXPECT_EQ(formatProgress(snapshot, 0), "epoch 3/5  step 586/1172  586 steps/s  loss 0.4123");
  snapshot.metrics = {{"accuracy", 0.8712}, {"reconstruction_mse", 0.0421987}};
  snapshot.step = 1172;
  EXPECT_EQ(formatProgress(snapshot, kBarWidth),
            "epoch 3/5  step 1172/1172  586 steps/s  loss 0.4123  accuracy 0.8712 "
            " reconstruction_mse 0.0422  [================]");
  ProgressSnapshot bare;
  bare.step = 3;
  EXPECT_EQ(formatProgress(bare, kBarWidth), "step 3");
}

TEST(ProgressLine, OnATerminalItNeverWraps) {
  ProgressSnapshot snapshot;
  snapshot.step = 586, snapshot.steps = 1172, snapshot.epoch = 3, snapshot.epochs = 5;
  snapshot.stepsPerSecond = 586, snapshot.loss = 0.41234;
  for (auto [columns, expected] :
       {std::pair(100, "[=======>        ] eta 0:01"),
        {78, " epoch 3/5  step 586/1172  586 steps/s  loss 0.4123  [=====>       ] eta 0:01"},
        {60, " epoch 3/5  step 586/1172  586 steps/s  loss 0.4123"},
        {21, " epoch 3/5  step 586"}}) {
    winsize window{24, static_cast<unsigned short>(columns), 0, 0};
    int master, slave;
    ASSERT_EQ(openpty(&master, &slave, nullptr, nullptr, &window), 0);
    std::FILE *terminal = fdopen(slave, "w");
    {
      ProgressLine line(terminal);
      line.show(snapshot);
      char text[256];
      ssize_t bytes = read(master, text, sizeof text);
      EXPECT_THAT(std::string(text, static_cast<size_t>(std::max<ssize_t>(bytes, 0))),
                  testing::EndsWith(expected));
      EXPECT_LT(bytes, columns);
    }
    std::fclose(terminal);
    close(master);
  }
}

TEST(ProgressLine, NobodyWaitsWhoOnlyShowsWhileWhatIsPrintedIsNotRead) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::FILE *results = fdopen(ends[1], "w"), *shown = std::tmpfile();
  ProgressLine line(shown);
  constexpr size_t bytes = 1 << 20; // more than a pipe holds
  std::thread printing([&] { line.print(results, std::string(bytes, 'x')); });
  pollfd begun{ends[0], POLLIN, 0};
  EXPECT_EQ(poll(&begun, 1, 20000), 1)
      << "part of the line is in the pipe, so print() holds the lock";
  ProgressSnapshot snapshot;
  snapshot.steps = 2;
  line.show(snapshot);
  line.finish();
  EXPECT_EQ(std::ftell(shown), 0) << "and nothing is shown meanwhile";
  size_t read = 0;
  char buffer[4096];
  while (read <= bytes) { // its end of line too
    ssize_t some = ::read(ends[0], buffer, sizeof buffer);
    ASSERT_GT(some, 0);
    read += size_t(some);
  }
  printing.join();
  line.show(snapshot);
  EXPECT_GT(std::ftell(shown), 0);
  std::fclose(results);
  std::fclose(shown);
  close(ends[0]);
}

TEST(ProgressLine, WhereStepsAreCountedTheirLinesStay) {
  ProgressSnapshot snapshot;
  auto show = [&](ProgressLine &line, uint64_t step, bool logged) {
    snapshot.step = step;
    snapshot.logged = logged;
    line.show(snapshot);
  };
  std::FILE *file = std::tmpfile();
  {
    ProgressLine line(file);
    show(line, 1, false); // elsewhere the first line would come by the clock
    show(line, 2, true);
    show(line, 3, true); // and this one would not, so soon
    show(line, 4, false);
  }
  std::rewind(file);
  char text[256];
  EXPECT_EQ(std::string(text, std::fread(text, 1, sizeof text, file)), " step 2\n step 3\n");
  std::fclose(file);

  int master, slave;
  ASSERT_EQ(openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  std::FILE *terminal = fdopen(slave, "w");
  {
    ProgressLine line(terminal);
    show(line, 1, false);
    show(line, 2, true);
    show(line, 3, false);
    // the terminal makes \r\n of \n
    const std::string expected = " step 1\r\033[K step 2\r\n step 3";
    std::string said; // a terminal hands on what it has, perhaps in pieces
    for (ssize_t bytes = 1; bytes > 0 && said.size() < expected.size();
         said.append(text, size_t(std::max<ssize_t>(bytes, 0))))
      bytes = read(master, text, sizeof text);
    EXPECT_EQ(said, expected);
  }
  std::fclose(terminal);
  close(master);
}

/// Where there is no terminal: a step of a minute is no minute of equal lines.
TEST(ProgressLine, ALineIsWrittenWhereItSaysSomethingNew) {
  ProgressSnapshot snapshot;
  snapshot.steps = 9;
  std::FILE *file = std::tmpfile();
  ProgressLine line(file);
  auto showLater = [&] {
    absl::SleepFor(absl::Milliseconds(1010)); // at most one a second
    line.show(snapshot);
  };
  line.show(snapshot);
  snapshot.stepsPerSecond = 0.5; // says nothing new
  showLater();
  snapshot.step = 1, snapshot.loss = 2;
  line.show(snapshot);
  line.show(snapshot);
  snapshot.loss = 3; // of the other worker's share of the same step
  showLater();
  snapshot.last = true;
  line.show(snapshot);
  std::rewind(file);
  char text[512];
  EXPECT_EQ(std::string(text, std::fread(text, 1, sizeof text, file)),
            " step 0/9\n step 1/9  0.50 steps/s  loss 2\n step 1/9  0.50 steps/s  loss 3\n"
            " step 1/9  0.50 steps/s  loss 3\n");
  std::fclose(file);
}

TEST(ProgressLine, JsonKeepsEverything) {
  ProgressSnapshot snapshot;
  EXPECT_FALSE(progressFromJson(toJson(snapshot))->logged.has_value());
  snapshot.logged = true;
  EXPECT_EQ(progressFromJson(toJson(snapshot))->logged, true);
  snapshot.step = 5, snapshot.steps = 9, snapshot.epoch = 1, snapshot.epochs = 2;
  snapshot.loss = std::nan(""), snapshot.last = true;
  auto back = progressFromJson(toJson(snapshot));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->step, 5u);
  EXPECT_EQ(back->steps, 9u);
  EXPECT_TRUE(back->last);
  EXPECT_TRUE(std::isnan(*back->loss));
  EXPECT_TRUE(back->metrics.empty());
  EXPECT_FALSE(progressFromJson("[]").ok());
  EXPECT_FALSE(progressFromJson("{\"step\": -1}").ok());
}

TEST(ProgressLine, Thousands) {
  EXPECT_EQ(withThousands(7), "7");
  EXPECT_EQ(withThousands(100), "100");
  EXPECT_EQ(withThousands(10000), "10,000");
  EXPECT_EQ(withThousands(1234567), "1,234,567");
}

TEST(Stats, FileHasTheDocumentedKeys) {
  std::string path = testing::TempDir() + "/stats-" + std::to_string(getpid()) + ".json";
  TaskStats stats;
  stats.steps = 3;
  stats.times.add(1'000'000);
  stats.bytesSent = 17;
  FinalResults results{.loss = 0.5, .metrics = {{"accuracy", 0.9}}};
  ASSERT_TRUE(writeStats(path, {{"/job:worker/task:0", toJson(stats)}}, results).ok());
  auto json = nlohmann::json::parse(*base::readFile(path));
  unlink(path.c_str());
  auto &task = json["tasks"]["/job:worker/task:0"];
  for (const char *key : {"steps", "first_step_s", "step_ms", "steps_per_s", "bytes_sent",
                          "bytes_received", "control_bytes", "arena_bytes_touched", "rss_bytes"})
    EXPECT_TRUE(task.contains(key)) << key;
  for (const char *key : {"median", "p99", "min"})
    EXPECT_TRUE(task["step_ms"].contains(key)) << key;
  EXPECT_EQ(task["bytes_sent"], 17);
  EXPECT_EQ(json["final"]["loss"], 0.5);
  EXPECT_EQ(json["final"]["accuracy"], 0.9);
}

TEST(Stats, UnwritableFileIsAnError) {
  EXPECT_FALSE(writeStats("/nonexistent/dir/f.json", {}, {}).ok());
}

TEST(ProcessInfo, IsPlausible) {
  EXPECT_GT(secondsSinceProcessStart(), 0);
  EXPECT_LT(secondsSinceProcessStart(), 600);
  EXPECT_GT(residentBytes(), 100'000u);
  EXPECT_FALSE(hostName().empty());
  EXPECT_EQ(hostId(), hostId());
}

} // namespace
} // namespace graphc::observe
