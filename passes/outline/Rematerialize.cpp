//===- Rematerialize.cpp - cheap values in front of their late users once more -------------------------------===//
#include "passes/LibraryKind.h"
#include "passes/Passes.h"
#include "passes/analysis/Recomputation.h"
#include "passes/outline/Recompute.h"
#include "passes/outline/RecomputedBlock.h"

namespace graphc {
#define GEN_PASS_DEF_REMATERIALIZE
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr llvm::StringLiteral kAsked = "dist.recompute_bytes", kDone = "dist.recomputed";

struct RematerializePass : impl::RematerializeBase<RematerializePass> {
  void runOnOperation() override {
    dist::ProgramOp program = getOperation();
    auto asked = program->getAttrOfType<IntegerAttr>(kAsked);
    if (!asked)
      return;
    program->removeAttr(kAsked);
    RecomputedBlock block(program.getBlock(), getLibraryKind(program));
    const uint64_t peak = block.getPeak(), bytes = uint64_t(asked.getInt());
    const TimeModel time{cluster::MachineCalibration()};
    const auto engine = program.runsPtx() ? TimeModel::Engine::Gpu : TimeModel::Engine::Host;
    const RecomputedBlock::Result result = block.recompute(peak > bytes ? peak - bytes : 0, time, engine);
    numValues += result.values;
    program->setAttr(kDone, Builder(program).getDenseI64ArrayAttr({int64_t(result.values), int64_t(result.bytes),
                                                                   int64_t(result.seconds * 1e9), !result.isEnough}));
  }
};

} // namespace
} // namespace graphc
