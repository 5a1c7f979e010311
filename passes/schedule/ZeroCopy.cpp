#include "passes/schedule/ZeroCopy.h"

#include "passes/schedule/BufferUses.h"
#include "passes/schedule/PhaseLiveness.h"

using namespace mlir;

namespace graphc {

/// Below a page the copy is cheaper than to have the sender wait for a release.
static constexpr int64_t kLeastBytes = 4096;

FailureOr<unsigned> markZeroCopy(ModuleOp module, dist::PhaseOp phase) {
  SymbolTable symbols(module);
  SmallVector<dist::ChannelOp> zeroCopy;
  llvm::DenseSet<Attribute> fetched;
  auto consider = [&](Operation &op, const BufferUse &use) {
    // The runtime releases a fetched message after the step's last instruction, where no proof sees it.
    if (auto receive = use.root.getDefiningOp<dist::ReceiveOp>(); receive && use.until == dist::Until::StepEnd)
      fetched.insert(receive.getChannelAttr());
    auto end = dyn_cast<dist::ChannelEndOpInterface>(op);
    if (!end || end.getChannelEnd() != dist::ChannelEnd::Send || !use.read ||
        op.getParentOfType<dist::ProgramOp>().getLocksVariables())
      return;
    auto channel = symbols.lookup<dist::ChannelOp>(end.getUsedChannels().front().getValue());
    bool isValue = isa<dist::VariableBufferOp, dist::ConstantBufferOp>(use.root.getDefiningOp());
    if (channel.leavesInPlace() && (channel.getAlgorithm() || (isValue && channel.getMessageBytes() >= kLeastBytes)))
      zeroCopy.push_back(channel);
  };
  for (auto program : module.getOps<dist::ProgramOp>())
    if (program.getPhase() == phase.getSymName() && failed(BufferUses(program, symbols).forEach(consider)))
      return failure();
  for (dist::ChannelOp channel : zeroCopy)
    channel.setZeroCopy(!fetched.contains(FlatSymbolRefAttr::get(channel.getSymNameAttr())));
  // A program may send a gradient before it last uses the parameter and then wait for something else of the same server:
  // rare, and a copy frees it.
  for (;;) {
    SmallVector<dist::ChannelOp> circle = findBorrowsInCircle(module, phase);
    if (circle.empty())
      break;
    for (dist::ChannelOp channel : circle)
      channel.setZeroCopy(false);
  }
  llvm::erase_if(zeroCopy, [](dist::ChannelOp channel) { return !channel.getZeroCopy(); });
  for (dist::ChannelOp channel : zeroCopy)
    channel.setCapacity(1); // the send_done before the next send waits for the release, also where that is ahead
  return unsigned(zeroCopy.size());
}

} // namespace graphc
