#include "passes/outline/VerifyExplicitLoops.h"

#include "passes/PartRangeLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace graphc {

using namespace graph;

namespace {

/// An index: factor * loop + offset, `loop` null for a constant.
struct LinearIndex {
  Value loop;
  int64_t factor = 0, offset = 0;
  bool operator==(const LinearIndex &) const = default;
};

/// Nothing where the index is data, or depends on two loops.
std::optional<LinearIndex> getLinear(Value index) {
  if (APInt number; matchPattern(index, m_ConstantInt(&number)))
    return LinearIndex{{}, 0, number.getSExtValue()};
  Operation *op = index.getDefiningOp();
  if (!op) {
    auto loop = dyn_cast<scf::ForOp>(cast<BlockArgument>(index).getOwner()->getParentOp());
    return loop && loop.getInductionVar() == index ? std::optional(LinearIndex{index, 1, 0})
                                                   : std::nullopt;
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return {};
  std::optional<LinearIndex> a = getLinear(op->getOperand(0)), b = getLinear(op->getOperand(1));
  if (!a || !b || (a->loop && b->loop))
    return {};
  Value loop = a->loop ? a->loop : b->loop;
  if (isa<arith::AddIOp>(op))
    return LinearIndex{loop, a->factor + b->factor, a->offset + b->offset};
  if (isa<arith::SubIOp>(op))
    return LinearIndex{loop, a->factor - b->factor, a->offset - b->offset};
  int64_t by = a->loop ? b->offset : a->offset;
  return LinearIndex{loop, by * (a->loop ? a->factor : b->factor), a->offset * b->offset};
}

/// Whether different iterations of the loop load from, and store to, different places: one index of
/// both is the same function of the loop, which takes no value twice.
bool separates(scf::ForOp loop, memref::LoadOp load, memref::StoreOp store) {
  return llvm::any_of(llvm::zip_equal(load.getIndices(), store.getIndices()), [&](auto indices) {
    std::optional<LinearIndex> a = getLinear(std::get<0>(indices)),
                               b = getLinear(std::get<1>(indices));
    return a && b && *a == *b && a->loop == loop.getInductionVar() && a->factor != 0;
  });
}

/// Whether a part of the loops loads elements of its own alone: one index goes over the range of
/// parts that is given.
bool isOfItsParts(const PartLoop &parts, memref::LoadOp load) {
  return llvm::any_of(load.getIndices(), [&](Value index) {
    auto argument = dyn_cast<BlockArgument>(index);
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
    return loop && loop.getInductionVar() == index && loop.getLowerBound() == parts.first &&
           loop.getUpperBound() == parts.limit;
  });
}

/// Whether no element that is loaded was stored before: in each iteration of the loops around both
/// the load comes first, and each iteration has places of its own; in a loop over parts each part
/// has.
bool isReadFirst(memref::LoadOp load, memref::StoreOp store) {
  for (Operation *first = load; first == load || isa<scf::SCFDialect>(first->getDialect());
       first = first->getParentOp()) {
    Operation *second = first->getBlock()->findAncestorOpInBlock(*store);
    if (!second)
      continue;
    if (first == second || !first->isBeforeInBlock(second))
      return false;
    for (Operation *around = first->getParentOp(); isa<scf::SCFDialect>(around->getDialect());
         around = around->getParentOp())
      if (std::optional<PartLoop> parts = PartLoop::match(around)) {
        if (!isOfItsParts(*parts, load))
          return false;
      } else if (auto loop = dyn_cast<scf::ForOp>(around);
                 loop ? !separates(loop, load, store) : !isa<scf::IfOp>(around))
        return false;
    return true;
  }
  return false;
}

bool mayStandInLoops(Operation *op) {
  return isa<memref::LoadOp, memref::StoreOp>(op) ||
         isa<arith::ArithDialect, math::MathDialect, scf::SCFDialect>(op->getDialect());
}

} // namespace

/// What outline relies on, looked for in the loops that the op has made: what they write, what they
/// read of variables, and of aligned operands that each element is read before it is written.
LogicalResult verifyLoops(ExplicitLoopsOpInterface op, ArrayRef<Operation *> made,
                          ValueRange operands, ValueRange outs) {
  SmallVector<memref::LoadOp> loads;
  SmallVector<memref::StoreOp> stores;
  Operation *strange = nullptr;
  for (Operation *top : made)
    top->walk<WalkOrder::PreOrder>([&](Operation *inner) {
      if (!mayStandInLoops(inner) && !strange)
        strange = inner;
      if (auto load = dyn_cast<memref::LoadOp>(inner))
        loads.push_back(load);
      if (auto store = dyn_cast<memref::StoreOp>(inner))
        stores.push_back(store);
    });
  if (strange)
    return op.emitOpError("has loops with ")
           << strange->getName()
           << " in them, expected scf, arith, math, memref.load and memref.store";
  auto writes = [&](Value out) {
    return llvm::any_of(stores, [&](memref::StoreOp store) { return store.getMemRef() == out; });
  };
  for (memref::StoreOp store : stores)
    if (!llvm::is_contained(outs, store.getMemRef()))
      return op.emitOpError("has loops that write memory other than its results' and variables'");
  VariableNames read = getReadVariables(op), written = getWrittenVariables(op);
  for (auto [i, out] : llvm::enumerate(outs)) {
    bool isResult = i < op->getNumResults();
    FlatSymbolRefAttr name = isResult ? FlatSymbolRefAttr() : written[i - op->getNumResults()];
    if (!writes(out)) {
      InFlightDiagnostic diag = op.emitOpError("has loops that never write ");
      return isResult ? diag << "result #" << i : diag << name;
    }
    if (!isResult && !llvm::is_contained(read, name) &&
        llvm::any_of(loads, [&](memref::LoadOp load) { return load.getMemRef() == out; }))
      return op.emitOpError("has loops that read ")
             << name << ", which by its effects it only writes";
  }
  for (unsigned i = 0; op->getNumResults() && i < operands.size(); ++i)
    if (op.getAccess(i) == LoopAccess::Aligned)
      for (memref::LoadOp load : loads)
        for (memref::StoreOp store : stores)
          if (load.getMemRef() == operands[i] && store.getMemRef() == outs[0] &&
              !isReadFirst(load, store))
            return op.emitOpError("declares operand #")
                   << i
                   << " aligned, but its loops are not seen to read each element before they write the result's at "
                   << "the same place";
  return success();
}

} // namespace graphc
