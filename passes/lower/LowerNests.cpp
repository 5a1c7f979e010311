// Structured ops on buffers to loops over vectors; see Passes.td for the numerical contract that is kept here.
#include "passes/Passes.h"

#include "passes/lower/VectorBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_LOWERNESTS
#include "passes/Passes.h.inc"

namespace {

/// Vectors that an outer reduction keeps in flight: enough to hide the latency of an addition, few enough for registers.
constexpr int64_t kColumnVectors = 4;

using LoopBody = llvm::function_ref<SmallVector<Value>(Value index, ValueRange carried)>;

class NestEmitter {
public:
  NestEmitter(Nest &nest, OpBuilder &builder, Location loc)
      : nest(nest), builder(builder), loc(loc), body(nest, builder, loc) {}

  LogicalResult emit() {
    lanes.indices.assign(nest.loops.size(), Value());
    if (!nest.hasReduction()) {
      emitParallel(0);
      return success();
    }
    if (failed(findCombiners()))
      return failure();
    for (size_t loop = 0; loop < nest.loops.size(); ++loop)
      (nest.loops[loop].reduction ? reductions : outer).push_back(loop);
    if (nest.loops.back().reduction) {
      overLoops(outer, [&] { emitInnermostReduction(); });
    } else {
      outer.pop_back();
      overLoops(outer, [&] { emitColumns(); });
    }
    return success();
  }

private:
  SmallVector<Value> forLoop(int64_t lower, int64_t upper, int64_t step, ValueRange init, LoopBody emitBody) {
    if (lower >= upper)
      return llvm::to_vector(init);
    if (lower + step >= upper)
      return emitBody(body.index(lower), init);
    auto loop = scf::ForOp::create(builder, loc, body.index(lower), body.index(upper), body.index(step), init);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> carried = emitBody(loop.getInductionVar(), loop.getRegionIterArgs());
    if (!init.empty() || !loop.getBody()->mightHaveTerminator())
      scf::YieldOp::create(builder, loc, carried);
    return SmallVector<Value>(loop.getResults());
  }

  /// Runs `inside` under the given loops, outermost first, without carried values.
  void overLoops(ArrayRef<size_t> loops, llvm::function_ref<void()> inside) {
    if (loops.empty())
      return inside();
    forLoop(0, nest.loops[loops.front()].size, 1, {}, [&](Value index, ValueRange) {
      lanes.indices[loops.front()] = index;
      overLoops(loops.drop_front(), inside);
      return SmallVector<Value>{};
    });
  }

  void storeAll(ValueRange values) {
    for (auto [output, value] : llvm::zip(nest.outputs, values))
      body.store(output, lanes, value);
  }

  void emitParallel(size_t loop) {
    if (nest.loops.empty()) {
      lanes.loop = -1;
      return storeAll(body.evaluate(lanes));
    }
    int64_t size = nest.loops[loop].size;
    if (loop + 1 < nest.loops.size()) {
      forLoop(0, size, 1, {}, [&](Value index, ValueRange) {
        lanes.indices[loop] = index;
        emitParallel(loop + 1);
        return SmallVector<Value>{};
      });
      return;
    }
    lanes.loop = int64_t(loop);
    auto emitLanes = [&](Value index, int64_t active) {
      lanes.indices[loop] = index;
      lanes.active = active;
      storeAll(body.evaluate(lanes));
    };
    int64_t whole = size / kLanes * kLanes;
    forLoop(0, whole, kLanes, {}, [&](Value index, ValueRange) {
      emitLanes(index, kLanes);
      return SmallVector<Value>{};
    });
    if (whole < size)
      emitLanes(body.index(whole), size - whole);
  }

  /// The operation that combines each output's old value with a new one; its only user of the old value.
  LogicalResult findCombiners() {
    Operation *yield = nest.body->getTerminator();
    for (unsigned output = 0; output < nest.outputs.size(); ++output) {
      BlockArgument old = nest.body->getArgument(nest.inputs.size() + output);
      Operation *combiner = yield->getOperand(output).getDefiningOp();
      if (!combiner || combiner->getNumOperands() != 2 || !old.hasOneUse() || *old.user_begin() != combiner ||
          !neutral(combiner))
        return emitError(loc) << "reduction of output " << output
                              << " is not one of add, min, max, and, or over its old value";
      combiners.push_back(combiner);
    }
    return success();
  }

  /// What leaves any value as it is under the combiner; nothing where the operation is no reduction. -0.0 and not 0.0,
  /// because 0.0 + -0.0 is 0.0.
  TypedAttr neutral(Operation *combiner) {
    Type type = combiner->getResult(0).getType();
    if (auto floatType = dyn_cast<FloatType>(type)) {
      const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
      if (isa<arith::AddFOp>(combiner))
        return FloatAttr::get(type, llvm::APFloat::getZero(semantics, /*Negative=*/true));
      if (isa<arith::MaximumFOp, arith::MinimumFOp>(combiner))
        return FloatAttr::get(type, llvm::APFloat::getInf(semantics, isa<arith::MaximumFOp>(combiner)));
      return {};
    }
    unsigned width = type.getIntOrFloatBitWidth();
    if (isa<arith::AddIOp, arith::OrIOp>(combiner))
      return IntegerAttr::get(type, llvm::APInt::getZero(width));
    if (isa<arith::AndIOp>(combiner))
      return IntegerAttr::get(type, llvm::APInt::getAllOnes(width));
    if (isa<arith::MaxSIOp>(combiner))
      return IntegerAttr::get(type, llvm::APInt::getSignedMinValue(width));
    if (isa<arith::MinSIOp>(combiner))
      return IntegerAttr::get(type, llvm::APInt::getSignedMaxValue(width));
    return {};
  }

  Value neutralLanes(Operation *combiner) {
    auto type = VectorType::get({kLanes}, combiner->getResult(0).getType());
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, ArrayRef<Attribute>{neutral(combiner)}));
  }

  /// Old value and new one in the order in which the body has them.
  Value combine(unsigned output, Value old, Value value) {
    Operation *combiner = combiners[output];
    bool oldFirst = combiner->getOperand(0) == nest.body->getArgument(nest.inputs.size() + output);
    OperationState state(combiner->getLoc(), combiner->getName());
    state.addOperands(oldFirst ? ValueRange{old, value} : ValueRange{value, old});
    state.addTypes(value.getType());
    state.propertiesAttr = combiner->getPropertiesAsAttribute();
    return builder.create(state)->getResult(0);
  }

  /// 16 partial results to one: lane i with lane i + 8, then i + 4, i + 2, i + 1.
  Value combineTree(unsigned output, Value partial) {
    for (int64_t half = kLanes / 2; half >= 1; half /= 2) {
      SmallVector<int64_t> low(half), high(half);
      for (int64_t lane = 0; lane < half; ++lane) {
        low[lane] = lane;
        high[lane] = lane + half;
      }
      Value left = vector::ShuffleOp::create(builder, loc, partial, partial, low);
      Value right = vector::ShuffleOp::create(builder, loc, partial, partial, high);
      partial = combine(output, left, right);
    }
    return vector::ExtractOp::create(builder, loc, partial, ArrayRef<int64_t>{0});
  }

  SmallVector<Value> combineAll(ValueRange old, ValueRange values) {
    SmallVector<Value> combined;
    for (unsigned output = 0; output < nest.outputs.size(); ++output)
      combined.push_back(combine(output, old[output], values[output]));
    return combined;
  }

  /// The reduction loops from `position` on, in row-major order, the last one 16 elements at a time.
  SmallVector<Value> overInnermost(size_t position, ValueRange partial) {
    size_t loop = reductions[position];
    int64_t size = nest.loops[loop].size;
    if (position + 1 < reductions.size())
      return forLoop(0, size, 1, partial, [&](Value index, ValueRange carried) {
        lanes.indices[loop] = index;
        return overInnermost(position + 1, carried);
      });
    lanes.loop = int64_t(loop);
    lanes.active = kLanes;
    int64_t whole = size / kLanes * kLanes;
    SmallVector<Value> sums = forLoop(0, whole, kLanes, partial, [&](Value index, ValueRange carried) {
      lanes.indices[loop] = index;
      return combineAll(carried, body.evaluate(lanes, combiners));
    });
    if (whole == size)
      return sums;
    lanes.indices[loop] = body.index(whole);
    lanes.active = size - whole;
    SmallVector<Value> values = body.evaluate(lanes, combiners);
    for (unsigned output = 0; output < values.size(); ++output)
      values[output] = arith::SelectOp::create(builder, loc, body.mask(lanes.active), values[output],
                                               neutralLanes(combiners[output]));
    return combineAll(sums, values);
  }

  void emitInnermostReduction() {
    SmallVector<Value> partial;
    for (Operation *combiner : combiners)
      partial.push_back(neutralLanes(combiner));
    partial = overInnermost(0, partial);
    lanes.loop = -1;
    for (size_t loop : reductions) // outputs do not depend on these
      lanes.indices[loop] = body.index(0);
    for (auto [output, operand] : llvm::enumerate(nest.outputs))
      body.store(operand, lanes, combine(output, body.load(operand, lanes), combineTree(output, partial[output])));
  }

  /// Whether four copies of the body are worth their size: not where each holds a polynomial.
  bool isCheap() {
    return llvm::none_of(nest.body->without_terminator(),
                         [](Operation &op) { return isa<math::ExpOp, math::LogOp, math::TanhOp, math::PowFOp>(op); });
  }

  void emitColumns() {
    size_t column = nest.loops.size() - 1;
    int64_t size = nest.loops[column].size;
    int64_t wide = isCheap() ? kColumnVectors * kLanes : kLanes;
    int64_t wideEnd = size / wide * wide, whole = size / kLanes * kLanes;
    auto tiles = [&](int64_t lower, int64_t upper, int64_t width) {
      forLoop(lower, upper, width, {}, [&](Value index, ValueRange) {
        emitTile(column, index, width / kLanes, kLanes);
        return SmallVector<Value>{};
      });
    };
    tiles(0, wideEnd, wide);
    tiles(wideEnd, whole, kLanes);
    if (whole < size)
      emitTile(column, body.index(whole), 1, size - whole);
  }

  /// `vectors` neighbouring vectors of every output, held in registers over all reduction loops.
  void emitTile(size_t column, Value first, int64_t vectors, int64_t active) {
    lanes.loop = int64_t(column);
    lanes.active = active;
    for (size_t loop : reductions)
      lanes.indices[loop] = body.index(0);
    SmallVector<Value> columns{first}, sums;
    for (int64_t i = 1; i < vectors; ++i)
      columns.push_back(arith::AddIOp::create(builder, loc, first, body.index(i * kLanes)));
    for (Value index : columns) {
      lanes.indices[column] = index;
      for (NestOperand &output : nest.outputs)
        sums.push_back(body.load(output, lanes));
    }
    sums = overRows(0, columns, sums);
    for (size_t loop : reductions)
      lanes.indices[loop] = body.index(0);
    for (auto [i, index] : llvm::enumerate(columns)) {
      lanes.indices[column] = index;
      storeAll(ArrayRef<Value>(sums).slice(i * nest.outputs.size(), nest.outputs.size()));
    }
  }

  SmallVector<Value> overRows(size_t position, ArrayRef<Value> columns, ValueRange sums) {
    if (position == reductions.size()) {
      SmallVector<Value> combined;
      for (auto [i, index] : llvm::enumerate(columns)) {
        lanes.indices[nest.loops.size() - 1] = index;
        SmallVector<Value> values = body.evaluate(lanes, combiners);
        combined.append(combineAll(sums.slice(i * values.size(), values.size()), values));
      }
      return combined;
    }
    size_t loop = reductions[position];
    return forLoop(0, nest.loops[loop].size, 1, sums, [&](Value index, ValueRange carried) {
      lanes.indices[loop] = index;
      return overRows(position + 1, columns, carried);
    });
  }

  Nest &nest;
  OpBuilder &builder;
  Location loc;
  VectorBody body;
  Lanes lanes;
  SmallVector<Operation *> combiners;
  SmallVector<size_t> outer, reductions;
};

struct LowerNestsPass : impl::LowerNestsBase<LowerNestsPass> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops) {
      OpBuilder builder(op);
      FailureOr<Nest> nest = buildNest(op, builder);
      if (failed(nest) || failed(NestEmitter(*nest, builder, op.getLoc()).emit()))
        return signalPassFailure();
      op->erase();
    }
  }
};

} // namespace
} // namespace graphc
