// Backup workers: a synchronous phase that takes the first replicas of each step.
//
// A parameter server is two programs here. Its door is a family, instance r for replica r: it waits for a version (the value
// of global_step, in a slot that the main program overwrites), hands out the parameters, takes that replica's gradients,
// lays them down in slots and offers them under the version. The main program publishes a version, chooses the first
// replicas that offer for it, sums their gradients in replica order and applies the mean. So a slow replica stops its own
// door alone. What it offers late bears an old version and is dropped, which is also why a door may read while the main
// program updates: a mixture of two versions is only ever the base of a gradient that comes too late.
//
// One place decides, the owner of global_step. Doors elsewhere wait for the word of its door and tell it when their
// gradients are there; main programs elsewhere get the set, and say before the next version that they have applied.
#include "passes/partition/ProgramBuilder.h"

using namespace mlir;

namespace graphc {

using graph::getDevice;

ProgramUnderConstruction &PhaseBuilder::getDoor(graph::DeviceAttr device) {
  std::unique_ptr<ProgramUnderConstruction> &slot = doors[device];
  if (!slot)
    slot = createProgram(device, device.getJob().str() + std::to_string(device.getTask()) + ".door", dist.replicas,
                         /*locks=*/true);
  return *slot;
}

dist::ChannelOp PhaseBuilder::createLatest(const Twine &name, RankedTensorType type, ProgramUnderConstruction &from,
                                           ProgramUnderConstruction &to, Location loc) {
  dist::ChannelOp channel = createChannel(name, type, from, to, loc, /*control=*/false);
  channel.setLatest(true);
  return channel;
}

/// The operation that keeps a door from making this value for itself; null where it can: it reads variables as they are
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

Value PhaseBuilder::getDoorValue(Value value, ProgramUnderConstruction &door) {
  if (Value own = door.map.lookupOrNull(value))
    return own;
  Operation *def = value.getDefiningOp();
  for (Value operand : def->getOperands())
    getDoorValue(operand, door);
  Operation *copy = door.builder.clone(*def, door.map);
  copy->removeAttr(graph::GraphDialect::kDevice);
  return door.map.lookup(value);
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
    dist::ChannelOp offers =
        createLatest("offers", step.getTensorType(), getDoor(getDevice(step)), owner, step.getLoc());
    Value version = graph::ReadOp::create(builder, loc, step.getTensorType(), step.getSymName());
    set = dist::ChooseOp::create(builder, loc, type, offers.getSymName(), version, uint64_t(dist.toAggregate));
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

Value PhaseBuilder::getOfferedSum(graph::AggregateOp aggregate, ProgramUnderConstruction &program) {
  Value value = aggregate.getOperand();
  Location loc = aggregate.getLoc();
  ProgramUnderConstruction &replica = getProgram(dist.replicaDevice), &door = getDoor(getDevice(aggregate));
  getOwnValue(value, replica); // a constant is sent as well: its sum is that of as many messages
  dist::ChannelOp channel = createChannel(value, replica, door, value.getLoc());
  send(value, replica, channel);
  Value there = dist::ReceiveOp::create(door.builder, loc, value.getType(), channel.getSymName());
  StringRef name = channel.getSymName();
  name.consume_front((phase.getSymName() + ".").str());
  dist::ChannelOp slot =
      createLatest(name + ".latest", cast<RankedTensorType>(value.getType()), door, program, value.getLoc());
  dist::SendOp::create(door.builder, loc, slot.getSymName(), there);
  Value set = getChosen(program);
  Value sum = dist::AggregateChosenOp::create(program.builder, loc, value.getType(), slot.getSymName(), set);
  program.map.map(aggregate.getResult(), sum);
  return sum;
}

void PhaseBuilder::addVersions() {
  auto step = module.lookupSymbol<graph::VariableOp>(graph::GraphDialect::kGlobalStep);
  Location loc = step.getLoc();
  RankedTensorType type = step.getTensorType();
  ProgramUnderConstruction &owner = getProgram(getDevice(step)), &ownDoor = getDoor(getDevice(step));
  ProgramUnderConstruction &replica = getProgram(dist.replicaDevice);
  auto choose = getChosen(owner).getDefiningOp<dist::ChooseOp>();
  Operation *read = choose.getVersion().getDefiningOp();
  OpBuilder builder(read);
  auto ticket = dist::TicketOp::create(builder, loc, IntegerAttr());
  dist::ChannelOp versions = createLatest("version.to_" + ownDoor.suffix, type, owner, ownDoor, loc);
  builder.setInsertionPointAfter(read);
  dist::SendOp::create(builder, loc, versions.getSymName(), choose.getVersion());
  for (auto &[device, program] : programs)
    if (program.get() != &owner && program.get() != &replica) {
      getChosen(*program);
      sendReady(*program, owner, ticket);
    }

  OpBuilder first = OpBuilder::atBlockBegin(&ownDoor.op.getBlock());
  Value version = dist::ReceiveOp::create(first, loc, type, versions.getSymName());
  auto passOn = [&](ProgramUnderConstruction &to) -> Value {
    dist::ChannelOp channel = createChannel("version.to_" + to.suffix, type, ownDoor, to, loc, false);
    dist::SendOp::create(first, loc, channel.getSymName(), version);
    OpBuilder receiver = OpBuilder::atBlockBegin(&to.op.getBlock());
    return dist::ReceiveOp::create(receiver, loc, type, channel.getSymName());
  };
  // Every word leaves before the first answer is awaited: where this door does nothing else, both stand at one place.
  SmallVector<std::pair<ProgramUnderConstruction *, Value>> told;
  for (auto &[device, door] : doors)
    if (door.get() != &ownDoor)
      told.emplace_back(door.get(), passOn(*door));
  if (!isHeard(owner, replica))
    passOn(replica);
  for (auto [door, word] : told) {
    dist::ChannelOp channel = createChannel("arrived.from_" + door->suffix, type, *door, ownDoor, loc, false);
    dist::SendOp::create(door->builder, loc, channel.getSymName(), word);
    dist::ReceiveOp::create(ownDoor.builder, loc, type, channel.getSymName());
  }
  dist::SendOp::create(ownDoor.builder, loc, choose.getChannel(), version);
}

} // namespace graphc
