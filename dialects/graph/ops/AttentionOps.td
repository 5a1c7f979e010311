//===- AttentionOps.td - each query a mean of values ---------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_ATTENTIONOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_ATTENTIONOPS

include "dialects/graph/GraphOpsBase.td"

def Graph_AttentionOp
    : Graph_PureOp<"attention", [Graph_Differentiable, Graph_InferType, Graph_Composite,
                                 DeclareOpInterfaceMethods<LibraryKernelOpInterface>]> {
  let summary = "softmax(scale * query · keyᵀ) · value, with what a mask leaves";
  let description = [{
    The last two dimensions are [sequence, size], those before them (batch, heads) are each for
    itself. `scale` is 1 / sqrt(size) where it is not given. With `causal` query i looks at keys 0 …
    i. Where `mask` is false a key is not looked at; its dimensions may be 1. A query that may look
    at none gives 0.

    On a CPU it is one call of a kernel of this project in f32, from 4,096 multiply-adds a sequence
    and head on (runtime/kernels/AttentionKernel.cpp): up to 32 rows of queries at a time have
    scores, with the keys that they may see, and keys behind the last that a causal mask leaves are
    not looked at. All others are compiled: `decompose` writes products, which a library may serve,
    and a softmax, some rows of queries at a time: as many as have scores of 4 MiB, but at least a
    64th of all. Either way the backward pass computes the scores again, and keeps nothing but
    operands and output. Pieces that are compiled have memory at once (docs/open.md).

    1. (C1) `query`, `key` and `value` have the same element type, the same rank of at least 2 and
       the same leading dimensions.
    2. (C2) `key` is as wide as `query`, and has as many rows as `value`.
    3. (C3) `mask` has the rank of `query`; each of its dimensions is 1 or that of the scores: the
       leading ones, queries, keys.
    4. (C4) `scale` is finite.

    ```mlir
    %y = graph.attention %q, %k, %v {causal}
        : (tensor<8x4x64x32xf32>, tensor<8x4x64x32xf32>, tensor<8x4x64x32xf32>) -> tensor<8x4x64x32xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$query, Graph_FloatTensor:$key, Graph_FloatTensor:$value,
      Optional<Graph_BoolTensor>:$mask, UnitAttr:$causal, OptionalAttr<F64Attr>:$scale);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat =
      "$query `,` $key `,` $value (`mask` $mask^)? attr-dict `:` functional-type(operands, $result)";
  let hasCanonicalizeMethod = 1;
}

def Graph_AttentionGradOp
    : Graph_PureOp<"attention_grad", [Graph_InferType, Graph_Composite,
                                      DeclareOpInterfaceMethods<LibraryKernelOpInterface>]> {
  let opDocGroup = Graph_PassOps;
  let summary = "gradients of attention by query, key and value";
  let description = [{
    Made by `differentiate`; a call where attention is one, else expanded by `decompose`. Of the
    forward pass it takes the operands and the output. The scores are computed again, by as many
    rows of queries as forward; gradients of keys and values are summed over these in their order.

    1. (C1) `query`, `key` and `value` have the same element type, the same rank of at least 2 and
       the same leading dimensions.
    2. (C2) `key` is as wide as `query`, and has as many rows as `value`.
    3. (C3) `mask` has the rank of `query`; each of its dimensions is 1 or that of the scores: the
       leading ones, queries, keys.
    4. (C4) `scale` is finite.
    5. (C5) `output` and `grad_output` have the type of attention's result.

    ```mlir
    %dq, %dk, %dv = graph.attention_grad %q, %k, %v, %y, %g {causal}
        : (tensor<4x8x2xf32>, tensor<4x8x2xf32>, tensor<4x8x2xf32>, tensor<4x8x2xf32>, tensor<4x8x2xf32>)
        -> (tensor<4x8x2xf32>, tensor<4x8x2xf32>, tensor<4x8x2xf32>)
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$query, Graph_FloatTensor:$key, Graph_FloatTensor:$value,
      Graph_FloatTensor:$output, Graph_FloatTensor:$grad_output, Optional<Graph_BoolTensor>:$mask,
      UnitAttr:$causal, OptionalAttr<F64Attr>:$scale);
  let results = (outs Graph_FloatTensor:$grad_query, Graph_FloatTensor:$grad_key,
      Graph_FloatTensor:$grad_value);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $output `,` $grad_output (`mask` $mask^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_PackedAttentionOp
    : Graph_PureOp<"packed_attention", [Graph_Differentiable, Graph_InferType, Graph_Composite,
                                        DeclareOpInterfaceMethods<LibraryKernelOpInterface>]> {
  let summary =
      "attention among the rows of one tensor, which have query, key and value of all heads side by side";
  let description = [{
    A row of `operand` holds the queries of all heads, then their keys, then their values, as one
    product makes them; a row of the result what the heads give, side by side, as the next product
    takes it. It is `attention` of slices and transposes, which canonicalization makes this of;
    where attention is a library's call nothing is moved. `mask`, `causal` and `scale` are those of
    `attention`, of [leading…, heads, rows, rows].

    1. (C1) The last dimension of `operand`, of rank 2 or more, is 3 times a multiple of `heads`.
    2. (C2) `mask` has one dimension more than `operand`; each is 1 or that of the scores: the
       leading ones, heads, queries, keys.
    3. (C3) `scale` is finite.

    ```mlir
    %y = graph.packed_attention %x heads = 4 {causal} : (tensor<8x64x384xf32>) -> tensor<8x64x128xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Optional<Graph_BoolTensor>:$mask,
      ConfinedAttr<I64Attr, [IntPositive]>:$heads, UnitAttr:$causal, OptionalAttr<F64Attr>:$scale);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat =
      "$operand (`mask` $mask^)? `heads` `=` custom<Integer>($heads) attr-dict `:` functional-type(operands, $result)";
}

def Graph_PackedAttentionGradOp
    : Graph_PureOp<"packed_attention_grad", [Graph_InferType, Graph_Composite,
                                             DeclareOpInterfaceMethods<LibraryKernelOpInterface>]> {
  let opDocGroup = Graph_PassOps;
  let summary = "gradient of packed_attention by its operand";
  let description = [{
    Made by `differentiate`; a call where attention is one, else expanded by `decompose`.

    1. (C1) The last dimension of `operand`, of rank 2 or more, is 3 times a multiple of `heads`.
    2. (C2) `mask` has one dimension more than `operand`; each is 1 or that of the scores: the
       leading ones, heads, queries, keys.
    3. (C3) `scale` is finite.
    4. (C4) `output` and `grad_output` have the type of packed_attention's result.

    ```mlir
    %dx = graph.packed_attention_grad %x, %y, %g heads = 2
        : (tensor<4x8x12xf32>, tensor<4x8x4xf32>, tensor<4x8x4xf32>) -> tensor<4x8x12xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Graph_FloatTensor:$output,
      Graph_FloatTensor:$grad_output, Optional<Graph_BoolTensor>:$mask,
      ConfinedAttr<I64Attr, [IntPositive]>:$heads, UnitAttr:$causal, OptionalAttr<F64Attr>:$scale);
  let results = (outs Graph_FloatTensor:$grad_operand);
  let assemblyFormat = [{
    $operand `,` $output `,` $grad_output (`mask` $mask^)? `heads` `=` custom<Integer>($heads) attr-dict `:`
    functional-type(operands, $grad_operand)
  }];
}

#endif
