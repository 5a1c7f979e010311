#include "runtime/trace/TraceMerge.h"

#include "runtime/common/plan/InstructionTable.h"
#include "runtime/common/plan/InstructionText.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <tuple>

namespace graphc::session {
namespace {

using executor::TraceRecord;

const char *categoryOf(const plan::Plan &plan, const plan::Program &program,
                       const TraceRecord &record) {
  if (record.kind == TraceRecord::Step)
    return trace::kStep;
  if (record.kind == TraceRecord::Wait)
    return trace::kWait;
  if (record.instruction == TraceRecord::kNone)
    return trace::kHost;
  const plan::Instruction &instruction = program.instructions(static_cast<int>(record.instruction));
  if (instruction.queue())
    return trace::kQueue;
  const plan::InstructionFacts *facts = plan::factsOf(instruction.kind_case());
  switch (facts ? facts->category : plan::InstructionFacts::Message) {
  case plan::InstructionFacts::Kernel:
    return plan.kernels(static_cast<int>(instruction.call().kernel())).has_library()
               ? trace::kLibrary
               : trace::kKernel;
  case plan::InstructionFacts::Sum:
    return trace::kSum;
  case plan::InstructionFacts::Data:
    return trace::kData;
  case plan::InstructionFacts::Wait:
    return trace::kWait;
  case plan::InstructionFacts::Host:
    return trace::kHost;
  case plan::InstructionFacts::Message:
    break;
  }
  return trace::kMessage;
}

std::string nameOf(const plan::Plan &plan, const plan::Program &program,
                   const TraceRecord &record) {
  if (record.instruction == TraceRecord::kNone)
    return "results";
  const plan::Instruction &instruction = program.instructions(static_cast<int>(record.instruction));
  if (instruction.queue())
    return absl::StrCat("give segment ", instruction.segment());
  if (record.kind == TraceRecord::Moves)
    return absl::StrCat(
        "all-reduce goes on ",
        plan.channels(static_cast<int>(instruction.all_reduce_start().channel())).name());
  return plan::instructionText(plan, program, instruction);
}

/// Where the lane goes back to a loop's begin: nothing to see.
bool isShown(const plan::Program &program, const TraceRecord &record) {
  return record.instruction == TraceRecord::kNone ||
         !program.instructions(static_cast<int>(record.instruction)).has_repeat();
}

/// The one channel that the instruction is about, for people.
std::string channelOf(const plan::Plan &plan, const plan::Program &program,
                      const TraceRecord &record) {
  const plan::Instruction &instruction = program.instructions(static_cast<int>(record.instruction));
  const plan::InstructionEffects effects = plan::effectsOf(plan, program, instruction);
  return effects.channels.size() == 1
             ? plan.channels(static_cast<int>(effects.channels.front().channel)).name()
             : "";
}

} // namespace

TraceMerge::TraceMerge(const plan::LoadedPlan &plan, std::vector<TracedLane> lanes,
                       std::vector<service::Peer> peers,
                       const std::vector<std::optional<service::ClockOffset>> &clocks)
    : loaded_(plan), plan_(plan.plan), lanes_(std::move(lanes)), peers_(std::move(peers)) {
  addTracks();
  findWays();
  const uint32_t chief = plan::taskNumber(plan_, plan_.chief());
  std::vector<bool> sameHost;
  for (const service::Peer &peer : peers_)
    sameHost.push_back(peer.host_id() == peers_[chief].host_id());
  std::vector<TracedMessage> messages;
  for (const auto &[id, way] : ways_)
    if (way.flow)
      messages.push_back({way.from->task, way.to->task, way.sent, way.received});
  offsets_ = alignClocks(clocks, sameHost, chief, messages);
}

std::string TraceMerge::shortName(const plan::Task &task) const {
  return absl::StrCat(plan_.jobs(static_cast<int>(task.job())).name(), ":", task.index());
}

/// Every task is there, also one that had no lane in these steps.
void TraceMerge::addTracks() {
  for (uint32_t task = 0; task < peers_.size(); ++task) {
    const service::Peer &peer = peers_[task];
    summary_.tasks.emplace_back().name = peer.name();
    writer_.addTask(task, peer.name(), {absl::StrCat("process ", peer.pid(), " on ", peer.host())});
    for (const TracedLane &lane : lanes_) {
      if (lane.task != task || tracks_.contains({task, lane.program, lane.instance}))
        continue;
      const plan::Program &program = plan_.programs(static_cast<int>(lane.program));
      const std::string name = absl::StrCat(
          program.name(), program.instances() > 1 ? absl::StrCat("[", lane.instance, "]") : "",
          " on ", program.device());
      tracks_.emplace(
          std::tuple(task, lane.program, lane.instance),
          Track{writer_.addLane(task, name), TraceMessages(plan_, lane.program, lane.instance)});
    }
  }
}

/// Messages whose two ends are both in the trace. Others come from a step before it, or go to one
/// behind.
void TraceMerge::findWays() {
  for (const TracedLane &lane : lanes_) {
    summary_.lost += lane.lost;
    for (const TraceRecord &record : lane.records)
      for (const MessageEnd &end : trackOf(lane).messages.of(lane, record)) {
        Way &way = ways_[end.id];
        if (end.sends) {
          way.from = &lane;
          way.sent = record.begin;
        } else {
          way.to = &lane;
          way.received = record.end;
        }
      }
  }
  for (auto &[id, way] : ways_)
    if (way.from && way.to)
      way.flow = ++summary_.messages;
}

trace::TraceSlice TraceMerge::sliceOf(const TracedLane &lane, const Track &track,
                                      const TraceRecord &record) {
  const plan::Program &program = plan_.programs(static_cast<int>(lane.program));
  trace::TraceSlice slice;
  slice.category = categoryOf(plan_, program, record);
  auto note = [&](const char *name, std::variant<uint64_t, std::string> value) {
    slice.annotations.push_back({name, std::move(value)});
  };
  if (record.kind == TraceRecord::Step) {
    slice.name = absl::StrCat("step ", lane.firstStep + record.step + 1);
    note(trace::kProgram, lane.program);
    note(trace::kInstance, lane.instance);
    return slice;
  }
  slice.name = nameOf(plan_, program, record);
  // a wait for a queue says so by itself
  const bool isOfQueue = record.instruction != TraceRecord::kNone &&
                         program.instructions(static_cast<int>(record.instruction)).has_wait();
  if (record.kind == TraceRecord::Wait && !isOfQueue) {
    std::optional<plan::Task> peer = track.messages.waitsFor(record);
    slice.name =
        absl::StrCat("wait", peer ? absl::StrCat(" for ", shortName(*peer)) : "", ": ", slice.name);
    if (peer)
      note("for", plan::taskText(plan_, *peer));
  }
  if (record.instruction == TraceRecord::kNone)
    return slice;
  const plan::Instruction &instruction = program.instructions(static_cast<int>(record.instruction));
  note(trace::kInstruction, record.instruction);
  if (const std::string &where = plan::locationText(plan_, instruction.location()); !where.empty())
    note("source", where);
  if (std::string channel = channelOf(plan_, program, record); !channel.empty())
    note("channel", std::move(channel));
  if (record.iteration)
    note("iteration", record.iteration + 1);
  uint64_t bytes = 0;
  for (const MessageEnd &end : track.messages.of(lane, record)) {
    const plan::Channel &channel = plan_.channels(static_cast<int>(end.id.channel));
    bytes += channel.bytes();
    if (const Way &way = ways_.at(end.id); way.flow)
      (end.sends ? slice.flowsOut : slice.flowsIn).push_back(way.flow);
  }
  if (bytes)
    note("bytes", bytes);
  if (record.kind == TraceRecord::Work && instruction.has_call())
    if (uint64_t flops = plan_.kernels(static_cast<int>(instruction.call().kernel())).flops())
      note("flops", flops);
  return slice;
}

void TraceMerge::count(const TracedLane &lane, const Track &track, const TraceRecord &record) {
  observe::TraceSummary::Task &task = summary_.tasks[lane.task];
  const double seconds = static_cast<double>(record.end - record.begin) * 1e-9;
  const std::string category =
      categoryOf(plan_, plan_.programs(static_cast<int>(lane.program)), record);
  ++summary_.slices;
  if (category == trace::kStep) {
    ++task.steps;
    task.inSteps += seconds;
  } else if (category == trace::kWait) {
    task.waits += seconds;
    if (std::optional<plan::Task> peer = track.messages.waitsFor(record))
      task.waitsFor[shortName(*peer)] += seconds;
  } else if (category == trace::kKernel) {
    task.kernels += seconds;
  } else if (category == trace::kLibrary) {
    task.library += seconds;
  } else if (category == trace::kData) {
    task.data += seconds;
  } else if (category != trace::kHost) {
    task.messages += seconds;
  }
}

/// A step's record comes behind those in it, and its slice begins before theirs.
void TraceMerge::writeLane(const TracedLane &lane) {
  const plan::Program &program = plan_.programs(static_cast<int>(lane.program));
  Track &track = trackOf(lane);
  const int64_t offset = offsets_[lane.task];
  size_t first = 0;
  for (size_t i = 0; i < lane.records.size(); ++i) {
    const TraceRecord &step = lane.records[i];
    if (step.kind != TraceRecord::Step)
      continue;
    writer_.begin(track.lane, step.begin + offset, sliceOf(lane, track, step));
    count(lane, track, step);
    for (; first < i; ++first) {
      const TraceRecord &record = lane.records[first];
      if (record.begin < step.begin || !isShown(program, record))
        continue;
      writer_.begin(track.lane, record.begin + offset, sliceOf(lane, track, record));
      writer_.end(track.lane, record.end + offset);
      count(lane, track, record);
    }
    writer_.end(track.lane, step.end + offset);
    first = i + 1;
  }
}

std::string TraceMerge::write() {
  if (!lanes_.empty() && !lanes_.front().records.empty()) {
    trace::TraceSlice run{
        "graphrun", trace::kHost, {{trace::kPlan, loaded_.fingerprint}, {"model", plan_.model()}}};
    writer_.instant(trackOf(lanes_.front()).lane,
                    lanes_.front().records.front().begin + offsets_[lanes_.front().task], run);
  }
  for (const TracedLane &lane : lanes_)
    writeLane(lane);
  return writer_.take();
}

} // namespace graphc::session
