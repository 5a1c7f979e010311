#include "passes/schedule/InsertSumReleases.h"

#include "passes/schedule/BufferUses.h"
#include "passes/schedule/OpTimes.h"
#include "runtime/common/plan/AllReduceMoves.h"

using namespace mlir;

namespace graphc {

bool sumsAreMappable(dist::ChannelOp channel) {
  if (!channel.getChunk())
    return false;
  const uint64_t chunk = *channel.getChunk() *
                         uint64_t(graph::getElementBytes(channel.getTensorType().getElementType()));
  return plan::mapsSums(algorithmOf(channel), chunk);
}

namespace {

/// The sums of one bucket, as far as the program has been walked.
struct Sums {
  FlatSymbolRefAttr channel;
  dist::BufferOp bucket;
  /// null: they are not made yet; then their all_reduce_done, until there is a call
  Operation *lastRead = nullptr;
  bool sent = false;             ///< by everybody
  bool inBucket = false;         ///< something needs them there

  bool meets(dist::BufferOp other) {
    const uint64_t begin = *bucket.getOffset(), otherBegin = *other.getOffset();
    return otherBegin < begin + dist::getBufferBytes(bucket.getBuffer()) &&
           begin < otherBegin + dist::getBufferBytes(other.getBuffer());
  }
  void touch(Operation *op, const BufferUse &use) {
    // shown by the host, who knows no other place
    inBucket |= use.until == dist::BufferHold::StepEnd;
    if (!lastRead)
      return;
    // A loop counts as none: its accumulates read too.
    inBucket |= sent || use.written || use.root != bucket.getBuffer() ||
                !isa<dist::CallOp, dist::LibraryCallOp>(op);
    lastRead = op;
  }
};

} // namespace

FailureOr<SmallVector<dist::ReleaseOp>> releaseSums(dist::ProgramOp program,
                                                    const SymbolTable &symbols) {
  BufferUses bufferUses(program, symbols);
  SmallVector<Sums> all;
  for (auto start : program.getBlock().getOps<dist::AllReduceStartOp>()) {
    auto channel = symbols.lookup<dist::ChannelOp>(start.getChannel());
    auto bucket = bufferUses.getRoot(start.getBuffer()).getDefiningOp<dist::BufferOp>();
    if (channel.getZeroCopy() && sumsAreMappable(channel) && bucket &&
        *bucket.getOffset() % plan::kMappableBytes == 0)
      all.push_back({start.getChannelAttr(), bucket});
  }
  if (all.empty())
    return SmallVector<dist::ReleaseOp>();
  const bool hasQueues = program.hasQueues();
  for (Operation &op : program.getBlock()) {
    if (isDeclaration(op))
      continue;
    FailureOr<SmallVector<BufferUse>> uses = bufferUses.get(&op);
    if (failed(uses))
      return failure();
    for (const BufferUse &use : *uses)
      if (auto buffer = use.root.getDefiningOp<dist::BufferOp>();
          buffer && (buffer.getHost() || !hasQueues))
        for (Sums &sums : all)
          if (sums.meets(buffer))
            sums.touch(&op, use);
    auto end = dyn_cast<dist::ChannelEndOpInterface>(op);
    for (Sums &sums : all) {
      if (!end || !llvm::is_contained(end.getUsedChannels(), sums.channel))
        continue;
      if (end.getChannelEnd() == dist::ChannelEnd::Receive)
        sums.lastRead = &op;
      sums.sent |= end.getChannelEnd() == dist::ChannelEnd::Complete;
    }
  }
  SmallVector<dist::ReleaseOp> releases;
  for (Sums &sums : all)
    if (sums.lastRead && !sums.inBucket) {
      OpBuilder builder(program.getContext());
      builder.setInsertionPointAfter(sums.lastRead);
      releases.push_back(dist::ReleaseOp::create(builder, sums.lastRead->getLoc(), sums.channel));
    }
  return releases;
}

} // namespace graphc
