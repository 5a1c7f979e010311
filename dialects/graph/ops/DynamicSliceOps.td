//===- DynamicSliceOps.td - boxes of elements that begin where data say --------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_DYNAMICSLICEOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_DYNAMICSLICEOPS

include "dialects/graph/ops/LoopTraits.td"

def Graph_DynamicSliceOp : Graph_PureOp<"dynamic_slice", [Graph_AnyElement, Graph_Differentiable,
                                                          Graph_InferType, Graph_LoopsInParts]> {
  let summary = "a box of elements that begins where scalars say";
  let description = [{
    There is a start for each dimension. One that would have the box reach beyond the operand is the
    nearest that does not.

    1. (C1) There is one start, a scalar, for each dimension of the operand, all of the same type.
    2. (C2) `slice_sizes` has one entry a dimension, each from 1 to that dimension's size.

    ```mlir
    %b = graph.dynamic_slice %a, %row, %zero slice_sizes = [2, 6] : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, Variadic<Graph_IndexTensor>:$start_indices,
      DenseI64ArrayAttr:$slice_sizes);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    operands `slice_sizes` `=` $slice_sizes attr-dict `:` functional-type(operands, $result)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_DynamicUpdateSliceOp
    : Graph_PureOp<"dynamic_update_slice", [AllTypesMatch<["operand", "result"]>, Graph_AnyElement,
                                            Graph_Differentiable, Graph_LoopsInPlace]> {
  let summary = "a tensor with another one in place of a box that begins where scalars say";
  let description = [{
    There is a start for each dimension. One that would have the box reach beyond the operand is the
    nearest that does not.

    Where the starts are constants, the update is all of the operand but for one dimension, and the
    operand is a constant or joined along that dimension, it is canonicalised to `concatenate`: what
    a loop writes piece by piece becomes these pieces side by side.

    1. (C1) There is one start, a scalar, for each dimension of the operand, all of the same type.
    2. (C2) The update has the operand's element type and rank, and is not larger along any
       dimension.

    ```mlir
    %b = graph.dynamic_update_slice %a, %rows, %row, %zero : (tensor<8x6xf32>, tensor<2x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, Graph_Tensor:$update,
      Variadic<Graph_IndexTensor>:$start_indices);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

#endif
