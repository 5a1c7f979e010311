#include "passes/partition/PhaseBuilder.h"

#include "dialects/graph/ops/PassOpBuilders.h"
#include "passes/analysis/LinkTimes.h"
#include "passes/partition/BackupWorkers.h"
#include "passes/partition/GradientBuckets.h"

using namespace mlir;

namespace graphc {

using graph::DeviceAttr;
using graph::getDevice;

PhaseBuilder::PhaseBuilder(ModuleOp module, graph::FuncOp func,
                           const DistributionSpec &distribution)
    : module(module), func(func), dist(distribution),
      async_(distribution.kind == StrategyKind::ParameterServer && distribution.async &&
             func.getRole() == graph::Role::Train),
      backup_(distribution.toAggregate && distribution.replicates(func)
                  ? std::make_unique<BackupWorkers>(*this)
                  : nullptr),
      symbolBuilder_(func) {
  for (Operation &op : *module.getBody())
    if (auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      symbols_.try_emplace(name.getValue());
  // The function's name is the phase's from now on.
  std::string name = func.getSymName().str();
  func.setSymName(getUniqueName(name + "$partitioned"));
  phase = dist::PhaseOp::create(symbolBuilder_, func.getLoc(), name, func.getRoleAttr(),
                                IntegerAttr(), FlatSymbolRefAttr(), async_ || backup_, false);
}

PhaseBuilder::~PhaseBuilder() = default;

std::string PhaseBuilder::getUniqueName(const Twine &name) {
  std::string stem = name.str(), unique = stem;
  auto [taken, isNew] = symbols_.try_emplace(stem, 0);
  while (!isNew) {
    unique = stem + "_" + std::to_string(++symbols_[stem]);
    isNew = symbols_.try_emplace(unique, 0).second;
  }
  return unique;
}

LogicalResult PhaseBuilder::start() { return backup_ ? backup_->check() : success(); }

ProgramBuilder &PhaseBuilder::getProgram(DeviceAttr device) {
  std::unique_ptr<ProgramBuilder> &slot = programs[device];
  if (slot)
    return *slot;
  std::string suffix = device.getJob().empty() ? "replica" : device.getJob().str();
  if (!isReplicaDevice(device)) {
    suffix += std::to_string(device.getTask());
    if (device != dist.cluster.getDevices(device.getJob(), device.getTask()).front())
      suffix += "." + device.getKind().lower() + std::to_string(device.getIndex());
  }
  // Asynchronous: one instance a worker, on the parameter server's task too.
  int64_t replicas = isReplicaDevice(device) || async_ ? dist.replicas : 1;
  bool locks = (async_ || backup_) && !isReplicaDevice(device) && device != dist.replicaDevice;
  slot = createProgram(device, std::move(suffix), replicas, locks);
  return *slot;
}

std::unique_ptr<ProgramBuilder> PhaseBuilder::createProgram(DeviceAttr device, std::string suffix,
                                                            int64_t replicas, bool locks) {
  auto program = dist::ProgramOp::create(
      symbolBuilder_, func.getLoc(), getUniqueName(phase.getSymName() + "." + suffix),
      phase.getSymName(), device.str(), replicas, locks, IntegerAttr(), IntegerAttr());
  Block &block = program.getBody().emplaceBlock();
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  auto end = dist::EndOp::create(builder, func.getLoc());
  builder.setInsertionPoint(end);
  return std::make_unique<ProgramBuilder>(program, builder, std::move(suffix));
}

//===------------------------------------------------------------------------------------------===//
// Values
//===------------------------------------------------------------------------------------------===//

/// What a channel is called after: the variable that is read or whose gradient crosses, the
/// argument, or the operation.
static std::string getStem(Value value, graph::FuncOp func, bool &isGradient) {
  isGradient = false;
  Operation *def = value.getDefiningOp();
  if (!def)
    return func.getArgumentName(cast<BlockArgument>(value).getArgNumber());
  if (auto read = dyn_cast<graph::ReadOp>(def))
    return read.getVariable().str();
  for (Operation *user : value.getUsers()) {
    Operation *update = user;
    for (unsigned hops = 0;
         hops < 2 && (isa<graph::AggregateOp>(update) || graph::isMean(update)) &&
         !update->use_empty();
         ++hops)
      update = *update->getUsers().begin();
    if (graph::appliesGradient(update) &&
        (update != user || graph::getUpdateOperand(update).get() == value)) {
      isGradient = true;
      return graph::getVariable(update).getValue().str();
    }
  }
  return def->getName().stripDialect().str();
}

dist::ChannelOp PhaseBuilder::createChannel(const Twine &name, RankedTensorType type,
                                            ProgramBuilder &from, ProgramBuilder &to, Location loc,
                                            bool control, bool allToAll) {
  std::string unique = getUniqueName(phase.getSymName() + "." + name);
  OpBuilder builder(phase);
  builder.setInsertionPointAfter(lastChannel_ ? lastChannel_ : phase.getOperation());
  int64_t instances =
      control ? to.op.getReplicas() : std::max(from.op.getReplicas(), to.op.getReplicas());
  // The chief begins a step, and an instance that has all messages of one sends those of the next,
  // before others have taken what they sent before.
  int64_t capacity = control || allToAll ? 2 : 1;
  auto channel =
      dist::ChannelOp::create(builder, loc, unique, type, from.op.getSymName(), to.op.getSymName(),
                              capacity, instances, control, allToAll,
                              /*zeroCopy=*/false, /*conflating=*/false,
                              /*algorithm=*/StringAttr(), /*chunk=*/IntegerAttr(), /*hosts=*/1,
                              /*sized=*/false);
  lastChannel_ = channel;
  return channel;
}

dist::ChannelOp PhaseBuilder::createChannel(Value value, ProgramBuilder &from, ProgramBuilder &to,
                                            Location loc) {
  bool isGradient;
  std::string stem = getStem(value, func, isGradient);
  auto type = cast<RankedTensorType>(value.getType());
  return isGradient ? createChannel(stem + ".gradient", type, from, to, loc, false)
                    : createChannel(stem + ".to_" + to.suffix, type, from, to, loc, false);
}

dist::SendOp PhaseBuilder::send(Value value, ProgramBuilder &from, dist::ChannelOp channel) {
  Value own = from.map.lookup(value);
  Operation *&last = from.lastSend[value];
  OpBuilder builder(func.getContext());
  builder.setInsertionPointAfter(last ? last : own.getDefiningOp());
  auto made = dist::SendOp::create(builder, value.getLoc(), channel.getSymName(), own);
  last = made;
  return made;
}

Value PhaseBuilder::getOwnValue(Value value, ProgramBuilder &program) {
  if (Value own = program.map.lookupOrNull(value))
    return own;
  Operation *def = value.getDefiningOp();
  if (!def) {
    if (&program != &getProgram(getDevice(func)))
      return {};
    unsigned number = cast<BlockArgument>(value).getArgNumber();
    OpBuilder builder = OpBuilder::atBlockBegin(&program.op.getBlock());
    Value fed = dist::FeedOp::create(builder, value.getLoc(), value.getType(),
                                     func.getArgumentName(number));
    program.map.map(value, fed);
    return fed;
  }
  if (!graph::isRematerializable(def))
    return {};
  Operation *copy = program.builder.clone(*def);
  copy->removeAttr(graph::GraphDialect::kDevice);
  program.map.map(def->getResults(), copy->getResults());
  return program.map.lookup(value);
}

Value PhaseBuilder::getValue(Value value, ProgramBuilder &program, Location user) {
  if (Value own = getOwnValue(value, program))
    return own;
  Operation *def = value.getDefiningOp();
  graph::DeviceAttr device = def ? graph::getDeviceOf(value) : getDevice(func);
  bool byProxy =
      backup_ && device != dist.replicaDevice && program.op.getDevice() == dist.replicaDevice.str();
  ProgramBuilder &from = byProxy ? backup_->getProxy(device) : getProgram(device);
  if (byProxy)
    backup_->makeValue(value, from);
  else
    getOwnValue(value, from);
  dist::ChannelOp channel = createChannel(value, from, program, value.getLoc());
  // the next iteration's message travels while this one's is used
  if (def && isa<graph::RepeatOp>(def->getParentOp()))
    channel.setCapacity(2);
  send(value, from, channel);
  Value received =
      dist::ReceiveOp::create(program.builder, user, value.getType(), channel.getSymName());
  program.map.map(value, received);
  return received;
}

Value PhaseBuilder::getAggregate(graph::AggregateOp aggregate, ProgramBuilder &program) {
  if (backup_)
    return backup_->getSum(aggregate, program);
  Value value = aggregate.getOperand();
  ProgramBuilder &from = getProgram(dist.replicaDevice);
  getOwnValue(value, from); // a constant is sent as well: its sum is that of N messages
  dist::ChannelOp channel = createChannel(value, from, program, value.getLoc());
  send(value, from, channel);
  Value sum = dist::AggregateOp::create(program.builder, aggregate.getLoc(), value.getType(),
                                        channel.getSymName(),
                                        /*own=*/Value());
  program.map.map(aggregate.getResult(), sum);
  return sum;
}

dist::SendOp PhaseBuilder::sendFront(Value value, Value count, ProgramBuilder &from,
                                     dist::ChannelOp channel) {
  dist::SendOp made = send(value, from, channel);
  if (!count)
    return made;
  channel.setSized(true);
  Value own = getValue(count, from, value.getLoc());
  made.getCountMutable().assign(own);
  if (!own.getDefiningOp()->isBeforeInBlock(made))
    made->moveAfter(own.getDefiningOp());
  return made;
}

void PhaseBuilder::collect(graph::CollectOp collect, ProgramBuilder &program) {
  Value value = collect.getOperand();
  ProgramBuilder &from = getProgram(graph::getDeviceOf(value));
  getOwnValue(value, from);
  dist::ChannelOp channel =
      createChannel(collect.getName(), cast<RankedTensorType>(value.getType()), from, program,
                    value.getLoc(), /*control=*/false);
  sendFront(value, collect.getCount(), from, channel);
  Value counts =
      collect.getCounts() ? getValue(collect.getCounts(), program, collect.getLoc()) : Value();
  Value all = collect.getReplicas() == 1
                  ? dist::ReceiveOp::create(program.builder, collect.getLoc(), collect.getType(),
                                            channel.getSymName(), counts)
                        .getValue()
                  : dist::CollectOp::create(program.builder, collect.getLoc(), collect.getType(),
                                            channel.getSymName(), counts)
                        .getValue();
  program.map.map(collect.getResult(), all);
}

void PhaseBuilder::deal(graph::DealOp deal, ProgramBuilder &program) {
  Value value = deal.getOperand();
  ProgramBuilder &from = getProgram(graph::getDeviceOf(value));
  dist::ChannelOp channel = createChannel(deal.getName(), deal.getType(), from, program,
                                          value.getLoc(), /*control=*/false);
  sendFront(value, deal.getCounts(), from, channel).setDeal(deal.getReplicas() > 1);
  Value count = deal.getCount() ? getValue(deal.getCount(), program, deal.getLoc()) : Value();
  Value own = dist::ReceiveOp::create(program.builder, deal.getLoc(), deal.getType(),
                                      channel.getSymName(), count);
  program.map.map(deal.getResult(), own);
}

void PhaseBuilder::reduceEverywhere(ArrayRef<graph::AggregateOp> bucket, ProgramBuilder &program) {
  OpBuilder &at = program.builder;
  SmallVector<Value> values;
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (graph::AggregateOp aggregate : bucket) {
    values.push_back(getValue(aggregate.getOperand(), program, aggregate.getLoc()));
    types.push_back(aggregate.getType());
    locations.push_back(aggregate.getLoc());
  }
  Location loc = at.getFusedLoc(locations);
  Type element = getElementTypeOrSelf(types.front());
  int64_t elements;
  dist::getPackOffsets(types, elements);
  ReplicaTopology summing{dist.replicas, /*inOrder=*/!dist.fast, dist.hosts, {}};
  if (dist.hosts > 1)
    summing.betweenHosts =
        LinkTimes(module)
            .between(dist.replicaDevice.getName(), dist.replicaDevice.getName())
            .value_or(TimeModel(cluster::MachineCalibration()).betweenTasks(/*oneHost=*/false));
  AllReducePlan plan = planAllReduce(elements, graph::getElementBytes(element), summing);
  const bool packs = bucket.size() > 1 || !plan.algorithm.empty();
  Value own =
      packs ? dist::PackOp::create(at, loc, RankedTensorType::get(plan.elements, element), values)
                  .getResult()
            : values.front();
  auto type = cast<RankedTensorType>(own.getType());
  dist::ChannelOp channel = createChannel("all_reduce", type, program, program, loc,
                                          /*control=*/false, /*allToAll=*/true);
  if (!plan.algorithm.empty()) {
    channel.setAlgorithm(plan.algorithm);
    channel.setChunk(uint64_t(plan.chunk));
    if (plan.hosts > 1)
      channel.setHosts(uint64_t(plan.hosts));
  }
  dist::SendOp::create(at, loc, channel.getSymName(), own);
  Value whole = dist::AggregateOp::create(at, loc, type, channel.getSymName(), own);
  SmallVector<Value> sums{whole};
  if (packs)
    llvm::append_range(sums = {}, dist::UnpackOp::create(at, loc, types, whole).getValues());
  for (auto [i, sum] : llvm::enumerate(sums)) {
    graph::AggregateOp aggregate = bucket[i];
    program.map.map(aggregate.getResult(), sum);
  }
}

//===------------------------------------------------------------------------------------------===//
// The control message, update tickets
//===------------------------------------------------------------------------------------------===//

LogicalResult PhaseBuilder::finish() {
  getProgram(getDevice(func)); // results are asked for in every phase
  if (async_)
    return addTicket();
  if (backup_)
    backup_->addVersions();
  else
    addControl();
  return success();
}

LogicalResult PhaseBuilder::addTicket() {
  auto step = module.lookupSymbol<graph::VariableOp>(graph::GraphDialect::kGlobalStep);
  if (!step || !phase.getAdvancesGlobalStep())
    return func.emitOpError(
        "never advances @global_step, by which asynchronous updates are counted; add graph.minimize "
        "or graph.assign_add @global_step");
  auto found = programs.find(getDevice(step));
  ProgramBuilder &owner = *found->second;
  OpBuilder builder = OpBuilder::atBlockBegin(&owner.op.getBlock());
  bool bounded = dist.maxStaleness >= 0;
  auto ticket = dist::TicketOp::create(builder, step.getLoc(),
                                       bounded ? builder.getI64IntegerAttr(dist.maxStaleness)
                                               : IntegerAttr());
  // The end travels along channels from here. A program that no value leads to gets one, the update
  // ticket itself, first of all: the replicas before the others, because what they send may lead
  // on. Where staleness is bounded, every parameter server waits for the ticket before it hands out
  // parameters, and says before it that its part of the step before is done.
  for (bool replicas : {true, false})
    for (auto &[device, program] : programs) {
      if ((device == dist.replicaDevice) != replicas || program.get() == &owner)
        continue;
      bool isServer = bounded && !replicas;
      if (isServer || !isHeard(owner, *program))
        sendTicket(owner, *program, step, builder);
      if (isServer)
        sendReady(*program, owner, ticket);
    }
  return success();
}

void PhaseBuilder::sendReady(ProgramBuilder &program, ProgramBuilder &owner, Operation *ticket) {
  Location loc = ticket->getLoc();
  auto type = RankedTensorType::get({}, IntegerType::get(func.getContext(), 64));
  dist::ChannelOp channel =
      createChannel("ready.from_" + program.suffix, type, program, owner, loc, /*control=*/false);
  OpBuilder sender = OpBuilder::atBlockBegin(&program.op.getBlock());
  dist::SendOp::create(sender, loc, channel.getSymName(), graph::createSplat(sender, loc, type, 1));
  OpBuilder receiver(ticket);
  dist::ReceiveOp::create(receiver, loc, type, channel.getSymName());
}

bool PhaseBuilder::isHeard(ProgramBuilder &from, ProgramBuilder &to) {
  SmallVector<StringRef> heard{from.op.getSymName()};
  for (size_t i = 0; i < heard.size(); ++i)
    for (auto channel : module.getOps<dist::ChannelOp>())
      if (channel.getFrom() == heard[i] && !llvm::is_contained(heard, channel.getTo()))
        heard.push_back(channel.getTo());
  return llvm::is_contained(heard, to.op.getSymName());
}

void PhaseBuilder::sendTicket(ProgramBuilder &owner, ProgramBuilder &program,
                              graph::VariableOp step, OpBuilder &builder) {
  Location loc = step.getLoc();
  dist::ChannelOp channel = createChannel("ticket.to_" + program.suffix, step.getTensorType(),
                                          owner, program, loc, /*control=*/false);
  Value ticket = graph::ReadOp::create(builder, loc, step.getTensorType(), step.getSymName());
  dist::SendOp::create(builder, loc, channel.getSymName(), ticket);
  OpBuilder receiver = OpBuilder::atBlockBegin(&program.op.getBlock());
  dist::ReceiveOp::create(receiver, loc, ticket.getType(), channel.getSymName());
}

void PhaseBuilder::addControl() {
  MLIRContext *context = func.getContext();
  // Of the replicas where it is the first of them, else a program of its own.
  DeviceAttr home = getDevice(func),
             first = isReplicaDevice(home) ? dist.mesh.getPlaces().front() : home;
  ProgramBuilder &chief = getProgram(first.isOnTaskOf(dist.chief) ? home : dist.chief);
  auto control = RankedTensorType::get({}, IntegerType::get(context, 64));
  SmallVector<Attribute> names;
  for (auto &[device, program] : programs) {
    bool local = program.get() == &chief;
    FlatSymbolRefAttr name;
    if (!local || program->op.isReplicated()) {
      dist::ChannelOp channel = createChannel("control." + program->suffix, control, chief,
                                              *program, func.getLoc(), /*control=*/true);
      name = FlatSymbolRefAttr::get(channel.getSymNameAttr());
      names.push_back(name);
    }
    dist::ControlReceiveOp::create(program->builder, func.getLoc(), name, local);
  }
  OpBuilder builder = OpBuilder::atBlockBegin(&chief.op.getBlock());
  dist::ControlSendOp::create(builder, func.getLoc(), builder.getArrayAttr(names));
}

} // namespace graphc
