//===- SliceOps.td - parts of tensors ------------------------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_SLICEOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_SLICEOPS

include "dialects/graph/GraphOpsBase.td"

def Graph_SliceOp : Graph_PureOp<"slice", [Graph_AnyElement, Graph_Differentiable, Graph_InferType,
                                           Graph_Structured, Graph_View]> {
  let summary = "a box of elements, every stride-th one along each dimension";
  let description = [{
    Along dimension i the result has the operand's elements `start_indices[i]`, + `strides[i]`, …
    below `limit_indices[i]`.

    1. (C1) `start_indices`, `limit_indices` and `strides` have one entry a dimension of the
       operand.
    2. (C2) 0 <= start < limit <= the dimension's size, and the stride is at least 1.

    ```mlir
    %b = graph.slice %a start_indices = [1, 0] limit_indices = [2, 6] strides = [1, 2] : (tensor<2x6xf32>) -> tensor<1x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, DenseI64ArrayAttr:$start_indices,
      DenseI64ArrayAttr:$limit_indices, DenseI64ArrayAttr:$strides);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat =
      [{$operand `start_indices` `=` $start_indices `limit_indices` `=` $limit_indices
                         `strides` `=` $strides attr-dict `:` functional-type($operand, $result)}];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_ConcatenateOp
    : Graph_PureOp<"concatenate", [Graph_AnyElement, Graph_Differentiable, Graph_InferType,
                                   Graph_Structured, Graph_Composite, KeepsElementsOpInterface]> {
  let summary = "tensors end to end along one dimension";
  let description = [{
    1. (C1) There is at least one operand, and all have the same element type and rank.
    2. (C2) `dimension` is one of theirs, along which their sizes may differ; the others are equal.

    ```mlir
    %c = graph.concatenate %a, %b dimension = 0 : (tensor<2x6xf32>, tensor<3x6xf32>) -> tensor<5x6xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{$inputs `dimension` `=` custom<Integer>($dimension) attr-dict `:`
                         functional-type($inputs, $result)}];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

#endif
