//===- PlanSim.cpp - plan-sim: run a plan in one process, dump what it computed -----------------------------------------===//
//
//   plan-sim PLAN [--entry train|eval|predict] [--steps N] [--seed S] [--delay NANOSECONDS] [--position SAMPLES]
//            [--feed NAME=FILE.npy]… [--data_dir D] [--out DIR]
//
// Every task of the plan runs in this one thread (Simulator.h), with message delays drawn from the seed. Prints a line of
// JSON with the steps, bytes and metrics; --out gets DIR/variables/NAME.npy and DIR/fetches/NAME.REPLICA.npy ('/' in names
// becomes '__'). Exit status 1 with one line on an error. For tests that compare partitioned plans with one device.
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "runtime/base/File.h"
#include "runtime/base/Log.h"
#include "runtime/base/Status.h"
#include "runtime/checkpoint/Npy.h"
#include "runtime/plan/PlanFile.h"
#include "test/runtime/executor/Simulator.h"

#include "absl/strings/str_cat.h"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace graphc::executor {
namespace {

std::string fileName(std::string name) {
  for (size_t at; (at = name.find('/')) != std::string::npos;)
    name.replace(at, 1, "__");
  return name + ".npy";
}

absl::StatusOr<uint32_t> findPhase(const plan::Plan &plan, const std::string &entry) {
  for (int i = 0; i < plan.phases_size(); ++i) {
    plan::Role role = plan.phases(i).role();
    const char *name = role == plan::TRAIN ? "train" : role == plan::EVAL ? "eval" : "predict";
    if (entry == name || entry == plan.phases(i).name())
      return uint32_t(i);
  }
  return absl::NotFoundError(absl::StrCat("the plan has no phase '", entry, "'"));
}

absl::Status dump(const plan::Plan &plan, SimVariables &variables, const SimResult &result, const std::string &out) {
  GRAPHC_RETURN_IF_ERROR(base::makeDirectories(out + "/variables"));
  GRAPHC_RETURN_IF_ERROR(base::makeDirectories(out + "/fetches"));
  for (int i = 0; i < plan.variables_size(); ++i) {
    std::span<uint8_t> data = variables.data(uint32_t(i));
    GRAPHC_RETURN_IF_ERROR(checkpoint::writeNpy(out + "/variables/" + fileName(plan.variables(i).name()),
                                                plan.variables(i).type(), data.data(), data.size()));
  }
  for (const auto &[name, fetch] : result.fetches)
    for (size_t r = 0; r < fetch.replicas.size(); ++r)
      GRAPHC_RETURN_IF_ERROR(checkpoint::writeNpy(absl::StrCat(out, "/fetches/", fileName(absl::StrCat(name, ".", r))),
                                                  fetch.type, fetch.replicas[r].data(), fetch.replicas[r].size()));
  return absl::OkStatus();
}

void printLine(const SimResult &result) {
  std::string text = absl::StrCat("{\"steps\": ", result.steps, ", \"turns\": ", result.turns,
                                  ", \"bytes_sent\": ", result.counters.bytesSent,
                                  ", \"bytes_received\": ", result.counters.bytesReceived, ", \"metrics\": {");
  const char *comma = "";
  for (const auto &[name, metric] : result.metrics) {
    char value[32];
    snprintf(value, sizeof value, "%.17g", metric.count ? metric.sum / double(metric.count) : 0.0);
    absl::StrAppend(&text, comma, "\"", base::jsonEscape(name), "\": {\"mean\": ", value, ", \"count\": ", metric.count, "}");
    comma = ", ";
  }
  printf("%s}}\n", text.c_str());
}

absl::Status run(const std::string &path, const std::string &entry, SimOptions options,
                 const std::vector<std::string> &feeds, const std::string &out) {
  GRAPHC_ASSIGN_OR_RETURN(plan::LoadedPlan loaded, plan::loadPlan(path));
  GRAPHC_ASSIGN_OR_RETURN(options.phase, findPhase(loaded.plan, entry));
  for (const std::string &feed : feeds) {
    size_t equals = feed.find('=');
    if (equals == std::string::npos)
      return absl::InvalidArgumentError(absl::StrCat("--feed ", feed, ": expected NAME=FILE.npy"));
    GRAPHC_ASSIGN_OR_RETURN(checkpoint::NpyArray array, checkpoint::readNpy(feed.substr(equals + 1)));
    options.feeds[feed.substr(0, equals)] = array.data;
  }
  size_t slash = path.rfind('/');
  options.search.planDir = slash == std::string::npos ? "." : path.substr(0, slash);
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
  CLI11_PARSE(app, argc, argv);
  absl::Status status = graphc::executor::run(plan, entry, options, feeds, out);
  if (!status.ok())
    fprintf(stderr, "plan-sim: %s\n", graphc::base::describe(status).c_str());
  return status.ok() ? 0 : 1;
}
