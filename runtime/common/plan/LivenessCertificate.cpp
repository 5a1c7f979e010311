//===- LivenessCertificate.cpp - the proof in the plan that it cannot hang, checked -----------===//
#include "runtime/common/plan/LivenessCertificate.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/VerifyEndOfStream.h"

#include "absl/strings/str_cat.h"

#include <initializer_list>
#include <map>
#include <vector>

namespace graphc::plan {
namespace {

using detail::ChannelEnds;
using detail::ChannelEvent;

template <typename... Args> absl::Status refuse(const Args &...args) {
  return absl::InvalidArgumentError(absl::StrCat("certificate of liveness: ", args...));
}

class Checker {
public:
  explicit Checker(const Plan &plan) : plan_(plan), ends_(size_t(plan.channels_size())) {}

  absl::StatusOr<CertificateFacts> run() {
    facts_.phases = uint64_t(plan_.phases_size());
    facts_.programs = uint64_t(plan_.programs_size());
    for (uint32_t program = 0; program < uint32_t(plan_.programs_size()); ++program)
      GRAPHC_RETURN_IF_ERROR(walk(program));
    for (uint32_t channel = 0; channel < uint32_t(plan_.channels_size()); ++channel)
      GRAPHC_RETURN_IF_ERROR(match(channel));
    for (uint32_t phase = 0; phase < uint32_t(plan_.phases_size()); ++phase)
      if (plan_.phases(int(phase)).ends_by_end_of_stream())
        GRAPHC_RETURN_IF_ERROR(base::annotate(detail::checkEndOfStream(plan_, ends_, phase),
                                              "certificate of liveness"));
    return facts_;
  }

private:
  std::string text(const ChannelEvent &event) const { return detail::eventText(plan_, event); }

  absl::Status grows(const ChannelEvent &before, const ChannelEvent &after, absl::string_view why) {
    ++facts_.edges;
    if (before.rank < after.rank)
      return absl::OkStatus();
    return refuse(why, " edge: ", text(before), " has number ", before.rank, "; ", text(after),
                  " has ", after.rank, ", expected more");
  }

  /// Reads the program's events, each against the one before it: those of the step, and those of
  /// one iteration of each loop.
  absl::Status walk(uint32_t index) {
    const Program &program = plan_.programs(int(index));
    std::vector<ChannelEvent> events = detail::eventsOf(plan_, index);
    if (program.event_ranks_size() == 0 && !events.empty())
      return refuse(
          "program ", program.name(), " has none, so nothing shows that its ", events.size(),
          " events a step cannot wait for each other in a circle; make the plan with graphc");
    if (events.size() != size_t(program.event_ranks_size()))
      return refuse("program ", program.name(), " has ", events.size(), " events a step, but ",
                    program.event_ranks_size(), " numbers");
    facts_.events += events.size();
    const ChannelEvent *ofStep = nullptr, *ofIteration = nullptr; // the last ones
    for (size_t i = 0; i < events.size(); ++i) {
      ChannelEvent &event = events[i];
      if (!event.isLoop() && event.channel >= uint32_t(plan_.channels_size()))
        return refuse("program ", program.name(), ", instruction ", event.instruction, ": channel ",
                      event.channel, " does not exist");
      event.rank = program.event_ranks(int(i));
      if (event.rank == 0)
        return refuse(text(event), " has number 0, expected at least 1");
      if (event.isLoop()) {
        ofIteration = nullptr;
        loops_[{index, event.loop}] = event;
      }
      const ChannelEvent *&before = event.isRepeated() ? ofIteration : ofStep;
      if (before)
        GRAPHC_RETURN_IF_ERROR(grows(*before, event, "order"));
      before = &event;
      if (event.isLoop())
        continue;
      const Channel &channel = plan_.channels(int(event.channel));
      const bool sends = ofSender(event.action);
      if ((sends ? channel.sender() : channel.receiver()) != index)
        return refuse(text(event), ", whose ", sends ? "sender" : "receiver",
                      " is another program");
      ChannelEnds &of = ends_[event.channel];
      of.ahead += program.instructions(int(event.instruction)).send_start().ahead();
      if (event.action == ChannelAction::Send)
        of.sends.push_back(event);
      else if (event.action == ChannelAction::Done)
        of.dones.push_back(event);
      else if (event.action == ChannelAction::Receive)
        of.receives.push_back(event);
      else if (event.action == ChannelAction::Release)
        of.releases.push_back(event);
      else
        of.acquires.push_back(event);
    }
    return absl::OkStatus();
  }

  /// The loop that all of one side's events stand in; noLoop where they stand in none.
  absl::StatusOr<uint32_t>
  loopOf(const Channel &channel,
         std::initializer_list<const std::vector<ChannelEvent> *> side) const {
    const ChannelEvent *first = nullptr;
    for (const std::vector<ChannelEvent> *events : side)
      for (const ChannelEvent &event : *events) {
        first = first ? first : &event;
        if (event.loop != first->loop)
          return refuse("channel ", channel.name(), ": ", text(*first), " and ", text(event),
                        ", not both in one loop or outside of any");
      }
    return first ? first->loop : ChannelEvent::noLoop;
  }

  /// Both ends of a channel stand outside of loops, or in two that run together: as often, with one
  /// number for both.
  absl::Status runTogether(const Channel &channel, const ChannelEnds &of) {
    GRAPHC_ASSIGN_OR_RETURN(const uint32_t sends,
                            loopOf(channel, {&of.sends, &of.dones, &of.acquires}));
    GRAPHC_ASSIGN_OR_RETURN(const uint32_t receives, loopOf(channel, {&of.receives, &of.releases}));
    if (sends == ChannelEvent::noLoop && receives == ChannelEvent::noLoop)
      return absl::OkStatus();
    if (sends == ChannelEvent::noLoop || receives == ChannelEvent::noLoop)
      return refuse("channel ", channel.name(), " has one end in a loop, the other in none");
    if (of.ahead)
      return refuse("channel ", channel.name(), " is sent ahead in a loop");
    const uint32_t phase = plan_.programs(int(channel.sender())).phase();
    if (phase >= uint32_t(plan_.phases_size()) || plan_.phases(int(phase)).ends_by_end_of_stream())
      return refuse("channel ", channel.name(),
                    " has its ends in loops, but its phase ends by end of stream");
    const ChannelEvent &sender = loops_.at({channel.sender(), sends}),
                       &receiver = loops_.at({channel.receiver(), receives});
    if (countOf(sender) != countOf(receiver))
      return refuse("channel ", channel.name(), ": ", text(sender), ", but ", text(receiver));
    if (sender.rank != receiver.rank)
      return refuse("channel ", channel.name(), " joins loops that run together: ", text(sender),
                    " has number ", sender.rank, ", ", text(receiver), " has ", receiver.rank,
                    ", expected one number");
    return absl::OkStatus();
  }
  uint32_t countOf(const ChannelEvent &loop) const {
    return plan_.programs(int(loop.program)).instructions(int(loop.instruction)).repeat().count();
  }

  /// The edges between the two programs of a channel. Counts are compared first, so that the k-th
  /// event of each side has its partner.
  absl::Status match(uint32_t index) {
    const ChannelEnds &of = ends_[index];
    const Channel &channel = plan_.channels(int(index));
    GRAPHC_RETURN_IF_ERROR(runTogether(channel, of));
    if (of.sends.size() != of.receives.size())
      return refuse("channel ", channel.name(), " has ", of.sends.size(), " sends and ",
                    of.receives.size(), " receives a step");
    if (!of.releases.empty() && of.releases.size() != of.receives.size())
      return refuse("channel ", channel.name(), " has ", of.receives.size(), " receives and ",
                    of.releases.size(), " releases a step");
    if (channel.zero_copy() && of.dones.size() != of.sends.size())
      return refuse("channel ", channel.name(), " is zero-copy, has ", of.sends.size(),
                    " sends and ", of.dones.size(), " send_dones a step");
    if (!of.acquires.empty() && of.acquires.size() != of.sends.size())
      return refuse("channel ", channel.name(), " has ", of.sends.size(), " sends and acquires ",
                    of.acquires.size(), " slots a step");
    if (of.ahead && of.sends.size() != 1)
      return refuse("channel ", channel.name(), " has ", of.sends.size(),
                    " sends a step, of which ", of.ahead, " ahead; expected one alone");
    if (channel.capacity() == 0)
      return refuse("channel ", channel.name(), " has room for no message");
    const std::vector<ChannelEvent> &freed = of.freed(), &takers = of.takers();
    for (size_t k = 0; k < of.sends.size(); ++k) {
      if (k >= of.ahead)
        GRAPHC_RETURN_IF_ERROR(grows(of.sends[k - of.ahead], of.receives[k], "message"));
      if (channel.zero_copy())
        GRAPHC_RETURN_IF_ERROR(grows(freed[k], of.dones[k], "borrow"));
      if (k + of.ahead >= channel.capacity() && !channel.conflating())
        GRAPHC_RETURN_IF_ERROR(grows(freed[k + of.ahead - channel.capacity()], takers[k],
                                     absl::StrCat("capacity (", channel.capacity(), ")")));
    }
    return absl::OkStatus();
  }

  const Plan &plan_;
  std::vector<ChannelEnds> ends_; ///< by channel
  /// that hold events, by program and instruction
  std::map<std::pair<uint32_t, uint32_t>, ChannelEvent> loops_;
  CertificateFacts facts_;
};

} // namespace

absl::StatusOr<CertificateFacts> checkCertificate(const Plan &plan) { return Checker(plan).run(); }

} // namespace graphc::plan
