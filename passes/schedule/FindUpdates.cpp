#include "passes/schedule/FindUpdates.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace graphc {

FailureOr<llvm::DenseSet<Operation *>> findUpdates(dist::ProgramOp program,
                                                   const BufferUses &bufferUses) {
  struct Touched {
    bool writesVariables = false, readsOthers = false;
    SmallVector<Value> written; ///< besides variables
  };
  llvm::MapVector<Operation *, Touched> calls;
  llvm::DenseMap<Value, Operation *> lastUses;
  if (failed(bufferUses.forEach([&](Operation &op, const BufferUse &use) {
        lastUses[use.root] = &op;
        if (!isa<dist::CallOp, dist::LibraryCallOp>(op))
          return;
        const bool isVariable = use.root.getDefiningOp<dist::VariableBufferOp>();
        Touched &touched = calls[&op];
        touched.writesVariables |= isVariable && use.written;
        touched.readsOthers |= !isVariable && use.read;
        if (!isVariable && use.written)
          touched.written.push_back(use.root);
      })))
    return failure();
  llvm::DenseSet<Operation *> updates;
  for (const auto &[op, touched] : calls)
    if (touched.writesVariables && touched.readsOthers &&
        llvm::all_of(touched.written,
                     [&, op = op](Value root) { return lastUses.lookup(root) == op; }))
      updates.insert(op);
  return updates;
}

} // namespace graphc
