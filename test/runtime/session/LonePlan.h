//===- LonePlan.h - a small plan of one task that does everything -------------------*- C++ -*-===//
#ifndef GRAPHC_TEST_RUNTIME_SESSION_LONEPLAN_H
#define GRAPHC_TEST_RUNTIME_SESSION_LONEPLAN_H

#include "test/runtime/common/plan/PlanBuilder.h"

namespace graphc::plan {

/// Trains and evaluates on made data, with variables, a metric and results to fetch ("loss",
/// "seen").
inline Plan lonePlan() {
  PlanBuilder b(16);
  uint32_t job = b.job("local", 1);
  b.replicas(job, 1);
  b.plan.mutable_strategy()->set_name("one_device");
  Dataset *data = b.plan.add_datasets();
  data->set_name("made");
  data->mutable_synthetic()->set_seed(1);
  data->mutable_synthetic()->set_samples(10);
  data->mutable_synthetic()->add_limits(0);
  TensorType &sample = *data->add_components()->mutable_sample();
  sample.set_dtype(F32);
  sample.add_shape(4);
  uint32_t w = b.variable("w", b.vector(), job, 0),
           step = b.variable("global_step", PlanBuilder::scalar(I64), job, 0);
  b.plan.mutable_variables(int(step))->set_global_step(true);
  for (Role role : {TRAIN, EVAL}) {
    bool trains = role == TRAIN;
    uint32_t phase = b.phase(trains ? "train_step" : "eval_step", role, false);
    b.plan.mutable_phases(int(phase))->set_samples_per_step(4);
    b.plan.mutable_phases(int(phase))->set_advances_global_step(trains);
    uint32_t program =
        b.program(phase, trains ? "train_step.local" : "eval_step.local", 1, false, job, 0);
    b.controlSend(program, {});
    uint32_t batch = b.arenaBuffer(program, b.vector()),
             gradient = b.arenaBuffer(program, b.vector());
    *b.plan.mutable_programs(int(program))
         ->mutable_buffers(int(batch))
         ->mutable_type()
         ->mutable_shape() = {};
    for (int64_t size : {4, 4})
      b.plan.mutable_programs(int(program))
          ->mutable_buffers(int(batch))
          ->mutable_type()
          ->add_shape(size);
    uint32_t sum = b.arenaBuffer(program, PlanBuilder::scalar(F32)),
             count = b.constantBuffer(program, PlanBuilder::scalar(I64),
                                      std::string("\4\0\0\0\0\0\0\0", 8));
    Instruction::NextBatch *next =
        b.plan.mutable_programs(int(program))->add_instructions()->mutable_next_batch();
    next->set_dataset(0);
    next->set_batch(4);
    next->add_buffers(batch);
    next->set_micro_batches(1);
    uint32_t value = b.variableBuffer(program, w);
    b.call(program, TestKernel::Gradient, {value, gradient});
    b.call(program, TestKernel::Sum, {gradient, sum});
    if (trains) {
      b.call(program, TestKernel::Apply, {value, gradient});
      b.call(program, TestKernel::Increment, {b.variableBuffer(program, step)});
    } else {
      Metric *metric = b.plan.mutable_programs(int(program))->add_metrics();
      metric->set_name("accuracy");
      metric->set_sum(count);
      metric->set_count(count);
    }
    b.controlReceive(program, true, 0);
    b.fetch(program, trains ? "loss" : "seen", sum);
  }
  return b.finish();
}

} // namespace graphc::plan
#endif
