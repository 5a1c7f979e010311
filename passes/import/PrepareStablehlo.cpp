//===- PrepareStablehlo.cpp - a module of StableHLO before its ops are imported ---------------===//
#include "passes/import/PrepareStablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

/// Names of functions of which `has` holds for an op, or that call such a function.
static llvm::StringSet<> findFunctions(ModuleOp module, function_ref<bool(Operation *)> has) {
  llvm::StringSet<> found;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto function : module.getOps<func::FuncOp>()) {
      bool finds = false;
      function.getBody().walk([&](Operation *op) {
        auto call = dyn_cast<func::CallOp>(op);
        finds |= call ? found.contains(call.getCallee()) : has(op);
      });
      changed |= finds && found.insert(function.getSymName()).second;
    }
  }
  return found;
}

/// An op of StableHLO has one if it says so, or gives nothing but to what it stands in.
static bool isEffectful(Operation *op) {
  auto saysSo = [](Attribute attributes) {
    auto dictionary = dyn_cast_or_null<DictionaryAttr>(attributes);
    auto effect = dictionary ? dictionary.getAs<BoolAttr>("has_side_effect") : BoolAttr();
    return effect && effect.getValue();
  };
  return (op->getNumResults() == 0 && op != &op->getBlock()->back()) ||
         saysSo(op->getDiscardableAttrDictionary()) || saysSo(op->getPropertiesAsAttribute());
}

/// From the end, of which the last op stays.
static void eraseIn(Block &block, const llvm::StringSet<> &effectful) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    bool isNeeded = &op == &block.back() || !op.use_empty();
    op.walk([&](Operation *inner) {
      auto call = dyn_cast<func::CallOp>(inner);
      isNeeded |= isEffectful(inner) || (call && effectful.contains(call.getCallee()));
    });
    if (!isNeeded) {
      op.erase();
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inside : region)
        eraseIn(inside, effectful);
  }
}

void graphc::eraseDeadOps(ModuleOp module) {
  const llvm::StringSet<> effectful = findFunctions(module, isEffectful);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto function : module.getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        eraseIn(block, effectful);
    llvm::StringSet<> called;
    module.walk([&](func::CallOp call) { called.insert(call.getCallee()); });
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (!function.isPublic() && !called.contains(function.getSymName())) {
        function.erase();
        changed = true; // what it called
      }
  }
}

static bool isWide(Type type) { return getElementTypeOrSelf(type).isUnsignedInteger(64); }

static Type asSigned(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isWide(type) ? tensor.clone(IntegerType::get(type.getContext(), 64)) : type;
}

/// Whether the op does the same with the bits of either.
static bool isSignBlind(Operation *op) {
  static const llvm::StringSet<> blind = {"func.call",
                                          "func.return",
                                          "stablehlo.add",
                                          "stablehlo.and",
                                          "stablehlo.broadcast_in_dim",
                                          "stablehlo.concatenate",
                                          "stablehlo.constant",
                                          "stablehlo.iota",
                                          "stablehlo.multiply",
                                          "stablehlo.not",
                                          "stablehlo.or",
                                          "stablehlo.reshape",
                                          "stablehlo.return",
                                          "stablehlo.reverse",
                                          "stablehlo.select",
                                          "stablehlo.shift_left",
                                          "stablehlo.shift_right_logical",
                                          "stablehlo.slice",
                                          "stablehlo.subtract",
                                          "stablehlo.transpose",
                                          "stablehlo.while",
                                          "stablehlo.xor"};
  const StringRef name = op->getName().getStringRef();
  if (name == "stablehlo.convert")
    return llvm::all_of(llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                                 llvm::to_vector(op->getResultTypes())),
                        [](Type type) { return isa<IntegerType>(getElementTypeOrSelf(type)); });
  return blind.contains(name);
}

void graphc::readUnsignedAsSigned(ModuleOp module) {
  const bool isBlind =
      !module
           .walk([](Operation *op) {
             const bool touches = llvm::any_of(op->getOperandTypes(), isWide) ||
                                  llvm::any_of(op->getResultTypes(), isWide);
             return touches && !isSignBlind(op) ? WalkResult::interrupt() : WalkResult::advance();
           })
           .wasInterrupted();
  for (auto function : module.getOps<func::FuncOp>())
    if (!isBlind || (function.isPublic() && (llvm::any_of(function.getArgumentTypes(), isWide) ||
                                             llvm::any_of(function.getResultTypes(), isWide))))
      return;
  module.walk([](Operation *op) {
    for (Value result : op->getResults())
      result.setType(asSigned(result.getType()));
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setType(asSigned(argument.getType()));
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      auto types = [](ArrayRef<Type> given) { return llvm::map_to_vector(given, asSigned); };
      function.setFunctionType(FunctionType::get(
          op->getContext(), types(function.getArgumentTypes()), types(function.getResultTypes())));
    }
  });
}

/// Whether a value follows from an argument of the function in which it is made.
static bool followsFromArgument(Value value) {
  llvm::SmallPtrSet<Operation *, 32> seen;
  SmallVector<Value> open = {value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (isa<func::FuncOp>(parent))
        return true;
      llvm::append_range(open, parent->getOperands()); // of a loop
    } else if (Operation *op = next.getDefiningOp(); seen.insert(op).second) {
      // a loop takes what is in it
      op->walk([&](Operation *inner) { llvm::append_range(open, inner->getOperands()); });
    }
  }
  return false;
}

void graphc::warnOfConstantKeys(ModuleOp module) {
  // Floats of bits are made so.
  const llvm::StringSet<> draw = findFunctions(module, [](Operation *op) {
    return op->getName().getStringRef() == "stablehlo.bitcast_convert";
  });
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic())
      function.walk([&](func::CallOp call) {
        auto isKey = [](Value operand) {
          return getElementTypeOrSelf(operand).isUnsignedInteger(32);
        };
        if (draw.contains(call.getCallee()) && llvm::any_of(call.getOperands(), isKey) &&
            llvm::none_of(call.getOperands(), [&](Value operand) {
              return isKey(operand) && followsFromArgument(operand);
            }))
          call.emitWarning()
              << "random numbers of a key that is a constant: they are the same in each step; expected a key that "
                 "follows from an argument";
      });
}
