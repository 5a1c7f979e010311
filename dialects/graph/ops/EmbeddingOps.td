//===- EmbeddingOps.td - rows of tables ----------------------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_EMBEDDINGOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_EMBEDDINGOPS

include "dialects/graph/TableInterfaces.td"
include "dialects/graph/ops/LoopTraits.td"

def Graph_EmbeddingOp
    : Graph_PureOp<"embedding", [Graph_AnyElement, Graph_Differentiable, Graph_InferType,
                                 Graph_LoopsInParts, Graph_Labelled,
                                 DeclareOpInterfaceMethods<TableReadOpInterface>]> {
  let summary = "rows of a table, by their numbers";
  let description = [{
    A number that is none of the table's rows gives a row of zeros, and no gradient. What a data set
    gives as numbers is checked as labels are: the run ends by name at one that is none. The
    gradient is `graph.embedding_grad`. `first_row` is the number of the table's first row, where
    the table is a part of another.

    Loops of its own; a CPU's threads and a GPU's share the elements of the result.

    1. (C1) The table has two dimensions.
    2. (C2) `first_row` is not negative.

    ```mlir
    %x = graph.embedding %table, %ids : (tensor<100x8xf32>, tensor<4x5xi32>) -> tensor<4x5x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$table, Graph_IndexTensor:$ids,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$first_row);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
}

def Graph_EmbeddingGradOp
    : Graph_PureOp<"embedding_grad", [Graph_Composite,
                                      DeclareOpInterfaceMethods<RowGradientOpInterface>]> {
  let opDocGroup = Graph_PassOps;
  let summary = "the gradient of a table, by its rows' numbers";
  let description = [{
    Zero but for the rows that `ids` name: each is the sum of the rows of `gradient` that stand at
    its number, in their order. A number that is none of the table's rows is left out. So ids and
    gradient say all of the result, wherever it goes
    ([why](../decisions/2026-11-23-rows-on-the-wire.md)). A `graph.scatter` into zeros. `first_row`
    is the number of the result's first row.

    1. (C1) The result has two dimensions; the gradient has the dimensions of the ids and behind
       them the result's last, and its element type.
    2. (C2) `first_row` is not negative.

    ```mlir
    %d = graph.embedding_grad %ids, %g : (tensor<4x5xi32>, tensor<4x5x8xf32>) -> tensor<100x8xf32>
    ```
  }];
  let arguments = (ins Graph_IndexTensor:$ids, Graph_FloatTensor:$gradient,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$first_row);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

def Graph_SumRowsOp : Graph_PureOp<"sum_rows", [Graph_Loops]> {
  let opDocGroup = Graph_PassOps;
  let summary = "rows of the same number summed, as gradients of several micro-batches are";
  let description = [{
    The numbers are `micro_batches` equal pieces, one behind the other, and so are the rows, one for
    each number. Of each micro-batch the rows of a number are added in their order, from zero on
    (`graph.embedding_grad`). These sums are added by the tree of a step's sums, whose leaves are
    left folds over `per_leaf` micro-batches. So a row of `sums` has, bit for bit, what the sum of
    dense gradients has there: what is not added is 0.0, and nothing that began with 0.0 is -0.0.

    `row` has at the first place of each number which row of the table it names, and -1 elsewhere;
    `sums` has the sum there, and zeros elsewhere. A number that is none of the table's rows, of
    which the first is `first_row`, is left out. `first` has for each row of the table that is
    named, and `next` for each number, where it stands first and next, or -1: the op's own memory.

    Loops of its own, in one piece.

    1. (C1) There is a row for each number: the rows' dimensions are those of the numbers and one
       more; `row` has the numbers' type, `sums` that of the rows.
    2. (C2) `micro_batches` divides how many numbers there are, and `per_leaf` divides
       `micro_batches`.
    3. (C3) `first` and `next` have one dimension, elements of type i32, and `next` one for each
       number, of which there are fewer than 2^31.
    4. (C4) `first_row` is not negative.

    ```mlir
    %row, %sums, %first, %next = graph.sum_rows %ids, %g {micro_batches = 2, per_leaf = 1}
        : (tensor<4x5xi32>, tensor<4x5x8xf32>) -> (tensor<4x5xi32>, tensor<4x5x8xf32>, tensor<100xi32>, tensor<20xi32>)
    ```
  }];
  let arguments = (ins Graph_IndexTensor:$numbers, Graph_FloatTensor:$rows,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$first_row,
      ConfinedAttr<I64Attr, [IntPositive]>:$micro_batches,
      ConfinedAttr<I64Attr, [IntPositive]>:$per_leaf);
  let results = (outs Graph_IndexTensor:$row, Graph_FloatTensor:$sums, Graph_IndexTensor:$first,
      Graph_IndexTensor:$next);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif
