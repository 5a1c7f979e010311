//===- Lookup.cpp - rows of tables, and the largest elements --------------------------------------------------===//
#include "dialects/graph/ops/Loops.h"
#include "dialects/graph/ops/Making.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/Lookup.cpp.inc"

void graphc::graph::registerLookupOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/Lookup.cpp.inc"
      >(dialect);
}

//===----------------------------------------------------------------------------------------------------------===//
// Types and constraints
//===----------------------------------------------------------------------------------------------------------===//

// (C1) a table of two dimensions
LogicalResult EmbeddingOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  RankedTensorType table = tensorOf(adaptor.getTable()), ids = tensorOf(adaptor.getIds());
  if (!table || !ids || table.getRank() != 2)
    return emitOptionalError(loc, "table must have two dimensions, got ", adaptor.getTable().getType());
  SmallVector<int64_t> shape(ids.getShape());
  shape.push_back(table.getDimSize(1));
  types.push_back(table.clone(shape));
  return success();
}

// (C1) a table of two dimensions, a row of it for each number
LogicalResult EmbeddingGradOp::verify() {
  RankedTensorType ids = tensorOf(getIds()), gradient = tensorOf(getGradient()), result = tensorOf(getResult());
  if (result.getRank() == 2 && gradient.getElementType() == result.getElementType()) {
    SmallVector<int64_t> shape(ids.getShape());
    shape.push_back(result.getDimSize(1));
    if (gradient.getShape() == ArrayRef(shape))
      return success();
  }
  return emitOpError() << "result must have two dimensions, and the gradient a row of it for each of the ids, got ids "
                       << ids << ", gradient " << gradient << " and result " << result;
}

// (C1) 1 <= k <= last dimension   (C2) types of the results
LogicalResult TopKOp::verify() {
  RankedTensorType type = tensorOf(getOperand());
  const int64_t k = int64_t(getK());
  if (type.getRank() < 1 || k > type.getShape().back())
    return emitOpError() << "k must be from 1 to the size of the operand's last dimension, got " << k << " and "
                         << type;
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = k;
  if (getValues().getType() != type.clone(shape))
    return emitOpError() << "values must be of type " << type.clone(shape) << ", got " << getValues().getType();
  auto of = [&](unsigned bits) { return RankedTensorType::get(shape, IntegerType::get(getContext(), bits)); };
  if (getIndices().getType() != of(32) && getIndices().getType() != of(64))
    return emitOpError() << "indices must be of type " << of(32) << " or " << of(64) << ", got "
                         << getIndices().getType();
  if (getIndices().getType() == of(32) && type.getShape().back() > int64_t(1) << 31)
    return emitOpError() << "indices must be of type " << of(64) << ", as the last dimension of " << type
                         << " has indices that no i32 holds";
  return success();
}

//===----------------------------------------------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------------------------------------------===//

int64_t EmbeddingOp::getParts() { return getType().getNumElements(); }
void EmbeddingOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs) {
  buildAllParts(*this, builder, operands, outs);
}
void EmbeddingOp::buildParts(OpBuilder &builder, ValueRange operands, ValueRange outs, Value first, Value limit) {
  Loops loops{builder, getLoc()};
  const int64_t rows = getNumClasses();
  Value zero = loops.constant(builder.getZeroAttr(getType().getElementType()));
  loops.overElements(getType().getShape(), first, limit, [&](ValueRange place, Value from, Value to) {
    Value id = loops.loadIndex(operands[1], place);
    Value count = arith::ConstantOp::create(builder, getLoc(), builder.getI64IntegerAttr(rows));
    Value isRow = arith::CmpIOp::create(builder, getLoc(), arith::CmpIPredicate::ult, id, count);
    Value row = loops.bring(id, 0, rows - 1);
    loops.over(from, to, [&](Value column) {
      Loops::Place to(place);
      to.push_back(column);
      Value element = loops.load(operands[0], {row, column});
      loops.store(arith::SelectOp::create(builder, getLoc(), isRow, element, zero), outs[0], to);
    });
  });
}

/// Rows are found one by one, so that each has parts of its own.
int64_t TopKOp::getParts() {
  int64_t rows = 1;
  for (int64_t size : typeOf(getOperand()).getShape().drop_back())
    rows *= size;
  return rows;
}
void TopKOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs) {
  buildAllParts(*this, builder, operands, outs);
}

/// Whether `a` comes before `b`, which stands before it.
static Value isLarger(OpBuilder &builder, Location loc, Value a, Value b) {
  if (!isa<FloatType>(a.getType()))
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, a, b);
  Value larger = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, a, b);
  Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, a, a);
  Value isNumber = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ORD, b, b);
  return arith::OrIOp::create(builder, loc, larger, arith::AndIOp::create(builder, loc, isNan, isNumber));
}

/// The largest so far stand in the results, in order. An element goes up from behind the last of them while it is larger than the one
/// before it; most do not begin to.
void TopKOp::buildParts(OpBuilder &builder, ValueRange operands, ValueRange outs, Value first, Value limit) {
  Loops loops{builder, getLoc()};
  ArrayRef<int64_t> shape = typeOf(getOperand()).getShape();
  const int64_t length = shape.back(), k = int64_t(getK());
  Type indexType = typeOf(getIndices()).getElementType();
  loops.over(first, limit, [&](Value row) {
    const Loops::Place of = loops.placeOf(row, shape.drop_back());
    auto at = [&](Value last) {
      Loops::Place place(of);
      place.push_back(last);
      return place;
    };
    loops.over(loops.index(0), loops.index(length), [&](Value number) {
      Value element = loops.load(operands[0], at(number));
      Value one = loops.index(1);
      Value start = loops.minimum(number, loops.index(k));
      // Behind the last place there is none to fall to: the element that is pushed out of it is lost.
      auto climb = scf::WhileOp::create(
          builder, getLoc(), TypeRange{start.getType()}, ValueRange{start},
          [&](OpBuilder &, Location loc, ValueRange carried) {
            Value isBelow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, carried[0], loops.index(0));
            Value before = loops.maximum(loops.subtract(carried[0], one), loops.index(0));
            Value larger = isLarger(builder, loc, element, loops.load(outs[0], at(before)));
            scf::ConditionOp::create(builder, loc, arith::AndIOp::create(builder, loc, isBelow, larger), carried);
          },
          [&](OpBuilder &, Location loc, ValueRange carried) {
            Value before = loops.subtract(carried[0], one);
            Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, carried[0], loops.index(k));
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
      Value isAmong = arith::CmpIOp::create(builder, getLoc(), arith::CmpIPredicate::slt, place, loops.index(k));
      auto keep = scf::IfOp::create(builder, getLoc(), isAmong, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(keep.thenBlock());
      loops.store(element, outs[0], at(place));
      loops.store(arith::IndexCastOp::create(builder, getLoc(), indexType, number), outs[1], at(place));
    });
  });
}

//===----------------------------------------------------------------------------------------------------------===//
// Decompositions
//===----------------------------------------------------------------------------------------------------------===//

Values EmbeddingGradOp::decompose(OpBuilder &builder) {
  const int64_t rank = typeOf(getIds()).getRank();
  Expansion e{builder, getLoc()};
  const SmallVector<int64_t> rows{0}, none;
  return {e.make<ScatterOp>(getResult().getType(), e.splat(getResult().getType(), 0), getIds(), getGradient(),
                            ArrayRef<int64_t>{rank}, rows, none, none, rows, uint64_t(rank))};
}

//===----------------------------------------------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------------------------------------------===//

void EmbeddingOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  result[0] = EmbeddingGradOp::create(builder, getLoc(), getTable().getType(), getIds(), g[0]);
}

// To where the values came from: each row's indices are different. The indices have no gradient.
void TopKOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  if (!g[0])
    return;
  const int64_t last = typeOf(getOperand()).getRank() - 1;
  const SmallVector<int64_t> rows = llvm::to_vector(llvm::seq<int64_t>(0, last)), along{last}, none;
  Value zeros = Maker(builder, *this).splat(getOperand().getType(), 0);
  result[0] = ScatterOp::create(builder, getLoc(), getOperand().getType(), zeros, getIndices(), g[0], none, along, rows,
                                rows, along, uint64_t(last + 1));
}

//===----------------------------------------------------------------------------------------------------------===//
// What passes ask
//===----------------------------------------------------------------------------------------------------------===//

Value EmbeddingOp::getLabelValue() { return getIds(); }
int64_t EmbeddingOp::getNumClasses() { return cast<RankedTensorType>(getTable().getType()).getDimSize(0); }

//===----------------------------------------------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------------------------------------------===//

uint64_t EmbeddingOp::getFlops() { return 0; }
uint64_t EmbeddingGradOp::getFlops() { return count(getGradient()); }
uint64_t TopKOp::getFlops() { return count(getOperand()); } // a comparison with the last of the largest
