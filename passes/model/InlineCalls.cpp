//===- InlineCalls.cpp - private functions to where graph.call names them ---------------------===//
#include "dialects/graph/DiscardableAttributes.h"
#include "dialects/graph/GraphDialect.h"
#include "passes/ModelSize.h"
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

/// Calls around an op that its location tells of; MLIR walks locations by recursion.
constexpr unsigned kMostPlaces = 64;

/// Scopes within scopes, which MLIR walks by recursion as well.
constexpr unsigned kMostScopes = 1000;

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

/// A call that is to be replaced, and what all calls around it say.
struct PendingCall {
  CallOp call;
  std::string prefix; ///< of the names of its ops; cut where it is longer than a name may be
  unsigned depth; ///< calls around it
};

/// What is inlined: of a function, with all that it calls.
struct InlinedSize {
  uint64_t ops = 0, calls = 0;

  void add(const InlinedSize &other) {
    ops += other.ops;
    calls += other.calls;
  }
};

struct InlineCallsPass : graphc::impl::InlineCallsBase<InlineCallsPass> {
  struct Function {
    SmallVector<CallOp> calls; ///< in the order of the text
    size_t next = 0; ///< of its calls, the first whose callee has not been visited
    uint64_t ops = 0; ///< of its own, without calls
  };

  void runOnOperation() override {
    sizes.clear();
    total = {};
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<FuncOp>())
      if (failed(count(function, symbols)))
        return signalPassFailure();
    for (auto function : getOperation().getOps<FuncOp>())
      if (!function.isPrivate() && failed(inlineInto(function, symbols)))
        return signalPassFailure();
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<FuncOp>()))
      if (function.isPrivate())
        function.erase();
  }

  /// How many ops a function becomes, callees first, without recursion of ours: chains of calls may
  /// be long.
  LogicalResult count(FuncOp root, const SymbolTable &symbols) {
    llvm::MapVector<FuncOp, Function> path;
    auto enter = [&](FuncOp function) {
      Function &entry = path[function];
      function.walk([&](Operation *op) {
        if (auto call = dyn_cast<CallOp>(op))
          entry.calls.push_back(call);
        else if (!isa<FuncOp, ReturnOp>(op))
          ++entry.ops;
      });
    };
    if (!sizes.contains(root))
      enter(root);
    while (!path.empty()) {
      auto &[function, entry] = path.back();
      if (entry.next < entry.calls.size()) {
        CallOp call = entry.calls[entry.next++];
        auto callee = symbols.lookup<FuncOp>(call.getCallee());
        if (path.contains(callee))
          return refuseRecursion(call, callee, path);
        if (!sizes.contains(callee))
          enter(callee);
        continue;
      }
      InlinedSize size = {entry.ops, entry.calls.size()};
      for (CallOp call : entry.calls) {
        const InlinedSize of = sizes.lookup(symbols.lookup<FuncOp>(call.getCallee()));
        size.add(of);
        if (!FuncOp(function).isPrivate())
          total.add({of.ops, of.calls + 1});
        for (const InlinedSize &one : {size, total})
          if (one.ops > kMostModelOps || one.calls > kMostModelOps)
            return call.emitOpError()
                   << "makes more than " << kMostModelOps
                   << (one.ops > kMostModelOps ? " operations" : " calls")
                   << " with all calls before it; expected fewer calls within calls, or loops of "
                      "fewer iterations";
      }
      sizes[function] = size;
      path.pop_back();
    }
    return success();
  }

  /// From the outside in, so that each op is copied once, to where it stays.
  static LogicalResult inlineInto(FuncOp root, const SymbolTable &symbols) {
    SmallVector<PendingCall> pending;
    root.walk([&](CallOp call) { pending.push_back({call, prefixOf(call), 0}); });
    while (!pending.empty()) {
      PendingCall next = pending.pop_back_val();
      if (failed(inlineCall(next, symbols.lookup<FuncOp>(next.call.getCallee()), pending)))
        return failure();
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

  /// The part of a name that an op within the call gets from it.
  static std::string prefixOf(CallOp call) {
    StringAttr named = findName(call);
    return (named ? named.str() : call.getCallee().str()) + "/";
  }

  /// The callee's ops in the place of the call, within a scope where the call says where they are
  /// placed: flatten-scopes gives them the call's device.
  static LogicalResult inlineCall(const PendingCall &outer, FuncOp callee,
                                  SmallVectorImpl<PendingCall> &pending) {
    CallOp call = outer.call;
    OpBuilder builder(call);
    ScopeOp scope;
    unsigned nested = 0;
    for (Operation *around = call->getParentOp(); isa<ScopeOp>(around);
         around = around->getParentOp())
      ++nested;
    if (nested >= kMostScopes)
      return call.emitOpError() << "is nested in " << nested
                                << " graph.scope operations, expected fewer than " << kMostScopes;
    if (call->hasAttr(GraphDialect::kDevice) || call->hasAttr(GraphDialect::kColocateWith)) {
      scope = ScopeOp::create(builder, withoutName(call.getLoc()), call.getResultTypes());
      for (StringRef carried : {GraphDialect::kDevice, GraphDialect::kColocateWith})
        if (Attribute value = call->getAttr(carried))
          scope->setAttr(carried, value);
      builder.createBlock(&scope.getBody());
    }
    IRMapping mapping;
    mapping.map(callee.getBodyBlock().getArguments(), call.getOperands());
    for (Operation &op : callee.getBodyBlock().without_terminator()) {
      WalkResult named = builder.clone(op, mapping)->walk([&](Operation *inner) {
        auto innerCall = dyn_cast<CallOp>(inner);
        if (!innerCall)
          return nameInner(inner, outer);
        pending.push_back({innerCall, (outer.prefix + prefixOf(innerCall)).substr(0, kMaxNameBytes),
                           outer.depth + 1});
        inner->setLoc(placeWithin(inner->getLoc(), outer));
        return WalkResult::advance();
      });
      if (named.wasInterrupted())
        return failure();
    }
    SmallVector<Value> results;
    for (Value result : callee.getBodyBlock().getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(result));
    if (scope) {
      YieldOp::create(builder, scope.getLoc(), results);
      results.assign(scope.getResults().begin(), scope.getResults().end());
    }
    call.replaceAllUsesWith(results);
    call.erase();
    return success();
  }

  /// Where an op of the callee is in the text, and where that was called from. Of a long chain of
  /// calls the outermost ones are kept, and the op itself.
  static Location placeWithin(Location loc, const PendingCall &outer) {
    Location called = CallOp(outer.call).getLoc();
    if (outer.depth >= kMostPlaces)
      called = cast<CallSiteLoc>(called).getCaller();
    return CallSiteLoc::get(withoutName(loc), outer.depth ? called : withoutName(called));
  }

  static WalkResult nameInner(Operation *op, const PendingCall &outer) {
    StringAttr own = findName(op);
    op->setLoc(placeWithin(op->getLoc(), outer));
    auto isLong = [&](StringRef name) {
      if (findNameDefect(name).empty())
        return false;
      CallOp(outer.call).emitOpError() << "gives an op a name of more than " << kMaxNameBytes
                                       << " bytes; expected shorter names, or fewer calls within "
                                          "calls";
      return true;
    };
    if (own && llvm::is_contained(getCarriedNames(op->getName()), GraphDialect::kName)) {
      auto name = StringAttr::get(op->getContext(), outer.prefix + own.str());
      if (isLong(name))
        return WalkResult::interrupt();
      op->setAttr(GraphDialect::kName, name);
      op->setLoc(NameLoc::get(name, op->getLoc()));
    }
    if (isa<SummaryOp, MetricOp>(op)) { // what is fetched under its name: one for each call
      auto name = StringAttr::get(op->getContext(),
                                  outer.prefix + op->getAttrOfType<StringAttr>("name").str());
      if (isLong(name))
        return WalkResult::interrupt();
      op->setAttr("name", name);
    }
    return WalkResult::advance();
  }

  llvm::DenseMap<Operation *, InlinedSize> sizes; ///< by function
  InlinedSize total; ///< of the calls of functions that stay
};

} // namespace
