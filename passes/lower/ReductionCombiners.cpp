#include "passes/lower/ReductionCombiners.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace graphc {

/// The neutral element; nothing where the operation is no reduction.
static TypedAttr getNeutral(Operation *combiner) {
  Type type = combiner->getResult(0).getType();
  if (auto floatType = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    if (isa<arith::AddFOp>(combiner))
      return FloatAttr::get(type, llvm::APFloat::getZero(semantics, /*Negative=*/true));
    if (isa<arith::MulFOp>(combiner))
      return FloatAttr::get(type, 1.0);
    if (isa<arith::MaximumFOp, arith::MinimumFOp>(combiner))
      return FloatAttr::get(type,
                            llvm::APFloat::getInf(semantics, isa<arith::MaximumFOp>(combiner)));
    return {};
  }
  unsigned width = type.getIntOrFloatBitWidth();
  if (isa<arith::AddIOp, arith::OrIOp>(combiner))
    return IntegerAttr::get(type, llvm::APInt::getZero(width));
  if (isa<arith::MulIOp>(combiner))
    return IntegerAttr::get(type, 1);
  if (isa<arith::AndIOp>(combiner))
    return IntegerAttr::get(type, llvm::APInt::getAllOnes(width));
  if (isa<arith::MaxSIOp>(combiner))
    return IntegerAttr::get(type, llvm::APInt::getSignedMinValue(width));
  if (isa<arith::MinSIOp>(combiner))
    return IntegerAttr::get(type, llvm::APInt::getSignedMaxValue(width));
  return {};
}

FailureOr<ReductionCombiners> ReductionCombiners::find(FlatLoopNest &nest, Location loc) {
  ReductionCombiners result;
  Operation *yield = nest.body->getTerminator();
  for (unsigned output = 0; output < nest.outputs.size(); ++output) {
    BlockArgument old = nest.body->getArgument(nest.inputs.size() + output);
    Operation *combiner = yield->getOperand(output).getDefiningOp();
    if (!combiner || combiner->getNumOperands() != 2 || !old.hasOneUse() ||
        *old.user_begin() != combiner || !getNeutral(combiner))
      return emitError(loc) << "reduction of output " << output
                            << " is not one of add, multiply, min, max, and, or over its old value";
    result.ops_.push_back(combiner);
    result.oldFirst_.push_back(combiner->getOperand(0) == old);
  }
  return result;
}

Value ReductionCombiners::neutral(OpBuilder &builder, unsigned output, int64_t width) const {
  auto type = VectorType::get({width}, ops_[output]->getResult(0).getType());
  auto value = DenseElementsAttr::get(type, ArrayRef<Attribute>{getNeutral(ops_[output])});
  return arith::ConstantOp::create(builder, ops_[output]->getLoc(), value);
}

Value ReductionCombiners::scalarNeutral(OpBuilder &builder, unsigned output) const {
  return arith::ConstantOp::create(builder, ops_[output]->getLoc(), getNeutral(ops_[output]));
}

SmallVector<Value> ReductionCombiners::neutrals(OpBuilder &builder, int64_t width) const {
  SmallVector<Value> values;
  for (unsigned output = 0; output < size(); ++output)
    values.push_back(neutral(builder, output, width));
  return values;
}

Value ReductionCombiners::combine(OpBuilder &builder, unsigned output, Value old,
                                  Value value) const {
  OperationState state(ops_[output]->getLoc(), ops_[output]->getName());
  state.addOperands(oldFirst_[output] ? ValueRange{old, value} : ValueRange{value, old});
  state.addTypes(value.getType());
  state.propertiesAttr = ops_[output]->getPropertiesAsAttribute();
  return builder.create(state)->getResult(0);
}

/// `old` and `values` hold any number of values of each output, the outputs of one place together.
SmallVector<Value> ReductionCombiners::combineAll(OpBuilder &builder, ValueRange old,
                                                  ValueRange values) const {
  SmallVector<Value> combined;
  for (auto [i, value] : llvm::enumerate(values))
    combined.push_back(combine(builder, unsigned(i) % size(), old[i], value));
  return combined;
}

Value ReductionCombiners::tree(OpBuilder &builder, unsigned output, Value partial) const {
  Location loc = ops_[output]->getLoc();
  for (int64_t half = cast<VectorType>(partial.getType()).getNumElements() / 2; half >= 1;
       half /= 2) {
    SmallVector<int64_t> low = llvm::to_vector(llvm::seq<int64_t>(0, half));
    SmallVector<int64_t> high = llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
    Value left = vector::ShuffleOp::create(builder, loc, partial, partial, low);
    Value right = vector::ShuffleOp::create(builder, loc, partial, partial, high);
    partial = combine(builder, output, left, right);
  }
  return vector::ExtractOp::create(builder, loc, partial, ArrayRef<int64_t>{0});
}

} // namespace graphc
