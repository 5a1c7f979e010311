// Backup workers: a synchronous phase that takes the first replicas of each step.
//
// A parameter server is two programs here. Its proxy is a family, instance r for replica r: it waits for a version (the value
// of global_step, in a slot that the main program overwrites), hands out the parameters, takes that replica's gradients,
// lays them down in slots and reports them under that version. The main program sends a version, chooses the first
// replicas that report for it, sums their gradients in replica order and applies the mean. So a slow replica stops its own
// proxy alone. What it reports late bears an old version and is dropped, which is also why a proxy may read while the main
// program updates: a mixture of two versions is only ever the base of a gradient that comes too late.
//
// One place decides, the owner of global_step. Proxies elsewhere wait for the version from its proxy and tell it when their
// gradients are there; main programs elsewhere get the set, and say before the next version that they have applied.
#include "passes/partition/ProgramBuilder.h"

using namespace mlir;

namespace graphc {

using graph::getDevice;

ProgramUnderConstruction &PhaseBuilder::getProxy(graph::DeviceAttr device) {
  std::unique_ptr<ProgramUnderConstruction> &slot = proxies[device];
  if (!slot)
    slot = createProgram(device, device.getJob().str() + std::to_string(device.getTask()) + ".proxy", dist.replicas,
                         /*locks=*/true);
  return *slot;
}

dist::ChannelOp PhaseBuilder::createConflating(const Twine &name, RankedTensorType type, ProgramUnderConstruction &from,
                                               ProgramUnderConstruction &to, Location loc) {
  dist::ChannelOp channel = createChannel(name, type, from, to, loc, /*control=*/false);
  channel.setConflating(true);
  return channel;
}

/// The operation that keeps a proxy from making this value for itself; null where it can: it reads variables as they are
/// before the step's updates, and computes from them.
static Operation *findObstacle(Value value, graph::DeviceAttr device) {
  Operation *def = value.getDefiningOp();
  if (!def || graph::isRematerializable(def))
    return nullptr;
  if (getDevice(def) != device || !(isPure(def) || isa<graph::ReadOp>(def)))
    return def;
  if (isa<graph::ReadOp>(def))
    for (Operation &before : llvm::make_range(def->getBlock()->begin(), def->getIterator()))
      if (llvm::is_contained(graph::getWrittenVariables(&before), graph::getVariable(def)))
        return &before;
  for (Value operand : def->getOperands())
    if (Operation *obstacle = findObstacle(operand, device))
      return obstacle;
  return nullptr;
}

LogicalResult PhaseBuilder::checkBackup() {
  if (!module.lookupSymbol<graph::VariableOp>(graph::GraphDialect::kGlobalStep) || !phase.getAdvancesGlobalStep())
    return func.emitOpError("never advances @global_step, by whose value late gradients are known; add graph.minimize "
                            "or graph.assign_add @global_step");
  for (Operation &op : func.getBodyBlock()) {
    if (getDevice(&op) != dist.replicaDevice && !isa<graph::ReturnOp>(op))
      continue;
    for (Value operand : op.getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (!def || graph::isRematerializable(def) || getDevice(def) == dist.replicaDevice)
        continue;
      if (Operation *obstacle = findObstacle(operand, getDevice(def))) {
        InFlightDiagnostic diag = op.emitOpError(
            "takes a value that a parameter server makes by the step's updates or with another task; with "
            "replicas_to_aggregate it hands out variables as they are before the updates, and what it "
            "computes from them alone");
        diag.attachNote(obstacle->getLoc()) << "made here, on \"" << getDevice(obstacle).str() << "\"";
        return diag;
      }
    }
  }
  return success();
}

Value PhaseBuilder::getProxyValue(Value value, ProgramUnderConstruction &proxy) {
  if (Value own = proxy.map.lookupOrNull(value))
    return own;
  Operation *def = value.getDefiningOp();
  for (Value operand : def->getOperands())
    getProxyValue(operand, proxy);
  Operation *copy = proxy.builder.clone(*def, proxy.map);
  copy->removeAttr(graph::GraphDialect::kDevice);
  return proxy.map.lookup(value);
}

/// The set of replicas whose gradients this program takes: chosen here, or told by the owner of global_step.
Value PhaseBuilder::getChosen(ProgramUnderConstruction &program) {
  if (Value set = chosen.lookup(&program))
    return set;
  auto step = module.lookupSymbol<graph::VariableOp>(graph::GraphDialect::kGlobalStep);
  ProgramUnderConstruction &owner = getProgram(getDevice(step));
  Location loc = func.getLoc();
  auto type = RankedTensorType::get({dist.replicas}, IntegerType::get(func.getContext(), 1));
  OpBuilder builder = OpBuilder::atBlockBegin(&program.op.getBlock());
  Value set;
  if (&program == &owner) {
    dist::ChannelOp reports =
        createConflating("reports", step.getTensorType(), getProxy(getDevice(step)), owner, step.getLoc());
    Value version = graph::ReadOp::create(builder, loc, step.getTensorType(), step.getSymName());
    set = dist::ChooseOp::create(builder, loc, type, reports.getSymName(), version, uint64_t(dist.toAggregate));
  } else {
    Value whole = getChosen(owner);
    dist::ChannelOp channel = createChannel("chosen.to_" + program.suffix, type, owner, program, loc, false);
    OpBuilder sender(func.getContext());
    sender.setInsertionPointAfter(whole.getDefiningOp());
    dist::SendOp::create(sender, loc, channel.getSymName(), whole);
    set = dist::ReceiveOp::create(builder, loc, type, channel.getSymName());
  }
  return chosen[&program] = set;
}

Value PhaseBuilder::getReportedSum(graph::AggregateOp aggregate, ProgramUnderConstruction &program) {
  Value value = aggregate.getOperand();
  Location loc = aggregate.getLoc();
  ProgramUnderConstruction &replica = getProgram(dist.replicaDevice), &proxy = getProxy(getDevice(aggregate));
  getOwnValue(value, replica); // a constant is sent as well: its sum is that of as many messages
  dist::ChannelOp channel = createChannel(value, replica, proxy, value.getLoc());
  send(value, replica, channel);
  Value there = dist::ReceiveOp::create(proxy.builder, loc, value.getType(), channel.getSymName());
  StringRef name = channel.getSymName();
  name.consume_front((phase.getSymName() + ".").str());
  dist::ChannelOp slot =
      createConflating(name + ".conflating", cast<RankedTensorType>(value.getType()), proxy, program, value.getLoc());
  dist::SendOp::create(proxy.builder, loc, slot.getSymName(), there);
  Value set = getChosen(program);
  Value sum = dist::AggregateChosenOp::create(program.builder, loc, value.getType(), slot.getSymName(), set);
  program.map.map(aggregate.getResult(), sum);
  return sum;
}

void PhaseBuilder::addVersions() {
  auto step = module.lookupSymbol<graph::VariableOp>(graph::GraphDialect::kGlobalStep);
  Location loc = step.getLoc();
  RankedTensorType type = step.getTensorType();
  ProgramUnderConstruction &owner = getProgram(getDevice(step)), &ownProxy = getProxy(getDevice(step));
  ProgramUnderConstruction &replica = getProgram(dist.replicaDevice);
  auto choose = getChosen(owner).getDefiningOp<dist::ChooseOp>();
  Operation *read = choose.getVersion().getDefiningOp();
  OpBuilder builder(read);
  auto ticket = dist::TicketOp::create(builder, loc, IntegerAttr());
  dist::ChannelOp versions = createConflating("version.to_" + ownProxy.suffix, type, owner, ownProxy, loc);
  builder.setInsertionPointAfter(read);
  dist::SendOp::create(builder, loc, versions.getSymName(), choose.getVersion());
  for (auto &[device, program] : programs)
    if (program.get() != &owner && program.get() != &replica) {
      getChosen(*program);
      sendReady(*program, owner, ticket);
    }

  OpBuilder first = OpBuilder::atBlockBegin(&ownProxy.op.getBlock());
  Value version = dist::ReceiveOp::create(first, loc, type, versions.getSymName());
  auto passOn = [&](ProgramUnderConstruction &to) -> Value {
    dist::ChannelOp channel = createChannel("version.to_" + to.suffix, type, ownProxy, to, loc, false);
    dist::SendOp::create(first, loc, channel.getSymName(), version);
    OpBuilder receiver = OpBuilder::atBlockBegin(&to.op.getBlock());
    return dist::ReceiveOp::create(receiver, loc, type, channel.getSymName());
  };
  // Every version leaves before the first answer is awaited: where this proxy does nothing else, both stand at one place.
  SmallVector<std::pair<ProgramUnderConstruction *, Value>> told;
  for (auto &[device, proxy] : proxies)
    if (proxy.get() != &ownProxy)
      told.emplace_back(proxy.get(), passOn(*proxy));
  if (!isHeard(owner, replica))
    passOn(replica);
  for (auto [proxy, value] : told) {
    dist::ChannelOp channel = createChannel("arrived.from_" + proxy->suffix, type, *proxy, ownProxy, loc, false);
    dist::SendOp::create(proxy->builder, loc, channel.getSymName(), value);
    dist::ReceiveOp::create(ownProxy.builder, loc, type, channel.getSymName());
  }
  dist::SendOp::create(ownProxy.builder, loc, choose.getChannel(), version);
}

} // namespace graphc
