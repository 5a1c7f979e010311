//===- UpdateOps.td - what changes a variable ----------------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_UPDATEOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_UPDATEOPS

include "dialects/graph/GraphOpsBase.td"

class Graph_WriteOp<string mnemonic, list<MemoryEffect> effects>
    : Graph_Op<mnemonic, [UpdateOpInterface, Graph_PlaceByPlace, Graph_SymbolUser]> {
  let arguments = (ins Graph_VariableArg<effects>:$variable, Graph_Tensor:$value);
  let assemblyFormat = "$variable `,` $value attr-dict `:` type($value)";
}

def Graph_AssignOp : Graph_WriteOp<"assign", [Graph_Writes]> {
  let summary = "gives a variable a new value";
  let description = [{
    1. (C1) `variable` names a `graph.variable` of the value's type.

    ```mlir
    graph.assign @w, %v : tensor<3x5xf32>
    ```
  }];
}

def Graph_AssignAddOp : Graph_WriteOp<"assign_add", [Graph_Reads, Graph_Writes]> {
  let summary = "adds a value to a variable";
  let description = [{
    1. (C1) `variable` names a `graph.variable` of the value's type.
    2. (C2) The element type is i32, i64, f32 or f64.

    ```mlir
    graph.assign_add @global_step, %one : tensor<i64>
    ```
  }];
}

def Graph_GradientSquaresOp
    : Graph_Op<"gradient_squares", [DeclareOpInterfaceMethods<UpdateOpInterface, ["appliesGradient",
                                                                                  "looksByRows"]>,
                                    Graph_Composite, Graph_SymbolUser, Graph_Cost]> {
  let opDocGroup = Graph_PassOps;
  let summary = "the sum of squares of each row of the gradient that a step applies to a variable";
  let description = [{
    In f64, a row being what has one index along dimension 0 (a scalar is one row). Made by
    `differentiate` where gradients are clipped by their norm. It looks where the variable is at
    what the variable's update takes: the mean over micro-batches and replicas. Rows are all that it
    knows, so that parts of a split variable have the squares of the whole.

    1. (C1) `variable` names a `graph.variable` of the gradient's type.
    2. (C2) The result has an f64 for each row.

    ```mlir
    %s = graph.gradient_squares @w, %g : (tensor<3x5xf32>) -> tensor<3xf64>
    ```
  }];
  let arguments = (ins Graph_VariableArg<[Graph_Reads]>:$variable, Graph_FloatTensor:$gradient);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$variable `,` $gradient attr-dict `:` functional-type($gradient, $result)";
  let hasVerifier = 1;
}

#endif
