//===- NormalizationOps.td - mean 0 and variance 1 -----------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_NORMALIZATIONOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_NORMALIZATIONOPS

include "dialects/graph/GraphOpsBase.td"

class Graph_NormOp<string mnemonic, list<Trait> traits = []>
    : Graph_PureOp<mnemonic, !listconcat([Graph_InferType, Graph_Composite], traits)>;

//===------------------------------------------------------------------------------------------===//
// Over all but one dimension, the channels
//===------------------------------------------------------------------------------------------===//

def Graph_BatchNormTrainingOp : Graph_NormOp<"batch_norm_training", [Graph_Differentiable]> {
  let summary =
      "each channel less its mean, divided by the root of its variance, times `scale`, plus `offset`";
  let description = [{
    Channels are dimension `feature_index`; mean and variance (that of all elements, divided by
    their number) are over all others, of the operand as it is here: a micro-batch's own. `epsilon`
    is added to the variance. The variance is the mean of the squares of what is left of each
    element without the mean. Both are results for `assign_moving_average`, by which the values for
    `batch_norm_inference` take the mean over the step's micro-batches, and may be differentiated.
    Sums are made sample by sample where a sample has many items of a channel, with the variance
    joined of those of the samples; then what is elementwise is one pass, with what stands around
    it.

    1. (C1) `feature_index` is one of the operand's dimensions.
    2. (C2) `scale` and `offset` have one dimension, as long as that one, and the operand's element
       type.
    3. (C3) `epsilon` is finite and not negative.

    ```mlir
    %y, %mean, %variance = graph.batch_norm_training %x, %scale, %offset feature_index = 3 epsilon = 1.0e-05
        : (tensor<8x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<8x4x4x16xf32>, tensor<16xf32>, tensor<16xf32>)
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Graph_FloatTensor:$scale,
      Graph_FloatTensor:$offset, ConfinedAttr<I64Attr, [IntNonNegative]>:$feature_index,
      F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$output, Graph_FloatTensor:$batch_mean,
      Graph_FloatTensor:$batch_var);
  let assemblyFormat = [{
    $operand `,` $scale `,` $offset `feature_index` `=` custom<Integer>($feature_index) `epsilon` `=` $epsilon attr-dict `:`
    functional-type(operands, results)
  }];
}

def Graph_BatchNormInferenceOp : Graph_NormOp<"batch_norm_inference", [Graph_Differentiable]> {
  let summary =
      "each channel less a given mean, divided by the root of a given variance, times `scale`, plus `offset`";
  let description = [{
    Channels are dimension `feature_index`. `epsilon` is added to the variance. Inlined where it is
    used.

    1. (C1) `feature_index` is one of the operand's dimensions.
    2. (C2) `scale`, `offset`, `mean` and `variance` have one dimension, as long as that one, and
       the operand's element type.
    3. (C3) `epsilon` is finite and not negative.

    ```mlir
    %y = graph.batch_norm_inference %x, %scale, %offset, %mean, %variance feature_index = 1 epsilon = 1.0e-05
        : (tensor<8x16x4x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x16x4x4xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Graph_FloatTensor:$scale,
      Graph_FloatTensor:$offset, Graph_FloatTensor:$mean, Graph_FloatTensor:$variance,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$feature_index, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $operand `,` $scale `,` $offset `,` $mean `,` $variance `feature_index` `=` custom<Integer>($feature_index) `epsilon` `=` $epsilon
    attr-dict `:` functional-type(operands, $result)
  }];
}

def Graph_BatchNormGradOp : Graph_NormOp<"batch_norm_grad"> {
  let opDocGroup = Graph_PassOps;
  let summary = "gradients of batch_norm_training by its operand, scale and offset";
  let description = [{
    Made by `differentiate`, expanded by `decompose`. `mean` and `variance` are those of the forward
    pass, which are kept, a number a channel; all else is computed again from the operand, which is
    kept anyway. Two sums over each channel, sample by sample first, then one pass.

    1. (C1) `feature_index` is one of the operand's dimensions.
    2. (C2) `scale`, `mean` and `variance` have one dimension, as long as that one, and the
       operand's element type.
    3. (C3) `epsilon` is finite and not negative.
    4. (C4) `grad_output` has the operand's type.

    ```mlir
    %dx, %dscale, %doffset = graph.batch_norm_grad %x, %scale, %mean, %variance, %g feature_index = 1 epsilon = 1.0e-05
        : (tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8x16xf32>)
        -> (tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>)
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Graph_FloatTensor:$scale,
      Graph_FloatTensor:$mean, Graph_FloatTensor:$variance, Graph_FloatTensor:$grad_output,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$feature_index, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$grad_operand, Graph_FloatTensor:$grad_scale,
      Graph_FloatTensor:$grad_offset);
  let assemblyFormat = [{
    $operand `,` $scale `,` $mean `,` $variance `,` $grad_output `feature_index` `=` custom<Integer>($feature_index)
    `epsilon` `=` $epsilon attr-dict `:` functional-type(operands, results)
  }];
}

//===------------------------------------------------------------------------------------------===//
// Over the last dimensions
//===------------------------------------------------------------------------------------------===//

def Graph_LayerNormOp : Graph_NormOp<"layer_norm", [Graph_Differentiable]> {
  let summary =
      "each row less its mean, divided by the root of its variance, times `scale`, plus `offset`";
  let description = [{
    A row is the dimensions from `axis` on. `epsilon` is added to the variance (the mean of the
    squares of what is left of each element without the mean). One kernel, which takes a row through
    all of it before the next.

    1. (C1) `axis` is one of the operand's dimensions.
    2. (C2) `scale` and `offset` have the operand's dimensions from `axis` on and its element type.
    3. (C3) `epsilon` is finite and not negative.

    ```mlir
    %y = graph.layer_norm %x, %scale, %offset axis = 1 epsilon = 1.0e-05
        : (tensor<4x10xf32>, tensor<10xf32>, tensor<10xf32>) -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Graph_FloatTensor:$scale,
      Graph_FloatTensor:$offset, ConfinedAttr<I64Attr, [IntNonNegative]>:$axis, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $operand `,` $scale `,` $offset `axis` `=` custom<Integer>($axis) `epsilon` `=` $epsilon attr-dict `:`
    functional-type(operands, $result)
  }];
}

def Graph_LayerNormGradOp : Graph_NormOp<"layer_norm_grad"> {
  let opDocGroup = Graph_PassOps;
  let summary = "gradients of layer_norm by its operand, scale and offset";
  let description = [{
    Made by `differentiate`, expanded by `decompose`. It says mean and variance as the forward pass
    does: in one program these are one value, a number a row, which is kept; elsewhere they are
    computed again. Nothing of the operand's size is kept but the operand.

    1. (C1) `axis` is one of the operand's dimensions.
    2. (C2) `scale` has the operand's dimensions from `axis` on and its element type.
    3. (C3) `epsilon` is finite and not negative.
    4. (C4) `grad_output` has the operand's type.

    ```mlir
    %dx, %dscale, %doffset = graph.layer_norm_grad %x, %scale, %g axis = 1 epsilon = 1.0e-05
        : (tensor<4x10xf32>, tensor<10xf32>, tensor<4x10xf32>) -> (tensor<4x10xf32>, tensor<10xf32>, tensor<10xf32>)
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Graph_FloatTensor:$scale,
      Graph_FloatTensor:$grad_output, ConfinedAttr<I64Attr, [IntNonNegative]>:$axis,
      F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$grad_operand, Graph_FloatTensor:$grad_scale,
      Graph_FloatTensor:$grad_offset);
  let assemblyFormat = [{
    $operand `,` $scale `,` $grad_output `axis` `=` custom<Integer>($axis) `epsilon` `=` $epsilon attr-dict `:`
    functional-type(operands, results)
  }];
}

def Graph_RmsNormOp : Graph_NormOp<"rms_norm", [Graph_Differentiable]> {
  let summary = "each row divided by the root of the mean of its squares, times `scale`";
  let description = [{
    A row is the dimensions from `axis` on. `epsilon` is added to that mean. One kernel, as
    layer_norm.

    1. (C1) `axis` is one of the operand's dimensions.
    2. (C2) `scale` has the operand's dimensions from `axis` on and its element type.
    3. (C3) `epsilon` is finite and not negative.

    ```mlir
    %y = graph.rms_norm %x, %scale axis = 1 epsilon = 1.0e-05 : (tensor<4x10xf32>, tensor<10xf32>) -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Graph_FloatTensor:$scale,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$axis, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $operand `,` $scale `axis` `=` custom<Integer>($axis) `epsilon` `=` $epsilon attr-dict `:` functional-type(operands, $result)
  }];
}

def Graph_RmsNormGradOp : Graph_NormOp<"rms_norm_grad"> {
  let opDocGroup = Graph_PassOps;
  let summary = "gradients of rms_norm by its operand and scale";
  let description = [{
    Made by `differentiate`, expanded by `decompose`, as layer_norm_grad.

    1. (C1) `axis` is one of the operand's dimensions.
    2. (C2) `scale` has the operand's dimensions from `axis` on and its element type.
    3. (C3) `epsilon` is finite and not negative.
    4. (C4) `grad_output` has the operand's type.

    ```mlir
    %dx, %dscale = graph.rms_norm_grad %x, %scale, %g axis = 1 epsilon = 1.0e-05
        : (tensor<4x10xf32>, tensor<10xf32>, tensor<4x10xf32>) -> (tensor<4x10xf32>, tensor<10xf32>)
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Graph_FloatTensor:$scale,
      Graph_FloatTensor:$grad_output, ConfinedAttr<I64Attr, [IntNonNegative]>:$axis,
      F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$grad_operand, Graph_FloatTensor:$grad_scale);
  let assemblyFormat = [{
    $operand `,` $scale `,` $grad_output `axis` `=` custom<Integer>($axis) `epsilon` `=` $epsilon attr-dict `:`
    functional-type(operands, results)
  }];
}

//===------------------------------------------------------------------------------------------===//
// Over some channels of a sample
//===------------------------------------------------------------------------------------------===//

def Graph_GroupNormOp : Graph_NormOp<"group_norm", [Graph_Differentiable]> {
  let summary =
      "each group of channels of a sample less its mean, divided by the root of its variance, times `scale`, plus `offset`";
  let description = [{
    Channels are dimension `feature_index`, and each num_groups-th part of them, in a row, is a
    group. Mean and variance are over a group and all other dimensions but the first, which counts
    samples. `scale` and `offset` have a number a channel. One kernel, as layer_norm, on a view of
    the operand in which the groups are a dimension.

    1. (C1) `feature_index` is one of the operand's dimensions, and not the first.
    2. (C2) `scale` and `offset` have one dimension, as long as that one, and the operand's element
       type.
    3. (C3) `epsilon` is finite and not negative.
    4. (C4) `num_groups` divides the number of channels.

    ```mlir
    %y = graph.group_norm %x, %scale, %offset num_groups = 2 feature_index = 1 epsilon = 1.0e-05
        : (tensor<8x16x5xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x16x5xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Graph_FloatTensor:$scale,
      Graph_FloatTensor:$offset, ConfinedAttr<I64Attr, [IntPositive]>:$num_groups,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$feature_index, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $operand `,` $scale `,` $offset `num_groups` `=` custom<Integer>($num_groups) `feature_index` `=` custom<Integer>($feature_index)
    `epsilon` `=` $epsilon attr-dict `:` functional-type(operands, $result)
  }];
}

def Graph_GroupNormGradOp : Graph_NormOp<"group_norm_grad"> {
  let opDocGroup = Graph_PassOps;
  let summary = "gradients of group_norm by its operand, scale and offset";
  let description = [{
    Made by `differentiate`, expanded by `decompose`, as layer_norm_grad.

    1. (C1) `feature_index` is one of the operand's dimensions, and not the first.
    2. (C2) `scale` has one dimension, as long as that one, and the operand's element type.
    3. (C3) `epsilon` is finite and not negative.
    4. (C4) `num_groups` divides the number of channels.
    5. (C5) `grad_output` has the operand's type.

    ```mlir
    %dx, %dscale, %doffset = graph.group_norm_grad %x, %scale, %g num_groups = 2 feature_index = 1 epsilon = 1.0e-05
        : (tensor<8x16x5xf32>, tensor<16xf32>, tensor<8x16x5xf32>) -> (tensor<8x16x5xf32>, tensor<16xf32>, tensor<16xf32>)
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$operand, Graph_FloatTensor:$scale,
      Graph_FloatTensor:$grad_output, ConfinedAttr<I64Attr, [IntPositive]>:$num_groups,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$feature_index, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$grad_operand, Graph_FloatTensor:$grad_scale,
      Graph_FloatTensor:$grad_offset);
  let assemblyFormat = [{
    $operand `,` $scale `,` $grad_output `num_groups` `=` custom<Integer>($num_groups)
    `feature_index` `=` custom<Integer>($feature_index) `epsilon` `=` $epsilon attr-dict `:` functional-type(operands, results)
  }];
}

//===------------------------------------------------------------------------------------------===//
// Running values
//===------------------------------------------------------------------------------------------===//

def Graph_AssignMovingAverageOp
    : Graph_Op<"assign_moving_average", [UpdateOpInterface, Graph_PlaceByPlace, Graph_SymbolUser,
                                         Graph_Cost]> {
  let summary = "variable = momentum * variable + (1 - momentum) * value";
  let description = [{
    Both factors are rounded to the variable's element type, and each product before they are added.
    Where micro-batches or replicas have values of their own, as a batch's mean, the variable's
    `aggregation = "mean"` says that the step takes their mean, by the tree by which gradients are
    summed.

    1. (C1) `variable` names a `graph.variable` of the value's type.
    2. (C2) `momentum` is in [0, 1].

    ```mlir
    graph.assign_moving_average @mean, %m {momentum = 0.9} : tensor<16xf32>
    ```
  }];
  let arguments = (ins Graph_VariableArg<[Graph_Reads, Graph_Writes]>:$variable,
      Graph_UpdateTensor:$value, F64Attr:$momentum);
  let assemblyFormat = "$variable `,` $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

#endif
