//===- PlanTables.h - the tables of a plan while it is written ----------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_EMIT_PLANTABLES_H
#define GRAPHC_PASSES_EMIT_PLANTABLES_H

#include "dialects/dist/DistDialect.h"
#include "dialects/graph/GraphDialect.h"
#include "passes/place/DistributionSpec.h"
#include "runtime/common/plan/plan.pb.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace graphc {

/// Row-major bytes as the runtime stores them: little endian, i1 one byte an element; one element
/// of a splat.
std::string getRawBytes(mlir::DenseElementsAttr value);
/// INVALID for an element type that tensors of a graph cannot have.
plan::DataType getDataType(mlir::Type element);
void setType(mlir::ShapedType type, plan::TensorType &out);
/// "model.mlir:12:8", the folder left away, and the operation's name where a scope is in it:
/// "net.py:28:9 MLP/Dense_0/dot_general". "" where a location names no file.
std::string getLocationText(mlir::Location location);

/// Symbol name → index, and everything that programs share. Indices follow the text order of the
/// module.
class PlanTables {
public:
  /// `lowered`: a kernel that is not in the LLVM dialect is an error.
  PlanTables(mlir::ModuleOp module, plan::Plan &plan, bool lowered)
      : module_(module), symbols_(module), plan_(plan), lowered_(lowered) {}

  /// Cluster, strategy, replicas, variables, datasets, phases, numbers of programs, channels.
  mlir::LogicalResult fill();

  uint32_t location(mlir::Location location);
  uint32_t constant(std::string bytes);
  /// The kernel that `call` runs on a `kind` of device; the plan notes the `bytes` of each
  /// argument.
  mlir::FailureOr<uint32_t> kernel(mlir::Operation *call, llvm::StringRef name,
                                   llvm::StringRef kind, llvm::ArrayRef<uint64_t> bytes);
  uint32_t library(dist::LibraryCallOp call);
  /// The task of a device that names one, or a diagnostic at `op`.
  mlir::FailureOr<plan::Task> task(mlir::Operation *op, const graph::DeviceName &device);

  llvm::StringMap<uint32_t> variables, datasets, channels, programs, phases;
  llvm::SmallVector<std::string> codeKinds; ///< of the plan's code objects, which are made last

private:
  mlir::LogicalResult fillCluster();
  void fillChoices(plan::Strategy &strategy, graph::DistributionAttr attribute,
                   const DistributionSpec &distribution);
  mlir::LogicalResult fillVariable(graph::VariableOp op);
  mlir::LogicalResult fillDataset(graph::DatasetOp op);
  mlir::LogicalResult fillPhase(dist::PhaseOp op);
  void fillChannel(dist::ChannelOp op);
  mlir::FunctionOpInterface bodyOf(llvm::StringRef kernel) const;

  mlir::ModuleOp module_;
  mlir::SymbolTable symbols_;
  plan::Plan &plan_;
  const bool lowered_;
  /// libraryCalls_: by what they compute
  llvm::StringMap<uint32_t> locations_, kernels_, libraryCalls_;
  llvm::StringMap<unsigned> libraryNames_; ///< how many library kernels would have a name
  /// of kernels, in the code of the host and of GPUs
  llvm::StringMap<uint32_t> entries_, gpuEntries_;
  std::map<std::string, uint32_t> constants_;
};

/// One program: where it runs, its buffers, its instructions.
mlir::LogicalResult emitProgram(dist::ProgramOp op, PlanTables &tables, plan::Plan &plan);

} // namespace graphc
#endif
