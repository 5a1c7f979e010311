//===- PaddingOps.td - elements around and between those of a tensor -----------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_PADDINGOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_PADDINGOPS

include "dialects/graph/GraphOpsBase.td"

def Graph_PadOp : Graph_PureOp<"pad", [Graph_AnyElement, Graph_Differentiable, Graph_InferType,
                                       Graph_Structured, Graph_Composite]> {
  let summary = "a value before, behind and between the elements of a tensor";
  let description = [{
    Along dimension i the result has `edge_padding_low[i]` times the padding value, the operand's
    elements, with `interior_padding[i]` times the padding value between two of them, and
    `edge_padding_high[i]` times the padding value. Where an edge is negative, so many places at
    that end are left out instead, the interior's counted.

    Padding at the edges of one dimension is a concatenation; else there are two loops, one that
    fills the result and one that brings the operand to its places.

    1. (C1) Operand and padding value have the same element type, and the padding value is a scalar.
    2. (C2) `edge_padding_low`, `edge_padding_high` and `interior_padding` have one entry a
       dimension of the operand.
    3. (C3) Of each dimension the interior padding is 0 or more, no padding is beyond 2^40 either
       way, and the result's size is from 1 to 2^37.

    ```mlir
    %b = graph.pad %a, %zero edge_padding_low = [1, -1] edge_padding_high = [0, 2] interior_padding = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, Graph_Tensor:$padding_value,
      DenseI64ArrayAttr:$edge_padding_low, DenseI64ArrayAttr:$edge_padding_high,
      DenseI64ArrayAttr:$interior_padding);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{$operand `,` $padding_value `edge_padding_low` `=` $edge_padding_low
                         `edge_padding_high` `=` $edge_padding_high `interior_padding` `=` $interior_padding
                         attr-dict `:` functional-type(operands, $result)}];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

#endif
