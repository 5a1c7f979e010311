#include "passes/schedule/AssignSpaces.h"

#include "passes/schedule/BufferUses.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace graphc {

namespace {

class Placer {
public:
  Placer(dist::ProgramOp program, const SymbolTable &symbols)
      : program_(program), symbols_(symbols), uses_(program, symbols),
        declarations_(&program.getBlock().front()) {}

  FailureOr<unsigned> run() {
    program_.walk([&](Operation *op) {
      if (isDoneByQueues(op))
        for (Value operand : op->getOperands())
          onDevice_.insert(rootOf(operand));
    });
    for (Operation &op : llvm::make_early_inc_range(program_.getBlock()))
      if (auto repeat = dyn_cast<dist::RepeatOp>(op);
          failed(repeat ? placeBody(repeat) : place(&op)))
        return failure();
    return copies_;
  }

private:
  static bool isDoneByQueues(Operation *op) {
    return isa<dist::CallOp, dist::LibraryCallOp, dist::AccumulateOp>(op);
  }
  LogicalResult place(Operation *op);
  LogicalResult placeBody(dist::RepeatOp repeat);
  void copyMessage(dist::ReceiveOp receive);
  /// The host's memory for an operand in the device's.
  Value stage(Operation *op, Value operand, dist::BufferAccess access);
  /// As BufferUses has it, of new buffers too.
  Value rootOf(Value buffer) const {
    while (auto view = buffer.getDefiningOp<dist::ViewOp>())
      buffer = view.getSource();
    Value root = uses_.getRoot(buffer);
    return root ? root : buffer;
  }

  Value newBuffer(Type type, Location loc, bool host) {
    OpBuilder builder(declarations_);
    return dist::BufferOp::create(builder, loc, type, IntegerAttr(), host);
  }
  void copy(OpBuilder builder, Location loc, Value from, Value to) {
    dist::CopyOp::create(builder, loc, from, to, IntegerAttr());
    ++copies_;
  }

  dist::ProgramOp program_;
  const SymbolTable &symbols_;
  BufferUses uses_;
  Operation *declarations_; ///< new buffers stand in front of it
  llvm::DenseSet<Value> onDevice_; ///< roots that calls touch
  /// what the device holds → the host's copy that is still equal
  llvm::MapVector<Value, Value> current_;
  llvm::DenseMap<Attribute, Value> summing_; ///< by channel: the host's buffer that it sums in
  unsigned copies_ = 0;
};

} // namespace

/// Calls read it in the device's memory; what forwards the message takes it where it lies.
void Placer::copyMessage(dist::ReceiveOp receive) {
  Value message = receive.getValue(),
        there = newBuffer(message.getType(), receive.getLoc(), /*host=*/false);
  message.replaceUsesWithIf(there, [](OpOperand &use) {
    return isDoneByQueues(use.getOwner()) || isa<dist::ViewOp>(use.getOwner());
  });
  OpBuilder builder(receive->getContext());
  builder.setInsertionPointAfter(receive);
  copy(builder, receive.getLoc(), message, there);
  onDevice_.erase(message);
  onDevice_.insert(there);
}

Value Placer::stage(Operation *op, Value operand, dist::BufferAccess access) {
  if (auto done = dyn_cast<dist::AllReduceDoneOp>(op))
    return summing_.lookup(done.getChannelAttr());
  if (Value equal = current_.lookup(operand); equal && access == dist::BufferAccess::Read)
    return equal;
  Value host = newBuffer(operand.getType(), op->getLoc(), /*host=*/true);
  if (access != dist::BufferAccess::Write)
    copy(OpBuilder(op), op->getLoc(), operand, host);
  if (access == dist::BufferAccess::Read)
    current_[operand] = host;
  if (auto start = dyn_cast<dist::AllReduceStartOp>(op))
    summing_[start.getChannelAttr()] = host;
  return host;
}

LogicalResult Placer::place(Operation *op) {
  if (auto buffer = dyn_cast<dist::BufferOp>(op)) {
    buffer.setHost(!onDevice_.contains(buffer.getBuffer()));
    return success();
  }
  if (auto constant = dyn_cast<dist::ConstantBufferOp>(op)) {
    constant.setHost(!onDevice_.contains(constant.getBuffer()));
    return success();
  }
  if (auto variable = dyn_cast<dist::VariableBufferOp>(op)) {
    onDevice_.insert(uses_.getRoot(variable.getBuffer()));
    return success();
  }
  if (auto receive = dyn_cast<dist::ReceiveOp>(op)) {
    if (Value count = receive.getCount(); count && onDevice_.contains(rootOf(count)))
      receive.getCountMutable().assign(stage(op, count, dist::BufferAccess::Read));
    if (onDevice_.contains(receive.getValue()))
      copyMessage(receive);
    return success();
  }
  if (isDeclaration(*op) || isa<dist::CopyOp>(op))
    return success();
  auto touching = dyn_cast<dist::BufferEffectsOpInterface>(op);
  if (!touching)
    return success(); // the order refuses it
  FailureOr<SmallVector<dist::BufferEffect>> effects = touching.getBufferEffects(symbols_);
  if (failed(effects))
    return failure();
  for (const dist::BufferEffect &effect : *effects) {
    Value root = rootOf(effect.buffer);
    const bool written = effect.access != dist::BufferAccess::Read;
    if (!onDevice_.contains(root))
      continue;
    if (!isDoneByQueues(op)) {
      Value host = stage(op, effect.buffer, effect.access);
      op->replaceUsesOfWith(effect.buffer, host);
      // Until the sum is made the device's memory holds what was added.
      if (written && !isa<dist::AllReduceStartOp>(op)) {
        OpBuilder builder(op->getContext());
        builder.setInsertionPointAfter(op);
        copy(builder, op->getLoc(), host, effect.buffer);
      }
    }
    if (written)
      current_.remove_if([&](auto &entry) { return rootOf(entry.first) == root; });
  }
  return success();
}

/// Of one time: what the host had of the device's memory before may be that of the time before, and
/// what it has then may be so behind it. What the lane alone fills, samples and numbers, stands
/// first, then their copies, which alone the lane waits for before it fills again, then all else.
LogicalResult Placer::placeBody(dist::RepeatOp repeat) {
  Block &body = repeat.getBody().front();
  current_.clear();
  for (Operation &op : llvm::make_early_inc_range(body))
    if (failed(place(&op)))
      return failure();
  current_.clear();
  SmallVector<Operation *> filling;
  for (Operation &op : body)
    if (isa<dist::NextBatchIntoOp, dist::MicroBatchIndexIntoOp>(op) &&
        llvm::none_of(op.getOperands(),
                      [&](Value buffer) { return buffer.getParentBlock() == &body; }))
      filling.push_back(&op);
  SmallVector<Operation *> copied; // at once, so that the copies are a segment of their own
  for (Operation *op : filling)
    for (Operation &copy : body)
      if (auto from = dyn_cast<dist::CopyOp>(copy);
          from && llvm::is_contained(op->getOperands(), from.getFrom()) &&
          from.getTo().getParentBlock() != &body)
        copied.push_back(&copy);
  for (ArrayRef<Operation *> first : {ArrayRef(copied), ArrayRef(filling)})
    for (Operation *op : llvm::reverse(first))
      op->moveBefore(&body, body.begin());
  return success();
}

FailureOr<unsigned> placeInSpaces(dist::ProgramOp program, const SymbolTable &symbols) {
  return Placer(program, symbols).run();
}

} // namespace graphc
