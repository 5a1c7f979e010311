//===- ConvolutionOps.cpp - products over windows that slide ----------------------------------===//
#include "dialects/graph/ops/SlidingWindow.h"
#include "runtime/common/base/OpCount.h"
#include "runtime/common/device/DeviceKinds.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace graphc::graph;
namespace base = graphc::base;

#define GET_OP_CLASSES
#include "dialects/graph/ops/ConvolutionOps.cpp.inc"

void graphc::graph::registerConvolutionOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/ConvolutionOps.cpp.inc"
      >(dialect);
}

namespace {

using Sizes = SlidingWindow::Sizes;

/// A convolution by its numbers; `features` are the input's.
struct Convolution : SlidingWindow {
  bool hwio = false;
  int64_t groups = 1, outputs = 1; ///< features of the result, of all groups

  int64_t groupInputs() const { return features / groups; }
  int64_t groupOutputs() const { return outputs / groups; }
  uint64_t multiplyAdds() const {
    uint64_t count =
        base::multiplyOps({uint64_t(batch), uint64_t(outputs), uint64_t(groupInputs())});
    for (auto [places, width] : llvm::zip_equal(result, window))
      count = base::multiplyOps({count, uint64_t(places), uint64_t(width)});
    return count;
  }
  uint64_t flops() const { return base::multiplyOps({multiplyAdds(), 2}); }

  Sizes resultShape() const { return arrange<int64_t>(batch, outputs, result); }
  template <typename Element>
  SmallVector<Element> arrangeFilter(Element inputs, Element outputs,
                                     ArrayRef<Element> places) const {
    SmallVector<Element> all(places);
    if (hwio)
      all.append({inputs, outputs});
    else
      all.insert(all.begin(), {outputs, inputs});
    return all;
  }
};

// (C1) same element type, same rank >= 3   (C2) one entry a dimension of space, in bounds
// (C3) groups divide the features, of which the
// filter has one group's   (C4) the window fits in the padded input   (C5) what is padded may be a tensor
template <typename OpOrAdaptor>
FailureOr<Convolution> readConvolution(Loc loc, OpOrAdaptor op, Type inputType, Type filterType) {
  auto input = dyn_cast<RankedTensorType>(inputType),
       filter = dyn_cast<RankedTensorType>(filterType);
  if (!input || !filter || input.getElementType() != filter.getElementType() ||
      input.getRank() != filter.getRank() || input.getRank() < 3)
    return emitOptionalError(
        loc,
        "input and filter must have the same element type and the same rank of at least 3, got ",
        inputType, " and ", filterType);
  Convolution c;
  c.nhwc = op.getNhwc();
  c.hwio = op.getHwio();
  c.groups = int64_t(op.getFeatureGroupCount());
  c.setInput(input);
  ArrayRef<int64_t> sizes = filter.getShape();
  c.outputs = c.hwio ? sizes.back() : sizes[0];
  c.window = c.hwio ? Sizes(sizes.drop_back(2)) : Sizes(sizes.drop_front(2));
  if (failed(c.setPaddings(loc, op)) ||
      failed(c.setEntries(loc, "rhs_dilation", op.getRhsDilation(), 1, 1, c.dilation)))
    return failure();
  const int64_t filterInputs = c.hwio ? sizes.end()[-2] : sizes[1];
  if (c.groups < 1 || c.features % c.groups || c.outputs % c.groups ||
      filterInputs != c.features / c.groups)
    return emitOptionalError(
        loc, c.groups, c.groups == 1 ? " group" : " groups", " of ", c.features,
        " input features (", input, ") and ", c.outputs,
        " output features need a filter of as many input features as a group has, got ",
        filterInputs, " (", filter, ")");
  if (failed(c.setResult(loc, input, c.outputs)))
    return failure();
  return c;
}

template <typename Op> Convolution of(Op op, Type input, Type filter) {
  return *readConvolution(std::nullopt, op, input, filter);
}
Convolution of(ConvolutionOp op) {
  return of(op, op.getInput().getType(), op.getFilter().getType());
}
Convolution of(ConvolutionInputGradOp op) { return of(op, op.getType(), op.getFilter().getType()); }
Convolution of(ConvolutionFilterGradOp op) { return of(op, op.getInput().getType(), op.getType()); }

template <typename Op> LogicalResult verifyGradient(Op op, Type input, Type filter, Type gradient) {
  FailureOr<Convolution> c = readConvolution(op.getLoc(), op, input, filter);
  if (failed(c))
    return failure();
  auto expected = cast<RankedTensorType>(input).clone(c->resultShape());
  if (gradient != expected)
    return op.emitOpError() << "gradient must be of the type of the convolution's result, "
                            << expected << ", got " << gradient;
  return success();
}

/// Another op of the three, or the same one, with the same windows.
template <typename To, typename From>
Value makeLike(OpBuilder &builder, From op, Type type, Value a, Value b) {
  return To::create(builder, op.getLoc(), type, a, b, op.getWindowStridesAttr(),
                    op.getPaddingLowAttr(), op.getPaddingHighAttr(), op.getRhsDilationAttr(),
                    op.getFeatureGroupCountAttr(), op.getNhwcAttr(), op.getHwioAttr());
}

} // namespace

//===------------------------------------------------------------------------------------------===//
// Types and constraints
//===------------------------------------------------------------------------------------------===//

LogicalResult ConvolutionOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor,
                                              Types &types) {
  FailureOr<Convolution> c =
      readConvolution(loc, adaptor, adaptor.getInput().getType(), adaptor.getFilter().getType());
  if (failed(c))
    return failure();
  types.push_back(typeOf(adaptor.getInput()).clone(c->resultShape()));
  return success();
}

// (C1) the convolution is one, and its result of the gradient's type
LogicalResult ConvolutionInputGradOp::verify() {
  return verifyGradient(*this, getType(), getFilter().getType(), getGradient().getType());
}
// (C1) likewise, where the result is the filter's gradient
LogicalResult ConvolutionFilterGradOp::verify() {
  return verifyGradient(*this, getInput().getType(), getType(), getGradient().getType());
}

//===------------------------------------------------------------------------------------------===//
// Loops: of operands that are padded already. Window places go before features, so that the order
// of a sum is the same in each layout.
//===------------------------------------------------------------------------------------------===//

namespace {

/// A nest of loops over batch, places, groups and features; features are those of a group.
struct ConvolutionNest : NestMaker {
  const Convolution &c;
  ConvolutionNest(const Convolution &c, MLIRContext *context) : NestMaker{c, context}, c(c) {}

  /// Over the features of a group that are kept; one alone needs no loop beside the groups'.
  AffineExpr kept(int64_t features) {
    return c.groups > 1 && features == 1 ? getAffineConstantExpr(0, context)
                                         : loop(/*reduced=*/false);
  }
  AffineExpr group() {
    return c.groups > 1 ? loop(/*reduced=*/false) : getAffineConstantExpr(0, context);
  }
  AffineMap ofInput(AffineExpr batch, AffineExpr group, AffineExpr feature,
                    const SlidingWindow::Places &places) {
    return at(batch, group * c.groupInputs() + feature, places);
  }
  AffineMap ofResult(AffineExpr batch, AffineExpr group, AffineExpr feature,
                     const SlidingWindow::Places &places) {
    return at(batch, group * c.groupOutputs() + feature, places);
  }
  AffineMap ofFilter(AffineExpr group, AffineExpr input, AffineExpr output,
                     const SlidingWindow::Places &places) {
    return map(c.arrangeFilter<AffineExpr>(input, group * c.groupOutputs() + output, places));
  }
};

/// Loops over a tensor in its own order.
void inOrder(bool placesFirst, llvm::function_ref<void()> places,
             llvm::function_ref<void()> features) {
  (placesFirst ? places : features)();
  (placesFirst ? features : places)();
}

} // namespace

Nests ConvolutionOp::getLoopNests() {
  const Convolution c = of(*this);
  if (c.isPadded())
    return {};
  ConvolutionNest make(c, getContext());
  AffineExpr batch = make.loop(/*reduced=*/false), group, feature;
  SlidingWindow::Places places;
  auto overPlaces = [&] { places = make.loops(/*reduced=*/false); };
  auto overFeatures = [&] { group = make.group(), feature = make.kept(c.groupOutputs()); };
  inOrder(c.nhwc, overPlaces, overFeatures);
  SlidingWindow::Places within = make.loops(/*reduced=*/true);
  AffineExpr input = make.loop(/*reduced=*/true);
  make.nest.reads = {{0, make.ofInput(batch, group, input, make.seen(places, within))},
                     {1, make.ofFilter(group, input, feature, within)}};
  make.nest.writes = {make.ofResult(batch, group, feature, places)};
  return {make.nest};
}

Nests ConvolutionInputGradOp::getLoopNests() {
  const Convolution c = of(*this);
  if (!c.isSpread())
    return {};
  ConvolutionNest make(c, getContext());
  AffineExpr batch = make.loop(/*reduced=*/false), group, feature;
  SlidingWindow::Places places;
  auto overPlaces = [&] { places = make.loops(/*reduced=*/false); };
  auto overFeatures = [&] { group = make.group(), feature = make.kept(c.groupInputs()); };
  inOrder(c.nhwc, overPlaces, overFeatures);
  SlidingWindow::Places within = make.loops(/*reduced=*/true);
  AffineExpr output = make.loop(/*reduced=*/true);
  make.nest.reads = {{0, make.ofResult(batch, group, output, make.seenFrom(places, within))},
                     {1, make.ofFilter(group, feature, output, within)}};
  make.nest.writes = {make.ofInput(batch, group, feature, places)};
  return {make.nest};
}

Nests ConvolutionFilterGradOp::getLoopNests() {
  const Convolution c = of(*this);
  if (c.isPadded())
    return {};
  ConvolutionNest make(c, getContext());
  AffineExpr group, input, output;
  SlidingWindow::Places within;
  auto overWindow = [&] { within = make.loops(/*reduced=*/false); };
  auto overFeatures = [&] {
    group = make.group();
    if (!c.hwio)
      output = make.kept(c.groupOutputs());
    input = make.loop(/*reduced=*/false);
    if (c.hwio)
      output = make.kept(c.groupOutputs());
  };
  inOrder(c.hwio, overWindow, overFeatures);
  AffineExpr batch = make.loop(/*reduced=*/true);
  SlidingWindow::Places places = make.loops(/*reduced=*/true);
  make.nest.reads = {{0, make.ofInput(batch, group, input, make.seen(places, within))},
                     {1, make.ofResult(batch, group, output, places)}};
  make.nest.writes = {make.ofFilter(group, input, output, within)};
  return {make.nest};
}

static Results addProduct(OpBuilder &builder, Operation *op, Elements x, Elements old) {
  ScalarArithmetic s{builder, op->getLoc()};
  return {s.add(old[0], s.multiply(x[0], x[1]))};
}
TypedAttr ConvolutionOp::getStart(unsigned) {
  return getStartOf(getResult(), ReductionIdentity::Zero);
}
Results ConvolutionOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return addProduct(builder, *this, x, old);
}
TypedAttr ConvolutionInputGradOp::getStart(unsigned) {
  return getStartOf(getResult(), ReductionIdentity::Zero);
}
Results ConvolutionInputGradOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return addProduct(builder, *this, x, old);
}
TypedAttr ConvolutionFilterGradOp::getStart(unsigned) {
  return getStartOf(getResult(), ReductionIdentity::Zero);
}
Results ConvolutionFilterGradOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return addProduct(builder, *this, x, old);
}

//===------------------------------------------------------------------------------------------===//
// Decompositions: what is padded becomes a tensor of its own
//===------------------------------------------------------------------------------------------===//

Values ConvolutionOp::decompose(OpBuilder &builder) {
  const Convolution c = of(*this);
  if (!c.isPadded())
    return {};
  Value padded =
      c.pad(builder, getLoc(), getInput(), getStartOf(getInput(), ReductionIdentity::Zero));
  return {create(builder, getLoc(), getType(), padded, getFilter(), getWindowStridesAttr(), {}, {},
                 getRhsDilationAttr(), getFeatureGroupCountAttr(), getNhwcAttr(), getHwioAttr())};
}

Values ConvolutionInputGradOp::decompose(OpBuilder &builder) {
  const Convolution c = of(*this);
  if (c.isSpread())
    return {};
  Value spread = c.spread(builder, getLoc(), getGradient(),
                          getStartOf(getGradient(), ReductionIdentity::Zero));
  Sizes reach;
  for (size_t i = 0; i < c.space(); ++i)
    reach.push_back(c.reach(i));
  auto around = builder.getDenseI64ArrayAttr(reach);
  return {create(builder, getLoc(), getType(), spread, getFilter(), {}, around, around,
                 getRhsDilationAttr(), getFeatureGroupCountAttr(), getNhwcAttr(), getHwioAttr())};
}

Values ConvolutionFilterGradOp::decompose(OpBuilder &builder) {
  const Convolution c = of(*this);
  if (!c.isPadded())
    return {};
  Value padded =
      c.pad(builder, getLoc(), getInput(), getStartOf(getInput(), ReductionIdentity::Zero));
  return {create(builder, getLoc(), getType(), padded, getGradient(), getWindowStridesAttr(), {},
                 {}, getRhsDilationAttr(), getFeatureGroupCountAttr(), getNhwcAttr(),
                 getHwioAttr())};
}

//===------------------------------------------------------------------------------------------===//
// Gradients: each of the three is linear in both operands
//===------------------------------------------------------------------------------------------===//

void ConvolutionOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                                  Gradients result) {
  if (needed[0])
    result[0] =
        makeLike<ConvolutionInputGradOp>(builder, *this, getInput().getType(), g[0], getFilter());
  if (needed[1])
    result[1] =
        makeLike<ConvolutionFilterGradOp>(builder, *this, getFilter().getType(), getInput(), g[0]);
}

void ConvolutionInputGradOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                                           Gradients result) {
  if (needed[0])
    result[0] = makeLike<ConvolutionOp>(builder, *this, getGradient().getType(), g[0], getFilter());
  if (needed[1])
    result[1] = makeLike<ConvolutionFilterGradOp>(builder, *this, getFilter().getType(), g[0],
                                                  getGradient());
}

void ConvolutionFilterGradOp::buildGradient(OpBuilder &builder, ValueRange g,
                                            NeededGradients needed, Gradients result) {
  if (needed[0])
    result[0] =
        makeLike<ConvolutionInputGradOp>(builder, *this, getInput().getType(), getGradient(), g[0]);
  if (needed[1])
    result[1] = makeLike<ConvolutionOp>(builder, *this, getGradient().getType(), getInput(), g[0]);
}

//===------------------------------------------------------------------------------------------===//
// What libraries and passes ask
//===------------------------------------------------------------------------------------------===//

/// Whether a CPU's library has it: all three, or none.
static bool isLibrarys(const Convolution &c, Type type, StringRef kind) {
  // Below so many multiply-adds a call, which brings the filter into the library's order, costs
  // more than the loops.
  constexpr uint64_t least = 32768;
  // The library counts in 32 bits.
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (graphc::device::runsPtx(kind) || !cast<RankedTensorType>(type).getElementType().isF32() ||
      c.space() > 3 || c.multiplyAdds() < least)
    return false;
  for (size_t i = 0; i < c.space(); ++i)
    if (c.low[i] < 0 || c.high[i] < 0 || c.low[i] > c.reach(i) || c.high[i] > c.reach(i) ||
        c.strides[i] > most || c.dilation[i] > most)
      return false;
  auto elements = [](const Sizes &shape) {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    return count;
  };
  return elements(c.arrange<int64_t>(c.batch, c.features, c.input)) <= most &&
         elements(c.resultShape()) <= most &&
         elements(c.arrangeFilter<int64_t>(c.groupInputs(), c.outputs, c.window)) <= most;
}

static DictionaryAttr describe(const Convolution &c, MLIRContext *context) {
  Builder builder(context);
  NamedAttrList descriptor;
  descriptor.append("window_strides", builder.getDenseI64ArrayAttr(c.strides));
  descriptor.append("padding_low", builder.getDenseI64ArrayAttr(c.low));
  descriptor.append("padding_high", builder.getDenseI64ArrayAttr(c.high));
  descriptor.append("rhs_dilation", builder.getDenseI64ArrayAttr(c.dilation));
  if (c.groups != 1)
    descriptor.append("feature_group_count", builder.getI64IntegerAttr(c.groups));
  if (c.nhwc)
    descriptor.append("nhwc", builder.getUnitAttr());
  if (c.hwio)
    descriptor.append("hwio", builder.getUnitAttr());
  return descriptor.getDictionary(context);
}

StringRef ConvolutionOp::getLibraryKernel(StringRef kind) {
  return isLibrarys(of(*this), getType(), kind) ? "convolution" : "";
}
DictionaryAttr ConvolutionOp::getLibraryDescriptor(StringRef) {
  return describe(of(*this), getContext());
}
StringRef ConvolutionInputGradOp::getLibraryKernel(StringRef kind) {
  return isLibrarys(of(*this), getType(), kind) ? "convolution_input_grad" : "";
}
DictionaryAttr ConvolutionInputGradOp::getLibraryDescriptor(StringRef) {
  return describe(of(*this), getContext());
}
StringRef ConvolutionFilterGradOp::getLibraryKernel(StringRef kind) {
  return isLibrarys(of(*this), getType(), kind) ? "convolution_filter_grad" : "";
}
DictionaryAttr ConvolutionFilterGradOp::getLibraryDescriptor(StringRef) {
  return describe(of(*this), getContext());
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t ConvolutionOp::getFlops() { return of(*this).flops(); }
uint64_t ConvolutionInputGradOp::getFlops() { return of(*this).flops(); }
uint64_t ConvolutionFilterGradOp::getFlops() { return of(*this).flops(); }
