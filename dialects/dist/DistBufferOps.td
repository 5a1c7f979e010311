// Programs after `outline`: values are buffers, compute is calls of kernels in destination-passing
// form. Created by `outline`; `schedule` gives buffers their offsets; `emit` removes all of them.
#ifndef GRAPHC_DIALECTS_DIST_DISTBUFFEROPS_TD
#define GRAPHC_DIALECTS_DIST_DISTBUFFEROPS_TD

include "dialects/dist/DistAttrs.td"
include "dialects/dist/DistDialect.td"
include "dialects/dist/DistInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Dist_Buffer : ConfinedType<AnyMemRef, [HasStaticShapePred], "statically shaped buffer">;
// What only names memory; and what does something to it.
class Dist_MemoryOp<string mnemonic, list<Trait> traits = []>
    : Dist_Op<mnemonic, traits#[ParentOneOf<["ProgramOp", "RepeatOp"]>]>;
class Dist_BodyOp<string mnemonic, list<Trait> traits = []>
    : Dist_Op<mnemonic, traits#[ParentOneOf<["ProgramOp", "RepeatOp"]>, Dist_HasBufferEffects]>;
// An operation that uses its buffers only while it runs. The others have a row in
// BufferEffects.cpp.
class Dist_PlainBodyOp<string mnemonic, list<string> reads, list<string> writes,
                       list<Trait> traits = []> : Dist_BodyOp<mnemonic, traits> {
  let extraClassDefinition = [{
    ::llvm::FailureOr<::llvm::SmallVector<::graphc::dist::BufferEffect>>
    $cppClass::getBufferEffects(const ::mlir::SymbolTable &symbols) {
      return ::graphc::dist::plainEffects({}]#!interleave(reads, ", ")#[{}, {}]#!interleave(
      writes, ", ")#[{});
    }
  }];
}

//===------------------------------------------------------------------------------------------===//
// Buffers
//===------------------------------------------------------------------------------------------===//

def Dist_BufferOp : Dist_MemoryOp<"buffer"> {
  let summary = "memory of one step in the program's arena";
  let description = [{
    `offset` is in bytes, a multiple of 64; `schedule` adds it. Buffers whose lives do not meet may
    share memory. Where the program's device has memory of its own, the buffer is in that, but with
    `host` in the host's: `schedule` decides it.

    ```mlir
    %0 = dist.buffer {offset = 64} : memref<128x512xf32>
    %1 = dist.buffer {host} : memref<128xi32>
    ```

    1. (B1) `offset`, where given, is a multiple of 64 and not negative
    2. (B2) at most 2^37 elements
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset, UnitAttr:$host);
  let results = (outs Dist_Buffer:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Dist_VariableBufferOp
    : Dist_MemoryOp<"variable_buffer", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the memory of a variable that this program's task owns";
  let description = [{
    ```mlir
    %0 = dist.variable_buffer @w1 : memref<784x512xf32>
    ```

    1. (VB1) the variable exists and has this shape and element type
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable);
  let results = (outs Dist_Buffer:$buffer);
  let assemblyFormat = "$variable attr-dict `:` type($buffer)";
}

def Dist_ConstantBufferOp : Dist_MemoryOp<"constant_buffer"> {
  let summary = "read-only data of the plan";
  let description = [{
    Constants that are sent or given to a library; those of compiled kernels are part of the code.
    `host` as for a buffer.

    ```mlir
    %0 = dist.constant_buffer dense<[1, 2]> : tensor<2xi32> to memref<2xi32>
    ```

    1. (CB1) the data has the buffer's shape and element type
  }];
  let arguments = (ins ElementsAttr:$value, UnitAttr:$host);
  let results = (outs Dist_Buffer:$buffer);
  let assemblyFormat = "$value `to` type($buffer) attr-dict";
  let hasVerifier = 1;
}

def Dist_ViewOp : Dist_MemoryOp<"view"> {
  let summary = "the same memory under another shape, or a part of it";
  let description = [{
    `offset` in bytes, a multiple of 64: where a part begins, as in
    `dist.view %0 {offset = 64} : memref<32xf32> to memref<3x2xf32>`.

    ```mlir
    %1 = dist.view %0 : memref<4x2xf32> to memref<8xf32>
    ```

    1. (VW1) same element type; the same number of elements, or, with an offset or fewer elements, a
       part of the source
    2. (VW2) `offset` is a multiple of 64; a part is one of a dist.buffer
  }];
  let arguments = (ins Dist_Buffer:$source, DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs Dist_Buffer:$buffer);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($buffer)";
  let hasVerifier = 1;
}

//===------------------------------------------------------------------------------------------===//
// Calls
//===------------------------------------------------------------------------------------------===//

def Dist_CallOp : Dist_BodyOp<"call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a compiled kernel";
  let description = [{
    The callee is a `func.func private` of the module whose arguments say how they are used:
    `dist.access = "read"`, `"write"` (every byte) or `"read_write"`; `dist.scratch` marks the last
    one as memory for in-between values. Its attribute `dist.flops` is the work of one call. Buffers
    do not overlap but for those of `"read"`. With `queue` that queue of the program's device does
    it, at a time of its own.

    ```mlir
    dist.call @train_step.worker.kernel0(%0, %1) : memref<4xf32>, memref<4xf32>
    ```

    1. (K1) the kernel exists (a func.func, an llvm.func once lowered), with as many arguments as
       buffers
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Dist_Buffer>:$buffers,
      OptionalAttr<Dist_CountAttr>:$queue);
  let assemblyFormat = "$kernel `(` $buffers `)` attr-dict (`:` type($buffers)^)?";
}

def Dist_LibraryCallOp : Dist_BodyOp<"library_call", [AttrSizedOperandSegments]> {
  let summary = "a kernel of a library, by name";
  let description = [{
    Inputs are the kernel's operands, then those of the post-ops in their order; what is written
    follows `into`. All are row-major and dense. `queue` as for `call`. The registry of
    runtime/kernels/KernelRegistry.h knows the kernel, what its descriptor means, which post-ops it
    takes and how much `scratch` it asks for.

    ```mlir
    dist.library_call "matmul"(%x, %w, %b) into(%c) scratch %s {descriptor = {k = 784, m = 128, n = 512}, post_ops = ["bias", "relu"]}
        : memref<128x784xf32>, memref<784x512xf32>, memref<512xf32> into memref<128x512xf32> scratch memref<131840xi8>
    ```

    1. (LC1) each value of the descriptor is an integer, a float, a list of one of them, or a unit
    2. (LC2) a library has the kernel, which takes the descriptor, the post-ops, and operands of
       these types
    3. (LC3) the kernel is one of the program's kind of device
  }];
  let arguments = (ins StrAttr:$kernel, Variadic<Dist_Buffer>:$inputs,
      Variadic<Dist_Buffer>:$outputs, Optional<Dist_Buffer>:$scratch, DictionaryAttr:$descriptor,
      DefaultValuedAttr<StrArrayAttr, "{}">:$post_ops, OptionalAttr<Dist_CountAttr>:$queue);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` `into` `(` $outputs `)` (`scratch` $scratch^)? attr-dict
    `:` type($inputs) `into` type($outputs) (`scratch` type($scratch)^)?
  }];
  let extraClassDeclaration = [{
    /// What the registry is asked; of a verified call.
    ::graphc::kernels::LibraryCall getCall();
    uint64_t getFlops();
  }];
  let hasVerifier = 1;
}

//===------------------------------------------------------------------------------------------===//
// Queues of a device with memory of its own
//===------------------------------------------------------------------------------------------===//

def Dist_CopyOp : Dist_BodyOp<"copy", [AllTypesMatch<["from", "to"]>]> {
  let summary = "a queue copies between the host's memory and the device's";
  let description = [{
    Made by `schedule` in programs on a device with memory of its own, as are `signal` and `wait`:
    what the host touches (messages, samples, feeds, results) lies in the host's memory, what
    kernels touch in the device's.

    ```mlir
    dist.copy %staged to %x {queue = 2} : memref<128x784xf32>
    ```
  }];
  let arguments = (ins Dist_Buffer:$from, Dist_Buffer:$to, OptionalAttr<Dist_CountAttr>:$queue);
  let assemblyFormat = "$from `to` $to attr-dict `:` type($from)";
}

def Dist_SignalOp : Dist_BodyOp<"signal"> {
  let summary = "a queue counts to n once it has done all that it was given so far";
  let description = [{
    Of a step the first of a queue is 1, the next 2, …

    ```mlir
    dist.copy %staged to %x {queue = 2} : memref<128x784xf32>
    dist.signal {queue = 2, n = 1}
    ```
  }];
  let arguments = (ins Dist_CountAttr:$queue, Dist_CountAttr:$n);
  let assemblyFormat = "attr-dict";
}

def Dist_WaitOp : Dist_BodyOp<"wait"> {
  let summary = "waits until a queue has counted to n";
  let description = [{
    The program does, or the `queue` that is given it. The signal stands before it: in a loop that
    of the same time, or one before the loop; behind a loop that of its last time.

    ```mlir
    dist.wait {of = 2, n = 1}
    dist.wait {of = 2, n = 1, queue = 1}
    ```
  }];
  let arguments = (ins Dist_CountAttr:$of, Dist_CountAttr:$n, OptionalAttr<Dist_CountAttr>:$queue);
  let assemblyFormat = "attr-dict";
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

def Dist_RepeatOp : Dist_Op<"repeat", [HasParent<"ProgramOp">, Dist_HasBufferEffects, SingleBlock,
                                       NoTerminator, NoRegionArguments]> {
  let summary = "the same operations several times in a step";
  let description = [{
    A `graph.repeat`. What the body writes each time has the memory of one time, but for the partial
    sums of its `accumulate`s, which live from time to time. Loops of programs that send to each
    other in them run together, iteration by iteration. Queues may still be at work on one time when
    the next begins: what that would touch of it, it waits for at its end.

    ```mlir
    dist.repeat 3 {
      dist.next_batch_into @train, %x {batch = 3, micro_batches = 4} : memref<3xf32>
      dist.accumulate %x into(%s1, %s2) by @add_3xf32 : memref<3xf32>, memref<3xf32>, memref<3xf32>
    }
    ```

    1. (RP1) what is inside calls, copies, takes batches, accumulates, names parts of memory,
       signals and waits, or sends and receives, but nothing ahead
    2. (RP2) the micro-batches that are taken inside are among the step's
    3. (RP3) something is inside, and `count` is below 2^31
  }];
  let arguments = (ins Dist_CountAttr:$count);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$count attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Dist_AccumulateOp
    : Dist_BodyOp<"accumulate", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "adds one time's value to the sums of a loop";
  let description = [{
    `partials` are the sums that the loop keeps (`graph.repeat`): that of the leaf under way where
    `per_leaf` is above 1, then those of 1, 2, 4, … leaves. A value that completes a leaf is joined
    with as many of these as there are ones at the end of the leaf's number, and the sum stands in
    the next larger one. `add` and `chunk` as for `aggregate_into`, `queue` as for `call`.

    ```mlir
    dist.repeat 3 {
      dist.accumulate %g into(%s1, %s2) by @add_3xf32 : memref<3xf32>, memref<3xf32>, memref<3xf32>
    }
    ```

    1. (AC1) in a `repeat` whose `count` + 1 values are whole leaves of `per_leaf`, with as many
       partial sums as are kept of them
    2. (AC2) the partial sums have the value's type; `chunk`, where given, divides the number of
       elements
    3. (AC3) value and partial sums are different buffers
    4. (K1) the kernel exists
  }];
  let arguments = (ins Dist_Buffer:$value, Variadic<Dist_Buffer>:$partials, FlatSymbolRefAttr:$add,
      DefaultValuedAttr<Dist_CountAttr, "1">:$per_leaf, OptionalAttr<Dist_PositiveI64Attr>:$chunk,
      OptionalAttr<Dist_CountAttr>:$queue);
  let hasVerifier = 1;
  let assemblyFormat = "$value `into` `(` $partials `)` `by` $add attr-dict `:` type(operands)";
  let extraClassDeclaration = [{
    /// Elements that the kernel adds at once.
    int64_t getChunkElements() {
      auto type = ::llvm::cast<::mlir::MemRefType>(getValue().getType());
      return int64_t(getChunk().value_or(uint64_t(type.getNumElements())));
    }
    /// Of a whole value, by all times of the loop together.
    uint64_t getAdditions();
  }];
}

//===------------------------------------------------------------------------------------------===//
// Sums, choices, data
//===------------------------------------------------------------------------------------------===//

def Dist_AggregateIntoOp
    : Dist_BodyOp<
          "aggregate_into", [AttrSizedOperandSegments,
                             DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                             DeclareOpInterfaceMethods<
                                 Dist_ChannelEndOpInterface, ["getMessageType", "takesAllInstances",
                                                              "hasOwnMessage"]>,
                             OptionalTypesMatchWith<"own has the accumulator's type", "accumulator",
                                                    "own", "$_self">]> {
  let summary = "`aggregate` into a buffer";
  let description = [{
    The messages are joined by the tree of runtime/common/plan/SumTree.h, by `add`(acc read_write,
    message read). With `chunk` the kernel adds that many elements, and the runtime sums chunk by
    chunk, so that a chunk of the sum stays in the cache while the messages pass by. `scratch` has
    room for the partial sums that the tree has besides the sum, a chunk each, each at a multiple of
    64 bytes: none up to three messages, one up to seven, two up to fifteen. `own` as for
    `aggregate`.

    ```mlir
    dist.aggregate_into @train_step.w.gradient, %acc by @add_4xf32 : memref<4xf32>
    dist.aggregate_into @train_step.v.gradient, %sum by @add_1024xf32 {chunk = 1024} : memref<8x256xf32>
    dist.aggregate_into @train_step.w.all_reduce, %acc own %g by @add_4xf32 : memref<4xf32>
    dist.aggregate_into @train_step.u.gradient, %of4 scratch %s by @add_4xf32 : memref<4xf32> scratch memref<16xf32>
    ```

    1. (E1), (E2), (E3), (A1) as for `aggregate`
    2. (K1) the kernel exists
    3. (AI1) `chunk`, where given, divides the number of elements
    4. (AI2) `scratch` has the sum's element type and a chunk for each partial sum; there is none
       where there are none
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, Dist_Buffer:$accumulator,
      Optional<Dist_Buffer>:$own, Optional<Dist_Buffer>:$scratch, FlatSymbolRefAttr:$add,
      OptionalAttr<Dist_PositiveI64Attr>:$chunk);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $channel `,` $accumulator (`own` $own^)? (`scratch` $scratch^)? `by` $add attr-dict
    `:` type($accumulator) (`scratch` type($scratch)^)?
  }];
}

def Dist_CollectIntoOp
    : Dist_BodyOp<
          "collect_into", [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                           DeclareOpInterfaceMethods<Dist_ChannelEndOpInterface,
                                                     ["getMessageType", "takesAllInstances",
                                                      "hasAllMessages", "getMessageCount"]>]> {
  let summary = "`collect` into a buffer";
  let description = [{
    ```mlir
    dist.collect_into @train_step.table.numbers, %n : memref<12xi32>
    ```

    1. (E1), (E3), (A1), (CL1), (SZ1) as for `collect`
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, Dist_Buffer:$value,
      Optional<Dist_Buffer>:$count);
  let assemblyFormat =
      "$channel `,` $value (`count` $count^ `:` type($count))? attr-dict `:` type($value)";
}

def Dist_AggregateChosenIntoOp
    : Dist_BodyOp<"aggregate_chosen_into",
                  [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                   DeclareOpInterfaceMethods<Dist_ChannelEndOpInterface, ["getMessageType",
                                                                          "takesAllInstances"]>]> {
  let summary = "`aggregate_chosen` into a buffer";
  let description = [{
    As `aggregate_into`, of the messages of the instances in `set` alone, in replica order.

    ```mlir
    dist.aggregate_chosen_into @train_step.u.conflating, %u by @add_4xf32 from %set : memref<4xf32> from memref<3xi1>
    ```

    1. (E1), (E2), (E3), (A1), (A2) as for `aggregate_chosen`
    2. (K1) the kernel exists
    3. (AI1) `chunk`, where given, divides the number of elements
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, Dist_Buffer:$accumulator, FlatSymbolRefAttr:$add,
      Dist_Buffer:$set, OptionalAttr<Dist_PositiveI64Attr>:$chunk);
  let hasVerifier = 1;
  let assemblyFormat =
      "$channel `,` $accumulator `by` $add `from` $set attr-dict `:` type($accumulator) `from` type($set)";
}

def Dist_ChooseIntoOp
    : Dist_BodyOp<"choose_into", [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                                  DeclareOpInterfaceMethods<
                                      Dist_ChannelEndOpInterface, ["takesAllInstances"]>]> {
  let summary = "`choose` into a buffer";
  let description = [{
    ```mlir
    dist.choose_into @train_step.offers at %version, %set {take = 2 : i64} : memref<i64>, memref<3xi1>
    ```

    1. (E1), (E3), (A1), (CO1) as for `choose`
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, Dist_Buffer:$version, Dist_Buffer:$set,
      Dist_CountAttr:$take);
  let assemblyFormat =
      "$channel `at` $version `,` $set attr-dict `:` type($version) `,` type($set)";
}

def Dist_AllReduceStartOp
    : Dist_BodyOp<"all_reduce_start", [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                                       DeclareOpInterfaceMethods<
                                           Dist_ChannelEndOpInterface, ["getMessageType"]>]> {
  let summary = "begins to sum a buffer in place over the instances of a replicated program";
  let description = [{
    On a channel with an `algorithm`. The buffer holds what this instance adds; until
    `all_reduce_done` nobody may touch it or the scratch memory, and until the channel's `send_done`
    nobody may write it. What can be sent, summed and taken goes on while the program computes.
    `add` adds as much as a part of the scratch memory holds (sum read_write, message read).

    ```mlir
    dist.all_reduce_start @train_step.all_reduce, %b scratch %s by @add_16384xf32 : memref<65536xf32>, memref<16384xf32>
    ```

    1. (E1), (E2), (E3) as for `send`
    2. (K1) the kernel exists
    3. (AR1) the channel has an algorithm; the scratch memory has equal parts, multiples of 64 bytes
       where there are several, one for each partial sum that an instance keeps besides its own (one
       up to four instances, two up to eight), and the elements of a part divide the chunk
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, Dist_Buffer:$buffer, Dist_Buffer:$scratch,
      FlatSymbolRefAttr:$add);
  let assemblyFormat =
      "$channel `,` $buffer `scratch` $scratch `by` $add attr-dict `:` type($buffer) `,` type($scratch)";
}

def Dist_AllReduceDoneOp
    : Dist_BodyOp<"all_reduce_done", [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                                      DeclareOpInterfaceMethods<
                                          Dist_ChannelEndOpInterface, ["getMessageType",
                                                                       "takesAllInstances",
                                                                       "hasOwnMessage"]>]> {
  let summary = "waits until the buffer holds the sum";
  let description = [{
    ```mlir
    dist.all_reduce_done @train_step.all_reduce, %b scratch %s : memref<65536xf32>, memref<16384xf32>
    ```

    1. (E1), (E2), (E3) as for `receive`
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, Dist_Buffer:$buffer, Dist_Buffer:$scratch);
  let assemblyFormat =
      "$channel `,` $buffer `scratch` $scratch attr-dict `:` type($buffer) `,` type($scratch)";
}

def Dist_NextBatchIntoOp
    : Dist_BodyOp<"next_batch_into", [AttrSizedOperandSegments,
                                      DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "graph.next_batch into buffers";
  let description = [{
    ```mlir
    dist.next_batch_into @train, %x, %y {batch = 128} : memref<128x784xf32>, memref<128xi32>
    dist.next_batch_into @test, %u, %t valid %v {batch = 100, pad_last}
        : memref<100x784xf32>, memref<100xi32> valid memref<100xi1>
    ```

    1. (NB1) the data set exists
    2. (NB2) `classes` has one number a buffer
    3. (NB3) `offset` + `batch` is at most `stride`, which is `batch` if it is not given
  }];
  let arguments = (ins FlatSymbolRefAttr:$dataset, Variadic<Dist_Buffer>:$buffers,
      Optional<Dist_Buffer>:$valid, Dist_CountAttr:$batch, UnitAttr:$pad_last,
      DefaultValuedAttr<Dist_WhichAttr, "0">:$micro_batch,
      DefaultValuedAttr<Dist_CountAttr, "1">:$micro_batches, OptionalAttr<I64ArrayAttr>:$classes,
      DefaultValuedAttr<Dist_WhichAttr, "0">:$offset, OptionalAttr<Dist_CountAttr>:$stride);
  let assemblyFormat = [{
    $dataset `,` $buffers (`valid` $valid^)? attr-dict `:` type($buffers) (`valid` type($valid)^)?
  }];
}

def Dist_MicroBatchIndexIntoOp : Dist_PlainBodyOp<"micro_batch_index_into", [], ["getBuffer()"]> {
  let summary = "graph.micro_batch_index into a buffer";
  let description = [{
    ```mlir
    dist.micro_batch_index_into %n {micro_batch = 1, micro_batches = 4} : memref<i64>
    ```

    1. (MI1) the buffer is a scalar i64
    2. (MI2) `micro_batch` is less than `micro_batches`
  }];
  let arguments = (ins Dist_Buffer:$buffer, DefaultValuedAttr<Dist_WhichAttr, "0">:$micro_batch,
      DefaultValuedAttr<Dist_CountAttr, "1">:$micro_batches);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Dist_FeedIntoOp : Dist_PlainBodyOp<"feed_into", [], ["getBuffer()"]> {
  let summary = "`feed` into a buffer, before the step begins";
  let description = [{
    ```mlir
    dist.feed_into "x", %x : memref<4xf32>
    ```

    1. (N1) as for `feed`
  }];
  let arguments = (ins StrAttr:$name, Dist_Buffer:$buffer);
  let assemblyFormat = "$name `,` $buffer attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

#endif // GRAPHC_DIALECTS_DIST_DISTBUFFEROPS_TD
