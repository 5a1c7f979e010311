//===- AttachCluster.cpp - what a module knows about machines ---------------------------------===//
#include "passes/compiler/AttachCluster.h"

#include "dialects/dist/DistDialect.h"
#include "dialects/graph/GraphDialect.h"
#include "passes/place/DistributionSpec.h"
#include "passes/place/SettingLocation.h"
#include "runtime/common/cluster/ClusterConfig.h"
#include "runtime/common/cluster/StrategyRules.h"
#include "runtime/common/device/DeviceKinds.h"
#include "runtime/common/plan/SumTree.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace graphc {

using graph::DeviceAttr;
using graph::GraphDialect;

/// What a cluster attribute holds of one job.
struct JobCounts {
  int64_t tasks = 0;
  SmallVector<std::string> devices; ///< of each task; none: the host's first
};

static graph::ClusterAttr makeCluster(MLIRContext *context,
                                      const llvm::MapVector<StringRef, JobCounts> &jobs,
                                      DeviceAttr chief) {
  Builder builder(context);
  SmallVector<NamedAttribute> tasks, devices;
  for (auto &[job, counts] : jobs) {
    tasks.emplace_back(builder.getStringAttr(job), builder.getI64IntegerAttr(counts.tasks));
    SmallVector<StringRef> names(counts.devices.begin(), counts.devices.end());
    if (names.size() > 1 || (names.size() == 1 && names.front() != device::hostDevice()))
      devices.emplace_back(builder.getStringAttr(job), builder.getStrArrayAttr(names));
  }
  return graph::ClusterAttr::get(context, tasks, devices, chief);
}

/// Whether each number's row of a table elsewhere travels once: on one host bytes cost less than
/// what makes numbers distinct.
static bool sendsDistinctRows(const cluster::ClusterConfig &config) {
  const cluster::StrategyConfig &strategy = config.strategy;
  if (strategy.kind == cluster::StrategyKind::OneDevice ||
      (strategy.kind == cluster::StrategyKind::AllReduce &&
       strategy.replication == cluster::ReplicationMode::BetweenGraph))
    return false; // no rows travel
  return strategy.embeddingRows ? *strategy.embeddingRows == cluster::EmbeddingRows::Distinct
                                : !config.tasksShareHost();
}

/// `fast`: sums that are faster than those in replica order are wanted, and there are some.
/// `hosts`: within which sums may be made first.
static graph::StrategyAttr makeStrategy(MLIRContext *context, const cluster::ClusterConfig &config,
                                        bool fast, uint32_t hosts) {
  const cluster::StrategyConfig &strategy = config.strategy;
  Builder builder(context);
  std::string_view name = strategy.name();
  SmallVector<Attribute> devices;
  for (const cluster::DeviceSpec &device : strategy.devices)
    devices.push_back(builder.getStringAttr(device.str()));
  return graph::StrategyAttr::get(
      context, builder.getStringAttr(StringRef(name.data(), name.size())),
      strategy.kind == cluster::StrategyKind::ParameterServer &&
          strategy.update == cluster::UpdateMode::Async,
      strategy.microBatches.value_or(0), strategy.sumLeaves.value_or(0),
      strategy.replication == cluster::ReplicationMode::InGraph,
      devices.empty() ? ArrayAttr() : builder.getArrayAttr(devices),
      strategy.maxStaleness ? int64_t(*strategy.maxStaleness) : -1,
      strategy.replicasToAggregate.value_or(0), fast, int64_t(strategy.bucketBytes.value_or(0)),
      int64_t(hosts), sendsDistinctRows(config),
      strategy.recovery == cluster::RecoveryMode::Memory && config.replicaCount() > 1);
}

static void attach(ModuleOp module, const cluster::ClusterConfig &config) {
  MLIRContext *context = module.getContext();
  Builder builder(context);
  llvm::MapVector<StringRef, JobCounts> jobs;
  for (const cluster::JobConfig &job : config.jobs)
    jobs[job.name] = {job.tasks, {job.devices.begin(), job.devices.end()}};
  cluster::TaskRef chief = config.chief();
  module->setAttr(
      GraphDialect::kCluster,
      makeCluster(context, jobs, DeviceAttr::get(context, chief.job, chief.index, "", -1)));
  const cluster::StrategyConfig &strategy = config.strategy;
  for (StringRef before : // of a run before, whose text this module was
       {GraphDialect::kSettings, GraphDialect::kDistribution, GraphDialect::kReplicas,
        GraphDialect::kVariablePlacement, GraphDialect::kMinShardBytes, GraphDialect::kMaxShards,
        GraphDialect::kPlacement, GraphDialect::kLinks})
    module->removeAttr(before);
  const bool fast = strategy.order == cluster::ReduceOrder::Fast,
             oneHost = config.replicasShareHost();
  const bool sumsTogether = strategy.kind == cluster::StrategyKind::AllReduce &&
                            strategy.replication == cluster::ReplicationMode::BetweenGraph;
  const uint32_t hosts = sumsTogether ? config.hostsOfSums() : 1;
  module->setAttr(GraphDialect::kStrategy,
                  makeStrategy(context, config, fast && !oneHost && hosts == 1, hosts));
  addSettingLoc(module, kStrategySetting, strategy.file.empty() ? config.file : strategy.file,
                strategy.position.line, strategy.position.column);
  if (fast && (oneHost || hosts > 1))
    emitRemark(getSettingLoc(module, kStrategySetting))
        << (oneHost
                ? "the cluster has no addresses of several hosts, and on one host the order \"reproducible\" is the "
                  "fastest"
                : "sums can be made within each host first, which the order \"reproducible\" does as well")
        << ": it takes the place of \"fast\"";
  if (strategy.kind == cluster::StrategyKind::ParameterServer ||
      strategy.kind == cluster::StrategyKind::AllReduce) {
    SmallVector<Attribute> ranges;
    for (const cluster::TaskRange &range : config.replicas())
      ranges.push_back(builder.getStringAttr(range.str()));
    module->setAttr(GraphDialect::kReplicas,
                    graph::ReplicasAttr::get(context, builder.getArrayAttr(ranges)));
    if (strategy.placement == cluster::VariablePlacement::Balanced)
      module->setAttr(GraphDialect::kVariablePlacement, builder.getStringAttr("balanced"));
    if (strategy.placement == cluster::VariablePlacement::Split)
      module->setAttr(GraphDialect::kVariablePlacement, builder.getStringAttr("split"));
    if (strategy.minShardBytes)
      module->setAttr(GraphDialect::kMinShardBytes,
                      builder.getI64IntegerAttr(int64_t(*strategy.minShardBytes)));
    if (strategy.maxShards)
      module->setAttr(GraphDialect::kMaxShards, builder.getI64IntegerAttr(*strategy.maxShards));
  }
  auto deviceAttr = [&](const cluster::DeviceSpec &device) {
    return DeviceAttr::get(context, device.job.value_or(""),
                           device.task ? int64_t(*device.task) : -1, device.type.value_or(""),
                           device.index ? int64_t(*device.index) : -1);
  };
  SmallVector<Attribute> rules, links;
  for (const cluster::PlacementRule &rule : config.placement) {
    addSettingLoc(module, getRuleSetting(rules.size()), config.file, rule.position.line,
                  rule.position.column);
    rules.push_back(
        builder.getArrayAttr({builder.getStringAttr(rule.name), deviceAttr(rule.device)}));
  }
  if (!rules.empty())
    module->setAttr(GraphDialect::kPlacement, builder.getArrayAttr(rules));
  for (const cluster::LinkConfig &link : config.links)
    links.push_back(builder.getArrayAttr({deviceAttr(link.from), deviceAttr(link.to),
                                          builder.getF64FloatAttr(link.gigabitsPerSecond),
                                          builder.getF64FloatAttr(link.latencyMicroseconds)}));
  if (!links.empty())
    module->setAttr(GraphDialect::kLinks, builder.getArrayAttr(links));
  if (strategy.recovery == cluster::RecoveryMode::Memory && config.replicaCount() < 2)
    emitRemark(getSettingLoc(module, kStrategySetting))
        << "\"recovery\": \"memory\" is for two workers or more: with one no other has what is lost, and a run goes on "
           "from its last checkpoint";
}

LogicalResult attachFromPrograms(ModuleOp module) {
  MLIRContext *context = module.getContext();
  Builder builder(context);
  auto cluster = module->getAttrOfType<graph::ClusterAttr>(GraphDialect::kCluster);
  llvm::MapVector<StringRef, JobCounts> jobs;
  DeviceAttr chief; // of the cluster that is made here
  // the job and the number of its tasks that are replicas
  std::pair<std::string, int64_t> replicaDomain;
  auto note = [&](DeviceAttr device, int64_t tasks) {
    JobCounts &counts = jobs[device.getJob()];
    counts.tasks = std::max(counts.tasks, tasks);
    for (int64_t i = 0; i <= device.getIndex(); ++i)
      if (std::string name = device.getKind().str() + ":" + std::to_string(i);
          !llvm::is_contained(counts.devices, name))
        counts.devices.push_back(name);
  };
  for (auto variable : module.getOps<graph::VariableOp>())
    if (DeviceAttr device = graph::getDevice(variable); device && device.getTask() >= 0)
      note(device, device.getTask() + 1);
  for (auto program : module.getOps<dist::ProgramOp>()) {
    std::string error;
    std::optional<graph::DeviceName> name = graph::DeviceName::parse(program.getDevice(), error);
    assert(name && "dist.program's verifier has read it");
    if (name->job.empty())
      return program.emitOpError("is on \"")
             << program.getDevice() << "\", which names no job; give "
             << (cluster ? "the strategy as graph.strategy of the module"
                         : "the cluster by --partition");
    const bool spread = !name->task;
    auto device = DeviceAttr::get(context, *name);
    note(device, spread ? program.getReplicas() : device.getTask() + 1);
    DeviceAttr task =
        DeviceAttr::get(context, device.getJob(), spread ? 0 : device.getTask(), "", -1);
    if (!chief || !program.getBlock().getOps<dist::ControlSendOp>().empty())
      chief = task;
    if (spread && replicaDomain.first.empty())
      replicaDomain = {name->job, program.getReplicas()};
  }
  if (!cluster)
    module->setAttr(GraphDialect::kCluster, cluster = makeCluster(context, jobs, chief));
  bool collective = llvm::any_of(module.getOps<dist::ChannelOp>(),
                                 [](dist::ChannelOp c) { return c.getAllToAll(); });
  bool async = llvm::any_of(module.getOps<dist::PhaseOp>(),
                            [](dist::PhaseOp phase) { return phase.getEndsByEndOfStream(); });
  const char *strategy = replicaDomain.first.empty() ? "in_graph"
                         : collective                ? "all_reduce"
                                                     : "parameter_server";
  llvm::SetVector<Attribute> stores;
  for (auto variable : module.getOps<graph::VariableOp>())
    if (DeviceAttr device = graph::getDevice(variable); device && device.isFull())
      stores.insert(builder.getStringAttr(device.str()));
  DeviceAttr home = cluster.getChiefDevice();
  SmallVector<DeviceAttr> replicas;
  for (int64_t task = 0; task < replicaDomain.second; ++task)
    replicas.push_back(cluster.getDevices(replicaDomain.first, task).front());
  if (replicas.empty())
    replicas.push_back(home);
  const auto batches = int64_t(replicas.size());
  const int64_t leaves =
      async ? 1 : int64_t(plan::defaultSumLeaves(uint64_t(batches), uint64_t(batches)));
  if (stores.empty())
    stores.insert(builder.getStringAttr(home.str()));
  module->setAttr(
      GraphDialect::kDistribution,
      graph::DistributionAttr::get(
          context, builder.getStringAttr(strategy), graph::MeshAttr::get(context, "data", replicas),
          builder.getArrayAttr(stores.getArrayRef()), /*in_graph=*/false, async, batches, leaves,
          /*max_staleness=*/-1, /*replicas_to_aggregate=*/0, /*fast=*/false, /*bucket_bytes=*/0,
          /*hosts=*/1, StringAttr(), /*min_shard_bytes=*/0, /*max_shards=*/0,
          /*distinct_rows=*/false, /*recovers_from_memory=*/false));
  return success();
}

std::string findMisfitOf(const cluster::ClusterConfig &config) {
  std::optional<cluster::SettingConflict> misfit = cluster::findMisfit(config.strategy);
  return misfit ? misfit->message : "";
}

bool isSupported(const cluster::ClusterConfig &config, const DiagnosticSink &sink) {
  auto refuseAt = [&](const std::string &file, base::JsonPosition position,
                      const std::string &why) {
    graphc::Diagnostic error;
    error.file = file;
    error.line = position.line;
    error.column = position.column;
    error.message = why;
    sink(error);
    return false;
  };
  const cluster::StrategyConfig &strategy = config.strategy;
  // of a program: a file was refused as it was read
  if (std::string misfit = findMisfitOf(config); !misfit.empty())
    return refuseAt(strategy.file.empty() ? config.file : strategy.file, strategy.position, misfit);
  for (const cluster::JobConfig &job : config.jobs) {
    auto refuse = [&](const std::string &why) {
      return refuseAt(config.file, job.position, "job \"" + job.name + "\" " + why);
    };
    for (const std::string &name : job.devices)
      if (const device::DeviceKind *kind = device::findKind(device::kindOf(name));
          !kind || !kind->hasCode())
        return refuse("has the device " + name + "; this version compiles for " +
                      device::listCompiledKinds() + " and for no " +
                      std::string(device::kindOf(name)) + ": leave it out of \"devices\"");
    for (const std::string &device : job.devices) {
      const std::string kind(device::kindOf(device));
      int64_t count = llvm::count_if(
          job.devices, [&](const std::string &other) { return device::kindOf(other) == kind; });
      for (int64_t i = 0; i < count; ++i)
        if (std::string name = kind + ":" + std::to_string(i);
            !llvm::is_contained(job.devices, name))
          return refuse("has " + std::to_string(job.devices.size()) + " devices and no " + name +
                        "; the " + kind + "s of a task are counted from " + kind +
                        ":0 without a gap");
    }
  }
  return true;
}

LogicalResult attachCluster(ModuleOp module, const cluster::ClusterConfig &config,
                            bool softPlacement, const DiagnosticSink &sink) {
  if (!isSupported(config, sink))
    return failure();
  attach(module, config);
  if (softPlacement)
    module->setAttr(GraphDialect::kSoftPlacement, UnitAttr::get(module.getContext()));
  return success();
}

} // namespace graphc
