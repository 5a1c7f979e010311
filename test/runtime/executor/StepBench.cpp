//===- StepBench.cpp - step-bench: the bare step of the executor over shared memory, in separate processes ---------------===//
//
//   step-bench [--workers N] [--servers N] [--elements 1|16|4096|16777216] [--async] [--steps N] [--warmup N]
//
// A hand-made parameter-server plan with nothing to compute: what a step costs without compiler, control plane or data.
// Prints one JSON line with the first worker's step times. Not a test.
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "runtime/base/Status.h"
#include "runtime/executor/LaneRunner.h"
#include "runtime/executor/TaskPhase.h"
#include "runtime/plan/Types.h"
#include "runtime/transport/SharedMemory.h"
#include "test/runtime/executor/TestHost.h"
#include "test/runtime/plan/PlanBuilder.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <map>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace graphc::executor {
namespace {

absl::Status runTask(const plan::Plan &plan, const plan::Task &task, const std::string &token, uint64_t steps,
                     bool print) {
  GRAPHC_ASSIGN_OR_RETURN(auto library, KernelLibrary::loadFor(plan, task));
  GRAPHC_ASSIGN_OR_RETURN(auto variables, VariableStore::create(plan, task));
  variables->initialize();
  transport::SharedMemoryOptions options{token, std::string(64, 'f'), plan::taskText(plan, task), {}};
  std::map<std::string, size_t> peers;
  for (const Endpoint &endpoint : taskEndpoints(plan, task)) {
    std::string name = plan::taskText(plan, endpoint.peer);
    auto [it, isNew] = peers.try_emplace(name, options.peers.size());
    if (isNew)
      options.peers.push_back({name, {}, {}});
    auto &peer = options.peers[it->second];
    (endpoint.sends ? peer.outgoing : peer.incoming).push_back(endpoint.spec);
  }
  const device::Memory &published = variables->published().memory();
  options.publishedFd = published.descriptor();
  options.published = published.data();
  options.publishedBytes = published.size();
  GRAPHC_ASSIGN_OR_RETURN(auto transport, transport::SharedMemoryTransport::listen(options));
  GRAPHC_RETURN_IF_ERROR(transport->connect(absl::Now() + absl::Seconds(20)));
  TestHost host(steps);
  GRAPHC_ASSIGN_OR_RETURN(auto lanes, makeLanes({plan, task, *variables, *library, *transport, host}, 0));
  RunOptions run;
  run.deadline = absl::Seconds(20);
  run.onFailure = [&](const Lane &, const absl::Status &status) { transport->abort(status); };
  GRAPHC_RETURN_IF_ERROR(runLanes(lanes, run));
  if (print) {
    StepStats::Summary s = lanes[0]->stats().summary();
    printf("{\"step_us\": {\"median\": %.2f, \"p99\": %.2f, \"min\": %.2f, \"mean\": %.2f}, \"steps\": %llu}\n",
           s.medianMs * 1e3, s.p99Ms * 1e3, s.minMs * 1e3, s.meanMs * 1e3, (unsigned long long)s.steps);
  }
  return absl::OkStatus();
}

} // namespace
} // namespace graphc::executor

int main(int argc, char **argv) {
  using namespace graphc;
  CLI::App app("steps over shared memory");
  plan::ParameterServerShape shape;
  shape.elements = 1;
  uint64_t steps = 20000;
  app.add_option("--workers", shape.workers);
  app.add_option("--servers", shape.servers);
  app.add_option("--elements", shape.elements);
  app.add_flag("--async", shape.async);
  app.add_option("--steps", steps);
  CLI11_PARSE(app, argc, argv);
  plan::Plan plan = plan::parameterServerPlan(shape);
  std::string token = absl::StrCat("step-bench-", getpid(), "-", absl::ToUnixNanos(absl::Now()));
  std::vector<pid_t> children;
  for (const plan::Task &task : plan::allTasks(plan)) {
    pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      bool print = task.job() == plan.chief().job() && task.index() == plan.chief().index();
      absl::Status status = executor::runTask(plan, task, token, steps, print);
      if (!status.ok())
        fprintf(stderr, "%s: %s\n", plan::taskText(plan, task).c_str(), base::describe(status).c_str());
      fflush(stdout);
      _exit(status.ok() ? 0 : 1);
    }
    children.push_back(child);
  }
  int bad = 0;
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    bad += status != 0;
  }
  return bad != 0;
}
