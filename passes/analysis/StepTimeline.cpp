#include "passes/analysis/StepTimeline.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace graphc {

uint32_t StepTimeline::addSequence() {
  sequences_.emplace_back();
  return uint32_t(sequences_.size() - 1);
}

uint32_t StepTimeline::addWire() { return wires_++; }

uint32_t StepTimeline::addChannel(const Channel &channel) {
  channels_.push_back(channel);
  return uint32_t(channels_.size() - 1);
}

void StepTimeline::append(uint32_t sequence, const Instruction &instruction) {
  sequences_[sequence].push_back(instruction);
}

/// A run of so many steps: sequences take their instructions in the order of time.
class StepTimeline::Simulation {
public:
  Simulation(const StepTimeline &timeline, uint32_t steps);
  std::optional<Result> run();

private:
  /// One channel while time goes on: when its messages were there, and when their slots were free
  /// again.
  struct Traffic {
    std::vector<double> arrived, freed;
    size_t sends = 0, receives = 0;
    double left = 0; ///< when the last message was off the sender's hands
    std::vector<size_t> waiting; ///< sequences that need a message of it, or a slot
  };
  struct Cursor {
    size_t next = 0;
    uint32_t step = 0;
    double clock = 0;
    std::vector<double> stepEnds;
  };
  std::optional<double> startOf(size_t sequence) const;
  void offer(size_t sequence);
  void wake(Traffic &of);
  void pass(const Instruction &instruction, double end);
  void advance(size_t sequence, double start);
  Result finish();

  const StepTimeline &timeline_;
  const uint32_t steps_;
  std::vector<Traffic> traffic_; ///< by channel
  std::vector<Cursor> cursors_; ///< by sequence
  std::vector<double> wireFree_;
  std::vector<bool> releases_; ///< a channel without releases is released by its receives
  // The earliest of all, so that messages reach a wire in the order of time; of equals, the first
  // sequence.
  using Start = std::pair<double, size_t>;
  std::priority_queue<Start, std::vector<Start>, std::greater<>> startable_;
  size_t open_ = 0; ///< sequences that have not made all steps
  Result result_;
};

StepTimeline::Simulation::Simulation(const StepTimeline &timeline, uint32_t steps)
    : timeline_(timeline), steps_(steps), traffic_(timeline.channels_.size()),
      cursors_(timeline.sequences_.size()), wireFree_(timeline.wires_, 0),
      releases_(timeline.channels_.size(), false) {
  for (size_t i = 0; i < traffic_.size(); ++i) {
    traffic_[i].arrived.assign(timeline.channels_[i].tokens, 0);
    traffic_[i].sends = timeline.channels_[i].tokens;
  }
  for (const auto &sequence : timeline.sequences_)
    for (const Instruction &instruction : sequence)
      if (instruction.action == Action::Release)
        releases_[instruction.channel] = true;
  result_.spans.resize(timeline.sequences_.size());
  for (size_t sequence = 0; sequence < timeline.sequences_.size(); ++sequence) {
    result_.spans[sequence].resize(timeline.sequences_[sequence].size());
    if (timeline.sequences_[sequence].empty())
      cursors_[sequence].step = steps;
    else
      ++open_;
  }
}

/// When the sequence's next instruction can start; nothing while what it waits for has not come up
/// yet.
std::optional<double> StepTimeline::Simulation::startOf(size_t sequence) const {
  const Cursor &cursor = cursors_[sequence];
  const Instruction &instruction = timeline_.sequences_[sequence][cursor.next];
  if (instruction.action == Action::Work || instruction.action == Action::Release)
    return cursor.clock;
  const Traffic &of = traffic_[instruction.channel];
  if (instruction.action == Action::SendDone)
    return std::max(cursor.clock, of.left);
  if (instruction.action == Action::Receive)
    return of.receives < of.arrived.size()
               ? std::optional(std::max(cursor.clock, of.arrived[of.receives]))
               : std::nullopt;
  uint32_t capacity = timeline_.channels_[instruction.channel].capacity;
  if (of.sends < capacity)
    return cursor.clock;
  return of.sends - capacity < of.freed.size()
             ? std::optional(std::max(cursor.clock, of.freed[of.sends - capacity]))
             : std::nullopt;
}

void StepTimeline::Simulation::offer(size_t sequence) {
  if (cursors_[sequence].step == steps_)
    return;
  if (std::optional<double> start = startOf(sequence))
    startable_.push({*start, sequence});
  else
    traffic_[timeline_.sequences_[sequence][cursors_[sequence].next].channel].waiting.push_back(
        sequence);
}

void StepTimeline::Simulation::wake(Traffic &of) {
  for (size_t sequence : std::exchange(of.waiting, {}))
    offer(sequence);
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

/// The sequence's next instruction, which starts then.
void StepTimeline::Simulation::advance(size_t sequence, double start) {
  Cursor &cursor = cursors_[sequence];
  const Instruction &instruction = timeline_.sequences_[sequence][cursor.next];
  const double end = start + instruction.seconds;
  if (instruction.action != Action::Work)
    pass(instruction, end);
  result_.spans[sequence][cursor.next] = {start, end}; // the last step's stays
  cursor.clock = end;
  if (++cursor.next == timeline_.sequences_[sequence].size()) {
    cursor.next = 0;
    cursor.stepEnds.push_back(end);
    if (++cursor.step == steps_)
      --open_;
  }
  offer(sequence);
}

/// Times from the first start on, and how long a step takes once the channels are full.
StepTimeline::Result StepTimeline::Simulation::finish() {
  double first = -1;
  for (const auto &sequence : result_.spans)
    if (!sequence.empty() && (first < 0 || sequence.front().start < first))
      first = sequence.front().start;
  for (auto &sequence : result_.spans)
    for (Span &span : sequence) {
      span.start -= first;
      span.end -= first;
    }
  uint32_t from = steps_ / 2; // the first steps fill the channels
  for (const Cursor &cursor : cursors_)
    if (steps_ > from + 1 && cursor.stepEnds.size() == steps_)
      result_.step = std::max(result_.step, (cursor.stepEnds.back() - cursor.stepEnds[from]) /
                                                (steps_ - 1 - from));
  return std::move(result_);
}

std::optional<StepTimeline::Result> StepTimeline::Simulation::run() {
  for (size_t sequence = 0; sequence < timeline_.sequences_.size(); ++sequence)
    offer(sequence);
  while (open_ > 0) {
    if (startable_.empty())
      return std::nullopt;
    auto [start, sequence] = startable_.top();
    startable_.pop();
    advance(sequence, start);
  }
  return finish();
}

std::optional<StepTimeline::Result> StepTimeline::run(uint32_t steps) const {
  return Simulation(*this, steps).run();
}

} // namespace graphc
