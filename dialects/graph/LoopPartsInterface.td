//===- LoopPartsInterface.td - loops of an op's own that can be cut into parts -*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_LOOPPARTSINTERFACE
#define GRAPHC_DIALECTS_GRAPH_LOOPPARTSINTERFACE

include "mlir/IR/OpBase.td"

def LoopPartsOpInterface : OpInterface<"LoopPartsOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description = [{
    An op whose own loops (ExplicitLoopsOpInterface) can be cut into parts. A part writes elements
    that no other part writes or reads, and of an aligned operand it reads the elements that it
    writes. So parts may be done in any order and at once: the blocks of a CPU's threads are ranges
    of them, and a GPU's threads have a part each.
  }];
  let methods = [InterfaceMethod<"How many parts there are; the loops are one whole where it is 1.",
                                 "int64_t", "getParts", (ins)>,
                 InterfaceMethod<[{
      Builds the loops of the parts from `first` on and before `limit`, two values of type index.
      What buildLoops promises holds for the parts together.
    }],
                                 "void", "buildParts",
                                 (ins "::mlir::OpBuilder &":$builder,
                                     "::mlir::ValueRange":$operands, "::mlir::ValueRange":$outs,
                                     "::mlir::Value":$first, "::mlir::Value":$limit,
                                     "const ::graphc::graph::LoopTarget &":$target)>];
}

#endif
