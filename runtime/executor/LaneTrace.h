//===- LaneTrace.h - what a lane did, and when --------------------------------------*- C++ -*-===//
//
// Of the steps that --profile_steps asks for. The lane writes records of a fixed size into memory
// that was there before, one clock reading each; others read them once it has ended. What is full
// takes no more, and counts what it has not taken.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_LANETRACE_H
#define GRAPHC_RUNTIME_EXECUTOR_LANETRACE_H

#include "runtime/common/base/MonotonicClock.h"
#include "runtime/executor/LaneProgram.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace graphc::executor {

/// From `begin` to `end`, in nanoseconds of the task's CLOCK_MONOTONIC. Records follow one another;
/// a Step holds those before it. Between tasks they travel as they are in memory.
struct TraceRecord {
  enum Kind : uint8_t {
    Step,
    Work, ///< an instruction, or what of it is between two waits
    Wait, ///< blocked in an instruction
    Moves, ///< of an all-reduce that got on between two instructions
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  int64_t begin = 0, end = 0;
  uint32_t step = 0; ///< counted from the first that is recorded
  /// of the plan's program; Moves: its AllReduceStart; kNone: the host takes what a step has made
  uint32_t instruction = kNone;
  uint32_t iteration = 0; ///< of the loop that the instruction is in
  /// Work: of the instruction's messages, or an all-reduce's moves, those that it has dealt with:
  /// until may say more than there are. Wait: `first` is the one that is waited for, of an
  /// all-reduce the peer.
  uint32_t first = 0, until = 0;
  Kind kind = Step;
  bool last = false; ///< Work: the instruction is done
  bool ahead = false; ///< Work: the message is the next step's
  bool sends = false; ///< Wait of an all-reduce: for its sending end
};
static_assert(sizeof(TraceRecord) == 40);

/// Of any time that is believed, so that sums of two cannot overflow: 73 years.
inline constexpr int64_t kMostTraceTime = int64_t(1) << 61;

/// Records as a peer has sent them, of a program of the plan: nothing of them points outside of it
/// or goes back in time.
absl::StatusOr<std::vector<TraceRecord>> decodeRecords(std::string_view bytes,
                                                       const plan::Program &program);

class LaneTrace {
public:
  /// Of a task, all its lanes together.
  static constexpr uint64_t kMostBytes = uint64_t(64) << 20;

  /// `first`: of the run of the phase, from 0. `most`: records, at most; as many as these steps
  /// take where they take fewer.
  LaneTrace(const LaneProgram &program, uint64_t first, uint64_t steps, uint64_t most);

  // The lane's.
  /// Whether the step that begins is one of those.
  bool begins(uint64_t step);
  /// The lane is back behind a wait, or begins its step.
  void resumes() { resumed_ = base::nowNanoseconds(); }
  /// At an instruction whose messages before `message` are dealt with.
  void enters(uint32_t message) { first_ = message; }
  struct Place {
    uint32_t position = 0, iteration = 0, message = 0;
    uint64_t bytes = 0; ///< of messages that were summed, so far
    friend bool operator==(const Place &, const Place &) = default;
  };
  /// The lane has to wait there: for `message`, or for an all-reduce's `peer`. `ahead`: the
  /// instruction sends messages of the next step.
  void blocks(const Place &place, uint32_t peer, bool sends, bool ahead);
  void leaves(uint32_t position, uint32_t iteration, bool ahead);
  void moves(uint32_t allReduce, uint32_t from, uint32_t until);
  void ends();

  // After it has ended.
  /// All of them, in the order of their ends.
  std::span<const TraceRecord> records();
  uint64_t lost() const { return missed_; }

private:
  void add(const TraceRecord &record) {
    if (used_ < kept_.size()) [[likely]]
      kept_[used_++] = record;
    else
      ++missed_;
  }
  void endWait();
  uint32_t instructionAt(uint32_t position) const {
    return position < instructions_.size() ? instructions_[position] : TraceRecord::kNone;
  }

  const uint64_t firstStep_, steps_;
  std::vector<uint32_t> instructions_; ///< of the plan, by position
  std::vector<uint32_t> starts_; ///< likewise, by all-reduce
  std::vector<TraceRecord> kept_;
  size_t used_ = 0;
  uint64_t missed_ = 0;

  uint32_t step_ = 0;
  bool inStep_ = false, waiting_ = false;
  int64_t stepBegin_ = 0, last_ = 0, resumed_ = 0; ///< last_: the end of the record before
  uint32_t first_ = 0;
  Place waits_;
  TraceRecord wait_;
};

} // namespace graphc::executor
#endif
