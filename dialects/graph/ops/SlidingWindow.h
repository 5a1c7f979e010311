//===- SlidingWindow.h - windows that slide over the dimensions of space ------------*- C++ -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_SLIDINGWINDOW_H
#define GRAPHC_DIALECTS_GRAPH_OPS_SLIDINGWINDOW_H

#include "dialects/graph/ops/ExpansionBuilder.h"

namespace graphc::graph {

/// How windows lie over a tensor of batch, features and space (with `nhwc` features last): sizes,
/// strides and so on are along the dimensions of space. A window at place p of the result has its
/// place k at p·stride - low + k·dilation of the input.
struct SlidingWindow {
  using Sizes = mlir::SmallVector<int64_t>;
  using Places = mlir::SmallVector<mlir::AffineExpr>;

  bool nhwc = false;
  int64_t batch = 1, features = 1;
  Sizes input, window, result, strides, low, high, dilation;

  size_t space() const { return input.size(); }
  /// From a window's first place to its last.
  int64_t reach(size_t i) const { return (window[i] - 1) * dilation[i]; }
  bool isPadded() const;
  /// Whether the gradient of the result has been spread: each element of the input is then seen
  /// from the places from its own on, by the window's last place first. Strides are 1, paddings
  /// reach.
  bool isSpread() const;

  /// A list for a tensor of the input's or the result's order.
  template <typename Element>
  mlir::SmallVector<Element> arrange(Element batch, Element features,
                                     mlir::ArrayRef<Element> places) const {
    mlir::SmallVector<Element> all{batch};
    all.append(places.begin(), places.end());
    all.insert(nhwc ? all.end() : all.begin() + 1, features);
    return all;
  }

  /// Reads what `type` says.
  void setInput(mlir::RankedTensorType type);
  /// One of the op's lists, which may not be given.
  mlir::LogicalResult setEntries(Loc loc, llvm::StringRef name,
                                 std::optional<mlir::ArrayRef<int64_t>> given, int64_t otherwise,
                                 int64_t least, Sizes &entries) const;
  template <typename OpOrAdaptor> mlir::LogicalResult setPaddings(Loc loc, OpOrAdaptor op) {
    const int64_t least = -(int64_t(1) << 31);
    return mlir::failure(
        mlir::failed(setEntries(loc, "window_strides", op.getWindowStrides(), 1, 1, strides)) ||
        mlir::failed(setEntries(loc, "padding_low", op.getPaddingLow(), 0, least, low)) ||
        mlir::failed(setEntries(loc, "padding_high", op.getPaddingHigh(), 0, least, high)));
  }
  /// Finds how many windows there are; each has to fit in the padded input, which has to be a
  /// tensor, as has the gradient of a result of so many features that is spread.
  mlir::LogicalResult setResult(Loc loc, mlir::RankedTensorType input, int64_t resultFeatures);

  /// Along the dimensions of space.
  mlir::Value pad(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value input,
                  mlir::TypedAttr fill) const;
  mlir::Value spread(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value gradient,
                     mlir::TypedAttr fill) const;
};

/// Makes a nest loop by loop; maps are made when all loops are.
struct NestMaker {
  const SlidingWindow &lies;
  mlir::MLIRContext *context;
  LoopNest nest = {};

  mlir::AffineExpr loop(bool reduced);
  /// One a dimension of space.
  SlidingWindow::Places loops(bool reduced);
  mlir::AffineMap map(mlir::ArrayRef<mlir::AffineExpr> results) {
    return getMap(nest.iterators.size(), results, context);
  }
  mlir::AffineMap at(mlir::AffineExpr batch, mlir::AffineExpr features,
                     const SlidingWindow::Places &places) {
    return map(lies.arrange<mlir::AffineExpr>(batch, features, places));
  }
  /// Where the window at `place` has its place `within`.
  SlidingWindow::Places seen(const SlidingWindow::Places &place,
                             const SlidingWindow::Places &within);
  /// Of which place of a spread gradient this element of the input is place `within`.
  SlidingWindow::Places seenFrom(const SlidingWindow::Places &place,
                                 const SlidingWindow::Places &within);
};

} // namespace graphc::graph

#endif
