//===- PrepareStablehlo.h - a module of StableHLO before its ops are imported -------*- C++ -*-===//
#ifndef GRAPHC_PASSES_IMPORT_PREPARESTABLEHLO_H
#define GRAPHC_PASSES_IMPORT_PREPARESTABLEHLO_H

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// Takes out ops whose results nobody uses, and private functions that nobody calls: JAX keeps them
/// with keep_unused. What has an effect stays.
void eraseDeadOps(mlir::ModuleOp module);

/// Integers of ui64 become those of i64 with the same bits, where no op of the module tells one
/// from the other: the places of which JAX makes random numbers are such.
void readUnsignedAsSigned(mlir::ModuleOp module);

/// A warning where a public function has random numbers drawn that follow from none of its
/// arguments: they are the same in each step.
void warnOfConstantKeys(mlir::ModuleOp module);

} // namespace graphc

#endif
