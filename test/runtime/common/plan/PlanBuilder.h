//===- PlanBuilder.h - small plans by hand ------------------------------------------*- C++ -*-===//
//
// For tests of the runtime without the compiler. The kernels are Kernels.c, compiled at build time
// to a shared object with the table `graphc_kernels`; their argument sizes are fixed by `elements`.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TEST_RUNTIME_COMMON_PLAN_PLANBUILDER_H
#define GRAPHC_TEST_RUNTIME_COMMON_PLAN_PLANBUILDER_H

#include "runtime/common/plan/plan.pb.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphc::plan {

/// Entries of Kernels.c, each once for a size; f32 unless said.
enum class TestKernel : uint32_t {
  Add, // (acc rw, x r): acc += x
  Gradient, // (w r, out w): out = w * 0.5 + 0.25 * (replica + 1) + 0.001 * step
  Apply, // (w rw, g r): w -= 0.1 * g
  Divide, // (acc rw, scalar r): acc /= scalar[0]
  Increment, // (counter rw): i64 += 1
  FailAtStep, // (x rw): returns 7 at step 3
  Sum, // (x r, out w): out = scalar sum, in order
  Count,
};

/// Adds the pieces of a plan; indices are what the plan uses.
class PlanBuilder {
public:
  /// `elements`: of every f32 vector; one of 1, 16, 4096, 16384, 16777216.
  explicit PlanBuilder(uint32_t elements = 16);

  uint32_t job(const std::string &name, uint32_t tasks);
  uint32_t phase(const std::string &name, Role role, bool endsByEndOfStream);
  /// On one task, or (spread) on every replica.
  uint32_t program(uint32_t phase, const std::string &name, uint32_t instances, bool spread,
                   uint32_t job, uint32_t task);
  uint32_t variable(const std::string &name, const TensorType &type, uint32_t job, uint32_t task);
  /// The replica domain: the first `count` tasks of a job.
  void replicas(uint32_t job, uint32_t count);
  /// Among all instances of a program, which sum vectors by SCATTER.
  uint32_t scatterChannel(uint32_t program);
  uint32_t channel(const std::string &name, const TensorType &type, uint32_t sender,
                   uint32_t receiver, bool control = false);

  uint32_t arenaBuffer(uint32_t program, const TensorType &type);
  uint32_t variableBuffer(uint32_t program, uint32_t variable);
  uint32_t slotBuffer(uint32_t program, const TensorType &type);
  uint32_t constantBuffer(uint32_t program, const TensorType &type, const std::string &bytes);

  void call(uint32_t program, TestKernel kernel, const std::vector<uint32_t> &buffers);
  void receive(uint32_t program, uint32_t channel, uint32_t slot);
  void release(uint32_t program, uint32_t channel);
  /// In the slot of a channel, once acquired.
  uint32_t outgoingBuffer(uint32_t program, const TensorType &type, uint32_t channel);
  void acquire(uint32_t program, uint32_t channel, uint32_t buffer);
  void sendStart(uint32_t program, uint32_t channel, uint32_t buffer, bool ahead = false);
  void sendDone(uint32_t program, uint32_t channel);
  void send(uint32_t program, uint32_t channel, uint32_t buffer) {
    sendStart(program, channel, buffer);
    sendDone(program, channel);
  }
  /// With `chunk`, one of the sizes above, that many elements at once.
  void aggregate(uint32_t program, uint32_t channel, uint32_t buffer, uint32_t chunk = 0);
  /// Sums `buffer` over an all-to-all channel with an algorithm, whose type is one chunk, like that
  /// of `scratch`.
  void allReduce(uint32_t program, uint32_t channel, uint32_t buffer, uint32_t scratch);
  /// The next `length` instructions, `count` times.
  void repeat(uint32_t program, uint32_t count, uint32_t length);
  /// In it: `value`, a vector, into its sums.
  void accumulate(uint32_t program, uint32_t value, const std::vector<uint32_t> &partials,
                  uint32_t perLeaf, uint32_t chunk = 0);
  void microBatchIndex(uint32_t program, uint32_t buffer, uint32_t microBatch,
                       uint32_t microBatches);
  void ticket(uint32_t program);
  void controlSend(uint32_t program, const std::vector<uint32_t> &channels);
  void controlReceive(uint32_t program, bool local, uint32_t channel);
  void fetch(uint32_t program, const std::string &name, uint32_t buffer,
             Reduction reduction = MEAN);

  TensorType vector() const; ///< f32 of `elements`
  static TensorType scalar(DataType type);

  /// With byte totals and certificate; the plan is then complete.
  Plan finish();

  Plan plan;

private:
  uint32_t kernelIndex(TestKernel kernel) { return kernelIndex(kernel, elements_); }
  uint32_t kernelIndex(TestKernel kernel, uint32_t elements);
  Instruction *add(uint32_t program);
  uint32_t addBuffer(uint32_t program, const TensorType &type);
  uint32_t elements_;
};

struct ParameterServerShape {
  uint32_t servers = 1;
  uint32_t workers = 2;
  uint32_t elements = 16;
  bool async = false;
  uint32_t chunk = 0; ///< elements of a gradient that are added at once; 0: all
  bool zeroCopy = false; ///< workers read the variables in place (sync)
  bool inSlots = false; ///< workers make the gradients in the slots of their channels
  bool ahead = false; ///< servers send a variable right after its update, for the next step (sync)
};

/// One f32 vector `w<p>` a server, global_step on the first; each step every worker gets all of
/// them, sends Gradient(w), and the servers apply the mean (sync) or each gradient as it comes
/// (async). Worker fetch "loss<p>": Sum(w).
Plan parameterServerPlan(const ParameterServerShape &shape);

/// A worker computes a gradient eight times, seven of them in a loop, sums them in four leaves of
/// two, and sends a sum to a server.
Plan loopPlan();

/// What two lanes say to each other in loops of `times`. Variable @w is "asker"'s; in each
/// iteration it makes Gradient(w) in a slot of `ask`, and the answer of "answerer", Gradient of
/// that, is added to w. With `both` each of them receives before it sends, so that both wait for
/// ever.
Plan talkingLoopsPlan(uint32_t times, bool both = false);

/// Each of `workers` makes its gradient of @w in every piece of a bucket, one chunk of `elements`
/// each, and applies the sums of all pieces to its @w, `times` times, if more than once in a loop.
/// With `hosts` they sum within each first. Then come the release of the sums and the send_done.
/// Buffers: @w, the bucket, its pieces, the scratch memory, one more vector, the loss.
Plan sumsPlan(uint32_t workers, uint32_t times = 1, uint32_t elements = 16384, uint32_t hosts = 1);

/// Each of at least two workers sends as many entries of "rows" as "count" says, both fed, and is
/// sent them back: the server is fed "counts", one for each worker, collects the messages and deals
/// them. Worker fetch "echo": the message that came back.
Plan rowsPlan(uint32_t workers);

/// What the sync plan's variables hold after `steps`, computed by plain loops in the same order.
std::vector<std::vector<float>> expectedSync(const ParameterServerShape &shape, uint64_t steps,
                                             std::vector<std::vector<float>> initial);

} // namespace graphc::plan
#endif
