//===- Program.h - a plan program as the executor runs it ------------------------------------------------------------*- C++ -*-===//
//
// Immutable and shared by the instances of a family on one task. Made from a verified plan, so nothing is checked here.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_PROGRAM_H
#define GRAPHC_RUNTIME_EXECUTOR_PROGRAM_H

#include "runtime/device/Memory.h"
#include "runtime/executor/KernelLibrary.h"
#include "runtime/kernels/LibraryKernel.h"
#include "runtime/plan/plan.pb.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace graphc::executor {

enum class Op : uint8_t {
  Call,           // kernel(arguments + first)
  LibraryCall,    // frame.libraryKernels[port](arguments + first)
  Receive,        // port: receivePorts; patches: first, count in Program::patches
  Release,
  SendStart,      // ports port … port + count - 1, buffer
  SendDone,
  Aggregate,      // ports port … port + count - 1, buffer, kernel; arguments + first: accumulator, message
  NextBatch,      // first in Program::arguments; plan instruction at `source`
  ControlSend,    // ports port … port + count - 1
  ControlReceive, // port, or noPort: the lane's own word
  Ticket,
};

/// 48 bytes; the step loop walks an array of these and nothing else.
struct Instruction {
  Op op;
  bool locks = false;           // takes lockVariables[lockFirst …] while it runs
  uint16_t lockCount = 0;
  uint32_t lockFirst = 0;
  uint32_t first = 0;           // index into the argument or patch table
  uint32_t count = 0;
  uint32_t port = 0;
  uint32_t buffer = 0;
  uint64_t bytes = 0;
  GraphcKernel kernel = nullptr;
  uint32_t source = 0;          // index of the plan instruction
  uint32_t planKernel = 0;
};

/// One channel instance that an instance of the program uses; resolved to ports by the lane.
struct PortUse {
  uint32_t channel = 0;
  uint32_t instance = 0;        // meaningful unless ownInstance
  bool ownInstance = false;     // instance r of the program uses instance r
};

struct Program {
  static constexpr uint32_t noPort = UINT32_MAX;

  static absl::StatusOr<std::shared_ptr<const Program>> create(const plan::Plan &plan, uint32_t index,
                                                               const KernelLibrary &library);

  const plan::Plan *plan = nullptr;
  const plan::Program *source = nullptr;
  uint32_t index = 0;
  bool locksVariables = false;
  bool hasControlSend = false;
  std::vector<Instruction> instructions;
  std::vector<Instruction> deferredReleases;  // of messages that are fetched: run after Host::stepDone
  std::vector<uint32_t> argumentBuffers;      // the plan buffer of every argument table entry
  std::vector<uint32_t> patches;              // argument table entries to rewrite on a Receive
  std::vector<uint32_t> lockVariables;        // plan variables, ascending within an instruction
  std::vector<PortUse> sendPorts, receivePorts;
  std::vector<kernels::MatmulDesc> libraryKernels; // one a LibraryCall instruction's `port`
  std::vector<uint8_t *> constants;           // one a plan constant that is used, 64-byte aligned, in constantMemory
  device::Memory constantMemory;
  // Index ranges of the argument table for the host's calls.
  uint32_t feedFirst = 0, fetchFirst = 0, sumFirst = 0, countFirst = 0;
};

} // namespace graphc::executor
#endif
