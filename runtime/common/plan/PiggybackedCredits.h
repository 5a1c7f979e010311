//===- PiggybackedCredits.h - which news of free slots can wait for a message the other way ---===//
//
// A channel's receiver tells its sender of each slot that is free again, over gRPC in a message.
// Where the receiver sends the sender something anyway, and the sender takes that before it next
// needs the slot, the news can be part of it. Programs are straight lines, so whether this is so
// can be read from the plan. Say lane S sends channel C to lane R, which releases C's message of
// step k and sends channel D to S. Then C's credit can wait
//
//   (1) for D's message of step k, where R sends D after the release: S takes it in step k, and
//       needs the slot in step k + 1 at the earliest;
//   (2) for D's message of step k + 1, else, where S takes D before it sends C (or acquires its
//       slot), or where C has two slots or more: then S needs this one in step k + 2 at the
//       earliest.
//
// A message that is sent ahead, be it C's or D's, is sent a step earlier than it is taken. In loops
// no credit waits, and none is counted on.
//
// So nobody waits for a credit that waits: before S can need it, S has received D and with it the
// credit (or, where two streams join the tasks, has it coming by the other one). To the proof of
// liveness it adds nothing, since all it lets S wait for is what S has waited for already. A step k
// + 1 that R does not begin, because the phase ends, is none in which S sends C: it ends after step
// k too, or takes D and finds it closed.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_PIGGYBACKEDCREDITS_H
#define GRAPHC_RUNTIME_COMMON_PLAN_PIGGYBACKEDCREDITS_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/status/status.h"

namespace graphc::plan {

/// Writes Channel.credits_wait of a plan that verifyPlan has passed: whether the credits can wait
/// for the next message from the receiver to the sender.
void fillCredits(Plan &plan);

/// Part of verifyPlan, its last: no channel's credits are said to wait that cannot.
absl::Status checkCredits(const Plan &plan);

} // namespace graphc::plan
#endif
