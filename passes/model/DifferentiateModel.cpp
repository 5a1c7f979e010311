//===- DifferentiateModel.cpp - reverse mode, updates, global step ----------------------------===//
#include "dialects/graph/DrawInterface.h"
#include "dialects/graph/VariableAccess.h"
#include "dialects/graph/ops/PassOpBuilders.h"
#include "passes/Passes.h"
#include "passes/model/ReverseMode.h"
#include "passes/model/UpdateBuilder.h"
#include "runtime/common/cluster/NamePattern.h"

namespace graphc {
#define GEN_PASS_DEF_DIFFERENTIATEMODEL
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

struct DifferentiateModelPass : graphc::impl::DifferentiateModelBase<DifferentiateModelPass> {
  using Targets = llvm::SetVector<StringAttr>;
  /// what some minimize would train, and whether one does
  llvm::MapVector<VariableOp, bool> wanted;

  /// The variables to train, in declaration order.
  FailureOr<Targets> getTargets(MinimizeOp minimize) {
    Targets targets;
    ArrayRef<Attribute> frozen =
        minimize.getFrozenAttr() ? minimize.getFrozenAttr().getValue() : ArrayRef<Attribute>();
    llvm::DenseSet<Attribute> idle(frozen.begin(), frozen.end());
    for (auto variable : getOperation().getOps<VariableOp>()) {
      auto name = FlatSymbolRefAttr::get(variable.getSymNameAttr());
      bool listed = !minimize.getVariables() || llvm::is_contained(*minimize.getVariables(), name);
      if (!listed || !variable.getTrainable() || !isGraphTensor(variable.getType(), AnyFloatKind))
        continue;
      bool isFrozen = false;
      for (Attribute pattern : frozen)
        if (cluster::matchesPattern(cast<StringAttr>(pattern).getValue(), variable.getSymName())) {
          idle.erase(pattern);
          isFrozen = true;
        }
      if (isFrozen)
        continue;
      if (!isGraphTensor(variable.getType(), FloatKind)) {
        InFlightDiagnostic diagnostic =
            minimize.emitOpError()
            << "would train " << name << ", which is " << variable.getType()
            << "; expected f32 or f64 that is converted where it is read, or trainable = "
               "false";
        diagnostic.attachNote(variable.getLoc()) << "the variable is declared here";
        return diagnostic;
      }
      targets.insert(variable.getSymNameAttr());
    }
    for (Attribute pattern : frozen)
      if (idle.contains(pattern))
        return minimize.emitOpError() << "frozen has the pattern " << pattern
                                      << ", which no variable that would be trained matches";
    if (targets.empty() && !frozen.empty())
      return minimize.emitOpError()
             << "trains nothing: frozen, " << minimize.getFrozenAttr()
             << ", matches every variable that would be trained; leave a pattern out, or the op "
                "where nothing shall be trained";
    return targets;
  }

  /// `isLast`: of its function, whose step is counted once.
  LogicalResult differentiate(MinimizeOp minimize, bool isLast) {
    FailureOr<Targets> targets = getTargets(minimize);
    if (failed(targets))
      return failure();
    ReverseMode reverse(minimize, minimize.getLoss(), *targets);
    if (failed(reverse.run()))
      return failure();
    // All gradients before all updates: none of them sees an updated variable.
    SymbolTable symbols(getOperation());
    SmallVector<std::pair<VariableOp, Value>> gradients;
    for (StringAttr name : *targets) {
      auto variable = symbols.lookup<VariableOp>(name);
      const Value gradient = reverse.getGradient(variable);
      if (gradient)
        gradients.emplace_back(variable, gradient);
      wanted[variable] |= bool(gradient);
    }
    if (gradients.empty()) {
      InFlightDiagnostic diagnostic = minimize.emitOpError()
                                      << "loss depends on no trainable variable";
      if (Operation *producer = minimize.getLoss().getDefiningOp())
        diagnostic.attachNote(producer->getLoc()) << "the loss is computed here";
      return diagnostic;
    }
    if (failed(UpdateBuilder(minimize, symbols).build(gradients, isLast)))
      return failure();
    numUpdated += gradients.size();
    minimize.erase();
    return success();
  }

  LogicalResult differentiate(GradientsOp gradients) {
    Targets targets;
    for (auto name : gradients.getVariables().getAsRange<FlatSymbolRefAttr>())
      targets.insert(name.getAttr());
    ReverseMode reverse(gradients, gradients.getLoss(), targets);
    if (failed(reverse.run()))
      return failure();
    SymbolTable symbols(getOperation());
    OpBuilder builder(gradients);
    for (auto [name, result] : llvm::zip_equal(targets, gradients.getResults())) {
      Value gradient = reverse.getGradient(symbols.lookup<VariableOp>(name));
      result.replaceAllUsesWith(
          gradient ? gradient : createSplat(builder, gradients.getLoc(), result.getType(), 0));
    }
    gradients.erase();
    return success();
  }

  /// Functions that ask for moving averages read those instead of the variables that have one.
  LogicalResult readAverages(FuncOp function) {
    bool any = false;
    for (auto read : function.getBodyBlock().getOps<ReadOp>()) {
      std::string name = getAverageName(read.getVariable());
      if (!SymbolTable::lookupSymbolIn(getOperation(), name))
        continue;
      read.setVariable(name);
      any = true;
    }
    function.setMovingAverages(false);
    if (any)
      return success();
    return function.emitOpError()
           << "has moving_averages, but reads no variable that has one; expected a graph.minimize with "
              "moving_average";
  }

  void sayWhatStays() {
    for (auto [variable, isUpdated] : wanted)
      if (StringRef name = VariableOp(variable).getSymName();
          !isUpdated && name != GraphDialect::kGlobalStep)
        VariableOp(variable).emitRemark()
            << "@" << name << " is not updated: the loss does not depend on it";
  }

  void runOnOperation() override {
    wanted.clear();
    WalkResult made = getOperation().walk([](RepeatOp op) { // its gradient would be dropped
      op.emitOpError(
          "stands in a model, expected none; replicate makes it, by the strategy and its \"micro_batches\"");
      return WalkResult::interrupt();
    });
    if (made.wasInterrupted())
      return signalPassFailure();
    // of an operation without a number the gradient would draw others
    WalkResult drawn = getOperation().walk([](DrawOpInterface draw) {
      if (draw.isNumbered())
        return WalkResult::advance();
      draw->emitOpError("has no number; run number-draws first");
      return WalkResult::interrupt();
    });
    if (drawn.wasInterrupted())
      return signalPassFailure();
    SmallVector<Operation *> losses; // in text order: a loss may be made of gradients
    getOperation().walk([&](Operation *op) {
      if (isa<MinimizeOp, GradientsOp>(op))
        losses.push_back(op);
    });
    llvm::DenseMap<Operation *, Operation *> last; // minimize of each function
    for (Operation *op : losses)
      if (isa<MinimizeOp>(op))
        last[op->getParentOp()] = op;
    for (Operation *op : losses) {
      if (!isa<FuncOp>(op->getParentOp())) {
        op->emitOpError() << "stands in a " << op->getParentOp()->getName()
                          << ", expected a graph.func; run flatten-scopes first";
        return signalPassFailure();
      }
      auto minimize = dyn_cast<MinimizeOp>(op);
      if (failed(minimize ? differentiate(minimize, last.lookup(op->getParentOp()) == op)
                          : differentiate(cast<GradientsOp>(op)))) {
        sayWhatStays(); // which may be why
        return signalPassFailure();
      }
    }
    sayWhatStays();
    for (auto function : getOperation().getOps<FuncOp>())
      if (function.getMovingAverages() && failed(readAverages(function)))
        return signalPassFailure();
    getOperation()->setAttr(GraphDialect::kStage, StringAttr::get(&getContext(), "differentiated"));
  }
};

} // namespace
