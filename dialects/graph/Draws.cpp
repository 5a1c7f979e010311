#include "dialects/graph/Draws.h"

#include "dialects/graph/Draws.cpp.inc"

void graphc::graph::getDrawEffects(
    mlir::Operation *op,
    mlir::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects) {
  if (!mlir::cast<DrawOpInterface>(op).isNumbered())
    effects.emplace_back(mlir::MemoryEffects::Write::get(), DrawResource::get());
}
