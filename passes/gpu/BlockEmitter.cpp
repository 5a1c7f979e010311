#include "passes/gpu/BlockEmitter.h"

#include "passes/lower/NestEmitter.h"
#include "passes/lower/ReductionCombiners.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace graphc::gpu {

/// Sums of at most so many items are each one thread's.
constexpr int64_t kShort = 32;
/// A warp has a thread for each partial sum of a chunk.
constexpr int64_t kWarpThreads = kPartialSums;

ThreadBlock::ThreadBlock(mlir::gpu::GPUFuncOp function, int64_t threads, OpBuilder &builder)
    : threads(threads), function_(function) {
  Location loc = function.getLoc();
  auto warpSize = arith::ConstantIndexOp::create(builder, loc, kWarpThreads);
  thread = mlir::gpu::ThreadIdOp::create(builder, loc, mlir::gpu::Dimension::x);
  threadInWarp = arith::RemUIOp::create(builder, loc, thread, warpSize);
  warp = arith::DivUIOp::create(builder, loc, thread, warpSize);
}

Value ThreadBlock::getShared(Type element, unsigned number) {
  Value &memory = shared_[{element.getAsOpaquePointer(), number}];
  if (!memory) {
    auto type = MemRefType::get(
        {kPartialSums * kWarpThreads}, element, MemRefLayoutAttrInterface(),
        mlir::gpu::AddressSpaceAttr::get(element.getContext(), mlir::gpu::AddressSpace::Workgroup));
    memory = function_.addWorkgroupAttribution(type, function_.getLoc());
  }
  return memory;
}

namespace {

class StageEmitter : protected NestEmitter {
public:
  StageEmitter(FlatLoopNest &nest, OpBuilder &builder, Location loc,
               std::optional<OwnedRange> owned, ThreadBlock &block)
      : NestEmitter(nest, builder, loc), block_(block), owned_(owned) {
    elements.active = 1;
    for (auto [i, loop] : llvm::enumerate(nest.loops)) {
      sizes_.push_back(owned && owned->loop == i ? owned->count : loop.size);
      (loop.reduction ? reductions_ : kept_).push_back(i);
    }
  }

  // ===---------------------------------------------------------------------------------------===//
  // Without reductions: neighbouring elements by neighbouring threads, 16 bytes a thread
  // ===---------------------------------------------------------------------------------------===//

  void emitParallel() {
    const int64_t width = chooseWidth();
    if (width > 1) {
      elements.loop = int64_t(nest.loops.size()) - 1;
      elements.active = width;
      sizes_.back() /= width;
    }
    VectorBody wide(nest, builder, loc, width);
    overThreads(product(kept_), block_.thread, block_.threads, [&](Value group) {
      setIndices(kept_, group, width);
      ifOwned([&] {
        SmallVector<Value> values = wide.evaluate(elements);
        for (auto [output, value] : llvm::zip(nest.outputs, values))
          wide.store(output, elements, value);
      });
    });
  }

  // ===---------------------------------------------------------------------------------------===//
  // With reductions
  // ===---------------------------------------------------------------------------------------===//

  LogicalResult emitReduction() {
    FailureOr<ReductionCombiners> found = ReductionCombiners::find(nest, loc);
    if (failed(found))
      return failure();
    combiners_ = &*found;
    length_ = product(reductions_);
    if (length_ <= kShort)
      byThread();
    else if (!kept_.empty() && isColumnwise())
      length_ <= kChunk *kChunk ? byTile() : byThread();
    else
      length_ <= kChunk ? byWarp() : length_ <= kChunk * kChunk * kChunk ? byBlock() : byThread();
    return success();
  }

private:
  // ===---------------------------------------------------------------------------------------===//
  // Loops over threads, indices
  // ===---------------------------------------------------------------------------------------===//

  Value below(Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, a, b);
  }
  Value isZero(Value a) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, body.index(0));
  }

  int64_t product(ArrayRef<size_t> loops) const {
    int64_t result = 1;
    for (size_t loop : loops)
      result *= sizes_[loop];
    return result;
  }

  void ifTrue(Value condition, llvm::function_ref<void()> inside) {
    auto branch = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    inside();
  }

  /// `inside` for each of `count` numbers, one after the other `step` apart from `first` on.
  void overThreads(int64_t count, Value first, int64_t step,
                   llvm::function_ref<void(Value)> inside) {
    if (count == step)
      return inside(first);
    if (count < step)
      return ifTrue(below(first, body.index(count)), [&] { inside(first); });
    forLoop(first, body.index(count), step, {}, [&](Value index, ValueRange) {
      inside(index);
      return Values{};
    });
  }

  /// Number `number` of those that the loops have in row-major order; the last one's indices are
  /// `width` apart.
  void setIndices(ArrayRef<size_t> loops, Value number, int64_t width = 1) {
    for (size_t loop : llvm::reverse(loops)) {
      const bool first = loop == loops.front();
      Value size = body.index(sizes_[loop]);
      Value index = first ? number : arithmetic<arith::RemUIOp>(number, size);
      if (!first)
        number = arithmetic<arith::DivUIOp>(number, size);
      if (width > 1 && loop == nest.loops.size() - 1)
        index = times(index, width);
      elements.indices[loop] = owned_ && owned_->loop == loop ? add(owned_->first, index) : index;
    }
  }

  /// Where the block loop's index is one that there is.
  void ifOwned(llvm::function_ref<void()> inside) {
    if (!owned_ || owned_->size % owned_->count == 0)
      return inside();
    ifTrue(below(elements.indices[owned_->loop], body.index(owned_->size)), inside);
  }

  /// Elements a thread takes at once; 1 where they are not all together, or not always as many.
  int64_t chooseWidth() const {
    if (nest.loops.empty())
      return 1;
    const size_t last = nest.loops.size() - 1;
    int64_t bytes = 1;
    auto isTogether = [&](const NestOperand &operand) {
      if (operand.isScalar || operand.coefficients[last] == 0)
        return true;
      unsigned bits = getElementTypeOrSelf(operand.memory.getType()).getIntOrFloatBitWidth();
      bytes = std::max<int64_t>(bytes, llvm::divideCeil(bits, 8));
      return operand.coefficients[last] == 1;
    };
    const bool together =
        llvm::all_of(nest.inputs, isTogether) && llvm::all_of(nest.outputs, isTogether);
    const int64_t width = std::clamp<int64_t>(16 / bytes, 1, 4);
    return together && sizes_[last] % width == 0 && nest.loops[last].size % width == 0 ? width : 1;
  }

  // ===---------------------------------------------------------------------------------------===//
  // The pieces of a sum
  // ===---------------------------------------------------------------------------------------===//

  /// Whether neighbouring sums lie together rather than the items of one.
  bool isColumnwise() const {
    auto cost = [&](size_t loop) {
      int64_t sum = 0;
      for (const NestOperand &input : nest.inputs)
        if (!input.isScalar)
          sum += std::min<int64_t>(std::abs(input.coefficients[loop]), 8);
      return sum;
    };
    return cost(kept_.back()) < cost(reductions_.back());
  }

  Values neutrals() {
    Values values;
    for (unsigned output = 0; output < combiners_->size(); ++output)
      values.push_back(combiners_->scalarNeutral(builder, output));
    return values;
  }
  Values combine(ValueRange old, ValueRange values) {
    return combiners_->combineAll(builder, old, values);
  }

  /// The value that goes into the sum for item `item`.
  Values itemValues(Value item) {
    setIndices(reductions_, item);
    return body.evaluate(elements, combiners_->operations());
  }

  /// The sums into the outputs of the current indices.
  void finish(ValueRange sums) {
    for (size_t loop : reductions_) // outputs do not depend on these
      elements.indices[loop] = body.index(0);
    for (auto [i, output] : llvm::enumerate(nest.outputs))
      body.store(output, elements,
                 combiners_->combine(builder, unsigned(i), body.load(output, elements), sums[i]));
  }

  using Items = llvm::function_ref<Values(Value)>;

  /// Items `first`, `first` + `step`, … below `count`, one after the other.
  Values strided(Value first, Value count, int64_t step, Items item) {
    return forLoop(first, count, step, neutrals(),
                   [&](Value index, ValueRange carried) { return combine(carried, item(index)); });
  }

  /// The tree over partial sums `partial`, `partial` + `step`, … below `end`, as loops of two: what
  /// joins last is outermost.
  Values sumTree(Value partial, int64_t step, int64_t end, Items leaf) {
    if (step >= end)
      return leaf(partial);
    return forLoop(body.index(0), body.index(2 * step), step, neutrals(),
                   [&](Value half, ValueRange carried) {
                     return combine(carried, sumTree(add(partial, half), 2 * step, end, leaf));
                   });
  }

  Values loadShared(ArrayRef<Value> memories, Value at) {
    Values values;
    for (Value memory : memories)
      values.push_back(memref::LoadOp::create(builder, loc, memory, at));
    return values;
  }
  void storeShared(ArrayRef<Value> memories, Value at, ValueRange values) {
    for (auto [memory, value] : llvm::zip(memories, values))
      memref::StoreOp::create(builder, loc, value, memory, at);
  }
  /// One piece of shared memory an output.
  Values shared(unsigned number) {
    Values memories;
    for (unsigned output = 0; output < combiners_->size(); ++output)
      memories.push_back(block_.getShared(combiners_->operations()[output]->getResult(0).getType(),
                                          number * combiners_->size() + output));
    return memories;
  }
  void barrier() { mlir::gpu::BarrierOp::create(builder, loc); }

  // ===---------------------------------------------------------------------------------------===//
  // One thread a sum
  // ===---------------------------------------------------------------------------------------===//

  void byThread() {
    overThreads(product(kept_), block_.thread, block_.threads, [&](Value number) {
      setIndices(kept_, number);
      ifOwned([&] { finish(threadSum(body.index(0), body.index(length_), length_)); });
    });
  }

  /// The sum of `count` items, at most `most`, from `first` on.
  Values threadSum(Value first, Value count, int64_t most) {
    if (most <= kChunk) {
      const int64_t end =
          std::min<int64_t>(kPartialSums, int64_t(llvm::PowerOf2Ceil(uint64_t(most))));
      return sumTree(body.index(0), 1, end, [&](Value partial) {
        return strided(partial, count, kPartialSums,
                       [&](Value item) { return itemValues(add(first, item)); });
      });
    }
    int64_t unit = kChunk;
    while (unit * kChunk < most)
      unit *= kChunk;
    Value items = arithmetic<arith::CeilDivUIOp>(count, body.index(unit));
    return sumTree(body.index(0), 1, kPartialSums, [&](Value partial) {
      return strided(partial, items, kPartialSums, [&](Value item) {
        Value begin = times(item, unit);
        Value size =
            arithmetic<arith::MinUIOp>(body.index(unit), arithmetic<arith::SubIOp>(count, begin));
        return threadSum(add(first, begin), size, unit);
      });
    });
  }

  // ===---------------------------------------------------------------------------------------===//
  // One warp a chunk: each of its threads has one partial sum
  // ===---------------------------------------------------------------------------------------===//

  /// Of a warp's threads: that of thread 0 is the sum.
  Values warpTree(Values values) {
    for (int64_t half = kWarpThreads / 2; half >= 1; half /= 2) {
      Values others;
      for (Value value : values)
        others.push_back(shuffleDown(value, half));
      values = combine(values, others);
    }
    return values;
  }

  /// A shuffle is of 32 bits.
  Value shuffleDown(Value value, int64_t distance) {
    Type type = value.getType(), i32 = builder.getI32Type(), i64 = builder.getI64Type();
    if (type.getIntOrFloatBitWidth() == 64) {
      Value bits =
          type.isInteger() ? value : arith::BitcastOp::create(builder, loc, i64, value).getResult();
      Value half = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(32));
      Value high = arith::ShRUIOp::create(builder, loc, bits, half);
      Value lowMoved = shuffleDown(arith::TruncIOp::create(builder, loc, i32, bits), distance);
      Value highMoved = shuffleDown(arith::TruncIOp::create(builder, loc, i32, high), distance);
      high = arith::ShLIOp::create(builder, loc,
                                   arith::ExtUIOp::create(builder, loc, i64, highMoved), half);
      bits = arith::OrIOp::create(builder, loc, high,
                                  arith::ExtUIOp::create(builder, loc, i64, lowMoved));
      return type.isInteger() ? bits
                              : arith::BitcastOp::create(builder, loc, type, bits).getResult();
    }
    const bool narrow = type.getIntOrFloatBitWidth() < 32;
    if (narrow && !type.isInteger()) { // half a register
      auto bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
      Value moved = shuffleDown(arith::BitcastOp::create(builder, loc, bits, value), distance);
      return arith::BitcastOp::create(builder, loc, type, moved);
    }
    if (narrow)
      value = arith::ExtUIOp::create(builder, loc, i32, value);
    auto shuffle =
        mlir::gpu::ShuffleOp::create(builder, loc, value, int32_t(distance), int32_t(kWarpThreads),
                                     mlir::gpu::ShuffleMode::DOWN);
    Value moved = shuffle.getShuffleResult();
    return narrow ? arith::TruncIOp::create(builder, loc, type, moved).getResult() : moved;
  }

  /// The sum of `count` items by the warp, in its thread 0.
  Values warpSum(Value count, Items item) {
    return warpTree(strided(block_.threadInWarp, count, kPartialSums, item));
  }

  void byWarp() {
    overThreads(product(kept_), block_.warp, block_.warps(), [&](Value number) {
      setIndices(kept_, number);
      ifOwned([&] {
        Values sums = warpSum(body.index(length_), [&](Value item) { return itemValues(item); });
        ifTrue(isZero(block_.threadInWarp), [&] { finish(sums); });
      });
    });
  }

  /// A long sum by the whole block: its warps share the chunks, and the first one sums what they
  /// left.
  void byBlock() {
    const int64_t chunks = llvm::divideCeil(length_, kChunk),
                  groups = llvm::divideCeil(chunks, kChunk);
    Values ofChunks = shared(0), ofGroups = groups > 1 ? shared(1) : Values();
    forLoop(0, product(kept_), 1, {}, [&](Value number, ValueRange) {
      setIndices(kept_, number);
      ifOwned([&] {
        Values all; // in thread 0 of the first warp
        forLoop(0, groups, 1, {}, [&](Value group, ValueRange) {
          Value firstChunk = times(group, kChunk), count = body.index(std::min(chunks, kChunk));
          if (groups > 1)
            count = arithmetic<arith::MinUIOp>(
                count, arithmetic<arith::SubIOp>(body.index(chunks), firstChunk));
          forLoop(block_.warp, count, block_.warps(), {}, [&](Value chunk, ValueRange) {
            Value first = times(add(firstChunk, chunk), kChunk);
            Value items = arithmetic<arith::MinUIOp>(
                body.index(kChunk), arithmetic<arith::SubIOp>(body.index(length_), first));
            Values sums = warpSum(items, [&](Value item) { return itemValues(add(first, item)); });
            ifTrue(isZero(block_.threadInWarp), [&] { storeShared(ofChunks, chunk, sums); });
            return Values{};
          });
          barrier();
          ifTrue(isZero(block_.warp), [&] {
            Values sums = warpSum(count, [&](Value chunk) { return loadShared(ofChunks, chunk); });
            ifTrue(isZero(block_.threadInWarp),
                   [&] { groups > 1 ? storeShared(ofGroups, group, sums) : finish(sums); });
          });
          barrier();
          return Values{};
        });
        if (groups > 1) {
          ifTrue(isZero(block_.warp), [&] {
            Values sums = warpSum(body.index(groups),
                                  [&](Value group) { return loadShared(ofGroups, group); });
            ifTrue(isZero(block_.threadInWarp), [&] { finish(sums); });
          });
          barrier();
        }
      });
      return Values{};
    });
  }

  // ===---------------------------------------------------------------------------------------===//
  // 32 neighbouring sums: a thread of each warp has one of them, and some of its partial sums
  // ===---------------------------------------------------------------------------------------===//

  /// The sum of `count` items of the thread's column, which the block's warps share; every one of
  /// its threads has it. `teams` warps have partial sums `team`, `team` + `teams`, ….
  Values tileSum(Value count, Items item, int64_t teams) {
    Values own = sumTree(block_.warp, teams, kPartialSums, [&](Value partial) {
      return strided(partial, count, kPartialSums, item);
    });
    return joinTeams(own, teams);
  }

  Values joinTeams(ValueRange own, int64_t teams) {
    Values memories = shared(0);
    barrier(); // those of before have been read
    ifTrue(below(block_.warp, body.index(teams)), [&] {
      storeShared(memories, add(times(block_.warp, kWarpThreads), block_.threadInWarp), own);
    });
    barrier();
    return teamTree(memories, 0, 1, teams);
  }

  Values teamTree(ArrayRef<Value> memories, int64_t team, int64_t step, int64_t teams) {
    if (step >= teams)
      return loadShared(memories, add(block_.threadInWarp, team * kWarpThreads));
    Values low = teamTree(memories, team, 2 * step, teams),
           high = teamTree(memories, team + step, 2 * step, teams);
    return combine(low, high);
  }

  void byTile() {
    const int64_t teams =
        std::min<int64_t>(kPartialSums, int64_t(llvm::bit_floor(uint64_t(block_.warps()))));
    const int64_t sums = product(kept_), tiles = llvm::divideCeil(sums, kWarpThreads);
    forLoop(0, tiles, 1, {}, [&](Value tile, ValueRange) {
      Value number = add(times(tile, kWarpThreads), block_.threadInWarp);
      // A thread without a sum helps with the last one, for all of the block to meet at the
      // barriers, and does not store it.
      Value exists = sums % kWarpThreads ? below(number, body.index(sums)) : Value();
      if (exists)
        number = arithmetic<arith::MinUIOp>(number, body.index(sums - 1));
      setIndices(kept_, number);
      if (owned_ && owned_->size % owned_->count) {
        Value inside = below(elements.indices[owned_->loop], body.index(owned_->size));
        exists = exists ? arithmetic<arith::AndIOp>(exists, inside) : inside;
        elements.indices[owned_->loop] = arithmetic<arith::MinUIOp>(elements.indices[owned_->loop],
                                                                    body.index(owned_->size - 1));
      }
      Values result = columnSum(teams);
      Value stores = isZero(block_.warp);
      if (exists)
        stores = arithmetic<arith::AndIOp>(stores, exists);
      ifTrue(stores, [&] { finish(result); });
      return Values{};
    });
  }

  Values columnSum(int64_t teams) {
    if (length_ <= kChunk)
      return tileSum(body.index(length_), [&](Value item) { return itemValues(item); }, teams);
    // The sum of chunk c is added to partial sum c mod 32 of the next level: slot s of team t is
    // partial sum t + s * teams.
    const int64_t slots = kPartialSums / teams, width = int64_t(combiners_->size());
    Values init;
    for (int64_t slot = 0; slot < slots; ++slot)
      init.append(neutrals());
    Values all = forLoop(
        0, llvm::divideCeil(length_, kChunk), 1, init, [&](Value chunk, ValueRange carried) {
          Value first = times(chunk, kChunk);
          Value items = arithmetic<arith::MinUIOp>(
              body.index(kChunk), arithmetic<arith::SubIOp>(body.index(length_), first));
          Values sums =
              tileSum(items, [&](Value item) { return itemValues(add(first, item)); }, teams);
          Value partial = arithmetic<arith::RemUIOp>(chunk, body.index(kPartialSums));
          Values next;
          for (int64_t slot = 0; slot < slots; ++slot) {
            Value here = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, partial,
                                               add(block_.warp, slot * teams));
            ValueRange old = carried.slice(size_t(slot * width), size_t(width));
            for (auto [before, after] : llvm::zip(old, combine(old, sums)))
              next.push_back(arith::SelectOp::create(builder, loc, here, after, before));
          }
          return next;
        });
    // The thread's own partial sums first, those that are furthest apart.
    std::function<Values(int64_t, int64_t)> tree = [&](int64_t slot, int64_t step) {
      if (step >= slots)
        return Values(ArrayRef(all).slice(size_t(slot * width), size_t(width)));
      return combine(tree(slot, 2 * step), tree(slot + step, 2 * step));
    };
    return joinTeams(tree(0, 1), teams);
  }

  ThreadBlock &block_;
  std::optional<OwnedRange> owned_;
  SmallVector<int64_t> sizes_; ///< of the nest's loops, of the block loop the block's share
  SmallVector<size_t> kept_, reductions_; ///< the nest's loops, outermost first
  int64_t length_ = 1; ///< items of each sum
  const ReductionCombiners *combiners_ = nullptr;
};

} // namespace

LogicalResult emitStage(linalg::LinalgOp op, FlatLoopNest &nest, std::optional<OwnedRange> owned,
                        ThreadBlock &block) {
  OpBuilder builder(op);
  StageEmitter emitter(nest, builder, op.getLoc(), owned, block);
  if (!nest.hasReduction())
    emitter.emitParallel();
  else if (failed(emitter.emitReduction()))
    return failure();
  op->erase();
  return success();
}

} // namespace graphc::gpu
