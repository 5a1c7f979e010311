//===- LaneProgram.h - a plan program as the executor runs it -----------------------*- C++ -*-===//
//
// Immutable and shared by the instances of a replicated program on one task. Made from a verified
// plan, so nothing is checked here. Everything an instruction names is resolved to an index into a
// table of the lane (ports) or frame (arguments), so that the step loop does no look-up.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_LANEPROGRAM_H
#define GRAPHC_RUNTIME_EXECUTOR_LANEPROGRAM_H

#include "runtime/common/plan/plan.pb.h"
#include "runtime/executor/LoadedKernels.h"
#include "runtime/executor/ProgramConstants.h"
#include "runtime/kernels/KernelRegistry.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace graphc::executor {

enum class LaneOp : uint8_t {
  Call, // kernel(arguments + first)
  CallInBlocks, // the same, `port` blocks of it, for the threads of the pool
  LibraryCall, // libraryKernels[port](arguments + first)
  Receive, // receives[port]; binds buffer and arguments[patches[first … first + count)]
  Acquire, // sends[port]; binds buffer and arguments as Receive does
  Release, // receives[port]; unbinds buffer
  // sends[port … port + count), buffer: the same for each, or `bytes` further on for the next
  SendStart,
  // SendStart of the next step's message, unless the control message says that there is no next
  // step
  SendAhead,
  SendDone, // sends[port … port + count)
  // receives[port … port + count), buffer, kernel a chunk of `bytes`; arguments + first:
  // accumulator, then its own message and the partial sums, where it has them
  Aggregate,
  Collect, // receives[port … port + count); arguments[first]: messages of `bytes`, end to end
  Choose, // receives[port … port + count), take; buffer: version, chosen: which of them
  Again, // count times: back to the instruction behind the last `first`
  // arguments[first … first + count): value, partial sums; kernel a chunk of `bytes`; take: values
  // of a leaf
  Accumulate,
  NextBatch, // arguments[first … first + count): components, then the mask where the plan has one
  MicroBatchIndex, // arguments[first]: of micro-batch `port` of `count`
  ControlSend, // sends[port … port + count), instance 0 only
  // receives[port]; noPort, or instance 0 of the program with the ControlSend: the lane's own
  // control message
  ControlReceive,
  Ticket,
  AllReduceStart, // allReduces[port]
  AllReduceDone, // likewise
  AllReduceRelease, // likewise: nothing below reads its sums
  Give, // segments[port], to the lane's queue
  // the lane waits until segments[port] of this step is done; `local`: in this iteration, else for
  // the last time
  Wait,
  // Of a segment alone: recorded when the lane is made, as of `queue`.
  QueueCall, // launches[port](arguments + first, count)
  QueueLibraryCall, // libraryKernels[port](arguments + first, count)
  QueueCopy, // arguments[first] = arguments[first + 1], of `bytes`
  QueueAccumulate, // as Accumulate; the kernel is launches[port]
  QueueSignal, // its count of the step is `count`
  QueueWait, // for queue `port` to count to `count` of this step
};

/// One cache line; the step loop walks an array of these.
struct alignas(64) LaneInstruction {
  LaneOp op = LaneOp::Call;
  bool local = false; // ControlReceive of the program that holds the ControlSend; Wait
  uint16_t lockCount = 0; // variables to lock while it runs: lockVariables[lockFirst …]
  uint32_t lockFirst = 0;
  uint32_t first = 0;
  uint32_t count = 0;
  uint32_t port = 0;
  uint32_t buffer = 0;
  // Aggregate, Accumulate: of one chunk; Collect, SendStart that deals: of a message, the largest
  uint64_t bytes = 0;
  GraphcKernel kernel = nullptr;
  const plan::Instruction *source = nullptr;
  uint32_t planKernel = 0; // for messages
  union {
    // buffer with one i1 an instance: of Choose; of Aggregate, where it has one
    uint32_t chosen = UINT32_MAX;
    // of Receive, SendStart, Collect, where messages have an actual size: buffer with one i64 a
    // message
    uint32_t counts;
  };
  union {
    uint32_t take = 0;
    uint32_t queue; // from 0: the plan's queue less 1
  };
  uint32_t partials = UINT32_MAX; // of Aggregate: argument, where it has one
};
static_assert(sizeof(LaneInstruction) == 64);

/// One channel instance that an instance of the program uses; resolved to a port by the lane.
struct PortUse {
  enum Who : uint8_t { All, First, NotFirst }; // which instances of the program use it
  uint32_t channel = 0;
  uint32_t instance = 0; // of the channel; unless ownInstance
  bool ownInstance = false; // instance r of the program uses instance r
  // instance r of the program exchanges with instance `instance`; with itself there is no port
  bool allToAll = false;
  Who who = All;
};

/// What queues are given at once: given[first … first + count). In a loop several times a step.
struct SegmentUse {
  uint32_t first = 0, count = 0;
  uint32_t before = 0; // segments that a step is done with before it, those of loops each time
  uint32_t loop = 0; // from 1; 0: in none
  uint32_t every = 0, times = 1; // in a loop: segments of one iteration; how many iterations
  uint32_t perLeaf = 0; // of the sums in it; 0: it has none
};

/// A compiled kernel on the program's device.
struct CompiledKernel {
  const device::DeviceCode *code = nullptr;
  uint32_t entry = 0;
};

struct LibraryUse {
  kernels::LibraryCall call;
  uint64_t scratchBytes = 0;
  std::string algorithm; ///< of a GPU's library
};

/// One all-reduce of a step; its ports are consecutive, one an instance.
struct AllReduceCall {
  const plan::Instruction *source = nullptr;
  uint32_t sendPort = 0, receivePort = 0;
  uint32_t arguments = 0; // buffer, scratch
  GraphcKernel add = nullptr;
  /// The plan has a Release of the sums: what reads them before may be given them where the
  /// instances made them.
  bool released = false;
  struct Read {
    uint32_t argument; // entry of the argument table
    uint64_t offset; // in the buffer
  };
  std::vector<Read> reads = {}; // of calls before the Release
};

struct LaneProgram {
  static constexpr uint32_t noPort = UINT32_MAX;

  /// `plan` and `library` must outlive the program.
  static absl::StatusOr<std::shared_ptr<const LaneProgram>>
  create(const plan::Plan &plan, uint32_t index, const LoadedKernels &library);

  const plan::Plan *plan = nullptr;
  const plan::Program *source = nullptr;
  device::Device *device = nullptr;
  uint32_t index = 0;
  bool endsByEndOfStream = false;
  bool runsAhead = false; // StepRunAhead.h
  // first what is done before the first step alone: the sends ahead of it
  std::vector<LaneInstruction> instructions;
  std::vector<uint32_t> planPlaces; // of each instruction: which of the plan's it is
  uint32_t stepFirst = 0; // where the other steps begin
  std::vector<bool> doneOnce; // of each instruction: RejoinableTasks.h
  // of messages that are fetched: run after LaneCallbacks::stepDone
  std::vector<LaneInstruction> deferredReleases;
  std::vector<uint32_t> argumentBuffers; // the plan buffer of every argument table entry
  std::vector<uint32_t> patches; // argument table entries to rewrite on a Receive or Acquire
  std::vector<uint32_t> lockVariables; // plan variables, ascending within an instruction
  std::vector<PortUse> sendPorts, receivePorts;
  std::vector<LibraryUse> libraryCalls;
  std::vector<CompiledKernel> launches;
  std::vector<LaneInstruction> given; // to queues
  std::vector<SegmentUse> segments;
  uint32_t segmentsOfStep = 0; // all times of each
  std::vector<AllReduceCall> allReduces;
  uint32_t mostMessages = 0; // that one Aggregate takes
  bool callsInBlocks = false;
  // Where in the argument table the host's buffers are.
  uint32_t feedFirst = 0, fetchFirst = 0, sumFirst = 0, countFirst = 0;

  ProgramConstants hostConstants, deviceConstants;
};

} // namespace graphc::executor
#endif
