#include "passes/schedule/Memory.h"

#include "passes/analysis/Arena.h"
#include "passes/schedule/BufferUses.h"
#include "runtime/plan/AllReduce.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace graphc {

static void eraseUnused(dist::ProgramOp program) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(program.getBlock())))
    if (isDeclaration(op) && op.use_empty())
      op.erase();
}

/// Where the pieces of a sum are whole pages, others may map them.
static uint64_t getAlignment(dist::AllReduceStartOp start, const SymbolTable &symbols) {
  auto channel = symbols.lookup<dist::ChannelOp>(start.getChannel());
  uint64_t chunk =
      *channel.getChunk() * uint64_t(graph::getElementBytes(getElementTypeOrSelf(start.getBuffer().getType())));
  return channel.getAlgorithm() == "scatter" && plan::mapsSums(plan::SCATTER, chunk) ? plan::kMappableBytes
                                                                                     : kArenaAlignment;
}

FailureOr<ArenaSizes> planMemory(dist::ProgramOp program, const SymbolTable &symbols) {
  eraseUnused(program);
  BufferUses bufferUses(program, symbols);
  llvm::MapVector<Value, ArenaRequest> lives;
  llvm::DenseMap<Attribute, Value> sending; // by channel
  uint32_t last = uint32_t(llvm::range_size(program.getBlock()));

  auto extend = [&](Value root, uint32_t position) {
    if (root.getDefiningOp<dist::BufferOp>())
      lives[root].last = std::max(lives[root].last, position);
  };
  for (auto [position, op] : llvm::enumerate(program.getBlock())) {
    if (isDeclaration(op))
      continue;
    FailureOr<SmallVector<BufferUse>> uses = bufferUses.get(&op);
    if (failed(uses))
      return failure();
    for (const BufferUse &use : *uses) {
      if (!use.root.getDefiningOp<dist::BufferOp>())
        continue;
      auto [life, isNew] = lives.insert(
          {use.root, ArenaRequest{dist::getBufferBytes(use.root), uint32_t(position), uint32_t(position)}});
      if (isNew && use.read) {
        InFlightDiagnostic diag = op.emitOpError("reads a buffer that nothing wrote before in this step");
        diag.attachNote(use.root.getLoc())
            << "the buffer is declared here; what it holds from the last step is undefined";
        return diag;
      }
      extend(use.root, use.until == dist::Until::StepEnd ? last : uint32_t(position));
      if (isa<dist::FeedIntoOp>(op))
        life->second.first = 0;
    }
    if (auto start = dyn_cast<dist::AllReduceStartOp>(op))
      if (auto life = lives.find(bufferUses.getRoot(start.getBuffer())); life != lives.end())
        life->second.alignment = getAlignment(start, symbols);
    auto end = dyn_cast<dist::ChannelEndOpInterface>(op);
    for (const BufferUse &use : *uses)
      if (use.until == dist::Until::SendDone)
        sending[end.getUsedChannels().front()] = use.root;
    if (end && end.getChannelEnd() == dist::ChannelEnd::Complete)
      if (Value root = sending.lookup(end.getUsedChannels().front())) // none: a variable that the step before has sent
        extend(root, uint32_t(position));
  }

  const bool hasQueues = program.hasQueues();
  ArenaSizes sizes;
  auto planSpace = [&](bool host) {
    std::vector<ArenaRequest> requests;
    SmallVector<dist::BufferOp> buffers;
    for (auto &[root, life] : lives) {
      auto buffer = root.getDefiningOp<dist::BufferOp>();
      if ((buffer.getHost() || !hasQueues) != host)
        continue;
      requests.push_back(life);
      buffers.push_back(buffer);
      sizes.total += life.bytes;
    }
    ArenaPlan plan = planArena(requests);
    for (auto [i, buffer] : llvm::enumerate(buffers))
      buffer.setOffset(plan.offsets[i]);
    sizes.bytes += plan.bytes;
    sizes.lowerBound += arenaLowerBound(requests);
    return plan.bytes;
  };
  program.setArenaBytes(planSpace(/*host=*/true));
  if (hasQueues)
    program.setDeviceArenaBytes(planSpace(/*host=*/false));
  return sizes;
}

} // namespace graphc
