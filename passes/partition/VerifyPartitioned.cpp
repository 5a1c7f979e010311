// verify-partitioned: what the symbol verifiers of the dist dialect cannot see by themselves.
#include "passes/Passes.h"

#include "dialects/dist/DistDialect.h"
#include "dialects/graph/GraphDialect.h"
#include "passes/place/DistributionSpec.h"
#include "runtime/common/device/DeviceKinds.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_VERIFYPARTITIONED
#include "passes/Passes.h.inc"

namespace {

struct VerifyPartitionedPass : impl::VerifyPartitionedBase<VerifyPartitionedPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved(); // and the module need not be verified again
    ModuleOp module = getOperation();
    for (auto func : module.getOps<graph::FuncOp>()) {
      func.emitOpError("expected to be gone after partition");
      return signalPassFailure();
    }
    llvm::SmallDenseMap<Attribute, dist::PhaseOp> byRole;
    for (auto phase : module.getOps<dist::PhaseOp>()) {
      auto [first, isNew] = byRole.try_emplace(phase.getRole(), phase);
      if (!isNew) {
        InFlightDiagnostic diag =
            phase.emitOpError("is the second one of its role, so that no run would reach it");
        diag.attachNote(first->second.getLoc()) << "the first one is here";
        return signalPassFailure();
      }
      if (failed(verifyPhase(module, phase)) || failed(verifyData(module, phase)))
        return signalPassFailure();
    }
    SymbolTable symbols(module);
    for (auto program : module.getOps<dist::ProgramOp>())
      if (failed(verifyDevice(program)) || failed(verifyState(module, symbols, program)))
        return signalPassFailure();
  }

private:
  static bool isAhead(Operation *op) {
    auto send = dyn_cast<dist::SendStartOp>(op);
    return send && send.getAhead();
  }

  /// An update ticket begins a step: only what tells it who is where is received before
  /// (dist.receive), nothing sent or summed.
  LogicalResult verifyBefore(dist::TicketOp ticket) {
    for (Operation *op = ticket->getPrevNode(); op; op = op->getPrevNode())
      if (isa<dist::ChannelEndOpInterface>(op) && !isa<dist::ReceiveOp, dist::ReleaseOp>(op)) {
        InFlightDiagnostic diag =
            op->emitOpError("stands before the dist.ticket of its program; of what sends and "
                            "receives only dist.receive may");
        diag.attachNote(ticket.getLoc()) << "the ticket is taken here";
        return diag;
      }
    return success();
  }

  /// A phase ends in every program at the same step: by the control message as the last thing that
  /// a step does, but for what it sends ahead, or by end of stream, which one update ticket starts.
  LogicalResult verifyPhase(ModuleOp module, dist::PhaseOp phase) {
    dist::ControlSendOp control;
    dist::TicketOp ticket;
    for (auto program : module.getOps<dist::ProgramOp>()) {
      if (program.getPhase() != phase.getSymName())
        continue;
      for (Operation &op : program.getBlock()) {
        if (auto send = dyn_cast<dist::ControlSendOp>(op))
          control = send;
        if (auto here = dyn_cast<dist::TicketOp>(op)) {
          if (ticket) {
            InFlightDiagnostic diag = op.emitOpError("is the second one of phase @")
                                      << phase.getSymName();
            diag.attachNote(ticket.getLoc()) << "the first one is here";
            return diag;
          }
          ticket = here;
          if (failed(verifyBefore(here)))
            return failure();
        }
      }
      if (phase.getEndsByEndOfStream())
        continue;
      auto words = program.getBlock().getOps<dist::ControlReceiveOp>();
      Operation *next = words.empty() ? nullptr : (*words.begin())->getNextNode();
      while (next && isa<dist::SendDoneOp, dist::ReleaseOp>(next))
        next = next->getNextNode();
      if (!next || !(isa<dist::EndOp>(next) || isAhead(next))) {
        InFlightDiagnostic diag =
            program.emitOpError("expected dist.control_receive as the last thing of its step, or "
                                "right before what it sends ahead");
        diag.attachNote(phase.getLoc())
            << "phase @" << phase.getSymName() << " ends by the control message";
        return diag;
      }
    }
    if (phase.getEndsByEndOfStream() && !ticket)
      return phase.emitOpError(
          "ends by end of stream, but none of its programs takes a dist.ticket");
    if (!phase.getEndsByEndOfStream() && !control)
      return phase.emitOpError("has no dist.control_send, so that nothing would end it");
    return success();
  }

  struct Batch {
    FlatSymbolRefAttr dataset; ///< null: the operation takes none
    bool padded = false;
  };
  static Batch getBatch(Operation *op) {
    if (auto next = dyn_cast<graph::NextBatchOp>(op))
      return {next.getDatasetAttr(), next.getPadLast()};
    if (auto next = dyn_cast<dist::NextBatchIntoOp>(op))
      return {next.getDatasetAttr(), next.getPadLast()};
    return {};
  }

  /// A run counts epochs by what the phase says that a step takes, the same for all replicas.
  LogicalResult verifyData(ModuleOp module, dist::PhaseOp phase) {
    bool readsItsOwn = false;
    for (auto program : module.getOps<dist::ProgramOp>()) {
      if (program.getPhase() != phase.getSymName())
        continue;
      WalkResult result = program.getBody().walk([&](Operation *op) -> WalkResult {
        Batch batch = getBatch(op);
        if (!batch.dataset)
          return success();
        if (!phase.getDataset()) {
          InFlightDiagnostic diag = op->emitOpError("reads @")
                                    << batch.dataset.getValue() << ", but phase @"
                                    << phase.getSymName() << " takes no samples";
          diag.attachNote(phase.getLoc()) << "expected samples_per_step and dataset here";
          return diag;
        }
        readsItsOwn |= batch.dataset == phase.getDatasetAttr();
        if (batch.padded && phase.getEndsByEndOfStream() && program.isReplicated()) {
          InFlightDiagnostic diag =
              op->emitOpError("pads the last batch of an epoch (pad_last), but the replicas of @")
              << phase.getSymName()
              << " do not wait for each other, so they have no epoch in common";
          diag.attachNote()
              << "without pad_last batches run over the end of the data set; with the gradients of all "
                 "replicas in each step (neither \"update\": \"async\" nor \"replicas_to_aggregate\") "
                 "epochs have an end";
          return diag;
        }
        return success();
      });
      if (result.wasInterrupted())
        return failure();
    }
    if (phase.getDataset() && !readsItsOwn)
      return phase.emitOpError("takes samples of @")
             << *phase.getDataset() << ", which none of its programs reads";
    return success();
  }

  /// There is code for the device, and the cluster's tasks have it.
  LogicalResult verifyDevice(dist::ProgramOp program) {
    std::string error;
    std::optional<graph::DeviceName> device = graph::DeviceName::parse(program.getDevice(), error);
    const device::DeviceKind *kind = device ? device::findKind(device->kind) : nullptr;
    if (!kind || !kind->hasCode())
      return program.emitOpError("is on \"")
             << program.getDevice() << "\"; this version has code for "
             << device::listCompiledKinds() << " alone";
    auto cluster = getOperation()->getAttrOfType<graph::ClusterAttr>(graph::GraphDialect::kCluster);
    if (!cluster)
      return success();
    StringRef job = device->job.empty() ? cluster.getChief().getJob() : StringRef(device->job);
    int64_t count = 0;
    for (graph::DeviceAttr other : cluster.getDevices(job, -1)) {
      if (other.getKind() == device->kind && other.getIndex() == device->index.value_or(0))
        return success();
      count += other.getKind() == device->kind;
    }
    return program.emitOpError("is on \"")
           << program.getDevice() << "\"; a task of job " << job << " has " << count << " "
           << device->kind << (count == 1 ? "" : "s") << ", counted from 0";
  }

  /// A variable without a task has a copy in every replica, and the chief uses its own.
  static bool isMirror(ModuleOp module, graph::DeviceAttr owner, dist::ProgramOp program) {
    auto cluster = module->getAttrOfType<graph::ClusterAttr>(graph::GraphDialect::kCluster);
    if (owner.getTask() >= 0 || !cluster)
      return false;
    graph::DeviceAttr chief = cluster.getChief();
    return program.getDevice() == graph::DeviceAttr::get(owner.getContext(), chief.getJob(),
                                                         chief.getTask(), owner.getKind(),
                                                         owner.getIndex())
                                      .str();
  }

  /// Variables are touched on the device that stores them alone.
  LogicalResult verifyState(ModuleOp module, const SymbolTable &symbols, dist::ProgramOp program) {
    return failure(program.getBody()
                       .walk([&](Operation *op) -> WalkResult {
                         return verifyState(module, symbols, program, op);
                       })
                       .wasInterrupted());
  }

  /// Of one operation; a variable of which every replica has a copy is also the chief's.
  LogicalResult verifyState(ModuleOp module, const SymbolTable &symbols, dist::ProgramOp program,
                            Operation *op) {
    for (FlatSymbolRefAttr name : graph::getVariables(op)) {
      auto variable = symbols.lookup<graph::VariableOp>(name.getValue());
      graph::DeviceAttr owner = graph::getDevice(variable);
      if (owner && (owner.str() == program.getDevice() || isMirror(module, owner, program)))
        continue;
      InFlightDiagnostic diag =
          op->emitOpError("touches @")
          << name.getValue() << " on \"" << program.getDevice() << "\", but it is stored on "
          << (owner ? "\"" + owner.str() + "\""
                    : "no device; give the variable {graph.device = #graph.device<\"" +
                          program.getDevice().str() + "\">}");
      diag.attachNote(variable.getLoc()) << "variable declared here";
      return diag;
    }
    return success();
  }
};

} // namespace
} // namespace graphc
