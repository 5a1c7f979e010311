//===- Attention.td - each query a mean of values ----------------------------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_ATTENTION
#define GRAPHC_DIALECTS_GRAPH_OPS_ATTENTION

include "dialects/graph/GraphOpsBase.td"

def Graph_AttentionOp : Graph_PureOp<"attention", [
    Graph_Differentiable, Graph_InferType, Graph_Composite, DeclareOpInterfaceMethods<LibraryKernelOpInterface>]> {
  let summary = "softmax(scale * query · keyᵀ) · value, with what a mask leaves";
  let description = [{
    The last two dimensions are [sequence, size], those before them (batch, heads) are each for itself. `scale` is 1 / sqrt(size) where it is not
    given. With `causal` query i looks at keys 0 … i. Where `mask` is false a key is not looked at; its dimensions may be 1. A query that may
    look at none gives 0.

    On a CPU it is one call of a kernel of this project in f32, from 4,096 multiply-adds a sequence and head on (runtime/kernels/Attention.cpp): up
    to 32 rows of queries at a time have scores, with the keys that they may see, and keys behind the last that a causal mask leaves are not
    looked at. All others are compiled: `decompose` writes products, which a library may serve, and a softmax, some rows of queries at a
    time: as many as have scores of 4 MiB, but at least a 64th of all. Either way the backward pass computes the scores again, and keeps
    nothing but operands and output. Pieces that are compiled have memory at once (docs/open.md).

    1. (C1) `query`, `key` and `value` have the same element type, the same rank of at least 2 and the same leading dimensions.
    2. (C2) `key` is as wide as `query`, and has as many rows as `value`.
    3. (C3) `mask` has the rank of `query`; each of its dimensions is 1 or that of the scores: the leading ones, queries, keys.
    4. (C4) `scale` is finite.

    ```mlir
    %y = graph.attention %q, %k, %v {causal}
        : (tensor<8x4x64x32xf32>, tensor<8x4x64x32xf32>, tensor<8x4x64x32xf32>) -> tensor<8x4x64x32xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$query, Graph_FloatTensor:$key, Graph_FloatTensor:$value, Optional<Graph_BoolTensor>:$mask,
                       UnitAttr:$causal, OptionalAttr<F64Attr>:$scale);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$query `,` $key `,` $value (`mask` $mask^)? attr-dict `:` functional-type(operands, $result)";
}

def Graph_AttentionGradOp : Graph_PureOp<"attention_grad", [
    Graph_InferType, Graph_Composite, DeclareOpInterfaceMethods<LibraryKernelOpInterface>]> {
  let summary = "gradients of attention by query, key and value";
  let description = [{
    Made by `differentiate`; a call where attention is one, else expanded by `decompose`. Of the forward pass it takes the operands and the output.
    The scores are computed again, by as many rows of queries as forward; gradients of keys and values are summed over these in their order.

    1. (C1) `query`, `key` and `value` have the same element type, the same rank of at least 2 and the same leading dimensions.
    2. (C2) `key` is as wide as `query`, and has as many rows as `value`.
    3. (C3) `mask` has the rank of `query`; each of its dimensions is 1 or that of the scores: the leading ones, queries, keys.
    4. (C4) `scale` is finite.
    5. (C5) `output` and `grad_output` have the type of attention's result.

    ```mlir
    %dq, %dk, %dv = graph.attention_grad %q, %k, %v, %y, %g {causal}
        : (tensor<4x8x2xf32>, tensor<4x8x2xf32>, tensor<4x8x2xf32>, tensor<4x8x2xf32>, tensor<4x8x2xf32>)
        -> (tensor<4x8x2xf32>, tensor<4x8x2xf32>, tensor<4x8x2xf32>)
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$query, Graph_FloatTensor:$key, Graph_FloatTensor:$value, Graph_FloatTensor:$output,
                       Graph_FloatTensor:$grad_output, Optional<Graph_BoolTensor>:$mask, UnitAttr:$causal, OptionalAttr<F64Attr>:$scale);
  let results = (outs Graph_FloatTensor:$grad_query, Graph_FloatTensor:$grad_key, Graph_FloatTensor:$grad_value);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $output `,` $grad_output (`mask` $mask^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif
