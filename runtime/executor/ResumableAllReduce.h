//===- ResumableAllReduce.h - one all-reduce of one lane, resumable -----------------*- C++ -*-===//
//
// Carries out the moves of runtime/common/plan/AllReduceMoves.h over the ports of one channel.
// advance() goes on until a port is not ready and never blocks, so that a lane can compute while
// messages travel. Allocates only when it is made.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_RESUMABLEALLREDUCE_H
#define GRAPHC_RUNTIME_EXECUTOR_RESUMABLEALLREDUCE_H

#include "runtime/common/abi/KernelAbi.h"
#include "runtime/common/plan/AllReduceMoves.h"
#include "runtime/executor/TreeSum.h"
#include "runtime/transport/Transport.h"

#include <span>

namespace graphc::executor {

class ResumableAllReduce {
public:
  struct Setting {
    uint32_t self = 0; ///< instance
    plan::AllReduceGroup near, far; ///< whose sums a Sum and a SumHosts are
    uint64_t rounds = 1; ///< chunks of a piece
    uint64_t chunkBytes = 0;
    uint64_t addBytes = 0; ///< a divisor of chunkBytes
    GraphcKernel add = nullptr; ///< (sum, message) of addBytes
    uint8_t *data = nullptr; ///< all chunks
    uint8_t *scratch = nullptr; ///< addBytes for each of plan::partialSumsOfAny
    /// By instance; null at `self`. They outlive this.
    std::span<transport::SendPort *const> sends;
    std::span<transport::RecvPort *const> receives;
    /// By instance: where its piece is read in place, so that taking it copies nothing; null: it is
    /// copied. Where it is not empty, the last message of each other instance of `near` is given
    /// back by release() alone: until then none writes its sums again.
    std::vector<const uint8_t *> pieces;
  };
  ResumableAllReduce(const Setting &setting, std::vector<plan::AllReduceMove> moves);

  struct Outcome {
    transport::PollState state = transport::PollState::Ready; ///< Ready: all is done, or `code`
    transport::Port *port = nullptr; ///< what is not ready
    bool sends = false; ///< which of its two ends
    uint32_t peer = 0;
    int code = 0; ///< of a kernel that failed
    /// Where a receiving port is not ready: it and all others without which nothing goes on.
    std::span<transport::RecvPort *const> together = {};
    bool elsewhere = false; ///< the sums of `peer` are not in the piece that is read
  };
  Outcome advance(uint64_t step, const GraphcContext &context);
  /// For the next step. After advance() was Ready.
  void restart() { next_ = 0; }
  /// Once a step: nobody here reads the sums of this step any more. Between restart() and the next
  /// advance().
  void release();
  uint32_t movesDone() const { return uint32_t(next_); }

private:
  /// The ports of the moves of one kind that begin with `first`, of its round of chunks: one an
  /// instance at most.
  std::span<transport::RecvPort *const> following(size_t first);
  Outcome sum(const plan::AllReduceMove &move, const GraphcContext &context);
  /// The ports of a group's members but of the one here.
  std::vector<transport::RecvPort *> othersOf(const plan::AllReduceGroup &group) const;
  uint8_t *chunk(const plan::AllReduceMove &move) const {
    return at_.data + move.chunk * at_.chunkBytes;
  }
  int add(uint8_t *to, const uint8_t *message, const GraphcContext &context) const; // one chunk
  int addPart(uint8_t *to, const uint8_t *message, const GraphcContext &context) const {
    void *arguments[] = {to, const_cast<uint8_t *>(message)};
    return at_.add(arguments, &context);
  }

  const Setting at_;
  const std::vector<plan::AllReduceMove> moves_;
  const std::vector<transport::RecvPort *> nearOthers_, farOthers_;
  size_t next_ = 0; ///< move
  uint32_t arrived_ = 0; ///< of a sum: members whose message is there
  std::vector<const uint8_t *> messages_; ///< by member of the sum's group
  const size_t heldFrom_; ///< move: from here on each is the last Take of a member of `near`
  std::vector<transport::RecvPort *> awaited_; ///< what the last outcome names
};

} // namespace graphc::executor
#endif
