//===- GraphOpsState.td - reading and writing named state ----------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_GRAPHOPSSTATE
#define GRAPHC_DIALECTS_GRAPH_GRAPHOPSSTATE

include "dialects/graph/GraphOpsBase.td"

def Graph_ReadOp : Graph_Op<"read", [Graph_SymbolUser]> {
  let summary = "the value of a variable";
  let description = [{
    The value after the latest preceding write in text order.

    1. (C1) `variable` names a `graph.variable` of the result's type.

    ```mlir
    %w = graph.read @w : tensor<3x5xf32>
    ```
  }];
  let arguments = (ins Graph_VariableArg<[Graph_Reads]>:$variable);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$variable attr-dict `:` type($result)";
}

def Graph_NextBatchOp
    : Graph_Op<"next_batch", [MemoryEffects<[MemRead<DatasetResource>, MemWrite<DatasetResource>]>,
                              Graph_SymbolUser]> {
  let summary = "the next samples of a data set";
  let description = [{
    One result a component, [batch, sample…]. Without `pad_last` batches run over the ends of
    epochs. With it each epoch covers every sample once, its last batch is padded, and one more
    result tells which samples are real; not in the training of several replicas that do not wait
    for each other (asynchronous updates, backup workers), which have no epoch in common.

    Several ops of one data set in a function share its samples: each takes the next ones, in the
    order in which the ops are executed, called functions included. `assign-samples` writes this
    down: a micro-batch takes `stride` samples of the data set, this op those from `offset` on. An
    epoch then has `stride` samples a micro-batch, so the ops together cover it once. If one of them
    has `pad_last`, the epoch ends with a step for all of them; an op without a mask takes the
    missing samples from the beginning of the next epoch, which takes them again.

    `replicate` makes towers that take `micro_batch` i of `micro_batches` a step. With `classes` the
    integers of component i are 0 … classes[i] - 1, or any where that is 0, and a run ends by name
    at one that is not; `bound-labels` writes it.

    1. (C1) `dataset` names a `graph.dataset`.
    2. (C2) The results are its components with a leading dimension `batch`, then with `pad_last` a
       mask tensor<batch x i1>.
    3. (C3) `micro_batch` is less than `micro_batches`.
    4. (C4) `classes` has one number a component, at least 0; above 0 only for one of integers.
    5. (C5) `offset` + `batch` is at most `stride`, which is `batch` if it is not given.

    ```mlir
    %x, %y, %valid = graph.next_batch @test {batch = 100, pad_last} : tensor<100x784xf32>, tensor<100xi32>, tensor<100xi1>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$dataset, Graph_CountAttr:$batch, UnitAttr:$pad_last,
      DefaultValuedAttr<Graph_WhichAttr, "0">:$micro_batch,
      DefaultValuedAttr<Graph_CountAttr, "1">:$micro_batches, OptionalAttr<I64ArrayAttr>:$classes,
      DefaultValuedAttr<Graph_WhichAttr, "0">:$offset, OptionalAttr<Graph_CountAttr>:$stride);
  let results = (outs Variadic<Graph_Tensor>:$outputs);
  let assemblyFormat = "$dataset attr-dict `:` type($outputs)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The batches, one a component of the data set.
    ::mlir::ResultRange getComponents() {
      return getPadLast() ? getOutputs().drop_back() : getOutputs();
    }
    /// Samples of the data set that all ops of the function together take for one micro-batch.
    uint64_t getSamplesOfMicroBatch() { return getStride().value_or(getBatch()); }
    /// The mask of real samples; null without pad_last.
    ::mlir::Value getValid() {
      return getPadLast() ? ::mlir::Value(getOutputs().back()) : ::mlir::Value();
    }
  }];
}

def Graph_MicroBatchIndexOp : Graph_Op<"micro_batch_index", [Pure]> {
  let opDocGroup = Graph_PassOps;
  let summary = "which micro-batch of the phase this is, of all replicas together";
  let description = [{
    step * M + m: micro-batch m of the step's M, which are numbered once for the whole cluster, and
    the number of steps that were made before this one, those before a restart among them. So it is
    the same under every strategy, and no two micro-batches of a training have one number. Where
    replicas do not wait for each other (asynchronous updates, backup workers) each counts its own
    steps, M times the number of replicas apart. In functions of another role than train it counts
    from 0 whenever the function begins to run.

    Made by `number-draws`, of which every draw of a function takes it. `replicate` makes towers
    that are `micro_batch` i of `micro_batches` a step. It costs nothing and is made by whoever uses
    it.

    1. (C1) `micro_batch` is less than `micro_batches`.

    ```mlir
    %n = graph.micro_batch_index
    ```
  }];
  let arguments = (ins DefaultValuedAttr<Graph_WhichAttr, "0">:$micro_batch,
      DefaultValuedAttr<Graph_CountAttr, "1">:$micro_batches);
  let results = (outs Graph_StepCount:$result);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

#endif
