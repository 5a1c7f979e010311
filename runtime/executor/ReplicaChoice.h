//===- ReplicaChoice.h ------------------------------------------------------------------------===//
//
// Backup workers: the first replicas of a step, and the sum of theirs alone.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_REPLICACHOICE_H
#define GRAPHC_RUNTIME_EXECUTOR_REPLICACHOICE_H

#include "runtime/executor/LaneFrame.h"
#include "runtime/executor/LanePorts.h"

#include <string>
#include <vector>

namespace graphc::executor {

/// Of one lane. Where nothing is chosen it does nothing.
class ReplicaChoice {
public:
  ReplicaChoice(const LaneProgram &program, const LanePorts &ports, LaneFrame &frame);

  SumOutcome choose(const LaneInstruction &instruction, uint64_t step);
  SumOutcome sum(const LaneInstruction &instruction, const GraphcContext &context);

  /// Of the lane that chooses, after it has ended; empty in others. By replica: the gradients that
  /// came too late and were dropped.
  std::vector<uint64_t> dropped() const;
  std::string describe(const LaneInstruction &instruction) const;

private:
  const LaneProgram &program_;
  const LanePorts &ports_;
  LaneFrame &frame_;
  std::vector<int64_t> reports_; // the version that each instance has reported last
  std::vector<uint64_t> accepted_; // by instance
  std::vector<const uint8_t *> addends_; // the chosen messages
};

} // namespace graphc::executor
#endif
