#include "passes/place/PlacementRules.h"

#include "passes/place/SettingLocation.h"
#include "runtime/common/cluster/NamePattern.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace graphc {

using graph::DeviceAttr;
using graph::GraphDialect;

LogicalResult PlacementRules::read(ModuleOp of, const DeviceSet &devices) {
  module_ = of;
  auto attr = module_->getAttrOfType<ArrayAttr>(GraphDialect::kPlacement);
  if (!attr)
    return success();
  for (Attribute entry : attr) {
    auto pair = dyn_cast<ArrayAttr>(entry);
    auto name = pair && pair.size() == 2 ? dyn_cast<StringAttr>(pair[0]) : StringAttr();
    auto device = name ? dyn_cast<DeviceAttr>(pair[1]) : DeviceAttr();
    if (!device)
      return module_.emitError(
                 "expects each rule of graph.placement to be [\"pattern\", #graph.device<…>], found ")
             << entry;
    Location loc = getSettingLoc(module_, getRuleSetting(rules_.size()));
    if (name.empty() || name.size() > cluster::kMostPatternBytes ||
        cluster::hasControlCharacter(name.getValue()))
      return emitError(
          loc,
          "expects the pattern of a placement rule to be 1 to 4096 characters without control characters");
    const bool soft = module_->hasAttr(GraphDialect::kSoftPlacement);
    auto wanted =
        soft ? DeviceAttr::get(module_.getContext(), device.getJob(), device.getTask(), "", -1)
             : device;
    if (!devices.resolve(wanted, {}))
      return emitError(loc, "placement rule \"")
             << name.getValue() << "\" places on \"" << device.str()
             << "\", which no device of the cluster is" << devices.describe(device);
    rules_.push_back({name.getValue(), device, loc});
  }
  return success();
}

const PlacementRules::Rule *PlacementRules::find(StringRef name) const {
  if (name.empty()) // "*" is any name, not none
    return nullptr;
  const Rule *found = llvm::find_if(
      rules_, [&](const Rule &rule) { return cluster::matchesPattern(rule.pattern, name); });
  return found == rules_.end() ? nullptr : found;
}

DeviceAttr PlacementRules::getDevice(StringRef name) {
  const Rule *rule = find(name);
  if (!rule)
    return {};
  rules_[size_t(rule - rules_.begin())].used = true;
  return rule->device;
}

void PlacementRules::remarkBeaten(Operation *op, DeviceAttr request, const Rule *rule) {
  if (!request || !rule || satisfies(graph::getDevice(op), request) ||
      !satisfies(graph::getDevice(op), rule->device) || !beaten_.insert({request, rule}).second)
    return; // where the rule is not followed either, the strategy has said so
  InFlightDiagnostic remark = op->emitRemark("is placed on \"")
                              << request.str() << "\" by the model, but on \""
                              << graph::getDevice(op).str()
                              << "\" by a placement rule, which counts more";
  remark.attachNote(rule->loc) << "placement rule \"" << rule->pattern << "\"";
}

void PlacementRules::noteUnmoved(Operation *op, StringRef name, const Twine &why) {
  const Rule *rule = find(name);
  if (!rule)
    return;
  const size_t number = size_t(rule - rules_.begin());
  if (satisfies(graph::getDevice(op), rule->device))
    rules_[number].used = true;
  else
    unmoved_.push_back({op, number, why.str()});
}

void PlacementRules::ignore(StringRef variable) {
  for (Rule &rule : rules_)
    rule.ofVariable |= cluster::matchesPattern(rule.pattern, variable);
}

namespace {

/// What takes the value of variables elsewhere than where they are, and what crosses for that.
struct Takers {
  void add(graph::VariableOp variable, ArrayRef<Operation *> touching,
           const llvm::DenseSet<Operation *> &requested) {
    const DeviceAttr here = graph::getDevice(variable);
    llvm::MapVector<Operation *, int64_t> crossing; // by function
    llvm::SetVector<Operation *> staying;
    llvm::DenseSet<std::pair<Operation *, DeviceAttr>> reached; // of a function
    llvm::DenseSet<Value> updates; // several updates take one value
    for (Operation *op : touching) {
      if (graph::isUpdate(op)) {
        Value value = graph::getUpdateOperand(op).get();
        Operation *def = value.getDefiningOp();
        // what is fed: where the function is
        const DeviceAttr made = graph::getDevice(def ? def : op->getParentOp());
        if (made != here && updates.insert(value).second)
          crossing[op->getParentOp()] += graph::getByteSize(value);
        continue;
      }
      SmallVector<Operation *> users(op->getUsers());
      llvm::sort(users,
                 [](Operation *left, Operation *right) { return left->isBeforeInBlock(right); });
      for (Operation *user : users) {
        if (graph::getDevice(user) == here)
          return; // not alone
        if (reached.insert({op->getParentOp(), graph::getDevice(user)}).second)
          crossing[op->getParentOp()] += variable.getBytes();
        if (!requested.contains(user) && !isa<graph::SummaryOp, graph::ReturnOp>(user))
          staying.insert(user);
      }
    }
    if (staying.empty())
      return;
    variables.push_back(variable);
    operations.insert_range(staying);
    for (auto [func, ofVariable] : crossing)
      bytes[func] += ofVariable;
  }

  SmallVector<graph::VariableOp> variables;
  llvm::SetVector<Operation *> operations; ///< those that no request keeps where they are
  llvm::MapVector<Operation *, int64_t> bytes; ///< in a step of each function
};

} // namespace

void PlacementRules::remarkAlone(const llvm::DenseSet<Operation *> &requested) {
  if (rules_.empty())
    return;
  llvm::DenseMap<StringAttr, SmallVector<Operation *>> touching; // reads and updates, by variable
  for (auto func : module_.getOps<graph::FuncOp>())
    for (Operation &op : func.getBodyBlock())
      if (isa<graph::ReadOp>(op) || graph::isUpdate(&op))
        touching[graph::getVariable(&op).getAttr()].push_back(&op);
  llvm::MapVector<const Rule *, Takers> moved;
  for (auto variable : module_.getOps<graph::VariableOp>())
    if (const Rule *rule = find(variable.getSymName());
        rule && satisfies(graph::getDevice(variable), rule->device))
      moved[rule].add(variable, touching.lookup(variable.getSymNameAttr()), requested);
  for (auto &[rule, takers] : moved) {
    if (takers.variables.empty())
      continue;
    const size_t others = takers.variables.size() - 1, count = takers.operations.size();
    llvm::SetVector<DeviceAttr> stay;
    for (Operation *op : takers.operations)
      stay.insert(graph::getDevice(op));
    int64_t bytes = 0;
    for (int64_t ofFunction : llvm::make_second_range(takers.bytes))
      bytes = std::max(bytes, ofFunction);
    InFlightDiagnostic remark = emitRemark(rule->loc, "placement rule \"")
                                << rule->pattern << "\" moves @"
                                << takers.variables.front().getSymName();
    if (others)
      remark << " and " << others << " more";
    remark
        << " alone: " << count << (count == 1 ? " operation that takes " : " operations that take ")
        << (others ? "their values" : "its value") << (count == 1 ? " stays on \"" : " stay on \"")
        << stay.front().str() << (stay.size() > 1 ? "\" and elsewhere" : "\"") << ", and " << bytes
        << " bytes cross in each step; a rule moves operations by their names, as in loc(\"name\") or graph.name";
    remark.attachNote(takers.operations.front()->getLoc()) << "the first of these operations";
  }
}

void PlacementRules::remark(StrategyKind kind) {
  for (const auto &[op, number, why] : unmoved_) {
    Rule &rule = rules_[number];
    if (rule.used && rule.isPattern())
      continue; // it was written for what it moves
    rule.used = true;
    InFlightDiagnostic remark = op->emitRemark(why) << " on \"" << graph::getDevice(op).str()
                                                    << "\"; a placement rule does not move it";
    remark.attachNote(rule.loc) << "placement rule \"" << rule.pattern << "\"";
  }
  for (const Rule &rule : rules_)
    if (!rule.used)
      emitRemark(rule.loc, "placement rule \"")
          << rule.pattern << "\" has no effect: "
          << (kind == StrategyKind::OneDevice
                  ? "strategy one_device computes everything on one device"
              : rule.ofVariable
                  ? "under the strategy all_reduce every worker keeps all variables"
                  : "no variable and no operation's name, as in loc(\"name\") or graph.name, matches it before another "
                    "rule does");
}

} // namespace graphc
