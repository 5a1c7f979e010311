#include "passes/schedule/Publish.h"

#include "passes/schedule/BufferUses.h"
#include "passes/schedule/PhaseLiveness.h"

using namespace mlir;

namespace graphc {

/// Below a page the copy is cheaper than to have the sender wait for a release.
static constexpr int64_t kLeastBytes = 4096;

/// The runtime releases a fetched message after the step's last instruction, where no proof sees it.
static bool isFetched(dist::ReceiveOp receive) {
  SmallVector<Value> names = {receive.getValue()};
  for (size_t i = 0; i < names.size(); ++i)
    for (Operation *user : names[i].getUsers()) {
      if (isa<dist::FetchOp, dist::MetricOp>(user))
        return true;
      if (auto view = dyn_cast<dist::ViewOp>(user))
        names.push_back(view.getBuffer());
    }
  return false;
}

unsigned publishChannels(ModuleOp module, dist::PhaseOp phase) {
  SymbolTable symbols(module);
  SmallVector<dist::ChannelOp> published;
  llvm::DenseSet<Attribute> fetched;
  for (auto program : module.getOps<dist::ProgramOp>())
    if (program.getPhase() == phase.getSymName())
      for (auto receive : program.getBlock().getOps<dist::ReceiveOp>())
        if (isFetched(receive))
          fetched.insert(receive.getChannelAttr());
  for (auto program : module.getOps<dist::ProgramOp>()) {
    if (program.getPhase() != phase.getSymName() || program.getLocksVariables())
      continue;
    BufferUses uses(program);
    for (auto send : program.getBlock().getOps<dist::SendStartOp>()) {
      Operation *root = uses.getRoot(send.getValue()).getDefiningOp();
      auto channel = symbols.lookup<dist::ChannelOp>(send.getChannel());
      if (!isa<dist::VariableBufferOp, dist::ConstantBufferOp>(root) || channel.getMessageBytes() < kLeastBytes ||
          !channel.leavesInPlace() || fetched.contains(send.getChannelAttr()))
        continue;
      channel.setPublished(true);
      published.push_back(channel);
    }
    for (auto start : program.getBlock().getOps<dist::AllReduceStartOp>()) {
      auto channel = symbols.lookup<dist::ChannelOp>(start.getChannel());
      if (!channel.leavesInPlace())
        continue;
      channel.setPublished(true);
      published.push_back(channel);
    }
  }
  // A program may send a gradient before it last uses the parameter and then wait for something else of the same server:
  // rare, and a copy frees it.
  for (;;) {
    SmallVector<dist::ChannelOp> circle = findBorrowsInCircle(module, phase);
    if (circle.empty())
      break;
    for (dist::ChannelOp channel : circle)
      channel.setPublished(false);
  }
  llvm::erase_if(published, [](dist::ChannelOp channel) { return !channel.getPublished(); });
  for (dist::ChannelOp channel : published)
    channel.setCapacity(1); // the send_done before the next send waits for the release, also where that is ahead
  return unsigned(published.size());
}

} // namespace graphc
