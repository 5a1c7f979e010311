//===- GraphVerifiers.cpp - what the types alone do not say -----------------------------------===//
//
// The numbers are those of the constraints in each op's description. Where another op is to blame
// as well, a note points at it.
//
//===------------------------------------------------------------------------------------------===//
#include "dialects/graph/DiscardableAttributes.h"
#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/ops/OpHelpers.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace graphc::graph;

/// A name that findNameDefect finds no fault with: (C1) of a summary; of metrics, variables, data
/// sets and functions as well. Passes make longer names of it, for which a plan has room.
static LogicalResult verifyName(Operation *op, StringRef name) {
  std::string defect = findNameDefect(name);
  if (defect.empty())
    return success();
  return op->emitOpError() << "name " << defect;
}

/// The result's type follows from operands and attributes. What the text, or a pass, says it is, is
/// compared with that.
LogicalResult graphc::graph::verifyInference(Operation *op) {
  SmallVector<Type> types;
  if (failed(cast<InferTypeOpInterface>(op).inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(), op->getRawDictionaryAttrs(),
          op->getPropertiesStorage(), op->getRegions(), types)))
    return failure();
  if (TypeRange(types) == op->getResultTypes())
    return success();
  return op->emitOpError() << "result must be of type " << types.front() << ", got "
                           << op->getResult(0).getType();
}

//===------------------------------------------------------------------------------------------===//
// State
//===------------------------------------------------------------------------------------------===//

// (C1) the symbol names a variable of this type
LogicalResult graphc::graph::detail::verifyVariable(Operation *op, SymbolTableCollection &symbols,
                                                    FlatSymbolRefAttr name, Type type,
                                                    StringRef what) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(op, name);
  if (!symbol)
    return op->emitOpError() << "no variable " << name
                             << " in this module, expected a graph.variable";
  auto variable = dyn_cast<VariableOp>(symbol);
  if (!variable) {
    InFlightDiagnostic diagnostic = op->emitOpError()
                                    << name << " is not a variable, expected a graph.variable";
    diagnostic.attachNote(symbol->getLoc()) << "the symbol is this " << symbol->getName();
    return diagnostic;
  }
  if (variable.getType() != type) {
    InFlightDiagnostic diagnostic = op->emitOpError()
                                    << what << " must be " << variable.getType() << " as variable "
                                    << name << " is, got " << type;
    diagnostic.attachNote(variable.getLoc()) << "the variable is declared here";
    return diagnostic;
  }
  return success();
}

// (C1) the variable exists and has the result's type: `outline` takes the variable's buffer for the
//      value
LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return detail::verifyVariable(*this, symbols, getVariableAttr(), getResult().getType(), "result");
}

// (C2) with pad_last the last result is the mask   (C3) micro_batch < micro_batches
// (C4) classes of integers   (C5) its samples are among those of the micro-batch
LogicalResult NextBatchOp::verify() {
  if (getOffset() + getBatch() > getSamplesOfMicroBatch())
    return emitOpError() << "takes samples " << getOffset() << " to "
                         << getOffset() + getBatch() - 1 << " of each micro-batch, which has "
                         << getSamplesOfMicroBatch()
                         << "; offset + batch must be at most stride (assign-samples)";
  if (std::optional<ArrayAttr> classes = getClasses()) {
    if (classes->size() != getComponents().size())
      return emitOpError() << "classes must be one number a component, " << getComponents().size()
                           << ", got " << classes->size();
    for (auto [index, component] : llvm::enumerate(getComponents())) {
      int64_t bound = cast<IntegerAttr>((*classes)[index]).getInt();
      if (bound < 0 || (bound > 0 && !isa<IntegerType>(getElementTypeOrSelf(component.getType()))))
        return emitOpError() << "classes of component " << index << ", " << component.getType()
                             << ", must be at least 0, and 0 where it has no integers, got "
                             << bound;
    }
  }
  if (getMicroBatch() >= getMicroBatches())
    return emitOpError() << "micro_batch must be less than micro_batches, got " << getMicroBatch()
                         << " and " << getMicroBatches();
  if (!getPadLast())
    return success();
  Type mask = RankedTensorType::get({int64_t(getBatch())}, IntegerType::get(getContext(), 1));
  if (getNumResults() == 0 || getResult(getNumResults() - 1).getType() != mask)
    return emitOpError() << "with pad_last the last result must be the mask of real samples, "
                         << mask;
  return success();
}

// (C1) micro_batch < micro_batches
LogicalResult MicroBatchIndexOp::verify() {
  if (getMicroBatch() < getMicroBatches())
    return success();
  return emitOpError() << "micro_batch must be less than micro_batches, got " << getMicroBatch()
                       << " and " << getMicroBatches();
}

// (C1) the symbol names a data set   (C2) the results are its components with a leading dimension
LogicalResult NextBatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(*this, getDatasetAttr());
  if (!symbol)
    return emitOpError() << "no data set " << getDatasetAttr()
                         << " in this module, expected a graph.dataset";
  auto dataset = dyn_cast<DatasetOp>(symbol);
  if (!dataset) {
    InFlightDiagnostic diagnostic = emitOpError() << getDatasetAttr()
                                                  << " is not a data set, expected a graph.dataset";
    diagnostic.attachNote(symbol->getLoc()) << "the symbol is this " << symbol->getName();
    return diagnostic;
  }
  SmallVector<RankedTensorType> components = dataset.getComponentTypes();
  if (getComponents().size() != components.size()) {
    InFlightDiagnostic diagnostic = emitOpError()
                                    << "expected " << components.size() << " components"
                                    << (getPadLast() ? " and a mask" : "") << ", got "
                                    << getNumResults() << " results";
    diagnostic.attachNote(dataset.getLoc()) << "the data set is declared here";
    return diagnostic;
  }
  for (auto [index, type] : llvm::enumerate(components)) {
    SmallVector<int64_t> shape{int64_t(getBatch())};
    llvm::append_range(shape, type.getShape());
    if (getResult(index).getType() == type.clone(shape))
      continue;
    InFlightDiagnostic diagnostic = emitOpError() << "result " << index << " must be "
                                                  << type.clone(shape) << ", a batch of " << type
                                                  << ", got " << getResult(index).getType();
    diagnostic.attachNote(dataset.getLoc()) << "the data set is declared here";
    return diagnostic;
  }
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Training
//===------------------------------------------------------------------------------------------===//

/// The loss is a scalar float.
static LogicalResult verifyLoss(Operation *op, Value loss) {
  RankedTensorType type = tensorOf(loss);
  if (type.getRank() == 0 && isa<FloatType>(type.getElementType()))
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError() << "loss must be a scalar float, tensor<f32> or tensor<f64>, got " << type;
  if (Operation *producer = loss.getDefiningOp())
    diagnostic.attachNote(producer->getLoc()) << "the loss is computed here";
  return diagnostic;
}

/// They are variables of f32 or f64, each named once, which `fits` takes; else they "must be
/// `what`".
static LogicalResult verifyListed(Operation *op, ArrayAttr variables,
                                  SymbolTableCollection &symbols, StringRef what,
                                  function_ref<bool(VariableOp)> fits) {
  llvm::SmallPtrSet<Attribute, 8> seen;
  for (auto name : variables.getAsRange<FlatSymbolRefAttr>()) {
    if (!seen.insert(name).second)
      return op->emitOpError() << "variable " << name << " is listed twice";
    auto variable = symbols.lookupNearestSymbolFrom<VariableOp>(op, name);
    if (!variable)
      return op->emitOpError() << "no variable " << name
                               << " in this module, expected a graph.variable";
    if (isGraphTensor(variable.getType(), FloatKind) && fits(variable))
      continue;
    InFlightDiagnostic diagnostic = op->emitOpError() << "variable " << name << " must be " << what;
    diagnostic.attachNote(variable.getLoc()) << "the variable is declared here";
    return diagnostic;
  }
  return success();
}

// (C1) the loss is a scalar float   (C3) bounds above 0   (C4) a decay in [0, 1)   (C5) patterns
LogicalResult MinimizeOp::verify() {
  if (failed(verifyLoss(*this, getLoss())))
    return failure();
  std::pair<StringRef, std::optional<llvm::APFloat>> bounds[] = {
      {"clip_norm", getClipNorm()},
      {"clip_global_norm", getClipGlobalNorm()},
      {"clip_value", getClipValue()}};
  for (auto &[name, bound] : bounds)
    if (bound && !(bound->isFinite() && !bound->isNegative() && !bound->isZero()))
      return emitOpError() << name << " must be above 0 and finite, got "
                           << bound->convertToDouble();
  if (getClipNorm() && getClipGlobalNorm())
    return emitOpError() << "has clip_norm and clip_global_norm, expected one of them";
  if (std::optional<llvm::APFloat> average = getMovingAverage())
    if (const double decay = average->convertToDouble(); !(decay >= 0 && decay < 1))
      return emitOpError() << "moving_average must be at least 0 and below 1, got " << decay;
  for (Attribute pattern : getFrozenAttr() ? getFrozenAttr().getValue() : ArrayRef<Attribute>())
    if (cast<StringAttr>(pattern).empty())
      return emitOpError() << "frozen has an empty pattern";
  return success();
}

// (C2) variables are trainable, of f32 or f64, each named once
LogicalResult MinimizeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getVariables())
    return success();
  return verifyListed(*this, *getVariables(), symbols, "trainable and of f32 or f64",
                      [](VariableOp variable) { return variable.getTrainable(); });
}

// (C1) the loss is a scalar float
LogicalResult GradientsOp::verify() { return verifyLoss(*this, getLoss()); }

// (C2) variables are of f32 or f64, each named once   (C3) a result for each, of its type
LogicalResult GradientsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyListed(*this, getVariables(), symbols, "of f32 or f64",
                          [](VariableOp) { return true; })))
    return failure();
  if (getVariables().size() != getNumResults())
    return emitOpError() << "expected a result for each of the " << getVariables().size()
                         << " variables, got " << getNumResults();
  for (auto [name, result] :
       llvm::zip_equal(getVariables().getAsRange<FlatSymbolRefAttr>(), getResults()))
    if (failed(detail::verifyVariable(*this, symbols, name, result.getType(), "gradient")))
      return failure();
  return success();
}

/// (C1), (C2) of collect and deal: `whole` is `replicas` pieces along dimension 0.
template <typename Op> static LogicalResult verifyPieces(Op op, Value piece, Value whole) {
  auto part = cast<RankedTensorType>(piece.getType());
  if (op.getCount()) { // (C2)
    Type i64 = IntegerType::get(op.getContext(), 64);
    const auto replicas = int64_t(op.getReplicas());
    auto counts =
        RankedTensorType::get(replicas == 1 ? ArrayRef<int64_t>() : ArrayRef(replicas), i64);
    if (op.getCount().getType() != RankedTensorType::get({}, i64) || !op.getCounts() ||
        op.getCounts().getType() != counts)
      return op.emitOpError() << "expected a count of type tensor<i64> and counts of type "
                              << counts << ", got " << op.getCount().getType() << " and "
                              << op.getCounts().getType();
  }
  if (whole.getType() == getJoinedType(part, int64_t(op.getReplicas())))
    return success();
  return op.emitOpError() << "expected a value with a dimension, and " << op.getReplicas()
                          << " of it along dimension 0, got " << part << " and " << whole.getType();
}
LogicalResult CollectOp::verify() { return verifyPieces(*this, getOperand(), getResult()); }
LogicalResult DealOp::verify() { return verifyPieces(*this, getResult(), getOperand()); }

// (C1) the mask has the shape of the values
LogicalResult MetricOp::verify() {
  if (failed(verifyName(*this, getName())))
    return failure();
  if (getMask() && tensorOf(getMask()).getShape() != tensorOf(getValues()).getShape())
    return emitOpError() << "mask must have the shape of the values, got " << getMask().getType()
                         << " and " << getValues().getType();
  return success();
}

// (C1) scalars of i64 or f64, and of i64
LogicalResult MetricSumsOp::verify() {
  if (failed(verifyName(*this, getName())))
    return failure();
  RankedTensorType sum = tensorOf(getSum()), count = tensorOf(getCount());
  if (sum.getRank() != 0 || !(sum.getElementType().isInteger(64) || sum.getElementType().isF64()))
    return emitOpError() << "has a sum of type " << sum << "; expected a scalar of i64 or f64";
  if (count.getRank() != 0 || !count.getElementType().isInteger(64))
    return emitOpError() << "has a count of type " << count << "; expected a scalar of i64";
  return success();
}

static bool isReductionWord(StringRef text) {
  return text == "mean" || text == "sum" || text == "first_replica";
}

// (C1) a name   (C2) reduction is one of three words
LogicalResult SummaryOp::verify() {
  if (failed(verifyName(*this, getName())))
    return failure();
  if (getReduction() && !isReductionWord(*getReduction()))
    return emitOpError() << "reduction must be \"mean\", \"sum\" or \"first_replica\", got \""
                         << *getReduction() << "\"";
  return verifyReduction(*this, "reduction", getReduction().value_or(""), getValue().getType());
}

//===------------------------------------------------------------------------------------------===//
// Structure
//===------------------------------------------------------------------------------------------===//

/// Steps and an optimizer's slots are no file's; a moving average begins as its variable does.
static bool isGivenByFiles(VariableOp op) {
  if (op.getSymName() == GraphDialect::kGlobalStep)
    return false;
  auto owner = op->getAttrOfType<FlatSymbolRefAttr>(GraphDialect::kSlotOf);
  if (!owner)
    return true;
  auto variable = SymbolTable::lookupNearestSymbolFrom<VariableOp>(op, owner);
  const auto whole = [](VariableOp one) {
    return one.getPart() ? one.getPart().getOf().str() : one.getSymName().str();
  };
  return variable && whole(op) == getAverageName(whole(variable));
}

// (C1) the initializer fits   (C2) graph.slot_of names another variable, no slot itself
// (C3) a part is rows of its whole
// (C4) sums over replicas are of four types   (C5) what no file gives has a value of its own
LogicalResult VariableOp::verify() {
  if (failed(verifyName(*this, getSymName())))
    return failure();
  if (getAggregation() && !isReductionWord(*getAggregation()))
    return emitOpError() << "aggregation must be \"mean\", \"sum\" or \"first_replica\", got \""
                         << *getAggregation() << "\"";
  if (failed(verifyReduction(*this, "aggregation", getAggregation().value_or(""), getType())))
    return failure();
  if (auto owner = (*this)->getAttrOfType<FlatSymbolRefAttr>(GraphDialect::kSlotOf)) {
    auto variable = SymbolTable::lookupNearestSymbolFrom<VariableOp>(*this, owner);
    if (!variable || variable == *this)
      return emitOpError() << "graph.slot_of must name another variable, got " << owner;
    if (variable->hasAttr(GraphDialect::kSlotOf)) {
      InFlightDiagnostic diagnostic = emitOpError()
                                      << "is a slot of " << owner << ", which is a slot itself";
      diagnostic.attachNote(variable.getLoc()) << "that variable is declared here";
      return diagnostic;
    }
  }
  if (PartAttr part = getPart()) {
    RankedTensorType own = getTensorType(), whole = part.getType();
    if (!findNameDefect(part.getOf()).empty() || !isGraphTensor(whole, AnyKind) ||
        own.getRank() == 0 || own.getElementType() != whole.getElementType() ||
        own.getRank() != whole.getRank() ||
        own.getShape().drop_front() != whole.getShape().drop_front() || part.getRow() < 0 ||
        own.getDimSize(0) > whole.getDimSize(0) ||
        part.getRow() > whole.getDimSize(0) - own.getDimSize(0))
      return emitOpError() << "is " << own << ", which is not the rows of " << part;
  }
  if (isa<UninitializedAttr>(getInitializer()) && !isGivenByFiles(*this))
    return emitOpError()
           << "begins anew with each training, by its own value, expected another initializer than "
           << getInitializer();
  return getInitializer().verifyFor(getWholeType(), [&] { return emitOpError(); });
}

// (C1) the source fits the components
// (C2) each transform fits its component, and is the only one of its kind there
LogicalResult DatasetOp::verify() {
  if (failed(verifyName(*this, getSymName())))
    return failure();
  constexpr size_t most = 64; // as many as a plan's data sets have
  if (getComponents().empty() || getComponents().size() > most)
    return emitOpError() << "expected 1 to " << most << " components, got "
                         << getComponents().size();
  SmallVector<RankedTensorType> types = getComponentTypes();
  if (failed(getSource().verifyFor(types, [&] { return emitOpError(); })))
    return failure();
  llvm::DenseSet<std::pair<mlir::TypeID, int64_t>> seen;
  for (Attribute attribute : getTransforms().value_or(ArrayAttr::get(getContext(), {}))) {
    auto transform = dyn_cast<TransformAttrInterface>(attribute);
    if (!transform)
      return emitOpError()
             << "expected transforms #graph.random_crop, #graph.random_flip or #graph.normalize, got "
             << attribute;
    const int64_t component = transform.getComponent();
    if (component < 0 || component >= int64_t(types.size()))
      return emitOpError() << attribute << " is of a component that there is not; there are "
                           << types.size();
    if (!seen.insert({attribute.getTypeID(), component}).second)
      return emitOpError() << attribute << " is the second one of its kind for component "
                           << component;
    if (failed(transform.verifyFor(types[component], getSource(), [&] { return emitOpError(); })))
      return failure();
  }
  return success();
}

/// FunctionOpInterface's verifier calls it: feeds and fetches are tensors that the runtime can
/// hold.
LogicalResult FuncOp::verifyType() {
  for (Type type : llvm::concat<const Type>(getArgumentTypes(), getResultTypes()))
    if (!isGraphTensor(type, AnyKind))
      return emitOpError()
             << "arguments and results must be static ranked tensors of i1, i8, ui8, i32, ui32, i64, bf16, f32 or "
                "f64 with at most 16 dimensions, none of them empty, and 2^37 elements, got "
             << type;
  return success();
}

// (C1) the body is one block   (C2) minimize stands only in functions of role train
// (C3) a role, or private
// (C5) what a private function would only seem to say
LogicalResult FuncOp::verify() {
  if (failed(verifyName(*this, getSymName())))
    return failure();
  if (!getBody().hasOneBlock())
    return emitOpError() << "body must be one block, got " << getBody().getBlocks().size();
  if (getRole() && isPrivate()) // (C4)
    return emitOpError() << "is private, for graph.call, and has a role; expected one or the other";
  if (!getRole() && !isPrivate())
    return emitOpError()
           << "requires attribute 'role'; only a private function, for graph.call, has none";
  if (isPrivate()) { // (C5)
    StringRef silent = getMovingAverages() ? getMovingAveragesAttrName().getValue() : StringRef();
    for (ArrayAttr dictionaries : {getArgAttrsAttr(), getResAttrsAttr()})
      if (dictionaries)
        for (Attribute dictionary : dictionaries)
          for (NamedAttribute attribute : cast<DictionaryAttr>(dictionary))
            silent = attribute.getName();
    if (!silent.empty())
      return emitOpError()
             << "is private, for graph.call, and has '" << silent
             << "', which would have no effect; expected it on the function that calls this one";
  }
  if (getRole() == Role::Train) {
    if (getMovingAverages()) // (C3)
      return emitOpError()
             << "has moving_averages and the role train, which makes them; expected the role eval or predict";
    return success();
  }
  WalkResult result = walk([&](MinimizeOp minimize) {
    InFlightDiagnostic diagnostic = minimize.emitOpError()
                                    << "stands in a function of "
                                    << (getRole() ? "role " + stringifyRole(*getRole()).str()
                                                  : "no role")
                                    << ", expected role train";
    diagnostic.attachNote(getLoc()) << "the function is declared here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// What private functions there are, for who misspelt one; "" where there is none.
static std::string listPrivateFunctions(ModuleOp module) {
  std::string names;
  unsigned count = 0;
  for (auto function : module.getOps<FuncOp>())
    if (function.isPrivate() && ++count <= 8)
      names += (names.empty() ? "@" : ", @") + function.getSymName().str();
  return names.empty() ? ""
                       : "; there " + std::string(count == 1 ? "is " : "are ") + names +
                             (count > 8 ? ", …" : "");
}

/// Of each argument its name, where JAX gave it one, and its type.
static std::string listArguments(FuncOp function) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (BlockArgument argument : function.getBodyBlock().getArguments().take_front(16)) {
    os << (argument.getArgNumber() ? ", " : "");
    if (auto named = dyn_cast<NameLoc>(argument.getLoc()))
      os << named.getName().getValue() << " : ";
    os << argument.getType();
  }
  os << (function.getArgumentTypes().size() > 16 ? ", …" : "");
  return text;
}

static StringRef findArgumentName(BlockArgument argument) {
  auto named = argument.getLoc()->findInstanceOf<NameLoc>();
  return named ? named.getName().getValue() : "";
}

/// "params" of params['w'] and params.w, which are leaves of a tree; empty of a name without keys.
static StringRef findTree(StringRef name) {
  StringRef root = name.take_until([](char c) { return c == '[' || c == '.'; });
  return root.size() == name.size() ? "" : root;
}

/// The fewest trees whose leaves the call leaves out: without them the function takes the operands.
static SmallVector<StringRef> findMissingTrees(CallOp call, FuncOp function) {
  llvm::SetVector<StringRef> trees;
  for (BlockArgument argument : function.getBodyBlock().getArguments())
    if (StringRef tree = findTree(findArgumentName(argument)); !tree.empty())
      trees.insert(tree);
  constexpr size_t kMostTrees = 8; // all their subsets are tried
  SmallVector<StringRef> best;
  for (unsigned chosen = 1; trees.size() <= kMostTrees && chosen < 1u << trees.size(); ++chosen) {
    SmallVector<StringRef> missing;
    for (auto [i, tree] : llvm::enumerate(trees))
      if (chosen >> i & 1)
        missing.push_back(tree);
    SmallVector<Type> rest;
    for (BlockArgument argument : function.getBodyBlock().getArguments())
      if (!llvm::is_contained(missing, findTree(findArgumentName(argument))))
        rest.push_back(argument.getType());
    if (TypeRange(rest) == call.getOperandTypes() && (best.empty() || missing.size() < best.size()))
      best = missing;
  }
  return best;
}

/// Why a call gives fewer operands than an imported function takes, and the flag that mends it;
/// empty where neither names nor trees explain it.
static std::string hintVariables(CallOp call, FuncOp function) {
  const auto arguments = function.getBodyBlock().getArguments();
  if (arguments.size() <= call.getNumOperands())
    return "";
  if (llvm::all_of(arguments, [](BlockArgument one) { return findArgumentName(one).empty(); }))
    return "; none of its arguments has a name, and graphc needs names to turn parameter trees into "
           "variables: export it with get_asm(enable_debug_info=True)";
  const SmallVector<StringRef> missing = findMissingTrees(call, function);
  if (missing.empty())
    return "";
  llvm::SetVector<StringRef> all; // with those that are variables already
  function.walk([&](ReadOp read) {
    if (StringRef tree = findTree(read.getVariable()); !tree.empty())
      all.insert(tree);
  });
  all.insert(missing.begin(), missing.end());
  SmallVector<StringRef> order; // the leaves of the first are trained, which is called params
  if (all.contains("params"))
    order.push_back("params");
  for (StringRef tree : all)
    if (tree != "params")
      order.push_back(tree);
  std::string names = "@" + missing.front().str();
  for (StringRef tree : ArrayRef(missing).drop_front())
    names += " and @" + tree.str();
  return "; the call passes no operands for the leaves of " + names +
         "; to import them as variables, use --import_variables=" + llvm::join(order, ",");
}

// (C1) the callee is a private function   (C2) types as its arguments and results
LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!function)
    return emitOpError()
           << "no function " << getCalleeAttr()
           << " in this module; expected a private graph.func, here or in a file that graphc is given behind the model"
           << listPrivateFunctions((*this)->getParentOfType<ModuleOp>());
  if (function.isPrivate() && TypeRange(function.getArgumentTypes()) == getOperandTypes() &&
      TypeRange(function.getResultTypes()) == getResultTypes())
    return success();
  InFlightDiagnostic diagnostic = emitOpError();
  if (function.isPrivate())
    diagnostic << "expected the types of " << getCalleeAttr() << ", " << function.getFunctionType();
  else
    diagnostic << getCalleeAttr()
               << " is what a phase runs, expected a private graph.func, which has no role";
  diagnostic.attachNote(function.getLoc())
      << "the function is declared here"
      << (function.isPrivate() ? "; it takes " + listArguments(function) : "")
      << (function.isPrivate() ? hintVariables(*this, function) : "");
  return diagnostic;
}

// (C1) the operands have the function's result types
LogicalResult ReturnOp::verify() {
  auto function = cast<FuncOp>((*this)->getParentOp());
  if (getOperandTypes() == function.getResultTypes())
    return success();
  InFlightDiagnostic diagnostic =
      emitOpError() << "operands must have the function's result types ("
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
    return emitOpError() << "sums " << values
                         << " values, its own and the one behind it, which are no whole leaves of "
                         << getPerLeaf();
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  SmallVector<Type> kept;
  for (Type type : yield.getOperandTypes())
    kept.append(getKept(), type);
  if (getResultTypes() != TypeRange(kept))
    return emitOpError() << "must have " << getKept() << " results for each value that it yields, ("
                         << TypeRange(kept) << "), got (" << getResultTypes() << ")";
  for (Operation &op : getBody().front()) {
    auto next = dyn_cast<NextBatchOp>(op);
    if (isa<RepeatOp>(op))
      return op.emitOpError()
             << "is a loop in a loop, which no lane has; expected one of all its micro-batches";
    if (!next && !isMemoryEffectFree(&op) && !op.hasTrait<MayBeRepeated>())
      return op.emitOpError()
             << "has an effect, and is repeated; what is repeated takes batches and computes";
    if (next && next.getMicroBatch() + getCount() > next.getMicroBatches())
      return op.emitOpError() << "takes micro-batches " << next.getMicroBatch() << " to "
                              << next.getMicroBatch() + getCount() - 1 << ", but a step has "
                              << next.getMicroBatches();
    auto index = dyn_cast<MicroBatchIndexOp>(op);
    if (index && index.getMicroBatch() + getCount() > index.getMicroBatches())
      return op.emitOpError() << "numbers micro-batches " << index.getMicroBatch() << " to "
                              << index.getMicroBatch() + getCount() - 1 << ", but a step has "
                              << index.getMicroBatches();
  }
  return success();
}

// (C1) the operands have the types of the scope's results
LogicalResult YieldOp::verify() {
  auto scope = dyn_cast<ScopeOp>((*this)->getParentOp());
  if (!scope || getOperandTypes() == scope.getResultTypes())
    return success();
  return emitOpError() << "operands must have the scope's result types (" << scope.getResultTypes()
                       << "), got (" << getOperandTypes() << ")";
}
