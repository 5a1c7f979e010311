//===- TopKOps.cpp - the largest elements of each row -----------------------------------------===//
#include "dialects/graph/ops/ExpansionBuilder.h"
#include "dialects/graph/ops/ExplicitLoops.h"
#include "dialects/graph/ops/PassOpBuilders.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/TopKOps.cpp.inc"

void graphc::graph::registerTopKOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/TopKOps.cpp.inc"
      >(dialect);
}

// (C1) 1 <= k <= last dimension   (C2) types of the results
LogicalResult TopKOp::verify() {
  RankedTensorType type = tensorOf(getOperand());
  const int64_t k = int64_t(getK());
  if (type.getRank() < 1 || k > type.getShape().back())
    return emitOpError() << "k must be from 1 to the size of the operand's last dimension, got "
                         << k << " and " << type;
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = k;
  if (getValues().getType() != type.clone(shape))
    return emitOpError() << "values must be of type " << type.clone(shape) << ", got "
                         << getValues().getType();
  auto of = [&](unsigned bits) {
    return RankedTensorType::get(shape, IntegerType::get(getContext(), bits));
  };
  if (getIndices().getType() != of(32) && getIndices().getType() != of(64))
    return emitOpError() << "indices must be of type " << of(32) << " or " << of(64) << ", got "
                         << getIndices().getType();
  if (getIndices().getType() == of(32) && type.getShape().back() > int64_t(1) << 31)
    return emitOpError() << "indices must be of type " << of(64) << ", as the last dimension of "
                         << type << " has indices that no i32 holds";
  return success();
}

/// Rows are found one by one, so that each has parts of its own.
int64_t TopKOp::getParts() {
  int64_t rows = 1;
  for (int64_t size : typeOf(getOperand()).getShape().drop_back())
    rows *= size;
  return rows;
}
void TopKOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                        const LoopTarget &target) {
  buildAllParts(*this, builder, operands, outs, target);
}

/// Whether `a` comes before `b`, which stands before it.
static Value isLarger(OpBuilder &builder, Location loc, Value a, Value b) {
  if (!isa<FloatType>(a.getType()))
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, a, b);
  Value larger = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, a, b);
  Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, a, a);
  Value isNumber = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ORD, b, b);
  return arith::OrIOp::create(builder, loc, larger,
                              arith::AndIOp::create(builder, loc, isNan, isNumber));
}

/// The largest so far stand in the results, in order. An element goes up from behind the last of
/// them while it is larger than the one before it; most do not begin to.
void TopKOp::buildParts(OpBuilder &builder, ValueRange operands, ValueRange outs, Value first,
                        Value limit, const LoopTarget &) {
  ExplicitLoops loops{builder, getLoc()};
  ArrayRef<int64_t> shape = typeOf(getOperand()).getShape();
  const int64_t length = shape.back(), k = int64_t(getK());
  Type indexType = typeOf(getIndices()).getElementType();
  loops.over(first, limit, [&](Value row) {
    const ExplicitLoops::Place of = loops.placeOf(row, shape.drop_back());
    auto at = [&](Value last) {
      ExplicitLoops::Place place(of);
      place.push_back(last);
      return place;
    };
    loops.over(loops.index(0), loops.index(length), [&](Value number) {
      Value element = loops.load(operands[0], at(number));
      Value one = loops.index(1);
      Value start = loops.minimum(number, loops.index(k));
      // Behind the last place there is none to fall to: the element that is pushed out of it is
      // lost.
      auto climb = scf::WhileOp::create(
          builder, getLoc(), TypeRange{start.getType()}, ValueRange{start},
          [&](OpBuilder &, Location loc, ValueRange carried) {
            Value isBelow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                                  carried[0], loops.index(0));
            Value before = loops.maximum(loops.subtract(carried[0], one), loops.index(0));
            Value larger = isLarger(builder, loc, element, loops.load(outs[0], at(before)));
            scf::ConditionOp::create(builder, loc,
                                     arith::AndIOp::create(builder, loc, isBelow, larger), carried);
          },
          [&](OpBuilder &, Location loc, ValueRange carried) {
            Value before = loops.subtract(carried[0], one);
            Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                                 carried[0], loops.index(k));
            auto push = scf::IfOp::create(builder, loc, exists, /*withElseRegion=*/false);
            {
              OpBuilder::InsertionGuard guard(builder);
              builder.setInsertionPointToStart(push.thenBlock());
              for (Value out : outs)
                loops.store(loops.load(out, at(before)), out, at(carried[0]));
            }
            scf::YieldOp::create(builder, loc, before);
          });
      Value place = climb.getResult(0);
      Value isAmong = arith::CmpIOp::create(builder, getLoc(), arith::CmpIPredicate::slt, place,
                                            loops.index(k));
      auto keep = scf::IfOp::create(builder, getLoc(), isAmong, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(keep.thenBlock());
      loops.store(element, outs[0], at(place));
      loops.store(arith::IndexCastOp::create(builder, getLoc(), indexType, number), outs[1],
                  at(place));
    });
  });
}

// To where the values came from: each row's indices are different. The indices have no gradient.
void TopKOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  if (!g[0])
    return;
  const int64_t last = typeOf(getOperand()).getRank() - 1;
  const SmallVector<int64_t> rows = llvm::to_vector(llvm::seq<int64_t>(0, last)), along{last}, none;
  Value zeros = GradientBuilder(builder, *this).splat(getOperand().getType(), 0);
  result[0] = ScatterOp::create(builder, getLoc(), getOperand().getType(), zeros, getIndices(),
                                g[0], none, along, rows, rows, along, uint64_t(last + 1));
}

// a comparison with the last of the largest
uint64_t TopKOp::getFlops() { return count(getOperand()); }
