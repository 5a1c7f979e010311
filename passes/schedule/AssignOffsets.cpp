#include "passes/schedule/AssignOffsets.h"

#include "passes/analysis/ArenaLayout.h"
#include "passes/schedule/BufferUses.h"
#include "passes/schedule/InsertSumReleases.h"
#include "runtime/common/plan/AllReduceMoves.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace graphc {

static void eraseUnused(dist::ProgramOp program) {
  SmallVector<Operation *> declarations;
  program.getBody().walk([&](Operation *op) {
    if (isDeclaration(*op))
      declarations.push_back(op);
  });
  for (Operation *op : llvm::reverse(declarations))
    if (op->use_empty())
      op->erase();
}

namespace {
/// An operation that touches memory and its place in the text; that of the loop around it, which is
/// before what is inside, and where it ends. Of what stands in none its own.
struct MemoryAccess {
  Operation *op;
  uint32_t position, loopFirst, loopLast;
};
} // namespace

static SmallVector<MemoryAccess> getPlaces(dist::ProgramOp program) {
  SmallVector<MemoryAccess> places;
  uint32_t position = 0;
  for (Operation &op : program.getBlock()) {
    auto repeat = dyn_cast<dist::RepeatOp>(op);
    if (!repeat) {
      if (!isDeclaration(op))
        places.push_back({&op, position, position, position});
      ++position;
      continue;
    }
    Block &body = repeat.getBody().front();
    const uint32_t first = position++, last = first + uint32_t(body.getOperations().size());
    for (Operation &inside : body) {
      if (!isDeclaration(inside))
        places.push_back({&inside, position, first, last});
      ++position;
    }
  }
  return places;
}

FailureOr<ArenaSizes> planMemory(dist::ProgramOp program, const SymbolTable &symbols) {
  eraseUnused(program);
  BufferUses bufferUses(program, symbols);
  llvm::MapVector<Value, ArenaRequest> lives;
  llvm::DenseMap<Attribute, Value> sending; // by channel
  const SmallVector<MemoryAccess> places = getPlaces(program);
  const uint32_t last = places.empty() ? 0 : places.back().loopLast + 1;

  auto extend = [&](Value root, uint32_t position) {
    if (root.getDefiningOp<dist::BufferOp>())
      lives[root].last = std::max(lives[root].last, position);
  };
  for (const auto &[op, position, loopFirst, loopLast] : places) {
    FailureOr<SmallVector<BufferUse>> uses = bufferUses.get(op);
    if (failed(uses))
      return failure();
    for (const BufferUse &use : *uses) {
      if (!use.root.getDefiningOp<dist::BufferOp>())
        continue;
      auto [life, isNew] = lives.insert(
          {use.root, ArenaRequest{dist::getBufferBytes(use.root), position, position}});
      if (isNew && use.read) {
        InFlightDiagnostic diag =
            op->emitOpError("reads a buffer that nothing wrote before in this step");
        diag.attachNote(use.root.getLoc())
            << "the buffer is declared here; what it holds from the last step is undefined";
        return diag;
      }
      // What a loop's sums are kept in lives from time to time, and what is made before it until
      // the last has read it.
      if (use.written && isa<dist::AccumulateOp>(op))
        life->second.first = std::min(life->second.first, loopFirst);
      extend(use.root, use.until == dist::BufferHold::StepEnd ? last
                       : life->second.first <= loopFirst      ? std::max(position, loopLast)
                                                              : position);
      if (isa<dist::FeedIntoOp>(op))
        life->second.first = 0;
    }
    if (auto start = dyn_cast<dist::AllReduceStartOp>(op))
      if (auto life = lives.find(bufferUses.getRoot(start.getBuffer())); life != lives.end())
        life->second.alignment =
            sumsAreMappable(symbols.lookup<dist::ChannelOp>(start.getChannel()))
                ? plan::kMappableBytes
                : kArenaAlignment;
    auto end = dyn_cast<dist::ChannelEndOpInterface>(op);
    for (const BufferUse &use : *uses)
      if (use.until == dist::BufferHold::SendDone)
        sending[end.getUsedChannels().front()] = use.root;
    if (end && end.getChannelEnd() == dist::ChannelEnd::Complete)
      // none: a variable that the step before has sent
      if (Value root = sending.lookup(end.getUsedChannels().front()))
        extend(root, position);
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
