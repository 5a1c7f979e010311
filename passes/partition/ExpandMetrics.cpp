#include "passes/partition/ExpandMetrics.h"

using namespace mlir;

namespace graphc {

static ReducedMetric expand(graph::MetricOp metric) {
  struct OnDevice : OpBuilder::Listener {
    graph::DeviceAttr device;
    void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
      graph::setDevice(op, device);
    }
  } listener;
  listener.device = graph::getDevice(metric);
  OpBuilder builder(metric, &listener);
  auto [sum, count] = metric.buildSums(builder);
  ReducedMetric reduced{metric.getNameAttr(), sum, count};
  metric.erase();
  return reduced;
}

SmallVector<ReducedMetric> expandMetrics(graph::FuncOp func) {
  SmallVector<ReducedMetric> metrics;
  for (Operation &op : llvm::make_early_inc_range(func.getBodyBlock()))
    if (auto metric = dyn_cast<graph::MetricOp>(op)) {
      metrics.push_back(expand(metric));
    } else if (auto sums = dyn_cast<graph::MetricSumsOp>(op)) {
      metrics.push_back({sums.getNameAttr(), sums.getSum(), sums.getCount()});
      sums.erase();
    }
  return metrics;
}

} // namespace graphc
