#include "runtime/common/cluster/ClusterConfig.h"
#include "runtime/common/cluster/NamePattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphc::cluster;
using testing::ElementsAre;

namespace {

ClusterConfig parse(std::string_view text) {
  auto config = parseCluster(text, "cluster.json");
  EXPECT_TRUE(config.ok()) << config.status();
  return config.value_or(ClusterConfig());
}

TEST(ClusterConfig, ReadsABareClusterSpec) {
  ClusterConfig config = parse(R"({"worker": ["a:1", "b:2"], "ps": ["c:3"]})");
  ASSERT_EQ(config.jobs.size(), 2u);
  EXPECT_EQ(config.jobs[0].name, "worker");
  EXPECT_THAT(config.jobs[0].addresses, ElementsAre("a:1", "b:2"));
  EXPECT_EQ(config.jobs[1].tasks, 1u);
  EXPECT_EQ(config.strategy.kind, StrategyKind::ParameterServer);
  EXPECT_EQ(config.strategy.update, UpdateMode::Sync);
  EXPECT_FALSE(config.strategy.given);
  EXPECT_FALSE(config.task.has_value());
}

TEST(ClusterConfig, ReadsATfConfig) {
  ClusterConfig config = parse(
      R"({"cluster": {"chief": ["a:1"], "worker": ["b:2", "c:3"], "ps": 2}, "task": {"type": "worker", "index": 1}})");
  ASSERT_TRUE(config.task.has_value());
  EXPECT_EQ(config.task->str(), "/job:worker/task:1");
  EXPECT_EQ(config.taskCount(), 5u);
  EXPECT_EQ(config.chief().str(), "/job:chief/task:0");
  EXPECT_EQ(config.replicaCount(), 3u);
  EXPECT_THAT(config.replicas(), ElementsAre(TaskRange{"chief", 0, 1}, TaskRange{"worker", 0, 2}));
}

TEST(ClusterConfig, WorkerZeroIsChiefAndTrains) {
  ClusterConfig config = parse(R"({"ps": 1, "worker": 2})");
  EXPECT_EQ(config.chief().str(), "/job:worker/task:0");
  EXPECT_EQ(config.replicaCount(), 2u);
}

TEST(ClusterConfig, ReadsStrategies) {
  EXPECT_EQ(parse(R"({"worker": 1})").strategy.kind, StrategyKind::OneDevice);
  EXPECT_EQ(parse(R"({"a": 1, "b": 1})").strategy.kind, StrategyKind::InGraph);
  EXPECT_EQ(parse(R"({"ps": 1, "worker": 1, "strategy": "one_device"})").strategy.kind,
            StrategyKind::OneDevice);
  // Jobs have any names: what is near to a role is one's own where the strategy is given, or the
  // role has its job.
  EXPECT_EQ(parse(R"({"workers": 2, "strategy": "in_graph"})").strategy.kind,
            StrategyKind::InGraph);
  EXPECT_EQ(parse(R"({"worker": 2, "ps": 1, "workers": 1})").strategy.kind,
            StrategyKind::ParameterServer);
  EXPECT_EQ(parse(R"({"worker": 2, "ps0": 1, "strategy": "all_reduce"})").strategy.kind,
            StrategyKind::AllReduce);
  EXPECT_EQ(parse(R"({"p": 1, "s": 1})").strategy.kind, StrategyKind::InGraph);
  EXPECT_EQ(parse(R"({"worker": 1, "strategy": {"name": "one_device", "micro_batches": 3}})")
                .strategy.microBatches,
            3u);
  StrategyConfig async =
      parse(R"({"ps": 1, "worker": 1, "strategy": {"name": "parameter_server", "update": "async",
                "placement": "balanced"}})")
          .strategy;
  EXPECT_EQ(async.update, UpdateMode::Async);
  EXPECT_EQ(async.placement, VariablePlacement::Balanced);
  EXPECT_TRUE(async.given);
}

TEST(ClusterConfig, ReadsTheSettingsOfEveryStrategy) {
  ClusterConfig mirrored = parse(R"({"worker": 1, "devices": {"worker": ["CPU:0", "CPU:1"]},
    "strategy": {"name": "mirrored", "devices": ["/job:worker/task:0/cpu:1", "/job:worker/task:0/cpu:0"]},
    "budget": {"memory": "1.5 MiB", "bytes_per_step": 65536}})");
  EXPECT_EQ(mirrored.strategy.kind, StrategyKind::Mirrored);
  ASSERT_EQ(mirrored.strategy.devices.size(), 2u);
  EXPECT_EQ(mirrored.strategy.devices[0].str(), "/job:worker/task:0/device:CPU:1");
  ASSERT_EQ(mirrored.budget.memory.size(), 1u);
  EXPECT_TRUE(mirrored.budget.memory[0].device.isEmpty());
  EXPECT_EQ(mirrored.budget.memory[0].bytes, 1572864u);
  EXPECT_EQ(mirrored.budget.bytesPerStep, 65536u);
  BudgetConfig byDevice = parse(R"({"ps": 1, "worker": 1, "devices": {"worker": ["CPU:0", "GPU:0"]},
    "budget": {"memory": {"GPU:0": "16 GiB", "/job:ps": 4096}, "pinned_memory": "1 GiB", "pcie_bytes_per_step": 7}})")
                              .budget;
  ASSERT_EQ(byDevice.memory.size(), 2u);
  EXPECT_EQ(byDevice.memory[0].device.str(), "/device:GPU:0");
  EXPECT_EQ(byDevice.memory[0].bytes, uint64_t(16) << 30);
  EXPECT_EQ(byDevice.memory[1].device.str(), "/job:ps");
  EXPECT_EQ(byDevice.memory[1].bytes, 4096u);
  EXPECT_EQ(byDevice.pinnedMemory, uint64_t(1) << 30);
  EXPECT_EQ(byDevice.pcieBytesPerStep, 7u);
  StrategyConfig bounded =
      parse(R"({"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "update": "async",
    "max_staleness": 0, "placement": "split", "min_shard_bytes": "1 MiB", "max_shards": 3}})")
          .strategy;
  EXPECT_EQ(bounded.minShardBytes, 1048576u);
  EXPECT_EQ(bounded.maxShards, 3u);
  EXPECT_EQ(bounded.maxStaleness, 0u);
  EXPECT_EQ(bounded.placement, VariablePlacement::Split);
  StrategyConfig backup = parse(R"({"ps": 1, "worker": 3, "strategy": {"name": "parameter_server",
    "replicas_to_aggregate": 2, "replication": "in_graph"}})")
                              .strategy;
  EXPECT_EQ(backup.replicasToAggregate, 2u);
  EXPECT_EQ(backup.replication, ReplicationMode::InGraph);
  StrategyConfig ring = parse(R"({"worker": 3, "strategy": {"name": "all_reduce", "order": "fast",
    "bucket_bytes": "1 MiB"}})")
                            .strategy;
  EXPECT_EQ(ring.kind, StrategyKind::AllReduce);
  EXPECT_EQ(ring.order, ReduceOrder::Fast);
  EXPECT_EQ(ring.bucketBytes, 1048576u);
  EXPECT_EQ(parse(R"({"worker": 3, "strategy": "all_reduce"})").strategy.order,
            ReduceOrder::Reproducible);
  auto rows = [](const char *text) { return parse(text).strategy.embeddingRows; };
  EXPECT_EQ(rows(R"({"ps": 1, "worker": 2, "strategy": "parameter_server"})"), std::nullopt);
  EXPECT_EQ(
      rows(
          R"({"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "embedding_rows": "all"}})"),
      EmbeddingRows::All);
  EXPECT_EQ(
      rows(R"({"worker": 2, "strategy": {"name": "mirrored", "embedding_rows": "distinct"}})"),
      EmbeddingRows::Distinct);
}

TEST(ClusterConfig, KnowsWhoSharesAHost) {
  auto shared = [](const char *text) { return parse(text).replicasShareHost(); };
  EXPECT_TRUE(shared(R"({"worker": 3})"));
  EXPECT_TRUE(shared(R"({"ps": ["b:1"], "worker": ["a:1", "a:2"]})")); // a server is no replica
  EXPECT_TRUE(shared(R"({"chief": 1, "worker": ["localhost:1", "127.0.0.1:2", "[::1]:3"]})"));
  EXPECT_FALSE(shared(R"({"worker": ["a:1", "b:1"]})"));
  EXPECT_FALSE(shared(R"({"chief": ["a:1"], "worker": ["b:1"]})"));
  EXPECT_FALSE(shared(R"({"chief": 1, "worker": ["b:1"]})"));
  auto all = [](const char *text) { return parse(text).tasksShareHost(); };
  EXPECT_TRUE(all(R"({"ps": 1, "worker": 3})"));
  EXPECT_TRUE(all(R"({"ps": ["a:3"], "worker": ["a:1", "A:2"]})"));
  EXPECT_FALSE(all(R"({"ps": ["b:1"], "worker": ["a:1", "a:2"]})"));
  EXPECT_FALSE(all(R"({"ps": ["localhost:1"], "worker": ["a:1"]})"));
  ClusterConfig config =
      parse(R"({"chief": 1, "worker": ["localhost:1", "127.evil.example:2", "[fe80::1]:3"]})");
  EXPECT_EQ(config.hostOf("chief", 0), "");
  EXPECT_EQ(config.hostOf("worker", 0), "");
  EXPECT_EQ(config.hostOf("worker", 1), "127.evil.example");
  EXPECT_EQ(config.hostOf("worker", 2), "[fe80::1]");
}

// Hosts whose replicas are nodes of the tree of sums.
TEST(ClusterConfig, KnowsOnWhichHostsSumsCanBeMadeFirst) {
  auto hosts = [](const char *text) { return parse(text).hostsOfSums(); };
  EXPECT_EQ(hosts(R"({"worker": 4})"), 1u);
  EXPECT_EQ(hosts(R"({"worker": ["a:1", "a:2", "a:3", "a:4"]})"), 1u);
  EXPECT_EQ(hosts(R"({"worker": ["a:1", "a:2", "b:1", "b:2"]})"), 2u);
  EXPECT_EQ(
      hosts(R"({"ps": ["b:9"], "chief": ["a:1"], "worker": ["a:2", "b:1", "b:2", "c:1", "c:2"]})"),
      3u);
  EXPECT_EQ(hosts(R"({"worker": ["localhost:1", "127.0.0.1:2", "b:1", "b:2"]})"), 2u);
  EXPECT_EQ(hosts(R"({"worker": ["a:1", "b:1"]})"), 1u) << "one on each";
  EXPECT_EQ(hosts(R"({"worker": ["a:1", "b:1", "a:2", "b:2"]})"), 1u) << "not in a row";
  EXPECT_EQ(hosts(R"({"worker": ["a:1", "a:2", "b:1", "b:2", "a:3", "a:4"]})"), 1u)
      << "two rows on one host";
  EXPECT_EQ(hosts(R"({"worker": ["a:1", "a:2", "b:1"]})"), 1u) << "fewer on the last";
  EXPECT_EQ(hosts(R"({"worker": ["a:1", "a:2", "a:3", "b:1", "b:2", "b:3"]})"), 1u)
      << "three are no node";
}

TEST(ClusterConfig, StrategyFlagTakesANameOrAnObject) {
  ClusterConfig cluster = parse(R"({"ps": 1, "worker": 2})");
  auto strategy = parseStrategyFlag("one_device", cluster);
  ASSERT_TRUE(strategy.ok()) << strategy.status();
  EXPECT_EQ(strategy->kind, StrategyKind::OneDevice);
  strategy = parseStrategyFlag(R"({"name": "one_device", "micro_batches": 2})", cluster);
  ASSERT_TRUE(strategy.ok()) << strategy.status();
  EXPECT_EQ(strategy->microBatches, 2u);
  EXPECT_EQ(
      parseStrategyFlag("one_devcie", cluster).status().message(),
      "--strategy:1:1: unknown strategy \"one_devcie\"; did you mean \"one_device\"?; known are \"one_device\", "
      "\"in_graph\", \"mirrored\", \"parameter_server\", \"all_reduce\"");
  EXPECT_FALSE(parseStrategyFlag("parameter_server", ClusterConfig::oneTask()).ok());
}

TEST(ClusterConfig, ReadsDevicesLinksAndPlacement) {
  ClusterConfig config = parse(R"({"worker": 2, "devices": {"worker": ["cpu:0", "GPU:1"]},
    "links": [{"from": "/job:worker/task:0", "to": "/job:worker/task:1", "gigabits_per_second": 2.5}],
    "placement": [{"name": "enc/?1", "device": "/task:1"}, {"name": "*bias", "device": "/cpu:0"}]})");
  EXPECT_THAT(config.jobs[0].devices, ElementsAre("CPU:0", "GPU:1"));
  EXPECT_THAT(config.deviceNames(3),
              ElementsAre("/job:worker/task:0/device:CPU:0", "/job:worker/task:0/device:GPU:1",
                          "/job:worker/task:1/device:CPU:0"));
  EXPECT_TRUE(config.hasDevice(*DeviceSpec::parse("/job:worker/task:1/device:GPU:1")));
  EXPECT_FALSE(config.hasDevice(*DeviceSpec::parse("/job:worker/task:2/device:GPU:1")));
  EXPECT_FALSE(config.hasDevice(*DeviceSpec::parse("/job:worker/task:1/device:GPU:0")));
  EXPECT_EQ(config.links.at(0).gigabitsPerSecond, 2.5);
  EXPECT_TRUE(matchesPattern(config.placement[0].name, "enc/w1"));
  EXPECT_FALSE(matchesPattern(config.placement[0].name, "enc/w12"));
  EXPECT_TRUE(matchesPattern(config.placement[1].name, "a/bias"));
  EXPECT_TRUE(matchesPattern(config.placement[1].name, "bias"));
  EXPECT_FALSE(matchesPattern(config.placement[1].name, "a/bias2"));
}

TEST(Pattern, StarsTakeNoExponentialTime) {
  // Exponential matchers take for ever on this one.
  std::string pattern = std::string(40, '*') + "b";
  for (int i = 0; i < 40; ++i)
    pattern.insert(size_t(2 * i), "a");
  EXPECT_FALSE(matchesPattern(pattern, std::string(5000, 'a')));
}

using graphc::device::gpuKind;

TEST(ClusterConfig, GivesGpusToTasksThatCompute) {
  ClusterConfig config = parse(
      R"({"ps": 1, "worker": 2, "other": 1, "devices": {"other": ["CPU:0", "GPU:0", "GPU:1"]}})");
  ASSERT_TRUE(config.giveDevices(gpuKind(), 2).ok());
  EXPECT_THAT(config.jobs[0].devices, ElementsAre("CPU:0"));
  EXPECT_THAT(config.jobs[1].devices, ElementsAre("CPU:0", "GPU:0", "GPU:1"));
  EXPECT_THAT(config.jobs[2].devices, ElementsAre("CPU:0", "GPU:0", "GPU:1"));
  ASSERT_TRUE(config.giveDevices(gpuKind(), 0).ok());
  for (const JobConfig &job : config.jobs)
    EXPECT_THAT(job.devices, ElementsAre("CPU:0"));
}

TEST(ClusterConfig, DoesNotGiveAnotherNumberOfGpusThanTheFileNames) {
  ClusterConfig config = parse("{\"worker\": 2, \"devices\": {\"worker\": [\"GPU:0\"]}}");
  EXPECT_EQ(
      config.giveDevices(gpuKind(), 2).message(),
      "cluster.json:1:2: \"devices\" names 1 GPU for each task of job \"worker\", but --num_gpus=2 is given; leave "
      "one of them out");
  EXPECT_TRUE(config.giveDevices(gpuKind(), 1).ok());
}

TEST(ClusterConfig, LeavesOutGpusThatThisMachineLacks) {
  ClusterConfig config =
      parse(R"({"cluster": {"worker": ["localhost:1"], "far": ["a:1", "localhost:2"], "only": 1},
    "devices": {"worker": ["CPU:0", "GPU:0", "GPU:1"], "far": ["GPU:0", "GPU:1"], "only": ["GPU:0"]},
    "strategy": {"name": "mirrored", "devices": ["/job:worker/task:0/gpu:0", "/job:worker/task:0/gpu:1"]}})");
  std::vector<const JobConfig *> limited = config.limitDevices(gpuKind(), 1);
  ASSERT_EQ(limited.size(), 1u);
  EXPECT_EQ(limited[0]->name, "worker");
  EXPECT_THAT(config.jobs[0].devices, ElementsAre("CPU:0", "GPU:0"));
  EXPECT_THAT(config.strategy.devices, ElementsAre(*DeviceSpec::parse("/job:worker/task:0/gpu:0"),
                                                   *DeviceSpec::parse("/job:worker/task:0/cpu:0")));
  EXPECT_EQ(config.limitDevices(gpuKind(), 0).size(), 2u);
  EXPECT_THAT(config.jobs[0].devices, ElementsAre("CPU:0"));
  EXPECT_THAT(config.jobs[1].devices, ElementsAre("GPU:0", "GPU:1")); // a task of it is elsewhere
  EXPECT_THAT(config.jobs[2].devices, ElementsAre("CPU:0"));
  // once
  EXPECT_THAT(config.strategy.devices, ElementsAre(*DeviceSpec::parse("/job:worker/task:0/cpu:0")));
}

TEST(ClusterConfig, TowersWithoutATaskAreTheChiefs) {
  ClusterConfig config = parse(R"({"worker": 2, "devices": {"worker": ["CPU:0", "GPU:0", "GPU:1"]},
    "strategy": {"name": "mirrored", "devices": ["/gpu:1", "/device:gpu:0"]}})");
  EXPECT_THAT(config.strategy.devices,
              ElementsAre(*DeviceSpec::parse("/job:worker/task:0/device:GPU:1"),
                          *DeviceSpec::parse("/job:worker/task:0/device:GPU:0")));
}

} // namespace
