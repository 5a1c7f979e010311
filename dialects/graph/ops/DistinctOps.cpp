//===- DistinctOps.cpp - numbers that differ --------------------------------------------------===//
#include "dialects/graph/ops/ExplicitLoops.h"
#include "dialects/graph/ops/PassOpBuilders.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/DistinctOps.cpp.inc"

void graphc::graph::registerDistinctOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/DistinctOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Constraints
//===------------------------------------------------------------------------------------------===//

/// How large a hash table for so many numbers is.
static int64_t slotsFor(int64_t count) {
  return int64_t(llvm::PowerOf2Ceil(uint64_t(std::max<int64_t>(2 * count, 2))));
}

// (C1) places and a count   (C2) the op's own memory
LogicalResult DistinctOp::verify() {
  RankedTensorType numbers = tensorOf(getNumbers()), slots = tensorOf(getSlots());
  const int64_t count = numbers.getNumElements();
  Type i64 = IntegerType::get(getContext(), 64), i32 = IntegerType::get(getContext(), 32);
  if (tensorOf(getList()) != RankedTensorType::get({count}, numbers.getElementType()) ||
      getPlaces().getType() != numbers || tensorOf(getCount()) != RankedTensorType::get({}, i64))
    return emitOpError() << "expected a list of " << count << " places, places like the numbers "
                         << numbers << ", and a count of type i64, got " << getList().getType()
                         << ", " << getPlaces().getType() << " and " << getCount().getType();
  if (count >= int64_t(1) << 30 || slots.getRank() != 1 || slots.getElementType() != i32 ||
      !llvm::isPowerOf2_64(uint64_t(slots.getDimSize(0))) || slots.getDimSize(0) < 2 * count ||
      slots.getDimSize(0) < 2)
    return emitOpError() << "expected memory of type i32, a power of two at least twice the "
                         << count << " numbers, of which there are fewer than 2^30, got " << slots;
  return success();
}

// (C1) pieces
LogicalResult CountFrontOp::verify() {
  RankedTensorType numbers = tensorOf(getNumbers()), counts = tensorOf(getCounts());
  const int64_t pieces = counts.getNumElements();
  if (numbers.getRank() != 1 || counts.getRank() > 1 || !counts.getElementType().isInteger(64) ||
      pieces == 0 || numbers.getNumElements() % pieces)
    return emitOpError()
           << "expected numbers of one dimension and an i64 for each of some equal pieces of them, got "
           << numbers << " and " << counts;
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

/// An open hash table whose entries are places in the list. A number goes where its product with a
/// large odd number begins, or to the next place that is free.
void DistinctOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                            const LoopTarget &) {
  ExplicitLoops loops{builder, getLoc()};
  const Location loc = getLoc();
  ArrayRef<int64_t> shape = typeOf(getNumbers()).getShape();
  const int64_t count = typeOf(getNumbers()).getNumElements(),
                slots = typeOf(getSlots()).getDimSize(0);
  Type numberType = typeOf(getNumbers()).getElementType(), i32 = builder.getI32Type(),
       i64 = builder.getI64Type();
  Value list = outs[0], places = outs[1], found = outs[2], table = outs[3];
  auto toNumber = [&](Value value) -> Value {
    return numberType == i64 ? value
                             : arith::TruncIOp::create(builder, loc, numberType, value).getResult();
  };
  const Value none = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(-1));
  const Value noNumber =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(numberType, -1));
  loops.over(loops.index(0), loops.index(slots),
             [&](Value slot) { loops.store(none, table, slot); });
  loops.over(loops.index(0), loops.index(count),
             [&](Value at) { loops.store(noNumber, list, at); });
  loops.store(loops.number(0), found, {});
  // Of `slots` places: the highest bits of a product by 2^64 divided by the golden ratio (Knuth,
  // The Art of Computer Programming, 6.4).
  const Value factor = loops.number(int64_t(0x9e3779b97f4a7c15));
  const Value shift = loops.number(64 - int64_t(llvm::Log2_64(uint64_t(slots)))),
              mask = loops.number(slots - 1);
  loops.over(loops.index(0), loops.index(count), [&](Value at) {
    const ExplicitLoops::Place place = loops.placeOf(at, shape);
    const Value number = loops.loadIndex(operands[0], place);
    const Value isRow = loops.compare(
        arith::CmpIPredicate::ult, loops.countFrom(getFirstRow(), number), loops.number(getRows()));
    auto branch = scf::IfOp::create(builder, loc, isRow, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    loops.store(noNumber, places, place);
    builder.setInsertionPointToStart(branch.thenBlock());
    const Value begin = arith::ShRUIOp::create(
        builder, loc, arith::MulIOp::create(builder, loc, number, factor), shift);
    auto entryOf = [&](Value slot) { return loops.load(table, loops.toIndex(slot)); };
    // On while the slot is taken by another number; at least half of them are free.
    auto probe = scf::WhileOp::create(
        builder, loc, TypeRange{i64}, ValueRange{begin},
        [&](OpBuilder &, Location, ValueRange carried) {
          Value entry = entryOf(carried[0]);
          Value isTaken =
              loops.compare(arith::CmpIPredicate::sge, entry,
                            arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0)));
          Value there = loops.loadIndex(
              list, loops.bring(arith::ExtSIOp::create(builder, loc, i64, entry), 0, count - 1));
          Value isOther = loops.compare(arith::CmpIPredicate::ne, there, number);
          scf::ConditionOp::create(builder, loc,
                                   arith::AndIOp::create(builder, loc, isTaken, isOther), carried);
        },
        [&](OpBuilder &, Location, ValueRange carried) {
          Value next = arith::AddIOp::create(builder, loc, carried[0], loops.number(1));
          scf::YieldOp::create(builder, loc,
                               arith::AndIOp::create(builder, loc, next, mask).getResult());
        });
    const Value slot = probe.getResult(0), entry = entryOf(slot);
    auto add = scf::IfOp::create(
        builder, loc, TypeRange{i64},
        loops.compare(arith::CmpIPredicate::slt, entry,
                      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0))),
        /*withElseRegion=*/true);
    builder.setInsertionPointToStart(add.thenBlock());
    const Value next = loops.load(found, {});
    loops.store(toNumber(number), list, loops.toIndex(next));
    loops.store(arith::TruncIOp::create(builder, loc, i32, next), table, loops.toIndex(slot));
    loops.store(arith::AddIOp::create(builder, loc, next, loops.number(1)), found, {});
    scf::YieldOp::create(builder, loc, next);
    builder.setInsertionPointToStart(add.elseBlock());
    scf::YieldOp::create(builder, loc,
                         arith::ExtSIOp::create(builder, loc, i64, entry).getResult());
    builder.setInsertionPointAfter(add);
    loops.store(toNumber(add.getResult(0)), places, place);
  });
}

void CountFrontOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                              const LoopTarget &) {
  ExplicitLoops loops{builder, getLoc()};
  const Location loc = getLoc();
  const int64_t pieces = typeOf(getCounts()).getNumElements(),
                each = typeOf(getNumbers()).getNumElements() / pieces;
  loops.over(loops.index(0), loops.index(pieces), [&](Value piece) {
    // The last that is negative from behind is the first one.
    Value count = loops.over(
        loops.index(0), loops.index(each), loops.number(each),
        [&](Value behind, Value sofar) -> Value {
          Value at = loops.subtract(loops.index(each - 1), behind);
          Value number =
              loops.loadIndex(operands[0], loops.add(loops.multiply(piece, loops.index(each)), at));
          Value isNegative = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, number,
                                                   loops.number(0));
          Value here = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), at);
          return arith::SelectOp::create(builder, loc, isNegative, here, sofar);
        });
    const bool isScalar = typeOf(getCounts()).getRank() == 0;
    loops.store(count, outs[0], isScalar ? ExplicitLoops::Place() : ExplicitLoops::Place{piece});
  });
}

//===------------------------------------------------------------------------------------------===//
// Rows
//===------------------------------------------------------------------------------------------===//

DistinctNumbers graphc::graph::distinctOn(OpBuilder &builder, DeviceAttr device, Value numbers,
                                          int64_t firstRow, int64_t rows) {
  for (Operation *user : numbers.getUsers())
    if (auto made = dyn_cast<DistinctOp>(user);
        made && getDevice(made) == device && int64_t(made.getFirstRow()) == firstRow &&
        int64_t(made.getRows()) == rows && made->isBeforeInBlock(&*builder.getInsertionPoint()))
      return {made.getList(), made.getPlaces(), made.getCount()};
  RankedTensorType type = typeOf(numbers);
  const int64_t count = type.getNumElements();
  auto made = DistinctOp::create(builder, numbers.getLoc(),
                                 RankedTensorType::get({count}, type.getElementType()), type,
                                 RankedTensorType::get({}, builder.getI64Type()),
                                 RankedTensorType::get({slotsFor(count)}, builder.getI32Type()),
                                 numbers, uint64_t(firstRow), uint64_t(rows));
  setDevice(made, device);
  return {made.getList(), made.getPlaces(), made.getCount()};
}

Value graphc::graph::countFrontOn(OpBuilder &builder, DeviceAttr device, Value list,
                                  int64_t pieces) {
  for (Operation *user : list.getUsers())
    if (auto made = dyn_cast<CountFrontOp>(user);
        made && getDevice(made) == device && made->isBeforeInBlock(&*builder.getInsertionPoint()))
      return made;
  auto made = CountFrontOp::create(
      builder, list.getLoc(),
      RankedTensorType::get(pieces == 1 ? ArrayRef<int64_t>() : ArrayRef(pieces),
                            builder.getI64Type()),
      list);
  setDevice(made, device);
  return made;
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t DistinctOp::getFlops() { return 0; }
uint64_t CountFrontOp::getFlops() { return 0; }
