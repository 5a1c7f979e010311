//===- ClusterConfig.h - cluster.json: which tasks and devices exist, and how to distribute ---===//
//
// Read by graphc (jobs, devices, strategy) and by graphrun (addresses). Two forms, both
// TensorFlow's: the TF_CONFIG object
//   {"cluster": {"ps": ["a:2222"], "worker": ["b:2222", "c:2222"]},
//    "task": {"type": "worker", "index": 1}, "strategy": …}
// and the bare ClusterSpec {"ps": […], "worker": […], "strategy": …}. A job may be a task count
// instead of a list of addresses, since a plan knows no address. cluster.schema.json is the same as
// a JSON schema, examples/ the same as files.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_CLUSTER_CLUSTERCONFIG_H
#define GRAPHC_RUNTIME_COMMON_CLUSTER_CLUSTERCONFIG_H

#include "runtime/common/base/Json.h"
#include "runtime/common/cluster/DeviceSpec.h"
#include "runtime/common/device/DeviceKinds.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::cluster {

/// Micro-batches of one program, each of which may have to be compiled by itself, and of a step.
constexpr uint32_t kMostCopies = 1024, kMostMicroBatches = kMostCopies * kMostTasks;

/// The job of a process that follows the checkpoints of the others. It is no task of the cluster:
/// where a file lists it, nothing is for it.
inline constexpr char kEvaluator[] = "evaluator";

struct TaskRef {
  std::string job;
  uint32_t index = 0;
  std::string str() const { return taskName(job, index); }
  friend bool operator==(const TaskRef &, const TaskRef &) = default;
};

struct JobConfig {
  std::string name;
  uint32_t tasks = 0;
  std::vector<std::string> addresses; ///< one a task, or none where the job was given as a count
  std::vector<std::string> devices = {device::hostDevice()}; ///< of each task
  bool devicesGiven = false; ///< by "devices"
  base::JsonPosition position;
};

/// Expected speed between two sets of tasks; both ends may be partial names ("/job:ps"). For
/// predicted times and for the order of transfers.
struct LinkConfig {
  DeviceSpec from, to;
  double gigabitsPerSecond = 0;
  double latencyMicroseconds = 0;
  base::JsonPosition position;
};

/// The first rule whose pattern matches an operation's or variable's name decides its device
/// (runtime/common/cluster/NamePattern.h).
struct PlacementRule {
  std::string name;
  DeviceSpec device;
  base::JsonPosition position;
};

enum class StrategyKind { OneDevice, InGraph, Mirrored, ParameterServer, AllReduce };
enum class UpdateMode { Sync, Async };
enum class VariablePlacement { RoundRobin, Balanced, Split };
/// Between-graph: every worker drives its own lanes. In-graph: one client, the chief, drives one
/// program over all tasks.
enum class ReplicationMode { BetweenGraph, InGraph };
/// The order in which all-reduce sums: that of the replicas, bit for bit as on one device, or
/// whichever is fastest.
enum class ReduceOrder { Reproducible, Fast };
/// Which rows of a table go to a device that looks them up elsewhere: one for each number, or each
/// number's once.
enum class EmbeddingRows { All, Distinct };
/// Where a run goes on from that has lost a task: the last checkpoint, or the memory of a task that
/// lives.
enum class RecoveryMode { Checkpoint, Memory };
// Names of version 0.1.0, for programs that compile (graphc/Compiler.h).
using DeviceName = DeviceSpec;
using Recovery = RecoveryMode;
using Replication = ReplicationMode;

/// Settings are as given, or at their defaults; findMisfit (StrategyRules.h) finds those of another
/// strategy.
struct StrategyConfig {
  StrategyKind kind = StrategyKind::OneDevice;
  ReplicationMode replication =
      ReplicationMode::BetweenGraph; ///< ParameterServer and AllReduce; the others are in-graph
  std::optional<uint32_t> microBatches; ///< of a step, of all replicas together; none: one for each
  /// of the tree of a sum over them; none: plan::defaultSumLeaves
  std::optional<uint32_t> sumLeaves;
  /// Mirrored: full names, a tower each; empty: every device of the chief's task, or of all
  /// replicas' tasks where that is a single one
  std::vector<DeviceSpec> devices;
  UpdateMode update = UpdateMode::Sync; ///< ParameterServer
  VariablePlacement placement = VariablePlacement::RoundRobin; ///< ParameterServer
  std::optional<uint64_t> minShardBytes; ///< Split: no part of a variable is smaller; none: 256 KiB
  /// Split: parts of one variable; none: as many as there are parameter servers
  std::optional<uint32_t> maxShards;
  std::optional<uint32_t> maxStaleness; ///< ParameterServer async: clocks; none: unbounded
  /// ParameterServer sync: the first so many of each step; none: all
  std::optional<uint32_t> replicasToAggregate;
  ReduceOrder order = ReduceOrder::Reproducible; ///< AllReduce
  std::optional<uint64_t> bucketBytes; ///< AllReduce; none: chosen by graphc
  /// InGraph, Mirrored, ParameterServer; none: chosen from the addresses
  std::optional<EmbeddingRows> embeddingRows;
  RecoveryMode recovery = RecoveryMode::Checkpoint; ///< AllReduce
  bool given = false; ///< false: chosen from the jobs
  base::JsonPosition position, microBatchesPosition; ///< of all, and of one setting
  /// what the position counts in, as it is named in errors; empty: the cluster's file
  std::string file;

  /// As cluster.json spells it: "one_device", …
  std::string_view name() const;
};

/// Bytes of memory that devices have, or may take. Of several the first that matches a device
/// counts.
struct MemoryLimit {
  /// maybe partial; empty: each device, and what its lanes take of the host's memory besides
  DeviceSpec device;
  uint64_t bytes = 0;
  base::JsonPosition position;
};

/// Limits that fail the compile when the plan would exceed them.
struct BudgetConfig {
  std::vector<MemoryLimit> memory; ///< of arenas, variables, constants and, of the host's, channels
  /// of the host, that a device's copies reach; for each device
  std::optional<uint64_t> pinnedMemory;
  /// bytes that all channels between tasks carry in one training step
  std::optional<uint64_t> bytesPerStep;
  /// that one device exchanges with its host in a training step, both ways together
  std::optional<uint64_t> pcieBytesPerStep;
  base::JsonPosition position;
};

/// Who trains where nothing says it, in replica order: the job chief, then the workers, as in
/// TensorFlow; nobody where neither exists.
/// `tasksOf`: how many tasks a job has, 0 where there is none.
std::vector<TaskRange>
defaultReplicas(const std::function<uint32_t(std::string_view job)> &tasksOf);

struct ClusterConfig {
  std::string file; ///< as it is named in errors
  std::vector<JobConfig> jobs; ///< in text order
  std::optional<TaskRef> task; ///< which task this process is (TF_CONFIG)
  std::vector<LinkConfig> links;
  std::vector<PlacementRule> placement;
  StrategyConfig strategy;
  BudgetConfig budget;

  /// What graphc compiles for without --partition: one task /job:worker/task:0 and the strategy
  /// one_device.
  static ClusterConfig oneTask();

  const JobConfig *findJob(std::string_view name) const;
  uint32_t taskCount() const;
  /// The task that drives the run: chief:0, else worker:0, else task 0 of the first job that is
  /// neither ps nor evaluator.
  TaskRef chief() const;
  /// defaultReplicas; where there are none, the chief() alone.
  std::vector<TaskRange> replicas() const;
  uint32_t replicaCount() const;
  /// The host part of a task's address. Empty: this machine's, as of tasks without an address and
  /// of those on the loopback.
  std::string hostOf(std::string_view job, uint32_t task) const;
  bool replicasShareHost() const;
  bool tasksShareHost() const;
  /// On how many hosts sums over the replicas can be made first, since each host's replicas are a
  /// node of the tree of sums (runtime/common/plan/SumTree.h): they come in a row, as many on each,
  /// 2, 4, 8 or so on. 1 where that is not so.
  uint32_t hostsOfSums() const;
  /// Every full device name, at most `limit` of them: for errors that list what exists.
  std::vector<std::string> deviceNames(size_t limit) const;
  bool hasDevice(const DeviceSpec &full) const;
  /// Gives each task of a job that computes (all but ps and evaluator) so many devices of a kind
  /// beside the host's first. Where "devices" names those of its job, another number is an error; 0
  /// takes them away from every job.
  absl::Status giveDevices(const device::DeviceKind &kind, uint32_t count);
  /// Whether any task has a device of the kind.
  bool hasDevices(const device::DeviceKind &kind) const;
  /// Leaves to each task of this machine at most so many devices of a kind; one that has none left
  /// has the host's first. Returns the jobs that had more.
  std::vector<const JobConfig *> limitDevices(const device::DeviceKind &kind, uint32_t count);
  /// "file:line:column: message".
  absl::Status error(base::JsonPosition at, std::string_view message) const {
    return base::errorAt(file, at, message);
  }

private:
  void moveTowers();
};

absl::StatusOr<ClusterConfig> parseCluster(std::string_view text, std::string_view file);
/// The environment variable TF_CONFIG, which others write: keys that nobody here knows are left
/// alone.
absl::StatusOr<ClusterConfig> parseTfConfig(std::string_view text);
absl::StatusOr<ClusterConfig> readClusterFile(const std::string &path);

/// The value of --strategy: a name ("parameter_server") or the JSON object of the file. `cluster`
/// gives the jobs to check it against.
absl::StatusOr<StrategyConfig> parseStrategyFlag(std::string_view text,
                                                 const ClusterConfig &cluster);

/// The keys that the parser knows: object ("", "task", "link", "placement", "strategy", "budget")
/// and its members. The test compares them with cluster.schema.json.
struct ClusterKeys {
  std::string object;
  std::vector<std::string> keys;
};
const std::vector<ClusterKeys> &clusterKeys();

} // namespace graphc::cluster
#endif
