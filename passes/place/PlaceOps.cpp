// place: one full device for every operation, variable and function.
#include "passes/Passes.h"
#include "passes/place/DeviceSet.h"
#include "passes/place/DistributionSpec.h"
#include "passes/place/PlaceTableReads.h"
#include "passes/place/PlacementAnnotations.h"
#include "passes/place/PlacementRules.h"
#include "passes/place/SoftPlacement.h"
#include "passes/place/VariableDistributor.h"
#include "passes/place/VariablePlacement.h"
#include "runtime/common/device/DeviceKinds.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_PLACEOPS
#include "passes/Passes.h.inc"

namespace {

using graph::DeviceAttr;
using graph::getDevice;
using graph::GraphDialect;
using graph::setDevice;

class Placer {
public:
  Placer(ModuleOp module, const DistributionSpec &distribution)
      : module_(module), dist_(distribution), devices_(distribution.cluster),
        soft_(module, distribution, devices_) {}

  LogicalResult run() {
    if (failed(rules_.read(module_, devices_)) || failed(checkPins(module_, [&](StringAttr name) {
          return rules_.find(name.getValue()) != nullptr;
        })))
      return failure();
    if (dist_.kind == StrategyKind::OneDevice)
      remarkOnIgnoredDevices(module_, dist_.chief);
    if (failed(placeAllVariables()) || failed(soft_.checkVariables()))
      return failure();
    for (auto func : module_.getOps<graph::FuncOp>())
      if (failed(placeFunction(func)))
        return failure();
    // elsewhere it is the strategy that has variables and operations apart
    if (dist_.kind == StrategyKind::InGraph)
      rules_.remarkAlone(requested_);
    for (auto func : module_.getOps<graph::FuncOp>())
      for (Operation &op : func.getBodyBlock())
        op.removeAttr(GraphDialect::kName); // it has done its work, and would keep equal ops apart
    rules_.remark(dist_.kind);
    return success();
  }

private:
  LogicalResult placeAllVariables();
  LogicalResult placeFunction(graph::FuncOp func);
  void pullUpdateSlices(graph::FuncOp func);
  struct GroupRequest {
    DeviceAttr device; ///< null: wherever the strategy likes
    /// of the scope that deals it over the devices that `device` leaves open
    std::optional<VariablePolicy> rule;
    bool pins = false; ///< the scope puts all on one
  };
  FailureOr<GroupRequest> getGroupRequest(StringAttr name, ArrayRef<graph::VariableOp> group);
  LogicalResult placeGroup(ArrayRef<graph::VariableOp> group, DeviceAttr request, bool pins,
                           int64_t bytes);
  LogicalResult dealByScopeRules();
  void findFirstUses();
  LogicalResult checkUses(graph::FuncOp func);
  LogicalResult checkUse(Operation *op, FlatSymbolRefAttr name, bool touches);
  DeviceAttr followReplica(graph::FuncOp func, Operation *op, DeviceAttr request);
  DeviceAttr getRequest(Operation *op);
  LogicalResult mirror(Operation *op, DeviceAttr request);
  /// The full device that the request means; reports where none satisfies it.
  FailureOr<DeviceAttr> resolve(Operation *op, DeviceAttr request, DeviceAttr home);
  DeviceAttr getVariableDevice(Operation *op) {
    return variableDevices_.lookup(graph::getVariable(op).getAttr());
  }

  ModuleOp module_;
  const DistributionSpec &dist_;
  DeviceSet devices_;
  SoftPlacement soft_;
  PlacementRules rules_;
  llvm::DenseMap<StringAttr, DeviceAttr> variableDevices_;
  llvm::DenseMap<StringAttr, DeviceAttr>
      firstUses_; ///< the request of the first operation that has one and touches a variable
  DeviceLoads loads_; ///< bytes of variables that are placed
  ScopeGroups byScope_;
  llvm::DenseSet<Operation *> requested_; ///< operations whose device something says
  llvm::DenseSet<DeviceAttr> remarked_; ///< requests that a replica or tower does not follow
  /// the rule that places a variable
  llvm::DenseMap<StringAttr, const PlacementRules::Rule *> ruled_;
  /// Requests of operations on state that were overruled, said once each; those that a rule for a
  /// variable beat, with it.
  llvm::DenseSet<std::pair<DeviceAttr, StringAttr>> overruledPins_;
};

FailureOr<DeviceAttr> Placer::resolve(Operation *op, DeviceAttr request, DeviceAttr home) {
  if (isReplicaDevice(home)) { // the request may leave the task to the replica
    DeviceAttr replica = request.over(home);
    if (request.getTask() < 0 && (request.getJob().empty() || request.getJob() == home.getJob()) &&
        satisfies(replica, request) && replica.getKind() == home.getKind() &&
        replica.getIndex() == home.getIndex())
      return home;
  }
  if (DeviceAttr device = devices_.resolve(request, home))
    return device;
  return op->emitOpError("is placed on \"")
         << request.str() << "\", which no device of the cluster is" << devices_.describe(request);
}

LogicalResult Placer::placeAllVariables() {
  if (dist_.kind == StrategyKind::AllReduce) {
    for (auto variable : module_.getOps<graph::VariableOp>()) {
      rules_.ignore(variable.getSymName());
      if (failed(mirror(variable, getRequest(variable))))
        return failure();
      setDevice(variable, dist_.replicaDevice);
    }
    return success();
  }
  ArrayRef<DeviceAttr> stores = dist_.stores;
  // Optimizer slots live with their variable, so they are placed and weighed together; so does what
  // is colocated.
  FailureOr<VariableGroups> groups = groupVariables(module_);
  if (failed(groups))
    return failure();
  if (dist_.kind == StrategyKind::InGraph)
    findFirstUses();
  /// what is written on variables that a rule places
  SmallVector<std::pair<graph::VariableOp, DeviceAttr>> owns;
  SmallVector<VariableGroup> unplaced, pinned;
  llvm::StringMap<int> wholes;
  for (auto &[name, members] : *groups) {
    VariableGroup group;
    group.members = members;
    for (graph::VariableOp variable : members)
      group.bytes += variable.getBytes();
    RankedTensorType type = members.front().getTensorType();
    bool alike =
        llvm::all_of(members, [&](graph::VariableOp other) { return other.getType() == type; });
    group.rows = alike && type.getRank() ? type.getDimSize(0) : 1;
    if (graph::PartAttr part = members.front().getPart())
      group.splitVariable = wholes.try_emplace(part.getOf(), int(wholes.size())).first->second;
    FailureOr<GroupRequest> request = getGroupRequest(name, members);
    if (failed(request))
      return failure();
    if (const PlacementRules::Rule *rule = ruled_.lookup(name)) {
      group.pin = rule->loc;
      for (graph::VariableOp variable : members)
        owns.push_back({variable, getDevice(variable)});
    }
    if (request->rule) {
      byScope_[{int(*request->rule), request->device}].push_back(group);
    } else if (!request->device) {
      unplaced.push_back(group);
    } else {
      if (failed(placeGroup(members, request->device, request->pins, group.bytes)))
        return failure();
      pinned.push_back(group);
    }
  }
  DeviceLoads pins = loads_;
  if (failed(dealByScopeRules()))
    return failure();
  DealtVariables dealt{devices_, stores,
                       dist_.placement == "round_robin" ? VariablePolicy::RoundRobin
                                                        : VariablePolicy::Balanced,
                       dist_.placement == "split", dist_.hasServers()};
  for (auto [group, task] : llvm::zip(unplaced, dealt.deal(unplaced, loads_)))
    for (graph::VariableOp variable : group.members)
      setDevice(variable, stores[task]);
  dealt.remarkOnImbalance(module_, unplaced, byScope_, pinned, pins);
  for (auto variable : module_.getOps<graph::VariableOp>())
    variableDevices_[variable.getSymNameAttr()] = getDevice(variable);
  for (auto [variable, own] : owns)
    rules_.remarkBeaten(variable, own, ruled_.lookup(variable.getSymNameAttr()));
  if (dist_.kind != StrategyKind::OneDevice)
    for (auto &[name, members] : *groups)
      for (graph::VariableOp variable : members)
        if (variable.getSymName() != name.getValue())
          rules_.noteUnmoved(variable, variable.getSymName(),
                             (variable->hasAttr(GraphDialect::kSlotOf) ? "is a slot of @"
                                                                       : "is colocated with @") +
                                 name.getValue() + " and lives with it");
  return success();
}

/// A rule of cluster.json, else what is written on the variables, else, in-graph, on the first
/// operation that touches one.
FailureOr<Placer::GroupRequest> Placer::getGroupRequest(StringAttr name,
                                                        ArrayRef<graph::VariableOp> group) {
  GroupRequest request;
  if (dist_.kind == StrategyKind::OneDevice)
    return request;
  if ((request.device = soft_.soften(group.front(), rules_.getDevice(name.getValue())))) {
    for (graph::VariableOp variable : group)
      ruled_[variable.getSymNameAttr()] = rules_.find(name.getValue());
    return request;
  }
  for (graph::VariableOp variable : group) {
    DeviceAttr own = soft_.soften(variable, getDevice(variable));
    if (own && request.device && own != request.device && variable->hasAttr(GraphDialect::kSlotOf))
      return variable.emitOpError("is placed on \"")
             << own.str() << "\", but it is a slot of @" << name.getValue()
             << " and lives with it on \"" << request.device.str() << "\"";
    if (!own || request.device)
      continue;
    request.device = own;
    request.rule = getScopeRule(variable, request.pins);
  }
  for (graph::VariableOp variable : group)
    if (!request.device)
      request.device = firstUses_.lookup(variable.getSymNameAttr());
  return request;
}

/// A partial request goes to the least loaded task that satisfies it (the first of equals), or,
/// pinned by its scope, to where everything else of that scope goes.
LogicalResult Placer::placeGroup(ArrayRef<graph::VariableOp> group, DeviceAttr request, bool pins,
                                 int64_t bytes) {
  DeviceAttr best;
  auto weigh = [&](DeviceAttr device) {
    if (!pins && satisfies(device, request) &&
        (!best || loads_.lookup(device) < loads_.lookup(best)))
      best = device;
  };
  llvm::for_each(dist_.stores, weigh);
  if (!best) // another kind of device of the stores' tasks
    for (DeviceAttr device : devices_.satisfying(request))
      if (llvm::any_of(dist_.stores, [&](DeviceAttr store) { return store.isOnTaskOf(device); }))
        weigh(device);
  if (!best) {
    FailureOr<DeviceAttr> found = resolve(group.front(), request, dist_.chief);
    if (failed(found))
      return failure();
    best = *found;
  }
  loads_[best] += bytes;
  for (graph::VariableOp variable : group)
    setDevice(variable, best);
  return success();
}

/// The variables of scopes with a rule, over all devices that the scope's device leaves open.
LogicalResult Placer::dealByScopeRules() {
  for (auto &[key, groups] : byScope_) {
    auto [rule, request] = key;
    SmallVector<DeviceAttr> open = devices_.satisfying(request);
    if (open.empty())
      return groups.front().members.front().emitOpError("is dealt by its scope over \"")
             << request.str() << "\", which no device of the cluster is"
             << devices_.describe(request);
    for (auto [group, place] :
         llvm::zip(groups, dealScope(VariablePolicy(rule), groups, open, loads_)))
      for (graph::VariableOp variable : group.members)
        setDevice(variable, open[place]);
  }
  return success();
}

/// In-graph, a variable without a request goes where the first operation that has one touches it,
/// as TensorFlow's does in a device scope.
void Placer::findFirstUses() {
  for (auto func : module_.getOps<graph::FuncOp>())
    for (Operation &op : func.getBodyBlock())
      if (FlatSymbolRefAttr name = graph::getVariable(&op))
        if (DeviceAttr request = getRequest(&op))
          firstUses_.insert({name.getAttr(), request});
}

/// Operations that are pinned elsewhere than the variable that they touch or stand beside.
LogicalResult Placer::checkUses(graph::FuncOp func) {
  for (Operation &op : func.getBodyBlock())
    if (failed(checkUse(&op, graph::getVariable(&op), /*touches=*/true)) ||
        failed(checkUse(&op, op.getAttrOfType<FlatSymbolRefAttr>(GraphDialect::kColocateWith),
                        /*touches=*/false)))
      return failure();
  return success();
}

/// A rule for the variable beats what is written on the operation, and a strategy that says itself
/// where variables are may overrule a pin; both say so. A pin to another store of the strategy was
/// meant.
LogicalResult Placer::checkUse(Operation *op, FlatSymbolRefAttr name, bool touches) {
  DeviceAttr request = getRequest(op),
             there = name ? variableDevices_.lookup(name.getAttr()) : DeviceAttr();
  if (!request || !there || satisfies(there, request))
    return success();
  const PlacementRules::Rule *ofVariable = ruled_.lookup(name.getAttr()),
                             *ofOp = rules_.find(getGivenName(op));
  bool beats = ofVariable && !ofOp;
  bool overruled =
      beats ||
      (dist_.kind != StrategyKind::InGraph &&
       (dist_.kind == StrategyKind::Mirrored ||
        llvm::none_of(dist_.stores, [&](DeviceAttr store) { return satisfies(store, request); })));
  if (overruled && dist_.isBetweenGraph() && satisfies(dist_.replicaDevice, request))
    return success(); // for the replicas' part
  if (overruled && failed(resolve(op, request, there)))
    return failure();
  if (overruled && !overruledPins_.insert({request, beats ? name.getAttr() : StringAttr()}).second)
    return success();
  InFlightDiagnostic diag = overruled ? op->emitRemark() : op->emitOpError();
  diag << "is pinned to \"" << request.str() << "\", but "
       << (touches ? "its variable @" : "it is colocated with @") << name.getValue()
       << (touches ? " is on \"" : ", which is on \"") << there.str() << '"'
       << (beats ? " by a placement rule, which counts more" : "")
       << (touches ? "; state is touched where it is stored" : ", and follows it");
  diag.attachNote(SymbolTable::lookupSymbolIn(module_, name.getValue())->getLoc())
      << "variable declared here";
  if (ofVariable)
    diag.attachNote(ofVariable->loc)
        << "placement rule \"" << ofVariable->pattern << "\" puts the variable there";
  if (ofOp)
    diag.attachNote(ofOp->loc) << "placement rule \"" << ofOp->pattern << "\" pins the operation";
  if (!overruled)
    return diag;
  return success();
}

/// Where every replica or tower computes for itself, a request for one task cannot be followed by
/// what depends on the batch: null, and a remark once a request. Else the request, which may be one
/// that nothing satisfies.
DeviceAttr Placer::followReplica(graph::FuncOp func, Operation *op, DeviceAttr request) {
  DeviceAttr home = dist_.homeOf(func);
  bool towers = dist_.kind == StrategyKind::Mirrored;
  if (towers &&
      llvm::all_of(dist_.towers, [&](DeviceAttr tower) { return satisfies(tower, request); }))
    return {};
  bool sameJob =
      request.getJob().empty() || home.getJob().empty() || request.getJob() == home.getJob();
  if (!towers && (satisfies(home, request) || !sameJob))
    return request;
  if (!devices_.resolve(request, home))
    return request;
  const bool anyTask = request.getTask() < 0;
  if (isa<graph::NextBatchOp>(op) && anyTask &&
      request.getKind() == StringRef(device::hostKind().name))
    return {}; // the host does it, on whatever device
  if (remarked_.insert(request).second)
    op->emitRemark("is placed on \"")
        << request.str() << "\" by the model or a placement rule; "
        << (towers ? "every tower computes it on its own device"
            : anyTask
                ? "every replica computes all of its part on one device, \"" + home.str() + "\""
                : "every replica computes it on its own task");
  return {};
}

/// Between graphs what computes the value of an assign or assign_add from variables and constants
/// alone is the same for every replica, so it follows the variable and runs once; likewise what
/// updates take beside their gradient, as a bound of its norm.
void Placer::pullUpdateSlices(graph::FuncOp func) {
  llvm::DenseSet<Operation *> varies = findVarying(func);
  for (Operation &op : func.getBodyBlock()) {
    if (!graph::isUpdate(&op))
      continue;
    SmallVector<std::pair<Operation *, DeviceAttr>> stack;
    for (OpOperand &operand : op.getOpOperands()) {
      const bool isValue = &operand == &graph::getUpdateOperand(&op);
      if (isValue ? dist_.replicates(func) && !graph::appliesGradient(&op)
                  : !varies.contains(operand.get().getDefiningOp()))
        stack.push_back({operand.get().getDefiningOp(), getVariableDevice(&op)});
    }
    llvm::DenseSet<Operation *> seen;
    while (!stack.empty()) {
      auto [current, device] = stack.pop_back_val();
      if (!current || varies.contains(current) || !isPure(current) || !seen.insert(current).second)
        continue;
      if (!getDevice(current))
        setDevice(current, device);
      for (Value operand : current->getOperands())
        stack.push_back({operand.getDefiningOp(), getDevice(current)});
    }
  }
}

/// Under all_reduce everything is on every replica; a request for a task of another kind is not
/// carried out, and that is said once a request.
LogicalResult Placer::mirror(Operation *op, DeviceAttr request) {
  if (!request || satisfies(dist_.replicaDevice, request))
    return success();
  bool isSaid = remarked_.contains(request);
  if (failed(resolve(op, request, dist_.replicaDevice)))
    return failure();
  remarked_.insert(request);
  if (isSaid)
    return success();
  op->emitRemark("is on every replica under the strategy all_reduce; its device \"")
      << request.str() << "\" has no effect";
  return success();
}

/// What a placement rule says of the operation's name, else what is written on the operation.
DeviceAttr Placer::getRequest(Operation *op) {
  StringRef name = rules_.empty() ? "" : getGivenName(op);
  DeviceAttr byRule = name.empty() ? DeviceAttr() : rules_.getDevice(name);
  FlatSymbolRefAttr variable = graph::getVariable(op);
  return soft_.soften(op, byRule ? byRule : getDevice(op),
                      variable ? variableDevices_.lookup(variable.getAttr()) : DeviceAttr());
}

LogicalResult Placer::placeFunction(graph::FuncOp func) {
  DeviceAttr home = dist_.homeOf(func);
  setDevice(func, home);
  Block &block = func.getBodyBlock();
  if (dist_.kind == StrategyKind::OneDevice) {
    for (Operation &op : block)
      setDevice(&op, home);
    return success();
  }
  if (dist_.kind == StrategyKind::AllReduce) {
    // every replica computes everything, the chief what is not replicated
    for (Operation &op : block) {
      if (failed(mirror(&op, getRequest(&op))))
        return failure();
      // Of one replica each variable has one place.
      setDevice(&op,
                graph::getVariable(&op) && !dist_.mirrorsVariables() ? dist_.replicaDevice : home);
    }
    return success();
  }
  if (failed(checkUses(func)))
    return failure();
  // what is written on operations that a rule places
  SmallVector<std::pair<Operation *, DeviceAttr>> owns;
  for (Operation &op : block)
    if (!rules_.empty() && !graph::getVariable(&op) && !op.hasAttr(GraphDialect::kColocateWith) &&
        getDevice(&op))
      owns.push_back({&op, getDevice(&op)});
  bool copies =
      dist_.replicates(func) || (dist_.kind == StrategyKind::Mirrored && dist_.hasTowers(func));
  const llvm::DenseSet<Operation *> varying = findVarying(func);
  for (Operation &op : block) {
    if (isa<graph::ScopeOp>(op))
      return op.emitOpError("expected no scopes after flatten-scopes");
    if (graph::getVariable(&op)) {
      setDevice(&op, getVariableDevice(&op)); // state never moves
      continue;
    }
    if (isa<graph::ReturnOp, graph::SummaryOp>(op)) {
      setDevice(&op, home); // the host's side of the function
      if (isa<graph::SummaryOp>(op))
        rules_.noteUnmoved(&op, getGivenName(&op), "hands a result over");
      continue;
    }
    auto beside = op.getAttrOfType<FlatSymbolRefAttr>(GraphDialect::kColocateWith);
    DeviceAttr request = beside ? variableDevices_.lookup(beside.getAttr()) : getRequest(&op);
    if (request && copies && varying.contains(&op))
      request = followReplica(func, &op, request);
    if (!request) { // rows of a variable are taken where it is
      setDevice(&op, dist_.isBetweenGraph() ? findTableDevice(&op, dist_, varying) : DeviceAttr());
      continue;
    }
    FailureOr<DeviceAttr> device = resolve(&op, request, home);
    if (failed(device))
      return failure();
    setDevice(&op, *device);
    requested_.insert(&op);
  }
  if (dist_.isBetweenGraph())
    pullUpdateSlices(func);
  for (Operation &op : block) {
    if (getDevice(&op) || graph::isRematerializable(&op))
      continue;
    DeviceAttr device = home;
    if (dist_.kind == StrategyKind::InGraph ||
        dist_.kind == StrategyKind::Mirrored) // where its first placed operand is
      for (Value operand : op.getOperands())
        if (Operation *def = operand.getDefiningOp())
          if (DeviceAttr there = getDevice(def)) {
            device = there;
            break;
          }
    setDevice(&op, device);
  }
  // Constants stand where they are first used. As a gradient they stay with the replica: N equal
  // gradients are summed and divided like any others, so that the bits are those of every other
  // strategy.
  for (Operation &op : block) {
    if (getDevice(&op))
      continue;
    Operation *first = nullptr;
    for (Operation *user : op.getUsers())
      if (!first || user->isBeforeInBlock(first))
        first = user;
    const bool isGradient =
        first && graph::appliesGradient(first) &&
        llvm::is_contained(op.getResults(), graph::getUpdateOperand(first).get());
    setDevice(&op, !first || (dist_.replicates(func) && isGradient) ? home : getDevice(first));
  }
  for (auto [op, own] : owns)
    rules_.remarkBeaten(op, own, rules_.find(getGivenName(op)));
  return success();
}

struct PlaceOpsPass : impl::PlaceOpsBase<PlaceOpsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<DistributionSpec> distribution = DistributionSpec::of(module);
    if (!distribution || failed(Placer(module, *distribution).run()))
      return signalPassFailure();
  }
};

} // namespace
} // namespace graphc
