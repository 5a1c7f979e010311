// place: one full device for every operation, variable and function.
#include "passes/Passes.h"
#include "passes/place/Annotations.h"
#include "passes/place/Devices.h"
#include "passes/place/PlacementLog.h"
#include "passes/place/PlacementRules.h"
#include "passes/place/Strategy.h"
#include "passes/place/VariablePlacement.h"

#include "llvm/ADT/StringMap.h"

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

/// What depends on the replica's own data: its batch or what it is fed.
llvm::DenseSet<Operation *> findVarying(graph::FuncOp func) {
  llvm::DenseSet<Operation *> varies;
  for (Operation &op : func.getBodyBlock())
    if (isa<graph::NextBatchOp>(op) || llvm::any_of(op.getOperands(), [&](Value v) {
          return !v.getDefiningOp() || varies.contains(v.getDefiningOp());
        }))
      varies.insert(&op);
  return varies;
}

class Placer {
public:
  Placer(ModuleOp module, const Distribution &distribution)
      : module(module), dist(distribution), devices(distribution.cluster) {}

  LogicalResult run() {
    if (failed(rules.read(module, devices)) ||
        failed(checkPins(module, [&](StringAttr name) { return rules.match(name.getValue()); })))
      return failure();
    if (dist.kind == StrategyKind::OneDevice)
      remarkOnIgnoredDevices(module, dist.chief);
    if (failed(placeAllVariables()))
      return failure();
    for (auto func : module.getOps<graph::FuncOp>())
      if (failed(placeFunction(func)))
        return failure();
    rules.remark(dist.kind);
    return success();
  }

private:
  LogicalResult placeAllVariables();
  LogicalResult placeFunction(graph::FuncOp func);
  void pullUpdateSlices(graph::FuncOp func);
  struct GroupWish {
    DeviceAttr device; ///< null: wherever the strategy likes
    std::optional<VariablePolicy> rule; ///< of the scope that deals it over the devices that `device` leaves open
    bool pins = false; ///< the scope puts all on one
  };
  FailureOr<GroupWish> getGroupWish(StringAttr name, ArrayRef<graph::VariableOp> group);
  LogicalResult placeGroup(ArrayRef<graph::VariableOp> group, DeviceAttr wish, bool pins, int64_t bytes,
                           MutableArrayRef<int64_t> loads);
  LogicalResult dealByScopeRules();
  void findFirstUses();
  LogicalResult checkUses(graph::FuncOp func);
  DeviceAttr followReplica(graph::FuncOp func, Operation *op, DeviceAttr wish);
  DeviceAttr getWish(Operation *op);
  LogicalResult mirror(Operation *op, DeviceAttr wish);
  /// The full device that the wish means; reports where none satisfies it.
  FailureOr<DeviceAttr> resolve(Operation *op, DeviceAttr wish, DeviceAttr home);
  DeviceAttr getVariableDevice(Operation *op) { return variableDevices.lookup(getVariable(op).getAttr()); }

  ModuleOp module;
  const Distribution &dist;
  DeviceSet devices;
  PlacementRules rules;
  llvm::DenseMap<StringAttr, DeviceAttr> variableDevices;
  llvm::DenseMap<StringAttr, DeviceAttr>
      firstUses; ///< the wish of the first operation that has one and touches a variable
  /// Variables that the scopes' rules deal, with their bytes, by rule and device.
  llvm::MapVector<std::pair<int, DeviceAttr>, SmallVector<std::pair<SmallVector<graph::VariableOp>, int64_t>>> byScope;
  llvm::DenseSet<DeviceAttr> remarked; ///< wishes that a replica or tower does not follow
  llvm::DenseSet<DeviceAttr> mirrored; ///< wishes without effect where everything is on every replica, said once each
  llvm::DenseSet<DeviceAttr> overruledPins; ///< of operations on state, said once each
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
  if (module->hasAttr(
          GraphDialect::kSoftPlacement)) { // as TensorFlow's: the task is meant, the kind of device hoped for
    auto open = DeviceAttr::get(module.getContext(), wish.getJob(), wish.getTask(), "", -1);
    DeviceAttr device = isReplicaDevice(home) && satisfies(home, open) ? home : devices.resolve(open, home);
    if (device) {
      if (remarked.insert(wish).second)
        op->emitRemark("is placed on \"")
            << wish.str() << "\", which no device of the cluster is; soft placement takes \"" << device.str() << "\"";
      return device;
    }
  }
  return op->emitOpError("is placed on \"")
         << wish.str() << "\", which no device of the cluster is" << devices.describe(wish);
}

LogicalResult Placer::placeAllVariables() {
  if (dist.kind == StrategyKind::AllReduce) {
    for (auto variable : module.getOps<graph::VariableOp>()) {
      rules.ignore(variable.getSymName());
      if (failed(mirror(variable, getWish(variable))))
        return failure();
      setDevice(variable, dist.replicaDevice);
    }
    return success();
  }
  ArrayRef<DeviceAttr> stores = dist.stores;
  SmallVector<int64_t> loads(stores.size());
  // Optimizer slots live with their variable, so they are placed and weighed together; so does what is colocated.
  FailureOr<VariableGroups> groups = groupVariables(module);
  if (failed(groups))
    return failure();
  if (dist.kind == StrategyKind::InGraph)
    findFirstUses();
  SmallVector<SmallVector<graph::VariableOp> *> unplaced;
  SmallVector<int64_t> bytes, rows;
  SmallVector<int> families; // parts of one variable have one number
  llvm::StringMap<int> wholes;
  for (auto &[name, group] : *groups) {
    int64_t size = 0;
    for (graph::VariableOp variable : group)
      size += variable.getBytes();
    FailureOr<GroupWish> wish = getGroupWish(name, group);
    if (failed(wish))
      return failure();
    if (wish->rule) {
      byScope[{int(*wish->rule), wish->device}].push_back({group, size});
    } else if (!wish->device) {
      unplaced.push_back(&group);
      bytes.push_back(size);
      RankedTensorType type = group.front().getTensorType();
      bool alike = llvm::all_of(group, [&](graph::VariableOp other) { return other.getType() == type; });
      rows.push_back(alike && type.getRank() ? type.getDimSize(0) : 1);
      graph::PartAttr part = group.front().getPart();
      families.push_back(part ? wholes.try_emplace(part.getOf(), int(wholes.size())).first->second : -1);
    } else if (failed(placeGroup(group, wish->device, wish->pins, size, loads))) {
      return failure();
    }
  }
  if (failed(dealByScopeRules()))
    return failure();
  auto name = module->getAttrOfType<StringAttr>(GraphDialect::kVariablePlacement);
  if (!name && dist.kind == StrategyKind::Mirrored && !dist.servers) // every tower does its share of the updates
    name = StringAttr::get(module.getContext(), "balanced");
  StringRef policyName = name ? name.getValue() : "round_robin";
  if (policyName != "round_robin" && policyName != "balanced" && policyName != "split")
    return module.emitError("unknown placement of variables \"")
           << policyName << "\"; expected round_robin, balanced or split";
  VariablePolicy policy = policyName == "round_robin" ? VariablePolicy::RoundRobin : VariablePolicy::Balanced;
  SmallVector<unsigned> tasks = placeVariables(policy, bytes, loads, families);
  if (policyName != "split")
    if (std::optional<Imbalance> found = findImbalance(tasks, bytes, rows, loads))
      remarkOnImbalance(module, *found, policy, stores[found->task], dist.hasServers());
  for (auto [group, task] : llvm::zip(unplaced, tasks))
    for (graph::VariableOp variable : *group)
      setDevice(variable, stores[task]);
  for (auto variable : module.getOps<graph::VariableOp>())
    variableDevices[variable.getSymNameAttr()] = getDevice(variable);
  return success();
}

/// A rule of cluster.json, else what is written on the variables, else, in-graph, on the first operation that touches one.
FailureOr<Placer::GroupWish> Placer::getGroupWish(StringAttr name, ArrayRef<graph::VariableOp> group) {
  GroupWish wish;
  if (dist.kind == StrategyKind::OneDevice || (wish.device = rules.getDevice(name.getValue())))
    return wish;
  for (graph::VariableOp variable : group) {
    DeviceAttr own = getDevice(variable);
    if (own && wish.device && own != wish.device && variable->hasAttr(GraphDialect::kSlotOf))
      return variable.emitOpError("is placed on \"") << own.str() << "\", but it is a slot of @" << name.getValue()
                                                     << " and lives with it on \"" << wish.device.str() << "\"";
    if (!own || wish.device)
      continue;
    wish.device = own;
    wish.rule = getScopeRule(variable, wish.pins);
  }
  for (graph::VariableOp variable : group)
    if (!wish.device)
      wish.device = firstUses.lookup(variable.getSymNameAttr());
  return wish;
}

/// A partial wish goes to the least loaded task that satisfies it (the first of equals), or, pinned by its scope, to where
/// everything else of that scope goes.
LogicalResult Placer::placeGroup(ArrayRef<graph::VariableOp> group, DeviceAttr wish, bool pins, int64_t bytes,
                                 MutableArrayRef<int64_t> loads) {
  DeviceAttr best;
  int64_t bestLoad = 0;
  for (auto [store, load] : llvm::zip(dist.stores, loads))
    if (!pins && satisfies(store, wish) && (!best || load < bestLoad)) {
      best = store;
      bestLoad = load;
    }
  if (!best) {
    FailureOr<DeviceAttr> found = resolve(group.front(), wish, dist.chief);
    if (failed(found))
      return failure();
    best = *found;
  }
  if (const auto *store = llvm::find(dist.stores, best); store != dist.stores.end())
    loads[store - dist.stores.begin()] += bytes;
  for (graph::VariableOp variable : group)
    setDevice(variable, best);
  return success();
}

/// The variables of scopes with a rule, over all devices that the scope's device leaves open.
LogicalResult Placer::dealByScopeRules() {
  for (auto &[key, dealt] : byScope) {
    auto [rule, wish] = key;
    SmallVector<DeviceAttr> open;
    llvm::copy_if(devices.all(), std::back_inserter(open),
                  [&, wish = wish](DeviceAttr device) { return satisfies(device, wish); });
    if (open.empty())
      return dealt.front().first.front().emitOpError("is dealt by its scope over \"")
             << wish.str() << "\", which no device of the cluster is" << devices.describe(wish);
    SmallVector<int64_t> bytes = llvm::map_to_vector(dealt, [](auto &entry) { return entry.second; });
    SmallVector<unsigned> places = placeVariables(VariablePolicy(rule), bytes, SmallVector<int64_t>(open.size()));
    for (auto [entry, place] : llvm::zip(dealt, places))
      for (graph::VariableOp variable : entry.first)
        setDevice(variable, open[place]);
  }
  return success();
}

/// In-graph, a variable without a wish goes where the first operation that has one touches it, as TensorFlow's does in a
/// device scope.
void Placer::findFirstUses() {
  for (auto func : module.getOps<graph::FuncOp>())
    for (Operation &op : func.getBodyBlock())
      if (FlatSymbolRefAttr name = getVariable(&op))
        if (DeviceAttr wish = getWish(&op))
          firstUses.insert({name.getAttr(), wish});
}

/// Operations that are pinned elsewhere than the variable that they touch or stand beside. A strategy that says itself where
/// variables are may overrule a pin, and says so; one that names another of its stores was meant.
LogicalResult Placer::checkUses(graph::FuncOp func) {
  for (Operation &op : func.getBodyBlock()) {
    DeviceAttr wish = getWish(&op);
    FlatSymbolRefAttr state = getVariable(&op),
                      beside = op.getAttrOfType<FlatSymbolRefAttr>(GraphDialect::kColocateWith);
    for (FlatSymbolRefAttr name : {state, beside}) {
      DeviceAttr there = name ? variableDevices.lookup(name.getAttr()) : DeviceAttr();
      if (!wish || !there || satisfies(there, wish) || (wish == getDevice(&op) && rules.match(name.getValue())))
        continue; // a rule for the variable beats what is written on the operation
      bool overruled = dist.kind != StrategyKind::InGraph &&
                       (dist.kind == StrategyKind::Mirrored ||
                        llvm::none_of(dist.stores, [&](DeviceAttr store) { return satisfies(store, wish); }));
      if (overruled && dist.isBetweenGraph() && satisfies(dist.replicaDevice, wish))
        continue; // for the replicas' part
      if (overruled && failed(resolve(&op, wish, there)))
        return failure();
      if (overruled && !overruledPins.insert(wish).second)
        continue;
      InFlightDiagnostic diag = overruled ? op.emitRemark() : op.emitOpError();
      diag << "is pinned to \"" << wish.str() << "\", but "
           << (name == state ? "its variable @" : "it is colocated with @") << name.getValue()
           << (name == state ? " is on \"" : ", which is on \"") << there.str()
           << (name == state ? "\"; state is touched where it is stored" : "\", and follows it");
      diag.attachNote(SymbolTable::lookupSymbolIn(module, name.getValue())->getLoc())
          << (rules.match(name.getValue()) ? "variable declared here; a placement rule of cluster.json puts it there"
                                           : "variable declared here");
      if (!overruled)
        return diag;
    }
  }
  return success();
}

/// Where every replica or tower computes for itself, a wish for one task cannot be followed by what depends on the batch:
/// null, and a remark once a wish. Else the wish, which may be one that nothing satisfies.
DeviceAttr Placer::followReplica(graph::FuncOp func, Operation *op, DeviceAttr wish) {
  DeviceAttr home = dist.homeOf(func);
  bool towers = dist.kind == StrategyKind::Mirrored;
  if (towers && llvm::all_of(dist.towers, [&](DeviceAttr tower) { return satisfies(tower, wish); }))
    return {};
  bool sameJob = wish.getJob().empty() || home.getJob().empty() || wish.getJob() == home.getJob();
  if (!towers && (satisfies(home, wish) || wish.getTask() < 0 || !sameJob))
    return wish;
  if (!devices.resolve(wish, home))
    return wish;
  if (remarked.insert(wish).second)
    op->emitRemark("is placed on \"") << wish.str() << "\" by the model or a placement rule; "
                                      << (towers ? "every tower computes it on its own device"
                                                 : "every replica computes it on its own task");
  return {};
}

/// Replicated functions: what computes the value of an assign or assign_add from variables and constants alone is the
/// same for every replica, so it follows the variable and runs once.
void Placer::pullUpdateSlices(graph::FuncOp func) {
  llvm::DenseSet<Operation *> varies = findVarying(func);
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
LogicalResult Placer::mirror(Operation *op, DeviceAttr wish) {
  if (!wish || satisfies(dist.replicaDevice, wish))
    return success();
  if (failed(resolve(op, wish, dist.replicaDevice)))
    return failure();
  if (mirrored.insert(wish).second)
    op->emitRemark("is on every replica under the strategy all_reduce; its device \"")
        << wish.str() << "\" has no effect";
  return success();
}

/// What a placement rule says of the operation's name, else what is written on the operation.
DeviceAttr Placer::getWish(Operation *op) {
  if (StringRef name = rules.empty() ? "" : getName(op); !name.empty())
    if (DeviceAttr device = rules.getDevice(name))
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
      if (failed(mirror(&op, getWish(&op))))
        return failure();
      setDevice(&op, home);
    }
    return success();
  }
  if (failed(checkUses(func)))
    return failure();
  bool copies = dist.replicates(func) || (dist.kind == StrategyKind::Mirrored && dist.hasTowers(func));
  llvm::DenseSet<Operation *> varies = copies ? findVarying(func) : llvm::DenseSet<Operation *>();
  for (Operation &op : block) {
    if (isa<graph::ScopeOp>(op))
      return op.emitOpError("expected no scopes after flatten-scopes");
    if (getVariable(&op)) {
      setDevice(&op, getVariableDevice(&op)); // state never moves
      continue;
    }
    if (isa<graph::ReturnOp, graph::SummaryOp>(op)) {
      setDevice(&op, home); // the host's side of the function
      continue;
    }
    auto beside = op.getAttrOfType<FlatSymbolRefAttr>(GraphDialect::kColocateWith);
    DeviceAttr wish = beside ? variableDevices.lookup(beside.getAttr()) : getWish(&op);
    if (wish && varies.contains(&op))
      wish = followReplica(func, &op, wish);
    if (!wish) {
      setDevice(&op, {});
      continue;
    }
    FailureOr<DeviceAttr> device = resolve(&op, wish, home);
    if (failed(device))
      return failure();
    setDevice(&op, *device);
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
