//===- VerifyEndOfStream.h - does a phase that ends by end of stream end everywhere? ----------===//
//
// The end begins where an update ticket is refused: that program closes its sends and ends. A
// program whose next receive finds its channel closed does the same. So each program stops
// somewhere within a step, and whatever waits for it behind that place would wait for ever. What a
// program does not do any more follows from one place where the end begins:
//
//   order      all that comes behind it in its program, in this step and later ones
//   message    a receive whose send is not done
//
// The phase ends if what is not done contains, with each release, the send or acquire that waits
// for its slot and the send done of a zero-copy channel that waits for it, and if every program
// stops. A conflating channel gives no slot to wait for, but its receiver may find it closed in any
// step: each of its receives is a place where the end may begin. What is not done when the end
// begins at several places at once is the union of what is not done for each of them. So it
// suffices to check each place by itself.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_VERIFYENDOFSTREAM_H
#define GRAPHC_RUNTIME_COMMON_PLAN_VERIFYENDOFSTREAM_H

#include "runtime/common/plan/ChannelEvents.h"

#include "absl/status/status.h"

namespace graphc::plan::detail {

/// `ends` by channel, paired: as many receives as sends. InvalidArgument names who would wait for
/// whom.
absl::Status checkEndOfStream(const Plan &plan, const std::vector<ChannelEnds> &ends,
                              uint32_t phase);

} // namespace graphc::plan::detail
#endif
