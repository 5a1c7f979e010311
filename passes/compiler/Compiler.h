//===- Compiler.h - a model and a cluster into a plan: what other programs call -----*- C++ -*-===//
//
//   auto cluster = graphc::cluster::parseCluster(R"({"ps": 1, "worker": 2})", "cluster.json");
//   graphc::CompileResult result = graphc::compileFile("model.mlir", *cluster);
//   if (!result.plan)
//     for (const graphc::Diagnostic &diagnostic : result.diagnostics)
//       std::cerr << graphc::toText(diagnostic);
//
// Any number of threads may compile at once; each call has all that it changes to itself, and what
// LLVM and lld have once a process is taken in turns. Nothing is printed. CompilerInstance.h has
// the same step by step, for whoever has a module of MLIR's in hand.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_COMPILER_COMPILER_H
#define GRAPHC_PASSES_COMPILER_COMPILER_H

#include "passes/compiler/Diagnostic.h"
#include "runtime/common/cluster/ClusterConfig.h"
#include "runtime/common/plan/plan.pb.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphc {

struct CompileOptions {
  std::string targetCpu = "native"; ///< as LLVM names it; "native": this machine's
  /// Of GPUs, as LLVM names them: code runs on the oldest and what came after it, and is ready for
  /// each where NVIDIA's ptxas is there.
  std::vector<std::string> cudaArchs = {"sm_80", "sm_90", "sm_100"};
  std::string keepCode; ///< folder for the native code's files; empty: none
  unsigned intraOpThreads = 1; ///< of one matmul, where a run does not say another number
  bool noCublaslt = false; ///< all products of GPUs are compiled
  /// Files that are read beside the model: its functions call theirs. Text or bytecode of the graph
  /// dialect, or StableHLO (docs/import.md).
  std::vector<std::string> imports;
  /// Trees of arguments of imported functions that become variables: "params['w']" is @params.w.
  /// Those of the first are trained.
  std::vector<std::string> importVariables = {"params"};
  /// a device that the model names and the cluster lacks is a remark, not an error
  bool softPlacement = false;
};

struct CompileResult {
  std::optional<plan::Plan> plan; ///< nothing where an error was said
  /// in the order in which they were said; remarks where there is a plan
  std::vector<Diagnostic> diagnostics;
};

/// What is given nothing as its cluster is compiled for what the model itself says of one (a module
/// that was placed before, programs made by hand), else for one task.
using MaybeCluster = std::optional<cluster::ClusterConfig>;

/// `model`: MLIR's text or bytecode. `name` stands for it in diagnostics and in the plan.
CompileResult compile(std::string_view model, std::string_view name,
                      const MaybeCluster &cluster = std::nullopt,
                      const CompileOptions &options = {});
/// The same of a file.
CompileResult compileFile(const std::string &path, const MaybeCluster &cluster = std::nullopt,
                          const CompileOptions &options = {});

} // namespace graphc

#endif
