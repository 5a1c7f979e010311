// Scheduler, --compare and report have one model of time: what schedule says that a program is busy
// in a step is what is predicted of the plan's program.
#include "passes/report/StepPrediction.h"

#include "passes/compiler/CompilerInstance.h"
#include "passes/schedule/OpTimes.h"
#include "test/passes/compiler/TwoLayers.h"

#include <gtest/gtest.h>
#include <map>

namespace graphc {
namespace {

// Layers of 256 KiB and 1 KiB: what is read in place, made in slots and summed in chunks, and what
// is copied.
const std::string kModel = twoLayers(256, 256);

class OneModelOfTime : public testing::TestWithParam<const char *> {};

/// The model scheduled for a cluster, and its plan.
struct Scheduled {
  explicit Scheduled(const char *clusterText) {
    absl::StatusOr<cluster::ClusterConfig> parsed =
        cluster::parseCluster(clusterText, "cluster.json");
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    cluster = *parsed;
    compilation.nativeCode = false;
    EXPECT_TRUE(
        mlir::succeeded(compilation.read(llvm::MemoryBuffer::getMemBuffer(kModel, "model.mlir"))) &&
        mlir::succeeded(compilation.useCluster(cluster)) &&
        mlir::succeeded(compilation.lower(PipelineStage::Scheduled)));
    mlir::FailureOr<plan::Plan> emitted = compilation.emit();
    EXPECT_TRUE(mlir::succeeded(emitted));
    plan = *emitted;
  }
  CompilerInstance compilation{{}, [](const Diagnostic &said) {
                                 EXPECT_NE(said.severity, Severity::Error) << toText(said);
                               }};
  cluster::ClusterConfig cluster;
  plan::Plan plan;
};

TEST_P(OneModelOfTime, ForSchedulerAndPrediction) {
  Scheduled scheduledPlan(GetParam());
  CompilerInstance &compilation = scheduledPlan.compilation;
  const plan::Plan *plan = &scheduledPlan.plan;
  const cluster::ClusterConfig *cluster = &scheduledPlan.cluster;
  mlir::SymbolTable symbols(compilation.module());
  OpTimes times(compilation.module(), symbols);
  std::map<std::string, double> scheduled;
  for (auto program : compilation.module().getOps<dist::ProgramOp>())
    for (mlir::Operation &op : program.getBlock())
      scheduled[program.getSymName().str()] += times.of(&op);
  StepPrediction prediction = predict(*plan, *cluster, cluster::MachineCalibration());
  ASSERT_FALSE(prediction.lanes.empty());
  for (const StepPrediction::LaneTimes &lane : prediction.lanes) {
    const std::string &name = plan->programs(int(lane.program)).name();
    EXPECT_GT(lane.busy, 0) << name;
    EXPECT_NEAR(lane.busy, scheduled[name], 1e-12) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Clusters, OneModelOfTime,
    testing::Values(
        R"({"worker": 1, "strategy": {"name": "one_device", "micro_batches": 4}})",
        R"({"worker": 1, "strategy": {"name": "one_device", "micro_batches": 32}})",
        R"({"ps": 1, "worker": 2, "strategy": "parameter_server"})",
        R"({"ps": 2, "worker": 3, "strategy": {"name": "parameter_server", "placement": "split", "min_shard_bytes": 1024}})",
        R"({"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "update": "async"}})",
        R"({"ps": 1, "worker": 3, "strategy": {"name": "parameter_server", "replicas_to_aggregate": 2}})",
        R"({"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "replication": "in_graph"}})",
        R"({"ps": 1, "worker": 2, "links": [{"from": "/job:ps", "to": "/job:worker", "gigabits_per_second": 10, "latency_us": 50}]})",
        R"({"worker": 2, "strategy": "mirrored"})", R"({"worker": 3, "strategy": "all_reduce"})",
        R"({"worker": 8, "strategy": "all_reduce"})", // in chunks that are too small to be read where they were made
        R"({"worker": 4, "strategy": {"name": "all_reduce", "bucket_bytes": 1024}})",
        R"({"worker": 3, "strategy": {"name": "all_reduce", "order": "fast"}})",
        R"({"worker": ["a:1", "a:2", "b:1", "b:2"], "strategy": "all_reduce"})",
        R"({"worker": 2, "strategy": "all_reduce", "devices": {"worker": ["SIM:0"]}})",
        R"({"worker": 1, "strategy": "one_device", "devices": {"worker": ["GPU:0"]}})",
        R"({"ps": 1, "worker": 2, "strategy": "parameter_server", "devices": {"worker": ["GPU:0"]}})"));

constexpr const char *kGpuWorkers =
    R"({"ps": 1, "worker": 2, "strategy": "parameter_server", "devices": {"worker": ["GPU:0"]}})";

TEST(Queues, WorkInOrderAndAfterWhatTheyWaitFor) {
  Scheduled scheduled(kGpuWorkers);
  const StepPrediction prediction =
      predict(scheduled.plan, scheduled.cluster, cluster::MachineCalibration());
  unsigned queued = 0;
  for (const StepPrediction::LaneTimes &lane : prediction.lanes) {
    const plan::Program &program = scheduled.plan.programs(int(lane.program));
    ASSERT_EQ(lane.queues.size(), program.queues());
    std::map<int, StepTimeline::Span> done; // of an instruction of a queue
    for (const StepPrediction::Queue &queue : lane.queues)
      for (size_t i = 0; i < queue.instructions.size(); ++i)
        done[queue.instructions[i]] = queue.spans[i];
    constexpr double kRounding = 1e-12;
    std::map<uint32_t, double> end, notBefore; // by queue: of its last work; what it has waited for
    std::map<std::pair<uint32_t, uint32_t>, double> told; // by queue and count
    for (int i = 0; i < program.instructions_size(); ++i) {
      const plan::Instruction &instruction = program.instructions(i);
      const uint32_t queue = instruction.queue();
      if (instruction.has_signal())
        told[{queue, instruction.signal().n()}] = end[queue];
      else if (instruction.has_wait() && queue)
        notBefore[queue] = std::max(notBefore[queue],
                                    told.at({instruction.wait().queue(), instruction.wait().n()}));
      else if (instruction.has_wait())
        EXPECT_GE(lane.spans[size_t(i)].end,
                  told.at({instruction.wait().queue(), instruction.wait().n()}) - kRounding);
      if (!done.count(i))
        continue;
      ++queued;
      EXPECT_GE(done[i].start,
                std::max({lane.spans[size_t(i)].end, end[queue], notBefore[queue]}) - kRounding);
      end[queue] = done[i].end;
    }
  }
  EXPECT_GE(queued, 8u);
}

TEST(Gpus, HaveFiguresOfTheirOwn) {
  Scheduled scheduled(kGpuWorkers);
  auto step = [&](auto change) {
    cluster::MachineCalibration calibration;
    change(calibration);
    return predict(scheduled.plan, scheduled.cluster, calibration).step;
  };
  const double built = step([](cluster::MachineCalibration &) {});
  // no product is the host's
  EXPECT_EQ(step([](cluster::MachineCalibration &c) { c.matmulGflops *= 100; }), built);
  EXPECT_GT(step([](cluster::MachineCalibration &c) { c.gpu.pcieGigabytesPerSecond /= 1000; }),
            2 * built);
  EXPECT_GT(step([](cluster::MachineCalibration &c) { c.gpu.launchMicroseconds *= 1000; }),
            2 * built);
  EXPECT_GT(step([](cluster::MachineCalibration &c) { c.gpu.kernelMicroseconds *= 10000; }),
            2 * built);
  EXPECT_GT(step([](cluster::MachineCalibration &c) { c.gpu.memoryGigabytesPerSecond /= 100000; }),
            2 * built);
}

} // namespace
} // namespace graphc
