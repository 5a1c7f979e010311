//===- ScalarOperands.cpp - scalars and numbers in the text of elementwise ops ----------------===//
#include "dialects/graph/ops/ScalarOperands.h"

#include "dialects/graph/ops/OpHelpers.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace graphc::graph {
namespace {

constexpr size_t kLongest = 1000; ///< of a number's characters that are looked at

/// An operand as it is written.
struct Written {
  OpAsmParser::UnresolvedOperand value; ///< where `number` is empty
  std::string number; ///< in decimal
  SMLoc place;
};

/// `-12`, `0.5`, `1.0e-3`, in decimal. Nothing where neither a digit nor a sign stands.
OptionalParseResult parseNumber(OpAsmParser &parser, std::string &number) {
  const char *begin = parser.getCurrentLocation().getPointer(); // ends with a zero, far away
  const bool negative = *begin == '-';
  if (!negative && !llvm::isDigit(*begin))
    return std::nullopt;
  const StringRef text(begin + negative, strnlen(begin + negative, kLongest + 1));
  SmallVector<StringRef> parts; // all of it, fraction and exponent
  if (!llvm::Regex("^[0-9]+([.][0-9]*([eE][-+]?[0-9]+)?)?").match(text, &parts))
    return parser.emitError(parser.getCurrentLocation()) << "expected a value or a number";
  const StringRef behind = text.drop_front(parts[0].size());
  if (behind.empty())
    return parser.emitError(parser.getCurrentLocation())
           << "has a number of more than " << kLongest << " characters";
  // 0x10 is one word to MLIR
  if (llvm::isAlnum(behind.front()) || StringRef("_.$").contains(behind.front()))
    return parser.emitError(parser.getCurrentLocation())
           << parts[0] << behind.take_while([](char c) {
                return llvm::isAlnum(c) || StringRef("_.$").contains(c);
              })
           << " is no number; expected one in decimal, as 16, -0.5 or 1.0e-3";
  double real;
  llvm::APInt integer;
  OptionalParseResult parsed =
      parts[1].empty() ? parser.parseOptionalInteger(integer) : parser.parseFloat(real);
  if (!parsed.has_value() || failed(*parsed))
    return failure();
  number = (negative ? "-" : "") + parts[0].str();
  return success();
}

/// The number as an element of that type; null and an error where it is none.
TypedAttr convertNumber(OpAsmParser &parser, const Written &operand, Type element) {
  StringRef digits = operand.number;
  if (auto type = dyn_cast<FloatType>(element)) {
    llvm::APFloat value(type.getFloatSemantics());
    if (!errorToBool(
            value.convertFromString(digits, llvm::APFloat::rmNearestTiesToEven).takeError()) &&
        value.isFinite())
      return FloatAttr::get(type, value);
  } else if (auto type = dyn_cast<IntegerType>(element)) {
    const bool negative = digits.starts_with("-"),
               isUnsigned = type.isUnsigned() || type.getWidth() == 1;
    llvm::APInt value;
    if (!digits.drop_front(negative).getAsInteger(10, value)) {
      value = value.zext(std::max(value.getBitWidth(), type.getWidth()) + 2);
      if (negative)
        value.negate();
      if (isUnsigned ? !value.isNegative() && value.isIntN(type.getWidth())
                     : value.isSignedIntN(type.getWidth()))
        return IntegerAttr::get(type, value.trunc(type.getWidth()));
    }
  }
  parser.emitError(operand.place) << digits << " is no number of " << element;
  return {};
}

/// Where what stands for a scalar is made: behind `value`. False where that is not made yet.
bool moveBehind(OpBuilder &builder, Value value) {
  if (!value.getParentBlock())
    return false;
  builder.setInsertionPointAfterValue(value);
  return true;
}

/// The value of that name and type; null and no error where it has another.
Value findValue(OpAsmParser &parser, const Written &operand, Type type) {
  ScopedDiagnosticHandler silent(parser.getContext(), [](Diagnostic &) { return success(); });
  SmallVector<Value, 1> found;
  return succeeded(parser.resolveOperand(operand.value, type, found)) ? found.front() : Value();
}

} // namespace

ParseResult parseElementwiseOperands(OpAsmParser &parser, OperationState &state, size_t count,
                                     bool mask, Type &type) {
  SmallVector<Written, 3> operands(count);
  for (size_t i = 0; i < count; ++i) {
    if (i && parser.parseComma())
      return failure();
    Written &operand = operands[i];
    operand.place = parser.getCurrentLocation();
    OptionalParseResult number =
        i || !mask ? parseNumber(parser, operand.number) : OptionalParseResult();
    if (number.has_value() ? failed(*number) : failed(parser.parseOperand(operand.value)))
      return failure();
  }
  RankedTensorType tensor;
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseColon())
    return failure();
  SMLoc typePlace = parser.getCurrentLocation();
  if (parser.parseCustomTypeWithFallback(tensor))
    return failure();
  type = tensor;
  const bool isTensor = isGraphTensor(tensor, AnyKind); // what is none is the verifier's business

  OpBuilder builder(parser.getContext());
  auto place = [&](Operation *made) {
    if (auto device = dyn_cast_or_null<DeviceAttr>(state.attributes.get(GraphDialect::kDevice)))
      setDevice(made, device);
    return made->getResult(0);
  };
  state.operands.assign(count, Value());
  Value any;
  for (size_t i = 0; i < count; ++i) {
    if (!operands[i].number.empty())
      continue;
    RankedTensorType full =
        mask && i == 0 ? RankedTensorType::get(tensor.getShape(), builder.getI1Type()) : tensor;
    Value value = findValue(parser, operands[i], full);
    if (!value && isTensor && full.getRank()) {
      Value scalar =
          findValue(parser, operands[i], RankedTensorType::get({}, full.getElementType()));
      if (scalar && moveBehind(builder, scalar))
        value = place(
            BroadcastInDimOp::create(builder, state.location, full, scalar, ArrayRef<int64_t>()));
    }
    if (!value) { // says why
      SmallVector<Value, 1> none;
      return parser.resolveOperand(operands[i].value, full, none);
    }
    state.operands[i] = any = value;
  }
  for (size_t i = 0; i < count; ++i) {
    if (operands[i].number.empty())
      continue;
    if (!isTensor)
      return parser.emitError(typePlace)
             << "expected a static ranked tensor of at most 2^37 elements, got " << tensor;
    if (!any || !moveBehind(builder, any))
      return parser.emitError(operands[i].place)
             << "is a number where no operand is a value that is defined before; expected a graph.constant";
    TypedAttr element = convertNumber(parser, operands[i], tensor.getElementType());
    if (!element)
      return failure();
    state.operands[i] = place(ConstantOp::create(
        builder, state.location, DenseElementsAttr::get(tensor, Attribute(element))));
  }
  return success();
}

ParseResult parseElementwise(OpAsmParser &parser, OperationState &state, size_t count, bool mask) {
  Type type;
  if (parseElementwiseOperands(parser, state, count, mask, type))
    return failure();
  state.addTypes(type);
  return success();
}

void printElementwise(OpAsmPrinter &printer, Operation *op, ArrayRef<StringRef> elided) {
  printer << ' ' << op->getOperands();
  printer.printOptionalAttrDict(op->getAttrs(), elided);
  printer << " : " << op->getOperands().back().getType();
}

} // namespace graphc::graph
