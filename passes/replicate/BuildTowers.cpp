#include "passes/replicate/BuildTowers.h"

#include "dialects/graph/DiscardableAttributes.h"
#include "dialects/graph/ops/PassOpBuilders.h"
#include "passes/place/PlaceTableReads.h"
#include "runtime/common/device/DeviceKinds.h"
#include "runtime/common/plan/SumTree.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <map>

using namespace mlir;

namespace graphc {
namespace {

using graph::DeviceAttr;
using graph::getDevice;
using graph::setDevice;

/// Walks the function once and rebuilds its body. Operations that depend on the batch collect in a
/// *segment*, which is written out tower by tower; updates, summaries and results wait until the
/// segment is out, because they take values of all towers. A segment ends where a read must see a
/// waiting update, and at the end of the function.
class TowerBuilder {
public:
  /// Of fewer each is written out: as measured on CPUs, up to eight a loop takes up to 5 % longer.
  /// Where a device has memory of its own that is what micro-batches are for: each copy has
  /// activations of its own.
  static constexpr int64_t kFewestInLoop = 9, kFewestInLoopOfOwnMemory = 3;

  TowerBuilder(ModuleOp module, graph::FuncOp func, const DistributionSpec &dist)
      : symbols_(module), func_(func), dist_(dist), devices_(dist.towers),
        each_(dist.getMicroBatchesEach()), count_(devices_.empty() ? each_ : dist.microBatches),
        builder_(func.getContext()) {}

  LogicalResult run() {
    Block &block = func_.getBodyBlock();
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      ops.push_back(&op);
    varying_ = findVarying(func_);
    // of every micro-batch, whatever it measures
    for (auto metric : block.getOps<graph::MetricOp>())
      varying_.insert(metric);
    for (Operation *op : ops)
      if (DeviceAttr table = findTableDevice(op, dist_, varying_))
        tables_[op] = table;
    builder_.setInsertionPointToEnd(&block);
    bool split = false; // a variable is read behind what writes it
    for (Operation *op : ops) {
      if (auto read = dyn_cast<graph::ReadOp>(op);
          read && pendingWrites_.contains(read.getVariableAttr().getAttr())) {
        split = true;
        if (failed(flush(/*only=*/false)))
          return failure();
      }
      // Made of the mean that an update takes: once, or by each micro-batch, which then comes
      // behind the sum of all. An update waits anyway, so that its gradient is summed once, for the
      // norm that bounds it and for itself.
      const bool isBehind = llvm::any_of(op->getOperands(), [&](Value operand) {
        return llvm::is_contained(waiting_, operand.getDefiningOp());
      });
      if (isBehind && varying_.contains(op) && !graph::isUpdate(op)) {
        split = true;
        if (failed(flush(/*only=*/false)))
          return failure();
      }
      if (graph::isUpdate(op)) {
        for (FlatSymbolRefAttr name : graph::getWrittenVariables(op))
          pendingWrites_.insert(name.getAttr());
        waiting_.push_back(op);
      } else if (isa<graph::SummaryOp, graph::ReturnOp>(op)) {
        waiting_.push_back(op);
      } else if (varying_.contains(op)) {
        segment_.push_back(op);
      } else if (isBehind) {
        waiting_.push_back(op);
      } else {
        op->moveBefore(&block, block.end()); // the same for every tower: once
      }
    }
    if (failed(flush(/*only=*/!split)))
      return failure();
    for (Operation *op : llvm::reverse(made_))
      op->erase();
    for (Operation *op : llvm::reverse(ops))
      if (replaced_.contains(op))
        op->erase();
    return success();
  }

private:
  Value inTower(Value value, int64_t tower) {
    auto map = maps_.find(tower);
    return map == maps_.end() ? value : map->second.lookupOrDefault(value);
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
    SmallVector<SmallVector<Value>> waiting = {}; ///< of a loop, by device, the smallest first
  };
  using Sums = llvm::MapVector<Value, Sum>;

  /// Clones the segment so far. `only`: there is no other.
  LogicalResult flush(bool only) {
    llvm::MapVector<OpOperand *, VariableAggregation> kinds; // what each waiting operand becomes
    Sums sums; // over the towers, by the original value
    for (Operation *op : waiting_)
      for (OpOperand &operand : op->getOpOperands()) {
        FailureOr<VariableAggregation> kind = classify(op, operand);
        if (failed(kind))
          return failure();
        kinds[&operand] = *kind;
        if (*kind != VariableAggregation::FirstReplica) // made where the first that takes it stands
          sums.insert(
              {operand.get(),
               {plan::GrowingSum<Part>(uint64_t(dist_.getMicroBatchesOfLeaf())), getDevice(op)}});
      }
    llvm::DenseSet<Operation *> own(segment_.begin(), segment_.end());
    auto isOwn = [&](Value value) { return own.contains(value.getDefiningOp()); };
    const bool loops = only && canLoop(kinds);
    if (loops) {
      sumAll(kinds, sums);
      own.insert(segment_.begin(), segment_.end());
    }
    if (loops && llvm::any_of(llvm::make_first_range(sums), isOwn))
      startLoop(llvm::make_filter_range(sums, [&](auto &sum) { return isOwn(sum.first); }));
    std::vector<uint64_t> stops; // of a loop, which may have millions of micro-batches, none
    if (!looped_)
      stops = plan::sumStops(uint64_t(each_), uint64_t(dist_.getMicroBatchesOfLeaf()));
    for (int64_t tower = 0; tower < count_; ++tower) {
      const bool stop = std::ranges::binary_search(stops, uint64_t(tower % each_ + 1));
      // A sum grows right behind each tower's value, so that the value does not outlive it.
      if (!looped_ || (tower + 1) % each_ == 0)
        for (Operation *op : segment_) {
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
      // the same in every tower, or of an earlier segment
      for (Value value : llvm::make_first_range(sums))
        if (!isOwn(value))
          accumulate(value, tower, sums);
    }
    llvm::DenseMap<Value, Value> means; // by sum
    for (auto [operand, kind] : kinds) {
      if (kind == VariableAggregation::FirstReplica) {
        operand->set(inTower(operand->get(), 0));
        continue;
      }
      Sum &sum = sums.find(operand->get())->second;
      Value whole = finish(sum, operand->get().getLoc());
      // Between graphs replicate and the host go on with the sum of what each replica has.
      operand->set(kind == VariableAggregation::Mean && !dist_.replicates(func_)
                       ? divide(whole, sum.device, means)
                       : whole);
    }
    Block &block = func_.getBodyBlock();
    for (Operation *op : waiting_)
      op->moveBefore(&block, block.end());
    builder_.setInsertionPointToEnd(&block);
    waiting_.clear();
    segment_.clear();
    pendingWrites_.clear();
    return success();
  }

  /// Whether all micro-batches of a device but its last are a loop: a segment of whose values
  /// nothing is wanted but sums and what sumAll makes sums of.
  bool canLoop(const llvm::MapVector<OpOperand *, VariableAggregation> &kinds) {
    auto hasOwnMemory = [](DeviceAttr device) {
      return device && device::hasOwnMemory(device.getKind());
    };
    const bool ownMemory =
        llvm::any_of(devices_, hasOwnMemory) ||
        llvm::any_of(segment_, [&](Operation *op) { return hasOwnMemory(getDevice(op)); });
    if (each_ < (ownMemory ? kFewestInLoopOfOwnMemory : kFewestInLoop) || segment_.empty())
      return false;
    auto isRepeatable = [](Operation *op) {
      return isMemoryEffectFree(op) || isa<graph::NextBatchOp, graph::MetricOp>(op);
    };
    return !waitsForAnswers() && llvm::all_of(segment_, isRepeatable) &&
           llvm::all_of(kinds, [&](const auto &wanted) {
             Value value = wanted.first->get();
             return wanted.second != VariableAggregation::FirstReplica ||
                    !varies(value, varying_) || graph::hasSums(value.getType());
           });
  }

  /// A loop yields sums alone. So that it can, what metrics add up and what is wanted of the first
  /// micro-batch become such.
  void sumAll(llvm::MapVector<OpOperand *, VariableAggregation> &kinds, Sums &sums) {
    auto addSum = [&](OpOperand &operand, DeviceAttr device) {
      kinds[&operand] = VariableAggregation::Sum;
      sums.insert({operand.get(),
                   {plan::GrowingSum<Part>(uint64_t(dist_.getMicroBatchesOfLeaf())), device}});
    };
    struct Inserted : OpBuilder::Listener {
      SmallVector<Operation *> ops;
      void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
        ops.push_back(op);
      }
    };
    auto adopt = [&](const Inserted &inserted, DeviceAttr device) {
      for (Operation *op : inserted.ops) {
        setDevice(op, device);
        varying_.insert(op);
        made_.push_back(op);
        segment_.push_back(op);
      }
    };
    SmallVector<Operation *> totals;
    for (Operation *op : std::exchange(segment_, {})) {
      auto metric = dyn_cast<graph::MetricOp>(op);
      if (!metric) {
        segment_.push_back(op);
        continue;
      }
      Inserted inserted;
      OpBuilder inner(metric, &inserted);
      auto [sum, samples] = metric.buildSums(inner);
      replaced_.insert(op);
      DenseElementsAttr each; // of which no mask leaves any out
      const bool known = matchPattern(samples, m_Constant(&each));
      if (known) {
        Operation *constant = samples.getDefiningOp();
        samples = graph::createSplat(builder_, op->getLoc(), samples.getType(),
                                     double(each.getSplatValue<int64_t>()) * double(count_));
        llvm::erase(inserted.ops, constant);
        constant->erase();
      }
      adopt(inserted, getDevice(op));
      auto total =
          graph::MetricSumsOp::create(builder_, op->getLoc(), metric.getNameAttr(), sum, samples);
      for (Operation *own : {total.getOperation(), samples.getDefiningOp()})
        if (!getDevice(own))
          setDevice(own, getDevice(func_));
      addSum(total.getSumMutable(), getDevice(func_));
      if (!known)
        addSum(total.getCountMutable(), getDevice(func_));
      totals.push_back(total);
    }
    waiting_.insert(waiting_.begin(), totals.begin(), totals.end());
    llvm::MapVector<Value, Value> firsts;
    for (auto [operand, kind] : llvm::to_vector(kinds)) {
      Value value = operand->get();
      if (kind != VariableAggregation::FirstReplica || !varies(value, varying_))
        continue;
      Value &first = firsts[value];
      if (!first) {
        Inserted inserted;
        OpBuilder inner(&func_.getBodyBlock(), func_.getBodyBlock().end(), &inserted);
        first = graph::createOfFirst(inner, value.getLoc(), value, count_);
        adopt(inserted, deviceOf(value));
      }
      operand->set(first);
      addSum(*operand, getDevice(operand->getOwner()));
    }
  }

  /// Whether a value of a micro-batch comes back, by way of others, to a device that it left. In a
  /// loop that device would wait for it in each iteration, where copies compute another micro-batch
  /// meanwhile. Towers send no such but for rows of a table.
  bool waitsForAnswers() {
    if (!devices_.empty())
      return llvm::any_of(segment_, [&](Operation *op) { return tables_.contains(op); });
    // by device, who takes something of it
    llvm::MapVector<DeviceAttr, SmallVector<DeviceAttr>> takers;
    for (Operation *op : segment_)
      for (Value operand : op->getOperands())
        if (Operation *def = operand.getDefiningOp(); def && varying_.contains(def) &&
                                                      !graph::isRematerializable(def) &&
                                                      getDevice(def) != getDevice(op))
          if (SmallVector<DeviceAttr> &of = takers[getDevice(def)];
              !llvm::is_contained(of, getDevice(op)))
            of.push_back(getDevice(op));
    for (auto &[from, first] : takers) {
      SmallVector<DeviceAttr> reached = first; // in the end
      for (size_t i = 0; i < reached.size(); ++i)
        for (DeviceAttr next : takers.lookup(reached[i]))
          if (!llvm::is_contained(reached, next))
            reached.push_back(next);
      if (llvm::is_contained(reached, from))
        return true;
    }
    return false;
  }

  /// What waits of each sum when a device's last micro-batch comes, which is written out behind the
  /// loop, so that what it completes can leave before it ends.
  template <typename Range> void startLoop(Range &&sums) {
    const int64_t perLeaf = dist_.getMicroBatchesOfLeaf(), places = count_ / each_;
    looped_ = each_ - 1;
    const unsigned kept = graph::RepeatOp::getKept(uint64_t(looped_), uint64_t(perLeaf));
    std::vector<IRMapping> inside;
    for (int64_t place = 0; place < places; ++place) {
      for (Operation *op : segment_)
        joinPartsOf(op, (place + 1) * each_ - 1);
      inside.push_back(maps_[(place + 1) * each_ - 1]);
    }
    SmallVector<Type> types;
    SmallVector<Location> locations;
    for (int64_t place = 0; place < places; ++place)
      for (auto &[value, sum] : sums)
        types.append(kept, value.getType());
    for (auto &[value, sum] : sums)
      locations.push_back(value.getLoc());
    auto repeat =
        graph::RepeatOp::create(builder_, builder_.getFusedLoc(locations), types, looped_, perLeaf);
    setDevice(repeat, getDevice(segment_.front()));
    OpBuilder body = OpBuilder::atBlockEnd(&repeat.getBody().emplaceBlock());
    // One device deals the batches of all: first of all, before it computes itself.
    for (bool batches : {true, false})
      for (int64_t place = 0; place < places; ++place)
        for (Operation *op : segment_)
          if (places == 1 ? batches : batches == isa<graph::NextBatchOp>(op))
            cloneInLoop(body, op, place, inside[size_t(place)]);
    SmallVector<Value> values;
    for (int64_t place = 0; place < places; ++place)
      for (auto &[value, sum] : sums) {
        SmallVector<Value> &waiting = sum.waiting.emplace_back();
        for (auto [i, partial] :
             llvm::enumerate(repeat.getPartials().slice(values.size() * kept, kept)))
          if (repeat.waits(unsigned(i)))
            waiting.push_back(partial);
        values.push_back(inside[size_t(place)].lookup(value));
      }
    for (auto &[value, sum] : sums) // of each place's
      sum.growing = plan::GrowingSum<Part>(1);
    graph::YieldOp::create(body, repeat.getLoc(), values);
  }

  void cloneInLoop(OpBuilder &body, Operation *op, int64_t place, IRMapping &map) {
    // What costs nothing is made where it is used, not read from memory.
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp();
          def && !varying_.contains(def) && def->getNumOperands() == 0 && isMemoryEffectFree(def) &&
          !map.contains(operand))
        placeTower(body.clone(*def, map), place * each_);
    placeTower(body.clone(*op, map), place * each_);
  }

  /// Its batch or, where towers have devices, its device.
  void placeTower(Operation *copy, int64_t tower) {
    if (auto batch = dyn_cast<graph::NextBatchOp>(copy)) {
      batch.setMicroBatch(tower);
      batch.setMicroBatches(count_);
      return;
    }
    if (auto index = dyn_cast<graph::MicroBatchIndexOp>(copy)) {
      index.setMicroBatch(tower);
      index.setMicroBatches(count_);
    }
    if (!devices_.empty())
      setDevice(copy, devices_[deviceIndex(tower)]);
  }

  /// What towers of one device have is added there.
  auto adderOf(const Sum &sum, Location loc) {
    return [this, device = sum.device, loc](Part left, Part right) -> Part {
      const bool together = left.device == right.device && left.device >= 0;
      DeviceAttr at = together ? deviceOf(left.value) : device;
      Value add = graph::createAdd(builder_, loc, left.value, right.value);
      setDevice(add.getDefiningOp(), at);
      return {add, together ? left.device : -1, /*open=*/true};
    };
  }
  DeviceAttr deviceOf(Value value) {
    return value.getDefiningOp() ? graph::getDeviceOf(value) : getDevice(func_);
  }
  int64_t deviceIndex(int64_t tower) const { return devices_.empty() ? 0 : tower / each_; }

  void accumulate(Value value, int64_t tower, Sums &sums) {
    auto *found = sums.find(value);
    if (found == sums.end())
      return;
    Sum &sum = found->second;
    auto add = adderOf(sum, value.getLoc());
    Part here{inTower(value, tower), deviceIndex(tower)};
    if (!sum.waiting.empty())
      for (Value partial : sum.waiting[size_t(here.device)])
        here = add(Part{partial, here.device}, here);
    sum.growing.push(here, add);
  }

  /// All that is there of a device's values is summed before any more are made.
  void keep(Sums &sums, int64_t device) {
    Block &block = func_.getBodyBlock();
    for (Sum &sum : llvm::make_second_range(sums))
      for (Part &part : sum.growing.getPartials())
        if (part.open && part.device == device) {
          Operation *add = part.value.getDefiningOp();
          add->setAttr(graph::kKept, builder_.getUnitAttr());
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
      mean = graph::createMean(builder_, sum.getLoc(), sum, dist_.microBatches, device);
    return mean;
  }

  /// The parts of a variable are joined where they are used: each tower takes them from their
  /// servers, none by way of another device.
  void joinPartsIn(int64_t tower, Value value) {
    Operation *join = value.getDefiningOp();
    if (!join || !graph::isJoin(join) || varying_.contains(join) || maps_[tower].contains(value) ||
        !llvm::all_of(join->getOperands(), [&](Value input) {
          auto read = input.getDefiningOp<graph::ReadOp>();
          return read && symbols_.lookup<graph::VariableOp>(read.getVariable()).getPart();
        }))
      return;
    setDevice(builder_.clone(*join, maps_[tower]), devices_[deviceIndex(tower)]);
  }

  void joinPartsOf(Operation *op, int64_t tower) {
    if (!devices_.empty() && !isa<graph::NextBatchOp>(op))
      for (Value operand : op->getOperands())
        joinPartsIn(tower, operand);
  }

  void cloneInto(Operation *op, int64_t tower) {
    joinPartsOf(op, tower);
    Operation *copy = builder_.clone(*op, maps_[tower]);
    placeTower(copy, tower);
    if (DeviceAttr table = devices_.empty() ? DeviceAttr() : tables_.lookup(op))
      setDevice(copy, table);
    replaced_.insert(op);
  }

  /// What the towers' values of an operand become.
  FailureOr<VariableAggregation> classify(Operation *op, OpOperand &operand) {
    Value value = operand.get();
    if (count_ == 1 || (!graph::isUpdate(op) && !isa<graph::SummaryOp, graph::ReturnOp>(op)))
      return VariableAggregation::FirstReplica;
    if (graph::isUpdate(op)) {
      if (&operand != &graph::getUpdateOperand(op)) // beside its value
        return VariableAggregation::FirstReplica;
      if (!varies(value, varying_) && !graph::appliesGradient(op))
        return VariableAggregation::FirstReplica; // one value for all
      return getAggregation(
          op, symbols_.lookup<graph::VariableOp>(graph::getVariable(op).getValue()), count_);
    }
    StringAttr declared;
    if (auto summary = dyn_cast<graph::SummaryOp>(op))
      declared = summary.getReductionAttr();
    else
      declared = func_.getResultAttrOfType<StringAttr>(operand.getOperandNumber(),
                                                       graph::GraphDialect::kReduction);
    StringRef reduction = getReductionOf(value.getType(), declared);
    if (reduction == "sum")
      return VariableAggregation::Sum;
    return reduction == "mean" && varies(value, varying_) ? VariableAggregation::Mean
                                                          : VariableAggregation::FirstReplica;
  }

  SymbolTable symbols_;
  graph::FuncOp func_;
  const DistributionSpec &dist_;
  ArrayRef<DeviceAttr> devices_; // of the towers, as many on each; empty: where the function is
  const int64_t each_, count_; // towers of a device, and all
  int64_t looped_ = 0; // of each device, those that are a loop
  std::map<int64_t, IRMapping> maps_; // by tower; none of those in a loop
  OpBuilder builder_;
  llvm::DenseSet<Operation *> varying_;
  llvm::DenseMap<Operation *, DeviceAttr> tables_; // where rows of a variable are taken
  llvm::DenseSet<Operation *> replaced_; // originals of cloned operations
  SmallVector<Operation *> segment_, made_; // made_: of it, by sumAll
  SmallVector<Operation *> waiting_;
  llvm::DenseSet<StringAttr> pendingWrites_;
};

} // namespace

LogicalResult buildTowers(ModuleOp module, graph::FuncOp func,
                          const DistributionSpec &distribution) {
  return TowerBuilder(module, func, distribution).run();
}

} // namespace graphc
