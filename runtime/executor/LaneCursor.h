//===- LaneCursor.h - how far a lane is, for it and for whoever asks ----------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_LANECURSOR_H
#define GRAPHC_RUNTIME_EXECUTOR_LANECURSOR_H

#include "runtime/common/base/SingleWriter.h"
#include "runtime/common/plan/LanePosition.h"
#include "runtime/executor/LaneCallbacks.h"
#include "runtime/executor/LaneProgram.h"

namespace graphc::executor {

/// Its lane moves it, at the cost of plain numbers; any thread may ask where it is.
struct LaneCursor {
  // Turn: whoever takes the steps; Rests: it has ended, or stands between two steps until its
  // worker is back
  enum class Blocked : uint8_t { No, Message, Device, Results, Ticket, Turn, Rests };
  base::SingleWriter<uint32_t> position; ///< instruction
  /// instance within an instruction that acts on several instances
  base::SingleWriter<uint32_t> sub;
  base::SingleWriter<uint32_t> iteration; ///< of a loop
  base::SingleWriter<uint64_t> currentStep;
  base::SingleWriter<Blocked> blocked; ///< what the lane waits for
  /// of the AllReduceDone that blocks: its port, 2 * peer + whether it sends
  base::SingleWriter<uint32_t> sumWaits;

  /// `tickets`: null where the program takes none.
  plan::LanePosition place(const LaneProgram &program, const LaneInfo &info,
                           const AsyncUpdateTickets *tickets) const;
};

} // namespace graphc::executor
#endif
