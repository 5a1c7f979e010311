//===- PoolingOps.td - one element of each window ------------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_POOLINGOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_POOLINGOPS

include "dialects/graph/ops/LoopTraits.td"

/// What pools and their gradients have in common: how windows lie.
class Graph_PoolLikeOp<string mnemonic, dag operands, dag result, list<Trait> traits>
    : Graph_PureOp<mnemonic, traits> {
  let arguments =
      !con(operands, (ins DenseI64ArrayAttr:$window_dimensions,
                         OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                         OptionalAttr<DenseI64ArrayAttr>:$padding_low,
                         OptionalAttr<DenseI64ArrayAttr>:$padding_high,
                         OptionalAttr<DenseI64ArrayAttr>:$window_dilations, UnitAttr:$nhwc));
  let results = result;
}
defvar Graph_PoolWindowsAndTypes = [{
  `window_dimensions` `=` $window_dimensions (`window_strides` `=` $window_strides^)? (`padding_low` `=` $padding_low^)?
  (`padding_high` `=` $padding_high^)? (`window_dilations` `=` $window_dilations^)? attr-dict `:` functional-type(operands, $result)
}];

def Graph_MaxPoolOp : Graph_PoolLikeOp<"max_pool", (ins Graph_NumberTensor:$operand),
                                       (outs Graph_NumberTensor:$result),
                                       [Graph_Differentiable, Graph_InferType, Graph_Composite,
                                        Graph_LoopsInParts, Graph_LeastOfNothing]> {
  let summary = "the largest element of each window";
  let description = [{
    The operand is batch, features, space (NCHW), with `nhwc` batch, space, features; so is the
    result. Window p begins at place p·stride - low and has every dilation-th place of each
    dimension of space, `window_dimensions` of them. Strides and dilations are 1 and paddings 0
    where they are not given. Places in the padding do not count: a window that has no others gives
    minus infinity, or the least integer. NaN where an element is NaN. A window as large as the
    operand is a global pool.

    The gradient goes to the first largest element of each window in row-major order, to the first
    NaN where there is one.

    `decompose` writes one of at most 64 places as maxima of slices, one dimension of space after
    the other, and one that is all of space as `reduce_max`, so that they are inlined or fused where
    their results are used. Others have loops of their own, a part for each window.

    1. (C1) The operand has at least three dimensions.
    2. (C2) `window_dimensions` and what is given of `window_strides`, `padding_low`, `padding_high`
       and `window_dilations` has one entry a dimension of space; windows, strides and dilations are
       at least 1, and no entry is beyond 2^31.
    3. (C3) The window, dilated, is no longer than the padded operand.
    4. (C4) The padded operand, and the gradient that is spread to it, are no larger than tensors
       may be.

    ```mlir
    %y = graph.max_pool %x window_dimensions = [2, 2] window_strides = [2, 2] {nhwc} : (tensor<8x28x28x16xf32>) -> tensor<8x14x14x16xf32>
    ```
  }];
  let assemblyFormat = !strconcat("$operand", " ", Graph_PoolWindowsAndTypes);
}

def Graph_MaxPoolGradOp
    : Graph_PoolLikeOp<"max_pool_grad",
                       (ins Graph_NumberTensor:$operand, Graph_NumberTensor:$gradient),
                       (outs Graph_NumberTensor:$result),
                       [AllTypesMatch<["operand", "result"]>, Graph_LoopsInParts]> {
  let opDocGroup = Graph_PassOps;
  let summary = "gradient of max_pool by its operand";
  let description = [{
    Each window's gradient is added to the element that is its first largest in row-major order, or
    its first NaN, in the order of the windows. What windows in the padding alone have goes nowhere.
    Made by `differentiate`; loops of its own, a part for each batch entry and feature, or 64
    features that lie side by side.

    1. (C1) A `max_pool` of the operand with these attributes is one, and its result is of the
       gradient's type.

    ```mlir
    %g = graph.max_pool_grad %x, %d window_dimensions = [2, 2] window_strides = [2, 2]
        : (tensor<8x16x28x28xf32>, tensor<8x16x14x14xf32>) -> tensor<8x16x28x28xf32>
    ```
  }];
  let assemblyFormat = !strconcat("$operand `,` $gradient", " ", Graph_PoolWindowsAndTypes);
  let hasVerifier = 1;
}

def Graph_AvgPoolOp : Graph_PoolLikeOp<"avg_pool", (ins Graph_FloatTensor:$operand),
                                       (outs Graph_FloatTensor:$result),
                                       [Graph_Differentiable, Graph_InferType, Graph_Composite]> {
  let summary = "the mean of each window";
  let description = [{
    Windows lie as those of `max_pool`. `decompose` writes it as a `convolution` with a filter of
    ones, a group a feature, and one division: by the number of the window's places that are the
    operand's, with `count_include_pad` by the number of all its places. Without `count_include_pad`
    a window that lies in the padding alone gives NaN. A window as large as the operand is a global
    pool.

    1. (C1) The operand has at least three dimensions.
    2. (C2) `window_dimensions` and what is given of `window_strides`, `padding_low`, `padding_high`
       and `window_dilations` has one entry a dimension of space; windows, strides and dilations are
       at least 1, and no entry is beyond 2^31.
    3. (C3) The window, dilated, is no longer than the padded operand.
    4. (C4) The padded operand, and the gradient that is spread to it, are no larger than tensors
       may be.

    ```mlir
    %y = graph.avg_pool %x window_dimensions = [8, 8] {nhwc} : (tensor<64x8x8x64xf32>) -> tensor<64x1x1x64xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, DenseI64ArrayAttr:$window_dimensions,
      OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<DenseI64ArrayAttr>:$padding_low,
      OptionalAttr<DenseI64ArrayAttr>:$padding_high,
      OptionalAttr<DenseI64ArrayAttr>:$window_dilations, UnitAttr:$nhwc,
      UnitAttr:$count_include_pad);
  let assemblyFormat = !strconcat("$operand", " ", Graph_PoolWindowsAndTypes);
}

#endif
