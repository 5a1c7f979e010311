//===- ComputeOps.h - the classes of the ops that compute ---------------------------*- C++ -*-===//
//
// For this folder, for those few files beside it that make ops of a model, and for other dialects.
// Passes and runtime know no such class (dialects/graph/ops/PassOpBuilders.h); so a change of an op
// builds what is here and nothing else.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_COMPUTEOPS_H
#define GRAPHC_DIALECTS_GRAPH_OPS_COMPUTEOPS_H

#include "dialects/graph/DrawInterface.h"
#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/LoopPartsInterface.h"
#include "dialects/graph/TableInterfaces.h"

#define GET_OP_CLASSES
#include "dialects/graph/ops/ArithmeticOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/RoundingOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/TranscendentalOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/BitwiseOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/CompareSelectOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/ShapeOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/SliceOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/PaddingOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/GatherScatterOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/DynamicSliceOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/EmbeddingOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/TopKOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/DistinctOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/ReductionOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/ScanOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/MatmulOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/DotGeneralOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/ConvolutionOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/PoolingOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/ActivationOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/LossOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/NormalizationOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/AttentionOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/RandomOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/UpdateOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/graph/ops/OptimizerOps.h.inc"

namespace graphc::graph {
void registerArithmeticOps(GraphDialect &dialect);
void registerRoundingOps(GraphDialect &dialect);
void registerTranscendentalOps(GraphDialect &dialect);
void registerBitwiseOps(GraphDialect &dialect);
void registerCompareSelectOps(GraphDialect &dialect);
void registerShapeOps(GraphDialect &dialect);
void registerSliceOps(GraphDialect &dialect);
void registerPaddingOps(GraphDialect &dialect);
void registerGatherScatterOps(GraphDialect &dialect);
void registerDynamicSliceOps(GraphDialect &dialect);
void registerEmbeddingOps(GraphDialect &dialect);
void registerTopKOps(GraphDialect &dialect);
void registerDistinctOps(GraphDialect &dialect);
void registerReductionOps(GraphDialect &dialect);
void registerScanOps(GraphDialect &dialect);
void registerMatmulOps(GraphDialect &dialect);
void registerDotGeneralOps(GraphDialect &dialect);
void registerConvolutionOps(GraphDialect &dialect);
void registerPoolingOps(GraphDialect &dialect);
void registerActivationOps(GraphDialect &dialect);
void registerLossOps(GraphDialect &dialect);
void registerNormalizationOps(GraphDialect &dialect);
void registerAttentionOps(GraphDialect &dialect);
void registerRandomOps(GraphDialect &dialect);
void registerUpdateOps(GraphDialect &dialect);
void registerOptimizerOps(GraphDialect &dialect);
} // namespace graphc::graph

#endif
