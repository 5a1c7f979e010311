//===- RejoinableTasks.h ----------------------------------------------------------------------===//
//
// Which tasks a running phase can lose and have back while the others go on.
//
// Of a parameter server with asynchronous updates: lane r of each server serves replica r and
// nobody else. Where the task of replica r is lost, those lanes stop, and only they; they go
// through some steps again with the process that takes its place, and leave out what was done
// before and counts once (docs/reliability.md). All of it follows from the plan.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_REJOINABLETASKS_H
#define GRAPHC_RUNTIME_EXECUTOR_REJOINABLETASKS_H

#include "runtime/common/plan/plan.pb.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace graphc::executor {

/// By number of the task: why the phase cannot go on while that task is started again; empty: it
/// can.
std::vector<std::string> whyNoRejoin(const plan::Plan &plan, uint32_t phase);

/// The replicas of a task: the instances of programs that are or serve them.
std::set<uint32_t> replicasOf(const plan::Plan &plan, const plan::Task &task);

/// Whether a lane that goes through a step again leaves the instruction out: it takes an update
/// ticket, writes a variable, or exchanges a message with a program that is no replica's and so is
/// not made again.
bool isDoneOnce(const plan::Plan &plan, const plan::Program &program,
                const plan::Instruction &instruction);

/// A place between two instructions of a lane: all before it is done.
struct LanePoint {
  uint64_t step = 0;
  uint32_t instruction = 0; ///< of LaneProgram::instructions
  friend auto operator<=>(const LanePoint &, const LanePoint &) = default;
};

} // namespace graphc::executor
#endif
