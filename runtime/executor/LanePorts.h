//===- LanePorts.h - the ports of one program instance, and what they are for -------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_LANEPORTS_H
#define GRAPHC_RUNTIME_EXECUTOR_LANEPORTS_H

#include "runtime/executor/LaneCallbacks.h"
#include "runtime/executor/LaneProgram.h"
#include "runtime/transport/Transport.h"

#include "absl/status/status.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace graphc::executor {

/// What came of adding messages, or of choosing which.
struct SumOutcome {
  transport::PollState state = transport::PollState::Ready; ///< Ready: it is done, or `code`
  uint32_t instance = 0; ///< whose message is not here, the first
  /// where nothing goes on without all of these
  std::span<transport::RecvPort *const> together = {};
  int code = 0; ///< of a kernel that failed
  bool misfits = false; ///< the message of `instance` has another size than it should
};

class LanePorts {
public:
  /// Both outlive it.
  LanePorts(const LaneProgram &program, const LaneInfo &info) : program_(program), info_(info) {}
  /// Once more where links were made anew. An error leaves those of before.
  absl::Status resolve(transport::Transport &transport);

  /// by LaneProgram::sendPorts; null where this instance has none
  std::vector<transport::SendPort *> sends;
  std::vector<transport::RecvPort *> receives; ///< by LaneProgram::receivePorts; likewise

  // For people: "receive train.w1.gradient[1] (model.mlir:12:8) from /job:worker/task:1
  // train.worker[1]".
  std::string describeSend(uint32_t port) const { return describe(program_.sendPorts[port], true); }
  std::string describeReceive(uint32_t port) const {
    return describe(program_.receivePorts[port], false);
  }
  // Of message `index` of a transfer, where messages have an actual size by its count in `buffers`,
  // which the program has named.
  /// How many bytes it has: kWhole where its channel's messages all have one size, nothing where
  /// none has so many units.
  std::optional<uint64_t> actualBytes(const LaneInstruction &instruction,
                                      std::span<void *const> buffers, uint32_t index) const {
    return instruction.counts == LaneProgram::noPort ? transport::kWhole
                                                     : countedBytes(instruction, buffers, index);
  }
  /// Whether the message that was polled has so many.
  bool fits(const LaneInstruction &instruction, std::span<void *const> buffers,
            uint32_t index) const {
    return instruction.counts == LaneProgram::noPort ||
           countedBytes(instruction, buffers, index) == receives[instruction.port + index]->size();
  }
  /// Where either is not so.
  absl::Status whyMisfit(const LaneInstruction &instruction, std::span<void *const> buffers,
                         uint32_t index) const;

private:
  std::string describe(const PortUse &use, bool isSend) const;
  std::optional<uint64_t> countedBytes(const LaneInstruction &instruction,
                                       std::span<void *const> buffers, uint32_t index) const;
  const plan::Channel &channelOf(const LaneInstruction &instruction) const;

  const LaneProgram &program_;
  const LaneInfo &info_;
};

} // namespace graphc::executor
#endif
