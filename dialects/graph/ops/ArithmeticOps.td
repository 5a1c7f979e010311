//===- ArithmeticOps.td - numbers, element by element --------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_ARITHMETICOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_ARITHMETICOPS

include "dialects/graph/GraphOpsBase.td"

class Graph_ArithmeticOp<string mnemonic, Type type, list<Trait> traits = []>
    : Graph_BinaryOp<mnemonic, type, !listconcat([Graph_Differentiable], traits)>;

def Graph_AddOp : Graph_ArithmeticOp<"add", Graph_NumberTensor, [Commutative, Graph_PlaceByPlace]> {
  let summary = "sum of two tensors, element by element";
  let description = [{
    Integers wrap.

    ```mlir
    %c = graph.add %a, %b : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_SubtractOp : Graph_ArithmeticOp<"subtract", Graph_NumberTensor, [Graph_PlaceByPlace]> {
  let summary = "difference of two tensors, element by element";
  let description = [{
    Integers wrap.

    ```mlir
    %c = graph.subtract %a, %b : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_MultiplyOp
    : Graph_ArithmeticOp<"multiply", Graph_NumberTensor, [Commutative, Graph_PlaceByPlace]> {
  let summary = "product of two tensors, element by element";
  let description = [{
    Integers wrap.

    ```mlir
    %c = graph.multiply %a, %b : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_DivideOp
    : Graph_ArithmeticOp<"divide", Graph_NumberTensor, [Graph_PlaceByPlace, Graph_CostlyElement]> {
  let summary = "quotient of two tensors, element by element";
  let description = [{
    Integers round toward zero; an integer divided by zero gives 0, the least integer divided by -1
    itself, so that no input can stop a process.

    ```mlir
    %c = graph.divide %a, %b : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_MaximumOp
    : Graph_ArithmeticOp<"maximum", Graph_NumberTensor, [Commutative, Graph_PlaceByPlace]> {
  let summary = "the larger of two elements";
  let description = [{
    IEEE 754 maximum: NaN where an operand is NaN, and +0 is larger than -0. Where the operands are
    equal, each gets half of the gradient.

    ```mlir
    %c = graph.maximum %a, %b : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_MinimumOp
    : Graph_ArithmeticOp<"minimum", Graph_NumberTensor, [Commutative, Graph_PlaceByPlace]> {
  let summary = "the smaller of two elements";
  let description = [{
    IEEE 754 minimum: NaN where an operand is NaN, and -0 is smaller than +0. Where the operands are
    equal, each gets half of the gradient.

    ```mlir
    %c = graph.minimum %a, %b : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_PowerOp : Graph_ArithmeticOp<"power", Graph_FloatTensor, [Graph_Composite]> {
  let summary = "the left element raised to the right one";
  let description = [{
    x^0 = 1 for every x; 0^y = 0 for y > 0 and infinite for y < 0; a negative base needs an integral
    exponent, else the result is NaN. A constant exponent of -4 … 4 is computed by multiplication.

    ```mlir
    %c = graph.power %a, %b : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_NegateOp : Graph_UnaryOp<"negate", Graph_NumberTensor, [Graph_PlaceByPlace]> {
  let summary = "the opposite of each element";
  let description = [{
    ```mlir
    %b = graph.negate %a : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_AbsOp : Graph_UnaryOp<"abs", Graph_NumberTensor, [Graph_PlaceByPlace]> {
  let summary = "the magnitude of each element";
  let description = [{
    The least integer stays itself.

    ```mlir
    %b = graph.abs %a : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_SignOp : Graph_UnaryOp<"sign", Graph_NumberTensor, [Graph_Composite]> {
  let summary = "-1, 0 or 1 by the sign of each element";
  let description = [{
    Zeros and NaN stay what they are.

    ```mlir
    %b = graph.sign %a : tensor<2x3xf32>
    ```
  }];
}

#endif
