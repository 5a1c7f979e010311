#include "tools/graphrun/EvaluatorMain.h"

#include "runtime/launch/StopSignals.h"
#include "tools/graphrun/FeedFlags.h"
#include "tools/graphrun/TaskMain.h"

#include "runtime/api/CheckpointEvaluator.h"
#include "runtime/common/base/ProcessLog.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/cluster/ClusterConfig.h"
#include "runtime/common/plan/StandalonePlan.h"
#include "runtime/session/results/PlanArguments.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace graphc::graphrun {
namespace {
/// All processes of a training have one command line, and each file one writer: "run.jsonl" →
/// "run.eval.jsonl".
std::string ownFile(const std::string &file) {
  if (file.empty())
    return file;
  const size_t name = file.rfind('/') + 1, dot = file.rfind('.'); // npos + 1 is 0
  return dot == std::string::npos || dot <= name
             ? file + ".eval"
             : absl::StrCat(file.substr(0, dot), ".eval", file.substr(dot));
}

absl::StatusOr<plan::LoadedPlan> evaluationOf(const plan::Plan &plan) {
  GRAPHC_ASSIGN_OR_RETURN(plan::Plan alone,
                          plan::standalonePlan(plan, plan::EVAL, cluster::kEvaluator));
  GRAPHC_ASSIGN_OR_RETURN(std::string file, plan::encodePlan(alone));
  return plan::decodePlan(file, plan.model());
}

absl::Status follow(const RunFlags &flags, const plan::Plan &plan,
                    launch::LauncherMessages *launcher) {
  base::LogOptions log;
  log.file = flags.logFile;
  log.task = cluster::kEvaluator;
  GRAPHC_RETURN_IF_ERROR(base::initializeLog(log));
  GRAPHC_ASSIGN_OR_RETURN(const plan::LoadedPlan alone, evaluationOf(plan));
  session::CheckpointEvaluator::Options options;
  options.goal = {flags.steps, flags.epochs};
  options.historyFile = ownFile(flags.historyFile);
  // TensorBoard reads a folder as one writer's, and DIR/eval is the chief's.
  options.summaryFolder = flags.summaryFolder.empty()
                              ? ""
                              : absl::StrCat(flags.summaryFolder, "/", cluster::kEvaluator);
  const absl::Duration deadline = absl::Seconds(flags.deadlineSeconds.value_or(kDeadlineSeconds));
  options.wait = launcher            ? absl::InfiniteDuration()
                 : flags.waitSeconds ? absl::Seconds(*flags.waitSeconds)
                                     : deadline;
  if (launcher)
    options.trainingLives = [launcher] { return !launcher->isOver(); };
  options.print = [](const std::string &line) {
    std::fprintf(stdout, "%s\n", line.c_str());
    std::fflush(stdout);
    base::logger().debug("{}", line);
  };
  GRAPHC_ASSIGN_OR_RETURN(options.run.feeds, readFeeds(plan, flags));
  const auto arguments = session::argumentsOf(alone.plan, "eval");
  std::erase_if(options.run.feeds,
                [&](const auto &feed) { return !arguments.contains(feed.first); });
  options.run.checkpointDirectory = flags.checkpointDirectory;
  options.run.newAlgorithms = flags.newAlgorithms;
  options.run.data = dataSearch(flags);
  options.run.intraOpThreads = flags.intraOpThreads.value_or(0);
  options.run.deadline = deadline;
  options.run.stop = launch::stopAsked;
  options.run.log = [](const std::string &line) {
    if (absl::StartsWith(line, "going on from ")) // of each checkpoint
      base::logger().debug("{}", line);
    else
      base::logger().info("{}", line);
  };
  return session::CheckpointEvaluator(alone, std::move(options)).run();
}
} // namespace

bool isEvaluator(const plan::Plan &plan, const std::string &job) {
  return job == cluster::kEvaluator && std::none_of(plan.jobs().begin(), plan.jobs().end(),
                                                    [&](auto &one) { return one.name() == job; });
}

absl::Status checkEvaluator(const plan::Plan &plan, const RunFlags &flags) {
  if (flags.checkpointDirectory.empty())
    return absl::InvalidArgumentError(
        "an evaluator follows the checkpoints of a training: give --checkpoint_dir, the "
        "same folder as the training's");
  if (flags.entry != "train")
    return absl::InvalidArgumentError(absl::StrCat("an evaluator is of a training; --entry ",
                                                   flags.entry, " runs once, by itself"));
  if (std::none_of(plan.phases().begin(), plan.phases().end(),
                   [](auto &one) { return one.role() == plan::EVAL; }))
    return absl::InvalidArgumentError(absl::StrCat(
        "an evaluator needs a function of role eval, and the plan of ", plan.model(), " has none"));
  return absl::OkStatus();
}

int evaluate(bool check, const RunFlags &flags, const plan::Plan &plan,
             launch::LauncherMessages *launcher) {
  absl::Status status = check ? absl::InvalidArgumentError(
                                    "an evaluator is no task of the cluster, and speaks to none: "
                                    "there is nothing to check")
                              : checkEvaluator(plan, flags);
  const bool isRefused = !status.ok();
  if (!isRefused) {
    launch::takeStopSignals(/*launched=*/launcher != nullptr);
    signal(SIGPIPE, SIG_DFL);
    status = follow(flags, plan, launcher);
  }
  if (!status.ok())
    std::fprintf(stderr, "graphrun: %s%s\n",
                 isRefused ? "" : "evaluator: ", base::describe(status).c_str());
  base::logger().flush();
  return isRefused ? 2 : status.ok() ? 0 : 1;
}

} // namespace graphc::graphrun
