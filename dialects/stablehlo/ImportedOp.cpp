//===- ImportedOp.cpp - an op of StableHLO while it is imported -------------------------------===//
#include "dialects/stablehlo/ImportedOp.h"

#include "dialects/graph/ops/ComputeOps.h"
#include "dialects/graph/ops/PassOpBuilders.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::stablehlo;

ImportedOp::ImportedOp(Operation *op, ValueRange operands, OpBuilder &builder, Location location)
    : op(op), operands(operands), builder(builder), loc(location),
      attributes_(op->getDiscardableAttrDictionary()) {
  // of `<{…}>`
  if (auto inherent = dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute()))
    for (NamedAttribute attribute : inherent)
      attributes_.set(attribute.getName(), attribute.getValue());
}

RankedTensorType ImportedOp::type(unsigned result) const {
  return cast<RankedTensorType>(op->getResult(result).getType());
}
RankedTensorType ImportedOp::operandType(unsigned operand) const {
  return cast<RankedTensorType>(operands[operand].getType());
}

Attribute ImportedOp::get(StringRef name) {
  known_.push_back(name);
  return attributes_.get(name);
}

void ImportedOp::ignore(ArrayRef<StringRef> names) { llvm::append_range(known_, names); }

FailureOr<IntegerList> ImportedOp::numbers(StringRef name, IntegerList otherwise) {
  Attribute given = get(name);
  if (!given)
    return otherwise;
  if (auto array = dyn_cast<DenseI64ArrayAttr>(given))
    return llvm::to_vector(array.asArrayRef());
  if (auto array = dyn_cast<DenseBoolArrayAttr>(given))
    return IntegerList(array.asArrayRef().begin(), array.asArrayRef().end());
  IntegerList read;
  if (auto dense = dyn_cast<DenseIntElementsAttr>(given); dense && dense.getNumElements() <= 4096) {
    for (const APInt &one : dense.getValues<APInt>())
      read.push_back(one.getBitWidth() > 1 ? one.trySExtValue().value_or(-1)
                                           : int64_t(one.getZExtValue()));
    return read;
  }
  return error() << "attribute '" << name << "' is " << given
                 << "; expected integers, as array<i64: 1, 2>";
}

FailureOr<IntegerList> ImportedOp::numbers(StringRef name) {
  if (attributes_.get(name))
    return numbers(name, {});
  return error() << "has no attribute '" << name << "'";
}

FailureOr<int64_t> ImportedOp::number(StringRef name, int64_t otherwise) {
  Attribute given = get(name);
  if (!given)
    return otherwise;
  if (auto integer = dyn_cast<IntegerAttr>(given);
      integer && integer.getValue().getSignificantBits() <= 64)
    return integer.getValue().getSExtValue();
  return error() << "attribute '" << name << "' is " << given << "; expected an integer";
}

FailureOr<int64_t> ImportedOp::number(StringRef name) {
  if (attributes_.get(name))
    return number(name, 0);
  return error() << "has no attribute '" << name << "'";
}

FailureOr<StringRef> ImportedOp::word(StringRef name) {
  if (auto given = dyn_cast_or_null<StringAttr>(get(name)))
    return given.getValue();
  return error() << "has no attribute '" << name << "', or it is none of StableHLO's";
}

FailureOr<DictionaryAttr> ImportedOp::dictionary(StringRef name) {
  if (auto given = dyn_cast_or_null<DictionaryAttr>(get(name)))
    return given;
  return error() << "has no attribute '" << name << "', or it is none of StableHLO's";
}

std::string ImportedOp::unknownAttributes() const {
  std::string names;
  for (NamedAttribute attribute : attributes_)
    if (!attribute.getName().getValue().contains('.') &&
        !llvm::is_contained(known_, attribute.getName().getValue()))
      names += (names.empty() ? "" : ", ") + attribute.getName().str();
  return names;
}

DenseElementsAttr stablehlo::getSplat(Value value) {
  if (Operation *repeated = getOp(value, "graph.broadcast_in_dim"))
    value = repeated->getOperand(0);
  DenseElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) && constant.isSplat() ? constant
                                                                          : DenseElementsAttr();
}

static bool areOf(TypeRange types, Type type) {
  return llvm::all_of(types, [&](Type one) { return one == type; });
}

StringRef ImportedOp::combiner() const {
  if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock())
    return "";
  Block &block = op->getRegion(0).front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block, 2))
    return "";
  Operation &first = block.front(), &last = block.back();
  const bool returnsIt = last.getName().getStringRef() == "stablehlo.return" &&
                         last.getNumOperands() == 1 && first.getNumResults() == 1 &&
                         last.getOperand(0) == first.getResult(0);
  const bool takesBoth = first.getNumOperands() == 2 &&
                         first.getOperand(0) != first.getOperand(1) &&
                         llvm::all_of(first.getOperands(), [&](Value operand) {
                           return llvm::is_contained(block.getArguments(), operand);
                         });
  auto scalar = RankedTensorType::get({}, operandType().getElementType());
  const bool isOfElements = areOf(block.getArgumentTypes(), scalar) && first.getNumResults() == 1 &&
                            first.getResult(0).getType() == scalar;
  StringRef name = first.getName().getStringRef();
  return returnsIt && takesBoth && isOfElements && name.consume_front("stablehlo.") ? name : "";
}

bool ImportedOp::setsElements() const {
  if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock())
    return false;
  Block &block = op->getRegion(0).front();
  auto scalar = RankedTensorType::get({}, operandType().getElementType());
  return block.getNumArguments() == 2 && areOf(block.getArgumentTypes(), scalar) &&
         llvm::hasSingleElement(block) &&
         block.front().getName().getStringRef() == "stablehlo.return" &&
         block.front().getNumOperands() == 1 && block.front().getOperand(0) == block.getArgument(1);
}

Value ImportedOp::make(StringRef name, Type type, ValueRange of,
                       ArrayRef<NamedAttribute> with) const {
  OperationState state(loc, ("graph." + name).str(), of, type, with);
  return builder.create(state)->getResult(0);
}

Value ImportedOp::makeProduct(StringRef name, RankedTensorType type, ValueRange of,
                              ArrayRef<NamedAttribute> with) const {
  auto rank = [](Type element) {
    // a float has room for what an integer of no more bits has, in our eyes
    return std::pair(isa<FloatType>(element), element.getIntOrFloatBitWidth());
  };
  Type widest = type.getElementType();
  for (Value operand : of)
    if (Type element = getElementTypeOrSelf(operand); rank(element) > rank(widest))
      widest = element;
  SmallVector<Value> operands(of);
  for (Value &operand : operands)
    if (getElementTypeOrSelf(operand) != widest)
      operand = make("convert", cast<RankedTensorType>(operand.getType()).clone(widest), operand);
  Value product = make(name, type.clone(widest), operands, with);
  return widest == type.getElementType() ? product : make("convert", type, product);
}

NamedAttribute ImportedOp::named(StringRef name, ArrayRef<int64_t> numbers) const {
  return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(numbers));
}
NamedAttribute ImportedOp::named(StringRef name, int64_t number) const {
  return builder.getNamedAttr(name, builder.getI64IntegerAttr(number));
}
NamedAttribute ImportedOp::named(StringRef name) const {
  return builder.getNamedAttr(name, builder.getUnitAttr());
}

Value ImportedOp::splat(RankedTensorType type, double value) const {
  return graph::createSplat(builder, loc, type, value);
}

Value ImportedOp::transpose(Value value, ArrayRef<int64_t> permutation) const {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return value;
  auto from = cast<RankedTensorType>(value.getType());
  IntegerList shape =
      llvm::map_to_vector(permutation, [&](int64_t i) { return from.getDimSize(i); });
  return make("transpose", from.clone(shape), value, named("permutation", permutation));
}

Value ImportedOp::broadcast(Value scalar, RankedTensorType type) const {
  return scalar.getType() == type ? scalar
                                  : make("broadcast_in_dim", type, scalar,
                                         named("broadcast_dimensions", ArrayRef<int64_t>()));
}
