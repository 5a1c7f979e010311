#include "passes/schedule/BindSlots.h"

#include "passes/schedule/BufferUses.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace graphc {

/// Below a page the copy is cheaper than an instruction more.
static constexpr uint64_t kLeastSlotBytes = 4096;

namespace {
struct Candidate {
  Block *block = nullptr; ///< of the step, or of a loop
  Operation *firstWrite = nullptr;
  dist::SendStartOp send;
  bool excluded = false;
};
} // namespace

FailureOr<unsigned> placeInSlots(dist::ProgramOp program, const SymbolTable &symbols) {
  BufferUses bufferUses(program, symbols);
  llvm::MapVector<Value, Candidate> candidates;
  LogicalResult result = bufferUses.forEach(
      [&](Operation &op, const BufferUse &use) {
        if (!use.root.getDefiningOp<dist::BufferOp>())
          return;
        Candidate &candidate = candidates[use.root];
        // What is sent in each iteration is made there, and nobody else sees it.
        candidate.block = candidate.block ? candidate.block : op.getBlock();
        if (candidate.block != op.getBlock())
          candidate.excluded |=
              use.written || isa<dist::SendStartOp>(op) || candidate.block != &program.getBlock();
        if (use.written && !candidate.firstWrite)
          candidate.firstWrite = &op;
        // What the host writes and what a loop's sums are kept in lies in the arena, and what is
        // sent stays as it is.
        candidate.excluded |=
            use.written && (candidate.send ||
                            isa<dist::FeedIntoOp, dist::NextBatchIntoOp, dist::AccumulateOp>(op));
        // What else a send reads, how long its message is, is not what leaves.
        if (auto send = dyn_cast<dist::SendStartOp>(op);
            send && use.until == dist::BufferHold::SendDone) {
          auto channel = symbols.lookup<dist::ChannelOp>(send.getChannel());
          // A slot holds one message, so a buffer of which a part is sent does not fit into it.
          candidate.excluded |=
              candidate.send || channel.getAllToAll() ||
              channel.getInstances() != program.getReplicas() ||
              dist::getBufferBytes(send.getValue()) != dist::getBufferBytes(use.root);
          candidate.send = send;
        }
      },
      /*inLoops=*/true);
  if (failed(result))
    return failure();
  // by buffer, and views of views, in the order of the text
  llvm::DenseMap<Value, SmallVector<Operation *>> views;
  program.getBody().walk(
      [&](dist::ViewOp view) { views[bufferUses.getRoot(view.getBuffer())].push_back(view); });
  unsigned placed = 0;
  for (auto &[root, candidate] : candidates) {
    if (candidate.excluded || !candidate.send || !candidate.firstWrite ||
        dist::getBufferBytes(root) < kLeastSlotBytes)
      continue;
    // A message has the type of its channel, which a view may have given the value.
    OpBuilder builder(candidate.firstWrite);
    auto type = cast<MemRefType>(candidate.send.getValue().getType());
    auto acquire =
        dist::AcquireOp::create(builder, root.getLoc(), type, candidate.send.getChannelAttr());
    Value slot = acquire.getBuffer(), memory = slot;
    if (type != root.getType())
      memory = dist::ViewOp::create(builder, root.getLoc(), root.getType(), slot);
    for (Operation *view : views.lookup(root))
      view->moveBefore(candidate.firstWrite);
    root.replaceAllUsesWith(memory);
    candidate.send.getValueMutable().assign(slot);
    root.getDefiningOp()->erase();
    ++placed;
  }
  return placed;
}

} // namespace graphc
