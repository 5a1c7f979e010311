//===- Passes.td - every pass, in pipeline order ------------------------------------------------*- tablegen -*-===//
//
// One banner a phase; the order in which passes run is decided in Pipelines.cpp alone.
//
//===----------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_PASSES
#define GRAPHC_PASSES_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------------------------------------------===//
// model: simplify, differentiate
//===----------------------------------------------------------------------------------------------------------===//

def FlattenScopes : Pass<"flatten-scopes", "::mlir::ModuleOp"> {
  let summary = "move the ops of graph.scope into the function, each with the scope's device";
  let description = [{
    Input: functions with scopes, nested or not. Output: no scope; an op inside carries a `graph.device` whose open parts
    are filled from the scopes around it, innermost first. Everything later sees straight-line functions.
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
}

def Simplify : Pass<"simplify", "::mlir::ModuleOp"> {
  let summary = "folds, canonicalisations, common subexpressions and dead ops, bit exact";
  let description = [{
    Input and output: the graph stage. Applies the folds and canonicalisations of the graph dialect and no others, merges
    equal ops and drops ops whose results nobody uses and that touch no state. Runs on the unpartitioned graph before
    `differentiate` and after it, so that what an op becomes never depends on where a cut falls.

    Devices make no difference: how often a value is computed decides how many terms its gradient is the sum of, so ops
    that are equal but for `graph.device`, `graph.colocate_with` and what other dialects say of them merge too, and a model
    has the same bits with its devices and without. What is left of a merge is where the first op in the text is that says
    where; a remark names another one that wanted it elsewhere.
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
}

def BoundLabels : Pass<"bound-labels", "::mlir::ModuleOp"> {
  let summary = "write on graph.next_batch how many classes the loss has that takes its labels";
  let description = [{
    Input: functions without scopes, losses as the user wrote them. Output: a `graph.next_batch` whose component goes as it
    is (by reshape, transpose, broadcast_in_dim, concatenate and conversions to wider integers) to the labels of
    `graph.softmax_cross_entropy` or `graph.nll_loss` has `classes`, the fewest of all such losses; the run then ends by name
    at a label that is none of them. What it has already stays where it is fewer. Synthetic labels that are
    always among the classes need no bound. Labels that the model computes are its own affair.
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
}

def Differentiate : Pass<"differentiate", "::mlir::ModuleOp"> {
  let summary = "gradients, updates and the global step in place of graph.minimize";
  let description = [{
    Input: functions without scopes. Output: no `graph.minimize`; in its place reverse-mode gradients of its loss, one
    `graph.apply_*` for each variable in declaration order, and `graph.assign_add @global_step`. Adds the variables of the
    optimizer's slots (`@"w/Momentum"`, with `graph.slot_of`) and `@global_step` where the model has none. A gradient op
    carries its forward op's device, and a location fused of the forward op's and the minimize's. Where a value has
    several uses its gradient is the sum over them, the last use first: the order is part of the numerical contract.
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
  let statistics = [Statistic<"numUpdated", "updated", "variables that get an update">];
}

def VerifyModel : Pass<"verify-model", "::mlir::ModuleOp"> {
  let summary = "the entry invariant of place: what a model may be";
  let description = [{
    Refuses what the passes of the model phase should have removed (`graph.scope`, `graph.minimize`), ops of other
    dialects in a `graph.func`, two feeds or two fetches of one name in a function, and two functions of one role, the
    second of which no run would ever reach.
  }];
}

def Decompose : Pass<"decompose", "::mlir::ModuleOp"> {
  let summary = "write composite ops in primitives";
  let description = [{
    Input: graph ops anywhere in the module. Output: of the graph ops that compute only constant, iota, the elementwise
    ones but logistic, rsqrt, sign and power, compare, select, convert, reshape, transpose, broadcast_in_dim, reduce_sum,
    reduce_max, argmax, matmul, slice, concatenate and bias_add are left. Each expansion is the definition of its op: what it computes is
    fixed here, on the op alone, whatever the partitioning. Runs before `outline`, so that lowering knows primitives only.
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
  let statistics = [Statistic<"numExpanded", "expanded", "composite ops that were expanded">];
}

//===----------------------------------------------------------------------------------------------------------===//
// place: every op and variable has one full device
//===----------------------------------------------------------------------------------------------------------===//

def SplitVariables : Pass<"split-variables", "::mlir::ModuleOp"> {
  let summary = "cut large variables along dimension 0 into parts, each a variable of its own";
  let description = [{
    Input: a differentiated module; does something only with `graph.variable_placement = "split"` and variables on parameter
    servers. Output: a variable of at least two parts' bytes is gone; in its place stand `@"w/part_0"`, `@"w/part_1"`, …,
    each with `graph.part_of`, its slots cut alike. A read becomes reads of the parts and a `graph.concatenate`, an update
    one update a part of a `graph.slice` of its value: element by element what was there before, so no bit changes.

    A variable has min(`graph.max_shards`, rows, bytes / `graph.min_shard_bytes`) parts; by default as many as there are
    parameter servers, none below 256 KiB. Rows are dealt in equal blocks that end at a multiple of 64 bytes where there
    are that many, the longer ones first, as TensorFlow's fixed-size partitioner does. What the model or a placement rule
    pins, or stands beside, stays whole.
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
  let statistics = [Statistic<"numSplit", "split", "variables that were split, slots included">,
                    Statistic<"numParts", "parts", "what they were split into">];
}

def Place : Pass<"place", "::mlir::ModuleOp"> {
  let summary = "give every operation, variable and function one full device";
  let description = [{
    Input: a differentiated module with `graph.cluster` and `graph.strategy`; devices on operations and variables are
    wishes, possibly partial. Output: `graph.device` everywhere. `one_device` puts all on the chief and ignores wishes.
    `in_graph` follows wishes, then operands, then the chief. `mirrored` deals the variables to the towers' devices (with
    `in_graph = true` of `parameter_server`: to the tasks of job ps) and names the towers in the strategy. `parameter_server` deals the variables to the tasks of job
    ps (`graph.variable_placement = "round_robin" | "balanced" | "split"`, slots with their variable; `"split"` deals by bytes,
    the parts of one variable to tasks of their own while there are that many) and leaves what trains to the
    replicas: with more than one their device names no task. State is touched where it is stored. `graph.placement`
    holds the placement rules of cluster.json, `[["w*", #graph.device<"/job:ps/task:1">], …]`.
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
}

def VerifyPlaced : Pass<"verify-placed", "::mlir::ModuleOp"> {
  let summary = "check that everything has a device of the cluster, and state that of its variable";
  let description = [{ Input and output: a placed module. Fails where an invariant of `place` does not hold. }];
}

//===----------------------------------------------------------------------------------------------------------===//
// replicate: what N replicas mean
//===----------------------------------------------------------------------------------------------------------===//

def Replicate : Pass<"replicate", "::mlir::ModuleOp"> {
  let summary = "make the meaning of N replicas explicit";
  let description = [{
    Input: a placed module. Output, between graphs: what leaves the replica domain passes through `graph.aggregate` (a sum
    in replica order) and, for a mean, one division by N; nothing where updates are asynchronous. Output on one device
    with micro-batches: what depends on the batch is cloned N times, and joined by the same sums in the same order and
    the same division, so that both have the same bits. `mirrored` is the same with a device for each clone; batches are
    taken at the client, sums made where they are used. A variable that is assigned a value of every replica declares
    its `aggregation`, or is refused.
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
}

def VerifyReplicated : Pass<"verify-replicated", "::mlir::ModuleOp"> {
  let summary = "check that nothing leaves the replica domain but through an aggregate";
  let description = [{ Input and output: a replicated module. Fails where an invariant of `replicate` does not hold. }];
}

//===----------------------------------------------------------------------------------------------------------===//
// partition: one program per lane kind
//===----------------------------------------------------------------------------------------------------------===//

def Partition : Pass<"partition", "::mlir::ModuleOp"> {
  let summary = "turn functions into phases of programs joined by channels";
  let description = [{
    Input: a replicated module. Output: no function; a `dist.phase` each, one `dist.program` for each device that has
    something to do, and a `dist.channel` for each value and program that takes it from elsewhere, called after the
    variable or the operation and with its location. The order of each program is that of the function, a send stands
    behind its value, a receive before its first use: the programs cannot wait for each other in a circle. Constants are
    made anew where they are used. Arguments, results, summaries and metrics are the business of the function's home, the
    chief or the replicas, which also carries the chief's word. Asynchronous: the parameter servers' programs become
    families too, one instance a worker, and a ticket takes the word's place.
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect", "::graphc::dist::DistDialect"];
}

def VerifyPartitioned : Pass<"verify-partitioned", "::mlir::ModuleOp"> {
  let summary = "check that phases end in all programs alike and that state is touched on its own task";
  let description = [{
    Input and output: a partitioned module, made by `partition` or by hand. The ends of channels are checked by the
    dialect's own verifiers; whether programs can wait for each other in a circle by `schedule`. What takes a ticket begins
    with it: of the ends of channels only receives stand before.
  }];
}

//===----------------------------------------------------------------------------------------------------------===//
// outline: kernels, library calls, buffers
//===----------------------------------------------------------------------------------------------------------===//

def Outline : Pass<"outline", "::mlir::ModuleOp"> {
  let summary = "group what programs compute into kernels and library calls on buffers";
  let description = [{
    Input: a partitioned module whose compute is primitive (`decompose`). Output: programs of buffers, calls and
    communication alone; each kernel a private `func.func` of `linalg.generic`s over its buffers, equal ones once.

    - What a library kernel serves, f32 products of some size, is a `dist.library_call`, with the post-ops that the kernel takes,
      bias_add and relu, where nothing else sees what is between them.
    - Everything else is compiled. Operations that are joined by values and may run together are one kernel; inside it
      elementwise operations, broadcasts, transposes and slices are inlined where their result is used. A slice whose
      elements lie together in memory is a view of it.
    - What would be a kernel of thousands of operations or of more than 64 buffers is made in pieces, of which equal layers
      give equal ones.
    - Updates of variables happen in place, and so does what reads a value element by element that nobody wants afterwards:
      the kernel has one argument for both, read and written. Buffers have no place in memory yet; `schedule` gives them one.

    Which operations share a kernel never changes a bit of a result.
  }];
  let dependentDialects = ["::graphc::dist::DistDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"numKernels", "kernels", "distinct compiled kernels">,
                    Statistic<"numCalls", "calls", "calls of kernels and of the library">];
}

def VerifyOutlined : Pass<"verify-outlined", "::mlir::ModuleOp"> {
  let summary = "check that programs hold buffers only";
  let description = [{
    Input and output: an outlined module. Fails where a program still has a tensor, a graph operation, or a call that
    writes a buffer which another of its arguments shares.
  }];
}

//===----------------------------------------------------------------------------------------------------------===//
// schedule: total order, overlap, arena, liveness
//===----------------------------------------------------------------------------------------------------------===//

def Schedule : Pass<"schedule", "::mlir::ModuleOp"> {
  let summary = "total order, sends that overlap with compute, offsets of buffers, cost";
  let description = [{
    Input: outlined programs. Output: scheduled ones. All programs of a phase are ordered together, by a list schedule
    with modelled times in which a receive comes after its send; each program's order is a part of that one order, so that
    no two wait for each other. A send starts as soon as its value is there, a receive stands right before its first
    use, compute keeps the order of the text but goes on with what it can while a message is on its way. `dist.send`
    becomes `send_start` and `send_done` (before the buffer's next write, else at the end of the step) and a received
    message gets its `release`. Buffers get `offset`s by their lifetimes, programs `arena_bytes` and `dist.flops`; a
    buffer that nothing uses goes. A variable that a program of one instance sends and then writes is sent `ahead`: right behind its
    last write, for the next step, which the chief's word, received before it, says will come. Where a phase ends by closing, no send passes a receive. A buffer of at least 4 KiB that is
    sent whole, once and to one receiver lies in its channel's slot (`acquire`) and not in the arena. The channel of a variable or
    constant of at least 4 KiB becomes `published`, unless its program locks variables, its message is fetched, or the
    sender's wait for the releases would close a circle; so does that of a bucket which is summed in chunks in replica order or
    around a ring, with a `send_done` behind its `all_reduce_done`.
  }];
  let dependentDialects = ["::graphc::dist::DistDialect"];
  let statistics = [
    Statistic<"numMoved", "moved", "operations that follow another one than before">,
    Statistic<"numAhead", "ahead", "sends for the next step">,
    Statistic<"numInSlots", "in-slots", "buffers in the slots of their channels">,
    Statistic<"numPublished", "published", "channels whose receivers read the sender's memory">,
    Statistic<"arenaBytes", "arena-bytes", "bytes of the arenas of all programs">,
    Statistic<"arenaLowerBound", "arena-lower-bound", "most bytes alive at once, summed over the programs">,
    Statistic<"bufferBytes", "buffer-bytes", "bytes of all buffers if none shared memory">,
  ];
}

def VerifyLiveness : Pass<"verify-liveness", "::mlir::ModuleOp"> {
  let summary = "prove that no step can hang";
  let description = [{
    Input and output: a partitioned, outlined or scheduled module. The programs of a phase wait for each other in a circle
    if and only if program order and messages of one step form a cycle; a message that needs the room of another of the
    same step counts as well, and so does the `send_done` of a published channel, which needs the receivers' releases. Where a phase ends by closing, its end has to reach every program. The error names the
    programs and gives a line of the user's file for each link of the shortest cycle. The proof
    (passes/analysis/Liveness.h) knows nothing of how the order was found.
  }];
}

//===----------------------------------------------------------------------------------------------------------===//
// lower: kernels to LLVM
//===----------------------------------------------------------------------------------------------------------===//

def LowerNests : Pass<"lower-nests", "::mlir::func::FuncOp"> {
  let summary = "structured ops on buffers become loops over vectors of 16 lanes";
  let description = [{
    Each linalg op becomes one nest of `scf.for`. A parallel nest runs its last loop 16 elements at a time, with a
    masked evaluation for the rest. Reductions keep the numerical contract, one order for every sum, which follows from the
    reduced length alone:

    - The items of a sum are what the body gives for it, in row-major order over all reduced dimensions.
    - 1,024 items in order are a chunk, the last one what is left. In a chunk item i is added to lane i mod 32, in order; the
      32 lanes are joined as a tree: i with i + 16, then i + 8, 4, 2, 1. A lane without items does not count (-0.0).
    - The sums of the chunks are the items of the next level, until one is left. It is added to what the output held.

    Maxima, and, or and sums of integers take the same way, which changes nothing in them. A GPU has a thread for each lane
    and a warp for each chunk. Here the items of one sum are side by side in a vector, lanes 0 to 15 and 16 to 31 in turn, or
    those of 16 neighbouring sums are, two lanes of 64 sums at a time; which of the two is chosen by how operands lie in
    memory. Neither that nor what was fused into the body, nor a transposed operand, changes a bit. Nothing else is
    reassociated, nothing contracted.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandMath : Pass<"expand-math", "::mlir::func::FuncOp"> {
  let summary = "exp, log, tanh and power become polynomials of our own choosing";
  let description = [{
    A code object has no undefined symbol, so nothing may become a call of libm. f32 is good to about 2 units in the
    last place, f64 to about 1e-15 relative. Only additions, multiplications, divisions and bit operations are used, no
    fused multiply-add, so that every CPU gives the same bits. Scalars and vectors alike.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def VerifyKernels : Pass<"verify-kernels", "::mlir::func::FuncOp"> {
  let summary = "a kernel allocates nothing and calls nothing";
  let description = [{
    Refuses `memref.alloc`, `memref.alloca`, copies that would become a library call, and calls: buffers and their
    offsets are settled before kernels are lowered, and a code object has no undefined symbol.
  }];
}

def KernelsToLLVM : Pass<"kernels-to-llvm", "::mlir::ModuleOp"> {
  let summary = "kernels in the LLVM dialect, with the table that the runtime looks up";
  let description = [{
    Each `func.func` becomes an `llvm.func` whose pointers are noalias and 64-byte aligned, behind an entry of the type
    of runtime/kernels/KernelAbi.h; `graphc_kernels` lists the entries in the order of the functions in the module, each with
    the bytes and the access of its arguments, which graphrun compares with the plan's.
    dist programs stay as they are.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"];
}

//===----------------------------------------------------------------------------------------------------------===//
// between phases
//===----------------------------------------------------------------------------------------------------------===//

def SetStage : Pass<"set-stage", "::mlir::ModuleOp"> {
  let summary = "note in graph.stage how far a module has come";
  let description = [{
    The last pass of every phase, so that the text of each stage says where graphc goes on from.
  }];
  let options = [Option<"stage", "stage", "std::string", "", "name of the stage, as in --emit of graphc">];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
}

#endif
