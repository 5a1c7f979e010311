#include "passes/place/Strategy.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace graphc {

using graph::DeviceAttr;
using graph::GraphDialect;

/// By default the replicas are the chief's job and the workers, in this order, as in TensorFlow.
static graph::ReplicasAttr getDefaultDomain(graph::ClusterAttr cluster) {
  SmallVector<Attribute> ranges;
  for (StringRef job : {"chief", "worker"})
    if (int64_t tasks = cluster.getTasks(job))
      ranges.push_back(StringAttr::get(cluster.getContext(),
                                       "/job:" + job + "/task:0" + (tasks > 1 ? "-" + Twine(tasks - 1) : Twine())));
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

/// A setting that cluster.json may hold and no pass carries out; "" where there is none.
static StringRef getUnsupported(graph::StrategyAttr strategy) {
  if (strategy.getReplicasToAggregate() > 0)
    return "replicas_to_aggregate";
  if (strategy.getInGraph() && strategy.getName() == "parameter_server")
    return "replication: in_graph";
  return "";
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
  d.chief = DeviceAttr::get(context, chief.getJob(), chief.getTask() < 0 ? 0 : chief.getTask(), "CPU", 0);
  d.replicaDevice = d.chief;
  d.async = strategy.getAsync();
  d.microBatches = strategy.getMicroBatches();
  d.maxStaleness = strategy.getMaxStaleness();
  StringRef name = strategy.getName().getValue();
  if (name == "one_device") {
    d.kind = StrategyKind::OneDevice;
  } else if (name == "in_graph") {
    d.kind = StrategyKind::InGraph;
  } else if (name == "parameter_server") {
    d.kind = StrategyKind::ParameterServer;
    if (d.cluster.getTasks("ps") == 0) {
      module.emitError("strategy parameter_server needs a job \"ps\"; the cluster has the jobs ")
          << listJobs(d.cluster);
      return std::nullopt;
    }
    d.domain = module->getAttrOfType<graph::ReplicasAttr>(GraphDialect::kReplicas);
    if (!d.domain)
      d.domain = getDefaultDomain(d.cluster);
    if (!d.domain || d.domain.getSize() == 0) {
      module.emitError(
          "strategy parameter_server needs a job \"worker\" (or \"chief\") to compute; the cluster has the "
          "jobs ")
          << listJobs(d.cluster);
      return std::nullopt;
    }
    d.replicas = d.domain.getSize();
    if (d.replicas > 1) {
      StringRef job;
      bool oneJob = true;
      for (Attribute range : d.domain.getRanges()) {
        StringRef text = cast<StringAttr>(range).getValue();
        text.consume_front("/job:");
        StringRef here = text.take_until([](char c) { return c == '/'; });
        oneJob &= job.empty() || job == here;
        job = here;
      }
      d.replicaDevice = DeviceAttr::get(context, oneJob ? job : "", -1, "CPU", 0);
    }
  } else if (name == "mirrored" || name == "all_reduce") {
    module.emitError("strategy ") << name
                                  << " is not part of this version; expected one_device, in_graph or "
                                     "parameter_server";
    return std::nullopt;
  } else {
    module.emitError("unknown strategy \"")
        << name << "\"; expected one_device, in_graph, mirrored, parameter_server or all_reduce";
    return std::nullopt;
  }
  if (StringRef setting = getUnsupported(strategy); !setting.empty()) {
    module.emitError("setting ") << setting << " of strategy " << name << " is not part of this version; leave it out";
    return std::nullopt;
  }
  if (d.microBatches > 1 && d.kind != StrategyKind::OneDevice) {
    module.emitError("micro_batches = ") << d.microBatches << " is part of strategy one_device; \"" << name
                                         << "\" takes its batches from the replicas";
    return std::nullopt;
  }
  return d;
}

FlatSymbolRefAttr getVariable(Operation *op) {
  return llvm::TypeSwitch<Operation *, FlatSymbolRefAttr>(op)
      .Case<graph::ReadOp, graph::AssignOp, graph::AssignAddOp, graph::ApplySgdOp, graph::ApplyMomentumOp>(
          [](auto state) { return state.getVariableAttr(); })
      .Default(FlatSymbolRefAttr());
}

bool appliesGradient(Operation *op) { return isa<graph::ApplySgdOp, graph::ApplyMomentumOp>(op); }
bool isUpdate(Operation *op) { return appliesGradient(op) || isa<graph::AssignOp, graph::AssignAddOp>(op); }
OpOperand &getUpdateOperand(Operation *op) { return op->getOpOperand(0); }

bool isRematerializable(Operation *op) { return op->getNumOperands() == 0 && isPure(op); }

StringRef getReductionOf(Type type, StringAttr declared) {
  if (declared)
    return declared.getValue();
  return isa<FloatType>(getElementTypeOrSelf(type)) ? "mean" : "first_replica";
}

} // namespace graphc
