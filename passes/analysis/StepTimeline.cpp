#include "passes/analysis/StepTimeline.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace graphc {

uint32_t StepTimeline::addLane() {
  lanes_.emplace_back();
  return uint32_t(lanes_.size() - 1);
}

uint32_t StepTimeline::addWire() { return wires_++; }

uint32_t StepTimeline::addChannel(const Channel &channel) {
  channels_.push_back(channel);
  return uint32_t(channels_.size() - 1);
}

void StepTimeline::append(uint32_t lane, const Instruction &instruction) { lanes_[lane].push_back(instruction); }

/// A run of so many steps: lanes take their instructions in the order of time.
class StepTimeline::Simulation {
public:
  Simulation(const StepTimeline &timeline, uint32_t steps);
  std::optional<Result> run();

private:
  /// One channel while time goes on: when its messages were there, and when their slots were free again.
  struct Traffic {
    std::vector<double> arrived, freed;
    size_t sends = 0, receives = 0;
    double left = 0; ///< when the last message was off the sender's hands
    std::vector<size_t> waiting; ///< lanes that need a message of it, or a slot
  };
  struct Cursor {
    size_t next = 0;
    uint32_t step = 0;
    double clock = 0;
    std::vector<double> stepEnds;
  };
  std::optional<double> startOf(size_t lane) const;
  void offer(size_t lane);
  void wake(Traffic &of);
  void pass(const Instruction &instruction, double end);
  void advance(size_t lane, double start);
  Result finish();

  const StepTimeline &timeline_;
  const uint32_t steps_;
  std::vector<Traffic> traffic_; ///< by channel
  std::vector<Cursor> cursors_; ///< by lane
  std::vector<double> wireFree_;
  std::vector<bool> releases_; ///< a channel without releases is released by its receives
  // The earliest of all, so that messages reach a wire in the order of time; of equals, the first lane.
  using Start = std::pair<double, size_t>;
  std::priority_queue<Start, std::vector<Start>, std::greater<>> startable_;
  size_t open_ = 0; ///< lanes that have not made all steps
  Result result_;
};

StepTimeline::Simulation::Simulation(const StepTimeline &timeline, uint32_t steps)
    : timeline_(timeline), steps_(steps), traffic_(timeline.channels_.size()), cursors_(timeline.lanes_.size()),
      wireFree_(timeline.wires_, 0), releases_(timeline.channels_.size(), false) {
  for (size_t i = 0; i < traffic_.size(); ++i) {
    traffic_[i].arrived.assign(timeline.channels_[i].tokens, 0);
    traffic_[i].sends = timeline.channels_[i].tokens;
  }
  for (const auto &lane : timeline.lanes_)
    for (const Instruction &instruction : lane)
      if (instruction.action == Action::Release)
        releases_[instruction.channel] = true;
  result_.lanes.resize(timeline.lanes_.size());
  for (size_t lane = 0; lane < timeline.lanes_.size(); ++lane) {
    result_.lanes[lane].resize(timeline.lanes_[lane].size());
    if (timeline.lanes_[lane].empty())
      cursors_[lane].step = steps;
    else
      ++open_;
  }
}

/// When the lane's next instruction can start; nothing while what it waits for has not come up yet.
std::optional<double> StepTimeline::Simulation::startOf(size_t lane) const {
  const Cursor &cursor = cursors_[lane];
  const Instruction &instruction = timeline_.lanes_[lane][cursor.next];
  if (instruction.action == Action::Work || instruction.action == Action::Release)
    return cursor.clock;
  const Traffic &of = traffic_[instruction.channel];
  if (instruction.action == Action::SendDone)
    return std::max(cursor.clock, of.left);
  if (instruction.action == Action::Receive)
    return of.receives < of.arrived.size() ? std::optional(std::max(cursor.clock, of.arrived[of.receives]))
                                           : std::nullopt;
  uint32_t capacity = timeline_.channels_[instruction.channel].capacity;
  if (of.sends < capacity)
    return cursor.clock;
  return of.sends - capacity < of.freed.size() ? std::optional(std::max(cursor.clock, of.freed[of.sends - capacity]))
                                               : std::nullopt;
}

void StepTimeline::Simulation::offer(size_t lane) {
  if (cursors_[lane].step == steps_)
    return;
  if (std::optional<double> start = startOf(lane))
    startable_.push({*start, lane});
  else
    traffic_[timeline_.lanes_[lane][cursors_[lane].next].channel].waiting.push_back(lane);
}

void StepTimeline::Simulation::wake(Traffic &of) {
  for (size_t lane : std::exchange(of.waiting, {}))
    offer(lane);
}

/// What an instruction that ends at `end` does to its channel.
void StepTimeline::Simulation::pass(const Instruction &instruction, double end) {
  const Channel &channel = timeline_.channels_[instruction.channel];
  Traffic &of = traffic_[instruction.channel];
  switch (instruction.action) {
  case Action::Send: {
    double left = end;
    if (channel.transfer > 0) {
      left = std::max(end, wireFree_[channel.wire]) + channel.transfer;
      wireFree_[channel.wire] = left;
    }
    of.left = left;
    of.arrived.push_back(left + channel.latency);
    ++of.sends;
    wake(of);
    break;
  }
  case Action::Receive:
    ++of.receives;
    if (!releases_[instruction.channel])
      of.freed.push_back(end);
    wake(of);
    break;
  case Action::Release:
    of.freed.push_back(end);
    wake(of);
    break;
  default:
    break;
  }
}

/// The lane's next instruction, which starts then.
void StepTimeline::Simulation::advance(size_t lane, double start) {
  Cursor &cursor = cursors_[lane];
  const Instruction &instruction = timeline_.lanes_[lane][cursor.next];
  const double end = start + instruction.seconds;
  if (instruction.action != Action::Work)
    pass(instruction, end);
  result_.lanes[lane][cursor.next] = {start, end}; // the last step's stays
  cursor.clock = end;
  if (++cursor.next == timeline_.lanes_[lane].size()) {
    cursor.next = 0;
    cursor.stepEnds.push_back(end);
    if (++cursor.step == steps_)
      --open_;
  }
  offer(lane);
}

/// Times from the first start on, and how long a step takes once the channels are full.
StepTimeline::Result StepTimeline::Simulation::finish() {
  double first = -1;
  for (const auto &lane : result_.lanes)
    if (!lane.empty() && (first < 0 || lane.front().start < first))
      first = lane.front().start;
  for (auto &lane : result_.lanes)
    for (Span &span : lane) {
      span.start -= first;
      span.end -= first;
    }
  uint32_t from = steps_ / 2; // the first steps fill the channels
  for (const Cursor &cursor : cursors_)
    if (steps_ > from + 1 && cursor.stepEnds.size() == steps_)
      result_.step = std::max(result_.step, (cursor.stepEnds.back() - cursor.stepEnds[from]) / (steps_ - 1 - from));
  return std::move(result_);
}

std::optional<StepTimeline::Result> StepTimeline::Simulation::run() {
  for (size_t lane = 0; lane < timeline_.lanes_.size(); ++lane)
    offer(lane);
  while (open_ > 0) {
    if (startable_.empty())
      return std::nullopt;
    auto [start, lane] = startable_.top();
    startable_.pop();
    advance(lane, start);
  }
  return finish();
}

std::optional<StepTimeline::Result> StepTimeline::run(uint32_t steps) const { return Simulation(*this, steps).run(); }

} // namespace graphc
