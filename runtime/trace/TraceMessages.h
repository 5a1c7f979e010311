//===- TraceMessages.h - which messages a lane's records are about ------------------*- C++ -*-===//
//
// Records name an instruction and how many of its messages; the plan says which these are. Sender
// and receiver name a message alike, each from its own record: the k-th send of a channel pairs
// with its k-th receive.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TRACE_TRACEMESSAGES_H
#define GRAPHC_RUNTIME_TRACE_TRACEMESSAGES_H

#include "runtime/common/plan/AllReduceMoves.h"
#include "runtime/common/plan/plan.pb.h"
#include "runtime/executor/LaneTrace.h"

#include <compare>
#include <optional>
#include <vector>

namespace graphc::session {

/// What one lane has recorded in one run of a phase.
struct TracedLane {
  uint32_t task = 0, program = 0, instance = 0;
  uint64_t run = 0; ///< the channels' generation
  uint64_t firstStep = 0; ///< of the lane, counted from the very first: the first that is recorded
  std::vector<executor::TraceRecord> records;
  uint64_t lost = 0;
};

struct MessageId {
  uint64_t run = 0;
  uint32_t channel = 0, instance = 0;
  uint64_t step = 0;
  uint32_t number = 0; ///< of the channel instance's in the step: an iteration's, a move's
  friend auto operator<=>(const MessageId &, const MessageId &) = default;
};

struct MessageEnd {
  MessageId id;
  bool sends = false; ///< else it is taken
};

class TraceMessages {
public:
  /// Of a verified plan, which outlives it.
  TraceMessages(const plan::Plan &plan, uint32_t program, uint32_t instance);
  /// What the record's Work or Moves has sent and taken. Conflating channels have no messages in
  /// this sense.
  std::vector<MessageEnd> of(const TracedLane &lane, const executor::TraceRecord &record) const;
  /// The task that a Wait is for: who makes the message, or frees the slot. Nothing where that is
  /// no task.
  std::optional<plan::Task> waitsFor(const executor::TraceRecord &record) const;

private:
  /// One of an instruction's ports, in the lane's order.
  struct End {
    uint32_t channel = 0, instance = 0;
    uint32_t peer = 0; ///< instance of the other program
    bool none = false; ///< this instance has none there
  };
  struct Ends {
    bool sends = false;
    std::vector<End> ports;
  };
  /// What one move of an all-reduce sends or takes.
  struct Moved {
    uint32_t instance = 0;
    uint32_t number = 0;
    bool sends = false;
  };
  void addSends(uint32_t channel, Ends &ends) const;
  void addReceives(uint32_t channel, bool allInstances, Ends &ends) const;
  Ends endsOf(const plan::Instruction &instruction) const;
  std::vector<std::vector<Moved>> movesOf(const plan::Instruction::AllReduceStart &start) const;
  /// Of an AllReduceStart or AllReduceDone: its channel.
  static std::optional<uint32_t> reducedBy(const plan::Instruction &instruction);

  const plan::Plan &plan_;
  const plan::Program &program_;
  const uint32_t instance_;
  std::vector<Ends> ends_; ///< by instruction
  std::vector<std::pair<uint32_t, std::vector<std::vector<Moved>>>> moves_; ///< by channel
};

} // namespace graphc::session
#endif
