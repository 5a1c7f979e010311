//===- GraphOpsTraining.td - learning and reporting ----------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_GRAPHOPSTRAINING
#define GRAPHC_DIALECTS_GRAPH_GRAPHOPSTRAINING

include "dialects/graph/GraphOpsBase.td"
include "dialects/graph/GraphOptimizerAttrs.td"

def Graph_MinimizeOp
    : Graph_Op<"minimize", [MemoryEffects<[Graph_Reads, Graph_Writes]>, Graph_SymbolUser]> {
  let summary = "one step of an optimizer toward a smaller loss";
  let description = [{
    Removed by `differentiate`, which puts gradients and updates in its place, and behind a
    function's last one the increment of `@global_step`, so that all of a step are the same update's
    number. Without `variables` every trainable variable that the loss reaches is updated, but for
    those whose names match a pattern of `frozen` (`*` stands for any run of characters, `?` for
    one). What the loss reaches is decided after constants and ops that change nothing have been
    folded: a variable that only such an op used is not updated, has no slot and no moving average,
    and does not decay. A remark names each variable that is not updated.

    No gradient passes through a variable. A read that gives the loss what `assign`, `assign_add` or
    `assign_moving_average` has stored in the same step, computed from trained variables, is an
    error; `graph.stop_gradient` of what is read says that no gradient is wanted.

    What becomes of a gradient, which is the mean over all micro-batches and replicas of the step,
    before the optimizer takes it: `clip_norm` multiplies it by min(1, clip_norm / its norm),
    `clip_global_norm` by min(1, clip_global_norm / the norm of all gradients together), then
    `clip_value` makes no element larger in magnitude. Norms are computed in f64: squares are summed
    row by row (along all dimensions but the first), then over the rows, then over the variables in
    declaration order. A weight decay that is part of the gradient is added last.

    A schedule's rate is that of the number of updates so far, `@global_step`. Where updates do not
    wait for each other (asynchronous parameter servers) it is that of when the replica's step
    begins. `learning_rate_summary` names a fetch that has it.

    With `moving_average` each variable has a second one, `@"w/ExponentialMovingAverage"`, which
    begins as it and after each update is a + (1 - moving_average) * (variable - a). Functions with
    `moving_averages` read those.

    1. (C1) The loss is a scalar float.
    2. (C2) `variables` are trainable float variables, each named once.
    3. (C3) `clip_norm`, `clip_global_norm` and `clip_value` are above 0 and finite; one norm at
       most.
    4. (C4) `moving_average` is at least 0 and below 1.
    5. (C5) `frozen` has patterns, none of them empty.

    ```mlir
    graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
    graph.minimize %loss {optimizer = #graph.adamw<learning_rate = 0.001>, clip_global_norm = 1.0, frozen = ["embedding*"],
                          moving_average = 0.999} : tensor<f32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$loss, OptimizerAttrInterface:$optimizer,
      OptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr, "variables">>:$variables,
      OptionalAttr<StrArrayAttr>:$frozen, OptionalAttr<F64Attr>:$clip_norm,
      OptionalAttr<F64Attr>:$clip_global_norm, OptionalAttr<F64Attr>:$clip_value,
      OptionalAttr<F64Attr>:$moving_average, OptionalAttr<StrAttr>:$learning_rate_summary);
  let assemblyFormat = "$loss attr-dict `:` type($loss)";
  let hasVerifier = 1;
}

def Graph_GradientsOp : Graph_Op<"gradients", [MemoryEffects<[Graph_Reads]>, Graph_SymbolUser]> {
  let summary = "the gradients of a loss by variables, as values";
  let description = [{
    Removed by `differentiate`. Of each variable all reads before this op count. Where the loss does
    not reach a variable the gradient is zero. Each replica and micro-batch has its own; an update,
    a result or a summary says what becomes of them.

    1. (C1) The loss is a scalar float.
    2. (C2) `variables` are float variables, each named once.
    3. (C3) There is a result for each variable, of its type.

    ```mlir
    %gw, %gb = graph.gradients %loss, [@w, @b] : (tensor<f32>) -> (tensor<3x5xf32>, tensor<5xf32>)
    ```
  }];
  let arguments = (ins Graph_Tensor:$loss,
      TypedArrayAttrBase<FlatSymbolRefAttr, "variables">:$variables);
  let results = (outs Variadic<Graph_FloatTensor>:$gradients);
  let assemblyFormat = "$loss `,` $variables attr-dict `:` functional-type($loss, $gradients)";
  let hasVerifier = 1;
}

def Graph_MetricOp : Graph_Op<"metric", [MemoryEffects<[MemWrite<ReportResource>]>]> {
  let summary = "a mean over all samples, exact over steps and replicas";
  let description = [{
    Adds the values (i1 counts as 0 or 1) and their number; a mask leaves out padding.

    1. (C1) The mask, if any, is i1 and has the shape of the values.

    ```mlir
    graph.metric "accuracy", %hit, %valid : tensor<100xi1>, tensor<100xi1>
    ```
  }];
  let arguments = (ins StrAttr:$name, Graph_Tensor:$values, Optional<Graph_BoolTensor>:$mask);
  let assemblyFormat =
      "$name `,` $values (`,` $mask^)? attr-dict `:` type($values) (`,` type($mask)^)?";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What the mean is of, as scalars: the sum (i64 for integers and i1, f64 for floats; integer
    /// sums are exact) and the number of values that the mask lets through (i64).
    std::pair<::mlir::Value, ::mlir::Value> buildSums(::mlir::OpBuilder &builder);
  }];
}

def Graph_MetricSumsOp : Graph_Op<"metric_sums", [MemoryEffects<[MemWrite<ReportResource>]>]> {
  let opDocGroup = Graph_PassOps;
  let summary = "a metric by what it is the mean of";
  let description = [{
    The sum of the values of a `graph.metric` and their number. Made by `replicate` of a metric
    whose micro-batches are a loop, which yields both. Removed by `partition`, which makes
    `dist.metric` of either.

    1. (C1) Both are scalars: the sum of i64 or f64, the count of i64.

    ```mlir
    graph.metric_sums "accuracy", %hits, %samples : tensor<i64>, tensor<i64>
    ```
  }];
  let arguments = (ins StrAttr:$name, Graph_SumTensor:$sum, Graph_IndexTensor:$count);
  let assemblyFormat = "$name `,` $sum `,` $count attr-dict `:` type($sum) `,` type($count)";
  let hasVerifier = 1;
}

def Graph_SummaryOp : Graph_Op<"summary", [MemoryEffects<[MemWrite<ReportResource>]>]> {
  let summary = "a value that fetches can name";
  let description = [{
    `reduction` says what it means over replicas: "mean" (the default of f32 and f64), "sum" or
    "first_replica" (the default of the rest).

    ```mlir
    graph.summary "norm", %v {reduction = "sum"} : tensor<f32>
    ```

    1. (C1) The name is not empty and has no control characters.
    2. (C2) `reduction` is one of these words; "mean" and "sum" are of i32, i64, f32 or f64.
  }];
  let arguments = (ins StrAttr:$name, Graph_Tensor:$value, OptionalAttr<StrAttr>:$reduction);
  let assemblyFormat = "$name `,` $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Graph_AggregateOp : Graph_PureOp<"aggregate", [SameOperandsAndResultType]> {
  let opDocGroup = Graph_PassOps;
  let summary = "sum over the replica domain, by one tree";
  let description = [{
    Neighbours first, (g0 + g1) + (g2 + g3), a rest at the right joins higher. Made by `replicate`
    where a value leaves the replica domain, or, on the replicas' own device, where every replica
    needs the sum (all_reduce). Removed by `partition`, which turns it into `dist.aggregate`.

    ```mlir
    %s = graph.aggregate %g {replicas = 2} : tensor<3x5xf32>
    ```
  }];
  let arguments = (ins Graph_SumTensor:$operand, Graph_CountAttr:$replicas);
  let results = (outs Graph_SumTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

// How many entries of a piece count: `count` is one replica's own, `counts` has those of all
// replicas where all pieces are.
class Graph_PiecesOp<string mnemonic> : Graph_PureOp<mnemonic, [AttrSizedOperandSegments]> {
  let arguments = (ins StrAttr:$name, Graph_NumberTensor:$operand,
      Optional<Graph_IndexTensor>:$count, Optional<Graph_IndexTensor>:$counts,
      Graph_CountAttr:$replicas);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $name `,` $operand (`count` $count^ `:` type($count) `,` $counts `:` type($counts))? attr-dict `:` type($operand) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Graph_CollectOp : Graph_PiecesOp<"collect"> {
  let opDocGroup = Graph_PassOps;
  let summary = "every replica's value, end to end";
  let description = [{
    In the order of the replicas, along dimension 0 (MPI's gather). Made by `replicate` where rows
    leave the replica domain by their numbers ([why](../decisions/2026-11-23-rows-on-the-wire.md)),
    and with one replica where they leave one device for another. Removed by `partition`, which
    turns it into `dist.collect`; the channel is called by `name`.

    With `count` only so many entries of dimension 0 travel, the first ones, and what is behind them
    in the result is undefined: whoever takes it has to know. `count` is what the replica has,
    `counts` what each of them has, known where they come to.

    1. (C1) The operand has a dimension, and the result is `replicas` of it along dimension 0.
    2. (C2) `count` is an i64, and `counts` one for each replica, a scalar where there is one.

    ```mlir
    %s = graph.collect "w.numbers", %ids {replicas = 2} : tensor<5xi32> -> tensor<10xi32>
    %t = graph.collect "w.gradient", %g count %n : tensor<i64>, %m : tensor<2xi64> {replicas = 2} : tensor<5x8xf32> -> tensor<10x8xf32>
    ```
  }];
}

def Graph_DealOp : Graph_PiecesOp<"deal"> {
  let opDocGroup = Graph_PassOps;
  let summary = "each replica's piece of a value";
  let description = [{
    The pieces are equal and stand end to end along dimension 0, in the order of the replicas (MPI's
    scatter): what `graph.collect` puts together, taken apart. Made by `replicate`. Removed by
    `partition`, which turns it into a `dist.send` of the pieces. `count` and `counts` as for
    `graph.collect`.

    1. (C1) The result has a dimension, and the operand is `replicas` of it along dimension 0.
    2. (C2) as for `graph.collect`.

    ```mlir
    %s = graph.deal "w.rows", %rows {replicas = 2} : tensor<10x8xf32> -> tensor<5x8xf32>
    ```
  }];
}

#endif
