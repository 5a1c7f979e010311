#include "dialects/graph/ops/StridedView.h"
#include "dialects/graph/ops/OpHelpers.h"

#include <optional>

using namespace mlir;

namespace graphc::graph {

static StridedView whole(Value value) {
  StridedView view{value, 0, SmallVector<int64_t>(typeOf(value).getShape()), {}};
  view.steps.resize(view.sizes.size());
  int64_t step = 1;
  for (size_t i = view.sizes.size(); i-- > 0; step *= view.sizes[i])
    view.steps[i] = step;
  return view;
}

/// Steps of the same elements in another shape; none where a dimension would need two.
static std::optional<SmallVector<int64_t>> reshaped(const StridedView &view,
                                                    ArrayRef<int64_t> shape) {
  SmallVector<int64_t> steps(shape.size(), 0);
  if (llvm::is_contained(shape, 0))
    return std::nullopt;
  size_t from = view.sizes.size(), to = shape.size();
  while (true) {
    while (from && view.sizes[from - 1] == 1)
      --from;
    while (to && shape[to - 1] == 1)
      --to;
    if (!from || !to)
      return steps;
    // As many dimensions of each as have the same elements, the innermost first; those of the view
    // lie one behind the other.
    int64_t step = view.steps[from - 1], old = view.sizes[--from], made = shape[--to];
    steps[to] = step;
    while (old != made)
      if (made < old) {
        steps[--to] = step * made;
        made *= shape[to];
      } else if (view.sizes[--from] == 1) {
        continue;
      } else if (view.steps[from] != step * old) {
        return std::nullopt;
      } else {
        old *= view.sizes[from];
      }
  }
}

StridedView StridedView::of(Value value, unsigned most) {
  Operation *op = most ? value.getDefiningOp() : nullptr;
  auto operandOf = [&] {
    Value operand = op->getOperand(0);
    return getDeviceOf(operand) == getDevice(op) ? of(operand, most - 1) : whole(operand);
  };
  if (auto slice = dyn_cast_or_null<SliceOp>(op)) {
    StridedView view = operandOf();
    for (size_t i = 0; i < view.steps.size(); ++i) {
      view.offset += slice.getStartIndices()[i] * view.steps[i];
      view.steps[i] *= slice.getStrides()[i];
    }
    view.sizes = llvm::to_vector(typeOf(value).getShape());
    return view;
  }
  if (auto transpose = dyn_cast_or_null<TransposeOp>(op)) {
    const StridedView from = operandOf();
    StridedView view{from.root, from.offset, {}, {}};
    for (int64_t dimension : transpose.getPermutation()) {
      view.sizes.push_back(from.sizes[size_t(dimension)]);
      view.steps.push_back(from.steps[size_t(dimension)]);
    }
    return view;
  }
  if (auto reshape = dyn_cast_or_null<ReshapeOp>(op)) {
    StridedView view = operandOf();
    ArrayRef<int64_t> shape = typeOf(value).getShape();
    if (std::optional<SmallVector<int64_t>> steps = reshaped(view, shape))
      return {view.root, view.offset, SmallVector<int64_t>(shape), *steps};
  }
  return whole(value);
}

} // namespace graphc::graph
