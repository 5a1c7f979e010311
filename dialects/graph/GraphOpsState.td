//===- GraphOpsState.td - reading and writing named state ---------------------------------------*- tablegen -*-===//
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
class Graph_WriteOp<string mnemonic, list<MemoryEffect> effects>
    : Graph_Op<mnemonic, [UpdateOpInterface, Graph_PlaceByPlace, Graph_SymbolUser]> {
  let arguments = (ins Graph_VariableArg<effects>:$variable, Graph_Tensor:$value);
  let assemblyFormat = "$variable `,` $value attr-dict `:` type($value)";
}
def Graph_AssignOp : Graph_WriteOp<"assign", [Graph_Writes]> {
  let summary = "gives a variable a new value";
  let description = [{
    1. (C1) `variable` names a `graph.variable` of the value's type.

    ```mlir
    graph.assign @w, %v : tensor<3x5xf32>
    ```
  }];
}
def Graph_AssignAddOp : Graph_WriteOp<"assign_add", [Graph_Reads, Graph_Writes]> {
  let summary = "adds a value to a variable";
  let description = [{
    1. (C1) `variable` names a `graph.variable` of the value's type.
    2. (C2) The element type is a number.

    ```mlir
    graph.assign_add @global_step, %one : tensor<i64>
    ```
  }];
}
/// What an optimizer makes of a gradient.
class Graph_ApplyOp<string mnemonic> : Graph_Op<mnemonic, [
    DeclareOpInterfaceMethods<UpdateOpInterface, ["appliesGradient"]>, Graph_PlaceByPlace, Graph_SymbolUser, Graph_Cost]>;

def Graph_ApplySgdOp : Graph_ApplyOp<"apply_sgd"> {
  let summary = "variable -= learning_rate * gradient";
  let description = [{
    Made by `differentiate`. The rate is rounded to the variable's element type; the product is rounded before it is
    subtracted.

    1. (C1) `variable` names a `graph.variable` of the gradient's type.

    ```mlir
    graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<3x5xf32>
    ```
  }];
  let arguments = (ins Graph_VariableArg<[Graph_Reads, Graph_Writes]>:$variable, Graph_FloatTensor:$gradient,
                       F64Attr:$learning_rate);
  let assemblyFormat = "$variable `,` $gradient attr-dict `:` type($gradient)";
}
def Graph_ApplyMomentumOp : Graph_ApplyOp<"apply_momentum"> {
  let summary = "slot = momentum * slot + gradient; variable -= learning_rate * slot";
  let description = [{
    Made by `differentiate`. Each product is rounded before it is added or subtracted.

    1. (C1) `variable` and `slot` name two `graph.variable`s of the gradient's type.

    ```mlir
    graph.apply_momentum @w, @"w/Momentum", %g {learning_rate = 0.05, momentum = 0.9} : tensor<3x5xf32>
    ```
  }];
  let arguments = (ins Graph_VariableArg<[Graph_Reads, Graph_Writes]>:$variable,
                       Graph_VariableArg<[Graph_Reads, Graph_Writes]>:$slot, Graph_FloatTensor:$gradient,
                       F64Attr:$learning_rate, F64Attr:$momentum);
  let assemblyFormat = "$variable `,` $slot `,` $gradient attr-dict `:` type($gradient)";
}

def Graph_NextBatchOp : Graph_Op<"next_batch", [
    MemoryEffects<[MemRead<DatasetResource>, MemWrite<DatasetResource>]>, Graph_SymbolUser]> {
  let summary = "the next samples of a data set";
  let description = [{
    One result a component, [batch, sample…]. Without `pad_last` batches run over the ends of epochs. With it each epoch
    covers every sample once, its last batch is padded, and one more result tells which samples are real; not in the training
    of several replicas that do not wait for each other (asynchronous updates, backup workers), which have no epoch in common.
    `replicate` makes towers that take `micro_batch` i of `micro_batches` a step.
    With `classes` the integers of component i are 0 … classes[i] - 1, or any where that is 0, and a run ends by name at one
    that is not; `bound-labels` writes it.

    1. (C1) `dataset` names a `graph.dataset`.
    2. (C2) The results are its components with a leading dimension `batch`, then with `pad_last` a mask tensor<batch x i1>.
    3. (C3) `micro_batch` is less than `micro_batches`.
    4. (C4) `classes` has one number a component, at least 0; above 0 only for one of integers.

    ```mlir
    %x, %y, %valid = graph.next_batch @test {batch = 100, pad_last} : tensor<100x784xf32>, tensor<100xi32>, tensor<100xi1>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$dataset, ConfinedAttr<I64Attr, [IntPositive]>:$batch, UnitAttr:$pad_last,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$micro_batch,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$micro_batches,
                       OptionalAttr<I64ArrayAttr>:$classes);
  let results = (outs Variadic<Graph_Tensor>:$outputs);
  let assemblyFormat = "$dataset attr-dict `:` type($outputs)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The batches, one a component of the data set.
    ::mlir::ResultRange getComponents() { return getPadLast() ? getOutputs().drop_back() : getOutputs(); }
    /// The mask of real samples; null without pad_last.
    ::mlir::Value getValid() { return getPadLast() ? ::mlir::Value(getOutputs().back()) : ::mlir::Value(); }
  }];
}

#endif
