//===- Lane.cpp - the step loop ---------------------------------------------------------------===//
//
// From run() on this is the hot path: no allocation, no look-up, no lock but a locks_variables
// program's own; behind it errors and texts.
//
//===------------------------------------------------------------------------------------------===//
#include "runtime/executor/Lane.h"

#include "runtime/common/base/MonotonicClock.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/executor/LoopSum.h"
#include "runtime/kernels/ParallelKernelCall.h"

#include "absl/strings/str_cat.h"

#include <cstring>

namespace graphc::executor {

using transport::PollState;

/// Nanoseconds. Ends of steps that follow sooner are no events of their own: they would push all
/// others out, and cost more than a small step.
static constexpr int64_t kEndsApart = 10000;

Lane::Lane(std::shared_ptr<const LaneProgram> program, LaneInfo info,
           std::unique_ptr<LaneFrame> frame, LaneCallbacks &host)
    : program_(std::move(program)), info_(std::move(info)), frame_(std::move(frame)), host_(&host),
      ports_(*program_, info_), messages_(*program_, ports_, *frame_),
      choice_(*program_, ports_, *frame_), turn_(host.gate(info_)), segments_(*program_, *frame_) {
  context_.replica = info_.instance;
}

absl::StatusOr<std::unique_ptr<Lane>> Lane::create(std::shared_ptr<const LaneProgram> program,
                                                   LaneInfo info, std::unique_ptr<LaneFrame> frame,
                                                   transport::Transport &transport,
                                                   LaneCallbacks &host) {
  std::unique_ptr<Lane> lane(new Lane(std::move(program), std::move(info), std::move(frame), host));
  for (const LaneInstruction &instruction : lane->program_->instructions)
    if (instruction.op == LaneOp::Ticket && !(lane->tickets_ = host.tickets()))
      return absl::InternalError(
          absl::StrCat(lane->info_.name, ": nobody gives it update tickets"));
  GRAPHC_RETURN_IF_ERROR(lane->ports_.resolve(transport));
  GRAPHC_RETURN_IF_ERROR(lane->segments_.make(transport, lane->info_.name));
  lane->allReduces_.make(*lane->program_, lane->info_, lane->ports_, *lane->frame_);
  return lane;
}

std::optional<uint64_t> Lane::wholeSteps() const {
  if (!inStep_)
    return currentStep;
  if (position >= program_->instructions.size()) // its results are still to be taken
    return currentStep + 1;
  if (program_->planPlaces[position] < program_->source->commit_point())
    return currentStep;
  return std::nullopt;
}

/// Goes on where it was: a lane that was Blocked tries the same instruction again.
LaneState Lane::run() {
  port_ = nullptr;
  blocked = Blocked::No;
  if (std::optional<LaneState> state = turn_ && !inStep_ ? awaitTurn() : std::nullopt)
    return *state;
  if (LaneState state = inStep_ ? LaneState::StepDone : beginStep(); state != LaneState::StepDone)
    return state;
  if (std::optional<LaneState> state = again_     ? execute<false, true>()
                                       : tracing_ ? execute<true>()
                                                  : execute<false>())
    return *state;
  return finishStep();
}

/// The program begins with what is sent ahead, for step 0 alone: each later step has had that from
/// the step before.
LaneState Lane::beginStep() {
  if (stepStart_ == 0)
    stepStart_ = base::nowNanoseconds();
  context_.step = currentStep;
  again_ = again_ && currentStep <= done_.step;
  position = currentStep == 0 ? 0 : program_->stepFirst;
  sub = 0;
  inStep_ = true;
  if (trace_ && !again_)
    tracing_ = trace_->begins(currentStep);
  if (uint32_t feeds = program_->fetchFirst - program_->feedFirst)
    if (absl::Status status = host_->feed(info_, currentStep,
                                          {frame_->arguments.data() + program_->feedFirst, feeds});
        !status.ok())
      return fail(std::move(status)); // none that is fed runs ahead
  return LaneState::StepDone;
}

std::optional<LaneState> Lane::awaitTurn() {
  const StepwiseGate::Answer answer = turn_.ask(currentStep);
  if (answer == StepwiseGate::Answer::Wait)
    return notReady(&turn_, PollState::Pending, Blocked::Turn);
  if (answer == StepwiseGate::Answer::Aborted)
    return notReady(&turn_, PollState::Aborted);
  stepStart_ = 0; // the wait is no part of the step
  if (answer == StepwiseGate::Answer::Open)
    return std::nullopt;
  endReason_ = EndReason::Stop;
  return LaneState::PhaseEnded;
}

SumOutcome Lane::takeAll(const LaneInstruction &instruction) {
  if (instruction.op == LaneOp::Collect)
    return messages_.collect(instruction);
  return instruction.chosen == LaneProgram::noPort ? messages_.advance(instruction, context_)
                                                   : choice_.sum(instruction, context_);
}

uint64_t Lane::microBatchIndex(const LaneInstruction &instruction) const {
  const uint64_t step = host_->stepsBefore() + currentStep;
  return (step * program_->source->instances() + info_.instance) * instruction.count +
         instruction.port + iteration;
}

void Lane::traceEntry(const LaneInstruction &instruction) {
  trace_->enters(instruction.op == LaneOp::AllReduceDone ? allReduces_.movesDone(instruction.port)
                                                         : uint32_t(sub));
}

void Lane::bind(const LaneInstruction &instruction, void *memory) {
  frame_->buffers[instruction.buffer] = memory;
  for (uint32_t i = 0; i < instruction.count; ++i)
    frame_->arguments[program_->patches[instruction.first + i]] = memory;
}

template <bool kTraced, bool kAgain> std::optional<LaneState> Lane::execute() {
  const LaneInstruction *const instructions = program_->instructions.data();
  const uint32_t end = uint32_t(program_->instructions.size());
  LaneFrame &frame = *frame_;
  void *const *const arguments = frame.argumentsOf(currentStep);
  if constexpr (kTraced)
    trace_->resumes();
  for (; position < end; ++position) {
    const LaneInstruction &instruction = instructions[position];
    if (kAgain && program_->doneOnce[position] && LanePoint{currentStep, position} < done_)
      continue;
    if (allReduces_.anyUnderWay())
      allReduces_.advance(currentStep, context_, kTraced ? trace_ : nullptr);
    if constexpr (kTraced)
      traceEntry(instruction);
    switch (instruction.op) {
    case LaneOp::Call: {
      VariableLocks locks = frame.lock(instruction);
      if (int code = instruction.kernel(arguments + instruction.first, &context_)) [[unlikely]]
        return kernelFailed(instruction, code);
      break;
    }
    case LaneOp::CallInBlocks: {
      VariableLocks locks = frame.lock(instruction);
      if (int code = kernels::callInBlocks(instruction.kernel, instruction.port,
                                           arguments + instruction.first, context_, frame.pool))
          [[unlikely]]
        return kernelFailed(instruction, code);
      break;
    }
    case LaneOp::LibraryCall: {
      VariableLocks locks = frame.lock(instruction);
      if (int code = frame.libraryKernels[instruction.port]->run(arguments + instruction.first))
          [[unlikely]]
        return kernelFailed(instruction, code);
      break;
    }
    case LaneOp::Receive: {
      const void *data = nullptr;
      transport::RecvPort *port = ports_.receives[instruction.port];
      if (PollState state = port->poll(&data); state != PollState::Ready)
        return notReady(port, state);
      if (!ports_.fits(instruction, frame.buffers, 0)) [[unlikely]]
        return misfits(instruction);
      // The table is of void *, but the verifier lets nobody write to a slot.
      bind(instruction, const_cast<void *>(data));
      break;
    }
    case LaneOp::Acquire: {
      void *data = nullptr;
      transport::SendPort *port = ports_.sends[instruction.port];
      if (PollState state = port->acquire(&data); state != PollState::Ready)
        return notReady(port, state);
      bind(instruction, data);
      break;
    }
    case LaneOp::Release:
      frame.buffers[instruction.buffer] = nullptr;
      ports_.receives[instruction.port]->release();
      break;
    case LaneOp::SendAhead:
      if (stopping_)
        break;
      [[fallthrough]];
    case LaneOp::SendStart: {
      const uint64_t step = currentStep + (instruction.op == LaneOp::SendAhead);
      // A locked variable may change as soon as the lock is gone: the transport has to have it by
      // then.
      transport::SendMode mode =
          instruction.lockCount ? transport::SendMode::Copy : transport::SendMode::Borrow;
      for (; sub < instruction.count; ++sub) {
        transport::SendPort *port = ports_.sends[instruction.port + sub];
        if (!port) // all to all: this instance
          continue;
        VariableLocks locks = frame.lock(instruction);
        const void *message =
            static_cast<uint8_t *>(frame.buffers[instruction.buffer]) + instruction.bytes * sub;
        const std::optional<uint64_t> actual = ports_.actualBytes(instruction, frame.buffers, sub);
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
        transport::SendPort *port = ports_.sends[instruction.port + sub];
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
                                  program_->source->buffers(int(instruction.buffer)).bytes(),
                                  iteration, context_)) [[unlikely]]
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
      if (std::optional<LaneState> state =
              goOnAfter(instruction, choice_.choose(instruction, currentStep)))
        return state;
      break;
    case LaneOp::NextBatch: {
      const plan::Instruction::NextBatch &next = instruction.source->next_batch();
      void *const *to = arguments + instruction.first;
      uint8_t *valid = next.has_valid() ? static_cast<uint8_t *>(to[instruction.count]) : nullptr;
      if (absl::Status status =
              host_->nextBatch(info_, currentStep, next, {to, instruction.count}, valid);
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
      allReduces_.start(instruction.port);
      break;
    case LaneOp::AllReduceDone:
      if (std::optional<LaneState> state = finishAllReduce(instruction))
        return state;
      break;
    case LaneOp::AllReduceRelease:
      allReduces_.release(instruction.port);
      break;
    case LaneOp::Give:
      segments_.give(instruction.port, currentStep, iteration, context_);
      break;
    case LaneOp::Wait:
      if (std::optional<LaneState> state = waitForDevice(
              currentStep, instruction.local
                               ? segments_.poll(instruction.port, currentStep, iteration)
                               : segments_.pollLast(instruction.port, currentStep)))
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
      trace_->leaves(uint32_t(&instruction - instructions), iteration,
                     instruction.op == LaneOp::SendAhead);
  }
  return std::nullopt;
}

/// After a sum or a choice: on, blocked at the instance that is missing, or failed.
std::optional<LaneState> Lane::goOnAfter(const LaneInstruction &instruction,
                                         const SumOutcome &outcome) {
  sub = outcome.instance;
  if (outcome.code) [[unlikely]]
    return kernelFailed(instruction, outcome.code);
  if (outcome.misfits) [[unlikely]]
    return misfits(instruction);
  if (outcome.state == PollState::Ready)
    return std::nullopt;
  transport::RecvPort *port = ports_.receives[instruction.port + sub];
  return outcome.together.empty() ? notReady(port, outcome.state)
                                  : notReady(port, outcome.state, outcome.together);
}

/// AllReduceDone: the moves to their end. Before it they went on between instructions, without
/// blocking.
std::optional<LaneState> Lane::finishAllReduce(const LaneInstruction &instruction) {
  waitsFor_ = allReduces_.finish(instruction.port, currentStep, context_);
  sub = allReduces_.movesDone(instruction.port);
  if (waitsFor_.code) [[unlikely]]
    return kernelFailed(instruction, waitsFor_.code);
  if (waitsFor_.elsewhere) [[unlikely]]
    return fail(absl::DataLossError(
        absl::StrCat(info_.name, ": the sums of worker ", waitsFor_.peer,
                     " lie elsewhere in its memory; use the same graphrun for all tasks")));
  sumWaits = 2 * waitsFor_.peer + waitsFor_.sends;
  if (waitsFor_.state != PollState::Ready)
    return waitsFor_.sends ? notReady(waitsFor_.port, waitsFor_.state)
                           : notReady(static_cast<transport::RecvPort *>(waitsFor_.port),
                                      waitsFor_.state, waitsFor_.together);
  sub = 0;
  return std::nullopt;
}

/// A device's queue is waited for like a peer; one that has failed fails the lane, with its cause.
std::optional<LaneState> Lane::waitForDevice(uint64_t step, PollState state) {
  if (state == PollState::Ready)
    return std::nullopt;
  if (absl::Status failed = segments_.failure(step, info_); !failed.ok())
    return fail(base::annotate(failed, info_.name));
  return notReady(&segments_.waits(), state, Blocked::Device);
}

/// Instance 0 of the chief's program decides, and sends it to each lane that has a channel from it.
std::optional<LaneState> Lane::controlSend(const LaneInstruction &instruction) {
  if (info_.instance != 0)
    return std::nullopt;
  if (sub == 0 && controlMessage_ == 0) {
    // decided once a step, however often a full channel brings us back here
    ControlMessage decided = host_->decide(info_, currentStep);
    decided.step = currentStep;
    controlMessage_ = decided.encode();
  }
  for (; sub < instruction.count; ++sub) {
    transport::SendPort *port = ports_.sends[instruction.port + sub];
    if (PollState state = port->start(&controlMessage_, currentStep, transport::SendMode::Copy);
        state != PollState::Ready)
      return notReady(port, state);
  }
  sub = 0;
  return std::nullopt;
}

/// The decision comes by a channel or, in the lane that made it, from there. One of another step
/// means that tasks are out of step.
std::optional<LaneState> Lane::controlReceive(const LaneInstruction &instruction) {
  uint64_t taken = controlMessage_;
  if (!instruction.local || info_.instance != 0) {
    const void *data = nullptr;
    transport::RecvPort *port = ports_.receives[instruction.port];
    if (PollState state = port->poll(&data); state != PollState::Ready)
      return notReady(port, state);
    memcpy(&taken, data, sizeof taken);
    port->release();
  }
  controlMessage_ = 0;
  ControlMessage decoded = ControlMessage::decode(taken);
  if (decoded.step != currentStep || (decoded.action != ControlAction::Continue &&
                                      decoded.action != ControlAction::EndPhase)) [[unlikely]]
    return badControlMessage(decoded);
  if (decoded.action == ControlAction::EndPhase) {
    stopping_ = true;
    endReason_ = decoded.reason;
  }
  reports_[currentStep & 1] = decoded.report;
  return std::nullopt;
}

/// An update ticket for this step; without one the phase ends here, and the end of stream begins.
std::optional<LaneState> Lane::takeTicket() {
  const UpdateTicket ticket = tickets_->take(info_.instance, currentStep);
  if (ticket == UpdateTicket::Taken)
    return std::nullopt;
  if (ticket == UpdateTicket::None)
    return endByEndOfStream();
  return notReady(&tickets_->port(info_.instance),
                  ticket == UpdateTicket::Wait ? PollState::Pending : PollState::Aborted,
                  Blocked::Ticket);
}

/// What the step has made is shown; of a lane that runs ahead, unless somebody waits for each step,
/// what the one before has made. A message that the host shows is released only behind that.
LaneState Lane::finishStep() {
  const uint64_t last = currentStep + (program_->runsAhead && !stopping_ && !turn_ ? 0 : 1);
  for (; shownSteps_ < last; ++shownSteps_) {
    if (program_->runsAhead)
      if (std::optional<LaneState> state =
              waitForDevice(shownSteps_, segments_.pollAll(shownSteps_)))
        return *state;
    if (std::optional<LaneState> state = showStep(shownSteps_))
      return *state;
  }
  for (const LaneInstruction &instruction : program_->deferredReleases) {
    frame_->buffers[instruction.buffer] = nullptr;
    ports_.receives[instruction.port]->release();
  }
  if (tracing_) {
    trace_->leaves(position, 0, false);
    trace_->ends();
    tracing_ = false; // what stands between two steps is in none
  }
  inStep_ = false;
  position = sub = 0;
  ++currentStep;
  return stopping_ ? LaneState::PhaseEnded : LaneState::StepDone;
}

std::optional<LaneState> Lane::showStep(uint64_t step) {
  uint32_t fetches = program_->sumFirst - program_->fetchFirst,
           metrics = program_->countFirst - program_->sumFirst;
  if (fetches)
    if (transport::Port *untaken = host_->untaken(info_))
      return notReady(untaken, untaken->status().ok() ? PollState::Pending : PollState::Aborted,
                      Blocked::Results);
  int64_t now = base::nowNanoseconds();
  void *const *arguments = frame_->argumentsOf(step);
  StepResults results;
  results.step = step;
  results.fetches = {arguments + program_->fetchFirst, fetches};
  results.metricSums = {arguments + program_->sumFirst, metrics};
  results.metricCounts = {arguments + program_->countFirst, metrics};
  results.nanoseconds = static_cast<uint64_t>(now - stepStart_);
  results.report = reports_[step & 1];
  results.last = stopping_ && step == currentStep;
  if (info_.events && now - lastEnd_ >= kEndsApart) {
    lastEnd_ = now;
    plan::LanePosition end{{info_.programIndex, info_.instance}, step};
    end.doing = plan::LaneActivity::Between;
    end.stepsBefore = info_.stepsBefore;
    info_.events->add(end, now);
  }
  stepStart_ = now;
  absl::Status status = host_->stepDone(info_, results);
  return status.ok() ? std::nullopt : std::optional(fail(std::move(status)));
}

// The peer of an asynchronous phase has no more work for us: tell our own peers the same and end.
LaneState Lane::endByEndOfStream() {
  if (tickets_)
    tickets_->leave(info_.instance);
  for (transport::SendPort *port : ports_.sends)
    if (port)
      port->close();
  endReason_ = EndReason::Closed;
  rests();
  return LaneState::PhaseEnded;
}

LaneState Lane::notReady(transport::Port *port, PollState state, Blocked on) {
  if (state == PollState::Pending) {
    blocked = on;
    port_ = port;
    if (info_.events && on != Blocked::Turn)
      noteWait();
    gathering_ = nullptr;
    if (tracing_)
      traceWait();
    return LaneState::Blocked;
  }
  if (state == PollState::Closed && program_->endsByEndOfStream)
    return endByEndOfStream();
  return portFailed(port, state);
}

LaneState Lane::notReady(transport::RecvPort *port, PollState state,
                         std::span<transport::RecvPort *const> ports) {
  const LaneState blocked = notReady(port, state);
  if (blocked == LaneState::Blocked) {
    gathering_ = port;
    blockedPorts_ = ports;
  }
  return blocked;
}

void Lane::wait(absl::Duration timeout) {
  if (gathering_)
    gathering_->waitAll(blockedPorts_, timeout);
  else
    port_->wait(timeout);
}

void Lane::traceWait() {
  auto isAt = [&](LaneOp op) {
    return position < program_->instructions.size() && program_->instructions[position].op == op;
  };
  const bool reduces = isAt(LaneOp::AllReduceDone);
  trace_->blocks({position, iteration, sub, messages_.summedBytes()},
                 reduces ? waitsFor_.peer : uint32_t(sub), reduces && waitsFor_.sends,
                 isAt(LaneOp::SendAhead));
}

absl::Status Lane::rejoin(transport::Transport &transport, uint64_t step) {
  GRAPHC_RETURN_IF_ERROR(ports_.resolve(transport));
  done_ = done();
  again_ = true;
  inStep_ = tracing_ = false;
  position = sub = iteration = 0;
  currentStep = step;
  stepStart_ = 0;
  return absl::OkStatus();
}

LaneState Lane::fail(absl::Status status) {
  if (tickets_)
    tickets_->leave(info_.instance);
  status_ = std::move(status);
  return LaneState::Failed;
}

LaneState Lane::misfits(const LaneInstruction &instruction) {
  return fail(
      base::annotate(ports_.whyMisfit(instruction, frame_->buffers, sub),
                     absl::StrCat(info_.name, ", at step ", info_.stepNumber(currentStep))));
}

/// A lane that was woken in vain waits where it waited.
void Lane::noteWait() {
  const Progress now = progress();
  if (noted_ == now)
    return;
  noted_ = now;
  info_.events->add(place(), base::nowNanoseconds());
}

LaneState Lane::kernelFailed(const LaneInstruction &instruction, int code) {
  const std::string &where = plan::locationText(*program_->plan, instruction.source->location());
  return fail(absl::InternalError(absl::StrCat(
      info_.name, ": kernel ", program_->plan->kernels(int(instruction.planKernel)).name(),
      where.empty() ? "" : absl::StrCat(" (", where, ")"), " failed with code ", code, " at step ",
      info_.stepNumber(currentStep))));
}

LaneState Lane::badControlMessage(const ControlMessage &controlMessage) {
  return fail(absl::InternalError(
      absl::StrCat(info_.name, ": at step ", info_.stepNumber(currentStep),
                   " the control message is action ", int(controlMessage.action), " for step ",
                   info_.stepNumber(controlMessage.step), "; the tasks have lost each other")));
}

LaneState Lane::portFailed(transport::Port *port, transport::PollState state) {
  if (state == transport::PollState::Closed)
    return fail(absl::InternalError(absl::StrCat(
        describeWait(),
        ", but that end of the channel is closed in a phase that does not end by end of stream")));
  absl::Status why = port->status();
  return fail(why.ok() ? absl::AbortedError(absl::StrCat(info_.name, ": aborted")) : why);
}

// "for /job:worker/task:1, the slowest worker at step 9 (max_staleness is 2)"
std::string Lane::describeTicketWait() const {
  std::optional<AsyncUpdateTickets::Slowest> slowest = tickets_->slowest(info_.instance);
  if (!slowest || !tickets_->maxStaleness())
    return "for an update ticket";
  const plan::Plan &plan = *program_->plan;
  auto served = [&](uint32_t instance) { // instance r serves replica r
    return plan::taskText(plan, plan::replicaTask(plan, instance).value_or(plan::Task()));
  };
  return absl::StrCat("for ", served(slowest->instance), ", the slowest worker at step ",
                      info_.stepNumber(slowest->clock), ", before it hands step ",
                      info_.stepNumber(currentStep), " to ", served(info_.instance),
                      " (max_staleness is ", *tickets_->maxStaleness(), ")");
}

std::string Lane::describeWait() const {
  const plan::LanePosition at = place();
  if (at.doing == plan::LaneActivity::Device && position >= program_->instructions.size())
    return absl::StrCat(info_.name, " waits at step ", info_.stepNumber(shownSteps_),
                        " for the end of its work on ", program_->device->name());
  if (waitsForStepper())
    return absl::StrCat(info_.name, " waits for whoever takes the steps to take step ",
                        info_.stepNumber(currentStep));
  const std::string waits = absl::StrCat(info_.name, " waits at step ", plan::stepNumber(at), " ");
  if (at.doing == plan::LaneActivity::Ticket)
    return waits + describeTicketWait();
  if (at.doing == plan::LaneActivity::Choice)
    return waits + choice_.describe(program_->instructions[position]);
  return absl::StrCat(info_.name, " ", plan::placeText(*program_->plan, at));
}

} // namespace graphc::executor
