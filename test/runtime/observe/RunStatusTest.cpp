// A run's status in its three forms.
#include "runtime/observe/RunStatus.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include <gmock/gmock.h>

#include <cmath>

namespace graphc::observe {
namespace {
using testing::HasSubstr;
using testing::Not;

absl::Time at(double seconds) { return absl::UnixEpoch() + absl::Seconds(seconds); }

RunStatus sample() {
  RunStatus status;
  status.model = "m\"\\<&>.mlir";
  status.strategy = "parameter_server (async)";
  status.entry = "train";
  status.fingerprint = std::string(64, 'f');
  status.version = "0.1.0";
  status.pid = 11;
  status.launcher = 10;
  status.host = "here";
  status.task = "/job:worker/task:0";
  status.state = "training";
  status.now = at(1000);
  status.started = at(900.25);
  ProgressSnapshot &progress = status.progress.emplace();
  progress.step = 41;
  progress.steps = 100;
  progress.epoch = 2;
  progress.epochs = 3;
  progress.stepsPerSecond = 12.5;
  progress.loss = 0.25;
  progress.metrics = {{"accuracy", 0.5}, {"a\"b\\c", INFINITY}};
  status.checkpointDirectory = "/data/run 1";
  status.checkpoint = {40, at(990)};
  status.saved = 4;
  status.restarts = 2;
  status.maxStaleness = 3;
  status.tasks.push_back(
      {"/job:worker/task:0", "running", {"CPU:0", "GPU:0"}, "here", 11, 41, 6.5, 0, 2, at(999.5)});
  TaskStatus &late = status.tasks.emplace_back();
  late.name = "/job:worker/task:1";
  late.state = "waiting";
  late.devices = {"CPU:0"};
  status.warnings.push_back({at(995), "a wait lasts: <script>"});
  status.warned = 7;
  return status;
}

TEST(RunStatusForms, JsonIsReadAsItWasWritten) {
  const std::string json = toJson(sample());
  auto read = runStatusFromJson(json);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(toJson(*read), json);
  EXPECT_EQ(read->tasks[0].staleness, 2u);
  EXPECT_FALSE(read->tasks[1].heard);
  EXPECT_TRUE(std::isnan(read->progress->metrics[1].second)) << "JSON has no infinity";
}

TEST(RunStatusForms, WhatIsNoStatusIsRefused) {
  const std::string good = toJson(sample());
  for (auto [from, to] :
       {std::pair("\"format\":1", "\"format\":2"), std::pair("\"format\":1", "\"format\":-1"),
        std::pair("\"format\":1,", ""), std::pair("\"pid\":11", "\"pid\":\"11\""),
        std::pair("\"model\":", "\"model\":1,\"x\":"), std::pair("\"tasks\":[", "\"tasks\":[7,"),
        std::pair("\"tasks\":[", "\"tasks\":{},\"x\":["),
        std::pair("\"warnings\":[", "\"warnings\":[[],"),
        std::pair("\"checkpoint\":{", "\"checkpoint\":[],\"x\":{"),
        std::pair("\"progress\":{", "\"progress\":{},\"x\":{")}) {
    std::string bad = good;
    ASSERT_NE(bad.find(from), std::string::npos) << from;
    bad.replace(bad.find(from), std::string(from).size(), to);
    EXPECT_FALSE(runStatusFromJson(bad).ok()) << bad;
  }
  for (const char *bad : {"", "[]", "null", "{", "{\"format\":1"})
    EXPECT_FALSE(runStatusFromJson(bad).ok()) << bad;
  auto hostile =
      runStatusFromJson("{\"format\":1,\"model\":\"\\u001b[2J\",\"now\":1e300,\"started\":-5}");
  ASSERT_TRUE(hostile.ok()) << hostile.status();
  EXPECT_EQ(hostile->model, "\\x1b[2J") << "it cannot move the cursor";
}

TEST(RunStatusForms, Prometheus) {
  const std::string text = toPrometheus(sample());
  for (
      const char *line :
      {"graphc_run_info{model=\"m\\\"\\\\<&>.mlir\",strategy=\"parameter_server (async)\",entry=\"train\"",
       "# TYPE graphc_step_total counter\ngraphc_step_total 41\n",
       "graphc_step_target 100\n",
       "graphc_loss 0.25\n",
       "graphc_metric_value{metric=\"accuracy\"} 0.5\n",
       "graphc_metric_value{metric=\"a\\\"b\\\\c\"} +Inf\n",
       "graphc_run_state{state=\"training\"} 1\n",
       "graphc_run_state{state=\"ending\"} 0\n",
       "graphc_restarts_total 2\n",
       "graphc_warnings_total 7\n",
       "graphc_checkpoint_step 40\n",
       "graphc_checkpoint_timestamp_seconds 990\n",
       "graphc_checkpoints_saved_total 4\n",
       "graphc_max_staleness_steps 3\n",
       "graphc_task_up{task=\"/job:worker/task:0\"} 1\n",
       "graphc_task_up{task=\"/job:worker/task:1\"} 0\n",
       "graphc_task_step_total{task=\"/job:worker/task:0\"} 41\n",
       "graphc_task_lag_steps{task=\"/job:worker/task:0\"} 0\n",
       "graphc_task_staleness_steps{task=\"/job:worker/task:0\"} 2\n",
       "graphc_task_heartbeat_timestamp_seconds{task=\"/job:worker/task:0\"} 999.5\n",
       "# TYPE process_cpu_seconds_total counter\n"})
    EXPECT_THAT(text, HasSubstr(line));
  EXPECT_THAT(text, Not(HasSubstr("graphc_task_step_total{task=\"/job:worker/task:1\"}")));
  for (const std::string &line : std::vector<std::string>(absl::StrSplit(text, '\n')))
    EXPECT_TRUE(line.empty() || line[0] == '#' || line.rfind("graphc_", 0) == 0 ||
                line.rfind("process_", 0) == 0)
        << line;
  const std::string none = toPrometheus(RunStatus());
  EXPECT_THAT(none, Not(HasSubstr("graphc_step_total")));
  EXPECT_THAT(none, Not(HasSubstr("graphc_checkpoint_step")));
}

TEST(RunStatusForms, ThePageHasNoScriptOfTheModels) {
  const std::string page = toPage(sample());
  EXPECT_THAT(page, HasSubstr("<h1>m&quot;\\&lt;&amp;&gt;.mlir</h1>"));
  EXPECT_THAT(page, HasSubstr("a wait lasts: &lt;script&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, HasSubstr("http-equiv=\"refresh\""));
  EXPECT_THAT(page, HasSubstr("step 40, 10 s ago"));
  EXPECT_THAT(page, HasSubstr("<td class=\"waiting\">waiting"));
  EXPECT_THAT(toPage(RunStatus()), HasSubstr("none: no --checkpoint_dir"));
}

TEST(RunStatusForms, Durations) {
  for (auto [seconds, text] : {std::pair(-3, "0 s"), std::pair(59, "59 s"), std::pair(60, "1 min"),
                               std::pair(3599, "59 min"), std::pair(3600, "1 h"),
                               std::pair(3900, "1 h 5 min"), std::pair(360000, "100 h")})
    EXPECT_EQ(durationText(absl::Seconds(seconds)), text);
}

} // namespace
} // namespace graphc::observe
