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

def Decompose : Pass<"decompose", "::mlir::ModuleOp"> {
  let summary = "write composite ops in primitives";
  let description = [{
    Input: graph ops anywhere in the module. Output: of the graph ops that compute only constant, iota, the elementwise
    ones but logistic, rsqrt, sign and power, compare, select, convert, reshape, transpose, broadcast_in_dim, reduce_sum,
    reduce_max, argmax, matmul and bias_add are left. Each expansion is the definition of its op: what it computes is
    fixed here, on the op alone, whatever the partitioning. Runs before `outline`, so that lowering knows primitives only.
  }];
  let dependentDialects = ["::graphc::graph::GraphDialect"];
  let statistics = [Statistic<"numExpanded", "expanded", "composite ops that were expanded">];
}

//===----------------------------------------------------------------------------------------------------------===//
// place: every op and variable has one full device
//===----------------------------------------------------------------------------------------------------------===//

//===----------------------------------------------------------------------------------------------------------===//
// replicate: what N replicas mean
//===----------------------------------------------------------------------------------------------------------===//

//===----------------------------------------------------------------------------------------------------------===//
// partition: one program per lane kind
//===----------------------------------------------------------------------------------------------------------===//

//===----------------------------------------------------------------------------------------------------------===//
// outline: kernels, library calls, buffers
//===----------------------------------------------------------------------------------------------------------===//

//===----------------------------------------------------------------------------------------------------------===//
// schedule: total order, overlap, arena, liveness
//===----------------------------------------------------------------------------------------------------------===//

//===----------------------------------------------------------------------------------------------------------===//
// lower: kernels to LLVM
//===----------------------------------------------------------------------------------------------------------===//

#endif
