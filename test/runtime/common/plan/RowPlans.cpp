// Messages of an actual size, collected and dealt.
#include "test/runtime/common/plan/PlanBuilder.h"

namespace graphc::plan {

Plan rowsPlan(uint32_t workers) {
  PlanBuilder b(16);
  const uint32_t psJob = b.job("ps", 1), workerJob = b.job("worker", workers);
  b.plan.mutable_chief()->set_job(workerJob);
  b.replicas(workerJob, workers);
  const uint32_t phase = b.phase("echo", PREDICT, false);
  const uint32_t worker = b.program(phase, "echo.worker", workers, true, workerJob, 0);
  const uint32_t server = b.program(phase, "echo.ps", 1, false, psJob, 0);
  const uint32_t up = b.channel("rows.up", b.vector(), worker, server);
  const uint32_t down = b.channel("rows.down", b.vector(), server, worker);
  for (uint32_t channel : {up, down})
    b.plan.mutable_channels(int(channel))->set_unit_bytes(4);
  const uint32_t toServer = b.channel("control.ps", PlanBuilder::scalar(I64), worker, server, true);
  const uint32_t toWorkers =
      b.channel("control.worker", PlanBuilder::scalar(I64), worker, worker, true);
  auto feed = [&](uint32_t program, const char *name, uint32_t buffer) {
    Port *port = b.plan.mutable_programs(int(program))->add_feeds();
    port->set_name(name);
    port->set_buffer(buffer);
  };
  auto last = [&](uint32_t program) {
    return b.plan.mutable_programs(int(program))->mutable_instructions()->rbegin();
  };

  const uint32_t count = b.arenaBuffer(worker, PlanBuilder::scalar(I64)),
                 rows = b.arenaBuffer(worker, b.vector()), echo = b.slotBuffer(worker, b.vector());
  feed(worker, "count", count);
  feed(worker, "rows", rows);
  b.controlSend(worker, {toServer, toWorkers});
  b.sendStart(worker, up, rows);
  last(worker)->mutable_send_start()->set_units(count);
  b.receive(worker, down, echo);
  last(worker)->mutable_receive()->set_units(count);
  b.sendDone(worker, up);
  b.release(worker, down);
  b.controlReceive(worker, true, toWorkers);
  b.fetch(worker, "echo", echo, FIRST_REPLICA);

  TensorType all = b.vector(), each = PlanBuilder::scalar(I64);
  all.set_shape(0, 16 * workers);
  each.add_shape(workers);
  const uint32_t counts = b.arenaBuffer(server, each), together = b.arenaBuffer(server, all);
  feed(server, "counts", counts);
  Instruction *collect = b.plan.mutable_programs(int(server))->add_instructions();
  collect->mutable_collect()->set_channel(up);
  collect->mutable_collect()->set_buffer(together);
  collect->mutable_collect()->set_units(counts);
  b.sendStart(server, down, together);
  last(server)->mutable_send_start()->set_deal(true);
  last(server)->mutable_send_start()->set_units(counts);
  b.sendDone(server, down);
  b.controlReceive(server, false, toServer);
  return b.finish();
}

} // namespace graphc::plan
