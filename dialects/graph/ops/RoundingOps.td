//===- RoundingOps.td - whole numbers and limits, element by element -----------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_ROUNDINGOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_ROUNDINGOPS

include "dialects/graph/GraphOpsBase.td"

def Graph_FloorOp : Graph_UnaryOp<"floor", Graph_FloatTensor, [Graph_PlaceByPlace]> {
  let summary = "the largest whole number that is not above the element";
  let description = [{
    Exact. Infinities, NaN and zeros stay what they are. Its gradient is zero everywhere.

    ```mlir
    %b = graph.floor %a : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_CeilOp : Graph_UnaryOp<"ceil", Graph_FloatTensor, [Graph_PlaceByPlace]> {
  let summary = "the least whole number that is not below the element";
  let description = [{
    Exact; above -1 and below 0 it is -0. Infinities, NaN and zeros stay what they are. Its gradient
    is zero everywhere.

    ```mlir
    %b = graph.ceil %a : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_RoundNearestEvenOp
    : Graph_UnaryOp<"round_nearest_even", Graph_FloatTensor, [Graph_PlaceByPlace]> {
  let summary = "the nearest whole number, of two the even one";
  let description = [{
    Exact; the sign stays, of zeros too. Infinities and NaN stay what they are. Its gradient is zero
    everywhere.

    ```mlir
    %b = graph.round_nearest_even %a : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_RemainderOp
    : Graph_BinaryOp<
          "remainder",
          Graph_NumberTensor, [Graph_Differentiable, Graph_PlaceByPlace, Graph_CostlyElement]> {
  let summary = "what is left of the dividend; it has the dividend's sign";
  let description = [{
    `lhs - rhs * n`, n the quotient without its fraction; exact for floats of every size (C's fmod).
    Of floats it is NaN where the dividend is infinite or the divisor zero, and the dividend where
    the divisor is infinite. An integer by zero gives itself, and the least integer by -1 gives 0,
    so that no input can stop a process. The gradient of the divisor is -n.

    ```mlir
    %c = graph.remainder %a, %b : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_ClampOp : Graph_PureOp<"clamp", [AllTypesMatch<["operand", "result"]>,
                                           Graph_Differentiable, Graph_Structured]> {
  let summary = "each element, but no less than one bound and no more than another";
  let description = [{
    `minimum(maximum(operand, min), max)`: where min is larger than max, max; NaN where one of the
    three is NaN. A bound is a scalar, or has an element of its own for each of the operand. Where
    the element is within its bounds, on them too, it has the gradient, else the bound that stands
    in its place.

    1. (C1) `min` is a scalar of the operand's element type or of the operand's type.
    2. (C2) `max` is a scalar of the operand's element type or of the operand's type.

    ```mlir
    %d = graph.clamp %low, %a, %high : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$min, Graph_NumberTensor:$operand,
      Graph_NumberTensor:$max);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat =
      "$min `,` $operand `,` $max attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_IsFiniteOp
    : Graph_PureOp<"is_finite", [Elementwise, Graph_InferType, Graph_PlaceByPlace]> {
  let summary = "whether each element is neither infinite nor NaN";
  let description = [{
    ```mlir
    %p = graph.is_finite %a : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
  let hasFolder = 1;
}

#endif
