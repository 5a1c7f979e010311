#include "test/runtime/common/plan/CompletePlan.h"

#include "runtime/common/plan/AllReduceMoves.h"
#include "runtime/common/plan/ChannelEvents.h"
#include "runtime/common/plan/PiggybackedCredits.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyPlan.h"

#include <map>
#include <optional>

namespace graphc::plan {

using detail::ChannelEvent;
using detail::eventsOf;

namespace {

const Channel *channelOf(const Plan &plan, uint32_t index) {
  return index < uint32_t(plan.channels_size()) ? &plan.channels(int(index)) : nullptr;
}

void addUpBytes(const Plan &plan, Program &program) {
  uint64_t sent = 0, received = 0;
  LoopWalk loops;
  for (const Instruction &instruction : program.instructions()) {
    const uint64_t times = loops.times(instruction);
    if (instruction.has_send_start())
      if (const Channel *c = channelOf(plan, instruction.send_start().channel());
          c && !c->conflating())
        sent += c->bytes() * times *
                (c->all_to_all()            ? c->instances() - 1
                 : program.instances() == 1 ? c->instances()
                                            : 1);
    if (instruction.has_receive())
      if (const Channel *c = channelOf(plan, instruction.receive().channel());
          c && !c->conflating())
        received += c->bytes() * times;
    if (instruction.has_collect())
      if (const Channel *c = channelOf(plan, instruction.collect().channel()))
        received += c->bytes() * c->instances();
    if (instruction.has_aggregate())
      if (const Channel *c = channelOf(plan, instruction.aggregate().channel());
          c && !c->conflating())
        received += c->bytes() * (c->instances() - c->all_to_all());
    if (instruction.has_all_reduce_start()) {
      const auto &start = instruction.all_reduce_start();
      const Channel *c = channelOf(plan, start.channel());
      if (!c || c->bytes() == 0 || start.buffer() >= uint32_t(program.buffers_size()) ||
          c->instances() > 64)
        continue;
      uint64_t chunks = program.buffers(int(start.buffer())).bytes() / c->bytes();
      if (!checkAllReduce(AllReduceShape::of(*c), chunks).ok())
        continue;
      uint64_t bytes = c->bytes() * allReduceMessages(AllReduceShape::of(*c), chunks);
      sent += bytes, received += bytes;
    }
  }
  program.set_bytes_sent_per_step(sent);
  program.set_bytes_received_per_step(received);
}

/// The events of all programs, and the edges between them that LivenessCertificate.h describes.
class Numbers {
public:
  explicit Numbers(Plan &plan) : plan_(plan), ends_(size_t(plan.channels_size())) {
    for (uint32_t p = 0; p < uint32_t(plan.programs_size()); ++p) {
      first_.push_back(ranks_.size());
      std::optional<size_t> ofStep, ofIteration;
      size_t loop = 0;
      for (const ChannelEvent &event : eventsOf(plan, p)) {
        std::optional<size_t> &before = event.isRepeated() ? ofIteration : ofStep;
        if (before)
          edges_.emplace_back(*before, ranks_.size());
        before = ranks_.size();
        if (event.isLoop()) {
          ofIteration.reset();
          loop = ranks_.size();
        } else if (channelOf(plan, event.channel)) {
          if (event.isRepeated())
            loops_[event.channel].push_back(loop);
          ends_[event.channel][event.action].push_back(ranks_.size());
          ahead_[event.channel] |=
              plan.programs(int(p)).instructions(int(event.instruction)).send_start().ahead();
        }
        ranks_.push_back(1);
      }
    }
    first_.push_back(ranks_.size());
    for (int c = 0; c < plan.channels_size(); ++c)
      join(plan.channels(c), ends_[size_t(c)], ahead_[uint32_t(c)]);
  }

  /// Relaxes until nothing changes, or as often as only a circle would need.
  void assign() {
    bool changed = true;
    for (size_t round = 0; changed && round <= ranks_.size(); ++round) {
      changed = false;
      for (auto [before, after] : edges_)
        if (ranks_[after] <= ranks_[before])
          ranks_[after] = ranks_[before] + 1, changed = true;
      for (const auto &[channel, together] : loops_)
        for (size_t loop : together)
          for (size_t other : together)
            if (ranks_[loop] < ranks_[other])
              ranks_[loop] = ranks_[other], changed = true;
    }
    for (int p = 0; p < plan_.programs_size(); ++p) {
      plan_.mutable_programs(p)->clear_event_ranks();
      for (size_t e = first_[size_t(p)]; e < first_[size_t(p) + 1]; ++e)
        plan_.mutable_programs(p)->add_event_ranks(ranks_[e]);
    }
  }

private:
  using Of = std::map<ChannelAction, std::vector<size_t>>; // numbers of one channel's events

  /// `ahead`: the message sent is the next step's, as many as one a channel.
  void join(const Channel &channel, Of &of, size_t ahead) {
    auto &sends = of[ChannelAction::Send], &receives = of[ChannelAction::Receive],
         &dones = of[ChannelAction::Done];
    auto &freed = of[ChannelAction::Release].empty() ? receives : of[ChannelAction::Release];
    auto &takers = of[ChannelAction::Acquire].empty() ? sends : of[ChannelAction::Acquire];
    for (size_t k = 0; k < sends.size(); ++k) {
      if (k >= ahead && k < receives.size())
        edges_.emplace_back(sends[k - ahead], receives[k]);
      if (channel.zero_copy() && k < freed.size() && k < dones.size())
        edges_.emplace_back(freed[k], dones[k]);
      if (k + ahead >= channel.capacity() && !channel.conflating() &&
          k + ahead - channel.capacity() < freed.size() && k < takers.size())
        edges_.emplace_back(freed[k + ahead - channel.capacity()], takers[k]);
    }
  }

  Plan &plan_;
  std::vector<uint32_t> ranks_;
  std::vector<size_t> first_; // event of each program
  std::vector<Of> ends_; // by channel
  // by channel: those of its events, which have one number
  std::map<uint32_t, std::vector<size_t>> loops_;
  std::map<uint32_t, bool> ahead_; // by channel: its message is sent a step before it is taken
  std::vector<std::pair<size_t, size_t>> edges_;
};

} // namespace

void completePlan(Plan &plan) {
  for (Program &program : *plan.mutable_programs())
    addUpBytes(plan, program);
  Numbers(plan).assign();
  for (Channel &channel : *plan.mutable_channels())
    channel.clear_credits_wait();
  if (verifyPlan(plan).ok())
    fillCredits(plan);
}

} // namespace graphc::plan
