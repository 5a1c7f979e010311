//===- GraphCosts.cpp - arithmetic operations of each op ------------------------------------------------------===//
#include "dialects/graph/GraphDialect.h"

using namespace mlir;
using namespace graphc::graph;

static uint64_t count(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

// One operation a result element.
#define GRAPHC_PER_RESULT(Op)                                                                                          \
  uint64_t Op::getFlops() { return count(getResult()); }
GRAPHC_PER_RESULT(AddOp)
GRAPHC_PER_RESULT(SubtractOp)
GRAPHC_PER_RESULT(MultiplyOp)
GRAPHC_PER_RESULT(DivideOp)
GRAPHC_PER_RESULT(MaximumOp)
GRAPHC_PER_RESULT(MinimumOp)
GRAPHC_PER_RESULT(PowerOp)
GRAPHC_PER_RESULT(NegateOp)
GRAPHC_PER_RESULT(AbsOp)
GRAPHC_PER_RESULT(SignOp)
GRAPHC_PER_RESULT(SqrtOp)
GRAPHC_PER_RESULT(ExponentialOp)
GRAPHC_PER_RESULT(LogOp)
GRAPHC_PER_RESULT(TanhOp)
GRAPHC_PER_RESULT(ReluOp)
GRAPHC_PER_RESULT(AndOp)
GRAPHC_PER_RESULT(OrOp)
GRAPHC_PER_RESULT(NotOp)
GRAPHC_PER_RESULT(CompareOp)
GRAPHC_PER_RESULT(SelectOp)
GRAPHC_PER_RESULT(BiasAddOp)
GRAPHC_PER_RESULT(AggregateOp) // one addition a replica; this counts one replica's
#undef GRAPHC_PER_RESULT

// Only moves data.
#define GRAPHC_FREE(Op)                                                                                                \
  uint64_t Op::getFlops() { return 0; }
GRAPHC_FREE(ConstantOp)
GRAPHC_FREE(IotaOp)
GRAPHC_FREE(ReshapeOp)
GRAPHC_FREE(TransposeOp)
GRAPHC_FREE(BroadcastInDimOp)
GRAPHC_FREE(SliceOp)
GRAPHC_FREE(ConcatenateOp)
GRAPHC_FREE(OneHotOp)
GRAPHC_FREE(ConvertOp)
#undef GRAPHC_FREE

uint64_t RsqrtOp::getFlops() { return 2 * count(getResult()); }
uint64_t LogisticOp::getFlops() { return 4 * count(getResult()); } // negate, exp, add, divide
uint64_t ReduceSumOp::getFlops() { return count(getOperand()); }
uint64_t ReduceMaxOp::getFlops() { return count(getOperand()); }
uint64_t ReduceMinOp::getFlops() { return count(getOperand()); }
uint64_t ReduceMeanOp::getFlops() { return count(getOperand()) + count(getResult()); }
uint64_t ArgmaxOp::getFlops() { return count(getOperand()); }

uint64_t MatmulOp::getFlops() {
  Sizes sizes = getSizes();
  return 2 * uint64_t(sizes.batch) * sizes.m * sizes.n * sizes.k;
}

uint64_t SoftmaxOp::getFlops() { return 5 * count(getResult()); }    // max, subtract, exp, sum, divide
uint64_t LogSoftmaxOp::getFlops() { return 5 * count(getResult()); } // max, subtract, exp, sum, subtract
uint64_t SoftmaxCrossEntropyOp::getFlops() { return 4 * count(getLogits()) + 4 * count(getLabels()); }
uint64_t SoftmaxCrossEntropyGradOp::getFlops() { return 7 * count(getLogits()); }
uint64_t NllLossOp::getFlops() { return 2 * count(getLabels()); }
uint64_t ApplySgdOp::getFlops() { return 2 * count(getGradient()); }
uint64_t ApplyMomentumOp::getFlops() { return 4 * count(getGradient()); }
