//===- Passes.h - every pass of graphc ----------------------------------------------*- C++ -*-===//
//
// A pass defines itself in its own file with GEN_PASS_DEF_<NAME>; options and constructors are
// generated from Passes.td.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_PASSES_H
#define GRAPHC_PASSES_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace graphc {

/// The dialects of this project and those its passes make.
void registerDialects(mlir::DialectRegistry &registry);
/// For programs that have dialects of their own: whatever calls registerDialects from then on has
/// them too. Before main.
void addDialects(void (*add)(mlir::DialectRegistry &registry));
/// All passes and pipelines, for command lines.
void registerPasses();

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

} // namespace graphc

#endif
