//===- StablehloMathToGraph.cpp ---------------------------------------------------------------===//
//
// Functions of one element that the graph dialect has no op for.
//
//===------------------------------------------------------------------------------------------===//
#include "dialects/graph/GraphDialect.h"
#include "dialects/stablehlo/ImportedOp.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace graphc;
using namespace graphc::stablehlo;

FailureOr<ImportResult> stablehlo::importSquare(ImportedOp &op) {
  return ImportedOp::one(op.make("multiply", op.type(), {op.operands[0], op.operands[0]}));
}

/// 1 - erf(x); of large x, where erf is nearly 1, the difference has the digits of 1 and no more.
FailureOr<ImportResult> stablehlo::importErfc(ImportedOp &op) {
  const RankedTensorType type = op.type(),
                         wide =
                             type.getElementType().isBF16()
                                 ? RankedTensorType::get(type.getShape(), op.builder.getF32Type())
                                 : type;
  Value x = wide == type ? op.operands[0] : op.make("convert", wide, op.operands[0]);
  Value result = op.make("subtract", wide, {op.splat(wide, 1), op.make("erf", wide, x)});
  return ImportedOp::one(wide == type ? result : op.make("convert", type, result));
}

/// A float of an integer's bits where it is 1 and what stands in the mantissa: the exponent of 1
/// over bits from above, as JAX makes random numbers.
FailureOr<ImportResult> stablehlo::importBitcast(ImportedOp &op) {
  Type from = op.operandType().getElementType(), to = op.type().getElementType();
  const unsigned bits = to.getIntOrFloatBitWidth(), mantissa = to.isF32() ? 23 : 52;
  auto isBits = [](Value value, uint64_t number) {
    DenseElementsAttr constant = getSplat(value);
    return constant && constant.getSplatValue<APInt>().getZExtValue() == number;
  };
  Operation *joined = (to.isF32() || to.isF64()) && from.isInteger(bits)
                          ? getOp(op.operands[0], "graph.or")
                          : nullptr;
  const uint64_t one = to.isF32() ? 0x3f800000 : 0x3ff0000000000000;
  for (unsigned i = 0; joined && i < 2; ++i) {
    Operation *shifted = getOp(joined->getOperand(i), "graph.shift_right_logical");
    if (!shifted || !isBits(joined->getOperand(1 - i), one) ||
        !isBits(shifted->getOperand(1), bits - mantissa))
      continue;
    Value number = op.make("convert", op.type(), shifted->getResult(0));
    Value part = op.make("multiply", op.type(),
                         {number, op.splat(op.type(), std::ldexp(1.0, -int(mantissa)))});
    return ImportedOp::one(op.make("add", op.type(), {part, op.splat(op.type(), 1)}));
  }
  return ImportedOp::cannot("of other bits than those of a random number");
}

/// M. Giles, Approximating the erfinv function (2010), single precision, as XLA has it.
FailureOr<ImportResult> stablehlo::importErfInv(ImportedOp &op) {
  const RankedTensorType type = op.type();
  if (!type.getElementType().isF32())
    return ImportedOp::cannot("of other elements than f32");
  const RankedTensorType truth = RankedTensorType::get(type.getShape(), op.builder.getI1Type());
  auto make = [&](StringRef name, ValueRange of) { return op.make(name, type, of); };
  auto compare = [&](graph::Comparison relation, Value value, double with) {
    auto attribute = graph::ComparisonAttr::get(op.builder.getContext(), relation);
    return op.make("compare", truth, {value, op.splat(type, with)},
                   op.builder.getNamedAttr("relation", attribute));
  };
  auto polynomial = [&](Value at, ArrayRef<double> coefficients) {
    Value sum = op.splat(type, coefficients.front());
    for (double next : coefficients.drop_front())
      sum = make("add", {make("multiply", {sum, at}), op.splat(type, next)});
    return sum;
  };
  // What is not chosen is finite, and so is its slope: an infinite one times a gradient of 0 would
  // be NaN.
  Value isEnd = compare(graph::Comparison::EQ, make("abs", op.operands[0]), 1);
  Value x = make("select", {isEnd, op.splat(type, 0), op.operands[0]});
  Value w = make("negate", make("log_plus_one", make("negate", make("multiply", {x, x}))));
  Value isNear = compare(graph::Comparison::LT, w, 5);
  Value near = polynomial(make("subtract", {w, op.splat(type, 2.5)}),
                          {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06,
                           0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941});
  Value root = make("sqrt", make("select", {isNear, op.splat(type, 5), w}));
  Value far = polynomial(make("subtract", {root, op.splat(type, 3)}),
                         {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844,
                          0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682});
  const double infinity = std::numeric_limits<double>::infinity();
  Value end = make("select", {compare(graph::Comparison::GT, op.operands[0], 0),
                              op.splat(type, infinity), op.splat(type, -infinity)});
  return ImportedOp::one(
      make("select", {isEnd, end, make("multiply", {make("select", {isNear, near, far}), x})}));
}

FailureOr<ImportResult> stablehlo::importTan(ImportedOp &op) {
  Value sine = op.make("sine", op.type(), op.operands),
        cosine = op.make("cosine", op.type(), op.operands);
  return ImportedOp::one(op.make("divide", op.type(), {sine, cosine}));
}
