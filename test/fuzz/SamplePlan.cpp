#include "test/fuzz/SamplePlan.h"

#include "runtime/common/base/Sha256.h"

#include <google/protobuf/text_format.h>

namespace graphc::test {
namespace {

constexpr const char *text = R"pb(
  producer: "graphc test"
  model: "model.mlir"
  strategy {
    name: "parameter_server" micro_batches: 1 reproduced_by: "one_device with micro_batches: 2"
    settings { name: "placement" value: "balanced" }
    rules { name: "w*" device: "/job:ps/task:0" location: 1 }
  }
  jobs { name: "ps" tasks: 1 }
  jobs { name: "worker" tasks: 2 }
  chief { job: 1 index: 0 }
  replicas { ranges { job: 1 first: 0 count: 2 } size: 2 }
  variables {
    name: "w" type { dtype: F32 shape: 4 shape: 2 } owner { job: 0 } device: "CPU:0" trainable: true
    initializer { uniform { low: -0.5 high: 0.5 seed: 1 } }
  }
  variables {
    name: "global_step" type { dtype: I64 } owner { job: 0 } device: "CPU:0" global_step: true
    initializer { value: "\000\000\000\000\000\000\000\000" }
  }
  variables {
    name: "w/Momentum" type { dtype: F32 shape: 4 shape: 2 } owner { job: 0 } device: "CPU:0" initializer { zeros: true }
  }
  datasets {
    name: "train" idx { files: "images.gz" files: "labels.gz" }
    components { sample { dtype: F32 shape: 4 } scale: 0.0039 }
    components { sample { dtype: I32 } }
    shuffle: true seed: 7
  }
  datasets {
    name: "synthetic" synthetic { seed: 1 samples: 100 limits: 0 limits: 10 }
    components { sample { dtype: F32 shape: 4 } }
    components { sample { dtype: I32 } }
  }
  channels {
    name: "w.to_worker" type { dtype: F32 shape: 4 shape: 2 } bytes: 32 capacity: 1 instances: 2 sender: 0 receiver: 1
    location: 1
  }
  channels {
    name: "w.gradient" type { dtype: F32 shape: 4 shape: 2 } bytes: 32 capacity: 1 instances: 2 sender: 1 receiver: 0
    location: 1
  }
  channels {
    name: "control.ps0" type { dtype: I64 } bytes: 8 capacity: 1 instances: 1 sender: 1 receiver: 0 control: true
  }
  channels {
    name: "control.worker" type { dtype: I64 } bytes: 8 capacity: 1 instances: 2 sender: 1 receiver: 1 control: true
  }
  channels {
    name: "rows.to_worker" type { dtype: F32 shape: 4 shape: 2 } bytes: 32 capacity: 1 instances: 2 sender: 0 receiver: 1
    location: 1 unit_bytes: 8
  }
  channels {
    name: "rows.gradient" type { dtype: F32 shape: 4 shape: 2 } bytes: 32 capacity: 1 instances: 2 sender: 1 receiver: 0
    location: 1 unit_bytes: 8
  }
  kernels {
    name: "add" args { bytes: 32 access: READ_WRITE } args { bytes: 32 access: READ } flops: 8 compiled { code: 0 entry: 0 }
  }
  kernels {
    name: "apply" args { bytes: 32 access: READ_WRITE } args { bytes: 32 access: READ_WRITE }
    args { bytes: 32 access: READ } args { bytes: 8 access: READ_WRITE } compiled { code: 0 entry: 1 }
  }
  kernels {
    name: "matmul" args { bytes: 48 access: READ } args { bytes: 32 access: READ } args { bytes: 24 access: WRITE }
    args { bytes: 64 access: WRITE } scratch_bytes: 64 flops: 48
    library {
      kernel: "matmul"
      attributes { name: "k" integers: 4 } attributes { name: "m" integers: 3 } attributes { name: "n" integers: 2 }
      operands { type { dtype: F32 shape: 3 shape: 4 } } operands { type { dtype: F32 shape: 4 shape: 2 } }
      operands { type { dtype: F32 shape: 3 shape: 2 } }
    }
  }
  kernels {
    name: "gradient" args { bytes: 48 access: READ } args { bytes: 24 access: READ } args { bytes: 12 access: READ }
    args { bytes: 4 access: READ } args { bytes: 32 access: WRITE } args { bytes: 8 access: WRITE }
    args { bytes: 8 access: WRITE } compiled { code: 0 entry: 2 }
  }
  kernels {
    name: "take_rows" args { bytes: 32 access: READ } args { bytes: 16 access: WRITE } args { bytes: 64 access: WRITE }
    compiled { code: 0 entry: 3 }
  }
  kernels {
    name: "distinct" args { bytes: 12 access: READ } args { bytes: 8 access: WRITE } compiled { code: 0 entry: 4 }
  }
  programs {
    name: "train.ps0" phase: 0 instances: 1 task { job: 0 } device: "CPU:0" arena_bytes: 192
    buffers { type { dtype: F32 shape: 4 shape: 2 } bytes: 32 variable: 0 name: "w" }
    buffers { type { dtype: F32 shape: 4 shape: 2 } bytes: 32 variable: 2 name: "m" }
    buffers { type { dtype: I64 } bytes: 8 variable: 1 name: "step" }
    buffers { type { dtype: F32 shape: 4 shape: 2 } bytes: 32 arena { offset: 0 } name: "g" }
    buffers { type { dtype: I64 shape: 2 } bytes: 16 arena { offset: 64 } name: "counts" }
    buffers { type { dtype: F32 shape: 8 shape: 2 } bytes: 64 arena { offset: 128 } name: "rows" }
    instructions { send_start { channel: 0 buffer: 0 } location: 1 }
    instructions { call { kernel: 4 buffers: 0 buffers: 4 buffers: 5 } location: 1 }
    instructions { send_start { channel: 4 buffer: 5 deal: true units: 4 } location: 1 }
    instructions { send_done { channel: 0 } location: 1 }
    instructions { send_done { channel: 4 } location: 1 }
    instructions { aggregate { channel: 1 buffer: 3 add: 0 } location: 1 }
    instructions { collect { channel: 5 buffer: 5 units: 4 } location: 1 }
    instructions { call { kernel: 1 buffers: 0 buffers: 1 buffers: 3 buffers: 2 } location: 1 }
    instructions { control_receive { channel: 2 } }
    bytes_sent_per_step: 128 bytes_received_per_step: 128 flops_per_step: 8
    event_ranks: [ 1, 2, 3, 4, 10, 11, 12 ]
  }
  programs {
    name: "train.worker" phase: 0 instances: 2 spread: true device: "CPU:0" arena_bytes: 512
    buffers { type { dtype: F32 shape: 3 shape: 4 } bytes: 48 arena { offset: 0 } name: "x" }
    buffers { type { dtype: I32 shape: 3 } bytes: 12 arena { offset: 64 } name: "y" }
    buffers { type { dtype: F32 shape: 4 shape: 2 } bytes: 32 slot: true name: "w" }
    buffers { type { dtype: F32 shape: 3 shape: 2 } bytes: 24 arena { offset: 128 } name: "h" }
    buffers { type { dtype: U8 shape: 64 } bytes: 64 arena { offset: 192 } name: "scratch" }
    buffers { type { dtype: F32 } bytes: 4 constant: 0 name: "c" }
    buffers { type { dtype: F32 shape: 4 shape: 2 } bytes: 32 arena { offset: 256 } name: "g" }
    buffers { type { dtype: F64 } bytes: 8 arena { offset: 320 } name: "sum" }
    buffers { type { dtype: I64 } bytes: 8 arena { offset: 384 } name: "count" }
    buffers { type { dtype: I64 } bytes: 8 arena { offset: 448 } name: "rows" }
    buffers { type { dtype: F32 shape: 4 shape: 2 } bytes: 32 slot: true name: "own_rows" }
    instructions { control_send { channels: 2 channels: 3 } }
    instructions { next_batch { dataset: 0 batch: 3 buffers: 0 buffers: 1 micro_batches: 1 } location: 2 }
    instructions { call { kernel: 5 buffers: 1 buffers: 9 } location: 2 }
    instructions { receive { channel: 0 buffer: 2 } location: 1 }
    instructions { receive { channel: 4 buffer: 10 units: 9 } location: 1 }
    instructions { call { kernel: 2 buffers: 0 buffers: 2 buffers: 3 buffers: 4 } location: 2 }
    instructions { release { channel: 0 } location: 1 }
    instructions { release { channel: 4 } location: 1 }
    instructions { call { kernel: 3 buffers: 0 buffers: 3 buffers: 1 buffers: 5 buffers: 6 buffers: 7 buffers: 8 } }
    instructions { send_start { channel: 1 buffer: 6 } location: 2 }
    instructions { send_start { channel: 5 buffer: 6 units: 9 } location: 2 }
    instructions { send_done { channel: 1 } location: 2 }
    instructions { send_done { channel: 5 } location: 2 }
    instructions { control_receive { local: true channel: 3 } }
    feeds { name: "in" buffer: 0 }
    fetches { name: "out" buffer: 3 reduction: MEAN }
    metrics { name: "loss" sum: 7 count: 8 }
    bytes_sent_per_step: 64 bytes_received_per_step: 64 flops_per_step: 48
    event_ranks: [ 1, 2, 3, 4, 5, 6, 7, 8, 9 ]
  }
  phases {
    name: "train_step" role: TRAIN samples_per_step: 6 dataset: 0 programs: 0 programs: 1 advances_global_step: true
  }
  locations: ""
  locations: "model.mlir:4:3"
  locations: "model.mlir:7:8"
  constants: "\000\000\200\077"
)pb";

} // namespace

plan::Plan samplePlan() {
  plan::Plan plan;
  if (!google::protobuf::TextFormat::ParseFromString(text, &plan))
    return {};
  plan::Code *code = plan.add_code();
  // The head of an ELF object; nothing here is ever run.
  std::string elf("\177ELF\002\001", 6);
  elf.resize(64);
  code->set_elf(elf);
  code->set_sha256(std::string(base::asBytes(base::sha256(elf))));
  code->set_target_cpu("x86-64");
  code->set_kind("CPU");
  code->add_features("sse2");
  return plan;
}

} // namespace graphc::test
