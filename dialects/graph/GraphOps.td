//===- GraphOps.td - every op of the graph dialect ----------------------------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_GRAPHOPS
#define GRAPHC_DIALECTS_GRAPH_GRAPHOPS

include "dialects/graph/GraphOpsElementwise.td"
include "dialects/graph/GraphOpsShape.td"
include "dialects/graph/GraphOpsReduction.td"
include "dialects/graph/GraphOpsNetwork.td"
include "dialects/graph/GraphOpsState.td"
include "dialects/graph/GraphOpsTraining.td"
include "dialects/graph/GraphOpsStructure.td"

#endif
