//===- GatherScatterOps.td - parts of tensors at places that are data ----------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_GATHERSCATTEROPS
#define GRAPHC_DIALECTS_GRAPH_OPS_GATHERSCATTEROPS

include "dialects/graph/ops/LoopTraits.td"

/// Dimensions, none where nothing is said.
defvar Graph_Dimensions = DefaultValuedAttr<DenseI64ArrayAttr, "{}">;

def Graph_GatherOp : Graph_PureOp<"gather", [Graph_AnyElement, Graph_Differentiable,
                                             Graph_InferType, Graph_LoopsInParts]> {
  let summary = "windows of a tensor, each at a place that an index names";
  let description = [{
    The dimension numbers are StableHLO's. `start_indices` holds index vectors along its dimension
    `index_vector_dim`; where that is its rank, each element is one of length 1. Entry j of a vector
    is where along dimension `start_index_map[j]` of the operand a window begins that has
    `slice_sizes` elements; along other dimensions it begins at 0. Of the window's dimensions those
    in `collapsed_slice_dims` and `operand_batching_dims` are left away, and the others become the
    result's `offset_dims`; the result's other dimensions are those of `start_indices` without
    `index_vector_dim`. Along `operand_batching_dims[i]` a window begins at its own index in
    dimension `start_indices_batching_dims[i]` of `start_indices`.

    A start that would have the window reach beyond the operand is the nearest that does not: 0
    where it is negative, the dimension's size less the window's where it is larger. The gradient
    goes where the elements came from, in the order of the indices.

    Loops of its own, each element once; a CPU's threads and a GPU's share the elements.

    1. (C1) `index_vector_dim` is from 0 to the rank of `start_indices`, and `start_index_map` has
       as many entries as the index vectors.
    2. (C2) `slice_sizes` has one entry a dimension of the operand, each from 1 to that dimension's
       size.
    3. (C3) `collapsed_slice_dims` and `operand_batching_dims` are strictly increasing,
       `start_index_map` names none twice, all are dimensions of the operand, and
       `operand_batching_dims` has none in common with the other two.
    4. (C4) Windows have size 1 along `collapsed_slice_dims` and `operand_batching_dims`.
    5. (C5) `start_indices_batching_dims` has as many entries as `operand_batching_dims`, each once,
       dimensions of `start_indices` other than `index_vector_dim` and of the same sizes.
    6. (C6) `offset_dims` is strictly increasing, dimensions of the result, one for each dimension
       of the windows that is not left away.

    ```mlir
    %rows = graph.gather %table, %ids offset_dims = [1] collapsed_slice_dims = [0] start_index_map = [0] index_vector_dim = 1 slice_sizes = [1, 8] : (tensor<100x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, Graph_IndexTensor:$start_indices,
      Graph_Dimensions:$offset_dims, Graph_Dimensions:$collapsed_slice_dims,
      Graph_Dimensions:$operand_batching_dims, Graph_Dimensions:$start_indices_batching_dims,
      Graph_Dimensions:$start_index_map, ConfinedAttr<I64Attr, [IntNonNegative]>:$index_vector_dim,
      DenseI64ArrayAttr:$slice_sizes);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $start_indices (`offset_dims` `=` $offset_dims^)? (`collapsed_slice_dims` `=` $collapsed_slice_dims^)?
    (`operand_batching_dims` `=` $operand_batching_dims^)? (`start_indices_batching_dims` `=` $start_indices_batching_dims^)?
    (`start_index_map` `=` $start_index_map^)? `index_vector_dim` `=` custom<Integer>($index_vector_dim)
    `slice_sizes` `=` $slice_sizes attr-dict `:` functional-type(operands, $result)
  }];
  let hasFolder = 1;
}

def Graph_ScatterOp : Graph_PureOp<"scatter", [AllTypesMatch<["operand", "result"]>,
                                               Graph_Differentiable, Graph_LoopsInPlace]> {
  let summary = "a tensor to which windows are added, each at a place that an index names";
  let description = [{
    The dimension numbers are StableHLO's, and its computation is addition. `scatter_indices` holds
    index vectors along its dimension `index_vector_dim`; where that is its rank, each element is
    one of length 1. Entry j of a vector is where along dimension `scatter_dims_to_operand_dims[j]`
    of the operand a window begins; along other dimensions it begins at 0. The window's elements are
    those of `updates` along its dimensions `update_window_dims`; the other dimensions of `updates`
    are those of `scatter_indices` without `index_vector_dim`. Windows have size 1 along the
    operand's dimensions `inserted_window_dims` and `input_batching_dims`. Along
    `input_batching_dims[i]` a window begins at its own index in dimension
    `scatter_indices_batching_dims[i]` of `scatter_indices`.

    An element of a window that would lie outside of the operand is dropped. Windows may overlap: an
    element of the result is the operand's, to which what meets it is added in the order of the
    index vectors, one by one, whatever device, number of threads or partition.

    Loops of its own. They are cut along the operand's longest dimension: a CPU's thread, or a
    GPU's, goes through all indices and adds what is for its own part of that dimension.

    1. (C1) `index_vector_dim` is from 0 to the rank of `scatter_indices`, and
       `scatter_dims_to_operand_dims` has as many entries as the index vectors.
    2. (C2) Operand and updates have the same element type.
    3. (C3) `inserted_window_dims` and `input_batching_dims` are strictly increasing,
       `scatter_dims_to_operand_dims` names none twice, all are dimensions of the operand, and
       `input_batching_dims` has none in common with the other two.
    4. (C4) `update_window_dims` is strictly increasing, dimensions of `updates`, one for each other
       dimension of the operand, and not larger than that.
    5. (C5) `scatter_indices_batching_dims` has as many entries as `input_batching_dims`, each once,
       dimensions of `scatter_indices` other than `index_vector_dim` and of the same sizes.
    6. (C6) The other dimensions of `updates` are those of `scatter_indices` without
       `index_vector_dim`.

    ```mlir
    %sums = graph.scatter %table, %ids, %rows update_window_dims = [1] inserted_window_dims = [0] scatter_dims_to_operand_dims = [0] index_vector_dim = 1 : (tensor<100x8xf32>, tensor<4xi32>, tensor<4x8xf32>) -> tensor<100x8xf32>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$operand, Graph_IndexTensor:$scatter_indices,
      Graph_NumberTensor:$updates, Graph_Dimensions:$update_window_dims,
      Graph_Dimensions:$inserted_window_dims, Graph_Dimensions:$input_batching_dims,
      Graph_Dimensions:$scatter_indices_batching_dims,
      Graph_Dimensions:$scatter_dims_to_operand_dims,
      ConfinedAttr<I64Attr, [IntNonNegative]>:$index_vector_dim);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $operand `,` $scatter_indices `,` $updates (`update_window_dims` `=` $update_window_dims^)?
    (`inserted_window_dims` `=` $inserted_window_dims^)? (`input_batching_dims` `=` $input_batching_dims^)?
    (`scatter_indices_batching_dims` `=` $scatter_indices_batching_dims^)?
    (`scatter_dims_to_operand_dims` `=` $scatter_dims_to_operand_dims^)?
    `index_vector_dim` `=` custom<Integer>($index_vector_dim) attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

#endif
