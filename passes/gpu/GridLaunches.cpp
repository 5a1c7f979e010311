#include "passes/gpu/GridLaunches.h"

using namespace mlir;

namespace graphc::gpu {

/// Evaluations of a body up to which one block does a kernel that would need several launches.
constexpr int64_t kOneBlock = 32 * 1024;
/// Evaluations that a block is given, where the block loop allows it: 256 threads, 8 each.
constexpr int64_t kPerBlock = 2048;
constexpr int64_t kWarp = 32, kBlockThreads = 256, kMostThreads = 1024;
/// Evaluations a thread that stages which share a launch may come to; beyond, launches of their own
/// have more threads.
constexpr int64_t kMostPerThread = 64;

namespace {

class Cutter {
public:
  explicit Cutter(ArrayRef<KernelStage> stages) : stages_(stages) {}

  SmallVector<GridLaunch> run() {
    SmallVector<GridLaunch> launches;
    for (unsigned first = 0; first < stages_.size();) {
      GridLaunch launch = alone(first);
      for (unsigned count = 2; first + count <= stages_.size(); ++count) {
        std::optional<GridLaunch> longer = together(first, count);
        if (!longer)
          break;
        launch = std::move(*longer);
      }
      first += launch.stages;
      launches.push_back(std::move(launch));
    }
    if (launches.size() > 1 &&
        llvm::all_of(stages_, [](const KernelStage &stage) { return stage.work <= kOneBlock; }))
      return {oneBlock(0, unsigned(stages_.size()))};
    return launches;
  }

private:
  GridLaunch oneBlock(unsigned first, unsigned count) const {
    GridLaunch launch;
    launch.firstStage = first;
    launch.stages = count;
    launch.blockLoops.resize(count);
    int64_t most = 1;
    for (const KernelStage &stage : stages_.slice(first, count))
      most = std::max(most, stage.nest ? stage.work : stage.parts);
    launch.threads = std::clamp<int64_t>(llvm::alignTo(uint64_t(most), kWarp), kWarp, kMostThreads);
    return launch;
  }

  /// Its largest parallel loop is the block loop. Of loops over parts each thread has a part.
  GridLaunch alone(unsigned stage) const {
    if (stages_[stage].parts > 1) {
      GridLaunch launch = oneBlock(stage, 1);
      launch.size = stages_[stage].parts;
      launch.threads =
          std::min<int64_t>(llvm::alignTo(uint64_t(launch.size), kWarp), kBlockThreads);
      launch.perBlock = launch.threads;
      return launch;
    }
    if (std::optional<GridLaunch> best = together(stage, 1))
      return *best;
    return oneBlock(stage, 1);
  }

  std::optional<GridLaunch> together(unsigned first, unsigned count) const {
    for (int64_t size : getBlockSizes(stages_.slice(first, count))) {
      std::optional<SmallVector<BlockLoop>> loops =
          findBlockLoops(stages_.slice(first, count), size);
      if (!loops)
        continue;
      GridLaunch launch;
      launch.firstStage = first;
      launch.stages = count;
      launch.size = size;
      launch.blockLoops = std::move(*loops);
      shape(launch);
      if (count > 1 && !isWide(launch))
        continue;
      return launch;
    }
    return std::nullopt;
  }

  /// How much of the block loop a block has, by how many threads.
  void shape(GridLaunch &launch) const {
    int64_t most = 1, longest = 1; // evaluations an index of the block loop; items of a sum
    bool columns = false, flat = true;
    for (unsigned i = 0; i < launch.stages; ++i) {
      const KernelStage &stage = stages_[launch.firstStage + i];
      most = std::max(most, stage.work / launch.size);
      flat &= stage.work == launch.size;
      const auto [nest, loop] = stage.splitAt(launch.blockLoops[i], launch.size);
      int64_t length = 1;
      for (const NestLoop &each : nest.loops)
        length *= each.reduction ? each.size : 1;
      longest = std::max(longest, length);
      // Neighbouring indices of the block loop lie together in what is read along other loops as
      // well.
      for (const NestOperand &operand : nest.inputs)
        columns |=
            !operand.isScalar && operand.coefficients[loop] == 1 &&
            llvm::any_of(operand.coefficients, [](int64_t step) { return step != 0 && step != 1; });
    }
    launch.perBlock = std::clamp<int64_t>(kPerBlock / most, 1, launch.size);
    if (flat)
      launch.perBlock = std::min<int64_t>(kBlockThreads * 4, launch.size);
    else if (columns)
      launch.perBlock =
          std::min<int64_t>(std::max<int64_t>(kWarp, launch.perBlock / kWarp * kWarp), launch.size);
    const int64_t evaluations = launch.perBlock * most;
    launch.threads = std::clamp<int64_t>(
        llvm::alignTo(uint64_t(llvm::divideCeil(evaluations, 4)), kWarp), kWarp, kBlockThreads);
    if (longest > 4 * kBlockThreads * 4)
      launch.threads = kMostThreads;
  }

  bool isWide(const GridLaunch &launch) const {
    const int64_t threads = launch.blocks() * launch.threads;
    return llvm::all_of(
        stages_.slice(launch.firstStage, launch.stages),
        [&](const KernelStage &stage) { return stage.work <= threads * kMostPerThread; });
  }

  ArrayRef<KernelStage> stages_;
};

} // namespace

FailureOr<SmallVector<GridLaunch>> cutIntoLaunches(func::FuncOp kernel) {
  FailureOr<KernelStages> stages = readStages(kernel);
  if (failed(stages))
    return failure();
  return Cutter(stages->list).run();
}

} // namespace graphc::gpu
