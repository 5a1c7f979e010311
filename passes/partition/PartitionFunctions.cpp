// partition: functions become phases of programs, edges from one device to another become channels.
#include "dialects/graph/ops/PassOpBuilders.h"
#include "passes/Passes.h"
#include "passes/partition/ExpandMetrics.h"
#include "passes/partition/GradientBuckets.h"
#include "passes/partition/PhaseBuilder.h"
#include "runtime/common/plan/SumTree.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_PARTITIONFUNCTIONS
#include "passes/Passes.h.inc"

namespace {

using graph::getDevice;

class FunctionPartitioner {
public:
  FunctionPartitioner(ModuleOp module, graph::FuncOp func, const DistributionSpec &distribution)
      : module_(module), func_(func), dist_(distribution), builder_(module, func, distribution) {}

  LogicalResult run() {
    dropDeadCode();
    SmallVector<ReducedMetric> metrics = expandMetrics(func_);
    if (failed(describePhase()))
      return failure();
    if (dist_.mirrorsVariables() && dist_.replicates(func_))
      buckets_ = makeBuckets(func_, dist_.bucketBytes);
    if (failed(builder_.start()))
      return failure();
    varying_ = findVarying(func_);
    for (Operation &op : func_.getBodyBlock())
      if (failed(distribute(&op)))
        return failure();
    reportMetrics(metrics);
    if (failed(builder_.finish()))
      return failure();
    func_.erase();
    return success();
  }

private:
  /// What nobody uses would otherwise cross, and keep a program alive.
  void dropDeadCode() {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func_.getBodyBlock())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  LogicalResult describePhase() {
    auto step = FlatSymbolRefAttr::get(func_.getContext(), graph::GraphDialect::kGlobalStep);
    for (Operation &op : func_.getBodyBlock()) {
      if (llvm::is_contained(graph::getWrittenVariables(&op), step))
        builder_.phase.setAdvancesGlobalStep(true);
      auto batch = dyn_cast<graph::NextBatchOp>(op);
      if (!batch || builder_.phase.getDataset())
        continue;
      // One step of an asynchronous phase is one update, made of one replica's batch.
      int64_t replicas = dist_.replicates(func_) && !dist_.async ? dist_.replicas : 1;
      if (replicas > 1 && dist_.toAggregate)
        replicas = dist_.toAggregate;
      builder_.phase.setDatasetAttr(batch.getDatasetAttr());
      int64_t samples;
      if (llvm::MulOverflow(int64_t(batch.getSamplesOfMicroBatch()),
                            int64_t(batch.getMicroBatches()), samples) ||
          llvm::MulOverflow(samples, replicas, samples) || samples > graph::kMaxSamples)
        return batch.emitOpError(
            "takes more than 2^46 samples a step over all replicas and micro-batches");
      builder_.phase.setSamplesPerStep(samples);
    }
    return success();
  }

  LogicalResult distribute(Operation *op) {
    if (graph::isRematerializable(op))
      return success(); // made by whoever uses it
    if (auto results = dyn_cast<graph::ReturnOp>(op))
      return fetchResults(results);
    if (auto repeat = dyn_cast<graph::RepeatOp>(op))
      return distributeLoop(repeat);
    ProgramBuilder &program = builder_.getProgram(getDevice(op));
    if (auto aggregate = dyn_cast<graph::AggregateOp>(op)) {
      if (getDevice(op) == dist_.replicaDevice) { // with the others of its bucket
        if (auto bucket = llvm::find_if(
                buckets_, [&](const GradientBucket &each) { return each.front() == aggregate; });
            bucket != buckets_.end())
          builder_.reduceEverywhere(*bucket, program);
        return success();
      }
      builder_.getAggregate(aggregate, program);
      return success();
    }
    if (auto collect = dyn_cast<graph::CollectOp>(op)) {
      builder_.collect(collect, program);
      return success();
    }
    if (auto deal = dyn_cast<graph::DealOp>(op)) {
      builder_.deal(deal, program);
      return success();
    }
    if (auto summary = dyn_cast<graph::SummaryOp>(op))
      return fetch(summary.getName(), summary.getValue(), summary.getReductionAttr(), op->getLoc());
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value value : used)
      builder_.getValue(value, program, op->getLoc());
    Operation *copy = program.builder.clone(*op, program.map);
    copy->walk([](Operation *made) { made->removeAttr(graph::GraphDialect::kDevice); });
    return success();
  }

  /// A program's part of a loop: its own, and which of the values that are yielded it yields.
  struct LoopPart {
    graph::RepeatOp loop;
    OpBuilder::InsertPoint behind;
    SmallVector<unsigned> yields;
  };

  /// A loop in each program that one of its operations is on. What is made outside comes once,
  /// before it; what crosses inside is sent in each iteration.
  LogicalResult distributeLoop(graph::RepeatOp repeat) {
    Block &body = repeat.getBody().front();
    for (Operation &op : body)
      if (!getDevice(&op))
        graph::setDevice(&op, getDevice(repeat));
    auto isInside = [&](Value value) { return value.getParentBlock() == &body; };
    llvm::MapVector<ProgramBuilder *, LoopPart> parts;
    for (Operation &op : body.without_terminator()) {
      if (graph::isRematerializable(&op))
        continue;
      ProgramBuilder &program = builder_.getProgram(getDevice(&op));
      parts[&program];
      for (Value operand : op.getOperands())
        if (!isInside(operand))
          builder_.getValue(operand, program, op.getLoc());
    }
    OperandRange yielded = body.getTerminator()->getOperands();
    for (auto [i, value] : llvm::enumerate(yielded)) {
      ProgramBuilder &program =
          builder_.getProgram(getDevice(isInside(value) ? value.getDefiningOp() : repeat));
      parts[&program].yields.push_back(unsigned(i));
      if (!isInside(value))
        builder_.getValue(value, program, repeat.getLoc());
    }
    const unsigned kept = repeat.getKept();
    for (auto &[program, part] : parts) {
      SmallVector<Type> types;
      for (unsigned i : part.yields)
        types.append(kept, yielded[i].getType());
      part.loop = graph::RepeatOp::create(program->builder, repeat.getLoc(), types,
                                          repeat.getCount(), repeat.getPerLeaf());
      part.behind = program->builder.saveInsertionPoint();
      program->builder.setInsertionPointToEnd(&part.loop.getBody().emplaceBlock());
    }
    for (Operation &op : body.without_terminator()) {
      if (graph::isRematerializable(&op))
        continue;
      ProgramBuilder &program = builder_.getProgram(getDevice(&op));
      for (Value operand : op.getOperands())
        builder_.getValue(operand, program, op.getLoc());
      program.builder.clone(op, program.map)->removeAttr(graph::GraphDialect::kDevice);
    }
    for (auto &[program, part] : parts) {
      SmallVector<Value> values;
      for (auto [own, i] : llvm::enumerate(part.yields)) {
        values.push_back(builder_.getValue(yielded[i], *program, repeat.getLoc()));
        for (unsigned k = 0; k < kept; ++k)
          program->map.map(repeat.getResult(i * kept + k),
                           part.loop.getResult(unsigned(own) * kept + k));
      }
      graph::YieldOp::create(program->builder, body.getTerminator()->getLoc(), values);
      program->builder.restoreInsertionPoint(part.behind);
    }
    return success();
  }

  /// Results and summaries are fetched where the host is: at the chief, or at every replica.
  LogicalResult fetch(StringRef name, Value value, StringAttr declared, Location loc) {
    if (!fetched_.insert(name).second)
      return emitError(loc) << "a second fetch of function @" << builder_.phase.getSymName()
                            << " is named \"" << name
                            << "\"; results and summaries need names of their own (graph.name)";
    ProgramBuilder &home = builder_.getProgram(getDevice(func_));
    Value own = builder_.getValue(value, home, loc);
    // What one device made for all replicas is the same in each, and so is what no batch reaches.
    Operation *def = value.getDefiningOp();
    bool onceForAll = home.op.isReplicated() && def && !graph::isRematerializable(def) &&
                      getDevice(def) != getDevice(func_);
    onceForAll |= home.op.isReplicated() && isShared(value);
    StringRef reduction = getReductionOf(value.getType(), declared);
    if (onceForAll && reduction == "mean")
      reduction = "first_replica";
    // Of several micro-batches a replica has the sum (BuildTowers.h); what it is the mean of, the
    // host divides by.
    const bool summed = home.op.isReplicated() && reduction == "mean" && dist_.hasTowers(func_) &&
                        varies(value, varying_);
    dist::FetchOp::create(home.builder, loc, name, own, reduction,
                          summed ? uint64_t(dist_.getMicroBatchesEach()) : 1);
    return success();
  }

  /// Whether every replica of a step has the same value. Without a common step each reads variables
  /// of its own time.
  bool isShared(Value value) const {
    return !dist_.async && !dist_.toAggregate && !varies(value, varying_);
  }
  LogicalResult fetchResults(graph::ReturnOp op) {
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      auto declared =
          func_.getResultAttrOfType<StringAttr>(number, graph::GraphDialect::kReduction);
      if (failed(fetch(func_.getResultName(number), operand.get(), declared, op.getLoc())))
        return failure();
    }
    return success();
  }

  /// One dist.metric a name at the host; towers' metrics of the same name are added by the tree of
  /// all sums.
  void reportMetrics(ArrayRef<ReducedMetric> metrics) {
    ProgramBuilder &home = builder_.getProgram(getDevice(func_));
    using Total = std::pair<Value, Value>;
    auto add = [&](Total left, Total right) -> Total {
      return {graph::createAdd(home.builder, left.first.getLoc(), left.first, right.first),
              graph::createAdd(home.builder, left.second.getLoc(), left.second, right.second)};
    };
    llvm::MapVector<StringAttr, plan::GrowingSum<Total>> totals;
    const uint64_t ofLeaf = dist_.hasTowers(func_) ? uint64_t(dist_.getMicroBatchesOfLeaf()) : 1;
    for (const ReducedMetric &metric : metrics) {
      Location loc = metric.sum.getLoc();
      Value sum = builder_.getValue(metric.sum, home, loc),
            count = builder_.getValue(metric.count, home, loc);
      totals.try_emplace(metric.name, ofLeaf).first->second.push(Total(sum, count), add);
    }
    for (auto &[name, total] : totals) {
      auto [sum, count] = total.take(add);
      dist::MetricOp::create(home.builder, sum.getLoc(), name, sum, count);
    }
  }

  ModuleOp module_;
  graph::FuncOp func_;
  const DistributionSpec &dist_;
  PhaseBuilder builder_;
  SmallVector<GradientBucket> buckets_;
  llvm::StringSet<> fetched_;
  llvm::DenseSet<Operation *> varying_;
};

struct PartitionFunctionsPass : impl::PartitionFunctionsBase<PartitionFunctionsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<DistributionSpec> distribution = DistributionSpec::of(module);
    if (!distribution)
      return signalPassFailure();
    for (auto func : llvm::make_early_inc_range(module.getOps<graph::FuncOp>()))
      if (failed(FunctionPartitioner(module, func, *distribution).run()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace graphc
