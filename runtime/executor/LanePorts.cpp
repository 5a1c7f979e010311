#include "runtime/executor/LanePorts.h"

#include "runtime/common/plan/AllReduceMoves.h"
#include "runtime/common/plan/LanePosition.h"
#include "runtime/executor/PhaseSetup.h"

#include "absl/strings/str_cat.h"

#include <cstring>

namespace graphc::executor {

/// An instance has the ports that its moves and its place among the instances ask for; where the
/// program names one that this instance does not use, the entry is null.
absl::Status LanePorts::resolve(transport::Transport &transport) {
  auto used = [&](const PortUse &use, bool sends) {
    if (use.allToAll) {
      const plan::Channel &channel = program_.plan->channels(int(use.channel));
      return carries(plan::AllReduceShape::of(channel), sends ? info_.instance : use.instance,
                     sends ? use.instance : info_.instance);
    }
    return use.who == PortUse::All || (use.who == PortUse::First) == (info_.instance == 0);
  };
  auto keyOf = [&](const PortUse &use, bool sends) {
    if (use.allToAll)
      return allToAllKey(*program_.plan, use.channel, sends ? info_.instance : use.instance,
                         sends ? use.instance : info_.instance);
    return transport::ChannelKey{use.channel, use.ownInstance ? info_.instance : use.instance};
  };
  auto missing = [&](const PortUse &use, bool sends) {
    return absl::InternalError(absl::StrCat(info_.name, ": no transport has channel ",
                                            program_.plan->channels(int(use.channel)).name(), "[",
                                            keyOf(use, sends).instance, "]"));
  };
  std::vector<transport::SendPort *> toSend;
  std::vector<transport::RecvPort *> toReceive;
  for (const PortUse &use : program_.sendPorts) {
    toSend.push_back(used(use, true) ? transport.sender(keyOf(use, true)) : nullptr);
    if (used(use, true) && !toSend.back())
      return missing(use, true);
  }
  for (const PortUse &use : program_.receivePorts) {
    toReceive.push_back(used(use, false) ? transport.receiver(keyOf(use, false)) : nullptr);
    if (used(use, false) && !toReceive.back())
      return missing(use, false);
  }
  sends.swap(toSend);
  receives.swap(toReceive);
  return absl::OkStatus();
}

/// One count a message, where a transfer has several.
static int64_t unitsOf(const LaneInstruction &instruction, std::span<void *const> buffers,
                       uint32_t index) {
  int64_t units;
  const uint32_t place = instruction.bytes ? index : 0;
  memcpy(&units, static_cast<const uint8_t *>(buffers[instruction.counts]) + sizeof units * place,
         sizeof units);
  return units;
}

const plan::Channel &LanePorts::channelOf(const LaneInstruction &instruction) const {
  const std::vector<PortUse> &uses =
      instruction.op == LaneOp::SendStart ? program_.sendPorts : program_.receivePorts;
  return program_.plan->channels(int(uses[instruction.port].channel));
}

std::optional<uint64_t> LanePorts::countedBytes(const LaneInstruction &instruction,
                                                std::span<void *const> buffers,
                                                uint32_t index) const {
  const plan::Channel &channel = channelOf(instruction);
  const int64_t units = unitsOf(instruction, buffers, index);
  if (units < 0 || uint64_t(units) > channel.bytes() / channel.unit_bytes())
    return std::nullopt;
  return uint64_t(units) * channel.unit_bytes();
}

absl::Status LanePorts::whyMisfit(const LaneInstruction &instruction,
                                  std::span<void *const> buffers, uint32_t index) const {
  const plan::Channel &channel = channelOf(instruction);
  const int64_t units = unitsOf(instruction, buffers, index);
  const uint32_t port = instruction.port + index;
  const std::string what = absl::StrCat(
      "to ", instruction.op == LaneOp::SendStart ? describeSend(port) : describeReceive(port));
  if (!countedBytes(instruction, buffers, index))
    return absl::InternalError(absl::StrCat(what, ": a message of ", units, " times ",
                                            channel.unit_bytes(), " bytes; expected 0 to ",
                                            channel.bytes() / channel.unit_bytes()));
  return absl::DataLossError(absl::StrCat(what, ": the message has ", receives[port]->size(),
                                          " bytes; expected ", units, " times ",
                                          channel.unit_bytes()));
}

std::string LanePorts::describe(const PortUse &use, bool isSend) const {
  return plan::endText(*program_.plan, use.channel, use.ownInstance ? info_.instance : use.instance,
                       isSend);
}

} // namespace graphc::executor
