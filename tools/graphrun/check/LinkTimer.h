//===- LinkTimer.h - how fast messages go between two tasks -------------------------*- C++ -*-===//
//
// Over the transports that runs use. One end (near) asks, the other answers until it is told that
// this was all; both may be of one process (graphrun calibrate) or of two on different machines
// (graphrun check). No wait is longer than `limit`.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_CHECK_LINKTIMER_H
#define GRAPHC_TOOLS_GRAPHRUN_CHECK_LINKTIMER_H

#include "runtime/transport/Transport.h"

#include "absl/status/statusor.h"

namespace graphc::graphrun {

/// Four channels: words and large messages, from near to far (`there`) and back.
struct TimedChannels {
  TimedChannels(uint32_t firstChannel, uint64_t largeBytes, uint32_t capacity)
      : there{{{firstChannel, 0}, 8, 1}, {{firstChannel + 1, 0}, largeBytes, capacity}},
        back{{{firstChannel + 2, 0}, 8, 1}, {{firstChannel + 3, 0}, largeBytes, capacity}} {}
  static constexpr uint32_t kCount = 4;
  std::vector<transport::ChannelSpec> there, back;
};

struct LinkFigures {
  double latencyMicroseconds = 0; ///< one way, of 8 bytes between two tasks that wait
  double there = 0, back = 0; ///< Gbit/s of large messages, payload alone
};

/// Near. Takes about `seconds`; rates are the best of several rounds and the latency the first
/// quartile, because other load only ever slows one down.
absl::StatusOr<LinkFigures> timeLink(transport::Transport &near, const TimedChannels &channels,
                                     double seconds, absl::Duration limit = absl::Seconds(10));
/// Far: serves one timeLink.
absl::Status answerLink(transport::Transport &far, const TimedChannels &channels,
                        absl::Duration limit = absl::Seconds(10));

} // namespace graphc::graphrun
#endif
