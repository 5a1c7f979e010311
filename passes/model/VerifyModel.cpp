//===- VerifyModel.cpp - the entry invariant of place -----------------------------------------===//
#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/VariableAccess.h"
#include "passes/Passes.h"
#include "runtime/common/device/DeviceKinds.h"

#include "llvm/ADT/StringMap.h"

namespace graphc {
#define GEN_PASS_DEF_VERIFYMODEL
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

/// Names of one kind ("fetch") in one function, each given once.
struct Names {
  StringRef kind;
  llvm::StringMap<Location> seen;

  LogicalResult add(StringRef name, Location loc) {
    auto [place, isNew] = seen.try_emplace(name, loc);
    if (isNew)
      return success();
    InFlightDiagnostic diagnostic = emitError(loc) << kind << " \"" << name
                                                   << "\" is given twice in this function";
    diagnostic.attachNote(place->second) << "the other one is here";
    return diagnostic;
  }
};

/// Passes know two kinds of ops with state: reads, which are values, and updates, which are loops.
/// Nobody would give a variable to another, nor keep it in order with them.
LogicalResult verifyState(Operation &op) {
  if (isa<ReadOp>(op))
    return success();
  if (FlatSymbolRefAttr name = getVariable(&op); name && !isUpdate(&op))
    return op.emitOpError()
           << "reads or writes @" << name.getValue()
           << ", but is no update (UpdateOpInterface); expected it to take the value of a graph.read";
  if (auto call = dyn_cast<LibraryKernelOpInterface>(op); call && isUpdate(&op))
    for (const device::DeviceKind &kind : device::kinds())
      if (StringRef kernel = call.getLibraryKernel(kind.name); !kernel.empty())
        return op.emitOpError()
               << "is an update that the library's kernel '" << kernel
               << "' serves, which gets no variables; expected StructuredOpInterface or "
                  "ExplicitLoopsOpInterface";
  return success();
}

struct VerifyModelPass : graphc::impl::VerifyModelBase<VerifyModelPass> {
  /// All ops can be computed, none is left that the passes before remove, and no two feeds or
  /// fetches share a name.
  static LogicalResult verify(FuncOp function) {
    Names feeds{"feed", {}}, fetches{"fetch", {}};
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (failed(feeds.add(function.getArgumentName(i), function.getArgument(i).getLoc())))
        return failure();
    Operation *end = function.getBodyBlock().getTerminator();
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (failed(fetches.add(function.getResultName(i), end->getLoc())))
        return failure();
    for (Operation &op : function.getBodyBlock()) {
      if (!mayStandInModel(op.getName()))
        return op.emitOpError()
               << "stands in graph.func @" << function.getSymName()
               << ", expected ops of the graph dialect, or ops that say by its interfaces how they are computed";
      if (failed(verifyState(op)))
        return failure();
      if (isa<CallOp>(op))
        return op.emitOpError() << "is left, expected inline-calls to have removed it";
      if (isa<ScopeOp>(op))
        return op.emitOpError() << "is left, expected flatten-scopes to have removed it";
      if (isa<MinimizeOp>(op))
        return op.emitOpError() << "is left, expected differentiate to have removed it";
      if (auto summary = dyn_cast<SummaryOp>(op))
        if (failed(fetches.add(summary.getName(), op.getLoc())))
          return failure();
      if (auto metric = dyn_cast<MetricOp>(op))
        if (failed(fetches.add(metric.getName(), op.getLoc())))
          return failure();
      if (auto sums = dyn_cast<MetricSumsOp>(op))
        if (failed(fetches.add(sums.getName(), op.getLoc())))
          return failure();
    }
    return success();
  }

  /// What only fills the last batch up counts like any sample where nobody takes the mask.
  static void lookAtMasks(FuncOp function) {
    if (function.getBodyBlock().getOps<MetricOp>().empty())
      return;
    for (auto batch : function.getBodyBlock().getOps<NextBatchOp>())
      if (Value valid = batch.getValid(); valid && valid.use_empty())
        batch.emitRemark(
            "pads its last batch, and nothing takes the mask, its last result: metrics count what only fills "
            "the batch up; give them the mask (graph.metric \"accuracy\", %hit, %valid)");
  }

  void runOnOperation() override {
    markAllAnalysesPreserved(); // and the module need not be verified again
    llvm::DenseMap<Role, FuncOp> byRole;
    for (FuncOp function : getOperation().getOps<FuncOp>()) {
      if (!function.getRole()) {
        function.emitOpError() << "is private and left, expected inline-calls to have removed it";
        return signalPassFailure();
      }
      auto [first, isNew] = byRole.try_emplace(*function.getRole(), function);
      if (!isNew) {
        InFlightDiagnostic diagnostic =
            function.emitOpError()
            << "is the second one of role " << stringifyRole(*function.getRole())
            << "; a run has one function a role, so that this one would never run";
        diagnostic.attachNote(first->second.getLoc()) << "the first one is here";
        return signalPassFailure();
      }
      if (failed(verify(function)))
        return signalPassFailure();
      lookAtMasks(function);
    }
  }
};

} // namespace
