//===- Decompose.cpp - composite ops by their definitions -----------------------------------------------------===//
#include "dialects/graph/GraphDialect.h"
#include "passes/Passes.h"

namespace graphc {
#define GEN_PASS_DEF_DECOMPOSE
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

/// What stands for a composite op stands on its device; what of it is composite itself is next.
struct ExpansionListener : OpBuilder::Listener {
  DeviceAttr device;
  SmallVector<Operation *> composites;

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (device)
      setDevice(op, device);
    if (isa<DecomposableOpInterface>(op))
      composites.push_back(op);
  }
};

struct DecomposePass : graphc::impl::DecomposeBase<DecomposePass> {
  void runOnOperation() override {
    ExpansionListener listener;
    getOperation()->walk([&](DecomposableOpInterface op) { listener.composites.push_back(op); });
    for (size_t i = 0; i < listener.composites.size(); ++i) {
      Operation *op = listener.composites[i];
      listener.device = getDevice(op);
      OpBuilder builder(op, &listener);
      SmallVector<Value> values = cast<DecomposableOpInterface>(op).decompose(builder);
      if (values.empty())
        continue;
      op->replaceAllUsesWith(values);
      op->erase();
      ++numExpanded;
    }
  }
};

} // namespace
