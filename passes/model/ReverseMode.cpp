#include "passes/model/ReverseMode.h"
#include "dialects/graph/ops/CreatedOps.h"

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
  if (!active.contains(loss))
    return success();
  listener.forward = loss.getDefiningOp();
  contributions[loss].push_back(createSplat(builder, at->getLoc(), loss.getType(), 1));
  llvm::DenseSet<Value> reached{loss};
  for (Operation *op = at->getPrevNode(); op; op = op->getPrevNode()) {
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

Value ReverseMode::getGradient(VariableOp variable) {
  auto found = ofVariables.find(variable.getSymNameAttr());
  if (found == ofVariables.end())
    return {};
  listener.forward = at;
  return found->second.empty() ? createSplat(builder, at->getLoc(), variable.getType(), 0) : sum(found->second);
}

/// Values through which a change of a target could change the loss: floats computed from reads of the targets.
void ReverseMode::findActive() {
  for (Operation &op : *at->getBlock()) {
    if (&op == at)
      break;
    auto read = dyn_cast<ReadOp>(op);
    bool isActive = read ? targets.contains(read.getVariableAttr().getAttr())
                         : llvm::any_of(op.getOperands(), [&](Value operand) { return active.contains(operand); });
    if (!isActive)
      continue;
    for (Value result : op.getResults())
      if (isGraphTensor(result.getType(), AnyFloatKind))
        active.insert(result);
  }
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
    needed[index] = active.contains(operand);
  differentiable.buildGradient(builder, ofResults, needed, ofOperands);
  for (auto [index, gradient] : llvm::enumerate(ofOperands))
    if (gradient && needed[index])
      contributions[op->getOperand(index)].push_back(gradient);
  return success();
}

LogicalResult ReverseMode::refuse(Operation *op) {
  InFlightDiagnostic diagnostic = op->emitOpError() << "is not differentiable, but the loss depends on a trained "
                                                       "variable through it";
  diagnostic.attachNote(at->getLoc()) << (isa<MinimizeOp>(at) ? "the loss is minimized here"
                                                              : "its gradients are taken here");
  // One way from here back to a variable.
  Operation *way = op;
  while (way && !isa<ReadOp>(way)) {
    auto from = llvm::find_if(way->getOperands(), [&](Value operand) { return active.contains(operand); });
    way = (*from).getDefiningOp();
    diagnostic.attachNote(way->getLoc()) << (isa<ReadOp>(way) ? "the variable is read here" : "through this value");
  }
  return diagnostic;
}

/// The sum of a value's gradients in the order in which they came, its last use first; null for none.
Value ReverseMode::takeGradient(Value value) {
  auto found = contributions.find(value);
  return found == contributions.end() ? Value() : sum(found->second);
}

Value ReverseMode::sum(ArrayRef<Value> terms) { return createGradientSum(builder, listener.forward->getLoc(), terms); }

} // namespace graphc
