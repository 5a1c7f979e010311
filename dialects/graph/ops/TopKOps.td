//===- TopKOps.td - the largest elements of each row ---------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_TOPKOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_TOPKOPS

include "dialects/graph/ops/LoopTraits.td"

def Graph_TopKOp : Graph_PureOp<"top_k", [Graph_Differentiable, Graph_LoopsInParts]> {
  let summary = "the largest elements of each row, the largest first, and where they are";
  let description = [{
    Rows go along the last dimension. Of equal elements the one with the least index comes first; a
    NaN is larger than any number, zeros of both signs are equal.

    Loops of its own; a CPU's threads and a GPU's share the rows.

    1. (C1) The operand has a dimension, and `k` is from 1 to the size of its last.
    2. (C2) Both results have the operand's dimensions, with `k` in place of the last, and the
       values its element type; an i32 has room for every index.

    ```mlir
    %values, %indices = graph.top_k %a k = 2 : (tensor<4x10xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$operand, ConfinedAttr<I64Attr, [IntPositive]>:$k);
  let results = (outs Graph_NumberTensor:$values, Graph_IndexTensor:$indices);
  let assemblyFormat =
      "$operand `k` `=` custom<Integer>($k) attr-dict `:` functional-type($operand, results)";
  let hasVerifier = 1;
}

#endif
