#include "passes/partition/Buckets.h"

#include "passes/partition/ProgramBuilder.h"

using namespace mlir;

namespace graphc {

static int64_t getBytes(graph::AggregateOp aggregate) {
  auto type = cast<RankedTensorType>(aggregate.getType());
  return type.getNumElements() * std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
}

SmallVector<Bucket> makeBuckets(graph::FuncOp func, int64_t bytes) {
  SmallVector<Bucket> buckets;
  llvm::MapVector<Type, std::pair<size_t, int64_t>> open; // by element type: the bucket and what it holds
  for (auto aggregate : func.getBodyBlock().getOps<graph::AggregateOp>()) {
    auto &[index, held] = open.try_emplace(getElementTypeOrSelf(aggregate.getType()), ~size_t(0), 0).first->second;
    Operation *def = aggregate.getOperand().getDefiningOp();
    if (index == ~size_t(0) || held >= bytes || (def && !def->isBeforeInBlock(buckets[index].front()))) {
      index = buckets.size();
      held = 0;
      buckets.emplace_back();
    }
    buckets[index].push_back(aggregate);
    held += getBytes(aggregate);
  }
  return buckets;
}

void PhaseBuilder::reduceEverywhere(ArrayRef<graph::AggregateOp> bucket, ProgramUnderConstruction &program) {
  OpBuilder &at = program.builder;
  SmallVector<Value> values;
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (graph::AggregateOp aggregate : bucket) {
    values.push_back(getValue(aggregate.getOperand(), program, aggregate.getLoc()));
    types.push_back(aggregate.getType());
    locations.push_back(aggregate.getLoc());
  }
  Location loc = at.getFusedLoc(locations);
  Value own = values.front();
  if (bucket.size() > 1) {
    int64_t elements;
    dist::getPackOffsets(types, elements);
    own = dist::PackOp::create(at, loc, RankedTensorType::get(elements, getElementTypeOrSelf(types.front())), values);
  }
  auto type = cast<RankedTensorType>(own.getType());
  dist::ChannelOp channel =
      createChannel("all_reduce", type, program, program, loc, /*control=*/false, /*allToAll=*/true);
  dist::SendOp::create(at, loc, channel.getSymName(), own);
  Value sum = dist::AggregateOp::create(at, loc, type, channel.getSymName(), own);
  SmallVector<Value> sums{sum};
  if (bucket.size() > 1)
    llvm::append_range(sums = {}, dist::UnpackOp::create(at, loc, types, sum).getValues());
  for (auto [aggregate, each] : llvm::zip_equal(llvm::to_vector(bucket), sums))
    program.map.map(aggregate->getResult(0), each);
}

} // namespace graphc
