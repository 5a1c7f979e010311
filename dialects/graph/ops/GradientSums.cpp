//===- GradientSums.cpp - the gradient of a value that is used several times ------------------===//
#include "dialects/graph/ops/PassOpBuilders.h"

#include "dialects/graph/ops/ConstantFolding.h"

using namespace mlir;

namespace graphc::graph {
namespace {

struct Stretch {
  int64_t first, size;
  Value value;
};

/// The dimension along which a value is zero but for a stretch; nothing where it is not so.
std::optional<int64_t> readStretch(Value term, Stretch &stretch) {
  auto pad = term.getDefiningOp<PadOp>();
  DenseElementsAttr padding;
  if (!pad || !matchPattern(pad.getPaddingValue(), m_Constant(&padding)) || !isAll(padding, 0) ||
      llvm::any_of(pad.getInteriorPadding(), [](int64_t interior) { return interior != 0; }))
    return {};
  std::optional<int64_t> along;
  for (auto [i, low, high] : llvm::enumerate(pad.getEdgePaddingLow(), pad.getEdgePaddingHigh())) {
    if (low == 0 && high == 0)
      continue;
    if (along || low < 0 || high < 0)
      return {};
    along = int64_t(i);
    stretch = {low, typeOf(pad.getOperand()).getDimSize(unsigned(i)), pad.getOperand()};
  }
  return along;
}

Value createSideBySide(OpBuilder &builder, Location loc, ValueRange terms) {
  SmallVector<Stretch> stretches(terms.size());
  const std::optional<int64_t> along = readStretch(terms.front(), stretches.front());
  for (size_t i = 1; i < terms.size(); ++i)
    if (readStretch(terms[i], stretches[i]) != along)
      return {};
  if (!along)
    return {};
  llvm::sort(stretches, [](const Stretch &a, const Stretch &b) { return a.first < b.first; });
  auto type = cast<RankedTensorType>(terms.front().getType());
  SmallVector<Value> pieces;
  int64_t end = 0;
  auto fillUpTo = [&](int64_t place) {
    SmallVector<int64_t> shape(type.getShape());
    shape[size_t(*along)] = place - end;
    if (place > end)
      pieces.push_back(createSplat(builder, loc, type.clone(shape), 0));
  };
  for (const Stretch &stretch : stretches) {
    if (stretch.first < end)
      return {};
    fillUpTo(stretch.first);
    pieces.push_back(stretch.value);
    end = stretch.first + stretch.size;
  }
  fillUpTo(type.getDimSize(unsigned(*along)));
  return ConcatenateOp::create(builder, loc, pieces, uint64_t(*along));
}

} // namespace

Value createGradientSum(OpBuilder &builder, Location loc, ValueRange terms) {
  if (terms.size() > 1)
    if (Value together = createSideBySide(builder, loc, terms))
      return together;
  Value total = terms.front();
  for (Value term : terms.drop_front())
    total = createAdd(builder, loc, total, term);
  return total;
}

} // namespace graphc::graph
