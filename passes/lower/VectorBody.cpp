#include "passes/lower/VectorBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace graphc {
namespace {

VectorType lanesOf(Type element) { return VectorType::get({kLanes}, element); }

} // namespace

Value VectorBody::index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

Value VectorBody::constantOne(Type element) {
  return arith::ConstantOp::create(builder, loc, builder.getOneAttr(element));
}

Value VectorBody::mask(int64_t active) {
  SmallVector<bool> bits(kLanes, false);
  std::fill_n(bits.begin(), active, true);
  return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(lanesOf(builder.getI1Type()), bits));
}

/// Element of the operand's flat memory that the (first) lane touches.
Value VectorBody::offset(const NestOperand &operand, const Lanes &lanes) {
  Value sum;
  for (auto [coefficient, index] : llvm::zip(operand.coefficients, lanes.indices)) {
    if (coefficient == 0)
      continue;
    Value term = index;
    if (coefficient != 1)
      term = arith::MulIOp::create(builder, loc, index, this->index(coefficient));
    sum = sum ? arith::AddIOp::create(builder, loc, sum, term).getResult() : term;
  }
  if (!sum)
    return index(operand.offset);
  return operand.offset ? arith::AddIOp::create(builder, loc, sum, index(operand.offset)).getResult() : sum;
}

Value VectorBody::load(const NestOperand &operand, const Lanes &lanes) {
  Type element = getElementTypeOrSelf(operand.memory.getType());
  int64_t stride = lanes.scalar() ? 0 : operand.coefficients[lanes.loop];
  if (operand.isScalar || stride == 0) {
    Value value = operand.memory;
    if (!operand.isScalar)
      value = memref::LoadOp::create(builder, loc, operand.memory, offset(operand, lanes));
    if (lanes.scalar())
      return value;
    return vector::BroadcastOp::create(builder, loc, lanesOf(element), value);
  }
  Value at = offset(operand, lanes);
  if (stride == 1) {
    if (lanes.active == kLanes)
      return vector::LoadOp::create(builder, loc, lanesOf(element), operand.memory, at);
    Value ones = vector::BroadcastOp::create(builder, loc, lanesOf(element), constantOne(element));
    return vector::MaskedLoadOp::create(builder, loc, lanesOf(element), operand.memory, ValueRange{at},
                                        mask(lanes.active), ones);
  }
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes.active; ++lane) {
    Value element = lane ? arith::AddIOp::create(builder, loc, at, index(lane * stride)).getResult() : at;
    elements.push_back(memref::LoadOp::create(builder, loc, operand.memory, element));
  }
  if (lanes.active < kLanes)
    elements.append(kLanes - lanes.active, constantOne(element));
  return vector::FromElementsOp::create(builder, loc, lanesOf(element), elements);
}

void VectorBody::store(const NestOperand &operand, const Lanes &lanes, Value value) {
  Value at = offset(operand, lanes);
  if (lanes.scalar()) {
    memref::StoreOp::create(builder, loc, value, operand.memory, at);
    return;
  }
  int64_t stride = operand.coefficients[lanes.loop];
  if (stride == 1 && lanes.active == kLanes) {
    vector::StoreOp::create(builder, loc, value, operand.memory, at);
    return;
  }
  if (stride == 1) {
    vector::MaskedStoreOp::create(builder, loc, operand.memory, ValueRange{at}, mask(lanes.active), value);
    return;
  }
  for (int64_t lane = 0; lane < lanes.active; ++lane) {
    Value element = lane ? arith::AddIOp::create(builder, loc, at, index(lane * stride)).getResult() : at;
    Value scalar = vector::ExtractOp::create(builder, loc, value, ArrayRef<int64_t>{lane});
    memref::StoreOp::create(builder, loc, scalar, operand.memory, element);
  }
}

/// The op's dimension as a value: constant 0 for one of size 1, consecutive numbers for the vectorised one.
Value VectorBody::indexOf(int64_t dim, const Lanes &lanes) {
  int64_t loop = nest.loopOfDim[dim];
  Value value = loop < 0 ? index(0) : lanes.indices[loop];
  if (lanes.scalar())
    return value;
  VectorType type = lanesOf(builder.getIndexType());
  Value all = vector::BroadcastOp::create(builder, loc, type, value);
  if (loop != lanes.loop)
    return all;
  SmallVector<Attribute> steps;
  for (int64_t lane = 0; lane < kLanes; ++lane)
    steps.push_back(builder.getIndexAttr(lane));
  Value step = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, steps));
  return arith::AddIOp::create(builder, loc, all, step);
}

SmallVector<Value> VectorBody::evaluate(const Lanes &lanes, ArrayRef<Operation *> combiners) {
  IRMapping mapping;
  /// A value from outside the body, a constant perhaps, is the same on every lane.
  auto find = [&](Value value) -> Value {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    if (lanes.scalar())
      return value;
    Value all = vector::BroadcastOp::create(builder, loc, lanesOf(value.getType()), value);
    mapping.map(value, all);
    return all;
  };
  for (auto [argument, operand] : llvm::zip(nest.body->getArguments(), nest.inputs))
    if (!argument.use_empty())
      mapping.map(argument, load(operand, lanes));
  if (combiners.empty())
    for (auto [argument, operand] : llvm::zip(nest.body->getArguments().drop_front(nest.inputs.size()), nest.outputs))
      if (!argument.use_empty())
        mapping.map(argument, load(operand, lanes));

  for (Operation &op : nest.body->without_terminator()) {
    if (llvm::is_contained(combiners, &op))
      continue;
    if (auto indexOp = dyn_cast<linalg::IndexOp>(op)) {
      mapping.map(indexOp.getResult(), indexOf(indexOp.getDim(), lanes));
      continue;
    }
    if (lanes.scalar()) {
      builder.clone(op, mapping);
      continue;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto splat = DenseElementsAttr::get(lanesOf(constant.getType()), ArrayRef<Attribute>{constant.getValue()});
      mapping.map(constant.getResult(), arith::ConstantOp::create(builder, loc, splat).getResult());
      continue;
    }
    OperationState state(op.getLoc(), op.getName());
    for (Value operand : op.getOperands())
      state.operands.push_back(find(operand));
    for (Type type : op.getResultTypes())
      state.types.push_back(lanesOf(type));
    state.addAttributes(op.getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op.getPropertiesAsAttribute();
    Operation *widened = builder.create(state);
    mapping.map(op.getResults(), widened->getResults());
  }

  SmallVector<Value> results;
  Operation *yield = nest.body->getTerminator();
  for (unsigned output = 0; output < nest.outputs.size(); ++output) {
    Value value = yield->getOperand(output);
    if (!combiners.empty()) {
      Value old = nest.body->getArgument(nest.inputs.size() + output);
      Operation *combiner = combiners[output];
      value = combiner->getOperand(combiner->getOperand(0) == old ? 1 : 0);
    }
    results.push_back(find(value));
  }
  return results;
}

} // namespace graphc
