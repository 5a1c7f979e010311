#include "passes/place/Strategy.h"

#include "passes/place/SettingLoc.h"
#include "runtime/cluster/ClusterConfig.h"
#include "runtime/plan/SumTree.h"

using namespace mlir;

namespace graphc {

using graph::DeviceAttr;
using graph::GraphDialect;

static graph::ReplicasAttr getDefaultDomain(graph::ClusterAttr cluster) {
  SmallVector<Attribute> ranges;
  for (const cluster::TaskRange &range : cluster::defaultReplicas(
           [&](std::string_view job) { return uint32_t(cluster.getTasks(StringRef(job.data(), job.size()))); }))
    ranges.push_back(StringAttr::get(cluster.getContext(), range.str()));
  if (ranges.empty())
    return {};
  return graph::ReplicasAttr::get(cluster.getContext(), ArrayAttr::get(cluster.getContext(), ranges));
}

static std::string listJobs(graph::ClusterAttr cluster) {
  std::string text;
  for (NamedAttribute job : cluster.getJobs())
    text += (text.empty() ? "" : ", ") + job.getName().str();
  return text;
}

/// The devices that the strategy names, each a full one of the cluster and none twice; reports what is not so.
static FailureOr<SmallVector<DeviceAttr>> getNamedTowers(ModuleOp module, graph::StrategyAttr strategy,
                                                         const DeviceSet &devices) {
  SmallVector<DeviceAttr> towers;
  for (Attribute entry : strategy.getDevices()) {
    std::string error; // the attribute's verifier has read the name before
    auto device =
        DeviceAttr::get(module.getContext(), *graph::DeviceName::parse(cast<StringAttr>(entry).getValue(), error));
    if (!devices.contains(device))
      return emitError(getSettingLoc(module, kStrategySetting), "strategy ")
             << strategy.getName().getValue() << " has a tower on \"" << device.str()
             << "\", which is no full name of a device of the cluster" << devices.describe(device);
    if (llvm::is_contained(towers, device))
      return emitError(getSettingLoc(module, kStrategySetting), "strategy ")
             << strategy.getName().getValue() << " names the device \"" << device.str()
             << "\" twice; a device has one tower";
    towers.push_back(device);
  }
  return towers;
}

/// Every device of the chief's task; where that is one alone, every device of the chief's job and the workers.
static SmallVector<DeviceAttr> getDefaultTowers(const Distribution &d, const DeviceSet &devices) {
  SmallVector<DeviceAttr> local, all;
  for (DeviceAttr device : devices.all()) {
    if (device.getJob() == d.chief.getJob() && device.getTask() == d.chief.getTask())
      local.push_back(device);
    if (device.getJob() == d.chief.getJob() || device.getJob() == "worker")
      all.push_back(device);
  }
  return local.size() > 1 ? local : all;
}

/// One tower a device, driven by one client: mirrored, and a parameter server with in-graph replication.
static LogicalResult setTowers(ModuleOp module, graph::StrategyAttr strategy, Distribution &d) {
  DeviceSet devices(d.cluster);
  d.servers = strategy.getName() == "parameter_server";
  d.kind = StrategyKind::Mirrored;
  if (strategy.getAsync())
    return emitError(getSettingLoc(module, kStrategySetting),
                     "in-graph replication is synchronous, since one client drives every tower; leave \"update\": "
                     "\"async\" out, or \"replication\": \"in_graph\"");
  if (strategy.getReplicasToAggregate() > 0)
    return emitError(getSettingLoc(module, kStrategySetting),
                     "replicas_to_aggregate is for between-graph replication; one client drives every tower here");
  if (strategy.getDevices()) {
    FailureOr<SmallVector<DeviceAttr>> named = getNamedTowers(module, strategy, devices);
    if (failed(named))
      return failure();
    d.towers = *named;
  } else if (d.domain) { // parameter_server and all_reduce say of whom they are replicas
    for (int64_t replica = 0; replica < d.domain.getSize(); ++replica) {
      graph::DeviceName task = d.domain.getTaskOf(replica);
      d.towers.push_back(d.cluster.getDevices(task.job, *task.task).front());
    }
  } else {
    d.towers = getDefaultTowers(d, devices);
  }
  d.stores = d.servers ? devices.ofJob("ps") : d.towers;
  d.domain = {};
  d.replicas = 1;
  d.replicaDevice = d.chief;
  return success();
}

/// How many micro-batches a step has, and the shape of their sums.
static LogicalResult setMicroBatches(ModuleOp module, graph::StrategyAttr strategy, Distribution &d) {
  const int64_t sharers = d.getSharers(), given = strategy.getMicroBatches(), leaves = strategy.getSumLeaves();
  auto error = [&] { return emitError(getSettingLoc(module, kStrategySetting)); };
  d.microBatches = given ? given : sharers;
  if (d.async) {
    if (given || leaves)
      return error() << "asynchronous updates have no step whose batches are summed; leave \"micro_batches\" and "
                        "\"sum_leaves\" out, or \"update\": \"async\"";
    return success();
  }
  if (d.toAggregate) { // those that count are summed in replica order
    if (leaves)
      return error()
             << "\"sum_leaves\" gives the sum of all replicas one shape; with \"replicas_to_aggregate\" those that "
                "come first are summed in their order";
    if (d.microBatches % sharers)
      return error() << "\"micro_batches\": " << d.microBatches << " cannot be shared by " << sharers << " replicas";
    return success();
  }
  if (std::string why = plan::whyNoSumTree(uint64_t(d.microBatches), uint64_t(leaves), uint64_t(sharers)); !why.empty())
    return error() << why;
  d.sumLeaves = leaves ? leaves : int64_t(plan::defaultSumLeaves(uint64_t(d.microBatches), uint64_t(sharers)));
  return success();
}

std::optional<Distribution> Distribution::of(ModuleOp module) {
  Distribution d;
  MLIRContext *context = module.getContext();
  d.cluster = module->getAttrOfType<graph::ClusterAttr>(GraphDialect::kCluster);
  auto strategy = module->getAttrOfType<graph::StrategyAttr>(GraphDialect::kStrategy);
  if (!d.cluster || !strategy) {
    module.emitError("has no ")
        << (d.cluster ? "strategy" : "cluster")
        << "; expected the module attributes graph.cluster and graph.strategy, which graphc sets "
           "from cluster.json";
    return std::nullopt;
  }
  DeviceAttr chief = d.cluster.getChief();
  d.chief = d.cluster.getDevices(chief.getJob(), std::max<int64_t>(0, chief.getTask())).front();
  d.replicaDevice = d.chief;
  d.async = strategy.getAsync();
  d.maxStaleness = strategy.getMaxStaleness();
  d.stores = {d.chief};
  StringRef name = strategy.getName().getValue();
  if (name == "one_device") {
    d.kind = StrategyKind::OneDevice;
  } else if (name == "in_graph") {
    d.kind = StrategyKind::InGraph;
  } else if (name == "parameter_server" || name == "all_reduce") {
    d.kind = name == "all_reduce" ? StrategyKind::AllReduce : StrategyKind::ParameterServer;
    d.fast = strategy.getFast();
    // Large enough that a message's fixed cost vanishes, small enough that the first leaves early.
    d.bucketBytes = strategy.getBucketBytes() ? strategy.getBucketBytes() : int64_t(4) << 20;
    if (d.kind == StrategyKind::ParameterServer && d.cluster.getTasks("ps") == 0) {
      emitError(getSettingLoc(module, kStrategySetting),
                "strategy parameter_server needs a job \"ps\"; the cluster has the jobs ")
          << listJobs(d.cluster);
      return std::nullopt;
    }
    d.domain = module->getAttrOfType<graph::ReplicasAttr>(GraphDialect::kReplicas);
    if (!d.domain)
      d.domain = getDefaultDomain(d.cluster);
    if (!d.domain || d.domain.getSize() == 0) {
      emitError(getSettingLoc(module, kStrategySetting), "strategy ")
          << name << " needs a job \"worker\" (or \"chief\") to compute; the cluster has the jobs "
          << listJobs(d.cluster);
      return std::nullopt;
    }
    d.replicas = d.domain.getSize();
    if (d.kind == StrategyKind::ParameterServer)
      d.stores = DeviceSet(d.cluster).ofJob("ps");
    if (strategy.getInGraph() && failed(setTowers(module, strategy, d)))
      return std::nullopt;
    if (d.replicas > 1) {
      SmallVector<DeviceAttr> defaults; // of each job's tasks
      for (const graph::ReplicaRange &range : d.domain.getReplicaRanges())
        if (DeviceAttr device = d.cluster.getDevices(range.job, -1).front(); !llvm::is_contained(defaults, device))
          defaults.push_back(device);
      DeviceAttr first = defaults.front();
      for (DeviceAttr other : defaults)
        if (other.getKind() != first.getKind() || other.getIndex() != first.getIndex()) {
          emitError(getSettingLoc(module, kStrategySetting),
                    "replicas are alike, but the first device of a task of job ")
              << first.getJob() << " is " << first.getKind() << ":" << first.getIndex() << " and of job "
              << other.getJob() << " " << other.getKind() << ":" << other.getIndex();
          return std::nullopt;
        }
      d.replicaDevice =
          DeviceAttr::get(context, defaults.size() == 1 ? first.getJob() : "", -1, first.getKind(), first.getIndex());
    }
    if (strategy.getReplicasToAggregate() > d.replicas) {
      module.emitError("replicas_to_aggregate is ")
          << strategy.getReplicasToAggregate() << ", but there are " << d.replicas << " replicas";
      return std::nullopt;
    }
    if (strategy.getReplicasToAggregate() < d.replicas)
      d.toAggregate = strategy.getReplicasToAggregate();
  } else if (name == "mirrored") {
    if (failed(setTowers(module, strategy, d)))
      return std::nullopt;
  } else {
    emitError(getSettingLoc(module, kStrategySetting), "unknown strategy \"")
        << name << "\"; expected one_device, in_graph, mirrored, parameter_server or all_reduce";
    return std::nullopt;
  }
  if (failed(setMicroBatches(module, strategy, d)))
    return std::nullopt;
  return d;
}

StringRef getReductionOf(Type type, StringAttr declared) {
  if (declared)
    return declared.getValue();
  return isa<FloatType>(getElementTypeOrSelf(type)) ? "mean" : "first_replica";
}

} // namespace graphc
