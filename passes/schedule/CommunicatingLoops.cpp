#include "passes/schedule/CommunicatingLoops.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace graphc {

llvm::MapVector<Operation *, unsigned> numberLoops(ModuleOp module, dist::PhaseOp phase) {
  llvm::MapVector<Operation *, unsigned> numbers;
  llvm::EquivalenceClasses<Operation *> together;
  llvm::DenseMap<Attribute, Operation *> loopOf; // by channel: the first that acts on it
  for (auto program : module.getOps<dist::ProgramOp>()) {
    if (program.getPhase() != phase.getSymName())
      continue;
    for (Operation &op : program.getBlock()) {
      if (!dist::isTalkingLoop(&op))
        continue;
      numbers[&op] = 0;
      together.insert(&op);
      for (auto end : dist::getLoopBody(&op)->getOps<dist::ChannelEndOpInterface>())
        for (FlatSymbolRefAttr channel : end.getUsedChannels())
          together.unionSets(&op, loopOf.try_emplace(channel, &op).first->second);
    }
  }
  llvm::DenseMap<Operation *, unsigned> ofLeader;
  for (auto &[loop, number] : numbers)
    number = ofLeader.try_emplace(together.getLeaderValue(loop), unsigned(ofLeader.size()))
                 .first->second;
  return numbers;
}

} // namespace graphc
