//===- PlanSim.cpp - plan-sim: run a plan in one process, dump what it computed ---------------===//
//
//   plan-sim PLAN [--entry train|eval|predict] [--steps N] [--seed S] [--delay NANOSECONDS] [--position SAMPLES]
//            [--feed NAME=FILE.npy]… [--data_dir D] [--out DIR]
//   plan-sim PLAN --seeds N [--loss P] [--death P] [--delay NANOSECONDS] …
//
// Every task of the plan runs in this one thread (Simulator.h), with message delays drawn from the
// seed. Prints a line of JSON with the steps, bytes and metrics; --out gets DIR/variables/NAME.npy
// and DIR/fetches/NAME.REPLICA.npy ('/' in names becomes '__'). With --seeds: N runs of 1 to 5
// steps under injected delay, loss and death; each must end with the values of a run without faults
// (asynchronous: with every update applied), or with an error that names its cause. Exit status 1
// with one line on an error. For tests that compare partitioned plans with one device.
//
//===------------------------------------------------------------------------------------------===//

#include "runtime/checkpoint/NpyFormat.h"
#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/plan/PlanFile.h"
#include "test/runtime/executor/Simulator.h"

#include "absl/strings/str_cat.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstring>
#include <map>

namespace graphc::executor {
namespace {

absl::StatusOr<uint32_t> findPhase(const plan::Plan &plan, const std::string &entry) {
  for (int i = 0; i < plan.phases_size(); ++i) {
    plan::Role role = plan.phases(i).role();
    const char *name = role == plan::TRAIN ? "train" : role == plan::EVAL ? "eval" : "predict";
    if (entry == name || entry == plan.phases(i).name())
      return uint32_t(i);
  }
  return absl::NotFoundError(absl::StrCat("the plan has no phase '", entry, "'"));
}

absl::Status dump(const plan::Plan &plan, SimVariables &variables, const SimResult &result,
                  const std::string &out) {
  GRAPHC_RETURN_IF_ERROR(base::makeDirectories(out + "/variables"));
  GRAPHC_RETURN_IF_ERROR(base::makeDirectories(out + "/fetches"));
  for (int i = 0; i < plan.variables_size(); ++i) {
    std::span<uint8_t> data = variables.data(uint32_t(i));
    GRAPHC_RETURN_IF_ERROR(checkpoint::writeNpy(
        out + "/variables/" + checkpoint::npyFileName(plan.variables(i).name()),
        plan.variables(i).type(), data.data(), data.size()));
  }
  for (const auto &[name, fetch] : result.fetches)
    for (size_t r = 0; r < fetch.replicas.size(); ++r)
      GRAPHC_RETURN_IF_ERROR(checkpoint::writeNpy(
          absl::StrCat(out, "/fetches/", checkpoint::npyFileName(absl::StrCat(name, ".", r))),
          fetch.type, fetch.replicas[r].data(), fetch.replicas[r].size()));
  return absl::OkStatus();
}

std::string values(const plan::Plan &plan, SimVariables &variables) {
  std::string all;
  for (int i = 0; i < plan.variables_size(); ++i) {
    std::span<uint8_t> data = variables.data(uint32_t(i));
    all.append(reinterpret_cast<const char *>(data.data()), data.size());
  }
  return all;
}

/// What a run that ended well must have left: every byte where the phase is synchronous, else the
/// count of updates.
absl::Status checkValues(const plan::Plan &plan, SimVariables &variables,
                         const SimOptions &options) {
  if (plan.phases(int(options.phase)).ends_by_end_of_stream()) {
    for (int i = 0; i < plan.variables_size(); ++i)
      if (int64_t step = -1; plan.variables(i).global_step()) {
        memcpy(&step, variables.data(uint32_t(i)).data(), sizeof step);
        if (step != int64_t(options.steps))
          return absl::InternalError(
              absl::StrCat("global_step is ", step, " after ", options.steps, " updates"));
      }
    return absl::OkStatus();
  }
  static std::map<uint64_t, std::string> expected; // by steps
  std::string &reference = expected[options.steps];
  if (reference.empty()) {
    SimOptions calm = options;
    calm.seed = 0, calm.maxDelay = 0, calm.loss = calm.death = 0;
    GRAPHC_ASSIGN_OR_RETURN(SimVariables fresh, SimVariables::create(plan));
    GRAPHC_RETURN_IF_ERROR(simulate(plan, fresh, calm).status);
    reference = values(plan, fresh);
  }
  return values(plan, variables) == reference
             ? absl::OkStatus()
             : absl::InternalError("the variables differ from those of a run without faults");
}

absl::Status runSeeds(const plan::Plan &plan, SimOptions options, uint64_t seeds) {
  uint64_t right = 0, errors = 0, turns = 0;
  VirtualTime delay = options.maxDelay;
  for (options.seed = 1; options.seed <= seeds; ++options.seed) {
    options.steps = 1 + options.seed % 5;
    options.maxDelay = options.seed % 4 ? delay : 0;
    GRAPHC_ASSIGN_OR_RETURN(SimVariables variables, SimVariables::create(plan));
    SimResult result = simulate(plan, variables, options);
    turns += result.turns;
    std::string what = absl::StrCat("seed ", options.seed);
    std::string message(result.status.message());
    if (result.status.ok()) {
      ++right;
      GRAPHC_RETURN_IF_ERROR(base::annotate(checkValues(plan, variables, options), what));
    } else if (options.loss + options.death > 0 &&
               (message.ends_with(" died") || message.find(" broke (") != std::string::npos)) {
      ++errors;
    } else {
      return base::annotate(result.status, what);
    }
  }
  printf("{\"seeds\": %llu, \"right\": %llu, \"named_errors\": %llu, \"turns\": %llu}\n",
         (unsigned long long)seeds, (unsigned long long)right, (unsigned long long)errors,
         (unsigned long long)turns);
  if (right == 0 || (errors == 0 && options.loss + options.death > 0))
    return absl::FailedPreconditionError("the seeds show nothing: choose other probabilities");
  return absl::OkStatus();
}

void printLine(const SimResult &result) {
  std::string text =
      absl::StrCat("{\"steps\": ", result.steps, ", \"turns\": ", result.turns,
                   ", \"bytes_sent\": ", result.counters.bytesSent,
                   ", \"bytes_received\": ", result.counters.bytesReceived, ", \"metrics\": {");
  const char *comma = "";
  for (const auto &[name, metric] : result.metrics) {
    char value[32];
    snprintf(value, sizeof value, "%.17g", metric.count ? metric.sum / double(metric.count) : 0.0);
    absl::StrAppend(&text, comma, "\"", base::escapeJson(name), "\": {\"mean\": ", value,
                    ", \"count\": ", metric.count, "}");
    comma = ", ";
  }
  printf("%s}}\n", text.c_str());
}

absl::Status run(const std::string &path, const std::string &entry, SimOptions options,
                 const std::vector<std::string> &feeds, const std::string &out, uint64_t seeds) {
  GRAPHC_ASSIGN_OR_RETURN(plan::LoadedPlan loaded, plan::loadPlan(path));
  GRAPHC_ASSIGN_OR_RETURN(options.phase, findPhase(loaded.plan, entry));
  for (const std::string &feed : feeds) {
    size_t equals = feed.find('=');
    if (equals == std::string::npos)
      return absl::InvalidArgumentError(absl::StrCat("--feed ", feed, ": expected NAME=FILE.npy"));
    GRAPHC_ASSIGN_OR_RETURN(checkpoint::NpyArray array,
                            checkpoint::readNpy(feed.substr(equals + 1)));
    options.feeds[feed.substr(0, equals)] = array.data;
  }
  size_t slash = path.rfind('/');
  options.search.planDir = slash == std::string::npos ? "." : path.substr(0, slash);
  if (seeds)
    return runSeeds(loaded.plan, options, seeds);
  GRAPHC_ASSIGN_OR_RETURN(SimVariables variables, SimVariables::create(loaded.plan));
  SimResult result = simulate(loaded.plan, variables, options);
  GRAPHC_RETURN_IF_ERROR(result.status);
  printLine(result);
  return out.empty() ? absl::OkStatus() : dump(loaded.plan, variables, result, out);
}

} // namespace
} // namespace graphc::executor

int main(int argc, char **argv) {
  CLI::App app("runs every task of a plan in one process, for tests");
  std::string plan, entry = "train", out;
  std::vector<std::string> feeds;
  graphc::executor::SimOptions options;
  options.maxDelay = 0;
  app.add_option("plan", plan)->required();
  app.add_option("--entry", entry);
  app.add_option("--steps", options.steps);
  app.add_option("--seed", options.seed);
  app.add_option("--delay", options.maxDelay);
  app.add_option("--position", options.position);
  app.add_option("--feed", feeds);
  app.add_option("--data_dir", options.search.dataDir);
  app.add_option("--out", out);
  uint64_t seeds = 0;
  app.add_option("--seeds", seeds);
  app.add_option("--loss", options.loss);
  app.add_option("--death", options.death);
  CLI11_PARSE(app, argc, argv);
  absl::Status status = graphc::executor::run(plan, entry, options, feeds, out, seeds);
  if (!status.ok())
    fprintf(stderr, "plan-sim: %s\n", graphc::base::describe(status).c_str());
  return status.ok() ? 0 : 1;
}
