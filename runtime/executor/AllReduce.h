//===- AllReduce.h - one all-reduce of one lane, resumable ---------------------------------------------------*- C++ -*-===//
//
// Carries out the moves of runtime/plan/AllReduce.h over the ports of one channel. advance() goes on until a port is not
// ready and never blocks, so that a lane can compute while messages travel. Allocates only when it is made.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_ALLREDUCE_H
#define GRAPHC_RUNTIME_EXECUTOR_ALLREDUCE_H

#include "runtime/kernels/KernelAbi.h"
#include "runtime/plan/AllReduce.h"
#include "runtime/transport/Transport.h"

#include <span>

namespace graphc::executor {

class AllReduce {
public:
  struct Setting {
    uint32_t self = 0; ///< instance
    uint64_t chunkBytes = 0;
    GraphcKernel add = nullptr; ///< (sum, message) of one chunk
    uint8_t *data = nullptr; ///< all chunks
    uint8_t *scratch = nullptr; ///< one chunk
    /// By instance; null at `self`. They outlive this.
    std::span<transport::SendPort *const> sends;
    std::span<transport::RecvPort *const> receives;
  };
  AllReduce(const Setting &setting, std::vector<plan::Move> moves) : at(setting), moves(std::move(moves)) {}

  struct Outcome {
    transport::PollState state = transport::PollState::Ready; ///< Ready: all is done, or `code`
    transport::Port *port = nullptr; ///< what is not ready
    bool sends = false; ///< which of its two ends
    uint32_t peer = 0;
    int code = 0; ///< of a kernel that failed
  };
  Outcome advance(uint64_t step, const GraphcContext &context);
  /// For the next step. After advance() was Ready.
  void restart() { next = 0; }
  uint32_t movesDone() const { return uint32_t(next); }

private:
  Outcome sum(const plan::Move &move, const GraphcContext &context);
  uint8_t *chunk(const plan::Move &move) const { return at.data + move.chunk * at.chunkBytes; }
  int add(uint8_t *to, const void *message, const GraphcContext &context) const {
    void *arguments[] = {to, const_cast<void *>(message)};
    return at.add(arguments, &context);
  }

  const Setting at;
  const std::vector<plan::Move> moves;
  size_t next = 0; ///< move
  uint32_t summed = 0; ///< of a Sum: instances whose message is in it
};

} // namespace graphc::executor
#endif
