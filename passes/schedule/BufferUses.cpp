#include "passes/schedule/BufferUses.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace graphc {

bool isDeclaration(Operation &op) {
  return isa<dist::BufferOp, dist::VariableBufferOp, dist::ConstantBufferOp, dist::ViewOp>(op);
}

BufferUses::BufferUses(dist::ProgramOp program, const SymbolTable &symbols)
    : program_(program), symbols_(symbols) {
  llvm::StringMap<Value> variables;
  program.getBody().walk([&](Operation *op) {
    if (auto view = dyn_cast<dist::ViewOp>(op)) {
      roots_[view.getBuffer()] = roots_.lookup(view.getSource());
    } else if (auto variable = dyn_cast<dist::VariableBufferOp>(op)) {
      roots_[variable.getBuffer()] =
          variables.try_emplace(variable.getVariable(), variable.getBuffer()).first->second;
    } else {
      for (Value result : op->getResults())
        roots_[result] = result;
    }
  });
}

FailureOr<SmallVector<BufferUse>> BufferUses::get(Operation *op) const {
  auto touching = dyn_cast<dist::BufferEffectsOpInterface>(op);
  if (!touching)
    return op->emitOpError(
        "has no place in a program of buffers; outline turns what computes into kernels");
  FailureOr<SmallVector<dist::BufferEffect>> effects = touching.getBufferEffects(symbols_);
  if (failed(effects))
    return failure();
  SmallVector<BufferUse> uses;
  for (const dist::BufferEffect &effect : *effects) {
    Value root = getRoot(effect.buffer);
    BufferUse *use = llvm::find_if(uses, [&](const BufferUse &each) { return each.root == root; });
    if (use == uses.end()) {
      uses.push_back({root, false, false, effect.until});
      use = &uses.back();
    }
    use->read |= effect.access != dist::BufferAccess::Write;
    use->written |= effect.access != dist::BufferAccess::Read;
    use->until = std::max(use->until, effect.until);
  }
  return uses;
}

LogicalResult BufferUses::forEach(llvm::function_ref<void(Operation &, const BufferUse &)> visit,
                                  bool inLoops) const {
  WalkResult result =
      dist::ProgramOp(program_).getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (isDeclaration(*op) || (inLoops && isa<dist::RepeatOp>(op)))
          return WalkResult::advance();
        FailureOr<SmallVector<BufferUse>> uses = get(op);
        if (failed(uses))
          return WalkResult::interrupt();
        for (const BufferUse &use : *uses)
          visit(*op, use);
        return WalkResult::skip(); // what a loop repeats is the loop's, or was not skipped above
      });
  return failure(result.wasInterrupted());
}

} // namespace graphc
