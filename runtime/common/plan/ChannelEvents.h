//===- ChannelEvents.h - what one step of a program does at its channels ------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_CHANNELEVENTS_H
#define GRAPHC_RUNTIME_COMMON_PLAN_CHANNELEVENTS_H

#include "runtime/common/plan/InstructionTable.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphc::plan::detail {

/// One event of a step, or of one iteration of a loop; LivenessCertificate.h says which
/// instructions have some.
struct ChannelEvent {
  static constexpr uint32_t noLoop = UINT32_MAX;

  ChannelAction action;
  uint32_t channel, program, instruction;
  uint32_t rank = 0;
  uint32_t loop = noLoop; ///< the Repeat that it is repeated by

  /// A loop as a whole is an event of the step, where it holds events: without action and channel,
  /// repeated by itself.
  bool isLoop() const { return loop == instruction; }
  bool isRepeated() const { return loop != noLoop && !isLoop(); }
};

/// One channel's events in the order of its programs, within one step, or within one iteration of
/// the loops that hold them.
struct ChannelEnds {
  std::vector<ChannelEvent> sends, dones, receives, releases, acquires;
  size_t ahead = 0; ///< sends whose message is the next step's
  /// What takes a slot of the channel, and what gives it back.
  const std::vector<ChannelEvent> &takers() const { return acquires.empty() ? sends : acquires; }
  const std::vector<ChannelEvent> &freed() const { return releases.empty() ? receives : releases; }
};

/// The events of one step of a program, in its order and without numbers; in front of those of a
/// loop the loop. The control message that it sends to itself is none. Any plan, verified or not:
/// the channels of events need not exist.
std::vector<ChannelEvent> eventsOf(const Plan &plan, uint32_t program);

/// "program train.ps0 receives w.gradient (instruction 3, model.mlir:12:8)"; of a loop "program
/// train.ps0 repeats 7 times (instruction 2)".
std::string eventText(const Plan &plan, const ChannelEvent &event);

} // namespace graphc::plan::detail
#endif
