//===- ScanOps.cpp - the order along a dimension ----------------------------------------------===//
#include "dialects/graph/ops/ConstantFolding.h"
#include "dialects/graph/ops/ExpansionBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/ScanOps.cpp.inc"

void graphc::graph::registerScanOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/ScanOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Constraints
//===------------------------------------------------------------------------------------------===//

// (C1) dimensions is strictly increasing, each one of the operand's
LogicalResult ReverseOp::verify() {
  int64_t rank = tensorOf(getOperand()).getRank(), previous = -1;
  for (int64_t dimension : getDimensions()) {
    if (dimension <= previous || dimension >= rank)
      return emitOpError() << "dimensions must be strictly increasing and less than the rank "
                           << rank << " of the operand, got [" << getDimensions() << "]";
    previous = dimension;
  }
  return success();
}

// (C1) dimension is one of the operand's
LogicalResult CumsumOp::verify() {
  RankedTensorType type = tensorOf(getOperand());
  if (int64_t(getDimension()) >= type.getRank())
    return emitOpError() << "dimension " << getDimension()
                         << " is not one of the operand's, which is " << type;
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Folds
//===------------------------------------------------------------------------------------------===//

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = typeOf(getOperand());
  if (llvm::all_of(getDimensions(),
                   [&](int64_t dimension) { return type.getDimSize(dimension) == 1; }))
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<ReverseOp>();
      inner && inner.getDimensions() == getDimensions())
    return inner.getOperand();
  if (auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
      constant && constant.isSplat())
    return constant;
  return {};
}

/// Along a dimension of one element there is nothing to add.
OpFoldResult CumsumOp::fold(FoldAdaptor) {
  if (typeOf(getOperand()).getDimSize(int64_t(getDimension())) != 1)
    return {};
  return getExclusive() ? OpFoldResult(Builder(getContext()).getZeroAttr(getType()))
                        : OpFoldResult(getOperand());
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

Nests ReverseOp::getLoopNests() {
  RankedTensorType type = typeOf(getResult());
  SmallVector<AffineExpr> place;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    AffineExpr index = getAffineDimExpr(unsigned(i), getContext());
    place.push_back(llvm::is_contained(getDimensions(), i) ? type.getDimSize(i) - 1 - index
                                                           : index);
  }
  return moveFrom(*this, place);
}
Results ReverseOp::buildBody(OpBuilder &, Elements x, Elements, IndexOf) { return {x[0]}; }

/// Along the last dimension each element is read before the result's at its place is written.
LoopAccess CumsumOp::getAccess(unsigned) {
  return int64_t(getDimension()) + 1 == typeOf(getOperand()).getRank() ? LoopAccess::Aligned
                                                                       : LoopAccess::Arbitrary;
}

namespace {
/// The loops of a cumsum. Memory is read in its order: behind the dimension's loop stand those of
/// the dimensions behind it.
struct CumsumLoops {
  CumsumOp op;
  OpBuilder &builder;
  Value operand, result;
  RankedTensorType type = typeOf(op.getResult());
  int64_t along = int64_t(op.getDimension()), size = type.getDimSize(along);
  SmallVector<Value> place = SmallVector<Value>(size_t(type.getRank()));
  ScalarArithmetic s{builder, op.getLoc()};

  Value number(int64_t value) { return s.make<arith::ConstantIndexOp>(value); }
  scf::ForOp loop(int64_t from, int64_t to, ValueRange carried = {}) {
    auto made =
        scf::ForOp::create(builder, op.getLoc(), number(from), number(to), number(1), carried);
    builder.setInsertionPointToStart(made.getBody());
    return made;
  }
  void over(int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i)
      place[size_t(i)] = loop(0, type.getDimSize(i)).getInductionVar();
  }
  /// The place of step `index`, counted from where the sums begin.
  SmallVector<Value> at(Value index) {
    SmallVector<Value> where(place);
    where[size_t(along)] = op.getReverse() ? s.make<arith::SubIOp>(number(size - 1), index) : index;
    return where;
  }
  Value load(Value memory, ValueRange where) { return s.make<memref::LoadOp>(memory, where); }
  void store(Value value, ValueRange where) {
    memref::StoreOp::create(builder, op.getLoc(), value, result, where);
  }

  /// The sum is carried from step to step. What it begins with changes no element: -0 is nothing to
  /// a float.
  void alongLast() {
    const bool exclusive = op.getExclusive();
    over(0, along);
    Value start = s.constant(type.getElementType(),
                             !exclusive && isa<FloatType>(type.getElementType()) ? -0.0 : 0);
    scf::ForOp steps = loop(0, size, start);
    SmallVector<Value> here = at(steps.getInductionVar());
    Value before = steps.getRegionIterArg(0), sum = s.add(before, load(operand, here));
    store(exclusive ? before : sum, here);
    scf::YieldOp::create(builder, op.getLoc(), sum);
  }

  /// Whole lines at once: the sum up to the line before is in the result.
  void alongOther() {
    const bool exclusive = op.getExclusive();
    over(0, along);
    OpBuilder::InsertPoint line = builder.saveInsertionPoint();
    over(along + 1, type.getRank());
    SmallVector<Value> first = at(number(0));
    store(exclusive ? s.constant(type.getElementType(), 0) : load(operand, first), first);
    builder.restoreInsertionPoint(line);
    if (size == 1)
      return;
    Value step = loop(1, size).getInductionVar();
    over(along + 1, type.getRank());
    SmallVector<Value> here = at(step), before = at(s.make<arith::SubIOp>(step, number(1)));
    store(s.add(load(result, before), load(operand, exclusive ? before : here)), here);
  }
};
} // namespace

void CumsumOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                          const LoopTarget &) {
  OpBuilder::InsertionGuard guard(builder);
  CumsumLoops loops{*this, builder, operands[0], outs[0]};
  int64_t(getDimension()) + 1 == loops.type.getRank() ? loops.alongLast() : loops.alongOther();
}

//===------------------------------------------------------------------------------------------===//
// Gradients
//===------------------------------------------------------------------------------------------===//

void ReverseOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  result[0] = ReverseOp::create(builder, getLoc(), getType(), g[0], getDimensions());
}

// Each element is in the sums from its place on.
void CumsumOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  result[0] = CumsumOp::create(builder, getLoc(), getType(), g[0], getDimension(), getExclusive(),
                               !getReverse());
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t ReverseOp::getFlops() { return 0; }
uint64_t CumsumOp::getFlops() { return count(getResult()); }
