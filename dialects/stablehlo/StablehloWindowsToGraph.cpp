//===- StablehloWindowsToGraph.cpp ------------------------------------------------------------===//
//
// StableHLO's convolutions and windows in the words of the graph dialect.
//
//===------------------------------------------------------------------------------------------===//
#include "dialects/stablehlo/ImportedOp.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::stablehlo;

namespace {

bool areAll(ArrayRef<int64_t> numbers, int64_t value) {
  return llvm::all_of(numbers, [&](int64_t number) { return number == value; });
}

/// Of each letter of `to` its place in `from`; nothing where they have not the same letters.
std::optional<IntegerList> findPermutation(StringRef from, StringRef to) {
  IntegerList permutation;
  for (char letter : to) {
    const size_t place = from.find(letter);
    if (place == StringRef::npos || from.rfind(letter) != place)
      return std::nullopt;
    permutation.push_back(int64_t(place));
  }
  return from.size() == to.size() ? std::optional(permutation) : std::nullopt;
}

/// How windows lie along `rank` dimensions.
struct Windows {
  IntegerList strides, low, high, dilations;
};

/// `padding` is rank x 2.
FailureOr<Windows> readWindows(ImportedOp &op, size_t rank, StringRef dilations) {
  FailureOr<IntegerList> strides = op.numbers("window_strides", IntegerList(rank, 1));
  FailureOr<IntegerList> spread =
      succeeded(strides) ? op.numbers(dilations, IntegerList(rank, 1)) : strides;
  FailureOr<IntegerList> padding =
      succeeded(spread) ? op.numbers("padding", IntegerList(2 * rank, 0)) : spread;
  if (failed(padding))
    return failure();
  if (padding->size() == 1) // of a splat; numbers() gives each element, so this is a tensor of one
    padding->resize(2 * rank, padding->front());
  if (strides->size() != rank || spread->size() != rank || padding->size() != 2 * rank)
    return op.error() << "has windows over " << rank
                      << " dimensions and attributes for another number";
  const auto isFar = [](int64_t number) {
    return number < -(int64_t(1) << 31) || number > int64_t(1) << 31;
  };
  if (llvm::any_of(*strides, isFar) || llvm::any_of(*spread, isFar) ||
      llvm::any_of(*padding, isFar))
    return op.error() << "has a stride, a dilation or a padding beyond 2^31";
  Windows windows{*strides, {}, {}, *spread};
  for (size_t i = 0; i < rank; ++i) {
    windows.low.push_back((*padding)[2 * i]);
    windows.high.push_back((*padding)[2 * i + 1]);
  }
  return windows;
}

/// `fill` between the elements of the input's dimensions of space, which are its last ones, or with
/// `nhwc` those before the last.
Value spreadOut(ImportedOp &op, Value input, ArrayRef<int64_t> dilation, bool nhwc) {
  if (areAll(dilation, 1))
    return input;
  auto type = cast<RankedTensorType>(input.getType());
  IntegerList none(type.getRank(), 0), interior = none, shape = llvm::to_vector(type.getShape());
  for (auto [i, spread] : llvm::enumerate(dilation)) {
    const size_t dimension = i + (nhwc ? 1 : 2);
    interior[dimension] = spread - 1;
    shape[dimension] = (shape[dimension] - 1) * spread + 1;
  }
  RankedTensorType spread = type.clone(shape);
  if (!graph::isGraphTensor(spread, graph::AnyKind))
    return {};
  Value zero = op.splat(RankedTensorType::get({}, type.getElementType()), 0);
  return op.make("pad", spread, {input, zero},
                 {op.named("edge_padding_low", none), op.named("edge_padding_high", none),
                  op.named("interior_padding", interior)});
}

} // namespace

/// Input and result stand as the graph dialect has them, with features first or last, and the
/// filter as OIHW or HWIO; what stands otherwise is transposed.
FailureOr<ImportResult> graphc::stablehlo::importConvolution(ImportedOp &op) {
  op.ignore({"precision_config"});
  const size_t rank = op.rank(), space = rank - 2;
  if (rank < 3 || rank > 11 || op.operandType(1).getRank() != op.rank() ||
      op.type().getRank() != op.rank())
    return ImportedOp::cannot("without a dimension of space, or of other ranks");
  FailureOr<DictionaryAttr> layouts = op.dictionary("dimension_numbers");
  if (failed(layouts))
    return failure();
  FailureOr<int64_t> groups = op.number("feature_group_count", 1);
  FailureOr<int64_t> batchGroups = succeeded(groups) ? op.number("batch_group_count", 1) : groups;
  if (failed(batchGroups))
    return failure();
  FailureOr<IntegerList> inputDilation = op.numbers("lhs_dilation", IntegerList(space, 1));
  FailureOr<IntegerList> reversal = succeeded(inputDilation)
                                        ? op.numbers("window_reversal", IntegerList(space, 0))
                                        : inputDilation;
  if (failed(reversal))
    return failure();
  FailureOr<Windows> windows = readWindows(op, space, "rhs_dilation");
  if (failed(windows))
    return failure();
  if (*batchGroups != 1)
    return ImportedOp::cannot("with groups of the batch");
  if (inputDilation->size() != space || reversal->size() != space)
    return op.error() << "has windows over " << space
                      << " dimensions and attributes for another number";
  if (llvm::any_of(*inputDilation,
                   [](int64_t spread) { return spread < 1 || spread > (int64_t(1) << 25); }))
    return op.error() << "has a dilation that is not from 1 to 2^25";
  std::string places;
  for (size_t i = 0; i < space; ++i)
    places += char('0' + i);
  auto layoutOf = [&](StringRef name) {
    auto given = layouts->getAs<StringAttr>(name);
    return given ? given.getValue() : StringRef();
  };
  const StringRef input = layoutOf("input"), kernel = layoutOf("kernel"),
                  output = layoutOf("output");
  const bool nhwc = input != "bf" + places || output != "bf" + places,
             hwio = kernel != "oi" + places;
  const std::string features = nhwc ? "b" + places + "f" : "bf" + places,
                    filter = hwio ? places + "io" : kernel.str();
  std::optional<IntegerList> toInput = findPermutation(input, features),
                             toFilter = findPermutation(kernel, filter),
                             toOutput = findPermutation(features, output),
                             fromOutput = findPermutation(output, features);
  if (!toInput || !toFilter || !toOutput || !fromOutput)
    return op.error() << "has dimension numbers that do not fit its operands";
  Value x = spreadOut(op, op.transpose(op.operands[0], *toInput), *inputDilation, nhwc);
  Value w = op.transpose(op.operands[1], *toFilter);
  if (!x)
    return ImportedOp::cannot("whose dilated operand is too large");
  IntegerList reversed;
  for (size_t i = 0; i < space; ++i)
    if ((*reversal)[i])
      reversed.push_back(int64_t(hwio ? i : i + 2));
  if (!reversed.empty())
    w = op.make("reverse", w.getType(), w, op.named("dimensions", reversed));
  SmallVector<NamedAttribute> attributes{
      op.named("window_strides", windows->strides), op.named("padding_low", windows->low),
      op.named("padding_high", windows->high), op.named("rhs_dilation", windows->dilations),
      op.named("feature_group_count", *groups)};
  if (nhwc)
    attributes.push_back(op.named("nhwc"));
  if (hwio)
    attributes.push_back(op.named("hwio"));
  IntegerList shape =
      llvm::map_to_vector(*fromOutput, [&](int64_t i) { return op.type().getDimSize(i); });
  Value y = op.makeProduct("convolution", op.type().clone(shape), {x, w}, attributes);
  return ImportedOp::one(op.transpose(y, *toOutput));
}

/// The dimension along which windows are all that is before a place, or with `reverse` behind it;
/// nothing where they lie otherwise.
static std::optional<int64_t> findSumUpTo(RankedTensorType type, ArrayRef<int64_t> sizes,
                                          const Windows &windows, bool &reverse) {
  std::optional<int64_t> along;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    const int64_t size = type.getDimSize(unsigned(i)), low = windows.low[i], high = windows.high[i];
    if (windows.strides[i] != 1 || windows.dilations[i] != 1)
      return std::nullopt;
    if (sizes[i] == 1 && low == 0 && high == 0)
      continue;
    if (along || sizes[i] != size || low + high != size - 1 || (low != 0 && high != 0))
      return std::nullopt;
    along = i;
    reverse = low == 0;
  }
  return along;
}

/// Pools: of the largest element, or of sums, which are means times the number of places.
FailureOr<ImportResult> graphc::stablehlo::importReduceWindow(ImportedOp &op) {
  if (op.operands.size() != 2)
    return ImportedOp::cannot("of several operands");
  const StringRef combiner = op.combiner();
  const size_t rank = op.rank();
  FailureOr<IntegerList> sizes = op.numbers("window_dimensions");
  FailureOr<IntegerList> spread =
      succeeded(sizes) ? op.numbers("base_dilations", IntegerList(rank, 1)) : sizes;
  if (failed(spread))
    return failure();
  FailureOr<Windows> windows = readWindows(op, rank, "window_dilations");
  if (failed(windows))
    return failure();
  if (sizes->size() != rank)
    return op.error() << "has windows over " << sizes->size() << " dimensions and an operand of "
                      << rank;
  if (!areAll(*spread, 1))
    return ImportedOp::cannot("with a dilated operand");
  bool reverse = false;
  if (std::optional<int64_t> along = findSumUpTo(op.operandType(), *sizes, *windows, reverse);
      along && combiner == "add" && isNeutral(op.operands[1], combiner)) {
    SmallVector<NamedAttribute> attributes{op.named("dimension", *along)};
    if (reverse)
      attributes.push_back(op.named("reverse"));
    return ImportedOp::one(op.make("cumsum", op.type(), op.operands[0], attributes));
  }
  auto isStill = [&](size_t i) {
    return (*sizes)[i] == 1 && windows->strides[i] == 1 && windows->low[i] == 0 &&
           windows->high[i] == 0;
  };
  const bool nhwc = rank >= 3 && isStill(rank - 1);
  if (rank < 3 || !isStill(0) || (!nhwc && !isStill(1)))
    return ImportedOp::cannot("that is no pool: windows over batch or features");
  if (!isNeutral(op.operands[1], combiner))
    return ImportedOp::cannot("that begins with a value of its own");
  const bool isSum = combiner == "add" && isa<FloatType>(op.type().getElementType());
  if (!isSum && combiner != "maximum")
    return ImportedOp::cannot("by an operation other than maximum, or add of floats");
  auto ofSpace = [&](ArrayRef<int64_t> numbers) {
    return numbers.drop_front(nhwc ? 1 : 2).drop_back(nhwc ? 1 : 0);
  };
  SmallVector<NamedAttribute> attributes{op.named("window_dimensions", ofSpace(*sizes)),
                                         op.named("window_strides", ofSpace(windows->strides)),
                                         op.named("padding_low", ofSpace(windows->low)),
                                         op.named("padding_high", ofSpace(windows->high)),
                                         op.named("window_dilations", ofSpace(windows->dilations))};
  if (nhwc)
    attributes.push_back(op.named("nhwc"));
  if (!isSum)
    return ImportedOp::one(op.make("max_pool", op.type(), op.operands[0], attributes));
  attributes.push_back(op.named("count_include_pad"));
  double places = 1;
  for (int64_t size : *sizes)
    places *= double(size);
  Value mean = op.make("avg_pool", op.type(), op.operands[0], attributes);
  return ImportedOp::one(op.make("multiply", op.type(), {mean, op.splat(op.type(), places)}));
}
