#include "passes/replicate/Towers.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace graphc {
namespace {

using graph::DeviceAttr;
using graph::getDevice;
using graph::setDevice;

/// Walks the function once and rebuilds its body. Operations that depend on the batch collect in a *segment*, which is
/// written out tower by tower; updates, summaries and results wait until the segment is out, because they take values
/// of all towers. A segment ends where a read must see a waiting update, and at the end of the function.
class TowerBuilder {
public:
  TowerBuilder(ModuleOp module, graph::FuncOp func, const Distribution &dist)
      : symbols(module), func(func), devices(dist.towers), count(dist.getTowers()), maps(count),
        builder(func.getContext()) {}

  LogicalResult run() {
    Block &block = func.getBodyBlock();
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      ops.push_back(&op);
    findVarying(ops);
    builder.setInsertionPointToEnd(&block);
    for (Operation *op : ops) {
      if (auto read = dyn_cast<graph::ReadOp>(op); read && pendingWrites.contains(read.getVariableAttr().getAttr()))
        if (failed(flush()))
          return failure();
      if (graph::isUpdate(op)) {
        for (FlatSymbolRefAttr name : graph::getWrittenVariables(op))
          pendingWrites.insert(name.getAttr());
        waiting.push_back(op);
      } else if (isa<graph::SummaryOp, graph::ReturnOp>(op)) {
        waiting.push_back(op);
      } else if (varying.contains(op)) {
        segment.push_back(op);
      } else {
        op->moveBefore(&block, block.end()); // the same for every tower: once
      }
    }
    if (failed(flush()))
      return failure();
    for (Operation *op : llvm::reverse(ops))
      if (replaced.contains(op))
        op->erase();
    return success();
  }

private:
  /// Arguments are fed to every micro-batch, as they are to every replica.
  bool varies(Value value) { return !value.getDefiningOp() || varying.contains(value.getDefiningOp()); }

  void findVarying(ArrayRef<Operation *> ops) {
    for (Operation *op : ops)
      if (isa<graph::NextBatchOp, graph::MetricOp>(op) ||
          llvm::any_of(op->getOperands(), [&](Value v) { return varies(v); }))
        varying.insert(op);
  }

  Value inTower(Value value, int64_t tower) { return maps[tower].lookupOrDefault(value); }

  LogicalResult flush() {
    llvm::MapVector<OpOperand *, Aggregation> kinds; // what each waiting operand becomes
    Sums sums; // running sums over the towers, by the original value
    for (Operation *op : waiting)
      for (OpOperand &operand : op->getOpOperands()) {
        FailureOr<Aggregation> kind = classify(op, operand);
        if (failed(kind))
          return failure();
        kinds[&operand] = *kind;
        if (*kind != Aggregation::FirstReplica) // made where the first that takes it stands
          sums.insert({operand.get(), {Value(), getDevice(op)}});
      }
    for (int64_t tower = 0; tower < count; ++tower) {
      // A sum grows right behind each tower's value, so that the value does not outlive it.
      for (Operation *op : segment) {
        cloneInto(op, tower);
        for (Value result : op->getResults())
          accumulate(result, tower, sums);
      }
      for (Value value : llvm::make_first_range(sums)) // the same in every tower, or of an earlier segment
        if (!llvm::is_contained(segment, value.getDefiningOp()))
          accumulate(value, tower, sums);
    }
    llvm::DenseMap<Value, Value> means; // by sum
    for (auto [operand, kind] : kinds) {
      if (kind == Aggregation::FirstReplica) {
        operand->set(inTower(operand->get(), 0));
        continue;
      }
      Value sum = sums[operand->get()].value;
      operand->set(kind == Aggregation::Mean ? divide(sum, means) : sum);
    }
    Block &block = func.getBodyBlock();
    for (Operation *op : waiting)
      op->moveBefore(&block, block.end());
    builder.setInsertionPointToEnd(&block);
    waiting.clear();
    segment.clear();
    pendingWrites.clear();
    return success();
  }

  struct Sum {
    Value value; ///< over the towers so far
    DeviceAttr device;
  };
  using Sums = llvm::MapVector<Value, Sum>;

  void accumulate(Value value, int64_t tower, Sums &sums) {
    auto *found = sums.find(value);
    if (found == sums.end())
      return;
    Sum &sum = found->second;
    Value here = inTower(value, tower);
    if (tower > 0) {
      here = graph::createAdd(builder, value.getLoc(), sum.value, here);
      setDevice(here.getDefiningOp(), sum.device);
    }
    sum.value = here;
  }

  /// The mean that belongs to a sum, once for all who want it.
  Value divide(Value sum, llvm::DenseMap<Value, Value> &means) {
    Value &mean = means[sum];
    if (mean)
      return mean;
    mean = graph::createMean(builder, sum.getLoc(), sum, count);
    for (Operation *made : {mean.getDefiningOp(), mean.getDefiningOp()->getOperand(1).getDefiningOp()})
      setDevice(made, getDevice(sum.getDefiningOp()));
    return mean;
  }

  /// The parts of a variable are joined where they are used: each tower takes them from their servers, none by way of another
  /// device.
  void joinPartsIn(int64_t tower, Value value) {
    Operation *join = value.getDefiningOp();
    if (!join || !graph::isJoin(join) || varying.contains(join) || maps[tower].contains(value) ||
        !llvm::all_of(join->getOperands(), [&](Value input) {
          auto read = input.getDefiningOp<graph::ReadOp>();
          return read && symbols.lookup<graph::VariableOp>(read.getVariable()).getPart();
        }))
      return;
    setDevice(builder.clone(*join, maps[tower]), devices[tower]);
  }

  void cloneInto(Operation *op, int64_t tower) {
    if (!devices.empty() && !isa<graph::NextBatchOp>(op))
      for (Value operand : op->getOperands())
        joinPartsIn(tower, operand);
    Operation *copy = builder.clone(*op, maps[tower]);
    if (auto batch = dyn_cast<graph::NextBatchOp>(copy)) {
      batch.setMicroBatch(tower);
      batch.setMicroBatches(count);
    } else if (!devices.empty()) {
      setDevice(copy, devices[tower]);
    }
    replaced.insert(op);
  }

  /// What the towers' values of an operand become.
  FailureOr<Aggregation> classify(Operation *op, OpOperand &operand) {
    Value value = operand.get();
    if (count == 1)
      return Aggregation::FirstReplica;
    if (graph::isUpdate(op)) {
      if (!varies(value) && !graph::appliesGradient(op))
        return Aggregation::FirstReplica; // one value for all
      return getAggregation(op, symbols.lookup<graph::VariableOp>(graph::getVariable(op).getValue()), count);
    }
    StringAttr declared;
    if (auto summary = dyn_cast<graph::SummaryOp>(op))
      declared = summary.getReductionAttr();
    else
      declared = func.getResultAttrOfType<StringAttr>(operand.getOperandNumber(), graph::GraphDialect::kReduction);
    StringRef reduction = getReductionOf(value.getType(), declared);
    if (reduction == "sum")
      return Aggregation::Sum;
    return reduction == "mean" && varies(value) ? Aggregation::Mean : Aggregation::FirstReplica;
  }

  SymbolTable symbols;
  graph::FuncOp func;
  ArrayRef<DeviceAttr> devices; // of the towers; empty: where the function is
  int64_t count;
  SmallVector<IRMapping> maps; // one a tower
  OpBuilder builder;
  llvm::DenseSet<Operation *> varying;
  llvm::DenseSet<Operation *> replaced; // originals of cloned operations
  SmallVector<Operation *> segment;
  SmallVector<Operation *> waiting;
  llvm::DenseSet<StringAttr> pendingWrites;
};

} // namespace

LogicalResult buildTowers(ModuleOp module, graph::FuncOp func, const Distribution &distribution) {
  return TowerBuilder(module, func, distribution).run();
}

} // namespace graphc
