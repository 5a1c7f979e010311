//===- ControlMessage.h - the control message for one step --------------------------*- C++ -*-===//
//
// One u64 on every control channel and step: bits 0-6 the action, bit 7 whether the step's results
// are to be reported, bits 8-15 the reason of an end, 16-63 the step it is for (a lane that takes a
// control message for another step fails: the lanes have lost each other).
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_CONTROLMESSAGE_H
#define GRAPHC_RUNTIME_EXECUTOR_CONTROLMESSAGE_H

#include <cstdint>

namespace graphc::executor {

enum class ControlAction : uint8_t { Continue = 1, EndPhase = 2 };

/// Why the phase ends after this step; every lane and so every task learns it on the plan channel
/// itself and knows what comes next.
enum class EndReason : uint8_t {
  None = 0,
  Finished = 1, ///< all steps that the run asked for
  /// a stop was requested: a signal, a checkpoint by the clock, or whoever takes the steps takes no
  /// more
  Stop = 2,
  Closed = 3, ///< end of stream: no update ticket left, never sent as a control message
};

/// The highest step that a control message can be for; nothing counts further.
inline constexpr uint64_t kMostSteps = (uint64_t(1) << 48) - 1;

struct ControlMessage {
  ControlAction action = ControlAction::Continue;
  EndReason reason = EndReason::None;
  uint64_t step = 0; ///< up to kMostSteps
  bool report = false; ///< every lane reports what this step has made (--history, --summary_dir)

  uint64_t encode() const {
    return uint64_t(action) | uint64_t(report) << 7 | uint64_t(reason) << 8 | step << 16;
  }
  static ControlMessage decode(uint64_t payload) {
    return {ControlAction(payload & 127), EndReason(payload >> 8 & 255), payload >> 16,
            (payload >> 7 & 1) != 0};
  }
};

} // namespace graphc::executor
#endif
