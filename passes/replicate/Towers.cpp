#include "passes/replicate/Towers.h"

#include "runtime/plan/SumTree.h"

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
      : symbols(module), func(func), dist(dist), devices(dist.towers),
        count(devices.empty() ? dist.getMicroBatchesEach() : dist.microBatches), maps(count),
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
    Sums sums; // over the towers, by the original value
    for (Operation *op : waiting)
      for (OpOperand &operand : op->getOpOperands()) {
        FailureOr<Aggregation> kind = classify(op, operand);
        if (failed(kind))
          return failure();
        kinds[&operand] = *kind;
        if (*kind != Aggregation::FirstReplica) // made where the first that takes it stands
          sums.insert({operand.get(), {plan::GrowingSum<Part>(uint64_t(dist.getMicroBatchesOfLeaf())), getDevice(op)}});
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
      Sum &sum = sums.find(operand->get())->second;
      Value whole = finish(sum, operand->get().getLoc());
      // Between graphs replicate and the host go on with the sum of what each replica has.
      operand->set(kind == Aggregation::Mean && !dist.replicates(func) ? divide(whole, sum.device, means) : whole);
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

  /// A partial sum.
  struct Part {
    Value value;
    int64_t device; ///< index of the towers' one device, -1: of several
  };
  struct Sum {
    plan::GrowingSum<Part> growing;
    DeviceAttr device; ///< where those of several devices are added
    Value whole = {};
  };
  using Sums = llvm::MapVector<Value, Sum>;

  /// What towers of one device have is added there.
  auto adderOf(const Sum &sum, Location loc) {
    return [this, device = sum.device, loc](Part left, Part right) -> Part {
      const bool together = left.device == right.device && left.device >= 0;
      DeviceAttr at = together ? deviceOf(left.value) : device;
      Value add = graph::createAdd(builder, loc, left.value, right.value);
      setDevice(add.getDefiningOp(), at);
      return {add, together ? left.device : -1};
    };
  }
  DeviceAttr deviceOf(Value value) {
    Operation *def = value.getDefiningOp();
    return getDevice(def ? def : func.getOperation());
  }
  int64_t deviceIndex(int64_t tower) const { return devices.empty() ? 0 : tower / dist.getMicroBatchesEach(); }

  void accumulate(Value value, int64_t tower, Sums &sums) {
    if (auto *found = sums.find(value); found != sums.end())
      found->second.growing.push(Part{inTower(value, tower), deviceIndex(tower)},
                                 adderOf(found->second, value.getLoc()));
  }

  Value finish(Sum &sum, Location loc) {
    if (!sum.whole)
      sum.whole = sum.growing.take(adderOf(sum, loc)).value;
    return sum.whole;
  }

  /// The mean that belongs to a sum, once for all who want it.
  Value divide(Value sum, DeviceAttr device, llvm::DenseMap<Value, Value> &means) {
    Value &mean = means[sum];
    if (mean)
      return mean;
    mean = graph::createMean(builder, sum.getLoc(), sum, dist.microBatches);
    for (Operation *made : {mean.getDefiningOp(), mean.getDefiningOp()->getOperand(1).getDefiningOp()})
      setDevice(made, device);
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
    setDevice(builder.clone(*join, maps[tower]), devices[deviceIndex(tower)]);
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
      setDevice(copy, devices[deviceIndex(tower)]);
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
  const Distribution &dist;
  ArrayRef<DeviceAttr> devices; // of the towers, as many on each; empty: where the function is
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
