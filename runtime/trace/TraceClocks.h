//===- TraceClocks.h - one clock for the traces of several machines -----------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_TRACE_TRACECLOCKS_H
#define GRAPHC_RUNTIME_TRACE_TRACECLOCKS_H

#include "runtime/service/ClockOffsets.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace graphc::session {

/// One that has both ends in the trace, each by its own task's clock.
struct TracedMessage {
  uint32_t from = 0, to = 0; ///< tasks
  int64_t sent = 0, received = 0; ///< nanoseconds
};

/// By task: nanoseconds to add to its clock. What was asked of the clocks says them, give or take
/// half a round trip; where by that a message were taken before it is sent, they are moved as
/// little as puts that right. A difference within its own error is none, where `sameHost` says that
/// the task's clock should be the chief's.
std::vector<int64_t> alignClocks(const std::vector<std::optional<service::ClockOffset>> &asked,
                                 const std::vector<bool> &sameHost, uint32_t chief,
                                 std::span<const TracedMessage> messages);

} // namespace graphc::session
#endif
