//===- Extra.cpp - ops that only the tests have: how each is computed -------------------------===//
#include "test/dialects/extra/Extra.h"

#include "dialects/graph/ScalarArithmetic.h"
#include "dialects/graph/ops/ComputeOps.h"
#include "dialects/graph/ops/PassOpBuilders.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace extra;
using graphc::graph::LoopAccess;
using graphc::graph::LoopNest;
using graphc::graph::LoopTarget;
using graphc::graph::ScalarArithmetic;
namespace graph = graphc::graph;

#include "test/dialects/extra/ExtraDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "test/dialects/extra/ExtraAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "test/dialects/extra/ExtraOps.cpp.inc"

void ExtraDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "test/dialects/extra/ExtraAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "test/dialects/extra/ExtraOps.cpp.inc"
      >();
}

/// The tools that this is linked into read it.
static bool added =
    (graphc::addDialects([](DialectRegistry &registry) { registry.insert<ExtraDialect>(); }), true);

namespace {

using Results = SmallVector<Value>;
using Index = llvm::function_ref<Value(unsigned)>;
using Gradients = MutableArrayRef<Value>;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The last dimension is summed over.
SmallVector<LoopNest> reduceLast(Operation *op) {
  int64_t rank = typeOf(op->getOperand(0)).getRank();
  LoopNest nest = graph::getParallelNest(rank);
  nest.iterators.back() = utils::IteratorType::reduction;
  AffineMap identity = AffineMap::getMultiDimIdentityMap(unsigned(rank), op->getContext());
  nest.reads = {{0, identity}};
  nest.writes.assign(op->getNumResults(), identity.dropResult(unsigned(rank - 1)));
  return {nest};
}

TypedAttr getZero(Value result) { return FloatAttr::get(typeOf(result).getElementType(), 0); }

/// A value without the last dimension, repeated along it.
Value broadcastLast(OpBuilder &builder, Location loc, Value value, Type type) {
  auto dimensions = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()));
  return graph::BroadcastInDimOp::create(builder, loc, type, value, dimensions);
}

Value multiply(OpBuilder &builder, Location loc, Value a, Value b) {
  return graph::MultiplyOp::create(builder, loc, a, b);
}
Value multiply(OpBuilder &builder, Location loc, double a, Value b) {
  return multiply(builder, loc, graph::createSplat(builder, loc, b.getType(), a), b);
}

/// Makes loops, the outermost first; `body` gets their indices.
struct Loops {
  OpBuilder &builder;
  Location loc;

  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  void over(ArrayRef<int64_t> sizes, llvm::function_ref<void(ValueRange)> body) {
    SmallVector<Value> indices;
    OpBuilder::InsertionGuard guard(builder);
    for (int64_t size : sizes) {
      auto loop = scf::ForOp::create(builder, loc, index(0), index(size), index(1));
      builder.setInsertionPointToStart(loop.getBody());
      indices.push_back(loop.getInductionVar());
    }
    body(indices);
  }
  /// What `add` makes of the sum so far and each place.
  Value sum(ArrayRef<int64_t> sizes, Value start, llvm::function_ref<Value(ValueRange, Value)> add,
            ArrayRef<Value> outer = {}) {
    if (sizes.empty())
      return add(outer, start);
    auto loop = scf::ForOp::create(builder, loc, index(0), index(sizes[0]), index(1), start);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> indices(outer);
    indices.push_back(loop.getInductionVar());
    Value sum = this->sum(sizes.drop_front(), loop.getRegionIterArg(0), add, indices);
    scf::YieldOp::create(builder, loc, sum);
    return loop.getResult(0);
  }
  void between(Value first, Value limit, llvm::function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(builder, loc, first, limit, index(1));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }
  Value load(Value memory, ValueRange place) {
    return memref::LoadOp::create(builder, loc, memory, place);
  }
  void store(Value value, Value memory, ValueRange place) {
    memref::StoreOp::create(builder, loc, value, memory, place);
  }
  /// Row `number` of so many, or the nearest.
  Value clamp(Value number, int64_t rows) {
    Value place = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), number);
    place = arith::MaxSIOp::create(builder, loc, place, index(0));
    return arith::MinSIOp::create(builder, loc, place, index(rows - 1));
  }
};

ArrayRef<int64_t> shapeOf(Value memory) { return cast<ShapedType>(memory.getType()).getShape(); }

} // namespace

//===------------------------------------------------------------------------------------------===//
// Structured
//===------------------------------------------------------------------------------------------===//

Results CubeOp::buildBody(OpBuilder &builder, ValueRange x, ValueRange, Index) {
  ScalarArithmetic s{builder, getLoc()};
  return {s.multiply(s.multiply(x[0], x[0]), x[0])};
}
void CubeOp::buildGradient(OpBuilder &builder, ValueRange g, const llvm::SmallBitVector &,
                           Gradients result) {
  Value square = multiply(builder, getLoc(), getOperand(), getOperand());
  result[0] = multiply(builder, getLoc(), g[0], multiply(builder, getLoc(), 3, square));
}

Results BellOp::buildBody(OpBuilder &builder, ValueRange x, ValueRange, Index) {
  ScalarArithmetic s{builder, getLoc()};
  Value one = s.constant(x[0].getType(), 1);
  return {s.divide(one, s.add(one, s.multiply(x[0], x[0])))};
}

Results PartsOp::buildBody(OpBuilder &builder, ValueRange x, ValueRange, Index) {
  ScalarArithmetic s{builder, getLoc()};
  Value zero = s.constant(x[0].getType(), 0);
  return {s.maximum(x[0], zero), s.maximum(s.subtract(zero, x[0]), zero)};
}
void PartsOp::buildGradient(OpBuilder &builder, ValueRange g, const llvm::SmallBitVector &,
                            Gradients result) {
  Value zero = graph::createSplat(builder, getLoc(), getOperand().getType(), 0);
  auto where = [&](graph::Comparison relation, Value gradient) -> Value {
    Value holds = graph::CompareOp::create(builder, getLoc(), relation, getOperand(), zero);
    return graph::SelectOp::create(builder, getLoc(), holds, gradient ? gradient : zero, zero);
  };
  result[0] = graph::SubtractOp::create(builder, getLoc(), where(graph::Comparison::GT, g[0]),
                                        where(graph::Comparison::LT, g[1]));
}

SmallVector<LoopNest> SumOfSquaresOp::getLoopNests() { return reduceLast(*this); }
TypedAttr SumOfSquaresOp::getStart(unsigned) { return getZero(getResult()); }
Results SumOfSquaresOp::buildBody(OpBuilder &builder, ValueRange x, ValueRange old, Index) {
  ScalarArithmetic s{builder, getLoc()};
  return {s.add(old[0], s.multiply(x[0], x[0]))};
}
void SumOfSquaresOp::buildGradient(OpBuilder &builder, ValueRange g, const llvm::SmallBitVector &,
                                   Gradients result) {
  Value wide = broadcastLast(builder, getLoc(), g[0], getOperand().getType());
  result[0] = multiply(builder, getLoc(), multiply(builder, getLoc(), 2, getOperand()), wide);
}

SmallVector<LoopNest> MomentsOp::getLoopNests() { return reduceLast(*this); }
TypedAttr MomentsOp::getStart(unsigned) { return getZero(getSum()); }
Results MomentsOp::buildBody(OpBuilder &builder, ValueRange x, ValueRange old, Index) {
  ScalarArithmetic s{builder, getLoc()};
  return {s.add(old[0], x[0]), s.add(old[1], s.multiply(x[0], x[0]))};
}
void MomentsOp::buildGradient(OpBuilder &builder, ValueRange g, const llvm::SmallBitVector &,
                              Gradients result) {
  Type type = getOperand().getType();
  if (g[0])
    result[0] = broadcastLast(builder, getLoc(), g[0], type);
  if (!g[1])
    return;
  Value wide = broadcastLast(builder, getLoc(), g[1], type);
  Value ofSquares = multiply(builder, getLoc(), multiply(builder, getLoc(), 2, getOperand()), wide);
  result[0] = g[0] ? graph::createAdd(builder, getLoc(), result[0], ofSquares) : ofSquares;
}

//===------------------------------------------------------------------------------------------===//
// Loops of their own
//===------------------------------------------------------------------------------------------===//

int64_t GatherOp::getParts() { return typeOf(getResult()).getDimSize(0); }
void GatherOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                          const LoopTarget &target) {
  Loops loops{builder, getLoc()};
  buildParts(builder, operands, outs, loops.index(0), loops.index(getParts()), target);
}
void GatherOp::buildParts(OpBuilder &builder, ValueRange operands, ValueRange outs, Value first,
                          Value limit, const LoopTarget &) {
  Loops loops{builder, getLoc()};
  loops.between(first, limit, [&](Value number) {
    Value row = loops.clamp(loops.load(operands[1], number), shapeOf(operands[0])[0]);
    loops.over(shapeOf(outs[0]).drop_front(), [&](ValueRange column) {
      loops.store(loops.load(operands[0], {row, column[0]}), outs[0], {number, column[0]});
    });
  });
}
void GatherOp::buildGradient(OpBuilder &builder, ValueRange g, const llvm::SmallBitVector &needed,
                             Gradients result) {
  if (needed[0])
    result[0] = ScatterOp::create(builder, getLoc(), getTable().getType(), getRows(), g[0]);
}

void ScatterOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                           const LoopTarget &) {
  Loops loops{builder, getLoc()};
  Value zero = arith::ConstantOp::create(builder, getLoc(), getZero(getResult()));
  loops.over(shapeOf(outs[0]), [&](ValueRange place) { loops.store(zero, outs[0], place); });
  loops.over(shapeOf(operands[1]), [&](ValueRange place) {
    Value row = loops.clamp(loops.load(operands[0], place[0]), shapeOf(outs[0])[0]);
    Value sum = ScalarArithmetic{builder, getLoc()}.add(loops.load(outs[0], {row, place[1]}),
                                                        loops.load(operands[1], place));
    loops.store(sum, outs[0], {row, place[1]});
  });
}

/// Each row is read once, before it is written.
LoopAccess CumsumOp::getAccess(unsigned) { return LoopAccess::Aligned; }
int64_t CumsumOp::getParts() { return typeOf(getResult()).getDimSize(1); }
void CumsumOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                          const LoopTarget &target) {
  Loops loops{builder, getLoc()};
  buildParts(builder, operands, outs, loops.index(0), loops.index(getParts()), target);
}
void CumsumOp::buildParts(OpBuilder &builder, ValueRange operands, ValueRange outs, Value first,
                          Value limit, const LoopTarget &) {
  Loops loops{builder, getLoc()};
  int64_t rows = shapeOf(outs[0])[0];
  Value last = loops.index(rows - 1);
  loops.between(first, limit, [&](Value column) {
    Value zero = arith::ConstantOp::create(builder, getLoc(), getZero(getResult()));
    auto loop = scf::ForOp::create(builder, getLoc(), loops.index(0), loops.index(rows),
                                   loops.index(1), zero);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value row = loop.getInductionVar();
    if (getReverse())
      row = arith::SubIOp::create(builder, getLoc(), last, row);
    Value element = loops.load(operands[0], {row, column});
    Value sum = ScalarArithmetic{builder, getLoc()}.add(loop.getRegionIterArg(0), element);
    loops.store(sum, outs[0], {row, column});
    scf::YieldOp::create(builder, getLoc(), sum);
  });
}
void CumsumOp::buildGradient(OpBuilder &builder, ValueRange g, const llvm::SmallBitVector &,
                             Gradients result) {
  result[0] = CumsumOp::create(builder, getLoc(), g[0].getType(), g[0], !getReverse());
}

int64_t CarelessOp::getParts() { return getBreaks() == "parts" ? 2 : 1; }
void CarelessOp::buildParts(OpBuilder &builder, ValueRange operands, ValueRange outs, Value, Value,
                            const LoopTarget &target) {
  buildLoops(builder, operands, outs, target);
}
LoopAccess CarelessOp::getAccess(unsigned) {
  return llvm::is_contained({"operand", "result", "alloc"}, getBreaks()) ? LoopAccess::Arbitrary
                                                                         : LoopAccess::Aligned;
}
void CarelessOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                            const LoopTarget &) {
  Loops loops{builder, getLoc()};
  ArrayRef<int64_t> shape = shapeOf(outs[0]);
  auto copy = [&](ValueRange from, ValueRange to) {
    loops.store(loops.load(operands[0], from), outs[0], to);
  };
  if (getBreaks() == "alloc")
    memref::AllocaOp::create(builder, getLoc(), cast<MemRefType>(outs[0].getType()));
  if (getBreaks() == "first")
    loops.over(shape, [&](ValueRange place) { loops.load(operands[0], place); });
  if (getBreaks() == "twice")
    return loops.over({2, shape[0], shape[1]},
                      [&](ValueRange place) { copy(place.drop_front(), place.drop_front()); });
  loops.over(shape, [&](ValueRange place) {
    SmallVector<Value> other(place);
    if (getBreaks() == "reversed")
      other[0] = arith::SubIOp::create(builder, getLoc(), loops.index(shape[0] - 1), place[0]);
    if (getBreaks() == "data")
      other[0] = loops.clamp(arith::FPToSIOp::create(builder, getLoc(), builder.getI32Type(),
                                                     loops.load(operands[0], place)),
                             shape[0]);
    if (getBreaks() != "result")
      copy(other, place);
    if (getBreaks() == "late")
      copy(place, place);
    if (getBreaks() == "operand")
      loops.store(loops.load(outs[0], place), operands[0], place);
  });
}

void CuriousOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                           const LoopTarget &) {
  Loops loops{builder, getLoc()};
  loops.over(shapeOf(outs[0]), [&](ValueRange place) {
    Value sum = ScalarArithmetic{builder, getLoc()}.add(loops.load(outs[0], place),
                                                        loops.load(operands[0], place));
    loops.store(sum, outs[0], place);
  });
}

//===------------------------------------------------------------------------------------------===//
// Views
//===------------------------------------------------------------------------------------------===//

std::optional<int64_t> FlatOp::getViewOffset() { return 0; }

//===------------------------------------------------------------------------------------------===//
// A library's
//===------------------------------------------------------------------------------------------===//

StringRef AveragePoolOp::getLibraryKernel(StringRef) { return "average_pool"; }
DictionaryAttr AveragePoolOp::getLibraryDescriptor(StringRef) {
  Builder builder(getContext());
  return builder.getDictionaryAttr({builder.getNamedAttr("window", getWindowAttr()),
                                    builder.getNamedAttr("scale", getScaleAttr())});
}
bool AveragePoolOp::takesPostOp(StringRef, StringRef name, ArrayRef<StringRef> before) {
  return name == "bias" && before.empty();
}
// Each element of a window gets the same share.
void AveragePoolOp::buildGradient(OpBuilder &builder, ValueRange g, const llvm::SmallBitVector &,
                                  Gradients result) {
  ArrayRef<int64_t> shape = typeOf(g[0]).getShape(), window = getWindow();
  Type wide = typeOf(g[0]).clone({shape[0], shape[1], window[0], shape[2], window[1]});
  Value repeated =
      graph::BroadcastInDimOp::create(builder, getLoc(), wide, g[0], SmallVector<int64_t>{0, 1, 3});
  Value spread = graph::ReshapeOp::create(builder, getLoc(), getOperand().getType(), repeated);
  result[0] = multiply(builder, getLoc(),
                       getScale().convertToDouble() / double(window[0] * window[1]), spread);
}

SmallVector<LoopNest> AddPerPlaneOp::getLoopNests() {
  LoopNest nest = graph::getElementwiseNest(*this);
  nest.reads[1].map = AffineMap::get(3, 0, getAffineDimExpr(0, getContext()), getContext());
  return {nest};
}
Results AddPerPlaneOp::buildBody(OpBuilder &builder, ValueRange x, ValueRange, Index) {
  return {ScalarArithmetic{builder, getLoc()}.add(x[0], x[1])};
}
StringRef AddPerPlaneOp::getPostOpName() { return "bias"; }
OpOperand &AddPerPlaneOp::getPostOpInput() { return getOperandMutable(); }
void AddPerPlaneOp::buildGradient(OpBuilder &builder, ValueRange g, const llvm::SmallBitVector &,
                                  Gradients result) {
  result[0] = g[0];
  result[1] = graph::ReduceSumOp::create(builder, getLoc(), getNumbers().getType(), g[0],
                                         SmallVector<int64_t>{1, 2});
}

//===------------------------------------------------------------------------------------------===//
// Composite
//===------------------------------------------------------------------------------------------===//

// log(1 + exp(x)) = -log(logistic(-x))
Results SoftplusOp::decompose(OpBuilder &builder) {
  Value opposite = graph::NegateOp::create(builder, getLoc(), getOperand());
  Value share = graph::LogisticOp::create(builder, getLoc(), opposite);
  Value log = graph::LogOp::create(builder, getLoc(), share);
  return {graph::NegateOp::create(builder, getLoc(), log)};
}
void SoftplusOp::buildGradient(OpBuilder &builder, ValueRange g, const llvm::SmallBitVector &,
                               Gradients result) {
  result[0] =
      multiply(builder, getLoc(), g[0], graph::LogisticOp::create(builder, getLoc(), getOperand()));
}

//===------------------------------------------------------------------------------------------===//
// State
//===------------------------------------------------------------------------------------------===//

bool ApplyAdagradOp::appliesGradient() { return true; }
Results ApplyAdagradOp::buildBody(OpBuilder &builder, ValueRange x, ValueRange old, Index) {
  ScalarArithmetic s{builder, getLoc()};
  Type type = x[0].getType();
  Value sum = s.add(old[1], s.multiply(x[0], x[0]));
  Value root = math::SqrtOp::create(builder, getLoc(), s.add(sum, s.constant(type, 1e-6)));
  Value step =
      s.divide(s.multiply(s.constant(type, getLearningRate().convertToDouble()), x[0]), root);
  return {s.subtract(old[0], step), sum};
}

bool ApplyNormalizedOp::appliesGradient() { return true; }
void ApplyNormalizedOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                                   const LoopTarget &) {
  Loops loops{builder, getLoc()};
  ScalarArithmetic s{builder, getLoc()};
  Type type = cast<ShapedType>(outs[0].getType()).getElementType();
  Value squares =
      loops.sum(shapeOf(outs[0]), s.constant(type, 0), [&](ValueRange place, Value soFar) {
        Value element = loops.load(operands[0], place);
        return s.add(soFar, s.multiply(element, element));
      });
  Value norm = s.add(math::SqrtOp::create(builder, getLoc(), squares), s.constant(type, 1e-6));
  Value scale = s.divide(s.constant(type, getLearningRate().convertToDouble()), norm);
  loops.over(shapeOf(outs[0]), [&](ValueRange place) {
    Value step = s.multiply(scale, loops.load(operands[0], place));
    loops.store(s.subtract(loops.load(outs[0], place), step), outs[0], place);
  });
}

Results PeekOp::buildBody(OpBuilder &builder, ValueRange x, ValueRange, Index) {
  return {ScalarArithmetic{builder, getLoc()}.add(x[0], x[0])};
}
StringRef ApplyByCallOp::getLibraryKernel(StringRef) { return "apply_by_call"; }
DictionaryAttr ApplyByCallOp::getLibraryDescriptor(StringRef) {
  return DictionaryAttr::get(getContext());
}

Results NamelessOp::buildBody(OpBuilder &, ValueRange x, ValueRange, Index) { return {x[0]}; }
Results TalkativeOp::buildBody(OpBuilder &, ValueRange x, ValueRange, Index) {
  return {x[0], x[0]};
}

SmallVector<graph::OptimizerSlot> AdagradAttr::getSlots() const { return {{"Adagrad"}}; }
Operation *AdagradAttr::buildApply(OpBuilder &builder, Location loc,
                                   const graph::GradientUpdate &update) const {
  return ApplyAdagradOp::create(builder, loc, update.variable, update.slots.front(),
                                update.gradient, getLearningRate());
}

SmallVector<graph::OptimizerSlot> NormalizedAttr::getSlots() const { return {}; }
Operation *NormalizedAttr::buildApply(OpBuilder &builder, Location loc,
                                      const graph::GradientUpdate &update) const {
  return ApplyNormalizedOp::create(builder, loc, update.variable, update.gradient,
                                   getLearningRate());
}
