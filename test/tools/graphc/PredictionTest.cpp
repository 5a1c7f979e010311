// Scheduler, --compare and report have one model of time: what schedule says that a program is busy in a step is what is predicted of
// the plan's program.
#include "tools/graphc/Prediction.h"

#include "passes/compiler/Compilation.h"
#include "passes/schedule/OpTimes.h"
#include "test/passes/compiler/TwoLayers.h"

#include <gtest/gtest.h>
#include <map>

namespace graphc {
namespace {

// Layers of 256 KiB and 1 KiB: what is read in place, made in slots and summed in chunks, and what is copied.
const std::string kModel = twoLayers(256, 256);

class OneModelOfTime : public testing::TestWithParam<const char *> {};

TEST_P(OneModelOfTime, ForSchedulerAndPrediction) {
  absl::StatusOr<cluster::ClusterConfig> cluster = cluster::parseCluster(GetParam(), "cluster.json");
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  Compilation compilation({},
                          [](const Diagnostic &said) { EXPECT_NE(said.severity, Severity::Error) << toText(said); });
  compilation.nativeCode = false;
  ASSERT_TRUE(mlir::succeeded(compilation.read(llvm::MemoryBuffer::getMemBuffer(kModel, "model.mlir"))) &&
              mlir::succeeded(compilation.useCluster(*cluster)) &&
              mlir::succeeded(compilation.lower(Stage::Scheduled)));
  mlir::FailureOr<plan::Plan> plan = compilation.emit();
  ASSERT_TRUE(mlir::succeeded(plan));

  mlir::SymbolTable symbols(compilation.module());
  OpTimes times(compilation.module(), symbols);
  std::map<std::string, double> scheduled;
  for (auto program : compilation.module().getOps<dist::ProgramOp>())
    for (mlir::Operation &op : program.getBlock())
      scheduled[program.getSymName().str()] += times.of(&op);
  Prediction prediction = predict(*plan, *cluster, cluster::Calibration());
  ASSERT_FALSE(prediction.lanes.empty());
  for (const Prediction::Lane &lane : prediction.lanes) {
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
        R"({"worker": 2, "strategy": "all_reduce", "devices": {"worker": ["SIM:0"]}})"));

} // namespace
} // namespace graphc
