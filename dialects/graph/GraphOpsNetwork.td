//===- GraphOpsNetwork.td - what neural networks are made of ------------------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_GRAPHOPSNETWORK
#define GRAPHC_DIALECTS_GRAPH_GRAPHOPSNETWORK

include "dialects/graph/GraphOpsBase.td"

def Graph_MatmulOp : Graph_PureOp<"matmul", [
    Graph_Differentiable, Graph_InferType, Graph_Reducing,
    DeclareOpInterfaceMethods<LibraryKernelOpInterface, ["takesPostOp"]>]> {
  let summary = "matrix product, batch by batch";
  let description = [{
    Leading dimensions are batches. A transposed operand is stored with its last two dimensions swapped: `transpose_a`
    means k×m, `transpose_b` n×k.

    On a CPU the product is a call of the library in f32 without batch dimensions and from 4,096 multiply-adds on. On a GPU it is
    in f32 where m and n are 16 at least and it has 1,048,576 multiply-adds at least, those of all batches together. All others are compiled.

    The precision says what the factors may be rounded to before they are multiplied: `ieee` (where none is said) to nothing, `tf32` to
    11 significant bits, `bf16` to 8. Products are added up in f32, and the result is f32, whichever it is. Where a kind of device has no
    faster way to do so it computes in ieee: so do CPUs, and compiled products everywhere. Gradients have the precision of their product.

    1. (C1) Both operands have the same element type and the same rank of at least 2.
    2. (C2) The batch dimensions are equal.
    3. (C3) The contracted dimensions are equal.
    4. (C4) The precision of operands that are not of f32 is ieee.

    ```mlir
    %c = graph.matmul %a, %b : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
    %g = graph.matmul %a, %c precision = tf32 {transpose_a} : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$a, Graph_NumberTensor:$b, UnitAttr:$transpose_a, UnitAttr:$transpose_b,
      DefaultValuedAttr<Graph_PrecisionAttr, "::graphc::graph::Precision::Ieee">:$precision);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $a `,` $b (`precision` `=` $precision^)? attr-dict `:` functional-type(operands, $result)
  }];
  let hasCanonicalizeMethod = 1;
  let extraClassDeclaration = [{
    /// result[batch, m, n] = sum over k
    struct Sizes { int64_t batch, m, n, k; };
    Sizes getSizes();
  }];
}

def Graph_BiasAddOp : Graph_PureOp<"bias_add", [
    AllTypesMatch<["input", "result"]>, Graph_Differentiable, Graph_Structured,
    DeclareOpInterfaceMethods<LibraryPostOpInterface>]> {
  let summary = "a vector added to each row";
  let description = [{
    1. (C1) The bias has one dimension, as long as the input's last, and the input's element type.

    ```mlir
    %h = graph.bias_add %x, %b : tensor<4x3xf32>, tensor<3xf32>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$input, Graph_NumberTensor:$bias);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "$input `,` $bias attr-dict `:` type($input) `,` type($bias)";
  let hasVerifier = 1;
}

class Graph_SoftmaxLikeOp<string mnemonic>
    : Graph_PureOp<mnemonic, [SameOperandsAndResultType, Graph_Differentiable, Graph_Composite]> {
  let arguments = (ins Graph_FloatTensor:$operand);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Graph_SoftmaxOp : Graph_SoftmaxLikeOp<"softmax"> {
  let summary = "exp(x - max) divided by its sum, along the last dimension";
  let description = [{
    1. (C1) The operand has at least one dimension.

    ```mlir
    %p = graph.softmax %x : tensor<4x10xf32>
    ```
  }];
}
def Graph_LogSoftmaxOp : Graph_SoftmaxLikeOp<"log_softmax"> {
  let summary = "(x - max) - log(sum(exp(x - max))), along the last dimension";
  let description = [{
    1. (C1) The operand has at least one dimension.

    ```mlir
    %p = graph.log_softmax %x : tensor<4x10xf32>
    ```
  }];
}

def Graph_SoftmaxCrossEntropyOp : Graph_PureOp<"softmax_cross_entropy", [
    Graph_Differentiable, Graph_InferType, Graph_Composite, Graph_Labelled]> {
  let summary = "mean over the batch of -log_softmax(logits)[label]";
  let description = [{
    A label outside the classes counts as a sample whose target has probability nowhere: its loss is the logarithm of the
    sum alone. One that comes from a data set as it is ends the run: `bound-labels`.

    1. (C1) The logits have at least two dimensions; the labels have the logits' shape without its last dimension.

    ```mlir
    %loss = graph.softmax_cross_entropy %x, %y : (tensor<4x10xf32>, tensor<4xi32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$logits, Graph_IndexTensor:$labels);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$logits `,` $labels attr-dict `:` functional-type(operands, $result)";
}
def Graph_SoftmaxCrossEntropyGradOp : Graph_PureOp<"softmax_cross_entropy_grad", [Graph_InferType, Graph_Composite]> {
  let summary = "gradient of softmax_cross_entropy by its logits";
  let description = [{
    (softmax(logits) - one_hot(labels)) * (upstream / batch). Made by `differentiate`, expanded by `decompose`.

    1. (C1) The logits have at least two dimensions; the labels have the logits' shape without its last dimension.
    2. (C2) `upstream` is a scalar of the logits' element type.

    ```mlir
    %g = graph.softmax_cross_entropy_grad %x, %y, %u : (tensor<4x10xf32>, tensor<4xi32>, tensor<f32>) -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$logits, Graph_IndexTensor:$labels, Graph_FloatTensor:$upstream);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$logits `,` $labels `,` $upstream attr-dict `:` functional-type(operands, $result)";
}
def Graph_NllLossOp : Graph_PureOp<"nll_loss", [
    Graph_Differentiable, Graph_InferType, Graph_Composite, Graph_Labelled]> {
  let summary = "mean over the batch of -log_probabilities[label]";
  let description = [{
    A label outside the classes counts as a sample of loss 0. One that comes from a data set as it is ends the run:
    `bound-labels`.

    1. (C1) The log probabilities have at least two dimensions; the labels have their shape without its last dimension.

    ```mlir
    %loss = graph.nll_loss %p, %y : (tensor<4x10xf32>, tensor<4xi32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$log_probabilities, Graph_IndexTensor:$labels);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$log_probabilities `,` $labels attr-dict `:` functional-type(operands, $result)";
}

#endif
