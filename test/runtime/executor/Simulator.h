//===- Simulator.h - a whole plan in one thread under a seeded scheduler ------------*- C++ -*-===//
//
// All lanes of all tasks, one phase, in virtual time: which lane runs next, how long each message
// takes, what is lost and who dies follows from the seed alone, so a failure is repeated exactly.
// Also the fast runner of random-graph tests.
//
// A lost message and a dead task are noticed after a while, as connections and heartbeats would:
// every other task is then aborted, each at its own moment, with the cause.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TEST_RUNTIME_EXECUTOR_SIMULATOR_H
#define GRAPHC_TEST_RUNTIME_EXECUTOR_SIMULATOR_H

#include "runtime/data/DatasetSearchPath.h"
#include "runtime/executor/VariableStore.h"
#include "test/runtime/executor/SimTransport.h"

#include <map>
#include <string>
#include <vector>

namespace graphc::executor {

struct SimOptions {
  uint64_t seed = 0;
  uint32_t phase = 0;
  uint64_t steps = 1; ///< of the phase; asynchronous: updates
  VirtualTime maxDelay = 50000; ///< of a message, a credit, a lane's turn; 0: no delays
  double loss = 0; ///< probability that a message is lost
  double death = 0; ///< probability that a task dies while its lane runs a turn
  VirtualTime detection = 5000000; ///< until a loss or death is noticed
  data::DatasetSearchPath search = {};
  uint64_t position = 0; ///< of the data stream
  /// of lanes; a run that takes more ends as one that is stuck does
  uint64_t mostTurns = UINT64_MAX;
  std::map<std::string, std::string> feeds = {}; ///< raw bytes by name
};

struct SimFetch {
  plan::TensorType type;
  plan::Reduction reduction = plan::MEAN;
  std::vector<std::string> replicas; ///< raw bytes of the last step, by instance
};
struct SimMetric {
  double sum = 0;
  int64_t count = 0;
};

struct SimResult {
  absl::Status status; ///< Internal: stuck, which must never be
  uint64_t steps = 0; ///< most steps of a lane
  uint64_t turns = 0;
  std::map<std::string, SimFetch> fetches;
  std::map<std::string, SimMetric> metrics;
  transport::TransportCounters counters; ///< of all tasks together
};

/// The variables of every task of a plan, kept over phases.
class SimVariables {
public:
  static absl::StatusOr<SimVariables> create(const plan::Plan &plan);
  VariableStore &task(size_t index) { return *stores_[index]; }
  /// Of whoever owns it.
  std::span<uint8_t> data(uint32_t variable);
  /// Variables in devices' own memory: what data() has goes there, or comes from there.
  absl::Status copyDevices(bool to);

private:
  std::vector<std::unique_ptr<VariableStore>> stores_; // by plan::allTasks
};

/// Runs one phase of a verified plan to its end, or to a named error.
SimResult simulate(const plan::Plan &plan, SimVariables &variables, const SimOptions &options);

} // namespace graphc::executor
#endif
