//===- InitializerAttrs.cpp - what variables begin with ---------------------------------------===//
#include "dialects/graph/AttrParameters.h"

#include <cmath>

using namespace mlir;
using namespace graphc::graph;

LogicalResult ZerosAttr::verifyFor(RankedTensorType, function_ref<InFlightDiagnostic()>) const {
  return success();
}
LogicalResult UninitializedAttr::verifyFor(RankedTensorType,
                                           function_ref<InFlightDiagnostic()>) const {
  return success(); // of every type
}

/// The elements are as many as the variable's, or one for all, and of its element type.
LogicalResult ValueAttr::verifyFor(RankedTensorType type,
                                   function_ref<InFlightDiagnostic()> emitError) const {
  auto given = getValue().getType();
  if (given == type || (getValue().isSplat() && given.getElementType() == type.getElementType() &&
                        (given.getRank() == 0 || given.getShape() == type.getShape())))
    return success();
  return emitError() << "initializer of type " << given << " does not fit a variable of type "
                     << type << ", expected that type or a scalar of its element type";
}

static LogicalResult expectFloat(RankedTensorType type,
                                 function_ref<InFlightDiagnostic()> emitError) {
  if (isGraphTensor(type, FloatKind))
    return success();
  return emitError() << "random initializers need a variable of f32 or f64, got " << type;
}

static LogicalResult expectFinite(StringRef what, double value,
                                  function_ref<InFlightDiagnostic()> emitError) {
  if (std::isfinite(value))
    return success();
  return emitError() << what << " must be finite, got " << value;
}

/// A float variable, and bounds in order.
LogicalResult UniformAttr::verifyFor(RankedTensorType type,
                                     function_ref<InFlightDiagnostic()> emitError) const {
  if (!(getLow() <= getHigh()))
    return emitError() << "expected low <= high, got " << double(getLow()) << " and "
                       << double(getHigh());
  if (failed(expectFinite("low", getLow(), emitError)) ||
      failed(expectFinite("high", getHigh(), emitError)))
    return failure();
  return expectFloat(type, emitError);
}

/// A float variable, and a deviation that is one.
LogicalResult NormalAttr::verifyFor(RankedTensorType type,
                                    function_ref<InFlightDiagnostic()> emitError) const {
  if (!(getStddev() >= 0))
    return emitError() << "expected stddev >= 0, got " << double(getStddev());
  if (failed(expectFinite("mean", getMean(), emitError)) ||
      failed(expectFinite("stddev", getStddev(), emitError)))
    return failure();
  return expectFloat(type, emitError);
}

/// Its limit is of the numbers of inputs and outputs, the last two dimensions; its values are no
/// integers.
LogicalResult GlorotUniformAttr::verifyFor(RankedTensorType type,
                                           function_ref<InFlightDiagnostic()> emitError) const {
  if (type.getRank() < 2)
    return emitError() << "glorot_uniform needs at least two dimensions, got " << type;
  return expectFloat(type, emitError);
}

double GlorotUniformAttr::getLimit(RankedTensorType type) const {
  ArrayRef<int64_t> fans = type.getShape().take_back(2);
  return std::sqrt(6.0 / double(fans[0] + fans[1]));
}

Attribute ValueAttr::parse(AsmParser &parser, Type) {
  DenseElementsAttr value;
  if (parser.parseLess() || parseKind(parser, value, "a value like dense<0.0> : tensor<f32>") ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), value);
}
void ValueAttr::print(AsmPrinter &printer) const { printer << "<" << getValue() << ">"; }

Attribute UniformAttr::parse(AsmParser &parser, Type) {
  BitwiseDouble low = 0.0, high = 1.0;
  uint64_t seed = 0;
  if (ParameterParser(parser, getMnemonic())
          .take("low", low)
          .take("high", high)
          .take("seed", seed)
          .parse())
    return {};
  return get(parser.getContext(), low, high, seed);
}
void UniformAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("low", getLow(), BitwiseDouble(0))
      .add("high", getHigh(), BitwiseDouble(1))
      .add("seed", getSeed(), uint64_t(0));
}

Attribute NormalAttr::parse(AsmParser &parser, Type) {
  BitwiseDouble mean = 0.0, stddev = 1.0;
  uint64_t seed = 0;
  bool truncated = false;
  ParameterParser parameters(parser, getMnemonic());
  parameters.take("mean", mean)
      .take("stddev", stddev)
      .take("seed", seed)
      .take("truncated", truncated);
  if (parameters.parse())
    return {};
  return get(parser.getContext(), mean, stddev, seed, truncated);
}
void NormalAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("mean", getMean(), BitwiseDouble(0))
      .add("stddev", getStddev(), BitwiseDouble(1))
      .add("seed", getSeed(), uint64_t(0))
      .add("truncated", getTruncated(), false);
}

Attribute GlorotUniformAttr::parse(AsmParser &parser, Type) {
  uint64_t seed = 0;
  if (ParameterParser(parser, getMnemonic()).take("seed", seed).parse())
    return {};
  return get(parser.getContext(), seed);
}
void GlorotUniformAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer).add("seed", getSeed(), uint64_t(0));
}
