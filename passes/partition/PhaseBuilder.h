// One program while partition fills it, and all programs and channels of one phase.
#ifndef GRAPHC_PASSES_PARTITION_PHASEBUILDER_H
#define GRAPHC_PASSES_PARTITION_PHASEBUILDER_H

#include "dialects/dist/DistDialect.h"
#include "dialects/graph/GraphDialect.h"
#include "passes/place/DistributionSpec.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace graphc {

/// The step of one device. `map` knows, for every value of the function that this program has, its
/// own copy: computed here, received or made anew.
struct ProgramBuilder {
  ProgramBuilder(dist::ProgramOp op, mlir::OpBuilder builder, std::string suffix)
      : op(op), builder(builder), suffix(std::move(suffix)) {}
  dist::ProgramOp op;
  mlir::OpBuilder builder; ///< at the end of the body, before dist.end
  mlir::IRMapping map;
  std::string suffix; ///< "ps0", "worker"
  /// Behind the last send of each value, so that a value's sends follow it in the order of their
  /// consumers.
  llvm::DenseMap<mlir::Value, mlir::Operation *> lastSend;
};

class BackupWorkers;

/// Builds the programs of one function. Every value goes to a program at most once.
class PhaseBuilder {
public:
  PhaseBuilder(mlir::ModuleOp module, graph::FuncOp func, const DistributionSpec &distribution);
  ~PhaseBuilder();

  /// Before the first operation: what only some strategies need, checked.
  mlir::LogicalResult start();

  /// The program of a device, made when it is first asked for.
  ProgramBuilder &getProgram(graph::DeviceAttr device);

  /// The value in `program`: its own, received over a channel from the program that has it, or a
  /// constant made anew.
  mlir::Value getValue(mlir::Value value, ProgramBuilder &program, mlir::Location user);
  /// The sum of a value that every replica has.
  mlir::Value getAggregate(graph::AggregateOp aggregate, ProgramBuilder &program);
  /// Every replica's value end to end, and each replica's piece of one; of one replica a value that
  /// goes to another program.
  void collect(graph::CollectOp collect, ProgramBuilder &program);
  void deal(graph::DealOp deal, ProgramBuilder &program);
  /// The sums that every replica needs, several a message: `bucket` is in text order and everything
  /// summed is computed before the first of them.
  void reduceEverywhere(llvm::ArrayRef<graph::AggregateOp> bucket, ProgramBuilder &program);

  /// Control messages from the chief's program to all and back to itself; update tickets in
  /// asynchronous phases.
  mlir::LogicalResult finish();

  // What those build with who know more of a strategy (BackupWorkers.h).
  std::unique_ptr<ProgramBuilder> createProgram(graph::DeviceAttr device, std::string suffix,
                                                int64_t replicas, bool locks);
  dist::ChannelOp createChannel(mlir::Value value, ProgramBuilder &from, ProgramBuilder &to,
                                mlir::Location loc);
  dist::ChannelOp createChannel(const llvm::Twine &name, mlir::RankedTensorType type,
                                ProgramBuilder &from, ProgramBuilder &to, mlir::Location loc,
                                bool control, bool allToAll = false);
  dist::SendOp send(mlir::Value value, ProgramBuilder &from, dist::ChannelOp channel);
  /// Likewise, of as many of its entries as `count` says, which `from` has; all where it is null.
  dist::SendOp sendFront(mlir::Value value, mlir::Value count, ProgramBuilder &from,
                         dist::ChannelOp channel);
  /// The copy of a value that this program makes itself; null where another program has it.
  mlir::Value getOwnValue(mlir::Value value, ProgramBuilder &program);
  /// Whether channels lead from one program to another.
  bool isHeard(ProgramBuilder &from, ProgramBuilder &to);
  /// Before each step's update ticket, that `program` is done with the step before.
  void sendReady(ProgramBuilder &program, ProgramBuilder &owner, mlir::Operation *ticket);

  mlir::ModuleOp module;
  graph::FuncOp func;
  const DistributionSpec &dist;
  dist::PhaseOp phase;
  llvm::MapVector<graph::DeviceAttr, std::unique_ptr<ProgramBuilder>> programs;

private:
  /// This name, or where the module has a symbol of it, the model's own for one, another.
  std::string getUniqueName(const llvm::Twine &name);
  mlir::LogicalResult addTicket();
  void sendTicket(ProgramBuilder &owner, ProgramBuilder &program, graph::VariableOp step,
                  mlir::OpBuilder &builder);
  void addControl();

  const bool async_; ///< this phase ends by end of stream, and each replica's updates are its own
  /// where this phase takes the first replicas of each step; else null
  const std::unique_ptr<BackupWorkers> backup_;
  /// before the function, where its phase, channels and programs go
  mlir::OpBuilder symbolBuilder_;
  mlir::Operation *lastChannel_ = nullptr;
  /// Every symbol of the module, and how many more asked for its name.
  llvm::StringMap<unsigned> symbols_;
};

} // namespace graphc

#endif // GRAPHC_PASSES_PARTITION_PHASEBUILDER_H
