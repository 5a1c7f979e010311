#include "runtime/common/plan/InstructionTable.h"

#pragma clang diagnostic error "-Wswitch"

namespace graphc::plan {
namespace {

InstructionEffects ofCall(const Plan &plan, const Instruction::Call &call) {
  InstructionEffects effects{{}, {}, call.kernel()};
  const Kernel *kernel =
      call.kernel() < uint32_t(plan.kernels_size()) ? &plan.kernels(int(call.kernel())) : nullptr;
  effects.buffers.reserve(size_t(call.buffers_size()));
  for (int i = 0; i < call.buffers_size(); ++i)
    effects.buffers.push_back({call.buffers(i), kernel && i < kernel->args_size()
                                                    ? kernel->args(i).access()
                                                    : READ_WRITE});
  return effects;
}

InstructionEffects ofAggregate(const Instruction::Aggregate &sum) {
  InstructionEffects effects{
      {{sum.buffer(), WRITE}}, {{ChannelAction::Receive, sum.channel()}}, sum.add()};
  if (sum.has_own())
    effects.buffers.push_back({sum.own(), READ});
  if (sum.has_scratch())
    effects.buffers.push_back({sum.scratch(), WRITE});
  if (sum.has_chosen())
    effects.buffers.push_back({sum.chosen(), READ});
  return effects;
}

InstructionEffects ofNextBatch(const Instruction::NextBatch &next) {
  InstructionEffects effects;
  for (uint32_t buffer : next.buffers())
    effects.buffers.push_back({buffer, WRITE});
  if (next.has_valid())
    effects.buffers.push_back({next.valid(), WRITE});
  return effects;
}

InstructionEffects ofControlSend(const Instruction::ControlSend &send) {
  InstructionEffects effects;
  for (uint32_t channel : send.channels())
    effects.channels.push_back({ChannelAction::Send, channel, /*control=*/true});
  return effects;
}

InstructionEffects ofAccumulate(const Instruction::Accumulate &sum) {
  InstructionEffects effects{{{sum.buffer(), READ}}, {}, sum.add()};
  for (uint32_t partial : sum.partials())
    effects.buffers.push_back({partial, WRITE});
  return effects;
}

/// How many units messages have is read there and then.
template <typename Transfer>
InstructionEffects withUnits(InstructionEffects effects, const Transfer &transfer) {
  if (transfer.has_units())
    effects.buffers.push_back({transfer.units(), READ});
  return effects;
}

} // namespace

const InstructionFacts *factsOf(Instruction::KindCase kind) {
  using F = InstructionFacts;
  switch (kind) { // no default: each kind has its row
#define GRAPHC_FACTS(KIND, ...)                                                                    \
  case Instruction::KIND: {                                                                        \
    static constexpr F facts{__VA_ARGS__};                                                         \
    return &facts;                                                                                 \
  }
    // clang-format off
    //                                text                         op                 category     loops  ahead  alone  plain
    GRAPHC_FACTS(kCall,               "call",                      "Call",            F::Kernel,   true,  true,  true)
    GRAPHC_FACTS(kReceive,            "receive",                   "Receive",         F::Message,  true)
    GRAPHC_FACTS(kRelease,            "release",                   "",                F::Message,  true)
    GRAPHC_FACTS(kAcquire,            "slot for",                  "",                F::Message,  true)
    GRAPHC_FACTS(kSendStart,          "send",                      "Send",            F::Message,  true)
    GRAPHC_FACTS(kSendDone,           "sent",                      "",                F::Message,  true)
    GRAPHC_FACTS(kRepeat,             "loop",                      "",                F::Message,  false, true)
    GRAPHC_FACTS(kAccumulate,         "sum of a loop",             "Accumulate",      F::Sum,      true,  true)
    GRAPHC_FACTS(kAggregate,          "sum of",                    "Aggregate",       F::Sum)
    GRAPHC_FACTS(kCollect,            "messages of",               "Collect",         F::Sum)
    GRAPHC_FACTS(kAllReduceStart,     "begin of all-reduce",       "AllReduce",       F::Message)
    GRAPHC_FACTS(kAllReduceDone,      "all-reduce",                "",                F::Message)
    GRAPHC_FACTS(kChoose,             "choose from",               "Choose",          F::Message)
    GRAPHC_FACTS(kNextBatch,          "next batch",                "NextBatch",       F::Data,     true,  true)
    GRAPHC_FACTS(kMicroBatchIndex,    "number of the micro-batch", "MicroBatchIndex", F::Host,     true,  true,  true)
    GRAPHC_FACTS(kControlSend,        "control message, sent",     "",                F::Message)
    GRAPHC_FACTS(kControlReceive,     "control message",           "",                F::Message)
    GRAPHC_FACTS(kCopy,               "copy",                      "Copy",            F::Message,  true,  true,  false, true)
    GRAPHC_FACTS(kSignal,             "signal",                    "",                F::Message,  true,  true,  false, true)
    GRAPHC_FACTS(kWait,               "wait for queue",            "",                F::Wait,     true,  true,  false, true)
    GRAPHC_FACTS(kTicket,             "ticket",                    "",                F::Message)
    // clang-format on
#undef GRAPHC_FACTS
  case Instruction::KIND_NOT_SET:
    return nullptr;
  }
  return nullptr;
}

InstructionEffects effectsOf(const Plan &plan, const Program &program,
                             const Instruction &instruction) {
  switch (instruction.kind_case()) { // no default: each kind has its row
  case Instruction::kCall:
    return ofCall(plan, instruction.call());
  case Instruction::kReceive: {
    const Instruction::Receive &receive = instruction.receive();
    return withUnits({{{receive.buffer(), WRITE, BufferHold::Released}},
                      {{ChannelAction::Receive, receive.channel()}},
                      {}},
                     receive);
  }
  case Instruction::kRelease:
    return {{}, {{ChannelAction::Release, instruction.release().channel()}}, {}};
  case Instruction::kAcquire: {
    const Instruction::Acquire &acquire = instruction.acquire();
    return {{{acquire.buffer(), WRITE, BufferHold::Sent}},
            {{ChannelAction::Acquire, acquire.channel()}},
            {}};
  }
  case Instruction::kSendStart: {
    const Instruction::SendStart &send = instruction.send_start();
    return withUnits(
        {{{send.buffer(), READ, BufferHold::Done}}, {{ChannelAction::Send, send.channel()}}, {}},
        send);
  }
  case Instruction::kSendDone:
    return {{}, {{ChannelAction::Done, instruction.send_done().channel()}}, {}};
  case Instruction::kAggregate:
    return ofAggregate(instruction.aggregate());
  case Instruction::kCollect:
    return withUnits({{{instruction.collect().buffer(), WRITE}},
                      {{ChannelAction::Receive, instruction.collect().channel()}},
                      {}},
                     instruction.collect());
  case Instruction::kChoose: {
    const Instruction::Choose &choose = instruction.choose();
    return {{{choose.version(), READ}, {choose.chosen(), WRITE}},
            {{ChannelAction::Receive, choose.channel()}},
            {}};
  }
  case Instruction::kAllReduceStart: {
    const Instruction::AllReduceStart &start = instruction.all_reduce_start();
    return {{{start.buffer(), READ_WRITE, BufferHold::ReceivedThenDone},
             {start.scratch(), WRITE, BufferHold::Received}},
            {{ChannelAction::Send, start.channel()}},
            start.add()};
  }
  case Instruction::kAllReduceDone: // what its start has named
    return {{}, {{ChannelAction::Receive, instruction.all_reduce_done().channel()}}, {}};
  case Instruction::kNextBatch:
    return ofNextBatch(instruction.next_batch());
  case Instruction::kMicroBatchIndex:
    return {{{instruction.micro_batch_index().buffer(), WRITE}}, {}, {}};
  case Instruction::kControlSend:
    return ofControlSend(instruction.control_send());
  case Instruction::kControlReceive: {
    const Instruction::ControlReceive &receive = instruction.control_receive();
    if (receive.local() && program.instances() == 1) // its own control message; no channel
      return {};
    return {{}, {{ChannelAction::Receive, receive.channel(), /*control=*/true}}, {}};
  }
  case Instruction::kCopy:
    return {{{instruction.copy().from(), READ}, {instruction.copy().to(), WRITE}}, {}, {}};
  case Instruction::kAccumulate:
    return ofAccumulate(instruction.accumulate());
  case Instruction::kSignal: // of queues: VerifyQueues.h
  case Instruction::kWait:
  case Instruction::kRepeat: // what it repeats has its own
  case Instruction::kTicket:
  case Instruction::KIND_NOT_SET:
    return {};
  }
  return {};
}

} // namespace graphc::plan
