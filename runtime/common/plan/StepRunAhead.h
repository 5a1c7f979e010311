//===- StepRunAhead.h - which lanes give a step while the one before is still done --*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_STEPRUNAHEAD_H
#define GRAPHC_RUNTIME_COMMON_PLAN_STEPRUNAHEAD_H

#include "runtime/common/plan/plan.pb.h"

#include <cstdint>

namespace graphc::plan {

/// Whether a lane of the program gives its device step s and only then waits for step s - 1: it has
/// queues, nobody waits for it or it for anybody but its device (no channel, no update ticket,
/// nothing that is fed, no variable of the host's), and it waits only when all of a step is given,
/// but in loops, whose times have one memory of the host.
///
/// VerifyQueues.h proves one step at a time, and that suffices. Steps in a row have arenas of the
/// host of their own, of which there are two. All else that a step touches is the device's, which
/// does one segment behind the other. And step s + 2, which has the arena of s again, begins when
/// step s was waited for, which is what the proof is about.
bool runsAhead(const Program &program);

/// Bytes of the host that one lane's arena takes.
inline uint64_t hostArenaBytes(const Program &program) {
  return program.arena_bytes() * (runsAhead(program) ? 2 : 1);
}

} // namespace graphc::plan
#endif
