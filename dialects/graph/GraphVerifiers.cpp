//===- GraphVerifiers.cpp - what the types alone do not say ---------------------------------------------------===//
//
// The numbers are those of the constraints in each op's description. Where another op is to blame as well, a note points
// at it.
//
//===----------------------------------------------------------------------------------------------------------===//
#include "dialects/graph/CarriedAttributes.h"
#include "dialects/graph/GraphDialect.h"

using namespace mlir;
using namespace graphc::graph;

static LogicalResult verifyName(Operation *op, StringRef name) {
  std::string defect = findNameDefect(name);
  if (defect.empty())
    return success();
  return op->emitOpError() << "name " << defect;
}

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------------------------------------------===//
// Elementwise and shape
//===----------------------------------------------------------------------------------------------------------===//

// (C1) truth values have no order
LogicalResult CompareOp::verify() {
  if (tensorOf(getLhs()).getElementType().isInteger(1) && getRelation() != Comparison::EQ &&
      getRelation() != Comparison::NE)
    return emitOpError() << "relation of i1 operands must be eq or ne, got " << stringifyComparison(getRelation());
  return success();
}

// (C1) dimension is one of the result's
LogicalResult IotaOp::verify() {
  RankedTensorType type = tensorOf(getResult());
  if (int64_t(getDimension()) >= type.getRank())
    return emitOpError() << "dimension " << getDimension() << " is not one of the result's, which is " << type;
  return success();
}

static LogicalResult verifySameElement(Operation *op, Value operand, Value result) {
  if (tensorOf(operand).getElementType() == tensorOf(result).getElementType())
    return success();
  return op->emitOpError() << "operand and result must have the same element type, got " << operand.getType() << " and "
                           << result.getType();
}

// (C1) same element type   (C2) same number of elements
LogicalResult ReshapeOp::verify() {
  if (failed(verifySameElement(*this, getOperand(), getResult())))
    return failure();
  int64_t from = tensorOf(getOperand()).getNumElements(), to = tensorOf(getResult()).getNumElements();
  if (from != to)
    return emitOpError() << "operand and result must have the same number of elements, got " << from << " and " << to;
  return success();
}

// (C1) same element type   (C2) broadcast_dimensions: one entry a dimension, strictly increasing, the result's
// (C3) each dimension is 1 or as long as the result's
LogicalResult BroadcastInDimOp::verify() {
  if (failed(verifySameElement(*this, getOperand(), getResult())))
    return failure();
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  ArrayRef<int64_t> dimensions = getBroadcastDimensions();
  if (int64_t(dimensions.size()) != from.getRank())
    return emitOpError() << "broadcast_dimensions must have one entry for each of the " << from.getRank()
                         << " dimensions of the operand, got " << dimensions.size();
  int64_t previous = -1;
  for (auto [index, dimension] : llvm::enumerate(dimensions)) {
    if (dimension <= previous || dimension >= to.getRank())
      return emitOpError() << "broadcast_dimensions must be strictly increasing and less than the rank " << to.getRank()
                           << " of the result, got [" << dimensions << "]";
    int64_t size = from.getDimSize(index);
    if (size != 1 && size != to.getDimSize(dimension))
      return emitOpError() << "dimension " << index << " of the operand must be 1 or " << to.getDimSize(dimension)
                           << " as dimension " << dimension << " of the result is, got " << size;
    previous = dimension;
  }
  return success();
}

// (C1) the result's leading dimensions are those of the indices
LogicalResult OneHotOp::verify() {
  RankedTensorType indices = tensorOf(getIndices()), result = tensorOf(getResult());
  if (result.getRank() != indices.getRank() + 1 || result.getShape().drop_back() != indices.getShape())
    return emitOpError() << "result must have the shape of the indices and one more dimension, got " << indices
                         << " and " << result;
  return success();
}

// (C1) dimension is one of the operand's   (C2) the result has the others; an i32 has room for every index
LogicalResult ArgmaxOp::verify() {
  RankedTensorType type = tensorOf(getOperand()), result = tensorOf(getResult());
  int64_t dimension = getDimension();
  if (dimension >= type.getRank())
    return emitOpError() << "dimension " << dimension << " is not one of the operand's, which is " << type;
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dimension);
  auto of = [&](unsigned bits) { return RankedTensorType::get(shape, IntegerType::get(getContext(), bits)); };
  if (result != of(32) && result != of(64))
    return emitOpError() << "result must be of type " << of(32) << " or " << of(64) << ", got " << result;
  if (result == of(32) && type.getDimSize(dimension) > int64_t(1) << 31)
    return emitOpError() << "result must be of type " << of(64) << ", as dimension " << dimension << " of " << type
                         << " has indices that no i32 holds";
  return success();
}

//===----------------------------------------------------------------------------------------------------------===//
// Network
//===----------------------------------------------------------------------------------------------------------===//

// (C1) bias is one-dimensional, as long as the input's last dimension, of the same element type
LogicalResult BiasAddOp::verify() {
  RankedTensorType input = tensorOf(getInput()), bias = tensorOf(getBias());
  if (input.getRank() >= 1 && bias.getRank() == 1 && bias.getDimSize(0) == input.getShape().back() &&
      bias.getElementType() == input.getElementType())
    return success();
  return emitOpError() << "bias must have one dimension, as long as the input's last, and the input's element type; "
                       << "got input " << input << " and bias " << bias;
}

// (C1) at least one dimension
static LogicalResult verifyLastDimension(Operation *op) {
  if (tensorOf(op->getOperand(0)).getRank() >= 1)
    return success();
  return op->emitOpError() << "operand must have at least one dimension, got " << op->getOperand(0).getType();
}
LogicalResult SoftmaxOp::verify() { return verifyLastDimension(*this); }
LogicalResult LogSoftmaxOp::verify() { return verifyLastDimension(*this); }

//===----------------------------------------------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------------------------------------------===//

// (C1) the symbol names a variable of this type
static LogicalResult verifyVariable(Operation *op, SymbolTableCollection &symbols, FlatSymbolRefAttr name, Type type,
                                    StringRef what) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(op, name);
  if (!symbol)
    return op->emitOpError() << "no variable " << name << " in this module, expected a graph.variable";
  auto variable = dyn_cast<VariableOp>(symbol);
  if (!variable) {
    InFlightDiagnostic diagnostic = op->emitOpError() << name << " is not a variable, expected a graph.variable";
    diagnostic.attachNote(symbol->getLoc()) << "the symbol is this " << symbol->getName();
    return diagnostic;
  }
  if (variable.getType() != type) {
    InFlightDiagnostic diagnostic = op->emitOpError() << what << " must be " << variable.getType() << " as variable "
                                                      << name << " is, got " << type;
    diagnostic.attachNote(variable.getLoc()) << "the variable is declared here";
    return diagnostic;
  }
  return success();
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyVariable(*this, symbols, getVariableAttr(), getResult().getType(), "result");
}
LogicalResult AssignOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyVariable(*this, symbols, getVariableAttr(), getValue().getType(), "value");
}
// (C2) the element type is a number
LogicalResult AssignAddOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyVariable(*this, symbols, getVariableAttr(), getValue().getType(), "value")))
    return failure();
  if (!isGraphTensor(getValue().getType(), NumberKind))
    return emitOpError() << "element type must be a number, got " << getValue().getType();
  return success();
}
LogicalResult ApplySgdOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyVariable(*this, symbols, getVariableAttr(), getGradient().getType(), "gradient");
}
LogicalResult ApplyMomentumOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (getVariableAttr() == getSlotAttr())
    return emitOpError() << "variable and slot must be two variables, both are " << getVariableAttr();
  if (failed(verifyVariable(*this, symbols, getVariableAttr(), getGradient().getType(), "gradient")))
    return failure();
  return verifyVariable(*this, symbols, getSlotAttr(), getGradient().getType(), "gradient");
}

// (C2) with pad_last the last result is the mask   (C3) micro_batch < micro_batches   (C4) classes of integers
LogicalResult NextBatchOp::verify() {
  if (std::optional<ArrayAttr> classes = getClasses()) {
    if (classes->size() != getComponents().size())
      return emitOpError() << "classes must be one number a component, " << getComponents().size() << ", got "
                           << classes->size();
    for (auto [index, component] : llvm::enumerate(getComponents())) {
      int64_t bound = cast<IntegerAttr>((*classes)[index]).getInt();
      if (bound < 0 || (bound > 0 && !isa<IntegerType>(getElementTypeOrSelf(component.getType()))))
        return emitOpError() << "classes of component " << index << ", " << component.getType()
                             << ", must be at least 0, and 0 where it has no integers, got " << bound;
    }
  }
  if (getMicroBatch() >= getMicroBatches())
    return emitOpError() << "micro_batch must be less than micro_batches, got " << getMicroBatch() << " and "
                         << getMicroBatches();
  if (!getPadLast())
    return success();
  Type mask = RankedTensorType::get({int64_t(getBatch())}, IntegerType::get(getContext(), 1));
  if (getNumResults() == 0 || getResult(getNumResults() - 1).getType() != mask)
    return emitOpError() << "with pad_last the last result must be the mask of real samples, " << mask;
  return success();
}

// (C1) the symbol names a data set   (C2) the results are its components with a leading dimension
LogicalResult NextBatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(*this, getDatasetAttr());
  if (!symbol)
    return emitOpError() << "no data set " << getDatasetAttr() << " in this module, expected a graph.dataset";
  auto dataset = dyn_cast<DatasetOp>(symbol);
  if (!dataset) {
    InFlightDiagnostic diagnostic = emitOpError() << getDatasetAttr() << " is not a data set, expected a graph.dataset";
    diagnostic.attachNote(symbol->getLoc()) << "the symbol is this " << symbol->getName();
    return diagnostic;
  }
  SmallVector<RankedTensorType> components = dataset.getComponentTypes();
  if (getComponents().size() != components.size()) {
    InFlightDiagnostic diagnostic = emitOpError()
                                    << "expected " << components.size() << " components"
                                    << (getPadLast() ? " and a mask" : "") << ", got " << getNumResults() << " results";
    diagnostic.attachNote(dataset.getLoc()) << "the data set is declared here";
    return diagnostic;
  }
  for (auto [index, type] : llvm::enumerate(components)) {
    SmallVector<int64_t> shape{int64_t(getBatch())};
    llvm::append_range(shape, type.getShape());
    if (getResult(index).getType() == type.clone(shape))
      continue;
    InFlightDiagnostic diagnostic = emitOpError() << "result " << index << " must be " << type.clone(shape)
                                                  << ", a batch of " << type << ", got " << getResult(index).getType();
    diagnostic.attachNote(dataset.getLoc()) << "the data set is declared here";
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------------------------------------------===//

// (C1) the loss is a scalar float. And minimize stands in a function of role train (checked there).
LogicalResult MinimizeOp::verify() {
  RankedTensorType type = tensorOf(getLoss());
  if (type.getRank() == 0 && isa<FloatType>(type.getElementType()))
    return success();
  InFlightDiagnostic diagnostic = emitOpError()
                                  << "loss must be a scalar float, tensor<f32> or tensor<f64>, got " << type;
  if (Operation *producer = getLoss().getDefiningOp())
    diagnostic.attachNote(producer->getLoc()) << "the loss is computed here";
  return diagnostic;
}

// (C2) variables are trainable float variables, each named once
LogicalResult MinimizeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getVariables())
    return success();
  llvm::SmallPtrSet<Attribute, 8> seen;
  for (auto name : getVariables()->getAsRange<FlatSymbolRefAttr>()) {
    if (!seen.insert(name).second)
      return emitOpError() << "variable " << name << " is listed twice";
    auto variable = symbols.lookupNearestSymbolFrom<VariableOp>(*this, name);
    if (!variable)
      return emitOpError() << "no variable " << name << " in this module, expected a graph.variable";
    if (variable.getTrainable() && isGraphTensor(variable.getType(), FloatKind))
      continue;
    InFlightDiagnostic diagnostic = emitOpError() << "variable " << name << " must be trainable and float";
    diagnostic.attachNote(variable.getLoc()) << "the variable is declared here";
    return diagnostic;
  }
  return success();
}

// (C1) the mask has the shape of the values
LogicalResult MetricOp::verify() {
  if (failed(verifyName(*this, getName())))
    return failure();
  if (getMask() && tensorOf(getMask()).getShape() != tensorOf(getValues()).getShape())
    return emitOpError() << "mask must have the shape of the values, got " << getMask().getType() << " and "
                         << getValues().getType();
  return success();
}

static bool isReductionWord(StringRef text) { return text == "mean" || text == "sum" || text == "first_replica"; }

// (C1) a name   (C2) reduction is one of three words
LogicalResult SummaryOp::verify() {
  if (failed(verifyName(*this, getName())))
    return failure();
  if (getReduction() && !isReductionWord(*getReduction()))
    return emitOpError() << "reduction must be \"mean\", \"sum\" or \"first_replica\", got \"" << *getReduction()
                         << "\"";
  return success();
}

//===----------------------------------------------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------------------------------------------===//

// (C1) the initializer fits   (C2) graph.slot_of names another variable, no slot itself   (C3) a part is rows of its whole
LogicalResult VariableOp::verify() {
  if (failed(verifyName(*this, getSymName())))
    return failure();
  if (getAggregation() && !isReductionWord(*getAggregation()))
    return emitOpError() << "aggregation must be \"mean\", \"sum\" or \"first_replica\", got \"" << *getAggregation()
                         << "\"";
  if (auto owner = (*this)->getAttrOfType<FlatSymbolRefAttr>(GraphDialect::kSlotOf)) {
    auto variable = SymbolTable::lookupNearestSymbolFrom<VariableOp>(*this, owner);
    if (!variable || variable == *this)
      return emitOpError() << "graph.slot_of must name another variable, got " << owner;
    if (variable->hasAttr(GraphDialect::kSlotOf)) {
      InFlightDiagnostic diagnostic = emitOpError() << "is a slot of " << owner << ", which is a slot itself";
      diagnostic.attachNote(variable.getLoc()) << "that variable is declared here";
      return diagnostic;
    }
  }
  if (PartAttr part = getPart()) {
    RankedTensorType own = getTensorType(), whole = part.getType();
    if (!findNameDefect(part.getOf()).empty() || !isGraphTensor(whole, AnyKind) || own.getRank() == 0 ||
        own.getElementType() != whole.getElementType() || own.getRank() != whole.getRank() ||
        own.getShape().drop_front() != whole.getShape().drop_front() || part.getRow() < 0 ||
        own.getDimSize(0) > whole.getDimSize(0) || part.getRow() > whole.getDimSize(0) - own.getDimSize(0))
      return emitOpError() << "is " << own << ", which is not the rows of " << part;
  }
  return getInitializer().verifyFor(getWholeType(), [&] { return emitOpError(); });
}

// (C1) the source fits the components
LogicalResult DatasetOp::verify() {
  if (failed(verifyName(*this, getSymName())))
    return failure();
  constexpr size_t most = 64; // as many as a plan's data sets have
  if (getComponents().empty() || getComponents().size() > most)
    return emitOpError() << "expected 1 to " << most << " components, got " << getComponents().size();
  return getSource().verifyFor(getComponentTypes(), [&] { return emitOpError(); });
}

/// FunctionOpInterface's verifier calls it: feeds and fetches are tensors that the runtime can hold.
LogicalResult FuncOp::verifyType() {
  for (Type type : llvm::concat<const Type>(getArgumentTypes(), getResultTypes()))
    if (!isGraphTensor(type, AnyKind))
      return emitOpError() << "arguments and results must be static ranked tensors of i1, i32, i64, f32 or f64 with at "
                              "most 16 dimensions, none of them empty, and 2^37 elements, got "
                           << type;
  return success();
}

// (C1) the body is one block   (C2) minimize stands only in functions of role train
LogicalResult FuncOp::verify() {
  if (failed(verifyName(*this, getSymName())))
    return failure();
  if (!getBody().hasOneBlock())
    return emitOpError() << "body must be one block, got " << getBody().getBlocks().size();
  if (getRole() == Role::Train)
    return success();
  WalkResult result = walk([&](MinimizeOp minimize) {
    InFlightDiagnostic diagnostic = minimize.emitOpError() << "stands in a function of role "
                                                           << stringifyRole(getRole()) << ", expected role train";
    diagnostic.attachNote(getLoc()) << "the function is declared here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

// (C1) the operands have the function's result types
LogicalResult ReturnOp::verify() {
  auto function = cast<FuncOp>((*this)->getParentOp());
  if (getOperandTypes() == function.getResultTypes())
    return success();
  InFlightDiagnostic diagnostic = emitOpError() << "operands must have the function's result types ("
                                                << function.getResultTypes() << "), got (" << getOperandTypes() << ")";
  diagnostic.attachNote(function.getLoc()) << "the function is declared here";
  return diagnostic;
}

// (C1) whole leaves   (C2) a result for each sum that is kept   (C3) no effect but to take batches
LogicalResult RepeatOp::verify() {
  if (getCount() > INT32_MAX) // (C4)
    return emitOpError() << "repeats " << getCount() << " times; expected at most " << INT32_MAX;
  const uint64_t values = getCount() + 1;
  if (values % getPerLeaf())
    return emitOpError() << "sums " << values << " values, its own and the one behind it, which are no whole leaves of "
                         << getPerLeaf();
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  SmallVector<Type> kept;
  for (Type type : yield.getOperandTypes())
    kept.append(getKept(), type);
  if (getResultTypes() != TypeRange(kept))
    return emitOpError() << "must have " << getKept() << " results for each value that it yields, (" << TypeRange(kept)
                         << "), got (" << getResultTypes() << ")";
  for (Operation &op : getBody().front()) {
    auto next = dyn_cast<NextBatchOp>(op);
    if (isa<RepeatOp>(op))
      return op.emitOpError() << "is a loop in a loop, which no lane has; expected one of all its micro-batches";
    if (!next && !isMemoryEffectFree(&op) && !op.hasTrait<MayBeRepeated>())
      return op.emitOpError() << "has an effect, and is repeated; what is repeated takes batches and computes";
    if (next && next.getMicroBatch() + getCount() > next.getMicroBatches())
      return op.emitOpError() << "takes micro-batches " << next.getMicroBatch() << " to "
                              << next.getMicroBatch() + getCount() - 1 << ", but a step has " << next.getMicroBatches();
  }
  return success();
}

// (C1) the operands have the types of the scope's results
LogicalResult YieldOp::verify() {
  auto scope = dyn_cast<ScopeOp>((*this)->getParentOp());
  if (!scope || getOperandTypes() == scope.getResultTypes())
    return success();
  return emitOpError() << "operands must have the scope's result types (" << scope.getResultTypes() << "), got ("
                       << getOperandTypes() << ")";
}
