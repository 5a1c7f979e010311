// Backup workers: a synchronous phase that takes the first replicas of each step.
//
// A parameter server is two programs here. Its proxy is replicated, instance r for replica r: it
// waits for a version (the value of global_step, in a slot that the main program overwrites), hands
// out the parameters, takes that replica's gradients, lays them down in slots and reports them
// under that version. The main program sends a version, chooses the first replicas that report for
// it, sums their gradients in replica order and applies the mean. So a slow replica stops its own
// proxy alone. What it reports late bears an old version and is dropped, which is also why a proxy
// may read while the main program updates: a mixture of two versions is only ever the base of a
// gradient that comes too late.
//
// One place decides, the owner of global_step. Proxies elsewhere wait for the version from its
// proxy and tell it when their gradients are there; main programs elsewhere get the set, and say
// before the next version that they have applied.
#ifndef GRAPHC_PASSES_PARTITION_BACKUPWORKERS_H
#define GRAPHC_PASSES_PARTITION_BACKUPWORKERS_H

#include "passes/partition/PhaseBuilder.h"

namespace graphc {

class BackupWorkers {
public:
  explicit BackupWorkers(PhaseBuilder &phase) : phase_(phase) {}

  /// Before anything is built: late gradients can be known, and proxies can make what they hand
  /// out.
  mlir::LogicalResult check();
  /// The proxy of a parameter server, made when it is first asked for.
  ProgramBuilder &getProxy(graph::DeviceAttr device);
  /// Of what it hands out: made by the proxy for itself.
  mlir::Value makeValue(mlir::Value value, ProgramBuilder &proxy);
  /// The sum over the replicas that are chosen.
  mlir::Value getSum(graph::AggregateOp aggregate, ProgramBuilder &program);
  /// Last: versions to the proxies, and what says that they have arrived.
  void addVersions();

private:
  mlir::Value getChosen(ProgramBuilder &program);
  dist::ChannelOp createConflating(const llvm::Twine &name, mlir::RankedTensorType type,
                                   ProgramBuilder &from, ProgramBuilder &to, mlir::Location loc);

  PhaseBuilder &phase_;
  /// by parameter server
  llvm::MapVector<graph::DeviceAttr, std::unique_ptr<ProgramBuilder>> proxies_;
  llvm::DenseMap<ProgramBuilder *, mlir::Value> chosen_;
};

} // namespace graphc

#endif // GRAPHC_PASSES_PARTITION_BACKUPWORKERS_H
