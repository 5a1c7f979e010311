#include "runtime/common/plan/VerifyTransfers.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/AllReduceMoves.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/SumTree.h"

namespace graphc::plan::detail {

absl::Status TransferVerifier::whole(const Channel &channel) const {
  if (channel.algorithm() != WHOLE)
    return invalid("uses channel ", channel.name(), ", over which its instances sum by ",
                   AllReduceAlgorithm_Name(channel.algorithm()), "; expected an all_reduce_start");
  return absl::OkStatus();
}

absl::Status TransferVerifier::fits(const Buffer &buffer, const Channel &channel) const {
  if (buffer.bytes() != channel.bytes() || buffer.type().dtype() != channel.type().dtype())
    return invalid("buffer ", buffer.name(), " is ", typeText(buffer.type()), ", but channel ",
                   channel.name(), " carries ", typeText(channel.type()));
  return absl::OkStatus();
}

absl::Status TransferVerifier::fitsAll(const Buffer &buffer, const Channel &channel) const {
  if ((unsigned __int128)channel.bytes() * channel.instances() != buffer.bytes() ||
      buffer.type().dtype() != channel.type().dtype())
    return invalid("buffer ", buffer.name(), " is ", typeText(buffer.type()), ", but ",
                   channel.instances(), " messages of channel ", channel.name(), " are ",
                   typeText(channel.type()), " each");
  return absl::OkStatus();
}

template <typename Transfer>
absl::Status TransferVerifier::counts(const Transfer &transfer, const Channel &channel,
                                      bool each) const {
  if (transfer.has_units() != (channel.unit_bytes() > 0))
    return invalid("channel ", channel.name(), channel.unit_bytes() ? " has" : " has no",
                   " messages of an actual size, but ", transfer.has_units() ? "a" : "no",
                   " count is given");
  if (!transfer.has_units())
    return absl::OkStatus();
  const Buffer &buffer = program_.buffers(int(transfer.units()));
  const TensorType &type = buffer.type();
  if (type.dtype() != I64 || type.shape_size() != (each ? 1 : 0) ||
      (each && type.shape(0) != int64_t(channel.instances())))
    return invalid("counts in buffer ", transfer.units(), " (", buffer.name(), "), which is ",
                   typeText(type), ", how many units messages of channel ", channel.name(),
                   " have; expected ",
                   each ? absl::StrCat("one i64 for each of ", channel.instances(), " instances")
                        : "tensor<i64>");
  if (!buffer.has_arena()) // a variable would need its lock, and another's message may say anything
    return invalid("counts in buffer ", transfer.units(), " (", buffer.name(),
                   "), which is not in the arena");
  return absl::OkStatus();
}

absl::Status TransferVerifier::adds(uint32_t add, const Channel &channel) const {
  return checkAddition(plan_.kernels(int(add)), channel.bytes(),
                       absl::StrCat("a message of channel ", channel.name()));
}

/// One message a lane, into a slot buffer that holds none, and no second one before the first is
/// released.
absl::Status TransferVerifier::checkReceive(const Instruction::Receive &receive) {
  const Channel &channel = plan_.channels(int(receive.channel()));
  GRAPHC_RETURN_IF_ERROR(whole(channel));
  if (channel.all_to_all() || channel.instances() != program_.instances())
    return invalid("receives one message of channel ", channel.name(), ", which has ",
                   channel.instances(),
                   channel.all_to_all() ? " instances and is all to all" : " instances",
                   "; expected an aggregate");
  const Buffer &buffer = program_.buffers(int(receive.buffer()));
  if (buffer.storage_case() != Buffer::kSlot)
    return invalid("binds buffer ", receive.buffer(), ", whose storage is not a slot");
  GRAPHC_RETURN_IF_ERROR(fits(buffer, channel));
  GRAPHC_RETURN_IF_ERROR(counts(receive, channel, /*each=*/false));
  GRAPHC_RETURN_IF_ERROR(buffers_.bind(channel, receive.channel(), receive.buffer()));
  if (!channel.conflating())
    received += (unsigned __int128)channel.bytes() * times;
  return absl::OkStatus();
}

/// One slot a step of a channel with one receiver for each sender, for the buffer that lies in it.
absl::Status TransferVerifier::checkAcquire(const Instruction::Acquire &acquire) {
  const Channel &channel = plan_.channels(int(acquire.channel()));
  const Buffer &buffer = program_.buffers(int(acquire.buffer()));
  if (channel.all_to_all() || channel.instances() != program_.instances())
    return invalid("acquires one slot of channel ", channel.name(), ", whose messages go to ",
                   channel.instances(), " instances");
  if (!buffer.has_outgoing() || buffer.outgoing() != acquire.channel())
    return invalid("acquires a slot of channel ", channel.name(), " for buffer ", acquire.buffer(),
                   ", which does not lie there");
  GRAPHC_RETURN_IF_ERROR(fits(buffer, channel));
  return buffers_.acquire(acquire.channel());
}

/// The buffer fits the channel and is not under way there; zero-copy messages are variables or
/// constants; a slot that was acquired is sent once, as it is; a send ahead knows that a step
/// follows.
absl::Status TransferVerifier::checkSendStart(const Instruction::SendStart &send, bool knowsNext) {
  const Channel &channel = plan_.channels(int(send.channel()));
  GRAPHC_RETURN_IF_ERROR(whole(channel));
  const Buffer &buffer = program_.buffers(int(send.buffer()));
  if (send.deal() &&
      (program_.instances() != 1 || channel.instances() == 1 || channel.all_to_all() ||
       channel.conflating() || channel.zero_copy() || send.ahead() || !buffer.has_arena()))
    return invalid(
        "deals buffer ", send.buffer(), " (", buffer.name(), ") on channel ", channel.name(),
        "; expected a buffer of the arena, this step's, and a channel from one instance to a replicated program");
  GRAPHC_RETURN_IF_ERROR(send.deal() ? fitsAll(buffer, channel) : fits(buffer, channel));
  GRAPHC_RETURN_IF_ERROR(counts(send, channel, send.deal()));
  if (send.has_units() &&
      (send.ahead() || (!send.deal() && channel.instances() != program_.instances())))
    return invalid("sends messages of an actual size on channel ", channel.name(),
                   send.ahead() ? " ahead of the step that says it"
                                : " to several instances; expected a deal");
  if (channel.zero_copy() && buffer.storage_case() != Buffer::kVariable &&
      buffer.storage_case() != Buffer::kConstant)
    return invalid("sends zero-copy buffer ", send.buffer(), " (", buffer.name(), ") on channel ",
                   channel.name(), ", which is neither a variable nor a constant");
  GRAPHC_RETURN_IF_ERROR(buffers_.send(send.channel(), send.buffer()));
  if (send.ahead() && !knowsNext)
    return invalid(
        "sends on channel ", channel.name(),
        " ahead without knowing whether a step follows; expected a control_receive before");
  if (!send.ahead() && buffers_.isAhead(send.channel()))
    return invalid("sends on channel ", channel.name(),
                   " for this step, but another send there is ahead");
  if (buffers_.loanOf(send.channel()))
    return invalid("sends on channel ", channel.name(), " again before its send_done");
  uint32_t fanOut = channel.all_to_all()        ? channel.instances() - 1
                    : program_.instances() == 1 ? channel.instances()
                                                : 1;
  if (!channel.conflating())
    sent += (unsigned __int128)channel.bytes() * fanOut * times;
  return absl::OkStatus();
}

/// There is a send to wait for.
absl::Status TransferVerifier::checkSendDone(const Instruction::SendDone &done) {
  if (const BufferStates::Loan *loan = buffers_.loanOf(done.channel()); !loan || loan->isSum())
    return invalid("waits for a send on channel ", plan_.channels(int(done.channel())).name(),
                   " that was not started");
  return absl::OkStatus();
}

/// One message of every instance, by a kernel that adds; the lane's own where all send to all; the
/// chosen ones where the channel conflates.
absl::Status TransferVerifier::checkAggregate(const Instruction::Aggregate &aggregate) {
  const Channel &channel = plan_.channels(int(aggregate.channel()));
  GRAPHC_RETURN_IF_ERROR(whole(channel));
  if (channel.all_to_all() != aggregate.has_own())
    return invalid(aggregate.has_own() ? "has a message of its own for"
                                       : "has no message of its own for",
                   " channel ", channel.name(), ", which ", channel.all_to_all() ? "is" : "is not",
                   " all to all");
  if (program_.instances() != 1 && !channel.all_to_all())
    return invalid("aggregates in a program of ", program_.instances(), " instances");
  if (buffers_.messageOf(aggregate.channel()))
    return invalid("aggregates channel ", channel.name(), " while it holds one of its messages");
  if (channel.unit_bytes())
    return invalid("aggregates channel ", channel.name(),
                   ", whose messages have an actual size; expected a collect");
  GRAPHC_RETURN_IF_ERROR(fits(program_.buffers(int(aggregate.buffer())), channel));
  if (channel.conflating() != aggregate.has_chosen())
    return invalid("aggregates channel ", channel.name(),
                   channel.conflating() ? ", a conflating one, without a set of instances"
                                        : " from a set, but it is a fifo");
  if (aggregate.has_chosen())
    GRAPHC_RETURN_IF_ERROR(isSet(aggregate.chosen(), channel));
  if (aggregate.has_own()) {
    GRAPHC_RETURN_IF_ERROR(fits(program_.buffers(int(aggregate.own())), channel));
    if (buffers_.overlap(aggregate.own(), aggregate.buffer()))
      return invalid("sums into buffer ", aggregate.buffer(), ", which holds its own message");
  }
  GRAPHC_RETURN_IF_ERROR(adds(aggregate.add(), channel));
  const Kernel &add = plan_.kernels(int(aggregate.add()));
  const uint64_t partials = aggregate.has_chosen() ? 0 : partialSums(channel.instances());
  if (aggregate.has_scratch() != (partials > 0))
    return invalid("sums ", channel.instances(), " messages ", partials ? "without" : "with",
                   " scratch memory, but keeps ", partials, " partial sums");
  if (partials) {
    const Buffer &scratch = program_.buffers(int(aggregate.scratch()));
    if (!scratch.has_arena() || buffers_.overlap(aggregate.scratch(), aggregate.buffer()) ||
        (aggregate.has_own() && buffers_.overlap(aggregate.scratch(), aggregate.own())))
      return invalid(
          "sums with scratch buffer ", aggregate.scratch(),
          "; expected one of the arena that overlaps neither the sum nor its own message");
    if (scratch.type().dtype() != channel.type().dtype() ||
        scratch.bytes() != partials * partialStride(add.args(0).bytes()))
      return invalid("scratch buffer ", aggregate.scratch(), " is ", typeText(scratch.type()),
                     ", but kernel ", add.name(), " adds ", add.args(0).bytes(), " bytes of ",
                     typeText(channel.type()), " to each of ", partials, " partial sums");
  }
  if (!channel.conflating())
    received +=
        (unsigned __int128)channel.bytes() * (channel.instances() - (channel.all_to_all() ? 1 : 0));
  return absl::OkStatus();
}

/// One message of every instance of a replicated program, into a buffer of the arena that has room
/// for all.
absl::Status TransferVerifier::checkCollect(const Instruction::Collect &collect) {
  const Channel &channel = plan_.channels(int(collect.channel()));
  GRAPHC_RETURN_IF_ERROR(whole(channel));
  if (program_.instances() != 1 || channel.instances() == 1 || channel.all_to_all() ||
      channel.conflating())
    return invalid("collects channel ", channel.name(), " in a program of ", program_.instances(),
                   " instances; expected a fifo from a replicated program to one instance");
  if (buffers_.messageOf(collect.channel()))
    return invalid("collects channel ", channel.name(), " while it holds one of its messages");
  const Buffer &buffer = program_.buffers(int(collect.buffer()));
  if (!buffer.has_arena())
    return invalid("collects into buffer ", collect.buffer(), ", which is not in the arena");
  GRAPHC_RETURN_IF_ERROR(fitsAll(buffer, channel));
  GRAPHC_RETURN_IF_ERROR(counts(collect, channel, /*each=*/true));
  if (collect.has_units() && buffers_.overlap(collect.units(), collect.buffer()))
    return invalid("collects into buffer ", collect.buffer(),
                   ", which holds how many units the messages have");
  received += (unsigned __int128)channel.bytes() * channel.instances();
  return absl::OkStatus();
}

/// One i1 for each instance of the channel.
absl::Status TransferVerifier::isSet(uint32_t buffer, const Channel &channel) const {
  const TensorType &type = program_.buffers(int(buffer)).type();
  if (type.dtype() != I1 || type.shape_size() != 1 || type.shape(0) != int64_t(channel.instances()))
    return invalid("buffer ", buffer, " is ", typeText(type), ", but a set of the ",
                   channel.instances(), " instances of channel ", channel.name(),
                   " has one i1 each");
  return absl::OkStatus();
}

/// Versions of a conflating channel are compared, and at most as many taken as send.
absl::Status TransferVerifier::checkChoose(const Instruction::Choose &choose) {
  const Channel &channel = plan_.channels(int(choose.channel()));
  if (program_.instances() != 1 || !channel.conflating())
    return invalid("chooses from channel ", channel.name(),
                   channel.conflating() ? " in a program of several instances"
                                        : ", which is a fifo");
  GRAPHC_RETURN_IF_ERROR(isSet(choose.chosen(), channel));
  const TensorType &version = program_.buffers(int(choose.version())).type();
  if (channel.type().dtype() != I64 || channel.type().shape_size() ||
      !sameType(version, channel.type()))
    return invalid("compares ", typeText(version), " with ", typeText(channel.type()),
                   " of channel ", channel.name(), "; expected tensor<i64> both");
  if (choose.take() == 0 || choose.take() > channel.instances())
    return invalid("takes ", choose.take(), " of the ", channel.instances(),
                   " instances of channel ", channel.name());
  return absl::OkStatus();
}

/// The moves of AllReduceMoves.h can be carried out: whole chunks in a buffer of the arena, scratch
/// memory for each partial sum, a kernel that adds, and nothing under way on the channel. The bytes
/// of all its messages count here.
absl::Status TransferVerifier::checkAllReduceStart(const Instruction::AllReduceStart &start) {
  const Channel &channel = plan_.channels(int(start.channel()));
  if (channel.algorithm() == WHOLE)
    return invalid("sums over channel ", channel.name(), ", which has no algorithm");
  const Buffer &buffer = program_.buffers(int(start.buffer())),
               &scratch = program_.buffers(int(start.scratch()));
  // The lane of a program that locks would touch a variable between instructions, without its lock.
  if (!buffer.has_arena() || !scratch.has_arena() ||
      buffers_.overlap(start.buffer(), start.scratch()))
    return invalid("sums in buffer ", start.buffer(), " with scratch buffer ", start.scratch(),
                   "; expected two of the arena that do not overlap");
  if (buffer.type().dtype() != channel.type().dtype() || buffer.bytes() % channel.bytes())
    return invalid("buffer ", buffer.name(), " is ", typeText(buffer.type()),
                   ", which is no whole number of chunks ", typeText(channel.type()),
                   " of channel ", channel.name());
  const uint64_t chunks = buffer.bytes() / channel.bytes();
  const AllReduceShape shape = AllReduceShape::of(channel);
  GRAPHC_RETURN_IF_ERROR(checkAllReduce(shape, chunks));
  GRAPHC_RETURN_IF_ERROR(adds(start.add(), channel));
  const Kernel &add = plan_.kernels(int(start.add()));
  const uint64_t partials = allReducePartialSums(shape);
  if (scratch.type().dtype() != channel.type().dtype() ||
      scratch.bytes() != partials * add.args(0).bytes() ||
      (partials > 1 && add.args(0).bytes() % 64))
    return invalid("scratch buffer ", start.scratch(), " is ", typeText(scratch.type()),
                   ", but kernel ", add.name(), " adds ", add.args(0).bytes(), " bytes of ",
                   typeText(channel.type()), " to each of ", partials,
                   " partial sums, at multiples of 64 bytes");
  if (buffers_.loanOf(start.channel()))
    return invalid("sums over channel ", channel.name(),
                   " again before its all_reduce_done and send_done");
  unsigned __int128 bytes = (unsigned __int128)channel.bytes() * allReduceMessages(shape, chunks);
  sent += bytes;
  received += bytes;
  return absl::OkStatus();
}

/// There is a sum to wait for.
absl::Status TransferVerifier::checkAllReduceDone(const Instruction::AllReduceDone &done) {
  if (const BufferStates::Loan *loan = buffers_.loanOf(done.channel()); !loan || !loan->isSum())
    return invalid("waits for a sum over channel ", plan_.channels(int(done.channel())).name(),
                   " that was not started");
  return absl::OkStatus();
}

} // namespace graphc::plan::detail
