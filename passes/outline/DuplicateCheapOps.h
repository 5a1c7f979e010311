//===- DuplicateCheapOps.h - values that kernels rematerialize instead of keeping them --------===//
#ifndef GRAPHC_PASSES_OUTLINE_DUPLICATECHEAPOPS_H
#define GRAPHC_PASSES_OUTLINE_DUPLICATECHEAPOPS_H

#include "mlir/IR/Block.h"

namespace graphc {

/// Gives each user of a value a copy of the operation, where all users are compiled and to
/// rematerialize the value reads no more memory than to read it: what is repeated from less, and
/// what is elementwise of one tensor of its size and of such. A normalised tensor that the forward
/// and the backward pass both look at is then in no kernel's results. Inside of one kernel copies
/// are inlined as one would be. At most 16 operations are rematerialized for one user, so that work
/// and compile time stay linear in the block.
void copyForUsers(mlir::Block &block);

} // namespace graphc
#endif
