// RUN: graph-opt %s --set-stage=stage=placed | FileCheck %s
// RUN: graph-opt %s --split-input-file --set-stage=stage=plcaed --verify-diagnostics
// CHECK: module attributes {graph.stage = "placed"}
// expected-error @below {{unknown stage "plcaed"}}
module {}
