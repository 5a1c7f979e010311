//===- Differentiate.cpp - reverse mode, updates, global step -------------------------------------------------===//
#include "dialects/graph/GraphDialect.h"
#include "passes/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace graphc {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

/// Gives each op made during one op's gradient that op's device, its name and a location that names both sides.
struct GradientListener : OpBuilder::Listener {
  Operation *forward = nullptr;
  Location minimize;

  explicit GradientListener(Location minimize) : minimize(minimize) {}

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (DeviceAttr device = getDevice(forward))
      setDevice(op, device);
    for (StringRef name : {GraphDialect::kColocateWith, GraphDialect::kName})
      if (Attribute said = forward->getAttr(name))
        op->setAttr(name, said);
    op->setLoc(FusedLoc::get({forward->getLoc(), minimize}, {}, op->getContext()));
  }
};

/// The gradients of one loss by the variables it reaches.
class ReverseMode {
public:
  ReverseMode(MinimizeOp minimize, const llvm::SetVector<StringAttr> &targets)
      : minimize(minimize), targets(targets), listener(minimize.getLoc()), builder(minimize, &listener) {}

  LogicalResult run() {
    findActive();
    if (!active.contains(minimize.getLoss()))
      return success();
    listener.forward = minimize.getLoss().getDefiningOp();
    contributions[minimize.getLoss()].push_back(
        createSplat(builder, minimize.getLoc(), minimize.getLoss().getType(), 1));
    llvm::DenseSet<Value> reached{minimize.getLoss()};
    for (Operation *op = minimize->getPrevNode(); op; op = op->getPrevNode()) {
      if (!llvm::any_of(op->getResults(),
                        [&](Value result) { return active.contains(result) && reached.contains(result); }))
        continue;
      listener.forward = op;
      if (auto read = dyn_cast<ReadOp>(op)) {
        SmallVector<Value> &of = ofVariables[read.getVariableAttr().getAttr()];
        if (Value gradient = takeGradient(read.getResult()))
          of.push_back(gradient);
        continue;
      }
      for (Value operand : op->getOperands())
        reached.insert(operand);
      if (failed(visit(op)))
        return failure();
    }
    return success();
  }

  /// The gradient by a variable: null where the loss does not reach it, a zero where it does but nothing flows.
  Value getGradient(VariableOp variable) {
    auto found = ofVariables.find(variable.getSymNameAttr());
    if (found == ofVariables.end())
      return {};
    listener.forward = minimize;
    return found->second.empty() ? createSplat(builder, minimize.getLoc(), variable.getType(), 0) : sum(found->second);
  }

private:
  /// Values through which a change of a target could change the loss: floats computed from reads of the targets.
  void findActive() {
    for (Operation &op : *minimize->getBlock()) {
      if (&op == minimize)
        break;
      auto read = dyn_cast<ReadOp>(op);
      bool isActive = read ? targets.contains(read.getVariableAttr().getAttr())
                           : llvm::any_of(op.getOperands(), [&](Value operand) { return active.contains(operand); });
      if (!isActive)
        continue;
      for (Value result : op.getResults())
        if (isGraphTensor(result.getType(), FloatKind))
          active.insert(result);
    }
  }

  LogicalResult visit(Operation *op) {
    auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
    if (!differentiable)
      return refuse(op);
    SmallVector<Value> ofResults, ofOperands(op->getNumOperands());
    for (Value result : op->getResults())
      ofResults.push_back(takeGradient(result));
    if (llvm::none_of(ofResults, [](Value gradient) { return bool(gradient); }))
      return success();
    llvm::SmallBitVector needed(op->getNumOperands());
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      needed[index] = active.contains(operand);
    differentiable.buildGradient(builder, ofResults, needed, ofOperands);
    for (auto [index, gradient] : llvm::enumerate(ofOperands))
      if (gradient && needed[index])
        contributions[op->getOperand(index)].push_back(gradient);
    return success();
  }

  LogicalResult refuse(Operation *op) {
    InFlightDiagnostic diagnostic = op->emitOpError() << "is not differentiable, but the loss depends on a trained "
                                                         "variable through it";
    diagnostic.attachNote(minimize.getLoc()) << "the loss is minimized here";
    // One way from here back to a variable.
    Operation *at = op;
    while (at && !isa<ReadOp>(at)) {
      auto from = llvm::find_if(at->getOperands(), [&](Value operand) { return active.contains(operand); });
      at = (*from).getDefiningOp();
      diagnostic.attachNote(at->getLoc()) << (isa<ReadOp>(at) ? "the variable is read here" : "through this value");
    }
    return diagnostic;
  }

  /// The sum of a value's gradients in the order in which they came, its last use first; null for none.
  Value takeGradient(Value value) {
    auto found = contributions.find(value);
    return found == contributions.end() ? Value() : sum(found->second);
  }

  Value sum(ArrayRef<Value> terms) {
    Value total = terms.front();
    for (Value term : terms.drop_front())
      total = createAdd(builder, listener.forward->getLoc(), total, term);
    return total;
  }

  MinimizeOp minimize;
  const llvm::SetVector<StringAttr> &targets;
  GradientListener listener;
  OpBuilder builder;
  llvm::DenseSet<Value> active;
  llvm::DenseMap<Value, SmallVector<Value>> contributions;
  llvm::MapVector<StringAttr, SmallVector<Value>> ofVariables;
};

struct DifferentiatePass : graphc::impl::DifferentiateBase<DifferentiatePass> {
  /// The variables to train, in declaration order.
  llvm::SetVector<StringAttr> getTargets(MinimizeOp minimize) {
    llvm::SetVector<StringAttr> targets;
    for (auto variable : getOperation().getOps<VariableOp>()) {
      auto name = FlatSymbolRefAttr::get(variable.getSymNameAttr());
      bool listed = !minimize.getVariables() || llvm::is_contained(*minimize.getVariables(), name);
      if (listed && variable.getTrainable() && isGraphTensor(variable.getType(), FloatKind))
        targets.insert(variable.getSymNameAttr());
    }
    return targets;
  }

  /// The variable of an optimizer's slot: the model's own where it has one of this name, else a new one.
  FailureOr<FlatSymbolRefAttr> getSlot(VariableOp variable, StringRef slot, Operation *&insertAfter,
                                       SymbolTable &symbols) {
    std::string name = (variable.getSymName() + "/" + slot).str();
    if (Operation *existing = symbols.lookup(name)) {
      auto found = dyn_cast<VariableOp>(existing);
      if (!found || found.getType() != variable.getType() || found.getTrainable()) {
        InFlightDiagnostic diagnostic = existing->emitOpError()
                                        << "is in the way of an optimizer's slot, expected a graph.variable of type "
                                        << variable.getType() << " that is not trainable, or no symbol of this name";
        diagnostic.attachNote(variable.getLoc()) << "the slot belongs to this variable";
        return diagnostic;
      }
      insertAfter = found;
      return FlatSymbolRefAttr::get(found.getSymNameAttr());
    }
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfter(insertAfter);
    auto made = VariableOp::create(builder, variable.getLoc(), name, variable.getTensorType(),
                                   ZerosAttr::get(&getContext()), /*trainable=*/false);
    made->setAttr(GraphDialect::kSlotOf, FlatSymbolRefAttr::get(variable.getSymNameAttr()));
    setDevice(made, getDevice(variable));
    symbols.insert(made);
    insertAfter = made;
    return FlatSymbolRefAttr::get(made.getSymNameAttr());
  }

  LogicalResult buildUpdate(MinimizeOp minimize, VariableOp variable, Value gradient, SymbolTable &symbols) {
    auto optimizer = cast<OptimizerAttrInterface>(minimize.getOptimizer());
    SmallVector<FlatSymbolRefAttr> slots;
    Operation *insertAfter = variable;
    for (StringRef slot : optimizer.getSlotNames()) {
      FailureOr<FlatSymbolRefAttr> made = getSlot(variable, slot, insertAfter, symbols);
      if (failed(made))
        return failure();
      slots.push_back(*made);
    }
    OpBuilder builder(minimize);
    Operation *apply = optimizer.buildApply(builder, minimize.getLoc(),
                                            FlatSymbolRefAttr::get(variable.getSymNameAttr()), slots, gradient);
    setDevice(apply, getDevice(variable));
    ++numUpdated;
    return success();
  }

  /// One more update: the counter, which the model may declare itself.
  LogicalResult countStep(MinimizeOp minimize) {
    OpBuilder builder(minimize);
    auto type = RankedTensorType::get({}, builder.getI64Type());
    Operation *existing = SymbolTable::lookupSymbolIn(getOperation(), GraphDialect::kGlobalStep);
    auto counter = dyn_cast_or_null<VariableOp>(existing);
    if (existing && (!counter || counter.getType() != type)) {
      InFlightDiagnostic diagnostic = existing->emitOpError()
                                      << "named 'global_step' must be a graph.variable of type " << type;
      diagnostic.attachNote(minimize.getLoc()) << "the updates made here are counted in it";
      return diagnostic;
    }
    if (!counter) {
      OpBuilder atTop(minimize->getParentOfType<FuncOp>());
      counter = VariableOp::create(atTop, minimize.getLoc(), GraphDialect::kGlobalStep, type,
                                   ZerosAttr::get(&getContext()), /*trainable=*/false);
    }
    Value one = createSplat(builder, minimize.getLoc(), type, 1);
    Operation *add = createIncrement(builder, minimize.getLoc(), GraphDialect::kGlobalStep, one);
    setDevice(one.getDefiningOp(), getDevice(counter));
    setDevice(add, getDevice(counter));
    return success();
  }

  LogicalResult differentiate(MinimizeOp minimize) {
    if (!isa<FuncOp>(minimize->getParentOp()))
      return minimize.emitOpError() << "stands in a " << minimize->getParentOp()->getName()
                                    << ", expected a graph.func; run flatten-scopes first";
    llvm::SetVector<StringAttr> targets = getTargets(minimize);
    ReverseMode reverse(minimize, targets);
    if (failed(reverse.run()))
      return failure();
    // All gradients before all updates: none of them sees an updated variable.
    SymbolTable symbols(getOperation());
    SmallVector<std::pair<VariableOp, Value>> updates;
    for (StringAttr name : targets) {
      auto variable = symbols.lookup<VariableOp>(name);
      if (Value gradient = reverse.getGradient(variable))
        updates.emplace_back(variable, gradient);
      else if (name != GraphDialect::kGlobalStep) // a wrong one is an error, below
        variable.emitRemark() << "@" << name.getValue() << " is not updated: the loss does not depend on it";
    }
    if (updates.empty()) {
      InFlightDiagnostic diagnostic = minimize.emitOpError() << "loss depends on no trainable variable";
      if (Operation *producer = minimize.getLoss().getDefiningOp())
        diagnostic.attachNote(producer->getLoc()) << "the loss is computed here";
      return diagnostic;
    }
    for (auto [variable, gradient] : updates)
      if (failed(buildUpdate(minimize, variable, gradient, symbols)))
        return failure();
    if (failed(countStep(minimize)))
      return failure();
    minimize.erase();
    return success();
  }

  void runOnOperation() override {
    WalkResult made = getOperation().walk([](RepeatOp op) { // its gradient would be dropped
      op.emitOpError("stands in a model, expected none; replicate makes it, by the strategy and its \"micro_batches\"");
      return WalkResult::interrupt();
    });
    if (made.wasInterrupted())
      return signalPassFailure();
    SmallVector<MinimizeOp> minimizes;
    getOperation().walk([&](MinimizeOp op) { minimizes.push_back(op); });
    for (MinimizeOp minimize : minimizes)
      if (failed(differentiate(minimize)))
        return signalPassFailure();
    getOperation()->setAttr(GraphDialect::kStage, StringAttr::get(&getContext(), "differentiated"));
  }
};

} // namespace
