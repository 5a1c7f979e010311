//===- InlineCalls.cpp - private functions to where graph.call names them ---------------------===//
#include "dialects/graph/DiscardableAttributes.h"
#include "dialects/graph/GraphDialect.h"
#include "passes/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

namespace graphc {
#define GEN_PASS_DEF_INLINECALLS
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

/// That calls make of a module. One with more has a mistake in it: functions that call the next one
/// twice, forty deep.
constexpr uint64_t kMostOps = uint64_t(1) << 18;

StringAttr findName(Operation *op) {
  if (auto name = op->getAttrOfType<StringAttr>(GraphDialect::kName))
    return name;
  auto located = op->getLoc()->findInstanceOf<NameLoc>();
  return located && findNameDefect(located.getName()).empty() ? located.getName() : StringAttr();
}

/// Where it is in the text, without a name, which would be taken for that of each op that gets it.
Location withoutName(Location loc) {
  if (auto named = dyn_cast<NameLoc>(loc))
    return named.getChildLoc();
  if (!loc->findInstanceOf<NameLoc>())
    return loc;
  auto place = loc->findInstanceOf<FileLineColLoc>();
  return place ? Location(place) : UnknownLoc::get(loc.getContext());
}

struct InlineCallsPass : graphc::impl::InlineCallsBase<InlineCallsPass> {
  struct Function {
    SmallVector<CallOp> calls; ///< in the order of the text
    size_t next = 0; ///< of its calls, the first whose callee has not been visited
    uint64_t ops = 0; ///< with those of its callees
  };

  void runOnOperation() override {
    done.clear();
    made = 0;
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<FuncOp>())
      if (failed(inlineInto(function, symbols)))
        return signalPassFailure();
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<FuncOp>()))
      if (function.isPrivate())
        function.erase();
  }

  /// What it calls is made free of calls first, without recursion of ours: chains of calls may be
  /// long.
  LogicalResult inlineInto(FuncOp root, const SymbolTable &symbols) {
    llvm::MapVector<FuncOp, Function> path;
    auto enter = [&](FuncOp function) {
      Function &entry = path[function];
      function.walk([&](Operation *op) {
        ++entry.ops;
        if (auto call = dyn_cast<CallOp>(op))
          entry.calls.push_back(call);
      });
    };
    enter(root);
    while (!path.empty()) {
      auto &[function, entry] = path.back();
      if (entry.next < entry.calls.size()) {
        CallOp call = entry.calls[entry.next++];
        auto callee = symbols.lookup<FuncOp>(call.getCallee());
        if (path.contains(callee))
          return refuseRecursion(call, callee, path);
        if (!done.contains(callee))
          enter(callee);
        continue;
      }
      for (CallOp call : entry.calls) {
        const uint64_t ops = done.lookup(symbols.lookup<FuncOp>(call.getCallee()));
        entry.ops += ops;
        if ((made += ops) > kMostOps)
          return call.emitOpError()
                 << "makes more than " << kMostOps
                 << " operations with all calls before it; expected fewer calls within calls, or "
                    "loops of fewer iterations";
      }
      for (CallOp call : entry.calls)
        if (failed(inlineCall(call, symbols.lookup<FuncOp>(call.getCallee()))))
          return failure();
      done[function] = entry.ops;
      path.pop_back();
    }
    return success();
  }

  static LogicalResult refuseRecursion(CallOp call, FuncOp callee,
                                       const llvm::MapVector<FuncOp, Function> &path) {
    std::string circle;
    bool within = false;
    size_t named = 0;
    for (auto &[function, entry] : path) {
      within |= function == callee;
      if (within && ++named <= 8)
        circle += "@" + FuncOp(function).getSymName().str() + " -> ";
    }
    InFlightDiagnostic diagnostic =
        call.emitOpError() << "makes @" << callee.getSymName() << " call itself: " << circle
                           << (named > 8 ? "… -> " : "") << "@" << callee.getSymName()
                           << "; expected functions that end";
    diagnostic.attachNote(callee.getLoc()) << "the function is declared here";
    return diagnostic;
  }

  /// A scope with the callee's ops: flatten-scopes gives them the call's device.
  static LogicalResult inlineCall(CallOp call, FuncOp callee) {
    StringAttr named = findName(call);
    const std::string prefix = (named ? named.str() : call.getCallee().str()) + "/";
    const Location place = withoutName(call.getLoc());
    OpBuilder builder(call);
    auto scope = ScopeOp::create(builder, place, call.getResultTypes());
    for (StringRef carried : {GraphDialect::kDevice, GraphDialect::kColocateWith})
      if (Attribute value = call->getAttr(carried))
        scope->setAttr(carried, value);
    builder.createBlock(&scope.getBody());
    IRMapping mapping;
    mapping.map(callee.getBodyBlock().getArguments(), call.getOperands());
    for (Operation &op : callee.getBodyBlock().without_terminator()) {
      Operation *copy = builder.clone(op, mapping);
      if (copy->walk([&](Operation *inner) { return nameInner(inner, prefix, place, call); })
              .wasInterrupted())
        return failure();
    }
    SmallVector<Value> results;
    for (Value result : callee.getBodyBlock().getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(result));
    YieldOp::create(builder, place, results);
    call.replaceAllUsesWith(scope.getResults());
    call.erase();
    return success();
  }

  static WalkResult nameInner(Operation *op, const std::string &prefix, Location place,
                              CallOp call) {
    StringAttr own = findName(op);
    op->setLoc(CallSiteLoc::get(withoutName(op->getLoc()), place));
    auto isLong = [&](StringRef name) {
      if (findNameDefect(name).empty())
        return false;
      call.emitOpError() << "gives an op a name of " << name.size() << " bytes, expected at most "
                         << kMaxNameBytes;
      return true;
    };
    if (own && llvm::is_contained(getCarriedNames(op->getName()), GraphDialect::kName)) {
      auto name = StringAttr::get(op->getContext(), prefix + own.str());
      if (isLong(name))
        return WalkResult::interrupt();
      op->setAttr(GraphDialect::kName, name);
      op->setLoc(NameLoc::get(name, op->getLoc()));
    }
    if (isa<SummaryOp, MetricOp>(op)) { // what is fetched under its name: one for each call
      auto name =
          StringAttr::get(op->getContext(), prefix + op->getAttrOfType<StringAttr>("name").str());
      if (isLong(name))
        return WalkResult::interrupt();
      op->setAttr("name", name);
    }
    return WalkResult::advance();
  }

  /// functions without calls, and how many ops they have
  llvm::DenseMap<Operation *, uint64_t> done;
  uint64_t made = 0;
};

} // namespace
