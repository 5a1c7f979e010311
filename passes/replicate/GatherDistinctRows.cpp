#include "passes/replicate/GatherDistinctRows.h"

#include "passes/replicate/SumRowGradients.h"
#include "runtime/common/device/DeviceKinds.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace graphc {

using graph::DeviceAttr;
using graph::getDevice;

CollectedNumbers collectDistinct(OpBuilder &builder, const graph::DistinctNumbers &own,
                                 DeviceAttr to, StringRef name, int64_t replicas) {
  CollectedNumbers collected{
      own, collectOn(builder, to, own.numbers, (name + ".numbers").str(), replicas), {}};
  collected.counts = graph::countFrontOn(builder, to, collected.all, replicas);
  return collected;
}

namespace {

/// An operation that takes rows for another device, alone or for every replica.
struct RowReader {
  graph::TableReadOpInterface op;
  DeviceAttr there, here; ///< where the table is, where its rows are wanted
  Value numbers;          ///< here
  graph::DealOp deal;     ///< null: of one replica
  int64_t replicas = 1;

  static std::optional<RowReader> of(Operation *candidate, graph::FuncOp func);
  void rewrite();
};

} // namespace

std::optional<RowReader> RowReader::of(Operation *candidate, graph::FuncOp func) {
  RowReader reader{
      dyn_cast<graph::TableReadOpInterface>(candidate), getDevice(candidate), {}, {}, {}};
  if (!reader.op || !reader.there || candidate->getNumResults() != 1)
    return std::nullopt;
  auto read = reader.op.getTableOperand().get().getDefiningOp<graph::ReadOp>();
  if (!read || getDevice(read) != reader.there)
    return std::nullopt;
  reader.numbers = reader.op.getNumbersOperand().get();
  if (auto collect = reader.numbers.getDefiningOp<graph::CollectOp>()) {
    reader.deal = candidate->hasOneUse() ? dyn_cast<graph::DealOp>(*candidate->user_begin())
                                         : graph::DealOp();
    if (!reader.deal)
      return std::nullopt;
    reader.numbers = collect.getOperand();
    reader.replicas = int64_t(collect.getReplicas());
  }
  Operation *def = reader.numbers.getDefiningOp();
  if (def && graph::isRematerializable(def)) // known to both
    return std::nullopt;
  reader.here = def ? getDevice(def) : getDevice(func);
  if (!reader.here || reader.here == reader.there || device::hasOwnMemory(reader.here.getKind()) ||
      device::hasOwnMemory(reader.there.getKind()) ||
      cast<RankedTensorType>(reader.numbers.getType()).getRank() == 0)
    return std::nullopt;
  return reader;
}

void RowReader::rewrite() {
  OpBuilder builder(op);
  auto numbersType = cast<RankedTensorType>(numbers.getType());
  Value table = op.getTableOperand().get(), rows = op->getResult(0);
  const int64_t tableRows = cast<RankedTensorType>(table.getType()).getDimSize(0);
  const StringRef name = graph::getVariable(table.getDefiningOp()).getValue();
  const CollectedNumbers collected = collectDistinct(
      builder, graph::distinctOn(builder, here, numbers, op.getFirstNumber(), tableRows), there,
      name, replicas);
  op.getNumbersOperand().set(collected.all);
  auto rowsType = cast<RankedTensorType>(rows.getType());
  SmallVector<int64_t> shape{numbersType.getNumElements()};
  llvm::append_range(shape, rowsType.getShape().drop_front(size_t(numbersType.getRank())));
  RankedTensorType piece = rowsType.clone(shape);
  rows.setType(graph::getJoinedType(piece, replicas));
  builder.setInsertionPointAfter(op);
  auto taken = graph::DealOp::create(builder, op.getLoc(), piece, (name + ".rows").str(), rows,
                                     collected.own.count, collected.counts, uint64_t(replicas));
  setDevice(taken, here);
  Value wanted = op.buildFromRows(builder, taken, collected.own.places);
  setDevice(wanted.getDefiningOp(), here);
  if (!deal)
    return rows.replaceAllUsesExcept(wanted, taken);
  deal.replaceAllUsesWith(wanted);
  deal.erase();
}

void takeDistinctRows(graph::FuncOp func, const DistributionSpec &dist) {
  if (!dist.distinctRows || dist.toAggregate || dist.mirrorsVariables())
    return;
  SmallVector<RowReader> readers;
  for (Operation &op : func.getBodyBlock())
    if (std::optional<RowReader> reader = RowReader::of(&op, func))
      readers.push_back(*reader);
  llvm::SmallSetVector<Operation *, 4> collects;
  for (RowReader &reader : readers) {
    if (Operation *collect = reader.op.getNumbersOperand().get().getDefiningOp();
        isa_and_present<graph::CollectOp>(collect))
      collects.insert(collect);
    reader.rewrite();
  }
  for (Operation *collect : collects)
    if (collect->use_empty())
      collect->erase();
}

} // namespace graphc
