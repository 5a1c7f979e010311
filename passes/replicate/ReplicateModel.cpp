// replicate: the meaning of N replicas made explicit, with every sum by one tree over the
// micro-batches of a step and one division.
#include "dialects/graph/ops/PassOpBuilders.h"
#include "passes/Passes.h"
#include "passes/place/PlaceTableReads.h"
#include "passes/replicate/BuildTowers.h"
#include "passes/replicate/GatherDistinctRows.h"
#include "passes/replicate/SumRowGradients.h"
#include "runtime/common/plan/SumTree.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_REPLICATEMODEL
#include "passes/Passes.h.inc"

FailureOr<VariableAggregation> getAggregation(Operation *update, graph::VariableOp variable,
                                              int64_t replicas) {
  if (graph::appliesGradient(update))
    return VariableAggregation::Mean;
  std::optional<StringRef> declared = variable.getAggregation();
  if (!declared) {
    InFlightDiagnostic diag =
        update->emitOpError("gives @")
        << variable.getSymName() << " a value that differs in each of the " << replicas
        << " replicas; declare on the variable what that means: aggregation = \"mean\", \"sum\" "
           "or \"first_replica\"";
    diag.attachNote(variable.getLoc()) << "variable declared here";
    return diag;
  }
  if (*declared == "mean") {
    Type element = variable.getTensorType().getElementType();
    if (isa<FloatType>(element))
      return VariableAggregation::Mean;
    InFlightDiagnostic diag = update->emitOpError("cannot take the mean of ")
                              << element << " values; expected \"sum\" or \"first_replica\"";
    diag.attachNote(variable.getLoc()) << "aggregation declared here";
    return diag;
  }
  return *declared == "sum" ? VariableAggregation::Sum : VariableAggregation::FirstReplica;
}

namespace {

using graph::DeviceAttr;
using graph::getDevice;
using graph::setDevice;

/// Between-graph: what leaves the replica domain passes through an aggregate on the device that
/// takes it.
class BetweenGraph {
public:
  BetweenGraph(ModuleOp module, const DistributionSpec &distribution)
      : symbols_(module), dist_(distribution) {}

  LogicalResult run(graph::FuncOp func) {
    varying_ = findVarying(func);
    if (dist_.mirrorsVariables())
      return reduceEverywhere(func);
    for (Operation &op : llvm::make_early_inc_range(func.getBodyBlock())) {
      if (getDevice(&op) == dist_.replicaDevice)
        continue;
      if (auto reader = dyn_cast<graph::TableReadOpInterface>(op);
          reader && isReplicated(reader.getNumbersOperand().get())) {
        takeRows(reader);
        continue;
      }
      bool crosses = false;
      for (OpOperand &operand : op.getOpOperands()) {
        if (!isReplicated(operand.get()))
          continue;
        if (!graph::isUpdate(&op)) {
          InFlightDiagnostic diag =
              op.emitOpError("is on \"")
              << getDevice(&op).str() << "\", but takes a value that each of the " << dist_.replicas
              << " replicas computes for itself; only variables' updates leave the replicas";
          diag.attachNote(operand.get().getLoc())
              << "computed here, on \"" << dist_.replicaDevice.str() << "\"";
          return diag;
        }
        if (!graph::appliesGradient(&op) && !varies(operand.get(), varying_)) {
          takeOnce(&op, operand);
          continue;
        }
        if (failed(aggregate(&op, operand)))
          return failure();
        crosses = true;
      }
      // A gradient that no replica computes (made of variables alone, on their task) still counts N
      // times.
      if (graph::appliesGradient(&op) && !dist_.async && !crosses)
        sumCopies(&op);
    }
    return success();
  }

private:
  bool isReplicated(Value value) {
    Operation *def = value.getDefiningOp();
    return !def || getDevice(def) == dist_.replicaDevice; // arguments are fed to every replica
  }

  /// Rows of a variable, taken where it is for all replicas at once: their numbers are collected,
  /// the rows dealt. Where updates are asynchronous each replica has a program there.
  void takeRows(graph::TableReadOpInterface reader) {
    if (dist_.async)
      return;
    const DeviceAttr device = getDevice(reader);
    OpBuilder builder(reader);
    const std::string name =
        graph::getVariable(reader.getTableOperand().get().getDefiningOp()).getValue().str();
    OpOperand &numbers = reader.getNumbersOperand();
    numbers.set(collectOn(builder, device, numbers.get(), name + ".numbers", dist_.replicas));
    Value rows = reader->getResult(0);
    const Type own = rows.getType();
    rows.setType(typeOfAll(rows, dist_.replicas));
    builder.setInsertionPointAfter(reader);
    auto deal = graph::DealOp::create(builder, reader.getLoc(), own, name + ".rows", rows,
                                      /*count=*/Value(),
                                      /*counts=*/Value(), dist_.replicas);
    setDevice(deal, dist_.replicaDevice);
    rows.replaceAllUsesExcept(deal.getResult(), deal);
  }

  /// What no batch reaches is the same on every replica, and no sum over micro-batches: where it is
  /// written into a variable, it is computed, once, as on one device.
  void takeOnce(Operation *update, OpOperand &operand) {
    if (!graph::isRematerializable(operand.get().getDefiningOp()))
      update->emitRemark(
          "takes a value that no batch reaches; what every replica would send alike is computed on \"")
          << getDevice(update).str() << "\"";
    OpBuilder builder(update);
    IRMapping copies;
    copyTo(builder, getDevice(update), operand.get(), copies);
    operand.set(copies.lookupOrDefault(operand.get()));
  }

  /// Once more on `device` what replicas compute, `value` last.
  void copyTo(OpBuilder &builder, DeviceAttr device, Value value, IRMapping &copies) {
    Operation *def = value.getDefiningOp();
    if (getDevice(def) != dist_.replicaDevice || copies.contains(value))
      return;
    for (Value input : def->getOperands())
      copyTo(builder, device, input, copies);
    setDevice(builder.clone(*def, copies), device);
  }

  Value divide(OpBuilder &builder, Location loc, Value sum, DeviceAttr device) {
    return graph::createMean(builder, loc, sum, counted() * dist_.getMicroBatchesEach(), device);
  }

  /// all_reduce: every replica needs the sum, since each applies it to its own copy. What no
  /// replica's data reaches is the same everywhere already; as a gradient it counts N times
  /// nonetheless, as under every other strategy.
  LogicalResult reduceEverywhere(graph::FuncOp func) {
    for (Operation &op : llvm::make_early_inc_range(func.getBodyBlock())) {
      if (!graph::isUpdate(&op))
        continue;
      OpOperand &operand = graph::getUpdateOperand(&op);
      if ((graph::appliesGradient(&op) || varies(operand.get(), varying_)) &&
          failed(aggregate(&op, operand)))
        return failure();
    }
    return success();
  }

  LogicalResult aggregate(Operation *update, OpOperand &operand) {
    auto variable = symbols_.lookup<graph::VariableOp>(graph::getVariable(update).getValue());
    FailureOr<VariableAggregation> kind = getAggregation(update, variable, dist_.replicas);
    if (failed(kind))
      return failure();
    if (dist_.async) // each replica's value is applied as it comes
      return success();
    if (*kind == VariableAggregation::FirstReplica) {
      InFlightDiagnostic diag =
          update->emitOpError("has aggregation \"first_replica\", but under ")
          << (dist_.mirrorsVariables() ? "all_reduce every replica counts"
                                       : "a parameter server every replica sends")
          << "; expected \"mean\" or \"sum\"";
      diag.attachNote(variable.getLoc()) << "aggregation declared here";
      return diag;
    }
    Value &mean = means_[{operand.get(), getDevice(update)}];
    if (*kind == VariableAggregation::Mean && mean) {
      // what the norm of a gradient is taken of, its update takes
      operand.set(mean);
      return success();
    }
    OpBuilder builder(update);
    Location loc = operand.get().getLoc();
    Value sum = graph::AggregateOp::create(builder, loc, operand.get().getType(), operand.get(),
                                           dist_.replicas);
    setDevice(sum.getDefiningOp(), getDevice(update));
    operand.set(*kind == VariableAggregation::Mean
                    ? mean = divide(builder, loc, sum, getDevice(update))
                    : sum);
    return success();
  }

  void sumCopies(Operation *update) {
    OpOperand &operand = graph::getUpdateOperand(update);
    OpBuilder builder(update);
    Value value = operand.get();
    auto add = [&](Value left, Value right) {
      Value sum = graph::createAdd(builder, value.getLoc(), left, right);
      setDevice(sum.getDefiningOp(), getDevice(update));
      return sum;
    };
    plan::GrowingSum<Value> sum(dist_.toAggregate ? uint64_t(dist_.toAggregate) : 1);
    for (int64_t r = 0; r < counted(); ++r)
      sum.push(value, add);
    operand.set(divide(builder, value.getLoc(), sum.take(add), getDevice(update)));
  }

  /// How many replicas a sum has.
  int64_t counted() const { return dist_.toAggregate ? dist_.toAggregate : dist_.replicas; }

  SymbolTable symbols_;
  const DistributionSpec &dist_;
  llvm::DenseSet<Operation *> varying_;
  llvm::DenseMap<std::pair<Value, DeviceAttr>, Value> means_; ///< of a value, on a device
};

struct ReplicateModelPass : impl::ReplicateModelBase<ReplicateModelPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<DistributionSpec> distribution = DistributionSpec::of(module);
    if (!distribution)
      return signalPassFailure();
    for (auto func : module.getOps<graph::FuncOp>()) {
      LogicalResult result = verifyUpdates(*distribution, func);
      if (succeeded(result) && distribution->hasTowers(func))
        result = buildTowers(module, func, *distribution);
      if (succeeded(result) && distribution->replicates(func))
        result = BetweenGraph(module, *distribution).run(func);
      if (succeeded(result) && distribution->kind != StrategyKind::OneDevice) {
        takeDistinctRows(func, *distribution);
        sumByRows(func, *distribution);
      }
      if (failed(result) || failed(verifyMirrors(*distribution, func)))
        return signalPassFailure();
    }
  }

  /// Beside what it gives its variable, an update takes what is the same in every micro-batch and
  /// replica: of that there is no mean.
  static LogicalResult verifyUpdates(const DistributionSpec &distribution, graph::FuncOp func) {
    if (!distribution.hasTowers(func) && (!distribution.replicates(func) || distribution.async))
      return success();
    const llvm::DenseSet<Operation *> varying = findVarying(func);
    for (Operation &op : func.getBodyBlock())
      for (OpOperand &operand : op.getOpOperands())
        if (graph::isUpdate(&op) && &operand != &graph::getUpdateOperand(&op) &&
            varies(operand.get(), varying))
          return op.emitOpError(
              "takes a value beside its gradient that differs in each micro-batch or replica; expected "
              "one that follows from variables alone");
    return success();
  }

  /// What the chief alone runs may not change its copy of a variable: the replicas would part ways.
  static LogicalResult verifyMirrors(const DistributionSpec &distribution, graph::FuncOp func) {
    if (!distribution.mirrorsVariables() || distribution.replicates(func))
      return success();
    for (Operation &op : func.getBodyBlock())
      if (graph::isUpdate(&op))
        return op.emitOpError("writes @")
               << graph::getVariable(&op).getValue()
               << " in a function that the chief alone runs, but under all_reduce every "
                  "replica has a copy of its own; expected writes in the train function";
    return success();
  }
};

} // namespace
} // namespace graphc
