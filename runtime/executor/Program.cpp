//===- Program.cpp - plan instructions to executor instructions --------------------------------------------------------===//

#include "runtime/executor/Program.h"

#include "runtime/common/base/Status.h"
#include "runtime/common/plan/InstructionTable.h"
#include "runtime/common/plan/RunAhead.h"
#include "runtime/common/plan/Types.h"
#include "runtime/device/Device.h"
#include "runtime/executor/Rejoin.h"

#include <algorithm>
#include <map>
#include <set>

namespace graphc::executor {

class ProgramBuilder {
public:
  ProgramBuilder(const plan::Plan &plan, uint32_t index, const KernelLibrary &library)
      : plan(plan), source(plan.programs(int(index))), library(library), program(std::make_shared<Program>()) {
    program->plan = &plan;
    program->source = &source;
    program->index = index;
    program->runsAhead = plan::runsAhead(source);
    program->endsByEndOfStream = plan.phases(int(source.phase())).ends_by_end_of_stream();
  }

  absl::StatusOr<std::shared_ptr<const Program>> build() {
    fetched = plan::shownBuffers(source);
    released = plan::releasedChannels(source);
    program->instructions.reserve(size_t(source.instructions_size()));
    for (const plan::Instruction &instruction : source.instructions())
      if (instruction.send_start().ahead())
        addSend(instruction, Op::SendStart);
    program->stepFirst = uint32_t(program->instructions.size());
    for (int i = 0; i < source.instructions_size(); ++i) {
      if (const plan::Instruction &instruction = source.instructions(i); instruction.has_repeat())
        addLoop(i);
      else
        add(instruction);
    }
    notePlaces();
    program->feedFirst = mark();
    for (const plan::Port &feed : source.feeds())
      program->argumentBuffers.push_back(feed.buffer());
    program->fetchFirst = mark();
    for (const plan::Port &fetch : source.fetches())
      program->argumentBuffers.push_back(fetch.buffer());
    program->sumFirst = mark();
    for (const plan::Metric &metric : source.metrics())
      program->argumentBuffers.push_back(metric.sum());
    program->countFirst = mark();
    for (const plan::Metric &metric : source.metrics())
      program->argumentBuffers.push_back(metric.count());
    addPatches();
    GRAPHC_ASSIGN_OR_RETURN(program->device, device::find(source.device()));
    GRAPHC_RETURN_IF_ERROR(program->hostConstants.fill(plan, source, plan::HOST, *program->device));
    GRAPHC_RETURN_IF_ERROR(program->deviceConstants.fill(plan, source, plan::DEVICE, *program->device));
    return std::shared_ptr<const Program>(std::move(program));
  }

private:
  void notePlaces();
  uint32_t mark() const { return uint32_t(program->argumentBuffers.size()); }

  void add(const plan::Instruction &from);
  void addCall(const plan::Instruction &from, Instruction &to);
  void addLaunch(Instruction &to);
  void give(const plan::Instruction &from, Instruction &to);
  void numberSegments(size_t first, uint32_t times);
  void addLoop(int &position);
  void addSend(const plan::Instruction &from, Op op);
  void append(Instruction &to, const plan::Effects &effects);
  uint32_t sendPort(uint32_t channel, uint32_t &count);
  uint32_t receivePort(uint32_t channel, bool family);
  void addPatches();
  void addReads(const Instruction &call);

  const plan::Plan &plan;
  const plan::Program &source;
  const KernelLibrary &library;
  std::shared_ptr<Program> program;
  std::set<uint32_t> fetched; // buffers that the host reads at the end of the step
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> sendPorts; // channel → first port, count
  std::map<uint32_t, uint32_t> receivePorts;
  std::map<uint32_t, uint32_t> allReduceOf; // channel → index of its AllReduceCall
  std::map<uint32_t, uint32_t> boundBuffer; // channel → buffer of its last Receive
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> signalled; // queue, count → segment
  uint32_t loop = 0, loops = 0; // the one that is added, from 1, and how many there were
  std::set<uint32_t> released; // channels
  std::vector<uint32_t> readable; // AllReduceCalls whose sums are here and not released yet
};

/// Behind the others, with the locks of the variables that it touches.
void ProgramBuilder::append(Instruction &to, const plan::Effects &effects) {
  std::set<uint32_t> variables;
  if (source.locks_variables())
    for (const plan::BufferEffect &effect : effects.buffers)
      if (const plan::Buffer &buffer = source.buffers(int(effect.buffer));
          buffer.storage_case() == plan::Buffer::kVariable)
        variables.insert(buffer.variable());
  to.lockFirst = uint32_t(program->lockVariables.size());
  to.lockCount = uint16_t(variables.size()); // a call has at most 1024 arguments
  program->lockVariables.insert(program->lockVariables.end(), variables.begin(), variables.end());
  program->instructions.push_back(to);
}

uint32_t ProgramBuilder::sendPort(uint32_t channel, uint32_t &count) {
  auto [it, isNew] = sendPorts.try_emplace(channel);
  if (isNew) {
    const plan::Channel &c = plan.channels(int(channel));
    it->second = {uint32_t(program->sendPorts.size()), 0};
    if (c.control()) { // from instance 0 to every instance of the receiver but itself
      for (uint32_t r = c.sender() == c.receiver() ? 1 : 0; r < c.instances(); ++r)
        program->sendPorts.push_back({channel, r, false, false, PortUse::First});
    } else if (c.all_to_all()) {
      for (uint32_t r = 0; r < c.instances(); ++r)
        program->sendPorts.push_back({channel, r, false, true, PortUse::All});
    } else if (source.instances() == 1) {
      for (uint32_t r = 0; r < c.instances(); ++r)
        program->sendPorts.push_back({channel, r, false, false, PortUse::All});
    } else {
      program->sendPorts.push_back({channel, 0, true, false, PortUse::All});
    }
    it->second.second = uint32_t(program->sendPorts.size()) - it->second.first;
  }
  count = it->second.second;
  return it->second.first;
}

uint32_t ProgramBuilder::receivePort(uint32_t channel, bool family) {
  auto [it, isNew] = receivePorts.try_emplace(channel, uint32_t(program->receivePorts.size()));
  if (isNew) {
    const plan::Channel &c = plan.channels(int(channel));
    if (family)
      for (uint32_t r = 0; r < c.instances(); ++r)
        program->receivePorts.push_back({channel, r, false, c.all_to_all(), PortUse::All});
    else
      program->receivePorts.push_back(
          {channel, 0, true, false, c.control() && c.sender() == c.receiver() ? PortUse::NotFirst : PortUse::All});
  }
  return it->second;
}

void ProgramBuilder::addSend(const plan::Instruction &from, Op op) {
  Instruction to;
  to.op = op;
  to.source = &from;
  to.port = sendPort(from.send_start().channel(), to.count);
  to.buffer = from.send_start().buffer();
  if (from.send_start().deal())
    to.bytes = plan.channels(int(from.send_start().channel())).bytes();
  if (from.send_start().has_units())
    to.counts = from.send_start().units();
  append(to, plan::effectsOf(plan, source, from));
}

/// `position`: of a Repeat, then of the last instruction that it repeats.
void ProgramBuilder::addLoop(int &position) {
  const plan::Instruction &repeat = source.instructions(position);
  const size_t begin = program->instructions.size(), firstSegment = program->segments.size();
  loop = ++loops;
  for (uint32_t i = 0; i < repeat.repeat().length(); ++i)
    add(source.instructions(++position));
  loop = 0;
  numberSegments(firstSegment, repeat.repeat().count());
  Instruction again;
  again.op = Op::Again;
  again.source = &repeat;
  again.first = uint32_t(program->instructions.size() - begin);
  again.count = repeat.repeat().count();
  program->instructions.push_back(again);
}

void ProgramBuilder::add(const plan::Instruction &from) {
  const plan::Effects effects = plan::effectsOf(plan, source, from);
  Instruction to;
  to.source = &from;
  if (effects.kernel)
    to.planKernel = *effects.kernel;
  switch (from.kind_case()) {
  case plan::Instruction::kCall:
    addCall(from, to);
    break;
  case plan::Instruction::kCopy:
    to.op = Op::QueueCopy;
    to.first = mark();
    to.bytes = source.buffers(int(from.copy().to())).bytes();
    program->argumentBuffers.push_back(from.copy().to());
    program->argumentBuffers.push_back(from.copy().from());
    break;
  case plan::Instruction::kSignal:
    to.op = Op::QueueSignal;
    to.count = from.signal().n();
    signalled[{from.queue(), to.count}] = from.segment() - 1;
    break;
  case plan::Instruction::kWait:
    if (program->runsAhead && !from.queue() && !loop)
      return; // where the step ends the lane waits for the step before
    to.op = from.queue() ? Op::QueueWait : Op::Wait;
    to.port = from.queue() ? from.wait().queue() - 1 : signalled.at({from.wait().queue(), from.wait().n()});
    to.local = !from.queue() && loop && program->segments[to.port].loop == loop;
    to.count = from.wait().n();
    break;
  case plan::Instruction::kReceive:
    to.op = Op::Receive;
    to.port = receivePort(from.receive().channel(), false);
    to.buffer = from.receive().buffer();
    if (from.receive().has_units())
      to.counts = from.receive().units();
    boundBuffer[from.receive().channel()] = to.buffer;
    break;
  case plan::Instruction::kRelease:
    if (auto sums = allReduceOf.find(from.release().channel()); sums != allReduceOf.end()) {
      to.op = Op::AllReduceRelease;
      to.port = sums->second;
      std::erase(readable, to.port);
      break;
    }
    to.op = Op::Release;
    to.port = receivePort(from.release().channel(), false);
    to.buffer = boundBuffer[from.release().channel()];
    if (fetched.contains(to.buffer)) {
      program->deferredReleases.push_back(to);
      return;
    }
    break;
  case plan::Instruction::kAcquire: {
    uint32_t count;
    to.op = Op::Acquire;
    to.port = sendPort(from.acquire().channel(), count);
    to.buffer = from.acquire().buffer();
    break;
  }
  case plan::Instruction::kSendStart:
    return addSend(from, from.send_start().ahead() ? Op::SendAhead : Op::SendStart);
  case plan::Instruction::kSendDone:
    to.op = Op::SendDone;
    to.port = sendPort(from.send_done().channel(), to.count);
    break;
  case plan::Instruction::kAggregate: {
    const plan::Channel &channel = plan.channels(int(from.aggregate().channel()));
    to.op = Op::Aggregate;
    to.port = receivePort(from.aggregate().channel(), true);
    to.count = channel.instances();
    to.buffer = from.aggregate().buffer();
    to.bytes = plan.kernels(int(to.planKernel)).args(0).bytes();
    program->mostMessages = std::max(program->mostMessages, to.count);
    to.kernel = library.entry(to.planKernel);
    to.first = mark();
    program->argumentBuffers.push_back(to.buffer);
    if (from.aggregate().has_own())
      program->argumentBuffers.push_back(from.aggregate().own());
    if (from.aggregate().has_scratch()) {
      to.partials = mark();
      program->argumentBuffers.push_back(from.aggregate().scratch());
    }
    if (from.aggregate().has_chosen())
      to.chosen = from.aggregate().chosen();
    break;
  }
  case plan::Instruction::kCollect: {
    const plan::Channel &channel = plan.channels(int(from.collect().channel()));
    to.op = Op::Collect;
    to.port = receivePort(from.collect().channel(), true);
    to.count = channel.instances();
    to.bytes = channel.bytes();
    to.first = mark();
    if (from.collect().has_units())
      to.counts = from.collect().units();
    program->argumentBuffers.push_back(from.collect().buffer());
    break;
  }
  case plan::Instruction::kChoose:
    to.op = Op::Choose;
    to.port = receivePort(from.choose().channel(), true);
    to.count = plan.channels(int(from.choose().channel())).instances();
    to.buffer = from.choose().version();
    to.chosen = from.choose().chosen();
    to.take = from.choose().take();
    break;
  case plan::Instruction::kAllReduceStart: {
    const plan::Instruction::AllReduceStart &start = from.all_reduce_start();
    to.op = Op::AllReduceStart;
    to.port = allReduceOf[start.channel()] = uint32_t(program->allReduces.size());
    uint32_t count;
    program->allReduces.push_back({&from, sendPort(start.channel(), count), receivePort(start.channel(), true), mark(),
                                   library.entry(start.add()), released.contains(start.channel())});
    program->argumentBuffers.push_back(start.buffer());
    program->argumentBuffers.push_back(start.scratch());
    break;
  }
  case plan::Instruction::kAllReduceDone:
    to.op = Op::AllReduceDone;
    to.port = allReduceOf[from.all_reduce_done().channel()];
    to.planKernel = program->allReduces[to.port].source->all_reduce_start().add();
    if (program->allReduces[to.port].released)
      readable.push_back(to.port);
    break;
  case plan::Instruction::kAccumulate:
    to.op = from.queue() ? Op::QueueAccumulate : Op::Accumulate;
    to.buffer = from.accumulate().buffer();
    to.bytes = plan.kernels(int(to.planKernel)).args(0).bytes();
    if (from.queue()) {
      addLaunch(to);
    } else {
      to.kernel = library.entry(to.planKernel);
      to.take = from.accumulate().per_leaf();
    }
    to.first = mark();
    to.count = 1 + uint32_t(from.accumulate().partials_size());
    program->argumentBuffers.push_back(to.buffer);
    program->argumentBuffers.insert(program->argumentBuffers.end(), from.accumulate().partials().begin(),
                                    from.accumulate().partials().end());
    break;
  case plan::Instruction::kNextBatch:
    to.op = Op::NextBatch;
    to.first = mark();
    to.count = uint32_t(from.next_batch().buffers_size());
    program->argumentBuffers.insert(program->argumentBuffers.end(), from.next_batch().buffers().begin(),
                                    from.next_batch().buffers().end());
    if (from.next_batch().has_valid())
      program->argumentBuffers.push_back(from.next_batch().valid());
    break;
  case plan::Instruction::kMicroBatchIndex:
    to.op = Op::MicroBatchIndex;
    to.first = mark();
    to.count = from.micro_batch_index().micro_batches();
    to.port = from.micro_batch_index().micro_batch();
    program->argumentBuffers.push_back(from.micro_batch_index().buffer());
    break;
  case plan::Instruction::kControlSend:
    to.op = Op::ControlSend;
    to.port = uint32_t(program->sendPorts.size());
    for (uint32_t channel : from.control_send().channels()) {
      uint32_t count;
      sendPort(channel, count);
      to.count += count;
    }
    break;
  case plan::Instruction::kControlReceive: {
    to.op = Op::ControlReceive;
    to.local = from.control_receive().local();
    to.port =
        to.local && source.instances() == 1 ? Program::noPort : receivePort(from.control_receive().channel(), false);
    break;
  }
  case plan::Instruction::kTicket:
  default:
    to.op = Op::Ticket;
    break;
  }
  if (from.queue())
    return give(from, to);
  append(to, effects);
}

void ProgramBuilder::notePlaces() {
  std::map<const plan::Instruction *, uint32_t> places;
  for (int i = 0; i < source.instructions_size(); ++i)
    places[&source.instructions(i)] = uint32_t(i);
  for (const Instruction &instruction : program->instructions)
    program->planPlaces.push_back(places.at(instruction.source));
  for (const Instruction &instruction : program->instructions)
    program->doneOnce.push_back(isDoneOnce(plan, source, *instruction.source));
}

/// The lane gives a segment where its first instruction stands.
void ProgramBuilder::give(const plan::Instruction &from, Instruction &to) {
  to.queue = from.queue() - 1;
  if (from.segment() > program->segments.size()) {
    Instruction give;
    give.op = Op::Give;
    give.source = &from;
    give.port = uint32_t(program->segments.size());
    program->instructions.push_back(give);
    program->segments.push_back({uint32_t(program->given.size()), 0});
    program->segments.back().loop = loop;
    if (!loop)
      numberSegments(program->segments.size() - 1, 1);
  }
  program->given.push_back(to);
  SegmentUse &segment = program->segments.back();
  ++segment.count;
  if (from.has_accumulate())
    segment.perLeaf = from.accumulate().per_leaf();
}

/// Those from `first` on are done one after the other, so many times. verifyPlan has bounded what a step repeats.
void ProgramBuilder::numberSegments(size_t first, uint32_t times) {
  const auto every = uint32_t(program->segments.size() - first);
  for (size_t i = first; i < program->segments.size(); ++i) {
    program->segments[i].before = program->segmentsOfStep + uint32_t(i - first);
    program->segments[i].every = every;
    program->segments[i].times = times;
  }
  program->segmentsOfStep += every * times;
}

void ProgramBuilder::addLaunch(Instruction &to) {
  to.port = uint32_t(program->launches.size());
  program->launches.push_back(
      {&library.code(plan, to.planKernel, source), plan.kernels(int(to.planKernel)).compiled().entry()});
}

void ProgramBuilder::addCall(const plan::Instruction &from, Instruction &to) {
  const plan::Kernel &kernel = plan.kernels(int(to.planKernel));
  to.first = mark();
  to.count = uint32_t(from.call().buffers_size());
  program->argumentBuffers.insert(program->argumentBuffers.end(), from.call().buffers().begin(),
                                  from.call().buffers().end());
  addReads(to);
  if (kernel.has_library()) {
    to.op = from.queue() ? Op::QueueLibraryCall : Op::LibraryCall;
    to.port = uint32_t(program->libraryCalls.size());
    auto algorithm = library.algorithms().find(kernel.name());
    program->libraryCalls.push_back({plan::libraryCallOf(kernel), kernel.scratch_bytes(),
                                     algorithm == library.algorithms().end() ? "" : algorithm->second});
  } else if (from.queue()) {
    to.op = Op::QueueCall;
    addLaunch(to);
  } else {
    to.kernel = library.entry(to.planKernel);
    to.port = library.blocks(to.planKernel);
    to.op = to.port > 1 ? Op::CallInBlocks : Op::Call;
    program->callsInBlocks |= to.port > 1;
  }
}

/// Which arguments of the call are sums, or parts of them. verifyPlan has seen that nothing else touches those until their Release.
void ProgramBuilder::addReads(const Instruction &call) {
  for (uint32_t index : readable) {
    AllReduceCall &allReduce = program->allReduces[index];
    const plan::Buffer &sums = source.buffers(int(allReduce.source->all_reduce_start().buffer()));
    const uint64_t begin = sums.arena().offset(), end = begin + sums.bytes();
    for (uint32_t argument = call.first; argument < call.first + call.count; ++argument)
      if (const plan::Buffer &part = source.buffers(int(program->argumentBuffers[argument]));
          part.has_arena() && part.space() == plan::HOST && begin <= part.arena().offset() &&
          part.arena().offset() + part.bytes() <= end)
        allReduce.reads.push_back({argument, part.arena().offset() - begin});
  }
}

// A Receive or Acquire rewrites every argument entry that names its slot; within a step the last Receive of a slot wins, as the
// verifier lets nobody use it before.
void ProgramBuilder::addPatches() {
  std::map<uint32_t, std::vector<uint32_t>> entriesOf;
  for (uint32_t i = 0; i < program->argumentBuffers.size(); ++i)
    entriesOf[program->argumentBuffers[i]].push_back(i);
  for (Instruction &instruction : program->instructions)
    if (instruction.op == Op::Receive || instruction.op == Op::Acquire) {
      const std::vector<uint32_t> &entries = entriesOf[instruction.buffer];
      instruction.first = uint32_t(program->patches.size());
      instruction.count = uint32_t(entries.size());
      program->patches.insert(program->patches.end(), entries.begin(), entries.end());
    }
}

absl::StatusOr<std::shared_ptr<const Program>> Program::create(const plan::Plan &plan, uint32_t index,
                                                               const KernelLibrary &library) {
  return ProgramBuilder(plan, index, library).build();
}

} // namespace graphc::executor
