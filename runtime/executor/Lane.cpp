//===- Lane.cpp - the step loop ----------------------------------------------------------------------------------------===//
//
// This is the hot path: no allocation, no lock but a locks_variables program's own, no look-up. Everything that is not a
// plain call, message or counter is in LaneSetup.cpp (set-up, errors, texts).
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "runtime/executor/Lane.h"

#include "runtime/base/Clock.h"
#include "runtime/executor/TreeSum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace graphc::executor {

using transport::PollState;

LaneState Lane::run() {
  blockedPort = nullptr;
  if (!inStep) {
    if (LaneState state = beginStep(); state != LaneState::StepDone)
      return state;
  }
  if (std::optional<LaneState> state = execute())
    return *state;
  return finishStep();
}

LaneState Lane::beginStep() {
  if (stepStart == 0)
    stepStart = base::nowNanoseconds();
  context.step = currentStep;
  position = currentStep == 0 ? 0 : program->stepFirst;
  sub = 0;
  inStep = true;
  if (uint32_t feeds = program->fetchFirst - program->feedFirst)
    if (absl::Status status =
            host->feed(laneInfo, currentStep, {laneFrame->arguments.data() + program->feedFirst, feeds});
        !status.ok())
      return fail(std::move(status));
  return LaneState::StepDone;
}

inline void Lane::bind(const Instruction &instruction, void *memory) {
  laneFrame->buffers[instruction.buffer] = memory;
  for (uint32_t i = 0; i < instruction.count; ++i)
    laneFrame->arguments[program->patches[instruction.first + i]] = memory;
}

std::optional<LaneState> Lane::execute() {
  const Instruction *const instructions = program->instructions.data();
  const uint32_t end = uint32_t(program->instructions.size());
  Frame &frame = *laneFrame;
  void **const arguments = frame.arguments.data();
  for (; position < end; ++position) {
    const Instruction &instruction = instructions[position];
    if (!underWay.empty())
      advanceAllReduces();
    switch (instruction.op) {
    case Op::Call: {
      Locks locks = frame.lock(instruction);
      if (int code = instruction.kernel(arguments + instruction.first, &context)) [[unlikely]]
        return kernelFailed(instruction, code);
      break;
    }
    case Op::LibraryCall: {
      Locks locks = frame.lock(instruction);
      if (int code = frame.libraryKernels[instruction.port]->run(arguments + instruction.first)) [[unlikely]]
        return kernelFailed(instruction, code);
      break;
    }
    case Op::Receive: {
      const void *data = nullptr;
      transport::RecvPort *port = receives[instruction.port];
      if (PollState state = port->poll(&data); state != PollState::Ready)
        return notReady(port, state);
      // The table is of void *, but the verifier lets nobody write to a slot.
      bind(instruction, const_cast<void *>(data));
      break;
    }
    case Op::Acquire: {
      void *data = nullptr;
      transport::SendPort *port = sends[instruction.port];
      if (PollState state = port->acquire(&data); state != PollState::Ready)
        return notReady(port, state);
      bind(instruction, data);
      break;
    }
    case Op::Release:
      frame.buffers[instruction.buffer] = nullptr;
      receives[instruction.port]->release();
      break;
    case Op::SendAhead:
      if (stopping)
        break;
      [[fallthrough]];
    case Op::SendStart: {
      const uint64_t step = currentStep + (instruction.op == Op::SendAhead);
      // A locked variable may change as soon as the lock is gone: the transport has to have it by then.
      transport::SendMode mode = instruction.lockCount ? transport::SendMode::Copy : transport::SendMode::Borrow;
      for (; sub < instruction.count; ++sub) {
        transport::SendPort *port = sends[instruction.port + sub];
        if (!port) // all to all: this instance
          continue;
        Locks locks = frame.lock(instruction);
        if (PollState state = port->start(frame.buffers[instruction.buffer], step, mode); state != PollState::Ready)
          return notReady(port, state);
      }
      sub = 0;
      break;
    }
    case Op::SendDone:
      for (; sub < instruction.count; ++sub) {
        transport::SendPort *port = sends[instruction.port + sub];
        if (!port)
          continue;
        if (PollState state = port->done(); state != PollState::Ready)
          return notReady(port, state);
      }
      sub = 0;
      break;
    case Op::Aggregate:
      if (std::optional<LaneState> state =
              instruction.chosen == Program::noPort ? aggregate(instruction) : aggregateChosen(instruction))
        return state;
      break;
    case Op::Accumulate:
      if (int code = accumulate(instruction)) [[unlikely]]
        return kernelFailed(instruction, code);
      break;
    case Op::Again:
      if (++iteration < instruction.count)
        position -= instruction.first + 1;
      else
        iteration = 0;
      break;
    case Op::Choose:
      if (std::optional<LaneState> state = choose(instruction))
        return state;
      break;
    case Op::NextBatch: {
      const plan::Instruction::NextBatch &next = instruction.source->next_batch();
      uint8_t *valid =
          next.has_valid() ? static_cast<uint8_t *>(arguments[instruction.first + instruction.count]) : nullptr;
      if (absl::Status status =
              host->nextBatch(laneInfo, currentStep, next, {arguments + instruction.first, instruction.count}, valid);
          !status.ok())
        return fail(std::move(status));
      break;
    }
    case Op::ControlSend:
      if (std::optional<LaneState> state = controlSend(instruction))
        return state;
      break;
    case Op::ControlReceive:
      if (std::optional<LaneState> state = controlReceive(instruction))
        return state;
      break;
    case Op::AllReduceStart:
      underWay.push_back(&allReduces[instruction.port]);
      break;
    case Op::AllReduceDone:
      if (std::optional<LaneState> state = finishAllReduce(instruction))
        return state;
      break;
    case Op::AllReduceRelease:
      allReduces[instruction.port].release();
      break;
    case Op::QueueCall: {
      const Launch &launch = program->launches[instruction.port];
      queues[instruction.queue]->launch(*launch.code, launch.entry, {arguments + instruction.first, instruction.count},
                                        context);
      break;
    }
    case Op::QueueLibraryCall:
      queues[instruction.queue]->call(*frame.libraryKernels[instruction.port],
                                      {arguments + instruction.first, instruction.count});
      break;
    case Op::QueueCopy:
      queues[instruction.queue]->copy(arguments[instruction.first], arguments[instruction.first + 1],
                                      instruction.bytes);
      break;
    case Op::QueueSignal:
      queues[instruction.queue]->signal(countOf(instruction.queue, instruction.count));
      break;
    case Op::QueueWait:
      queues[instruction.queue]->after(*queues[instruction.port], countOf(instruction.port, instruction.count));
      break;
    case Op::Wait:
      if (std::optional<LaneState> state = waitForQueue(instruction))
        return state;
      break;
    case Op::Ticket:
      if (std::optional<LaneState> state = takeTicket())
        return state;
      break;
    }
  }
  return std::nullopt;
}

// Sums by the tree over the replicas whatever arrives first: bits do not depend on timing. The tree is one of each element, so
// the sum goes on with what is here of messages that are still arriving. The accumulator's lock is never held across a wait.
std::optional<LaneState> Lane::aggregate(const Instruction &instruction) {
  const uint64_t bytes = program->plan->channels(int(instruction.source->aggregate().channel())).bytes();
  while (summed < instruction.count) {
    PollState state = PollState::Ready; // of message `sub`, the first that is not here whole
    uint32_t end = summed;
    for (sub = instruction.count; end < instruction.count; ++end) {
      Arriving &message = messages[end];
      if (message.isWhole(bytes))
        continue;
      PollState seen = lookAt(message, instruction, end, bytes);
      if (sub == instruction.count && !message.isWhole(bytes)) {
        sub = end;
        state = seen;
      }
      if (!message.seen) // what comes behind it cannot be added yet
        break;
    }
    if (sub < instruction.count && bytes <= mostGatheredBytes) {
      if (state == PollState::Ready) // a part of it came
        continue;
      return notReady(receives[instruction.port + sub], state,
                      {&receives[instruction.port + sub], instruction.count - sub});
    }
    const uint64_t before = summedBytes;
    const uint32_t whole = summed;
    {
      Locks locks = laneFrame->lock(instruction);
      if (int code = addMessages(instruction, bytes, end)) [[unlikely]]
        return kernelFailed(instruction, code);
    }
    for (; summed < end && messages[summed].isWhole(bytes) && messages[summed].added == bytes; ++summed) {
      messages[summed] = {};
      if (transport::RecvPort *port = receives[instruction.port + summed])
        port->release();
    }
    if (summedBytes == before && summed == whole && state != PollState::Ready)
      return notReady(receives[instruction.port + sub], state);
  }
  sub = summed = 0;
  return std::nullopt;
}

PollState Lane::lookAt(Arriving &message, const Instruction &instruction, uint32_t instance, uint64_t bytes) {
  const void *data = nullptr;
  uint64_t here = bytes;
  if (transport::RecvPort *port = receives[instruction.port + instance]; !port) // all to all: this instance
    data = laneFrame->arguments[instruction.first + 1];
  else if (PollState state = port->pollStart(&data, message.here, &here); state != PollState::Ready)
    return state;
  message.seen = true;
  addends[instance] = static_cast<const uint8_t *>(data);
  message.here = std::min(here, bytes);
  return PollState::Ready;
}

// One pass over the sum, a chunk at a time: of each chunk the subtrees whose messages are all here, up to the first that is not; the
// sum of those before it is the subtree to its left. So nothing is kept between two looks but the sum, and what comes last has
// the messages of the last subtree to add.
int Lane::addMessages(const Instruction &instruction, uint64_t bytes, uint32_t end) {
  struct Subtree {
    uint32_t first, count;
    uint64_t added, here; // bytes from the start of its messages
  };
  std::array<Subtree, 33> subtrees; // a 32-bit number of messages has no more
  uint32_t seen = 0;
  for (uint32_t first = summed; first < end;) {
    const auto next = uint32_t(plan::nextSubtree(first, instruction.count));
    if (next > end)
      break;
    Subtree &subtree = subtrees[seen++] = {first, next - first, messages[first].added, bytes};
    for (; first < next; ++first)
      subtree.here = std::min(subtree.here, messages[first].here);
  }
  if (!seen)
    return 0;
  auto *sum = static_cast<uint8_t *>(laneFrame->arguments[instruction.first]);
  const uint64_t chunk = instruction.bytes;
  const TreeSum tree{instruction.kernel, &context, chunk, addends.data(),
                     instruction.partials == Program::noPort
                         ? nullptr
                         : static_cast<uint8_t *>(laneFrame->arguments[instruction.partials])};
  int code = 0;
  for (uint64_t at = subtrees[seen - 1].added; at < bytes && !code; at += chunk) {
    uint32_t i = 0;
    for (; i < seen && at + chunk <= subtrees[i].here; ++i) {
      Subtree &subtree = subtrees[i];
      if (at < subtree.added)
        continue;
      code = subtree.first ? tree.add(sum + at, subtree.first, subtree.count, at)
                           : tree.make(sum + at, 0, subtree.count, at);
      if (code)
        break;
      subtree.added = at + chunk;
      summedBytes += chunk * subtree.count;
    }
    if (i == 0)
      break;
  }
  for (uint32_t i = 0; i < seen; ++i)
    for (uint32_t k = 0; k < subtrees[i].count; ++k)
      messages[subtrees[i].first + k].added = subtrees[i].added;
  return code;
}

// The first partial is that of the leaf under way, where a leaf has several values; the others are a binary counter: once as many
// leaves are done as have k ones at the end of their number, the sums of the first k and this leaf's stand in the next. Each is
// made in place of where it will stand, so that what it is made of is only read.
int Lane::accumulate(const Instruction &instruction) const {
  void *const *const arguments = laneFrame->arguments.data() + instruction.first;
  const auto *value = static_cast<const uint8_t *>(arguments[0]);
  const uint32_t perLeaf = instruction.take, inLeaf = iteration % perLeaf;
  void *const *const leaf = arguments + 1, *const *const subtrees = leaf + (perLeaf > 1);
  const bool ends = inLeaf + 1 == perLeaf;
  const auto joined = ends ? uint32_t(std::countr_one(iteration / perLeaf)) : 0;
  auto *sum = static_cast<uint8_t *>(ends ? subtrees[joined] : *leaf);
  const uint64_t bytes = program->source->buffers(int(instruction.buffer)).bytes(), chunk = instruction.bytes;
  for (uint64_t at = 0; at < bytes; at += chunk) {
    auto add = [&](const void *from) {
      void *both[] = {sum + at, const_cast<uint8_t *>(static_cast<const uint8_t *>(from)) + at};
      return instruction.kernel(both, &context);
    };
    // The value last of its leaf, the leaf last of what it is joined with: x + y is y + x.
    if (inLeaf == 0)
      memcpy(sum + at, value + at, chunk);
    else if (ends)
      memcpy(sum + at, static_cast<const uint8_t *>(*leaf) + at, chunk);
    if (inLeaf)
      if (int code = add(value))
        return code;
    for (uint32_t k = 0; k < joined; ++k)
      if (int code = add(subtrees[k]))
        return code;
  }
  return 0;
}

void Lane::advanceAllReduces() {
  for (AllReduce *allReduce : underWay)
    (void)allReduce->advance(currentStep, context);
}

std::optional<LaneState> Lane::finishAllReduce(const Instruction &instruction) {
  AllReduce &allReduce = allReduces[instruction.port];
  waitsFor = allReduce.advance(currentStep, context);
  sub = allReduce.movesDone();
  if (waitsFor.code) [[unlikely]]
    return kernelFailed(instruction, waitsFor.code);
  if (waitsFor.elsewhere) [[unlikely]]
    return fail(absl::DataLossError(absl::StrCat(laneInfo.name, ": the sums of worker ", waitsFor.peer,
                                                 " lie elsewhere in its memory; use the same graphrun for all tasks")));
  if (waitsFor.state != PollState::Ready)
    return waitsFor.sends
               ? notReady(waitsFor.port, waitsFor.state)
               : notReady(static_cast<transport::RecvPort *>(waitsFor.port), waitsFor.state, waitsFor.together);
  std::erase(underWay, &allReduce);
  allReduce.restart();
  sub = 0;
  return std::nullopt;
}

std::optional<LaneState> Lane::controlSend(const Instruction &instruction) {
  if (laneInfo.instance != 0)
    return std::nullopt;
  if (sub == 0 && controlMessage == 0) { // decided once a step, however often a full channel brings us back here
    ControlMessage decided = host->decide(laneInfo, currentStep);
    decided.step = currentStep;
    controlMessage = decided.encode();
  }
  for (; sub < instruction.count; ++sub) {
    transport::SendPort *port = sends[instruction.port + sub];
    if (PollState state = port->start(&controlMessage, currentStep, transport::SendMode::Copy);
        state != PollState::Ready)
      return notReady(port, state);
  }
  sub = 0;
  return std::nullopt;
}

std::optional<LaneState> Lane::controlReceive(const Instruction &instruction) {
  uint64_t taken = controlMessage;
  if (!instruction.local || laneInfo.instance != 0) {
    const void *data = nullptr;
    transport::RecvPort *port = receives[instruction.port];
    if (PollState state = port->poll(&data); state != PollState::Ready)
      return notReady(port, state);
    memcpy(&taken, data, sizeof taken);
    port->release();
  }
  controlMessage = 0;
  ControlMessage decoded = ControlMessage::decode(taken);
  if (decoded.step != currentStep ||
      (decoded.action != ControlAction::Continue && decoded.action != ControlAction::EndPhase)) [[unlikely]]
    return badControlMessage(decoded);
  if (decoded.action == ControlAction::EndPhase) {
    stopping = true;
    reason = decoded.reason;
  }
  return std::nullopt;
}

std::optional<LaneState> Lane::takeTicket() {
  switch (tickets->take(laneInfo.instance, currentStep)) {
  case Ticket::Taken:
    return std::nullopt;
  case Ticket::None:
    return endByEndOfStream();
  case Ticket::Wait:
    return notReady(&tickets->port(laneInfo.instance), PollState::Pending);
  case Ticket::Aborted:
    break;
  }
  return notReady(&tickets->port(laneInfo.instance), PollState::Aborted);
}

LaneState Lane::finishStep() {
  uint32_t fetches = program->sumFirst - program->fetchFirst, metrics = program->countFirst - program->sumFirst;
  if (fetches)
    if (transport::Port *untaken = host->untaken(laneInfo))
      return notReady(untaken, untaken->status().ok() ? PollState::Pending : PollState::Aborted);
  int64_t now = base::nowNanoseconds();
  Frame &frame = *laneFrame;
  void *const *arguments = frame.arguments.data();
  StepResults results;
  results.step = currentStep;
  results.fetches = {arguments + program->fetchFirst, fetches};
  results.metricSums = {arguments + program->sumFirst, metrics};
  results.metricCounts = {arguments + program->countFirst, metrics};
  results.seconds = double(now - stepStart) * 1e-9;
  stepStats.add(now - stepStart);
  stepStart = now;
  if (absl::Status status = host->stepDone(laneInfo, results); !status.ok())
    return fail(std::move(status));
  for (const Instruction &instruction : program->deferredReleases) {
    frame.buffers[instruction.buffer] = nullptr;
    receives[instruction.port]->release();
  }
  inStep = false;
  position = sub = 0;
  ++currentStep;
  return stopping ? LaneState::PhaseEnded : LaneState::StepDone;
}

// The peer of an asynchronous phase has no more work for us: tell our own peers the same and end.
LaneState Lane::endByEndOfStream() {
  if (tickets)
    tickets->leave(laneInfo.instance);
  for (transport::SendPort *port : sends)
    if (port)
      port->close();
  reason = EndReason::Closed;
  return LaneState::PhaseEnded;
}

void Lane::wait(absl::Duration timeout) {
  if (gathering)
    gathering->waitAll(blockedPorts, timeout);
  else
    blockedPort->wait(timeout);
}

LaneState Lane::notReady(transport::RecvPort *port, PollState state, std::span<transport::RecvPort *const> ports) {
  LaneState blocked = notReady(port, state);
  if (blocked == LaneState::Blocked) {
    gathering = port;
    blockedPorts = ports;
  }
  return blocked;
}

LaneState Lane::notReady(transport::Port *port, PollState state) {
  if (state == PollState::Pending) {
    blockedPort = port;
    gathering = nullptr;
    return LaneState::Blocked;
  }
  if (state == PollState::Closed && program->endsByEndOfStream)
    return endByEndOfStream();
  return portFailed(port, state);
}

} // namespace graphc::executor
