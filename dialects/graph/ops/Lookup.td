//===- Lookup.td - rows of tables, and the largest elements ------------------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_LOOKUP
#define GRAPHC_DIALECTS_GRAPH_OPS_LOOKUP

include "dialects/graph/ops/LoopTraits.td"

def Graph_EmbeddingOp : Graph_PureOp<"embedding", [
    Graph_Differentiable, Graph_InferType, Graph_LoopsInParts, Graph_Labelled]> {
  let summary = "rows of a table, by their numbers";
  let description = [{
    A number that is none of the table's rows gives a row of zeros, and no gradient. What a data set gives as numbers is checked as labels
    are: the run ends by name at one that is none. The gradient is `graph.embedding_grad`.

    Loops of its own; a CPU's threads and a GPU's share the elements of the result.

    1. (C1) The table has two dimensions.

    ```mlir
    %x = graph.embedding %table, %ids : (tensor<100x8xf32>, tensor<4x5xi32>) -> tensor<4x5x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$table, Graph_IndexTensor:$ids);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
}

def Graph_EmbeddingGradOp : Graph_PureOp<"embedding_grad", [Graph_Composite]> {
  let summary = "the gradient of a table, by its rows' numbers";
  let description = [{
    Zero but for the rows that `ids` name: each is the sum of the rows of `gradient` that stand at its number, in their order. A number that
    is none of the table's rows is left out. So ids and gradient say all of the result, wherever it goes. A `graph.scatter` into zeros.

    1. (C1) The result has two dimensions; the gradient has the dimensions of the ids and behind them the result's last, and its element
       type.

    ```mlir
    %d = graph.embedding_grad %ids, %g : (tensor<4x5xi32>, tensor<4x5x8xf32>) -> tensor<100x8xf32>
    ```
  }];
  let arguments = (ins Graph_IndexTensor:$ids, Graph_FloatTensor:$gradient);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

def Graph_TopKOp : Graph_PureOp<"top_k", [Graph_Differentiable, Graph_LoopsInParts]> {
  let summary = "the largest elements of each row, the largest first, and where they are";
  let description = [{
    Rows go along the last dimension. Of equal elements the one with the least index comes first; a NaN is larger than any number, zeros of
    both signs are equal.

    Loops of its own; a CPU's threads and a GPU's share the rows.

    1. (C1) The operand has a dimension, and `k` is from 1 to the size of its last.
    2. (C2) Both results have the operand's dimensions, with `k` in place of the last, and the values its element type; an i32 has room for
       every index.

    ```mlir
    %values, %indices = graph.top_k %a k = 2 : (tensor<4x10xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$operand, ConfinedAttr<I64Attr, [IntPositive]>:$k);
  let results = (outs Graph_NumberTensor:$values, Graph_IndexTensor:$indices);
  let assemblyFormat = "$operand `k` `=` custom<Integer>($k) attr-dict `:` functional-type($operand, results)";
  let hasVerifier = 1;
}

#endif
