//===- RematerializeValues.cpp - cheap values in front of their late users once more ----------===//
#include "passes/LibraryKind.h"
#include "passes/Passes.h"
#include "passes/analysis/RematerializationChoice.h"
#include "passes/outline/BlockRematerializer.h"
#include "passes/outline/DuplicateCheapOps.h"

namespace graphc {
#define GEN_PASS_DEF_REMATERIALIZEVALUES
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr llvm::StringLiteral kAsked = "dist.recompute_bytes", kDone = "dist.recomputed";

struct RematerializeValuesPass : impl::RematerializeValuesBase<RematerializeValuesPass> {
  void runOnOperation() override {
    dist::ProgramOp program = getOperation();
    auto asked = program->getAttrOfType<IntegerAttr>(kAsked);
    if (!asked)
      return;
    program->removeAttr(kAsked);
    BlockRematerializer rematerializer(program.getBlock(), getLibraryKind(program));
    const uint64_t peak = rematerializer.getPeak(), bytes = uint64_t(asked.getInt());
    const TimeModel time{cluster::MachineCalibration()};
    const auto engine = program.runsPtx() ? TimeModel::Engine::Gpu : TimeModel::Engine::Host;
    const BlockRematerializer::Result result =
        rematerializer.rematerialize(peak > bytes ? peak - bytes : 0, time, engine);
    numValues += result.values;
    program->setAttr(kDone, Builder(program).getDenseI64ArrayAttr(
                                {int64_t(result.values), int64_t(result.bytes),
                                 int64_t(result.seconds * 1e9), !result.isEnough}));
  }
};

} // namespace
} // namespace graphc
