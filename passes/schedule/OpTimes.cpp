#include "passes/schedule/OpTimes.h"

#include "passes/schedule/BufferUses.h"
#include "runtime/common/base/OpCount.h"
#include "runtime/common/plan/AllReduceMoves.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace graphc {

plan::AllReduceAlgorithm algorithmOf(dist::ChannelOp channel) {
  plan::AllReduceAlgorithm algorithm = plan::WHOLE;
  if (std::optional<StringRef> name = channel.getAlgorithm())
    plan::AllReduceAlgorithm_Parse(name->upper(), &algorithm); // the dialect has verified it
  return algorithm;
}

TimeModel::Way OpTimes::wayOf(dist::ChannelOp channel) const {
  auto from = symbols_.lookup<dist::ProgramOp>(channel.getFrom()),
       to = symbols_.lookup<dist::ProgramOp>(channel.getTo());
  std::string error;
  std::optional<graph::DeviceName> a = graph::DeviceName::parse(from.getDevice(), error),
                                   b = graph::DeviceName::parse(to.getDevice(), error);
  assert(a && b && "dist.program's verifier has read them");
  // Replicated programs without a task have their instances on the same tasks.
  if (a->job == b->job && a->task == b->task && (!channel.getAllToAll() || a->task))
    return time_.insideTask();
  if (std::optional<TimeModel::Way> link = links_.between(*a, *b))
    return *link;
  return time_.betweenTasks(/*oneHost=*/true); // nobody has said where the tasks will be
}

TimeModel::Message OpTimes::messageOf(dist::ChannelOp channel) const {
  auto from = symbols_.lookup<dist::ProgramOp>(channel.getFrom()),
       to = symbols_.lookup<dist::ProgramOp>(channel.getTo());
  TimeModel::Message message;
  message.bytes = double(channel.getMessageBytes());
  message.instances = channel.getInstances();
  message.senders = from.getReplicas();
  message.receivers = to.getReplicas();
  message.allToAll = channel.getAllToAll();
  message.alone = symbols_.lookup<dist::PhaseOp>(from.getPhase()).getEndsByEndOfStream();
  message.inPlace = channel.getZeroCopy();
  const plan::AllReduceShape shape{algorithmOf(channel), uint32_t(message.instances),
                                   uint32_t(channel.getHosts())};
  if (shape.algorithm != plan::WHOLE) {
    const uint64_t chunks =
        uint64_t(channel.getTensorType().getNumElements()) / *channel.getChunk();
    const double chunkBytes = message.bytes / double(chunks);
    message.bytes = chunkBytes * double(plan::allReduceMessages(shape, chunks));
    message.hops = plan::allReduceHops(shape);
    message.hopsWithinHosts = plan::allReduceHopsWithinHosts(shape);
    if (shape.hosts > 1)
      message.leavesHost =
          chunkBytes * double(plan::allReduceMessagesLeavingHost(shape, shape.onHost(), chunks));
  }
  return message;
}

double OpTimes::delay(dist::ChannelOp channel) const {
  const TimeModel::Way way = wayOf(channel);
  const TimeModel::Message message = messageOf(channel);
  return TimeModel::transfer(way, message) + time_.latency(way, message);
}

static TimeModel::Engine engineOf(Operation *op) {
  return op->getParentOfType<dist::ProgramOp>().runsPtx() ? TimeModel::Engine::Gpu
                                                          : TimeModel::Engine::Host;
}

double OpTimes::ofCall(dist::BufferEffectsOpInterface op, double threads) const {
  uint64_t bytes = 0;
  if (FailureOr<SmallVector<dist::BufferEffect>> effects = op.getBufferEffects(symbols_);
      succeeded(effects))
    for (const dist::BufferEffect &effect : *effects)
      bytes += dist::getBufferBytes(effect.buffer) *
               (effect.access == dist::BufferAccess::ReadWrite ? 2 : 1);
  return time_.queuedCall(engineOf(op), getFlops(op, symbols_), bytes, threads);
}

double OpTimes::of(Operation *op) const {
  if (isDeclaration(*op))
    return 0;
  auto channelOf = [&](auto end) { return symbols_.lookup<dist::ChannelOp>(end.getChannel()); };
  auto send = [&](auto end) {
    dist::ChannelOp channel = channelOf(end);
    TimeModel::Message message = messageOf(channel);
    if constexpr (!std::is_same_v<decltype(end), dist::AllReduceStartOp>)
      message.inPlace |= bool(end.getValue().template getDefiningOp<dist::AcquireOp>());
    return time_.send(wayOf(channel), message);
  };
  auto sum = [&](auto end) {
    TimeModel::Message message = messageOf(channelOf(end));
    // only sums that are released are read where they were made
    if (message.hops && message.inPlace)
      message.inPlace = llvm::any_of(end->getBlock()->template getOps<dist::ReleaseOp>(),
                                     [&](dist::ReleaseOp release) {
                                       return release.getChannelAttr() == end.getChannelAttr();
                                     });
    return time_.sum(message);
  };
  if (auto repeat = dyn_cast<dist::RepeatOp>(op)) {
    double once = 0;
    for (Operation &inside : repeat.getBody().front())
      once += of(&inside);
    return time_.instruction() + once * double(repeat.getCount());
  }
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case([&](dist::CallOp call) { return ofCall(call, 0); })
      .Case([&](dist::LibraryCallOp call) { return ofCall(call, 1); })
      .Case([&](dist::CopyOp copy) {
        return time_.queuedCopy(engineOf(copy), dist::getBufferBytes(copy.getTo()));
      })
      .Case([&](dist::AccumulateOp sum) {
        const uint64_t bytes = dist::getBufferBytes(sum.getValue());
        return sum->getParentOfType<dist::ProgramOp>().hasQueues()
                   ? time_.queuedSum(engineOf(sum), bytes)
                   : time_.accumulate(bytes);
      })
      .Case([&](dist::NextBatchIntoOp next) {
        uint64_t bytes = 0;
        for (Value buffer : next->getOperands())
          bytes += dist::getBufferBytes(buffer);
        return time_.copy(bytes);
      })
      .Case([&](dist::CollectIntoOp collect) {
        return time_.copy(dist::getBufferBytes(collect.getValue()));
      })
      .Case<dist::SendOp, dist::SendStartOp, dist::AllReduceStartOp>(send)
      .Case<dist::AggregateIntoOp, dist::AggregateChosenIntoOp, dist::AllReduceDoneOp>(sum)
      .Case<dist::SendDoneOp, dist::FeedIntoOp, dist::FetchOp, dist::MetricOp, dist::EndOp>(
          [](Operation *) { return 0.0; })
      .Default([&](Operation *) { return time_.instruction(); });
}

uint64_t getFlops(Operation *op, const SymbolTable &symbols) {
  if (auto call = dyn_cast<dist::LibraryCallOp>(op))
    return call.getFlops();
  if (auto repeat = dyn_cast<dist::RepeatOp>(op)) {
    uint64_t flops = 0;
    for (Operation &inside : repeat.getBody().front()) // of a sum of a loop, all times
      flops = base::addOps(
          flops, base::multiplyOps({getFlops(&inside, symbols),
                                    isa<dist::AccumulateOp>(inside) ? 1 : repeat.getCount()}));
    return flops;
  }
  StringRef name;
  uint64_t times = 1;
  if (auto call = dyn_cast<dist::CallOp>(op)) {
    name = call.getKernel();
  } else {
    auto sum = [&](auto aggregate) {
      name = aggregate.getAdd();
      times = symbols.lookup<dist::ChannelOp>(aggregate.getChannel()).getInstances() - 1;
      if (std::optional<uint64_t> chunk = aggregate.getChunk())
        times *= uint64_t(cast<MemRefType>(aggregate.getAccumulator().getType()).getNumElements()) /
                 *chunk;
    };
    if (auto aggregate = dyn_cast<dist::AggregateIntoOp>(op))
      sum(aggregate);
    else if (auto ofLoop = dyn_cast<dist::AccumulateOp>(op)) {
      name = ofLoop.getAdd();
      times = ofLoop.getAdditions() *
              uint64_t(cast<MemRefType>(ofLoop.getValue().getType()).getNumElements() /
                       std::max<int64_t>(1, ofLoop.getChunkElements()));
    } else if (auto some = dyn_cast<dist::AggregateChosenIntoOp>(op))
      sum(some);
    else if (auto reduce = dyn_cast<dist::AllReduceDoneOp>(op))
      // what works in chunks adds about each element once
      return uint64_t(cast<MemRefType>(reduce.getBuffer().getType()).getNumElements());
    else
      return 0;
  }
  Operation *kernel = symbols.lookup(name);
  auto flops = kernel ? kernel->getAttrOfType<IntegerAttr>("dist.flops") : IntegerAttr();
  return flops ? base::multiplyOps({times, uint64_t(flops.getInt())}) : 0;
}

} // namespace graphc
