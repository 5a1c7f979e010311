//===- VerifyQueues.cpp - that nobody touches what a queue has not done yet -------------------===//
#include "runtime/common/plan/VerifyQueues.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/device/DeviceKinds.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyHelpers.h"
#include "runtime/kernels/KernelRegistry.h"

#include <algorithm>

namespace graphc::plan::detail {
namespace {

constexpr uint32_t mostQueues = 16;

std::string doerText(uint32_t doer) { return doer ? absl::StrCat("queue ", doer) : "the lane"; }

} // namespace

bool buffersMeet(const Program &program, uint32_t a, uint32_t b) {
  const Buffer &x = program.buffers(int(a)), &y = program.buffers(int(b));
  if (x.bytes() == 0 || y.bytes() == 0)
    return false;
  if (a == b)
    return true;
  if (x.has_arena() && y.has_arena())
    return x.space() == y.space() && x.arena().offset() < y.arena().offset() + y.bytes() &&
           y.arena().offset() < x.arena().offset() + x.bytes();
  return x.storage_case() == Buffer::kVariable && y.storage_case() == Buffer::kVariable &&
         x.variable() == y.variable();
}

QueueOrder::QueueOrder(const Plan &plan, const Program &program)
    : plan_(plan), program_(program), ownMemory_(hasOwnMemory(program.device())) {
  const size_t doers = size_t(std::min(program.queues(), mostQueues)) + 1;
  known_.assign(doers, Known(doers, 0));
  given_.assign(doers, 0);
  signals_.resize(doers);
}

/// Queues are of devices with memory of their own alone; their programs lock nothing. Each buffer
/// is in the memory that its storage asks for: messages are the host's, a variable is where the
/// plan says.
absl::Status QueueOrder::checkHead() const {
  if (program_.queues() > mostQueues)
    return invalid(program_.queues(), " queues, more than ", mostQueues);
  if (program_.queues() && !ownMemory_)
    return invalid(program_.queues(), " queues on ", program_.device(),
                   ", whose memory is the host's: its lane does all itself");
  if (ownMemory_ && program_.locks_variables())
    return invalid("it locks variables while an instruction runs, but on ", program_.device(),
                   " instructions are only given to a queue");
  for (int i = 0; i < program_.buffers_size(); ++i) {
    const Buffer &buffer = program_.buffers(i);
    const std::string what = absl::StrCat(
        "buffer ", i, buffer.name().empty() ? "" : absl::StrCat(" (", buffer.name(), ")"));
    if (!Space_IsValid(buffer.space()))
      return invalid(what, ": unknown space ", int(buffer.space()));
    const bool onDevice = buffer.space() == DEVICE;
    if (onDevice && !ownMemory_)
      return invalid(what, " is in memory of ", program_.device(), ", which has none of its own");
    if (buffer.has_slot() || buffer.storage_case() == Buffer::kOutgoing) {
      if (onDevice)
        return invalid(what, " is a message in memory of ", program_.device(),
                       "; messages are the host's");
    } else if (buffer.storage_case() == Buffer::kVariable) {
      const std::string &device = plan_.variables(int(buffer.variable())).device();
      if (onDevice != hasOwnMemory(device) || (onDevice && device != program_.device()))
        return invalid(what, " is in memory of ", onDevice ? program_.device() : "the host",
                       ", but variable ", plan_.variables(int(buffer.variable())).name(), " is on ",
                       device);
    }
  }
  return absl::OkStatus();
}

std::pair<int, uint32_t> QueueOrder::placeOf(uint32_t index) const {
  const Buffer &buffer = program_.buffers(int(index));
  if (buffer.has_arena())
    return {int(Buffer::kArena), uint32_t(buffer.space())};
  if (buffer.storage_case() == Buffer::kVariable)
    return {int(Buffer::kVariable), buffer.variable()};
  return {int(buffer.storage_case()), index};
}

bool buffersCover(const Program &program, uint32_t outer, uint32_t inner) {
  const Buffer &x = program.buffers(int(outer)), &y = program.buffers(int(inner));
  return !x.has_arena() || (x.arena().offset() <= y.arena().offset() &&
                            y.arena().offset() + y.bytes() <= x.arena().offset() + x.bytes());
}

/// Refuses what another doer may still be at work on, unless both read. A queue's access is kept
/// until the lane knows that it is done.
absl::Status QueueOrder::touch(uint32_t doer, uint64_t item, uint32_t buffer, bool write) {
  const Buffer &touched = program_.buffers(int(buffer));
  if (touched.bytes() == 0)
    return absl::OkStatus();
  std::vector<Access> &here = accesses_[placeOf(buffer)];
  for (const Access &before : here) {
    if ((!write && !before.write) || before.queue == doer ||
        known_[doer][before.queue] >= before.item || !buffersMeet(program_, buffer, before.buffer))
      continue;
    return invalid("buffer ", buffer, " (", touched.name(), ") is ", write ? "written" : "read",
                   " by ", doerText(doer), " while ", doerText(before.queue), " may still ",
                   before.write ? "write" : "read",
                   before.buffer == buffer ? " it"
                                           : absl::StrCat(" buffer ", before.buffer, " there"),
                   "; expected a wait before");
  }
  // Whoever comes after this write comes after all that it covers; after this read of a queue,
  // after its earlier ones.
  std::erase_if(here, [&](const Access &before) {
    return known_[0][before.queue] >= before.item ||
           ((write || (before.queue == doer && !before.write)) &&
            buffersCover(program_, buffer, before.buffer));
  });
  if (doer)
    here.push_back({buffer, doer, item, write});
  return absl::OkStatus();
}

/// Whose memory is touched: the host's alone by the lane, the device's alone by a call on a queue.
/// A copy has the device's at one end at least, and joins two buffers of one type that do not meet.
absl::Status QueueOrder::checkSpaces(const Instruction &instruction,
                                     const InstructionEffects &effects) const {
  bool onDevice = false;
  for (const BufferEffect &effect : effects.buffers) {
    const Buffer &buffer = program_.buffers(int(effect.buffer));
    onDevice |= buffer.space() == DEVICE;
    if (!instruction.queue() && buffer.space() == DEVICE)
      return invalid("buffer ", effect.buffer, " (", buffer.name(), ") lies in memory of ",
                     program_.device(), ", which the lane cannot touch; expected a copy");
    if (instruction.queue() && !instruction.has_copy() && buffer.space() != DEVICE)
      return invalid("buffer ", effect.buffer, " (", buffer.name(),
                     ") lies in the host's memory, but a kernel on ", program_.device(),
                     " takes it; expected a copy");
  }
  if (!instruction.has_copy())
    return absl::OkStatus();
  const Buffer &from = program_.buffers(int(instruction.copy().from())),
               &to = program_.buffers(int(instruction.copy().to()));
  if (!onDevice)
    return invalid("a copy within the host's memory");
  if (from.bytes() != to.bytes() || from.type().dtype() != to.type().dtype())
    return invalid("a copy of ", typeText(from.type()), " to ", typeText(to.type()));
  if (buffersMeet(program_, instruction.copy().from(), instruction.copy().to()))
    return invalid("a copy of buffer ", instruction.copy().from(), " to itself");
  return absl::OkStatus();
}

/// A queue runs code of its device's kind, the lane the host's. A library's call has no code in the
/// plan.
absl::Status QueueOrder::checkKernel(const Instruction &instruction,
                                     const InstructionEffects &effects) const {
  if (!effects.kernel)
    return absl::OkStatus();
  const Kernel &kernel = plan_.kernels(int(*effects.kernel));
  if (kernel.has_library()) {
    absl::StatusOr<kernels::CallFacts> facts = kernels::checkCall(libraryCallOf(kernel));
    GRAPHC_RETURN_IF_ERROR(facts.status());
    const bool isGpuQueue =
        instruction.queue() && device::runsPtx(device::kindOf(program_.device()));
    if (facts->onGpu != isGpuQueue)
      return invalid("kernel ", kernel.name(), " is a library's for ",
                     facts->onGpu ? "a GPU's queue" : "CPUs", ", but runs on ",
                     isGpuQueue ? "a queue of " : "", program_.device());
    return absl::OkStatus();
  }
  const std::string &kind = plan_.code(int(kernel.compiled().code())).kind();
  const std::string_view expected =
      instruction.queue() ? device::kindOf(program_.device()) : device::hostKind().name;
  if (kind != expected)
    return invalid("kernel ", kernel.name(), " is code for a ", kind, ", but runs on a ",
                   base::view(expected));
  return absl::OkStatus();
}

/// The next segment, or the one that the instruction before is in. The lane is in none.
absl::Status QueueOrder::checkSegment(const Instruction &instruction) {
  if (!instruction.queue() && instruction.segment())
    return invalid("in segment ", instruction.segment(),
                   ", but only what a queue is given is in one");
  if (instruction.queue()) {
    if (instruction.segment() != segment_ + 1 && !(inSegment_ && instruction.segment() == segment_))
      return invalid("in segment ", instruction.segment(), ", expected ",
                     inSegment_ ? absl::StrCat(segment_, " or ") : "", segment_ + 1);
    segment_ = instruction.segment();
  }
  inSegment_ = instruction.queue() != 0;
  return absl::OkStatus();
}

/// A queue counts 1, 2, 3, … through the step. At each count it knows what it knew, and that all is
/// done that it was given before.
absl::Status QueueOrder::checkSignal(const Instruction &instruction) {
  const uint32_t queue = instruction.queue();
  if (!queue)
    return invalid("a signal of no queue");
  Known then = known_[queue];
  then[queue] = given_[queue];
  if (isNextTime_) {
    signals_[queue][instruction.signal().n() - 1] = std::move(then);
    return absl::OkStatus();
  }
  if (instruction.signal().n() != signals_[queue].size() + 1)
    return invalid("queue ", queue, " counts to ", instruction.signal().n(), ", expected ",
                   signals_[queue].size() + 1);
  signals_[queue].push_back(std::move(then));
  return absl::OkStatus();
}

/// The count is one of another queue that an earlier instruction asks for, so no wait is for ever.
/// Whoever waits, the lane or a queue, knows from then on what that queue knew.
absl::Status QueueOrder::checkWait(const Instruction &instruction) {
  const uint32_t queue = instruction.wait().queue(), n = instruction.wait().n(),
                 doer = instruction.queue();
  if (queue == 0 || queue > program_.queues())
    return invalid("waits for queue ", queue, ", which does not exist");
  if (queue == doer)
    return invalid("queue ", queue, " waits for itself");
  if (n == 0 || n > signals_[queue].size())
    return invalid("waits until queue ", queue, " has counted to ", n,
                   ", but so far it is told to count to ", signals_[queue].size());
  const Known &then = signals_[queue][n - 1];
  for (size_t i = 0; i < then.size(); ++i)
    known_[doer][i] = std::max(known_[doer][i], then[i]);
  return absl::OkStatus();
}

/// Who may do this, then what it means for who knows what, then whether all that it meets is known
/// to be done.
absl::Status QueueOrder::check(const Instruction &instruction, const InstructionEffects &effects,
                               std::optional<uint32_t> released) {
  const uint32_t doer = instruction.queue();
  if (doer > program_.queues())
    return invalid("given to queue ", doer, ", which does not exist");
  const bool queued = instruction.has_copy() || instruction.has_signal() ||
                      (ownMemory_ && instruction.has_accumulate()),
             either =
                 instruction.has_call() || instruction.has_wait() || instruction.has_accumulate();
  if (doer ? !queued && !either : queued)
    return invalid(doer ? "only the lane can do this, but it is given to a queue"
                        : "only a queue can do this");
  if (!isNextTime_)
    GRAPHC_RETURN_IF_ERROR(checkSegment(instruction));
  if (doer) // given: after all that the lane knows
    for (size_t i = 0; i < known_[0].size(); ++i)
      known_[doer][i] = std::max(known_[doer][i], known_[0][i]);
  if (instruction.has_signal())
    return checkSignal(instruction);
  if (instruction.has_wait())
    return checkWait(instruction);
  GRAPHC_RETURN_IF_ERROR(checkSpaces(instruction, effects));
  GRAPHC_RETURN_IF_ERROR(checkKernel(instruction, effects));
  if (!program_.queues())
    return absl::OkStatus();
  const uint64_t item = doer ? ++given_[doer] : 0;
  for (const BufferEffect &effect : effects.buffers)
    if (!effect.binds())
      GRAPHC_RETURN_IF_ERROR(touch(doer, item, effect.buffer, effect.access != READ));
  if (released)
    return base::annotate(touch(doer, item, *released, /*write=*/true), "gives a message back");
  return absl::OkStatus();
}

/// What the body does once more, behind what it has done; its waits are for what is signalled this
/// time, or before the loop. All else that it touched the first time is touched anew by the same
/// doer, which comes behind that. So what is known at its end is what was known at the end of the
/// first time, and a third would be to the second as the second is to the first.
absl::Status QueueOrder::endBody(int begin, int end, bool again) {
  inSegment_ = false;
  if (!program_.queues() || !again)
    return absl::OkStatus();
  isNextTime_ = true;
  std::map<uint32_t, uint32_t> messages; // by channel: the buffer of the message
  for (int i = begin; i < end; ++i) {
    const Instruction &instruction = program_.instructions(i);
    if (instruction.has_receive())
      messages[instruction.receive().channel()] = instruction.receive().buffer();
    std::optional<uint32_t> released;
    if (auto message = messages.find(instruction.release().channel());
        instruction.has_release() && message != messages.end())
      released = message->second;
    GRAPHC_RETURN_IF_ERROR(
        base::annotate(check(instruction, effectsOf(plan_, program_, instruction), released),
                       absl::StrCat("once around the loop, instruction ", i)));
  }
  isNextTime_ = false;
  return absl::OkStatus();
}

/// The next step writes everything again: the lane has waited for the last item of each queue.
absl::Status QueueOrder::checkEnd() const {
  for (size_t queue = 1; queue < given_.size(); ++queue)
    if (known_[0][queue] < given_[queue])
      return invalid("the step ends while queue ", queue,
                     " may still be at work; expected a wait for all of it");
  return absl::OkStatus();
}

} // namespace graphc::plan::detail
