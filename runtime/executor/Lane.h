//===- Lane.h - a resumable cursor over one program instance --------------------------------------------------*- C++ -*-===//
//
// A lane never blocks by itself: run() executes instructions until a step is done, the phase ends or a port is not ready,
// and then says which port. A thread waits on that port and calls again (LaneRunner.h); the simulator runs another lane.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_LANE_H
#define GRAPHC_RUNTIME_EXECUTOR_LANE_H

#include "runtime/executor/AllReduce.h"
#include "runtime/executor/Frame.h"
#include "runtime/executor/Host.h"
#include "runtime/executor/Program.h"
#include "runtime/executor/QueuePort.h"
#include "runtime/executor/StepStats.h"
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

class Lane {
public:
  /// `ports` are resolved from `transport` here. All arguments but `frame` must outlive the lane.
  static absl::StatusOr<std::unique_ptr<Lane>> create(std::shared_ptr<const Program> program, LaneInfo info,
                                                      std::unique_ptr<Frame> frame, transport::Transport &transport,
                                                      Host &host);
  ~Lane();

  LaneState run();

  /// Messages of a family that are added whole are waited for all at once up to this size: to add them is then nothing beside
  /// being woken for each.
  static constexpr uint64_t mostGatheredBytes = 64 << 10;

  /// What a Blocked lane waits on.
  transport::Port *port() const { return blockedPort; }
  /// Waits until a Blocked lane may get on, as Port::wait does.
  void wait(absl::Duration timeout);
  /// For people: "/job:ps/task:0 train.ps0 waits at step 12 to receive train.w1.gradient[1] (model.mlir:12:8) from
  /// /job:worker/task:1 train.worker[1]". From the lane's own thread, or while it is stopped.
  std::string describeWait() const;

  const absl::Status &status() const { return failure; }
  EndReason endReason() const { return reason; }
  uint64_t step() const { return currentStep; } ///< steps done
  const LaneInfo &info() const { return laneInfo; }
  bool takesTickets() const { return tickets; }
  /// Of the lane that chooses the replicas of each step, after it has ended; empty in others. By replica: the gradients that
  /// came too late and were dropped.
  std::vector<uint64_t> dropped() const;
  const StepStats &stats() const { return stepStats; }
  Frame &frame() { return *laneFrame; }

  /// Changes whenever the lane gets on: a wait lasts while it stays the same.
  struct Progress {
    uint64_t step = 0;
    uint32_t position = 0, sub = 0;
    uint64_t summedBytes = 0;
    friend bool operator==(const Progress &, const Progress &) = default;
  };
  Progress progress() const { return {currentStep, position, sub, summedBytes}; }

private:
  Lane() = default;
  absl::Status resolvePorts(transport::Transport &transport);
  absl::Status makeQueues(const transport::Transport &transport);
  void makeAllReduces();
  /// The sums of an all-reduce in one range: those of instances on this host where these have them, the others' and its own from
  /// its buffer. No memory where there is nothing to gain. `arenas`, by instance: where its
  /// program's begins in its zero-copy memory. `pieces` gets where each other instance's lies, null where it is copied.
  device::Memory joinSums(const AllReduceCall &call, const std::vector<uint64_t> &arenas,
                          std::vector<const uint8_t *> &pieces) const;
  LaneState beginStep();
  /// Executes from `position`; nothing: the step's instructions are done.
  std::optional<LaneState> execute();
  /// A Receive's or Acquire's buffer is at `memory` from now on.
  void bind(const Instruction &instruction, void *memory);
  LaneState finishStep();
  /// What a port that is not Ready means for the lane.
  LaneState notReady(transport::Port *port, transport::PollState state);
  /// The same of a receiving port whose lane can do nothing before all of `ports` are ready.
  LaneState notReady(transport::RecvPort *port, transport::PollState state,
                     std::span<transport::RecvPort *const> ports);
  LaneState fail(absl::Status status);
  LaneState kernelFailed(const Instruction &instruction, int code);
  LaneState endByEndOfStream();
  std::optional<LaneState> aggregate(const Instruction &instruction);
  /// How far a message of an Aggregate is here.
  struct Arriving {
    bool seen = false; // something of it is here
    uint64_t here = 0, added = 0; // bytes from its start: that are here, that are in the sum
    bool isWhole(uint64_t bytes) const { return seen && here == bytes; }
  };
  /// Ready: there is more of it than before.
  transport::PollState lookAt(Arriving &message, const Instruction &instruction, uint32_t instance, uint64_t bytes);
  /// Adds what can be added of messages[summed … end); the code of a kernel that failed, or 0.
  int addMessages(const Instruction &instruction, uint64_t bytes, uint32_t end);
  /// One time's value of a loop into its sums; the code of a kernel that failed, or 0.
  int accumulate(const Instruction &instruction) const;
  /// Gets the all-reduces under way on while their peers keep up; what goes wrong is told by finishAllReduce.
  void advanceAllReduces();
  std::optional<LaneState> finishAllReduce(const Instruction &instruction);
  std::optional<LaneState> controlSend(const Instruction &instruction);
  std::optional<LaneState> controlReceive(const Instruction &instruction);
  std::optional<LaneState> takeTicket();
  /// What a queue counts to for its n-th signal of this step.
  uint64_t countOf(uint32_t queue, uint32_t n) const { return currentStep * program->signals[queue] + n; }
  std::optional<LaneState> waitForQueue(const Instruction &instruction);
  std::string describeTicketWait() const;
  // Backup workers (LaneChoice.cpp).
  std::optional<LaneState> choose(const Instruction &instruction);
  std::optional<LaneState> aggregateChosen(const Instruction &instruction);
  std::string describeChoice(const Instruction &instruction) const;
  LaneState portFailed(transport::Port *port, transport::PollState state);
  LaneState badControlMessage(const ControlMessage &controlMessage);

  std::shared_ptr<const Program> program;
  LaneInfo laneInfo;
  std::unique_ptr<Frame> laneFrame;
  Host *host = nullptr;
  std::vector<int64_t> reports; // of the Choose: the version that each instance has reported last
  std::vector<uint64_t> accepted; // by instance
  Tickets *tickets = nullptr; // of the program that takes them; else null
  std::vector<transport::SendPort *> sends; // by Program::sendPorts; null where this instance has none
  std::vector<transport::RecvPort *> receives; // by Program::receivePorts; likewise
  GraphcContext context{};

  uint32_t position = 0; // instruction
  uint32_t sub = 0; // instance within an instruction that touches a family
  uint32_t iteration = 0; // of a loop
  uint32_t summed = 0; // of an Aggregate: messages that are in the sum whole
  uint64_t summedBytes = 0; // by all Aggregates so far
  std::vector<AllReduce> allReduces; // by Program::allReduces
  std::vector<device::Memory> sums; // likewise
  std::vector<AllReduce *> underWay; // in the order of their starts; has room for all
  AllReduce::Outcome waitsFor; // of the AllReduceDone that blocks
  std::vector<Arriving> messages; // of an Aggregate, by instance
  std::vector<const uint8_t *> addends; // likewise: where they begin
  bool inStep = false;
  bool stopping = false; // this step's control message was EndPhase
  uint64_t currentStep = 0;
  uint64_t controlMessage = 0; // this step's control message, in the lane that decides
  int64_t stepStart = 0; // nanoseconds; the end of the step before
  transport::Port *blockedPort = nullptr;
  transport::RecvPort *gathering = nullptr; // blockedPort, where blockedPorts are waited for together
  std::span<transport::RecvPort *const> blockedPorts;
  EndReason reason = EndReason::None;
  absl::Status failure;
  StepStats stepStats;
  std::vector<std::unique_ptr<device::Queue>> queues; // they end their work before the memory above goes
  std::vector<QueuePort> queuePorts; // likewise
};

} // namespace graphc::executor
#endif
