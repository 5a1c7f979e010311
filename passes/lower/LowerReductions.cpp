// Nests with reductions. Which elements are summed with which follows from the reduced length
// alone; see passes/KernelPasses.td. Everything else here, which loop becomes the vector, how much
// is in flight, in what order partial sums are visited, is free: it changes no bit.
#include "passes/lower/FloatMath.h"
#include "passes/lower/NestEmitter.h"
#include "passes/lower/ReductionCombiners.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <limits>

using namespace mlir;

namespace graphc {
namespace {

/// Vectors of neighbouring columns that are summed at once, two partial sums of each: enough to
/// hide the latency of an addition, few enough for registers.
constexpr int64_t kColumnVectors = 4;
/// Rows are summed as they lie, if each partial sum has so many items: a pass over all of them for
/// each two partial sums would take lines that lie apart. The partial sums are in memory then, half
/// of the nearest cache at most, and of so many vectors.
constexpr int64_t kAsTheyLie = 8, kPartialSumBytes = 16 * 1024, kVectorsAsTheyLie = 8;
/// Evaluations of the body times its operations that are written out instead of a loop.
constexpr int64_t kWrittenOut = 256;

class ReductionEmitter : NestEmitter {
public:
  ReductionEmitter(FlatLoopNest &nest, OpBuilder &builder, Location loc,
                   const ReductionCombiners &combiners, const std::optional<GivenLoop> &given)
      : NestEmitter(nest, builder, loc, given), combiners_(combiners) {
    elements.multiple = kVector; // of items and of columns
    for (auto [i, loop] : llvm::enumerate(nest.loops))
      if (loop.reduction) {
        reductions_.push_back(i);
        length_ *= loop.size;
      }
  }

  void emit() {
    column_ = chooseColumn();
    SmallVector<size_t> outer;
    for (auto [i, loop] : llvm::enumerate(nest.loops))
      if (!loop.reduction && column_ != i)
        outer.push_back(i);
    overLoops(outer, [&] { column_ ? emitColumns() : emitRow(); });
  }

private:
  // ===---------------------------------------------------------------------------------------===//
  // Which loop becomes the vector
  // ===---------------------------------------------------------------------------------------===//

  /// Whether 16 items that begin at a multiple of 16 may lie in two rows of the last reduced
  /// dimension.
  bool straddles() const {
    return reductions_.size() > 1 && nest.loops[reductions_.back()].size % kVector != 0;
  }

  /// Time an element, roughly: an operand whose neighbours lie apart is read element by element,
  /// and a short loop leaves part of the vector empty.
  double cost(size_t loop, int64_t size, bool apart) const {
    double sum = 0;
    for (const NestOperand &input : nest.inputs)
      if (!input.isScalar)
        sum += apart || input.coefficients[loop] > 1 || input.coefficients[loop] < 0
                   ? double(kVector)
                   : 1;
    return sum * double(llvm::alignTo(uint64_t(size), kVector)) / double(size);
  }

  /// The kept loop of which neighbours are summed side by side; nothing: the items of one sum are.
  std::optional<size_t> chooseColumn() const {
    size_t last = nest.loops.size() - 1;
    double rowCost = cost(reductions_.back(), length_, straddles());
    std::optional<size_t> best;
    double bestCost = rowCost;
    if (!nest.loops[last].reduction) {
      best = last;
      bestCost = cost(last, nest.loops[last].size, false);
      if (rowCost < bestCost)
        best.reset(), bestCost = rowCost;
    }
    for (auto [i, loop] : llvm::enumerate(nest.loops))
      if (double other = loop.reduction || isGiven(i) ? bestCost : cost(i, loop.size, false);
          other < bestCost)
        best = i, bestCost = other;
    return best;
  }

  // ===---------------------------------------------------------------------------------------===//
  // Index arithmetic and positions
  // ===---------------------------------------------------------------------------------------===//

  /// The reduced loops' indices of item `item`, in row-major order.
  void setItem(Value item) { NestEmitter::setItem(item, reductions_); }

  /// Whether several copies of the body are worth their size: not where each holds a polynomial.
  bool isCheap() const {
    return llvm::none_of(nest.body->without_terminator(),
                         [](Operation &op) { return FloatMath::expands(&op); });
  }

  // ===---------------------------------------------------------------------------------------===//
  // Rows: the items of one sum side by side
  // ===---------------------------------------------------------------------------------------===//

  void emitRow() {
    Values sums = rowSum(body.index(0), length_);
    elements.loop = -1;
    elements.spread.clear();
    for (size_t loop : reductions_) // outputs do not depend on these
      elements.indices[loop] = body.index(0);
    for (auto [i, output] : llvm::enumerate(nest.outputs))
      body.store(output, elements,
                 combiners_.combine(builder, unsigned(i), body.load(output, elements), sums[i]));
  }

  /// The sum of `count` items from `first` on, a scalar each output.
  Values rowSum(Value first, int64_t count) {
    if (count <= kChunk)
      return rowChunk(first, count);
    int64_t unit = kChunk;
    while (unit * kChunk < count)
      unit *= kChunk;
    int64_t whole = count / unit;
    Values sums = forLoop(0, whole, 1, combiners_.neutrals(builder, kPartialSums),
                          [&](Value item, ValueRange carried) {
                            return addToPartialSum(carried, item,
                                                   rowSum(add(first, times(item, unit)), unit));
                          });
    if (count % unit)
      sums =
          addToPartialSum(sums, body.index(whole), rowSum(add(first, whole * unit), count % unit));
    return trees(sums);
  }

  /// Adds the scalars of item `item` to its partial sum.
  Values addToPartialSum(ValueRange sums, Value item, ValueRange values) {
    auto type = VectorType::get({kPartialSums}, builder.getI32Type());
    Value partial = arithmetic<arith::RemUIOp>(item, body.index(kPartialSums));
    partial = vector::BroadcastOp::create(
        builder, loc, type,
        arith::IndexCastOp::create(builder, loc, builder.getI32Type(), partial));
    Value here =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, partial, body.counting(type));
    Values added;
    for (auto [i, value] : llvm::enumerate(values)) {
      Value everywhere = vector::BroadcastOp::create(builder, loc, sums[i].getType(), value);
      added.push_back(arith::SelectOp::create(
          builder, loc, here, everywhere, combiners_.neutral(builder, unsigned(i), kPartialSums)));
    }
    return combiners_.combineAll(builder, sums, added);
  }

  Values trees(ValueRange partial) {
    Values sums;
    for (auto [i, value] : llvm::enumerate(partial))
      sums.push_back(combiners_.tree(builder, unsigned(i), value));
    return sums;
  }

  /// 16 items from `first` on, of which the first `active` exist.
  Values rowValues(Value first, int64_t active) {
    elements.loop = int64_t(reductions_.back());
    elements.active = active;
    straddles() ? spreadItems(first, reductions_) : setItem(first);
    Values values = body.evaluate(elements, combiners_.operations());
    if (active == kVector)
      return values;
    for (auto [i, value] : llvm::enumerate(values))
      value = arith::SelectOp::create(builder, loc, body.mask(active), value,
                                      combiners_.neutral(builder, unsigned(i), kVector));
    return values;
  }

  /// Partial sums 0 to 15 and 16 to 31 are a vector each; they take turns: what is carried is first
  /// the one whose turn it is.
  Values rowChunk(Value first, int64_t count) {
    unsigned outputs = combiners_.size();
    auto takeTurn = [&](ValueRange carried, ValueRange values) {
      Values next(carried.drop_front(outputs));
      next.append(combiners_.combineAll(builder, carried.take_front(outputs), values));
      return next;
    };
    int64_t whole = count / kVector * kVector, turns = llvm::divideCeil(count, kVector);
    Values halves = combiners_.neutrals(builder, kVector);
    halves.append(combiners_.neutrals(builder, kVector));
    halves = forLoop(0, whole, kVector, halves, [&](Value item, ValueRange carried) {
      return takeTurn(carried, rowValues(add(first, item), kVector));
    });
    if (whole < count)
      halves = takeTurn(halves, rowValues(add(first, whole), count - whole));
    if (turns % 2)
      std::rotate(halves.begin(), halves.begin() + outputs, halves.end());
    ValueRange low = ValueRange(halves).take_front(outputs),
               high = ValueRange(halves).drop_front(outputs);
    return trees(turns > 1 ? combiners_.combineAll(builder, low, high) : Values(low));
  }

  // ===---------------------------------------------------------------------------------------===//
  // Columns: neighbouring sums side by side
  // ===---------------------------------------------------------------------------------------===//

  void emitColumns() {
    int64_t size = nest.loops[*column_].size, vectors = 1;
    if (isCheap()) {
      vectors = kColumnVectors;
      if (goesAsRowsLie(length_)) {
        int64_t bytes = 0; // of the partial sums of one vector
        for (const NestOperand &output : nest.outputs)
          bytes += kPartialSums * kVector *
                   int64_t(llvm::divideCeil(
                       getElementTypeOrSelf(output.memory.getType()).getIntOrFloatBitWidth(), 8));
        const int64_t most = std::clamp<int64_t>(kPartialSumBytes / bytes, 1, kVectorsAsTheyLie);
        const int64_t all = llvm::divideCeil(size, kVector);
        vectors = llvm::divideCeil(all, llvm::divideCeil(all, most)); // about as many each time
      }
      while (vectors > 1 && isShort(length_) && !isWrittenOut(vectors))
        vectors /= 2;
    }
    int64_t wide = vectors * kVector, whole = size / wide * wide;
    forLoop(0, whole, wide, {}, [&](Value index, ValueRange) {
      emitTile(index, wide);
      return Values{};
    });
    if (whole < size)
      emitTile(body.index(whole), size - whole);
  }

  /// The sums of `width` neighbouring columns.
  void emitTile(Value first, int64_t width) {
    elements.loop = int64_t(*column_);
    tile_.clear();
    for (int64_t begin = 0; begin < width; begin += kVector)
      tile_.push_back({add(first, begin), std::min(kVector, width - begin)});
    Values sums = columnSum(body.index(0), body.index(length_), length_);
    setItem(body.index(0)); // outputs do not depend on it
    for (auto [i, columns] : llvm::enumerate(tile_)) {
      at(columns);
      Values old;
      for (NestOperand &output : nest.outputs)
        old.push_back(body.load(output, elements));
      storeAll(
          combiners_.combineAll(builder, old, ArrayRef(sums).slice(i * old.size(), old.size())));
    }
  }

  /// Neighbouring columns in a vector.
  struct Columns {
    Value first;
    int64_t active;
  };
  void at(const Columns &columns) {
    elements.indices[*column_] = columns.first;
    elements.active = columns.active;
  }

  /// One item of every column of the tile.
  Values tileValues(Value item) {
    setItem(item);
    Values values;
    for (const Columns &columns : tile_) {
      at(columns);
      values.append(body.evaluate(elements, combiners_.operations()));
    }
    return values;
  }
  Values tileNeutrals() {
    Values values, one = combiners_.neutrals(builder, kVector);
    for (size_t i = 0; i < tile_.size(); ++i)
      values.append(one);
    return values;
  }

  /// Whether a chunk of at most so many items is summed row after row.
  bool goesAsRowsLie(int64_t most) const {
    return (isCheap() || nest.loops[*column_].size <= 2 * kVector) &&
           std::min(most, kChunk) >= kAsTheyLie * kPartialSums;
  }
  static bool isShort(int64_t count) { return count <= kPartialSums; }
  bool isWrittenOut(size_t vectors) const {
    int64_t operations =
        std::max<int64_t>(1, llvm::range_size(nest.body->without_terminator()) - 1);
    return isCheap() && length_ * int64_t(vectors) * operations <= kWrittenOut;
  }

  /// The sums of `count` items, at most `most`, from `first` on.
  Values columnSum(Value first, Value count, int64_t most) {
    if (most <= kChunk)
      return columnChunk(first, count, most);
    int64_t unit = kChunk;
    while (unit * kChunk < most)
      unit *= kChunk;
    Value items = arithmetic<arith::CeilDivUIOp>(count, body.index(unit));
    int64_t mostItems = llvm::divideCeil(most, unit);
    return sumTree(
        body.index(0), 1, std::min<int64_t>(kPartialSums, llvm::PowerOf2Ceil(uint64_t(mostItems))),
        [&](Value partial) {
          return forLoop(
              partial, items, kPartialSums, tileNeutrals(), [&](Value item, ValueRange carried) {
                Value begin = times(item, unit), size = body.index(unit);
                if (most % unit || !getConstantIntValue(count))
                  size = arithmetic<arith::MinUIOp>(size, arithmetic<arith::SubIOp>(count, begin));
                return combiners_.combineAll(builder, carried,
                                             columnSum(add(first, begin), size, unit));
              });
        });
  }

  /// The tree over partial sums `partial`, `partial` + `step`, … below `end`, as loops of two: what
  /// joins last is outermost. A partial sum that is not there gives the neutral element.
  Values sumTree(Value partial, int64_t step, int64_t end, llvm::function_ref<Values(Value)> leaf) {
    if (step >= end)
      return leaf(partial);
    return forLoop(body.index(0), body.index(2 * step), step, tileNeutrals(),
                   [&](Value half, ValueRange carried) {
                     return combiners_.combineAll(builder, carried,
                                                  sumTree(add(partial, half), 2 * step, end, leaf));
                   });
  }

  /// The same written out.
  Values shortTree(Value first, int64_t partial, int64_t step, int64_t count) {
    if (step >= count)
      return tileValues(add(first, partial));
    Values sums = shortTree(first, partial, 2 * step, count);
    if (partial + step < count)
      sums =
          combiners_.combineAll(builder, sums, shortTree(first, partial + step, 2 * step, count));
    return sums;
  }

  Values columnChunk(Value first, Value count, int64_t most) {
    if (isShort(length_) && isWrittenOut(tile_.size()))
      return shortTree(first, 0, 1, length_);
    if (goesAsRowsLie(most))
      return rowsAsTheyLie(first, count);
    int64_t end = std::min<int64_t>(kPartialSums, llvm::PowerOf2Ceil(uint64_t(most)));
    if (isCheap() && end == kPartialSums)
      return sumTree(body.index(0), 1, kPartialSums / 2,
                     [&](Value partial) { return twoPartialSums(first, count, partial); });
    return sumTree(body.index(0), 1, end, [&](Value partial) {
      return forLoop(partial, count, kPartialSums, tileNeutrals(),
                     [&](Value item, ValueRange carried) {
                       return combiners_.combineAll(builder, carried, tileValues(add(first, item)));
                     });
    });
  }

  /// Item after item; the partial sums are in memory, which stays in the nearest cache.
  Values rowsAsTheyLie(Value first, Value count) {
    const Values neutrals = tileNeutrals();
    if (partialSums_.empty()) {
      OpBuilder::InsertionGuard guard(builder);
      auto function = builder.getInsertionBlock()->getParentOp();
      if (!isa<FunctionOpInterface>(function))
        function = function->getParentOfType<FunctionOpInterface>();
      builder.setInsertionPointToStart(&function->getRegion(0).front());
      for (Value neutral : neutrals) {
        Type element = cast<VectorType>(neutral.getType()).getElementType();
        partialSums_.push_back(memref::AllocaOp::create(
            builder, loc, MemRefType::get({kPartialSums * kVector}, element),
            builder.getI64IntegerAttr(64)));
      }
    }
    auto load = [&](Value partial) {
      Values sums;
      // the last tile may have fewer
      for (auto [neutral, memory] : llvm::zip_first(neutrals, partialSums_))
        sums.push_back(vector::LoadOp::create(builder, loc, cast<VectorType>(neutral.getType()),
                                              memory, times(partial, kVector)));
      return sums;
    };
    auto store = [&](Value partial, ValueRange sums) {
      for (auto [sum, memory] : llvm::zip_first(sums, partialSums_))
        vector::StoreOp::create(builder, loc, sum, memory, times(partial, kVector));
    };
    forLoop(0, kPartialSums, 1, {}, [&](Value partial, ValueRange) {
      store(partial, neutrals);
      return Values{};
    });
    auto addItems = [&](Value begin, Value itemsThere) {
      forLoop(body.index(0), itemsThere, 1, {}, [&](Value partial, ValueRange) {
        Values values = tileValues(add(begin, partial));
        store(partial, combiners_.combineAll(builder, load(partial), values));
        return Values{};
      });
    };
    Value rest = arithmetic<arith::RemUIOp>(count, body.index(kPartialSums));
    Value whole = arithmetic<arith::SubIOp>(count, rest);
    forLoop(body.index(0), whole, kPartialSums, {}, [&](Value item, ValueRange) {
      addItems(add(first, item), body.index(kPartialSums));
      return Values{};
    });
    if (getConstantIntValue(rest) != 0)
      addItems(add(first, whole), rest);
    return sumTree(body.index(0), 1, kPartialSums, load);
  }

  /// The sum of partial sums `partial` and `partial` + 16, both in flight.
  Values twoPartialSums(Value first, Value count, Value partial) {
    constexpr int64_t kHalf = kPartialSums / 2;
    Value rest = arithmetic<arith::RemUIOp>(count, body.index(kPartialSums));
    Value whole = arithmetic<arith::SubIOp>(count, rest);
    Values init = tileNeutrals();
    init.append(tileNeutrals());
    size_t each = init.size() / 2;
    Values sums =
        forLoop(body.index(0), whole, kPartialSums, init, [&](Value item, ValueRange carried) {
          Value at = add(add(first, item), partial);
          Values values = tileValues(at);
          values.append(tileValues(add(at, kHalf)));
          return combiners_.combineAll(builder, carried, values);
        });
    auto addRest = [&](ArrayRef<Value> sum, int64_t offset) {
      Value own = add(partial, offset);
      auto values = [&] {
        return combiners_.combineAll(builder, sum, tileValues(add(add(first, whole), own)));
      };
      if (std::optional<int64_t> known = getConstantIntValue(rest);
          known && (*known <= offset || *known >= offset + kHalf))
        return *known <= offset ? Values(sum) : values();
      Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, own, rest);
      auto branch = scf::IfOp::create(builder, loc, ValueRange(sum).getTypes(), exists,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(builder, loc, values());
      builder.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(builder, loc, sum);
      return Values(branch.getResults());
    };
    Values low = addRest(ArrayRef(sums).take_front(each), 0),
           high = addRest(ArrayRef(sums).drop_front(each), kHalf);
    return combiners_.combineAll(builder, low, high);
  }

  const ReductionCombiners &combiners_;
  SmallVector<size_t> reductions_; ///< the nest's loops, outermost first
  int64_t length_ = 1; ///< items of each sum
  std::optional<size_t> column_; ///< the loop that is the vector; nothing: the items are
  SmallVector<Columns> tile_; ///< what is summed at once
  Values partialSums_; ///< memory of rowsAsTheyLie, for each output and vector of the tile
};

} // namespace

LogicalResult emitReduction(FlatLoopNest &nest, OpBuilder &builder, Location loc,
                            const std::optional<GivenLoop> &given) {
  FailureOr<ReductionCombiners> combiners = ReductionCombiners::find(nest, loc);
  if (failed(combiners))
    return failure();
  ReductionEmitter(nest, builder, loc, *combiners, given).emit();
  return success();
}

} // namespace graphc
