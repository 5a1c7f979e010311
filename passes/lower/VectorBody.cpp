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
Value VectorBody::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder_, loc_, value);
}

Value VectorBody::constantOne(Type element) {
  return arith::ConstantOp::create(builder_, loc_, builder_.getOneAttr(element));
}

Value VectorBody::mask(int64_t active) {
  SmallVector<bool> bits(width_, false);
  std::fill_n(bits.begin(), active, true);
  return arith::ConstantOp::create(builder_, loc_,
                                   DenseElementsAttr::get(vectorOf(builder_.getI1Type()), bits));
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
  return operand.offset
             ? arith::AddIOp::create(builder_, loc_, sum, index(operand.offset)).getResult()
             : sum;
}

constexpr int64_t kApart = std::numeric_limits<int64_t>::min();

/// How far apart the operand's elements for neighbouring elements of the vector are; kApart: not
/// always as far.
int64_t VectorBody::strideOf(const NestOperand &operand, const VectorIndices &elements) {
  if (elements.scalar() || operand.isScalar)
    return 0;
  int64_t stride = operand.coefficients[elements.loop], walked = nest_.loops[elements.loop].size;
  for (int64_t loop = elements.loop - 1; loop >= 0 && !elements.spread.empty(); --loop)
    if (elements.spread[loop]) {
      if (operand.coefficients[loop] != stride * walked)
        return kApart;
      walked *= nest_.loops[loop].size;
    }
  return stride;
}

/// Whether the vector's elements are in two rows at most, whose elements lie together and 16
/// elements behind the operand's first.
bool VectorBody::isInTwoRows(const NestOperand &operand, const VectorIndices &elements) {
  for (auto [loop, index] : llvm::enumerate(elements.spread))
    if (index && int64_t(loop) != elements.loop && operand.coefficients[loop] < width_)
      return false;
  return nest_.loops[elements.loop].size >= width_ && operand.coefficients[elements.loop] == 1;
}

/// The elements in the row of the vector's first, and for the elements that are left those of the
/// next row.
Value VectorBody::loadTwoRows(const NestOperand &operand, const VectorIndices &elements) {
  VectorType type = vectorOf(getElementTypeOrSelf(operand.memory.getType())),
             counts = vectorOf(builder_.getI32Type());
  Value number = counting(counts);
  Value left = arith::IndexCastOp::create(builder_, loc_, builder_.getI32Type(), elements.left);
  left = vector::BroadcastOp::create(builder_, loc_, counts, left);
  auto where = [&](arith::CmpIPredicate predicate) {
    Value here = arith::CmpIOp::create(builder_, loc_, predicate, number, left);
    return builder_.createOrFold<arith::AndIOp>(loc_, here, mask(elements.active));
  };
  auto load = [&] {
    return vector::LoadOp::create(builder_, loc_, type, operand.memory,
                                  offset(operand, elements.indices));
  };
  scf::IfOp oneRow;
  OpBuilder::InsertionGuard guard(builder_);
  if (elements.active == width_) { // most are
    Value inside = arith::CmpIOp::create(builder_, loc_, arith::CmpIPredicate::uge, elements.left,
                                         index(width_));
    oneRow = scf::IfOp::create(builder_, loc_, type, inside, /*withElseRegion=*/true);
    builder_.setInsertionPointToStart(oneRow.thenBlock());
    scf::YieldOp::create(builder_, loc_, ValueRange{load()});
    builder_.setInsertionPointToStart(oneRow.elseBlock());
  }
  Value values =
      vector::BroadcastOp::create(builder_, loc_, type, constantOne(type.getElementType()));
  values = vector::MaskedLoadOp::create(builder_, loc_, type, operand.memory,
                                        ValueRange{offset(operand, elements.indices)},
                                        where(arith::CmpIPredicate::slt), values);
  values = vector::MaskedLoadOp::create(builder_, loc_, type, operand.memory,
                                        ValueRange{offset(operand, elements.next)},
                                        where(arith::CmpIPredicate::sge), values);
  if (!oneRow)
    return values;
  scf::YieldOp::create(builder_, loc_, values);
  return oneRow.getResult(0);
}

/// The elements one by one.
Value VectorBody::gather(const NestOperand &operand, const VectorIndices &elements) {
  VectorType type = vectorOf(getElementTypeOrSelf(operand.memory.getType()));
  SmallVector<Value> indices(elements.indices);
  Value places;
  for (auto [loop, index] : llvm::enumerate(elements.spread)) {
    if (!index)
      continue;
    indices[loop] = {};
    auto number = cast<VectorType>(index.getType());
    Value factor = arith::ConstantOp::create(
        builder_, loc_,
        DenseElementsAttr::get(
            number, builder_.getIntegerAttr(number.getElementType(), operand.coefficients[loop])));
    Value steps = builder_.createOrFold<arith::MulIOp>(loc_, index, factor);
    places = places ? builder_.createOrFold<arith::AddIOp>(loc_, places, steps) : steps;
  }
  Value ones =
      vector::BroadcastOp::create(builder_, loc_, type, constantOne(type.getElementType()));
  return vector::GatherOp::create(builder_, loc_, type, operand.memory,
                                  ValueRange{offset(operand, indices)}, places,
                                  mask(elements.active), ones);
}

Value VectorBody::load(const NestOperand &operand, const VectorIndices &elements) {
  Type element = getElementTypeOrSelf(operand.memory.getType());
  int64_t stride = strideOf(operand, elements);
  if (stride == kApart)
    return isInTwoRows(operand, elements) ? loadTwoRows(operand, elements)
                                          : gather(operand, elements);
  if (stride == 0) {
    Value value = operand.memory;
    if (!operand.isScalar)
      value =
          memref::LoadOp::create(builder_, loc_, operand.memory, offset(operand, elements.indices));
    if (elements.scalar())
      return value;
    return vector::BroadcastOp::create(builder_, loc_, vectorOf(element), value);
  }
  Value at = offset(operand, elements.indices);
  if (stride == 1) {
    if (elements.active == width_)
      return vector::LoadOp::create(builder_, loc_, vectorOf(element), operand.memory, at);
    Value ones =
        vector::BroadcastOp::create(builder_, loc_, vectorOf(element), constantOne(element));
    return vector::MaskedLoadOp::create(builder_, loc_, vectorOf(element), operand.memory,
                                        ValueRange{at}, mask(elements.active), ones);
  }
  SmallVector<Value> loaded;
  for (int64_t i = 0; i < elements.active; ++i) {
    Value element =
        i ? arith::AddIOp::create(builder_, loc_, at, index(i * stride)).getResult() : at;
    loaded.push_back(memref::LoadOp::create(builder_, loc_, operand.memory, element));
  }
  if (elements.active < width_)
    loaded.append(width_ - elements.active, constantOne(element));
  return vector::FromElementsOp::create(builder_, loc_, vectorOf(element), loaded);
}

void VectorBody::store(const NestOperand &operand, const VectorIndices &elements, Value value) {
  Value at = offset(operand, elements.indices);
  if (elements.scalar()) {
    memref::StoreOp::create(builder_, loc_, value, operand.memory, at);
    return;
  }
  int64_t stride = operand.coefficients[elements.loop];
  if (stride == 1 && elements.active == width_) {
    vector::StoreOp::create(builder_, loc_, value, operand.memory, at);
    return;
  }
  // LLVM 22 stores one element as wide as it was before a truncation
  // (docs/decisions/2026-11-28-one-lane.md).
  if (stride == 1 && elements.active > 1) {
    vector::MaskedStoreOp::create(builder_, loc_, operand.memory, ValueRange{at},
                                  mask(elements.active), value);
    return;
  }
  for (int64_t i = 0; i < elements.active; ++i) {
    Value element =
        i ? arith::AddIOp::create(builder_, loc_, at, index(i * stride)).getResult() : at;
    Value scalar = vector::ExtractOp::create(builder_, loc_, value, ArrayRef<int64_t>{i});
    memref::StoreOp::create(builder_, loc_, scalar, operand.memory, element);
  }
}

/// The op's dimension as a value: constant 0 for one of size 1, consecutive numbers for the
/// vectorised one.
Value VectorBody::indexOf(int64_t dim, const VectorIndices &elements) {
  int64_t loop = nest_.loopOfDim[dim];
  if (loop >= 0 && elements.isSpread(size_t(loop)))
    return arith::IndexCastOp::create(builder_, loc_, vectorOf(builder_.getIndexType()),
                                      elements.spread[loop]);
  Value value = loop < 0 ? index(0) : elements.indices[loop];
  if (elements.scalar())
    return value;
  VectorType type = vectorOf(builder_.getIndexType());
  Value all = vector::BroadcastOp::create(builder_, loc_, type, value);
  if (loop != elements.loop)
    return all;
  return arith::AddIOp::create(builder_, loc_, all, counting(type));
}

/// What all elements of the vector have in common among what the body is given.
void VectorBody::addShared(UniformityAnalysis &groups, const VectorIndices &elements) {
  for (auto [argument, operand] : llvm::zip(nest_.body->getArguments(), nest_.inputs))
    if (!argument.use_empty() && strideOf(operand, elements) == 0)
      groups.addShared(argument);
}

int64_t VectorBody::countGrouped(const VectorIndices &elements) {
  UniformityAnalysis groups(nest_, elements);
  addShared(groups, elements);
  return llvm::count_if(nest_.body->without_terminator(),
                        [&](Operation &op) { return groups.add(op) > 1; });
}

SmallVector<Value> VectorBody::evaluate(const VectorIndices &elements,
                                        ArrayRef<Operation *> combiners) {
  IRMapping mapping;
  UniformityAnalysis groups(nest_, elements);
  // of values that neighbours share, in as many elements as there are groups
  llvm::DenseMap<Value, Value> grouped;
  /// A value from outside the body, a constant perhaps, is the same in every element.
  auto find = [&](Value value) -> Value {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    if (elements.scalar())
      return value;
    Value all;
    if (Value few = grouped.lookup(value)) {
      SmallVector<int64_t> places;
      for (int64_t i = 0; i < width_; ++i)
        places.push_back(i / groups.of(value));
      all = vector::ShuffleOp::create(builder_, loc_, few, few, places);
    } else {
      all = vector::BroadcastOp::create(builder_, loc_, vectorOf(value.getType()), value);
    }
    mapping.map(value, all);
    return all;
  };
  /// The first element of each group.
  auto findGrouped = [&](Value value, int64_t group) -> Value {
    if (Value few = grouped.lookup(value))
      return few;
    SmallVector<int64_t> places;
    for (int64_t i = 0; i < width_; i += group)
      places.push_back(i);
    Value all = find(value);
    return vector::ShuffleOp::create(builder_, loc_, all, all, places);
  };
  for (auto [argument, operand] : llvm::zip(nest_.body->getArguments(), nest_.inputs))
    if (!argument.use_empty())
      mapping.map(argument, load(operand, elements));
  addShared(groups, elements);
  if (combiners.empty())
    for (auto [argument, operand] :
         llvm::zip(nest_.body->getArguments().drop_front(nest_.inputs.size()), nest_.outputs))
      if (!argument.use_empty())
        mapping.map(argument, load(operand, elements));

  for (Operation &op : nest_.body->without_terminator()) {
    if (llvm::is_contained(combiners, &op))
      continue;
    const int64_t group = elements.scalar() ? 1 : groups.add(op);
    if (auto indexOp = dyn_cast<linalg::IndexOp>(op)) {
      mapping.map(indexOp.getResult(), indexOf(indexOp.getDim(), elements));
      continue;
    }
    if (elements.scalar()) {
      builder_.clone(op, mapping);
      continue;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto splat = DenseElementsAttr::get(vectorOf(constant.getType()),
                                          ArrayRef<Attribute>{constant.getValue()});
      mapping.map(constant.getResult(),
                  arith::ConstantOp::create(builder_, loc_, splat).getResult());
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
