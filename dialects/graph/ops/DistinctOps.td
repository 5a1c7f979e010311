//===- DistinctOps.td - numbers that differ ------------------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_DISTINCTOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_DISTINCTOPS

include "dialects/graph/ops/LoopTraits.td"

def Graph_DistinctOp : Graph_PureOp<"distinct", [Graph_Loops]> {
  let opDocGroup = Graph_PassOps;
  let summary = "each of some numbers once";
  let description = [{
    `list` has each number that is one of the `rows` rows of a table, of which the first is
    `first_row`, in the order in which they stand first, and -1 behind them; `count` is how many
    there are. `places` has for each number where it is in `list`, and -1 for one that is no row:
    with `places` in place of the numbers rows of the table are rows of what the list names
    ([why](../decisions/2026-11-23-rows-on-the-wire.md)). `slots` is the op's own memory, a hash
    table of places.

    Loops of its own, in one piece.

    1. (C1) `list` has one dimension, a place for each number, and `places` the shape of the
       numbers; both have their element type. The count is an i64.
    2. (C2) `slots` has one dimension, elements of type i32, and a power of two of them, at least
       twice as many as there are numbers, of which there are fewer than 2^30.
    3. (C3) `first_row` is not negative, and there is a row.

    ```mlir
    %list, %places, %count, %slots = graph.distinct %ids {rows = 100}
        : (tensor<4x5xi32>) -> (tensor<20xi32>, tensor<4x5xi32>, tensor<i64>, tensor<64xi32>)
    ```
  }];
  let arguments = (ins Graph_IndexTensor:$numbers,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$first_row,
      ConfinedAttr<I64Attr, [IntPositive]>:$rows);
  let results = (outs Graph_IndexTensor:$list, Graph_IndexTensor:$places, Graph_IndexTensor:$count,
      Graph_IndexTensor:$slots);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Graph_CountFrontOp : Graph_PureOp<"count_front", [Graph_Loops]> {
  let opDocGroup = Graph_PassOps;
  let summary = "how many numbers stand before the first that is negative";
  let description = [{
    Of each of the equal pieces of a list, as `graph.distinct` makes them: one for each element of
    the result.

    Loops of its own, in one piece.

    1. (C1) The numbers have one dimension; the result is an i64, or several along one dimension, as
       many as divide the numbers.

    ```mlir
    %counts = graph.count_front %list : (tensor<20xi32>) -> tensor<2xi64>
    ```
  }];
  let arguments = (ins Graph_IndexTensor:$numbers);
  let results = (outs Graph_IndexTensor:$counts);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif
