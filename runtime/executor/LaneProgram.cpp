//===- LaneProgram.cpp - plan instructions to executor instructions ---------------------------===//

#include "runtime/executor/LaneProgram.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/InstructionTable.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/StepRunAhead.h"
#include "runtime/device/Device.h"
#include "runtime/executor/RejoinableTasks.h"

#include <algorithm>
#include <map>
#include <set>

#pragma clang diagnostic error "-Wswitch"

namespace graphc::executor {

class ProgramBuilder {
public:
  ProgramBuilder(const plan::Plan &plan, uint32_t index, const LoadedKernels &library)
      : plan_(plan), source_(plan.programs(int(index))), library_(library),
        program_(std::make_shared<LaneProgram>()) {
    program_->plan = &plan;
    program_->source = &source_;
    program_->index = index;
    program_->runsAhead = plan::runsAhead(source_);
    program_->endsByEndOfStream = plan.phases(int(source_.phase())).ends_by_end_of_stream();
  }

  absl::StatusOr<std::shared_ptr<const LaneProgram>> build() {
    fetched_ = plan::shownBuffers(source_);
    released_ = plan::releasedChannels(source_);
    program_->instructions.reserve(size_t(source_.instructions_size()));
    for (const plan::Instruction &instruction : source_.instructions())
      if (instruction.send_start().ahead())
        addSend(instruction, LaneOp::SendStart);
    program_->stepFirst = uint32_t(program_->instructions.size());
    for (int i = 0; i < source_.instructions_size(); ++i) {
      if (const plan::Instruction &instruction = source_.instructions(i); instruction.has_repeat())
        addLoop(i);
      else
        add(instruction);
    }
    notePlaces();
    program_->feedFirst = mark();
    for (const plan::Port &feed : source_.feeds())
      program_->argumentBuffers.push_back(feed.buffer());
    program_->fetchFirst = mark();
    for (const plan::Port &fetch : source_.fetches())
      program_->argumentBuffers.push_back(fetch.buffer());
    program_->sumFirst = mark();
    for (const plan::Metric &metric : source_.metrics())
      program_->argumentBuffers.push_back(metric.sum());
    program_->countFirst = mark();
    for (const plan::Metric &metric : source_.metrics())
      program_->argumentBuffers.push_back(metric.count());
    addPatches();
    GRAPHC_ASSIGN_OR_RETURN(program_->device, device::find(source_.device()));
    GRAPHC_RETURN_IF_ERROR(
        program_->hostConstants.fill(plan_, source_, plan::HOST, *program_->device));
    GRAPHC_RETURN_IF_ERROR(
        program_->deviceConstants.fill(plan_, source_, plan::DEVICE, *program_->device));
    return std::shared_ptr<const LaneProgram>(std::move(program_));
  }

private:
  void notePlaces();
  uint32_t mark() const { return uint32_t(program_->argumentBuffers.size()); }

  void add(const plan::Instruction &from);
  // What an instruction of the plan is to the lane: operation, ports, buffers.
  void decode(const plan::Instruction &from, const plan::Instruction::Copy &copy,
              LaneInstruction &to);
  void decode(const plan::Instruction &from, const plan::Instruction::Signal &signal,
              LaneInstruction &to);
  void decode(const plan::Instruction &from, const plan::Instruction::Wait &wait,
              LaneInstruction &to);
  void decode(const plan::Instruction &from, const plan::Instruction::Receive &receive,
              LaneInstruction &to);
  void decode(const plan::Instruction &from, const plan::Instruction::Release &release,
              LaneInstruction &to);
  void decode(const plan::Instruction &from, const plan::Instruction::Acquire &acquire,
              LaneInstruction &to);
  void decode(const plan::Instruction &from, const plan::Instruction::SendDone &done,
              LaneInstruction &to);
  void decode(const plan::Instruction &from, const plan::Instruction::Aggregate &sum,
              LaneInstruction &to);
  void decode(const plan::Instruction &from, const plan::Instruction::Collect &collect,
              LaneInstruction &to);
  void decode(const plan::Instruction &from, const plan::Instruction::Choose &choose,
              LaneInstruction &to);
  void decode(const plan::Instruction &from, const plan::Instruction::AllReduceStart &start,
              LaneInstruction &to);
  void decode(const plan::Instruction &from, const plan::Instruction::AllReduceDone &done,
              LaneInstruction &to);
  void decode(const plan::Instruction &from, const plan::Instruction::Accumulate &sum,
              LaneInstruction &to);
  void decode(const plan::Instruction &from, const plan::Instruction::NextBatch &next,
              LaneInstruction &to);
  void decode(const plan::Instruction &from, const plan::Instruction::MicroBatchIndex &index,
              LaneInstruction &to);
  void decode(const plan::Instruction &from, const plan::Instruction::ControlSend &send,
              LaneInstruction &to);
  void decode(const plan::Instruction &from, const plan::Instruction::ControlReceive &receive,
              LaneInstruction &to);
  void addCall(const plan::Instruction &from, LaneInstruction &to);
  void addLaunch(LaneInstruction &to);
  void give(const plan::Instruction &from, LaneInstruction &to);
  void numberSegments(size_t first, uint32_t times);
  void addLoop(int &position);
  void addSend(const plan::Instruction &from, LaneOp op);
  void append(LaneInstruction &to, const plan::InstructionEffects &effects);
  uint32_t sendPort(uint32_t channel, uint32_t &count);
  uint32_t receivePort(uint32_t channel, bool allInstances);
  void addPatches();
  void addReads(const LaneInstruction &call);

  const plan::Plan &plan_;
  const plan::Program &source_;
  const LoadedKernels &library_;
  std::shared_ptr<LaneProgram> program_;
  std::set<uint32_t> fetched_; // buffers that the host reads at the end of the step
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> sendPorts_; // channel → first port, count
  std::map<uint32_t, uint32_t> receivePorts_;
  std::map<uint32_t, uint32_t> allReduceOf_; // channel → index of its AllReduceCall
  std::map<uint32_t, uint32_t> boundBuffer_; // channel → buffer of its last Receive
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> signalled_; // queue, count → segment
  uint32_t loop_ = 0, loops_ = 0; // the one that is added, from 1, and how many there were
  std::set<uint32_t> released_; // channels
  std::vector<uint32_t> readable_; // AllReduceCalls whose sums are here and not released yet
};

/// Behind the others, with the locks of the variables that it touches.
void ProgramBuilder::append(LaneInstruction &to, const plan::InstructionEffects &effects) {
  std::set<uint32_t> variables;
  if (source_.locks_variables())
    for (const plan::BufferEffect &effect : effects.buffers)
      if (const plan::Buffer &buffer = source_.buffers(int(effect.buffer));
          buffer.storage_case() == plan::Buffer::kVariable)
        variables.insert(buffer.variable());
  to.lockFirst = uint32_t(program_->lockVariables.size());
  to.lockCount = uint16_t(variables.size()); // a call has at most 1024 arguments
  program_->lockVariables.insert(program_->lockVariables.end(), variables.begin(), variables.end());
  program_->instructions.push_back(to);
}

uint32_t ProgramBuilder::sendPort(uint32_t channel, uint32_t &count) {
  auto [it, isNew] = sendPorts_.try_emplace(channel);
  if (isNew) {
    const plan::Channel &c = plan_.channels(int(channel));
    it->second = {uint32_t(program_->sendPorts.size()), 0};
    if (c.control()) { // from instance 0 to every instance of the receiver but itself
      for (uint32_t r = c.sender() == c.receiver() ? 1 : 0; r < c.instances(); ++r)
        program_->sendPorts.push_back({channel, r, false, false, PortUse::First});
    } else if (c.all_to_all()) {
      for (uint32_t r = 0; r < c.instances(); ++r)
        program_->sendPorts.push_back({channel, r, false, true, PortUse::All});
    } else if (source_.instances() == 1) {
      for (uint32_t r = 0; r < c.instances(); ++r)
        program_->sendPorts.push_back({channel, r, false, false, PortUse::All});
    } else {
      program_->sendPorts.push_back({channel, 0, true, false, PortUse::All});
    }
    it->second.second = uint32_t(program_->sendPorts.size()) - it->second.first;
  }
  count = it->second.second;
  return it->second.first;
}

uint32_t ProgramBuilder::receivePort(uint32_t channel, bool allInstances) {
  auto [it, isNew] = receivePorts_.try_emplace(channel, uint32_t(program_->receivePorts.size()));
  if (isNew) {
    const plan::Channel &c = plan_.channels(int(channel));
    if (allInstances)
      for (uint32_t r = 0; r < c.instances(); ++r)
        program_->receivePorts.push_back({channel, r, false, c.all_to_all(), PortUse::All});
    else
      program_->receivePorts.push_back(
          {channel, 0, true, false,
           c.control() && c.sender() == c.receiver() ? PortUse::NotFirst : PortUse::All});
  }
  return it->second;
}

void ProgramBuilder::addSend(const plan::Instruction &from, LaneOp op) {
  LaneInstruction to;
  to.op = op;
  to.source = &from;
  to.port = sendPort(from.send_start().channel(), to.count);
  to.buffer = from.send_start().buffer();
  if (from.send_start().deal())
    to.bytes = plan_.channels(int(from.send_start().channel())).bytes();
  if (from.send_start().has_units())
    to.counts = from.send_start().units();
  append(to, plan::effectsOf(plan_, source_, from));
}

/// `position`: of a Repeat, then of the last instruction that it repeats.
void ProgramBuilder::addLoop(int &position) {
  const plan::Instruction &repeat = source_.instructions(position);
  const size_t begin = program_->instructions.size(), firstSegment = program_->segments.size();
  loop_ = ++loops_;
  for (uint32_t i = 0; i < repeat.repeat().length(); ++i)
    add(source_.instructions(++position));
  loop_ = 0;
  numberSegments(firstSegment, repeat.repeat().count());
  LaneInstruction again;
  again.op = LaneOp::Again;
  again.source = &repeat;
  again.first = uint32_t(program_->instructions.size() - begin);
  again.count = repeat.repeat().count();
  program_->instructions.push_back(again);
}

void ProgramBuilder::decode(const plan::Instruction &from, const plan::Instruction::Copy &copy,
                            LaneInstruction &to) {
  to.op = LaneOp::QueueCopy;
  to.first = mark();
  to.bytes = source_.buffers(int(copy.to())).bytes();
  program_->argumentBuffers.push_back(copy.to());
  program_->argumentBuffers.push_back(copy.from());
}

void ProgramBuilder::decode(const plan::Instruction &from, const plan::Instruction::Signal &signal,
                            LaneInstruction &to) {
  to.op = LaneOp::QueueSignal;
  to.count = signal.n();
  signalled_[{from.queue(), to.count}] = from.segment() - 1;
}

void ProgramBuilder::decode(const plan::Instruction &from, const plan::Instruction::Wait &wait,
                            LaneInstruction &to) {
  to.op = from.queue() ? LaneOp::QueueWait : LaneOp::Wait;
  to.port = from.queue() ? wait.queue() - 1 : signalled_.at({wait.queue(), wait.n()});
  to.local = !from.queue() && loop_ && program_->segments[to.port].loop == loop_;
  to.count = wait.n();
}

void ProgramBuilder::decode(const plan::Instruction &from,
                            const plan::Instruction::Receive &receive, LaneInstruction &to) {
  to.op = LaneOp::Receive;
  to.port = receivePort(receive.channel(), false);
  to.buffer = receive.buffer();
  if (receive.has_units())
    to.counts = receive.units();
  boundBuffer_[receive.channel()] = to.buffer;
}

void ProgramBuilder::decode(const plan::Instruction &from,
                            const plan::Instruction::Release &release, LaneInstruction &to) {
  if (auto sums = allReduceOf_.find(release.channel()); sums != allReduceOf_.end()) {
    to.op = LaneOp::AllReduceRelease;
    to.port = sums->second;
    std::erase(readable_, to.port);
    return;
  }
  to.op = LaneOp::Release;
  to.port = receivePort(release.channel(), false);
  to.buffer = boundBuffer_[release.channel()];
}

void ProgramBuilder::decode(const plan::Instruction &from,
                            const plan::Instruction::Acquire &acquire, LaneInstruction &to) {
  uint32_t count;
  to.op = LaneOp::Acquire;
  to.port = sendPort(acquire.channel(), count);
  to.buffer = acquire.buffer();
}

void ProgramBuilder::decode(const plan::Instruction &from, const plan::Instruction::SendDone &done,
                            LaneInstruction &to) {
  to.op = LaneOp::SendDone;
  to.port = sendPort(done.channel(), to.count);
}

void ProgramBuilder::decode(const plan::Instruction &from, const plan::Instruction::Aggregate &sum,
                            LaneInstruction &to) {
  const plan::Channel &channel = plan_.channels(int(sum.channel()));
  to.op = LaneOp::Aggregate;
  to.port = receivePort(sum.channel(), true);
  to.count = channel.instances();
  to.buffer = sum.buffer();
  to.bytes = plan_.kernels(int(to.planKernel)).args(0).bytes();
  program_->mostMessages = std::max(program_->mostMessages, to.count);
  to.kernel = library_.entry(to.planKernel);
  to.first = mark();
  program_->argumentBuffers.push_back(to.buffer);
  if (sum.has_own())
    program_->argumentBuffers.push_back(sum.own());
  if (sum.has_scratch()) {
    to.partials = mark();
    program_->argumentBuffers.push_back(sum.scratch());
  }
  if (sum.has_chosen())
    to.chosen = sum.chosen();
}

void ProgramBuilder::decode(const plan::Instruction &from,
                            const plan::Instruction::Collect &collect, LaneInstruction &to) {
  const plan::Channel &channel = plan_.channels(int(collect.channel()));
  to.op = LaneOp::Collect;
  to.port = receivePort(collect.channel(), true);
  to.count = channel.instances();
  to.bytes = channel.bytes();
  to.first = mark();
  if (collect.has_units())
    to.counts = collect.units();
  program_->argumentBuffers.push_back(collect.buffer());
}

void ProgramBuilder::decode(const plan::Instruction &from, const plan::Instruction::Choose &choose,
                            LaneInstruction &to) {
  to.op = LaneOp::Choose;
  to.port = receivePort(choose.channel(), true);
  to.count = plan_.channels(int(choose.channel())).instances();
  to.buffer = choose.version();
  to.chosen = choose.chosen();
  to.take = choose.take();
}

void ProgramBuilder::decode(const plan::Instruction &from,
                            const plan::Instruction::AllReduceStart &start, LaneInstruction &to) {
  to.op = LaneOp::AllReduceStart;
  to.port = allReduceOf_[start.channel()] = uint32_t(program_->allReduces.size());
  uint32_t count;
  program_->allReduces.push_back(
      {&from, sendPort(start.channel(), count), receivePort(start.channel(), true), mark(),
       library_.entry(start.add()), released_.contains(start.channel())});
  program_->argumentBuffers.push_back(start.buffer());
  program_->argumentBuffers.push_back(start.scratch());
}

void ProgramBuilder::decode(const plan::Instruction &from,
                            const plan::Instruction::AllReduceDone &done, LaneInstruction &to) {
  to.op = LaneOp::AllReduceDone;
  to.port = allReduceOf_[done.channel()];
  to.planKernel = program_->allReduces[to.port].source->all_reduce_start().add();
  if (program_->allReduces[to.port].released)
    readable_.push_back(to.port);
}

void ProgramBuilder::decode(const plan::Instruction &from, const plan::Instruction::Accumulate &sum,
                            LaneInstruction &to) {
  to.op = from.queue() ? LaneOp::QueueAccumulate : LaneOp::Accumulate;
  to.buffer = sum.buffer();
  to.bytes = plan_.kernels(int(to.planKernel)).args(0).bytes();
  if (from.queue()) {
    addLaunch(to);
  } else {
    to.kernel = library_.entry(to.planKernel);
    to.take = sum.per_leaf();
  }
  to.first = mark();
  to.count = 1 + uint32_t(sum.partials_size());
  program_->argumentBuffers.push_back(to.buffer);
  program_->argumentBuffers.insert(program_->argumentBuffers.end(), sum.partials().begin(),
                                   sum.partials().end());
}

void ProgramBuilder::decode(const plan::Instruction &from, const plan::Instruction::NextBatch &next,
                            LaneInstruction &to) {
  to.op = LaneOp::NextBatch;
  to.first = mark();
  to.count = uint32_t(next.buffers_size());
  program_->argumentBuffers.insert(program_->argumentBuffers.end(), next.buffers().begin(),
                                   next.buffers().end());
  if (next.has_valid())
    program_->argumentBuffers.push_back(next.valid());
}

void ProgramBuilder::decode(const plan::Instruction &from,
                            const plan::Instruction::MicroBatchIndex &index, LaneInstruction &to) {
  to.op = LaneOp::MicroBatchIndex;
  to.first = mark();
  to.count = index.micro_batches();
  to.port = index.micro_batch();
  program_->argumentBuffers.push_back(index.buffer());
}

void ProgramBuilder::decode(const plan::Instruction &from,
                            const plan::Instruction::ControlSend &send, LaneInstruction &to) {
  to.op = LaneOp::ControlSend;
  to.port = uint32_t(program_->sendPorts.size());
  for (uint32_t channel : send.channels()) {
    uint32_t count;
    sendPort(channel, count);
    to.count += count;
  }
}

void ProgramBuilder::decode(const plan::Instruction &from,
                            const plan::Instruction::ControlReceive &receive, LaneInstruction &to) {
  to.op = LaneOp::ControlReceive;
  to.local = receive.local();
  to.port = to.local && source_.instances() == 1 ? LaneProgram::noPort
                                                 : receivePort(receive.channel(), false);
}

void ProgramBuilder::add(const plan::Instruction &from) {
  if (from.has_wait() && program_->runsAhead && !from.queue() && !loop_)
    return; // where the step ends the lane waits for the step before
  if (from.has_send_start())
    return addSend(from, from.send_start().ahead() ? LaneOp::SendAhead : LaneOp::SendStart);
  const plan::InstructionEffects effects = plan::effectsOf(plan_, source_, from);
  LaneInstruction to;
  to.source = &from;
  if (effects.kernel)
    to.planKernel = *effects.kernel;
  switch (from.kind_case()) {
  case plan::Instruction::kCall:
    addCall(from, to);
    break;
  case plan::Instruction::kCopy:
    decode(from, from.copy(), to);
    break;
  case plan::Instruction::kSignal:
    decode(from, from.signal(), to);
    break;
  case plan::Instruction::kWait:
    decode(from, from.wait(), to);
    break;
  case plan::Instruction::kReceive:
    decode(from, from.receive(), to);
    break;
  case plan::Instruction::kRelease:
    decode(from, from.release(), to);
    break;
  case plan::Instruction::kAcquire:
    decode(from, from.acquire(), to);
    break;
  case plan::Instruction::kSendDone:
    decode(from, from.send_done(), to);
    break;
  case plan::Instruction::kAggregate:
    decode(from, from.aggregate(), to);
    break;
  case plan::Instruction::kCollect:
    decode(from, from.collect(), to);
    break;
  case plan::Instruction::kChoose:
    decode(from, from.choose(), to);
    break;
  case plan::Instruction::kAllReduceStart:
    decode(from, from.all_reduce_start(), to);
    break;
  case plan::Instruction::kAllReduceDone:
    decode(from, from.all_reduce_done(), to);
    break;
  case plan::Instruction::kAccumulate:
    decode(from, from.accumulate(), to);
    break;
  case plan::Instruction::kNextBatch:
    decode(from, from.next_batch(), to);
    break;
  case plan::Instruction::kMicroBatchIndex:
    decode(from, from.micro_batch_index(), to);
    break;
  case plan::Instruction::kControlSend:
    decode(from, from.control_send(), to);
    break;
  case plan::Instruction::kControlReceive:
    decode(from, from.control_receive(), to);
    break;
  case plan::Instruction::kTicket:
    to.op = LaneOp::Ticket;
    break;
  case plan::Instruction::kSendStart: // above
  case plan::Instruction::kRepeat: // addLoop
  case plan::Instruction::KIND_NOT_SET: // verifyPlan has refused it
    return;
  }
  if (to.op == LaneOp::Release && fetched_.contains(to.buffer))
    program_->deferredReleases.push_back(to);
  else if (from.queue())
    give(from, to);
  else
    append(to, effects);
}

void ProgramBuilder::notePlaces() {
  std::map<const plan::Instruction *, uint32_t> places;
  for (int i = 0; i < source_.instructions_size(); ++i)
    places[&source_.instructions(i)] = uint32_t(i);
  for (const LaneInstruction &instruction : program_->instructions)
    program_->planPlaces.push_back(places.at(instruction.source));
  for (const LaneInstruction &instruction : program_->instructions)
    program_->doneOnce.push_back(isDoneOnce(plan_, source_, *instruction.source));
}

/// The lane gives a segment where its first instruction stands.
void ProgramBuilder::give(const plan::Instruction &from, LaneInstruction &to) {
  to.queue = from.queue() - 1;
  if (from.segment() > program_->segments.size()) {
    LaneInstruction give;
    give.op = LaneOp::Give;
    give.source = &from;
    give.port = uint32_t(program_->segments.size());
    program_->instructions.push_back(give);
    program_->segments.push_back({uint32_t(program_->given.size()), 0});
    program_->segments.back().loop = loop_;
    if (!loop_)
      numberSegments(program_->segments.size() - 1, 1);
  }
  program_->given.push_back(to);
  SegmentUse &segment = program_->segments.back();
  ++segment.count;
  if (from.has_accumulate())
    segment.perLeaf = from.accumulate().per_leaf();
}

/// Those from `first` on are done one after the other, so many times. verifyPlan has bounded what a
/// step repeats.
void ProgramBuilder::numberSegments(size_t first, uint32_t times) {
  const auto every = uint32_t(program_->segments.size() - first);
  for (size_t i = first; i < program_->segments.size(); ++i) {
    program_->segments[i].before = program_->segmentsOfStep + uint32_t(i - first);
    program_->segments[i].every = every;
    program_->segments[i].times = times;
  }
  program_->segmentsOfStep += every * times;
}

void ProgramBuilder::addLaunch(LaneInstruction &to) {
  to.port = uint32_t(program_->launches.size());
  program_->launches.push_back({&library_.code(plan_, to.planKernel, source_),
                                plan_.kernels(int(to.planKernel)).compiled().entry()});
}

void ProgramBuilder::addCall(const plan::Instruction &from, LaneInstruction &to) {
  const plan::Kernel &kernel = plan_.kernels(int(to.planKernel));
  to.first = mark();
  to.count = uint32_t(from.call().buffers_size());
  program_->argumentBuffers.insert(program_->argumentBuffers.end(), from.call().buffers().begin(),
                                   from.call().buffers().end());
  addReads(to);
  if (kernel.has_library()) {
    to.op = from.queue() ? LaneOp::QueueLibraryCall : LaneOp::LibraryCall;
    to.port = uint32_t(program_->libraryCalls.size());
    auto algorithm = library_.algorithms().find(kernel.name());
    program_->libraryCalls.push_back(
        {plan::libraryCallOf(kernel), kernel.scratch_bytes(),
         algorithm == library_.algorithms().end() ? "" : algorithm->second});
  } else if (from.queue()) {
    to.op = LaneOp::QueueCall;
    addLaunch(to);
  } else {
    to.kernel = library_.entry(to.planKernel);
    to.port = library_.blocks(to.planKernel);
    to.op = to.port > 1 ? LaneOp::CallInBlocks : LaneOp::Call;
    program_->callsInBlocks |= to.port > 1;
  }
}

/// Which arguments of the call are sums, or parts of them. verifyPlan has seen that nothing else
/// touches those until their Release.
void ProgramBuilder::addReads(const LaneInstruction &call) {
  for (uint32_t index : readable_) {
    AllReduceCall &allReduce = program_->allReduces[index];
    const plan::Buffer &sums = source_.buffers(int(allReduce.source->all_reduce_start().buffer()));
    const uint64_t begin = sums.arena().offset(), end = begin + sums.bytes();
    for (uint32_t argument = call.first; argument < call.first + call.count; ++argument)
      if (const plan::Buffer &part = source_.buffers(int(program_->argumentBuffers[argument]));
          part.has_arena() && part.space() == plan::HOST && begin <= part.arena().offset() &&
          part.arena().offset() + part.bytes() <= end)
        allReduce.reads.push_back({argument, part.arena().offset() - begin});
  }
}

// A Receive or Acquire rewrites every argument entry that names its slot; within a step the last
// Receive of a slot wins, as the verifier lets nobody use it before.
void ProgramBuilder::addPatches() {
  std::map<uint32_t, std::vector<uint32_t>> entriesOf;
  for (uint32_t i = 0; i < program_->argumentBuffers.size(); ++i)
    entriesOf[program_->argumentBuffers[i]].push_back(i);
  for (LaneInstruction &instruction : program_->instructions)
    if (instruction.op == LaneOp::Receive || instruction.op == LaneOp::Acquire) {
      const std::vector<uint32_t> &entries = entriesOf[instruction.buffer];
      instruction.first = uint32_t(program_->patches.size());
      instruction.count = uint32_t(entries.size());
      program_->patches.insert(program_->patches.end(), entries.begin(), entries.end());
    }
}

absl::StatusOr<std::shared_ptr<const LaneProgram>>
LaneProgram::create(const plan::Plan &plan, uint32_t index, const LoadedKernels &library) {
  return ProgramBuilder(plan, index, library).build();
}

} // namespace graphc::executor
