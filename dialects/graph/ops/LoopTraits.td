//===- LoopTraits.td - interfaces of ops that write their loops themselves -----*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_LOOPTRAITS
#define GRAPHC_DIALECTS_GRAPH_OPS_LOOPTRAITS

include "dialects/graph/GraphOpsBase.td"
include "dialects/graph/LoopPartsInterface.td"

/// Loops of an op's own, which can be cut into parts.
def Graph_LoopsInParts : TraitList<[DeclareOpInterfaceMethods<ExplicitLoopsOpInterface>,
                                    DeclareOpInterfaceMethods<LoopPartsOpInterface>]>;
/// Likewise, with an operand whose memory may be the result's.
def Graph_LoopsInPlace
    : TraitList<[DeclareOpInterfaceMethods<ExplicitLoopsOpInterface, ["getAccess"]>,
                 DeclareOpInterfaceMethods<LoopPartsOpInterface>]>;

#endif
