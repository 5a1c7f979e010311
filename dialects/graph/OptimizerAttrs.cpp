//===- OptimizerAttrs.cpp - optimizers and schedules as text ----------------------------------===//
#include "dialects/graph/AttrParameters.h"

using namespace mlir;
using namespace graphc::graph;

namespace {

/// A number, or an attribute of another kind: `0.1`, `#graph.cosine_decay<…>`.
template <typename Other> struct NumberOr {
  Attribute value;
};
using Rate = NumberOr<ScheduleAttrInterface>;
using Decay = NumberOr<WeightDecayAttr>;

} // namespace

namespace graphc::graph {

template <typename Other> static ParseResult parseValue(AsmParser &parser, NumberOr<Other> &value) {
  if (*parser.getCurrentLocation().getPointer() == '#') {
    Other other;
    if (parseKind(parser, other,
                  std::is_same_v<Other, WeightDecayAttr>
                      ? "a number or #graph.weight_decay"
                      : "a number or a schedule: #graph.piecewise_constant, "
                        "#graph.cosine_decay, #graph.polynomial_decay, "
                        "#graph.linear_warmup"))
      return failure();
    value.value = other;
    return success();
  }
  BitwiseDouble number;
  if (parseValue(parser, number))
    return failure();
  value.value = parser.getBuilder().getF64FloatAttr(number);
  return success();
}

template <typename Other> static void printValue(AsmPrinter &printer, NumberOr<Other> value) {
  if (auto number = dyn_cast<FloatAttr>(value.value))
    printValue(printer, BitwiseDouble(number.getValueAsDouble()));
  else
    printer << value.value;
}
template <typename Other> static bool operator==(NumberOr<Other> a, NumberOr<Other> b) {
  return a.value == b.value;
}

} // namespace graphc::graph

static constexpr BitwiseDouble kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;

//===------------------------------------------------------------------------------------------===//
// Optimizers
//===------------------------------------------------------------------------------------------===//

Attribute SgdAttr::parse(AsmParser &parser, Type) {
  Rate rate;
  Decay decay;
  ParameterParser parameters(parser, getMnemonic());
  if (parameters.need("learning_rate", rate).take("weight_decay", decay).parse())
    return {};
  return getCheckedAt<SgdAttr>(parser, parameters.getLoc(), rate.value, decay.value);
}
void SgdAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("learning_rate", Rate{getLearningRate()})
      .add("weight_decay", Decay{getWeightDecay()}, Decay());
}

Attribute MomentumAttr::parse(AsmParser &parser, Type) {
  Rate rate;
  Decay decay;
  BitwiseDouble momentum;
  bool nesterov = false;
  ParameterParser parameters(parser, getMnemonic());
  parameters.need("learning_rate", rate)
      .need("momentum", momentum)
      .take("nesterov", nesterov)
      .take("weight_decay", decay);
  if (parameters.parse())
    return {};
  return getCheckedAt<MomentumAttr>(parser, parameters.getLoc(), rate.value, momentum, nesterov,
                                    decay.value);
}
void MomentumAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("learning_rate", Rate{getLearningRate()})
      .add("momentum", getMomentum())
      .add("nesterov", getNesterov(), false)
      .add("weight_decay", Decay{getWeightDecay()}, Decay());
}

template <typename Adam>
static Attribute parseAdam(AsmParser &parser, StringRef mnemonic, Decay decay) {
  Rate rate;
  BitwiseDouble beta1 = kBeta1, beta2 = kBeta2, epsilon = kEpsilon;
  ParameterParser parameters(parser, mnemonic);
  parameters.need("learning_rate", rate)
      .take("beta1", beta1)
      .take("beta2", beta2)
      .take("epsilon", epsilon)
      .take("weight_decay", decay);
  if (parameters.parse())
    return {};
  return getCheckedAt<Adam>(parser, parameters.getLoc(), rate.value, beta1, beta2, epsilon,
                            decay.value);
}
template <typename Adam> static void printAdam(Adam adam, AsmPrinter &printer, Decay unsaid) {
  ParameterPrinter(printer)
      .add("learning_rate", Rate{adam.getLearningRate()})
      .add("beta1", adam.getBeta1(), kBeta1)
      .add("beta2", adam.getBeta2(), kBeta2)
      .add("epsilon", adam.getEpsilon(), kEpsilon)
      .add("weight_decay", Decay{adam.getWeightDecay()}, unsaid);
}
Attribute AdamAttr::parse(AsmParser &parser, Type) {
  return parseAdam<AdamAttr>(parser, getMnemonic(), {});
}
void AdamAttr::print(AsmPrinter &printer) const { printAdam(*this, printer, {}); }

/// As PyTorch's AdamW decays where nothing is said.
static Decay usualDecay(MLIRContext *context) { return {Builder(context).getF64FloatAttr(0.01)}; }
Attribute AdamwAttr::parse(AsmParser &parser, Type) {
  return parseAdam<AdamwAttr>(parser, getMnemonic(), usualDecay(parser.getContext()));
}
void AdamwAttr::print(AsmPrinter &printer) const {
  printAdam(*this, printer, usualDecay(getContext()));
}

Attribute AdagradAttr::parse(AsmParser &parser, Type) {
  Rate rate;
  Decay decay;
  BitwiseDouble initial = 0.1, epsilon = 1e-10;
  ParameterParser parameters(parser, getMnemonic());
  parameters.need("learning_rate", rate)
      .take("initial_accumulator_value", initial)
      .take("epsilon", epsilon)
      .take("weight_decay", decay);
  if (parameters.parse())
    return {};
  return getCheckedAt<AdagradAttr>(parser, parameters.getLoc(), rate.value, initial, epsilon,
                                   decay.value);
}
void AdagradAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("learning_rate", Rate{getLearningRate()})
      .add("initial_accumulator_value", getInitialAccumulatorValue(), BitwiseDouble(0.1))
      .add("epsilon", getEpsilon(), BitwiseDouble(1e-10))
      .add("weight_decay", Decay{getWeightDecay()}, Decay());
}

Attribute RmspropAttr::parse(AsmParser &parser, Type) {
  Rate rate;
  Decay decay;
  BitwiseDouble rho = 0.9, momentum = 0.0, epsilon = kEpsilon;
  bool centered = false;
  ParameterParser parameters(parser, getMnemonic());
  parameters.need("learning_rate", rate)
      .take("rho", rho)
      .take("momentum", momentum)
      .take("epsilon", epsilon)
      .take("centered", centered)
      .take("weight_decay", decay);
  if (parameters.parse())
    return {};
  return getCheckedAt<RmspropAttr>(parser, parameters.getLoc(), rate.value, rho, momentum, epsilon,
                                   centered, decay.value);
}
void RmspropAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("learning_rate", Rate{getLearningRate()})
      .add("rho", getRho(), BitwiseDouble(0.9))
      .add("momentum", getMomentum(), BitwiseDouble(0))
      .add("epsilon", getEpsilon(), kEpsilon)
      .add("centered", getCentered(), false)
      .add("weight_decay", Decay{getWeightDecay()}, Decay());
}

Attribute WeightDecayAttr::parse(AsmParser &parser, Type) {
  BitwiseDouble rate;
  ArrayAttr only, exclude;
  ParameterParser parameters(parser, getMnemonic());
  if (parameters.need("rate", rate).take("only", only).take("exclude", exclude).parse())
    return {};
  return getCheckedAt<WeightDecayAttr>(parser, parameters.getLoc(), rate, only, exclude);
}
void WeightDecayAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("rate", getRate())
      .add("only", getOnly(), ArrayAttr())
      .add("exclude", getExclude(), ArrayAttr());
}

//===------------------------------------------------------------------------------------------===//
// Schedules
//===------------------------------------------------------------------------------------------===//

Attribute PiecewiseConstantAttr::parse(AsmParser &parser, Type) {
  ArrayAttr boundaries, values;
  ParameterParser parameters(parser, getMnemonic());
  if (parameters.need("boundaries", boundaries).need("values", values).parse())
    return {};
  return getCheckedAt<PiecewiseConstantAttr>(parser, parameters.getLoc(), boundaries, values);
}
void PiecewiseConstantAttr::print(AsmPrinter &printer) const {
  printer << "<boundaries = [";
  llvm::interleaveComma(getBoundaries().getAsRange<IntegerAttr>(), printer,
                        [&](IntegerAttr step) { printer << step.getInt(); });
  printer << "], values = [";
  llvm::interleaveComma(getValues().getAsRange<FloatAttr>(), printer, [&](FloatAttr rate) {
    printValue(printer, BitwiseDouble(rate.getValueAsDouble()));
  });
  printer << "]>";
}

Attribute CosineDecayAttr::parse(AsmParser &parser, Type) {
  BitwiseDouble initial, alpha = 0.0;
  int64_t steps = 0;
  ParameterParser parameters(parser, getMnemonic());
  if (parameters.need("initial_learning_rate", initial)
          .need("decay_steps", steps)
          .take("alpha", alpha)
          .parse())
    return {};
  return getCheckedAt<CosineDecayAttr>(parser, parameters.getLoc(), initial, steps, alpha);
}
void CosineDecayAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("initial_learning_rate", getInitialLearningRate())
      .add("decay_steps", getDecaySteps())
      .add("alpha", getAlpha(), BitwiseDouble(0));
}

Attribute PolynomialDecayAttr::parse(AsmParser &parser, Type) {
  BitwiseDouble initial, end = 0.0001, power = 1.0;
  int64_t steps = 0;
  ParameterParser parameters(parser, getMnemonic());
  parameters.need("initial_learning_rate", initial)
      .need("decay_steps", steps)
      .take("end_learning_rate", end)
      .take("power", power);
  if (parameters.parse())
    return {};
  return getCheckedAt<PolynomialDecayAttr>(parser, parameters.getLoc(), initial, steps, end, power);
}
void PolynomialDecayAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("initial_learning_rate", getInitialLearningRate())
      .add("decay_steps", getDecaySteps())
      .add("end_learning_rate", getEndLearningRate(), BitwiseDouble(0.0001))
      .add("power", getPower(), BitwiseDouble(1));
}

Attribute LinearWarmupAttr::parse(AsmParser &parser, Type) {
  int64_t steps = 0;
  Rate rate;
  BitwiseDouble start = 0.0;
  ParameterParser parameters(parser, getMnemonic());
  if (parameters.need("steps", steps).need("learning_rate", rate).take("start", start).parse())
    return {};
  return getCheckedAt<LinearWarmupAttr>(parser, parameters.getLoc(), steps, rate.value, start);
}
void LinearWarmupAttr::print(AsmPrinter &printer) const {
  ParameterPrinter(printer)
      .add("steps", getSteps())
      .add("learning_rate", Rate{getLearningRate()})
      .add("start", getStart(), BitwiseDouble(0));
}
