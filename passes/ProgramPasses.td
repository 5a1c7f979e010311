//===- ProgramPasses.td - passes that make programs and work on them -----------*- tablegen -*-===//
#ifndef GRAPHC_PASSES_PROGRAMPASSES
#define GRAPHC_PASSES_PROGRAMPASSES

include "mlir/Pass/PassBase.td"

//===------------------------------------------------------------------------------------------===//
// partition: one program for each device, one for all replicas
//===------------------------------------------------------------------------------------------===//

def PartitionFunctions : Pass<"partition", "::mlir::ModuleOp"> {
  let summary = "turn functions into phases of programs joined by channels";
  let description = [{
    Input: a replicated module. Output: no function; a `dist.phase` each, one `dist.program` for
    each device that has something to do, and a `dist.channel` for each value and program that takes
    it from elsewhere, called after the variable or the operation and with its location. The order
    of each program is that of the function, a send stands behind its value, a receive before its
    first use: the programs cannot wait for each other in a circle. Constants are made anew where
    they are used. Arguments, results, summaries and metrics are the business of the function's
    home, the chief or the replicas, which also carries the control message. Asynchronous: the
    parameter servers' programs are replicated too, one instance a worker, and an update ticket
    takes the control message's place.

    Example (`resolve-strategy,partition`):

    ```mlir
    #0 = #graph.device<"/job:worker/task:0/device:CPU:0">
    #1 = #graph.device<"/job:worker/task:1/device:CPU:0">
    module attributes {graph.cluster = #graph.cluster<jobs = [worker = 2], chief = "/job:worker/task:0">,
                       graph.strategy = #graph.strategy<name = "in_graph">} {
    graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32> {graph.name = "y"})
        attributes {role = #graph.role<predict>, graph.device = #0} {
      %a = graph.exponential %x {graph.device = #1} : tensor<4xf32>
      %y = graph.negate %a {graph.device = #0} : tensor<4xf32>
      graph.return {graph.device = #0} %y : tensor<4xf32>
    }
    }
    ```

    becomes

    ```mlir
    dist.phase @f {role = #graph.role<predict>}
    dist.channel @f.arg0.to_worker1 : tensor<4xf32> from @f.worker0 to @f.worker1
    dist.channel @f.exponential.to_worker0 : tensor<4xf32> from @f.worker1 to @f.worker0
    dist.channel @f.control.worker1 : tensor<i64> from @f.worker0 to @f.worker1 {capacity = 2 : i64, control}
    dist.program @f.worker1 of @f on "/job:worker/task:1/device:CPU:0" {
      %0 = dist.receive @f.arg0.to_worker1 : tensor<4xf32>
      %1 = graph.exponential %0 : tensor<4xf32>
      dist.send @f.exponential.to_worker0, %1 : tensor<4xf32>
      dist.control_receive @f.control.worker1
      dist.end
    }
    dist.program @f.worker0 of @f on "/job:worker/task:0/device:CPU:0" {
      dist.control_send [@f.control.worker1]
      %0 = dist.feed "arg0" : tensor<4xf32>
      dist.send @f.arg0.to_worker1, %0 : tensor<4xf32>
      %1 = dist.receive @f.exponential.to_worker0 : tensor<4xf32>
      %2 = graph.negate %1 : tensor<4xf32>
      dist.fetch "y", %2 : tensor<4xf32>
      dist.control_receive local
      dist.end
    }
    ```
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect", "::graphc::dist::DistDialect"];
}

def VerifyPartitioned : Pass<"verify-partitioned", "::mlir::ModuleOp"> {
  let summary =
      "check that phases end in all programs alike and that state is touched on its own task";
  let description = [{
    Input and output: a partitioned module, made by `partition` or by hand. The ends of channels are
    checked by the dialect's own verifiers; whether programs can wait for each other in a circle by
    `schedule`. What takes an update ticket begins with it: of the ends of channels only receives
    stand before.

    Example:

    ```mlir
    dist.phase @p {role = #graph.role<predict>}
    dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
      %x = dist.feed "x" : tensor<4xf32>
      dist.fetch "y", %x : tensor<4xf32>
      dist.end
    }
    ```

    is refused:

    ```text
    'dist.program' op expected dist.control_receive as the last thing of its step, or right before what it sends ahead
    ```
  }];
}

//===------------------------------------------------------------------------------------------===//
// outline: kernels, library calls, buffers
//===------------------------------------------------------------------------------------------===//

def RematerializeValues : Pass<"rematerialize", "::graphc::dist::ProgramOp"> {
  let summary = "rematerialize cheap values in front of their late users, where memory is short";
  let description = [{
    Input: a program whose compute is primitive (`decompose`), with `dist.recompute_bytes`: by so
    much its fullest place is to shrink. The compiler sets that where a device needs more than the
    `"memory"` of the cluster's `"budget"` (`passes/compiler/FitBudget.h`). Programs without stay as
    they are. Output: values that are elementwise of what is there anyhow (activations, normalised
    values, masks, draws, converted and repeated ones, up to sixteen operations) are rematerialized
    for those of their users that stand behind the longest time without one, those with the largest
    product of bytes and time for what they cost first, until that is reached or nothing is left. A
    value that is read for it is kept as long as it was, or longer where it is so much smaller that
    memory is gained. `dist.after` keeps the copies late: their kernel waits for what their user
    waits for. `dist.recomputed` says how many values and bytes, the estimated nanoseconds a step,
    and 1 where that is not enough. The order of the operations that are inlined changes, and no bit
    of a result.

    Example (`dist.program(rematerialize)`):

    ```mlir
    dist.phase @p {role = #graph.role<predict>}
    dist.program @a of @p on "/job:t/task:0/device:CPU:0" attributes {dist.recompute_bytes = 1024 : i64} {
      %x = dist.feed "x" : tensor<512xf32>
      %w = dist.feed "w" : tensor<512x512xf32>
      %a = graph.exponential %x : tensor<512xf32>
      %b = graph.reduce_sum %a dimensions = [0] : (tensor<512xf32>) -> tensor<f32>
      %c = graph.reduce_sum %w dimensions = [0] : (tensor<512x512xf32>) -> tensor<512xf32>
      %d = graph.reverse %c dimensions = [0] : tensor<512xf32>
      %e = graph.multiply %d, %a : tensor<512xf32>
      dist.fetch "b", %b : tensor<f32>
      dist.fetch "x", %x : tensor<512xf32>
      dist.fetch "e", %e : tensor<512xf32>
      dist.end
    }
    ```

    becomes

    ```mlir
    %4 = graph.reduce_sum %1 dimensions = [0] : (tensor<512x512xf32>) -> tensor<512xf32>
    %5 = graph.reverse %4 dimensions = [0] : tensor<512xf32>
    %6 = graph.exponential %0 : tensor<512xf32>
    %7 = dist.after %4, %6 : tensor<512xf32>, tensor<512xf32>
    %8 = graph.multiply %5, %7 : tensor<512xf32>
    ```
  }];
  let dependentDialects = ["::graphc::dist::DistDialect"];
  let statistics = [Statistic<"numValues", "values", "values that are rematerialized">];
}

def OutlineKernels : Pass<"outline", "::mlir::ModuleOp"> {
  let summary = "group what programs compute into kernels and library calls on buffers";
  let description = [{
    Input: a partitioned module whose compute is primitive (`decompose`). Output: programs of
    buffers, calls and communication alone; each kernel a private `func.func` of `linalg.generic`s
    over its buffers, equal ones once.

    - What a library kernel serves, f32 products of some size, is a `dist.library_call`, with the
      post-ops that the kernel takes, bias_add and relu, where nothing else sees what is between
      them.
    - Everything else is compiled. Operations that are joined by values and may run together are one
      kernel; inside it elementwise operations, broadcasts, transposes and slices are inlined where
      their result is used. A slice whose elements lie together in memory is a view of it.
    - A value that several operations compute with is rematerialized for each of them, where that
      reads no more than the value has: what is repeated from a row, and what is elementwise of one
      tensor of its size and of such. So no kernel writes it for another, but where kernels stand on
      two sides of kept sums or threads share one alone.
    - What threads could not share in one kernel are several: a long sum that keeps its outermost
      dimension, what sums that up, and what takes few such numbers in each step of its outermost
      loop.
    - What would be a kernel of thousands of operations or of more than 64 buffers is made in
      pieces, of which equal layers give equal ones.
    - What stands before sums that are `graph.kept` and what stands behind them share no kernel.
    - Updates that read and write tensors of up to 16,384 elements (of a table that rows are added
      to, these), whose gradients a library or a message brings, are one kernel for those that come
      behind the same communication, but where variables have locks.
    - Updates of variables happen in place, and so does what reads a value element by element that
      nobody wants afterwards: the kernel has one argument for both, read and written. Buffers have
      no place in memory yet; `schedule` gives them one.
    - A `graph.repeat` becomes a `dist.repeat`, whose body is made as a program is, with a
      `dist.accumulate` behind what makes each value that is summed.

    Which operations share a kernel never changes a bit of a result.

    Example:

    ```mlir
    dist.phase @p {role = #graph.role<predict>}
    dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
      %x = dist.feed "x" : tensor<4xf32>
      %n = graph.negate %x : tensor<4xf32>
      %y = graph.multiply %n, %x : tensor<4xf32>
      dist.fetch "y", %y : tensor<4xf32>
      dist.end
    }
    ```

    becomes

    ```mlir
    dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
      %0 = dist.buffer : memref<4xf32>
      dist.feed_into "x", %0 : memref<4xf32>
      dist.call @kernel0_multiply(%0) : memref<4xf32>
      dist.fetch "y", %0 : memref<4xf32>
      dist.end
    }
    func.func private @kernel0_multiply(%arg0: memref<4xf32> {dist.access = "read_write"}) attributes {dist.flops = 8 : i64} {
      linalg.generic … ins(%arg0 : memref<4xf32>) outs(%arg0 : memref<4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %0 = arith.negf %in : f32
        %1 = arith.mulf %0, %in : f32
        linalg.yield %1 : f32
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::graphc::dist::DistDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"numKernels", "kernels", "distinct compiled kernels">,
                    Statistic<"numCalls", "calls", "calls of kernels and of the library">];
}

def VerifyOutlined : Pass<"verify-outlined", "::mlir::ModuleOp"> {
  let summary = "check that programs hold buffers only";
  let description = [{
    Input and output: an outlined module. Fails where a program still has a tensor, a graph
    operation, or a call that writes a buffer which another of its arguments shares.

    Example:

    ```mlir
    dist.phase @p {role = #graph.role<predict>}
    dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
      %x = dist.feed "x" : tensor<4xf32>
      dist.end
    }
    ```

    is refused:

    ```text
    'dist.feed' op is left in an outlined program, which has buffers and calls alone
    ```
  }];
}

//===------------------------------------------------------------------------------------------===//
// schedule: total order, overlap, arena, liveness
//===------------------------------------------------------------------------------------------===//

def SchedulePrograms : Pass<"schedule", "::mlir::ModuleOp"> {
  let summary = "total order, sends that overlap with compute, offsets of buffers, cost";
  let description = [{
    Input: outlined programs. Output: scheduled ones. All programs of a phase are ordered together,
    by a list schedule with modelled times in which a receive comes after its send; each program's
    order is a part of that one order, so that no two wait for each other. Loops that send to each
    other stand at one place of it; what they repeat keeps its order. A send starts as soon as its
    value is there, a receive stands right before its first use, compute keeps the order of the text
    but goes on with what it can while a message is on its way; in a program that exchanges no
    messages an update of variables by what the step has made goes before what else could be
    computed. Where the strategy has `recovers_from_memory` all that may wait for somebody comes
    before all writes of variables. `dist.send` becomes `send_start` and `send_done` (before the
    buffer's next write, else at the end of the step) and a received message gets its `release`.
    Buffers get `offset`s by their lifetimes, programs `arena_bytes` and `dist.flops`; a buffer that
    nothing uses goes. A variable that a program of one instance sends and then writes is sent
    `ahead`: right behind its last write, for the next step, which the control message, received
    before it, says will come. Where a phase ends by end of stream, no send passes a receive. A
    buffer of at least 4 KiB that is sent whole, once and to one receiver lies in its channel's slot
    (`acquire`) and not in the arena. The channel of a variable or constant of at least 4 KiB
    becomes `zero_copy`, unless its program locks variables, its message is fetched, or the sender's
    wait for the releases would close a circle; so does that of a bucket which is summed in chunks
    by the tree or around a ring, with a `send_done` behind its `all_reduce_done`. Where calls alone
    read the sums of pieces of whole pages, a `release` stands behind the last of them: each
    instance may then read the others' sums where those lie. That the order is live is solved once,
    here, and left on each program as `dist.event_ranks` for the plan, which proves it anew. What
    comes to the pass by hand `verify-liveness` has looked at.

    Of a program on a device with memory of its own (`runtime/common/device/DeviceKinds.h`) buffers
    that calls touch lie there and all others in the host's memory (`host`), with a `copy` wherever
    a call and the program itself share a value. Calls go to queue 1, copies to the device to 2,
    from it to 3; where two of them, or one and the program, touch the same bytes and one writes,
    the later one has a `wait` for a `signal` behind the earlier, and at the step's end the program
    waits for all.

    Example:

    ```mlir
    dist.phase @p {role = #graph.role<predict>}
    dist.channel @c : tensor<4xf32> from @a to @b
    dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
      %x = dist.buffer : memref<4xf32>
      dist.feed_into "x", %x : memref<4xf32>
      dist.send @c, %x : memref<4xf32>
      dist.end
    }
    dist.program @b of @p on "/job:t/task:1/device:CPU:0" {
      %x = dist.receive @c : memref<4xf32>
      dist.fetch "y", %x : memref<4xf32>
      dist.end
    }
    ```

    becomes

    ```mlir
    dist.program @a of @p on "/job:t/task:0/device:CPU:0" attributes {arena_bytes = 16 : i64, dist.event_ranks = array<i32: 1, 2>, dist.flops = 0 : i64} {
      %0 = dist.buffer {offset = 0 : i64} : memref<4xf32>
      dist.feed_into "x", %0 : memref<4xf32>
      dist.send_start @c, %0 : memref<4xf32>
      dist.send_done @c
      dist.end
    }
    dist.program @b of @p on "/job:t/task:1/device:CPU:0" attributes {arena_bytes = 0 : i64, dist.event_ranks = array<i32: 2, 3>, dist.flops = 0 : i64} {
      %0 = dist.receive @c : memref<4xf32>
      dist.fetch "y", %0 : memref<4xf32>
      dist.release @c
      dist.end
    }
    ```
  }];
  let dependentDialects = ["::graphc::dist::DistDialect"];
  let statistics =
      [Statistic<"numMoved", "moved", "operations that follow another one than before">,
       Statistic<"numAhead", "ahead", "sends for the next step">,
       Statistic<"numInSlots", "in-slots", "buffers in the slots of their channels">,
       Statistic<"numZeroCopy", "zero-copy", "channels whose receivers read the sender's memory">,
       Statistic<"numCopies", "copies", "copies between the host's memory and a device's">,
       Statistic<"numWaits", "waits", "waits for queues of devices">,
       Statistic<"arenaBytes", "arena-bytes", "bytes of the arenas of all programs">,
       Statistic<"arenaLowerBound", "arena-lower-bound",
                 "most bytes alive at once, summed over the programs">,
       Statistic<"bufferBytes", "buffer-bytes", "bytes of all buffers if none shared memory">,
  ];
}

def VerifyLiveness : Pass<"verify-liveness", "::mlir::ModuleOp"> {
  let summary = "prove that no step can hang";
  let description = [{
    Input and output: a partitioned, outlined or scheduled module. The programs of a phase wait for
    each other in a circle if and only if program order and messages of one step form a cycle; a
    message that needs the room of another of the same step counts as well, and so does the
    `send_done` of a zero-copy channel, which needs the receivers' releases. Where a phase ends by
    end of stream, its end has to reach every program. The error names the programs and gives a line
    of the user's file for each link of the shortest cycle. The proof
    (passes/analysis/LivenessProof.h) knows nothing of how the order was found. Scheduled programs
    get it as `dist.event_ranks`, a number for each event of a step; `schedule` has left it on those
    that it made, so the pass runs where a module begins at a later stage.

    Example:

    ```mlir
    dist.phase @p {role = #graph.role<predict>}
    dist.channel @c : tensor<4xf32> from @a to @b
    dist.channel @d : tensor<4xf32> from @b to @a
    dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
      %y = dist.receive @d : tensor<4xf32>
      dist.send @c, %y : tensor<4xf32>
      dist.end
    }
    dist.program @b of @p on "/job:t/task:1/device:CPU:0" {
      %x = dist.receive @c : tensor<4xf32>
      dist.send @d, %x : tensor<4xf32>
      dist.end
    }
    ```

    is refused:

    ```text
    programs @a and @b wait for each other in a circle, so the step can never end; one of them has to send before it receives
    ```
  }];
}

#endif
