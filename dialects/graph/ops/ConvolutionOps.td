//===- ConvolutionOps.td - products over windows that slide --------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_CONVOLUTIONOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_CONVOLUTIONOPS

include "dialects/graph/GraphOpsBase.td"

/// What the three have in common: how windows lie, and in what order dimensions stand.
class Graph_ConvolutionLikeOp<string mnemonic, Type type, dag operands, list<Trait> traits>
    : Graph_PureOp<mnemonic,
                   !listconcat(traits, [Graph_Differentiable, Graph_Reducing, Graph_Composite,
                                        DeclareOpInterfaceMethods<LibraryKernelOpInterface>])> {
  let arguments =
      !con(operands,
           (ins OptionalAttr<DenseI64ArrayAttr>:$window_strides,
               OptionalAttr<DenseI64ArrayAttr>:$padding_low,
               OptionalAttr<DenseI64ArrayAttr>:$padding_high,
               OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
               DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$feature_group_count,
               UnitAttr:$nhwc, UnitAttr:$hwio));
  let results = (outs type:$result);
}
defvar Graph_WindowsAndTypes = [{
  (`window_strides` `=` $window_strides^)? (`padding_low` `=` $padding_low^)? (`padding_high` `=` $padding_high^)?
  (`rhs_dilation` `=` $rhs_dilation^)? (`feature_group_count` `=` custom<Integer>($feature_group_count)^)? attr-dict `:`
  functional-type(operands, $result)
}];

def Graph_ConvolutionOp
    : Graph_ConvolutionLikeOp<
          "convolution", Graph_NumberTensor,
          (ins Graph_NumberTensor:$input, Graph_NumberTensor:$filter), [Graph_InferType]> {
  let summary = "sums of products of a filter and the input's windows";
  let description = [{
    The input is batch, features, space (NCHW; with one dimension of space NCW, and so on), with
    `nhwc` batch, space, features; so is the result. The filter is output features, input features,
    window (OIHW), with `hwio` window, input features, output features.

    result[n, o, p] = Σ over window places k and input features i of input[n, i, p·stride - low +
    k·dilation] · filter[o, i, k], where the input is zero outside of itself. Strides and dilations
    (`rhs_dilation`) are 1 and paddings 0 where they are not given; a padding may be negative and
    leaves elements away. With `feature_group_count` groups the input features and the output
    features are cut into as many equal parts, and each part of the output sees its part of the
    input alone: with as many groups as input features it is depthwise. A transposed convolution is
    `convolution_input_grad`.

    On a CPU it is a call of the library in f32 with at most three dimensions of space, from 32,768
    multiply-adds on, where no padding is negative and none as long as the window, or of a kernel of
    our own (windows of 3x3 that move by one place, features last and in sixteens). All others are
    compiled: a padded one as `pad` and one without padding. The order of a compiled sum is the
    numerical contract's (docs/architecture.md), over window places and then features, in either
    layout.

    1. (C1) Input and filter have the same element type and the same rank of at least 3.
    2. (C2) What is given of `window_strides`, `padding_low`, `padding_high` and `rhs_dilation` has
       one entry a dimension of space; strides and dilations are at least 1, and no entry is beyond
       2^31.
    3. (C3) The groups divide the input's and the filter's output features, and the filter has the
       input features of one group.
    4. (C4) The window, dilated, is no longer than the padded input.
    5. (C5) The padded input, and the gradient that is spread to it, are no larger than tensors may
       be.

    ```mlir
    %y = graph.convolution %x, %w window_strides = [2, 2] padding_low = [0, 0] padding_high = [1, 1] {nhwc, hwio}
        : (tensor<8x32x32x16xf32>, tensor<3x3x16x32xf32>) -> tensor<8x16x16x32xf32>
    ```
  }];
  let assemblyFormat = !strconcat("$input `,` $filter", " ", Graph_WindowsAndTypes);
}

def Graph_ConvolutionInputGradOp
    : Graph_ConvolutionLikeOp<"convolution_input_grad", Graph_NumberTensor,
                              (ins Graph_NumberTensor:$gradient, Graph_NumberTensor:$filter), []> {
  let summary = "gradient of convolution by its input: a transposed convolution";
  let description = [{
    The result is of the type of the input of a `convolution` with this filter and these attributes,
    the gradient of its result. Made by `differentiate`, and written by whoever wants a transposed
    convolution (`ConvTranspose`, `conv2d_transpose`): its input is `gradient`. Its features are the
    filter's output features, those of its result the filter's input features times the groups.

    On a CPU it is a call of the library where its convolution would be. All others are compiled:
    zeros are put between and around the elements of the gradient.

    1. (C1) A `convolution` of a tensor of the result's type with the filter is one, and its result
       is of the gradient's type.

    ```mlir
    %g = graph.convolution_input_grad %d, %w window_strides = [2, 2] padding_low = [0, 0] padding_high = [1, 1] {nhwc, hwio}
        : (tensor<8x16x16x32xf32>, tensor<3x3x16x32xf32>) -> tensor<8x32x32x16xf32>
    ```
  }];
  let assemblyFormat = !strconcat("$gradient `,` $filter", " ", Graph_WindowsAndTypes);
  let hasVerifier = 1;
}

def Graph_ConvolutionFilterGradOp
    : Graph_ConvolutionLikeOp<"convolution_filter_grad", Graph_NumberTensor,
                              (ins Graph_NumberTensor:$input, Graph_NumberTensor:$gradient), []> {
  let opDocGroup = Graph_PassOps;
  let summary = "gradient of convolution by its filter";
  let description = [{
    The result is of the type of the filter of a `convolution` of this input with these attributes,
    the gradient of its result. Made by `differentiate`.

    On a CPU it is a call of the library where its convolution would be. All others are compiled.

    1. (C1) A `convolution` of the input with a tensor of the result's type is one, and its result
       is of the gradient's type.

    ```mlir
    %g = graph.convolution_filter_grad %x, %d window_strides = [2, 2] padding_low = [0, 0] padding_high = [1, 1] {nhwc, hwio}
        : (tensor<8x32x32x16xf32>, tensor<8x16x16x32xf32>) -> tensor<3x3x16x32xf32>
    ```
  }];
  let assemblyFormat = !strconcat("$input `,` $gradient", " ", Graph_WindowsAndTypes);
  let hasVerifier = 1;
}

#endif
