#include "test/runtime/common/plan/PlanBuilder.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/Sha256.h"
#include "runtime/common/plan/AllReduceMoves.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/SumTree.h"
#include "test/runtime/common/plan/CompletePlan.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

namespace graphc::plan {

namespace {

/// Which of the sizes that Kernels.c has its kernels for.
uint32_t sizeIndexOf(uint32_t elements) {
  const uint32_t sizes[] = {1, 16, 4096, 16384, 16777216};
  auto found = std::find(std::begin(sizes), std::end(sizes), elements);
  if (found == std::end(sizes)) {
    fprintf(stderr, "PlanBuilder: no kernels of %u elements\n", elements);
    exit(1);
  }
  return uint32_t(found - std::begin(sizes));
}

} // namespace

PlanBuilder::PlanBuilder(uint32_t elements) : elements_(elements) {
  auto elf = base::readFile(GRAPHC_TEST_KERNELS);
  if (!elf.ok()) {
    fprintf(stderr, "PlanBuilder: %s\n", std::string(elf.status().message()).c_str());
    exit(1);
  }
  plan.set_producer("PlanBuilder");
  plan.set_model("by-hand.mlir");
  plan.add_locations("");
  Code *code = plan.add_code();
  code->set_elf(*elf);
  code->set_sha256(std::string(base::asBytes(base::sha256(*elf))));
  code->set_target_cpu("x86-64");
  code->set_kind("CPU");
}

TensorType PlanBuilder::vector() const {
  TensorType type;
  type.set_dtype(F32);
  type.add_shape(elements_);
  return type;
}

TensorType PlanBuilder::scalar(DataType dtype) {
  TensorType type;
  type.set_dtype(dtype);
  return type;
}

uint32_t PlanBuilder::job(const std::string &name, uint32_t tasks) {
  Job *job = plan.add_jobs();
  job->set_name(name);
  job->set_tasks(tasks);
  return uint32_t(plan.jobs_size()) - 1;
}

uint32_t PlanBuilder::phase(const std::string &name, Role role, bool endsByEndOfStream) {
  Phase *phase = plan.add_phases();
  phase->set_name(name);
  phase->set_role(role);
  phase->set_ends_by_end_of_stream(endsByEndOfStream);
  return uint32_t(plan.phases_size()) - 1;
}

uint32_t PlanBuilder::program(uint32_t phase, const std::string &name, uint32_t instances,
                              bool spread, uint32_t job, uint32_t task) {
  Program *program = plan.add_programs();
  program->set_name(name);
  program->set_phase(phase);
  program->set_instances(instances);
  program->set_spread(spread);
  program->mutable_task()->set_job(job);
  program->mutable_task()->set_index(task);
  program->set_device("CPU:0");
  uint32_t index = uint32_t(plan.programs_size()) - 1;
  plan.mutable_phases(int(phase))->add_programs(index);
  return index;
}

uint32_t PlanBuilder::variable(const std::string &name, const TensorType &type, uint32_t job,
                               uint32_t task) {
  Variable *variable = plan.add_variables();
  variable->set_name(name);
  *variable->mutable_type() = type;
  variable->mutable_owner()->set_job(job);
  variable->mutable_owner()->set_index(task);
  variable->mutable_initializer()->set_zeros(true);
  variable->set_device("CPU:0");
  return uint32_t(plan.variables_size()) - 1;
}

void PlanBuilder::replicas(uint32_t job, uint32_t count) {
  ReplicaDomain::Range *range = plan.mutable_replicas()->add_ranges();
  range->set_job(job);
  range->set_count(count);
  plan.mutable_replicas()->set_size(count);
}

uint32_t PlanBuilder::scatterChannel(uint32_t program) {
  const uint32_t index = channel("all_reduce", vector(), program, program);
  Channel &made = *plan.mutable_channels(int(index));
  made.set_all_to_all(true);
  made.set_algorithm(SCATTER);
  made.set_capacity(allReduceCapacity(SCATTER));
  return index;
}

uint32_t PlanBuilder::channel(const std::string &name, const TensorType &type, uint32_t sender,
                              uint32_t receiver, bool control) {
  Channel *channel = plan.add_channels();
  channel->set_name(name);
  *channel->mutable_type() = type;
  channel->set_bytes(*tensorBytes(type));
  channel->set_capacity(1);
  channel->set_sender(sender);
  channel->set_receiver(receiver);
  channel->set_control(control);
  uint32_t from = plan.programs(int(sender)).instances(),
           to = plan.programs(int(receiver)).instances();
  channel->set_instances(control ? to : std::max(from, to));
  channel->set_location(uint32_t(plan.locations_size()));
  plan.add_locations("by-hand.mlir:" + std::to_string(plan.channels_size()) + ":3");
  return uint32_t(plan.channels_size()) - 1;
}

uint32_t PlanBuilder::addBuffer(uint32_t program, const TensorType &type) {
  Buffer *buffer = plan.mutable_programs(int(program))->add_buffers();
  *buffer->mutable_type() = type;
  buffer->set_bytes(*tensorBytes(type));
  return uint32_t(plan.programs(int(program)).buffers_size()) - 1;
}

uint32_t PlanBuilder::arenaBuffer(uint32_t program, const TensorType &type) {
  uint32_t index = addBuffer(program, type);
  Program *p = plan.mutable_programs(int(program));
  p->mutable_buffers(int(index))->mutable_arena()->set_offset(p->arena_bytes());
  p->set_arena_bytes(p->arena_bytes() + (*tensorBytes(type) + 63) / 64 * 64);
  return index;
}

uint32_t PlanBuilder::variableBuffer(uint32_t program, uint32_t variable) {
  uint32_t index = addBuffer(program, plan.variables(int(variable)).type());
  plan.mutable_programs(int(program))->mutable_buffers(int(index))->set_variable(variable);
  return index;
}

uint32_t PlanBuilder::slotBuffer(uint32_t program, const TensorType &type) {
  uint32_t index = addBuffer(program, type);
  plan.mutable_programs(int(program))->mutable_buffers(int(index))->set_slot(true);
  return index;
}

uint32_t PlanBuilder::constantBuffer(uint32_t program, const TensorType &type,
                                     const std::string &bytes) {
  uint32_t index = addBuffer(program, type);
  plan.mutable_programs(int(program))
      ->mutable_buffers(int(index))
      ->set_constant(uint32_t(plan.constants_size()));
  plan.add_constants(bytes);
  return index;
}

uint32_t PlanBuilder::kernelIndex(TestKernel kernel, uint32_t elements) {
  uint32_t entry = sizeIndexOf(elements) * uint32_t(TestKernel::Count) + uint32_t(kernel);
  for (int i = 0; i < plan.kernels_size(); ++i)
    if (plan.kernels(i).compiled().entry() == entry)
      return uint32_t(i);
  Kernel *k = plan.add_kernels();
  auto arg = [&](uint64_t bytes, Access access) {
    k->add_args()->set_bytes(bytes);
    k->mutable_args(k->args_size() - 1)->set_access(access);
  };
  uint64_t bytes = uint64_t(elements) * 4;
  k->mutable_compiled()->set_entry(entry);
  switch (kernel) {
  case TestKernel::Add:
    k->set_name("add"), arg(bytes, READ_WRITE), arg(bytes, READ);
    break;
  case TestKernel::Gradient:
    k->set_name("gradient"), arg(bytes, READ), arg(bytes, WRITE);
    break;
  case TestKernel::Apply:
    k->set_name("apply"), arg(bytes, READ_WRITE), arg(bytes, READ);
    break;
  case TestKernel::Divide:
    k->set_name("divide"), arg(bytes, READ_WRITE), arg(4, READ);
    break;
  case TestKernel::Increment:
    k->set_name("increment"), arg(8, READ_WRITE);
    break;
  case TestKernel::FailAtStep:
    k->set_name("fail_at_step"), arg(bytes, READ_WRITE);
    break;
  default:
    k->set_name("sum"), arg(bytes, READ), arg(4, WRITE);
    break;
  }
  return uint32_t(plan.kernels_size()) - 1;
}

Instruction *PlanBuilder::add(uint32_t program) {
  return plan.mutable_programs(int(program))->add_instructions();
}

void PlanBuilder::call(uint32_t program, TestKernel kernel, const std::vector<uint32_t> &buffers) {
  Instruction::Call *call = add(program)->mutable_call();
  call->set_kernel(kernelIndex(kernel));
  for (uint32_t buffer : buffers)
    call->add_buffers(buffer);
}

void PlanBuilder::receive(uint32_t program, uint32_t channel, uint32_t slot) {
  Instruction::Receive *receive = add(program)->mutable_receive();
  receive->set_channel(channel);
  receive->set_buffer(slot);
}

void PlanBuilder::release(uint32_t program, uint32_t channel) {
  add(program)->mutable_release()->set_channel(channel);
}

uint32_t PlanBuilder::outgoingBuffer(uint32_t program, const TensorType &type, uint32_t channel) {
  uint32_t index = addBuffer(program, type);
  plan.mutable_programs(int(program))->mutable_buffers(int(index))->set_outgoing(channel);
  return index;
}

void PlanBuilder::acquire(uint32_t program, uint32_t channel, uint32_t buffer) {
  Instruction::Acquire *acquire = add(program)->mutable_acquire();
  acquire->set_channel(channel);
  acquire->set_buffer(buffer);
}

void PlanBuilder::sendStart(uint32_t program, uint32_t channel, uint32_t buffer, bool ahead) {
  Instruction::SendStart *start = add(program)->mutable_send_start();
  start->set_channel(channel);
  start->set_buffer(buffer);
  start->set_ahead(ahead);
}

void PlanBuilder::sendDone(uint32_t program, uint32_t channel) {
  add(program)->mutable_send_done()->set_channel(channel);
}

void PlanBuilder::aggregate(uint32_t program, uint32_t channel, uint32_t buffer, uint32_t chunk) {
  Instruction::Aggregate *aggregate = add(program)->mutable_aggregate();
  aggregate->set_channel(channel);
  aggregate->set_buffer(buffer);
  aggregate->set_add(kernelIndex(TestKernel::Add, chunk ? chunk : elements_));
  if (uint32_t partials = partialSums(plan.channels(int(channel)).instances())) {
    const uint64_t part =
        partialStride((chunk ? chunk : elements_) * sizeof(float)) / sizeof(float);
    TensorType scratch;
    scratch.set_dtype(F32);
    scratch.add_shape(int64_t(partials * part));
    aggregate->set_scratch(arenaBuffer(program, scratch));
    aggregate->set_has_scratch(true);
  }
}

void PlanBuilder::allReduce(uint32_t program, uint32_t channel, uint32_t buffer, uint32_t scratch) {
  Instruction::AllReduceStart *start = add(program)->mutable_all_reduce_start();
  start->set_channel(channel);
  start->set_buffer(buffer);
  start->set_scratch(scratch);
  start->set_add(kernelIndex(TestKernel::Add));
  add(program)->mutable_all_reduce_done()->set_channel(channel);
  add(program)->mutable_send_done()->set_channel(channel);
}

void PlanBuilder::repeat(uint32_t program, uint32_t count, uint32_t length) {
  Instruction::Repeat *repeat = add(program)->mutable_repeat();
  repeat->set_count(count);
  repeat->set_length(length);
}

void PlanBuilder::accumulate(uint32_t program, uint32_t value,
                             const std::vector<uint32_t> &partials, uint32_t perLeaf,
                             uint32_t chunk) {
  Instruction::Accumulate *sum = add(program)->mutable_accumulate();
  sum->set_buffer(value);
  for (uint32_t partial : partials)
    sum->add_partials(partial);
  sum->set_per_leaf(perLeaf);
  sum->set_add(kernelIndex(TestKernel::Add, chunk ? chunk : elements_));
}

void PlanBuilder::microBatchIndex(uint32_t program, uint32_t buffer, uint32_t microBatch,
                                  uint32_t microBatches) {
  Instruction::MicroBatchIndex &index = *add(program)->mutable_micro_batch_index();
  index.set_buffer(buffer);
  index.set_micro_batch(microBatch);
  index.set_micro_batches(microBatches);
}

void PlanBuilder::ticket(uint32_t program) { add(program)->mutable_ticket(); }

void PlanBuilder::controlSend(uint32_t program, const std::vector<uint32_t> &channels) {
  Instruction::ControlSend *send = add(program)->mutable_control_send();
  for (uint32_t channel : channels)
    send->add_channels(channel);
}

void PlanBuilder::controlReceive(uint32_t program, bool local, uint32_t channel) {
  Instruction::ControlReceive *receive = add(program)->mutable_control_receive();
  receive->set_local(local);
  receive->set_channel(channel);
}

void PlanBuilder::fetch(uint32_t program, const std::string &name, uint32_t buffer,
                        Reduction reduction) {
  Port *port = plan.mutable_programs(int(program))->add_fetches();
  port->set_name(name);
  port->set_buffer(buffer);
  port->set_reduction(reduction);
}

Plan PlanBuilder::finish() {
  completePlan(plan);
  return plan;
}

Plan parameterServerPlan(const ParameterServerShape &shape) {
  PlanBuilder b(shape.elements);
  uint32_t psJob = b.job("ps", shape.servers), workerJob = b.job("worker", shape.workers);
  b.plan.mutable_chief()->set_job(workerJob);
  b.replicas(workerJob, shape.workers);
  b.plan.mutable_strategy()->set_name("parameter_server");
  b.plan.mutable_strategy()->set_async(shape.async);
  uint32_t phase = b.phase("train_step", TRAIN, shape.async);
  b.plan.mutable_phases(int(phase))->set_advances_global_step(true);

  uint32_t worker = b.program(phase, "train_step.worker", shape.workers, true, workerJob, 0);
  std::vector<uint32_t> ps, w, down, up, controls;
  for (uint32_t p = 0; p < shape.servers; ++p) {
    std::string n = std::to_string(p);
    ps.push_back(
        b.program(phase, "train_step.ps" + n, shape.async ? shape.workers : 1, false, psJob, p));
    b.plan.mutable_programs(int(ps[p]))->set_locks_variables(shape.async);
    w.push_back(b.variable("w" + n, b.vector(), psJob, p));
    Initializer::Uniform *uniform =
        b.plan.mutable_variables(int(w[p]))->mutable_initializer()->mutable_uniform();
    uniform->set_low(-1);
    uniform->set_high(1);
    uniform->set_seed(7);
    down.push_back(b.channel("w" + n + ".to_worker", b.vector(), ps[p], worker));
    b.plan.mutable_channels(int(down[p]))->set_zero_copy(shape.zeroCopy);
    if (shape.ahead && !shape.zeroCopy)
      b.plan.mutable_channels(int(down[p]))->set_capacity(2);
    up.push_back(b.channel("w" + n + ".gradient", b.vector(), worker, ps[p]));
    if (!shape.async)
      controls.push_back(
          b.channel("control.ps" + n, PlanBuilder::scalar(I64), worker, ps[p], true));
  }
  uint32_t step = b.variable("global_step", PlanBuilder::scalar(I64), psJob, 0);
  b.plan.mutable_variables(int(step))->set_global_step(true);
  if (!shape.async && shape.workers > 1)
    controls.push_back(b.channel("control.worker", PlanBuilder::scalar(I64), worker, worker, true));

  for (uint32_t p = 0; p < shape.servers; ++p) {
    uint32_t value = b.variableBuffer(ps[p], w[p]);
    if (shape.async && p == 0)
      b.ticket(ps[p]);
    if (!shape.ahead)
      b.sendStart(ps[p], down[p], value);
    if (!shape.ahead && !shape.zeroCopy)
      b.sendDone(ps[p], down[p]);
    if (shape.async) {
      uint32_t gradient = b.slotBuffer(ps[p], b.vector());
      b.receive(ps[p], up[p], gradient);
      b.call(ps[p], TestKernel::Apply, {value, gradient});
      b.release(ps[p], up[p]);
    } else {
      uint32_t sum = b.arenaBuffer(ps[p], b.vector());
      float count = float(shape.workers);
      uint32_t n = b.constantBuffer(ps[p], PlanBuilder::scalar(F32),
                                    std::string(reinterpret_cast<char *>(&count), 4));
      b.aggregate(ps[p], up[p], sum, shape.chunk);
      b.call(ps[p], TestKernel::Divide, {sum, n});
      if (shape.ahead || shape.zeroCopy)
        b.sendDone(ps[p], down[p]);
      b.call(ps[p], TestKernel::Apply, {value, sum});
    }
    if (p == 0)
      b.call(ps[p], TestKernel::Increment, {b.variableBuffer(ps[p], step)});
    if (!shape.async)
      b.controlReceive(ps[p], false, controls[p]);
    if (shape.ahead)
      b.sendStart(ps[p], down[p], value, true);
  }
  if (!shape.async)
    b.controlSend(worker, controls);
  for (uint32_t p = 0; p < shape.servers; ++p) {
    uint32_t slot = b.slotBuffer(worker, b.vector());
    uint32_t gradient = shape.inSlots ? b.outgoingBuffer(worker, b.vector(), up[p])
                                      : b.arenaBuffer(worker, b.vector());
    uint32_t loss = b.arenaBuffer(worker, PlanBuilder::scalar(F32));
    b.receive(worker, down[p], slot);
    if (shape.inSlots)
      b.acquire(worker, up[p], gradient);
    b.call(worker, TestKernel::Gradient, {slot, gradient});
    b.call(worker, TestKernel::Sum, {slot, loss});
    b.release(worker, down[p]);
    b.send(worker, up[p], gradient);
    b.fetch(worker, "loss" + std::to_string(p), loss);
  }
  if (!shape.async)
    b.controlReceive(worker, true, shape.workers > 1 ? controls.back() : 0);
  return b.finish();
}

Plan sumsPlan(uint32_t workers, uint32_t times, uint32_t elements, uint32_t hosts) {
  PlanBuilder b(elements);
  uint32_t job = b.job("worker", workers);
  b.replicas(job, workers);
  b.plan.mutable_strategy()->set_name("all_reduce");
  uint32_t phase = b.phase("train_step", TRAIN, false);
  uint32_t worker = b.program(phase, "train_step.worker", workers, true, job, 0);
  uint32_t sum = b.scatterChannel(worker);
  uint32_t control = b.channel("control.worker", PlanBuilder::scalar(I64), worker, worker, true);
  Channel &channel = *b.plan.mutable_channels(int(sum));
  channel.set_zero_copy(true);
  channel.set_hosts(hosts);
  uint32_t variable = b.variable("w", b.vector(), job, 0);
  b.plan.mutable_variables(int(variable))->set_mirrored(true);
  uint32_t w = b.variableBuffer(worker, variable);
  auto vectors = [&](uint64_t count) {
    TensorType type = b.vector();
    type.set_shape(0, int64_t(count * elements));
    return b.arenaBuffer(worker, type);
  };
  const uint32_t bucket = vectors(workers);
  Program &program = *b.plan.mutable_programs(int(worker));
  std::vector<uint32_t> pieces;
  for (uint32_t i = 0; i < workers; ++i) {
    pieces.push_back(b.arenaBuffer(worker, b.vector()));
    program.mutable_buffers(int(pieces.back()))
        ->mutable_arena()
        ->set_offset(uint64_t(i) * elements * sizeof(float));
  }
  const uint32_t scratch = vectors(allReducePartialSums({SCATTER, workers, hosts})),
                 other = vectors(1);
  const uint32_t loss = b.arenaBuffer(worker, PlanBuilder::scalar(F32));
  b.controlSend(worker, {control});
  for (uint32_t piece : pieces)
    b.call(worker, TestKernel::Gradient, {w, piece});
  b.allReduce(worker, sum, bucket, scratch);
  program.mutable_instructions()->RemoveLast(); // its send_done
  if (times > 1)
    b.repeat(worker, times, workers);
  for (uint32_t piece : pieces)
    b.call(worker, TestKernel::Apply, {w, piece});
  b.release(worker, sum);
  b.sendDone(worker, sum);
  b.call(worker, TestKernel::Gradient, {w, other});
  b.call(worker, TestKernel::Sum, {w, loss});
  b.fetch(worker, "loss", loss);
  b.controlReceive(worker, true, control);
  return b.finish();
}

std::vector<std::vector<float>> expectedSync(const ParameterServerShape &shape, uint64_t steps,
                                             std::vector<std::vector<float>> w) {
  for (uint64_t s = 0; s < steps; ++s)
    for (std::vector<float> &variable : w) {
      for (float &element : variable) {
        GrowingSum<float> sum;
        for (uint32_t r = 0; r < shape.workers; ++r) {
          float shift = 0.25f * float(r + 1) + 0.001f * float(s);
          sum.push(element * 0.5f + shift, std::plus<>());
        }
        element -= 0.1f * (sum.take(std::plus<>()) / float(shape.workers));
      }
    }
  return w;
}

} // namespace graphc::plan
