#include "dialects/dist/DistDialect.h"
#include "passes/Passes.h"

namespace graphc {
#define GEN_PASS_DEF_VERIFYOUTLINED
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// What a buffer takes of the memory behind it; views are parts of their source.
struct Extent {
  Value memory;
  uint64_t begin = 0, end;

  explicit Extent(Value buffer) : memory(buffer) {
    while (auto view = memory.getDefiningOp<dist::ViewOp>()) {
      begin += view.getOffset();
      memory = view.getSource();
    }
    end = begin + dist::getBufferBytes(buffer);
  }
  bool meets(const Extent &other) const {
    return memory == other.memory && begin < other.end && other.begin < end;
  }
};

struct VerifyOutlinedPass : impl::VerifyOutlinedBase<VerifyOutlinedPass> {
  /// Kernels are compiled as if their arguments were apart: two may share memory only if both are
  /// read.
  LogicalResult verifyCall(dist::CallOp call, const SymbolTable &symbols) {
    FunctionOpInterface kernel = dist::findKernelBody(symbols, call.getKernel());
    SmallVector<Extent> extents(call.getBuffers().begin(), call.getBuffers().end());
    for (unsigned i = 0; kernel && i < extents.size(); ++i)
      for (unsigned j = 0; j < i; ++j) {
        if (!extents[i].meets(extents[j]))
          continue;
        if (dist::getAccess(kernel, i) != dist::BufferAccess::Read ||
            dist::getAccess(kernel, j) != dist::BufferAccess::Read)
          return call.emitOpError("passes the same memory as arguments ")
                 << j << " and " << i << ", one of which is written";
      }
    return success();
  }

  void runOnOperation() override {
    markAllAnalysesPreserved(); // and the module need not be verified again
    SymbolTable symbols(getOperation());
    for (auto program : getOperation().getOps<dist::ProgramOp>()) {
      WalkResult result = program.getBody().walk([&](Operation *op) -> WalkResult {
        bool tensors = llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>) ||
                       llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
        if (tensors || op->getName().getDialectNamespace() == "graph")
          return op->emitOpError(
              "is left in an outlined program, which has buffers and calls alone");
        if (auto call = dyn_cast<dist::CallOp>(op))
          return verifyCall(call, symbols);
        return success();
      });
      if (result.wasInterrupted())
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace graphc
