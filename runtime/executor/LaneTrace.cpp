#include "runtime/executor/LaneTrace.h"

#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace graphc::executor {
namespace {

/// What of an instruction is shorter, before it waits for the first time, is part of the wait.
constexpr int64_t kLeastPart = 1000; // nanoseconds

/// Records that a step takes where each instruction waits once.
uint64_t recordsOfStep(const plan::Program &program) {
  uint64_t records = 8;
  plan::LoopWalk loops;
  for (const plan::Instruction &instruction : program.instructions())
    records +=
        2 * uint64_t(loops.times(instruction)) + (instruction.has_all_reduce_start() ? 16 : 0);
  return records;
}

} // namespace

absl::StatusOr<std::vector<TraceRecord>> decodeRecords(std::string_view bytes,
                                                       const plan::Program &program) {
  if (bytes.size() % sizeof(TraceRecord))
    return absl::InvalidArgumentError(
        absl::StrCat("a trace of ", bytes.size(), " bytes, which are no whole records"));
  // Its bool members are looked at as bytes first: any other value than 0 and 1 is none.
  constexpr size_t kKind = offsetof(TraceRecord, kind);
  for (size_t at = 0; at < bytes.size(); at += sizeof(TraceRecord))
    if (uint8_t(bytes[at + kKind]) > TraceRecord::Moves || uint8_t(bytes[at + kKind + 1]) > 1 ||
        uint8_t(bytes[at + kKind + 2]) > 1 || uint8_t(bytes[at + kKind + 3]) > 1)
      return absl::InvalidArgumentError("a record of a trace is of no kind");
  std::vector<TraceRecord> records(bytes.size() / sizeof(TraceRecord));
  if (!records.empty())
    memcpy(records.data(), bytes.data(), bytes.size());
  int64_t before = 0;
  for (const TraceRecord &record : records) {
    if (record.begin < 0 || record.begin > record.end || record.end < before ||
        record.end > kMostTraceTime)
      return absl::InvalidArgumentError("a record of a trace goes back in time, or beyond it");
    before = record.end;
    const bool none = record.instruction == TraceRecord::kNone;
    if (!none && record.instruction >= uint32_t(program.instructions_size()))
      return absl::InvalidArgumentError(absl::StrCat("a record of a trace is of instruction ",
                                                     record.instruction, " of ", program.name(),
                                                     ", which has ", program.instructions_size()));
    if (record.kind == TraceRecord::Moves &&
        (none || !program.instructions(int(record.instruction)).has_all_reduce_start()))
      return absl::InvalidArgumentError("a record of a trace moves what is no all-reduce");
  }
  return records;
}

LaneTrace::LaneTrace(const LaneProgram &program, uint64_t first, uint64_t steps, uint64_t most)
    : firstStep_(first), steps_(steps) {
  std::unordered_map<const plan::Instruction *, uint32_t> numbers;
  for (int i = 0; i < program.source->instructions_size(); ++i)
    numbers[&program.source->instructions(i)] = uint32_t(i);
  for (const LaneInstruction &instruction : program.instructions)
    instructions_.push_back(numbers.at(instruction.source));
  for (const AllReduceCall &call : program.allReduces)
    starts_.push_back(numbers.at(call.source));
  const uint64_t each = recordsOfStep(*program.source);
  kept_.resize(steps < most / each ? steps * each : most); // touched here, and not in a step
}

bool LaneTrace::begins(uint64_t now) {
  if (now < firstStep_ || now - firstStep_ >= steps_)
    return false;
  step_ = uint32_t(now - firstStep_);
  inStep_ = true;
  stepBegin_ = last_ = resumed_ = base::nowNanoseconds();
  return true;
}

void LaneTrace::endWait() {
  if (!waiting_)
    return;
  waiting_ = false;
  wait_.end = resumed_;
  add(wait_);
  last_ = resumed_;
}

void LaneTrace::blocks(const Place &place, uint32_t peer, bool sends, bool ahead) {
  if (waiting_ && waits_ == place) // woken in vain
    return;
  endWait();
  const int64_t now = base::nowNanoseconds();
  if (place.message > first_ || now - last_ >= kLeastPart) {
    add({last_, now, step_, instructionAt(place.position), place.iteration, first_, place.message,
         TraceRecord::Work,
         /*last=*/false, ahead});
    last_ = now;
    first_ = place.message;
  }
  waiting_ = true;
  waits_ = place;
  wait_ = {last_,           now,  step_, instructionAt(place.position),
           place.iteration, peer, peer,  TraceRecord::Wait};
  wait_.sends = sends;
}

void LaneTrace::leaves(uint32_t position, uint32_t iteration, bool ahead) {
  endWait();
  const int64_t now = base::nowNanoseconds();
  add({last_, now, step_, instructionAt(position), iteration, first_, UINT32_MAX, TraceRecord::Work,
       /*last=*/true, ahead});
  last_ = now;
}

void LaneTrace::moves(uint32_t allReduce, uint32_t from, uint32_t until) {
  endWait();
  const int64_t now = base::nowNanoseconds();
  add({last_, now, step_, starts_[allReduce], 0, from, until, TraceRecord::Moves});
  last_ = now;
}

void LaneTrace::ends() {
  inStep_ = false;
  add({stepBegin_, last_, step_, TraceRecord::kNone, 0, 0, 0, TraceRecord::Step});
}

/// A step that an end of stream, or a failure, has cut ends where its last record does.
std::span<const TraceRecord> LaneTrace::records() {
  endWait();
  if (inStep_)
    ends();
  return {kept_.data(), used_};
}

} // namespace graphc::executor
