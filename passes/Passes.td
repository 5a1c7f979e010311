//===- Passes.td - every pass, in pipeline order -------------------------------*- tablegen -*-===//
//
// Those that place and replicate functions are here, those before them in ModelPasses.td, those
// behind them in ProgramPasses.td and KernelPasses.td. One banner a phase; the order in which
// passes run is decided in PassPipelines.cpp alone. Each description has an example, which
// test/docs/examples.py runs.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_PASSES
#define GRAPHC_PASSES_PASSES

include "mlir/Pass/PassBase.td"
include "passes/ModelPasses.td"

//===------------------------------------------------------------------------------------------===//
// place: every op and variable has one full device
//===------------------------------------------------------------------------------------------===//

def ResolveStrategy : Pass<"resolve-strategy", "::mlir::ModuleOp"> {
  let summary =
      "make one attribute of the strategy that is asked for, with every default filled in";
  let description = [{
    Input: a module with `graph.cluster` and what is asked for: `graph.strategy`, and where given
    `graph.replicas`, `graph.variable_placement`, `graph.min_shard_bytes` and `graph.max_shards`.
    Output: `graph.distribution` in their place. Every pass behind it and the plan read that one and
    decide nothing of the strategy again. What does not fit the cluster is refused here, at its line
    of cluster.json. A module that asks for nothing and has a `graph.distribution` keeps it where
    that fits the cluster.

    Example:

    ```mlir
    module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">,
                       graph.strategy = #graph.strategy<name = "parameter_server">} {
    }
    ```

    becomes

    ```mlir
    module attributes {graph.cluster = #graph.cluster<jobs = [ps = 1, worker = 2], chief = "/job:worker/task:0">, graph.distribution = #graph.distribution<strategy = "parameter_server", mesh = #graph.mesh<["data" = 2], ["/job:worker/task:0-1/device:CPU:0"]>, stores = ["/job:ps/task:0/device:CPU:0"], micro_batches = 2, sum_leaves = 2>} {
    }
    ```
  }];
}

def SplitVariables : Pass<"split-variables", "::mlir::ModuleOp"> {
  let summary = "cut large variables along dimension 0 into parts, each a variable of its own";
  let description = [{
    Input: a differentiated module; does something only with `placement = "split"` in
    `graph.distribution` and variables on parameter servers. Output: a variable of at least two
    parts' bytes is gone; in its place stand `@"w/part_0"`, `@"w/part_1"`, …, each with
    `graph.part_of`, its slots cut alike. A read becomes reads of the parts and a
    `graph.concatenate`, an update one update a part of a `graph.slice` of its value: element by
    element what was there before, so no bit changes.

    A variable has min(`max_shards`, rows, bytes / `min_shard_bytes`) parts; by default as many as
    there are parameter servers, none below 256 KiB. Rows are dealt in equal blocks that end at a
    multiple of 64 bytes where there are that many, the longer ones first, as TensorFlow's
    fixed-size partitioner does. What the model or a placement rule pins, or stands beside, stays
    whole.

    Example (`resolve-strategy,split-variables`):

    ```mlir
    module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                       graph.strategy = #graph.strategy<name = "parameter_server">, graph.variable_placement = "split"} {
    graph.variable @w : tensor<1024x128xf32> = #graph.zeros
    }
    ```

    becomes

    ```mlir
    graph.variable @"w/part_0" : tensor<512x128xf32> = #graph.zeros {graph.part_of = #graph.part<of = "w", …, row = 0>}
    graph.variable @"w/part_1" : tensor<512x128xf32> = #graph.zeros {graph.part_of = #graph.part<of = "w", …, row = 512>}
    ```
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
  let statistics = [Statistic<"numSplit", "split", "variables that were split, slots included">,
                    Statistic<"numParts", "parts", "what they were split into">];
}

def PlaceOps : Pass<"place", "::mlir::ModuleOp"> {
  let summary = "give every operation, variable and function one full device";
  let description = [{
    Input: a differentiated module with `graph.cluster` and `graph.distribution`; devices on
    operations and variables are requests, possibly partial. Output: `graph.device` everywhere.
    `one_device` puts all on the chief and ignores requests. `in_graph` follows requests, then
    operands, then the chief. `mirrored` deals the variables to the towers' devices (with `in_graph
    = true` of `parameter_server`: to the tasks of job ps). `parameter_server` deals the variables
    to the tasks of job ps (`placement = "round_robin" | "balanced" | "split"`, slots with their
    variable; `"split"` deals by bytes, the parts of one variable to tasks of their own while there
    are that many) and leaves what trains to the replicas: with more than one their device names no
    task. State is touched where it is stored. `graph.placement` holds the placement rules of
    cluster.json, `[["w*", #graph.device<"/job:ps/task:1">], …]`; they match symbols of variables
    and the `graph.name` of operations, which have none afterwards.

    Example (`resolve-strategy,place`):

    ```mlir
    module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                       graph.strategy = #graph.strategy<name = "parameter_server">} {
    graph.variable @w : tensor<4xf32> = #graph.zeros
    graph.variable @b : tensor<4xf32> = #graph.zeros
    graph.func @train(%x: tensor<4xf32>) -> () attributes {role = #graph.role<train>} {
      %y = graph.negate %x : tensor<4xf32>
      graph.apply_sgd @b, %y {learning_rate = 0.1} : tensor<4xf32>
      graph.return
    }
    }
    ```

    becomes

    ```mlir
    graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps/task:0/device:CPU:0">}
    graph.variable @b : tensor<4xf32> = #graph.zeros {graph.device = #graph.device<"/job:ps/task:1/device:CPU:0">}
    …
    %0 = graph.negate %arg0 {graph.device = #graph.device<"/job:worker/device:CPU:0">} : tensor<4xf32>
    graph.apply_sgd @b, %0 {graph.device = #graph.device<"/job:ps/task:1/device:CPU:0">, …} : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
}

def VerifyPlaced : Pass<"verify-placed", "::mlir::ModuleOp"> {
  let summary = "check that everything has a device of the cluster, and state that of its variable";
  let description = [{
    Input and output: a placed module. Fails where an invariant of `place` does not hold.

    Example (`resolve-strategy,verify-placed`):

    ```mlir
    module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                       graph.strategy = #graph.strategy<name = "parameter_server">} {
    graph.variable @w : tensor<4xf32> = #graph.zeros
    }
    ```

    is refused:

    ```text
    'graph.variable' op expected a device of the cluster after place, found none
    ```
  }];
}

//===------------------------------------------------------------------------------------------===//
// replicate: what N replicas mean
//===------------------------------------------------------------------------------------------===//

def ReplicateModel : Pass<"replicate", "::mlir::ModuleOp"> {
  let summary = "make the meaning of N replicas explicit";
  let description = [{
    Input: a placed module. Output: the sums over a step's M micro-batches are one tree
    (runtime/common/plan/SumTree.h), and a mean has one division by M. Where a program has several
    micro-batches, what depends on the batch is cloned for each and joined by `graph.add`s, of which
    those are `graph.kept` that have to be made before more clones are there, or is a loop,
    `graph.repeat`, and once more the last of them. A loop yields sums: a metric becomes its sum and
    count (`graph.metric_sums`), the first micro-batch's value a sum in which the others are -0.
    Between graphs what leaves the replica domain, the sum of a replica's own, passes through
    `graph.aggregate`; nothing where updates are asynchronous. On one device with as many
    micro-batches the same sums are made of clones or a loop alone, so that both have the same bits.
    `mirrored` is the same with a device for the clones of each tower, and one loop over all of
    them; batches are taken at the client, what one device has is summed there, the rest where it is
    used. A variable that is assigned a value of every replica declares its `aggregation`, or is
    refused; a value that no batch reaches is the same for all, and taken once.

    Where rows of a table, or of a gradient that is zero but for few rows, go from one device to
    another, each number that occurs goes once, and as many rows as there are such
    (`graph.distinct`; [why](decisions/2026-11-23-rows-on-the-wire.md)), where the strategy has
    `distinct_rows`, else a row for each number.

    Example (`resolve-strategy,replicate`):

    ```mlir
    #ps = #graph.device<"/job:ps/task:0/device:CPU:0">
    #worker = #graph.device<"/job:worker/device:CPU:0">
    module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                       graph.strategy = #graph.strategy<name = "parameter_server">, graph.replicas = #graph.replicas<["/job:worker/task:0-1"]>} {
    graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #ps}
    graph.func @train(%g: tensor<4xf32>) -> () attributes {role = #graph.role<train>, graph.device = #worker} {
      %h = graph.negate %g {graph.device = #worker} : tensor<4xf32>
      graph.apply_sgd @w, %h {learning_rate = 0.1, graph.device = #ps} : tensor<4xf32>
      graph.return {graph.device = #worker}
    }
    }
    ```

    becomes

    ```mlir
    %0 = graph.negate %arg0 {graph.device = #graph.device<"/job:worker/device:CPU:0">} : tensor<4xf32>
    %1 = graph.aggregate %0 {graph.device = #graph.device<"/job:ps/task:0/device:CPU:0">, replicas = 2 : i64} : tensor<4xf32>
    %2 = graph.constant dense<2.000000e+00> : tensor<4xf32> {graph.device = #graph.device<"/job:ps/task:0/device:CPU:0">}
    %3 = graph.divide %1, %2 {graph.device = #graph.device<"/job:ps/task:0/device:CPU:0">} : tensor<4xf32>
    graph.apply_sgd @w, %3 {graph.device = #graph.device<"/job:ps/task:0/device:CPU:0">, …} : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
}

def VerifyReplicated : Pass<"verify-replicated", "::mlir::ModuleOp"> {
  let summary =
      "check that nothing leaves the replica domain but through an aggregate or a collect";
  let description = [{
    Input and output: a replicated module. Fails where an invariant of `replicate` does not hold.

    Example (`resolve-strategy,verify-replicated`):

    ```mlir
    #ps = #graph.device<"/job:ps/task:0/device:CPU:0">
    #worker = #graph.device<"/job:worker/device:CPU:0">
    module attributes {graph.cluster = #graph.cluster<jobs = [ps = 2, worker = 2], chief = "/job:worker/task:0">,
                       graph.strategy = #graph.strategy<name = "parameter_server">, graph.replicas = #graph.replicas<["/job:worker/task:0-1"]>} {
    graph.variable @w : tensor<4xf32> = #graph.zeros {graph.device = #ps}
    graph.func @train(%g: tensor<4xf32>) -> () attributes {role = #graph.role<train>, graph.device = #worker} {
      %h = graph.negate %g {graph.device = #worker} : tensor<4xf32>
      graph.apply_sgd @w, %h {learning_rate = 0.1, graph.device = #ps} : tensor<4xf32>
      graph.return {graph.device = #worker}
    }
    }
    ```

    is refused:

    ```text
    'graph.apply_sgd' op on "/job:ps/task:0/device:CPU:0" takes a value of every replica without graph.aggregate
    ```
  }];
}

include "passes/ProgramPasses.td"
include "passes/KernelPasses.td"

//===------------------------------------------------------------------------------------------===//
// between phases
//===------------------------------------------------------------------------------------------===//

def SetStage : Pass<"set-stage", "::mlir::ModuleOp"> {
  let summary = "note in graph.stage how far a module has come";
  let description = [{
    The last pass of every phase, so that the text of each stage says where graphc goes on from.

    Example (`set-stage{stage=placed}`):

    ```mlir
    module {
    }
    ```

    becomes

    ```mlir
    module attributes {graph.stage = "placed"} {
    }
    ```
  }];
  let options = [Option<"stage", "stage", "std::string", "",
                        "name of the stage, as in --emit of graphc">];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
}

#endif
