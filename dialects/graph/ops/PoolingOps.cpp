//===- PoolingOps.cpp - one element of each window --------------------------------------------===//
#include "dialects/graph/ops/ExplicitLoops.h"
#include "dialects/graph/ops/PassOpBuilders.h"
#include "dialects/graph/ops/SlidingWindow.h"
#include "runtime/common/base/OpCount.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graphc::graph;
namespace base = graphc::base;

#define GET_OP_CLASSES
#include "dialects/graph/ops/PoolingOps.cpp.inc"

void graphc::graph::registerPoolingOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/PoolingOps.cpp.inc"
      >(dialect);
}

namespace {

/// How many places a window has; the most there may be where they are more than that.
uint64_t placesOf(const SlidingWindow &pool) {
  uint64_t count = 1;
  for (int64_t size : pool.window)
    count = llvm::SaturatingMultiply(count, uint64_t(size));
  return count;
}

// (C1) rank >= 3   (C2) one entry a dimension of space, in bounds
// (C3) the window fits in the padded operand   (C4) what is padded may be a
// tensor
template <typename OpOrAdaptor>
FailureOr<SlidingWindow> readPool(Loc loc, OpOrAdaptor op, Type operand) {
  auto type = dyn_cast<RankedTensorType>(operand);
  if (!type || type.getRank() < 3)
    return emitOptionalError(loc, "operand must have at least three dimensions, got ", operand);
  SlidingWindow pool;
  pool.nhwc = op.getNhwc();
  pool.setInput(type);
  if (failed(
          pool.setEntries(loc, "window_dimensions", op.getWindowDimensions(), 1, 1, pool.window)) ||
      failed(pool.setPaddings(loc, op)) ||
      failed(
          pool.setEntries(loc, "window_dilations", op.getWindowDilations(), 1, 1, pool.dilation)) ||
      failed(pool.setResult(loc, type, pool.features)))
    return failure();
  return pool;
}

template <typename Op> SlidingWindow of(Op op, Type operand) {
  return *readPool(std::nullopt, op, operand);
}

template <typename Adaptor> LogicalResult inferPool(Loc loc, Adaptor adaptor, Types &types) {
  FailureOr<SlidingWindow> pool = readPool(loc, adaptor, adaptor.getOperand().getType());
  if (failed(pool))
    return failure();
  types.push_back(typeOf(adaptor.getOperand())
                      .clone(pool->arrange<int64_t>(pool->batch, pool->features, pool->result)));
  return success();
}

/// The dimension of a tensor that is this one of space.
unsigned dimensionOf(const SlidingWindow &pool, size_t i) {
  return unsigned(i) + (pool.nhwc ? 1 : 2);
}

/// The windows along a dimension of space that have all their places in the input: [first, limit).
struct Whole {
  int64_t first, limit;
};
Whole wholeOf(const SlidingWindow &pool, size_t i) {
  const int64_t last = pool.input[i] - 1 - pool.reach(i) + pool.low[i];
  const int64_t limit =
      std::clamp<int64_t>(last < 0 ? 0 : last / pool.strides[i] + 1, 0, pool.result[i]);
  return {std::clamp<int64_t>(llvm::divideCeilSigned(pool.low[i], pool.strides[i]), 0, limit),
          limit};
}

/// All of space is one window.
bool isGlobal(const SlidingWindow &pool) {
  for (size_t i = 0; i < pool.space(); ++i)
    if (pool.window[i] != pool.input[i] || pool.dilation[i] != 1)
      return false;
  return !pool.isPadded();
}

SlidingWindow::Sizes spaceOf(const SlidingWindow &pool) {
  SlidingWindow::Sizes dimensions;
  for (size_t i = 0; i < pool.space(); ++i)
    dimensions.push_back(dimensionOf(pool, i));
  return dimensions;
}

} // namespace

//===------------------------------------------------------------------------------------------===//
// Types and constraints
//===------------------------------------------------------------------------------------------===//

LogicalResult MaxPoolOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  return inferPool(loc, adaptor, types);
}
LogicalResult AvgPoolOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  return inferPool(loc, adaptor, types);
}

// (C1) the pool is one, of the gradient's type
LogicalResult MaxPoolGradOp::verify() {
  FailureOr<SlidingWindow> pool = readPool(getLoc(), *this, getOperand().getType());
  if (failed(pool))
    return failure();
  Type expected =
      typeOf(getOperand()).clone(pool->arrange<int64_t>(pool->batch, pool->features, pool->result));
  if (getGradient().getType() != expected)
    return emitOpError() << "gradient must be of the type of the pool's result, " << expected
                         << ", got " << getGradient().getType();
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

namespace {

/// Loops over windows and over the places in them.
struct PoolLoops {
  OpBuilder &builder;
  Location loc;
  const SlidingWindow &pool;

  using Carried = SmallVector<Value>;

  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  /// What `visit` makes of each place of the window at `at` (an element of the result) that is
  /// inside of the input, in row-major order, with what it made of the one before; it gets the
  /// place in the input.
  Carried
  within(ArrayRef<Value> at, Carried start,
         llvm::function_ref<Carried(ArrayRef<Value> place, ArrayRef<Value> carried)> visit) {
    SmallVector<Value> place(at);
    return overWindow(0, at, place, Value(), std::move(start), visit);
  }

private:
  Carried overWindow(size_t i, ArrayRef<Value> at, SmallVector<Value> &place, Value inside,
                     Carried carried,
                     llvm::function_ref<Carried(ArrayRef<Value>, ArrayRef<Value>)> visit) {
    if (i == pool.space()) {
      auto branch = scf::IfOp::create(builder, loc, ValueRange(carried).getTypes(), inside,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(builder, loc, visit(place, carried));
      builder.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(builder, loc, carried);
      return Carried(branch.getResults());
    }
    auto loop =
        scf::ForOp::create(builder, loc, index(0), index(pool.window[i]), index(1), carried);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    const unsigned dimension = dimensionOf(pool, i);
    ScalarArithmetic s{builder, loc};
    Value begin = s.subtract(s.multiply(at[dimension], index(pool.strides[i])), index(pool.low[i]));
    place[dimension] = s.add(begin, s.multiply(loop.getInductionVar(), index(pool.dilation[i])));
    Value here = s.make<arith::CmpIOp>(arith::CmpIPredicate::sge, place[dimension], index(0));
    here =
        s.make<arith::AndIOp>(here, s.make<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                                          place[dimension], index(pool.input[i])));
    inside = inside ? s.make<arith::AndIOp>(inside, here) : here;
    Carried next = overWindow(i + 1, at, place, inside, Carried(loop.getRegionIterArgs()), visit);
    scf::YieldOp::create(builder, loc, next);
    return Carried(loop.getResults());
  }
};

} // namespace

/// Each window is a part.
int64_t MaxPoolOp::getParts() { return typeOf(getResult()).getNumElements(); }
void MaxPoolOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                           const LoopTarget &target) {
  buildAllParts(*this, builder, operands, outs, target);
}
void MaxPoolOp::buildParts(OpBuilder &builder, ValueRange operands, ValueRange outs, Value first,
                           Value limit, const LoopTarget &) {
  const SlidingWindow pool = of(*this, getOperand().getType());
  PoolLoops windows{builder, getLoc(), pool};
  ExplicitLoops loops{builder, getLoc()};
  ScalarArithmetic s{builder, getLoc()};
  loops.over(first, limit, [&](Value part) {
    const ExplicitLoops::Place at = loops.placeOf(part, shapeOf(outs[0]));
    Value least = arith::ConstantOp::create(builder, getLoc(),
                                            getStartOf(getResult(), ReductionIdentity::Least));
    PoolLoops::Carried most =
        windows.within(at, {least}, [&](ArrayRef<Value> place, ArrayRef<Value> carried) {
          return PoolLoops::Carried{
              s.maximum(carried[0], s.make<memref::LoadOp>(operands[0], ValueRange(place)))};
        });
    memref::StoreOp::create(builder, getLoc(), most[0], outs[0], ValueRange(at));
  });
}

/// Features of one part: where they lie side by side some lines of them, of a batch entry each.
static int64_t partFeatures(const SlidingWindow &pool) {
  return pool.nhwc ? std::min<int64_t>(64, pool.features) : 1;
}

/// Windows of one batch entry and feature meet no other's elements.
int64_t MaxPoolGradOp::getParts() {
  const SlidingWindow pool = of(*this, getOperand().getType());
  return pool.batch * int64_t(llvm::divideCeil(pool.features, partFeatures(pool)));
}
void MaxPoolGradOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                               const LoopTarget &target) {
  buildAllParts(*this, builder, operands, outs, target);
}
namespace {

/// What a window's gradient does: it is added to the first largest of the elements.
struct LargestPlace {
  PoolLoops &windows;
  ValueRange operands, outs;
  Value zero;

  OpBuilder &builder = windows.builder;
  Location loc = windows.loc;
  const SlidingWindow &pool = windows.pool;
  ScalarArithmetic s = {builder, loc};
  ExplicitLoops loops = {builder, loc};

  /// Whether an element is the largest so far: the first is, and of floats a NaN is larger than all
  /// but a NaN.
  Value isLarger(Value element, Value most) {
    Value better = s.compare(Comparison::GT, element, most);
    if (!isa<FloatType>(element.getType()))
      return better;
    better = s.make<arith::OrIOp>(better, s.compare(Comparison::NE, element, element));
    return s.make<arith::AndIOp>(better, s.compare(Comparison::EQ, most, most));
  }

  void addTo(ValueRange place, ValueRange at) {
    loops.store(s.add(loops.load(outs[0], place), loops.load(operands[1], at)), outs[0], place);
  }

  /// Of the window at an element of the result, wherever it lies.
  void add(ValueRange at) {
    // The largest so far, whether there is one, and its place along the dimensions of space.
    PoolLoops::Carried start{zero, s.make<arith::ConstantOp>(builder.getBoolAttr(false))};
    start.append(pool.space(), loops.index(0));
    PoolLoops::Carried found = windows.within(
        llvm::to_vector(at), start, [&](ArrayRef<Value> place, ArrayRef<Value> carried) {
          Value element = loops.load(operands[0], place);
          Value none = s.make<arith::XOrIOp>(carried[1],
                                             s.make<arith::ConstantOp>(builder.getBoolAttr(true)));
          Value better = s.make<arith::OrIOp>(isLarger(element, carried[0]), none);
          PoolLoops::Carried next{s.make<arith::SelectOp>(better, element, carried[0]),
                                  s.make<arith::OrIOp>(carried[1], better)};
          for (size_t i = 0; i < pool.space(); ++i)
            next.push_back(
                s.make<arith::SelectOp>(better, place[dimensionOf(pool, i)], carried[2 + i]));
          return next;
        });
    auto branch = scf::IfOp::create(builder, loc, found[1], /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> place(at.begin(), at.end());
    for (size_t i = 0; i < pool.space(); ++i)
      place[dimensionOf(pool, i)] = found[2 + i];
    addTo(place, at);
  }

  /// Of windows side by side that have all their places, at `at` but for the dimension `line`,
  /// where they are [from, to): neither branch nor loop within, and every element of a window is
  /// written, most of them as they were, so that LLVM makes vectors of windows.
  void addSideBySide(ArrayRef<Value> at, unsigned line, Value from, Value to) {
    struct InWindow {
      SmallVector<Value> place; // but for the line's index
      int64_t offset; // of that, where the line is one of space
    };
    SmallVector<InWindow> places(1, {SmallVector<Value>(at), 0});
    int64_t stride = 1;
    for (size_t i = 0; i < pool.space(); ++i) {
      const unsigned dimension = dimensionOf(pool, i);
      const bool isLine = dimension == line;
      stride = isLine ? pool.strides[i] : stride;
      Value begin = isLine ? Value() : loops.multiply(at[dimension], loops.index(pool.strides[i]));
      SmallVector<InWindow> next;
      for (const InWindow &place : places)
        for (int64_t k = 0; k < pool.window[i]; ++k) {
          const int64_t offset = k * pool.dilation[i] - pool.low[i];
          next.push_back(place);
          if (isLine)
            next.back().offset = offset;
          else
            next.back().place[dimension] = loops.add(begin, loops.index(offset));
        }
      places = std::move(next);
    }
    loops.over(from, to, [&](Value number) {
      SmallVector<Value> window(at);
      window[line] = number;
      Value begin = loops.multiply(number, loops.index(stride)), most, which;
      for (auto [k, in] : llvm::enumerate(places)) {
        in.place[line] = loops.add(begin, loops.index(in.offset));
        Value element = loops.load(operands[0], in.place);
        Value count = s.make<arith::ConstantOp>(builder.getI32IntegerAttr(int32_t(k)));
        Value better = most ? isLarger(element, most) : Value();
        most = most ? s.make<arith::SelectOp>(better, element, most) : element;
        which = which ? s.make<arith::SelectOp>(better, count, which) : count;
      }
      Value share = loops.load(operands[1], window);
      for (auto [k, in] : llvm::enumerate(places)) {
        Value count = s.make<arith::ConstantOp>(builder.getI32IntegerAttr(int32_t(k)));
        Value old = loops.load(outs[0], in.place);
        Value isIt = s.make<arith::CmpIOp>(arith::CmpIPredicate::eq, which, count);
        loops.store(s.make<arith::SelectOp>(isIt, s.add(old, share), old), outs[0], in.place);
      }
    });
  }

  /// One by one, at `at` but for the dimension `line`.
  void addOneByOne(ArrayRef<Value> at, unsigned line, Value from, Value to) {
    SmallVector<Value> window(at);
    loops.over(from, to, [&](Value number) {
      window[line] = number;
      add(window);
    });
  }

  /// Of all of [feature, end) at a place of the result without its last index: features that lie
  /// side by side, or windows of one feature along the last dimension of space.
  void addLine(ValueRange place, Value feature, Value end, const LoopTarget &target) {
    const unsigned line = unsigned(place.size());
    SmallVector<Value> at(place);
    at.push_back(feature);
    const int64_t windowsInLine = pool.result.back();
    const Whole inLine = pool.nhwc ? Whole{0, windowsInLine} : wholeOf(pool, pool.space() - 1);
    Value from = pool.nhwc ? feature : loops.index(0),
          to = pool.nhwc ? end : loops.index(windowsInLine);
    if (placesOf(pool) > uint64_t(target.places) || inLine.first == inLine.limit)
      return addOneByOne(at, line, from, to);
    Value isWhole;
    auto require = [&](arith::CmpIPredicate relation, Value index, int64_t bound) {
      Value holds = loops.compare(relation, index, loops.index(bound));
      isWhole = isWhole ? s.make<arith::AndIOp>(isWhole, holds) : holds;
    };
    for (size_t i = 0; i < pool.space() - (pool.nhwc ? 0 : 1); ++i) {
      const Whole whole = wholeOf(pool, i);
      if (whole.first > 0)
        require(arith::CmpIPredicate::sge, at[dimensionOf(pool, i)], whole.first);
      if (whole.limit < pool.result[i])
        require(arith::CmpIPredicate::slt, at[dimensionOf(pool, i)], whole.limit);
    }
    // In the order of the windows, which is that of their sums.
    auto ofWhole = [&] {
      if (pool.nhwc)
        return addSideBySide(at, line, from, to);
      Value first = loops.index(inLine.first), limit = loops.index(inLine.limit);
      if (inLine.first > 0)
        addOneByOne(at, line, from, first);
      addSideBySide(at, line, first, limit);
      if (inLine.limit < windowsInLine)
        addOneByOne(at, line, limit, to);
    };
    if (!isWhole)
      return ofWhole();
    auto branch = scf::IfOp::create(builder, loc, isWhole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    ofWhole();
    builder.setInsertionPointToStart(branch.elseBlock());
    addOneByOne(at, line, from, to);
  }
};

} // namespace

void MaxPoolGradOp::buildParts(OpBuilder &builder, ValueRange operands, ValueRange outs,
                               Value first, Value limit, const LoopTarget &target) {
  const SlidingWindow pool = of(*this, getOperand().getType());
  PoolLoops windows{builder, getLoc(), pool};
  ExplicitLoops loops{builder, getLoc()};
  ScalarArithmetic s{builder, getLoc()};
  Value zero = arith::ConstantOp::create(builder, getLoc(),
                                         getStartOf(getResult(), ReductionIdentity::Zero));
  LargestPlace largest{windows, operands, outs, zero};
  const int64_t features = partFeatures(pool);
  Value groups = loops.index(int64_t(llvm::divideCeil(pool.features, features)));
  loops.over(first, limit, [&](Value part) {
    using Bounds = std::pair<Value, Value>;
    Value batch = s.make<arith::DivUIOp>(part, groups);
    Value feature = loops.multiply(s.make<arith::RemUIOp>(part, groups), loops.index(features));
    Value end = loops.add(feature, loops.index(features));
    // One part has them all. LLVM writes out so short a loop, or makes one vector of it; longer
    // ones would cost a GPU its registers.
    if (pool.features == features && features <= 16)
      feature = loops.index(0), end = loops.index(pool.features);
    else if (pool.features % features)
      end = loops.minimum(end, loops.index(pool.features));
    auto boundsOf = [&](ArrayRef<int64_t> space) {
      return pool.arrange<Bounds>({batch, loops.add(batch, loops.index(1))}, {feature, end},
                                  loops.boundsOf(space));
    };
    loops.overBox(boundsOf(pool.input), [&](ValueRange at) { loops.store(zero, outs[0], at); });
    loops.overBox(ArrayRef(boundsOf(pool.result)).drop_back(),
                  [&](ValueRange at) { largest.addLine(at, feature, end, target); });
  });
}

//===------------------------------------------------------------------------------------------===//
// Decompositions
//===------------------------------------------------------------------------------------------===//

/// Small windows are maxima of slices, dimension by dimension, since a maximum of maxima has the
/// bits of one of all; a window that is all of space is a reduction. Large ones have loops of their
/// own.
Values MaxPoolOp::decompose(OpBuilder &builder) {
  constexpr uint64_t most = 64; // places of a window that are written out
  const SlidingWindow pool = of(*this, getOperand().getType());
  ExpansionBuilder e{builder, getLoc()};
  if (isGlobal(pool))
    return {e.make<ReshapeOp>(getType(), e.make<ReduceMaxOp>(getOperand(), spaceOf(pool)))};
  if (placesOf(pool) > most)
    return {};
  Value value =
      pool.pad(builder, getLoc(), getOperand(), getStartOf(getOperand(), ReductionIdentity::Least));
  for (size_t i = 0; i < pool.space(); ++i) {
    SlidingWindow::Sizes starts(pool.space() + 2, 0), limits(typeOf(value).getShape()),
        strides(pool.space() + 2, 1);
    const unsigned dimension = dimensionOf(pool, i);
    Value largest;
    for (int64_t place = 0; place < pool.window[i]; ++place) {
      starts[dimension] = place * pool.dilation[i];
      limits[dimension] = starts[dimension] + (pool.result[i] - 1) * pool.strides[i] + 1;
      strides[dimension] = pool.strides[i];
      Value slice = e.make<SliceOp>(value, starts, limits, strides);
      largest = largest ? e.make<MaximumOp>(largest, slice) : slice;
    }
    value = largest;
  }
  return {value};
}

namespace {

/// A convolution of one feature with itself alone, by ones: the sum of each window; and its
/// gradient.
struct WindowSums {
  OpBuilder &builder;
  AvgPoolOp op;
  const SlidingWindow &pool;

  Value ones(ArrayRef<int64_t> shape) {
    return createSplat(builder, op.getLoc(), op.getType().clone(shape), 1);
  }
  /// The filter, for so many features.
  Value filter(int64_t features) {
    SlidingWindow::Sizes shape(pool.window);
    shape.insert(pool.nhwc ? shape.end() : shape.begin(),
                 {pool.nhwc ? 1 : features, pool.nhwc ? features : 1});
    return ones(shape);
  }
  template <typename Op> Value make(Type type, Value operand, int64_t features) {
    auto flag = [&](bool on) { return on ? builder.getUnitAttr() : UnitAttr(); };
    return Op::create(builder, op.getLoc(), type, operand, filter(features),
                      op.getWindowStridesAttr(), op.getPaddingLowAttr(), op.getPaddingHighAttr(),
                      op.getWindowDilationsAttr(), builder.getI64IntegerAttr(features),
                      flag(pool.nhwc), flag(pool.nhwc));
  }
  /// By what a sum is divided: the number of its places that are the operand's.
  Value counts() {
    RankedTensorType type = op.getType();
    if (op.getCountIncludePad() || !pool.isPadded())
      return createSplat(builder, op.getLoc(), type, double(placesOf(pool)));
    RankedTensorType narrow = type.clone(pool.arrange<int64_t>(1, 1, pool.result));
    Value counts = make<ConvolutionOp>(narrow, ones(pool.arrange<int64_t>(1, 1, pool.input)), 1);
    return BroadcastInDimOp::create(builder, op.getLoc(), type, counts,
                                    llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  }
};

} // namespace

Values AvgPoolOp::decompose(OpBuilder &builder) {
  const SlidingWindow pool = of(*this, getOperand().getType());
  ExpansionBuilder e{builder, getLoc()};
  WindowSums sums{builder, *this, pool};
  Value sum = isGlobal(pool)
                  ? e.make<ReshapeOp>(getType(), e.make<ReduceSumOp>(getOperand(), spaceOf(pool)))
                  : sums.make<ConvolutionOp>(getType(), getOperand(), pool.features);
  return {e.make<DivideOp>(sum, sums.counts())};
}

//===------------------------------------------------------------------------------------------===//
// Gradients
//===------------------------------------------------------------------------------------------===//

void MaxPoolOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  result[0] =
      MaxPoolGradOp::create(builder, getLoc(), getOperand().getType(), getOperand(), g[0],
                            getWindowDimensionsAttr(), getWindowStridesAttr(), getPaddingLowAttr(),
                            getPaddingHighAttr(), getWindowDilationsAttr(), getNhwcAttr());
}

void AvgPoolOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  const SlidingWindow pool = of(*this, getOperand().getType());
  WindowSums sums{builder, *this, pool};
  GradientBuilder make(builder, *this);
  RankedTensorType type = typeOf(getOperand());
  Value share = make.divide(g[0], sums.counts());
  result[0] =
      isGlobal(pool)
          ? make.broadcast(share, type, llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())))
          : sums.make<ConvolutionInputGradOp>(type, share, pool.features);
}

//===------------------------------------------------------------------------------------------===//
// Costs: a comparison or an addition a place of a window
//===------------------------------------------------------------------------------------------===//

static uint64_t countPlaces(Value windows, const SlidingWindow &pool) {
  return base::multiplyOps({count(windows), placesOf(pool)});
}
uint64_t MaxPoolOp::getFlops() {
  return countPlaces(getResult(), of(*this, getOperand().getType()));
}
uint64_t MaxPoolGradOp::getFlops() {
  return countPlaces(getGradient(), of(*this, getOperand().getType()));
}
uint64_t AvgPoolOp::getFlops() {
  return base::addOps(countPlaces(getResult(), of(*this, getOperand().getType())),
                      count(getResult()));
}
