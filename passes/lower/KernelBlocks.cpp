#include "passes/lower/KernelBlocks.h"

#include "passes/PartRangeLoop.h"

#include <limits>

using namespace mlir;

namespace graphc {
namespace {

/// Evaluations of a kernel's bodies from which on it is cut, and that a block has at least: some 5
/// to 50 microseconds, where to share one out takes less than one.
constexpr int64_t kCutFrom = 64 * 1024, kPerBlock = 16 * 1024;
constexpr int64_t kMostBlocks = 32;
/// Neighbouring elements of a row that a block has at least, where it has a part of each row.
constexpr int64_t kLeastRun = 48;
/// How many are enough: one thread that does all blocks, one behind the other, is no slower than
/// with whole rows.
constexpr int64_t kLongRun = 96;
/// Elements of a cache line. Blocks begin at multiples, so that no two threads write the same line.
constexpr int64_t kLine = 16;

constexpr int64_t kEndless = std::numeric_limits<int64_t>::max();

/// What blocks of the block loop part: whether neighbouring elements at all, and whether those of
/// others stand between them.
struct Runs {
  bool neighbours = false, skips = false;

  /// How many neighbouring elements a block of so many indices touches before it skips those of
  /// others. 0: blocks would part lines.
  int64_t of(int64_t indices) const {
    return !neighbours ? kEndless : indices % kLine ? 0 : skips ? indices : kEndless;
  }
};

Runs readRuns(ArrayRef<KernelStage> stages, ArrayRef<BlockLoop> loops, int64_t size, int64_t work) {
  Runs runs;
  for (auto [stage, at] : llvm::zip(stages, loops)) {
    const auto [nest, loop] = stage.splitAt(at, size);
    auto visit = [&, &nest = nest, loop = loop](const NestOperand &operand) {
      if (operand.isScalar || operand.coefficients[loop] != 1)
        return;
      int64_t touched = 1;
      for (auto [each, step] : llvm::zip(nest.loops, operand.coefficients))
        touched *= step ? each.size : 1;
      if (touched * 8 < work)
        return; // what is small matters little
      runs.neighbours = true;
      runs.skips |= llvm::any_of(operand.coefficients, [](int64_t step) { return step > 1; });
    };
    llvm::for_each(nest.inputs, visit);
    llvm::for_each(nest.outputs, visit);
  }
  return runs;
}

/// Of a kernel that is one loop over parts. Parts are often elements that lie together, so that
/// blocks have whole lines of them.
std::optional<KernelBlocks> cutParts(PartLoop loop) {
  const int64_t work = loop.getWork();
  if (work < kCutFrom)
    return std::nullopt;
  const int64_t count = std::min(kMostBlocks, work / kPerBlock);
  KernelBlocks blocks;
  blocks.parts = int64_t(llvm::alignTo(uint64_t(llvm::divideCeil(loop.parts, count)), kLine));
  blocks.count = llvm::divideCeil(loop.parts, blocks.parts);
  return blocks.count > 1 ? std::optional(blocks) : std::nullopt;
}

} // namespace

FailureOr<std::optional<KernelBlocks>> chooseBlocks(func::FuncOp kernel) {
  if (kernel.isExternal()) // a GPU's alone
    return std::optional<KernelBlocks>();
  if (SmallVector<SmallVector<Operation *>> stages = getStages(kernel.getBody().front());
      stages.size() == 1)
    if (std::optional<PartLoop> loop = PartLoop::match(stages.front().front()))
      return cutParts(*loop);
  int64_t work = 0;
  kernel.walk([&](linalg::LinalgOp op) {
    int64_t evaluations = 1;
    for (int64_t size : op.getStaticLoopRanges())
      evaluations *= std::max<int64_t>(size, 1); // of unknown size: refused where nests are made
    work += evaluations;
  });
  if (work < kCutFrom)
    return std::optional<KernelBlocks>();
  FailureOr<KernelStages> stages = readStages(kernel);
  if (failed(stages))
    return failure();
  if (llvm::any_of(stages->list, [](const KernelStage &stage) { return stage.usesIndices; }))
    return std::optional<KernelBlocks>();
  std::optional<KernelBlocks> best;
  int64_t bestRun = kLeastRun - 1;
  for (int64_t size : getBlockSizes(stages->list)) {
    std::optional<SmallVector<BlockLoop>> loops;
    Runs runs;
    for (int64_t count = std::min({kMostBlocks, work / kPerBlock, size / 2});
         count > 1 && bestRun < kEndless; --count) {
      if (size % count)
        continue;
      if (!loops) {
        if (!(loops = findBlockLoops(stages->list, size)))
          break;
        runs = readRuns(stages->list, *loops, size, work);
      }
      const int64_t run = runs.of(size / count);
      if (run <= bestRun)
        continue;
      best = KernelBlocks{count, size, *loops};
      bestRun = run;
      if (run >= kLongRun)
        break; // fewer blocks have longer runs, which is not worth it
    }
  }
  return best;
}

} // namespace graphc
