//===- DecomposeComposites.cpp - composite ops by their definitions ---------------------------===//
#include "dialects/graph/GraphDialect.h"
#include "passes/LibraryKind.h"
#include "passes/Passes.h"

namespace graphc {
#define GEN_PASS_DEF_DECOMPOSECOMPOSITES
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
  /// what no tensor is: operands and results may be in bounds where what is between them is not
  Type tooLarge;

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (device)
      setDevice(op, device);
    for (Type type : op->getResultTypes())
      if (!tooLarge && !isGraphTensor(type, AnyKind))
        tooLarge = type;
    if (isa<DecomposableOpInterface>(op))
      composites.push_back(op);
  }
};

/// A library does the whole of it, on the device where it stands.
bool isServed(Operation *op) {
  auto library = dyn_cast<LibraryKernelOpInterface>(op);
  auto program = op->getParentOfType<dist::ProgramOp>();
  const StringRef kind = library && program ? getLibraryKind(program) : StringRef();
  return !kind.empty() && !library.getLibraryKernel(kind).empty();
}

struct DecomposeCompositesPass : graphc::impl::DecomposeCompositesBase<DecomposeCompositesPass> {
  void runOnOperation() override {
    ExpansionListener listener;
    getOperation()->walk([&](DecomposableOpInterface op) { listener.composites.push_back(op); });
    for (size_t i = 0; i < listener.composites.size(); ++i) {
      Operation *op = listener.composites[i];
      if (isServed(op))
        continue;
      listener.device = getDevice(op);
      OpBuilder builder(op, &listener);
      SmallVector<Value> values = cast<DecomposableOpInterface>(op).decompose(builder);
      if (listener.tooLarge) {
        op->emitOpError() << "is computed by way of a " << listener.tooLarge
                          << ", expected at most 2^37 elements";
        return signalPassFailure();
      }
      if (values.empty())
        continue;
      op->replaceAllUsesWith(values);
      op->erase();
      ++numExpanded;
    }
  }
};

} // namespace
