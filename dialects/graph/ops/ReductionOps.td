//===- ReductionOps.td - many elements into one --------------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_REDUCTIONOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_REDUCTIONOPS

include "dialects/graph/GraphOpsBase.td"

class Graph_ReduceOp<string mnemonic, Type type, Trait computed = Graph_Reducing>
    : Graph_PureOp<mnemonic, [Graph_Differentiable, Graph_InferType, computed]> {
  let arguments = (ins type:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs type:$result);
  let assemblyFormat =
      "$operand `dimensions` `=` $dimensions attr-dict `:` functional-type($operand, $result)";
  let hasFolder = 1;
}

def Graph_ReduceSumOp : Graph_ReduceOp<"reduce_sum", Graph_NumberTensor> {
  let summary = "sum over dimensions, which disappear";
  let description = [{
    The order of the sum is fixed by the numerical contract (docs/architecture.md).

    1. (C1) `dimensions` is strictly increasing, each one of the operand's.

    ```mlir
    %b = graph.reduce_sum %a dimensions = [0] : (tensor<4x3xf32>) -> tensor<3xf32>
    ```
  }];
}

def Graph_ReduceMaxOp : Graph_ReduceOp<"reduce_max", Graph_NumberTensor> {
  let summary = "largest element over dimensions, which disappear";
  let description = [{
    NaN where an element is NaN. Elements that are equally large share the gradient.

    1. (C1) `dimensions` is strictly increasing, each one of the operand's.

    ```mlir
    %b = graph.reduce_max %a dimensions = [1] : (tensor<4x3xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_ReduceMinOp : Graph_ReduceOp<"reduce_min", Graph_NumberTensor> {
  let summary = "smallest element over dimensions, which disappear";
  let description = [{
    NaN where an element is NaN. Elements that are equally small share the gradient.

    1. (C1) `dimensions` is strictly increasing, each one of the operand's.

    ```mlir
    %b = graph.reduce_min %a dimensions = [1] : (tensor<4x3xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_ReduceProdOp : Graph_ReduceOp<"reduce_prod", Graph_NumberTensor> {
  let summary = "product over dimensions, which disappear";
  let description = [{
    In the order of the sums (docs/architecture.md); integers wrap. The gradient of an element is
    the product of the others, where one or more of them are zero too: it is the product of what is
    not zero divided by the element, and counts the zeros.

    1. (C1) `dimensions` is strictly increasing, each one of the operand's.

    ```mlir
    %b = graph.reduce_prod %a dimensions = [0] : (tensor<4x3xf32>) -> tensor<3xf32>
    ```
  }];
}

/// Of bits; i1 is stored as bytes, so of truth values it is one of integers.
class Graph_ReduceBitsOp<string mnemonic>
    : Graph_PureOp<mnemonic, [Graph_InferType, Graph_Reducing, Graph_Composite]> {
  let arguments = (ins Graph_BitTensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs Graph_BitTensor:$result);
  let assemblyFormat =
      "$operand `dimensions` `=` $dimensions attr-dict `:` functional-type($operand, $result)";
  let hasFolder = 1;
}

def Graph_ReduceAndOp : Graph_ReduceBitsOp<"reduce_and"> {
  let summary =
      "whether all elements hold over dimensions, which disappear; of integers, of each bit";
  let description = [{
    1. (C1) `dimensions` is strictly increasing, each one of the operand's.

    ```mlir
    %b = graph.reduce_and %a dimensions = [1] : (tensor<4x3xi1>) -> tensor<4xi1>
    ```
  }];
}

def Graph_ReduceOrOp : Graph_ReduceBitsOp<"reduce_or"> {
  let summary =
      "whether one element holds over dimensions, which disappear; of integers, of each bit";
  let description = [{
    1. (C1) `dimensions` is strictly increasing, each one of the operand's.

    ```mlir
    %b = graph.reduce_or %a dimensions = [1] : (tensor<4x3xi1>) -> tensor<4xi1>
    ```
  }];
}

def Graph_ReduceMeanOp : Graph_ReduceOp<"reduce_mean", Graph_FloatTensor, Graph_Composite> {
  let summary = "mean over dimensions, which disappear";
  let description = [{
    `decompose` writes it as a sum and one division by the number of elements.

    1. (C1) `dimensions` is strictly increasing, each one of the operand's.

    ```mlir
    %b = graph.reduce_mean %a dimensions = [0, 1] : (tensor<4x3xf32>) -> tensor<f32>
    ```
  }];
}

def Graph_ArgmaxOp : Graph_PureOp<"argmax", [Graph_Composite]> {
  let summary = "where the largest element of a dimension is";
  let description = [{
    The first of equally large ones; a NaN counts as largest. i32 or i64, as the result's type says.
    `decompose` writes it as the least index at which the element is the largest.

    1. (C1) `dimension` is one of the operand's.
    2. (C2) The result has the operand's other dimensions; an i32 has room for every index.

    ```mlir
    %b = graph.argmax %a dimension = 1 : (tensor<4x10xf32>) -> tensor<4xi32>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$operand,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension);
  let results = (outs Graph_IndexTensor:$result);
  let assemblyFormat =
      "$operand `dimension` `=` custom<Integer>($dimension) attr-dict `:` functional-type($operand, $result)";
  let hasVerifier = 1;
}

#endif
