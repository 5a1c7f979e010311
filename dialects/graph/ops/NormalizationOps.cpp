//===- NormalizationOps.cpp - mean 0 and variance 1 -------------------------------------------===//
//
// A norm's gradient is one op, so that nobody who looks at the model sees its parts. It says what
// it needs of the forward pass as that says it: where both are in one program, cse makes one value
// of the two, a number a row or channel; what is of the operand's size is elementwise and computed
// again where it is used.
//
// Of channels, sums are made sample by sample and then over the samples: threads share the samples,
// and a sample that was summed once is in a near cache when it is wanted again. The variance is
// joined of those of the samples (T. Chan, G. Golub, R. LeVeque: Updating formulae and a pairwise
// algorithm for computing sample variances, 1979), so that the operand is read from memory once for
// mean and variance.
//
//===------------------------------------------------------------------------------------------===//
#include "dialects/graph/ops/ExpansionBuilder.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/NormalizationOps.cpp.inc"

void graphc::graph::registerNormalizationOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/NormalizationOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Types
//===------------------------------------------------------------------------------------------===//

namespace {
/// What a norm's text says, and what has to fit the operand.
struct NormFacts {
  Loc loc;
  Value operand;
  ValueRange parameters; ///< scale and the like
  llvm::APFloat epsilon;
  Value gradient = {}; ///< of the output, where there is one
};
} // namespace

static LogicalResult expectTensor(const NormFacts &facts) {
  if (tensorOf(facts.operand))
    return success();
  return emitOptionalError(facts.loc, "expected a ranked tensor, got ", facts.operand.getType());
}

/// Of any norm: each parameter is of type `parameter`, the gradient of the operand's, and epsilon a
/// number from 0 on.
static LogicalResult checkNorm(const NormFacts &facts, RankedTensorType parameter) {
  for (Value value : facts.parameters)
    if (value.getType() != parameter)
      return emitOptionalError(facts.loc, "expected parameters of type ", parameter,
                               " for an operand of type ", facts.operand.getType(), ", got ",
                               value.getType());
  if (!facts.epsilon.isFinite() || facts.epsilon.isNegative())
    return emitOptionalError(facts.loc, "epsilon must be finite and not negative, got ",
                             facts.epsilon.convertToDouble());
  if (facts.gradient && facts.gradient.getType() != facts.operand.getType())
    return emitOptionalError(facts.loc, "grad_output must have the operand's type ",
                             facts.operand.getType(), ", got ", facts.gradient.getType());
  return success();
}

/// Of a norm with a number for each index of one dimension.
static LogicalResult checkChannels(const NormFacts &facts, uint64_t feature, uint64_t first = 0) {
  if (failed(expectTensor(facts)))
    return failure();
  RankedTensorType type = tensorOf(facts.operand);
  if (feature < first || feature >= uint64_t(type.getRank()))
    return emitOptionalError(facts.loc, "feature_index must be a dimension of the operand from ",
                             first, " on, which is ", type, ", got ", feature);
  return checkNorm(facts, type.clone(ArrayRef<int64_t>{type.getDimSize(unsigned(feature))}));
}

/// Of a norm of rows.
static LogicalResult checkRows(const NormFacts &facts, uint64_t axis) {
  if (failed(expectTensor(facts)))
    return failure();
  RankedTensorType type = tensorOf(facts.operand);
  if (axis >= uint64_t(type.getRank()))
    return emitOptionalError(facts.loc, "axis ", axis,
                             " is not one of the operand's dimensions, which is ", type);
  return checkNorm(facts, type.clone(type.getShape().drop_front(axis)));
}

/// Of a norm of groups of channels, all of the same size.
static LogicalResult checkGroups(const NormFacts &facts, uint64_t groups, uint64_t feature) {
  if (failed(checkChannels(facts, feature, /*first=*/1)))
    return failure();
  int64_t channels = tensorOf(facts.operand).getDimSize(unsigned(feature));
  if (channels % int64_t(groups))
    return emitOptionalError(facts.loc, "num_groups must divide the number of channels, got ",
                             groups, " for ", channels);
  return success();
}

/// The type of the operand, then those of the parameters.
static LogicalResult giveTypes(LogicalResult checked, Value operand, ValueRange parameters,
                               Types &types) {
  if (failed(checked))
    return failure();
  types.push_back(operand.getType());
  llvm::append_range(types, parameters.getTypes());
  return success();
}

// (C1) feature_index is a dimension   (C2) parameters have its length   (C3) epsilon
// (C4) grad_output has the operand's type
LogicalResult BatchNormTrainingOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor op,
                                                    Types &types) {
  Value scale = op.getScale();
  NormFacts facts{loc, op.getOperand(), op.getOperands().drop_front(), op.getEpsilon()};
  return giveTypes(checkChannels(facts, op.getFeatureIndex()), op.getOperand(), {scale, scale},
                   types);
}
LogicalResult BatchNormInferenceOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor op,
                                                     Types &types) {
  NormFacts facts{loc, op.getOperand(), op.getOperands().drop_front(), op.getEpsilon()};
  return giveTypes(checkChannels(facts, op.getFeatureIndex()), op.getOperand(), {}, types);
}
LogicalResult BatchNormGradOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor op, Types &types) {
  Value scale = op.getScale();
  NormFacts facts{loc, op.getOperand(), op.getOperands().drop_front().drop_back(), op.getEpsilon(),
                  op.getGradOutput()};
  return giveTypes(checkChannels(facts, op.getFeatureIndex()), op.getOperand(), {scale, scale},
                   types);
}

// (C1) axis is a dimension   (C2) parameters have those from it on   (C3) epsilon
// (C4) grad_output has the operand's type
LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor op, Types &types) {
  NormFacts facts{loc, op.getOperand(), op.getOperands().drop_front(), op.getEpsilon()};
  return giveTypes(checkRows(facts, op.getAxis()), op.getOperand(), {}, types);
}
LogicalResult LayerNormGradOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor op, Types &types) {
  Value scale = op.getScale();
  NormFacts facts{loc, op.getOperand(), scale, op.getEpsilon(), op.getGradOutput()};
  return giveTypes(checkRows(facts, op.getAxis()), op.getOperand(), {scale, scale}, types);
}
LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor op, Types &types) {
  NormFacts facts{loc, op.getOperand(), op.getOperands().drop_front(), op.getEpsilon()};
  return giveTypes(checkRows(facts, op.getAxis()), op.getOperand(), {}, types);
}
LogicalResult RmsNormGradOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor op, Types &types) {
  Value scale = op.getScale();
  NormFacts facts{loc, op.getOperand(), scale, op.getEpsilon(), op.getGradOutput()};
  return giveTypes(checkRows(facts, op.getAxis()), op.getOperand(), scale, types);
}

// (C1) feature_index is a dimension, not the first   (C2) parameters have its length   (C3) epsilon
// (C4) num_groups divides it
// (C5) grad_output has the operand's type
LogicalResult GroupNormOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor op, Types &types) {
  NormFacts facts{loc, op.getOperand(), op.getOperands().drop_front(), op.getEpsilon()};
  return giveTypes(checkGroups(facts, op.getNumGroups(), op.getFeatureIndex()), op.getOperand(), {},
                   types);
}
LogicalResult GroupNormGradOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor op, Types &types) {
  Value scale = op.getScale();
  NormFacts facts{loc, op.getOperand(), scale, op.getEpsilon(), op.getGradOutput()};
  return giveTypes(checkGroups(facts, op.getNumGroups(), op.getFeatureIndex()), op.getOperand(),
                   {scale, scale}, types);
}

//===------------------------------------------------------------------------------------------===//
// Constraints
//===------------------------------------------------------------------------------------------===//

// (C2) momentum is in [0, 1]
LogicalResult AssignMovingAverageOp::verify() {
  double momentum = getMomentum().convertToDouble();
  if (momentum >= 0 && momentum <= 1)
    return success();
  return emitOpError() << "expected a momentum in [0, 1], got " << momentum;
}

// (C1) a variable of the value's type
LogicalResult AssignMovingAverageOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return detail::verifyVariable(*this, symbols, getVariableAttr(), getValue().getType(), "value");
}

//===------------------------------------------------------------------------------------------===//
// Decompositions
//===------------------------------------------------------------------------------------------===//

namespace {

using Dimensions = SmallVector<int64_t>;

/// Says a norm in other ops. A group is what is normalised together; it is called after the
/// dimensions that are left without it.
struct Norm {
  ExpansionBuilder e;
  RankedTensorType type; ///< of what is normalised
  Dimensions within; ///< of a group
  Dimensions parameters; ///< that scale and offset have

  static Norm ofChannels(OpBuilder &builder, Operation *op, uint64_t feature) {
    RankedTensorType type = typeOf(op->getOperand(0));
    return {{builder, op->getLoc()},
            type,
            GradientBuilder::kept(type.getRank(), int64_t(feature)),
            {int64_t(feature)}};
  }
  static Norm ofRows(OpBuilder &builder, Operation *op, uint64_t axis) {
    RankedTensorType type = typeOf(op->getOperand(0));
    Dimensions row = llvm::to_vector(llvm::seq<int64_t>(int64_t(axis), type.getRank()));
    return {{builder, op->getLoc()}, type, row, row};
  }
  /// Of the operand seen with a dimension for the groups before that of their channels.
  static Norm ofGroups(OpBuilder &builder, Operation *op, uint64_t groups, uint64_t feature) {
    RankedTensorType type = typeOf(op->getOperand(0));
    Dimensions shape(type.getShape()), within;
    shape[feature] /= int64_t(groups);
    shape.insert(shape.begin() + int64_t(feature), int64_t(groups));
    for (int64_t i = 1; i < int64_t(shape.size()); ++i)
      if (i != int64_t(feature))
        within.push_back(i);
    return {{builder, op->getLoc()},
            type.clone(shape),
            within,
            {int64_t(feature), int64_t(feature) + 1}};
  }

  Value seen(Value value, RankedTensorType as) { return e.make<ReshapeOp>(as, value); }
  /// A parameter with a number a channel, as the view of the operand has them.
  Value seenParameter(Value value) {
    return seen(value, type.clone(ArrayRef<int64_t>{type.getDimSize(unsigned(parameters[0])),
                                                    type.getDimSize(unsigned(parameters[1]))}));
  }
  Value ofGroup(Value value) {
    return e.make<BroadcastInDimOp>(type, value, GradientBuilder::kept(type.getRank(), within));
  }
  Value ofParameter(Value value) { return e.make<BroadcastInDimOp>(type, value, parameters); }
  Value meanOfGroup(Value value) { return e.mean(value, within); }
  Value sumForParameter(Value value) {
    return e.make<ReduceSumOp>(value, GradientBuilder::kept(type.getRank(), parameters));
  }
  Value multiply(Value a, Value b) { return e.make<MultiplyOp>(a, b); }
  Value subtract(Value a, Value b) { return e.make<SubtractOp>(a, b); }

  /// What a sample has of a channel, where it is worth a sum of its own: all dimensions but the
  /// first and the channels'. Else empty.
  Dimensions ofSample() const {
    constexpr int64_t kLeast = 16;
    const int64_t channels = parameters.front();
    Dimensions dimensions;
    int64_t items = 1;
    for (int64_t i = 1; i < type.getRank(); ++i)
      if (i != channels) {
        dimensions.push_back(i);
        items *= type.getDimSize(unsigned(i));
      }
    return channels > 0 && items >= kLeast ? dimensions : Dimensions();
  }
  /// Of each channel.
  Value sumOfChannel(Value value) {
    const Dimensions sample = ofSample();
    return sample.empty()
               ? sumForParameter(value)
               : e.make<ReduceSumOp>(e.make<ReduceSumOp>(value, sample), ArrayRef<int64_t>{0});
  }
  struct Moments {
    Value mean, variance;
  };
  Moments momentsOfChannel(Value x) {
    const Dimensions sample = ofSample();
    if (sample.empty()) {
      Value mean = meanOfGroup(x);
      return {mean, squares(subtract(x, ofGroup(mean)))};
    }
    const double items = double(count(x)),
                 channels = double(type.getDimSize(unsigned(parameters.front()))),
                 samples = double(type.getDimSize(0));
    auto times = [&](Value value, double factor) {
      return multiply(value, e.splat(value.getType(), factor));
    };
    auto over = [&](Value value, double divisor) {
      return e.make<DivideOp>(value, e.splat(value.getType(), divisor));
    };
    auto sum = [&](Value value) { return e.make<ReduceSumOp>(value, ArrayRef<int64_t>{0}); };
    Value sums = e.make<ReduceSumOp>(x, sample), own = over(sums, items / channels / samples);
    Value ofOwn =
        subtract(x, e.make<BroadcastInDimOp>(type, own, ArrayRef<int64_t>{0, parameters.front()}));
    Value inside = e.make<ReduceSumOp>(multiply(ofOwn, ofOwn), sample);
    Value mean = over(sum(sums), items / channels);
    Value apart = subtract(own, e.make<BroadcastInDimOp>(typeOf(own), mean, ArrayRef<int64_t>{1}));
    Value between = times(sum(multiply(apart, apart)), items / channels / samples);
    return {mean, over(e.make<AddOp>(sum(inside), between), items / channels)};
  }

  /// 1 / sqrt(variance + epsilon)
  Value scaleOf(Value variance, const llvm::APFloat &epsilon) {
    return e.make<RsqrtOp>(
        e.make<AddOp>(variance, e.splat(variance.getType(), epsilon.convertToDouble())));
  }
  Value squares(Value value) { return meanOfGroup(multiply(value, value)); }
  Value affine(Value normalized, Value scale, Value offset) {
    return e.make<AddOp>(multiply(normalized, ofParameter(scale)), ofParameter(offset));
  }

  struct Normalized {
    Value value, factor;
  };
  Normalized normalize(Value x, const llvm::APFloat &epsilon) {
    Value centered = subtract(x, ofGroup(meanOfGroup(x)));
    Value factor = scaleOf(squares(centered), epsilon);
    return {multiply(centered, ofGroup(factor)), factor};
  }
  Normalized normalizeByRoot(Value x, const llvm::APFloat &epsilon) {
    Value factor = scaleOf(squares(x), epsilon);
    return {multiply(x, ofGroup(factor)), factor};
  }
  /// With n what was normalised and s the gradient by it: factor (s - mean(s) - n mean(s n)),
  /// without the second where no mean was taken off.
  Value gradient(const Normalized &n, Value s, bool isCentered) {
    Value along = multiply(n.value, ofGroup(meanOfGroup(multiply(s, n.value))));
    Value rest = isCentered ? subtract(s, ofGroup(meanOfGroup(s))) : s;
    return multiply(subtract(rest, along), ofGroup(n.factor));
  }
};

} // namespace

Values BatchNormTrainingOp::decompose(OpBuilder &builder) {
  Norm norm = Norm::ofChannels(builder, *this, getFeatureIndex());
  auto [mean, variance] = norm.momentsOfChannel(getOperand());
  Value centered = norm.subtract(getOperand(), norm.ofGroup(mean));
  Value normalized = norm.multiply(centered, norm.ofGroup(norm.scaleOf(variance, getEpsilon())));
  return {norm.affine(normalized, getScale(), getOffset()), mean, variance};
}

Values BatchNormInferenceOp::decompose(OpBuilder &builder) {
  Norm norm = Norm::ofChannels(builder, *this, getFeatureIndex());
  Value centered = norm.subtract(getOperand(), norm.ofGroup(getMean()));
  Value normalized =
      norm.multiply(centered, norm.ofGroup(norm.scaleOf(getVariance(), getEpsilon())));
  return {norm.affine(normalized, getScale(), getOffset())};
}

// The two sums of a channel give the gradients of offset and scale, and their means are what the
// operand's is less.
Values BatchNormGradOp::decompose(OpBuilder &builder) {
  Norm norm = Norm::ofChannels(builder, *this, getFeatureIndex());
  ExpansionBuilder &e = norm.e;
  Value factor = norm.scaleOf(getVariance(), getEpsilon()), g = getGradOutput();
  Value normalized =
      norm.multiply(norm.subtract(getOperand(), norm.ofGroup(getMean())), norm.ofGroup(factor));
  Value ofOffset = norm.sumOfChannel(g), ofScale = norm.sumOfChannel(norm.multiply(g, normalized));
  double items = double(count(getOperand())) / double(count(getScale()));
  auto share = [&](Value sum) {
    return norm.ofGroup(e.make<DivideOp>(sum, e.splat(sum.getType(), items)));
  };
  Value rest =
      norm.subtract(norm.subtract(g, share(ofOffset)), norm.multiply(normalized, share(ofScale)));
  return {norm.multiply(rest, norm.ofGroup(norm.multiply(getScale(), factor))), ofScale, ofOffset};
}

Values LayerNormOp::decompose(OpBuilder &builder) {
  Norm norm = Norm::ofRows(builder, *this, getAxis());
  return {norm.affine(norm.normalize(getOperand(), getEpsilon()).value, getScale(), getOffset())};
}
Values LayerNormGradOp::decompose(OpBuilder &builder) {
  Norm norm = Norm::ofRows(builder, *this, getAxis());
  Norm::Normalized n = norm.normalize(getOperand(), getEpsilon());
  Value g = getGradOutput();
  Value ofOperand =
      norm.gradient(n, norm.multiply(g, norm.ofParameter(getScale())), /*isCentered=*/true);
  return {ofOperand, norm.sumForParameter(norm.multiply(g, n.value)), norm.sumForParameter(g)};
}

Values RmsNormOp::decompose(OpBuilder &builder) {
  Norm norm = Norm::ofRows(builder, *this, getAxis());
  return {norm.multiply(norm.normalizeByRoot(getOperand(), getEpsilon()).value,
                        norm.ofParameter(getScale()))};
}
Values RmsNormGradOp::decompose(OpBuilder &builder) {
  Norm norm = Norm::ofRows(builder, *this, getAxis());
  Norm::Normalized n = norm.normalizeByRoot(getOperand(), getEpsilon());
  Value g = getGradOutput();
  Value ofOperand =
      norm.gradient(n, norm.multiply(g, norm.ofParameter(getScale())), /*isCentered=*/false);
  return {ofOperand, norm.sumForParameter(norm.multiply(g, n.value))};
}

Values GroupNormOp::decompose(OpBuilder &builder) {
  Norm norm = Norm::ofGroups(builder, *this, getNumGroups(), getFeatureIndex());
  Value x = norm.seen(getOperand(), norm.type);
  Value y = norm.affine(norm.normalize(x, getEpsilon()).value, norm.seenParameter(getScale()),
                        norm.seenParameter(getOffset()));
  return {norm.seen(y, typeOf(getOperand()))};
}
Values GroupNormGradOp::decompose(OpBuilder &builder) {
  Norm norm = Norm::ofGroups(builder, *this, getNumGroups(), getFeatureIndex());
  Norm::Normalized n = norm.normalize(norm.seen(getOperand(), norm.type), getEpsilon());
  Value g = norm.seen(getGradOutput(), norm.type);
  Value ofOperand = norm.gradient(
      n, norm.multiply(g, norm.ofParameter(norm.seenParameter(getScale()))), /*isCentered=*/true);
  Value ofScale = norm.sumForParameter(norm.multiply(g, n.value)),
        ofOffset = norm.sumForParameter(g);
  return {norm.seen(ofOperand, typeOf(getOperand())), norm.seen(ofScale, typeOf(getScale())),
          norm.seen(ofOffset, typeOf(getScale()))};
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

Results AssignMovingAverageOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  ScalarArithmetic s{builder, getLoc()};
  double momentum = getMomentum().convertToDouble();
  Type type = x[0].getType();
  return {s.add(s.multiply(s.constant(type, momentum), old[0]),
                s.multiply(s.constant(type, 1 - momentum), x[0]))};
}

//===------------------------------------------------------------------------------------------===//
// Gradients
//===------------------------------------------------------------------------------------------===//

/// The results of a gradient's op, in the order of the operands.
static void giveOperands(Operation *made, NeededGradients needed, Gradients result) {
  for (OpResult of : made->getResults())
    if (needed[of.getResultNumber()])
      result[of.getResultNumber()] = of;
}

// By way of the output, and by way of mean and variance: g / n and 2 (x - mean) g / n.
void BatchNormTrainingOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                                        Gradients result) {
  if (g[0])
    giveOperands(BatchNormGradOp::create(builder, getLoc(), getOperand(), getScale(),
                                         getBatchMean(), getBatchVar(), g[0], getFeatureIndexAttr(),
                                         getEpsilonAttr()),
                 needed, result);
  if (!needed[0])
    return;
  GradientBuilder make(builder, *this);
  RankedTensorType type = typeOf(getOperand());
  auto share = [&](Value sum) {
    double items = double(count(getOperand())) / double(count(sum));
    return make.broadcast(make.divide(sum, make.splat(sum.getType(), items)), type,
                          int64_t(getFeatureIndex()));
  };
  auto add = [&](Value more) { result[0] = result[0] ? make.add(result[0], more) : more; };
  if (g[1])
    add(share(g[1]));
  if (g[2]) {
    Value centered = make.subtract(
        getOperand(), make.broadcast(getBatchMean(), type, int64_t(getFeatureIndex())));
    add(make.multiply(make.multiply(centered, 2), share(g[2])));
  }
}

// Mean and variance are given: with f = 1 / sqrt(variance + epsilon), each channel is a line.
void BatchNormInferenceOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                                         Gradients result) {
  GradientBuilder make(builder, *this);
  RankedTensorType type = typeOf(getOperand());
  int64_t feature = int64_t(getFeatureIndex());
  auto repeat = [&](Value value) { return make.broadcast(value, type, feature); };
  Value epsilon = make.splat(getVariance().getType(), getEpsilon().convertToDouble());
  Value factor = RsqrtOp::create(builder, getLoc(), make.add(getVariance(), epsilon));
  Value slope = make.multiply(getScale(), factor);
  SmallVector<int64_t> others = GradientBuilder::kept(type.getRank(), feature);
  if (needed[0])
    result[0] = make.multiply(g[0], repeat(slope));
  if (llvm::none_of(llvm::seq(1u, 5u), [&](unsigned i) { return needed[i]; }))
    return;
  Value sum = make.sum(g[0], others);
  Value along =
      make.sum(make.multiply(g[0], make.subtract(getOperand(), repeat(getMean()))), others);
  if (needed[1])
    result[1] = make.multiply(along, factor);
  if (needed[2])
    result[2] = sum;
  if (needed[3])
    result[3] = make.negate(make.multiply(sum, slope));
  if (needed[4]) // the factor's derivative is -f^3 / 2
    result[4] = make.multiply(make.multiply(along, slope),
                              make.multiply(make.multiply(factor, factor), -0.5));
}

void LayerNormOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                                Gradients result) {
  giveOperands(LayerNormGradOp::create(builder, getLoc(), getOperand(), getScale(), g[0],
                                       getAxisAttr(), getEpsilonAttr()),
               needed, result);
}
void RmsNormOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                              Gradients result) {
  giveOperands(RmsNormGradOp::create(builder, getLoc(), getOperand(), getScale(), g[0],
                                     getAxisAttr(), getEpsilonAttr()),
               needed, result);
}
void GroupNormOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                                Gradients result) {
  giveOperands(GroupNormGradOp::create(builder, getLoc(), getOperand(), getScale(), g[0],
                                       getNumGroupsAttr(), getFeatureIndexAttr(), getEpsilonAttr()),
               needed, result);
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

// A sum; subtract, square and sum; multiply twice and add.
uint64_t BatchNormTrainingOp::getFlops() { return 7 * count(getOperand()); }
uint64_t BatchNormInferenceOp::getFlops() { return 4 * count(getOperand()); }
// Normalised again (2), two sums and a product (3), the rest (5).
uint64_t BatchNormGradOp::getFlops() { return 10 * count(getOperand()); }
uint64_t LayerNormOp::getFlops() { return 7 * count(getOperand()); }
uint64_t LayerNormGradOp::getFlops() { return 16 * count(getOperand()); }
uint64_t RmsNormOp::getFlops() { return 4 * count(getOperand()); }
uint64_t RmsNormGradOp::getFlops() { return 11 * count(getOperand()); }
uint64_t GroupNormOp::getFlops() { return 7 * count(getOperand()); }
uint64_t GroupNormGradOp::getFlops() { return 16 * count(getOperand()); }
uint64_t AssignMovingAverageOp::getFlops() { return 3 * count(getValue()); }
