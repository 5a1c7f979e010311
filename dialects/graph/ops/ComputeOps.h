//===- ComputeOps.h - the classes of the ops that compute ---------------------------------------------*- C++ -*-===//
//
// For this folder, for those few files beside it that make ops of a model, and for other dialects. Passes and runtime know no such class
// (dialects/graph/ops/CreatedOps.h); so a change of an op builds what is here and nothing else.
//
//===----------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_COMPUTEOPS_H
#define GRAPHC_DIALECTS_GRAPH_OPS_COMPUTEOPS_H

#include "dialects/graph/Draws.h"
#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/LoopParts.h"
#include "dialects/graph/Rows.h"

#define GET_OP_CLASSES
#include "dialects/graph/ops/Arithmetic.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Rounding.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Transcendental.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Bits.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Logic.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Shape.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Slices.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Padding.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Gather.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/DynamicSlices.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Lookup.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Distinct.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Reduction.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Scans.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Products.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/DotGeneral.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Convolution.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Pooling.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Activations.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Losses.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Normalization.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Attention.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Random.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Updates.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/Optimizers.h.inc"

namespace graphc::graph {
void registerArithmeticOps(GraphDialect &dialect);
void registerRoundingOps(GraphDialect &dialect);
void registerTranscendentalOps(GraphDialect &dialect);
void registerBitsOps(GraphDialect &dialect);
void registerLogicOps(GraphDialect &dialect);
void registerShapeOps(GraphDialect &dialect);
void registerSlicesOps(GraphDialect &dialect);
void registerPaddingOps(GraphDialect &dialect);
void registerGatherOps(GraphDialect &dialect);
void registerDynamicSlicesOps(GraphDialect &dialect);
void registerLookupOps(GraphDialect &dialect);
void registerDistinctOps(GraphDialect &dialect);
void registerReductionOps(GraphDialect &dialect);
void registerScansOps(GraphDialect &dialect);
void registerProductsOps(GraphDialect &dialect);
void registerDotGeneralOps(GraphDialect &dialect);
void registerConvolutionOps(GraphDialect &dialect);
void registerPoolingOps(GraphDialect &dialect);
void registerActivationsOps(GraphDialect &dialect);
void registerLossesOps(GraphDialect &dialect);
void registerNormalizationOps(GraphDialect &dialect);
void registerAttentionOps(GraphDialect &dialect);
void registerRandomOps(GraphDialect &dialect);
void registerUpdatesOps(GraphDialect &dialect);
void registerOptimizersOps(GraphDialect &dialect);
} // namespace graphc::graph

#endif
