#include "passes/schedule/MarkZeroCopy.h"

#include "dialects/graph/CommitPoint.h"
#include "passes/schedule/BufferUses.h"
#include "passes/schedule/InsertSumReleases.h"
#include "passes/schedule/PhaseLiveness.h"

using namespace mlir;

namespace graphc {

/// Below a page the copy is cheaper than to have the sender wait for a release.
static constexpr int64_t kLeastZeroCopyBytes = 4096;

FailureOr<unsigned> markZeroCopy(ModuleOp module, dist::PhaseOp phase) {
  SymbolTable symbols(module);
  SmallVector<dist::ChannelOp> zeroCopy;
  llvm::DenseSet<Attribute> fetched;
  auto consider = [&](Operation &op, const BufferUse &use) {
    // The runtime releases a fetched message after the step's last instruction, where no proof sees
    // it.
    if (auto receive = use.root.getDefiningOp<dist::ReceiveOp>();
        receive && use.until == dist::BufferHold::StepEnd)
      fetched.insert(receive.getChannelAttr());
    auto end = dyn_cast<dist::ChannelEndOpInterface>(op);
    if (!end || end.getChannelEnd() != dist::ChannelEnd::Send || !use.read ||
        op.getParentOfType<dist::ProgramOp>().getLocksVariables())
      return;
    auto channel = symbols.lookup<dist::ChannelOp>(end.getUsedChannels().front().getValue());
    if (channel.getSized())
      return;
    bool isValue = isa<dist::VariableBufferOp, dist::ConstantBufferOp>(use.root.getDefiningOp());
    if (channel.leavesInPlace() &&
        (channel.getAlgorithm() || (isValue && channel.getMessageBytes() >= kLeastZeroCopyBytes)))
      zeroCopy.push_back(channel);
  };
  for (auto program : module.getOps<dist::ProgramOp>())
    if (program.getPhase() == phase.getSymName() &&
        failed(BufferUses(program, symbols).forEach(consider)))
      return failure();
  llvm::DenseMap<Operation *, uint64_t> capacities; // of those that were zero-copy
  for (dist::ChannelOp channel : zeroCopy)
    if (!fetched.contains(FlatSymbolRefAttr::get(channel.getSymNameAttr())) &&
        capacities.try_emplace(channel, channel.getCapacity()).second) {
      channel.setZeroCopy(true);
      // the send_done before the next send waits for the release, also where that is ahead
      channel.setCapacity(1);
    }
  llvm::DenseMap<Attribute, dist::ReleaseOp> releases; // of sums, by channel
  for (auto program : module.getOps<dist::ProgramOp>()) {
    // Behind a commit point nothing waits, so sums are there by then: copied, not read where others
    // have them.
    if (program.getPhase() != phase.getSymName() || recoversFromMemory(module))
      continue;
    FailureOr<SmallVector<dist::ReleaseOp>> ofProgram = releaseSums(program, symbols);
    if (failed(ofProgram))
      return failure();
    for (dist::ReleaseOp release : *ofProgram)
      releases[release.getChannelAttr()] = release;
  }
  // A program may send a gradient before it last uses the parameter and then wait for something
  // else of the same server: rare, and a copy frees it.
  auto copyInstead = [&](dist::ChannelOp channel) {
    channel.setZeroCopy(false);
    if (auto before = capacities.find(channel); before != capacities.end())
      channel.setCapacity(before->second);
    if (auto release = releases.find(FlatSymbolRefAttr::get(channel.getSymNameAttr()));
        release != releases.end()) {
      release->second.erase();
      releases.erase(release);
    }
  };
  if (failed(verifyLiveness(module, phase, copyInstead)))
    return failure();
  return unsigned(llvm::count_if(
      capacities, [](auto &entry) { return cast<dist::ChannelOp>(entry.first).getZeroCopy(); }));
}

} // namespace graphc
