// Plans by hand with loops: one that sums, and two that talk.
#include "runtime/common/plan/SumTree.h"
#include "test/runtime/common/plan/PlanBuilder.h"

namespace graphc::plan {

Plan loopPlan() {
  // four leaves of two: the leaf's sum, those of one and two leaves
  constexpr uint32_t kCount = 7, kPerLeaf = 2;
  PlanBuilder b;
  uint32_t ps = b.job("ps", 1), worker = b.job("worker", 1);
  b.replicas(worker, 1);
  uint32_t phase = b.phase("train_step", TRAIN, false);
  uint32_t server = b.program(phase, "train_step.ps", 1, false, ps, 0);
  uint32_t w = b.program(phase, "train_step.worker", 1, false, worker, 0);
  b.plan.mutable_chief()->set_job(worker);
  uint32_t up = b.channel("up", b.vector(), w, server);
  uint32_t control = b.channel("control", PlanBuilder::scalar(I64), w, server, true);
  uint32_t x = b.arenaBuffer(w, b.vector()), g = b.arenaBuffer(w, b.vector());
  std::vector<uint32_t> partials;
  for (uint32_t i = 0; i < keptSums(kCount + 1, kPerLeaf); ++i)
    partials.push_back(b.arenaBuffer(w, b.vector()));
  b.controlSend(w, {control}); // 0
  b.repeat(w, kCount, 2); // 1
  b.call(w, TestKernel::Gradient, {x, g}); // 2
  b.accumulate(w, g, partials, kPerLeaf); // 3
  b.call(w, TestKernel::Gradient, {x, g}); // 4
  for (uint32_t partial : partials) // 5 to 7
    b.call(w, TestKernel::Add, {g, partial});
  b.send(w, up, g);
  b.controlReceive(w, true, 0);
  uint32_t slot = b.slotBuffer(server, b.vector());
  b.receive(server, up, slot);
  b.release(server, up);
  b.controlReceive(server, false, control);
  return b.finish();
}

Plan talkingLoopsPlan(uint32_t times, bool both) {
  PlanBuilder b;
  uint32_t job = b.job("worker", 2), phase = b.phase("train_step", TRAIN, false);
  uint32_t asker = b.program(phase, "asker", 1, false, job, 0),
           answerer = b.program(phase, "answerer", 1, false, job, 1);
  uint32_t ask = b.channel("ask", b.vector(), asker, answerer),
           answer = b.channel("answer", b.vector(), answerer, asker);
  uint32_t control = b.channel("control", PlanBuilder::scalar(I64), asker, answerer, true);
  uint32_t w = b.variableBuffer(asker, b.variable("w", b.vector(), job, 0));
  uint32_t out = b.outgoingBuffer(asker, b.vector(), ask), back = b.slotBuffer(asker, b.vector());
  uint32_t in = b.slotBuffer(answerer, b.vector()), y = b.arenaBuffer(answerer, b.vector());
  auto asks = [&] {
    b.acquire(asker, ask, out); // 2
    b.call(asker, TestKernel::Gradient, {w, out}); // 3
    b.send(asker, ask, out); // 4, 5
  };
  b.controlSend(asker, {control}); // 0
  b.repeat(asker, times, 7); // 1
  if (!both)
    asks();
  b.receive(asker, answer, back); // 6
  b.call(asker, TestKernel::Add, {w, back}); // 7
  b.release(asker, answer); // 8
  if (both)
    asks();
  b.controlReceive(asker, true, 0); // 9
  b.repeat(answerer, times, 5); // 0
  b.receive(answerer, ask, in); // 1
  b.call(answerer, TestKernel::Gradient, {in, y}); // 2
  b.release(answerer, ask); // 3
  b.send(answerer, answer, y); // 4, 5
  b.controlReceive(answerer, false, control); // 6
  return b.finish();
}

} // namespace graphc::plan
