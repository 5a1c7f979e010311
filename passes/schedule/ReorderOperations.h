//===- ReorderOperations.h - puts the operations of a program into the order that was found ---===//
#ifndef GRAPHC_PASSES_SCHEDULE_REORDEROPERATIONS_H
#define GRAPHC_PASSES_SCHEDULE_REORDEROPERATIONS_H

#include "passes/schedule/BufferUses.h"

namespace graphc {

/// All of a program's operations but its terminator.
struct ProgramParts {
  llvm::SmallVector<mlir::Operation *> declarations, feeds, ordered, results;
  mlir::Operation *control = nullptr; ///< control_receive, the last of all
  /// where the step has a commit point: of `ordered` the first behind it; `control` comes before
  /// that
  mlir::Operation *commits = nullptr;
};

/// Returns how many operations have another predecessor than before. Views of a message stand
/// behind its receive, all other declarations in front.
unsigned writeOrder(dist::ProgramOp program, const mlir::SymbolTable &symbols,
                    const ProgramParts &parts);

} // namespace graphc
#endif
