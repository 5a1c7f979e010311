#include "passes/schedule/ReorderOperations.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace graphc {

unsigned writeOrder(dist::ProgramOp program, const SymbolTable &symbols,
                    const ProgramParts &parts) {
  Operation *end = program.getBlock().getTerminator();
  llvm::DenseMap<Operation *, Operation *> before;
  Operation *previous = nullptr;
  for (Operation &op : program.getBlock())
    if (!isDeclaration(op)) {
      before[&op] = previous;
      previous = &op;
    }
  BufferUses bufferUses(program, symbols);
  llvm::MapVector<Value, SmallVector<Operation *>> views;
  for (Operation *op : parts.declarations) {
    Value root = bufferUses.getRoot(op->getResult(0));
    if (root.getDefiningOp<dist::ReceiveOp>())
      views[root].push_back(op);
    else
      op->moveBefore(end);
  }
  for (Operation *op : parts.feeds)
    op->moveBefore(end);
  for (Operation *op : parts.ordered) {
    if (op == parts.commits && parts.control) // the last thing that is waited for
      parts.control->moveBefore(end);
    op->moveBefore(end);
    if (op->getNumResults())
      for (Operation *view : views.lookup(op->getResult(0)))
        view->moveBefore(end);
  }
  for (Operation *op : parts.results)
    op->moveBefore(end);
  if (parts.control && !parts.commits)
    parts.control->moveBefore(end);

  unsigned moved = 0;
  previous = nullptr;
  for (Operation &op : program.getBlock())
    if (!isDeclaration(op)) {
      moved += before[&op] != previous;
      previous = &op;
    }
  return moved;
}

} // namespace graphc
