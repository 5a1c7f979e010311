//===- GraphInterfaces.td - op and attribute interfaces of the graph dialect --------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_GRAPHINTERFACES
#define GRAPHC_DIALECTS_GRAPH_GRAPHINTERFACES

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description = [{An op that can say the gradients of its operands, given those of its results.}];
  let methods = [InterfaceMethod<[{
      Builds the gradients of the operands at the builder's insertion point, which lies after the op and after the
      definitions of `resultGradients`. A null result gradient means zero; at least one is not null. Sets
      `operandGradients[i]` (one slot an operand, null on entry) for every i with `needed[i]`; what stays null is zero.
    }],
    "void", "buildGradient",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$resultGradients, "const ::llvm::SmallBitVector &":$needed,
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
    An op that a kernel of runtime/kernels/Library.h may serve: the kernel gets the op's operands and results as buffers, and the
    descriptor. Whether it does follows from op, shape and type alone, never from the partitioning (the numerical
    contract); an op that it does not serve is compiled.
  }];
  let methods = [InterfaceMethod<
      "The library kernel's name, or the empty string where this op is compiled.",
      "::llvm::StringRef", "getLibraryKernel", (ins)>,
    InterfaceMethod<[{
      What the kernel is told beside its operands. Of a name's value: an integer, a number, a list of one of them, or a unit.
    }],
    "::mlir::DictionaryAttr", "getLibraryDescriptor", (ins)>,
    InterfaceMethod<[{
      Whether the kernel does the post-op of this name to its one result, behind those of `before`, with the bits of the op alone.
    }],
    "bool", "takesPostOp", (ins "::llvm::StringRef":$name, "::llvm::ArrayRef<::llvm::StringRef>":$before), "",
    "return false;">];
}

def LibraryPostOpInterface : OpInterface<"LibraryPostOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description = [{
    An op that a library may do to its kernel's result, as the last step of the call. The op's other operands become operands
    of the call.
  }];
  let methods = [InterfaceMethod<"What libraries call it.", "::llvm::StringRef", "getPostOpName", (ins)>,
    InterfaceMethod<"The operand that it is done to.", "::mlir::OpOperand &", "getPostOpInput", (ins)>];
}

def InitializerAttrInterface : AttrInterface<"InitializerAttrInterface"> {
  let cppNamespace = "::graphc::graph";
  let summary = "#graph.zeros, #graph.value, #graph.uniform, #graph.normal or #graph.glorot_uniform";
  let description = [{How a variable gets its first value.}];
  let methods = [InterfaceMethod<
      "Checks that a variable of this type can be initialised so; emits the error where not.",
      "::llvm::LogicalResult", "verifyFor",
      (ins "::mlir::RankedTensorType":$type, "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>];
}

def DatasetSourceAttrInterface : AttrInterface<"DatasetSourceAttrInterface"> {
  let cppNamespace = "::graphc::graph";
  let summary = "#graph.idx or #graph.synthetic";
  let description = [{Where the samples of a data set come from.}];
  let methods = [InterfaceMethod<
      "Checks that the source can give components of these types; emits the error where not.",
      "::llvm::LogicalResult", "verifyFor",
      (ins "::llvm::ArrayRef<::mlir::RankedTensorType>":$components,
           "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>];
}

def OptimizerAttrInterface : AttrInterface<"OptimizerAttrInterface"> {
  let cppNamespace = "::graphc::graph";
  let summary = "#graph.sgd or #graph.momentum";
  let description = [{How `graph.minimize` turns a gradient into an update of its variable.}];
  let methods = [InterfaceMethod<
      "The names of the slot variables one variable needs (\"Momentum\"), each zero at first and of the variable's type.",
      "::llvm::SmallVector<::llvm::StringRef>", "getSlotNames", (ins)>,
    InterfaceMethod<"Builds the op that applies `gradient` to `variable`; `slots` answer getSlotNames().",
      "::mlir::Operation *", "buildApply",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::FlatSymbolRefAttr":$variable,
           "::llvm::ArrayRef<::mlir::FlatSymbolRefAttr>":$slots, "::mlir::Value":$gradient)>];
}

#endif
