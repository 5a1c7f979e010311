//===- ShapeOps.td - constants, and the same elements in another shape ---------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_SHAPEOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_SHAPEOPS

include "dialects/graph/GraphOpsBase.td"

def Graph_ConstantOp : Graph_PureOp<"constant", [ConstantLike, Graph_AnyElement, Graph_InferType,
                                                 Graph_Structured]> {
  let summary = "a value known at compile time";
  let description = [{
    ```mlir
    %two = graph.constant dense<2.0> : tensor<f32>
    ```
  }];
  let arguments = (ins Graph_DenseAttr:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
}

def Graph_IotaOp : Graph_PureOp<"iota", [Graph_PlaceByPlace]> {
  let summary = "0, 1, 2, … along one dimension";
  let description = [{
    1. (C1) `dimension` is one of the result's.

    ```mlir
    %i = graph.iota dimension = 1 : tensor<3x10xi32>
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "`dimension` `=` custom<Integer>($dimension) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Graph_ReshapeOp
    : Graph_PureOp<"reshape", [Graph_AnyElement, Graph_Differentiable, Graph_Structured, Graph_View,
                               KeepsElementsOpInterface]> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    1. (C1) Operand and result have the same element type.
    2. (C2) Operand and result have the same number of elements.

    ```mlir
    %b = graph.reshape %a : (tensor<2x6xf32>) -> tensor<3x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type($operand, $result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_TransposeOp
    : Graph_PureOp<"transpose", [Graph_AnyElement, Graph_Differentiable, Graph_InferType,
                                 Graph_Structured, KeepsElementsOpInterface]> {
  let summary = "dimensions in another order";
  let description = [{
    Dimension i of the result is dimension `permutation[i]` of the operand.

    1. (C1) `permutation` names each dimension of the operand once.

    ```mlir
    %b = graph.transpose %a permutation = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat =
      "$operand `permutation` `=` $permutation attr-dict `:` functional-type($operand, $result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_BroadcastInDimOp
    : Graph_PureOp<"broadcast_in_dim", [Graph_AnyElement, Graph_Differentiable, Graph_Structured,
                                        KeepsElementsOpInterface]> {
  let summary = "elements repeated along new or unit dimensions";
  let description = [{
    Dimension i of the operand becomes dimension `broadcast_dimensions[i]` of the result.

    1. (C1) Operand and result have the same element type.
    2. (C2) `broadcast_dimensions` has one entry a dimension of the operand, strictly increasing,
       each one of the result's.
    3. (C3) Each dimension of the operand is 1 or as long as the result's that it becomes.

    ```mlir
    %b = graph.broadcast_in_dim %a broadcast_dimensions = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{$operand `broadcast_dimensions` `=` $broadcast_dimensions attr-dict `:`
                         functional-type($operand, $result)}];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_StopGradientOp
    : Graph_PureOp<"stop_gradient", [Graph_AnyElement, SameOperandsAndResultType,
                                     Graph_Differentiable, Graph_Composite,
                                     KeepsElementsOpInterface]> {
  let summary = "the same value, which has no gradient";
  let description = [{
    For `differentiate` it is a constant: targets, straight-through estimates (`x +
    stop_gradient(round(x) - x)`). `decompose` leaves the operand.

    ```mlir
    %b = graph.stop_gradient %a : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Graph_OneHotOp : Graph_PureOp<"one_hot", [Graph_Composite]> {
  let summary = "1 at the place an index names, else 0";
  let description = [{
    The result has one more dimension, the last. An index outside it gives a row of zeros.

    1. (C1) The result's leading dimensions are those of the indices.

    ```mlir
    %b = graph.one_hot %i : (tensor<4xi32>) -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Graph_IndexTensor:$indices);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "$indices attr-dict `:` functional-type($indices, $result)";
  let hasVerifier = 1;
}

#endif
