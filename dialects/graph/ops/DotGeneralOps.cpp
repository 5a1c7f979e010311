//===- DotGeneralOps.cpp - products over any dimensions ---------------------------------------===//
#include "dialects/graph/ops/ExpansionBuilder.h"
#include "runtime/common/base/OpCount.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/DotGeneralOps.cpp.inc"

void graphc::graph::registerDotGeneralOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/DotGeneralOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Types
//===------------------------------------------------------------------------------------------===//

/// The dimensions that are neither.
static SmallVector<int64_t> getFree(int64_t rank, ArrayRef<int64_t> batching,
                                    ArrayRef<int64_t> contracting) {
  return llvm::filter_to_vector(llvm::seq<int64_t>(0, rank), [&](int64_t dimension) {
    return !llvm::is_contained(batching, dimension) && !llvm::is_contained(contracting, dimension);
  });
}

// (C1) same element type   (C2) as many entries   (C3) dimensions, each once   (C4) equal sizes
// (C5) lower precision of f32 alone
LogicalResult DotGeneralOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor,
                                             Types &types) {
  RankedTensorType lhs = tensorOf(adaptor.getLhs()), rhs = tensorOf(adaptor.getRhs());
  if (!lhs || !rhs || lhs.getElementType() != rhs.getElementType())
    return emitOptionalError(loc, "operands must have the same element type, got ",
                             adaptor.getLhs().getType(), " and ", adaptor.getRhs().getType());
  auto areDimensions = [](RankedTensorType type, ArrayRef<int64_t> batching,
                          ArrayRef<int64_t> contracting) {
    llvm::SmallBitVector seen(unsigned(type.getRank()));
    for (ArrayRef<int64_t> dimensions : {batching, contracting})
      for (int64_t dimension : dimensions) {
        if (dimension < 0 || dimension >= type.getRank() || seen[unsigned(dimension)])
          return false;
        seen.set(unsigned(dimension));
      }
    return true;
  };
  ArrayRef<int64_t> lhsBatching = adaptor.getLhsBatchingDimensions(),
                    rhsBatching = adaptor.getRhsBatchingDimensions(),
                    lhsContracting = adaptor.getLhsContractingDimensions(),
                    rhsContracting = adaptor.getRhsContractingDimensions();
  if (lhsBatching.size() != rhsBatching.size() || lhsContracting.size() != rhsContracting.size())
    return emitOptionalError(
        loc, "operands must have as many batching dimensions each, and contracting ones, got ",
        lhsBatching.size(), " and ", rhsBatching.size(), " batching, ", lhsContracting.size(),
        " and ", rhsContracting.size(), " contracting");
  if (!areDimensions(lhs, lhsBatching, lhsContracting) ||
      !areDimensions(rhs, rhsBatching, rhsContracting))
    return emitOptionalError(
        loc,
        "batching and contracting dimensions must be dimensions of their operand, each named once, got [",
        lhsBatching, "] and [", lhsContracting, "] of ", lhs, ", [", rhsBatching, "] and [",
        rhsContracting, "] of ", rhs);
  auto verifySizes = [&](StringRef kind, ArrayRef<int64_t> ofLhs,
                         ArrayRef<int64_t> ofRhs) -> LogicalResult {
    for (auto [left, right] : llvm::zip_equal(ofLhs, ofRhs))
      if (lhs.getDimSize(unsigned(left)) != rhs.getDimSize(unsigned(right)))
        return emitOptionalError(loc, kind, " dimensions differ: ", lhs.getDimSize(unsigned(left)),
                                 " is dimension ", left, " of ", lhs, ", ",
                                 rhs.getDimSize(unsigned(right)), " dimension ", right, " of ",
                                 rhs);
    return success();
  };
  if (failed(verifySizes("batching", lhsBatching, rhsBatching)) ||
      failed(verifySizes("contracting", lhsContracting, rhsContracting)))
    return failure();
  if (adaptor.getPrecision() != Precision::Ieee && !lhs.getElementType().isF32())
    return emitOptionalError(loc, "precision ", stringifyPrecision(adaptor.getPrecision()),
                             " is for operands of f32, got ", lhs, "; expected ieee");
  SmallVector<int64_t> shape;
  for (int64_t dimension : lhsBatching)
    shape.push_back(lhs.getDimSize(unsigned(dimension)));
  for (int64_t dimension : getFree(lhs.getRank(), lhsBatching, lhsContracting))
    shape.push_back(lhs.getDimSize(unsigned(dimension)));
  for (int64_t dimension : getFree(rhs.getRank(), rhsBatching, rhsContracting))
    shape.push_back(rhs.getDimSize(unsigned(dimension)));
  types.push_back(lhs.clone(shape));
  return success();
}

//===------------------------------------------------------------------------------------------===//
// As a product of matrices
//===------------------------------------------------------------------------------------------===//

namespace {

/// An operand as a matrix, or one for each index of the batching dimensions; `isSwapped`: with the
/// columns' dimension before the rows'.
struct MatrixOperand {
  Value value;
  bool isSwapped;
};

int64_t getProduct(RankedTensorType type, ArrayRef<int64_t> dimensions) {
  int64_t product = 1;
  for (int64_t dimension : dimensions)
    product *= type.getDimSize(unsigned(dimension));
  return product;
}

/// Rows are what `rows` names, columns what `columns` does. Transposed only where neither order is
/// what the operand has, and then so that what is together stays so, where that can be.
MatrixOperand makeMatrices(ExpansionBuilder &e, Value value, ArrayRef<int64_t> batching,
                           ArrayRef<int64_t> rows, ArrayRef<int64_t> columns) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> straight(batching), swapped(batching);
  for (ArrayRef<int64_t> dimensions : {rows, columns})
    straight.append(dimensions.begin(), dimensions.end());
  for (ArrayRef<int64_t> dimensions : {columns, rows})
    swapped.append(dimensions.begin(), dimensions.end());
  const int64_t last = type.getRank() - 1;
  const bool isSwapped =
      !llvm::is_sorted(straight) &&
      (llvm::is_sorted(swapped) || (straight.back() != last && swapped.back() == last));
  value = e.make<TransposeOp>(value, isSwapped ? swapped : straight);
  SmallVector<int64_t> shape;
  if (!batching.empty())
    shape.push_back(getProduct(type, batching));
  shape.append(
      {getProduct(type, isSwapped ? columns : rows), getProduct(type, isSwapped ? rows : columns)});
  return {e.make<ReshapeOp>(type.clone(shape), value), isSwapped};
}

Value makeProduct(OpBuilder &builder, DotGeneralOp op) {
  ExpansionBuilder e{builder, op.getLoc()};
  ArrayRef<int64_t> lhsBatching = op.getLhsBatchingDimensions(),
                    rhsBatching = op.getRhsBatchingDimensions(),
                    lhsContracting = op.getLhsContractingDimensions(),
                    rhsContracting = op.getRhsContractingDimensions();
  // Which of the contracting dimensions comes first is free: as one operand has them.
  SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(0, lhsContracting.size()));
  llvm::sort(order, [&](size_t a, size_t b) { return lhsContracting[a] < lhsContracting[b]; });
  auto inOrder = [&](ArrayRef<int64_t> dimensions) {
    return llvm::map_to_vector(order, [&](size_t i) { return dimensions[i]; });
  };
  MatrixOperand lhs = makeMatrices(
      e, op.getLhs(), lhsBatching,
      getFree(typeOf(op.getLhs()).getRank(), lhsBatching, lhsContracting), inOrder(lhsContracting));
  MatrixOperand rhs =
      makeMatrices(e, op.getRhs(), rhsBatching, inOrder(rhsContracting),
                   getFree(typeOf(op.getRhs()).getRank(), rhsBatching, rhsContracting));
  Value product =
      e.make<MatmulOp>(lhs.value, rhs.value, lhs.isSwapped, rhs.isSwapped, op.getPrecision());
  return e.make<ReshapeOp>(op.getType(), product);
}

} // namespace

Values DotGeneralOp::decompose(OpBuilder &builder) { return {makeProduct(builder, *this)}; }

LogicalResult DotGeneralOp::canonicalize(DotGeneralOp op, PatternRewriter &rewriter) {
  const DeviceAttr device = getDevice(op);
  Operation *before = op->getPrevNode();
  Value product = makeProduct(rewriter, op);
  if (device)
    for (Operation &made : madeSince(before, op))
      setDevice(&made, device);
  rewriter.replaceOp(op, product);
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t DotGeneralOp::getFlops() {
  return base::multiplyOps({2, count(getResult()),
                            uint64_t(getProduct(typeOf(getLhs()), getLhsContractingDimensions()))});
}
