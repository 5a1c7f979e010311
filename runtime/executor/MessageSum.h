//===- MessageSum.h - the sum of one message of every instance, or all of them, resumable -----===//
//
// Of one lane, which makes one at a time. Allocates only when it is made.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_MESSAGESUM_H
#define GRAPHC_RUNTIME_EXECUTOR_MESSAGESUM_H

#include "runtime/common/base/SingleWriter.h"
#include "runtime/executor/LaneFrame.h"
#include "runtime/executor/LanePorts.h"

#include <span>
#include <vector>

namespace graphc::executor {

class MessageSum {
public:
  /// Messages of a replicated program that are added whole are waited for all at once up to this
  /// size: to add them is then nothing beside being woken for each.
  static constexpr uint64_t kMostGathered = 64 << 10; ///< bytes

  MessageSum(const LaneProgram &program, const LanePorts &ports, LaneFrame &frame)
      : program_(program), ports_(ports), frame_(frame), messages_(program.mostMessages),
        addends_(program.mostMessages) {}

  /// Adds what is here of the messages of an Aggregate, and gives them back.
  SumOutcome advance(const LaneInstruction &instruction, const GraphcContext &context);
  /// Copies those of a Collect end to end, likewise.
  SumOutcome collect(const LaneInstruction &instruction);
  /// by all Aggregates so far; from any thread
  uint64_t summedBytes() const { return summedSoFar_; }

private:
  /// How far a message is here.
  struct Arriving {
    bool seen = false; // something of it is here
    uint64_t here = 0, added = 0; // bytes from its start: that are here, that are in the sum
    bool isWhole(uint64_t bytes) const { return seen && here == bytes; }
  };
  /// Ready: there is more of it than before.
  transport::PollState lookAt(const LaneInstruction &instruction, uint32_t instance);
  /// Adds what can be added of messages_[summed_ … end); the code of a kernel that failed, or 0.
  int addUpTo(const LaneInstruction &instruction, uint32_t end, const GraphcContext &context);

  const LaneProgram &program_;
  const LanePorts &ports_;
  LaneFrame &frame_;
  uint64_t bytes_ = 0; // of a message
  uint32_t summed_ = 0; // messages that are in the sum, or copied, whole
  base::SingleWriter<uint64_t> summedSoFar_;
  std::vector<Arriving> messages_; // by instance
  std::vector<const uint8_t *> addends_; // likewise: where they begin
};

} // namespace graphc::executor
#endif
