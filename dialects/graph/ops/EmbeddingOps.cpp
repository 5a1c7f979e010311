//===- EmbeddingOps.cpp - rows of tables ------------------------------------------------------===//
#include "dialects/graph/ops/ExpansionBuilder.h"
#include "dialects/graph/ops/ExplicitLoops.h"
#include "dialects/graph/ops/PassOpBuilders.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/EmbeddingOps.cpp.inc"

void graphc::graph::registerEmbeddingOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/EmbeddingOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Types and constraints
//===------------------------------------------------------------------------------------------===//

// (C1) a table of two dimensions
LogicalResult EmbeddingOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  RankedTensorType table = tensorOf(adaptor.getTable()), ids = tensorOf(adaptor.getIds());
  if (!table || !ids || table.getRank() != 2)
    return emitOptionalError(loc, "table must have two dimensions, got ",
                             adaptor.getTable().getType());
  SmallVector<int64_t> shape(ids.getShape());
  shape.push_back(table.getDimSize(1));
  types.push_back(table.clone(shape));
  return success();
}

// (C1) a row for each number   (C2) pieces and leaves   (C3) the op's own memory
LogicalResult SumRowsOp::verify() {
  RankedTensorType numbers = tensorOf(getNumbers()), rows = tensorOf(getRows()),
                   first = tensorOf(getFirst()), next = tensorOf(getNext());
  if (getRow().getType() != numbers || getSums().getType() != rows ||
      rows.getRank() != numbers.getRank() + 1 || rows.getShape().drop_back() != numbers.getShape())
    return emitOpError()
           << "expected a row for each number, and results of their types, got numbers " << numbers
           << ", rows " << rows << " and results " << getRow().getType() << " and "
           << getSums().getType();
  const int64_t count = numbers.getNumElements(), batches = int64_t(getMicroBatches()),
                perLeaf = int64_t(getPerLeaf());
  if (count % batches || batches % perLeaf)
    return emitOpError() << "expected micro_batches that divide " << count
                         << " numbers, and per_leaf that divides them, got " << batches << " and "
                         << perLeaf;
  Type i32 = IntegerType::get(getContext(), 32);
  if (first.getRank() != 1 || first.getElementType() != i32 ||
      next != RankedTensorType::get({count}, i32) || count > std::numeric_limits<int32_t>::max())
    return emitOpError()
           << "expected memory of type i32 for each row of the table, and for each of fewer than 2^31 numbers, got "
           << first << " and " << next << " of " << count << " numbers";
  return success();
}

// (C1) a table of two dimensions, a row of it for each number
LogicalResult EmbeddingGradOp::verify() {
  RankedTensorType ids = tensorOf(getIds()), gradient = tensorOf(getGradient()),
                   result = tensorOf(getResult());
  if (result.getRank() == 2 && gradient.getElementType() == result.getElementType()) {
    SmallVector<int64_t> shape(ids.getShape());
    shape.push_back(result.getDimSize(1));
    if (gradient.getShape() == ArrayRef(shape))
      return success();
  }
  return emitOpError()
         << "result must have two dimensions, and the gradient a row of it for each of the ids, got ids "
         << ids << ", gradient " << gradient << " and result " << result;
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

int64_t EmbeddingOp::getParts() { return getType().getNumElements(); }
void EmbeddingOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                             const LoopTarget &target) {
  buildAllParts(*this, builder, operands, outs, target);
}
void EmbeddingOp::buildParts(OpBuilder &builder, ValueRange operands, ValueRange outs, Value first,
                             Value limit, const LoopTarget &) {
  ExplicitLoops loops{builder, getLoc()};
  const int64_t rows = typeOf(getTable()).getDimSize(0);
  Value zero = loops.constant(builder.getZeroAttr(getType().getElementType()));
  loops.overElements(
      getType().getShape(), first, limit, [&](ValueRange place, Value from, Value to) {
        Value id = loops.countFrom(getFirstRow(), loops.loadIndex(operands[1], place));
        Value count = arith::ConstantOp::create(builder, getLoc(), builder.getI64IntegerAttr(rows));
        Value isRow =
            arith::CmpIOp::create(builder, getLoc(), arith::CmpIPredicate::ult, id, count);
        Value row = loops.bring(id, 0, rows - 1);
        loops.over(from, to, [&](Value column) {
          ExplicitLoops::Place to(place);
          to.push_back(column);
          Value element = loops.load(operands[0], {row, column});
          loops.store(arith::SelectOp::create(builder, getLoc(), isRow, element, zero), outs[0],
                      to);
        });
      });
}

/// Of each number a list: `first` has where it stands first, `next` at each place where it stands
/// again. Sums are made in place, from level to level: those of a micro-batch, then those of a
/// leaf, then those of 2, 4, … leaves. On each a list is walked once, and what is of one group with
/// the entry before it is added there and leaves the list. Groups of a level are equal runs of
/// places.
void SumRowsOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                           const LoopTarget &) {
  ExplicitLoops loops{builder, getLoc()};
  ScalarArithmetic scalars{builder, getLoc()};
  const Location loc = getLoc();
  ArrayRef<int64_t> shape = typeOf(getNumbers()).getShape();
  const int64_t count = typeOf(getNumbers()).getNumElements(),
                width = typeOf(getRows()).getShape().back(),
                table = typeOf(getFirst()).getDimSize(0), each = count / int64_t(getMicroBatches()),
                leaves = int64_t(getMicroBatches() / getPerLeaf());
  Type numberType = typeOf(getNumbers()).getElementType(), i32 = builder.getI32Type(),
       i64 = builder.getI64Type();
  Value row = outs[0], sums = outs[1], first = outs[2], next = outs[3];
  auto inside = [&](Value condition, llvm::function_ref<void()> body) {
    auto branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    body();
  };
  auto withColumn = [](const ExplicitLoops::Place &place, Value column) {
    ExplicitLoops::Place to(place);
    to.push_back(column);
    return to;
  };
  // Which row a number names, and whether it is one.
  auto nameOf = [&](const ExplicitLoops::Place &place) {
    Value name = loops.countFrom(getFirstRow(), loops.loadIndex(operands[0], place));
    return std::pair(name, loops.compare(arith::CmpIPredicate::ult, name, loops.number(table)));
  };
  Value zero = loops.constant(builder.getZeroAttr(typeOf(getRows()).getElementType()));
  Value none = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(-1));
  Value noRow = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(numberType, -1));

  // Of the rows that are named alone: a table has many more.
  loops.over(loops.index(0), loops.index(count), [&](Value at) {
    auto [name, isRow] = nameOf(loops.placeOf(at, shape));
    inside(isRow, [&, name = name] { loops.store(none, first, loops.toIndex(name)); });
  });
  loops.over(loops.index(0), loops.index(count), [&](Value behind) {
    Value at = loops.subtract(loops.index(count - 1), behind);
    const ExplicitLoops::Place place = loops.placeOf(at, shape);
    auto [name, isRow] = nameOf(place);
    loops.store(noRow, row, place);
    loops.store(none, next, at);
    inside(isRow, [&, name = name] {
      Value entry = loops.toIndex(name);
      loops.store(loops.load(first, entry), next, at);
      loops.store(arith::IndexCastOp::create(builder, loc, i32, at), first, entry);
    });
    loops.over(loops.index(0), loops.index(width), [&, isRow = isRow](Value column) {
      Value element = scalars.add(zero, loops.load(operands[1], withColumn(place, column)));
      loops.store(arith::SelectOp::create(builder, loc, isRow, element, zero), sums,
                  withColumn(place, column));
    });
  });
  // The list that begins at a place: all that is of one group of `size` places is added to the
  // first of the group.
  auto walk = [&](Value begin, Value size) {
    auto group = [&](Value place) -> Value {
      return arith::DivUIOp::create(builder, loc, place, size);
    };
    scf::WhileOp::create(
        builder, loc, TypeRange{i64, i64},
        ValueRange{loops.toI64(begin), loops.loadIndex(next, begin)},
        [&](OpBuilder &, Location, ValueRange carried) {
          scf::ConditionOp::create(
              builder, loc, loops.compare(arith::CmpIPredicate::sge, carried[1], loops.number(0)),
              carried);
        },
        [&](OpBuilder &, Location, ValueRange carried) {
          Value to = loops.toIndex(carried[0]), from = loops.toIndex(carried[1]);
          Value follower = loops.load(next, from);
          Value together =
              loops.compare(arith::CmpIPredicate::eq, group(carried[0]), group(carried[1]));
          inside(together, [&] {
            const ExplicitLoops::Place sum = loops.placeOf(to, shape),
                                       addend = loops.placeOf(from, shape);
            loops.over(loops.index(0), loops.index(width), [&](Value column) {
              Value more = loops.load(sums, withColumn(addend, column));
              loops.store(scalars.add(loops.load(sums, withColumn(sum, column)), more), sums,
                          withColumn(sum, column));
              loops.store(zero, sums, withColumn(addend, column));
            });
            loops.store(follower, next, to);
          });
          Value last = arith::SelectOp::create(builder, loc, together, carried[0], carried[1]);
          Value beyond = arith::ExtSIOp::create(builder, loc, i64, follower);
          scf::YieldOp::create(builder, loc, ValueRange{last, beyond});
        });
  };
  int64_t levels = 2; // of a micro-batch, of a leaf, and of so many times two leaves
  while ((int64_t(1) << (levels - 2)) < leaves)
    ++levels;
  loops.over(loops.index(0), loops.index(count), [&](Value at) {
    const ExplicitLoops::Place place = loops.placeOf(at, shape);
    auto [name, isRow] = nameOf(place);
    inside(isRow, [&, name = name] {
      Value isFirst = loops.compare(arith::CmpIPredicate::eq,
                                    loops.loadIndex(first, loops.toIndex(name)), loops.toI64(at));
      inside(isFirst, [&] {
        loops.store(numberType == i64
                        ? name
                        : arith::TruncIOp::create(builder, loc, numberType, name).getResult(),
                    row, place);
        inside(loops.compare(arith::CmpIPredicate::sge, loops.loadIndex(next, at), loops.number(0)),
               [&] {
                 walk(at, loops.number(each));
                 loops.over(loops.index(1), loops.index(levels),
                            loops.number(each * int64_t(getPerLeaf())), [&](Value, Value size) {
                              walk(at, size);
                              return loops.add(size, size);
                            });
               });
      });
    });
  });
}

//===------------------------------------------------------------------------------------------===//
// Decompositions
//===------------------------------------------------------------------------------------------===//

Values EmbeddingGradOp::decompose(OpBuilder &builder) {
  const int64_t rank = typeOf(getIds()).getRank();
  ExpansionBuilder e{builder, getLoc()};
  const SmallVector<int64_t> rows{0}, none;
  Value ids = getIds();
  if (getFirstRow())
    ids = e.make<SubtractOp>(ids, e.splat(ids.getType(), double(getFirstRow())));
  return {e.make<ScatterOp>(getResult().getType(), e.splat(getResult().getType(), 0), ids,
                            getGradient(), ArrayRef<int64_t>{rank}, rows, none, none, rows,
                            uint64_t(rank))};
}

//===------------------------------------------------------------------------------------------===//
// Rows
//===------------------------------------------------------------------------------------------===//

OpOperand &EmbeddingOp::getTableOperand() { return getTableMutable(); }
OpOperand &EmbeddingOp::getNumbersOperand() { return getIdsMutable(); }
int64_t EmbeddingOp::getFirstNumber() { return int64_t(getFirstRow()); }
Value EmbeddingOp::buildFromRows(OpBuilder &builder, Value rows, Value places) {
  return EmbeddingOp::create(builder, getLoc(), rows, places, uint64_t(0));
}

/// Each part gives zeros for what is not its own.
Value EmbeddingOp::buildFromParts(OpBuilder &builder, ValueRange parts, ArrayRef<int64_t> first) {
  ExpansionBuilder e{builder, getLoc()};
  Value result;
  for (auto [part, row] : llvm::zip_equal(parts, first)) {
    Value here =
        EmbeddingOp::create(builder, getLoc(), part, getIds(), getFirstRow() + uint64_t(row));
    if (result) {
      Value from = e.splat(getIds().getType(), double(int64_t(getFirstRow()) + row));
      Value isHere = e.broadcast(e.compare(Comparison::GE, getIds(), from), getType().getShape());
      here = e.make<SelectOp>(isHere, here, result);
    }
    result = here;
  }
  return result;
}

OpOperand &EmbeddingGradOp::getNumbersOperand() { return getIdsMutable(); }
OpOperand &EmbeddingGradOp::getRowsOperand() { return getGradientMutable(); }
int64_t EmbeddingGradOp::getFirstNumber() { return int64_t(getFirstRow()); }
Value EmbeddingGradOp::buildFrom(OpBuilder &builder, Value numbers, Value rows, int64_t count) {
  Type type = typeOf(getResult()).clone({count, typeOf(getResult()).getDimSize(1)});
  return EmbeddingGradOp::create(builder, getLoc(), type, numbers, rows, uint64_t(0));
}
Value EmbeddingGradOp::buildPart(OpBuilder &builder, int64_t first, int64_t count) {
  Type part = typeOf(getResult()).clone({count, typeOf(getResult()).getDimSize(1)});
  return EmbeddingGradOp::create(builder, getLoc(), part, getIds(), getGradient(),
                                 getFirstRow() + uint64_t(first));
}

RowSums graphc::graph::createRowSums(OpBuilder &builder, Location loc, Value numbers, Value rows,
                                     RankedTensorType table, int64_t firstRow, int64_t microBatches,
                                     int64_t perLeaf) {
  Type i32 = builder.getI32Type();
  auto memory = [&](int64_t count) { return RankedTensorType::get({count}, i32); };
  auto sums = SumRowsOp::create(builder, loc, numbers.getType(), rows.getType(),
                                memory(table.getDimSize(0)),
                                memory(typeOf(numbers).getNumElements()), numbers, rows,
                                uint64_t(firstRow), uint64_t(microBatches), uint64_t(perLeaf));
  return {sums.getRow(), sums.getSums()};
}

//===------------------------------------------------------------------------------------------===//
// Gradients
//===------------------------------------------------------------------------------------------===//

void EmbeddingOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                                Gradients result) {
  result[0] = EmbeddingGradOp::create(builder, getLoc(), getTable().getType(), getIds(), g[0],
                                      getFirstRow());
}

//===------------------------------------------------------------------------------------------===//
// What passes ask
//===------------------------------------------------------------------------------------------===//

Value EmbeddingOp::getLabelValue() { return getIds(); }
int64_t EmbeddingOp::getNumClasses() {
  return int64_t(getFirstRow()) + typeOf(getTable()).getDimSize(0);
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t EmbeddingOp::getFlops() { return 0; }
uint64_t EmbeddingGradOp::getFlops() { return count(getGradient()); }
uint64_t SumRowsOp::getFlops() { return count(getRows()); }
