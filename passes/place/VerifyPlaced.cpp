// verify-placed: the invariants that hold after place and until partition.
#include "passes/Passes.h"
#include "passes/place/DeviceSet.h"
#include "passes/place/DistributionSpec.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_VERIFYPLACED
#include "passes/Passes.h.inc"

namespace {

using graph::DeviceAttr;
using graph::getDevice;

struct VerifyPlacedPass : impl::VerifyPlacedBase<VerifyPlacedPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved(); // and the module need not be verified again
    ModuleOp module = getOperation();
    std::optional<DistributionSpec> distribution = DistributionSpec::of(module);
    if (!distribution)
      return signalPassFailure();
    DeviceSet devices(distribution->cluster);
    llvm::DenseMap<StringAttr, graph::VariableOp> variables;
    for (auto variable : module.getOps<graph::VariableOp>()) {
      variables[variable.getSymNameAttr()] = variable;
      DeviceAttr device = getDevice(variable);
      bool mirrored = distribution->mirrorsVariables() && device == distribution->replicaDevice;
      if (!device || !(mirrored || devices.contains(device))) {
        variable.emitOpError("expected a device of the cluster after place, found ")
            << text(device);
        return signalPassFailure();
      }
    }
    for (auto func : module.getOps<graph::FuncOp>()) {
      if (failed(verifyDevice(func, func, *distribution, devices)))
        return signalPassFailure();
      for (Operation &op : func.getBodyBlock())
        if (failed(verifyDevice(&op, func, *distribution, devices)) ||
            failed(verifyState(&op, *distribution, variables)))
          return signalPassFailure();
      for (auto repeat : func.getBodyBlock().getOps<graph::RepeatOp>())
        // where nothing else is said, on the loop's own
        for (Operation &op : repeat.getBody().front())
          if (getDevice(&op) && failed(verifyDevice(&op, func, *distribution, devices)))
            return signalPassFailure();
    }
  }

private:
  static std::string text(DeviceAttr device) {
    return device ? "\"" + device.str() + "\"" : "none";
  }

  /// A full device of the cluster or, in a function that every replica runs, the replica's own.
  LogicalResult verifyDevice(Operation *op, graph::FuncOp func,
                             const DistributionSpec &distribution, const DeviceSet &devices) {
    if (isa<graph::ScopeOp, graph::MinimizeOp>(op))
      return op->emitOpError("expected to be gone after place");
    DeviceAttr device = getDevice(op);
    bool inDomain = distribution.replicates(func) && device == distribution.replicaDevice;
    if (!device || !(inDomain || devices.contains(device)))
      return op->emitOpError("expected a device of the cluster after place, found ")
             << text(device);
    return success();
  }

  /// State is read and written where it is stored, slots with their variable.
  LogicalResult verifyState(Operation *op, const DistributionSpec &distribution,
                            const llvm::DenseMap<StringAttr, graph::VariableOp> &variables) {
    for (FlatSymbolRefAttr name : graph::getVariables(op)) {
      graph::VariableOp variable = variables.lookup(name.getAttr());
      if (distribution.holds(getDevice(op), variable))
        continue;
      InFlightDiagnostic diag = op->emitOpError("is on ")
                                << text(getDevice(op)) << ", but its variable @" << name.getValue()
                                << " is on " << text(getDevice(variable));
      diag.attachNote(variable.getLoc()) << "variable declared here";
      return diag;
    }
    return success();
  }
};

} // namespace
} // namespace graphc
