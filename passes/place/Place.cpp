// place: one full device for every operation, variable and function.
#include "passes/Passes.h"
#include "passes/place/Devices.h"
#include "passes/place/SettingLoc.h"
#include "passes/place/Strategy.h"
#include "passes/place/VariablePlacement.h"
#include "runtime/cluster/Pattern.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_PLACE
#include "passes/Passes.h.inc"

namespace {

using graph::DeviceAttr;
using graph::getDevice;
using graph::GraphDialect;
using graph::setDevice;

/// The name that an operation was given, loc("encoder/dense"); a gradient's location holds that of its forward operation.
StringRef getName(Operation *op) {
  StringRef found;
  op->getLoc()->walk([&](Location loc) {
    auto named = dyn_cast<NameLoc>(loc);
    if (!named)
      return WalkResult::advance();
    found = named.getName().getValue();
    return WalkResult::interrupt();
  });
  return found;
}

class Placer {
public:
  Placer(ModuleOp module, const Distribution &distribution)
      : module(module), dist(distribution), devices(distribution.cluster) {}

  LogicalResult run() {
    if (failed(readRules()) || failed(placeAllVariables()))
      return failure();
    for (auto func : module.getOps<graph::FuncOp>())
      if (failed(placeFunction(func)))
        return failure();
    remarkOnRules();
    return success();
  }

private:
  LogicalResult readRules();
  LogicalResult placeAllVariables();
  LogicalResult placeFunction(graph::FuncOp func);
  void pullUpdateSlices(graph::FuncOp func);
  void remarkOnRules();
  DeviceAttr getWish(Operation *op);
  void remarkOnMirroring(Operation *op, DeviceAttr wish);
  /// The full device that the wish means; reports where none satisfies it.
  FailureOr<DeviceAttr> resolve(Operation *op, DeviceAttr wish, DeviceAttr home);
  /// The device of the first rule that matches a name; null if none does.
  DeviceAttr getRuleDevice(StringRef name) {
    for (Rule &rule : rules)
      if (cluster::matchesPattern(rule.pattern, name)) {
        rule.used = true;
        return rule.device;
      }
    return {};
  }
  DeviceAttr getVariableDevice(Operation *op) { return variableDevices.lookup(getVariable(op).getAttr()); }

  ModuleOp module;
  const Distribution &dist;
  DeviceSet devices;
  struct Rule {
    StringRef pattern;
    DeviceAttr device;
    bool used = false;
  };
  SmallVector<Rule> rules;
  llvm::DenseMap<StringAttr, DeviceAttr> variableDevices;
};

FailureOr<DeviceAttr> Placer::resolve(Operation *op, DeviceAttr wish, DeviceAttr home) {
  if (isReplicaDevice(home)) { // the wish may leave the task to the replica
    DeviceAttr replica = wish.over(home);
    if (wish.getTask() < 0 && (wish.getJob().empty() || wish.getJob() == home.getJob()) && satisfies(replica, wish) &&
        replica.getKind() == "CPU" && replica.getIndex() == 0)
      return home;
  }
  if (DeviceAttr device = devices.resolve(wish, home))
    return device;
  return op->emitOpError("is placed on \"")
         << wish.str() << "\", which no device of the cluster is" << devices.describe(wish);
}

LogicalResult Placer::readRules() {
  auto attr = module->getAttrOfType<ArrayAttr>(GraphDialect::kPlacement);
  if (!attr)
    return success();
  for (Attribute entry : attr) {
    auto pair = dyn_cast<ArrayAttr>(entry);
    auto name = pair && pair.size() == 2 ? dyn_cast<StringAttr>(pair[0]) : StringAttr();
    auto device = name ? dyn_cast<DeviceAttr>(pair[1]) : DeviceAttr();
    if (!device)
      return module.emitError("expects each rule of graph.placement to be [\"pattern\", #graph.device<…>], found ")
             << entry;
    if (!devices.resolve(device, dist.chief))
      return emitError(getSettingLoc(module, getRuleSetting(rules.size())), "placement rule \"")
             << name.getValue() << "\" places on \"" << device.str() << "\", which no device of the cluster is"
             << devices.describe(device);
    rules.push_back({name.getValue(), device, /*used=*/false});
  }
  return success();
}

/// A rule without effect is most often a misspelt name.
void Placer::remarkOnRules() {
  for (auto [number, rule] : llvm::enumerate(rules))
    if (!rule.used)
      emitRemark(getSettingLoc(module, getRuleSetting(number)), "placement rule \"")
          << rule.pattern << "\" has no effect: "
          << (dist.kind == StrategyKind::OneDevice
                  ? "strategy one_device computes everything on one device"
                  : "no variable and no operation's name, as in loc(\"name\"), matches it before another rule does");
}

LogicalResult Placer::placeAllVariables() {
  if (dist.mirrorsVariables()) {
    for (auto variable : module.getOps<graph::VariableOp>()) {
      remarkOnMirroring(variable, getWish(variable));
      setDevice(variable, dist.replicaDevice);
    }
    return success();
  }
  ArrayRef<DeviceAttr> stores = dist.stores;
  SmallVector<int64_t> loads(stores.size());
  // Optimizer slots live with their variable, so they are placed and weighed together.
  llvm::MapVector<StringAttr, SmallVector<graph::VariableOp>> groups;
  for (auto variable : module.getOps<graph::VariableOp>()) {
    auto owner = variable->getAttrOfType<FlatSymbolRefAttr>(GraphDialect::kSlotOf);
    groups[owner ? owner.getAttr() : variable.getSymNameAttr()].push_back(variable);
  }
  SmallVector<SmallVector<graph::VariableOp> *> unplaced;
  SmallVector<int64_t> bytes;
  for (auto &[name, group] : groups) {
    int64_t size = 0;
    for (graph::VariableOp variable : group)
      size += variable.getBytes();
    DeviceAttr wish;
    if (dist.kind != StrategyKind::OneDevice) {
      wish = getRuleDevice(name.getValue());
      for (graph::VariableOp variable : group) {
        DeviceAttr own = getDevice(variable);
        if (own && variable->hasAttr(GraphDialect::kSlotOf) && wish && own != wish)
          return variable.emitOpError("is placed on \"") << own.str() << "\", but it is a slot of @" << name.getValue()
                                                         << " and lives with it on \"" << wish.str() << "\"";
        if (own && !wish)
          wish = own;
      }
    }
    if (!wish) {
      unplaced.push_back(&group);
      bytes.push_back(size);
      continue;
    }
    // A partial wish goes to the least loaded task that satisfies it (the first of equals).
    DeviceAttr best;
    int64_t bestLoad = 0;
    for (auto [store, load] : llvm::zip(stores, loads))
      if (satisfies(store, wish) && (!best || load < bestLoad)) {
        best = store;
        bestLoad = load;
      }
    if (!best) {
      FailureOr<DeviceAttr> found = resolve(group.front(), wish, dist.chief);
      if (failed(found))
        return failure();
      best = *found;
    }
    if (auto *store = llvm::find(stores, best); store != stores.end())
      loads[store - stores.begin()] += size;
    for (graph::VariableOp variable : group)
      setDevice(variable, best);
  }
  auto name = module->getAttrOfType<StringAttr>(GraphDialect::kVariablePlacement);
  if (!name && dist.kind == StrategyKind::Mirrored && !dist.servers) // every tower does its share of the updates
    name = StringAttr::get(module.getContext(), "balanced");
  if (name && name.getValue() != "round_robin" && name.getValue() != "balanced")
    return module.emitError("unknown placement of variables \"")
           << name.getValue() << "\"; expected round_robin or balanced";
  VariablePolicy policy = name && name.getValue() == "balanced" ? VariablePolicy::Balanced : VariablePolicy::RoundRobin;
  SmallVector<unsigned> tasks = placeVariables(policy, bytes, loads);
  if (std::optional<Imbalance> found = findImbalance(tasks, bytes, loads)) {
    auto mebibytes = [](int64_t size) { return llvm::formatv("{0:F1} MiB", double(size) / (1 << 20)).str(); };
    module.emitRemark() << stores[found->task].str() << " stores " << mebibytes(found->bytes) << " of the "
                        << mebibytes(found->all)
                        << " of variables, dealt round robin; with \"placement\": \"balanced\" in "
                        << "the strategy no task stores more than " << mebibytes(found->balanced);
  }
  for (auto [group, task] : llvm::zip(unplaced, tasks))
    for (graph::VariableOp variable : *group)
      setDevice(variable, stores[task]);
  for (auto variable : module.getOps<graph::VariableOp>())
    variableDevices[variable.getSymNameAttr()] = getDevice(variable);
  return success();
}

/// Replicated functions: what computes the value of an assign or assign_add from variables and constants alone is the
/// same for every replica, so it follows the variable and runs once.
void Placer::pullUpdateSlices(graph::FuncOp func) {
  llvm::DenseSet<Operation *> varies; // depends on this replica's data
  for (Operation &op : func.getBodyBlock())
    if (isa<graph::NextBatchOp>(op) || llvm::any_of(op.getOperands(), [&](Value v) {
          return !v.getDefiningOp() || varies.contains(v.getDefiningOp());
        }))
      varies.insert(&op);
  for (Operation &op : func.getBodyBlock()) {
    if (!isUpdate(&op) || appliesGradient(&op))
      continue;
    SmallVector<Operation *> stack = {getUpdateOperand(&op).get().getDefiningOp()};
    while (!stack.empty()) {
      Operation *current = stack.pop_back_val();
      if (!current || varies.contains(current) || getDevice(current) || !isPure(current))
        continue;
      setDevice(current, getVariableDevice(&op));
      for (Value operand : current->getOperands())
        stack.push_back(operand.getDefiningOp());
    }
  }
}

/// Under all_reduce everything is on every replica; a wish for a task of another kind is not carried out, and that is said.
void Placer::remarkOnMirroring(Operation *op, DeviceAttr wish) {
  if (wish && !satisfies(dist.replicaDevice, wish))
    op->emitRemark("is on every replica under the strategy all_reduce; its device \"")
        << wish.str() << "\" has no effect";
}

/// What a placement rule says of the operation's name, else what is written on the operation.
DeviceAttr Placer::getWish(Operation *op) {
  if (StringRef name = rules.empty() ? "" : getName(op); !name.empty())
    if (DeviceAttr device = getRuleDevice(name))
      return device;
  return getDevice(op);
}

LogicalResult Placer::placeFunction(graph::FuncOp func) {
  DeviceAttr home = dist.homeOf(func);
  setDevice(func, home);
  Block &block = func.getBodyBlock();
  if (dist.kind == StrategyKind::OneDevice) {
    for (Operation &op : block)
      setDevice(&op, home);
    return success();
  }
  if (dist.kind == StrategyKind::AllReduce) { // every replica computes everything, the chief what is not replicated
    for (Operation &op : block) {
      if (dist.mirrorsVariables())
        remarkOnMirroring(&op, getWish(&op));
      setDevice(&op, home);
    }
    return success();
  }
  for (Operation &op : block) {
    if (isa<graph::ScopeOp>(op))
      return op.emitOpError("expected no scopes after flatten-scopes");
    if (getVariable(&op)) {
      setDevice(&op, getVariableDevice(&op)); // state never moves
    } else if (isa<graph::ReturnOp, graph::SummaryOp>(op)) {
      setDevice(&op, home); // the host's side of the function
    } else if (DeviceAttr wish = getWish(&op)) {
      FailureOr<DeviceAttr> device = resolve(&op, wish, home);
      if (failed(device))
        return failure();
      setDevice(&op, *device);
    }
  }
  if (dist.replicates(func))
    pullUpdateSlices(func);
  for (Operation &op : block) {
    if (getDevice(&op) || isRematerializable(&op))
      continue;
    DeviceAttr device = home;
    if (dist.kind == StrategyKind::InGraph || dist.kind == StrategyKind::Mirrored) // where its first placed operand is
      for (Value operand : op.getOperands())
        if (Operation *def = operand.getDefiningOp())
          if (DeviceAttr there = getDevice(def)) {
            device = there;
            break;
          }
    setDevice(&op, device);
  }
  // Constants stand where they are first used. As a gradient they stay with the replica: N equal gradients are summed
  // and divided like any others, so that the bits are those of every other strategy.
  for (Operation &op : block) {
    if (getDevice(&op))
      continue;
    Operation *first = nullptr;
    for (Operation *user : op.getUsers())
      if (!first || user->isBeforeInBlock(first))
        first = user;
    setDevice(&op, !first || (dist.replicates(func) && appliesGradient(first)) ? home : getDevice(first));
  }
  return success();
}

/// The towers' devices are said in the strategy from here on: later stages and the plan count them.
void nameTowers(ModuleOp module, const Distribution &distribution) {
  auto old = module->getAttrOfType<graph::StrategyAttr>(GraphDialect::kStrategy);
  SmallVector<Attribute> names;
  for (DeviceAttr device : distribution.towers)
    names.push_back(StringAttr::get(module.getContext(), device.str()));
  module->setAttr(GraphDialect::kStrategy,
                  graph::StrategyAttr::get(module.getContext(), old.getName(), old.getAsync(), old.getMicroBatches(),
                                           old.getInGraph(), ArrayAttr::get(module.getContext(), names),
                                           old.getMaxStaleness(), old.getReplicasToAggregate(), old.getFast(),
                                           old.getBucketBytes()));
}

struct PlacePass : impl::PlaceBase<PlacePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<Distribution> distribution = Distribution::of(module);
    if (!distribution || failed(Placer(module, *distribution).run()))
      return signalPassFailure();
    if (distribution->domain)
      module->setAttr(GraphDialect::kReplicas, distribution->domain);
    else
      module->removeAttr(GraphDialect::kReplicas);
    if (distribution->kind == StrategyKind::Mirrored)
      nameTowers(module, *distribution);
  }
};

} // namespace
} // namespace graphc
