//===- LaneSetup.cpp - a lane's making, its errors, what it says of itself -------------------------------------------===//

#include "runtime/base/Log.h"
#include "runtime/base/Status.h"
#include "runtime/executor/Lane.h"
#include "runtime/executor/TaskPhase.h"
#include "runtime/executor/ZeroCopyMemory.h"
#include "runtime/plan/AllReduce.h"
#include "runtime/plan/Types.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace graphc::executor {

using transport::PollState;

Lane::~Lane() = default;

absl::StatusOr<std::unique_ptr<Lane>> Lane::create(std::shared_ptr<const Program> program, LaneInfo info,
                                                   std::unique_ptr<Frame> frame, transport::Transport &transport,
                                                   Host &host) {
  std::unique_ptr<Lane> lane(new Lane);
  lane->program = std::move(program);
  lane->laneInfo = std::move(info);
  lane->laneFrame = std::move(frame);
  lane->host = &host;
  lane->messages.resize(lane->program->mostMessages);
  lane->addends.resize(lane->program->mostMessages);
  lane->context.replica = lane->laneInfo.instance;
  for (const Instruction &instruction : lane->program->instructions) {
    if (instruction.op == Op::Ticket && !(lane->tickets = host.tickets()))
      return absl::InternalError(absl::StrCat(lane->laneInfo.name, ": nobody gives it tickets"));
    if (instruction.op == Op::Choose) {
      lane->reports.assign(instruction.count, INT64_MIN);
      lane->accepted.assign(instruction.count, 0);
    }
  }
  GRAPHC_RETURN_IF_ERROR(lane->resolvePorts(transport));
  GRAPHC_RETURN_IF_ERROR(lane->makeQueues(transport));
  lane->makeAllReduces();
  return lane;
}

absl::Status Lane::resolvePorts(transport::Transport &transport) {
  auto used = [&](const PortUse &use, bool sends) {
    if (use.allToAll) {
      const plan::Channel &channel = program->plan->channels(int(use.channel));
      return carries(channel.algorithm(), channel.instances(), sends ? laneInfo.instance : use.instance,
                     sends ? use.instance : laneInfo.instance);
    }
    return use.who == PortUse::All || (use.who == PortUse::First) == (laneInfo.instance == 0);
  };
  auto keyOf = [&](const PortUse &use, bool sends) {
    if (use.allToAll)
      return allToAllKey(*program->plan, use.channel, sends ? laneInfo.instance : use.instance,
                         sends ? use.instance : laneInfo.instance);
    return transport::ChannelKey{use.channel, use.ownInstance ? laneInfo.instance : use.instance};
  };
  auto missing = [&](const PortUse &use, bool sends) {
    return absl::InternalError(absl::StrCat(laneInfo.name, ": no transport has channel ",
                                            program->plan->channels(int(use.channel)).name(), "[",
                                            keyOf(use, sends).instance, "]"));
  };
  for (const PortUse &use : program->sendPorts) {
    sends.push_back(used(use, true) ? transport.sender(keyOf(use, true)) : nullptr);
    if (used(use, true) && !sends.back())
      return missing(use, true);
  }
  for (const PortUse &use : program->receivePorts) {
    receives.push_back(used(use, false) ? transport.receiver(keyOf(use, false)) : nullptr);
    if (used(use, false) && !receives.back())
      return missing(use, false);
  }
  return absl::OkStatus();
}

absl::Status Lane::makeQueues(const transport::Transport &transport) {
  const size_t count = program->signals.size();
  if (const uint32_t most = program->device->limits().queues; count > most)
    return absl::ResourceExhaustedError(
        absl::StrCat(laneInfo.name, ": ", count, " queues, but ", program->device->name(), " has ", most));
  queues.reserve(count);
  queuePorts.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<device::Queue> queue, program->device->makeQueue());
    queues.push_back(std::move(queue));
    queuePorts.emplace_back(*queues.back(), transport);
  }
  return absl::OkStatus();
}

std::optional<LaneState> Lane::waitForQueue(const Instruction &instruction) {
  QueuePort &port = queuePorts[instruction.port];
  const PollState state = port.poll(countOf(instruction.port, instruction.count));
  if (state == PollState::Ready)
    return std::nullopt;
  for (const QueuePort &each : queuePorts) // it may wait for another that has failed
    if (absl::Status failed = each.failure(); !failed.ok())
      return fail(absl::Status(failed.code(), absl::StrCat(laneInfo.name, ": ", program->device->name(), " at step ",
                                                           currentStep, ": ", failed.message())));
  return notReady(&port, state);
}

void Lane::makeAllReduces() {
  underWay.reserve(program->allReduces.size());
  allReduces.reserve(program->allReduces.size());
  sums.reserve(program->allReduces.size());
  std::vector<uint64_t> arenas;
  for (const AllReduceCall &call : program->allReduces) {
    const plan::Instruction::AllReduceStart &start = call.source->all_reduce_start();
    const plan::Channel &channel = program->plan->channels(int(start.channel()));
    const uint64_t chunks = program->source->buffers(int(start.buffer())).bytes() / channel.bytes();
    AllReduce::Setting setting;
    setting.self = laneInfo.instance;
    setting.rounds = std::max<uint64_t>(1, chunks / channel.instances());
    setting.chunkBytes = channel.bytes();
    setting.addBytes = program->plan->kernels(int(start.add())).args(0).bytes();
    setting.add = call.add;
    setting.data = static_cast<uint8_t *>(laneFrame->arguments[call.arguments]);
    setting.scratch = static_cast<uint8_t *>(laneFrame->arguments[call.arguments + 1]);
    setting.sends = {sends.data() + call.sendPort, channel.instances()};
    setting.receives = {receives.data() + call.receivePort, channel.instances()};
    if (call.movable && arenas.empty())
      for (uint32_t i = 0; i < channel.instances(); ++i)
        arenas.push_back(ZeroCopyMemory::arenaOffset(
            *program->plan, plan::instanceTask(*program->plan, *program->source, i), program->index, i));
    sums.push_back(joinSums(call, arenas, setting.pieces));
    if (uint8_t *joined = sums.back().data())
      for (const AllReduceCall::Read &read : call.reads)
        laneFrame->arguments[read.argument] = joined + read.offset;
    allReduces.emplace_back(setting,
                            plan::allReduceMoves(channel.algorithm(), channel.instances(), chunks, laneInfo.instance));
  }
}

device::Memory Lane::joinSums(const AllReduceCall &call, const std::vector<uint64_t> &arenas,
                              std::vector<const uint8_t *> &pieces) const {
  const plan::Plan &plan = *program->plan;
  const plan::Instruction::AllReduceStart &start = call.source->all_reduce_start();
  const plan::Buffer &buffer = program->source->buffers(int(start.buffer()));
  const uint32_t instances = plan.channels(int(start.channel())).instances();
  const uint64_t piece = buffer.bytes() / instances;
  if (!call.movable)
    return {};
  const auto *own = static_cast<const uint8_t *>(laneFrame->arguments[call.arguments]);
  std::vector<std::span<const uint8_t>> parts;
  std::vector<const uint8_t *> theirs(instances);
  for (uint32_t i = 0; i < instances; ++i) {
    parts.emplace_back(own + i * piece, piece);
    std::span<const uint8_t> memory;
    if (const transport::RecvPort *port = receives[call.receivePort + i])
      memory = port->sendersMemory();
    if (memory.empty())
      continue;
    const uint64_t at = arenas[i] + buffer.arena().offset() + i * piece;
    if (at + piece > memory.size()) // its messages will be refused
      continue;
    parts.back() = memory.subspan(at, piece);
    theirs[i] = parts.back().data();
  }
  if (std::none_of(theirs.begin(), theirs.end(), [](const uint8_t *at) { return at; }))
    return {};
  absl::StatusOr<device::Memory> joined = device::Memory::join(parts, "sums of other tasks");
  if (!joined.ok()) { // as many mappings as the system has: copies do as well
    base::logger().warn("{}: sums of other tasks are copied: {}", laneInfo.name,
                        std::string(joined.status().message()));
    return {};
  }
  pieces = std::move(theirs);
  return *std::move(joined);
}

LaneState Lane::fail(absl::Status status) {
  if (tickets)
    tickets->leave(laneInfo.instance);
  failure = std::move(status);
  return LaneState::Failed;
}

LaneState Lane::kernelFailed(const Instruction &instruction, int code) {
  const std::string &where = plan::locationText(*program->plan, instruction.source->location());
  return fail(absl::InternalError(absl::StrCat(
      laneInfo.name, ": kernel ", program->plan->kernels(int(instruction.planKernel)).name(),
      where.empty() ? "" : absl::StrCat(" (", where, ")"), " failed with code ", code, " at step ", currentStep)));
}

LaneState Lane::badControlMessage(const ControlMessage &controlMessage) {
  return fail(absl::InternalError(absl::StrCat(laneInfo.name, ": at step ", currentStep,
                                               " the control message is action ", int(controlMessage.action),
                                               " for step ", controlMessage.step, "; the tasks have lost each other")));
}

LaneState Lane::portFailed(transport::Port *port, transport::PollState state) {
  if (state == transport::PollState::Closed)
    return fail(absl::InternalError(absl::StrCat(
        describeWait(), ", but that end of the channel is closed in a phase that does not end by end of stream")));
  absl::Status why = port->status();
  return fail(why.ok() ? absl::AbortedError(absl::StrCat(laneInfo.name, ": aborted")) : why);
}

// "to receive train.w1.gradient[1] (model.mlir:12:8) from /job:worker/task:1 train.worker[1]"
static std::string describeUse(const Program &program, const LaneInfo &info, const PortUse &use, bool sends) {
  const plan::Plan &plan = *program.plan;
  const plan::Channel &channel = plan.channels(int(use.channel));
  uint32_t instance = use.ownInstance ? info.instance : use.instance;
  const plan::Program &peer = plan.programs(int(sends ? channel.receiver() : channel.sender()));
  bool fromChief = channel.control() && !sends;
  uint32_t peerInstance = peer.instances() == 1 || fromChief ? 0 : instance; // all to all: `instance` is the peer's
  const std::string &where = plan::locationText(plan, channel.location());
  return absl::StrCat(sends ? "send " : "receive ", channel.name(),
                      channel.instances() > 1 ? absl::StrCat("[", instance, "]") : "",
                      where.empty() ? "" : absl::StrCat(" (", where, ")"), sends ? " to " : " from ",
                      plan::taskText(plan, plan::instanceTask(plan, peer, peerInstance)), " ", peer.name(),
                      peer.instances() > 1 ? absl::StrCat("[", peerInstance, "]") : "");
}

// "for /job:worker/task:1, the slowest worker at step 9 (max_staleness is 2)"
std::string Lane::describeTicketWait() const {
  std::optional<Tickets::Slowest> slowest = tickets->slowest(laneInfo.instance);
  if (!slowest || !tickets->maxStaleness())
    return "for a ticket";
  const plan::Plan &plan = *program->plan;
  plan::Program everyReplica; // instance r serves replica r
  everyReplica.set_instances(plan.replicas().size());
  everyReplica.set_spread(true);
  return absl::StrCat("for ", plan::taskText(plan, plan::instanceTask(plan, everyReplica, slowest->instance)),
                      ", the slowest worker at step ", slowest->clock, ", before it hands step ", currentStep, " to ",
                      plan::taskText(plan, plan::instanceTask(plan, everyReplica, laneInfo.instance)),
                      " (max_staleness is ", *tickets->maxStaleness(), ")");
}

std::string Lane::describeWait() const {
  if (position >= program->instructions.size() && blockedPort)
    return absl::StrCat(laneInfo.name, " waits at step ", currentStep, " for the chief ",
                        plan::taskText(*program->plan, program->plan->chief()),
                        " to take the results (--fetch) of steps before");
  if (position >= program->instructions.size())
    return absl::StrCat(laneInfo.name, " is between two steps");
  const Instruction &instruction = program->instructions[position];
  std::string what;
  switch (instruction.op) {
  case Op::Receive:
  case Op::Aggregate:
    what = describeUse(*program, laneInfo, program->receivePorts[instruction.port + sub], false);
    break;
  case Op::AllReduceDone: {
    const AllReduceCall &call = program->allReduces[instruction.port];
    what = waitsFor.sends
               ? describeUse(*program, laneInfo, program->sendPorts[call.sendPort + waitsFor.peer], true)
               : describeUse(*program, laneInfo, program->receivePorts[call.receivePort + waitsFor.peer], false);
    break;
  }
  case Op::Acquire:
  case Op::SendStart:
  case Op::SendAhead:
  case Op::SendDone:
  case Op::ControlSend:
    what = describeUse(*program, laneInfo, program->sendPorts[instruction.port + sub], true);
    break;
  case Op::ControlReceive:
    what = instruction.port == Program::noPort
               ? "decide"
               : describeUse(*program, laneInfo, program->receivePorts[instruction.port], false);
    break;
  case Op::Ticket:
    return absl::StrCat(laneInfo.name, " waits at step ", currentStep, " ", describeTicketWait());
  case Op::Wait: {
    const std::string &where = plan::locationText(*program->plan, instruction.source->location());
    return absl::StrCat(laneInfo.name, " waits at step ", currentStep, " for queue ", instruction.port + 1, " of ",
                        program->device->name(), where.empty() ? "" : absl::StrCat(" (", where, ")"));
  }
  case Op::Choose:
    return absl::StrCat(laneInfo.name, " waits at step ", currentStep, " ", describeChoice(instruction));
  default:
    return absl::StrCat(laneInfo.name, " computes at step ", currentStep);
  }
  return absl::StrCat(laneInfo.name, " waits at step ", currentStep, " to ", what);
}

} // namespace graphc::executor
