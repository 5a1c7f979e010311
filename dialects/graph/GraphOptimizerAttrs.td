//===- GraphOptimizerAttrs.td - optimizers and schedules -----------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_GRAPHOPTIMIZERATTRS
#define GRAPHC_DIALECTS_GRAPH_GRAPHOPTIMIZERATTRS

include "dialects/graph/GraphAttrs.td"

//===------------------------------------------------------------------------------------------===//
// Optimizers: what is numbers; a learning rate may be a schedule, a weight decay may choose its
// variables
//===------------------------------------------------------------------------------------------===//

class Graph_Optimizer<string cppName, string mnemonicName, list<string> more = []>
    : Graph_Attr<cppName, mnemonicName,
                 [DeclareAttrInterfaceMethods<OptimizerAttrInterface,
                                              !listconcat(["getRate", "takesMore"], more)>]> {
  let genVerifyDecl = 1;
}
class Graph_NumberOr<string desc> : AttrParameter<"::mlir::Attribute", desc>;
defvar Graph_Rate = Graph_NumberOr<"an f64 or a schedule">;
class Graph_DecayOr<string unsaid>
    : Graph_NumberOr<"an f64 or a #graph.weight_decay; default: "#unsaid>;
defvar Graph_Decay = Graph_DecayOr<"none">;

def Graph_SgdAttr : Graph_Optimizer<"Sgd", "sgd"> {
  let summary = "variable -= learning_rate * gradient";
  let description = [{
    ```mlir
    #graph.sgd<learning_rate = 0.1>
    #graph.sgd<learning_rate = #graph.cosine_decay<initial_learning_rate = 0.1, decay_steps = 1000>>
    #graph.sgd<learning_rate = 0.1, weight_decay = #graph.weight_decay<rate = 0.0005, exclude = ["*bias"]>>
    ```
  }];
  let parameters = (ins Graph_Rate:$learning_rate, Graph_Decay:$weight_decay);
}
def Graph_MomentumAttr : Graph_Optimizer<"Momentum", "momentum"> {
  let summary = "slot = momentum * slot + gradient; variable -= learning_rate * slot";
  let description = [{
    As TensorFlow's and PyTorch's. With `nesterov`
    variable -= learning_rate * (gradient + momentum * slot), of the new slot.

    ```mlir
    #graph.momentum<learning_rate = 0.05, momentum = 0.9>
    #graph.momentum<learning_rate = 0.05, momentum = 0.9, nesterov = true, weight_decay = 0.0005>
    ```
  }];
  let parameters = (ins Graph_Rate:$learning_rate, DoubleParameter<"">:$momentum,
      DefaultValuedParameter<"bool", "false", "default: false">:$nesterov,
      Graph_Decay:$weight_decay);
}
def Graph_AdamAttr : Graph_Optimizer<"Adam", "adam", ["buildStepValues"]> {
  let summary = "Adam: Kingma and Ba, algorithm 1";
  let description = [{
    m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g², variable -= learning_rate m̂ / (√v̂ +
    epsilon), where m̂ = m / (1 - beta1^t), v̂ = v / (1 - beta2^t) and t counts updates from 1
    (`graph.bias_correction`).

    ```mlir
    #graph.adam<learning_rate = 0.001>
    #graph.adam<learning_rate = 0.001, beta1 = 0.9, beta2 = 0.98, epsilon = 1.0e-09, weight_decay = 0.0001>
    ```
  }];
  let parameters = (ins Graph_Rate:$learning_rate, DefaultedDouble<"0.9", "">:$beta1,
      DefaultedDouble<"0.999", "">:$beta2, DefaultedDouble<"1.0e-8", "">:$epsilon,
      Graph_Decay:$weight_decay);
}
def Graph_AdamwAttr : Graph_Optimizer<"Adamw", "adamw", ["buildStepValues"]> {
  let summary = "Adam with decoupled weight decay: Loshchilov and Hutter";
  let description = [{
    As #graph.adam, but the decay is no part of the gradient: variable -= learning_rate *
    weight_decay * variable, first.

    ```mlir
    #graph.adamw<learning_rate = 0.001, weight_decay = 0.01>
    #graph.adamw<learning_rate = 0.001, weight_decay = #graph.weight_decay<rate = 0.1, exclude = ["*/bias", "*norm*"]>>
    ```
  }];
  let parameters = (ins Graph_Rate:$learning_rate, DefaultedDouble<"0.9", "">:$beta1,
      DefaultedDouble<"0.999", "">:$beta2, DefaultedDouble<"1.0e-8", "">:$epsilon,
      Graph_DecayOr<"0.01, as PyTorch's; optax's is 0.0001">:$weight_decay);
}
def Graph_AdagradAttr : Graph_Optimizer<"Adagrad", "adagrad"> {
  let summary = "Adagrad: a = a + gradient²; variable -= learning_rate * gradient / (√a + epsilon)";
  let description = [{
    The accumulator begins with `initial_accumulator_value`.

    ```mlir
    #graph.adagrad<learning_rate = 0.01, initial_accumulator_value = 0.1>
    ```
  }];
  let parameters = (ins Graph_Rate:$learning_rate,
      DefaultedDouble<"0.1", "">:$initial_accumulator_value,
      DefaultedDouble<"1.0e-10", "">:$epsilon, Graph_Decay:$weight_decay);
}
def Graph_RmspropAttr : Graph_Optimizer<"Rmsprop", "rmsprop"> {
  let summary = "RMSProp, with momentum, centered";
  let description = [{
    s = rho s + (1 - rho) g², step = g / (√s + epsilon), variable -= learning_rate * step. With
    `centered` c = rho c + (1 - rho) g and √(s - c²) in place of √s (0 where rounding makes s less
    than c²). With `momentum` above 0 b = momentum * b + step, variable -= learning_rate * b.

    ```mlir
    #graph.rmsprop<learning_rate = 0.001>
    #graph.rmsprop<learning_rate = 0.001, rho = 0.99, momentum = 0.9, centered = true>
    ```
  }];
  let parameters = (ins Graph_Rate:$learning_rate, DefaultedDouble<"0.9", "">:$rho,
      DefaultedDouble<"0.0", "">:$momentum, DefaultedDouble<"1.0e-8", "">:$epsilon,
      DefaultValuedParameter<"bool", "false", "default: false">:$centered,
      Graph_Decay:$weight_decay);
}

def Graph_WeightDecayAttr : Graph_Attr<"WeightDecay", "weight_decay"> {
  let summary = "which variables decay, by name";
  let description = [{
    Those whose names match a pattern of `only`, all where it is left out, and none of `exclude`
    (`*` stands for any run of characters, `?` for one). Each pattern has to match a variable that
    is trained.

    ```mlir
    #graph.weight_decay<rate = 0.01, exclude = ["*/bias", "*norm*"]>
    #graph.weight_decay<rate = 0.0005, only = ["conv*/w"]>
    ```
  }];
  let parameters = (ins DoubleParameter<"">:$rate, OptionalParameter<"::mlir::ArrayAttr">:$only,
      OptionalParameter<"::mlir::ArrayAttr">:$exclude);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether a variable of this name decays.
    bool isFor(::llvm::StringRef variable) const;
  }];
}

//===------------------------------------------------------------------------------------------===//
// Schedules: `step` is the number of updates so far, 0 in the first; everything is computed in f64
//===------------------------------------------------------------------------------------------===//

class Graph_Schedule<string cppName, string mnemonicName>
    : Graph_Attr<cppName, mnemonicName, [DeclareAttrInterfaceMethods<ScheduleAttrInterface>]> {
  let genVerifyDecl = 1;
}

def Graph_PiecewiseConstantAttr : Graph_Schedule<"PiecewiseConstant", "piecewise_constant"> {
  let summary = "a rate for each stretch of steps";
  let description = [{
    values[i] where boundaries[i - 1] < step <= boundaries[i], as TensorFlow has it.

    ```mlir
    #graph.piecewise_constant<boundaries = [1000, 2000], values = [0.1, 0.01, 0.001]>
    ```
  }];
  let parameters = (ins "::mlir::ArrayAttr":$boundaries, "::mlir::ArrayAttr":$values);
}
def Graph_CosineDecayAttr : Graph_Schedule<"CosineDecay", "cosine_decay"> {
  let summary = "half a cosine from the initial rate to alpha of it";
  let description = [{
    initial_learning_rate * ((1 - alpha) * (1 + cos(π t)) / 2 + alpha), t = min(step, decay_steps) /
    decay_steps.

    ```mlir
    #graph.cosine_decay<initial_learning_rate = 0.1, decay_steps = 1000>
    #graph.cosine_decay<initial_learning_rate = 0.1, decay_steps = 1000, alpha = 0.01>
    ```
  }];
  let parameters = (ins DoubleParameter<"">:$initial_learning_rate, "int64_t":$decay_steps,
      DefaultedDouble<"0.0", "">:$alpha);
}
def Graph_PolynomialDecayAttr : Graph_Schedule<"PolynomialDecay", "polynomial_decay"> {
  let summary = "from the initial rate to the end's by a power of the way that is left";
  let description = [{
    (initial - end) * (1 - t)^power + end, t = min(step, decay_steps) / decay_steps; with a power of
    1 a line.

    ```mlir
    #graph.polynomial_decay<initial_learning_rate = 0.1, decay_steps = 1000>
    #graph.polynomial_decay<initial_learning_rate = 0.1, decay_steps = 1000, end_learning_rate = 0.0, power = 2.0>
    ```
  }];
  let parameters = (ins DoubleParameter<"">:$initial_learning_rate, "int64_t":$decay_steps,
      DefaultedDouble<"0.0001", "">:$end_learning_rate, DefaultedDouble<"1.0", "">:$power);
}
def Graph_LinearWarmupAttr : Graph_Schedule<"LinearWarmup", "linear_warmup"> {
  let summary = "a line from `start` to another rate, then that";
  let description = [{
    `learning_rate` is a number or another schedule, whose step 0 comes behind `steps` steps.

    ```mlir
    #graph.linear_warmup<steps = 100, learning_rate = 0.1>
    #graph.linear_warmup<steps = 100, learning_rate = #graph.cosine_decay<initial_learning_rate = 0.1, decay_steps = 900>>
    ```
  }];
  let parameters = (ins "int64_t":$steps, Graph_Rate:$learning_rate,
      DefaultedDouble<"0.0", "">:$start);
}

#endif
