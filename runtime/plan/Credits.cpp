#include "runtime/plan/Credits.h"

#include <algorithm>
#include <climits>
#include <map>
#include <set>

namespace graphc::plan {
namespace {

/// Positions of one channel's instructions in the programs at its ends.
struct Use {
  int sends = 0;
  int firstTake = INT_MAX; ///< SendStart or Acquire: before it the sender needs no slot
  int lastSend = -1;
  int firstReceive = INT_MAX;
  int lastRelease = -1; ///< INT_MAX: after the step's last instruction
};

/// Of all channels that lead from one program to another.
struct Way {
  int lastSend = -1;
  int firstReceive = INT_MAX;
};

class Reader {
public:
  explicit Reader(const Plan &plan) : plan(plan), uses(size_t(plan.channels_size())) {}

  std::vector<bool> run() {
    for (const Program &program : plan.programs())
      read(program);
    std::map<std::pair<uint32_t, uint32_t>, Way> ways;
    for (int i = 0; i < plan.channels_size(); ++i)
      if (const Channel &channel = plan.channels(i); carriesCredits(channel)) {
        Way &way = ways[{channel.sender(), channel.receiver()}];
        way.lastSend = std::max(way.lastSend, uses[size_t(i)].lastSend);
        way.firstReceive = std::min(way.firstReceive, uses[size_t(i)].firstReceive);
      }
    std::vector<bool> wait(uses.size(), false);
    for (int i = 0; i < plan.channels_size(); ++i) {
      const Channel &channel = plan.channels(i);
      auto back = ways.find({channel.receiver(), channel.sender()});
      wait[size_t(i)] = back != ways.end() && canWait(channel, uses[size_t(i)], back->second);
    }
    return wait;
  }

private:
  uint32_t instancesOf(uint32_t program) const { return plan.programs(int(program)).instances(); }

  /// One message a step from each instance of its sender to the same instances of its receiver as any other such channel.
  bool isPlain(const Channel &channel) const { return !channel.latest() && channel.algorithm() == WHOLE; }

  /// Reaches every lane that sends something to the lane that sends this.
  bool carriesCredits(const Channel &channel) const {
    return isPlain(channel) && (!channel.control() || instancesOf(channel.sender()) == 1);
  }

  bool canWait(const Channel &channel, const Use &use, const Way &back) const {
    if (!isPlain(channel) || use.sends != 1)
      return false;
    // The chief's word comes from instance 0, which hears from instance 0 alone where both are families.
    if (channel.control() && instancesOf(channel.sender()) > 1 && instancesOf(channel.receiver()) > 1)
      return false;
    return back.lastSend > use.lastRelease || back.firstReceive < use.firstTake || channel.capacity() > 1;
  }

  void read(const Program &program) {
    std::set<uint32_t> fetched; // their messages are released after the step
    for (const Port &fetch : program.fetches())
      fetched.insert(fetch.buffer());
    for (const Metric &metric : program.metrics())
      fetched.insert({metric.sum(), metric.count()});
    std::map<uint32_t, uint32_t> boundBuffer;
    for (int at = 0; at < program.instructions_size(); ++at) {
      const Instruction &instruction = program.instructions(at);
      auto sends = [&](uint32_t channel) {
        Use &use = uses[channel];
        ++use.sends;
        use.firstTake = std::min(use.firstTake, at);
        use.lastSend = at;
      };
      auto receives = [&](uint32_t channel) {
        uses[channel].firstReceive = std::min(uses[channel].firstReceive, at);
        uses[channel].lastRelease = std::max(uses[channel].lastRelease, at);
      };
      if (instruction.has_send_start()) {
        sends(instruction.send_start().channel());
      } else if (instruction.has_acquire()) {
        uses[instruction.acquire().channel()].firstTake = std::min(uses[instruction.acquire().channel()].firstTake, at);
      } else if (instruction.has_control_send()) {
        for (uint32_t channel : instruction.control_send().channels())
          sends(channel);
      } else if (instruction.has_receive()) {
        receives(instruction.receive().channel());
        boundBuffer[instruction.receive().channel()] = instruction.receive().buffer();
      } else if (instruction.has_aggregate()) {
        receives(instruction.aggregate().channel());
      } else if (instruction.has_control_receive()) {
        if (!instruction.control_receive().local() || program.instances() > 1)
          receives(instruction.control_receive().channel());
      } else if (instruction.has_release()) {
        uint32_t channel = instruction.release().channel();
        uses[channel].lastRelease = fetched.contains(boundBuffer[channel]) ? INT_MAX : at;
      }
    }
  }

  const Plan &plan;
  std::vector<Use> uses; ///< by channel
};

} // namespace

std::vector<bool> creditsThatWait(const Plan &plan) { return Reader(plan).run(); }

} // namespace graphc::plan
