#include "passes/schedule/SendUpdatesAhead.h"

#include "passes/schedule/BufferUses.h"

using namespace mlir;

namespace graphc {

namespace {
struct Writes {
  Operation *first = nullptr, *last = nullptr;
};
} // namespace

FailureOr<unsigned> sendAhead(dist::ProgramOp program, const SymbolTable &symbols) {
  auto control = dyn_cast_if_present<dist::ControlReceiveOp>(
      program.getBlock().getTerminator()->getPrevNode());
  // Where the phase ends by end of stream nobody knows whether another step follows. Among the
  // instances of a replicated program the control message itself is a message, which only the end
  // of a step keeps out of every circle.
  if (!control || program.isReplicated())
    return 0;
  BufferUses bufferUses(program, symbols);
  llvm::DenseMap<Value, Writes> variables;
  SmallVector<dist::SendStartOp> sends;
  LogicalResult result = bufferUses.forEach([&](Operation &op, const BufferUse &use) {
    if (!use.root.getDefiningOp<dist::VariableBufferOp>())
      return;
    Writes &writes = variables[use.root];
    // Sent after a write, it is a value of this step.
    if (auto send = dyn_cast<dist::SendStartOp>(op); send && !send.getCount() && !writes.first)
      sends.push_back(send);
    if (use.written) {
      writes.first = writes.first ? writes.first : &op;
      writes.last = &op;
    }
  });
  if (failed(result))
    return failure();
  if (sends.empty())
    return 0;
  SmallVector<Operation *> moved;
  for (dist::SendStartOp send : llvm::reverse(sends)) { // of one variable they keep their order
    Operation *last = variables[bufferUses.getRoot(send.getValue())].last;
    if (!last)
      continue;
    send->moveAfter(last);
    send.setAhead(true);
    // The message in use and the one ahead of it: the send never waits for what its readers do in
    // this step.
    auto channel = symbols.lookup<dist::ChannelOp>(send.getChannel());
    channel.setCapacity(std::max<uint64_t>(channel.getCapacity(), 2));
    moved.push_back(send);
  }
  // asked once all stand where they belong: each move makes the block number its operations anew
  if (!moved.empty())
    control->moveBefore(*llvm::min_element(
        moved, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); }));
  return unsigned(moved.size());
}

} // namespace graphc
