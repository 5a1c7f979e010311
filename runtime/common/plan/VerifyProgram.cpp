//===- VerifyProgram.cpp - one program: buffers, instruction protocol, ports ------------------===//
//
// The instructions are walked once, in order, with the state of every slot and send in flight; from
// step to step only what is sent ahead is held.
//
//===------------------------------------------------------------------------------------------===//

#include "runtime/common/plan/VerifyProgram.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyCommit.h"
#include "runtime/common/plan/VerifyPlan.h"

#include <set>
#include <utility>

namespace graphc::plan::detail {
/// What the walk relies on: a name for messages, instances that are one or all replicas, a task and
/// a device that exist, tables of a bounded size.
absl::Status ProgramVerifier::checkHead() {
  if (program_.name().empty() || program_.name().size() > size_t(PlanLimits::nameBytes))
    return invalid("it has no name, or one longer than ", PlanLimits::nameBytes, " bytes");
  uint32_t replicas = plan_.replicas().size();
  if (program_.instances() == 0 || (program_.instances() != 1 && program_.instances() != replicas))
    return invalid(program_.instances(), " instances, expected 1 or the ", replicas,
                   " of the replica domain");
  if (program_.spread()) {
    if (program_.instances() != replicas)
      return invalid("spread over replicas with ", program_.instances(),
                     " instances, but the domain has ", replicas);
  } else if (program_.task().job() >= uint32_t(plan_.jobs_size()) ||
             program_.task().index() >= plan_.jobs(int(program_.task().job())).tasks()) {
    return invalid("its task does not exist");
  }
  if (!isDevice(program_.device()))
    return invalid("on the device '", program_.device().substr(0, 64),
                   "', expected one such as CPU:0");
  for (uint64_t bytes : {program_.arena_bytes(), program_.device_arena_bytes()})
    if (bytes > PlanLimits::bytes)
      return invalid("an arena of ", bytes, " bytes, more than ", PlanLimits::bytes);
  if (program_.instructions_size() == 0)
    return invalid("no instruction");
  if (program_.instructions_size() > PlanLimits::tableEntries ||
      program_.buffers_size() > PlanLimits::tableEntries)
    return invalid("more than ", PlanLimits::tableEntries, " instructions or buffers");
  return absl::OkStatus();
}

/// Native code trusts its arguments: each has the bytes that the kernel takes, and what is written
/// overlaps no other. That there are as many as it takes, checkInstruction has seen.
absl::Status ProgramVerifier::checkCall(const Instruction::Call &call) {
  const Kernel &kernel = plan_.kernels(int(call.kernel()));
  for (int i = 0; i < call.buffers_size(); ++i)
    if (const Buffer &buffer = program_.buffers(int(call.buffers(i)));
        buffer.bytes() != kernel.args(i).bytes())
      return invalid("argument ", i, " of kernel ", kernel.name(), " has ", kernel.args(i).bytes(),
                     " bytes, buffer ", call.buffers(i), " has ", buffer.bytes());
  for (int i = 0; i < call.buffers_size(); ++i)
    for (int j = i + 1; j < call.buffers_size(); ++j)
      if ((kernel.args(i).access() != READ || kernel.args(j).access() != READ) &&
          buffers_.overlap(call.buffers(i), call.buffers(j)))
        return invalid("arguments ", i, " and ", j, " of kernel ", kernel.name(),
                       " overlap and one is written");
  return absl::OkStatus();
}

/// Micro-batches that the step has (a loop takes several), and for each component of the data set a
/// buffer of its own, of a batch of its samples. Floats have no classes. A mask belongs to a last
/// batch that is padded.
absl::Status ProgramVerifier::checkNextBatch(const Instruction::NextBatch &next) {
  if (next.dataset() >= uint32_t(plan_.datasets_size()))
    return invalid("dataset ", next.dataset(), " does not exist, the plan has ",
                   plan_.datasets_size());
  const Dataset &dataset = plan_.datasets(int(next.dataset()));
  if (next.batch() == 0)
    return invalid("a batch of 0 samples");
  if (const uint64_t samples = samplesOfMicroBatch(next);
      uint64_t(next.offset()) + next.batch() > samples)
    return invalid("samples ", next.offset(), " to ", uint64_t(next.offset()) + next.batch() - 1,
                   " of a micro-batch of ", samples);
  if (next.micro_batches() == 0 ||
      uint64_t(next.micro_batch()) + loops_.count() > next.micro_batches())
    return invalid("micro-batch ", next.micro_batch(),
                   loops_.count() > 1 ? absl::StrCat(", ", loops_.count(), " times,") : "", " of ",
                   next.micro_batches());
  if (next.buffers_size() != dataset.components_size())
    return invalid(next.buffers_size(), " buffers for the ", dataset.components_size(),
                   " components of dataset ", dataset.name());
  if (next.classes_size() != 0 && next.classes_size() != next.buffers_size())
    return invalid("classes for ", next.classes_size(), " of ", next.buffers_size(), " components");
  for (int i = 0; i < next.classes_size(); ++i) {
    DataType type = dataset.components(i).sample().dtype();
    bool isFloat = type == F32 || type == F64 || type == BF16;
    if (next.classes(i) > (isFloat ? 0 : uint64_t(INT64_MAX)))
      return invalid(next.classes(i), " classes of component ", i, ", which is of ",
                     dataTypeName(type));
  }
  auto check = [&](uint32_t buffer, const TensorType &sample) -> absl::Status {
    const Buffer &b = program_.buffers(int(buffer));
    TensorType type;
    type.set_dtype(sample.dtype());
    type.add_shape(next.batch());
    type.mutable_shape()->MergeFrom(sample.shape());
    if (!b.has_arena() || !sameType(b.type(), type))
      return invalid("buffer ", buffer, " is ", typeText(b.type()), ", expected ", typeText(type),
                     " in the arena");
    return absl::OkStatus();
  };
  std::set<uint32_t> distinct;
  for (int i = 0; i < next.buffers_size(); ++i) {
    GRAPHC_RETURN_IF_ERROR(check(next.buffers(i), dataset.components(i).sample()));
    distinct.insert(next.buffers(i));
  }
  if (next.has_valid()) {
    if (!next.pad_last())
      return invalid("a mask of valid samples without pad_last");
    TensorType mask;
    mask.set_dtype(I1);
    GRAPHC_RETURN_IF_ERROR(check(next.valid(), mask));
    distinct.insert(next.valid());
  }
  if (distinct.size() != size_t(next.buffers_size()) + next.has_valid())
    return invalid("one buffer for two components");
  return absl::OkStatus();
}

/// A scalar of the arena, and micro-batches that the step has.
absl::Status ProgramVerifier::checkMicroBatchIndex(const Instruction::MicroBatchIndex &index) {
  const Buffer &buffer = program_.buffers(int(index.buffer()));
  if (!buffer.has_arena() || buffer.type().dtype() != I64 || buffer.type().shape_size() != 0)
    return invalid("buffer ", index.buffer(), " is ", typeText(buffer.type()),
                   ", expected a scalar i64 in the arena");
  if (index.micro_batches() == 0 ||
      uint64_t(index.micro_batch()) + loops_.count() > index.micro_batches())
    return invalid("the number of micro-batch ", index.micro_batch(),
                   loops_.count() > 1 ? absl::StrCat(", ", loops_.count(), " times,") : "", " of ",
                   index.micro_batches());
  return absl::OkStatus();
}

/// The chief's first instance decides, once a step, in a phase that ends so.
absl::Status ProgramVerifier::checkControlSend(const Instruction::ControlSend &send) {
  if (phase_.ends_by_end_of_stream())
    return invalid("a control message in a phase that ends by end of stream");
  if (!sameTask(instanceTask(plan_, program_, 0), plan_.chief()))
    return invalid("the control message is sent from ",
                   taskText(plan_, instanceTask(plan_, program_, 0)), ", but the chief is ",
                   taskText(plan_, plan_.chief()));
  if (++controlSends_ > 1)
    return invalid("a second control_send");
  std::set<uint32_t> distinct;
  for (uint32_t channel : send.channels())
    if (!distinct.insert(channel).second)
      return invalid("names channel ", plan_.channels(int(channel)).name(), " twice");
  return absl::OkStatus();
}

/// Every program takes the decision once a step, from where it comes, as its last instruction,
/// right before its first send ahead, or right before its commit point, behind which the step waits
/// for nobody.
absl::Status ProgramVerifier::checkControlReceive(const Instruction::ControlReceive &receive,
                                                  int position) {
  if (phase_.ends_by_end_of_stream())
    return invalid("a control message in a phase that ends by end of stream");
  // Among the instances of a program the control message ends the step: the certificate does not
  // have it among its events.
  bool last = position + 1 == program_.instructions_size() ||
              (program_.has_commit_point() && uint32_t(position) + 1 == program_.commit_point());
  if (!last &&
      (program_.instances() != 1 || !program_.instructions(position + 1).send_start().ahead()))
    return invalid(
        "a control_receive that is not the last instruction, nor right before a send ahead in a program of one "
        "instance");
  if (++controlReceives_ > 1)
    return invalid("a second control_receive");
  if (receive.local() != (controlSends_ == 1))
    return invalid(
        receive.local()
            ? "a local control_receive in a program without control_send"
            : "a control_receive that is not local in the program that holds the control_send");
  if (receive.local() && program_.instances() == 1)
    return absl::OkStatus(); // its own control message; no channel
  const Channel &channel = plan_.channels(int(receive.channel()));
  if ((channel.sender() == index_) != receive.local())
    return invalid("takes its control message from channel ", channel.name(),
                   ", which does not bring it here");
  return absl::OkStatus();
}

/// Of any instruction: this program is at that end of the channel; what it reads can be read, what
/// it writes written.
absl::Status ProgramVerifier::checkEffects(const InstructionEffects &effects) {
  static constexpr const char *verbs[] = {"sends on", "waits for a send on", "receives from",
                                          "releases", "acquires a slot of"};
  for (const ChannelEffect &effect : effects.channels) {
    GRAPHC_RETURN_IF_ERROR(channelIndex(effect.channel, effect.control));
    const Channel &channel = plan_.channels(int(effect.channel));
    const bool sends = ofSender(effect.action);
    if (const uint32_t side = sends ? channel.sender() : channel.receiver(); side != index_)
      return invalid(verbs[int(effect.action)], " channel ", channel.name(), ", whose ",
                     sends ? "sender" : "receiver", " is program ",
                     plan_.programs(int(side)).name());
  }
  for (const BufferEffect &effect : effects.buffers) {
    GRAPHC_RETURN_IF_ERROR(buffers_.exists(effect.buffer));
    if (effect.binds())
      continue;
    if (effect.access != WRITE)
      GRAPHC_RETURN_IF_ERROR(buffers_.readable(effect.buffer));
    if (effect.access != READ)
      GRAPHC_RETURN_IF_ERROR(buffers_.writable(effect.buffer));
  }
  return absl::OkStatus();
}

/// What it is by the tables, then what its kind asks for; then the state behind it.
absl::Status ProgramVerifier::checkInstruction(const Instruction &instruction, int position) {
  const InstructionEffects effects = effectsOf(plan_, program_, instruction);
  if (effects.kernel && *effects.kernel >= uint32_t(plan_.kernels_size()))
    return invalid("kernel ", *effects.kernel, " does not exist, the plan has ",
                   plan_.kernels_size());
  if (instruction.has_call())
    if (const Kernel &kernel = plan_.kernels(int(*effects.kernel));
        instruction.call().buffers_size() != kernel.args_size())
      return invalid("kernel ", kernel.name(), " takes ", kernel.args_size(),
                     " buffers, the call gives ", instruction.call().buffers_size());
  GRAPHC_RETURN_IF_ERROR(checkEffects(effects));
  GRAPHC_RETURN_IF_ERROR(queues_.check(instruction, effects,
                                       instruction.has_release()
                                           ? buffers_.messageOf(instruction.release().channel())
                                           : std::nullopt));
  GRAPHC_RETURN_IF_ERROR(loops_.check(instruction, effects, position));
  GRAPHC_RETURN_IF_ERROR(sums_.check(instruction, effects));
  transfers_.times = loops_.count();
  GRAPHC_RETURN_IF_ERROR(checkKind(instruction, position));
  for (const ChannelEffect &effect : effects.channels)
    GRAPHC_RETURN_IF_ERROR(noteUse(effect));
  buffers_.apply(effects);
  GRAPHC_RETURN_IF_ERROR(loops_.checkIterationEnds(position));
  return loops_.endsBody(position)
             ? queues_.endBody(loops_.repeatedBy() + 1, position + 1, loops_.count() > 1)
             : absl::OkStatus();
}

absl::Status ProgramVerifier::noteUse(const ChannelEffect &effect) {
  ChannelUse &use = channels_[effect.channel];
  use.sends += effect.action == ChannelAction::Send;
  use.receives += effect.action == ChannelAction::Receive;
  SideUse &side = ofSender(effect.action) ? use.sender : use.receiver;
  if (std::exchange(side.any, true) && side.loop != loops_.repeatedBy())
    return invalid("acts on channel ", plan_.channels(int(effect.channel)).name(),
                   ", as instructions that are not ",
                   side.loop < 0 ? "repeated" : "repeated with it",
                   " do; expected one loop, or none");
  side.loop = loops_.repeatedBy();
  side.times = side.loop < 0 ? 0 : loops_.count();
  return absl::OkStatus();
}

/// A line for each kind of instruction that has constraints of its own. That channels, buffers and
/// kernels exist and may be touched, checkInstruction has seen.
absl::Status ProgramVerifier::checkKind(const Instruction &instruction, int position) {
  switch (instruction.kind_case()) {
  case Instruction::kCall:
    return checkCall(instruction.call());
  case Instruction::kReceive:
    return transfers_.checkReceive(instruction.receive());
  case Instruction::kRelease:
    return plan_.channels(int(instruction.release().channel())).algorithm() == WHOLE
               ? buffers_.release(instruction.release().channel())
               : sums_.release(instruction.release().channel());
  case Instruction::kAcquire:
    return transfers_.checkAcquire(instruction.acquire());
  case Instruction::kSendStart:
    return transfers_.checkSendStart(instruction.send_start(), controlReceives_ > 0);
  case Instruction::kSendDone:
    return transfers_.checkSendDone(instruction.send_done());
  case Instruction::kAllReduceStart:
    GRAPHC_RETURN_IF_ERROR(transfers_.checkAllReduceStart(instruction.all_reduce_start()));
    return sums_.start(instruction.all_reduce_start());
  case Instruction::kAllReduceDone:
    GRAPHC_RETURN_IF_ERROR(transfers_.checkAllReduceDone(instruction.all_reduce_done()));
    sums_.done(instruction.all_reduce_done().channel());
    return absl::OkStatus();
  case Instruction::kAggregate:
    return transfers_.checkAggregate(instruction.aggregate());
  case Instruction::kCollect:
    return transfers_.checkCollect(instruction.collect());
  case Instruction::kChoose:
    return transfers_.checkChoose(instruction.choose());
  case Instruction::kRepeat:
    return loops_.checkRepeat(instruction.repeat(), position);
  case Instruction::kAccumulate:
    return loops_.checkAccumulate(instruction.accumulate(), instruction.queue() != 0);
  case Instruction::kNextBatch:
    return checkNextBatch(instruction.next_batch());
  case Instruction::kMicroBatchIndex:
    return checkMicroBatchIndex(instruction.micro_batch_index());
  case Instruction::kControlSend:
    return checkControlSend(instruction.control_send());
  case Instruction::kControlReceive:
    return checkControlReceive(instruction.control_receive(), position);
  case Instruction::kTicket:
    if (!phase_.ends_by_end_of_stream())
      return invalid("an update ticket in a phase that ends by a control message");
    if (program_.spread())
      return invalid(
          "an update ticket in a program that is spread over tasks; one task gives them all");
    for (int i = 0; i < position; ++i)
      if (!program_.instructions(i).has_receive() && !program_.instructions(i).has_release())
        return invalid("an update ticket behind an instruction that is no receive");
    return absl::OkStatus();
  default:
    const InstructionFacts *facts = factsOf(instruction.kind_case());
    return facts && facts->isPlain
               ? absl::OkStatus() // what is given to queues, VerifyQueues.cpp has checked
               : invalid(
                     "an instruction of no known kind; the plan is newer than this graphrun or damaged");
  }
}

/// The channel exists and carries what is expected: control messages, or values.
absl::Status ProgramVerifier::channelIndex(uint32_t channel, bool control) const {
  if (channel >= uint32_t(plan_.channels_size()))
    return invalid("channel ", channel, " does not exist, the plan has ", plan_.channels_size());
  if (plan_.channels(int(channel)).control() != control)
    return invalid("channel ", plan_.channels(int(channel)).name(), control ? " is not" : " is",
                   " a control channel");
  return absl::OkStatus();
}

absl::Status ProgramVerifier::ofHost(uint32_t buffer, const char *what,
                                     const std::string &name) const {
  if (program_.buffers(int(buffer)).space() == DEVICE)
    return invalid(what, " ", name, " lies in memory of ", program_.device(),
                   ", which the host cannot touch");
  return absl::OkStatus();
}

absl::Status ProgramVerifier::showable(uint32_t buffer, const char *what, const std::string &name) {
  if (buffers_.wasBorrowed(buffer))
    return invalid(what, " ", name,
                   " shows a message of a zero-copy channel, which has to be released in its step");
  GRAPHC_RETURN_IF_ERROR(ofHost(buffer, what, name));
  GRAPHC_RETURN_IF_ERROR(sums_.checkShown(buffer, what, name));
  return base::annotate(buffers_.readable(buffer), absl::StrCat(what, " ", name));
}

/// The state before the first instruction: what was sent ahead in the step before is under way.
absl::Status ProgramVerifier::beginStep() {
  for (const Instruction &instruction : program_.instructions()) {
    const Instruction::SendStart &send = instruction.send_start();
    if (!send.ahead())
      continue;
    GRAPHC_RETURN_IF_ERROR(channelIndex(send.channel(), false));
    GRAPHC_RETURN_IF_ERROR(buffers_.sendAhead(send.channel(), send.buffer()));
  }
  return absl::OkStatus();
}

/// Feeds, fetches and metrics name buffers of their types that hold something at the step's end.
absl::Status ProgramVerifier::checkPorts() {
  std::set<std::string> names;
  for (const Port &feed : program_.feeds()) {
    GRAPHC_RETURN_IF_ERROR(buffers_.exists(feed.buffer()));
    if (feed.name().empty() || !names.insert(feed.name()).second)
      return invalid("a feed without name, or '", feed.name(), "' twice");
    if (!program_.buffers(int(feed.buffer())).has_arena())
      return invalid("feed ", feed.name(), " is not in the arena");
    GRAPHC_RETURN_IF_ERROR(ofHost(feed.buffer(), "feed", feed.name()));
  }
  names.clear();
  for (const Port &fetch : program_.fetches()) {
    if (fetch.micro_batches() > 1 && (fetch.reduction() != MEAN || program_.instances() == 1))
      return invalid(
          "fetch ", fetch.name(), " is a sum over ", fetch.micro_batches(),
          " micro-batches of each instance, expected the reduction MEAN in a replicated program");
    GRAPHC_RETURN_IF_ERROR(buffers_.exists(fetch.buffer()));
    if (fetch.name().empty() || !names.insert(fetch.name()).second)
      return invalid("a fetch without name, or '", fetch.name(), "' twice");
    if (!Reduction_IsValid(fetch.reduction()))
      return invalid("fetch ", fetch.name(), ": unknown reduction ", int(fetch.reduction()));
    GRAPHC_RETURN_IF_ERROR(showable(fetch.buffer(), "fetch", fetch.name()));
  }
  names.clear();
  for (const Metric &metric : program_.metrics()) {
    GRAPHC_RETURN_IF_ERROR(buffers_.exists(metric.sum()));
    GRAPHC_RETURN_IF_ERROR(buffers_.exists(metric.count()));
    for (uint32_t buffer : {metric.sum(), metric.count()})
      GRAPHC_RETURN_IF_ERROR(showable(buffer, "metric", metric.name()));
    const Buffer &sum = program_.buffers(int(metric.sum())),
                 &count = program_.buffers(int(metric.count()));
    if (metric.name().empty() || !names.insert(metric.name()).second)
      return invalid("a metric without name, or '", metric.name(), "' twice");
    if (sum.bytes() != 8 || (sum.type().dtype() != I64 && sum.type().dtype() != F64) ||
        sum.type().shape_size() != 0 || count.type().dtype() != I64 ||
        count.type().shape_size() != 0)
      return invalid("metric ", metric.name(), " is (", typeText(sum.type()), ", ",
                     typeText(count.type()),
                     "), expected (tensor<i64> or tensor<f64>, tensor<i64>)");
  }
  return absl::OkStatus();
}

/// Nothing is held or under way at the step's end but what is sent ahead; its bytes are those that
/// the plan promises.
absl::Status ProgramVerifier::checkTotals() {
  GRAPHC_RETURN_IF_ERROR(buffers_.checkEnd());
  GRAPHC_RETURN_IF_ERROR(sums_.checkEnd());
  if (!phase_.ends_by_end_of_stream() && controlReceives_ != 1)
    return invalid(
        "the step does not end with a control_receive, so the program would never learn of its phase's end");
  GRAPHC_RETURN_IF_ERROR(queues_.checkEnd());
  if (transfers_.sent != program_.bytes_sent_per_step() ||
      transfers_.received != program_.bytes_received_per_step())
    return invalid("its instructions send ", uint64_t(transfers_.sent), " and receive ",
                   uint64_t(transfers_.received), " bytes a step, the plan says ",
                   program_.bytes_sent_per_step(), " and ", program_.bytes_received_per_step());
  buffers_.countVariables(variables_);
  return absl::OkStatus();
}

/// Tables before the walk, which indexes them; the walk before ports and totals, which ask for the
/// state at the step's end.
absl::Status ProgramVerifier::run() {
  GRAPHC_RETURN_IF_ERROR(checkHead());
  GRAPHC_RETURN_IF_ERROR(buffers_.checkStorage());
  GRAPHC_RETURN_IF_ERROR(queues_.checkHead());
  GRAPHC_RETURN_IF_ERROR(beginStep());
  for (int i = 0; i < program_.instructions_size(); ++i) {
    const Instruction &instruction = program_.instructions(i);
    if (instruction.location() != 0 && instruction.location() >= uint32_t(plan_.locations_size()))
      return invalid("instruction ", i, ": location ", instruction.location(), " does not exist");
    if (absl::Status status = checkInstruction(instruction, i); !status.ok()) {
      const std::string &where = locationText(plan_, instruction.location());
      return invalid("instruction ", i, where.empty() ? "" : absl::StrCat(" (", where, ")"), ": ",
                     status.message());
    }
  }
  GRAPHC_RETURN_IF_ERROR(checkPorts());
  GRAPHC_RETURN_IF_ERROR(checkTotals());
  return checkCommitPoint(plan_, program_);
}

/// The entry: see the class above, whose messages get the program's name here.
absl::Status verifyProgram(const Plan &plan, uint32_t index, std::vector<ChannelUse> &channels,
                           std::vector<VariableUse> &variables) {
  const Program &program = plan.programs(int(index));
  return base::annotate(ProgramVerifier(plan, index, channels, variables).run(),
                        absl::StrCat("program ", program.name().substr(0, 200)));
}

} // namespace graphc::plan::detail
