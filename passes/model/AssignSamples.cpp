//===- AssignSamples.cpp - which samples each next_batch of a data set takes ------------------===//
#include "dialects/graph/GraphDialect.h"
#include "passes/Passes.h"

#include "llvm/ADT/MapVector.h"

namespace graphc {
#define GEN_PASS_DEF_ASSIGNSAMPLES
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

struct AssignSamplesPass : graphc::impl::AssignSamplesBase<AssignSamplesPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FuncOp>()) {
      if (!function.getRole())
        continue; // a private function's ops count where it is called
      llvm::MapVector<StringAttr, SmallVector<NextBatchOp>> datasets;
      function.walk(
          [&](NextBatchOp next) { datasets[next.getDatasetAttr().getAttr()].push_back(next); });
      for (auto &[dataset, ops] : datasets)
        if (ops.size() > 1 && failed(assign(function, dataset, ops)))
          return signalPassFailure();
    }
  }

  static LogicalResult assign(FuncOp function, StringAttr dataset, ArrayRef<NextBatchOp> ops) {
    uint64_t samples = 0;
    for (NextBatchOp next : ops)
      samples += next.getBatch(); // each at most 2^32 - 1
    if (samples > UINT32_MAX)
      return NextBatchOp(ops.front()).emitOpError()
             << "and the other graph.next_batch ops of @" << dataset.getValue() << " in @"
             << function.getSymName() << " take " << samples
             << " samples together; expected at most " << UINT32_MAX;
    Builder builder(function.getContext());
    int64_t offset = 0;
    for (NextBatchOp next : ops) {
      next.setOffset(uint64_t(offset));
      next.setStrideAttr(builder.getI64IntegerAttr(int64_t(samples)));
      offset += int64_t(next.getBatch());
    }
    NextBatchOp first = ops.front(), second = ops[1];
    InFlightDiagnostic remark = first.emitRemark()
                                << "the " << ops.size() << " graph.next_batch of @"
                                << dataset.getValue() << " in @" << function.getSymName()
                                << " share its samples: each takes the next ones in execution "
                                   "order, so one micro-batch takes "
                                << samples << " samples";
    remark.attachNote(second.getLoc()) << "the second graph.next_batch is here";
    return success();
  }
};

} // namespace
