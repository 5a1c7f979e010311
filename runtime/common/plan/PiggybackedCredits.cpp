#include "runtime/common/plan/PiggybackedCredits.h"

#include "runtime/common/plan/ChannelEvents.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyHelpers.h"

#include <algorithm>
#include <climits>
#include <map>
#include <set>

namespace graphc::plan {
namespace {

/// Positions of one channel's instructions in the programs at its ends.
struct Use {
  int sends = 0;
  uint32_t ahead = 0; ///< steps that a message is sent before it is taken
  int firstTake = INT_MAX; ///< SendStart or Acquire: before it the sender needs no slot
  int lastSend = -1;
  int lastReceive = -1;
  int lastRelease = -1; ///< INT_MAX: after the step's last instruction
  bool repeated = false; ///< in loops
};

class Reader {
public:
  explicit Reader(const Plan &plan) : plan_(plan), uses_(size_t(plan.channels_size())) {}

  std::vector<bool> run() {
    for (uint32_t program = 0; program < uint32_t(plan_.programs_size()); ++program)
      read(program);
    std::map<std::pair<uint32_t, uint32_t>, std::vector<const Use *>> ways; // sender and receiver
    for (int i = 0; i < plan_.channels_size(); ++i)
      if (const Channel &channel = plan_.channels(i);
          carriesCredits(channel) && !uses_[size_t(i)].repeated)
        ways[{channel.sender(), channel.receiver()}].push_back(&uses_[size_t(i)]);
    std::vector<bool> wait(uses_.size(), false);
    for (int i = 0; i < plan_.channels_size(); ++i) {
      const Channel &channel = plan_.channels(i);
      const std::vector<const Use *> &back = ways[{channel.receiver(), channel.sender()}];
      wait[size_t(i)] = canWait(channel, uses_[size_t(i)]) &&
                        std::any_of(back.begin(), back.end(), [&](const Use *other) {
                          return comesInTime(channel, uses_[size_t(i)], *other);
                        });
    }
    return wait;
  }

private:
  uint32_t instancesOf(uint32_t program) const { return plan_.programs(int(program)).instances(); }

  /// One message a step from each instance of its sender to the same instances of its receiver as
  /// any other such channel.
  bool isPlain(const Channel &channel) const {
    return !channel.conflating() && channel.algorithm() == WHOLE;
  }

  /// Reaches every lane that sends something to the lane that sends this.
  bool carriesCredits(const Channel &channel) const {
    return isPlain(channel) && (!channel.control() || instancesOf(channel.sender()) == 1);
  }

  bool canWait(const Channel &channel, const Use &use) const {
    if (!isPlain(channel) || use.sends != 1 || use.repeated)
      return false;
    // The control message comes from instance 0, which hears from instance 0 alone where both
    // programs are replicated.
    return !channel.control() || instancesOf(channel.sender()) == 1 ||
           instancesOf(channel.receiver()) == 1;
  }

  /// Is there a message of `back` that leaves after a release of the channel and is taken before
  /// its slot is needed?
  bool comesInTime(const Channel &channel, const Use &use, const Use &back) const {
    // Steps from the one whose message is released to that of the message that carries the news,
    // and to the need.
    uint32_t carried = (back.lastSend > use.lastRelease ? 0 : 1) + back.ahead;
    uint32_t needed = channel.capacity() - std::min(use.ahead, channel.capacity());
    return carried < needed || (carried == needed && back.lastReceive < use.firstTake);
  }

  void read(uint32_t index) {
    const Program &program = plan_.programs(int(index));
    const std::set<uint32_t> shown = shownBuffers(program);
    std::map<uint32_t, uint32_t> boundBuffer;
    for (const detail::ChannelEvent &event : detail::eventsOf(plan_, index)) {
      if (event.isLoop())
        continue;
      const int at = int(event.instruction);
      const Instruction &instruction = program.instructions(at);
      Use &use = uses_[event.channel];
      use.repeated |= event.isRepeated();
      switch (event.action) {
      case ChannelAction::Send:
        ++use.sends;
        use.ahead = instruction.send_start().ahead();
        use.lastSend = at;
        [[fallthrough]];
      case ChannelAction::Acquire:
        use.firstTake = std::min(use.firstTake, at);
        break;
      case ChannelAction::Receive:
        use.lastReceive = use.lastRelease = at;
        for (const BufferEffect &effect : effectsOf(plan_, program, instruction).buffers)
          if (effect.until == BufferHold::Released)
            boundBuffer[event.channel] = effect.buffer;
        break;
      case ChannelAction::Release:
        use.lastRelease = shown.contains(boundBuffer[event.channel]) ? INT_MAX : at;
        break;
      case ChannelAction::Done:
        break;
      }
    }
  }

  const Plan &plan_;
  std::vector<Use> uses_; ///< by channel
};

} // namespace

void fillCredits(Plan &plan) {
  const std::vector<bool> wait = Reader(plan).run();
  for (int i = 0; i < plan.channels_size(); ++i)
    plan.mutable_channels(i)->set_credits_wait(wait[size_t(i)]);
}

/// A credit that waits for a message which comes too late stops the sender for ever, so a plan may
/// not promise more than is true here. One that promises less only costs messages.
absl::Status checkCredits(const Plan &plan) {
  const std::vector<bool> wait = Reader(plan).run();
  for (int i = 0; i < plan.channels_size(); ++i)
    if (plan.channels(i).credits_wait() && !wait[size_t(i)])
      return detail::invalid(
          "channel ", plan.channels(i).name(),
          ": the news of its free slots are said to wait for a message from its receiver to its sender, but none "
          "comes in time");
  return absl::OkStatus();
}

} // namespace graphc::plan
