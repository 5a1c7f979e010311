//===- OptimizerOps.td - what optimizers make of gradients ---------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_OPTIMIZEROPS
#define GRAPHC_DIALECTS_GRAPH_OPS_OPTIMIZEROPS

include "dialects/graph/GraphOpsBase.td"
include "dialects/graph/TableInterfaces.td"

/// One pass over the variable, its slots and the gradient. What all have: the learning rate as a
/// number or as this step's scalar `rate`; a gradient that is multiplied by `scale` first, then
/// bounded by `clip_value`, then added to weight_decay * variable; a moving average of the
/// variable's new value. `own` and `numbers` are the optimizer's.
class Graph_ApplyOp<string mnemonic, dag slots, string slotText, dag own, string ownText,
                    dag numbers, list<Trait> traits = []>
    : Graph_Op<mnemonic, [AttrSizedOperandSegments,
                          DeclareOpInterfaceMethods<UpdateOpInterface, ["appliesGradient"]>,
                          Graph_PlaceByPlace, Graph_SymbolUser, Graph_Cost]#traits> {
  let opDocGroup = Graph_PassOps;
  let arguments = !con((ins Graph_VariableArg<[Graph_Reads, Graph_Writes]>:$variable), slots,
                       (ins Graph_OptionalVariableArg<[Graph_Reads, Graph_Writes]>:$average,
                           Graph_UpdateTensor:$gradient),
                       own,
                       (ins Optional<Graph_StepScalar>:$rate, Optional<Graph_StepScalar>:$scale,
                           OptionalAttr<F64Attr>:$learning_rate),
                       numbers,
                       (ins OptionalAttr<F64Attr>:$weight_decay, OptionalAttr<F64Attr>:$clip_value,
                           OptionalAttr<F64Attr>:$average_decay));
  let assemblyFormat =
      "$variable "#slotText#"`,` $gradient "#ownText#"(`rate` $rate^)? (`scale` $scale^)? "#"(`average` $average^)? attr-dict `:` type($gradient)";
  let hasVerifier = 1;
}

def Graph_ApplySgdOp : Graph_ApplyOp<"apply_sgd", (ins), "", (ins), "",
                                     (ins), [DeclareOpInterfaceMethods<RowUpdateOpInterface>]> {
  let summary = "variable -= learning_rate * gradient";
  let description = [{
    Made by `differentiate`. The rate is rounded to the variable's element type; the product is
    rounded before it is subtracted.

    1. (C1) `variable` and `average`, if any, name two `graph.variable`s of the gradient's type.
    2. (C2) Either `learning_rate` or `rate` is given.
    3. (C3) `average` and `average_decay` are given together.

    ```mlir
    graph.apply_sgd @w, %g {learning_rate = 0.1} : tensor<3x5xf32>
    graph.apply_sgd @w, %g rate %r scale %s {clip_value = 1.0, weight_decay = 0.01} : tensor<3x5xf32>
    ```
  }];
}

def Graph_ApplySgdRowsOp
    : Graph_Op<"apply_sgd_rows", [DeclareOpInterfaceMethods<UpdateOpInterface, ["appliesGradient"]>,
                                  Graph_Loops, Graph_SymbolUser, Graph_Cost]> {
  let opDocGroup = Graph_PassOps;
  let summary = "`apply_sgd` of the rows that are named";
  let description = [{
    Made by `replicate` where the gradient is zero but for few rows: what `graph.apply_sgd` makes of
    these, bit for bit; by a gradient of zero no other row would change. A number that is none of
    the variable's rows is left out.

    Loops of its own, in one piece.

    1. (C1) `variable` names a `graph.variable` of two dimensions; there is a row of it for each
       number, of its element type.
    2. (C2) Either `learning_rate` or `rate` is given.

    ```mlir
    graph.apply_sgd_rows @w, %d at %n {learning_rate = 0.1} : tensor<4x5xf32>, tensor<4xi32>
    ```
  }];
  let arguments = (ins Graph_VariableArg<[Graph_Reads, Graph_Writes]>:$variable,
      Graph_UpdateTensor:$gradient, Graph_IndexTensor:$numbers, Optional<Graph_StepScalar>:$rate,
      OptionalAttr<F64Attr>:$learning_rate, OptionalAttr<F64Attr>:$clip_value);
  let assemblyFormat =
      "$variable `,` $gradient `at` $numbers (`rate` $rate^)? attr-dict `:` type($gradient) `,` type($numbers)";
  let hasVerifier = 1;
}

def Graph_ApplyMomentumOp
    : Graph_ApplyOp<"apply_momentum", (ins Graph_VariableArg<[Graph_Reads, Graph_Writes]>:$slot),
                    "`,` $slot ", (ins), "", (ins F64Attr:$momentum, UnitAttr:$nesterov)> {
  let summary = "slot = momentum * slot + gradient; variable -= learning_rate * slot";
  let description = [{
    Made by `differentiate`. Each product is rounded before it is added or subtracted. With
    `nesterov` the variable takes learning_rate * (gradient + momentum * slot), of the new slot.

    1. (C1) `variable`, `slot` and `average`, if any, name different `graph.variable`s of the
       gradient's type.
    2. (C2) Either `learning_rate` or `rate` is given.
    3. (C3) `average` and `average_decay` are given together.

    ```mlir
    graph.apply_momentum @w, @"w/Momentum", %g {learning_rate = 0.05, momentum = 0.9} : tensor<3x5xf32>
    ```
  }];
}

def Graph_ApplyAdamOp
    : Graph_ApplyOp<"apply_adam",
                    (ins Graph_VariableArg<[Graph_Reads, Graph_Writes]>:$mean,
                        Graph_VariableArg<[Graph_Reads, Graph_Writes]>:$square),
                    "`,` $mean `,` $square ",
                    (ins Graph_StepScalar:$mean_correction, Graph_StepScalar:$square_correction),
                    "`,` $mean_correction `,` $square_correction ",
                    (ins F64Attr:$beta1, F64Attr:$beta2, F64Attr:$epsilon, UnitAttr:$decoupled)> {
  let summary = "Adam's update";
  let description = [{
    Made by `differentiate`. mean = beta1 * mean + (1 - beta1) * gradient, square = beta2 * square +
    (1 - beta2) * gradient², variable -= learning_rate * (mean * mean_correction) / (√(square *
    square_correction) + epsilon). With `decoupled` the weight decay is no part of the gradient: the
    variable loses learning_rate * weight_decay of itself first.

    1. (C1) `variable`, the slots and `average`, if any, name different `graph.variable`s of the
       gradient's type.
    2. (C2) Either `learning_rate` or `rate` is given.
    3. (C3) `average` and `average_decay` are given together.

    ```mlir
    graph.apply_adam @w, @"w/Adam/m", @"w/Adam/v", %g, %c1, %c2
        {learning_rate = 0.001, beta1 = 0.9, beta2 = 0.999, epsilon = 1.0e-08} : tensor<3x5xf32>
    ```
  }];
}

def Graph_ApplyAdagradOp
    : Graph_ApplyOp<"apply_adagrad",
                    (ins Graph_VariableArg<[Graph_Reads, Graph_Writes]>:$accumulator),
                    "`,` $accumulator ", (ins), "", (ins F64Attr:$epsilon)> {
  let summary =
      "accumulator += gradient²; variable -= learning_rate * gradient / (√accumulator + epsilon)";
  let description = [{
    Made by `differentiate`.

    1. (C1) `variable`, `accumulator` and `average`, if any, name different `graph.variable`s of the
       gradient's type.
    2. (C2) Either `learning_rate` or `rate` is given.
    3. (C3) `average` and `average_decay` are given together.

    ```mlir
    graph.apply_adagrad @w, @"w/Adagrad", %g {learning_rate = 0.01, epsilon = 1.0e-10} : tensor<3x5xf32>
    ```
  }];
}

def Graph_ApplyRmspropOp
    : Graph_ApplyOp<"apply_rmsprop",
                    (ins Graph_VariableArg<[Graph_Reads, Graph_Writes]>:$square,
                        Graph_OptionalVariableArg<[Graph_Reads, Graph_Writes]>:$mean,
                        Graph_OptionalVariableArg<[Graph_Reads, Graph_Writes]>:$slot),
                    "`,` $square (`centered` $mean^)? (`momentum` $slot^)? ", (ins), "",
                    (ins F64Attr:$rho, F64Attr:$epsilon, OptionalAttr<F64Attr>:$momentum)> {
  let summary = "RMSProp's update";
  let description = [{
    Made by `differentiate`. square = rho * square + (1 - rho) * gradient², step = gradient /
    (√square + epsilon). Where `mean` is given it takes (1 - rho) of the gradient likewise, and
    √max(0, square - mean²) stands for √square. Where `slot` is given it becomes momentum * slot +
    step and stands for the step. variable -= learning_rate * step.

    1. (C1) `variable`, the slots and `average`, if any, name different `graph.variable`s of the
       gradient's type.
    2. (C2) Either `learning_rate` or `rate` is given.
    3. (C3) `average` and `average_decay` are given together, and so are `slot` and `momentum`.

    ```mlir
    graph.apply_rmsprop @w, @"w/RMSProp", %g {learning_rate = 0.001, rho = 0.9, epsilon = 1.0e-08} : tensor<3x5xf32>
    graph.apply_rmsprop @w, @"w/RMSProp" centered @"w/RMSProp/mean" momentum @"w/RMSProp/momentum", %g
        {learning_rate = 0.001, rho = 0.9, epsilon = 1.0e-08, momentum = 0.9} : tensor<3x5xf32>
    ```
  }];
}

//===------------------------------------------------------------------------------------------===//
// Once a step
//===------------------------------------------------------------------------------------------===//

def Graph_LearningRateOp : Graph_PureOp<"learning_rate", [Graph_Loops]> {
  let summary = "what a schedule says";
  let description = [{
    Computed in f64 from the number of updates so far; a rate is rounded to a variable's element
    type where it is used.

    ```mlir
    %r = graph.learning_rate %step {schedule = #graph.linear_warmup<steps = 100, learning_rate = 0.1>}
    ```
  }];
  let arguments = (ins Graph_StepCount:$step, ScheduleAttrInterface:$schedule);
  let results = (outs Graph_StepScalar:$result);
  let assemblyFormat = "$step attr-dict";
}

def Graph_BiasCorrectionOp : Graph_PureOp<"bias_correction", [Graph_Loops]> {
  let summary = "1 / (1 - decay^(step + 1))";
  let description = [{
    What makes a mean of a value for each update, step + 1 of them, which began as zero and forgets
    by `decay`, one without bias.

    1. (C1) `decay` is at least 0 and below 1.

    ```mlir
    %c = graph.bias_correction %step {decay = 0.9}
    ```
  }];
  let arguments = (ins Graph_StepCount:$step, F64Attr:$decay);
  let results = (outs Graph_StepScalar:$result);
  let assemblyFormat = "$step attr-dict";
  let hasVerifier = 1;
}

#endif
