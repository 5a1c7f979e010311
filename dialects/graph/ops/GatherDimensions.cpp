//===- GatherDimensions.cpp - the dimension numbers of gather and scatter ---------------------===//
#include "dialects/graph/ops/GatherDimensions.h"

using namespace mlir;

namespace graphc::graph {

static bool isIncreasing(ArrayRef<int64_t> dimensions, int64_t rank) {
  int64_t previous = -1;
  for (int64_t dimension : dimensions)
    if (dimension <= std::exchange(previous, dimension) || dimension >= rank)
      return false;
  return true;
}

static bool areDifferent(ArrayRef<int64_t> dimensions, int64_t rank) {
  SmallVector<int64_t> sorted(dimensions);
  llvm::sort(sorted);
  return isIncreasing(sorted, rank);
}

LogicalResult GatherDimensions::verify(Loc loc, const Names &names) const {
  const int64_t rank = operand.getRank();
  if (vectorDim > indices.getRank())
    return emitOptionalError(loc, "index_vector_dim must be from 0 to the rank ", indices.getRank(),
                             " of ", names.indices, ", got ", vectorDim);
  if (int64_t(startMap.size()) != getVectorSize())
    return emitOptionalError(loc, names.startMap, " must have one entry for each of the ",
                             getVectorSize(), " entries of an index vector, got ", startMap.size());
  if (!isIncreasing(collapsed, rank))
    return emitOptionalError(loc, names.collapsed,
                             " must be strictly increasing and less than the rank ", rank,
                             " of the operand, got [", collapsed, "]");
  if (!isIncreasing(operandBatching, rank))
    return emitOptionalError(loc, names.operandBatching,
                             " must be strictly increasing and less than the rank ", rank,
                             " of the operand, got [", operandBatching, "]");
  if (!areDifferent(startMap, rank))
    return emitOptionalError(loc, names.startMap,
                             " must name dimensions of the operand, which has rank ", rank,
                             ", each once, got [", startMap, "]");
  for (int64_t dimension : operandBatching)
    if (llvm::is_contained(collapsed, dimension) || llvm::is_contained(startMap, dimension))
      return emitOptionalError(loc, "dimension ", dimension, " of ", names.operandBatching,
                               " must not be in ", names.collapsed, " or ", names.startMap,
                               " as well");
  if (indicesBatching.size() != operandBatching.size() ||
      !areDifferent(indicesBatching, indices.getRank()) ||
      llvm::is_contained(indicesBatching, vectorDim))
    return emitOptionalError(loc, names.indicesBatching, " must have an entry for each of ",
                             names.operandBatching, ", each once, a dimension of ", names.indices,
                             " other than index_vector_dim, got [", indicesBatching, "]");
  for (auto [ofOperand, ofIndices] : llvm::zip_equal(operandBatching, indicesBatching))
    if (operand.getDimSize(unsigned(ofOperand)) != indices.getDimSize(unsigned(ofIndices)))
      return emitOptionalError(loc, "batching dimensions must have the same size, got ",
                               operand.getDimSize(unsigned(ofOperand)), " of dimension ", ofOperand,
                               " of the operand and ", indices.getDimSize(unsigned(ofIndices)),
                               " of dimension ", ofIndices, " of ", names.indices);
  return success();
}

LogicalResult GatherDimensions::verifyOffsetDims(Loc loc, const Names &names, int64_t rank) const {
  if (isIncreasing(offsetDims, rank) && offsetDims.size() == getWindowDims().size())
    return success();
  return emitOptionalError(loc, names.offsetDims,
                           " must be strictly increasing, less than the rank ", rank,
                           ", and one for each of the ", getWindowDims().size(),
                           " dimensions that windows keep, got [", offsetDims, "]");
}

SmallVector<int64_t> GatherDimensions::getBatchShape() const {
  SmallVector<int64_t> shape(indices.getShape());
  if (vectorDim < indices.getRank())
    shape.erase(shape.begin() + vectorDim);
  return shape;
}

SmallVector<int64_t> GatherDimensions::getWindowDims() const {
  return llvm::filter_to_vector(llvm::seq<int64_t>(0, operand.getRank()), [&](int64_t dimension) {
    return !llvm::is_contained(collapsed, dimension) &&
           !llvm::is_contained(operandBatching, dimension);
  });
}

ExplicitLoops::Place GatherDimensions::getBatch(ValueRange place) const {
  ExplicitLoops::Place batch;
  for (auto [dimension, index] : llvm::enumerate(place))
    if (!llvm::is_contained(offsetDims, int64_t(dimension)))
      batch.push_back(index);
  return batch;
}

ExplicitLoops::Place GatherDimensions::getOffsets(ValueRange place) const {
  return llvm::map_to_vector(offsetDims,
                             [&](int64_t dimension) { return Value(place[size_t(dimension)]); });
}

Value GatherDimensions::loadStart(ExplicitLoops &loops, Value indicesMemory, ValueRange batch,
                                  int64_t entry) const {
  ExplicitLoops::Place place(batch);
  if (vectorDim < indices.getRank())
    place.insert(place.begin() + vectorDim, loops.index(entry));
  return loops.loadIndex(indicesMemory, place);
}

} // namespace graphc::graph
