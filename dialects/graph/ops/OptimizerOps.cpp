//===- OptimizerOps.cpp - what optimizers make of gradients -----------------------------------===//
#include "dialects/graph/ops/ExplicitLoops.h"
#include "runtime/common/cluster/NamePattern.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace graphc::graph;

//===------------------------------------------------------------------------------------------===//
// Constraints of the ops
//===------------------------------------------------------------------------------------------===//

/// (C1) of all: the variables are different ones of the gradient's type.
static LogicalResult verifyVariables(Operation *op, Value gradient,
                                     SymbolTableCollection &symbols) {
  for (FlatSymbolRefAttr name : getWrittenVariables(op))
    if (failed(graphc::graph::detail::verifyVariable(op, symbols, name, gradient.getType(),
                                                     "gradient")))
      return failure();
  return success();
}

/// (C2) one learning rate
template <typename Op> static LogicalResult verifyRate(Op op) {
  if (bool(op.getRate()) != bool(op.getLearningRate()))
    return success();
  return op.emitOpError() << "has " << (op.getRate() ? "two learning rates" : "no learning rate")
                          << ", expected either learning_rate or the operand rate";
}

/// (C1) as far as names go, (C2) and (C3) of all.
template <typename Op> static LogicalResult verifyApply(Op op, ArrayRef<FlatSymbolRefAttr> slots) {
  SmallVector<FlatSymbolRefAttr> names{op.getVariableAttr()};
  llvm::append_range(names, slots);
  names.push_back(op.getAverageAttr());
  llvm::erase_if(names, [](FlatSymbolRefAttr name) { return !name; });
  for (auto [i, name] : llvm::enumerate(names))
    if (llvm::is_contained(ArrayRef(names).take_front(i), name))
      return op.emitOpError() << "variable and slot must be two variables, both are " << name;
  if (failed(verifyRate(op)))
    return failure();
  if (bool(op.getAverage()) != bool(op.getAverageDecay()))
    return op.emitOpError() << "expected average and average_decay together";
  return success();
}

LogicalResult ApplySgdOp::verify() { return verifyApply(*this, {}); }

LogicalResult ApplySgdRowsOp::verify() { return verifyRate(*this); }

LogicalResult ApplyMomentumOp::verify() { return verifyApply(*this, {getSlotAttr()}); }
LogicalResult ApplyAdamOp::verify() { return verifyApply(*this, {getMeanAttr(), getSquareAttr()}); }
LogicalResult ApplyAdagradOp::verify() { return verifyApply(*this, {getAccumulatorAttr()}); }
LogicalResult ApplyRmspropOp::verify() {
  if (bool(getSlot()) != bool(getMomentum()))
    return emitOpError() << "expected a slot for the momentum and momentum together";
  return verifyApply(*this, {getSquareAttr(), getMeanAttr(), getSlotAttr()});
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

static std::optional<double> toDouble(const std::optional<llvm::APFloat> &number) {
  return number ? std::optional<double>(number->convertToDouble()) : std::nullopt;
}

namespace {

/// One element of an update, and the arithmetic on it. Numbers are rounded to the element type.
struct UpdateElement {
  ScalarArithmetic s;
  Type type;
  Value variable, gradient, rate;
  SmallVector<Value> slots, values;

  Value number(double value) { return s.constant(type, value); }
  Value scale(double factor, Value x) { return s.multiply(number(factor), x); }
  /// decay * old + (1 - decay) * x
  Value mean(double decay, Value old, Value x) {
    return s.add(scale(decay, old), scale(1 - decay, x));
  }
  Value square(Value x) { return s.multiply(x, x); }
  Value root(Value x) { return math::SqrtOp::create(s.builder, s.loc, x); }
  Value bounded(Value x, double limit) {
    return s.minimum(s.maximum(x, number(-limit)), number(limit));
  }
  /// What the variable is after a step of the learning rate times `x`.
  Value after(Value x) { return s.subtract(variable, s.multiply(rate, x)); }
};

} // namespace

/// What all updates do around the optimizer's own `rule`, which gives the variable's new value and
/// those of the slots.
template <typename Op, typename Rule>
static Results buildApplyBody(Op op, OpBuilder &builder, Elements x, Elements old,
                              bool decayInGradient, Rule rule) {
  UpdateElement e{{builder, op.getLoc()}, x[0].getType(), old[0], x[0], {}, {}, {}};
  const size_t shared = size_t(bool(op.getRate())) + size_t(bool(op.getScale()));
  for (Value value : x.drop_front().drop_back(shared))
    e.values.push_back(e.s.convert(value, e.type));
  llvm::append_range(e.slots, old.drop_front().drop_back(op.getAverage() ? 1 : 0));
  if (op.getScale())
    e.gradient = e.s.multiply(e.s.convert(x.back(), e.type), e.gradient);
  if (std::optional<double> limit = toDouble(op.getClipValue()))
    e.gradient = e.bounded(e.gradient, *limit);
  e.rate = op.getRate() ? e.s.convert(x[x.size() - shared], e.type)
                        : e.number(op.getLearningRate()->convertToDouble());
  std::optional<double> decay = toDouble(op.getWeightDecay());
  if (decay && decayInGradient)
    e.gradient = e.s.add(e.gradient, e.scale(*decay, e.variable));
  else if (decay)
    e.variable = e.after(e.scale(*decay, e.variable));
  Results results = rule(e);
  if (op.getAverage()) {
    Value step =
        e.scale(1 - op.getAverageDecay()->convertToDouble(), e.s.subtract(results[0], old.back()));
    results.push_back(e.s.add(old.back(), step));
  }
  return results;
}

Results ApplySgdOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return buildApplyBody(*this, builder, x, old, true,
                        [](UpdateElement &e) -> Results { return {e.after(e.gradient)}; });
}

/// By a gradient of 0.0 w - rate * 0.0 is w, and so is what is bounded; a scale may be NaN, weight
/// decay and averages change every row.
Operation *ApplySgdOp::buildRowUpdate(OpBuilder &builder, Value numbers, Value rows) {
  if (getScale() || getAverage() || getWeightDecay() || typeOf(getGradient()).getRank() != 2)
    return nullptr;
  return ApplySgdRowsOp::create(builder, getLoc(), getVariableAttr(), rows, numbers, getRate(),
                                getLearningRateAttr(), getClipValueAttr());
}

void ApplySgdRowsOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                                const LoopTarget &) {
  ExplicitLoops loops{builder, getLoc()};
  Type type = typeOf(getGradient()).getElementType();
  const int64_t rows = shapeOf(outs[0])[0], width = shapeOf(outs[0])[1];
  UpdateElement e{{builder, getLoc()}, type, {}, {}, {}, {}, {}};
  e.rate = getRate() ? e.s.convert(loops.load(operands[2], ValueRange()), type)
                     : e.number(getLearningRate()->convertToDouble());
  loops.overBox(loops.boundsOf(typeOf(getNumbers()).getShape()), [&](ValueRange place) {
    Value name = loops.loadIndex(operands[1], place);
    Value count = arith::ConstantOp::create(builder, getLoc(), builder.getI64IntegerAttr(rows));
    Value isRow = arith::CmpIOp::create(builder, getLoc(), arith::CmpIPredicate::ult, name, count);
    auto update = scf::IfOp::create(builder, getLoc(), isRow, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(update.thenBlock());
    Value row = arith::IndexCastOp::create(builder, getLoc(), builder.getIndexType(), name);
    loops.over(loops.index(0), loops.index(width), [&](Value column) {
      ExplicitLoops::Place from(place);
      from.push_back(column);
      Value gradient = loops.load(operands[0], from);
      if (std::optional<double> limit = toDouble(getClipValue()))
        gradient = e.bounded(gradient, *limit);
      e.variable = loops.load(outs[0], {row, column});
      loops.store(e.after(gradient), outs[0], {row, column});
    });
  });
}

Results ApplyMomentumOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return buildApplyBody(*this, builder, x, old, true, [&](UpdateElement &e) -> Results {
    const double momentum = getMomentum().convertToDouble();
    Value slot = e.s.add(e.scale(momentum, e.slots[0]), e.gradient);
    return {e.after(getNesterov() ? e.s.add(e.gradient, e.scale(momentum, slot)) : slot), slot};
  });
}

Results ApplyAdamOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return buildApplyBody(*this, builder, x, old, !getDecoupled(), [&](UpdateElement &e) -> Results {
    Value mean = e.mean(getBeta1().convertToDouble(), e.slots[0], e.gradient);
    Value square = e.mean(getBeta2().convertToDouble(), e.slots[1], e.square(e.gradient));
    Value root = e.root(e.s.multiply(square, e.values[1]));
    Value divisor = e.s.add(root, e.number(getEpsilon().convertToDouble()));
    return {e.after(e.s.divide(e.s.multiply(mean, e.values[0]), divisor)), mean, square};
  });
}

Results ApplyAdagradOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return buildApplyBody(*this, builder, x, old, true, [&](UpdateElement &e) -> Results {
    Value sum = e.s.add(e.slots[0], e.square(e.gradient));
    Value divisor = e.s.add(e.root(sum), e.number(getEpsilon().convertToDouble()));
    return {e.after(e.s.divide(e.gradient, divisor)), sum};
  });
}

Results ApplyRmspropOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return buildApplyBody(*this, builder, x, old, true, [&](UpdateElement &e) -> Results {
    const double rho = getRho().convertToDouble();
    Results slots{e.mean(rho, e.slots[0], e.square(e.gradient))};
    Value variance = slots[0];
    if (getMean()) {
      slots.push_back(e.mean(rho, e.slots[1], e.gradient));
      variance = e.s.maximum(e.s.subtract(variance, e.square(slots[1])), e.number(0));
    }
    Value step =
        e.s.divide(e.gradient, e.s.add(e.root(variance), e.number(getEpsilon().convertToDouble())));
    if (getSlot())
      slots.push_back(step =
                          e.s.add(e.scale(getMomentum()->convertToDouble(), e.slots.back()), step));
    slots.insert(slots.begin(), e.after(step));
    return slots;
  });
}

//===------------------------------------------------------------------------------------------===//
// What passes ask, costs
//===------------------------------------------------------------------------------------------===//

/// `own` operations an element, and those that all updates may have.
template <typename Op> static uint64_t flopsOf(Op op, uint64_t own) {
  own += op.getScale() ? 1 : 0;
  own += op.getClipValue() ? 2 : 0;
  own += op.getWeightDecay() ? 2 : 0;
  own += op.getAverage() ? 3 : 0;
  return own * count(op.getGradient());
}

bool ApplySgdOp::appliesGradient() { return true; }
bool ApplySgdRowsOp::appliesGradient() { return true; }
bool ApplyMomentumOp::appliesGradient() { return true; }
bool ApplyAdamOp::appliesGradient() { return true; }
bool ApplyAdagradOp::appliesGradient() { return true; }
bool ApplyRmspropOp::appliesGradient() { return true; }

uint64_t ApplySgdOp::getFlops() { return flopsOf(*this, 2); }
uint64_t ApplySgdRowsOp::getFlops() { return (getClipValue() ? 4 : 2) * count(getGradient()); }
uint64_t ApplyMomentumOp::getFlops() { return flopsOf(*this, getNesterov() ? 6 : 4); }
uint64_t ApplyAdamOp::getFlops() { return flopsOf(*this, 14); }
uint64_t ApplyAdagradOp::getFlops() { return flopsOf(*this, 7); }
uint64_t ApplyRmspropOp::getFlops() {
  return flopsOf(*this, 9 + (getMean() ? 6 : 0) + (getSlot() ? 2 : 0));
}

//===------------------------------------------------------------------------------------------===//
// Optimizers: their numbers
//===------------------------------------------------------------------------------------------===//

using EmitError = function_ref<InFlightDiagnostic()>;

/// A number that is finite and not negative.
static LogicalResult expectAtLeastZero(EmitError emitError, StringRef what, double number) {
  if (std::isfinite(number) && number >= 0)
    return success();
  return emitError() << "expected a " << what << " that is finite and not negative, got " << number;
}
/// A number of at least 0 and below 1.
static LogicalResult expectBelowOne(EmitError emitError, StringRef what, double number) {
  if (number >= 0 && number < 1)
    return success();
  return emitError() << "expected a " << what << " in [0, 1), got " << number;
}

/// What all optimizers have: a rate, which is a number or a schedule, and a weight decay, which is
/// none, a number or has its variables.
static LogicalResult expectRates(EmitError emitError, Attribute rate, Attribute decay) {
  auto rateNumber = dyn_cast_if_present<FloatAttr>(rate),
       decayNumber = dyn_cast_if_present<FloatAttr>(decay);
  if (!rateNumber && !isa_and_present<ScheduleAttrInterface>(rate))
    return emitError() << "expected a learning_rate that is a number or a schedule";
  if (decay && !decayNumber && !isa<WeightDecayAttr>(decay))
    return emitError() << "expected a weight_decay that is a number or a #graph.weight_decay";
  if (rateNumber &&
      failed(expectAtLeastZero(emitError, "learning_rate", rateNumber.getValueAsDouble())))
    return failure();
  return decayNumber ? expectAtLeastZero(emitError, "weight_decay", decayNumber.getValueAsDouble())
                     : success();
}

/// Rate and weight decay, as of all.
LogicalResult SgdAttr::verify(EmitError emitError, Attribute rate, Attribute decay) {
  return expectRates(emitError, rate, decay);
}

/// momentum in [0, 1]; rate and weight decay as of all.
LogicalResult MomentumAttr::verify(EmitError emitError, Attribute rate, BitwiseDouble momentum,
                                   bool, Attribute decay) {
  if (!(momentum >= 0 && momentum <= 1))
    return emitError() << "expected a momentum in [0, 1], got " << double(momentum);
  return expectRates(emitError, rate, decay);
}

/// Of adam and adamw: beta1 and beta2 in [0, 1), epsilon finite and not negative; rate and weight
/// decay as of all.
static LogicalResult verifyAdam(EmitError emitError, Attribute rate, BitwiseDouble beta1,
                                BitwiseDouble beta2, BitwiseDouble epsilon, Attribute decay) {
  if (failed(expectBelowOne(emitError, "beta1", beta1)) ||
      failed(expectBelowOne(emitError, "beta2", beta2)) ||
      failed(expectAtLeastZero(emitError, "epsilon", epsilon)))
    return failure();
  return expectRates(emitError, rate, decay);
}
/// What verifyAdam checks.
LogicalResult AdamAttr::verify(EmitError emitError, Attribute rate, BitwiseDouble beta1,
                               BitwiseDouble beta2, BitwiseDouble epsilon, Attribute decay) {
  return verifyAdam(emitError, rate, beta1, beta2, epsilon, decay);
}
/// What verifyAdam checks.
LogicalResult AdamwAttr::verify(EmitError emitError, Attribute rate, BitwiseDouble beta1,
                                BitwiseDouble beta2, BitwiseDouble epsilon, Attribute decay) {
  return verifyAdam(emitError, rate, beta1, beta2, epsilon, decay);
}

/// The accumulator's first value and epsilon are finite and not negative; rate and weight decay as
/// of all.
LogicalResult AdagradAttr::verify(EmitError emitError, Attribute rate, BitwiseDouble initial,
                                  BitwiseDouble epsilon, Attribute decay) {
  if (failed(expectAtLeastZero(emitError, "initial_accumulator_value", initial)) ||
      failed(expectAtLeastZero(emitError, "epsilon", epsilon)))
    return failure();
  return expectRates(emitError, rate, decay);
}

/// rho in [0, 1), momentum in [0, 1], epsilon finite and not negative; rate and weight decay as of
/// all.
LogicalResult RmspropAttr::verify(EmitError emitError, Attribute rate, BitwiseDouble rho,
                                  BitwiseDouble momentum, BitwiseDouble epsilon, bool,
                                  Attribute decay) {
  if (failed(expectBelowOne(emitError, "rho", rho)) ||
      failed(expectAtLeastZero(emitError, "epsilon", epsilon)))
    return failure();
  if (!(momentum >= 0 && momentum <= 1))
    return emitError() << "expected a momentum in [0, 1], got " << double(momentum);
  return expectRates(emitError, rate, decay);
}

/// Patterns are texts that are not empty, the rate is finite and not negative.
LogicalResult WeightDecayAttr::verify(EmitError emitError, BitwiseDouble rate, ArrayAttr only,
                                      ArrayAttr exclude) {
  for (ArrayAttr patterns : {only, exclude})
    for (Attribute pattern : patterns ? patterns.getValue() : ArrayRef<Attribute>())
      if (auto text = dyn_cast<StringAttr>(pattern); !text || text.empty())
        return emitError() << "expected patterns of names, texts that are not empty, got "
                           << pattern;
  return expectAtLeastZero(emitError, "rate", rate);
}

bool WeightDecayAttr::isFor(StringRef variable) const {
  auto matches = [&](ArrayAttr patterns) {
    return llvm::any_of(patterns.getAsRange<StringAttr>(), [&](StringAttr pattern) {
      return cluster::matchesPattern(pattern.getValue(), variable);
    });
  };
  return (!getOnly() || matches(getOnly())) && !(getExclude() && matches(getExclude()));
}

//===------------------------------------------------------------------------------------------===//
// Optimizers: what differentiate asks
//===------------------------------------------------------------------------------------------===//

using Slots = SmallVector<OptimizerSlot>;

Slots SgdAttr::getSlots() const { return {}; }
Slots MomentumAttr::getSlots() const { return {{"Momentum"}}; }
Slots AdamAttr::getSlots() const { return {{"Adam/m"}, {"Adam/v"}}; }
Slots AdamwAttr::getSlots() const { return {{"Adam/m"}, {"Adam/v"}}; }
Slots AdagradAttr::getSlots() const { return {{"Adagrad", getInitialAccumulatorValue()}}; }
Slots RmspropAttr::getSlots() const {
  Slots slots{{"RMSProp"}};
  if (getCentered())
    slots.push_back({"RMSProp/mean"});
  if (double(getMomentum()) > 0)
    slots.push_back({"RMSProp/momentum"});
  return slots;
}

bool SgdAttr::takesMore() const { return true; }
bool MomentumAttr::takesMore() const { return true; }
bool AdamAttr::takesMore() const { return true; }
bool AdamwAttr::takesMore() const { return true; }
bool AdagradAttr::takesMore() const { return true; }
bool RmspropAttr::takesMore() const { return true; }

Attribute SgdAttr::getRate() const { return getLearningRate(); }
Attribute MomentumAttr::getRate() const { return getLearningRate(); }
Attribute AdamAttr::getRate() const { return getLearningRate(); }
Attribute AdamwAttr::getRate() const { return getLearningRate(); }
Attribute AdagradAttr::getRate() const { return getLearningRate(); }
Attribute RmspropAttr::getRate() const { return getLearningRate(); }

template <typename Adam>
static Values correctionsOf(Adam adam, OpBuilder &builder, Location loc,
                            function_ref<Value()> step) {
  auto correction = [&](double decay) -> Value {
    return BiasCorrectionOp::create(builder, loc, step(), llvm::APFloat(decay));
  };
  return {correction(adam.getBeta1()), correction(adam.getBeta2())};
}
Values AdamAttr::buildStepValues(OpBuilder &builder, Location loc,
                                 function_ref<Value()> step) const {
  return correctionsOf(*this, builder, loc, step);
}
Values AdamwAttr::buildStepValues(OpBuilder &builder, Location loc,
                                  function_ref<Value()> step) const {
  return correctionsOf(*this, builder, loc, step);
}

namespace {

/// What all apply ops are told, as their attributes.
struct Told {
  Builder &builder;
  const GradientUpdate &update;
  FloatAttr rate, decay, clip, averageDecay;

  template <typename Optimizer>
  Told(Builder &builder, Optimizer optimizer, const GradientUpdate &update)
      : builder(builder), update(update), rate(dyn_cast<FloatAttr>(optimizer.getLearningRate())) {
    Attribute given = optimizer.getWeightDecay();
    decay = dyn_cast_if_present<FloatAttr>(given);
    if (auto chosen = dyn_cast_if_present<WeightDecayAttr>(given);
        chosen && chosen.isFor(update.variable.getValue()))
      decay = number(chosen.getRate());
    if (decay && decay.getValue().isZero())
      decay = {};
    if (update.clipValue)
      clip = number(*update.clipValue);
    if (update.average)
      averageDecay = number(update.averageDecay);
  }
  FloatAttr number(double value) const { return builder.getF64FloatAttr(value); }
  UnitAttr flag(bool is) const { return is ? builder.getUnitAttr() : UnitAttr(); }
  FlatSymbolRefAttr slot(size_t i) const { return update.slots[i]; }
};

} // namespace

Operation *SgdAttr::buildApply(OpBuilder &builder, Location loc, const GradientUpdate &u) const {
  Told told(builder, *this, u);
  return ApplySgdOp::create(builder, loc, u.variable, u.average, u.gradient, u.rate, u.scale,
                            told.rate, told.decay, told.clip, told.averageDecay);
}

Operation *MomentumAttr::buildApply(OpBuilder &builder, Location loc,
                                    const GradientUpdate &u) const {
  Told told(builder, *this, u);
  return ApplyMomentumOp::create(builder, loc, u.variable, told.slot(0), u.average, u.gradient,
                                 u.rate, u.scale, told.rate, told.number(getMomentum()),
                                 told.flag(getNesterov()), told.decay, told.clip,
                                 told.averageDecay);
}

template <typename Adam>
static Operation *buildApplyAdam(Adam adam, OpBuilder &builder, Location loc,
                                 const GradientUpdate &u, bool decoupled) {
  Told told(builder, adam, u);
  return ApplyAdamOp::create(builder, loc, u.variable, told.slot(0), told.slot(1), u.average,
                             u.gradient, u.values[0], u.values[1], u.rate, u.scale, told.rate,
                             told.number(adam.getBeta1()), told.number(adam.getBeta2()),
                             told.number(adam.getEpsilon()), told.flag(decoupled && told.decay),
                             told.decay, told.clip, told.averageDecay);
}
Operation *AdamAttr::buildApply(OpBuilder &builder, Location loc,
                                const GradientUpdate &update) const {
  return buildApplyAdam(*this, builder, loc, update, /*decoupled=*/false);
}
Operation *AdamwAttr::buildApply(OpBuilder &builder, Location loc,
                                 const GradientUpdate &update) const {
  return buildApplyAdam(*this, builder, loc, update, /*decoupled=*/true);
}

Operation *AdagradAttr::buildApply(OpBuilder &builder, Location loc,
                                   const GradientUpdate &u) const {
  Told told(builder, *this, u);
  return ApplyAdagradOp::create(builder, loc, u.variable, told.slot(0), u.average, u.gradient,
                                u.rate, u.scale, told.rate, told.number(getEpsilon()), told.decay,
                                told.clip, told.averageDecay);
}

Operation *RmspropAttr::buildApply(OpBuilder &builder, Location loc,
                                   const GradientUpdate &u) const {
  Told told(builder, *this, u);
  const bool hasMomentum = double(getMomentum()) > 0;
  return ApplyRmspropOp::create(
      builder, loc, u.variable, told.slot(0), getCentered() ? told.slot(1) : FlatSymbolRefAttr(),
      hasMomentum ? u.slots.back() : FlatSymbolRefAttr(), u.average, u.gradient, u.rate, u.scale,
      told.rate, told.number(getRho()), told.number(getEpsilon()),
      hasMomentum ? told.number(getMomentum()) : FloatAttr(), told.decay, told.clip,
      told.averageDecay);
}

//===------------------------------------------------------------------------------------------===//
// Generated
//===------------------------------------------------------------------------------------------===//

// (C1) the variable and its average are two of the gradient's type
LogicalResult ApplySgdOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyVariables(*this, getGradient(), symbols);
}
// (C1) a row of the variable for each number
LogicalResult ApplySgdRowsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  RankedTensorType rows = typeOf(getGradient()), numbers = typeOf(getNumbers());
  if (rows.getRank() != numbers.getRank() + 1 || rows.getShape().drop_back() != numbers.getShape())
    return emitOpError() << "expected a row for each number, got rows " << rows << " and numbers "
                         << numbers;
  auto variable = symbols.lookupNearestSymbolFrom<VariableOp>(*this, getVariableAttr());
  RankedTensorType type = variable ? variable.getTensorType() : rows;
  if (variable && (type.getRank() != 2 || type.getDimSize(1) != rows.getShape().back() ||
                   type.getElementType() != rows.getElementType())) {
    InFlightDiagnostic diagnostic = emitOpError()
                                    << "expected rows of variable " << getVariableAttr()
                                    << ", which is " << type << ", got " << rows;
    diagnostic.attachNote(variable.getLoc()) << "the variable is declared here";
    return diagnostic;
  }
  return graphc::graph::detail::verifyVariable(*this, symbols, getVariableAttr(), type, "variable");
}
// (C1) of the four: the variable, its slots and the average are different variables of the
//      gradient's type
LogicalResult ApplyMomentumOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyVariables(*this, getGradient(), symbols);
}
LogicalResult ApplyAdamOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyVariables(*this, getGradient(), symbols);
}
LogicalResult ApplyAdagradOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyVariables(*this, getGradient(), symbols);
}
LogicalResult ApplyRmspropOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyVariables(*this, getGradient(), symbols);
}

#define GET_OP_CLASSES
#include "dialects/graph/ops/OptimizerOps.cpp.inc"

void graphc::graph::registerOptimizerOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/OptimizerOps.cpp.inc"
      >(dialect);
}
