//===- Transcendental.td - functions of floats, element by element -----------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_TRANSCENDENTAL
#define GRAPHC_DIALECTS_GRAPH_OPS_TRANSCENDENTAL

include "dialects/graph/GraphOpsBase.td"

def Graph_SqrtOp : Graph_UnaryOp<"sqrt", Graph_FloatTensor, [Graph_PlaceByPlace, Graph_CostlyElement]> {
  let summary = "square root, correctly rounded";
  let description = [{
    NaN below zero; -0 stays -0.

    ```mlir
    %b = graph.sqrt %a : tensor<2x3xf32>
    ```
  }];
}

def Graph_RsqrtOp : Graph_UnaryOp<"rsqrt", Graph_FloatTensor, [Graph_Composite]> {
  let summary = "1 divided by the square root";
  let description = [{
    NaN below zero, infinite at zero, with its sign.

    ```mlir
    %b = graph.rsqrt %a : tensor<2x3xf32>
    ```
  }];
}

def Graph_ExponentialOp : Graph_UnaryOp<"exponential", Graph_FloatTensor, [Graph_PlaceByPlace, Graph_CostlyElement]> {
  let summary = "e raised to each element";
  let description = [{
    Infinite above the largest result, 0 below the smallest; a NaN stays.

    ```mlir
    %b = graph.exponential %a : tensor<2x3xf32>
    ```
  }];
}

def Graph_LogOp : Graph_UnaryOp<"log", Graph_FloatTensor, [Graph_PlaceByPlace, Graph_CostlyElement]> {
  let summary = "natural logarithm";
  let description = [{
    NaN below zero, minus infinity at zeros of both signs; a NaN stays.

    ```mlir
    %b = graph.log %a : tensor<2x3xf32>
    ```
  }];
}

def Graph_TanhOp : Graph_UnaryOp<"tanh", Graph_FloatTensor, [Graph_PlaceByPlace, Graph_CostlyElement]> {
  let summary = "hyperbolic tangent";
  let description = [{
    -1 and 1 far from zero; a NaN and zeros stay.

    ```mlir
    %b = graph.tanh %a : tensor<2x3xf32>
    ```
  }];
}

def Graph_LogisticOp : Graph_UnaryOp<"logistic", Graph_FloatTensor, [Graph_Composite]> {
  let summary = "the sigmoid 1 / (1 + exp(-x))";
  let description = [{
    `decompose` writes it in primitives before outlining.

    ```mlir
    %b = graph.logistic %a : tensor<2x3xf32>
    ```
  }];
}

#endif
