//===- GraphOps.td - every op of the graph dialect -----------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_GRAPHOPS
#define GRAPHC_DIALECTS_GRAPH_GRAPHOPS

include "dialects/graph/ops/ArithmeticOps.td"
include "dialects/graph/ops/RoundingOps.td"
include "dialects/graph/ops/TranscendentalOps.td"
include "dialects/graph/ops/BitwiseOps.td"
include "dialects/graph/ops/CompareSelectOps.td"
include "dialects/graph/ops/ShapeOps.td"
include "dialects/graph/ops/SliceOps.td"
include "dialects/graph/ops/PaddingOps.td"
include "dialects/graph/ops/GatherScatterOps.td"
include "dialects/graph/ops/DynamicSliceOps.td"
include "dialects/graph/ops/EmbeddingOps.td"
include "dialects/graph/ops/TopKOps.td"
include "dialects/graph/ops/DistinctOps.td"
include "dialects/graph/ops/ReductionOps.td"
include "dialects/graph/ops/ScanOps.td"
include "dialects/graph/ops/MatmulOps.td"
include "dialects/graph/ops/DotGeneralOps.td"
include "dialects/graph/ops/ConvolutionOps.td"
include "dialects/graph/ops/PoolingOps.td"
include "dialects/graph/ops/ActivationOps.td"
include "dialects/graph/ops/LossOps.td"
include "dialects/graph/ops/NormalizationOps.td"
include "dialects/graph/ops/AttentionOps.td"
include "dialects/graph/ops/RandomOps.td"
include "dialects/graph/ops/UpdateOps.td"
include "dialects/graph/ops/OptimizerOps.td"
include "dialects/graph/GraphModelOps.td"

#endif
