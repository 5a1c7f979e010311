#include "passes/schedule/BufferUses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace graphc {

bool isDeclaration(Operation &op) {
  return isa<dist::BufferOp, dist::VariableBufferOp, dist::ConstantBufferOp, dist::ViewOp>(op);
}

BufferUses::BufferUses(dist::ProgramOp program) : program(program), symbols(program->getParentOp()) {
  llvm::StringMap<Value> variables;
  for (Operation &op : program.getBlock()) {
    if (auto view = dyn_cast<dist::ViewOp>(op)) {
      roots[view.getBuffer()] = roots.lookup(view.getSource());
    } else if (auto variable = dyn_cast<dist::VariableBufferOp>(op)) {
      roots[variable.getBuffer()] = variables.try_emplace(variable.getVariable(), variable.getBuffer()).first->second;
    } else {
      for (Value result : op.getResults())
        roots[result] = result;
    }
  }
}

FailureOr<SmallVector<BufferUse>> BufferUses::get(Operation *op) const {
  SmallVector<BufferUse> uses;
  auto add = [&](Value buffer, bool read, bool written) {
    if (!buffer)
      return;
    Value root = getRoot(buffer);
    for (BufferUse &use : uses)
      if (use.root == root) {
        use.read |= read;
        use.written |= written;
        return;
      }
    uses.push_back({root, read, written});
  };
  auto result =
      llvm::TypeSwitch<Operation *, LogicalResult>(op)
          .Case([&](dist::CallOp call) -> LogicalResult {
            auto kernel = symbols.lookup<func::FuncOp>(call.getKernel());
            if (!kernel)
              return call.emitOpError("calls the kernel @")
                     << call.getKernel()
                     << ", which is no func.func of this module; schedule runs before kernels are lowered";
            for (auto [i, buffer] : llvm::enumerate(call.getBuffers())) {
              std::optional<dist::Access> access = dist::getAccess(kernel, unsigned(i));
              if (!access) {
                InFlightDiagnostic diag = call.emitOpError("calls the kernel @")
                                          << call.getKernel() << ", which does not say how it uses its argument " << i;
                diag.attachNote(kernel.getLoc())
                    << "expected the argument attribute dist.access = \"read\", \"write\" or \"read_write\"";
                return diag;
              }
              add(buffer, access != dist::Access::Write, access != dist::Access::Read);
            }
            return success();
          })
          .Case([&](dist::LibraryMatmulOp call) {
            for (Value buffer : {call.getA(), call.getB(), call.getBias()})
              add(buffer, true, false);
            for (Value buffer : {call.getC(), call.getScratch()})
              add(buffer, false, true);
            return success();
          })
          .Case([&](dist::NextBatchIntoOp next) {
            for (Value buffer : next->getOperands())
              add(buffer, false, true);
            return success();
          })
          .Case([&](dist::AggregateIntoOp into) {
            add(into.getAccumulator(), false, true);
            add(into.getOwn(), true, false);
            return success();
          })
          .Case<dist::AllReduceStartOp, dist::AllReduceDoneOp>([&](auto reduce) {
            add(reduce.getBuffer(), true, true);
            add(reduce.getScratch(), false, true);
            return success();
          })
          .Case([&](dist::FeedIntoOp into) {
            add(into.getBuffer(), false, true);
            return success();
          })
          .Case([&](dist::AggregateChosenIntoOp into) {
            add(into.getAccumulator(), false, true);
            add(into.getSet(), true, false);
            return success();
          })
          .Case([&](dist::ChooseIntoOp choose) {
            add(choose.getVersion(), true, false);
            add(choose.getSet(), false, true);
            return success();
          })
          .Case([&](dist::ReceiveOp receive) {
            add(receive.getValue(), false, true);
            return success();
          })
          .Case<dist::SendOp, dist::SendStartOp, dist::FetchOp, dist::MetricOp>([&](auto reader) {
            for (Value buffer : reader->getOperands())
              add(buffer, true, false);
            return success();
          })
          .Case<dist::AcquireOp, dist::SendDoneOp, dist::ReleaseOp, dist::ControlSendOp, dist::ControlReceiveOp,
                dist::TicketOp, dist::EndOp>([](auto) { return success(); })
          .Default([](Operation *other) -> LogicalResult {
            return other->emitOpError("has no place in a program of buffers; outline turns what computes into kernels");
          });
  if (failed(result))
    return failure();
  return uses;
}

LogicalResult BufferUses::forEach(llvm::function_ref<void(Operation &, const BufferUse &)> visit) const {
  for (Operation &op : dist::ProgramOp(program).getBlock()) {
    if (isDeclaration(op))
      continue;
    FailureOr<SmallVector<BufferUse>> uses = get(&op);
    if (failed(uses))
      return failure();
    for (const BufferUse &use : *uses)
      visit(op, use);
  }
  return success();
}

} // namespace graphc
