//===- GraphOps.td - every op of the graph dialect ----------------------------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_GRAPHOPS
#define GRAPHC_DIALECTS_GRAPH_GRAPHOPS

include "dialects/graph/ops/Arithmetic.td"
include "dialects/graph/ops/Rounding.td"
include "dialects/graph/ops/Transcendental.td"
include "dialects/graph/ops/Bits.td"
include "dialects/graph/ops/Logic.td"
include "dialects/graph/ops/Shape.td"
include "dialects/graph/ops/Slices.td"
include "dialects/graph/ops/Padding.td"
include "dialects/graph/ops/Gather.td"
include "dialects/graph/ops/DynamicSlices.td"
include "dialects/graph/ops/Lookup.td"
include "dialects/graph/ops/Distinct.td"
include "dialects/graph/ops/Reduction.td"
include "dialects/graph/ops/Scans.td"
include "dialects/graph/ops/Products.td"
include "dialects/graph/ops/DotGeneral.td"
include "dialects/graph/ops/Convolution.td"
include "dialects/graph/ops/Pooling.td"
include "dialects/graph/ops/Activations.td"
include "dialects/graph/ops/Losses.td"
include "dialects/graph/ops/Normalization.td"
include "dialects/graph/ops/Attention.td"
include "dialects/graph/ops/Random.td"
include "dialects/graph/ops/Updates.td"
include "dialects/graph/ops/Optimizers.td"
include "dialects/graph/GraphModelOps.td"

#endif
