//===- GraphInterfaces.td - op and attribute interfaces of the graph dialect ---*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_GRAPHINTERFACES
#define GRAPHC_DIALECTS_GRAPH_GRAPHINTERFACES

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description =
      [{An op that can say the gradients of its operands, given those of its results.}];
  let methods = [InterfaceMethod<[{
      Builds the gradients of the operands at the builder's insertion point, which lies after the op
      and after the definitions of `resultGradients`. A null result gradient means zero; at least
      one is not null. Sets `operandGradients[i]` (one slot an operand, null on entry) for every i
      with `needed[i]`; what stays null is zero.
    }],
                                 "void", "buildGradient",
                                 (ins "::mlir::OpBuilder &":$builder,
                                     "::mlir::ValueRange":$resultGradients,
                                     "const ::llvm::SmallBitVector &":$needed,
                                     "::llvm::MutableArrayRef<::mlir::Value>":$operandGradients)>];
}

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description = [{An op that knows what it costs, for the table of graphc and for placement.}];
  let methods = [InterfaceMethod<
      "Arithmetic operations of one execution; a multiply-add counts as two, a comparison or a transcendental as one.",
      "uint64_t", "getFlops", (ins)>];
}

def LibraryKernelOpInterface : OpInterface<"LibraryKernelOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description = [{
    An op that a kernel of runtime/kernels/KernelRegistry.h may serve: the kernel gets the op's
    operands and results as buffers, and the descriptor. Which one does follows from op, shape, type
    and kind of device alone, never from the partitioning (the numerical contract); an op that none
    serves is compiled.
  }];
  let methods =
      [InterfaceMethod<
           "The library kernel's name on devices of this kind (runtime/common/device/DeviceKinds.h), or the empty string where this op is compiled.",
           "::llvm::StringRef", "getLibraryKernel", (ins "::llvm::StringRef":$kind)>,
       InterfaceMethod<[{
      What that kernel is told beside its operands. Of a name's value: an integer, a number, a list
      of one of them, or a unit.
    }],
                       "::mlir::DictionaryAttr", "getLibraryDescriptor",
                       (ins "::llvm::StringRef":$kernel)>,
       InterfaceMethod<[{
      Whether the kernel does the post-op of this name to its one result, behind those of `before`,
      with the bits of the op alone.
    }],
                       "bool", "takesPostOp",
                       (ins "::llvm::StringRef":$kernel, "::llvm::StringRef":$name,
                           "::llvm::ArrayRef<::llvm::StringRef>":$before),
                       "", "return false;">];
}

def LibraryPostOpInterface : OpInterface<"LibraryPostOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description = [{
    An op that a library may do to its kernel's result, as the last step of the call. The op's other
    operands become operands of the call.
  }];
  let methods = [InterfaceMethod<"What libraries call it.", "::llvm::StringRef", "getPostOpName",
                                 (ins)>,
                 InterfaceMethod<"The operand that it is done to.", "::mlir::OpOperand &",
                                 "getPostOpInput", (ins)>];
}

//===------------------------------------------------------------------------------------------===//
// How an op is computed: each op of a model has one of these, or is known to the compiler by name
// (structure, state, host)
//===------------------------------------------------------------------------------------------===//

def StructuredOpInterface : OpInterface<"StructuredOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description = [{
    An op that is computed by loops over elements, in linalg's words. Its *outs* are its results and
    behind them the variables that it writes, in the order of its effects. Where all loops are
    parallel and every element of a result is the iteration's own, the op is inlined where its
    result is used; else it has a stage of a kernel, and memory, of its own.
  }];
  let methods = [InterfaceMethod<[{
      The loops; none where the op has no such form. One nest, or several that write parts of one
      result each (concatenate). By default one: parallel over the elements of the first out or
      operand, each operand and out at the same place, scalars at all.
    }],
                                 "::llvm::SmallVector<::graphc::graph::LoopNest>", "getLoopNests",
                                 (ins), "", "return {::graphc::graph::getElementwiseNest($_op)};">,
                 InterfaceMethod<[{
      What one iteration gives each out, from the elements that the nest reads. `old`: each out's
      element before the iteration, for results of a reduction and for variables that the op reads;
      else null. A reduction combines it once, by one add, min, max, and, or. `index` builds the
      place of a loop, of type index.
    }],
                                 "::llvm::SmallVector<::mlir::Value>", "buildBody",
                                 (ins "::mlir::OpBuilder &":$builder,
                                     "::mlir::ValueRange":$elements, "::mlir::ValueRange":$old,
                                     "::llvm::function_ref<::mlir::Value(unsigned)>":$index)>,
                 InterfaceMethod<"What a result of a reduction is before the first iteration.",
                                 "::mlir::TypedAttr", "getStart", (ins "unsigned":$result), "",
                                 "return {};">];
}

def ExplicitLoopsOpInterface : OpInterface<"ExplicitLoopsOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description = [{
    An op that writes its own loops over memory: indices that are data (gather, scatter), orders
    that matter (scan, sort). It is a stage of its own: operands and outs (as StructuredOpInterface
    has them) have memory, nothing is fused with it.
  }];
  let methods = [InterfaceMethod<[{
      Builds the loops (scf, arith, math, memref.load and memref.store). Operands and outs are
      memrefs of the tensors' shapes with the identity layout, an i1 stored as an i8 of 0 or 1.
      Every element of a result is written; operands are not, and nothing is allocated or called.
      How they are written may depend on `target`, what they compute may not, to the bit.
    }],
                                 "void", "buildLoops",
                                 (ins "::mlir::OpBuilder &":$builder,
                                     "::mlir::ValueRange":$operands, "::mlir::ValueRange":$outs,
                                     "const ::graphc::graph::LoopTarget &":$target)>,
                 InterfaceMethod<[{
      `Aligned` where the loops read no element of the operand after they have written the one at
      the same place of the first result: both may be one memory.
    }],
                                 "::graphc::graph::LoopAccess", "getAccess",
                                 (ins "unsigned":$operand), "",
                                 "return ::graphc::graph::LoopAccess::Arbitrary;">];
}

def ViewOpInterface : OpInterface<"ViewOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description =
      [{An op whose result may be elements of its first operand's memory, in their order.}];
  let methods = [InterfaceMethod<
      "Where in the operand they begin, in bytes; nothing where they are apart, or where loops cost nothing (inlined).",
      "std::optional<int64_t>", "getViewOffset", (ins)>];
}

def DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description = [{
    A composite op: other ops are its definition. The pass `decompose` writes them in its place, and
    theirs, after the partition is known: what crosses between devices is the user's value.
  }];
  let methods = [InterfaceMethod<
      "Builds the values that stand for the results; none where the op stays.",
      "::llvm::SmallVector<::mlir::Value>", "decompose", (ins "::mlir::OpBuilder &":$builder)>];
}

def UpdateOpInterface : OpInterface<"UpdateOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description = [{
    An op that changes variables by a value. Which variables it reads and writes its memory effects
    say: an effect on `VariableResource` with the variable's symbol, the one that it is named after
    first. It has no results, so that all updates of a kernel can stand behind what reads old
    values; but one that writes nothing looks at what the update of the variable that it reads will
    take (the norm of a gradient), where that variable is, has one result and is composite.
  }];
  let methods =
      [InterfaceMethod<
           "The value, of which replicas may each have their own: the gradient, or what is assigned or added.",
           "::mlir::OpOperand &", "getUpdateOperand", (ins), "", "return $_op->getOpOperand(0);">,
       InterfaceMethod<
           "Whether the value is a gradient, of which a step of several replicas applies the mean.",
           "bool", "appliesGradient", (ins), "", "return false;">,
       InterfaceMethod<
           "Of one that writes nothing: whether rows of its result follow from the same rows of the value.",
           "bool", "looksByRows", (ins), "", "return false;">];
  let verify = "return ::graphc::graph::detail::verifyUpdate($_op);";
}

//===------------------------------------------------------------------------------------------===//
// What passes know of an op's values
//===------------------------------------------------------------------------------------------===//

def LabelledOpInterface : OpInterface<"LabelledOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description =
      [{A loss that takes labels, of which only 0 … classes - 1 mean anything: what a data set may
        give.}];
  let methods = [InterfaceMethod<"The labels, integers.", "::mlir::Value", "getLabelValue", (ins)>,
                 InterfaceMethod<"How many classes there are.", "int64_t", "getNumClasses", (ins)>];
}

def KeepsElementsOpInterface : OpInterface<"KeepsElementsOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description = [{An op whose result may have all elements of its operands and no others.}];
  let methods = [InterfaceMethod<"Whether it has, each the same number.", "bool", "keepsElements",
                                 (ins), "", "return true;">];
}

def InitializerAttrInterface : AttrInterface<"InitializerAttrInterface"> {
  let cppNamespace = "::graphc::graph";
  let summary =
      "#graph.zeros, #graph.value, #graph.uniform, #graph.normal, #graph.glorot_uniform or #graph.uninitialized";
  let description = [{How a variable gets its first value.}];
  let methods = [InterfaceMethod<
      "Checks that a variable of this type can be initialised so; emits the error where not.",
      "::llvm::LogicalResult", "verifyFor",
      (ins "::mlir::RankedTensorType":$type,
          "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>];
}

def DatasetSourceAttrInterface : AttrInterface<"DatasetSourceAttrInterface"> {
  let cppNamespace = "::graphc::graph";
  let summary =
      "#graph.idx, #graph.npy, #graph.csv, #graph.text, #graph.cifar10 or #graph.synthetic";
  let description = [{Where the samples of a data set come from.}];
  let methods = [InterfaceMethod<
      "Checks that the source can give components of these types; emits the error where not.",
      "::llvm::LogicalResult", "verifyFor",
      (ins "::llvm::ArrayRef<::mlir::RankedTensorType>":$components,
          "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>];
}

def ScheduleAttrInterface : AttrInterface<"ScheduleAttrInterface"> {
  let cppNamespace = "::graphc::graph";
  let summary =
      "#graph.piecewise_constant, #graph.cosine_decay, #graph.polynomial_decay or #graph.linear_warmup";
  let description = [{A learning rate that follows from how many updates there have been.}];
  let methods = [InterfaceMethod<
      "Builds the rate, an f64, from the number of updates so far, an f64 as well.",
      "::mlir::Value", "buildRate",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::Value":$step)>];
}

def TransformAttrInterface : AttrInterface<"TransformAttrInterface"> {
  let cppNamespace = "::graphc::graph";
  let summary = "#graph.random_crop, #graph.random_flip or #graph.normalize";
  let description = [{What becomes of one component of a sample before a program gets it.}];
  let methods =
      [InterfaceMethod<"Which component.", "int64_t", "getComponent", (ins)>,
       InterfaceMethod<
           "Checks that it can be done to a component of this type from this source; emits the error where not.",
           "::llvm::LogicalResult", "verifyFor",
           (ins "::mlir::RankedTensorType":$component, "::mlir::Attribute":$source,
               "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>];
}

def OptimizerAttrInterface : AttrInterface<"OptimizerAttrInterface"> {
  let cppNamespace = "::graphc::graph";
  let summary =
      "#graph.sgd, #graph.momentum, #graph.adam, #graph.adamw, #graph.adagrad or #graph.rmsprop";
  let description = [{How `graph.minimize` turns a gradient into an update of its variable.}];
  let methods =
      [InterfaceMethod<"The slot variables that one variable needs, each of the variable's type.",
                       "::llvm::SmallVector<::graphc::graph::OptimizerSlot>", "getSlots", (ins)>,
       InterfaceMethod<
           "The learning rate: an f64, or a schedule, of which each step has its value; null where the optimizer keeps it to itself.",
           "::mlir::Attribute", "getRate", (ins), "", "return {};">,
       InterfaceMethod<[{
      Builds what else one step is told from the number of updates so far (a scalar i64): scalars of
      f64, the same for all variables.
    }],
                       "::llvm::SmallVector<::mlir::Value>", "buildStepValues",
                       (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                           "::llvm::function_ref<::mlir::Value()>":$step),
                       "", "return {};">,
       InterfaceMethod<"Builds the op that applies a gradient.", "::mlir::Operation *",
                       "buildApply",
                       (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                           "const ::graphc::graph::GradientUpdate &":$update)>,
       InterfaceMethod<
           "Whether buildApply takes what is asked for beside the gradient: scale, clip_value, average.",
           "bool", "takesMore", (ins), "", "return false;">];
}

#endif
