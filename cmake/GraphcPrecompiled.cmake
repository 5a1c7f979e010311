# graphc_precompile(NAME GROUP): the headers that most files of a group include are parsed once, by
# the group's first target. A file still includes what it uses: -D GRAPHC_PRECOMPILED=OFF builds
# without.
option(GRAPHC_PRECOMPILED "Parse the headers that most files share once" ON)
if(GRAPHC_PRECOMPILED)
  # A compiler cache may give back what was parsed in another build folder: sizes are compared,
  # times are not.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()

set(GRAPHC_HEADERS_runtime
  <algorithm> <atomic> <condition_variable> <cstring> <filesystem> <fstream> <functional> <map>
  <memory> <mutex> <optional> <set> <sstream> <string> <thread> <vector> <absl/status/statusor.h>
  <absl/strings/str_cat.h> <absl/strings/str_format.h> <absl/strings/str_join.h>
  <absl/strings/str_split.h> <absl/time/clock.h>)
set(GRAPHC_HEADERS_plan ${GRAPHC_HEADERS_runtime} <runtime/common/base/ProcessLog.h>
  <runtime/common/plan/plan.pb.h>)
set(GRAPHC_HEADERS_service ${GRAPHC_HEADERS_plan} <runtime/service/service.pb.h>)
set(GRAPHC_HEADERS_graphrun ${GRAPHC_HEADERS_service} <CLI/CLI.hpp>)
set(GRAPHC_HEADERS_test ${GRAPHC_HEADERS_runtime} <runtime/common/plan/plan.pb.h> <gmock/gmock.h>
  <gtest/gtest.h>)
set(GRAPHC_HEADERS_dialect <dialects/graph/GraphDialect.h> <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/IR/BuiltinOps.h> <mlir/IR/OpImplementation.h> <mlir/IR/PatternMatch.h>
  <mlir/Interfaces/FunctionInterfaces.h> <llvm/ADT/TypeSwitch.h>)
set(GRAPHC_HEADERS_graph ${GRAPHC_HEADERS_dialect} <dialects/graph/ops/OpHelpers.h>
  <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/SCF/IR/SCF.h>)
set(GRAPHC_HEADERS_pass <dialects/dist/DistDialect.h> <dialects/graph/GraphDialect.h>
  <passes/Passes.h> <runtime/common/plan/plan.pb.h> <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Dialect/LLVMIR/LLVMDialect.h>
  <mlir/Dialect/Linalg/IR/Linalg.h> <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/MemRef/IR/MemRef.h> <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Vector/IR/VectorOps.h> <mlir/IR/PatternMatch.h> <mlir/Pass/PassManager.h>
  <llvm/ADT/MapVector.h> <llvm/ADT/StringExtras.h> <llvm/ADT/TypeSwitch.h>)

function(graphc_precompile name group)
  if(NOT GRAPHC_PRECOMPILED)
    return()
  endif()
  get_property(first GLOBAL PROPERTY GRAPHC_PRECOMPILED_${group})
  if(first)
    target_precompile_headers(${name} REUSE_FROM ${first})
  else()
    target_precompile_headers(${name} PRIVATE ${GRAPHC_HEADERS_${group}})
    set_property(GLOBAL PROPERTY GRAPHC_PRECOMPILED_${group} ${name})
  endif()
endfunction()
