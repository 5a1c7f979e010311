//===- CompareSelectOps.td - comparison, choice, conversion --------------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_COMPARESELECTOPS
#define GRAPHC_DIALECTS_GRAPH_OPS_COMPARESELECTOPS

include "dialects/graph/GraphOpsBase.td"

def Graph_CompareOp : Graph_PureOp<"compare", [SameTypeOperands, Elementwise, Graph_InferType,
                                               Graph_PlaceByPlace]> {
  let summary = "truth of a relation, element by element";
  let description = [{
    The relation is `eq`, `ne`, `lt`, `le`, `gt` or `ge`. With NaN only `ne` is true.

    ```mlir
    %c = graph.compare lt, %a, %b : tensor<4xf32>
    ```

    1. (C1) The relation of truth values is `eq` or `ne`.
  }];
  let arguments = (ins Graph_ComparisonAttr:$relation, Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_BoolTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Graph_SelectOp
    : Graph_PureOp<
          "select",
          [Graph_AnyElement, AllTypesMatch<["on_true", "on_false", "result"]>, Elementwise,
           Graph_Differentiable, Graph_PlaceByPlace,
           TypesMatchWith<
               "predicate has the shape of the result and element type i1", "result", "predicate",
               "::graphc::graph::withElement($_self, ::mlir::IntegerType::get($_self.getContext(), 1))">]> {
  let summary = "one operand where the predicate holds, else the other";
  let description = [{
    ```mlir
    %d = graph.select %p, %a, %b : tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_BoolTensor:$predicate, Graph_Tensor:$on_true, Graph_Tensor:$on_false);
  let results = (outs Graph_Tensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
}

def Graph_ConvertOp
    : Graph_PureOp<
          "convert", [Graph_AnyElement, Elementwise, SameOperandsAndResultShape,
                      Graph_Differentiable, Graph_PlaceByPlace,
                      DeclareOpInterfaceMethods<KeepsElementsOpInterface, ["keepsElements"]>]> {
  let summary = "the same values in another element type";
  let description = [{
    Integers to floats, f64 to f32 and both to bf16 round to nearest even, once (an i64 to bf16 by
    way of f64); floats to integers round toward zero, out of range to the nearest integer there is
    and NaN to 0; integers to fewer bits keep the low ones; i1 is 0 or 1; to i1: not equal to zero.

    ```mlir
    %b = graph.convert %a : (tensor<4xi32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type($operand, $result)";
  let hasFolder = 1;
}

#endif
