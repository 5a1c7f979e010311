//===- ScanOps.td - the order along a dimension --------------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_SCANOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_SCANOPS

include "dialects/graph/GraphOpsBase.td"

def Graph_ReverseOp
    : Graph_PureOp<"reverse", [SameOperandsAndResultType, Graph_AnyElement, Graph_Differentiable,
                               Graph_Structured, KeepsElementsOpInterface]> {
  let summary = "the elements in the opposite order along dimensions";
  let description = [{
    1. (C1) `dimensions` is strictly increasing, each one of the operand's.

    ```mlir
    %b = graph.reverse %a dimensions = [0] : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand `dimensions` `=` $dimensions attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_CumsumOp
    : Graph_PureOp<"cumsum", [SameOperandsAndResultType, Graph_Differentiable,
                              DeclareOpInterfaceMethods<ExplicitLoopsOpInterface, ["getAccess"]>]> {
  let summary = "at each place of a dimension the sum up to there";
  let description = [{
    Along the dimension each result is the one before it plus the element there: one addition each,
    in that order and no other. So a sum of floats is that of a loop, not that of `reduce_sum`.
    Integers wrap. With `exclusive` the element itself is not in the sum, and the first is 0; with
    `reverse` the order begins at the end. It has loops of its own: a GPU does them by one thread.

    1. (C1) `dimension` is one of the operand's.

    ```mlir
    %b = graph.cumsum %a dimension = 1 : tensor<4x3xf32>
    %c = graph.cumsum %a dimension = 0 {exclusive, reverse} : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$operand,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat =
      "$operand `dimension` `=` custom<Integer>($dimension) attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
