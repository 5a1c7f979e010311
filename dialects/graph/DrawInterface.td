//===- DrawInterface.td - ops that draw random numbers -------------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_DRAWINTERFACE
#define GRAPHC_DIALECTS_GRAPH_DRAWINTERFACE

include "mlir/IR/OpBase.td"

def DrawOpInterface : OpInterface<"DrawOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description = [{
    An op whose random numbers follow from its seed, from its number among the draws of its
    function, which `number-draws` gives it, from the micro-batch and from the element's place:
    nothing else. Before it is numbered it has an effect, so that two equal ones stay two;
    afterwards it is a function of its operands, and may be rematerialized.
  }];
  let methods =
      [InterfaceMethod<"Whether it has been numbered.", "bool", "isNumbered", (ins), "",
                       "return bool($_op.getIndex());">,
       InterfaceMethod<"Its number, where the model gives it one.", "std::optional<uint64_t>",
                       "getGivenNumber", (ins), "", "return $_op.getDraw();">,
       InterfaceMethod<
           "Numbers it: a scalar i64 that differs in each micro-batch, and which of the function's draws it is.",
           "void", "number", (ins "::mlir::Value":$index, "uint64_t":$number), "", [{
        $_op.getIndexMutable().assign(index);
        $_op.setDraw(number);
      }]>,
       InterfaceMethod<
           "What stands for the result in functions of another role than train; null where it is drawn there too.",
           "::mlir::Value", "getOutsideTraining", (ins), "", "return {};">];
}

#endif
