//===- StablehloReductionsToGraph.cpp ---------------------------------------------------------===//
//
// What StableHLO says by the body of a region or a function.
//
//===------------------------------------------------------------------------------------------===//
#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/ops/PassOpBuilders.h"
#include "dialects/stablehlo/ImportedOp.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::stablehlo;

namespace {

using Result = FailureOr<ImportResult>;

struct Combiner {
  StringRef name, reduction;
};
constexpr Combiner kCombiners[] = {{"add", "reduce_sum"},     {"maximum", "reduce_max"},
                                   {"minimum", "reduce_min"}, {"multiply", "reduce_prod"},
                                   {"and", "reduce_and"},     {"or", "reduce_or"}};

/// What the only block of a region computes, its values numbered in their order: "compare GT 0 2; …
/// return 11 12".
std::string writeBody(Region &region) {
  if (!region.hasOneBlock() || !llvm::hasNItemsOrLess(region.front(), 16))
    return "";
  std::string text;
  llvm::DenseMap<Value, size_t> numbers;
  for (Value argument : region.getArguments())
    numbers.try_emplace(argument, numbers.size());
  for (Operation &op : region.front()) {
    text += withoutDialect(&op).str();
    Attribute direction = op.getAttr("comparison_direction");
    if (auto word = dyn_cast_or_null<StringAttr>(direction))
      text += " " + word.str();
    for (Value operand : op.getOperands())
      text +=
          " " + (numbers.contains(operand) ? std::to_string(numbers.lookup(operand)) : "outside");
    for (Value result : op.getResults())
      numbers.try_emplace(result, numbers.size());
    text += "; ";
  }
  return text;
}

/// Of a block, which computes this of its argument with these constants in their order.
bool isBody(Region &region, StringRef body, ArrayRef<double> constants) {
  if (writeBody(region) != body)
    return false;
  auto isNext = [&](Operation &op) {
    auto value = dyn_cast_or_null<DenseElementsAttr>(op.getAttr("value"));
    auto element = value && value.isSplat() ? dyn_cast<FloatAttr>(value.getSplatValue<Attribute>())
                                            : FloatAttr();
    const bool found =
        element && !constants.empty() && element.getValueAsDouble() == constants.front();
    constants = constants.drop_front(constants.empty() ? 0 : 1);
    return found;
  };
  return llvm::all_of(
             region.front(),
             [&](Operation &op) { return withoutDialect(&op) != "constant" || isNext(op); }) &&
         constants.empty();
}

/// Of each row the largest or the least element and where it is first, a NaN before all others: as
/// JAX writes argmax and argmin.
Result importArgmax(ImportedOp &op) {
  constexpr StringLiteral kBody =
      " 0 2; compare NE 0 0; or 4 5; compare EQ 0 2; compare LT 1 3; and 7 8; or 6 9; select 6 0 2; "
      "select 10 1 3; return 11 12; ";
  const std::string body = op.op->getNumRegions() == 1 ? writeBody(op.op->getRegion(0)) : "";
  const bool isMax = body == "compare GT" + kBody.str(), isMin = body == "compare LT" + kBody.str();
  if (!isMax && !isMin)
    return ImportedOp::cannot("of several operands, other than argmax and argmin");
  FailureOr<IntegerList> dimensions = op.numbers("dimensions");
  if (failed(dimensions))
    return failure();
  Operation *places = op.operands[1].getDefiningOp();
  auto along = places && places->getName().getStringRef() == "graph.iota"
                   ? places->getAttrOfType<IntegerAttr>("dimension")
                   : IntegerAttr();
  DenseElementsAttr first;
  if (dimensions->size() != 1 || !along || along.getInt() != dimensions->front() ||
      !isNeutral(op.operands[2], isMax ? "maximum" : "minimum") ||
      !matchPattern(op.operands[3], m_Constant(&first)) || !first.isSplat() ||
      !isa<IntegerType>(first.getElementType()) || !first.getSplatValue<APInt>().isZero())
    return ImportedOp::cannot("of several operands, other than argmax and argmin of a dimension");
  if (isOfTruth(op.operandType()))
    return ImportedOp::cannot("of truth values");
  Value x = op.operands[0];
  if (isMin) // the order of integers' complements is the other way round
    x = op.make(isa<FloatType>(op.operandType().getElementType()) ? "negate" : "not", x.getType(),
                x);
  return ImportResult{
      {op.make(isMax ? "reduce_max" : "reduce_min", op.type(0), op.operands[0],
               op.named("dimensions", *dimensions)),
       op.make("argmax", op.type(1), x, op.named("dimension", dimensions->front()))},
      ""};
}

} // namespace

FailureOr<ImportResult> graphc::stablehlo::importReduce(ImportedOp &op) {
  if (op.operands.size() == 4 && op.op->getNumResults() == 2)
    return importArgmax(op);
  if (op.operands.size() != 2)
    return ImportedOp::cannot("of several operands");
  StringRef name = op.combiner();
  if (StringRef word = ofTruth(name); !word.empty() && isOfTruth(op.type()))
    name = word;
  const Combiner *combiner =
      llvm::find_if(kCombiners, [&](const Combiner &one) { return one.name == name; });
  if (combiner == std::end(kCombiners))
    return ImportedOp::cannot(
        "by more than one operation, or one that is none of add, maximum, minimum, multiply, and, or");
  FailureOr<IntegerList> dimensions = op.numbers("dimensions");
  if (failed(dimensions))
    return failure();
  llvm::sort(*dimensions);
  Value reduced =
      op.make(combiner->reduction, op.type(), op.operands[0], op.named("dimensions", *dimensions));
  if (!isNeutral(op.operands[1], name))
    reduced = op.make(name, op.type(), {op.broadcast(op.operands[1], op.type()), reduced});
  return ImportedOp::one(reduced);
}

bool graphc::stablehlo::isNeutral(Value value, StringRef combiner) {
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat())
    return false;
  Attribute element = constant.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(element)) {
    const APFloat read = number.getValue();
    if (combiner == "add")
      return read.isZero();
    if (combiner == "multiply")
      return read.isExactlyValue(1);
    return read.isInfinity() && read.isNegative() == (combiner == "maximum");
  }
  auto number = dyn_cast<IntegerAttr>(element);
  if (!number)
    return false;
  const APInt read = number.getValue();
  const bool isUnsigned = number.getType().isUnsignedInteger() || read.getBitWidth() == 1;
  if (combiner == "add" || combiner == "or")
    return read.isZero();
  if (combiner == "multiply")
    return read.isOne();
  if (combiner == "and")
    return read.isAllOnes();
  return combiner == "maximum" ? (isUnsigned ? read.isZero() : read.isMinSignedValue())
                               : (isUnsigned ? read.isAllOnes() : read.isMaxSignedValue());
}

/// Without the number that JAX puts behind the name of a function that there is once more: relu_3.
static StringRef withoutNumber(StringRef name) {
  auto [before, number] = name.rsplit('_');
  return llvm::all_of(number, llvm::isDigit) ? before : name;
}

SmallVector<Value> graphc::stablehlo::importStop(StringRef name, Block &body, ValueRange arguments,
                                                 OpBuilder &builder, Location location) {
  if (withoutNumber(name) != "stop_gradient" || !llvm::hasSingleElement(body) ||
      !llvm::equal(body.front().getOperands(), body.getArguments()))
    return {};
  return llvm::map_to_vector(arguments, [&](Value value) -> Value {
    OperationState state(location, "graph.stop_gradient", value, value.getType());
    return builder.create(state)->getResult(0);
  });
}

Value graphc::stablehlo::importRule(StringRef name, Region &body, Value x, OpBuilder &builder,
                                    Location location) {
  name = withoutNumber(name);
  auto type = dyn_cast<RankedTensorType>(x.getType());
  if (!type || !isa<FloatType>(type.getElementType()))
    return {};
  auto make = [&](StringRef op, Type result, ValueRange of, ArrayRef<NamedAttribute> with = {}) {
    OperationState state(location, ("graph." + op).str(), of, result, with);
    return builder.create(state)->getResult(0);
  };
  constexpr StringLiteral kAtLeast = "constant; broadcast_in_dim 1; maximum 0 2; ";
  if (name == "relu" && isBody(body, kAtLeast.str() + "return 3; ", {0.0}))
    return make("relu", type, x);
  if (name != "relu6" ||
      !isBody(body, kAtLeast.str() + "constant; broadcast_in_dim 4; minimum 3 5; return 6; ",
              {0.0, 6.0}))
    return {};
  auto choose = [&](graph::Comparison relation, double bound, Value otherwise) {
    Value limit = graph::createSplat(builder, location, type, bound);
    auto relationAttr = builder.getNamedAttr(
        "relation", graph::ComparisonAttr::get(builder.getContext(), relation));
    Value beyond = make("compare", RankedTensorType::get(type.getShape(), builder.getI1Type()),
                        {x, limit}, relationAttr);
    return make("select", type, {beyond, limit, otherwise});
  };
  return choose(graph::Comparison::GE, 6, choose(graph::Comparison::LE, 0, x));
}
