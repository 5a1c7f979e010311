#include "runtime/common/trace/TraceFile.h"

#include "runtime/common/trace/perfetto.pb.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <map>

namespace graphc::trace {
namespace {

using perfetto::DebugAnnotation;
using perfetto::TracePacket;
using perfetto::TrackDescriptor;
using perfetto::TrackEvent;

/// All packets are of one writer.
constexpr uint32_t kSequence = 1;

// Tracks have numbers of their own: lanes from 1, tasks above them all. Processes and threads have
// not those of their machines, which could be equal on two of them.
uint64_t trackOf(uint32_t lane) { return uint64_t(lane) + 1; }
uint64_t trackOfTask(uint32_t task) { return (uint64_t(1) << 32) + task; }
int32_t processOf(uint32_t task) { return int32_t(task) + 1; }

void append(std::string &text, TracePacket packet) {
  packet.set_trusted_packet_sequence_id(kSequence);
  perfetto::Trace one;
  *one.add_packet() = std::move(packet);
  one.AppendToString(&text);
}

TrackEvent &eventAt(TracePacket &packet, uint32_t lane, int64_t nanoseconds,
                    TrackEvent::Type type) {
  packet.set_timestamp(uint64_t(std::max<int64_t>(0, nanoseconds)));
  TrackEvent &event = *packet.mutable_track_event();
  event.set_type(type);
  event.set_track_uuid(trackOf(lane));
  return event;
}

void describe(TrackEvent &event, const TraceSlice &slice) {
  event.set_name(slice.name);
  event.add_categories(slice.category);
  for (uint64_t flow : slice.flowsOut)
    event.add_flow_ids(flow);
  for (uint64_t flow : slice.flowsIn)
    event.add_terminating_flow_ids(flow);
  for (const TraceAnnotation &annotation : slice.annotations) {
    DebugAnnotation &one = *event.add_debug_annotations();
    one.set_name(annotation.name);
    if (const uint64_t *number = std::get_if<uint64_t>(&annotation.value))
      one.set_uint_value(*number);
    else
      one.set_string_value(std::get<std::string>(annotation.value));
  }
}

const DebugAnnotation *find(const TrackEvent &event, const char *name) {
  for (const DebugAnnotation &one : event.debug_annotations())
    if (one.name() == name)
      return &one;
  return nullptr;
}

bool isOf(const TrackEvent &event, const char *category) {
  return event.categories_size() == 1 && event.categories(0) == category;
}

/// One lane's slices that have begun, and the step among them.
struct Open {
  struct One {
    bool isStep = false, isPart = false;
  };
  std::vector<One> slices;
  MeasuredTrace::Step step;
};

} // namespace

void TraceWriter::addTask(uint32_t number, const std::string &name,
                          const std::vector<std::string> &labels) {
  TracePacket packet;
  TrackDescriptor &track = *packet.mutable_track_descriptor();
  track.set_uuid(trackOfTask(number));
  track.mutable_process()->set_pid(processOf(number));
  track.mutable_process()->set_process_name(name);
  for (const std::string &label : labels)
    track.mutable_process()->add_process_labels(label);
  append(text_, std::move(packet));
}

uint32_t TraceWriter::addLane(uint32_t task, const std::string &name) {
  const uint32_t lane = lanes_++;
  TracePacket packet;
  TrackDescriptor &track = *packet.mutable_track_descriptor();
  track.set_uuid(trackOf(lane));
  track.set_parent_uuid(trackOfTask(task));
  track.mutable_thread()->set_pid(processOf(task));
  track.mutable_thread()->set_tid(1000000 + int32_t(lane)); // none is a process's main thread
  track.mutable_thread()->set_thread_name(name);
  append(text_, std::move(packet));
  return lane;
}

void TraceWriter::begin(uint32_t lane, int64_t nanoseconds, const TraceSlice &slice) {
  TracePacket packet;
  describe(eventAt(packet, lane, nanoseconds, TrackEvent::TYPE_SLICE_BEGIN), slice);
  append(text_, std::move(packet));
}

void TraceWriter::end(uint32_t lane, int64_t nanoseconds) {
  TracePacket packet;
  eventAt(packet, lane, nanoseconds, TrackEvent::TYPE_SLICE_END);
  append(text_, std::move(packet));
}

void TraceWriter::instant(uint32_t lane, int64_t nanoseconds, const TraceSlice &event) {
  TracePacket packet;
  describe(eventAt(packet, lane, nanoseconds, TrackEvent::TYPE_INSTANT), event);
  append(text_, std::move(packet));
}

absl::StatusOr<MeasuredTrace> readTrace(std::string_view bytes) {
  auto none = [](const std::string &why) {
    return absl::InvalidArgumentError(
        absl::StrCat("it is no trace that graphrun --trace has written: ", why));
  };
  perfetto::Trace trace;
  if (bytes.size() > kMostTraceBytes || !trace.ParseFromArray(bytes.data(), int(bytes.size())))
    return none("it is no Perfetto trace");
  MeasuredTrace measured;
  std::map<uint64_t, Open> lanes;
  std::map<uint64_t, std::vector<MeasuredTrace::Step>> steps;
  uint64_t origin = UINT64_MAX;
  for (const TracePacket &packet : trace.packet())
    if (packet.has_track_event())
      origin = std::min(origin, packet.timestamp());
  for (const TracePacket &packet : trace.packet()) {
    if (!packet.has_track_event())
      continue;
    const TrackEvent &event = packet.track_event();
    const double now = double(packet.timestamp() - origin) * 1e-9;
    Open &open = lanes[event.track_uuid()];
    if (event.type() == TrackEvent::TYPE_INSTANT) {
      if (const DebugAnnotation *plan = find(event, kPlan))
        measured.plan = plan->string_value();
    } else if (event.type() == TrackEvent::TYPE_SLICE_BEGIN) {
      const DebugAnnotation *program = find(event, kProgram), *instance = find(event, kInstance),
                            *instruction = find(event, kInstruction);
      const bool isStep = isOf(event, kStep);
      if (isStep != open.slices.empty() || (isStep && (!program || !instance)))
        return none("a slice is not in the step of a lane");
      open.slices.push_back({isStep, instruction != nullptr});
      if (isStep)
        open.step = {
            uint32_t(program->uint_value()), uint32_t(instance->uint_value()), now, now, {}};
      else if (instruction)
        open.step.parts.push_back(
            {uint32_t(instruction->uint_value()), isOf(event, kWait), now, now});
    } else if (event.type() == TrackEvent::TYPE_SLICE_END) {
      if (open.slices.empty())
        return none("a slice ends that has not begun");
      if (open.slices.back().isPart)
        open.step.parts.back().end = now;
      if (open.slices.back().isStep) {
        open.step.end = now;
        steps[event.track_uuid()].push_back(std::move(open.step));
      }
      open.slices.pop_back();
    }
  }
  for (auto &[track, ofLane] : steps)
    measured.steps.insert(measured.steps.end(), std::make_move_iterator(ofLane.begin()),
                          std::make_move_iterator(ofLane.end()));
  if (measured.plan.empty() || measured.steps.empty())
    return none("it has no steps of a plan");
  return measured;
}

} // namespace graphc::trace
