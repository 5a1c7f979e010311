//===- GraphOpsElementwise.td - one result element from the operands' elements at the same place *- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_GRAPHOPSELEMENTWISE
#define GRAPHC_DIALECTS_GRAPH_GRAPHOPSELEMENTWISE

include "dialects/graph/GraphOpsBase.td"

class Graph_UnaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Graph_PureOp<mnemonic, !listconcat([SameOperandsAndResultType, Elementwise, Graph_Differentiable], traits)> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}
class Graph_BinaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Graph_PureOp<mnemonic, !listconcat([SameOperandsAndResultType, Elementwise], traits)> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}
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
def Graph_MultiplyOp : Graph_ArithmeticOp<"multiply", Graph_NumberTensor, [Commutative, Graph_PlaceByPlace]> {
  let summary = "product of two tensors, element by element";
  let description = [{
    Integers wrap.

    ```mlir
    %c = graph.multiply %a, %b : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}
def Graph_DivideOp : Graph_ArithmeticOp<"divide", Graph_NumberTensor, [Graph_PlaceByPlace, Graph_CostlyElement]> {
  let summary = "quotient of two tensors, element by element";
  let description = [{
    Integers round toward zero; an integer divided by zero gives 0, the least integer divided by -1 itself, so that no
    input can stop a process.

    ```mlir
    %c = graph.divide %a, %b : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}
def Graph_MaximumOp : Graph_ArithmeticOp<"maximum", Graph_NumberTensor, [Commutative, Graph_PlaceByPlace]> {
  let summary = "the larger of two elements";
  let description = [{
    IEEE 754 maximum: NaN where an operand is NaN, and +0 is larger than -0. Where the operands are equal, each gets half
    of the gradient.

    ```mlir
    %c = graph.maximum %a, %b : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}
def Graph_MinimumOp : Graph_ArithmeticOp<"minimum", Graph_NumberTensor, [Commutative, Graph_PlaceByPlace]> {
  let summary = "the smaller of two elements";
  let description = [{
    IEEE 754 minimum: NaN where an operand is NaN, and -0 is smaller than +0. Where the operands are equal, each gets half
    of the gradient.

    ```mlir
    %c = graph.minimum %a, %b : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}
def Graph_PowerOp : Graph_ArithmeticOp<"power", Graph_FloatTensor, [Graph_Composite]> {
  let summary = "the left element raised to the right one";
  let description = [{
    x^0 = 1 for every x; 0^y = 0 for y > 0 and infinite for y < 0; a negative base needs an integral exponent, else the
    result is NaN. A constant exponent of -4 … 4 is computed by multiplication.

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
def Graph_ReluOp : Graph_UnaryOp<"relu", Graph_FloatTensor, [
    Graph_PlaceByPlace, DeclareOpInterfaceMethods<LibraryPostOpInterface>]> {
  let summary = "the element where it is positive, else zero";
  let description = [{
    x where x > 0, else +0: a NaN and -0 become +0 as well. So does oneDNN, whose matmul kernel may do this as its last
    step, and the bits are the same wherever it is done; `maximum` with zero passes a NaN on. The gradient at 0 is 0.

    ```mlir
    %b = graph.relu %a : tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_AndOp : Graph_BinaryOp<"and", Graph_BoolTensor, [Commutative, Graph_PlaceByPlace]> {
  let summary = "both";
  let description = [{
    ```mlir
    %c = graph.and %a, %b : tensor<4xi1>
    ```
  }];
  let hasFolder = 1;
}
def Graph_OrOp : Graph_BinaryOp<"or", Graph_BoolTensor, [Commutative, Graph_PlaceByPlace]> {
  let summary = "one or both";
  let description = [{
    ```mlir
    %c = graph.or %a, %b : tensor<4xi1>
    ```
  }];
  let hasFolder = 1;
}
def Graph_NotOp : Graph_PureOp<"not", [SameOperandsAndResultType, Elementwise, Graph_PlaceByPlace]> {
  let summary = "the opposite truth value";
  let description = [{
    ```mlir
    %b = graph.not %a : tensor<4xi1>
    ```
  }];
  let arguments = (ins Graph_BoolTensor:$operand);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Graph_CompareOp : Graph_PureOp<"compare", [SameTypeOperands, Elementwise, Graph_InferType, Graph_PlaceByPlace]> {
  let summary = "truth of a relation, element by element";
  let description = [{
    The relation is `eq`, `ne`, `lt`, `le`, `gt` or `ge`. With NaN only `ne` is true.

    ```mlir
    %c = graph.compare lt, %a, %b : tensor<4xf32>
    ```

    1. (C1) The relation of truth values is `eq` or `ne`.
  }];
  let arguments = (ins Graph_ComparisonAttr:$relation, Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = "`` $relation `,` $lhs `,` $rhs attr-dict `:` type($lhs)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Graph_SelectOp : Graph_PureOp<"select", [
    AllTypesMatch<["on_true", "on_false", "result"]>, Elementwise, Graph_Differentiable, Graph_PlaceByPlace,
    TypesMatchWith<"predicate has the shape of the result and element type i1", "result", "predicate",
                   "::graphc::graph::withElement($_self, ::mlir::IntegerType::get($_self.getContext(), 1))">]> {
  let summary = "one operand where the predicate holds, else the other";
  let description = [{
    ```mlir
    %d = graph.select %p, %a, %b : tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_BoolTensor:$predicate, Graph_Tensor:$on_true, Graph_Tensor:$on_false);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$predicate `,` $on_true `,` $on_false attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Graph_ConvertOp : Graph_PureOp<"convert", [
    Elementwise, SameOperandsAndResultShape, Graph_Differentiable, Graph_PlaceByPlace,
    DeclareOpInterfaceMethods<KeepsElementsOpInterface, ["keepsElements"]>]> {
  let summary = "the same values in another element type";
  let description = [{
    Integers to floats and f64 to f32 round to nearest even; floats to integers round toward zero, out of range to the
    nearest integer there is and NaN to 0; i1 is 0 or 1; to i1: not equal to zero.

    ```mlir
    %b = graph.convert %a : (tensor<4xi32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type($operand, $result)";
  let hasFolder = 1;
}

#endif
