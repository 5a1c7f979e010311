// resolve-strategy: what is asked for becomes one attribute with every default filled in.
#include "passes/Passes.h"
#include "passes/place/DistributionSpec.h"
#include "passes/place/SettingLocation.h"
#include "passes/place/VariablePlacement.h"
#include "runtime/common/cluster/ClusterConfig.h"
#include "runtime/common/plan/SumTree.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_RESOLVESTRATEGY
#include "passes/Passes.h.inc"

using graph::DeviceAttr;
using graph::GraphDialect;

/// What is asked for; resolved, the module has none of them.
static constexpr StringLiteral kAsked[] = {GraphDialect::kStrategy, GraphDialect::kReplicas,
                                           GraphDialect::kVariablePlacement,
                                           GraphDialect::kMinShardBytes, GraphDialect::kMaxShards};

namespace {
/// A distribution while its defaults are filled in.
struct Resolution : DistributionSpec {
  graph::ReplicasAttr domain; ///< null where nothing is replicated
};
} // namespace

static graph::ReplicasAttr getDefaultDomain(graph::ClusterAttr cluster) {
  SmallVector<Attribute> ranges;
  for (const cluster::TaskRange &range : cluster::defaultReplicas([&](std::string_view job) {
         return uint32_t(cluster.getTasks(StringRef(job.data(), job.size())));
       }))
    ranges.push_back(StringAttr::get(cluster.getContext(), range.str()));
  if (ranges.empty())
    return {};
  return graph::ReplicasAttr::get(cluster.getContext(),
                                  ArrayAttr::get(cluster.getContext(), ranges));
}

static std::string listJobs(graph::ClusterAttr cluster) {
  std::string text;
  for (NamedAttribute job : cluster.getJobs())
    text += (text.empty() ? "" : ", ") + job.getName().str();
  return text;
}

/// The devices that the strategy names, each a full one of the cluster and none twice; reports what
/// is not so.
static FailureOr<SmallVector<DeviceAttr>>
getNamedTowers(ModuleOp module, graph::StrategyAttr strategy, const DeviceSet &devices) {
  SmallVector<DeviceAttr> towers;
  for (Attribute entry : strategy.getDevices()) {
    std::string error; // the attribute's verifier has read the name before
    auto device = DeviceAttr::get(
        module.getContext(), *graph::DeviceName::parse(cast<StringAttr>(entry).getValue(), error));
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

/// Every default device of the chief's task; where that is one alone, those of the chief's job and
/// of the workers.
static SmallVector<DeviceAttr> getDefaultTowers(const Resolution &d, const DeviceSet &devices) {
  SmallVector<DeviceAttr> local, all;
  for (DeviceAttr device : devices.all()) {
    if (!devices.isDefault(device))
      continue;
    if (device.isOnTaskOf(d.chief))
      local.push_back(device);
    if (device.getJob() == d.chief.getJob() || device.getJob() == "worker")
      all.push_back(device);
  }
  return local.size() > 1 ? local : all;
}

/// The first device of each replica's task.
static SmallVector<DeviceAttr> getReplicas(const Resolution &d) {
  SmallVector<DeviceAttr> devices;
  for (const graph::ReplicaRange &range : d.domain.getReplicaRanges())
    for (int64_t i = 0; i < range.count; ++i)
      devices.push_back(d.cluster.getDevices(range.job, range.first + i).front());
  return devices;
}

/// One tower a device, driven by one client: mirrored, and a parameter server with in-graph
/// replication.
static LogicalResult setTowers(ModuleOp module, graph::StrategyAttr strategy, Resolution &d) {
  DeviceSet devices(d.cluster);
  d.servers = strategy.getName() == "parameter_server";
  d.kind = StrategyKind::Mirrored;
  if (strategy.getAsync())
    return emitError(
        getSettingLoc(module, kStrategySetting),
        "in-graph replication is synchronous, since one client drives every tower; leave \"update\": "
        "\"async\" out, or \"replication\": \"in_graph\"");
  if (strategy.getReplicasToAggregate() > 0)
    return emitError(
        getSettingLoc(module, kStrategySetting),
        "replicas_to_aggregate is for between-graph replication; one client drives every tower here");
  if (strategy.getDevices()) {
    FailureOr<SmallVector<DeviceAttr>> named = getNamedTowers(module, strategy, devices);
    if (failed(named))
      return failure();
    d.towers = *named;
  } else if (d.domain) { // parameter_server and all_reduce say of whom they are replicas
    d.towers = getReplicas(d);
  } else {
    d.towers = getDefaultTowers(d, devices);
  }
  d.stores = d.servers ? devices.ofJob("ps") : d.towers;
  d.domain = {};
  d.replicas = 1;
  d.bucketBytes = 0;
  return success();
}

/// `leaves`: 0 for the default.
static LogicalResult checkSumTree(ModuleOp module, int64_t microBatches, int64_t leaves,
                                  int64_t sharers) {
  std::string why = plan::whyNoSumTree(uint64_t(microBatches), uint64_t(leaves), uint64_t(sharers));
  if (why.empty())
    return success();
  return emitError(getSettingLoc(module, kStrategySetting)) << why;
}

/// How many micro-batches a step has, and the shape of their sums.
static LogicalResult setMicroBatches(ModuleOp module, graph::StrategyAttr strategy, Resolution &d) {
  const int64_t sharers = d.getSharers(), given = strategy.getMicroBatches(),
                leaves = strategy.getSumLeaves();
  auto error = [&] { return emitError(getSettingLoc(module, kStrategySetting)); };
  d.microBatches = given ? given : sharers;
  if (d.async) {
    if (given || leaves)
      return error()
             << "asynchronous updates have no step whose batches are summed; leave \"micro_batches\" and "
                "\"sum_leaves\" out, or \"update\": \"async\"";
    return success();
  }
  if (d.toAggregate) { // those that count are summed in replica order
    if (leaves)
      return error()
             << "\"sum_leaves\" gives the sum of all replicas one shape; with \"replicas_to_aggregate\" those that "
                "come first are summed in their order";
    if (d.microBatches % sharers)
      return error() << "\"micro_batches\": " << d.microBatches << " cannot be shared by "
                     << sharers << " replicas";
    return success();
  }
  d.sumLeaves = leaves
                    ? leaves
                    : int64_t(plan::defaultSumLeaves(uint64_t(d.microBatches), uint64_t(sharers)));
  return checkSumTree(module, d.microBatches, leaves, sharers);
}

/// How variables are dealt to the stores.
static LogicalResult setPlacement(ModuleOp module, Resolution &d) {
  auto asked = module->getAttrOfType<StringAttr>(GraphDialect::kVariablePlacement);
  if (asked)
    d.placement = asked.getValue();
  else if (d.kind == StrategyKind::Mirrored && !d.servers)
    // every tower does its share of the updates
    d.placement = "balanced";
  if (!llvm::is_contained({"round_robin", "balanced", "split"}, d.placement))
    return emitError(getSettingLoc(module, kStrategySetting), "unknown placement of variables \"")
           << d.placement << "\"; expected round_robin, balanced or split";
  if (d.placement != "split")
    return success();
  auto setting = [&](StringRef name, int64_t otherwise) {
    auto attribute = module->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : otherwise;
  };
  d.minShardBytes = setting(GraphDialect::kMinShardBytes, kMinShardBytes);
  d.maxShards = setting(GraphDialect::kMaxShards, int64_t(d.stores.size()));
  return success();
}

/// Who computes: the towers, the replicas' tasks, or the chief alone.
static graph::MeshAttr getMesh(const Resolution &d) {
  SmallVector<DeviceAttr> devices = d.domain ? getReplicas(d) : d.towers;
  if (devices.empty())
    devices.push_back(d.chief);
  return graph::MeshAttr::get(d.cluster.getContext(), "data", devices);
}

static std::optional<Resolution> resolve(ModuleOp module) {
  Resolution d;
  d.cluster = module->getAttrOfType<graph::ClusterAttr>(GraphDialect::kCluster);
  auto strategy = module->getAttrOfType<graph::StrategyAttr>(GraphDialect::kStrategy);
  if (!d.cluster) {
    module.emitError(
        "has no cluster; expected graph.cluster and graph.strategy, which graphc sets from cluster.json");
    return std::nullopt;
  }
  if (!strategy) {
    module.emitError(
        "has graph.cluster and no strategy; expected graph.strategy beside it, such as "
        "#graph.strategy<name = \"in_graph\">, by which all is where the module says");
    return std::nullopt;
  }
  d.chief = d.cluster.getChiefDevice();
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
    if (d.kind == StrategyKind::AllReduce) {
      d.bucketBytes = strategy.getBucketBytes() ? strategy.getBucketBytes() : kBucketBytes;
      d.hosts = strategy.getHosts();
    }
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
    if (strategy.getReplicasToAggregate() > d.replicas) {
      emitError(getSettingLoc(module, kStrategySetting), "replicas_to_aggregate is ")
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
  if (failed(setMicroBatches(module, strategy, d)) || failed(setPlacement(module, d)))
    return std::nullopt;
  d.mesh = getMesh(d);
  return d;
}

/// What holds of every distribution, of one that the module brought along as well: its devices are
/// of the cluster, replicas are alike.
static LogicalResult check(ModuleOp module, const DistributionSpec &d) {
  auto error = [&] { return emitError(getSettingLoc(module, kStrategySetting)); };
  const DeviceSet devices(d.cluster);
  const llvm::DenseSet<DeviceAttr> known(devices.all().begin(), devices.all().end());
  const SmallVector<DeviceAttr> places = d.mesh.getPlaces();
  for (DeviceAttr device : llvm::concat<const DeviceAttr>(places, d.stores))
    if (!known.contains(device))
      return error() << "the strategy is to use \"" << device.str()
                     << "\", which is no device of the cluster" << devices.describe(device);
  for (DeviceAttr place : places)
    if (d.isBetweenGraph() &&
        (place.getKind() != places[0].getKind() || place.getIndex() != places[0].getIndex()))
      return error() << "replicas are alike, but a task of job " << places[0].getJob()
                     << " computes on " << places[0].getKind() << ":" << places[0].getIndex()
                     << " and one of job " << place.getJob() << " on " << place.getKind() << ":"
                     << place.getIndex();
  if (d.kind == StrategyKind::AllReduce && places.size() > 1 &&
      llvm::none_of(places, [&](DeviceAttr place) { return place.isOnTaskOf(d.chief); }))
    return error()
           << "all_reduce keeps the variables on its replicas, of which the chief, who saves them, is none; "
              "expected /job:"
           << d.chief.getJob() << "/task:" << d.chief.getTask() << " among the " << places.size();
  if ((d.kind == StrategyKind::OneDevice || d.kind == StrategyKind::InGraph) &&
      places[0] != d.chief)
    return error() << "the mesh has the device \"" << places[0].str() << "\", but the chief's is \""
                   << d.chief.str() << "\"";
  return success();
}

/// Puts graph.distribution in the place of what the module asks for, graph.strategy and its
/// settings, with every default filled in. Where it has one already and asks for nothing, that
/// stays.
static LogicalResult resolveStrategy(ModuleOp module) {
  if (module->hasAttr(GraphDialect::kDistribution)) {
    for (StringRef asked : kAsked)
      if (module->hasAttr(asked))
        return module.emitError("has ") << asked << " beside " << GraphDialect::kDistribution
                                        << ", which says what came of it; expected one of the two";
    std::optional<DistributionSpec> brought = DistributionSpec::of(module);
    if (!brought || failed(check(module, *brought)))
      return failure();
    const bool hasTree = !brought->async && !brought->toAggregate;
    return success(!hasTree ||
                   succeeded(checkSumTree(module, brought->microBatches, brought->sumLeaves,
                                          brought->mesh.getSize())));
  }
  std::optional<Resolution> d = resolve(module);
  if (!d)
    return failure();
  Builder builder(module.getContext());
  auto strategy = module->getAttrOfType<graph::StrategyAttr>(GraphDialect::kStrategy);
  StringAttr name = strategy.getName();
  SmallVector<Attribute> stores = llvm::map_to_vector(
      d->stores, [&](DeviceAttr store) -> Attribute { return builder.getStringAttr(store.str()); });
  auto resolved = graph::DistributionAttr::getChecked(
      [&] { return emitError(getSettingLoc(module, kStrategySetting)); }, module.getContext(), name,
      d->mesh, builder.getArrayAttr(stores),
      d->kind == StrategyKind::Mirrored && name != "mirrored", d->async, d->microBatches,
      d->sumLeaves, d->maxStaleness, d->toAggregate, d->fast, d->bucketBytes, d->hosts,
      d->placement == "round_robin" ? StringAttr() : builder.getStringAttr(d->placement),
      d->minShardBytes, d->maxShards, strategy.getDistinctRows(), strategy.getRecoversFromMemory());
  if (!resolved || failed(check(module, *d)))
    return failure();
  for (StringRef asked : kAsked)
    module->removeAttr(asked);
  module->setAttr(GraphDialect::kDistribution, resolved);
  return success();
}

namespace {

struct ResolveStrategyPass : impl::ResolveStrategyBase<ResolveStrategyPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved(); // no operation depends on it: the module need not be verified again
    if (failed(resolveStrategy(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace graphc
