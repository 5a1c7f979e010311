//===- Lane.cpp - the step loop ----------------------------------------------------------------------------------------===//
//
// From run() on this is the hot path: no allocation, no look-up, no lock but a locks_variables program's own; behind it errors and texts.
//
//===----------------------------------------------------------------------------------------------------------------===//
#include "runtime/executor/Lane.h"

#include "runtime/common/base/Clock.h"
#include "runtime/common/base/Status.h"
#include "runtime/common/plan/Types.h"
#include "runtime/executor/LoopSum.h"
#include "runtime/kernels/CallInBlocks.h"

#include "absl/strings/str_cat.h"

#include <cstring>

namespace graphc::executor {

using transport::PollState;

/// Nanoseconds. Ends of steps that follow sooner are no events of their own: they would push all others out, and cost more than a small step.
static constexpr int64_t kEndsApart = 10000;

Lane::Lane(std::shared_ptr<const LaneProgram> ofFamily, LaneInfo info, std::unique_ptr<LaneFrame> frame, LaneCallbacks &host)
    : program(std::move(ofFamily)), laneInfo(std::move(info)), laneFrame(std::move(frame)), host(&host),
      ports(*program, laneInfo), messages(*program, ports, *laneFrame), choice(*program, ports, *laneFrame),
      turn(host.gate(laneInfo)), segments(*program, *laneFrame) {
  context.replica = laneInfo.instance;
}

absl::StatusOr<std::unique_ptr<Lane>> Lane::create(std::shared_ptr<const LaneProgram> program, LaneInfo info,
                                                   std::unique_ptr<LaneFrame> frame, transport::Transport &transport,
                                                   LaneCallbacks &host) {
  std::unique_ptr<Lane> lane(new Lane(std::move(program), std::move(info), std::move(frame), host));
  for (const LaneInstruction &instruction : lane->program->instructions)
    if (instruction.op == LaneOp::Ticket && !(lane->tickets = host.tickets()))
      return absl::InternalError(absl::StrCat(lane->laneInfo.name, ": nobody gives it tickets"));
  GRAPHC_RETURN_IF_ERROR(lane->ports.resolve(transport));
  GRAPHC_RETURN_IF_ERROR(lane->segments.make(transport, lane->laneInfo.name));
  lane->allReduces.make(*lane->program, lane->laneInfo, lane->ports, *lane->laneFrame);
  return lane;
}

std::optional<uint64_t> Lane::wholeSteps() const {
  if (!inStep)
    return currentStep;
  if (position >= program->instructions.size()) // its results are still to be taken
    return currentStep + 1;
  if (program->planPlaces[position] < program->source->commit_point())
    return currentStep;
  return std::nullopt;
}

/// Goes on where it was: a lane that was Blocked tries the same instruction again.
LaneState Lane::run() {
  blockedPort = nullptr;
  blocked = Blocked::No;
  if (std::optional<LaneState> state = turn && !inStep ? awaitTurn() : std::nullopt)
    return *state;
  if (LaneState state = inStep ? LaneState::StepDone : beginStep(); state != LaneState::StepDone)
    return state;
  if (std::optional<LaneState> state = again ? execute<false, true>() : tracing ? execute<true>() : execute<false>())
    return *state;
  return finishStep();
}

/// The program begins with what is sent ahead, for step 0 alone: each later step has had that from the step before.
LaneState Lane::beginStep() {
  if (stepStart == 0)
    stepStart = base::nowNanoseconds();
  context.step = currentStep;
  again = again && currentStep <= donePoint.step;
  position = currentStep == 0 ? 0 : program->stepFirst;
  sub = 0;
  inStep = true;
  if (trace && !again)
    tracing = trace->begins(currentStep);
  if (uint32_t feeds = program->fetchFirst - program->feedFirst)
    if (absl::Status status =
            host->feed(laneInfo, currentStep, {laneFrame->arguments.data() + program->feedFirst, feeds});
        !status.ok())
      return fail(std::move(status)); // none that is fed runs ahead
  return LaneState::StepDone;
}

std::optional<LaneState> Lane::awaitTurn() {
  const StepGate::Answer answer = turn.ask(currentStep);
  if (answer == StepGate::Answer::Wait)
    return notReady(&turn, PollState::Pending, Blocked::Turn);
  if (answer == StepGate::Answer::Aborted)
    return notReady(&turn, PollState::Aborted);
  stepStart = 0; // the wait is no part of the step
  if (answer == StepGate::Answer::Open)
    return std::nullopt;
  reason = EndReason::Stop;
  return LaneState::PhaseEnded;
}

SumOutcome Lane::takeAll(const LaneInstruction &instruction) {
  if (instruction.op == LaneOp::Collect)
    return messages.collect(instruction);
  return instruction.chosen == LaneProgram::noPort ? messages.advance(instruction, context)
                                               : choice.sum(instruction, context);
}

uint64_t Lane::microBatchIndex(const LaneInstruction &instruction) const {
  const uint64_t step = host->stepsBefore() + currentStep;
  return (step * program->source->instances() + laneInfo.instance) * instruction.count + instruction.port + iteration;
}

void Lane::traceEntry(const LaneInstruction &instruction) {
  trace->enters(instruction.op == LaneOp::AllReduceDone ? allReduces.movesDone(instruction.port) : uint32_t(sub));
}

void Lane::bind(const LaneInstruction &instruction, void *memory) {
  laneFrame->buffers[instruction.buffer] = memory;
  for (uint32_t i = 0; i < instruction.count; ++i)
    laneFrame->arguments[program->patches[instruction.first + i]] = memory;
}

template <bool kTraced, bool kAgain> std::optional<LaneState> Lane::execute() {
  const LaneInstruction *const instructions = program->instructions.data();
  const uint32_t end = uint32_t(program->instructions.size());
  LaneFrame &frame = *laneFrame;
  void *const *const arguments = frame.argumentsOf(currentStep);
  if constexpr (kTraced)
    trace->resumes();
  for (; position < end; ++position) {
    const LaneInstruction &instruction = instructions[position];
    if (kAgain && program->doneOnce[position] && LanePoint{currentStep, position} < donePoint)
      continue;
    if (allReduces.anyUnderWay())
      allReduces.advance(currentStep, context, kTraced ? trace : nullptr);
    if constexpr (kTraced)
      traceEntry(instruction);
    switch (instruction.op) {
    case LaneOp::Call: {
      VariableLocks locks = frame.lock(instruction);
      if (int code = instruction.kernel(arguments + instruction.first, &context)) [[unlikely]]
        return kernelFailed(instruction, code);
      break;
    }
    case LaneOp::CallInBlocks: {
      VariableLocks locks = frame.lock(instruction);
      if (int code = kernels::callInBlocks(instruction.kernel, instruction.port, arguments + instruction.first, context,
                                           frame.pool)) [[unlikely]]
        return kernelFailed(instruction, code);
      break;
    }
    case LaneOp::LibraryCall: {
      VariableLocks locks = frame.lock(instruction);
      if (int code = frame.libraryKernels[instruction.port]->run(arguments + instruction.first)) [[unlikely]]
        return kernelFailed(instruction, code);
      break;
    }
    case LaneOp::Receive: {
      const void *data = nullptr;
      transport::RecvPort *port = ports.receives[instruction.port];
      if (PollState state = port->poll(&data); state != PollState::Ready)
        return notReady(port, state);
      if (!ports.fits(instruction, frame.buffers, 0)) [[unlikely]]
        return misfits(instruction);
      // The table is of void *, but the verifier lets nobody write to a slot.
      bind(instruction, const_cast<void *>(data));
      break;
    }
    case LaneOp::Acquire: {
      void *data = nullptr;
      transport::SendPort *port = ports.sends[instruction.port];
      if (PollState state = port->acquire(&data); state != PollState::Ready)
        return notReady(port, state);
      bind(instruction, data);
      break;
    }
    case LaneOp::Release:
      frame.buffers[instruction.buffer] = nullptr;
      ports.receives[instruction.port]->release();
      break;
    case LaneOp::SendAhead:
      if (stopping)
        break;
      [[fallthrough]];
    case LaneOp::SendStart: {
      const uint64_t step = currentStep + (instruction.op == LaneOp::SendAhead);
      // A locked variable may change as soon as the lock is gone: the transport has to have it by then.
      transport::SendMode mode = instruction.lockCount ? transport::SendMode::Copy : transport::SendMode::Borrow;
      for (; sub < instruction.count; ++sub) {
        transport::SendPort *port = ports.sends[instruction.port + sub];
        if (!port) // all to all: this instance
          continue;
        VariableLocks locks = frame.lock(instruction);
        const void *message = static_cast<uint8_t *>(frame.buffers[instruction.buffer]) + instruction.bytes * sub;
        const std::optional<uint64_t> actual = ports.actualBytes(instruction, frame.buffers, sub);
        if (!actual) [[unlikely]]
          return misfits(instruction);
        if (PollState state = port->start(message, step, mode, *actual); state != PollState::Ready)
          return notReady(port, state);
      }
      sub = 0;
      break;
    }
    case LaneOp::SendDone:
      for (; sub < instruction.count; ++sub) {
        transport::SendPort *port = ports.sends[instruction.port + sub];
        if (!port)
          continue;
        if (PollState state = port->done(); state != PollState::Ready)
          return notReady(port, state);
      }
      sub = 0;
      break;
    case LaneOp::Aggregate:
    case LaneOp::Collect:
      if (std::optional<LaneState> state = goOnAfter(instruction, takeAll(instruction)))
        return state;
      break;
    case LaneOp::Accumulate: {
      VariableLocks locks = frame.lock(instruction);
      if (int code = addToLoopSum(instruction, arguments + instruction.first,
                                  program->source->buffers(int(instruction.buffer)).bytes(), iteration, context))
          [[unlikely]]
        return kernelFailed(instruction, code);
      break;
    }
    case LaneOp::Again:
      if (++iteration < instruction.count)
        position -= instruction.first + 1;
      else
        iteration = 0;
      break;
    case LaneOp::Choose:
      if (std::optional<LaneState> state = goOnAfter(instruction, choice.choose(instruction, currentStep)))
        return state;
      break;
    case LaneOp::NextBatch: {
      const plan::Instruction::NextBatch &next = instruction.source->next_batch();
      void *const *to = arguments + instruction.first;
      uint8_t *valid = next.has_valid() ? static_cast<uint8_t *>(to[instruction.count]) : nullptr;
      if (absl::Status status = host->nextBatch(laneInfo, currentStep, next, {to, instruction.count}, valid);
          !status.ok())
        return fail(std::move(status));
      break;
    }
    case LaneOp::MicroBatchIndex:
      *static_cast<uint64_t *>(arguments[instruction.first]) = microBatchIndex(instruction);
      break;
    case LaneOp::ControlSend:
      if (std::optional<LaneState> state = controlSend(instruction))
        return state;
      break;
    case LaneOp::ControlReceive:
      if (std::optional<LaneState> state = controlReceive(instruction))
        return state;
      break;
    case LaneOp::AllReduceStart:
      allReduces.start(instruction.port);
      break;
    case LaneOp::AllReduceDone:
      if (std::optional<LaneState> state = finishAllReduce(instruction))
        return state;
      break;
    case LaneOp::AllReduceRelease:
      allReduces.release(instruction.port);
      break;
    case LaneOp::Give:
      segments.give(instruction.port, currentStep, iteration, context);
      break;
    case LaneOp::Wait:
      if (std::optional<LaneState> state =
              waitForDevice(currentStep, instruction.local ? segments.poll(instruction.port, currentStep, iteration)
                                                           : segments.pollLast(instruction.port, currentStep)))
        return state;
      break;
    case LaneOp::Ticket:
      if (std::optional<LaneState> state = takeTicket())
        return state;
      break;
    case LaneOp::QueueCall: // of segments
    case LaneOp::QueueLibraryCall:
    case LaneOp::QueueCopy:
    case LaneOp::QueueAccumulate:
    case LaneOp::QueueSignal:
    case LaneOp::QueueWait:
      break;
    }
    if constexpr (kTraced)
      trace->leaves(uint32_t(&instruction - instructions), iteration, instruction.op == LaneOp::SendAhead);
  }
  return std::nullopt;
}

/// After a sum or a choice: on, blocked at the instance that is missing, or failed.
std::optional<LaneState> Lane::goOnAfter(const LaneInstruction &instruction, const SumOutcome &outcome) {
  sub = outcome.instance;
  if (outcome.code) [[unlikely]]
    return kernelFailed(instruction, outcome.code);
  if (outcome.misfits) [[unlikely]]
    return misfits(instruction);
  if (outcome.state == PollState::Ready)
    return std::nullopt;
  transport::RecvPort *port = ports.receives[instruction.port + sub];
  return outcome.together.empty() ? notReady(port, outcome.state) : notReady(port, outcome.state, outcome.together);
}

/// AllReduceDone: the moves to their end. Before it they went on between instructions, without blocking.
std::optional<LaneState> Lane::finishAllReduce(const LaneInstruction &instruction) {
  waitsFor = allReduces.finish(instruction.port, currentStep, context);
  sub = allReduces.movesDone(instruction.port);
  if (waitsFor.code) [[unlikely]]
    return kernelFailed(instruction, waitsFor.code);
  if (waitsFor.elsewhere) [[unlikely]]
    return fail(absl::DataLossError(absl::StrCat(laneInfo.name, ": the sums of worker ", waitsFor.peer,
                                                 " lie elsewhere in its memory; use the same graphrun for all tasks")));
  sumWaits = 2 * waitsFor.peer + waitsFor.sends;
  if (waitsFor.state != PollState::Ready)
    return waitsFor.sends
               ? notReady(waitsFor.port, waitsFor.state)
               : notReady(static_cast<transport::RecvPort *>(waitsFor.port), waitsFor.state, waitsFor.together);
  sub = 0;
  return std::nullopt;
}

/// A device's queue is waited for like a peer; one that has failed fails the lane, with its cause.
std::optional<LaneState> Lane::waitForDevice(uint64_t step, PollState state) {
  if (state == PollState::Ready)
    return std::nullopt;
  if (absl::Status failed = segments.failure(step); !failed.ok())
    return fail(base::annotate(failed, laneInfo.name));
  return notReady(&segments.waits(), state, Blocked::Device);
}

/// Instance 0 of the chief's program decides, and sends it to each lane that has a channel from it.
std::optional<LaneState> Lane::controlSend(const LaneInstruction &instruction) {
  if (laneInfo.instance != 0)
    return std::nullopt;
  if (sub == 0 && controlMessage == 0) { // decided once a step, however often a full channel brings us back here
    ControlMessage decided = host->decide(laneInfo, currentStep);
    decided.step = currentStep;
    controlMessage = decided.encode();
  }
  for (; sub < instruction.count; ++sub) {
    transport::SendPort *port = ports.sends[instruction.port + sub];
    if (PollState state = port->start(&controlMessage, currentStep, transport::SendMode::Copy);
        state != PollState::Ready)
      return notReady(port, state);
  }
  sub = 0;
  return std::nullopt;
}

/// The decision comes by a channel or, in the lane that made it, from there. One of another step means that tasks are
/// out of step.
std::optional<LaneState> Lane::controlReceive(const LaneInstruction &instruction) {
  uint64_t taken = controlMessage;
  if (!instruction.local || laneInfo.instance != 0) {
    const void *data = nullptr;
    transport::RecvPort *port = ports.receives[instruction.port];
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
  reports[currentStep & 1] = decoded.report;
  return std::nullopt;
}

/// A permit for this step; without one the phase ends here, and the end of stream begins.
std::optional<LaneState> Lane::takeTicket() {
  const UpdateTicket ticket = tickets->take(laneInfo.instance, currentStep);
  if (ticket == UpdateTicket::Taken)
    return std::nullopt;
  if (ticket == UpdateTicket::None)
    return endByEndOfStream();
  return notReady(&tickets->port(laneInfo.instance), ticket == UpdateTicket::Wait ? PollState::Pending : PollState::Aborted,
                  Blocked::Permit);
}

/// What the step has made is shown; of a lane that runs ahead, unless somebody waits for each step, what the one before has made. A message
/// that the host shows is released only behind that.
LaneState Lane::finishStep() {
  const uint64_t last = currentStep + (program->runsAhead && !stopping && !turn ? 0 : 1);
  for (; shownSteps < last; ++shownSteps) {
    if (program->runsAhead)
      if (std::optional<LaneState> state = waitForDevice(shownSteps, segments.pollAll(shownSteps)))
        return *state;
    if (std::optional<LaneState> state = showStep(shownSteps))
      return *state;
  }
  for (const LaneInstruction &instruction : program->deferredReleases) {
    laneFrame->buffers[instruction.buffer] = nullptr;
    ports.receives[instruction.port]->release();
  }
  if (tracing) {
    trace->leaves(position, 0, false);
    trace->ends();
    tracing = false; // what stands between two steps is in none
  }
  inStep = false;
  position = sub = 0;
  ++currentStep;
  return stopping ? LaneState::PhaseEnded : LaneState::StepDone;
}

std::optional<LaneState> Lane::showStep(uint64_t step) {
  uint32_t fetches = program->sumFirst - program->fetchFirst, metrics = program->countFirst - program->sumFirst;
  if (fetches)
    if (transport::Port *untaken = host->untaken(laneInfo))
      return notReady(untaken, untaken->status().ok() ? PollState::Pending : PollState::Aborted, Blocked::Results);
  int64_t now = base::nowNanoseconds();
  void *const *arguments = laneFrame->argumentsOf(step);
  StepResults results;
  results.step = step;
  results.fetches = {arguments + program->fetchFirst, fetches};
  results.metricSums = {arguments + program->sumFirst, metrics};
  results.metricCounts = {arguments + program->countFirst, metrics};
  results.nanoseconds = static_cast<uint64_t>(now - stepStart);
  results.report = reports[step & 1];
  results.last = stopping && step == currentStep;
  if (laneInfo.events && now - lastEnd >= kEndsApart) {
    lastEnd = now;
    plan::LanePosition end{{laneInfo.programIndex, laneInfo.instance}, step};
    end.doing = plan::LaneActivity::Between;
    laneInfo.events->add(end, now);
  }
  stepStart = now;
  absl::Status status = host->stepDone(laneInfo, results);
  return status.ok() ? std::nullopt : std::optional(fail(std::move(status)));
}

// The peer of an asynchronous phase has no more work for us: tell our own peers the same and end.
LaneState Lane::endByEndOfStream() {
  if (tickets)
    tickets->leave(laneInfo.instance);
  for (transport::SendPort *port : ports.sends)
    if (port)
      port->close();
  reason = EndReason::Closed;
  rests();
  return LaneState::PhaseEnded;
}

LaneState Lane::notReady(transport::Port *port, PollState state, Blocked on) {
  if (state == PollState::Pending) {
    blocked = on;
    blockedPort = port;
    if (laneInfo.events && on != Blocked::Turn)
      noteWait();
    gathering = nullptr;
    if (tracing)
      traceWait();
    return LaneState::Blocked;
  }
  if (state == PollState::Closed && program->endsByEndOfStream)
    return endByEndOfStream();
  return portFailed(port, state);
}

LaneState Lane::notReady(transport::RecvPort *port, PollState state, std::span<transport::RecvPort *const> ports) {
  const LaneState blocked = notReady(port, state);
  if (blocked == LaneState::Blocked) {
    gathering = port;
    blockedPorts = ports;
  }
  return blocked;
}

void Lane::wait(absl::Duration timeout) {
  if (gathering)
    gathering->waitAll(blockedPorts, timeout);
  else
    blockedPort->wait(timeout);
}

void Lane::traceWait() {
  auto isAt = [&](LaneOp op) {
    return position < program->instructions.size() && program->instructions[position].op == op;
  };
  const bool reduces = isAt(LaneOp::AllReduceDone);
  trace->blocks({position, iteration, sub, messages.summedBytes()}, reduces ? waitsFor.peer : uint32_t(sub),
                reduces && waitsFor.sends, isAt(LaneOp::SendAhead));
}

absl::Status Lane::rejoin(transport::Transport &transport, uint64_t step) {
  GRAPHC_RETURN_IF_ERROR(ports.resolve(transport));
  donePoint = done();
  again = true;
  inStep = tracing = false;
  position = sub = iteration = 0;
  currentStep = step;
  stepStart = 0;
  return absl::OkStatus();
}

LaneState Lane::fail(absl::Status status) {
  if (tickets)
    tickets->leave(laneInfo.instance);
  failure = std::move(status);
  return LaneState::Failed;
}

LaneState Lane::misfits(const LaneInstruction &instruction) {
  return fail(base::annotate(ports.whyMisfit(instruction, laneFrame->buffers, sub),
                             absl::StrCat(laneInfo.name, ", at step ", uint64_t(currentStep))));
}

/// A lane that was woken in vain waits where it waited.
void Lane::noteWait() {
  const Progress now = progress();
  if (noted == now)
    return;
  noted = now;
  laneInfo.events->add(place(), base::nowNanoseconds());
}

LaneState Lane::kernelFailed(const LaneInstruction &instruction, int code) {
  const std::string &where = plan::locationText(*program->plan, instruction.source->location());
  return fail(absl::InternalError(absl::StrCat(laneInfo.name, ": kernel ",
                                               program->plan->kernels(int(instruction.planKernel)).name(),
                                               where.empty() ? "" : absl::StrCat(" (", where, ")"),
                                               " failed with code ", code, " at step ", uint64_t(currentStep))));
}

LaneState Lane::badControlMessage(const ControlMessage &controlMessage) {
  return fail(absl::InternalError(absl::StrCat(laneInfo.name, ": at step ", uint64_t(currentStep),
                                               " the control message is action ", int(controlMessage.action),
                                               " for step ", controlMessage.step, "; the tasks have lost each other")));
}

LaneState Lane::portFailed(transport::Port *port, transport::PollState state) {
  if (state == transport::PollState::Closed)
    return fail(absl::InternalError(absl::StrCat(
        describeWait(), ", but that end of the channel is closed in a phase that does not end by end of stream")));
  absl::Status why = port->status();
  return fail(why.ok() ? absl::AbortedError(absl::StrCat(laneInfo.name, ": aborted")) : why);
}

// "for /job:worker/task:1, the slowest worker at step 9 (max_staleness is 2)"
std::string Lane::describeTicketWait() const {
  std::optional<UpdateTickets::Slowest> slowest = tickets->slowest(laneInfo.instance);
  if (!slowest || !tickets->maxStaleness())
    return "for a ticket";
  const plan::Plan &plan = *program->plan;
  auto served = [&](uint32_t instance) { // instance r serves replica r
    return plan::taskText(plan, plan::replicaTask(plan, instance).value_or(plan::Task()));
  };
  return absl::StrCat("for ", served(slowest->instance), ", the slowest worker at step ", slowest->clock,
                      ", before it hands step ", uint64_t(currentStep), " to ", served(laneInfo.instance),
                      " (max_staleness is ", *tickets->maxStaleness(), ")");
}

std::string Lane::describeWait() const {
  const plan::LanePosition at = place();
  if (at.doing == plan::LaneActivity::Device && position >= program->instructions.size())
    return absl::StrCat(laneInfo.name, " waits at step ", shownSteps, " for the end of its work on ",
                        program->device->name());
  if (waitsForStepper())
    return absl::StrCat(laneInfo.name, " waits for whoever takes the steps to take step ", at.step);
  const std::string waits = absl::StrCat(laneInfo.name, " waits at step ", at.step, " ");
  if (at.doing == plan::LaneActivity::Permit)
    return waits + describeTicketWait();
  if (at.doing == plan::LaneActivity::Choice)
    return waits + choice.describe(program->instructions[position]);
  return absl::StrCat(laneInfo.name, " ", plan::placeText(*program->plan, at));
}

} // namespace graphc::executor
