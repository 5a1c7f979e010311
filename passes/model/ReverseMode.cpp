#include "passes/model/ReverseMode.h"
#include "dialects/graph/VariableAccess.h"
#include "dialects/graph/ops/PassOpBuilders.h"

using namespace mlir;

namespace graphc {

using namespace graph;

void GradientListener::notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) {
  if (DeviceAttr device = getDevice(forward))
    setDevice(op, device);
  for (StringRef name : {GraphDialect::kColocateWith, GraphDialect::kName})
    if (Attribute said = forward->getAttr(name))
      op->setAttr(name, said);
  op->setLoc(FusedLoc::get({forward->getLoc(), loss}, {}, op->getContext()));
}

LogicalResult ReverseMode::run() {
  findActive();
  if (!active_.contains(loss_))
    return success();
  listener_.forward = loss_.getDefiningOp();
  contributions_[loss_].push_back(createSplat(builder_, at_->getLoc(), loss_.getType(), 1));
  llvm::DenseSet<Value> reached{loss_};
  for (Operation *op = at_->getPrevNode(); op; op = op->getPrevNode()) {
    if (!llvm::any_of(op->getResults(), [&](Value result) {
          return active_.contains(result) && reached.contains(result);
        }))
      continue;
    listener_.forward = op;
    if (auto read = dyn_cast<ReadOp>(op)) {
      if (stored_.contains(read) && contributions_.contains(read.getResult()))
        return refuseStored(read);
      SmallVector<Value> &of = ofVariables_[read.getVariableAttr().getAttr()];
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

Value ReverseMode::getGradient(VariableOp variable) {
  auto found = ofVariables_.find(variable.getSymNameAttr());
  if (found == ofVariables_.end())
    return {};
  listener_.forward = at_;
  return found->second.empty() ? createSplat(builder_, at_->getLoc(), variable.getType(), 0)
                               : sum(found->second);
}

/// Values through which a change of a target could change the loss: floats computed from reads of
/// the targets, or from reads of a variable in which this step has stored such a float.
void ReverseMode::findActive() {
  llvm::DenseSet<Value> fromTargets, flowing; // flowing: with a gradient by a target
  llvm::DenseMap<StringAttr, Operation *> storing;
  auto anyOperand = [](Operation &op, const llvm::DenseSet<Value> &of) {
    return llvm::any_of(op.getOperands(), [&](Value operand) { return of.contains(operand); });
  };
  for (Operation &op : *at_->getBlock()) {
    if (&op == at_)
      break;
    // Updates by optimizers are no part of a loss: a loss that reads what an earlier minimize has
    // updated takes it as it is.
    if (isUpdate(&op) && !looksAtUpdate(&op)) {
      const StringAttr variable = getVariable(&op).getAttr();
      if (!appliesGradient(&op) && anyOperand(op, flowing))
        storing[variable] = &op;
      else if (getReadVariables(&op).empty()) // nothing of an earlier value is left
        storing.erase(variable);
      continue;
    }
    auto read = dyn_cast<ReadOp>(op);
    const StringAttr name = read ? read.getVariableAttr().getAttr() : StringAttr();
    Operation *store = read ? storing.lookup(name) : nullptr;
    if (store)
      stored_[read] = store;
    const bool isTarget = read && targets_.contains(name);
    const bool isFromTargets = isTarget || anyOperand(op, fromTargets);
    const bool isFlowing = isTarget || store || (!stopsGradient(&op) && anyOperand(op, flowing));
    for (Value result : op.getResults()) {
      if (!isGraphTensor(result.getType(), AnyFloatKind))
        continue;
      if (isFromTargets)
        fromTargets.insert(result);
      if (isFlowing)
        flowing.insert(result);
      if (isFromTargets || isFlowing)
        active_.insert(result);
    }
  }
}

LogicalResult ReverseMode::refuseStored(ReadOp read) {
  InFlightDiagnostic diagnostic =
      read.emitOpError()
      << "makes the loss depend on a value that this step computed from trained variables and stored in @"
      << read.getVariable()
      << ", but no gradient passes through a variable; expected the value itself in place of the read, or "
         "graph.stop_gradient of what is read";
  diagnostic.attachNote(stored_.lookup(read)->getLoc()) << "the value is stored here";
  diagnostic.attachNote(at_->getLoc())
      << (isa<MinimizeOp>(at_) ? "the loss is minimized here" : "its gradients are taken here");
  return diagnostic;
}

LogicalResult ReverseMode::visit(Operation *op) {
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
    needed[index] = active_.contains(operand);
  differentiable.buildGradient(builder_, ofResults, needed, ofOperands);
  for (auto [index, gradient] : llvm::enumerate(ofOperands))
    if (gradient && needed[index])
      contributions_[op->getOperand(index)].push_back(gradient);
  return success();
}

LogicalResult ReverseMode::refuse(Operation *op) {
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << "is not differentiable, but the loss depends on a trained "
                                     "variable through it";
  diagnostic.attachNote(at_->getLoc())
      << (isa<MinimizeOp>(at_) ? "the loss is minimized here" : "its gradients are taken here");
  // One way from here back to a variable.
  Operation *way = op;
  while (way && !isa<ReadOp>(way)) {
    auto from =
        llvm::find_if(way->getOperands(), [&](Value operand) { return active_.contains(operand); });
    way = (*from).getDefiningOp();
    diagnostic.attachNote(way->getLoc())
        << (isa<ReadOp>(way) ? "the variable is read here" : "through this value");
  }
  return diagnostic;
}

/// The sum of a value's gradients in the order in which they came, its last use first; null for
/// none.
Value ReverseMode::takeGradient(Value value) {
  auto found = contributions_.find(value);
  return found == contributions_.end() ? Value() : sum(found->second);
}

Value ReverseMode::sum(ArrayRef<Value> terms) {
  return createGradientSum(builder_, listener_.forward->getLoc(), terms);
}

} // namespace graphc
