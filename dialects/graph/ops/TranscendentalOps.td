//===- TranscendentalOps.td - functions of floats, element by element ----------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_TRANSCENDENTALOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_TRANSCENDENTALOPS

include "dialects/graph/GraphOpsBase.td"

def Graph_SqrtOp
    : Graph_UnaryOp<"sqrt", Graph_FloatTensor, [Graph_PlaceByPlace, Graph_CostlyElement]> {
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

def Graph_ExponentialOp
    : Graph_UnaryOp<"exponential", Graph_FloatTensor, [Graph_PlaceByPlace, Graph_CostlyElement]> {
  let summary = "e raised to each element";
  let description = [{
    Infinite above the largest result, 0 below the smallest; a NaN stays.

    ```mlir
    %b = graph.exponential %a : tensor<2x3xf32>
    ```
  }];
}

def Graph_LogOp
    : Graph_UnaryOp<"log", Graph_FloatTensor, [Graph_PlaceByPlace, Graph_CostlyElement]> {
  let summary = "natural logarithm";
  let description = [{
    NaN below zero, minus infinity at zeros of both signs; a NaN stays.

    ```mlir
    %b = graph.log %a : tensor<2x3xf32>
    ```
  }];
}

def Graph_TanhOp
    : Graph_UnaryOp<"tanh", Graph_FloatTensor, [Graph_PlaceByPlace, Graph_CostlyElement]> {
  let summary = "hyperbolic tangent";
  let description = [{
    -1 and 1 far from zero; a NaN and zeros stay.

    ```mlir
    %b = graph.tanh %a : tensor<2x3xf32>
    ```
  }];
}

def Graph_ExponentialMinusOneOp
    : Graph_UnaryOp<"exponential_minus_one",
                    Graph_FloatTensor, [Graph_PlaceByPlace, Graph_CostlyElement]> {
  let summary = "e raised to each element, minus 1";
  let description = [{
    Without the loss of digits near 0. Infinite above the largest result, -1 far below zero; zeros
    and NaN stay. Within 3 units of the last place.

    ```mlir
    %b = graph.exponential_minus_one %a : tensor<2x3xf32>
    ```
  }];
}

def Graph_LogPlusOneOp
    : Graph_UnaryOp<"log_plus_one", Graph_FloatTensor, [Graph_PlaceByPlace, Graph_CostlyElement]> {
  let summary = "natural logarithm of 1 plus each element";
  let description = [{
    Without the loss of digits near 0. NaN below -1, minus infinity at -1; zeros and NaN stay.
    Within 2 units of the last place.

    ```mlir
    %b = graph.log_plus_one %a : tensor<2x3xf32>
    ```
  }];
}

def Graph_SineOp
    : Graph_UnaryOp<"sine", Graph_FloatTensor, [Graph_PlaceByPlace, Graph_CostlyElement]> {
  let summary = "sine of each element, in radians";
  let description = [{
    Of every number, the largest too, within 1 unit of the last place. NaN where the element is not
    finite; zeros stay.

    ```mlir
    %b = graph.sine %a : tensor<2x3xf32>
    ```
  }];
}

def Graph_CosineOp
    : Graph_UnaryOp<"cosine", Graph_FloatTensor, [Graph_PlaceByPlace, Graph_CostlyElement]> {
  let summary = "cosine of each element, in radians";
  let description = [{
    Of every number, the largest too, within 1 unit of the last place. NaN where the element is not
    finite.

    ```mlir
    %b = graph.cosine %a : tensor<2x3xf32>
    ```
  }];
}

def Graph_ErfOp
    : Graph_UnaryOp<"erf", Graph_FloatTensor, [Graph_PlaceByPlace, Graph_CostlyElement]> {
  let summary = "the error function of each element";
  let description = [{
    2 / √π times the integral of exp(-t²) from 0 to the element. -1 and 1 far from zero; zeros and
    NaN stay. Within 2 units of the last place.

    ```mlir
    %b = graph.erf %a : tensor<2x3xf32>
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
