//===- OpHelpers.cpp - what the files of this folder share ------------------------------------===//
#include "dialects/graph/ops/OpHelpers.h"

#include <limits>

using namespace mlir;

namespace graphc::graph {

ParseResult parseInteger(OpAsmParser &parser, IntegerAttr &value) {
  int64_t number;
  if (parser.parseInteger(number))
    return failure();
  value = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}
void printInteger(OpAsmPrinter &printer, Operation *, IntegerAttr value) {
  printer << value.getInt();
}

AffineMap getMap(size_t loops, ArrayRef<AffineExpr> results, MLIRContext *context) {
  return AffineMap::get(unsigned(loops), 0, results, context);
}
AffineMap getIdentity(int64_t rank, MLIRContext *context) {
  return AffineMap::getMultiDimIdentityMap(unsigned(rank), context);
}

Nests moveFrom(Operation *op, ArrayRef<AffineExpr> place) {
  int64_t rank = typeOf(op->getResult(0)).getRank();
  LoopNest nest = getParallelNest(rank);
  nest.reads = {{0, getMap(size_t(rank), place, op->getContext())}};
  nest.writes = {getIdentity(rank, op->getContext())};
  return {nest};
}

TypedAttr getStartOf(Value result, ReductionIdentity start) {
  Type element = typeOf(result).getElementType();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (isa<FloatType>(element))
    return FloatAttr::get(element, start == ReductionIdentity::Zero    ? 0
                                   : start == ReductionIdentity::One   ? 1
                                   : start == ReductionIdentity::Least ? -infinity
                                                                       : infinity);
  unsigned width = element.getIntOrFloatBitWidth();
  return IntegerAttr::get(element, start == ReductionIdentity::Zero  ? llvm::APInt::getZero(width)
                                   : start == ReductionIdentity::One ? llvm::APInt(width, 1)
                                   : start == ReductionIdentity::Least
                                       ? llvm::APInt::getSignedMinValue(width)
                                       : llvm::APInt::getSignedMaxValue(width));
}

} // namespace graphc::graph
