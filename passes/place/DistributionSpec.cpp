#include "passes/place/DistributionSpec.h"

using namespace mlir;

namespace graphc {

using graph::DeviceAttr;
using graph::GraphDialect;

static StrategyKind getKind(graph::DistributionAttr attribute) {
  StringRef name = attribute.getStrategy().getValue();
  if (name == "mirrored" || attribute.getInGraph())
    return StrategyKind::Mirrored;
  return name == "in_graph"           ? StrategyKind::InGraph
         : name == "parameter_server" ? StrategyKind::ParameterServer
         : name == "all_reduce"       ? StrategyKind::AllReduce
                                      : StrategyKind::OneDevice;
}

/// Where each replica's own task is meant: the job, where they are of one, and the device that they
/// have in common.
static DeviceAttr getReplicaDevice(graph::MeshAttr mesh) {
  DeviceAttr first = mesh.getPlaces().front();
  bool oneJob = llvm::all_of(mesh.getTasks(), [&](const graph::ReplicaRange &range) {
    return range.job == first.getJob();
  });
  return DeviceAttr::get(mesh.getContext(), oneJob ? first.getJob() : "", -1, first.getKind(),
                         first.getIndex());
}

std::optional<DistributionSpec> DistributionSpec::of(ModuleOp module) {
  DistributionSpec d;
  d.cluster = module->getAttrOfType<graph::ClusterAttr>(GraphDialect::kCluster);
  auto attribute = module->getAttrOfType<graph::DistributionAttr>(GraphDialect::kDistribution);
  if (!d.cluster || !attribute) {
    module.emitError("has no ")
        << (d.cluster ? GraphDialect::kDistribution : GraphDialect::kCluster)
        << "; expected graph.cluster, and graph.distribution, which resolve-strategy makes";
    return std::nullopt;
  }
  d.chief = d.cluster.getChiefDevice();
  d.kind = getKind(attribute);
  d.async = attribute.getAsync();
  d.microBatches = attribute.getMicroBatches();
  d.sumLeaves = attribute.getSumLeaves();
  d.toAggregate = attribute.getReplicasToAggregate();
  d.maxStaleness = attribute.getMaxStaleness();
  d.fast = attribute.getFast();
  d.bucketBytes = attribute.getBucketBytes();
  d.hosts = attribute.getHosts();
  d.distinctRows = attribute.getDistinctRows();
  d.mesh = attribute.getMesh();
  d.replicas = d.isBetweenGraph() ? d.mesh.getSize() : 1;
  if (d.kind == StrategyKind::Mirrored)
    d.towers = d.mesh.getPlaces();
  d.servers = attribute.getInGraph() && attribute.getStrategy() == "parameter_server";
  for (Attribute store : attribute.getStores()) {
    std::string error; // the attribute's verifier has read the name before
    d.stores.push_back(DeviceAttr::get(
        module.getContext(), *graph::DeviceName::parse(cast<StringAttr>(store).getValue(), error)));
  }
  d.replicaDevice = d.replicas > 1 ? getReplicaDevice(d.mesh) : d.mesh.getPlaces().front();
  if (StringAttr placement = attribute.getPlacement())
    d.placement = placement.getValue();
  d.minShardBytes = attribute.getMinShardBytes();
  d.maxShards = attribute.getMaxShards();
  return d;
}

bool varies(Value value, const llvm::DenseSet<Operation *> &varying) {
  return !value.getDefiningOp() || varying.contains(value.getDefiningOp());
}

llvm::DenseSet<Operation *> findVarying(graph::FuncOp func) {
  llvm::DenseSet<Operation *> varying;
  for (Operation &op : func.getBodyBlock())
    if (auto collect = dyn_cast<graph::CollectOp>(op);
        !isa<graph::AggregateOp>(op) && !(collect && collect.getReplicas() > 1) &&
        !graph::looksAtUpdate(&op) &&
        (isa<graph::NextBatchOp, graph::MicroBatchIndexOp, graph::RepeatOp, graph::DealOp>(op) ||
         llvm::any_of(op.getOperands(), [&](Value value) { return varies(value, varying); })))
      varying.insert(&op);
  return varying;
}

StringRef getReductionOf(Type type, StringAttr declared) {
  if (declared)
    return declared.getValue();
  return graph::isGraphTensor(type, graph::FloatKind) ? "mean" : "first_replica";
}

} // namespace graphc
