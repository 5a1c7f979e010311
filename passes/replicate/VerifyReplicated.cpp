// verify-replicated: nothing leaves the replica domain but through an aggregate or, where all of it
// is wanted, a collect.
#include "passes/Passes.h"
#include "passes/place/DistributionSpec.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_VERIFYREPLICATED
#include "passes/Passes.h.inc"

namespace {

using graph::getDevice;

struct VerifyReplicatedPass : impl::VerifyReplicatedBase<VerifyReplicatedPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved(); // and the module need not be verified again
    std::optional<DistributionSpec> distribution = DistributionSpec::of(getOperation());
    if (!distribution)
      return signalPassFailure();
    for (auto func : getOperation().getOps<graph::FuncOp>())
      for (Operation &op : func.getBodyBlock())
        if (failed(verifyOp(&op, *distribution,
                            distribution->replicates(func) && !distribution->async)))
          return signalPassFailure();
  }

private:
  /// Where a value is made; arguments are fed to every replica.
  static graph::DeviceAttr deviceOf(Value value, const DistributionSpec &distribution) {
    Operation *def = value.getDefiningOp();
    return def ? getDevice(def) : distribution.replicaDevice;
  }

  /// How many entries count, each end knows by itself.
  static LogicalResult verifyCounts(Operation *op, Value here, Value there,
                                    const DistributionSpec &distribution) {
    if (!here || (deviceOf(here, distribution) == getDevice(op) &&
                  deviceOf(there, distribution) == deviceOf(op->getOperand(0), distribution)))
      return success();
    return op->emitOpError(
        "expected the counts where the value is made and where it comes to, each on its device");
  }

  /// Collects lead from all replicas to one device, deals from there to them. Of one replica both
  /// lead from a device to another.
  LogicalResult verifyPieces(Operation *op, int64_t replicas, const DistributionSpec &distribution,
                             bool replicated) {
    if (replicas == 1 && !replicated) {
      if (deviceOf(op->getOperand(0), distribution) == getDevice(op))
        return op->emitOpError("expected to lead from one device to another");
      return success();
    }
    if (!replicated || distribution.mirrorsVariables() || distribution.toAggregate)
      return op->emitOpError(
          "expected only in functions that run on every replica, with variables on servers");
    if (replicas != distribution.replicas)
      return op->emitOpError("is of ")
             << replicas << " replicas; the domain has " << distribution.replicas;
    Operation *def = op->getOperand(0).getDefiningOp();
    const bool takesReplicas = !def || getDevice(def) == distribution.replicaDevice;
    const bool isOnReplicas = getDevice(op) == distribution.replicaDevice;
    if (takesReplicas != isa<graph::CollectOp>(op) || takesReplicas == isOnReplicas)
      return op->emitOpError("expected to lead from every replica to one device")
             << (isa<graph::CollectOp>(op) ? "" : ", a deal back");
    return success();
  }

  /// What the replicas compute leaves them through an aggregate or a collect alone, and each is of
  /// all of them.
  LogicalResult verifyOp(Operation *op, const DistributionSpec &distribution, bool replicated) {
    if (auto collect = dyn_cast<graph::CollectOp>(op))
      return success(
          succeeded(verifyPieces(op, int64_t(collect.getReplicas()), distribution, replicated)) &&
          succeeded(verifyCounts(op, collect.getCounts(), collect.getCount(), distribution)));
    if (auto deal = dyn_cast<graph::DealOp>(op))
      return success(
          succeeded(verifyPieces(op, int64_t(deal.getReplicas()), distribution, replicated)) &&
          succeeded(verifyCounts(op, deal.getCount(), deal.getCounts(), distribution)));
    if (auto aggregate = dyn_cast<graph::AggregateOp>(op)) {
      if (!replicated)
        return op->emitOpError("expected only in functions that run on every replica");
      if (static_cast<int64_t>(aggregate.getReplicas()) != distribution.replicas)
        return op->emitOpError("sums ")
               << aggregate.getReplicas() << " replicas; the domain has " << distribution.replicas;
      Operation *def = aggregate.getOperand().getDefiningOp();
      if (distribution.mirrorsVariables())
        return success(); // on every replica
      if (getDevice(op) == distribution.replicaDevice ||
          (def && getDevice(def) != distribution.replicaDevice))
        return op->emitOpError("expected to take a value of every replica on one device");
      return success();
    }
    if (!replicated || getDevice(op) == distribution.replicaDevice)
      return success();
    for (Value operand : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (def && getDevice(def) != distribution.replicaDevice)
        continue;
      InFlightDiagnostic diag = op->emitOpError("on \"")
                                << getDevice(op).str()
                                << "\" takes a value of every replica without graph.aggregate";
      diag.attachNote(operand.getLoc()) << "the value is made here";
      return diag;
    }
    return success();
  }
};

} // namespace
} // namespace graphc
