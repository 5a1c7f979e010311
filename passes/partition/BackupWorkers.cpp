#include "passes/partition/BackupWorkers.h"

using namespace mlir;

namespace graphc {

using graph::getDevice;

ProgramBuilder &BackupWorkers::getProxy(graph::DeviceAttr device) {
  std::unique_ptr<ProgramBuilder> &slot = proxies_[device];
  if (!slot)
    slot = phase_.createProgram(device,
                                device.getJob().str() + std::to_string(device.getTask()) + ".proxy",
                                phase_.dist.replicas,
                                /*locks=*/true);
  return *slot;
}

dist::ChannelOp BackupWorkers::createConflating(const Twine &name, RankedTensorType type,
                                                ProgramBuilder &from, ProgramBuilder &to,
                                                Location loc) {
  dist::ChannelOp channel = phase_.createChannel(name, type, from, to, loc, /*control=*/false);
  channel.setConflating(true);
  return channel;
}

/// The operation that keeps a proxy from making this value for itself; null where it can: it reads
/// variables as they are before the step's updates, and computes from them.
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

/// A proxy hands out values between two updates of the main program. So the replicas may take
/// variables, and what a proxy can compute of them by itself, but nothing that the step's updates
/// make.
LogicalResult BackupWorkers::check() {
  if (!phase_.module.lookupSymbol<graph::VariableOp>(graph::GraphDialect::kGlobalStep) ||
      !phase_.phase.getAdvancesGlobalStep())
    return phase_.func.emitOpError(
        "never advances @global_step, by whose value late gradients are known; add graph.minimize "
        "or graph.assign_add @global_step");
  for (Operation &op : phase_.func.getBodyBlock()) {
    if (getDevice(&op) != phase_.dist.replicaDevice && !isa<graph::ReturnOp>(op))
      continue;
    for (Value operand : op.getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (!def || graph::isRematerializable(def) || getDevice(def) == phase_.dist.replicaDevice)
        continue;
      if (Operation *obstacle = findObstacle(operand, getDevice(def))) {
        InFlightDiagnostic diag = op.emitOpError(
            "takes a value that a parameter server makes by the step's updates or with another task; with "
            "replicas_to_aggregate it hands out variables as they are before the updates, and what it "
            "computes from them alone");
        diag.attachNote(obstacle->getLoc())
            << "made here, on \"" << getDevice(obstacle).str() << "\"";
        return diag;
      }
    }
  }
  return success();
}

Value BackupWorkers::makeValue(Value value, ProgramBuilder &proxy) {
  if (Value own = proxy.map.lookupOrNull(value))
    return own;
  Operation *def = value.getDefiningOp();
  for (Value operand : def->getOperands())
    makeValue(operand, proxy);
  Operation *copy = proxy.builder.clone(*def, proxy.map);
  copy->removeAttr(graph::GraphDialect::kDevice);
  return proxy.map.lookup(value);
}

/// The set of replicas whose gradients this program takes: chosen here, or told by the owner of
/// global_step.
Value BackupWorkers::getChosen(ProgramBuilder &program) {
  if (Value set = chosen_.lookup(&program))
    return set;
  auto step = phase_.module.lookupSymbol<graph::VariableOp>(graph::GraphDialect::kGlobalStep);
  ProgramBuilder &owner = phase_.getProgram(getDevice(step));
  Location loc = phase_.func.getLoc();
  auto type =
      RankedTensorType::get({phase_.dist.replicas}, IntegerType::get(phase_.func.getContext(), 1));
  OpBuilder builder = OpBuilder::atBlockBegin(&program.op.getBlock());
  Value set;
  if (&program == &owner) {
    dist::ChannelOp reports = createConflating("reports", step.getTensorType(),
                                               getProxy(getDevice(step)), owner, step.getLoc());
    Value version = graph::ReadOp::create(builder, loc, step.getTensorType(), step.getSymName());
    set = dist::ChooseOp::create(builder, loc, type, reports.getSymName(), version,
                                 uint64_t(phase_.dist.toAggregate));
  } else {
    Value whole = getChosen(owner);
    dist::ChannelOp channel =
        phase_.createChannel("chosen.to_" + program.suffix, type, owner, program, loc, false);
    OpBuilder sender(phase_.func.getContext());
    sender.setInsertionPointAfter(whole.getDefiningOp());
    dist::SendOp::create(sender, loc, channel.getSymName(), whole);
    set = dist::ReceiveOp::create(builder, loc, type, channel.getSymName());
  }
  return chosen_[&program] = set;
}

Value BackupWorkers::getSum(graph::AggregateOp aggregate, ProgramBuilder &program) {
  Value value = aggregate.getOperand();
  Location loc = aggregate.getLoc();
  ProgramBuilder &replica = phase_.getProgram(phase_.dist.replicaDevice),
                 &proxy = getProxy(getDevice(aggregate));
  // a constant is sent as well: its sum is that of as many messages
  phase_.getOwnValue(value, replica);
  dist::ChannelOp channel = phase_.createChannel(value, replica, proxy, value.getLoc());
  phase_.send(value, replica, channel);
  Value there = dist::ReceiveOp::create(proxy.builder, loc, value.getType(), channel.getSymName());
  StringRef name = channel.getSymName();
  name.consume_front((phase_.phase.getSymName() + ".").str());
  dist::ChannelOp slot =
      createConflating(name + ".conflating", cast<RankedTensorType>(value.getType()), proxy,
                       program, value.getLoc());
  dist::SendOp::create(proxy.builder, loc, slot.getSymName(), there);
  Value set = getChosen(program);
  Value sum = dist::AggregateChosenOp::create(program.builder, loc, value.getType(),
                                              slot.getSymName(), set);
  program.map.map(aggregate.getResult(), sum);
  return sum;
}

void BackupWorkers::addVersions() {
  auto step = phase_.module.lookupSymbol<graph::VariableOp>(graph::GraphDialect::kGlobalStep);
  Location loc = step.getLoc();
  RankedTensorType type = step.getTensorType();
  ProgramBuilder &owner = phase_.getProgram(getDevice(step)), &ownProxy = getProxy(getDevice(step));
  ProgramBuilder &replica = phase_.getProgram(phase_.dist.replicaDevice);
  auto choose = getChosen(owner).getDefiningOp<dist::ChooseOp>();
  Operation *read = choose.getVersion().getDefiningOp();
  OpBuilder builder(read);
  auto ticket = dist::TicketOp::create(builder, loc, IntegerAttr());
  dist::ChannelOp versions =
      createConflating("version.to_" + ownProxy.suffix, type, owner, ownProxy, loc);
  builder.setInsertionPointAfter(read);
  dist::SendOp::create(builder, loc, versions.getSymName(), choose.getVersion());
  for (auto &[device, program] : phase_.programs)
    if (program.get() != &owner && program.get() != &replica) {
      getChosen(*program);
      phase_.sendReady(*program, owner, ticket);
    }

  OpBuilder first = OpBuilder::atBlockBegin(&ownProxy.op.getBlock());
  Value version = dist::ReceiveOp::create(first, loc, type, versions.getSymName());
  auto passOn = [&](ProgramBuilder &to) -> Value {
    dist::ChannelOp channel =
        phase_.createChannel("version.to_" + to.suffix, type, ownProxy, to, loc, false);
    dist::SendOp::create(first, loc, channel.getSymName(), version);
    OpBuilder receiver = OpBuilder::atBlockBegin(&to.op.getBlock());
    return dist::ReceiveOp::create(receiver, loc, type, channel.getSymName());
  };
  // Every version leaves before the first answer is awaited: where this proxy does nothing else,
  // both stand at one place.
  SmallVector<std::pair<ProgramBuilder *, Value>> told;
  for (auto &[device, proxy] : proxies_)
    if (proxy.get() != &ownProxy)
      told.emplace_back(proxy.get(), passOn(*proxy));
  if (!phase_.isHeard(owner, replica))
    passOn(replica);
  for (auto [proxy, value] : told) {
    dist::ChannelOp channel =
        phase_.createChannel("arrived.from_" + proxy->suffix, type, *proxy, ownProxy, loc, false);
    dist::SendOp::create(proxy->builder, loc, channel.getSymName(), value);
    dist::ReceiveOp::create(ownProxy.builder, loc, type, channel.getSymName());
  }
  dist::SendOp::create(ownProxy.builder, loc, choose.getChannel(), version);
}

} // namespace graphc
