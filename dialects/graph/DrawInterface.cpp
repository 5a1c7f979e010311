#include "dialects/graph/DrawInterface.h"

#include "dialects/graph/DrawInterface.cpp.inc"

void graphc::graph::getDrawEffects(
    mlir::Operation *op,
    mlir::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>
        &effects) {
  if (!mlir::cast<DrawOpInterface>(op).isNumbered())
    effects.emplace_back(mlir::MemoryEffects::Write::get(), DrawResource::get());
}
