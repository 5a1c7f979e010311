#include "passes/partition/Metrics.h"

using namespace mlir;

namespace graphc {

static ReducedMetric expand(graph::MetricOp metric) {
  OpBuilder builder(metric);
  Location loc = metric.getLoc();
  Value values = metric.getValues(), mask = metric.getMask();
  auto type = cast<RankedTensorType>(values.getType());
  Type element = type.getElementType(), i64 = builder.getI64Type();
  Type wide = isa<FloatType>(element) ? Type(builder.getF64Type()) : i64;
  auto dimensions = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  Operation *last = metric->getPrevNode();

  if (mask && element.isInteger(1))
    values = graph::AndOp::create(builder, loc, values, mask);
  if (wide != element)
    values = graph::ConvertOp::create(builder, loc, type.clone(wide), values);
  if (mask && !element.isInteger(1))
    values = graph::SelectOp::create(builder, loc, mask, values, graph::createSplat(builder, loc, values.getType(), 0));
  Value sum = values;
  if (type.getRank() > 0)
    sum = graph::ReduceSumOp::create(builder, loc, values, dimensions);

  Value count;
  if (!mask) {
    count = graph::createSplat(builder, loc, RankedTensorType::get({}, i64), type.getNumElements());
  } else {
    count = graph::ConvertOp::create(builder, loc, type.clone(i64), mask);
    if (type.getRank() > 0)
      count = graph::ReduceSumOp::create(builder, loc, count, dimensions);
  }
  for (Operation *op = last ? last->getNextNode() : &metric->getBlock()->front(); op != metric; op = op->getNextNode())
    graph::setDevice(op, graph::getDevice(metric));
  ReducedMetric reduced{metric.getNameAttr(), sum, count};
  metric.erase();
  return reduced;
}

SmallVector<ReducedMetric> expandMetrics(graph::FuncOp func) {
  SmallVector<ReducedMetric> metrics;
  for (auto metric : llvm::make_early_inc_range(func.getBodyBlock().getOps<graph::MetricOp>()))
    metrics.push_back(expand(metric));
  return metrics;
}

} // namespace graphc
