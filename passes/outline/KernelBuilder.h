//===- KernelBuilder.h - one group of operations as a kernel ------------------------*- C++ -*-===//
//
// A kernel is a func.func over buffers whose body is a list of stages: a linalg.generic
// (LinalgKernel makes it) or loops that an operation writes itself. Roots (what is seen from
// outside, what is not inlined, costly values wanted twice) have memory; the rest is inlined where
// it is used. Updates of variables come last, so that every stage before them reads the old values.
// A root takes the memory of a value that it reads element by element and that nobody wants
// afterwards: to the kernel one argument, read and written.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_OUTLINE_KERNELBUILDER_H
#define GRAPHC_PASSES_OUTLINE_KERNELBUILDER_H

#include "passes/outline/LinalgKernel.h"

namespace graphc {

/// The memory of a program's values; kept by the outliner.
class ProgramMemory {
public:
  virtual ~ProgramMemory() = default;
  /// The buffer that holds a value; made where there is none yet.
  virtual mlir::Value of(mlir::Value value) = 0;
  virtual mlir::Value ofVariable(llvm::StringRef name) = 0;
  /// A buffer that holds no value of the program, for one like this.
  virtual mlir::Value makeLike(mlir::Value value) = 0;
  /// Both have one memory, as nobody wants `donor` from then on: that of `donor`, or where the
  /// value has its place already that. False where the memory of `donor` is not the program's own.
  virtual bool reuse(mlir::Value donor, mlir::Value value) = 0;
};

class KernelBuilder {
public:
  KernelBuilder(llvm::ArrayRef<mlir::Operation *> ops, ProgramMemory &memory,
                const graph::LoopTarget &target);

  /// The kernel as a private function named "kernel", not in any module; fails, having said why,
  /// where an operation's own loops are not what it promises.
  mlir::FailureOr<mlir::OwningOpRef<mlir::func::FuncOp>> build();
  /// What a call of it passes, in the order of its arguments.
  llvm::SmallVector<mlir::Value> getBuffers() const { return kernel_.getBuffers(); }
  /// A word for its name: what it ends in.
  std::string getStem() const;

private:
  bool isMember(mlir::Value value) const;
  bool isLeaf(mlir::Value value) const;
  llvm::SmallVector<mlir::Value> getRootsOf(mlir::Operation *op) const;
  void findRoots();
  bool isWantedTwice(mlir::Operation *op) const;
  llvm::SmallVector<ElementAccess> getAccesses(mlir::Operation *op) const;
  llvm::SmallVector<ElementAccess> leavesOf(llvm::ArrayRef<ElementAccess> accesses) const;
  llvm::SmallVector<ElementAccess> leavesOf(mlir::Operation *op);
  void reuseMemory();
  llvm::SmallVector<mlir::Value>
  findDonors(mlir::Operation *op, llvm::ArrayRef<ElementAccess> leaves,
             const llvm::DenseMap<mlir::Value, mlir::Operation *> &lastReader) const;

  mlir::LogicalResult emit(mlir::Operation *op);
  void emitElementwise(llvm::ArrayRef<mlir::Value> roots);
  void emitStructured(graph::StructuredOpInterface op);
  mlir::LogicalResult emitLoops(graph::ExplicitLoopsOpInterface op);
  void fill(mlir::Value root, mlir::TypedAttr value);
  /// Gives an operand memory where its expression would not name every loop.
  void coverLoops(llvm::ArrayRef<ElementAccess> accesses, llvm::ArrayRef<mlir::AffineMap> writes);
  void materialize(mlir::Value value);
  void protectUpdates(llvm::ArrayRef<mlir::Operation *> updates);
  /// Finds the leaves and adds the stage; `reader`: whose copies of old values they are read from.
  void addStage(LinalgStage stage, LinalgKernel::BodyFn body, mlir::Operation *reader = nullptr);

  llvm::ArrayRef<mlir::Operation *> ops_;
  ProgramMemory &memory_;
  graph::LoopTarget target_;
  llvm::DenseSet<mlir::Operation *> members_;
  llvm::DenseSet<mlir::Value> roots_;
  /// whose results are being computed: no leaves of themselves
  mlir::Operation *current_ = nullptr;
  llvm::DenseMap<mlir::OpOperand *, mlir::Value> copies_; ///< old values, kept for an update
  LinalgKernel kernel_;
};

} // namespace graphc
#endif
