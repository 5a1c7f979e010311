#include "passes/place/PlaceTableReads.h"

#include "runtime/common/device/DeviceKinds.h"

using namespace mlir;

namespace graphc {

graph::DeviceAttr findTableDevice(Operation *op, const DistributionSpec &dist,
                                  const llvm::DenseSet<Operation *> &varying) {
  const bool hasStores =
      dist.kind == StrategyKind::ParameterServer || dist.kind == StrategyKind::Mirrored;
  auto reader = dyn_cast<graph::TableReadOpInterface>(op);
  if (!reader || !hasStores || dist.toAggregate)
    return {};
  Value table = reader.getTableOperand().get();
  auto read = table.getDefiningOp<graph::ReadOp>();
  graph::DeviceAttr there = read ? graph::getDevice(read) : graph::DeviceAttr();
  if (!there || device::hasOwnMemory(there.getKind()))
    return {};
  const auto func = op->getParentOfType<graph::FuncOp>();
  const int64_t times = dist.hasTowers(func) ? dist.getMicroBatchesEach() : 1,
                whole = graph::getByteSize(table);
  int64_t rows = 0;
  for (OpOperand &use : table.getUses()) {
    auto other = dyn_cast<graph::TableReadOpInterface>(use.getOwner());
    if (!other || &other.getTableOperand() != &use || other->getNumResults() != 1)
      return {};
    Value numbers = other.getNumbersOperand().get();
    if (!varies(numbers, varying) || cast<RankedTensorType>(numbers.getType()).getRank() == 0)
      return {};
    rows += graph::getByteSize(numbers) + graph::getByteSize(other->getResult(0));
    if (rows > whole / times)
      return {};
  }
  return there;
}

} // namespace graphc
