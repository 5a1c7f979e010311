//===- BitwiseOps.td - truth values and the bits of integers -------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_BITWISEOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_BITWISEOPS

include "dialects/graph/GraphOpsBase.td"

def Graph_AndOp
    : Graph_BinaryOp<"and", Graph_BitTensor, [Commutative, Graph_AnyElement, Graph_PlaceByPlace]> {
  let summary = "both: of truth values, or of each bit";
  let description = [{
    ```mlir
    %c = graph.and %a, %b : tensor<4xi1>
    ```
  }];
  let hasFolder = 1;
}

def Graph_OrOp
    : Graph_BinaryOp<"or", Graph_BitTensor, [Commutative, Graph_AnyElement, Graph_PlaceByPlace]> {
  let summary = "one or both: of truth values, or of each bit";
  let description = [{
    ```mlir
    %c = graph.or %a, %b : tensor<4xi1>
    ```
  }];
  let hasFolder = 1;
}

def Graph_XorOp
    : Graph_BinaryOp<"xor", Graph_BitTensor, [Commutative, Graph_AnyElement, Graph_PlaceByPlace]> {
  let summary = "one and not both: of truth values, or of each bit";
  let description = [{
    ```mlir
    %c = graph.xor %a, %b : tensor<4xi32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_NotOp : Graph_PureOp<"not", [SameOperandsAndResultType, Elementwise, Graph_AnyElement,
                                       Graph_PlaceByPlace]> {
  let summary = "the opposite truth value, or of each bit the other";
  let description = [{
    ```mlir
    %b = graph.not %a : tensor<4xi1>
    ```
  }];
  let arguments = (ins Graph_BitTensor:$operand);
  let results = (outs Graph_BitTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Graph_ShiftLeftOp
    : Graph_BinaryOp<"shift_left", Graph_IntegerTensor, [Graph_AnyElement, Graph_PlaceByPlace]> {
  let summary = "the bits so many places up, zeros behind them";
  let description = [{
    The right operand counts as without sign; where it is the number of bits or more, a negative one
    too, the result is 0.

    ```mlir
    %c = graph.shift_left %a, %b : tensor<4xi32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_ShiftRightArithmeticOp
    : Graph_BinaryOp<"shift_right_arithmetic",
                     Graph_IntegerTensor, [Graph_AnyElement, Graph_PlaceByPlace]> {
  let summary = "the bits so many places down, copies of the sign before them";
  let description = [{
    The right operand counts as without sign; where it is the number of bits or more, a negative one
    too, the result is -1 for a negative left operand, else 0.

    ```mlir
    %c = graph.shift_right_arithmetic %a, %b : tensor<4xi32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_ShiftRightLogicalOp
    : Graph_BinaryOp<"shift_right_logical",
                     Graph_IntegerTensor, [Graph_AnyElement, Graph_PlaceByPlace]> {
  let summary = "the bits so many places down, zeros before them";
  let description = [{
    The right operand counts as without sign; where it is the number of bits or more, a negative one
    too, the result is 0.

    ```mlir
    %c = graph.shift_right_logical %a, %b : tensor<4xi32>
    ```
  }];
  let hasFolder = 1;
}

class Graph_CountBitsOp<string mnemonic>
    : Graph_PureOp<mnemonic, [SameOperandsAndResultType, Elementwise, Graph_AnyElement,
                              Graph_PlaceByPlace]> {
  let arguments = (ins Graph_IntegerTensor:$operand);
  let results = (outs Graph_IntegerTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Graph_PopcntOp : Graph_CountBitsOp<"popcnt"> {
  let summary = "how many bits are set";
  let description = [{
    ```mlir
    %b = graph.popcnt %a : tensor<4xi64>
    ```
  }];
}

def Graph_CountLeadingZerosOp : Graph_CountBitsOp<"count_leading_zeros"> {
  let summary = "how many bits stand above the highest that is set";
  let description = [{
    Of 0 all: 32 or 64.

    ```mlir
    %b = graph.count_leading_zeros %a : tensor<4xi64>
    ```
  }];
}

#endif
