//===- Activations.td - what follows a layer ---------------------------------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_ACTIVATIONS
#define GRAPHC_DIALECTS_GRAPH_OPS_ACTIVATIONS

include "dialects/graph/GraphOpsBase.td"

def Graph_ReluOp : Graph_UnaryOp<"relu", Graph_FloatTensor, [
    Graph_PlaceByPlace, DeclareOpInterfaceMethods<LibraryPostOpInterface>]> {
  let summary = "the element where it is positive, else zero";
  let description = [{
    x where x > 0, else +0: a NaN and -0 become +0 as well. So does oneDNN, whose matmul kernel may do this as its last
    step, and the bits are the same wherever it is done; `maximum` with zero passes a NaN on. The gradient at 0 is 0.

    ```mlir
    %b = graph.relu %a : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

#endif
