//===- PassOpBuilders.cpp - the ops that passes make ------------------------------------------===//
#include "dialects/graph/ops/PassOpBuilders.h"

#include "dialects/graph/ops/ComputeOps.h"

using namespace mlir;

namespace graphc::graph {

Value createAtLeast(OpBuilder &builder, Location loc, Value value, double bound) {
  return MaximumOp::create(builder, loc, value, createSplat(builder, loc, value.getType(), bound));
}

Value createSplat(OpBuilder &builder, Location loc, Type type, double value) {
  auto tensor = cast<RankedTensorType>(type);
  Attribute element;
  if (auto floating = dyn_cast<FloatType>(tensor.getElementType()))
    element = FloatAttr::get(floating, value);
  else
    element = IntegerAttr::get(tensor.getElementType(), int64_t(value));
  return ConstantOp::create(builder, loc, tensor, DenseElementsAttr::get(tensor, element));
}

Value createConstant(OpBuilder &builder, Location loc, DenseElementsAttr value) {
  return ConstantOp::create(builder, loc, value);
}

Value createConvert(OpBuilder &builder, Location loc, Value value, Type type) {
  return ConvertOp::create(builder, loc, type, value);
}

Value createAdd(OpBuilder &builder, Location loc, Value a, Value b) {
  return AddOp::create(builder, loc, a, b);
}
bool isAdd(Operation *op) { return isa<AddOp>(op); }
bool stopsGradient(Operation *op) {
  return isa<StopGradientOp>(op) || isa<FloorOp>(op) || isa<CeilOp>(op) ||
         isa<RoundNearestEvenOp>(op) || isa<SignOp>(op);
}

Value createMean(OpBuilder &builder, Location loc, Value sum, int64_t count, DeviceAttr device) {
  Value n = createSplat(builder, loc, sum.getType(), double(count));
  auto mean = DivideOp::create(builder, loc, sum, n);
  setDevice(n.getDefiningOp(), device);
  setDevice(mean, device);
  return mean;
}
bool isMean(Operation *op) { return isa<DivideOp>(op); }

Value createGradientSquares(OpBuilder &builder, Location loc, StringRef variable, Value gradient) {
  auto type = cast<RankedTensorType>(gradient.getType());
  auto rows =
      RankedTensorType::get({type.getRank() ? type.getDimSize(0) : 1}, builder.getF64Type());
  return GradientSquaresOp::create(builder, loc, rows, variable, gradient);
}

Value createClipScale(OpBuilder &builder, Location loc, ArrayRef<Value> squares, double limit) {
  Value total;
  for (Value rows : squares) {
    Value sum = ReduceSumOp::create(builder, loc, rows, ArrayRef<int64_t>{0});
    total = total ? AddOp::create(builder, loc, total, sum).getResult() : sum;
  }
  Value norm = SqrtOp::create(builder, loc, total),
        bound = createSplat(builder, loc, total.getType(), limit);
  return DivideOp::create(builder, loc, bound, MaximumOp::create(builder, loc, norm, bound));
}

bool hasSums(Type type) {
  Type element = cast<RankedTensorType>(type).getElementType();
  return element.isSignlessInteger(32) || element.isSignlessInteger(64) || element.isF32() ||
         element.isF64();
}

Value createOfFirst(OpBuilder &builder, Location loc, Value value, int64_t every) {
  auto type = cast<RankedTensorType>(value.getType());
  Value number = MicroBatchIndexOp::create(builder, loc);
  Value rest = RemainderOp::create(builder, loc, number,
                                   createSplat(builder, loc, number.getType(), double(every)));
  Value isFirst = CompareOp::create(builder, loc, Comparison::EQ, rest,
                                    createSplat(builder, loc, number.getType(), 0));
  if (type.getRank() > 0)
    isFirst = BroadcastInDimOp::create(builder, loc, type.clone(builder.getI1Type()), isFirst,
                                       ArrayRef<int64_t>{});
  // x + -0 is x, of every x; x + 0 is not, where x is -0.
  return SelectOp::create(builder, loc, isFirst, value, createSplat(builder, loc, type, -0.0));
}

Value createLearningRate(OpBuilder &builder, Location loc, Value step, Attribute schedule) {
  return LearningRateOp::create(builder, loc, step, cast<ScheduleAttrInterface>(schedule));
}

Value createRows(OpBuilder &builder, Location loc, Value value, int64_t row, int64_t rows) {
  SmallVector<int64_t> limits(cast<RankedTensorType>(value.getType()).getShape());
  SmallVector<int64_t> starts(limits.size(), 0), strides(limits.size(), 1);
  starts[0] = row;
  limits[0] = row + rows;
  return builder.createOrFold<SliceOp>(loc, value, starts, limits, strides);
}

Value createJoin(OpBuilder &builder, Location loc, ValueRange parts) {
  return ConcatenateOp::create(builder, loc, parts, uint64_t(0));
}
bool isJoin(Operation *op) { return isa<ConcatenateOp>(op); }

Operation *createAssign(OpBuilder &builder, Location loc, StringRef variable, Value value) {
  return AssignOp::create(builder, loc, variable, value);
}
bool isAssign(Operation *op) { return isa<AssignOp>(op); }

Operation *createIncrement(OpBuilder &builder, Location loc, StringRef variable, Value by) {
  return AssignAddOp::create(builder, loc, variable, by);
}

} // namespace graphc::graph
