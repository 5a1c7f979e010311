//===- LivenessCertificate.h - the proof in the plan that it cannot hang, checked ---*- C++ -*-===//
//
// graphc numbers the events of each phase's step and writes the numbers into the plan
// (Program.event_ranks). Here they are held against the plan alone, by code that shares nothing
// with the compiler. An event is a message sent (SendStart, each channel of a ControlSend), the
// memory for one taken (Acquire), a send done, a message received (Receive, Aggregate, Choose,
// ControlReceive) or a message released. An event must have a larger number than every event that
// has to happen before it in the same step:
//
//   order      the event before it in its program
//   message    the k-th receive of a channel waits for its k-th send
//   capacity   the (k + capacity)-th send of a channel, or the Acquire of its slot, waits until the k-th message is
//              released; what has no Release is released by being received; a conflating channel never makes its sender wait
//              (a send ahead is one of the next step: receives are one send behind, sends one release nearer)
//   borrow     the k-th send done of a zero-copy channel waits until the k-th message is released
//
// What a loop repeats has numbers of its own: they grow along the edges among the events of one
// iteration. Where a loop holds events, it is itself one event of the step, in the order of its
// program. Loops that are joined by channels have one number, since they run together, and as many
// iterations. So the events of a step are ordered by the step's number, then by the iteration, then
// by the iteration's number: a send that waits for a release of an earlier iteration waits for what
// is smaller, as one that waits for an earlier step does. A channel has both ends in such loops, or
// both outside, and in a phase that ends by end of stream no loop holds any.
//
// An AllReduceStart is the send of its channel, an AllReduceDone the receive. An AllReduceDone may
// wait until every other instance has come to its own AllReduceDone, or beyond it, and for no
// longer. What the others do before theirs has smaller numbers. Among instances that are all there
// the moves of AllReduceMoves.h never wait in a circle (AllReduceMovesTest.cpp plays them).
//
// Numbers that grow along every such edge leave no circle, and only a circle within a step can
// hang: what waits for an earlier step waits for something that happened or is on its way. All
// instances of a program have its order, so that a circle among instances would be one among
// programs. Only the control message that a program sends to itself is left out: it goes from
// instance 0, which receives none, to the others, where nothing of the step stands behind its
// receive, which is the last instruction (verifyPlan). When in the step it is sent does not matter;
// graphc has it sent first. A message that a fetch or metric shows is released behind the step's
// last instruction; verifyPlan lets no other of its channel follow in the step, so that nothing
// waits for it there. Where a phase ends by end of stream, each program stops within a step:
// VerifyEndOfStream.h.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_LIVENESSCERTIFICATE_H
#define GRAPHC_RUNTIME_COMMON_PLAN_LIVENESSCERTIFICATE_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/status/statusor.h"

namespace graphc::plan {

/// What was checked, for people.
struct CertificateFacts {
  uint64_t phases = 0, programs = 0, events = 0, edges = 0;
};

/// InvalidArgument names the first edge along which the numbers do not grow, or what is missing.
/// Accepts any plan, verified or not, and checks each index it uses.
absl::StatusOr<CertificateFacts> checkCertificate(const Plan &plan);

} // namespace graphc::plan
#endif
