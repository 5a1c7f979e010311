#include "runtime/common/plan/VerifyEndOfStream.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyHelpers.h"

#include <algorithm>
#include <limits>
#include <set>

namespace graphc::plan::detail {
namespace {

/// A place in the run of a program: steps done times its instructions, plus the instruction. Step 0
/// is that in which the end begins; all before it is done.
using Place = uint64_t;
constexpr Place never = std::numeric_limits<Place>::max();

class EndOfStream {
public:
  EndOfStream(const Plan &plan, const std::vector<ChannelEnds> &ends, uint32_t phase)
      : plan_(plan), ends_(ends), phase_(phase) {
    for (const Program &program : plan.programs())
      shown_.push_back(shownBuffers(program));
    for (uint32_t i = 0; i < ends.size(); ++i)
      if (inPhase(plan.channels(int(i)).sender()) && !ends[i].sends.empty())
        channels_.push_back(i);
  }

  /// Where the end may begin: at each update ticket, and at each receive of a conflating channel.
  /// From each such place it is followed by itself.
  absl::Status run() {
    std::vector<std::pair<uint32_t, uint32_t>> begins; // program, instruction
    for (uint32_t program = 0; program < uint32_t(plan_.programs_size()); ++program)
      for (uint32_t i = 0;
           inPhase(program) && i < uint32_t(plan_.programs(int(program)).instructions_size()); ++i)
        if (plan_.programs(int(program)).instructions(int(i)).has_ticket())
          begins.emplace_back(program, i);
    GRAPHC_RETURN_IF_ERROR(isHeard(begins));
    for (uint32_t index : channels_) {
      const Channel &channel = plan_.channels(int(index));
      if (channel.conflating())
        for (const ChannelEvent &receive : ends_[index].receives)
          begins.emplace_back(channel.receiver(), receive.instruction);
      else
        GRAPHC_RETURN_IF_ERROR(joinsEqually(channel));
    }
    for (auto [program, instruction] : begins)
      GRAPHC_RETURN_IF_ERROR(endsFrom(program, instruction));
    return absl::OkStatus();
  }

private:
  bool inPhase(uint32_t program) const {
    return program < uint32_t(plan_.programs_size()) &&
           plan_.programs(int(program)).phase() == phase_;
  }
  Place length(uint32_t program) const {
    return Place(plan_.programs(int(program)).instructions_size());
  }

  /// The instances of a replicated program stop in different steps. Where a fifo joins instance r
  /// with instance r alone, each such group ends by itself.
  absl::Status joinsEqually(const Channel &channel) const {
    const Program &sender = plan_.programs(int(channel.sender())),
                  &receiver = plan_.programs(int(channel.receiver()));
    if (channel.all_to_all() || sender.instances() != receiver.instances())
      return invalid("channel ", channel.name(), " joins ", sender.instances(), " instances of ",
                     sender.name(), " with ", receiver.instances(), " of ", receiver.name(),
                     channel.all_to_all() ? ", each with each other" : "", ", but phase ",
                     plan_.phases(int(phase_)).name(),
                     " ends by end of stream, where a fifo joins each instance with one");
    return absl::OkStatus();
  }

  /// Channels lead from the update tickets to every program.
  absl::Status isHeard(const std::vector<std::pair<uint32_t, uint32_t>> &begins) const {
    std::set<uint32_t> heard;
    std::vector<uint32_t> open;
    for (auto [program, instruction] : begins)
      open.push_back(program);
    while (!open.empty()) {
      uint32_t program = open.back();
      open.pop_back();
      if (heard.insert(program).second)
        for (uint32_t channel : channels_)
          if (plan_.channels(int(channel)).sender() == program)
            open.push_back(plan_.channels(int(channel)).receiver());
    }
    for (uint32_t i = 0; i < uint32_t(plan_.programs_size()); ++i)
      if (inPhase(i) && !heard.contains(i))
        return invalid("no channel leads from an update ticket to program ",
                       plan_.programs(int(i)).name(), ", so it never learns that phase ",
                       plan_.phases(int(phase_)).name(), " is over");
    return absl::OkStatus();
  }

  /// Where in its step the event is done. A message that a fetch or metric shows is released behind
  /// the last instruction.
  Place within(const ChannelEvent &event, const std::vector<ChannelEvent> &receives,
               size_t k) const {
    const Program &program = plan_.programs(int(event.program));
    if (event.action != ChannelAction::Release)
      return event.instruction;
    const Instruction &taken = program.instructions(int(receives[k].instruction));
    const bool isShown =
        taken.has_receive() && shown_[event.program].contains(taken.receive().buffer());
    return isShown ? length(event.program) - 1 : event.instruction;
  }

  /// How many of these events, k of them a step, are done before their program stops.
  uint64_t done(uint32_t channel, const std::vector<ChannelEvent> &events) const {
    uint32_t program = events.front().program;
    Place stop = stops_[program];
    if (stop == never)
      return never;
    uint64_t count = stop / length(program) * events.size();
    for (size_t k = 0; k < events.size(); ++k)
      count += within(events[k], ends_[channel].receives, k) < stop % length(program);
    return count;
  }
  /// The place of the n-th of these events.
  Place placeOf(const std::vector<ChannelEvent> &events, uint64_t n) const {
    return n / events.size() * length(events.front().program) +
           events[n % events.size()].instruction;
  }

  /// First where each program stops: at the first receive whose message is not sent any more, until
  /// no place moves. Then whoever waits for a release that is not done any more has to have stopped
  /// before it waits.
  absl::Status endsFrom(uint32_t program, uint32_t instruction) {
    stops_.assign(size_t(plan_.programs_size()), never);
    stops_[program] = instruction;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t channel : channels_) {
        const ChannelEnds &of = ends_[channel];
        uint64_t sent = plan_.channels(int(channel)).conflating() ? never : done(channel, of.sends);
        if (sent == never)
          continue;
        Place &stop = stops_[of.receives.front().program];
        Place closed = placeOf(of.receives, sent);
        changed |= closed < stop;
        stop = std::min(stop, closed);
      }
    }
    for (uint32_t index : channels_) {
      const Channel &channel = plan_.channels(int(index));
      const ChannelEnds &of = ends_[index];
      uint64_t freed = channel.conflating() ? never : done(index, of.freed());
      if (freed == never)
        continue;
      GRAPHC_RETURN_IF_ERROR(stopsBefore(of.takers(), freed + channel.capacity(), of));
      if (channel.zero_copy())
        GRAPHC_RETURN_IF_ERROR(stopsBefore(of.dones, freed, of));
    }
    return absl::OkStatus();
  }

  /// The n-th of these events waits for a release that is not done.
  absl::Status stopsBefore(const std::vector<ChannelEvent> &events, uint64_t n,
                           const ChannelEnds &of) const {
    const ChannelEvent &event = events[n % events.size()];
    if (stops_[event.program] <= placeOf(events, n))
      return absl::OkStatus();
    const ChannelEvent &release = of.freed().front();
    Place stop = stops_[release.program];
    const Program &peer = plan_.programs(int(release.program));
    return invalid("when phase ", plan_.phases(int(phase_)).name(), " ends, ",
                   eventText(plan_, event), " and waits until ", peer.name(),
                   " releases the message before, which has ended by then, at its instruction ",
                   stop % length(release.program));
  }

  const Plan &plan_;
  const std::vector<ChannelEnds> &ends_;
  const uint32_t phase_;
  std::vector<uint32_t> channels_; ///< of the phase
  std::vector<std::set<uint32_t>> shown_; ///< by program: buffers of its fetches and metrics
  std::vector<Place> stops_; ///< by program: the first instruction that is not done
};

} // namespace

/// Relies on the certificate, which has paired the events of each channel and shown that a whole
/// step cannot deadlock.
absl::Status checkEndOfStream(const Plan &plan, const std::vector<ChannelEnds> &ends,
                              uint32_t phase) {
  return EndOfStream(plan, ends, phase).run();
}

} // namespace graphc::plan::detail
