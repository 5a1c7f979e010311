#include "passes/lower/KernelStages.h"

#include "passes/PartRangeLoop.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace graphc {

size_t splitLoop(FlatLoopNest &nest, const BlockLoop &at, int64_t size) {
  const int64_t whole = nest.loops[at.loop].size;
  if (whole == size)
    return at.loop;
  const bool outer = at.part == BlockLoop::Part::Outer;
  const int64_t inner = outer ? whole / size : size;
  nest.loops[at.loop].size = whole / inner;
  nest.loops.insert(nest.loops.begin() + at.loop + 1, {inner, nest.loops[at.loop].reduction});
  auto split = [&](NestOperand &operand) {
    const int64_t step = operand.coefficients.empty() ? 0 : operand.coefficients[at.loop];
    if (operand.isScalar) {
      operand.coefficients.push_back(0);
      return;
    }
    operand.coefficients[at.loop] = step * inner;
    operand.coefficients.insert(operand.coefficients.begin() + at.loop + 1, step);
  };
  llvm::for_each(nest.inputs, split);
  llvm::for_each(nest.outputs, split);
  return outer ? at.loop : at.loop + 1;
}

SmallVector<SmallVector<Operation *>> getStages(Block &body) {
  SmallVector<SmallVector<Operation *>> stages;
  bool open = false; // the last one is a run that may go on
  for (Operation &op : body.without_terminator()) {
    if (isa<linalg::LinalgOp>(op) || PartLoop::match(&op)) {
      stages.push_back({&op});
      open = false;
    } else if (!isMemoryEffectFree(&op)) {
      if (!open)
        stages.emplace_back();
      stages.back().push_back(&op);
      open = true;
    }
  }
  return stages;
}

std::pair<FlatLoopNest, size_t> KernelStage::splitAt(const BlockLoop &at, int64_t size) const {
  FlatLoopNest split = *nest;
  const size_t loop = splitLoop(split, at, size);
  return {std::move(split), loop};
}

FailureOr<KernelStages> readStages(func::FuncOp kernel) {
  KernelStages stages;
  stages.nests = kernel.clone();
  for (ArrayRef<Operation *> ops : getStages(stages.nests->getBody().front())) {
    KernelStage stage;
    if (auto op = dyn_cast<linalg::LinalgOp>(ops.front())) {
      OpBuilder builder(op);
      FailureOr<FlatLoopNest> nest = buildNest(op, builder);
      if (failed(nest))
        return failure();
      for (const NestLoop &loop : nest->loops)
        stage.work *= loop.size;
      stage.usesIndices = !nest->body->getOps<linalg::IndexOp>().empty();
      stage.nest = std::move(*nest);
    } else if (std::optional<PartLoop> loop = PartLoop::match(ops.front())) {
      stage.work = loop->getWork();
      stage.parts = loop->parts;
    }
    stages.list.push_back(std::move(stage));
  }
  return stages;
}

std::set<int64_t, std::greater<>> getBlockSizes(ArrayRef<KernelStage> stages) {
  std::set<int64_t, std::greater<>> sizes;
  for (const KernelStage &stage : stages) {
    if (!stage.nest)
      return {};
    for (const NestLoop &loop : stage.nest->loops)
      if (!loop.reduction)
        sizes.insert(loop.size);
  }
  return sizes;
}

namespace {

/// The argument whose memory it is.
Value rootOf(Value memory) {
  while (Operation *view = memory.getDefiningOp()) {
    if (!isa<memref::ReinterpretCastOp, memref::SubViewOp>(view))
      break;
    memory = view->getOperand(0);
  }
  return memory;
}

/// Whose index of the block loop an element belongs to: (element - offset) / step mod its size.
/// Nothing where that is not so.
std::optional<std::pair<int64_t, int64_t>> ownerOf(const FlatLoopNest &nest,
                                                   const NestOperand &operand, size_t blockLoop) {
  const int64_t step = operand.coefficients[blockLoop], size = nest.loops[blockLoop].size;
  if (step <= 0)
    return std::nullopt;
  int64_t span = 0;
  for (auto [loop, each] : llvm::enumerate(operand.coefficients)) {
    if (loop == blockLoop || each == 0 || nest.loops[loop].size == 1)
      continue;
    if (each < 0)
      return std::nullopt;
    if (each % (step * size))
      span += each * (nest.loops[loop].size - 1);
  }
  if (span >= step)
    return std::nullopt;
  return std::pair(operand.offset, step);
}

SmallVector<BlockLoop> optionsOf(const KernelStage &stage, int64_t size) {
  SmallVector<BlockLoop> options;
  for (auto [i, loop] : llvm::enumerate(stage.nest->loops)) {
    if (loop.reduction || loop.size % size)
      continue;
    if (loop.size == size) {
      options.push_back({i, BlockLoop::Part::Whole});
    } else if (!stage.usesIndices) {
      options.push_back({i, BlockLoop::Part::Outer});
      options.push_back({i, BlockLoop::Part::Inner});
    }
  }
  return options;
}

/// A stage's nest with its block loop, and which that is.
using Split = std::pair<FlatLoopNest, size_t>;

/// Whether the last chosen stage meets the others in memory of its own index alone.
bool agrees(ArrayRef<Split> chosen) {
  const auto &[nest, loop] = chosen.back();
  for (const auto &[before, beforeLoop] : chosen.drop_back()) {
    auto meet = [&, &before = before, &beforeLoop = beforeLoop, &nest = nest,
                 &loop = loop](ArrayRef<NestOperand> first, ArrayRef<NestOperand> second) {
      for (const NestOperand &a : first)
        for (const NestOperand &b : second)
          if (!a.isScalar && !b.isScalar && rootOf(a.memory) == rootOf(b.memory)) {
            auto owner = ownerOf(before, a, beforeLoop);
            if (!owner || owner != ownerOf(nest, b, loop))
              return false;
          }
      return true;
    };
    if (!meet(before.outputs, nest.outputs) || !meet(before.outputs, nest.inputs) ||
        !meet(before.inputs, nest.outputs))
      return false;
  }
  return true;
}

/// A block loop for each further stage that agrees with those chosen.
bool choose(ArrayRef<KernelStage> stages, int64_t size, SmallVector<BlockLoop> &chosen,
            std::vector<Split> &splits) {
  if (chosen.size() == stages.size())
    return true;
  const KernelStage &stage = stages[chosen.size()];
  for (const BlockLoop &option : optionsOf(stage, size)) {
    chosen.push_back(option);
    splits.push_back(stage.splitAt(option, size));
    if (agrees(splits) && choose(stages, size, chosen, splits))
      return true;
    splits.pop_back();
    chosen.pop_back();
  }
  return false;
}

} // namespace

std::optional<SmallVector<BlockLoop>> findBlockLoops(ArrayRef<KernelStage> stages, int64_t size) {
  SmallVector<BlockLoop> chosen;
  std::vector<Split> splits;
  if (!choose(stages, size, chosen, splits))
    return std::nullopt;
  return chosen;
}

} // namespace graphc
