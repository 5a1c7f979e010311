// schedule: spaces, order, transfers, what leaves ahead, memory, queues, zero-copy channels, cost.
// Each is a file of its own; this one joins them and keeps the statistics.
#include "passes/Passes.h"
#include "runtime/common/base/OpCount.h"

#include "dialects/graph/GraphDialect.h"
#include "passes/schedule/AssignOffsets.h"
#include "passes/schedule/AssignQueues.h"
#include "passes/schedule/AssignSpaces.h"
#include "passes/schedule/BindSlots.h"
#include "passes/schedule/MarkZeroCopy.h"
#include "passes/schedule/OpTimes.h"
#include "passes/schedule/OrderPhase.h"
#include "passes/schedule/SendUpdatesAhead.h"
#include "passes/schedule/SplitTransfers.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_SCHEDULEPROGRAMS
#include "passes/Passes.h.inc"

namespace {

struct ScheduleProgramsPass : impl::ScheduleProgramsBase<ScheduleProgramsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto phase : module.getOps<dist::PhaseOp>())
      if (failed(schedulePhase(module, phase)))
        return signalPassFailure();
  }

private:
  LogicalResult schedulePhase(ModuleOp module, dist::PhaseOp phase) {
    SymbolTable symbols(module);
    for (auto program : module.getOps<dist::ProgramOp>())
      if (program.getPhase() == phase.getSymName() && program.hasQueues()) {
        FailureOr<unsigned> copies = placeInSpaces(program, symbols);
        if (failed(copies))
          return failure();
        numCopies += *copies;
      }
    FailureOr<unsigned> moved = orderPhase(module, phase);
    if (failed(moved))
      return failure();
    numMoved += *moved;
    for (auto program : module.getOps<dist::ProgramOp>()) {
      if (program.getPhase() != phase.getSymName())
        continue;
      if (failed(splitTransfers(program, symbols)))
        return failure();
      FailureOr<unsigned> ahead = sendAhead(program, symbols);
      if (failed(ahead))
        return failure();
      numAhead += *ahead;
      FailureOr<unsigned> inSlots = placeInSlots(program, symbols);
      if (failed(inSlots))
        return failure();
      numInSlots += *inSlots;
      FailureOr<ArenaSizes> sizes = planMemory(program, symbols);
      if (failed(sizes))
        return failure();
      arenaBytes += sizes->bytes;
      arenaLowerBound += sizes->lowerBound;
      bufferBytes += sizes->total;
      if (program.hasQueues()) {
        FailureOr<unsigned> waits = fillQueues(program, symbols);
        if (failed(waits))
          return failure();
        numWaits += *waits;
      }
      uint64_t flops = 0;
      for (Operation &op : program.getBlock())
        flops = base::addOps(flops, getFlops(&op, symbols));
      program->setAttr("dist.flops", Builder(module).getI64IntegerAttr(int64_t(flops)));
    }
    FailureOr<unsigned> zeroCopy = markZeroCopy(module, phase);
    if (failed(zeroCopy))
      return failure();
    numZeroCopy += *zeroCopy;
    return success();
  }
};

} // namespace
} // namespace graphc
