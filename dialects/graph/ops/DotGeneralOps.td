//===- DotGeneralOps.td - products over any dimensions -------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_DOTGENERALOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_DOTGENERALOPS

include "dialects/graph/GraphOpsBase.td"

def Graph_DotGeneralOp : Graph_PureOp<"dot_general", [Graph_InferType, Graph_Composite]> {
  let summary = "sums of products over any dimensions, batch by batch";
  let description = [{
    The result's dimensions are the batching ones, those of the left operand that are neither
    batching nor contracting, and those of the right one; it sums products over the contracting
    ones. It is a `graph.matmul` of operands that are transposed and reshaped, and becomes that when
    the model is simplified, before it is differentiated; an operand whose dimensions have one of
    matmul's two orders is not transposed.

    The precision is that of `graph.matmul`.

    1. (C1) Both operands have the same element type.
    2. (C2) `lhs_batching_dimensions` has as many entries as `rhs_batching_dimensions`,
       `lhs_contracting_dimensions` as many as `rhs_contracting_dimensions`.
    3. (C3) Batching and contracting dimensions are dimensions of their operand, each named once.
    4. (C4) Dimensions that belong together have the same size.
    5. (C5) The precision of operands that are not of f32 is ieee.

    ```mlir
    %c = graph.dot_general %a, %b lhs_batching_dimensions = [0] rhs_batching_dimensions = [0] lhs_contracting_dimensions = [2] rhs_contracting_dimensions = [2] : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
    ```
  }];
  defvar Dimensions = DefaultValuedAttr<DenseI64ArrayAttr, "{}">;
  let arguments = (ins Graph_NumberTensor:$lhs, Graph_NumberTensor:$rhs,
      Dimensions:$lhs_batching_dimensions, Dimensions:$rhs_batching_dimensions,
      Dimensions:$lhs_contracting_dimensions, Dimensions:$rhs_contracting_dimensions,
      DefaultValuedAttr<Graph_PrecisionAttr, "::graphc::graph::Precision::Ieee">:$precision);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`lhs_batching_dimensions` `=` $lhs_batching_dimensions^)?
    (`rhs_batching_dimensions` `=` $rhs_batching_dimensions^)?
    (`lhs_contracting_dimensions` `=` $lhs_contracting_dimensions^)?
    (`rhs_contracting_dimensions` `=` $rhs_contracting_dimensions^)? (`precision` `=` $precision^)?
    attr-dict `:` functional-type(operands, $result)
  }];
  let hasCanonicalizeMethod = 1;
}

#endif
