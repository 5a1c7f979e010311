//===- LearningRateSchedules.cpp - learning rates that follow from the number of updates ------===//
#include "dialects/graph/ops/OpHelpers.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace graphc::graph;

using EmitError = function_ref<InFlightDiagnostic()>;

//===------------------------------------------------------------------------------------------===//
// Constraints
//===------------------------------------------------------------------------------------------===//

/// A rate that is finite and not negative.
static LogicalResult expectRate(EmitError emitError, StringRef what, double rate) {
  if (std::isfinite(rate) && rate >= 0)
    return success();
  return emitError() << "expected a rate '" << what << "' that is finite and not negative, got "
                     << rate;
}

/// A count of steps that f64 has exactly.
static LogicalResult expectSteps(EmitError emitError, StringRef what, int64_t steps) {
  if (steps > 0 && steps <= int64_t(1) << 53)
    return success();
  return emitError() << "expected '" << what << "' to be a number of steps, 1 to 2^53, got "
                     << steps;
}

/// One value more than boundaries; boundaries are growing steps of 0 to 2^53, values rates of type
/// f64.
LogicalResult PiecewiseConstantAttr::verify(EmitError emitError, ArrayAttr boundaries,
                                            ArrayAttr values) {
  if (values.size() != boundaries.size() + 1)
    return emitError() << "expected a value more than boundaries, got " << values.size() << " and "
                       << boundaries.size();
  int64_t last = -1;
  for (Attribute boundary : boundaries) {
    auto step = dyn_cast<IntegerAttr>(boundary);
    if (!step || step.getInt() <= last || step.getInt() > int64_t(1) << 53)
      return emitError()
             << "expected boundaries to be steps, 0 to 2^53, each larger than the one before, got "
             << boundary;
    last = step.getInt();
  }
  for (Attribute value : values) {
    auto rate = dyn_cast<FloatAttr>(value);
    if (!rate || !rate.getType().isF64())
      return emitError() << "expected values to be numbers of type f64, got " << value;
    if (failed(expectRate(emitError, "values", rate.getValueAsDouble())))
      return failure();
  }
  return success();
}

/// Initial rate and alpha are finite and not negative, decay_steps is 1 to 2^53.
LogicalResult CosineDecayAttr::verify(EmitError emitError, BitwiseDouble initial, int64_t steps,
                                      BitwiseDouble alpha) {
  if (failed(expectRate(emitError, "initial_learning_rate", initial)) ||
      failed(expectSteps(emitError, "decay_steps", steps)))
    return failure();
  return expectRate(emitError, "alpha", alpha);
}

/// Initial and last rate are finite and not negative, decay_steps is 1 to 2^53, the power finite
/// and above 0.
LogicalResult PolynomialDecayAttr::verify(EmitError emitError, BitwiseDouble initial, int64_t steps,
                                          BitwiseDouble end, BitwiseDouble power) {
  if (failed(expectRate(emitError, "initial_learning_rate", initial)) ||
      failed(expectSteps(emitError, "decay_steps", steps)) ||
      failed(expectRate(emitError, "end_learning_rate", end)))
    return failure();
  if (std::isfinite(power) && power > 0)
    return success();
  return emitError() << "expected a power above 0, got " << double(power);
}

/// steps is 1 to 2^53, start finite and not negative, and so is learning_rate where it is no
/// schedule.
LogicalResult LinearWarmupAttr::verify(EmitError emitError, int64_t steps, Attribute rate,
                                       BitwiseDouble start) {
  if (failed(expectSteps(emitError, "steps", steps)) ||
      failed(expectRate(emitError, "start", start)))
    return failure();
  if (auto number = dyn_cast_if_present<FloatAttr>(rate))
    return expectRate(emitError, "learning_rate", number.getValueAsDouble());
  return isa_and_present<ScheduleAttrInterface>(rate)
             ? success()
             : LogicalResult(emitError()
                             << "expected a learning_rate that is a number or a schedule");
}

// (C1) a decay in [0, 1)
LogicalResult BiasCorrectionOp::verify() {
  const double decay = getDecay().convertToDouble();
  if (decay >= 0 && decay < 1)
    return success();
  return emitOpError() << "decay must be at least 0 and below 1, got " << decay;
}

//===------------------------------------------------------------------------------------------===//
// Rates: arithmetic on f64
//===------------------------------------------------------------------------------------------===//

namespace {

struct Rates : ScalarArithmetic {
  Rates(OpBuilder &builder, Location loc) : ScalarArithmetic{builder, loc} {}
  Value number(double value) { return constant(builder.getF64Type(), value); }
  Value select(Value predicate, Value a, Value b) { return make<arith::SelectOp>(predicate, a, b); }
  /// How much of `steps` is done, at most 1.
  Value progress(Value step, int64_t steps) {
    Value all = number(double(steps));
    return divide(minimum(step, all), all);
  }
  /// cos(pi t) for t in [0, 1], as sin(pi (1/2 - t)): Taylor's series to x^21, of which the next
  /// term is below 2^-60.
  Value cosPi(Value t) {
    Value x = multiply(subtract(number(0.5), t), number(std::numbers::pi)), z = multiply(x, x);
    double coefficients[11] = {1};
    for (int i = 1; i < 11; ++i)
      coefficients[i] = -coefficients[i - 1] / (2 * i * (2 * i + 1));
    Value sum = number(coefficients[10]);
    for (int i = 9; i >= 0; --i)
      sum = add(multiply(sum, z), number(coefficients[i]));
    return multiply(sum, x);
  }
  /// base^exponent for a base in [0, 1].
  Value power(Value base, Value exponent) {
    Value isZero = compare(Comparison::LE, base, number(0));
    return select(isZero, number(0), make<math::PowFOp>(select(isZero, number(1), base), exponent));
  }
  Value rateOf(Attribute rate, Value step) {
    if (auto given = dyn_cast<FloatAttr>(rate))
      return number(given.getValueAsDouble());
    return cast<ScheduleAttrInterface>(rate).buildRate(builder, loc, step);
  }
};

} // namespace

Value PiecewiseConstantAttr::buildRate(OpBuilder &builder, Location loc, Value step) const {
  Rates r(builder, loc);
  Value rate = r.number(cast<FloatAttr>(getValues().getValue().back()).getValueAsDouble());
  for (size_t i = getBoundaries().size(); i-- > 0;) {
    Value until = r.number(double(cast<IntegerAttr>(getBoundaries()[i]).getInt()));
    Value here = r.number(cast<FloatAttr>(getValues()[i]).getValueAsDouble());
    rate = r.select(r.compare(Comparison::LE, step, until), here, rate);
  }
  return rate;
}

Value CosineDecayAttr::buildRate(OpBuilder &builder, Location loc, Value step) const {
  Rates r(builder, loc);
  Value half =
      r.multiply(r.add(r.number(1), r.cosPi(r.progress(step, getDecaySteps()))), r.number(0.5));
  Value share = r.add(r.multiply(r.number(1 - getAlpha()), half), r.number(getAlpha()));
  return r.multiply(r.number(getInitialLearningRate()), share);
}

Value PolynomialDecayAttr::buildRate(OpBuilder &builder, Location loc, Value step) const {
  Rates r(builder, loc);
  Value left = r.subtract(r.number(1), r.progress(step, getDecaySteps()));
  if (double(getPower()) != 1)
    left = r.power(left, r.number(getPower()));
  return r.add(r.multiply(r.number(getInitialLearningRate() - getEndLearningRate()), left),
               r.number(getEndLearningRate()));
}

Value LinearWarmupAttr::buildRate(OpBuilder &builder, Location loc, Value step) const {
  Rates r(builder, loc);
  Value steps = r.number(double(getSteps())), start = r.number(getStart());
  // Before the last of the steps this is the rate's first value, which the line goes to. Made once:
  // of a warm-up in a warm-up in … twice each would have no end.
  Value behind = r.rateOf(getLearningRate(), r.maximum(r.subtract(step, steps), r.number(0)));
  Value line = r.add(start, r.multiply(r.subtract(behind, start), r.progress(step, getSteps())));
  return r.select(r.compare(Comparison::LT, step, steps), line, behind);
}

//===------------------------------------------------------------------------------------------===//
// Once a step
//===------------------------------------------------------------------------------------------===//

/// The number of updates so far, as an f64.
static Value loadStep(Rates &r, Value memory) {
  return r.convert(r.make<memref::LoadOp>(memory, ValueRange()), r.builder.getF64Type());
}

void LearningRateOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                                const LoopTarget &) {
  Rates r(builder, getLoc());
  Value rate = getSchedule().buildRate(builder, getLoc(), loadStep(r, operands[0]));
  memref::StoreOp::create(builder, getLoc(), rate, outs[0], ValueRange());
}

void BiasCorrectionOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                                  const LoopTarget &) {
  Rates r(builder, getLoc());
  Value updates = r.add(loadStep(r, operands[0]), r.number(1));
  Value left = r.power(r.number(getDecay().convertToDouble()), updates);
  Value correction = r.divide(r.number(1), r.subtract(r.number(1), left));
  memref::StoreOp::create(builder, getLoc(), correction, outs[0], ValueRange());
}

uint64_t LearningRateOp::getFlops() { return 30; }
uint64_t BiasCorrectionOp::getFlops() { return 30; }
