//===- StepTimeline.h - when does each instruction of a step run? -------------------*- C++ -*-===//
//
// A model of a phase in time, for predictions that people read; nothing of a plan depends on it. A
// lane, or a queue of its device, is a sequence of instructions that run one after another, step
// after step. A message leaves when its Send ends, occupies a wire (messages on one wire queue up),
// arrives after the wire's latency and frees its slot when it is released. From these the model
// follows several steps and shows the last one, when the programs have found their rhythm. Times
// are in seconds.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_ANALYSIS_STEPTIMELINE_H
#define GRAPHC_PASSES_ANALYSIS_STEPTIMELINE_H

#include <cstdint>
#include <optional>
#include <vector>

namespace graphc {

class StepTimeline {
public:
  enum class Action { Work, Send, SendDone, Receive, Release };

  struct Instruction {
    Action action = Action::Work;
    double seconds = 0; ///< its sequence is busy, after whatever it waits for
    uint32_t channel = 0; ///< of all but Work
  };
  struct Channel {
    uint32_t capacity = 1; ///< messages that fit before a send waits
    double transfer = 0; ///< how long one message occupies the wire
    double latency = 0; ///< from leaving the wire to being there
    uint32_t wire = 0;
    uint32_t tokens = 0; ///< messages that are there before the first step
  };
  /// Waiting is the time between the end of the instruction before and `start`.
  struct Span {
    double start = 0, end = 0;
  };
  struct Result {
    /// by sequence and instruction; the earliest start of all is 0
    std::vector<std::vector<Span>> spans;
    double step = 0; ///< seconds from one step's end to the next one's, of the slowest sequence
  };

  /// Of a lane, or of a queue of its device.
  uint32_t addSequence();
  uint32_t addWire();
  uint32_t addChannel(const Channel &channel);
  void append(uint32_t sequence, const Instruction &instruction);
  /// How many instructions a sequence has so far.
  size_t size(uint32_t sequence) const { return sequences_[sequence].size(); }

  /// Nothing where the sequences wait for each other for ever.
  std::optional<Result> run(uint32_t steps = 12) const;

private:
  class Simulation;
  std::vector<std::vector<Instruction>> sequences_;
  std::vector<Channel> channels_;
  uint32_t wires_ = 0;
};

} // namespace graphc
#endif
