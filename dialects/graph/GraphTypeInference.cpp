//===- GraphTypeInference.cpp - result types from operands and attributes -------------------------------------===//
//
// What an op's operands must satisfy for its result to have a type is checked here and nowhere else; the numbers are
// those of the constraints in the op's description.
//
//===----------------------------------------------------------------------------------------------------------===//
#include "dialects/graph/GraphDialect.h"

using namespace mlir;
using namespace graphc::graph;

using Types = SmallVectorImpl<Type>;
using Loc = std::optional<Location>;

/// The result's type follows from operands and attributes. What the text, or a pass, says it is, is compared with that.
LogicalResult graphc::graph::verifyInference(Operation *op) {
  SmallVector<Type> types;
  if (failed(cast<InferTypeOpInterface>(op).inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                                             op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
                                                             op->getRegions(), types)))
    return failure();
  if (TypeRange(types) == op->getResultTypes())
    return success();
  return op->emitOpError() << "result must be of type " << types.front() << ", got " << op->getResult(0).getType();
}

static RankedTensorType tensorOf(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *, Loc, Adaptor adaptor, Types &types) {
  types.push_back(adaptor.getValue().getType());
  return success();
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context, Loc loc, Adaptor adaptor, Types &types) {
  Type type = withElement(adaptor.getLhs().getType(), IntegerType::get(context, 1));
  if (!type)
    return emitOptionalError(loc, "expected a ranked tensor, got ", adaptor.getLhs().getType());
  types.push_back(type);
  return success();
}

// (C1) permutation names each dimension once
LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  RankedTensorType type = tensorOf(adaptor.getOperand());
  if (!type)
    return emitOptionalError(loc, "expected a ranked tensor, got ", adaptor.getOperand().getType());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  llvm::SmallBitVector seen(type.getRank());
  SmallVector<int64_t> shape;
  for (int64_t dimension : permutation) {
    if (dimension < 0 || dimension >= type.getRank() || seen[dimension])
      return emitOptionalError(loc, "permutation must name each of the ", type.getRank(),
                               " dimensions of the operand once, got ", permutation);
    seen.set(dimension);
    shape.push_back(type.getDimSize(dimension));
  }
  if (!seen.all())
    return emitOptionalError(loc, "permutation must name each of the ", type.getRank(),
                             " dimensions of the operand once, got ", permutation);
  types.push_back(type.clone(shape));
  return success();
}

// (C1) one entry a dimension   (C2) 0 <= start < limit <= size, stride >= 1
LogicalResult SliceOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  RankedTensorType type = tensorOf(adaptor.getOperand());
  if (!type)
    return emitOptionalError(loc, "expected a ranked tensor, got ", adaptor.getOperand().getType());
  ArrayRef<int64_t> starts = adaptor.getStartIndices(), limits = adaptor.getLimitIndices(),
                    strides = adaptor.getStrides();
  size_t rank = size_t(type.getRank());
  if (starts.size() != rank || limits.size() != rank || strides.size() != rank)
    return emitOptionalError(loc, "start_indices, limit_indices and strides must have one entry for each of the ", rank,
                             " dimensions of the operand, got ", starts.size(), ", ", limits.size(), " and ",
                             strides.size());
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    if (starts[i] < 0 || starts[i] >= limits[i] || limits[i] > size)
      return emitOptionalError(loc, "slice of dimension ", i, " must begin at 0 or later, before it ends, and end at ",
                               size, " or earlier, got ", starts[i], " to ", limits[i]);
    if (strides[i] < 1)
      return emitOptionalError(loc, "stride of dimension ", i, " must be 1 or more, got ", strides[i]);
    shape.push_back((limits[i] - starts[i] - 1) / strides[i] + 1);
  }
  types.push_back(type.clone(shape));
  return success();
}

// (C1) one operand or more, of the same element type and rank   (C2) dimension is one of theirs, the others are equal
LogicalResult ConcatenateOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  if (adaptor.getInputs().empty())
    return emitOptionalError(loc, "expected at least one operand");
  RankedTensorType first = tensorOf(adaptor.getInputs().front());
  int64_t dimension = adaptor.getDimension();
  if (!first || dimension < 0 || dimension >= first.getRank())
    return emitOptionalError(loc, "dimension ", dimension, " is not one of the operands', the first of which is ",
                             adaptor.getInputs().front().getType());
  SmallVector<int64_t> shape(first.getShape());
  int64_t total = 0;
  for (Value input : adaptor.getInputs()) {
    RankedTensorType type = tensorOf(input);
    if (type && type.getRank() == first.getRank())
      shape[dimension] = type.getDimSize(dimension);
    if (!type || type != first.clone(shape))
      return emitOptionalError(loc, "operands must have the same element type and, but for dimension ", dimension,
                               ", the same sizes, got ", first, " and ", input.getType());
    total += shape[dimension];
  }
  shape[dimension] = total;
  types.push_back(first.clone(shape));
  return success();
}

// (C1) dimensions is strictly increasing, each one of the operand's
static LogicalResult inferReduction(Loc loc, Value operand, ArrayRef<int64_t> dimensions, Types &types) {
  RankedTensorType type = tensorOf(operand);
  if (!type)
    return emitOptionalError(loc, "expected a ranked tensor, got ", operand.getType());
  SmallVector<int64_t> shape;
  size_t next = 0;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (next < dimensions.size() && dimensions[next] == i)
      ++next;
    else
      shape.push_back(type.getDimSize(i));
  }
  if (next != dimensions.size())
    return emitOptionalError(loc, "dimensions must be strictly increasing and less than the rank ", type.getRank(),
                             " of the operand, got ", dimensions);
  types.push_back(type.clone(shape));
  return success();
}

LogicalResult ReduceSumOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  return inferReduction(loc, adaptor.getOperand(), adaptor.getDimensions(), types);
}
LogicalResult ReduceMaxOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  return inferReduction(loc, adaptor.getOperand(), adaptor.getDimensions(), types);
}
LogicalResult ReduceMinOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  return inferReduction(loc, adaptor.getOperand(), adaptor.getDimensions(), types);
}
LogicalResult ReduceMeanOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  return inferReduction(loc, adaptor.getOperand(), adaptor.getDimensions(), types);
}

// (C1) same element type and rank >= 2   (C2) equal batch dimensions   (C3) equal contracted dimensions   (C4) lower precision of f32 alone
LogicalResult MatmulOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  RankedTensorType a = tensorOf(adaptor.getA()), b = tensorOf(adaptor.getB());
  if (!a || !b || a.getElementType() != b.getElementType() || a.getRank() != b.getRank() || a.getRank() < 2)
    return emitOptionalError(loc, "operands must have the same element type and the same rank of at least 2, got ",
                             adaptor.getA().getType(), " and ", adaptor.getB().getType());
  ArrayRef<int64_t> batch = a.getShape().drop_back(2);
  if (batch != b.getShape().drop_back(2))
    return emitOptionalError(loc, "batch dimensions of the operands differ: ", a, " and ", b);
  ArrayRef<int64_t> last = a.getShape().take_back(2), first = b.getShape().take_back(2);
  auto [m, k] = adaptor.getTransposeA() ? std::pair(last[1], last[0]) : std::pair(last[0], last[1]);
  auto [kB, n] = adaptor.getTransposeB() ? std::pair(first[1], first[0]) : std::pair(first[0], first[1]);
  if (k != kB)
    return emitOptionalError(loc, "contracted dimensions differ: ", k, " of ", a,
                             adaptor.getTransposeA() ? " (transposed)" : "", " and ", kB, " of ", b,
                             adaptor.getTransposeB() ? " (transposed)" : "");
  if (adaptor.getPrecision() != Precision::Ieee && !a.getElementType().isF32())
    return emitOptionalError(loc, "precision ", stringifyPrecision(adaptor.getPrecision()),
                             " is for operands of f32, got ", a, "; expected ieee");
  SmallVector<int64_t> shape(batch);
  shape.append({m, n});
  types.push_back(a.clone(shape));
  return success();
}

// (C1) logits have >= 2 dimensions; labels have the logits' shape without its last
static LogicalResult checkLabels(Loc loc, Value logits, Value labels) {
  RankedTensorType x = tensorOf(logits), y = tensorOf(labels);
  if (!x || !y || x.getRank() < 2 || y.getShape() != x.getShape().drop_back())
    return emitOptionalError(loc, "labels must have the shape of the first operand (two dimensions or more) without ",
                             "its last dimension, got ", logits.getType(), " and ", labels.getType());
  return success();
}

LogicalResult SoftmaxCrossEntropyOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  if (failed(checkLabels(loc, adaptor.getLogits(), adaptor.getLabels())))
    return failure();
  types.push_back(tensorOf(adaptor.getLogits()).clone(ArrayRef<int64_t>()));
  return success();
}

LogicalResult NllLossOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  if (failed(checkLabels(loc, adaptor.getLogProbabilities(), adaptor.getLabels())))
    return failure();
  types.push_back(tensorOf(adaptor.getLogProbabilities()).clone(ArrayRef<int64_t>()));
  return success();
}

// (C2) upstream is a scalar of the logits' element type
LogicalResult SoftmaxCrossEntropyGradOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  if (failed(checkLabels(loc, adaptor.getLogits(), adaptor.getLabels())))
    return failure();
  RankedTensorType logits = tensorOf(adaptor.getLogits());
  if (adaptor.getUpstream().getType() != logits.clone(ArrayRef<int64_t>()))
    return emitOptionalError(loc, "upstream must be ", logits.clone(ArrayRef<int64_t>()), ", got ",
                             adaptor.getUpstream().getType());
  types.push_back(logits);
  return success();
}
