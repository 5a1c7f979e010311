// What the module says about the cluster and the strategy, in one place for place, replicate and
// partition.
#ifndef GRAPHC_PASSES_PLACE_DISTRIBUTIONSPEC_H
#define GRAPHC_PASSES_PLACE_DISTRIBUTIONSPEC_H

#include "dialects/graph/GraphDialect.h"
#include "passes/place/DeviceSet.h"

namespace graphc {

enum class StrategyKind {
  OneDevice,
  InGraph,         ///< one copy of the model over several devices
  Mirrored,        ///< in-graph data parallel: a tower a device, one client
  ParameterServer, ///< between-graph: every worker drives its own lanes
  /// between-graph: every worker keeps the variables, sums of gradients travel among them
  AllReduce,
};

/// The strategy of a module as its one attribute, graph.distribution, says it.
struct DistributionSpec {
  StrategyKind kind = StrategyKind::OneDevice;
  bool async = false;
  int64_t microBatches = 1; ///< of a step, of all replicas or towers together
  int64_t sumLeaves = 1; ///< of the tree of a sum over them (runtime/common/plan/SumTree.h)
  /// sync: the first so many replicas of each step count (backup workers); 0: all wait for all
  int64_t toAggregate = 0;
  /// async: steps that a replica may be ahead of the slowest; -1: any number
  int64_t maxStaleness = -1;
  bool fast = false; ///< all_reduce: sums need not be made by the tree
  int64_t bucketBytes = 0; ///< all_reduce: gradients leave together up to about this size
  /// all_reduce: replicas in a row share one, so that sums may be made within each first
  int64_t hosts = 1;
  graph::ClusterAttr cluster;
  graph::DeviceAttr chief; ///< the full device of the task that drives the run
  graph::MeshAttr mesh; ///< who computes; the axis "data" counts replicas or towers
  int64_t replicas = 1;
  /// Mirrored: of the towers, in the order of the sums
  llvm::SmallVector<graph::DeviceAttr> towers;
  bool servers = false; ///< variables live on parameter servers
  /// where variables go whose place nothing else decides
  llvm::SmallVector<graph::DeviceAttr> stores;
  /// Where ops of every replica stand: without a task for more than one replica ("each replica's
  /// own task").
  graph::DeviceAttr replicaDevice;
  mlir::StringRef placement = "round_robin"; ///< how variables are dealt to `stores`
  int64_t minShardBytes = 0, maxShards = 0; ///< of the placement "split"
  /// Each number's row of a table elsewhere travels once, in messages of an actual size, and not a
  /// row for each number.
  bool distinctRows = false;

  /// Reads graph.cluster and graph.distribution; emits an error and returns nullopt where there are
  /// none.
  static std::optional<DistributionSpec> of(mlir::ModuleOp module);

  /// Whether this function is cut into towers: several on one device, or some on each device of
  /// `towers`.
  bool hasTowers(graph::FuncOp func) const {
    return func.getRole() == graph::Role::Train &&
           (kind == StrategyKind::Mirrored || getMicroBatchesEach() > 1);
  }
  /// Who share the micro-batches of a step: replicas, or the devices of towers.
  int64_t getSharers() const {
    return kind == StrategyKind::Mirrored ? int64_t(towers.size()) : replicas;
  }
  int64_t getMicroBatchesEach() const { return microBatches / getSharers(); }
  /// Micro-batches whose values are added one after another before the tree joins them; backup
  /// workers: all of a replica.
  int64_t getMicroBatchesOfLeaf() const {
    return toAggregate ? getMicroBatchesEach() : microBatches / sumLeaves;
  }
  /// Whether this function runs once a replica, on `replicaDevice`.
  bool replicates(graph::FuncOp func) const {
    return isBetweenGraph() && replicas > 1 && func.getRole() == graph::Role::Train;
  }
  /// Where arguments come in and results go out.
  graph::DeviceAttr homeOf(graph::FuncOp func) const {
    return isBetweenGraph() && func.getRole() == graph::Role::Train ? replicaDevice : chief;
  }
  bool isBetweenGraph() const {
    return kind == StrategyKind::ParameterServer || kind == StrategyKind::AllReduce;
  }
  /// Variables live on the tasks of job ps.
  bool hasServers() const { return servers || kind == StrategyKind::ParameterServer; }
  /// Every replica keeps a copy of every variable; the chief's is the one that is saved and
  /// evaluated.
  bool mirrorsVariables() const { return kind == StrategyKind::AllReduce && replicas > 1; }
  /// Whether an operation of this device may use the variable's memory.
  bool holds(graph::DeviceAttr device, graph::VariableOp variable) const {
    graph::DeviceAttr own = graph::getDevice(variable);
    return device == own || (mirrorsVariables() && own == replicaDevice && device == chief);
  }
};

/// Gradients leave in buckets of about so many bytes where nothing else is said: large enough that
/// a message's fixed cost vanishes, small enough that the first leaves early.
inline constexpr int64_t kBucketBytes = int64_t(4) << 20;

/// What depends on a replica's own batch or feeds, but by way of a sum over all replicas or of a
/// mean that updates take: the rest is the same on each of them.
llvm::DenseSet<mlir::Operation *> findVarying(graph::FuncOp func);
/// Whether what such an operation makes, or an argument, which is fed to each replica.
bool varies(mlir::Value value, const llvm::DenseSet<mlir::Operation *> &varying);

/// "mean", "sum" or "first_replica" of a result or summary: what is declared, else mean of floats
/// and else the first.
mlir::StringRef getReductionOf(mlir::Type type, mlir::StringAttr declared);

} // namespace graphc

#endif // GRAPHC_PASSES_PLACE_DISTRIBUTIONSPEC_H
