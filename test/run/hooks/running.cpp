// A program that only waits for graphc::run:   running PLAN GRAPHRUN STEPS FOLDER
// Checkpoints and weights lie in FOLDER; the losses of all steps are printed at the end, numbered
// from 1, and at once each line of the log.
#include "runtime/api/Run.h"
#include "runtime/common/plan/PlanFile.h"

#include <cstring>
#include <iostream>
#include <string>

int main(int, char **argv) {
  absl::StatusOr<graphc::plan::LoadedPlan> plan = graphc::plan::loadPlan(argv[1]);
  graphc::RunOptions options;
  options.cluster.graphrun = argv[2];
  options.steps = std::stoull(argv[3]);
  options.checkpointDirectory = std::string(argv[4]) + "/kept";
  options.dumpDirectory = std::string(argv[4]) + "/own";
  options.saveEverySteps = 20;
  options.maxRestarts = 2;
  options.fetches = {"loss"};
  options.log = [](const std::string &line) { std::cerr << line << std::endl; };
  absl::StatusOr<graphc::RunResult> result = graphc::run(*plan, options);
  if (!result.ok()) {
    std::cerr << result.status().message() << '\n';
    return 1;
  }
  for (const graphc::session::FetchedTensor &value : result->fetches) {
    float loss = 0;
    std::memcpy(&loss, value.data.data(), sizeof loss);
    std::cout.precision(9);
    std::cout << "loss " << value.step + 1 << ' ' << loss << '\n';
  }
}
