#include "passes/replicate/Towers.h"

#include "passes/place/Strategy.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace graphc {
namespace {

using graph::getDevice;
using graph::setDevice;

/// Walks the function once and rebuilds its body. Operations that depend on the batch collect in a *segment*, which is
/// written out tower by tower; updates, summaries and results wait until the segment is out, because they take values
/// of all towers. A segment ends where a read must see a waiting update, and at the end of the function.
class TowerBuilder {
public:
  TowerBuilder(ModuleOp module, graph::FuncOp func, int64_t towers)
      : symbols(module), func(func), count(towers), maps(towers), builder(func.getContext()) {}

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
      if (isUpdate(op)) {
        pendingWrites.insert(getVariable(op).getAttr());
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
    // What each waiting operand becomes, and the running sums, which grow right behind each tower so that a tower's
    // values do not outlive it.
    struct Joined {
      Aggregation kind;
      Value sum;
    };
    llvm::MapVector<OpOperand *, Joined> joined;
    for (Operation *op : waiting)
      for (OpOperand &operand : op->getOpOperands()) {
        FailureOr<Aggregation> kind = classify(op, operand);
        if (failed(kind))
          return failure();
        joined[&operand] = {*kind, {}};
      }
    for (int64_t tower = 0; tower < count; ++tower) {
      for (Operation *op : segment)
        cloneInto(op, tower);
      llvm::DenseMap<Value, Value> sums; // of this tower, by the original value
      for (auto &[operand, join] : joined) {
        if (join.kind == Aggregation::FirstReplica) {
          if (tower == 0)
            join.sum = inTower(operand->get(), 0);
          continue;
        }
        Value value = inTower(operand->get(), tower);
        if (tower == 0) {
          join.sum = value;
          continue;
        }
        Value &sum = sums[operand->get()];
        if (!sum) {
          sum = graph::AddOp::create(builder, operand->get().getLoc(), join.sum, value);
          setDevice(sum.getDefiningOp(), getDevice(func));
        }
        join.sum = sum;
      }
    }
    llvm::DenseMap<Value, Value> means; // by sum
    for (auto &[operand, join] : joined) {
      Value value = join.sum;
      if (join.kind == Aggregation::Mean) {
        Value &mean = means[join.sum];
        if (!mean) {
          Location loc = operand->get().getLoc();
          Value n = graph::createSplat(builder, loc, join.sum.getType(), count);
          setDevice(n.getDefiningOp(), getDevice(func));
          mean = graph::DivideOp::create(builder, loc, join.sum, n);
          setDevice(mean.getDefiningOp(), getDevice(func));
        }
        value = mean;
      }
      operand->set(value);
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

  void cloneInto(Operation *op, int64_t tower) {
    Operation *copy = builder.clone(*op, maps[tower]);
    if (auto batch = dyn_cast<graph::NextBatchOp>(copy)) {
      batch.setMicroBatch(tower);
      batch.setMicroBatches(count);
    }
    replaced.insert(op);
  }

  /// What the towers' values of an operand become.
  FailureOr<Aggregation> classify(Operation *op, OpOperand &operand) {
    Value value = operand.get();
    if (isUpdate(op)) {
      if (!varies(value) && !appliesGradient(op))
        return Aggregation::FirstReplica; // one value for all
      return getAggregation(op, symbols.lookup<graph::VariableOp>(getVariable(op).getValue()), count);
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

LogicalResult buildTowers(ModuleOp module, graph::FuncOp func, int64_t towers) {
  return TowerBuilder(module, func, towers).run();
}

} // namespace graphc
