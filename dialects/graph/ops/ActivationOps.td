//===- ActivationOps.td - what follows a layer ---------------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_ACTIVATIONOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_ACTIVATIONOPS

include "dialects/graph/GraphOpsBase.td"

def Graph_ReluOp
    : Graph_UnaryOp<"relu", Graph_FloatTensor,
                    [Graph_PlaceByPlace, DeclareOpInterfaceMethods<LibraryPostOpInterface>]> {
  let summary = "the element where it is positive, else zero";
  let description = [{
    x where x > 0, else +0: a NaN and -0 become +0 as well. So does oneDNN, whose matmul kernel may
    do this as its last step, and the bits are the same wherever it is done; `maximum` with zero
    passes a NaN on. The gradient at 0 is 0.

    ```mlir
    %b = graph.relu %a : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

/// Computed in one loop, and so is its gradient.
class Graph_ActivationOp<string mnemonic, list<Trait> traits = [Graph_CostlyElement]>
    : Graph_UnaryOp<mnemonic, Graph_FloatTensor, !listconcat([Graph_PlaceByPlace], traits)>;

/// upstream · the slope of an activation at the operand. Second gradients there are none.
class Graph_ActivationGradOp<string mnemonic>
    : Graph_PureOp<mnemonic, [SameOperandsAndResultType, Elementwise, Graph_PlaceByPlace,
                              Graph_CostlyElement]> {
  let opDocGroup = Graph_PassOps;
  let arguments = (ins Graph_FloatTensor:$operand, Graph_FloatTensor:$upstream);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand `,` $upstream attr-dict `:` type($result)";
}

defvar Graph_Approximate = DefaultValuedStrAttr<StrAttr, "none">;

def Graph_GeluOp : Graph_ActivationOp<"gelu"> {
  let summary = "x times the probability that a normal number is below x";
  let description = [{
    `approximate` is `"none"`: x / 2 (1 + erf(x / √2)), or `"tanh"`: x / 2 (1 + tanh(√(2/π) (x +
    0.044715 x³))). The gradient keeps x alone. Below f64 the probability of `"none"`, (1 + erf(x /
    √2)) / 2, is off by at most 3e-7, and by 6e-7 of itself for x > -1. Both forms keep digits far
    below zero, where a difference of two numbers near 1 would not.

    1. (C1) `approximate` is `"none"` or `"tanh"`.

    ```mlir
    %b = graph.gelu %a : tensor<2x3xf32>
    %c = graph.gelu %a {approximate = "tanh"} : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Graph_Approximate:$approximate);
  let hasVerifier = 1;
}

def Graph_GeluGradOp : Graph_ActivationGradOp<"gelu_grad"> {
  let summary = "gradient of gelu by its operand";
  let description = [{
    Made by `differentiate`.

    1. (C1) `approximate` is `"none"` or `"tanh"`.

    ```mlir
    %d = graph.gelu_grad %a, %g {approximate = "tanh"} : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Graph_FloatTensor:$upstream,
      Graph_Approximate:$approximate);
  let hasVerifier = 1;
}

def Graph_SiluOp : Graph_ActivationOp<"silu"> {
  let summary = "x times its sigmoid, x / (1 + exp(-x))";
  let description = [{
    The gradient keeps x alone.

    ```mlir
    %b = graph.silu %a : tensor<2x3xf32>
    ```
  }];
}

def Graph_SiluGradOp : Graph_ActivationGradOp<"silu_grad"> {
  let summary = "gradient of silu by its operand";
  let description = [{
    Made by `differentiate`.

    ```mlir
    %d = graph.silu_grad %a, %g : tensor<2x3xf32>
    ```
  }];
}

def Graph_SoftplusOp : Graph_ActivationOp<"softplus"> {
  let summary = "log(1 + exp(x))";
  let description = [{
    Computed as max(x, 0) + log(1 + exp(-|x|)): exact to the last digits on both sides, and never
    infinite but for an infinite x. The gradient keeps the result alone.

    ```mlir
    %b = graph.softplus %a : tensor<2x3xf32>
    ```
  }];
}

def Graph_EluOp : Graph_ActivationOp<"elu"> {
  let summary = "x where it is positive, else alpha (exp(x) - 1)";
  let description = [{
    `alpha` is 1 where it is not written. The gradient keeps the result alone.

    1. (C1) `alpha` is a finite number, not below 0.

    ```mlir
    %b = graph.elu %a {alpha = 0.5} : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, DefaultValuedAttr<F64Attr, "1.0">:$alpha);
  let hasVerifier = 1;
}

def Graph_LeakyReluOp : Graph_ActivationOp<"leaky_relu", []> {
  let summary = "x where it is positive, else alpha x";
  let description = [{
    `alpha` is 0.01 where it is not written. The gradient keeps the result alone; at 0 it is alpha.

    1. (C1) `alpha` is a finite number, not below 0.

    ```mlir
    %b = graph.leaky_relu %a {alpha = 0.2} : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, DefaultValuedAttr<F64Attr, "0.01">:$alpha);
  let hasVerifier = 1;
}

def Graph_HardSigmoidOp : Graph_ActivationOp<"hard_sigmoid", []> {
  let summary = "alpha x + beta, but no less than 0 and no more than 1";
  let description = [{
    Where they are not written `alpha` is 0.2 and `beta` 0.5, as ONNX has them. The gradient keeps
    the result alone; it is 0 where that is 0 or 1.

    1. (C1) `alpha` and `beta` are finite numbers, `alpha` above 0.

    ```mlir
    %b = graph.hard_sigmoid %a {alpha = 0.25} : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, DefaultValuedAttr<F64Attr, "0.2">:$alpha,
      DefaultValuedAttr<F64Attr, "0.5">:$beta);
  let hasVerifier = 1;
}

def Graph_HardSwishOp : Graph_ActivationOp<"hard_swish", []> {
  let summary = "x times (x / 6 + 1/2), the factor no less than 0 and no more than 1";
  let description = [{
    The gradient keeps x alone. It is 0 at -3 and 1 at 3.

    ```mlir
    %b = graph.hard_swish %a : tensor<2x3xf32>
    ```
  }];
}

#endif
