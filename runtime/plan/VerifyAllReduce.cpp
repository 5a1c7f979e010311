//===- VerifyAllReduce.cpp - one program: sums that the instances of a family make together ----------------------------===//

#include "runtime/base/Status.h"
#include "runtime/plan/AllReduce.h"
#include "runtime/plan/VerifyProgram.h"

namespace graphc::plan::detail {

absl::Status ProgramVerifier::adds(uint32_t index, uint64_t bytes, const std::string &what) const {
  const Kernel &add = plan.kernels(int(index));
  auto fitting = [&](uint64_t part) { return part == bytes || (part != 0 && part % 64 == 0 && bytes % part == 0); };
  if (add.args_size() != 2 || add.scratch_bytes() || !add.has_compiled() || add.args(0).access() != READ_WRITE ||
      add.args(1).access() != READ || add.args(0).bytes() != add.args(1).bytes() || !fitting(add.args(0).bytes()))
    return invalid("kernel ", add.name(), " cannot add ", what, ": expected (read_write, read) of ", bytes,
                   " bytes each, or of a divisor of that and multiple of 64");
  return absl::OkStatus();
}

absl::Status ProgramVerifier::checkAllReduceStart(const Instruction::AllReduceStart &start) {
  const Channel &channel = plan.channels(int(start.channel()));
  if (channel.algorithm() == WHOLE)
    return invalid("sums over channel ", channel.name(), ", which has no algorithm");
  const Buffer &buffer = program.buffers(int(start.buffer())), &scratch = program.buffers(int(start.scratch()));
  // The lane of a program that locks would touch a variable between instructions, without its lock.
  if (!buffer.has_arena() || !scratch.has_arena() || overlap(start.buffer(), start.scratch()))
    return invalid("sums in buffer ", start.buffer(), " with scratch buffer ", start.scratch(),
                   "; expected two of the arena that do not overlap");
  if (buffer.type().dtype() != channel.type().dtype() || buffer.bytes() % channel.bytes())
    return invalid("buffer ", buffer.name(), " is ", typeText(buffer.type()), ", which is no whole number of chunks ",
                   typeText(channel.type()), " of channel ", channel.name());
  const uint64_t chunks = buffer.bytes() / channel.bytes();
  GRAPHC_RETURN_IF_ERROR(checkAllReduce(channel.algorithm(), channel.instances(), chunks));
  GRAPHC_RETURN_IF_ERROR(adds(start.add(), channel));
  const Kernel &add = plan.kernels(int(start.add()));
  const uint64_t partials = allReducePartialSums(channel.algorithm(), channel.instances());
  if (scratch.type().dtype() != channel.type().dtype() || scratch.bytes() != partials * add.args(0).bytes() ||
      (partials > 1 && add.args(0).bytes() % 64))
    return invalid("scratch buffer ", start.scratch(), " is ", typeText(scratch.type()), ", but kernel ", add.name(),
                   " adds ", add.args(0).bytes(), " bytes of ", typeText(channel.type()), " to each of ", partials,
                   " partial sums, at multiples of 64 bytes");
  if (loanOf(start.channel()))
    return invalid("sums over channel ", channel.name(), " again before its all_reduce_done and send_done");
  unsigned __int128 bytes =
      (unsigned __int128)channel.bytes() * allReduceMessages(channel.algorithm(), channel.instances(), chunks);
  sent += bytes;
  received += bytes;
  flops += (unsigned __int128)add.flops() * allReduceAdditions(channel.algorithm(), channel.instances(), chunks) *
           (channel.bytes() / add.args(0).bytes());
  return absl::OkStatus();
}

absl::Status ProgramVerifier::checkAllReduceDone(const Instruction::AllReduceDone &done) {
  if (const Loan *loan = loanOf(done.channel()); !loan || !loan->isSum())
    return invalid("waits for a sum over channel ", plan.channels(int(done.channel())).name(), " that was not started");
  return absl::OkStatus();
}

} // namespace graphc::plan::detail
