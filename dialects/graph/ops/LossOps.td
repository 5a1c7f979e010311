//===- LossOps.td - softmax and what is learnt from labels ---------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_LOSSOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_LOSSOPS

include "dialects/graph/GraphOpsBase.td"

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

def Graph_SoftmaxCrossEntropyOp
    : Graph_PureOp<"softmax_cross_entropy", [Graph_Differentiable, Graph_InferType, Graph_Composite,
                                             Graph_Labelled]> {
  let summary = "mean over the batch of -log_softmax(logits)[label]";
  let description = [{
    A label outside the classes counts as a sample whose target has probability nowhere: its loss is
    the logarithm of the sum alone, of exponentials of the differences to the largest logit, and its
    gradient softmax(logits) / N. One that comes from a data set as it is ends the run:
    `bound-labels`.

    1. (C1) The logits have at least two dimensions; the labels have the logits' shape without its
       last dimension.

    ```mlir
    %loss = graph.softmax_cross_entropy %x, %y : (tensor<4x10xf32>, tensor<4xi32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$logits, Graph_IndexTensor:$labels);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$logits `,` $labels attr-dict `:` functional-type(operands, $result)";
}

def Graph_SoftmaxCrossEntropyGradOp
    : Graph_PureOp<"softmax_cross_entropy_grad", [Graph_InferType, Graph_Composite]> {
  let opDocGroup = Graph_PassOps;
  let summary = "gradient of softmax_cross_entropy by its logits";
  let description = [{
    (softmax(logits) - one_hot(labels)) * (upstream / batch). Made by `differentiate`, expanded by
    `decompose`.

    1. (C1) The logits have at least two dimensions; the labels have the logits' shape without its
       last dimension.
    2. (C2) `upstream` is a scalar of the logits' element type.

    ```mlir
    %g = graph.softmax_cross_entropy_grad %x, %y, %u : (tensor<4x10xf32>, tensor<4xi32>, tensor<f32>) -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$logits, Graph_IndexTensor:$labels,
      Graph_FloatTensor:$upstream);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat =
      "$logits `,` $labels `,` $upstream attr-dict `:` functional-type(operands, $result)";
}

def Graph_DenseSoftmaxCrossEntropyOp
    : Graph_PureOp<"dense_softmax_cross_entropy", [Graph_Differentiable, Graph_InferType,
                                                   Graph_Composite]> {
  let summary = "mean over the batch of -sum(targets * log_softmax(logits))";
  let description = [{
    Targets are probabilities, one a class: one-hot, smoothed, or another model's. They need not sum
    to 1.

    1. (C1) The logits have at least two dimensions.
    2. (C2) The targets have the logits' type.

    ```mlir
    %loss = graph.dense_softmax_cross_entropy %x, %t : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$logits, Graph_FloatTensor:$targets);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$logits `,` $targets attr-dict `:` functional-type(operands, $result)";
}

def Graph_DenseSoftmaxCrossEntropyGradOp
    : Graph_PureOp<"dense_softmax_cross_entropy_grad", [Graph_InferType, Graph_Composite]> {
  let opDocGroup = Graph_PassOps;
  let summary = "gradient of dense_softmax_cross_entropy by its logits";
  let description = [{
    (softmax(logits) * sum(targets) - targets) * (upstream / batch). Made by `differentiate`,
    expanded by `decompose`.

    1. (C1) The logits have at least two dimensions.
    2. (C2) The targets have the logits' type.
    3. (C3) `upstream` is a scalar of the logits' element type.

    ```mlir
    %g = graph.dense_softmax_cross_entropy_grad %x, %t, %u : (tensor<4x10xf32>, tensor<4x10xf32>, tensor<f32>) -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$logits, Graph_FloatTensor:$targets,
      Graph_FloatTensor:$upstream);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat =
      "$logits `,` $targets `,` $upstream attr-dict `:` functional-type(operands, $result)";
}

def Graph_SigmoidCrossEntropyOp
    : Graph_PureOp<"sigmoid_cross_entropy", [Graph_Differentiable, Graph_InferType,
                                             Graph_Composite]> {
  let summary =
      "mean over all elements of -(t log(p) + (1 - t) log(1 - p)) with p = logistic(logits)";
  let description = [{
    Written as max(x, 0) - x t + log(1 + exp(-|x|)), which is finite for every finite x. The
    gradient is (logistic(x) - t) * (upstream / elements).

    1. (C1) The targets have the logits' type.

    ```mlir
    %loss = graph.sigmoid_cross_entropy %x, %t : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$logits, Graph_FloatTensor:$targets);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$logits `,` $targets attr-dict `:` functional-type(operands, $result)";
}

def Graph_NllLossOp : Graph_PureOp<"nll_loss", [Graph_Differentiable, Graph_InferType,
                                                Graph_Composite, Graph_Labelled]> {
  let summary = "mean over the batch of -log_probabilities[label]";
  let description = [{
    A label outside the classes counts as a sample of loss 0. One that comes from a data set as it
    is ends the run: `bound-labels`.

    1. (C1) The log probabilities have at least two dimensions; the labels have their shape without
       its last dimension.

    ```mlir
    %loss = graph.nll_loss %p, %y : (tensor<4x10xf32>, tensor<4xi32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$log_probabilities, Graph_IndexTensor:$labels);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat =
      "$log_probabilities `,` $labels attr-dict `:` functional-type(operands, $result)";
}

#endif
