//===- GraphModelOps.td - the ops that passes know: state, structure, training -*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_GRAPHMODELOPS
#define GRAPHC_DIALECTS_GRAPH_GRAPHMODELOPS

include "dialects/graph/GraphOpsState.td"
include "dialects/graph/GraphOpsTraining.td"
include "dialects/graph/GraphOpsStructure.td"

#endif
