//===- CompilerCApi.cpp - graphc.h: the compiler ----------------------------------------------===//
#include "graphc.h"
#include "passes/compiler/Compiler.h"
#include "runtime/common/plan/PlanFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstring>

using namespace graphc;

struct graphc_compilation {
  std::string plan; ///< empty: none
  std::vector<graphc::Diagnostic> diagnostics; ///< notes behind what they belong to
  std::string text;
};

static constexpr llvm::StringLiteral kClusterName = "cluster.json";

static CompileOptions readOptions(const graphc_compile_options *given) {
  graphc_compile_options options{};
  if (given) // an older program's are shorter
    std::memcpy(&options, given, std::min(given->size, sizeof(options)));
  CompileOptions result;
  if (options.target_cpu)
    result.targetCpu = options.target_cpu;
  if (options.intra_op_threads)
    result.intraOpThreads = options.intra_op_threads;
  result.softPlacement = options.soft_placement != 0;
  result.noCublaslt = options.no_cublaslt != 0;
  result.imports.assign(options.imports, options.imports + options.import_count);
  if (options.import_variable_count)
    result.importVariables.assign(options.import_variables,
                                  options.import_variables + options.import_variable_count);
  return result;
}

/// "cluster.json:3:7: message" as a record.
static graphc::Diagnostic makeClusterError(llvm::StringRef message) {
  graphc::Diagnostic error;
  error.file = kClusterName.str();
  if (message.consume_front(kClusterName) && message.consume_front(":")) {
    message.consumeInteger(10, error.line);
    message.consume_front(":");
    message.consumeInteger(10, error.column);
    message.consume_front(": ");
  }
  error.message = message.str();
  return error;
}

static graphc_compilation *finish(CompileResult result) {
  auto *compilation = new graphc_compilation;
  if (result.plan) {
    absl::StatusOr<std::string> bytes = plan::encodePlan(*result.plan);
    if (bytes.ok())
      compilation->plan = *std::move(bytes);
    else
      result.diagnostics.emplace_back().message = std::string(bytes.status().message());
  }
  for (graphc::Diagnostic &diagnostic : result.diagnostics) {
    compilation->text += toText(diagnostic);
    std::vector<graphc::Diagnostic> notes = std::move(diagnostic.notes);
    compilation->diagnostics.push_back(std::move(diagnostic));
    llvm::append_range(compilation->diagnostics, notes);
  }
  return compilation;
}

/// `compile` takes the cluster that the text describes.
static graphc_compilation *
compileFor(const char *clusterJson,
           llvm::function_ref<CompileResult(const MaybeCluster &)> compile) {
  if (!clusterJson)
    return finish(compile(std::nullopt));
  absl::StatusOr<cluster::ClusterConfig> cluster = cluster::parseCluster(
      clusterJson, std::string_view(kClusterName.data(), kClusterName.size()));
  if (cluster.ok())
    return finish(compile(*std::move(cluster)));
  CompileResult refused;
  std::string message(cluster.status().message());
  refused.diagnostics.push_back(makeClusterError(message));
  return finish(std::move(refused));
}

graphc_compilation *graphc_compile(const void *model, size_t modelBytes, const char *name,
                                   const char *clusterJson, const graphc_compile_options *options) {
  return compileFor(clusterJson, [&](const MaybeCluster &cluster) {
    return compile(std::string_view(static_cast<const char *>(model), modelBytes), name, cluster,
                   readOptions(options));
  });
}

graphc_compilation *graphc_compile_file(const char *path, const char *clusterJson,
                                        const graphc_compile_options *options) {
  return compileFor(clusterJson, [&](const MaybeCluster &cluster) {
    return compileFile(path, cluster, readOptions(options));
  });
}

const void *graphc_plan(const graphc_compilation *compilation, size_t *bytes) {
  *bytes = compilation->plan.size();
  return compilation->plan.empty() ? nullptr : compilation->plan.data();
}

size_t graphc_diagnostic_count(const graphc_compilation *compilation) {
  return compilation->diagnostics.size();
}

graphc_diagnostic graphc_get_diagnostic(const graphc_compilation *compilation, size_t index) {
  const graphc::Diagnostic &diagnostic = compilation->diagnostics[index];
  return {graphc_severity(diagnostic.severity), diagnostic.file.c_str(), diagnostic.line,
          diagnostic.column, diagnostic.message.c_str()};
}

const char *graphc_diagnostics_text(const graphc_compilation *compilation) {
  return compilation->text.c_str();
}

void graphc_free_compilation(graphc_compilation *compilation) { delete compilation; }
