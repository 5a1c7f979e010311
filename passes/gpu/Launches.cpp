#include "passes/gpu/Launches.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>
#include <set>
#include <vector>

using namespace mlir;

namespace graphc::gpu {

/// Evaluations of a body up to which one block does a kernel that would need several launches.
constexpr int64_t kOneBlock = 32 * 1024;
/// Evaluations that a block is given, where the block loop allows it: 256 threads, 8 each.
constexpr int64_t kPerBlock = 2048;
constexpr int64_t kWarp = 32, kThreads = 256, kMostThreads = 1024;
/// Evaluations a thread that stages which share a launch may come to; beyond, launches of their own have more threads.
constexpr int64_t kMostPerThread = 64;

size_t splitLoop(Nest &nest, const BlockLoop &at, int64_t size) {
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
    if (isa<linalg::LinalgOp>(op)) {
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

/// A stage as the cutter looks at it.
struct Shape {
  std::optional<Nest> nest; ///< none: loops that are not read
  int64_t work = 1; ///< evaluations of the body
  bool usesIndices = false;
};

/// Whose block an element belongs to: (element - offset) / step mod size of the block loop. Nothing where that is not so.
std::optional<std::pair<int64_t, int64_t>> ownerOf(const Nest &nest, const NestOperand &operand, size_t blockLoop) {
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

class Cutter {
public:
  explicit Cutter(ArrayRef<Shape> stages) : stages(stages) {}

  SmallVector<Launch> run() {
    SmallVector<Launch> launches;
    for (unsigned first = 0; first < stages.size();) {
      Launch launch = alone(first);
      for (unsigned count = 2; first + count <= stages.size(); ++count) {
        std::optional<Launch> longer = together(first, count);
        if (!longer)
          break;
        launch = std::move(*longer);
      }
      first += launch.stages;
      launches.push_back(std::move(launch));
    }
    if (launches.size() > 1 && llvm::all_of(stages, [](const Shape &stage) { return stage.work <= kOneBlock; }))
      return {oneBlock(0, unsigned(stages.size()))};
    return launches;
  }

private:
  Launch oneBlock(unsigned first, unsigned count) const {
    Launch launch;
    launch.firstStage = first;
    launch.stages = count;
    launch.blockLoops.resize(count);
    int64_t most = 1;
    for (const Shape &stage : stages.slice(first, count))
      most = std::max(most, stage.nest ? stage.work : 1);
    launch.threads = std::clamp<int64_t>(llvm::alignTo(uint64_t(most), kWarp), kWarp, kMostThreads);
    return launch;
  }

  /// Its largest parallel loop is the block loop.
  Launch alone(unsigned stage) const {
    if (std::optional<Launch> best = together(stage, 1))
      return *best;
    return oneBlock(stage, 1);
  }

  std::optional<Launch> together(unsigned first, unsigned count) const {
    std::set<int64_t, std::greater<>> sizes;
    for (const Shape &stage : stages.slice(first, count)) {
      if (!stage.nest)
        return std::nullopt;
      for (const NestLoop &loop : stage.nest->loops)
        if (!loop.reduction)
          sizes.insert(loop.size);
    }
    for (int64_t size : sizes) {
      Launch launch;
      launch.firstStage = first;
      launch.stages = count;
      launch.size = size;
      if (!choose(launch))
        continue;
      shape(launch);
      if (count > 1 && !isWide(launch))
        continue;
      return launch;
    }
    return std::nullopt;
  }

  /// A block loop for each further stage that agrees with those chosen.
  bool choose(Launch &launch) const {
    if (launch.blockLoops.size() == launch.stages)
      return true;
    const Shape &stage = stages[launch.firstStage + launch.blockLoops.size()];
    for (const BlockLoop &option : optionsOf(stage, launch.size)) {
      launch.blockLoops.push_back(option);
      if (agrees(launch) && choose(launch))
        return true;
      launch.blockLoops.pop_back();
    }
    return false;
  }

  static SmallVector<BlockLoop> optionsOf(const Shape &stage, int64_t size) {
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

  /// The nest with its block loop, and which that is.
  std::pair<Nest, size_t> splitAt(const Launch &launch, unsigned stage) const {
    Nest nest = *stages[launch.firstStage + stage].nest;
    const size_t loop = splitLoop(nest, launch.blockLoops[stage], launch.size);
    return {std::move(nest), loop};
  }

  /// Whether the last chosen stage meets the others in memory of its own block alone.
  bool agrees(const Launch &launch) const {
    const unsigned last = unsigned(launch.blockLoops.size()) - 1;
    const auto [nest, loop] = splitAt(launch, last);
    for (unsigned stage = 0; stage < last; ++stage) {
      const auto [before, beforeLoop] = splitAt(launch, stage);
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

  /// How much of the block loop a block has, by how many threads.
  void shape(Launch &launch) const {
    int64_t most = 1, longest = 1; // evaluations an index of the block loop; items of a sum
    bool columns = false, flat = true;
    for (unsigned i = 0; i < launch.stages; ++i) {
      const Shape &stage = stages[launch.firstStage + i];
      most = std::max(most, stage.work / launch.size);
      flat &= stage.work == launch.size;
      const auto [nest, loop] = splitAt(launch, i);
      int64_t length = 1;
      for (const NestLoop &each : nest.loops)
        length *= each.reduction ? each.size : 1;
      longest = std::max(longest, length);
      // Neighbouring indices of the block loop lie together in what is read along other loops as well.
      for (const NestOperand &operand : nest.inputs)
        columns |= !operand.isScalar && operand.coefficients[loop] == 1 &&
                   llvm::any_of(operand.coefficients, [](int64_t step) { return step != 0 && step != 1; });
    }
    launch.perBlock = std::clamp<int64_t>(kPerBlock / most, 1, launch.size);
    if (flat)
      launch.perBlock = std::min<int64_t>(kThreads * 4, launch.size);
    else if (columns)
      launch.perBlock = std::min<int64_t>(std::max<int64_t>(kWarp, launch.perBlock / kWarp * kWarp), launch.size);
    const int64_t evaluations = launch.perBlock * most;
    launch.threads =
        std::clamp<int64_t>(llvm::alignTo(uint64_t(llvm::divideCeil(evaluations, 4)), kWarp), kWarp, kThreads);
    if (longest > 4 * kThreads * 4)
      launch.threads = kMostThreads;
  }

  bool isWide(const Launch &launch) const {
    const int64_t threads = launch.blocks() * launch.threads;
    return llvm::all_of(stages.slice(launch.firstStage, launch.stages),
                        [&](const Shape &stage) { return stage.work <= threads * kMostPerThread; });
  }

  ArrayRef<Shape> stages;
};

} // namespace

FailureOr<SmallVector<Launch>> cutIntoLaunches(func::FuncOp kernel) {
  OwningOpRef<func::FuncOp> scratch = kernel.clone(); // nests insert the views that they read
  std::vector<Shape> shapes;
  for (ArrayRef<Operation *> ops : getStages(scratch->getBody().front())) {
    Shape shape;
    if (auto op = dyn_cast<linalg::LinalgOp>(ops.front())) {
      OpBuilder builder(op);
      FailureOr<Nest> nest = buildNest(op, builder);
      if (failed(nest))
        return failure();
      for (const NestLoop &loop : nest->loops)
        shape.work *= loop.size;
      shape.usesIndices = !nest->body->getOps<linalg::IndexOp>().empty();
      shape.nest = std::move(*nest);
    }
    shapes.push_back(std::move(shape));
  }
  return Cutter(shapes).run();
}

} // namespace graphc::gpu
