#include "passes/outline/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using utils::IteratorType;

namespace graphc {

using namespace graph;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

KernelBuilder::KernelBuilder(const ProgramGraph &graph, ArrayRef<Operation *> ops, ProgramMemory &memory)
    : graph(graph), ops(ops), memory(memory), context(ops.front()->getContext()), members(ops.begin(), ops.end()),
      builder(context) {}

//===----------------------------------------------------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------------------------------------------------===//

bool KernelBuilder::isMember(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && members.contains(op);
}

/// Values from outside are read from memory but for what costs nothing: splat constants.
bool KernelBuilder::isLeaf(Value value) const {
  if (value == current)
    return false;
  if (roots.contains(value))
    return true;
  if (isMember(value))
    return false;
  return !isa<ConstantOp>(value.getDefiningOp()) || !isInlinable(value.getDefiningOp());
}

/// Whether a costly value reaches more than one root, or one that repeats it.
bool KernelBuilder::isWantedTwice(Operation *op) const {
  llvm::SmallDenseSet<Operation *> reached;
  SmallVector<Operation *> work(op->getUsers());
  llvm::SmallDenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *user = work.pop_back_val();
    if (!members.contains(user) || !seen.insert(user).second)
      continue;
    if (isa<MatmulOp>(user))
      return true;
    if (auto broadcast = dyn_cast<BroadcastInDimOp>(user);
        broadcast && typeOf(broadcast.getResult()).getNumElements() > typeOf(broadcast.getOperand()).getNumElements())
      return true;
    bool isRoot = user->getNumResults() == 0 || roots.contains(user->getResult(0));
    if (isRoot) {
      reached.insert(user);
      if (isa<ArgmaxOp>(user)) // two passes over its operand
        return true;
    } else {
      work.append(user->user_begin(), user->user_end());
    }
  }
  return reached.size() > 1;
}

void KernelBuilder::findRoots() {
  for (Operation *op : ops) {
    if (op->getNumResults() == 0)
      continue;
    bool seenOutside = llvm::any_of(op->getUsers(), [&](Operation *user) { return !members.contains(user); });
    if (seenOutside || isa<ReduceSumOp, ReduceMaxOp, ArgmaxOp, MatmulOp, ReadOp, ConcatenateOp>(op))
      roots.insert(op->getResult(0));
  }
  for (Operation *op : llvm::reverse(ops)) // users first: they may become roots themselves
    if (op->getNumResults() && isExpensive(op) && isWantedTwice(op))
      roots.insert(op->getResult(0));
}

/// Whether the root's stage computes each element from elements of its operands, all loops parallel.
static bool isElementwise(Operation *op) {
  return !isa<ReduceSumOp, ReduceMaxOp, ArgmaxOp, MatmulOp, ReadOp, ConcatenateOp>(op);
}

/// What the stages of a root or an update read.
SmallVector<Access> KernelBuilder::leavesOf(Operation *op) {
  SmallVector<Access> accesses;
  auto add = [&](Value value) {
    accesses.push_back({value, AffineMap::getMultiDimIdentityMap(typeOf(value).getRank(), context)});
  };
  if (op->getNumResults() && isElementwise(op)) {
    current = op->getResult(0);
    add(current);
  } else {
    llvm::for_each(op->getOperands(), add);
  }
  SmallVector<Access> leaves = leavesOf(accesses);
  current = {};
  return leaves;
}

/// A root whose stage is the last to read a value, each element where it writes its own, and nobody outside reads that
/// value: it is written over it. Stages run in the order of `ops`, updates behind all of them.
void KernelBuilder::reuseMemory() {
  SmallVector<std::pair<Operation *, SmallVector<Access>>> stages;
  for (bool updates : {false, true})
    for (Operation *op : ops)
      if (updates ? op->getNumResults() == 0 : op->getNumResults() && roots.contains(op->getResult(0)))
        stages.push_back({op, leavesOf(op)});
  llvm::DenseMap<Value, Operation *> lastReader;
  for (auto &[op, leaves] : stages)
    for (const Access &leaf : leaves)
      lastReader[leaf.value] = op;
  for (auto &[op, leaves] : stages) {
    if (op->getNumResults() == 0 || !isElementwise(op))
      continue;
    Value root = op->getResult(0);
    for (const Access &leaf : leaves) {
      bool once = llvm::count_if(leaves, [&](const Access &other) { return other.value == leaf.value; }) == 1;
      if (once && leaf.map.isIdentity() && leaf.value.getType() == root.getType() && lastReader[leaf.value] == op &&
          llvm::all_of(leaf.value.getUsers(), [&](Operation *user) { return members.contains(user); })) {
        memory.reuse(leaf.value, root);
        break;
      }
    }
  }
}

//===----------------------------------------------------------------------------------------------------------------===//
// Values that have memory
//===----------------------------------------------------------------------------------------------------------------===//

static SmallVector<IteratorType> parallel(int64_t rank) {
  return SmallVector<IteratorType>(rank, IteratorType::parallel);
}

void KernelBuilder::emitParallel(Value root) {
  int64_t rank = typeOf(root).getRank();
  AffineMap identity = AffineMap::getMultiDimIdentityMap(rank, context);
  current = root;
  emitStage(root.getLoc(), {{root, identity}}, memory.of(root), Use::Write, identity, parallel(rank),
            [](OpBuilder &, ArrayRef<Value> elements, ValueRange) { return SmallVector<Value>(elements); });
  current = {};
}

/// Each operand's elements go to its place in the result.
void KernelBuilder::emitConcatenate(ConcatenateOp op) {
  unsigned rank = unsigned(op.getType().getRank());
  AffineMap identity = AffineMap::getMultiDimIdentityMap(rank, context);
  int64_t begin = 0;
  for (Value input : op.getInputs()) {
    SmallVector<AffineExpr> place(identity.getResults());
    place[op.getDimension()] = place[op.getDimension()] + begin;
    emitStage(
        op.getLoc(), {{input, identity}}, memory.of(op.getResult()), Use::Write, identity, parallel(rank),
        [](OpBuilder &, ArrayRef<Value> elements, ValueRange) { return SmallVector<Value>(elements); },
        AffineMap::get(rank, 0, place, context));
    begin += typeOf(input).getDimSize(op.getDimension());
  }
}

void KernelBuilder::materialize(Value value) {
  if (isLeaf(value))
    return;
  roots.insert(value);
  emitParallel(value);
}

void KernelBuilder::fill(Value root, TypedAttr value) {
  int64_t rank = typeOf(root).getRank();
  AffineMap identity = AffineMap::getMultiDimIdentityMap(rank, context);
  Location loc = root.getLoc();
  emitStage(loc, {}, memory.of(root), Use::Write, identity, parallel(rank),
            [&](OpBuilder &inner, ArrayRef<Value>, ValueRange) {
              return SmallVector<Value>{arith::ConstantOp::create(inner, loc, value)};
            });
}

/// A value that does not vary along some loop gets memory; a constant does not, however large it is: emitStage says how long
/// the loops over it are.
void KernelBuilder::coverLoops(ArrayRef<Access> accesses, AffineMap outMap) {
  llvm::SmallBitVector covered(outMap.getNumDims());
  auto cover = [&](AffineMap map) {
    for (AffineExpr result : map.getResults())
      if (std::optional<unsigned> loop = getLoop(result, map.getNumDims()))
        covered.set(*loop);
  };
  cover(outMap);
  for (const Access &leaf : leavesOf(accesses))
    cover(leaf.map);
  if (!covered.all())
    for (const Access &access : accesses)
      if (!access.value.getDefiningOp<ConstantOp>())
        materialize(access.value);
}

//===----------------------------------------------------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------------------------------------------------===//

/// The value that starts a sum or a maximum.
static TypedAttr getStart(Type element, bool maximum, Builder &builder) {
  if (auto type = dyn_cast<FloatType>(element))
    return maximum ? builder.getFloatAttr(type, -std::numeric_limits<double>::infinity())
                   : builder.getFloatAttr(type, 0);
  unsigned width = element.getIntOrFloatBitWidth();
  return builder.getIntegerAttr(element, maximum ? llvm::APInt::getSignedMinValue(width) : llvm::APInt::getZero(width));
}

static Value combine(OpBuilder &builder, Location loc, bool maximum, Value old, Value value) {
  bool isFloat = isa<FloatType>(value.getType());
  if (maximum)
    return isFloat ? arith::MaximumFOp::create(builder, loc, old, value).getResult()
                   : arith::MaxSIOp::create(builder, loc, old, value).getResult();
  return isFloat ? arith::AddFOp::create(builder, loc, old, value).getResult()
                 : arith::AddIOp::create(builder, loc, old, value).getResult();
}

/// Loops in the operand's order; the result's map leaves the reduced ones away.
static AffineMap getKeptMap(int64_t rank, ArrayRef<int64_t> dimensions, SmallVectorImpl<IteratorType> &iterators,
                            MLIRContext *context) {
  SmallVector<AffineExpr> kept;
  for (int64_t i = 0; i < rank; ++i) {
    bool reduced = llvm::is_contained(dimensions, i);
    iterators.push_back(reduced ? IteratorType::reduction : IteratorType::parallel);
    if (!reduced)
      kept.push_back(getAffineDimExpr(i, context));
  }
  return AffineMap::get(rank, 0, kept, context);
}

void KernelBuilder::emitReduction(Operation *op) {
  bool maximum = isa<ReduceMaxOp>(op);
  ArrayRef<int64_t> dimensions =
      maximum ? cast<ReduceMaxOp>(op).getDimensions() : cast<ReduceSumOp>(op).getDimensions();
  Value operand = op->getOperand(0), result = op->getResult(0);
  int64_t rank = typeOf(operand).getRank();
  SmallVector<IteratorType> iterators;
  AffineMap outMap = getKeptMap(rank, dimensions, iterators, context);
  Access access{operand, AffineMap::getMultiDimIdentityMap(rank, context)};
  coverLoops(access, outMap);
  fill(result, getStart(typeOf(result).getElementType(), maximum, builder));
  emitStage(op->getLoc(), access, memory.of(result), Use::Update, outMap, iterators,
            [&](OpBuilder &inner, ArrayRef<Value> elements, ValueRange old) {
              return SmallVector<Value>{combine(inner, op->getLoc(), maximum, old[0], elements[0])};
            });
}

/// The least index whose element is the maximum; where the maximum is NaN, that of the first NaN.
void KernelBuilder::emitArgmax(ArgmaxOp op) {
  Location loc = op.getLoc();
  Value operand = op.getOperand(), result = op.getResult();
  RankedTensorType type = typeOf(operand);
  Type indexType = typeOf(result).getElementType();
  int64_t rank = type.getRank();
  SmallVector<IteratorType> iterators;
  AffineMap outMap = getKeptMap(rank, int64_t(op.getDimension()), iterators, context);
  Access access{operand, AffineMap::getMultiDimIdentityMap(rank, context)};
  coverLoops(access, outMap);
  // The maxima live in memory of a value of their own: an op that stands beside the argmax in the program.
  OpBuilder beside(op);
  Value maxima = ReduceMaxOp::create(beside, loc, operand, ArrayRef<int64_t>{int64_t(op.getDimension())});
  members.insert(maxima.getDefiningOp());
  roots.insert(maxima);
  emitReduction(maxima.getDefiningOp());
  fill(result, builder.getIntegerAttr(indexType, llvm::APInt::getSignedMaxValue(indexType.getIntOrFloatBitWidth())));
  emitStage(loc, {access, {maxima, outMap}}, memory.of(result), Use::Update, outMap, iterators,
            [&](OpBuilder &inner, ArrayRef<Value> elements, ValueRange old) {
              Value x = elements[0], most = elements[1], found;
              if (isa<FloatType>(x.getType())) {
                Value equal = arith::CmpFOp::create(inner, loc, arith::CmpFPredicate::OEQ, x, most);
                Value isNan = arith::CmpFOp::create(inner, loc, arith::CmpFPredicate::UNO, x, x);
                found = arith::OrIOp::create(inner, loc, equal, isNan);
              } else {
                found = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::eq, x, most);
              }
              Value index = linalg::IndexOp::create(inner, loc, op.getDimension());
              index = arith::IndexCastOp::create(inner, loc, indexType, index);
              llvm::APInt none = llvm::APInt::getSignedMaxValue(indexType.getIntOrFloatBitWidth());
              Value nothing = arith::ConstantOp::create(inner, loc, inner.getIntegerAttr(indexType, none));
              Value candidate = arith::SelectOp::create(inner, loc, found, index, nothing);
              return SmallVector<Value>{arith::MinSIOp::create(inner, loc, old[0], candidate)};
            });
}

/// Loops: batch, m, n, and k innermost.
void KernelBuilder::emitMatmul(MatmulOp op) {
  Location loc = op.getLoc();
  int64_t rank = typeOf(op.getResult()).getRank(), loops = rank + 1;
  auto dim = [&](int64_t i) { return getAffineDimExpr(unsigned(i), context); };
  AffineExpr m = dim(rank - 2), n = dim(rank - 1), k = dim(rank);
  auto map = [&](AffineExpr row, AffineExpr column) {
    SmallVector<AffineExpr> results;
    for (int64_t i = 0; i < rank - 2; ++i)
      results.push_back(dim(i));
    results.append({row, column});
    return AffineMap::get(loops, 0, results, context);
  };
  Access a{op.getA(), op.getTransposeA() ? map(k, m) : map(m, k)};
  Access b{op.getB(), op.getTransposeB() ? map(n, k) : map(k, n)};
  AffineMap outMap = map(m, n);
  SmallVector<IteratorType> iterators = parallel(loops);
  iterators.back() = IteratorType::reduction;
  coverLoops({a, b}, outMap);
  fill(op.getResult(), getStart(op.getType().getElementType(), /*maximum=*/false, builder));
  emitStage(loc, {a, b}, memory.of(op.getResult()), Use::Update, outMap, iterators,
            [&](OpBuilder &inner, ArrayRef<Value> elements, ValueRange old) {
              Value product = isa<FloatType>(elements[0].getType())
                                  ? arith::MulFOp::create(inner, loc, elements[0], elements[1]).getResult()
                                  : arith::MulIOp::create(inner, loc, elements[0], elements[1]).getResult();
              return SmallVector<Value>{combine(inner, loc, /*maximum=*/false, old[0], product)};
            });
}

//===----------------------------------------------------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------------------------------------------------===//

/// A value read before its variable changes, kept beyond the change.
void KernelBuilder::emitCopy(ReadOp op) {
  int64_t rank = typeOf(op.getResult()).getRank();
  AffineMap identity = AffineMap::getMultiDimIdentityMap(rank, context);
  Value in = argument(memory.ofVariable(op.getVariable()), Use::Read);
  Value out = argument(memory.of(op.getResult()), Use::Write);
  linalg::GenericOp::create(
      builder, op.getLoc(), TypeRange(), in, out, ArrayRef<AffineMap>{identity, identity}, parallel(rank),
      [](OpBuilder &inner, Location loc, ValueRange elements) { linalg::YieldOp::create(inner, loc, elements[0]); });
}

void KernelBuilder::emitUpdate(Operation *op) {
  Location loc = op->getLoc();
  Value operand = op->getOperand(0);
  RankedTensorType type = typeOf(operand);
  AffineMap identity = AffineMap::getMultiDimIdentityMap(type.getRank(), context);
  SmallVector<Value> outs;
  if (auto apply = dyn_cast<ApplyMomentumOp>(op))
    outs.push_back(memory.ofVariable(apply.getSlot()));
  outs.push_back(memory.ofVariable(getWrittenVariables(op).front()));
  Use use = isa<AssignOp>(op) ? Use::Write : Use::Update;
  emitStage(loc, {{operand, identity}}, outs, use, identity, parallel(type.getRank()),
            [&](OpBuilder &inner, ArrayRef<Value> elements, ValueRange old) -> SmallVector<Value> {
              Value value = elements[0];
              auto times = [&](const llvm::APFloat &factor, Value x) -> Value {
                Value scalar = arith::ConstantOp::create(
                    inner, loc, inner.getFloatAttr(type.getElementType(), factor.convertToDouble()));
                return arith::MulFOp::create(inner, loc, scalar, x);
              };
              auto minus = [&](Value x, Value y) -> Value { return arith::SubFOp::create(inner, loc, x, y); };
              if (isa<AssignOp>(op))
                return {value};
              if (isa<AssignAddOp>(op))
                return {combine(inner, loc, /*maximum=*/false, old[0], value)};
              if (auto apply = dyn_cast<ApplySgdOp>(op))
                return {minus(old[0], times(apply.getLearningRate(), value))};
              auto apply = cast<ApplyMomentumOp>(op);
              Value slot = arith::AddFOp::create(inner, loc, times(apply.getMomentum(), old[0]), value);
              return {slot, minus(old[1], times(apply.getLearningRate(), slot))};
            });
}

/// An update may not read what an update before it (or itself, elsewhere) has written: such values get memory first.
void KernelBuilder::protectUpdates(ArrayRef<Operation *> updates) {
  llvm::DenseMap<Value, unsigned> writtenBy;
  for (auto [i, op] : llvm::enumerate(updates))
    for (StringRef name : getWrittenVariables(op))
      writtenBy.try_emplace(memory.ofVariable(name), unsigned(i));
  for (auto [i, op] : llvm::enumerate(updates)) {
    Value operand = op->getOperand(0);
    AffineMap identity = AffineMap::getMultiDimIdentityMap(typeOf(operand).getRank(), context);
    bool endangered = llvm::any_of(leavesOf(Access{operand, identity}), [&](const Access &leaf) {
      auto written = writtenBy.find(memory.of(leaf.value));
      return written != writtenBy.end() && (written->second < i || !leaf.map.isIdentity());
    });
    if (!endangered)
      continue;
    if (!isLeaf(operand)) {
      materialize(operand);
      continue;
    }
    // The operand is an old value itself: an op beside the update copies it.
    OpBuilder beside(op);
    Value copy = ReshapeOp::create(beside, op->getLoc(), operand.getType(), operand);
    op->setOperand(0, copy);
    members.insert(copy.getDefiningOp());
    materialize(copy);
  }
}

//===----------------------------------------------------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------------------------------------------------===//

void KernelBuilder::emitRoot(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<ReduceSumOp, ReduceMaxOp>([&](auto) { emitReduction(op); })
      .Case([&](ArgmaxOp argmax) { emitArgmax(argmax); })
      .Case([&](MatmulOp matmul) { emitMatmul(matmul); })
      .Case([&](ReadOp read) { emitCopy(read); })
      .Case([&](ConcatenateOp concatenate) { emitConcatenate(concatenate); })
      .Default([&](Operation *) { emitParallel(op->getResult(0)); });
}

OwningOpRef<func::FuncOp> KernelBuilder::build() {
  kernel = func::FuncOp::create(ops.back()->getLoc(), "kernel", builder.getFunctionType({}, {}));
  kernel.setPrivate();
  builder.setInsertionPointToStart(&kernel.getBody().emplaceBlock());
  findRoots();
  reuseMemory();
  SmallVector<Operation *> updates;
  uint64_t flops = 0;
  for (Operation *op : ops) {
    if (auto cost = dyn_cast<CostOpInterface>(op))
      flops += cost.getFlops();
    if (op->getNumResults() == 0)
      updates.push_back(op);
    else if (roots.contains(op->getResult(0)))
      emitRoot(op);
  }
  protectUpdates(updates);
  for (Operation *op : updates)
    emitUpdate(op);
  func::ReturnOp::create(builder, kernel.getLoc());

  kernel.setType(builder.getFunctionType(kernel.getBody().getArgumentTypes(), {}));
  for (auto &[buffer, argument] : arguments)
    kernel.setArgAttr(argument.value.getArgNumber(), "dist.access",
                      builder.getStringAttr(!argument.written ? "read"
                                            : argument.read   ? "read_write"
                                                              : "write"));
  kernel->setAttr("dist.flops", builder.getI64IntegerAttr(int64_t(flops)));
  return kernel;
}

SmallVector<Value> KernelBuilder::getBuffers() const {
  SmallVector<Value> buffers;
  for (auto &[buffer, argument] : arguments)
    buffers.push_back(buffer);
  return buffers;
}

std::string KernelBuilder::getStem() const {
  Operation *op = ops.back();
  std::string stem = op->getName().stripDialect().str();
  if (SmallVector<StringRef> names = getWrittenVariables(op); !names.empty())
    stem += "_" + names.front().str();
  return stem;
}

} // namespace graphc
