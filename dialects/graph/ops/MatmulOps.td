//===- MatmulOps.td - sums of products -----------------------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_MATMULOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_MATMULOPS

include "dialects/graph/GraphOpsBase.td"

def Graph_MatmulOp
    : Graph_PureOp<
          "matmul", [Graph_Differentiable, Graph_InferType, Graph_Reducing,
                     DeclareOpInterfaceMethods<LibraryKernelOpInterface, ["takesPostOp"]>]> {
  let summary = "matrix product, batch by batch";
  let description = [{
    Leading dimensions are batches. A transposed operand is stored with its last two dimensions
    swapped: `transpose_a` means k×m, `transpose_b` n×k.

    On a CPU the product is a call of the library in f32 and from 4,096 multiply-adds on, of one
    matrix where there are batches. On a GPU it is in f32 where m and n are 16 at least and it has
    1,048,576 multiply-adds at least, those of all batches together. All others are compiled.

    The precision says what the factors may be rounded to before they are multiplied: `ieee` (where
    none is said) to nothing, `tf32` to 11 significant bits, `bf16` to 8. Products are added up in
    f32, and the result is f32, whichever it is. What has no faster way to do so computes in ieee:
    CPUs without a matrix unit, products of fewer than 262,144 multiply-adds or 32 rows, columns or
    terms on those with one (AMX), and compiled products everywhere. A CPU with one takes 16 bits
    for `tf32`, as the sum of two of 8. Gradients have the precision of their product.

    1. (C1) Both operands have the same element type and the same rank of at least 2.
    2. (C2) The batch dimensions are equal.
    3. (C3) The contracted dimensions are equal.
    4. (C4) The precision of operands that are not of f32 is ieee.

    ```mlir
    %c = graph.matmul %a, %b : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
    %g = graph.matmul %a, %c precision = tf32 {transpose_a} : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$a, Graph_NumberTensor:$b, UnitAttr:$transpose_a,
      UnitAttr:$transpose_b,
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

def Graph_BiasAddOp
    : Graph_PureOp<"bias_add", [AllTypesMatch<["input", "result"]>, Graph_Differentiable,
                                Graph_Structured,
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

#endif
