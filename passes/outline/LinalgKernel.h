//===- LinalgKernel.h - a kernel's function and the stages in it --------------------*- C++ -*-===//
//
// Makes func.func, its arguments and the linalg.generics; which stages there are and in what order
// is KernelBuilder's.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_OUTLINE_LINALGKERNEL_H
#define GRAPHC_PASSES_OUTLINE_LINALGKERNEL_H

#include "passes/outline/ScalarBody.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "llvm/ADT/MapVector.h"

namespace graphc {

/// What a stage does with a buffer: Update reads what it writes.
enum class StageUse { Read, Write, Update };

/// One linalg.generic: elements of `leaves` become those of `accesses`, and they and the outs' old
/// ones the outs.
struct LinalgStage {
  struct Leaf {
    ElementAccess access;
    mlir::Value buffer;
  };
  struct Out {
    mlir::Value buffer;
    StageUse use;
    mlir::AffineMap map; ///< loops → its element
  };
  mlir::Location loc;
  llvm::SmallVector<mlir::utils::IteratorType> iterators = {};
  llvm::SmallVector<ElementAccess> accesses = {};
  llvm::SmallVector<Leaf> leaves = {};
  llvm::SmallVector<Out> outs = {};
};

class LinalgKernel {
public:
  explicit LinalgKernel(mlir::Location loc);

  /// The argument for a buffer of the program; an i1 is a byte in memory.
  mlir::Value getArgument(mlir::Value buffer, StageUse use);
  /// A linalg.generic; `old`: the outs' elements before, null for those that are only written.
  using BodyFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::OpBuilder &, llvm::ArrayRef<mlir::Value> elements, mlir::ValueRange old)>;
  void addStage(const LinalgStage &stage, llvm::function_ref<bool(mlir::Value)> isLeaf,
                BodyFn body);
  void addCopy(mlir::Location loc, mlir::Value from, mlir::Value to);

  mlir::OpBuilder &getBuilder() { return builder_; }
  /// A private function named "kernel", in no module.
  mlir::OwningOpRef<mlir::func::FuncOp> take(uint64_t flops);
  /// What a call of it passes, in the order of its arguments.
  llvm::SmallVector<mlir::Value> getBuffers() const;

private:
  struct Argument {
    mlir::BlockArgument value;
    bool read = false, written = false; ///< read: before anything was written
  };
  mlir::Value narrow(mlir::Value memory, mlir::AffineMap &map, llvm::ArrayRef<int64_t> sizes);

  mlir::OwningOpRef<mlir::func::FuncOp> kernel_;
  mlir::OpBuilder builder_;
  llvm::MapVector<mlir::Value, Argument> arguments_;
};

} // namespace graphc
#endif
