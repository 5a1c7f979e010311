//===- KernelTable.h - a module's kernels -------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_OUTLINE_KERNELTABLE_H
#define GRAPHC_PASSES_OUTLINE_KERNELTABLE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

namespace graphc {

/// The module's kernels: equal ones are one function. Equal is what computes the same of the same,
/// operation by operation: names and locations do not count, nor does how anything would be
/// printed.
class KernelTable {
public:
  explicit KernelTable(mlir::ModuleOp module) : module_(module), symbols_(module) {}

  /// Takes over a function that is in no module yet; the name of the one that stands for it.
  mlir::FlatSymbolRefAttr insert(mlir::OwningOpRef<mlir::func::FuncOp> kernel,
                                 llvm::StringRef stem);
  /// acc += message, element by element, for `elements` of them.
  mlir::FlatSymbolRefAttr getAdd(mlir::Type element, int64_t elements, mlir::Location loc) {
    return getBinary(mlir::MemRefType::get(elements, element), "read_write", "add", loc);
  }
  /// to = from.
  mlir::FlatSymbolRefAttr getCopy(mlir::MemRefType type, mlir::Location loc) {
    return getBinary(type, "write", "copy", loc);
  }

  size_t size() const { return count_; }
  /// Of the module, its kernels among them.
  const mlir::SymbolTable &getSymbols() const { return symbols_; }

private:
  /// A kernel of (destination, source): destination += source where it is read_write, = source
  /// where it is written.
  mlir::FlatSymbolRefAttr getBinary(mlir::MemRefType type, llvm::StringRef access,
                                    llvm::StringRef stem, mlir::Location loc);

  mlir::ModuleOp module_;
  mlir::SymbolTable symbols_;
  /// by hashKernel
  llvm::DenseMap<llvm::hash_code, llvm::SmallVector<mlir::func::FuncOp, 1>> known_;
  size_t count_ = 0;
};

/// What a kernel is known by, locations and name left away.
llvm::hash_code hashKernel(mlir::func::FuncOp kernel);
bool areSameKernel(mlir::func::FuncOp a, mlir::func::FuncOp b);

} // namespace graphc
#endif
