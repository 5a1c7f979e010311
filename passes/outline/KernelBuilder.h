//===- KernelBuilder.h - one group of operations as a kernel ----------------------------------------------*- C++ -*-===//
//
// A kernel is a func.func over buffers whose body is a list of stages, one linalg.generic each. Roots (what is seen from
// outside, reductions, costly values wanted twice) have memory; the rest is inlined where it is used. Updates of
// variables come last, so that every stage before them reads the old values. A root takes the memory of a value that it
// reads element by element and that nobody wants afterwards: to the kernel one argument, read and written.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_OUTLINE_KERNELBUILDER_H
#define GRAPHC_PASSES_OUTLINE_KERNELBUILDER_H

#include "passes/outline/ProgramGraph.h"
#include "passes/outline/ScalarBody.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "llvm/ADT/MapVector.h"

namespace graphc {

/// The memory of a program's values; kept by the outliner.
class ProgramMemory {
public:
  virtual ~ProgramMemory() = default;
  /// The buffer that holds a value; made where there is none yet.
  virtual mlir::Value of(mlir::Value value) = 0;
  virtual mlir::Value ofVariable(llvm::StringRef name) = 0;
  /// Gives `value` the memory of `donor`, which nobody wants from then on; nothing where that memory is not the program's
  /// own or the value has its place already.
  virtual void reuse(mlir::Value donor, mlir::Value value) = 0;
};

/// The one loop that an index depends on.
std::optional<unsigned> getLoop(mlir::AffineExpr expr, unsigned loops);

class KernelBuilder {
public:
  KernelBuilder(const ProgramGraph &graph, llvm::ArrayRef<mlir::Operation *> ops, ProgramMemory &memory);

  /// The kernel as a private function named "kernel", not in any module.
  mlir::OwningOpRef<mlir::func::FuncOp> build();
  /// What a call of it passes, in the order of its arguments.
  llvm::SmallVector<mlir::Value> getBuffers() const;
  /// A word for its name: what it ends in.
  std::string getStem() const;

private:
  enum class Use { Read, Write, Update };
  struct Argument {
    mlir::BlockArgument value;
    bool read = false, written = false; ///< read: before anything was written
  };
  struct Stage;

  bool isMember(mlir::Value value) const;
  bool isLeaf(mlir::Value value) const;
  void findRoots();
  bool isWantedTwice(mlir::Operation *op) const;
  llvm::SmallVector<Access> leavesOf(mlir::Operation *op);
  void reuseMemory();

  mlir::Value argument(mlir::Value buffer, Use use);
  void emitRoot(mlir::Operation *op);
  void emitParallel(mlir::Value root);
  void emitReduction(mlir::Operation *op);
  void emitArgmax(graph::ArgmaxOp op);
  void emitMatmul(graph::MatmulOp op);
  void emitCopy(graph::ReadOp op);
  void emitConcatenate(graph::ConcatenateOp op);
  void emitUpdate(mlir::Operation *op);
  void fill(mlir::Value root, mlir::TypedAttr value);
  /// Gives the operand memory where its expression would not name every loop.
  void coverLoops(llvm::ArrayRef<Access> accesses, mlir::AffineMap outMap);
  void materialize(mlir::Value value);
  void protectUpdates(llvm::ArrayRef<mlir::Operation *> updates);
  llvm::SmallVector<Access> leavesOf(llvm::ArrayRef<Access> accesses);

  using BodyFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::OpBuilder &, llvm::ArrayRef<mlir::Value> elements, mlir::ValueRange old)>;
  /// A linalg.generic: the elements of `accesses`, and of the outs before, become the outs, or with a `windowMap` the part
  /// of each that it names.
  void emitStage(mlir::Location loc, llvm::ArrayRef<Access> accesses, mlir::ValueRange outs, Use use,
                 mlir::AffineMap outMap, llvm::ArrayRef<mlir::utils::IteratorType> iterators, BodyFn body,
                 mlir::AffineMap windowMap = {});
  mlir::Value narrow(mlir::Value memory, mlir::AffineMap &map, llvm::ArrayRef<int64_t> sizes);

  const ProgramGraph &graph;
  llvm::ArrayRef<mlir::Operation *> ops;
  ProgramMemory &memory;
  mlir::MLIRContext *context;
  llvm::DenseSet<mlir::Operation *> members;
  llvm::DenseSet<mlir::Value> roots;
  mlir::Value current; ///< the root that is being computed: not a leaf of itself
  llvm::MapVector<mlir::Value, Argument> arguments;
  mlir::func::FuncOp kernel;
  mlir::OpBuilder builder;
};

} // namespace graphc
#endif
