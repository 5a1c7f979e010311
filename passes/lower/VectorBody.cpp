#include "passes/lower/VectorBody.h"

#include "passes/lower/UniformityAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

#include <limits>

using namespace mlir;

namespace graphc {
Value VectorBody::index(int64_t value) { return arith::ConstantIndexOp::create(builder_, loc_, value); }

Value VectorBody::constantOne(Type element) {
  return arith::ConstantOp::create(builder_, loc_, builder_.getOneAttr(element));
}

Value VectorBody::mask(int64_t active) {
  SmallVector<bool> bits(width_, false);
  std::fill_n(bits.begin(), active, true);
  return arith::ConstantOp::create(builder_, loc_, DenseElementsAttr::get(lanesOf(builder_.getI1Type()), bits));
}

Value VectorBody::counting(VectorType type) {
  SmallVector<Attribute> numbers;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    numbers.push_back(builder_.getIntegerAttr(type.getElementType(), i));
  return arith::ConstantOp::create(builder_, loc_, DenseElementsAttr::get(type, numbers));
}

/// Element of the operand's flat memory at which it is.
Value VectorBody::offset(const NestOperand &operand, ArrayRef<Value> indices) {
  Value sum;
  for (auto [coefficient, index] : llvm::zip(operand.coefficients, indices)) {
    if (coefficient == 0 || !index)
      continue;
    Value term = index;
    if (coefficient != 1)
      term = arith::MulIOp::create(builder_, loc_, index, this->index(coefficient));
    sum = sum ? arith::AddIOp::create(builder_, loc_, sum, term).getResult() : term;
  }
  if (!sum)
    return index(operand.offset);
  return operand.offset ? arith::AddIOp::create(builder_, loc_, sum, index(operand.offset)).getResult() : sum;
}

constexpr int64_t kApart = std::numeric_limits<int64_t>::min();

/// How far apart the operand's elements in neighbouring lanes are; kApart: not always as far.
int64_t VectorBody::strideOf(const NestOperand &operand, const VectorIndices &lanes) {
  if (lanes.scalar() || operand.isScalar)
    return 0;
  int64_t stride = operand.coefficients[lanes.loop], walked = nest_.loops[lanes.loop].size;
  for (int64_t loop = lanes.loop - 1; loop >= 0 && !lanes.spread.empty(); --loop)
    if (lanes.spread[loop]) {
      if (operand.coefficients[loop] != stride * walked)
        return kApart;
      walked *= nest_.loops[loop].size;
    }
  return stride;
}

/// Whether the lanes are in two rows at most, whose elements lie together and 16 elements behind the operand's first.
bool VectorBody::isInTwoRows(const NestOperand &operand, const VectorIndices &lanes) {
  for (auto [loop, index] : llvm::enumerate(lanes.spread))
    if (index && int64_t(loop) != lanes.loop && operand.coefficients[loop] < width_)
      return false;
  return nest_.loops[lanes.loop].size >= width_ && operand.coefficients[lanes.loop] == 1;
}

/// The elements of the first lane's row, and with the lanes that are left those of the next.
Value VectorBody::loadTwoRows(const NestOperand &operand, const VectorIndices &lanes) {
  VectorType type = lanesOf(getElementTypeOrSelf(operand.memory.getType())), counts = lanesOf(builder_.getI32Type());
  Value lane = counting(counts);
  Value left = arith::IndexCastOp::create(builder_, loc_, builder_.getI32Type(), lanes.left);
  left = vector::BroadcastOp::create(builder_, loc_, counts, left);
  auto where = [&](arith::CmpIPredicate predicate) {
    Value here = arith::CmpIOp::create(builder_, loc_, predicate, lane, left);
    return builder_.createOrFold<arith::AndIOp>(loc_, here, mask(lanes.active));
  };
  auto load = [&] {
    return vector::LoadOp::create(builder_, loc_, type, operand.memory, offset(operand, lanes.indices));
  };
  scf::IfOp oneRow;
  OpBuilder::InsertionGuard guard(builder_);
  if (lanes.active == width_) { // most are
    Value inside = arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::uge, lanes.left, index(width_));
    oneRow = scf::IfOp::create(builder_, loc_, type, inside, /*withElseRegion=*/true);
    builder_.setInsertionPointToStart(oneRow.thenBlock());
    scf::YieldOp::create(builder_, loc_, ValueRange{load()});
    builder_.setInsertionPointToStart(oneRow.elseBlock());
  }
  Value values = vector::BroadcastOp::create(builder_, loc_, type, constantOne(type.getElementType()));
  values =
      vector::MaskedLoadOp::create(builder_, loc_, type, operand.memory, ValueRange{offset(operand, lanes.indices)},
                                   where(arith::CmpIPredicate::slt), values);
  values = vector::MaskedLoadOp::create(builder_, loc_, type, operand.memory, ValueRange{offset(operand, lanes.next)},
                                        where(arith::CmpIPredicate::sge), values);
  if (!oneRow)
    return values;
  scf::YieldOp::create(builder_, loc_, values);
  return oneRow.getResult(0);
}

/// The elements one by one.
Value VectorBody::gather(const NestOperand &operand, const VectorIndices &lanes) {
  VectorType type = lanesOf(getElementTypeOrSelf(operand.memory.getType()));
  SmallVector<Value> indices(lanes.indices);
  Value places;
  for (auto [loop, index] : llvm::enumerate(lanes.spread)) {
    if (!index)
      continue;
    indices[loop] = {};
    auto number = cast<VectorType>(index.getType());
    Value factor = arith::ConstantOp::create(
        builder_, loc_,
        DenseElementsAttr::get(number, builder_.getIntegerAttr(number.getElementType(), operand.coefficients[loop])));
    Value steps = builder_.createOrFold<arith::MulIOp>(loc_, index, factor);
    places = places ? builder_.createOrFold<arith::AddIOp>(loc_, places, steps) : steps;
  }
  Value ones = vector::BroadcastOp::create(builder_, loc_, type, constantOne(type.getElementType()));
  return vector::GatherOp::create(builder_, loc_, type, operand.memory, ValueRange{offset(operand, indices)}, places,
                                  mask(lanes.active), ones);
}

Value VectorBody::load(const NestOperand &operand, const VectorIndices &lanes) {
  Type element = getElementTypeOrSelf(operand.memory.getType());
  int64_t stride = strideOf(operand, lanes);
  if (stride == kApart)
    return isInTwoRows(operand, lanes) ? loadTwoRows(operand, lanes) : gather(operand, lanes);
  if (stride == 0) {
    Value value = operand.memory;
    if (!operand.isScalar)
      value = memref::LoadOp::create(builder_, loc_, operand.memory, offset(operand, lanes.indices));
    if (lanes.scalar())
      return value;
    return vector::BroadcastOp::create(builder_, loc_, lanesOf(element), value);
  }
  Value at = offset(operand, lanes.indices);
  if (stride == 1) {
    if (lanes.active == width_)
      return vector::LoadOp::create(builder_, loc_, lanesOf(element), operand.memory, at);
    Value ones = vector::BroadcastOp::create(builder_, loc_, lanesOf(element), constantOne(element));
    return vector::MaskedLoadOp::create(builder_, loc_, lanesOf(element), operand.memory, ValueRange{at},
                                        mask(lanes.active), ones);
  }
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes.active; ++lane) {
    Value element = lane ? arith::AddIOp::create(builder_, loc_, at, index(lane * stride)).getResult() : at;
    elements.push_back(memref::LoadOp::create(builder_, loc_, operand.memory, element));
  }
  if (lanes.active < width_)
    elements.append(width_ - lanes.active, constantOne(element));
  return vector::FromElementsOp::create(builder_, loc_, lanesOf(element), elements);
}

void VectorBody::store(const NestOperand &operand, const VectorIndices &lanes, Value value) {
  Value at = offset(operand, lanes.indices);
  if (lanes.scalar()) {
    memref::StoreOp::create(builder_, loc_, value, operand.memory, at);
    return;
  }
  int64_t stride = operand.coefficients[lanes.loop];
  if (stride == 1 && lanes.active == width_) {
    vector::StoreOp::create(builder_, loc_, value, operand.memory, at);
    return;
  }
  // LLVM 22 stores one lane as wide as it was before a truncation (docs/decisions/2026-11-28-one-lane.md).
  if (stride == 1 && lanes.active > 1) {
    vector::MaskedStoreOp::create(builder_, loc_, operand.memory, ValueRange{at}, mask(lanes.active), value);
    return;
  }
  for (int64_t lane = 0; lane < lanes.active; ++lane) {
    Value element = lane ? arith::AddIOp::create(builder_, loc_, at, index(lane * stride)).getResult() : at;
    Value scalar = vector::ExtractOp::create(builder_, loc_, value, ArrayRef<int64_t>{lane});
    memref::StoreOp::create(builder_, loc_, scalar, operand.memory, element);
  }
}

/// The op's dimension as a value: constant 0 for one of size 1, consecutive numbers for the vectorised one.
Value VectorBody::indexOf(int64_t dim, const VectorIndices &lanes) {
  int64_t loop = nest_.loopOfDim[dim];
  if (loop >= 0 && lanes.isSpread(size_t(loop)))
    return arith::IndexCastOp::create(builder_, loc_, lanesOf(builder_.getIndexType()), lanes.spread[loop]);
  Value value = loop < 0 ? index(0) : lanes.indices[loop];
  if (lanes.scalar())
    return value;
  VectorType type = lanesOf(builder_.getIndexType());
  Value all = vector::BroadcastOp::create(builder_, loc_, type, value);
  if (loop != lanes.loop)
    return all;
  return arith::AddIOp::create(builder_, loc_, all, counting(type));
}

/// What all lanes have in common among what the body is given.
void VectorBody::addShared(LaneGroups &groups, const VectorIndices &lanes) {
  for (auto [argument, operand] : llvm::zip(nest_.body->getArguments(), nest_.inputs))
    if (!argument.use_empty() && strideOf(operand, lanes) == 0)
      groups.addShared(argument);
}

int64_t VectorBody::countGrouped(const VectorIndices &lanes) {
  LaneGroups groups(nest_, lanes);
  addShared(groups, lanes);
  return llvm::count_if(nest_.body->without_terminator(), [&](Operation &op) { return groups.add(op) > 1; });
}

SmallVector<Value> VectorBody::evaluate(const VectorIndices &lanes, ArrayRef<Operation *> combiners) {
  IRMapping mapping;
  LaneGroups groups(nest_, lanes);
  llvm::DenseMap<Value, Value> grouped; // of values that neighbouring lanes share, in as many lanes as there are groups
  /// A value from outside the body, a constant perhaps, is the same on every lane.
  auto find = [&](Value value) -> Value {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    if (lanes.scalar())
      return value;
    Value all;
    if (Value few = grouped.lookup(value)) {
      SmallVector<int64_t> places;
      for (int64_t lane = 0; lane < width_; ++lane)
        places.push_back(lane / groups.of(value));
      all = vector::ShuffleOp::create(builder_, loc_, few, few, places);
    } else {
      all = vector::BroadcastOp::create(builder_, loc_, lanesOf(value.getType()), value);
    }
    mapping.map(value, all);
    return all;
  };
  /// The first lane of each group.
  auto findGrouped = [&](Value value, int64_t group) -> Value {
    if (Value few = grouped.lookup(value))
      return few;
    SmallVector<int64_t> places;
    for (int64_t lane = 0; lane < width_; lane += group)
      places.push_back(lane);
    Value all = find(value);
    return vector::ShuffleOp::create(builder_, loc_, all, all, places);
  };
  for (auto [argument, operand] : llvm::zip(nest_.body->getArguments(), nest_.inputs))
    if (!argument.use_empty())
      mapping.map(argument, load(operand, lanes));
  addShared(groups, lanes);
  if (combiners.empty())
    for (auto [argument, operand] :
         llvm::zip(nest_.body->getArguments().drop_front(nest_.inputs.size()), nest_.outputs))
      if (!argument.use_empty())
        mapping.map(argument, load(operand, lanes));

  for (Operation &op : nest_.body->without_terminator()) {
    if (llvm::is_contained(combiners, &op))
      continue;
    const int64_t group = lanes.scalar() ? 1 : groups.add(op);
    if (auto indexOp = dyn_cast<linalg::IndexOp>(op)) {
      mapping.map(indexOp.getResult(), indexOf(indexOp.getDim(), lanes));
      continue;
    }
    if (lanes.scalar()) {
      builder_.clone(op, mapping);
      continue;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto splat = DenseElementsAttr::get(lanesOf(constant.getType()), ArrayRef<Attribute>{constant.getValue()});
      mapping.map(constant.getResult(), arith::ConstantOp::create(builder_, loc_, splat).getResult());
      continue;
    }
    OperationState state(op.getLoc(), op.getName());
    for (Value operand : op.getOperands())
      state.operands.push_back(group > 1 ? findGrouped(operand, group) : find(operand));
    for (Type type : op.getResultTypes())
      state.types.push_back(VectorType::get({width_ / group}, type));
    state.addAttributes(op.getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op.getPropertiesAsAttribute();
    Operation *widened = builder_.create(state);
    if (group == 1)
      mapping.map(op.getResults(), widened->getResults());
    else
      for (auto [value, few] : llvm::zip_equal(op.getResults(), widened->getResults()))
        grouped[value] = few;
  }

  SmallVector<Value> results;
  Operation *yield = nest_.body->getTerminator();
  for (unsigned output = 0; output < nest_.outputs.size(); ++output) {
    Value value = yield->getOperand(output);
    if (!combiners.empty()) {
      Value old = nest_.body->getArgument(nest_.inputs.size() + output);
      Operation *combiner = combiners[output];
      value = combiner->getOperand(combiner->getOperand(0) == old ? 1 : 0);
    }
    results.push_back(find(value));
  }
  return results;
}

} // namespace graphc
