//===- SlidingWindow.cpp - windows that slide over the dimensions of space --------------------===//
#include "dialects/graph/ops/SlidingWindow.h"

using namespace mlir;

namespace graphc::graph {

bool SlidingWindow::isPadded() const {
  auto isZero = [](int64_t padding) { return padding == 0; };
  return !llvm::all_of(low, isZero) || !llvm::all_of(high, isZero);
}

bool SlidingWindow::isSpread() const {
  for (size_t i = 0; i < space(); ++i)
    if (strides[i] != 1 || low[i] != reach(i) || high[i] != reach(i))
      return false;
  return true;
}

void SlidingWindow::setInput(RankedTensorType type) {
  ArrayRef<int64_t> sizes = type.getShape();
  batch = sizes.front();
  features = nhwc ? sizes.back() : sizes[1];
  input = nhwc ? Sizes(sizes.drop_front().drop_back()) : Sizes(sizes.drop_front(2));
}

LogicalResult SlidingWindow::setEntries(Loc loc, StringRef name,
                                        std::optional<ArrayRef<int64_t>> given, int64_t otherwise,
                                        int64_t least, Sizes &entries) const {
  constexpr int64_t most = int64_t(1) << 31;
  if (!given) {
    entries.assign(space(), otherwise);
    return success();
  }
  if (given->size() != space())
    return emitOptionalError(loc, name, " must have one entry for each of the ", space(),
                             " dimensions of space, got ", given->size());
  for (int64_t entry : *given)
    if (entry < least || entry > most)
      return emitOptionalError(loc, name, " has the entry ", entry, ", expected ", least, " to ",
                               most);
  entries.assign(given->begin(), given->end());
  return success();
}

LogicalResult SlidingWindow::setResult(Loc loc, RankedTensorType type, int64_t resultFeatures) {
  Sizes padded, spread;
  for (size_t i = 0; i < space(); ++i) {
    const int64_t whole = input[i] + low[i] + high[i];
    const bool isFar = window[i] > 1 && dilation[i] > (kMaxElements - 1) / (window[i] - 1);
    if (isFar || reach(i) >= whole)
      return emitOptionalError(loc, "a window of ", window[i], " places that are ", dilation[i],
                               " apart does not fit in dimension ", i, " of space, which has ",
                               whole, " with its padding");
    result.push_back((whole - reach(i) - 1) / strides[i] + 1);
    padded.push_back(whole);
    spread.push_back(input[i] + reach(i));
  }
  for (const auto &[count, places] :
       {std::pair(features, padded), std::pair(resultFeatures, spread)})
    if (Sizes shape = arrange<int64_t>(batch, count, places);
        !isGraphTensor(type.clone(shape), AnyKind))
      return emitOptionalError(loc, "an operand with its padding would be ", type.clone(shape),
                               ", which is too large");
  return success();
}

Value SlidingWindow::pad(OpBuilder &builder, Location loc, Value value, TypedAttr fill) const {
  return ExpansionBuilder{builder, loc}.pad(value, arrange<int64_t>(0, 0, low),
                                            arrange<int64_t>(0, 0, high), Sizes(space() + 2, 0),
                                            fill);
}

Value SlidingWindow::spread(OpBuilder &builder, Location loc, Value gradient,
                            TypedAttr fill) const {
  Sizes before, behind, between;
  for (size_t i = 0; i < space(); ++i) {
    before.push_back(reach(i) - low[i]);
    behind.push_back(input[i] - 1 + low[i] - (result[i] - 1) * strides[i]);
    between.push_back(strides[i] - 1);
  }
  return ExpansionBuilder{builder, loc}.pad(gradient, arrange<int64_t>(0, 0, before),
                                            arrange<int64_t>(0, 0, behind),
                                            arrange<int64_t>(0, 0, between), fill);
}

AffineExpr NestMaker::loop(bool reduced) {
  nest.iterators.push_back(reduced ? utils::IteratorType::reduction
                                   : utils::IteratorType::parallel);
  return getAffineDimExpr(unsigned(nest.iterators.size() - 1), context);
}

SlidingWindow::Places NestMaker::loops(bool reduced) {
  SlidingWindow::Places made;
  for (size_t i = 0; i < lies.space(); ++i)
    made.push_back(loop(reduced));
  return made;
}

SlidingWindow::Places NestMaker::seen(const SlidingWindow::Places &place,
                                      const SlidingWindow::Places &within) {
  SlidingWindow::Places places;
  for (size_t i = 0; i < lies.space(); ++i)
    places.push_back(place[i] * lies.strides[i] + within[i] * lies.dilation[i]);
  return places;
}

SlidingWindow::Places NestMaker::seenFrom(const SlidingWindow::Places &place,
                                          const SlidingWindow::Places &within) {
  SlidingWindow::Places places;
  for (size_t i = 0; i < lies.space(); ++i)
    places.push_back(place[i] + within[i] * -lies.dilation[i] + lies.reach(i));
  return places;
}

} // namespace graphc::graph
