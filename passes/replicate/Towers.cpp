#include "passes/replicate/Towers.h"

#include "dialects/graph/CarriedAttributes.h"
#include "runtime/device/Kinds.h"
#include "runtime/plan/SumTree.h"

#include "mlir/IR/IRMapping.h"

#include <algorithm>
#include <map>

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
  /// Of fewer each is written out: as measured, up to eight a loop takes up to 5 % longer.
  static constexpr int64_t kFewestInLoop = 9;

  TowerBuilder(ModuleOp module, graph::FuncOp func, const Distribution &dist)
      : symbols(module), func(func), dist(dist), devices(dist.towers),
        count(devices.empty() ? dist.getMicroBatchesEach() : dist.microBatches), builder(func.getContext()) {}

  LogicalResult run() {
    Block &block = func.getBodyBlock();
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      ops.push_back(&op);
    varying = findVarying(func);
    for (auto metric : block.getOps<graph::MetricOp>()) // of every micro-batch, whatever it measures
      varying.insert(metric);
    builder.setInsertionPointToEnd(&block);
    bool split = false; // a variable is read behind what writes it
    for (Operation *op : ops) {
      if (auto read = dyn_cast<graph::ReadOp>(op); read && pendingWrites.contains(read.getVariableAttr().getAttr())) {
        split = true;
        if (failed(flush(/*only=*/false)))
          return failure();
      }
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
    if (failed(flush(/*only=*/!split)))
      return failure();
    for (Operation *op : llvm::reverse(ops))
      if (replaced.contains(op))
        op->erase();
    return success();
  }

private:
  Value inTower(Value value, int64_t tower) {
    auto map = maps.find(tower);
    return map == maps.end() ? value : map->second.lookupOrDefault(value);
  }

  /// Clones the segment so far. `only`: there is no other.
  LogicalResult flush(bool only) {
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
    const llvm::DenseSet<Operation *> own(segment.begin(), segment.end());
    auto isOwn = [&](Value value) { return own.contains(value.getDefiningOp()); };
    if (only && llvm::any_of(llvm::make_first_range(sums), isOwn) && canLoop(kinds))
      startLoop(llvm::make_filter_range(sums, [&](auto &sum) { return isOwn(sum.first); }));
    const int64_t each = dist.getMicroBatchesEach();
    std::vector<uint64_t> stops; // of a loop, which may have millions of micro-batches, none
    if (!looped)
      stops = plan::sumStops(uint64_t(each), uint64_t(dist.getMicroBatchesOfLeaf()));
    for (int64_t tower = 0; tower < count; ++tower) {
      const bool stop = std::ranges::binary_search(stops, uint64_t(tower % each + 1));
      // A sum grows right behind each tower's value, so that the value does not outlive it.
      if (tower >= looped)
        for (Operation *op : segment) {
          cloneInto(op, tower);
          if (!stop)
            for (Value result : op->getResults())
              accumulate(result, tower, sums);
        }
      if (stop) {
        for (Value value : llvm::make_first_range(sums))
          if (isOwn(value))
            accumulate(value, tower, sums);
        keep(sums, deviceIndex(tower));
      }
      for (Value value : llvm::make_first_range(sums)) // the same in every tower, or of an earlier segment
        if (!isOwn(value))
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

  /// Whether all micro-batches but the last are a loop: a segment on one device without queues, of whose values nothing is
  /// wanted but sums.
  bool canLoop(const llvm::MapVector<OpOperand *, Aggregation> &kinds) {
    if (count < kFewestInLoop || !devices.empty() || segment.empty())
      return false;
    DeviceAttr device = getDevice(segment.front());
    if (const device::Kind *kind = device ? device::findKind(device.getKind()) : nullptr; kind && kind->ownMemory)
      return false; // what a queue is given in one time may still be under way in the next
    auto isRepeatable = [&](Operation *op) {
      return getDevice(op) == device && (isMemoryEffectFree(op) || isa<graph::NextBatchOp>(op));
    };
    return llvm::all_of(segment, isRepeatable) && llvm::all_of(kinds, [&](const auto &wanted) {
             return wanted.second != Aggregation::FirstReplica || !varies(wanted.first->get(), varying);
           });
  }

  /// What waits of each sum when the last micro-batch comes, which is written out behind the loop, so that what it completes can
  /// leave before it ends.
  template <typename Range> void startLoop(Range &&sums) {
    const int64_t perLeaf = dist.getMicroBatchesOfLeaf();
    looped = count - 1;
    const unsigned kept = graph::RepeatOp::getKept(uint64_t(looped), uint64_t(perLeaf));
    SmallVector<Type> types;
    SmallVector<Location> locations;
    for (auto &[value, sum] : sums) {
      types.append(kept, value.getType());
      locations.push_back(value.getLoc());
    }
    auto repeat = graph::RepeatOp::create(builder, builder.getFusedLoc(locations), types, looped, perLeaf);
    setDevice(repeat, getDevice(segment.front()));
    OpBuilder body = OpBuilder::atBlockEnd(&repeat.getBody().emplaceBlock());
    IRMapping map;
    for (Operation *op : segment) {
      // What costs nothing is made where it is used, not read from memory.
      for (Value operand : op->getOperands())
        if (Operation *def = operand.getDefiningOp(); def && !varying.contains(def) && def->getNumOperands() == 0 &&
                                                      isMemoryEffectFree(def) && !map.contains(operand))
          body.clone(*def, map);
      if (auto batch = dyn_cast<graph::NextBatchOp>(body.clone(*op, map))) {
        batch.setMicroBatch(0);
        batch.setMicroBatches(count);
      }
    }
    SmallVector<Value> values;
    for (auto &[value, sum] : sums) {
      for (auto [i, partial] : llvm::enumerate(repeat.getPartials().slice(values.size() * kept, kept)))
        if (repeat.waits(unsigned(i)))
          sum.waiting.push_back(partial);
      values.push_back(map.lookup(value));
    }
    graph::YieldOp::create(body, repeat.getLoc(), values);
  }

  /// A partial sum.
  struct Part {
    Value value;
    int64_t device; ///< index of the towers' one device, -1: of several
    bool open = false; ///< a sum that may become one with those that it is part of
  };
  struct Sum {
    plan::GrowingSum<Part> growing;
    DeviceAttr device; ///< where those of several devices are added
    Value whole = {};
    SmallVector<Value> waiting = {}; ///< of a loop, the smallest first
  };
  using Sums = llvm::MapVector<Value, Sum>;

  /// What towers of one device have is added there.
  auto adderOf(const Sum &sum, Location loc) {
    return [this, device = sum.device, loc](Part left, Part right) -> Part {
      const bool together = left.device == right.device && left.device >= 0;
      DeviceAttr at = together ? deviceOf(left.value) : device;
      Value add = graph::createAdd(builder, loc, left.value, right.value);
      setDevice(add.getDefiningOp(), at);
      return {add, together ? left.device : -1, /*open=*/true};
    };
  }
  DeviceAttr deviceOf(Value value) {
    Operation *def = value.getDefiningOp();
    return getDevice(def ? def : func.getOperation());
  }
  int64_t deviceIndex(int64_t tower) const { return devices.empty() ? 0 : tower / dist.getMicroBatchesEach(); }

  void accumulate(Value value, int64_t tower, Sums &sums) {
    auto *found = sums.find(value);
    if (found == sums.end())
      return;
    Sum &sum = found->second;
    auto add = adderOf(sum, value.getLoc());
    Part here{inTower(value, tower), deviceIndex(tower)};
    for (Value partial : sum.waiting)
      here = add(Part{partial, here.device}, here);
    if (sum.waiting.empty())
      sum.growing.push(here, add);
    else
      sum.whole = here.value;
  }

  /// All that is there of a device's values is summed before any more are made.
  void keep(Sums &sums, int64_t device) {
    Block &block = func.getBodyBlock();
    for (Sum &sum : llvm::make_second_range(sums))
      for (Part &part : sum.growing.getPartials())
        if (part.open && part.device == device) {
          Operation *add = part.value.getDefiningOp();
          add->setAttr(graph::kKept, builder.getUnitAttr());
          add->moveBefore(&block, block.end()); // together, behind all that they are made of
          part.open = false;
        }
  }

  Value finish(Sum &sum, Location loc) {
    if (!sum.whole)
      sum.whole = sum.growing.take(adderOf(sum, loc)).value;
    return sum.whole;
  }

  /// The mean that belongs to a sum, once for all who want it.
  Value divide(Value sum, DeviceAttr device, llvm::DenseMap<Value, Value> &means) {
    Value &mean = means[sum];
    if (!mean)
      mean = graph::createMean(builder, sum.getLoc(), sum, dist.microBatches, device);
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
      if (!varies(value, varying) && !graph::appliesGradient(op))
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
    return reduction == "mean" && varies(value, varying) ? Aggregation::Mean : Aggregation::FirstReplica;
  }

  SymbolTable symbols;
  graph::FuncOp func;
  const Distribution &dist;
  ArrayRef<DeviceAttr> devices; // of the towers, as many on each; empty: where the function is
  int64_t count;
  int64_t looped = 0; // towers that are a loop
  std::map<int64_t, IRMapping> maps; // by tower; none of those in a loop
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
