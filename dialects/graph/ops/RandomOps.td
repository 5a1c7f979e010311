//===- RandomOps.td - random numbers -------------------------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_RANDOMOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_RANDOMOPS

include "dialects/graph/DrawInterface.td"
include "dialects/graph/GraphOpsBase.td"

/// Element i of a draw takes word i, or words 2i and 2i + 1, of the generator Philox 4x32-10 that
/// base::keyOfDraw makes of seed, number and micro-batch: the code that initialises variables.
class Graph_DrawOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic,
               !listconcat([AlwaysSpeculatable, AttrSizedOperandSegments,
                            DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, Graph_Structured,
                            Graph_Composite, Graph_CostlyElement, Graph_Cost],
                           traits)>;

/// The lower and the upper word of base::keyOfDraw.
def Graph_DrawKey
    : Type<
          CPred<
              "$_self == ::mlir::RankedTensorType::get({2}, ::mlir::IntegerType::get($_self.getContext(), 64))">,
          "tensor<2xi64>", "::mlir::RankedTensorType">,
      BuildableType<"::mlir::RankedTensorType::get({2}, $_builder.getI64Type())">;

/// Behind what the op has beside it. `key` is what seed and number make, a constant that
/// `decompose` writes: kernels read it, so that equal layers share one.
defvar Graph_DrawArguments = (ins Optional<Graph_StepCount>:$index, Optional<Graph_DrawKey>:$key,
    DefaultValuedAttr<I64Attr, "0">:$seed,
    OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$draw);

defvar Graph_Bound = AnyAttrOf<[F64Attr, I64Attr]>;

def Graph_RandomUniformOp : Graph_DrawOp<"random_uniform", [DrawOpInterface]> {
  let summary = "independent numbers, each as likely, from low up to high";
  let description = [{
    Floats are low + (high - low) * u, computed in f64, u one of the 2^24 (f64: 2^53) multiples of
    2^-24 in [0, 1); rounded to the element type it may be `high` itself where the bounds are no
    small integers. Integers are low, low + 1, … high - 1. Without bounds floats are in [0, 1);
    integers have bounds.

    Two that are equal in the text are two draws: `number-draws` gives each of a function its own
    number, unless `draw` does. What is drawn follows from `seed`, that number, the micro-batch
    (`graph.micro_batch_index`) and the element's place, by Philox 4x32-10, and so is the same under
    every strategy, on every kind of device and behind a restart. With a scalar of the model's own
    behind `at` it is a function of that scalar, seed and `draw` (0 where it is not written): a draw
    without state. Where `key` is given, which `decompose` does, it stands for seed and draw.

    1. (C1) `low` and `high` are of the kind of the elements, finite, and `low` is below `high`;
       floats' difference is finite.
    2. (C2) Integers have both bounds, which the element type can hold, but `high` may be one more.
    3. (C3) `draw` is not negative.

    ```mlir
    %u = graph.random_uniform {high = 1.0, low = -1.0, seed = 7} : tensor<2x3xf32>
    %d = graph.random_uniform at %n {draw = 3, high = 6, low = 0} : tensor<2x3xi32>
    ```
  }];
  let arguments = !con((ins OptionalAttr<Graph_Bound>:$low, OptionalAttr<Graph_Bound>:$high),
                       Graph_DrawArguments);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "(`at` $index^)? (`key` $key^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    std::pair<double, double> getFloatBounds();
  }];
}

def Graph_RandomNormalOp : Graph_DrawOp<"random_normal", [DrawOpInterface]> {
  let summary = "independent numbers of a normal distribution";
  let description = [{
    mean + stddev * z, computed in f64, z by Box's and Muller's method from words of Philox: two
    elements share four words. Draws are numbered and repeated as those of `random_uniform`.

    1. (C1) `mean` is finite.
    2. (C2) `stddev` is finite and not below 0.
    3. (C3) `draw` is not negative.

    ```mlir
    %z = graph.random_normal {seed = 7, stddev = 0.5} : tensor<2x3xf32>
    ```
  }];
  let arguments =
      !con((ins DefaultValuedAttr<F64Attr, "0.0">:$mean, DefaultValuedAttr<F64Attr, "1.0">:$stddev),
           Graph_DrawArguments);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "(`at` $index^)? (`key` $key^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Graph_DropoutOp
    : Graph_DrawOp<
          "dropout", [AllTypesMatch<["operand", "result"]>, Graph_Differentiable,
                      DeclareOpInterfaceMethods<DrawOpInterface, ["getOutsideTraining"]>]> {
  let summary = "zeros in random places, in training";
  let description = [{
    Each element is 0 with probability `rate`, to the nearest multiple of 2^-32, and else the
    operand's times 1 / (1 - rate) (rounded to the type it is computed in), so that the mean stays.
    Where it is 0 it is so whatever the operand is. Draws are numbered and repeated as those of
    `random_uniform`. The gradient is the same op on the gradient, with the same number: the zeros
    are drawn again, no mask is kept.

    In functions of role train it drops; in others it is its operand, also where both call one
    function (`graph.call`). `training_mode`, as ONNX has it, says true or false for both.

    1. (C1) `rate` is at least 0 and below 1.
    2. (C2) `draw` is not negative.

    ```mlir
    %b = graph.dropout %a {rate = 0.1, seed = 7} : tensor<2x3xf32>
    ```
  }];
  let arguments =
      !con((ins Graph_FloatTensor:$operand, F64Attr:$rate, OptionalAttr<BoolAttr>:$training_mode),
           Graph_DrawArguments);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand (`at` $index^)? (`key` $key^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
