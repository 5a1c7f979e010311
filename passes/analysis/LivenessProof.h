//===- LivenessProof.h - can a set of programs hang? --------------------------------*- C++ -*-===//
//
// The proof behind "never a silent hang". It knows nothing of how programs were made: it is given,
// for each program, its communication in program order, and each channel's capacity and initial
// messages. From these it draws a graph whose edges carry a step distance (the later end happens
// `distance` steps after the earlier one):
//
//   program order             u before v in one step                         0
//   the loop                  last of a step before the first of the next    1
//   matching                  k-th send before the k-th receive              tokens move it to a later step
//   capacity                  k-th release before the (k + capacity)-th send, or the acquire of its slot
//   borrow                    k-th release before the k-th send_done, on zero-copy channels alone: 0
//   loops                     what stands before a loop before the loop, and that before what stands behind: 0
//
// Loops that send to each other run together, iteration by iteration, and are one node. What one of
// them repeats is a program of its own, with an iteration for a step.
//
// The plan is live if and only if the edges of distance 0 form no cycle. Replicated programs need
// no expansion: all instances run the same order, so a cycle of the expansion maps to a cycle of
// the programs.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_ANALYSIS_LIVENESSPROOF_H
#define GRAPHC_PASSES_ANALYSIS_LIVENESSPROOF_H

#include <cstdint>
#include <string>
#include <vector>

namespace graphc {

class LivenessProof {
public:
  enum class Action { Send, SendDone, Receive, Release, Acquire };
  enum class Reason { Order, Message, Capacity, Borrow, Loop };

  /// One edge of a cycle: `node` must happen before the next node of the cycle, because of
  /// `reason`.
  struct Step {
    uint32_t node;
    Reason reason;
  };
  /// Messages a step that do not pair.
  struct Mismatch {
    uint32_t channel, sends, receives;
  };
  struct Result {
    std::vector<Mismatch> mismatches;
    std::vector<Step> cycle; ///< empty: none; a shortest one otherwise
    /// Where live, the proof: a number for each node, at least 1, that grows along every edge of
    /// distance 0.
    std::vector<uint32_t> ranks;
    bool live() const { return mismatches.empty() && cycle.empty(); }
  };

  uint32_t addProgram();
  /// `capacity` messages fit before a send waits; `tokens` messages are there before the first
  /// step. Of a `zero_copy` channel the sender's send_done waits for the release.
  uint32_t addChannel(uint32_t capacity, uint32_t tokens = 0, bool zeroCopy = false);
  /// Appends to the program's order and returns the node. A channel without Release nodes is
  /// released by its receives, one without Acquire nodes takes its slots with its sends.
  uint32_t append(uint32_t program, Action action, uint32_t channel);
  /// The node of loops that run together; each program that has one of them appends it.
  uint32_t addLoops();
  void appendLoops(uint32_t program, uint32_t loops) { programs_[program].push_back(loops); }

  Result check() const;

private:
  static constexpr uint32_t kNoChannel = UINT32_MAX;
  struct Node {
    uint32_t program;
    Action action;
    uint32_t channel; ///< kNoChannel: loops
  };
  struct Channel {
    uint32_t capacity, tokens;
    bool zeroCopy;
  };
  struct Edge {
    uint32_t to;
    Reason reason;
  };
  using Edges = std::vector<std::vector<Edge>>;

  /// A channel's nodes in program order; it has one sending and one receiving program, so this
  /// order is total.
  struct Ends {
    std::vector<uint32_t> sends, dones, receives, releases, acquires;
  };
  std::vector<Ends> endsOfChannels() const;
  void addMatching(uint32_t channel, const Ends &ends, Edges &edges, Result &result) const;
  bool rank(const Edges &edges, std::vector<uint32_t> &ranks,
            std::vector<uint32_t> &incoming) const;
  std::vector<Step> shortestCycle(const Edges &edges, const std::vector<uint32_t> &incoming) const;

  std::vector<Node> nodes_;
  std::vector<Channel> channels_;
  std::vector<std::vector<uint32_t>> programs_; ///< nodes in program order
};

} // namespace graphc
#endif
