//===- PhaseSetup.h - set-up: a task's endpoints and a phase's lanes ----------------*- C++ -*-===//
//
// How a session uses the executor:
//
//   auto library   = LoadedKernels::loadFor(plan, task);
//   auto variables = VariableStore::create(plan, task);         (*variables)->initialize();
//   for (const ChannelEndpoint &e : taskEndpoints(plan, task)) …       build the transports from specs and peers
//   auto lanes = makeLanes({plan, task, **variables, **library, transport, host}, phase);
//   absl::Status ended = runLanes(*lanes, options);             … then the next phase, the same transports
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_PHASESETUP_H
#define GRAPHC_RUNTIME_EXECUTOR_PHASESETUP_H

#include "runtime/executor/Lane.h"
#include "runtime/executor/LoadedKernels.h"
#include "runtime/executor/VariableStore.h"

#include "absl/status/statusor.h"

#include <memory>
#include <vector>

namespace graphc::executor {

/// One end of one channel instance at a task.
struct ChannelEndpoint {
  transport::ChannelSpec spec;
  bool sends = false; ///< this task is the sender
  plan::Task peer; ///< the other end; may be this task itself (both ends are then listed)
  uint32_t phase = 0;
};

/// Every end that `task` holds, of all phases, in the order of (channel, instance, receiving before
/// sending). Control channels to the sender itself are left out.
std::vector<ChannelEndpoint> taskEndpoints(const plan::Plan &plan, const plan::Task &task);

/// The update tickets of a phase: for the program that takes them, where `task` (any, where it is
/// null) runs it; else null.
std::unique_ptr<AsyncUpdateTickets> makeTickets(const plan::Plan &plan, const plan::Task *task,
                                                uint32_t phase, uint64_t total,
                                                std::function<bool()> stopRequested = {});

/// The key of the message that instance `from` of an all-to-all channel's program sends to instance
/// `to`.
transport::ChannelKey allToAllKey(const plan::Plan &plan, uint32_t channel, uint32_t from,
                                  uint32_t to);

/// How many lanes share the updates of a phase: a lane makes about one in so many. 1 where each
/// lane takes part in all.
uint32_t lanesPerUpdate(const plan::Plan &plan, uint32_t phase);

/// Has `task` a lane in the phase?
bool hasLanes(const plan::Plan &plan, const plan::Task &task, uint32_t phase);

struct TaskContext {
  const plan::Plan &plan; ///< verified
  plan::Task task;
  VariableStore &variables;
  const LoadedKernels &library;
  transport::Transport &transport; ///< holds every endpoint of the phase
  LaneCallbacks &host;
  FrameOptions frame = {};
  EventRing *events = nullptr; ///< takes what the lanes do; null: nobody asks
  uint64_t stepsBefore = 0; ///< that a lane made before the phase, for people
};

/// The lanes of a task in one phase: one a program instance that runs there; may be none.
/// Everything in `context` must outlive them. A lane serves one run of the phase; make new ones for
/// the next.
absl::StatusOr<std::vector<std::unique_ptr<Lane>>> makeLanes(const TaskContext &context,
                                                             uint32_t phase);

} // namespace graphc::executor
#endif
