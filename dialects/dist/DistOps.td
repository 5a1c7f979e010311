// Phases, channels and programs, and what programs do besides computing. Created by `partition`;
// `schedule` replaces send by send_start/send_done and adds release; `emit` removes all of them.
#ifndef GRAPHC_DIALECTS_DIST_DISTOPS_TD
#define GRAPHC_DIALECTS_DIST_DISTOPS_TD
include "dialects/dist/DistAttrs.td"
include "dialects/dist/DistDialect.td"
include "dialects/dist/DistInterfaces.td"
include "dialects/graph/GraphInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Dist_Value : AnyTypeOf<[AnyRankedTensor, AnyMemRef], "tensor or buffer">;

//===------------------------------------------------------------------------------------------===//
// Structure
//===------------------------------------------------------------------------------------------===//

def Dist_PhaseOp : Dist_Op<"phase", [Symbol, HasParent<"::mlir::ModuleOp">,
                                     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a part of a run: what was one function of the model";
  let description = [{
    A run is a sequence of phases, each repeated step by step until the control message (or, where
    `ends_by_end_of_stream` is set, the lack of an update ticket) ends it. `samples_per_step` counts
    the samples that one step takes over all replicas and `dataset` names the data set that defines
    an epoch; both are absent where no data is read.

    ```mlir
    dist.phase @train_step {role = #graph.role<train>, samples_per_step = 256, dataset = @train}
    ```

    1. (PH1) a phase has at least one program, and one program alone sends control messages, unless
       it ends by end of stream
    2. (PH2) `dataset` is named if and only if `samples_per_step` is
    3. (PH3) `role` is a role of the graph dialect
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, AnyAttr:$role,
      OptionalAttr<Dist_PositiveI64Attr>:$samples_per_step,
      OptionalAttr<FlatSymbolRefAttr>:$dataset, UnitAttr:$ends_by_end_of_stream,
      UnitAttr:$advances_global_step);
  let assemblyFormat = "$sym_name attr-dict";
  let hasVerifier = 1;
}

def Dist_ChannelOp : Dist_Op<"channel", [Symbol, HasParent<"::mlir::ModuleOp">,
                                         DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a typed fifo from one program to another";
  let description = [{
    The k-th send pairs with the k-th receive; `capacity` messages may be in flight before a send
    blocks. Where one or both programs are replicated, the channel is too: instance r joins the r-th
    (or only) instances of its sides. An `all_to_all` channel joins each instance of its program
    with each other one. A `control` channel carries the control message from instance 0 of its
    sender to every instance of its receiver but itself. The location is that of the operation whose
    value crosses. A message of a `zero_copy` channel (`schedule` decides) is no copy: receivers on
    the same host read the sender's memory in place, and `send_done` waits until all of them have
    released it. A `conflating` channel is no fifo but a versioned slot in the memory of one task: a
    send replaces what is there and never waits, a receive takes the newest not yet taken.

    ```mlir
    dist.channel @train_step.w.to_worker : tensor<4xf32> from @train_step.ps0 to @train_step.worker {instances = 2}
    ```

    1. (CH1) a type of the graph dialect; a control channel's is tensor<i64>
    2. (CH2) both programs exist and belong to one phase
    3. (CH3) the two differ, unless the channel is a control channel; those of an all_to_all channel
       are one replicated program
    4. (CH4) `instances` is that of the replicated side(s); two replicated sides agree
    5. (CH5) exactly one sending operation, in the sending program, and one receiving operation, in
       the receiving one
    6. (CH6) a zero-copy channel carries data, is all_to_all only with the algorithm scatter or
       ring, and its sender does not lock variables: nobody may write what is read
    7. (CH7) the programs of a conflating channel are on the same device; its phase ends by end of
       stream
    8. (CH8) `algorithm` and `chunk` both or neither, on an all_to_all channel; `chunk` divides the
       elements, and what the algorithm asks of their quotient and of `instances` holds
    9. (CH9) more than one of `hosts` only with the algorithm scatter; each has as many instances, a
       power of two of at least 2
    10. (CH10) both ends stand outside of loops, or each in a loop, the two of equal count, in a
        phase that does not end by end of stream
    11. (CH11) a `sized` channel carries data of at least one dimension, and is neither all_to_all
        nor zero-copy nor conflating

    Messages have their type's size. On a `sized` channel that is the largest: a message has as many
    entries of dimension 0 as the `count` at its ends says, which each end knows from its own data.

    ```mlir
    dist.channel @s.table.gradient : tensor<64x8xf32> from @s.worker to @s.ps0 {instances = 2, sized}
    ```

    Without `algorithm` an all_to_all channel carries every value whole to every instance, where
    `aggregate` sums. With one of `scatter`, `ring` and `doubling` the instances sum together,
    `chunk` elements a message (see runtime/common/plan/AllReduceMoves.h); a ring does not sum by
    the tree.

    ```mlir
    dist.channel @s.all_reduce : tensor<65536xf32> from @s.worker to @s.worker
        {all_to_all, instances = 2, algorithm = "scatter", chunk = 16384}
    ```

    With `hosts` instances in a row share a host, and sums are made within each first: so 1 /
    (instances of a host) of what `scatter` sends to other hosts otherwise goes there, and the bits
    are the same.

    ```mlir
    dist.channel @s.all_reduce : tensor<65536xf32> from @s.worker to @s.worker
        {all_to_all, instances = 4, algorithm = "scatter", chunk = 16384, hosts = 2}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, FlatSymbolRefAttr:$from,
      FlatSymbolRefAttr:$to, DefaultValuedAttr<Dist_CountAttr, "1">:$capacity,
      DefaultValuedAttr<Dist_CountAttr, "1">:$instances, UnitAttr:$control, UnitAttr:$all_to_all,
      UnitAttr:$zero_copy, UnitAttr:$conflating, OptionalAttr<StrAttr>:$algorithm,
      OptionalAttr<Dist_PositiveI64Attr>:$chunk, DefaultValuedAttr<Dist_CountAttr, "1">:$hosts,
      UnitAttr:$sized);
  let assemblyFormat = "$sym_name `:` $type `from` $from `to` $to attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getType());
    }
    /// Payload of one message in bytes; i1 takes one byte an element.
    int64_t getMessageBytes();
    /// Whether what an instance sends stays as it is while others may still read it there: a value
    /// does, and the parts of a sum by scatter or ring (plan::readsInPlace).
    bool leavesInPlace() { return !getAllToAll() || getAlgorithm() == "scatter" || getAlgorithm() == "ring"; }
    /// Partial sums for which a sum in chunks needs scratch memory (plan::allReducePartialSums).
    uint64_t getAllReducePartialSums();
  }];
}

def Dist_ProgramOp
    : Dist_Op<"program", [Symbol, IsolatedFromAbove, SingleBlock, HasParent<"::mlir::ModuleOp">,
                          DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one sequential loop over steps on one device, or several instances of it";
  let description = [{
    The body is one step: graph operations and dist operations in the order that the schedule fixes
    later. With `replicas(N)` it is replicated and has N instances: over the tasks of the replica
    domain where the device names no task, all on one task where it does. `locks_variables` says
    that instances share variables and take their locks instruction by instruction (asynchronous
    updates). `arena_bytes` and `device_arena_bytes` are those of its buffers in the host's memory
    and in its device's own; `schedule` adds them.

    ```mlir
    dist.program @predict.worker0 of @predict on "/job:worker/task:0/device:CPU:0" {
      %x = dist.feed "x" : tensor<4xf32>
      dist.fetch "y", %x {reduction = "mean"} : tensor<4xf32>
      dist.end
    }
    ```

    1. (PR1) the phase exists
    2. (PR2) the device is complete: job, device kind and index; a program of one instance names its
       task too
    3. (PR3) the body ends in `dist.end`
    4. (PR4) it has at most 65,536 instances, as many as a cluster has tasks
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$phase, StrAttr:$device,
      DefaultValuedAttr<Dist_CountAttr, "1">:$replicas, UnitAttr:$locks_variables,
      OptionalAttr<I64Attr>:$arena_bytes, OptionalAttr<I64Attr>:$device_arena_bytes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `of` $phase `on` $device (`replicas` `(` $replicas^ `)`)? (`locks_variables` $locks_variables^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
    /// Instances run on the tasks of the replica domain, one each, and not all on one task.
    bool isSpread();
    bool isReplicated() { return getReplicas() > 1; }
    /// Its device's; empty where that is none.
    ::llvm::StringRef getDeviceKind();
    /// Its device's memory is its own: buffers are there or on the host, and queues do what the
    /// program gives them.
    bool hasQueues();
    /// Its kernels are PTX.
    bool runsPtx();
  }];
}

def Dist_EndOp : Dist_Op<"end", [Terminator, HasParent<"ProgramOp">, Dist_HasBufferEffects]> {
  let summary = "the end of a step";
  let description = [{
    Ends the body of every program.

    ```mlir
    dist.program @train_step.ps1 of @train_step on "/job:ps/task:1/device:CPU:0" {
      dist.control_receive @train_step.control.ps1
      dist.end
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

//===------------------------------------------------------------------------------------------===//
// Channels
//===------------------------------------------------------------------------------------------===//

class Dist_EndPointOp<string mnemonic, list<Trait> traits = [],
                      Trait parent = HasParent<"ProgramOp">>
    : Dist_Op<mnemonic, traits#[parent, MemoryEffects<[MemRead<Dist_ChannelResource>,
                                                       MemWrite<Dist_ChannelResource>]>]>;

class Dist_ChannelOpBase<string mnemonic, list<string> methods, list<Trait> traits = [],
                         Trait parent = HasParent<"ProgramOp">>
    : Dist_EndPointOp<mnemonic,
                      traits#[DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                              DeclareOpInterfaceMethods<Dist_ChannelEndOpInterface, methods>],
                      parent>;

// From one lane to another, also in each iteration of a loop: as partitioned, in a graph.repeat,
// later in a dist.repeat.
class Dist_MessageOp<string mnemonic, list<string> methods>
    : Dist_ChannelOpBase<mnemonic, methods, [Dist_HasBufferEffects, Dist_MayBeRepeated],
                         ParentOneOf<["ProgramOp", "RepeatOp", "::graphc::graph::RepeatOp"]>>;

def Dist_SendOp : Dist_MessageOp<"send", ["getMessageType", "hasAllMessages", "getMessageCount"]> {
  let summary = "sends a value over a channel";
  let description = [{
    From a program of one instance to a replicated one the value goes to every instance, on an
    `all_to_all` channel to every instance but the sender. With `deal` each instance has a piece of
    its own: the value is all instances' messages, end to end along dimension 0. `schedule` replaces
    it by `send_start` and `send_done`.

    ```mlir
    dist.send @train_step.table.rows, %rows {deal} : tensor<6x8xf32>
    ```

    1. (E1) the channel exists and this operation's program is its sending program
    2. (E2) the value has the channel's shape and element type
    3. (E3) data travels on data channels, control messages on control channels
    4. (DL1) with `deal` from one instance to a replicated program, the value has the channel's
       shape but for dimension 0, which is that of all instances
    5. (SZ1) `count` is given where the channel is `sized`, and only there: an i64, or one for each
       instance whose message the value has
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, Dist_Value:$value, Optional<Dist_Value>:$count,
      UnitAttr:$deal);
  let builders = [OpBuilder<
      (ins "::llvm::StringRef":$channel, "::mlir::Value":$value),
      [{ build($_builder, $_state, channel, value, /*count=*/::mlir::Value()); }]>];
  let assemblyFormat =
      "$channel `,` $value (`count` $count^ `:` type($count))? attr-dict `:` type($value)";
}

def Dist_AcquireOp : Dist_MessageOp<"acquire", ["getMessageType"]> {
  let summary = "takes the memory of a channel's next message, to write it there";
  let description = [{
    Made by `schedule` in place of a `buffer` whose value is sent whole: what makes the value writes
    it where the receiver finds it, and `send_start` of that buffer copies nothing. Waits until a
    slot is free, as a send does. After its `send_start` the buffer may still be read in this step,
    not written.

    ```mlir
    %g = dist.acquire @train_step.w.gradient : memref<4xf32>
    ```

    1. (E1), (E2), (E3) as for `send`
    2. (AQ1) its program sends one message a step and instance: where one goes to every instance,
       each has a slot of its own
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel);
  let results = (outs AnyMemRef:$buffer);
  let assemblyFormat = "$channel attr-dict `:` type($buffer)";
}

def Dist_SendStartOp
    : Dist_MessageOp<"send_start", ["getMessageType", "hasAllMessages", "getMessageCount"]> {
  let summary = "starts to send a buffer";
  let description = [{
    Made by `schedule`. The buffer may not be written before `send_done`.

    With `ahead` it is the message of the next step: before the first step the variable is sent once
    as it is, a step that the control message says is the last one sends nothing, and the
    `send_done` stands in the step that the message is for.

    ```mlir
    dist.send_start @train_step.w.to_worker, %w : memref<4xf32>
    %v = dist.variable_buffer @v : memref<4xf32>
    dist.control_receive @train_step.control.ps0
    dist.send_start @train_step.v.to_worker, %v {ahead} : memref<4xf32>
    ```

    1. (E1), (E2), (E3), (DL1), (SZ1) as for `send`
    2. (SA1) what is sent ahead is a variable, which keeps its value from one step to the next
    3. (SA2) a `control_receive` stands before it, in a program of one instance
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, Dist_Value:$value, Optional<Dist_Value>:$count,
      UnitAttr:$ahead, UnitAttr:$deal);
  let assemblyFormat =
      "$channel `,` $value (`count` $count^ `:` type($count))? attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Dist_SendDoneOp : Dist_MessageOp<"send_done", []> {
  let summary = "waits until the last send on a channel left its buffer";
  let description = [{
    Made by `schedule`. Of a zero-copy channel it waits until every reader on the host has released
    the message.

    ```mlir
    dist.send_start @train_step.w.to_worker, %w : memref<4xf32>
    dist.send_done @train_step.w.to_worker
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel);
  let assemblyFormat = "$channel attr-dict";
}

def Dist_ReceiveOp : Dist_MessageOp<"receive", ["getMessageType", "getMessageCount"]> {
  let summary = "takes the next message of a channel";
  let description = [{
    The value is used in place, in the transport's memory, until `release` (which `schedule` adds).
    In a replicated program instance r receives from the channel's instance r.

    ```mlir
    %w = dist.receive @train_step.w.to_worker : tensor<4xf32>
    ```

    1. (E1) the channel exists and this operation's program is its receiving program
    2. (E2) the value has the channel's shape and element type
    3. (E3) data travels on data channels, control messages on control channels
    4. (E4) a program of one instance takes from a replicated one with `dist.aggregate`
    5. (SZ1) as for `send`; behind the message's entries the value is undefined
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, Optional<Dist_Value>:$count);
  let builders = [OpBuilder<
      (ins "::mlir::Type":$value, "::llvm::StringRef":$channel),
      [{ build($_builder, $_state, value, channel, /*count=*/::mlir::Value()); }]>];
  let results = (outs Dist_Value:$value);
  let assemblyFormat = "$channel (`count` $count^ `:` type($count))? attr-dict `:` type($value)";
}

def Dist_ReleaseOp : Dist_MessageOp<"release", []> {
  let summary = "gives the memory of the last received message back";
  let description = [{
    Made by `schedule`. Of a channel with an `algorithm`: the sums were last read, so that who made
    them may write there again.

    ```mlir
    %w = dist.receive @train_step.w.to_worker : memref<4xf32>
    dist.release @train_step.w.to_worker
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel);
  let assemblyFormat = "$channel attr-dict";
}

def Dist_AggregateOp
    : Dist_ChannelOpBase<
          "aggregate", ["getMessageType", "takesAllInstances", "hasOwnMessage"],
          [OptionalTypesMatchWith<"own has the type of the sum", "value", "own", "$_self">]> {
  let summary = "the sum of the messages of all instances, always by the same tree";
  let description = [{
    Neighbours are joined first, then pairs, and a rest at the right joins higher, (m0 + m1) + (m2 +
    m3), whatever arrives first (runtime/common/plan/SumTree.h). Made by `partition` from
    `graph.aggregate`; the division that makes a mean of it is an ordinary `graph.divide`.

    ```mlir
    %g = dist.aggregate @train_step.w.gradient : tensor<4xf32>
    %s = dist.aggregate @train_step.w.all_reduce own %p : tensor<4xf32>
    ```
    On an `all_to_all` channel `own` is what this instance would send to itself: in instance r it is
    m_r.

    1. (E1), (E2), (E3) as for `receive`
    2. (A1) the channel's sender is replicated and this program is not; or the channel is all_to_all
       and `own` is given
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, Optional<Dist_Value>:$own);
  let results = (outs Dist_Value:$value);
  let assemblyFormat = "$channel (`own` $own^)? attr-dict `:` type($value)";
}

def Dist_CollectOp : Dist_ChannelOpBase<"collect", ["getMessageType", "takesAllInstances",
                                                    "hasAllMessages", "getMessageCount"]> {
  let summary = "the messages of all instances, end to end";
  let description = [{
    In the order of the instances, along dimension 0. Made by `partition` from `graph.collect`.

    ```mlir
    %n = dist.collect @train_step.table.numbers : tensor<12xi32>
    ```

    1. (E1), (E3) as for `receive`
    2. (A1) as for `aggregate`, of a channel that is not all_to_all
    3. (CL1) the value has the channel's shape but for dimension 0, which is that of all instances
    4. (SZ1) as for `receive`; each message begins where one of the largest size would
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, Optional<Dist_Value>:$count);
  let results = (outs Dist_Value:$value);
  let assemblyFormat = "$channel (`count` $count^ `:` type($count))? attr-dict `:` type($value)";
}

// dialects/graph/StructuredInterfaces.h
def Dist_AnyElement : NativeOpTrait<"AnyElement"> { let cppNamespace = "::graphc::graph"; }

def Dist_AfterOp
    : Dist_Op<"after", [Pure, AllTypesMatch<["value", "result"]>, Dist_AnyElement,
                        DeclareOpInterfaceMethods<StructuredOpInterface, ["getLoopNests"]>]> {
  let summary = "a value, not before another is there";
  let description = [{
    The value itself. What is computed for it alone is computed in the kernel of this operation,
    which waits for `other` and reads none of it: a call with one buffer more. Made by
    `rematerialize`, so that no rematerialized value is computed early. `cse` stands before it: what
    the value is computed of is equal to what was computed before.

    ```mlir
    %b = dist.after %g, %a : tensor<8xf32>, tensor<4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$other, AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$other `,` $value attr-dict `:` type($other) `,` type($value)";
}

class Dist_PackingOp<string mnemonic> : Dist_Op<mnemonic, [Pure, HasParent<"ProgramOp">]> {
  let hasVerifier = 1;
}

def Dist_PackOp : Dist_PackingOp<"pack"> {
  let summary = "several values end to end, to travel as one message";
  let description = [{
    Each begins at the next multiple of 64 bytes; what is between and behind them is undefined. Made
    by `partition`; `outline` lets whoever computes the values write them there.

    ```mlir
    %b = dist.pack %g, %h : (tensor<4xf32>, tensor<3xf32>) -> tensor<32xf32>
    ```

    1. (PK1) one element type, and at least as many elements as the values take
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let results = (outs AnyRankedTensor:$packed);
  let assemblyFormat = "$values attr-dict `:` functional-type($values, $packed)";
}

def Dist_UnpackOp : Dist_PackingOp<"unpack"> {
  let summary = "the values of a message that `pack` made";
  let description = [{
    ```mlir
    %g, %h = dist.unpack %b : (tensor<32xf32>) -> (tensor<4xf32>, tensor<3xf32>)
    ```

    1. (PK1) as for `pack`
  }];
  let arguments = (ins AnyRankedTensor:$packed);
  let results = (outs Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "$packed attr-dict `:` functional-type($packed, $values)";
}

def Dist_AggregateChosenOp
    : Dist_ChannelOpBase<"aggregate_chosen", ["getMessageType", "takesAllInstances"]> {
  let summary = "the sum of the messages of some instances, in replica order";
  let description = [{
    Backup workers: as `aggregate`, of the instances in `set` (see `choose`) alone.

    ```mlir
    %h = dist.aggregate_chosen @train_step.v.conflating from %set : tensor<4xf32> from tensor<3xi1>
    ```

    1. (E1), (E2), (E3) as for `receive`, (A1) as for `aggregate`
    2. (A2) the channel is a conflating one; `set` has one i1 an instance
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, Dist_Value:$set);
  let results = (outs Dist_Value:$value);
  let assemblyFormat = "$channel `from` $set attr-dict `:` type($value) `from` type($set)";
}

def Dist_ChooseOp : Dist_ChannelOpBase<"choose", ["takesAllInstances"]> {
  let summary = "the first instances that are ready with a version";
  let description = [{
    Backup workers: waits until `take` instances have sent `version` over the (conflating) channel.
    `set` says which they are; what the others send for this version comes too late and is dropped.

    ```mlir
    %set = dist.choose @train_step.offers at %version {take = 2 : i64} : tensor<i64> -> tensor<3xi1>
    ```

    1. (E1), (E3) as for `receive`, (A1) as for `aggregate`
    2. (CO1) a conflating channel of tensor<i64>, like `version`; `set` has one i1 an instance, of
       which `take` are true
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, Dist_Value:$version, Dist_CountAttr:$take);
  let results = (outs Dist_Value:$set);
  let assemblyFormat = "$channel `at` $version attr-dict `:` type($version) `->` type($set)";
}

//===------------------------------------------------------------------------------------------===//
// The control message, update tickets
//===------------------------------------------------------------------------------------------===//

def Dist_ControlSendOp
    : Dist_ChannelOpBase<"control_send", ["isControl"], [Dist_HasBufferEffects]> {
  let summary = "the chief decides whether the phase ends after this step and tells everybody";
  let description = [{
    Acts on instance 0 of its program alone. First in the chief's step, so that the control message
    never makes a lane wait.

    ```mlir
    dist.control_send [@train_step.control.ps0, @train_step.control.worker]
    ```
  }];
  let arguments = (ins Dist_ChannelListAttr:$channels);
  let assemblyFormat = "$channels attr-dict";
}

def Dist_ControlReceiveOp
    : Dist_ChannelOpBase<"control_receive", ["isControl"], [Dist_HasBufferEffects]> {
  let summary = "takes the control message for this step";
  let description = [{
    The last thing that a step does, unless it sends ahead: then it stands before the first such
    send. `local`: this program holds the `control_send`; its instance 0 takes its own control
    message and the other instances, where there are any, take theirs from the channel.

    ```mlir
    dist.control_receive @train_step.control.ps0
    ```

    1. (CR1) without `local` it names a channel; a replicated program's names one in any case
  }];
  let arguments = (ins OptionalAttr<FlatSymbolRefAttr>:$channel, UnitAttr:$local);
  let assemblyFormat = "($channel^)? (`local` $local^)? attr-dict";
  let hasVerifier = 1;
}

def Dist_TicketOp : Dist_EndPointOp<"ticket", [Dist_HasBufferEffects]> {
  let summary = "takes one of the updates still to be done";
  let description = [{
    Phases with asynchronous updates or backup workers only, first in the step of the program that
    owns the global step. Where no update is left it closes its lane's sends and ends it; a lane
    that finds a channel closed does the same. With `max_staleness` s instance r waits before its
    step c until no other instance that still takes update tickets is at a step before c - s.

    ```mlir
    dist.phase @train_step {role = #graph.role<train>, ends_by_end_of_stream}
    dist.program @train_step.ps0 of @train_step on "/job:ps/task:0/device:CPU:0" replicas(2) locks_variables {
      dist.ticket {max_staleness = 2 : i64}
      dist.end
    }
    ```

    1. (T1) its phase ends by end of stream
    2. (T2) `max_staleness` is not negative
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$max_staleness);
  let assemblyFormat = "attr-dict";
}

#endif // GRAPHC_DIALECTS_DIST_DISTOPS_TD
