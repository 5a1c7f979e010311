#include "runtime/executor/LaneTrace.h"

#include "runtime/common/plan/Types.h"

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
    records += 2 * uint64_t(loops.times(instruction)) + (instruction.has_all_reduce_start() ? 16 : 0);
  return records;
}

} // namespace

absl::StatusOr<std::vector<TraceRecord>> decodeRecords(std::string_view bytes, const plan::Program &program) {
  if (bytes.size() % sizeof(TraceRecord))
    return absl::InvalidArgumentError(absl::StrCat("a trace of ", bytes.size(), " bytes, which are no whole records"));
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
    if (record.begin < 0 || record.begin > record.end || record.end < before || record.end > kMostTraceTime)
      return absl::InvalidArgumentError("a record of a trace goes back in time, or beyond it");
    before = record.end;
    const bool none = record.instruction == TraceRecord::kNone;
    if (!none && record.instruction >= uint32_t(program.instructions_size()))
      return absl::InvalidArgumentError(absl::StrCat("a record of a trace is of instruction ", record.instruction,
                                                     " of ", program.name(), ", which has ",
                                                     program.instructions_size()));
    if (record.kind == TraceRecord::Moves &&
        (none || !program.instructions(int(record.instruction)).has_all_reduce_start()))
      return absl::InvalidArgumentError("a record of a trace moves what is no all-reduce");
  }
  return records;
}

LaneTrace::LaneTrace(const LaneProgram &program, uint64_t first, uint64_t steps, uint64_t most)
    : firstStep(first), steps(steps) {
  std::unordered_map<const plan::Instruction *, uint32_t> numbers;
  for (int i = 0; i < program.source->instructions_size(); ++i)
    numbers[&program.source->instructions(i)] = uint32_t(i);
  for (const LaneInstruction &instruction : program.instructions)
    instructions.push_back(numbers.at(instruction.source));
  for (const AllReduceCall &call : program.allReduces)
    starts.push_back(numbers.at(call.source));
  const uint64_t each = recordsOfStep(*program.source);
  kept.resize(steps < most / each ? steps * each : most); // touched here, and not in a step
}

bool LaneTrace::begins(uint64_t now) {
  if (now < firstStep || now - firstStep >= steps)
    return false;
  step = uint32_t(now - firstStep);
  inStep = true;
  stepBegin = last = resumed = base::nowNanoseconds();
  return true;
}

void LaneTrace::endWait() {
  if (!waiting)
    return;
  waiting = false;
  wait.end = resumed;
  add(wait);
  last = resumed;
}

void LaneTrace::blocks(const Place &place, uint32_t peer, bool sends, bool ahead) {
  if (waiting && waits == place) // woken in vain
    return;
  endWait();
  const int64_t now = base::nowNanoseconds();
  if (place.message > first || now - last >= kLeastPart) {
    add({last, now, step, instructionAt(place.position), place.iteration, first, place.message, TraceRecord::Work,
         /*last=*/false, ahead});
    last = now;
    first = place.message;
  }
  waiting = true;
  waits = place;
  wait = {last, now, step, instructionAt(place.position), place.iteration, peer, peer, TraceRecord::Wait};
  wait.sends = sends;
}

void LaneTrace::leaves(uint32_t position, uint32_t iteration, bool ahead) {
  endWait();
  const int64_t now = base::nowNanoseconds();
  add({last, now, step, instructionAt(position), iteration, first, UINT32_MAX, TraceRecord::Work, /*last=*/true,
       ahead});
  last = now;
}

void LaneTrace::moves(uint32_t allReduce, uint32_t from, uint32_t until) {
  endWait();
  const int64_t now = base::nowNanoseconds();
  add({last, now, step, starts[allReduce], 0, from, until, TraceRecord::Moves});
  last = now;
}

void LaneTrace::ends() {
  inStep = false;
  add({stepBegin, last, step, TraceRecord::kNone, 0, 0, 0, TraceRecord::Step});
}

/// A step that an end of stream, or a failure, has cut ends where its last record does.
std::span<const TraceRecord> LaneTrace::records() {
  endWait();
  if (inStep)
    ends();
  return {kept.data(), used};
}

} // namespace graphc::executor
