//===- StepPrediction.cpp - how long a step of a plan will take -------------------------------===//
#include "passes/report/StepPrediction.h"

#include "passes/compiler/PlanFacts.h"
#include "runtime/common/device/DeviceKinds.h"
#include "runtime/common/plan/AllReduceMoves.h"
#include "runtime/common/plan/InstructionTable.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/StepRunAhead.h"
#include "runtime/kernels/KernelRegistry.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <tuple>

namespace graphc {
namespace {

TimeModel::Engine engineOf(const std::string &device) {
  return device::runsPtx(device::kindOf(device)) ? TimeModel::Engine::Gpu : TimeModel::Engine::Host;
}

class Model {
public:
  Model(const plan::Plan &plan, const cluster::ClusterConfig &cluster,
        const cluster::MachineCalibration &calibration)
      : plan_(plan), cluster_(cluster), calibration_(calibration), time_(calibration),
        bytesOf_(plan), phase_(mainPhase(plan)) {}

  StepPrediction run();

private:
  std::string hostOf(const plan::Task &task) const {
    return cluster_.hostOf(plan_.jobs(int(task.job())).name(), task.index());
  }
  TimeModel::Way wayOf(const plan::Task &from, const plan::Task &to) const;
  TimeModel::Way slowest(const plan::Channel &channel) const;
  TimeModel::Message messageOf(const plan::Channel &channel);
  /// Bytes that a step's messages of a channel take from host to host.
  struct Leaving {
    double all = 0, most = 0; ///< of all hosts; of the one that sends most
  };
  Leaving leavingHosts(const plan::Channel &channel);
  double callSeconds(TimeModel::Engine engine, const plan::Kernel &kernel) const;
  double threadsOf(const plan::Kernel &kernel) const;
  void readPrograms();
  void addChannel(uint32_t index);
  double sumSeconds(uint32_t index);
  StepTimeline::Instruction cost(const plan::Program &program,
                                 const plan::Instruction &instruction);
  double queueSeconds(const plan::Program &program, const plan::Instruction &instruction) const;

  /// Where a program's instructions stand in the timeline.
  struct Track {
    /// by instruction: first of `sequence`, and behind the last
    std::vector<std::pair<size_t, size_t>> ranges;
    struct Queue {
      uint32_t sequence = 0, given = 0; ///< of the timeline: its work, by what it is given that
      std::vector<std::pair<int, size_t>> work = {}; ///< instruction → of the queue's sequence
    };
    uint32_t sequence = 0; ///< of the timeline: the lane's
    std::vector<Queue> queues;
  };
  Track addProgram(uint32_t index, StepPrediction::LaneTimes &shown, double &ofHost);
  double addQueued(const plan::Program &program, const plan::Instruction &instruction, int number,
                   double give, double times, Track &track,
                   const std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> &told);
  void endSegment(const Track &track);
  static StepPrediction::LaneTimes show(const Track &track, const StepTimeline::Result &result,
                                        StepPrediction::LaneTimes lane);

  const plan::Plan &plan_;
  const cluster::ClusterConfig &cluster_;
  const cluster::MachineCalibration &calibration_;
  const TimeModel time_;
  const ChannelBytes bytesOf_;
  const int phase_;
  StepTimeline timeline_;
  std::vector<uint32_t> channels_; ///< by plan channel: the timeline's
  std::vector<double> sendSeconds_; ///< by plan channel: the sender is busy
  std::vector<bool> ahead_; ///< by plan channel: sent before the step that needs it
  std::vector<bool> inSlot_; ///< by plan channel: made where its receiver finds it
  std::vector<uint32_t> times_; ///< by plan channel: iterations of the loop that it is sent in
  std::vector<bool> released_; ///< by plan channel: its receiver says when it has read what it took
  /// by programs and how they sum
  std::map<std::tuple<uint32_t, uint32_t, int, uint32_t>, Leaving> leaving_;
  std::map<uint32_t, uint32_t> wires_; ///< by program whose end of the link is the narrow one
};

TimeModel::Way Model::wayOf(const plan::Task &from, const plan::Task &to) const {
  if (plan::sameTask(from, to))
    return time_.insideTask();
  auto device = [&](const plan::Task &task) {
    cluster::DeviceSpec name;
    name.job = plan_.jobs(int(task.job())).name();
    name.task = task.index();
    return name;
  };
  for (const cluster::LinkConfig &link : cluster_.links)
    if ((link.from.compatibleWith(device(from)) && link.to.compatibleWith(device(to))) ||
        (link.from.compatibleWith(device(to)) && link.to.compatibleWith(device(from))))
      return TimeModel::overLink(link.latencyMicroseconds, link.gigabitsPerSecond);
  return time_.betweenTasks(hostOf(from) == hostOf(to));
}

/// Over all instances of a channel: a step waits for the slowest.
TimeModel::Way Model::slowest(const plan::Channel &channel) const {
  const plan::Program &from = plan_.programs(int(channel.sender())),
                      &to = plan_.programs(int(channel.receiver()));
  TimeModel::Way worst;
  std::map<std::pair<std::string, std::string>, bool> seen; // without links, hosts decide
  for (uint32_t i = 0; i < std::max(1u, channel.instances()); ++i) {
    plan::Task a = plan::instanceTask(plan_, from, std::min(i, from.instances() - 1));
    uint32_t other = channel.all_to_all() ? (i + 1) % channel.instances() : i;
    plan::Task b = plan::instanceTask(plan_, to, std::min(other, to.instances() - 1));
    if (cluster_.links.empty() && !seen.try_emplace({hostOf(a), hostOf(b)}, true).second && i > 1)
      continue;
    TimeModel::Way way = wayOf(a, b);
    if (i == 0 || way.bytesPerSecond < worst.bytesPerSecond)
      worst = way;
  }
  return worst;
}

Model::Leaving Model::leavingHosts(const plan::Channel &channel) {
  // How an instance's bytes are shared by its peers does not depend on how many chunks there are;
  // so each shape is looked at once.
  const plan::AllReduceShape shape = plan::AllReduceShape::of(channel);
  auto [known, isNew] =
      leaving_.try_emplace({channel.sender(), channel.receiver(), shape.algorithm, shape.hosts});
  Leaving &each = known->second; // where each instance sends one byte
  if (isNew) {
    auto hostsOf = [&](const plan::Program &program) {
      std::vector<std::string> hosts;
      for (uint32_t i = 0; i < channel.instances(); ++i)
        hosts.push_back(
            hostOf(plan::instanceTask(plan_, program, std::min(i, program.instances() - 1))));
      return hosts;
    };
    const std::vector<std::string> from = hostsOf(plan_.programs(int(channel.sender()))),
                                   to = hostsOf(plan_.programs(int(channel.receiver())));
    const double all = double(plan::allReduceMessages(shape, channel.instances()));
    std::map<std::string, double> ofHost;
    for (uint32_t i = 0; i < channel.instances(); ++i) {
      double &sent = ofHost[from[i]];
      if (!channel.all_to_all()) {
        sent += from[i] != to[i];
        continue;
      }
      for (uint32_t other = 0; other < channel.instances(); ++other)
        if (from[i] != to[other])
          sent += double(plan::allReduceMessages(shape, channel.instances(), i, other)) / all;
    }
    for (const auto &[host, sent] : ofHost) {
      each.all += sent;
      each.most = std::max(each.most, sent);
    }
  }
  const double bytes = double(bytesOf_.perStep(channel)) / std::max(1u, channel.instances());
  return {each.all * bytes, each.most * bytes};
}

/// What only the programs say of a channel.
void Model::readPrograms() {
  ahead_.assign(size_t(plan_.channels_size()), false);
  inSlot_.assign(size_t(plan_.channels_size()), false);
  released_.assign(size_t(plan_.channels_size()), false);
  times_.assign(size_t(plan_.channels_size()), 1);
  for (const plan::Program &program : plan_.programs()) {
    plan::LoopWalk loops;
    for (const plan::Instruction &instruction : program.instructions()) {
      const uint32_t here = loops.times(instruction);
      if (instruction.has_send_start())
        times_[instruction.send_start().channel()] = here;
      if (instruction.send_start().ahead())
        ahead_[instruction.send_start().channel()] = true;
      if (instruction.has_release())
        released_[instruction.release().channel()] = true;
    }
    for (const plan::Buffer &buffer : program.buffers())
      if (buffer.has_outgoing())
        inSlot_[buffer.outgoing()] = true;
  }
}

TimeModel::Message Model::messageOf(const plan::Channel &channel) {
  TimeModel::Message message;
  message.bytes = double(channel.bytes());
  message.instances = channel.instances();
  message.senders = plan_.programs(int(channel.sender())).instances();
  message.receivers = plan_.programs(int(channel.receiver())).instances();
  message.allToAll = channel.all_to_all();
  message.alone = plan_.phases(phase_).ends_by_end_of_stream();
  message.inPlace = channel.zero_copy();
  if (channel.algorithm() != plan::WHOLE) {
    message.bytes = double(bytesOf_.perStep(channel)) / channel.instances();
    const plan::AllReduceShape shape = plan::AllReduceShape::of(channel);
    message.hops = plan::allReduceHops(shape);
    message.hopsWithinHosts = plan::allReduceHopsWithinHosts(shape);
  }
  if (channel.all_to_all())
    message.leavesHost = leavingHosts(channel).most;
  return message;
}

void Model::addChannel(uint32_t index) {
  const plan::Channel &channel = plan_.channels(int(index));
  const TimeModel::Way way = slowest(channel);
  TimeModel::Message message = messageOf(channel);
  message.inPlace |= inSlot_[index];
  // a conflating channel never makes its sender wait
  uint32_t capacity = channel.conflating() ? UINT32_MAX : channel.capacity();
  StepTimeline::Channel out{capacity, 0, time_.latency(way, message), 0, ahead_[index]};
  if (!way.copies) {
    // all iterations' messages are one
    out.transfer = TimeModel::transfer(way, message) * times_[index];
    uint32_t end = message.senders <= message.receivers ? channel.sender() : channel.receiver();
    auto [wire, isNew] = wires_.try_emplace(end, 0);
    if (isNew)
      wire->second = timeline_.addWire();
    out.wire = wire->second;
  }
  channels_.push_back(timeline_.addChannel(out));
  sendSeconds_.push_back(time_.send(way, message));
}

/// How many threads share a library call.
double Model::threadsOf(const plan::Kernel &kernel) const {
  uint32_t threads = std::min(std::max(1u, plan_.intra_op_threads()), calibration_.cores);
  return kernels::partsOf(plan::libraryCallOf(kernel), threads);
}

double Model::callSeconds(TimeModel::Engine engine, const plan::Kernel &kernel) const {
  uint64_t bytes = 0; // that it reads and writes
  for (const plan::Kernel::Arg &arg : kernel.args())
    bytes += arg.bytes() * (arg.access() == plan::READ_WRITE ? 2 : 1);
  return time_.queuedCall(engine, kernel.flops(), bytes,
                          kernel.has_library() ? threadsOf(kernel) : 0);
}

double Model::sumSeconds(uint32_t index) {
  const plan::Channel &channel = plan_.channels(int(index));
  TimeModel::Message message = messageOf(channel);
  if (message.hops) // only sums that are released are read where they were made, on one host
    message.inPlace = released_[index] && (channel.hosts() > 1 || cluster_.replicasShareHost());
  return time_.sum(message);
}

/// Of what moves data; a control_send has any number of messages.
StepTimeline::Instruction Model::cost(const plan::Program &program,
                                      const plan::Instruction &instruction) {
  using Action = StepTimeline::Action;
  if (instruction.has_call())
    return {Action::Work,
            callSeconds(TimeModel::Engine::Host, plan_.kernels(int(instruction.call().kernel()))),
            0};
  if (instruction.has_accumulate())
    return {Action::Work,
            time_.accumulate(program.buffers(int(instruction.accumulate().buffer())).bytes()), 0};
  const plan::InstructionEffects effects = plan::effectsOf(plan_, program, instruction);
  if (instruction.has_next_batch()) {
    uint64_t bytes = 0;
    for (const plan::BufferEffect &effect : effects.buffers)
      bytes += program.buffers(int(effect.buffer)).bytes();
    return {Action::Work, time_.copy(bytes), 0};
  }
  if (effects.channels.size() != 1 || instruction.has_control_send())
    return {Action::Work, time_.instruction(), 0};
  const plan::ChannelEffect &effect = effects.channels.front();
  const plan::Channel &channel = plan_.channels(int(effect.channel));
  const uint32_t way = channels_[effect.channel];
  switch (effect.action) {
  case plan::ChannelAction::Send:
    return {Action::Send, sendSeconds_[effect.channel], way};
  case plan::ChannelAction::Done:
    return {Action::SendDone, 0, way};
  case plan::ChannelAction::Receive:
    if (channel.control() && channel.sender() == channel.receiver()) // instance 0 has it
      break;
    // A single message is read where it lies.
    return {Action::Receive,
            instruction.has_collect() ? time_.copy(channel.bytes() * channel.instances())
            : instruction.has_aggregate() || instruction.has_all_reduce_done()
                ? sumSeconds(effect.channel)
                : time_.instruction(),
            way};
  case plan::ChannelAction::Release:
    return {Action::Release, time_.instruction(), way};
  case plan::ChannelAction::Acquire:
    break;
  }
  return {Action::Work, time_.instruction(), 0};
}

/// How long a queue of the program's device is busy with a call, a copy or a sum.
double Model::queueSeconds(const plan::Program &program,
                           const plan::Instruction &instruction) const {
  const TimeModel::Engine engine = engineOf(program.device());
  if (instruction.has_copy())
    return time_.queuedCopy(engine, program.buffers(int(instruction.copy().to())).bytes());
  if (instruction.has_accumulate())
    return time_.queuedSum(engine, program.buffers(int(instruction.accumulate().buffer())).bytes());
  return callSeconds(engine, plan_.kernels(int(instruction.call().kernel())));
}

/// A queue takes what it is given in its order, as messages of a channel from the lane; a signal is
/// a message to each that waits for it. Returns how long the queue is busy with it, all `times`.
double
Model::addQueued(const plan::Program &program, const plan::Instruction &instruction, int number,
                 double give, double times, Track &track,
                 const std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> &told) {
  using Action = StepTimeline::Action;
  Track::Queue &queue = track.queues[instruction.queue() - 1];
  const bool isWork = plan::isQueueWork(instruction);
  const double seconds = isWork ? queueSeconds(program, instruction) * times : 0;
  timeline_.append(track.sequence, {Action::Send, give, queue.given});
  if (isWork)
    queue.work.emplace_back(number, timeline_.size(queue.sequence));
  timeline_.append(queue.sequence, {Action::Receive, seconds, queue.given});
  if (instruction.has_signal())
    for (uint32_t channel : told.at({instruction.queue(), instruction.signal().n()}))
      timeline_.append(queue.sequence, {Action::Send, 0, channel});
  return seconds;
}

/// What the queues do from here on begins when all of them have done what stands before.
void Model::endSegment(const Track &track) {
  using Action = StepTimeline::Action;
  std::vector<std::pair<uint32_t, uint32_t>> waits; // sequence, channel
  for (const Track::Queue &from : track.queues)
    for (const Track::Queue &to : track.queues)
      if (&from != &to) {
        waits.emplace_back(to.sequence, timeline_.addChannel({UINT32_MAX}));
        timeline_.append(from.sequence, {Action::Send, 0, waits.back().second});
      }
  for (auto [sequence, channel] : waits)
    timeline_.append(sequence, {Action::Receive, 0, channel});
}

/// `ofHost`: how long one instance needs a core of the host.
Model::Track Model::addProgram(uint32_t index, StepPrediction::LaneTimes &shown, double &ofHost) {
  using Action = StepTimeline::Action;
  const plan::Program &program = plan_.programs(int(index));
  const TimeModel::Engine engine = engineOf(program.device());
  Track track;
  track.sequence = timeline_.addSequence();
  for (uint32_t queue = 0; queue < program.queues(); ++queue)
    track.queues.push_back({timeline_.addSequence(), timeline_.addChannel({UINT32_MAX})});
  // A channel from each signal to each that waits for it, by the signal.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> told;
  std::vector<uint32_t> waits; // by instruction: its channel
  // steps: then the lane waits for what the step before told
  const uint32_t ahead = plan::runsAhead(program);
  plan::LoopWalk around;
  for (const plan::Instruction &instruction : program.instructions()) {
    around.times(instruction); // in a loop it waits for the same time's
    waits.push_back(0);
    if (instruction.has_signal())
      told[{instruction.queue(), instruction.signal().n()}];
    if (instruction.has_wait()) {
      waits.back() = instruction.queue()
                         ? timeline_.addChannel({UINT32_MAX})
                         : timeline_.addChannel({UINT32_MAX, 0, time_.queueLatency(), 0,
                                                 around.inLoop() ? 0 : ahead});
      told[{instruction.wait().queue(), instruction.wait().n()}].push_back(waits.back());
    }
  }
  uint32_t segment = 0;
  plan::LoopWalk loops;
  for (int i = 0; i < program.instructions_size(); ++i) {
    const plan::Instruction &instruction = program.instructions(i);
    const size_t first = timeline_.size(track.sequence);
    // all times of an instruction in a loop are one span
    const double times = loops.times(instruction);
    if (instruction.queue()) {
      // with it the lane gives all of a segment
      const bool isFirst = instruction.segment() != segment;
      if (isFirst && segment)
        endSegment(track);
      segment = instruction.segment();
      const double give = isFirst ? time_.give(engine) * times : 0;
      const double seconds = addQueued(program, instruction, i, give, times, track, told);
      shown.busy += plan::isQueueWork(instruction) ? seconds : time_.instruction();
      ofHost += give;
      if (engine == TimeModel::Engine::Host)
        ofHost += seconds;
      if (instruction.has_wait()) // the queue waits
        timeline_.append(track.queues[instruction.queue() - 1].sequence,
                         {Action::Receive, 0, waits[size_t(i)]});
    } else {
      StepTimeline::Instruction step = cost(program, instruction);
      step.seconds *= times;
      // one message a channel; the chief's own control message is no message
      if (instruction.has_control_send())
        for (uint32_t channel : instruction.control_send().channels())
          if (plan_.channels(int(channel)).receiver() != index)
            timeline_.append(track.sequence, {Action::Send, 0, channels_[channel]});
      timeline_.append(
          track.sequence,
          instruction.has_wait()
              ? StepTimeline::Instruction{Action::Receive, step.seconds, waits[size_t(i)]}
              : step);
      shown.busy += step.seconds;
      ofHost += step.seconds;
    }
    track.ranges.emplace_back(first, timeline_.size(track.sequence));
  }
  return track;
}

/// Back to one span an instruction: a control_send's messages are part of it.
StepPrediction::LaneTimes Model::show(const Track &track, const StepTimeline::Result &result,
                                      StepPrediction::LaneTimes lane) {
  const std::vector<StepTimeline::Span> &spans = result.spans[track.sequence];
  for (auto [first, end] : track.ranges)
    lane.spans.push_back({spans[first].start, spans[end - 1].end});
  for (auto [i, queue] : llvm::enumerate(track.queues)) {
    StepPrediction::Queue &shown = lane.queues.emplace_back();
    shown.number = uint32_t(i) + 1;
    for (auto [instruction, at] : queue.work) {
      shown.instructions.push_back(instruction);
      shown.spans.push_back(result.spans[queue.sequence][at]);
    }
  }
  return lane;
}

StepPrediction Model::run() {
  StepPrediction prediction;
  if (plan_.phases_size() == 0)
    return prediction;
  readPrograms();
  for (uint32_t channel = 0; channel < uint32_t(plan_.channels_size()); ++channel)
    addChannel(channel);
  for (const plan::Channel &channel : plan_.channels())
    if (!channel.control() && int(plan_.programs(int(channel.sender())).phase()) == phase_)
      prediction.bytesBetweenHosts += uint64_t(leavingHosts(channel).all + 0.5);
  std::map<std::string, double> work; // by host, of all instances
  std::vector<Track> tracks;
  for (uint32_t index = 0; index < uint32_t(plan_.programs_size()); ++index) {
    const plan::Program &program = plan_.programs(int(index));
    if (int(program.phase()) != phase_)
      continue;
    prediction.lanes.emplace_back().program = index;
    double ofHost = 0;
    tracks.push_back(addProgram(index, prediction.lanes.back(), ofHost));
    for (uint32_t i = 0; i < program.instances(); ++i)
      work[hostOf(plan::instanceTask(plan_, program, i))] += ofHost;
  }
  std::optional<StepTimeline::Result> result = timeline_.run();
  if (!result)
    return prediction; // certificates keep this from happening
  for (auto [lane, track] : llvm::zip(prediction.lanes, tracks))
    lane = show(track, *result, std::move(lane));
  const plan::Phase &main = plan_.phases(phase_);
  double updates = main.ends_by_end_of_stream() ? std::max(1u, plan_.replicas().size()) : 1;
  prediction.cycle = result->step;
  for (auto &[host, seconds] : work)
    prediction.cores = std::max(prediction.cores, seconds / calibration_.cores);
  prediction.step = std::max(prediction.cycle, prediction.cores) / updates;
  if (prediction.step > 0)
    prediction.samplesPerSecond = double(main.samples_per_step()) / prediction.step;
  return prediction;
}

} // namespace

bool hasGpu(const plan::Plan &plan) {
  return llvm::any_of(plan.programs(), [](const plan::Program &program) {
    return engineOf(program.device()) == TimeModel::Engine::Gpu;
  });
}

std::string sourceText(const cluster::MachineCalibration &calibration, bool hasGpu) {
  return calibration.source +
         (!hasGpu ? ""
          : calibration.gpuGiven
              ? ", GPUs too"
              : ", of GPUs from built-in figures of an H100: not measured on a GPU");
}

StepPrediction predict(const plan::Plan &plan, const cluster::ClusterConfig &cluster,
                       const cluster::MachineCalibration &calibration) {
  return Model(plan, cluster, calibration).run();
}

} // namespace graphc
