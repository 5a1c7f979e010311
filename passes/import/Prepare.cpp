//===- Prepare.cpp - a module of StableHLO before its ops are imported ------------------------------------------===//
#include "passes/import/Prepare.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

/// An op of StableHLO has one if it says so, or gives nothing.
static bool hasEffect(Operation *op) {
  auto saysSo = [](Attribute attributes) {
    auto dictionary = dyn_cast_or_null<DictionaryAttr>(attributes);
    auto effect = dictionary ? dictionary.getAs<BoolAttr>("has_side_effect") : BoolAttr();
    return effect && effect.getValue();
  };
  return op->getNumResults() == 0 || saysSo(op->getDiscardableAttrDictionary()) ||
         saysSo(op->getPropertiesAsAttribute());
}

void graphc::eraseDeadOps(ModuleOp module) {
  for (bool changed = true; changed;) {
    changed = false;
    llvm::StringSet<> called;
    for (auto function : module.getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
          bool effect = false;
          op.walk([&](Operation *inner) { effect |= inner->getNumResults() > 0 && hasEffect(inner); });
          if (op.use_empty() && !hasEffect(&op) && !effect)
            op.erase();
        }
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
    return llvm::all_of(
        llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()), llvm::to_vector(op->getResultTypes())),
        [](Type type) { return isa<IntegerType>(getElementTypeOrSelf(type)); });
  return blind.contains(name);
}

void graphc::readUnsignedAsSigned(ModuleOp module) {
  const bool isBlind = !module
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
      function.setFunctionType(
          FunctionType::get(op->getContext(), types(function.getArgumentTypes()), types(function.getResultTypes())));
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
      llvm::append_range(open, op->getOperands());
    }
  }
  return false;
}

void graphc::warnOfConstantKeys(ModuleOp module) {
  llvm::StringSet<> draw; // functions that make floats of bits, as JAX makes random numbers
  for (bool changed = true; changed;) {
    changed = false;
    for (auto function : module.getOps<func::FuncOp>()) {
      bool draws = false;
      function.walk([&](Operation *op) {
        auto call = dyn_cast<func::CallOp>(op);
        draws |= call ? draw.contains(call.getCallee()) : op->getName().getStringRef() == "stablehlo.bitcast_convert";
      });
      changed |= draws && draw.insert(function.getSymName()).second;
    }
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic())
      function.walk([&](func::CallOp call) {
        auto isKey = [](Value operand) { return getElementTypeOrSelf(operand).isUnsignedInteger(32); };
        if (draw.contains(call.getCallee()) && llvm::any_of(call.getOperands(), isKey) &&
            llvm::none_of(call.getOperands(),
                          [&](Value operand) { return isKey(operand) && followsFromArgument(operand); }))
          call.emitWarning()
              << "random numbers of a key that is a constant: they are the same in each step; expected a key that "
                 "follows from an argument";
      });
}
