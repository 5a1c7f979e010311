#include "passes/replicate/SumRowGradients.h"

#include "dialects/graph/ops/PassOpBuilders.h"
#include "passes/replicate/GatherDistinctRows.h"
#include "runtime/common/device/DeviceKinds.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace graphc {

RankedTensorType typeOfAll(Value value, int64_t replicas) {
  return graph::getJoinedType(cast<RankedTensorType>(value.getType()), replicas);
}

Value collectOn(OpBuilder &builder, graph::DeviceAttr device, Value value, StringRef name,
                int64_t replicas) {
  for (Operation *user : value.getUsers())
    if (auto made = dyn_cast<graph::CollectOp>(user);
        made && graph::getDevice(made) == device &&
        made->isBeforeInBlock(&*builder.getInsertionPoint()))
      return made;
  auto all =
      graph::CollectOp::create(builder, value.getLoc(), typeOfAll(value, replicas), name, value,
                               /*count=*/Value(), /*counts=*/Value(), replicas);
  graph::setDevice(all, device);
  return all;
}

namespace {

using graph::DeviceAttr;
using graph::RowGradientOpInterface;
using graph::setDevice;

/// The gradients that a sum adds, in order; null where it adds others.
bool collectGradients(Value sum, SmallVectorImpl<RowGradientOpInterface> &gradients) {
  Operation *def = sum.getDefiningOp();
  if (def && graph::isAdd(def))
    return collectGradients(def->getOperand(0), gradients) &&
           collectGradients(def->getOperand(1), gradients);
  auto gradient = dyn_cast_or_null<RowGradientOpInterface>(def);
  if (gradient)
    gradients.push_back(gradient);
  return bool(gradient);
}

/// What a division that makes a mean divides by, a whole number; 0 for another operation.
int64_t getDivisor(Operation *op) {
  DenseFPElementsAttr by;
  if (!op || !graph::isMean(op) || !matchPattern(op->getOperand(1), m_Constant(&by)) ||
      !by.isSplat())
    return 0;
  const double value = by.getSplatValue<APFloat>().convertToDouble();
  return value >= 1 && value <= double(1 << 24) && value == double(int64_t(value)) ? int64_t(value)
                                                                                   : 0;
}

class RowSummer {
public:
  RowSummer(graph::FuncOp func, const DistributionSpec &dist)
      : func_(func), dist_(dist), builder_(func.getContext()) {}

  void run() {
    SmallVector<Operation *> updates;
    for (Operation &op : func_.getBodyBlock())
      if (graph::appliesGradient(&op))
        updates.push_back(&op);
    for (Operation *update : updates)
      rewrite(update);
  }

private:
  void rewrite(Operation *update);
  Value toServer(StringRef what, ArrayRef<Value> values, bool collects);
  /// Gradients that one device makes, or each replica: consecutive micro-batches.
  struct Sharer {
    DeviceAttr device;
    SmallVector<Value> numbers, rows;
  };
  /// Numbers and rows on the server, of the sums of so many sharers.
  struct Arrived {
    Value numbers, rows;
    int64_t sharers = 0;
  };
  std::optional<Arrived> sumsToServer(StringRef name, RowGradientOpInterface gradient,
                                      ArrayRef<Value> numbers, ArrayRef<Value> rows, bool collects,
                                      int64_t perLeaf);
  Arrived sumOf(Sharer &sharer, StringRef name, RowGradientOpInterface gradient, int64_t replicas,
                int64_t perLeaf);
  DeviceAttr deviceOf(Value value) {
    return value.getDefiningOp() ? graph::getDeviceOf(value) : graph::getDevice(func_);
  }
  Value join(ArrayRef<Value> values, DeviceAttr device) {
    if (values.size() == 1)
      return values.front();
    Value whole = graph::createJoin(builder_, values.front().getLoc(), values);
    setDevice(whole.getDefiningOp(), device);
    return whole;
  }

  graph::FuncOp func_;
  const DistributionSpec &dist_;
  OpBuilder builder_;
  DeviceAttr server_; ///< of the update
};

/// Values of all micro-batches end to end on the server: first those of each device there, in
/// order, then those of the replicas.
Value RowSummer::toServer(StringRef name, ArrayRef<Value> values, bool collects) {
  SmallVector<Value> parts;
  for (size_t i = 0; i < values.size();) {
    const DeviceAttr device = deviceOf(values[i]);
    size_t end = i;
    while (end < values.size() && deviceOf(values[end]) == device)
      ++end;
    parts.push_back(join(values.slice(i, end - i), device));
    i = end;
  }
  if (!collects)
    return join(parts, server_);
  return collectOn(builder_, server_, join(parts, dist_.replicaDevice), name, dist_.replicas);
}

/// A sharer's sums by the subtree that its micro-batches are, side by side: as if the table had as
/// many rows as there are numbers, renamed to places in the list of those that differ. What begins
/// with 0.0 is the same where it is added to 0.0 again.
RowSummer::Arrived RowSummer::sumOf(Sharer &sharer, StringRef name, RowGradientOpInterface gradient,
                                    int64_t replicas, int64_t perLeaf) {
  const Location loc = gradient.getLoc();
  Value numbers = join(sharer.numbers, sharer.device), rows = join(sharer.rows, sharer.device);
  auto table = cast<RankedTensorType>(gradient->getResult(0).getType());
  const graph::DistinctNumbers own = graph::distinctOn(
      builder_, sharer.device, numbers, gradient.getFirstNumber(), table.getDimSize(0));
  const int64_t most = cast<RankedTensorType>(numbers.getType()).getNumElements();
  Value places = own.places;
  if (const auto each = int64_t(sharer.numbers.size()); each > 1) {
    const graph::RowSums sums = graph::createRowSums(
        builder_, loc, places, rows, table.clone({most, table.getDimSize(1)}), 0, each, perLeaf);
    setDevice(sums.numbers.getDefiningOp(), sharer.device);
    places = sums.numbers;
    rows = sums.rows;
  }
  Value sums = gradient.buildFrom(builder_, places, rows, most);
  setDevice(sums.getDefiningOp(), sharer.device);
  if (sharer.device == server_)
    return {own.numbers, sums};
  const CollectedNumbers collected = collectDistinct(builder_, own, server_, name, replicas);
  auto all =
      graph::CollectOp::create(builder_, loc, typeOfAll(sums, replicas), (name + ".gradient").str(),
                               sums, own.count, collected.counts, uint64_t(replicas));
  setDevice(all, server_);
  return {collected.all, all};
}

/// Each number once of each sharer of the step's micro-batches. Nothing where they have no equal
/// subtrees of the sum, or memory of their own.
std::optional<RowSummer::Arrived>
RowSummer::sumsToServer(StringRef name, RowGradientOpInterface gradient, ArrayRef<Value> numbers,
                        ArrayRef<Value> rows, bool collects, int64_t perLeaf) {
  SmallVector<Sharer> sharers;
  for (auto [number, row] : llvm::zip_equal(numbers, rows)) {
    const DeviceAttr device = collects ? dist_.replicaDevice : deviceOf(row);
    if (!device || device::hasOwnMemory(device.getKind()) ||
        (device != server_ && deviceOf(number) != device))
      return std::nullopt;
    if (sharers.empty() || sharers.back().device != device)
      sharers.push_back({device, {}, {}});
    sharers.back().numbers.push_back(number);
    sharers.back().rows.push_back(row);
  }
  const size_t each = sharers.front().numbers.size();
  if (each % size_t(perLeaf) || !llvm::isPowerOf2_64(each / size_t(perLeaf)))
    return std::nullopt;
  if (llvm::any_of(sharers, [&](const Sharer &sharer) { return sharer.numbers.size() != each; }))
    return std::nullopt;
  SmallVector<Value> allNumbers, allRows;
  for (Sharer &sharer : sharers) {
    const Arrived sums = sumOf(sharer, name, gradient, collects ? dist_.replicas : 1, perLeaf);
    allNumbers.push_back(sums.numbers);
    allRows.push_back(sums.rows);
  }
  return Arrived{join(allNumbers, server_), join(allRows, server_),
                 collects ? dist_.replicas : int64_t(sharers.size())};
}

void RowSummer::rewrite(Operation *update) {
  server_ = graph::getDevice(update);
  OpOperand &operand = graph::getUpdateOperand(update);
  if (!server_ || device::hasOwnMemory(server_.getKind()) || dist_.toAggregate ||
      dist_.mirrorsVariables())
    return;
  const int64_t divisor = getDivisor(operand.get().getDefiningOp());
  Operation *mean = divisor ? operand.get().getDefiningOp() : nullptr;
  Value sum = mean ? mean->getOperand(0) : operand.get();
  auto aggregate = sum.getDefiningOp<graph::AggregateOp>();
  SmallVector<RowGradientOpInterface> gradients;
  if (!collectGradients(aggregate ? aggregate.getOperand() : sum, gradients))
    return;
  // One a micro-batch, or the sum is another than that of a step.
  const bool collects = bool(aggregate);
  int64_t each = 1;
  if (dist_.hasTowers(func_))
    each = dist_.kind == StrategyKind::Mirrored ? dist_.microBatches : dist_.getMicroBatchesEach();
  const int64_t microBatches = each * (collects ? dist_.replicas : 1);
  const int64_t perLeaf = microBatches > 1 ? dist_.getMicroBatchesOfLeaf() : 1;
  if (int64_t(gradients.size()) != each || microBatches % perLeaf)
    return;
  SmallVector<Value> numbers, rows;
  int64_t bytes = 0;
  bool crosses = collects;
  for (RowGradientOpInterface gradient : gradients) {
    numbers.push_back(gradient.getNumbersOperand().get());
    rows.push_back(gradient.getRowsOperand().get());
    auto type = cast<RankedTensorType>(numbers.back().getType());
    if (type.getRank() == 0 || type != numbers.front().getType() ||
        gradient.getFirstNumber() != gradients.front().getFirstNumber())
      return;
    // Numbers that lie in a variable on a server, the same for all, are no replica's to send.
    auto isReplicas = [&](Value value) {
      return !value.getDefiningOp() ||
             graph::getDevice(value.getDefiningOp()) == dist_.replicaDevice;
    };
    if (collects && !(isReplicas(numbers.back()) && isReplicas(rows.back())))
      return;
    crosses |= graph::getDevice(gradient) != server_;
    bytes += graph::getByteSize(type) + graph::getByteSize(rows.back());
  }
  auto table = cast<RankedTensorType>(sum.getType());
  if (!crosses || bytes > graph::getByteSize(table))
    return;

  Operation *last = sum.getDefiningOp();
  builder_.setInsertionPointAfter(last);
  const std::string name = graph::getVariable(update).getValue().str();
  std::optional<Arrived> arrived;
  if (dist_.distinctRows)
    arrived = sumsToServer(name, gradients.front(), numbers, rows, collects, perLeaf);
  const bool summed = arrived.has_value();
  if (!summed)
    arrived = {toServer(name + ".numbers", numbers, collects),
               toServer(name + ".gradient", rows, collects), 0};
  graph::RowSums sums{arrived->numbers, arrived->rows};
  if (const int64_t first = gradients.front().getFirstNumber();
      !summed || arrived->sharers > 1 || first) {
    sums =
        graph::createRowSums(builder_, sum.getLoc(), arrived->numbers, arrived->rows, table, first,
                             summed ? arrived->sharers : microBatches, summed ? 1 : perLeaf);
    setDevice(sums.numbers.getDefiningOp(), server_);
  }
  auto byRows = dyn_cast<graph::RowUpdateOpInterface>(update);
  const bool isAlone = sum.hasOneUse() && (!mean || mean->hasOneUse());
  if (byRows && isAlone) {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPoint(update);
    Value gradient =
        mean ? graph::createMean(builder_, mean->getLoc(), sums.rows, divisor, server_) : sums.rows;
    if (Operation *made = byRows.buildRowUpdate(builder_, sums.numbers, gradient)) {
      setDevice(made, server_);
      update->erase();
      return;
    }
  }
  Value dense = gradients.front().buildFrom(builder_, sums.numbers, sums.rows, table.getDimSize(0));
  setDevice(dense.getDefiningOp(), server_);
  sum.replaceAllUsesWith(dense);
}

} // namespace

void sumByRows(graph::FuncOp func, const DistributionSpec &distribution) {
  RowSummer(func, distribution).run();
}

} // namespace graphc
