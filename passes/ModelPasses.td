//===- ModelPasses.td - passes on models, which know no machine ----------------*- tablegen -*-===//
#ifndef GRAPHC_PASSES_MODELPASSES
#define GRAPHC_PASSES_MODELPASSES

include "mlir/Pass/PassBase.td"

//===------------------------------------------------------------------------------------------===//
// import: models that other programs have written
//===------------------------------------------------------------------------------------------===//

def ImportStablehlo : Pass<"import-stablehlo", "::mlir::ModuleOp"> {
  let summary = "make functions of StableHLO private functions of the graph dialect";
  let description = [{
    Input: a module with functions of `func` in StableHLO and CHLO, in MLIR's generic form, as JAX
    writes it. Output: a private `graph.func` for each. JAX's `@main` in a module `@jit_loss` is
    `@loss`; what it calls has that before its name. Ops of the same meaning take their places, with
    the names and places in Python that JAX gave them. What cannot be imported is listed at once,
    each kind with how often it is there and where first.

    Arguments that JAX names as leaves of a tree in `variables` (by default `params`) become
    variables: `params['Dense_0']['kernel']` is `@params.Dense_0.kernel`. A variable of that name
    and type which the module has already is taken; others have `#graph.uninitialized`. Those of the
    first tree are trained.

    graphc does so when it reads a file (docs/import.md).

    Example:

    ```mlir
    "builtin.module"() <{sym_name = "jit_double"}> ({
      "func.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "main", sym_visibility = "public"}> ({
      ^bb0(%x: tensor<4xf32>):
        %y = "stablehlo.add"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        "func.return"(%y) : (tensor<4xf32>) -> ()
      }) : () -> ()
    }) : () -> ()
    ```

    becomes

    ```mlir
    module @jit_double {
      graph.func private @double(%arg0: tensor<4xf32>) -> tensor<4xf32> {
        %0 = graph.add %arg0, %arg0 : tensor<4xf32>
        graph.return %0 : tensor<4xf32>
      }
    }
    ```
  }];
  let options = [ListOption<"variables", "variables", "std::string",
                            "trees of arguments that become variables (default: params)">];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
}

//===------------------------------------------------------------------------------------------===//
// model: simplify, differentiate
//===------------------------------------------------------------------------------------------===//

def InlineCalls : Pass<"inline-calls", "::mlir::ModuleOp"> {
  let summary = "put the body of a private function where graph.call names it";
  let description = [{
    Input: functions that call private ones, which may call others, but none itself. Output: no call
    and no private function: the function's ops replace each call, in a `graph.scope` where the call
    has a device or is colocated. Each op is copied once, to where it stays. An op with a name has
    the call's path before it, so have summaries and metrics. Each op's location says where it is in
    the function and where that was called; it keeps at most the 64 outermost callers.

    Example:

    ```mlir
    graph.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = graph.add %x, %x {graph.name = "sum"} : tensor<4xf32>
      graph.return %y : tensor<4xf32>
    }
    graph.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {role = #graph.role<predict>} {
      %y = graph.call @twice(%x) {graph.name = "first"} : (tensor<4xf32>) -> tensor<4xf32>
      graph.return %y : tensor<4xf32>
    }
    ```

    becomes

    ```mlir
    graph.func @f(%arg0: tensor<4xf32>) -> tensor<4xf32> attributes {role = #graph.role<predict>} {
      %0 = graph.add %arg0, %arg0 {graph.name = "first/sum"} : tensor<4xf32>
      graph.return %0 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
}

def FlattenScopes : Pass<"flatten-scopes", "::mlir::ModuleOp"> {
  let summary = "move the ops of graph.scope into the function, each with the scope's device";
  let description = [{
    Input: functions with scopes, nested or not. Output: no scope; an op inside carries a
    `graph.device` whose open parts are filled from the scopes around it, innermost first.
    Everything later sees straight-line functions. An op with a name has it as `graph.name` and in
    its location, whichever of the two the model gave.

    Example:

    ```mlir
    graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
      %y = graph.scope -> (tensor<4xf32>) attributes {graph.device = #graph.device<"/job:worker">} {
        %z = graph.negate %x {graph.device = #graph.device<"/task:1">} : tensor<4xf32>
        graph.yield %z : tensor<4xf32>
      }
      graph.return %y : tensor<4xf32>
    }
    ```

    becomes

    ```mlir
    graph.func @f(%arg0: tensor<4xf32>) -> tensor<4xf32> attributes {role = #graph.role<predict>} {
      %0 = graph.negate %arg0 {graph.device = #graph.device<"/job:worker/task:1">} : tensor<4xf32>
      graph.return %0 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
}

def NumberDraws : Pass<"number-draws", "::mlir::ModuleOp"> {
  let summary = "give each draw of random numbers its number, and the micro-batch in which it is";
  let description = [{
    Input: functions without calls and scopes. Output: each op that draws (`DrawOpInterface`) has a
    number, the lowest that no draw of its function has yet, in the order of the text, and takes the
    function's `graph.micro_batch_index`. From here on it is a function of what it takes: a gradient
    draws the same again, two that were equal in the text differ. In functions of another role than
    train what only training draws (`graph.dropout`) is gone; it has its number there as well, so
    that the others' do not depend on it.

    Example:

    ```mlir
    graph.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {role = #graph.role<train>} {
      %a = graph.dropout %x {rate = 0.5, seed = 1} : tensor<4xf32>
      %b = graph.dropout %x {rate = 0.5, seed = 1} : tensor<4xf32>
      %y = graph.add %a, %b : tensor<4xf32>
      graph.return %y : tensor<4xf32>
    }
    graph.func @g(%x: tensor<4xf32>) -> tensor<4xf32> attributes {role = #graph.role<predict>} {
      %y = graph.dropout %x {rate = 0.5, seed = 1} : tensor<4xf32>
      graph.return %y : tensor<4xf32>
    }
    ```

    becomes

    ```mlir
    graph.func @f(%arg0: tensor<4xf32>) -> tensor<4xf32> attributes {role = #graph.role<train>} {
      %0 = graph.micro_batch_index
      %1 = graph.dropout %arg0 at %0 {draw = 0 : i64, rate = 5.000000e-01 : f64, seed = 1 : i64} : tensor<4xf32>
      %2 = graph.dropout %arg0 at %0 {draw = 1 : i64, rate = 5.000000e-01 : f64, seed = 1 : i64} : tensor<4xf32>
      %3 = graph.add %1, %2 : tensor<4xf32>
      graph.return %3 : tensor<4xf32>
    }
    graph.func @g(%arg0: tensor<4xf32>) -> tensor<4xf32> attributes {role = #graph.role<predict>} {
      graph.return %arg0 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
}

def SimplifyModel : Pass<"simplify", "::mlir::ModuleOp"> {
  let summary = "folds, canonicalisations, common subexpressions and dead ops, bit exact";
  let description = [{
    Input and output: the graph stage. Applies the folds and canonicalisations of the graph dialect
    and no others, merges equal ops and drops ops whose results nobody uses and that touch no state.
    Runs on the unpartitioned graph before `differentiate` and after it, so that what an op becomes
    never depends on where a cut falls.

    Devices make no difference: how often a value is computed decides how many terms its gradient is
    the sum of, so ops that are equal but for `graph.device`, `graph.colocate_with` and what other
    dialects say of them merge too, and a model has the same bits with its devices and without. What
    is left of a merge is where the first op in the text is that says where; a remark names another
    one that wanted it elsewhere.

    Example:

    ```mlir
    graph.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {role = #graph.role<predict>} {
      %a = graph.exponential %x : tensor<4xf32>
      %b = graph.exponential %x : tensor<4xf32>
      %unused = graph.tanh %x : tensor<4xf32>
      %y = graph.add %a, %b : tensor<4xf32>
      graph.return %y : tensor<4xf32>
    }
    ```

    becomes

    ```mlir
    graph.func @f(%arg0: tensor<4xf32>) -> tensor<4xf32> attributes {role = #graph.role<predict>} {
      %0 = graph.exponential %arg0 : tensor<4xf32>
      %1 = graph.add %0, %0 : tensor<4xf32>
      graph.return %1 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
}

def RecognizeComposites : Pass<"recognize-composites", "::mlir::ModuleOp"> {
  let summary = "softmax, log_softmax and attention in place of what says them in primitives";
  let description = [{
    Input and output: the graph stage, simplified. StableHLO has no softmax and no attention: a
    function that is imported says them in products, maxima, exponentials and sums. Here they become
    the op, of which the gradient and the kernel are the op's own: the scores of attention are not
    kept, and no gradient goes through a maximum. Along the last dimension alone.

    - `exp(x - max(x)) / sum(exp(x - max(x)))` is softmax, `x - max(x) - log(sum(exp(x - max(x))))`
      log_softmax.
    - A product with softmax(scores), where the scores are a product, perhaps times a constant and
      masked, is attention, in whichever order and transposed or not the two products have their
      factors. What stands between the products must have no other use.
    - A scale may be on the scores, on query or key, or on both: then it must be the same number, as
      PyTorch writes the root of one scale. Two different ones stay as they are.
    - A mask is `select` of the scores and of a constant of at most -1e9, or a sum of the scores and
      of masks: of `select` of 0 and such a constant, of constants of such numbers, of zeros. A
      constant, or a comparison of iotas, may be `causal`.
    - A query that attends to no key gives 0 in attention. PyTorch's safe softmax, a `select` of 0
      for rows that are all -inf, gives the same. A plain softmax gives NaN, so masks of -inf that
      are not known to leave each query a key become attention only below a safe softmax. Such a
      query gives the mean of the values where a `select` has a finite constant; a `select` after
      the op preserves this. Where finite numbers are added, scores that are masked have a
      gradient, and the primitives stay.

    A safe softmax that is not part of an attention, such as one before a dropout, gets scores of 0
    in rows that are all -inf. Its value is the same, and its gradient is 0 there, not NaN.

    Devices make no difference; what is made has that of the op whose place it takes.

    Example:

    ```mlir
    graph.func @f(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>) attributes {role = #graph.role<predict>} {
      %most = graph.reduce_max %x dimensions = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
      %m = graph.broadcast_in_dim %most broadcast_dimensions = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
      %z = graph.subtract %x, %m : tensor<4x8xf32>
      %e = graph.exponential %z : tensor<4x8xf32>
      %sum = graph.reduce_sum %e dimensions = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
      %s = graph.broadcast_in_dim %sum broadcast_dimensions = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
      %p = graph.divide %e, %s : tensor<4x8xf32>
      graph.return %p : tensor<4x8xf32>
    }
    ```

    becomes

    ```mlir
    graph.func @f(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {role = #graph.role<predict>} {
      %0 = graph.softmax %arg0 : tensor<4x8xf32>
      graph.return %0 : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
}

def AssignSamples : Pass<"assign-samples", "::mlir::ModuleOp"> {
  let summary = "write on graph.next_batch which samples of a micro-batch it takes";
  let description = [{
    Input: functions without calls and scopes. Output: if a function has several `graph.next_batch`
    of one data set, each has `offset`, the sum of the batches of those before it in the order of
    the text, and `stride`, the sum of all of them. A remark says so once for each data set. A data
    set of one `graph.next_batch` needs neither.

    Example:

    ```mlir
    graph.dataset @d : (tensor<10xf32>) = #graph.npy<files = ["x.npy"]>
    graph.func @f() -> (tensor<8x10xf32>, tensor<2x10xf32>) attributes {role = #graph.role<eval>} {
      %a = graph.next_batch @d {batch = 8} : tensor<8x10xf32>
      %b = graph.next_batch @d {batch = 2} : tensor<2x10xf32>
      graph.return %a, %b : tensor<8x10xf32>, tensor<2x10xf32>
    }
    ```

    becomes

    ```mlir
    %0 = graph.next_batch @d {batch = 8 : i64, stride = 10 : i64} : tensor<8x10xf32>
    %1 = graph.next_batch @d {batch = 2 : i64, offset = 8 : i64, stride = 10 : i64} : tensor<2x10xf32>
    ```
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
}

def BoundLabels : Pass<"bound-labels", "::mlir::ModuleOp"> {
  let summary = "write on graph.next_batch how many classes the loss has that takes its labels";
  let description = [{
    Input: functions without scopes, losses as the user wrote them. Output: a `graph.next_batch`
    whose component goes as it is (by reshape, transpose, broadcast_in_dim, concatenate and
    conversions to wider integers) to the labels of `graph.softmax_cross_entropy` or
    `graph.nll_loss`, or to the ids of a `graph.embedding`, has `classes`, the fewest of all such
    ops; the run then ends by name at a label that is none of them. What it has already stays where
    it is fewer. Synthetic labels that are always among the classes need no bound. Labels that the
    model computes are its own affair.

    Example:

    ```mlir
    graph.dataset @d : (tensor<10xf32>, tensor<i32>) = #graph.idx<files = ["images.gz", "labels.gz"]>
    graph.func @f() -> (tensor<f32>) attributes {role = #graph.role<eval>} {
      %x, %y = graph.next_batch @d {batch = 8} : tensor<8x10xf32>, tensor<8xi32>
      %loss = graph.softmax_cross_entropy %x, %y : (tensor<8x10xf32>, tensor<8xi32>) -> tensor<f32>
      graph.return %loss : tensor<f32>
    }
    ```

    becomes

    ```mlir
    %0:2 = graph.next_batch @d {batch = 8 : i64, classes = [0, 10]} : tensor<8x10xf32>, tensor<8xi32>
    %1 = graph.softmax_cross_entropy %0#0, %0#1 : (tensor<8x10xf32>, tensor<8xi32>) -> tensor<f32>
    ```
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
}

def DifferentiateModel : Pass<"differentiate", "::mlir::ModuleOp"> {
  let summary = "gradients, updates and the global step in place of graph.minimize";
  let description = [{
    Input: functions without scopes. Output: no `graph.minimize`; in its place reverse-mode
    gradients of its loss, one `graph.apply_*` for each variable in declaration order, and behind a
    function's last `graph.minimize` `graph.assign_add @global_step`. Adds the variables of the
    optimizer's slots (`@"w/Momentum"`, with `graph.slot_of`) and `@global_step` where the model has
    none. A gradient op carries its forward op's device, and a location fused of the forward op's
    and the minimize's. Where a value has several uses its gradient is the sum over them, the last
    use first: the order is part of the numerical contract.

    Example:

    ```mlir
    graph.variable @w : tensor<4xf32> = #graph.zeros
    graph.func @train(%x: tensor<4xf32>) -> () attributes {role = #graph.role<train>} {
      %w = graph.read @w : tensor<4xf32>
      %p = graph.multiply %w, %x : tensor<4xf32>
      %loss = graph.reduce_sum %p dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
      graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
      graph.return
    }
    ```

    becomes

    ```mlir
    graph.variable @w : tensor<4xf32> = #graph.zeros
    graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
    graph.func @train(%arg0: tensor<4xf32>) attributes {role = #graph.role<train>} {
      %0 = graph.read @w : tensor<4xf32>
      %1 = graph.multiply %0, %arg0 : tensor<4xf32>
      %2 = graph.reduce_sum %1 dimensions = [0] : (tensor<4xf32>) -> tensor<f32>
      %3 = graph.constant dense<1.000000e+00> : tensor<f32>
      %4 = graph.broadcast_in_dim %3 broadcast_dimensions = [] : (tensor<f32>) -> tensor<4xf32>
      %5 = graph.multiply %4, %arg0 : tensor<4xf32>
      graph.apply_sgd @w, %5 {learning_rate = 1.000000e-01 : f64} : tensor<4xf32>
      %6 = graph.constant dense<1> : tensor<i64>
      graph.assign_add @global_step, %6 : tensor<i64>
      graph.return
    }
    ```
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
  let statistics = [Statistic<"numUpdated", "updated", "variables that get an update">];
}

def VerifyModel : Pass<"verify-model", "::mlir::ModuleOp"> {
  let summary = "the entry invariant of place: what a model may be";
  let description = [{
    Refuses what the passes of the model phase should have removed (`graph.scope`,
    `graph.minimize`), ops of other dialects in a `graph.func` that do not say how they are
    computed, ops with an effect on a variable that are neither `graph.read` nor an update computed
    by loops, two feeds or two fetches of one name in a function, and two functions of one role, the
    second of which no run would ever reach.

    Example:

    ```mlir
    graph.func @f(%x: tensor<4xf32> {graph.name = "x"},
                  %y: tensor<4xf32> {graph.name = "x"}) -> () attributes {role = #graph.role<predict>} {
      graph.return
    }
    ```

    is refused:

    ```text
    feed "x" is given twice in this function
    ```
  }];
}

def WidenElements : Pass<"widen-elements"> {
  let summary = "compute with i8, ui8, ui32 and bf16 in another type";
  let description = [{
    Input: ops anywhere in a module or a program. Output: an op that computes with elements of these
    types has operands of i32 (for i8 and ui8), i64 (for ui32) or f32 (for bf16), and its results
    are converted back: each op rounds once, or cuts off high bits, whatever it is fused with. Ops
    that move elements or look at their bits stay. Runs after `partition`: what crosses has the
    model's type.

    Example:

    ```mlir
    graph.func @f(%x: tensor<8xbf16>) -> (tensor<8xbf16>) attributes {role = #graph.role<predict>} {
      %y = graph.tanh %x : tensor<8xbf16>
      graph.return %y : tensor<8xbf16>
    }
    ```

    becomes

    ```mlir
    %0 = graph.convert %arg0 : (tensor<8xbf16>) -> tensor<8xf32>
    %1 = graph.tanh %0 : tensor<8xf32>
    %2 = graph.convert %1 : (tensor<8xf32>) -> tensor<8xbf16>
    ```
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
  let statistics = [Statistic<"numWidened", "widened", "ops that compute in another type">];
}

def DecomposeComposites : Pass<"decompose"> {
  let summary = "write composite ops in primitives";
  let description = [{
    Input: ops anywhere in a module or a program. Output: each op that has a decomposition
    (`DecomposableOpInterface`: softmax, argmax, reduce_mean, …) stands as the ops that define it,
    composite ones among them likewise. One that a library of its program's device serves stays.
    What it computes is fixed by the op alone, whatever the partitioning. Runs before `outline`, so
    that lowering knows loops and views only.

    Example:

    ```mlir
    graph.func @f(%x: tensor<8x10xf32>) -> (tensor<8x10xf32>) attributes {role = #graph.role<predict>} {
      %y = graph.logistic %x : tensor<8x10xf32>
      graph.return %y : tensor<8x10xf32>
    }
    ```

    becomes

    ```mlir
    %0 = graph.constant dense<1.000000e+00> : tensor<8x10xf32>
    %1 = graph.negate %arg0 : tensor<8x10xf32>
    %2 = graph.exponential %1 : tensor<8x10xf32>
    %3 = graph.add %2, %0 : tensor<8x10xf32>
    %4 = graph.divide %0, %3 : tensor<8x10xf32>
    ```
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
  let statistics = [Statistic<"numExpanded", "expanded", "composite ops that were expanded">];
}

#endif
