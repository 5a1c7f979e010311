//===- Lane.h - a resumable cursor over one program instance ------------------------*- C++ -*-===//
//
// A lane never blocks by itself: run() executes instructions until a step is done, the phase ends
// or a port is not ready, and then says which port. A thread waits on that port and calls again
// (LaneRunner.h); the simulator runs another lane.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_LANE_H
#define GRAPHC_RUNTIME_EXECUTOR_LANE_H

#include "runtime/executor/LaneAllReduces.h"
#include "runtime/executor/LaneCallbacks.h"
#include "runtime/executor/LaneCursor.h"
#include "runtime/executor/LaneFrame.h"
#include "runtime/executor/LanePorts.h"
#include "runtime/executor/LaneProgram.h"
#include "runtime/executor/LaneSegments.h"
#include "runtime/executor/LaneTrace.h"
#include "runtime/executor/MessageSum.h"
#include "runtime/executor/RejoinableTasks.h"
#include "runtime/executor/ReplicaChoice.h"
#include "runtime/executor/StepwiseGate.h"
#include "runtime/transport/Transport.h"

#include "absl/status/statusor.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphc::executor {

enum class LaneState : uint8_t {
  Blocked, ///< port() is not ready; wait on it, then run() again
  StepDone, ///< one step more; run() goes on with the next
  PhaseEnded, ///< endReason() says why; run() may not be called again
  Failed, ///< status() says why; run() may not be called again
};

class Lane : private LaneCursor {
public:
  /// `ports` are resolved from `transport` here. All arguments but `frame` must outlive the lane.
  static absl::StatusOr<std::unique_ptr<Lane>>
  create(std::shared_ptr<const LaneProgram> program, LaneInfo info,
         std::unique_ptr<LaneFrame> frame, transport::Transport &transport, LaneCallbacks &host);
  /// Before the first run(); it outlives the lane.
  void traceTo(LaneTrace *to) { trace_ = to; }

  LaneState run();

  // Of a phase that goes on without a task for a while (RejoinableTasks.h), while the lane's thread
  // is not in it.
  /// What is done of this lane and counts once lies before it.
  LanePoint done() const {
    return std::max(done_, LanePoint{currentStep, inStep_ ? uint32_t(position) : 0});
  }
  /// It goes on at the begin of that step, by ports that are resolved again, and leaves out what
  /// lies before done() and counts once. What was bound to messages of the links before is bound
  /// anew by the instructions that did so.
  absl::Status rejoin(transport::Transport &transport, uint64_t step);
  /// Between two of its turns, in which it is nobody's hang.
  void rests() { blocked = Blocked::Rests; }
  /// Of a lane that has not begun: its first step is this one.
  void startAt(uint64_t step) { currentStep = shownSteps_ = step; }

  /// What a Blocked lane waits on.
  transport::Port *port() const { return port_; }
  /// Waits until a Blocked lane may get on, as Port::wait does.
  void wait(absl::Duration timeout);
  /// Where it is, from any thread while the lane is there; of one that moves a moment's view, of
  /// one that stands still what is so.
  plan::LanePosition place() const { return LaneCursor::place(*program_, info_, tickets_); }
  /// For people: "/job:ps/task:0 train.ps0 waits at step 12 to receive train.w1.gradient[1]
  /// (model.mlir:12:8) from /job:worker/task:1 train.worker[1]". From the lane's own thread, or
  /// while it is stopped.
  std::string describeWait() const;

  const absl::Status &status() const { return status_; }
  EndReason endReason() const { return endReason_; }
  uint64_t step() const { return currentStep; } ///< steps done
  /// Of a program with a commit point, while the lane is stopped: behind so many steps its task's
  /// variables are as they would be if no other had begun. Nothing: they are between two steps,
  /// since an instruction behind the commit point has failed.
  std::optional<uint64_t> wholeSteps() const;
  const LaneInfo &info() const { return info_; }
  const LaneProgram &ofProgram() const { return *program_; }
  bool takesTickets() const { return tickets_; }
  /// A Blocked lane waits for whoever takes the steps one by one, which is no wait for another task
  /// and lasts as long as it likes.
  bool waitsForStepper() const { return turn_ && port_ == &turn_; }
  /// Somebody takes its steps one by one.
  bool isStepped() const { return bool(turn_); }
  /// Of the lane that chooses the replicas of each step, after it has ended; empty in others. By
  /// replica: the gradients that came too late and were dropped.
  std::vector<uint64_t> dropped() const { return choice_.dropped(); }
  /// Its device has done all that the lane gave it. While the lane is stopped.
  bool isIdle() const { return segments_.isIdle(); }
  LaneFrame &frame() { return *frame_; }

  /// Changes whenever the lane gets on: a wait lasts while it stays the same.
  struct Progress {
    uint64_t step = 0;
    uint32_t iteration = 0, position = 0, sub = 0;
    uint64_t summedBytes = 0;
    friend bool operator==(const Progress &, const Progress &) = default;
  };
  /// From any thread, as place().
  Progress progress() const {
    return {currentStep, iteration, position, sub, messages_.summedBytes()};
  }

private:
  Lane(std::shared_ptr<const LaneProgram> program, LaneInfo info, std::unique_ptr<LaneFrame> frame,
       LaneCallbacks &host);
  /// Where somebody takes the steps one by one: nothing once the lane may begin this one.
  std::optional<LaneState> awaitTurn();
  LaneState beginStep();
  /// Executes from `position`; nothing: the step's instructions are done. Two copies of it, so that
  /// a step that is not traced costs nothing more.
  template <bool kTraced, bool kAgain = false> std::optional<LaneState> execute();
  void traceEntry(const LaneInstruction &instruction);
  void traceWait();
  /// A Receive's or Acquire's buffer is at `memory` from now on.
  void bind(const LaneInstruction &instruction, void *memory);
  LaneState finishStep();
  /// The host takes what a step has made.
  std::optional<LaneState> showStep(uint64_t step);
  /// What a port that is not Ready means for the lane.
  LaneState notReady(transport::Port *port, transport::PollState state,
                     Blocked on = Blocked::Message);
  /// The same of a receiving port whose lane can do nothing before all of `ports` are ready.
  LaneState notReady(transport::RecvPort *port, transport::PollState state,
                     std::span<transport::RecvPort *const> ports);
  /// Into the ring of events: it has begun to wait.
  void noteWait();
  LaneState fail(absl::Status status);
  LaneState misfits(const LaneInstruction &instruction);
  LaneState kernelFailed(const LaneInstruction &instruction, int code);
  LaneState endByEndOfStream();
  /// What becomes of a message of every instance: a sum of them all, one of those chosen, or all of
  /// them end to end.
  SumOutcome takeAll(const LaneInstruction &instruction);
  std::optional<LaneState> goOnAfter(const LaneInstruction &instruction, const SumOutcome &outcome);
  std::optional<LaneState> finishAllReduce(const LaneInstruction &instruction);
  std::optional<LaneState> controlSend(const LaneInstruction &instruction);
  std::optional<LaneState> controlReceive(const LaneInstruction &instruction);
  std::optional<LaneState> takeTicket();
  std::optional<LaneState> waitForDevice(uint64_t step, transport::PollState state);
  std::string describeTicketWait() const;
  /// Of this iteration, counted over the steps of the phase, those before this run among them, and
  /// over all replicas.
  uint64_t microBatchIndex(const LaneInstruction &instruction) const;
  LaneState portFailed(transport::Port *port, transport::PollState state);
  LaneState badControlMessage(const ControlMessage &controlMessage);

  std::shared_ptr<const LaneProgram> program_;
  LaneInfo info_;
  std::unique_ptr<LaneFrame> frame_;
  LaneCallbacks *host_ = nullptr;
  AsyncUpdateTickets *tickets_ = nullptr; // of the program that takes them; else null
  LanePorts ports_;
  MessageSum messages_; // of an Aggregate
  ReplicaChoice choice_;
  LaneAllReduces allReduces_;
  GraphcContext context_{};

  ResumableAllReduce::Outcome waitsFor_; // of the AllReduceDone that blocks
  bool inStep_ = false;
  bool stopping_ = false; // this step's control message was EndPhase
  bool tracing_ = false; // this step
  bool again_ = false; // it goes through steps before donePoint once more
  LanePoint done_; // of a lane that has gone back
  // that the host has taken: one fewer than were given, where the lane runs ahead
  uint64_t shownSteps_ = 0;
  uint64_t controlMessage_ = 0; // this step's control message, in the lane that decides
  // of this step's and of the one before, by its number's last bit: what the control messages said
  bool reports_[2] = {};
  int64_t stepStart_ = 0; // nanoseconds; the end of the step before
  int64_t lastEnd_ = 0; // of a step, that is among the events
  transport::Port *port_ = nullptr;
  transport::RecvPort *gathering_ = nullptr; // port_, where blockedPorts_ are waited for together
  std::span<transport::RecvPort *const> blockedPorts_;
  std::optional<Progress> noted_; // where it was when it last began to wait
  EndReason endReason_ = EndReason::None;
  absl::Status status_;
  LaneTrace *trace_ = nullptr;
  StepwiseGate::Turn turn_;
  LaneSegments segments_; // their queue ends its work before the memory above goes
};

} // namespace graphc::executor
#endif
