//===- Updates.td - what changes a variable ----------------------------------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_UPDATES
#define GRAPHC_DIALECTS_GRAPH_OPS_UPDATES

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
    2. (C2) The element type is a number.

    ```mlir
    graph.assign_add @global_step, %one : tensor<i64>
    ```
  }];
}

/// What an optimizer makes of a gradient.
class Graph_ApplyOp<string mnemonic> : Graph_Op<mnemonic, [
    DeclareOpInterfaceMethods<UpdateOpInterface, ["appliesGradient"]>, Graph_PlaceByPlace, Graph_SymbolUser, Graph_Cost]>;

def Graph_ApplySgdOp : Graph_ApplyOp<"apply_sgd"> {
  let summary = "variable -= learning_rate * gradient";
  let description = [{
    Made by `differentiate`. The rate is rounded to the variable's element type; the product is rounded before it is
    subtracted.

    1. (C1) `variable` names a `graph.variable` of the gradient's type.

    ```mlir
    graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<3x5xf32>
    ```
  }];
  let arguments = (ins Graph_VariableArg<[Graph_Reads, Graph_Writes]>:$variable, Graph_FloatTensor:$gradient,
                       F64Attr:$learning_rate);
  let assemblyFormat = "$variable `,` $gradient attr-dict `:` type($gradient)";
}

def Graph_ApplyMomentumOp : Graph_ApplyOp<"apply_momentum"> {
  let summary = "slot = momentum * slot + gradient; variable -= learning_rate * slot";
  let description = [{
    Made by `differentiate`. Each product is rounded before it is added or subtracted.

    1. (C1) `variable` and `slot` name two `graph.variable`s of the gradient's type.

    ```mlir
    graph.apply_momentum @w, @"w/Momentum", %g {learning_rate = 0.05, momentum = 0.9} : tensor<3x5xf32>
    ```
  }];
  let arguments = (ins Graph_VariableArg<[Graph_Reads, Graph_Writes]>:$variable,
                       Graph_VariableArg<[Graph_Reads, Graph_Writes]>:$slot, Graph_FloatTensor:$gradient,
                       F64Attr:$learning_rate, F64Attr:$momentum);
  let assemblyFormat = "$variable `,` $slot `,` $gradient attr-dict `:` type($gradient)";
}

#endif
