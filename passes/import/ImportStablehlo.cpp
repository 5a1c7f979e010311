//===- ImportStablehlo.cpp - functions of StableHLO as functions that graph.call names --------===//
#include "passes/import/ImportStablehlo.h"

#include "dialects/graph/DiscardableAttributes.h"
#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/ops/PassOpBuilders.h"
#include "dialects/stablehlo/StablehloDialect.h"
#include "dialects/stablehlo/StablehloToGraph.h"
#include "passes/Passes.h"
#include "passes/import/ArgumentNames.h"
#include "passes/import/MatchStateResults.h"
#include "passes/import/PrepareStablehlo.h"
#include "passes/import/UnrollLoops.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace graphc {
#define GEN_PASS_DEF_IMPORTSTABLEHLO
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

/// What cannot be imported: how often, and where first.
class Unsupported {
public:
  void add(Operation *op, const std::string &what) {
    auto [entry, isNew] = kinds_.insert({what, {op, 0}});
    ++entry->second.second;
  }
  bool empty() const { return kinds_.empty(); }

  LogicalResult report() {
    uint64_t ops = 0;
    for (auto &[what, found] : kinds_)
      ops += found.second;
    auto &[first, place] = kinds_.front();
    InFlightDiagnostic error =
        emitError(place.first->getLoc())
        << ops << (ops == 1 ? " operation" : " operations") << " cannot be imported: " << first
        << (place.second > 1 ? ", " + std::to_string(place.second) + " times" : "")
        << (kinds_.size() > 1 ? ", and what is named below" : "");
    for (auto &[what, found] : llvm::drop_begin(kinds_))
      error.attachNote(found.first->getLoc())
          << what
          << (found.second > 1 ? ", " + std::to_string(found.second) + " times, here first" : "");
    return error;
  }

private:
  llvm::MapVector<std::string, std::pair<Operation *, unsigned>, std::map<std::string, unsigned>>
      kinds_;
};

/// Shardy's, of devices; a program for one has one device.
bool isMesh(Operation *op) { return op->getName().getStringRef() == "sdy.mesh"; }

/// What a function has to be that is imported.
LogicalResult check(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError() << "@" << function.getSymName() << " has "
                                << function.getBody().getBlocks().size()
                                << " blocks; expected one: control flow cannot be imported";
  if (function.getBody().front().empty() || !isa<func::ReturnOp>(function.getBody().front().back()))
    return function.emitError() << "@" << function.getSymName() << " does not end with func.return";
  for (StringRef count : {"mhlo.num_partitions", "mhlo.num_replicas"})
    if (auto given = function->getParentOp()->getAttrOfType<IntegerAttr>(count);
        given && given.getValue().ugt(1))
      return function.emitError() << "is of a program for " << given.getInt() << " devices ("
                                  << count
                                  << "); expected one for one device, which graphc partitions";
  return success();
}

class Import {
public:
  Import(ModuleOp module, ArrayRef<std::string> trees)
      : module_(module), symbols_(module), builder_(module.getContext()), trees_(trees) {}

  LogicalResult run() {
    auto functions = llvm::to_vector(module_.getOps<func::FuncOp>());
    if (failed(nameFunctions(functions)))
      return failure();
    for (func::FuncOp function : functions)
      if (failed(import(function)))
        return failure();
    if (!unsupported_.empty())
      return unsupported_.report();
    for (func::FuncOp function : functions)
      function.erase();
    for (Operation &op : llvm::make_early_inc_range(*module_.getBody()))
      if (isMesh(&op))
        op.erase();
    // mhlo.num_partitions and the like
    for (NamedAttribute attribute : llvm::to_vector(module_->getDiscardableAttrs()))
      if (!isa_and_nonnull<GraphDialect>(attribute.getNameDialect()))
        module_->removeDiscardableAttr(attribute.getName());
    return success();
  }

private:
  /// A public function is named as its author named it: of JAX's @main in a module @jit_loss,
  /// @loss. What it calls has that before its name.
  LogicalResult nameFunctions(ArrayRef<func::FuncOp> functions) {
    std::string first;
    auto setName = [&](func::FuncOp function, StringRef wanted) -> LogicalResult {
      if (std::string defect = findNameDefect(wanted); !defect.empty())
        return function.emitError() << "its name, \"" << wanted << "\", " << defect;
      std::string name = wanted.str();
      for (unsigned i = 1; names_.contains(name) || isTaken(name); ++i)
        name = (wanted + "." + Twine(i)).str();
      names_.insert(name);
      renamed_[function.getSymName()] = name;
      return success();
    };
    for (func::FuncOp function : functions) {
      if (!function.isPublic())
        continue;
      StringRef name = function.getSymName(), of = module_.getSymName().value_or("");
      if (name == "main" && of.consume_front("jit_") && !of.empty())
        name = of;
      if (failed(setName(function, name)))
        return failure();
      first = renamed_[function.getSymName()];
    }
    for (func::FuncOp function : functions)
      if (!function.isPublic() && failed(setName(function, (first.empty() ? "" : first + ".") +
                                                               function.getSymName().str())))
        return failure();
    return success();
  }
  bool isTaken(StringRef name) {
    Operation *there = symbols_.lookup(name);
    return there && !isa<func::FuncOp>(there);
  }

  /// The variable that stands for an argument, or nothing; failure where another has its name.
  FailureOr<VariableOp> findVariable(BlockArgument argument) {
    std::optional<TreePath> path = parseTreePath(getArgumentName(argument));
    auto tree = path ? llvm::find(trees_, path->root) : trees_.end();
    if (tree == trees_.end())
      return VariableOp();
    const std::string name = path->text();
    auto type = cast<RankedTensorType>(argument.getType());
    if (auto [claim, isNew] = claimed_.try_emplace(name, argument);
        !isNew && claim->second.getOwner() == argument.getOwner())
      return emitError(placeOf(argument))
             << getArgumentName(claim->second) << " and " << getArgumentName(argument)
             << " would both be the variable @" << name << "; expected other keys in one of them";
    else
      claim->second = argument;
    if (Operation *there = symbols_.lookup(name)) {
      auto variable = dyn_cast<VariableOp>(there);
      if (variable && variable.getTensorType() == type)
        return variable;
      return there->emitError()
             << "@" << name << " is no variable of type " << type
             << ", which it would have to be as an argument of a function that is imported";
    }
    const bool trains = tree == trees_.begin() && isa<FloatType>(type.getElementType());
    builder_.setInsertionPointToStart(module_.getBody());
    if (last_)
      builder_.setInsertionPointAfter(last_);
    auto variable = VariableOp::create(builder_, placeOfVariable(argument), name, type,
                                       UninitializedAttr::get(builder_.getContext()), trains);
    symbols_.insert(variable);
    last_ = variable;
    return variable;
  }

  LogicalResult import(func::FuncOp function) {
    for (Type type :
         llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes()))
      if (!isGraphTensor(type, AnyKind))
        return function.emitError() << "@" << function.getSymName() << " takes or gives a " << type
                                    << "; expected " << kWhatIsSupported;
    SmallVector<VariableOp> variables(function.getNumArguments());
    SmallVector<Type> results;
    SmallVector<Type> arguments;
    SmallVector<Location> places;
    for (BlockArgument argument : function.getArguments()) {
      FailureOr<VariableOp> variable = function.isPublic() ? findVariable(argument) : VariableOp();
      if (failed(variable))
        return failure();
      variables[argument.getArgNumber()] = *variable;
      if (*variable)
        continue;
      arguments.push_back(argument.getType());
      places.push_back(argument.getLoc());
    }
    FailureOr<SmallVector<VariableOp>> states = findStates(function, variables);
    if (failed(states))
      return failure();
    for (auto [type, state] : llvm::zip(function.getResultTypes(), *states))
      if (!state)
        results.push_back(type);
    builder_.setInsertionPoint(function);
    OperationState state(clean(function.getLoc()), FuncOp::getOperationName());
    state.addAttribute(SymbolTable::getSymbolAttrName(),
                       builder_.getStringAttr(renamed_[function.getSymName()]));
    state.addAttribute(SymbolTable::getVisibilityAttrName(), builder_.getStringAttr("private"));
    state.addAttribute("function_type",
                       TypeAttr::get(builder_.getFunctionType(arguments, results)));
    Block *body = &state.addRegion()->emplaceBlock();
    body->addArguments(arguments, places);
    builder_.create(state);
    builder_.setInsertionPointToStart(body);
    if (Value known =
            arguments.size() == 1 && results.size() == 1 && !function.isPublic()
                ? stablehlo::importRule(function.getSymName(), function.getBody(),
                                        body->getArgument(0), builder_, clean(function.getLoc()))
                : Value()) {
      ReturnOp::create(builder_, clean(function.getLoc()), known);
      return success();
    }
    if (SmallVector<Value> stopped =
            function.isPublic()
                ? SmallVector<Value>()
                : stablehlo::importStop(function.getSymName(), function.getBody().front(),
                                        body->getArguments(), builder_, clean(function.getLoc()));
        !stopped.empty()) {
      ReturnOp::create(builder_, clean(function.getLoc()), stopped);
      return success();
    }
    IRMapping values;
    unsigned next = 0;
    for (auto [argument, variable] : llvm::zip(function.getArguments(), variables))
      values.map(argument, variable ? ReadOp::create(builder_, placeOfVariable(argument),
                                                     argument.getType(), variable.getSymName())
                                          .getResult()
                                    : Value(body->getArgument(next++)));
    Operation *end = &function.getBody().front().back();
    for (Operation &op : llvm::make_range(function.getBody().front().begin(), end->getIterator()))
      if (failed(import(&op, values)))
        return failure();
    SmallVector<Value> returned;
    for (auto [result, state] : llvm::zip(end->getOperands(), *states)) {
      if (state)
        createAssign(builder_, clean(end->getLoc()), state.getSymName(), values.lookup(result));
      else
        returned.push_back(values.lookup(result));
    }
    ReturnOp::create(builder_, clean(end->getLoc()), returned);
    return success();
  }

  /// Of each result the variable whose next value it is, or nothing. Those of the first tree are
  /// trained, and not given back.
  FailureOr<SmallVector<VariableOp>> findStates(func::FuncOp function,
                                                ArrayRef<VariableOp> variables) {
    std::vector<StateLeaf> states, results;
    SmallVector<VariableOp> of;
    for (auto [argument, variable] : llvm::zip(function.getArguments(), variables)) {
      const std::string name = getArgumentName(argument);
      std::optional<TreePath> path = parseTreePath(name);
      if (!variable || path->root == trees_.front())
        continue;
      states.push_back({path, argument.getType(), name});
      of.push_back(variable);
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      auto info = function.getResultAttrOfType<StringAttr>(i, "jax.result_info");
      const StringRef name = info ? info.getValue() : "";
      results.push_back({parseTreePath(name), function.getResultTypes()[i], name.str()});
    }
    std::string ambiguity;
    SmallVector<VariableOp> found;
    for (int state : matchStates(states, results, ambiguity)) {
      found.push_back(state < 0 ? VariableOp() : of[state]);
      if (VariableOp variable = found.back();
          variable && !variable.getAggregation() && hasSums(variable.getType()))
        variable.setAggregation("mean");
    }
    if (!ambiguity.empty())
      return function.emitError() << "of @" << function.getSymName() << " " << ambiguity
                                  << "; expected state under keys that no other result has";
    return found;
  }

  LogicalResult import(Operation *op, IRMapping &values) {
    SmallVector<Value> operands = llvm::map_to_vector(
        op->getOperands(), [&](Value operand) { return values.lookupOrNull(operand); });
    // MLIR does not look into regions of ops that it does not know
    if (llvm::is_contained(operands, Value()))
      return op->emitError() << "'" << op->getName() << "' has an operand that is made behind it";
    const Location place = clean(op->getLoc());
    if (auto call = dyn_cast<func::CallOp>(op)) {
      auto made = CallOp::create(builder_, place, call.getResultTypes(), renamed_[call.getCallee()],
                                 operands);
      values.map(call.getResults(), made.getResults());
      return success();
    }
    if (isLoop(op))
      if (std::optional<CountedLoop> loop = findCountedLoop(op, operands))
        return unroller_.unroll(
            op, *loop, operands, values, builder_, place,
            [this](Operation *inner, IRMapping &inside) { return import(inner, inside); });
    FailureOr<stablehlo::ImportResult> made = stablehlo::ImportResult();
    if (std::string type = stablehlo::findForeignType(op); !type.empty())
      made->why = "of " + type + " (expected " + kWhatIsSupported.str() + ")";
    else if (isLoop(op))
      made->why = "whose number of iterations is not known, or above " + std::to_string(1 << 20);
    else
      made = stablehlo::toGraph(op, operands, builder_, place);
    if (failed(made))
      return failure();
    if (made->values.size() != op->getNumResults() || made->values.empty()) {
      unsupported_.add(op, op->getName().getStringRef().str() +
                               (made->why.empty() ? "" : " " + made->why));
      auto stand =
          UnrealizedConversionCastOp::create(builder_, place, op->getResultTypes(), ValueRange());
      made->values.assign(stand.getResults().begin(), stand.getResults().end());
    }
    values.map(op->getResults(), made->values);
    return success();
  }

  /// Where a variable is first used in Python, in this function or in one that it calls; nothing
  /// where no use says that. Looks at each function once.
  std::optional<Location> findFirstUse(BlockArgument argument, llvm::StringSet<> &seen) {
    for (Operation &op : *argument.getOwner()) {
      auto use = llvm::find_if(op.getOpOperands(),
                               [&](OpOperand &operand) { return operand.get() == argument; });
      if (use == op.getOpOperands().end())
        continue;
      auto call = dyn_cast<func::CallOp>(op);
      auto callee = call ? module_.lookupSymbol<func::FuncOp>(call.getCallee()) : func::FuncOp();
      if (callee && !callee.isExternal() && seen.insert(call.getCallee()).second)
        if (std::optional<Location> inside =
                findFirstUse(callee.getArgument(use->getOperandNumber()), seen))
          return inside;
      // what has no place in Python has one in the file that is imported
      auto place = op.getLoc()->findInstanceOf<FileLineColLoc>();
      if (place && place.getFilename().getValue().ends_with(".py"))
        return place;
    }
    return std::nullopt;
  }

  /// The line of Python where a variable is first used, else where it is declared as an argument.
  Location placeOfVariable(BlockArgument argument) {
    llvm::StringSet<> seen;
    return findFirstUse(argument, seen).value_or(placeOf(argument));
  }

  /// Where an argument stands: JAX gives it a name, and only its function has a place.
  static Location placeOf(BlockArgument argument) {
    Location function = argument.getOwner()->getParentOp()->getLoc();
    for (Location location : {argument.getLoc(), function})
      if (auto place = location->findInstanceOf<FileLineColLoc>())
        return place;
    return function;
  }

  /// JAX names each op by the functions and modules that it stands in:
  /// "jit(loss)/MLP/Dense_0/dot_general". Without the first, it is a name for placement rules; one
  /// word alone names a kind of op and not one.
  static Location clean(Location location) {
    auto named = dyn_cast<NameLoc>(location);
    if (!named)
      return location;
    SmallVector<StringRef> parts;
    named.getName().getValue().split(parts, '/');
    llvm::erase_if(
        parts, [](StringRef part) { return part.starts_with("jit(") || part.starts_with("jit:"); });
    const std::string name = StringRef(llvm::join(parts, "/")).rtrim(':').str();
    if (parts.size() < 2 || !findNameDefect(name).empty())
      return named.getChildLoc();
    return NameLoc::get(StringAttr::get(location.getContext(), name), named.getChildLoc());
  }

  static constexpr StringLiteral kWhatIsSupported =
      "tensors of i1, i8, ui8, i32, ui32, i64, bf16, f32 or f64, of static shape and not empty";

  ModuleOp module_;
  SymbolTable symbols_;
  OpBuilder builder_;
  ArrayRef<std::string> trees_;
  llvm::StringMap<std::string> renamed_; ///< functions
  llvm::StringSet<> names_; ///< of functions that are made
  llvm::StringMap<BlockArgument> claimed_; ///< by name, of variables that stand for arguments
  VariableOp last_; ///< that was made
  LoopUnroller unroller_;
  Unsupported unsupported_;
};

struct ImportStablehloPass : graphc::impl::ImportStablehloBase<ImportStablehloPass> {
  using ImportStablehloBase::ImportStablehloBase;
  void runOnOperation() override {
    std::vector<std::string> trees(variables.begin(), variables.end());
    if (failed(importStablehlo(getOperation(), trees.empty() ? kParameterTrees : trees)))
      signalPassFailure();
  }
};

} // namespace

bool graphc::hasStablehlo(ModuleOp module) {
  return !module.getOps<func::FuncOp>().empty() && !module->hasAttr(GraphDialect::kStage) &&
         llvm::all_of(*module.getBody(),
                      [](Operation &op) { return isa<func::FuncOp>(op) || isMesh(&op); });
}

std::vector<std::string> graphc::listArguments(ModuleOp module) {
  std::vector<std::string> names;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      for (BlockArgument argument : function.getArguments())
        if (std::optional<std::string> name = findArgumentName(argument))
          names.push_back(*name);
  return names;
}

LogicalResult graphc::importStablehlo(ModuleOp module, ArrayRef<std::string> variables) {
  if (module.getOps<func::FuncOp>().empty())
    return success();
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(check(function)))
      return failure();
  eraseDeadOps(module);
  readUnsignedAsSigned(module);
  warnOfConstantKeys(module);
  return Import(module, variables).run();
}
