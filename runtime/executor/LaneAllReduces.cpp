#include "runtime/executor/LaneAllReduces.h"

#include "runtime/common/base/ProcessLog.h"
#include "runtime/common/plan/AllReduceMoves.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/executor/ZeroCopySource.h"

#include <algorithm>

namespace graphc::executor {
namespace {

/// The sums of an all-reduce in one range: those of pieces of instances on this host where these
/// have them, the others' and its own from its buffer, `own`. No memory where there is nothing to
/// gain. `arenas`, by instance: where its program's begins in its zero-copy memory. `pieces` gets
/// where each other instance's lies, null where it is copied.
device::MemoryRegion joinSums(const AllReduceCall &call, const LaneProgram &program,
                              const LaneInfo &info, const LanePorts &ports,
                              const plan::AllReduceGroup &near, const uint8_t *own,
                              const std::vector<uint64_t> &arenas,
                              std::vector<const uint8_t *> &pieces) {
  const plan::Buffer &buffer =
      program.source->buffers(int(call.source->all_reduce_start().buffer()));
  const uint64_t piece = buffer.bytes() / near.count;
  std::vector<std::span<const uint8_t>> parts;
  std::vector<const uint8_t *> theirs(arenas.size());
  for (uint32_t i = 0; i < near.count; ++i) {
    const uint32_t instance = near.member(i);
    parts.emplace_back(own + i * piece, piece);
    std::span<const uint8_t> memory;
    if (const transport::RecvPort *port = ports.receives[call.receivePort + instance])
      memory = port->sendersMemory();
    if (memory.empty())
      continue;
    const uint64_t at = arenas[instance] + buffer.arena().offset() + i * piece;
    if (at + piece > memory.size()) // its messages will be refused
      continue;
    parts.back() = memory.subspan(at, piece);
    theirs[instance] = parts.back().data();
  }
  if (std::none_of(theirs.begin(), theirs.end(), [](const uint8_t *at) { return at; }))
    return {};
  absl::StatusOr<device::MemoryRegion> joined =
      device::MemoryRegion::join(parts, "sums of other tasks");
  if (!joined.ok()) { // as many mappings as the system has: copies do as well
    base::logger().warn("{}: sums of other tasks are copied: {}", info.name,
                        std::string(joined.status().message()));
    return {};
  }
  pieces = std::move(theirs);
  return *std::move(joined);
}

} // namespace

void LaneAllReduces::make(const LaneProgram &program, const LaneInfo &info, const LanePorts &ports,
                          LaneFrame &frame) {
  underWay_.reserve(program.allReduces.size());
  all_.reserve(program.allReduces.size());
  sums_.reserve(program.allReduces.size());
  std::vector<uint64_t> arenas;
  for (const AllReduceCall &call : program.allReduces) {
    const plan::Instruction::AllReduceStart &start = call.source->all_reduce_start();
    const plan::Channel &channel = program.plan->channels(int(start.channel()));
    const uint64_t chunks = program.source->buffers(int(start.buffer())).bytes() / channel.bytes();
    const plan::AllReduceShape shape = plan::AllReduceShape::of(channel);
    ResumableAllReduce::Setting setting;
    setting.self = info.instance;
    setting.near = plan::allReduceGroup(shape, plan::AllReduceMove::Sum, info.instance);
    setting.far = plan::allReduceGroup(shape, plan::AllReduceMove::SumHosts, info.instance);
    setting.rounds = std::max<uint64_t>(1, chunks / setting.near.count);
    setting.chunkBytes = channel.bytes();
    setting.addBytes = program.plan->kernels(int(start.add())).args(0).bytes();
    setting.add = call.add;
    setting.data = static_cast<uint8_t *>(frame.arguments[call.arguments]);
    setting.scratch = static_cast<uint8_t *>(frame.arguments[call.arguments + 1]);
    setting.sends = {ports.sends.data() + call.sendPort, channel.instances()};
    setting.receives = {ports.receives.data() + call.receivePort, channel.instances()};
    if (call.released && arenas.empty())
      for (uint32_t i = 0; i < channel.instances(); ++i)
        arenas.push_back(ZeroCopySource::arenaOffset(
            *program.plan, plan::instanceTask(*program.plan, *program.source, i), program.index,
            i));
    sums_.push_back(call.released ? joinSums(call, program, info, ports, setting.near, setting.data,
                                             arenas, setting.pieces)
                                  : device::MemoryRegion());
    if (uint8_t *joined = sums_.back().data())
      for (const AllReduceCall::Read &read : call.reads)
        frame.arguments[read.argument] = joined + read.offset;
    all_.emplace_back(setting, plan::allReduceMoves(shape, chunks, info.instance));
  }
}

ResumableAllReduce::Outcome LaneAllReduces::finish(uint32_t index, uint64_t step,
                                                   const GraphcContext &context) {
  ResumableAllReduce &allReduce = all_[index];
  ResumableAllReduce::Outcome outcome = allReduce.advance(step, context);
  if (outcome.code || outcome.elsewhere || outcome.state != transport::PollState::Ready)
    return outcome;
  std::erase(underWay_, &allReduce);
  allReduce.restart();
  return outcome;
}

} // namespace graphc::executor
