// Trains a plan step by step until its loss is small.   session PLAN LIMIT FOLDER [GRAPHRUN]
// Of a plan of several tasks this is the chief, and GRAPHRUN (graphrun's path) starts the others on this machine.
#include "runtime/session/Session.h"
#include "runtime/plan/PlanFile.h"

#include <iostream>
#include <string>

/// Looks at the loss of each step, and ends the training once it is below a limit.
class LossBelow : public graphc::Hook {
public:
  explicit LossBelow(double limit) : limit(limit) {}
  std::string name() const override { return "loss-below"; }

  absl::Status afterCreateSession(graphc::Session &, const graphc::SessionStart &start) override {
    std::cout << "from step " << start.globalStep;
    std::cout << (start.restoredFrom.empty() ? ", initial values" : ", restored") << '\n';
    return absl::OkStatus();
  }

  absl::StatusOr<graphc::RunArgs> beforeRun(const graphc::RunContext &) override {
    return graphc::RunArgs{.fetches = {"loss"}};
  }

  absl::Status afterRun(const graphc::RunContext &context, const graphc::RunValues &values) override {
    absl::StatusOr<double> loss = values.scalar("loss");
    if (!loss.ok())
      return loss.status(); // the run fails, by this hook's name
    std::cout << "step " << values.globalStep << "  loss " << *loss << '\n';
    if (*loss < limit)
      context.requestStop();
    return absl::OkStatus();
  }

private:
  const double limit;
};

int main(int argc, char **argv) {
  if (argc != 4 && argc != 5) {
    std::cerr << "usage: session PLAN LIMIT FOLDER [GRAPHRUN]\n";
    return 2;
  }
  absl::StatusOr<graphc::plan::LoadedPlan> plan = graphc::plan::loadPlan(argv[1]);
  if (!plan.ok()) {
    std::cerr << plan.status().message() << '\n';
    return 1;
  }
  graphc::RunOptions options;
  options.steps = 1000; // at most
  options.checkpointDirectory = std::string(argv[3]) + "/checkpoints";
  options.dumpDirectory = std::string(argv[3]) + "/weights";
  if (argc == 5)
    options.cluster.graphrun = argv[4];

  graphc::Session session(*std::move(plan), options, {std::make_shared<LossBelow>(std::stod(argv[2]))});
  while (!session.shouldStop())
    session.run();
  absl::StatusOr<graphc::RunResult> result = session.close();
  if (!result.ok()) {
    std::cerr << result.status().message() << '\n';
    return session.exitStatus(); // 138: another task was lost, and the run may be started again
  }
  std::cout << result->steps << " steps" << '\n';
}
