//===- PartRangeLoop.h - loops of an op's own that can be cut into parts ------------*- C++ -*-===//
//
// What an op builds for a range of its parts (LoopPartsOpInterface) stands in a kernel within one
// loop over ranges:
//
//   scf.parallel (%first) = (%c0) to (%parts) step (%width) {
//     %next = arith.addi %first, %width : index
//     %limit = arith.minui %next, %parts : index
//     …
//
// Ranges may be done in any order and at once. outline makes one of all parts; lower-nests makes as
// many as a kernel has blocks, kernels-to-gpu gives each thread ranges of one part.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_PARTRANGELOOP_H
#define GRAPHC_PASSES_PARTRANGELOOP_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace graphc {

struct PartLoop {
  mlir::scf::ParallelOp loop;
  int64_t parts;
  mlir::Value first, limit; ///< what the body has for them

  /// Nothing where it is no such loop.
  static std::optional<PartLoop> match(mlir::Operation *op);
  /// One range of all parts at the builder's place, whose body `build` makes.
  static void create(mlir::OpBuilder &builder, mlir::Location loc, int64_t parts,
                     llvm::function_ref<void(mlir::Value first, mlir::Value limit)> build);

  /// Evaluations of what is innermost, of all parts together; a loop of unknown length counts once.
  int64_t getWork();
  /// Moves the body before `where`, for the parts from `from` on and before `to`; the loop goes.
  void moveBodyBefore(mlir::Operation *where, mlir::Value from, mlir::Value to);
};

} // namespace graphc
#endif
