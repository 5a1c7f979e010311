//===- DrawInterface.h - ops that draw random numbers -------------------------------*- C++ -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_DRAWINTERFACE_H
#define GRAPHC_DIALECTS_GRAPH_DRAWINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

#include "dialects/graph/DrawInterface.h.inc"

namespace graphc::graph {

/// What a draw has no more once it has a number: see DrawOpInterface.
struct DrawResource : mlir::SideEffects::Resource::Base<DrawResource> {
  mlir::StringRef getName() final { return "graph.draws"; }
};

/// The memory effects of a draw.
void getDrawEffects(
    mlir::Operation *op,
    mlir::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects);

} // namespace graphc::graph

#endif
