//===- BufferUses.h - which memory an operation of an outlined program touches ------*- C++ -*-===//
//
// Memory is named by its *root*: the buffer, constant or received message that views lead to; all
// variable_buffers of a variable have the first one as their root. Two roots never overlap before
// offsets are given.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_SCHEDULE_BUFFERUSES_H
#define GRAPHC_PASSES_SCHEDULE_BUFFERUSES_H

#include "dialects/dist/DistDialect.h"

#include "llvm/ADT/DenseMap.h"

namespace graphc {

struct BufferUse {
  mlir::Value root;
  bool read, written;
  dist::BufferHold until; ///< of the operation's effects on this root, the longest
};

/// Buffers, variables, constants and views: what only names memory and does nothing.
bool isDeclaration(mlir::Operation &op);

class BufferUses {
public:
  /// `symbols`: of the module, made once for all its programs.
  BufferUses(dist::ProgramOp program, const mlir::SymbolTable &symbols);

  mlir::Value getRoot(mlir::Value buffer) const { return roots_.lookup(buffer); }
  /// The operation's effects (dialects/dist/BufferEffects.cpp), one entry a root.
  /// Fails with a diagnostic at an operation that outlined programs do not have.
  mlir::FailureOr<llvm::SmallVector<BufferUse>> get(mlir::Operation *op) const;
  /// Every use of the program, in its order; those in a loop are the loop's, or with `inLoops`
  /// those of what it repeats.
  mlir::LogicalResult forEach(llvm::function_ref<void(mlir::Operation &, const BufferUse &)> visit,
                              bool inLoops = false) const;

private:
  dist::ProgramOp program_;
  const mlir::SymbolTable &symbols_;
  llvm::DenseMap<mlir::Value, mlir::Value> roots_;
};

} // namespace graphc
#endif
