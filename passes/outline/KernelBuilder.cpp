#include "passes/outline/KernelBuilder.h"
#include "runtime/common/base/OpCount.h"

#include "dialects/dist/DistDialect.h"
#include "dialects/graph/LoopPartsInterface.h"
#include "passes/PartRangeLoop.h"
#include "passes/outline/VerifyExplicitLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using utils::IteratorType;

namespace graphc {

using namespace graph;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
static AffineMap identityOf(Value value) {
  return AffineMap::getMultiDimIdentityMap(unsigned(typeOf(value).getRank()), value.getContext());
}

KernelBuilder::KernelBuilder(ArrayRef<Operation *> ops, ProgramMemory &memory,
                             const LoopTarget &target)
    : ops_(ops), memory_(memory), target_(target), members_(ops.begin(), ops.end()),
      kernel_(ops.back()->getLoc()) {}

//===------------------------------------------------------------------------------------------===//
// Roots
//===------------------------------------------------------------------------------------------===//

bool KernelBuilder::isMember(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && members_.contains(op);
}

/// Values from outside are read from memory but for what costs nothing: splat constants.
bool KernelBuilder::isLeaf(Value value) const {
  Operation *op = value.getDefiningOp();
  if (op == current_)
    return false;
  if (roots_.contains(value))
    return true;
  if (isMember(value))
    return false;
  return !op->hasTrait<OpTrait::ConstantLike>() || !isInlinable(op);
}

SmallVector<Value> KernelBuilder::getRootsOf(Operation *op) const {
  SmallVector<Value> found;
  llvm::copy_if(op->getResults(), std::back_inserter(found),
                [&](Value result) { return roots_.contains(result); });
  return found;
}

/// Whether an operation reads elements of a value more than once, or may.
static bool repeats(Operation *user, Value value) {
  auto structured = dyn_cast<StructuredOpInterface>(user);
  if (!structured)
    return true;
  for (const LoopNest &nest : structured.getLoopNests()) {
    int64_t iterations = 1;
    for (int64_t size : getLoopSizes(user, nest))
      iterations *= size;
    for (const LoopNest::Read &read : nest.reads)
      if (user->getOperand(read.operand) == value && iterations > typeOf(value).getNumElements())
        return true;
  }
  return false;
}

/// Whether a costly value reaches more than one root, or one that repeats it.
bool KernelBuilder::isWantedTwice(Operation *op) const {
  llvm::SmallDenseSet<Operation *> reached, seen;
  SmallVector<std::pair<Operation *, Value>> work; // a user and what of
  auto addUsers = [&](Operation *of) {
    for (Value result : of->getResults())
      for (Operation *user : result.getUsers())
        work.push_back({user, result});
  };
  addUsers(op);
  while (!work.empty()) {
    auto [user, value] = work.pop_back_val();
    if (!members_.contains(user))
      continue;
    if (repeats(user, value))
      return true;
    if (!seen.insert(user).second)
      continue;
    if (user->getNumResults() == 0 || !getRootsOf(user).empty())
      reached.insert(user);
    else
      addUsers(user);
  }
  return reached.size() > 1;
}

void KernelBuilder::findRoots() {
  for (Operation *op : ops_) {
    bool inlined = isInlinable(op);
    for (Value result : op->getResults())
      if (!inlined || llvm::any_of(result.getUsers(),
                                   [&](Operation *user) { return !members_.contains(user); }))
        roots_.insert(result);
    if (isa<ExplicitLoopsOpInterface>(op))
      for (Value operand : op->getOperands())
        if (isMember(operand))
          roots_.insert(operand);
  }
  for (Operation *op : llvm::reverse(ops_)) // users first: they may become roots themselves
    if (isExpensive(op) && isWantedTwice(op))
      roots_.insert(op->result_begin(), op->result_end());
}

/// What the stages of a root or an update are made of: itself where it is inlined, else its
/// operands.
SmallVector<ElementAccess> KernelBuilder::getAccesses(Operation *op) const {
  SmallVector<ElementAccess> accesses;
  if (isInlinable(op)) {
    for (Value result : getRootsOf(op))
      accesses.push_back({result, identityOf(result)});
  } else {
    for (Value operand : op->getOperands())
      accesses.push_back({operand, identityOf(operand)});
  }
  return accesses;
}

SmallVector<ElementAccess> KernelBuilder::leavesOf(ArrayRef<ElementAccess> accesses) const {
  auto leaf = [&](Value value) { return isLeaf(value); };
  ScalarBody body(leaf);
  SmallVector<ElementAccess> leaves;
  for (const ElementAccess &access : accesses)
    body.collect(access, leaves);
  return leaves;
}

SmallVector<ElementAccess> KernelBuilder::leavesOf(Operation *op) {
  current_ = isInlinable(op) ? op : nullptr;
  SmallVector<ElementAccess> leaves = leavesOf(getAccesses(op));
  current_ = nullptr;
  return leaves;
}

/// Values that `op` is the last to read, each element where it writes its own, and that nobody
/// outside reads.
SmallVector<Value>
KernelBuilder::findDonors(Operation *op, ArrayRef<ElementAccess> leaves,
                          const llvm::DenseMap<Value, Operation *> &lastReader) const {
  auto loops = dyn_cast<ExplicitLoopsOpInterface>(op);
  if (op->getNumResults() == 0 || (!loops && !isInlinable(op)))
    return {};
  auto isInPlace = [&](Value value) {
    return !loops || llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
      return operand.get() != value ||
             loops.getAccess(operand.getOperandNumber()) == LoopAccess::Aligned;
    });
  };
  SmallVector<Value> donors;
  for (const ElementAccess &leaf : leaves) {
    bool once = llvm::count_if(leaves, [&](const ElementAccess &other) {
                  return other.value == leaf.value;
                }) == 1;
    if (once && leaf.map.isIdentity() && leaf.value.getType() == op->getResult(0).getType() &&
        lastReader.lookup(leaf.value) == op && isInPlace(leaf.value) &&
        llvm::all_of(leaf.value.getUsers(),
                     [&](Operation *user) { return members_.contains(user); }))
      donors.push_back(leaf.value);
  }
  return donors;
}

/// Where there is such a value, the root is written over it. Stages run in the order of `ops`,
/// updates behind all of them.
void KernelBuilder::reuseMemory() {
  SmallVector<std::pair<Operation *, SmallVector<ElementAccess>>> stages;
  for (bool updates : {false, true})
    for (Operation *op : ops_)
      if (updates ? op->getNumResults() == 0 : !getRootsOf(op).empty())
        stages.push_back({op, leavesOf(op)});
  llvm::DenseMap<Value, Operation *> lastReader;
  for (auto &[op, leaves] : stages)
    for (const ElementAccess &leaf : leaves)
      lastReader[leaf.value] = op;
  for (auto &[op, leaves] : stages)
    for (Value donor : findDonors(op, leaves, lastReader))
      if (roots_.contains(op->getResult(0)) && memory_.reuse(donor, op->getResult(0)))
        break;
}

//===------------------------------------------------------------------------------------------===//
// Values that have memory
//===------------------------------------------------------------------------------------------===//

void KernelBuilder::addStage(LinalgStage stage, LinalgKernel::BodyFn body, Operation *reader) {
  for (const ElementAccess &leaf : leavesOf(stage.accesses)) {
    Value buffer;
    if (reader)
      for (OpOperand &operand : reader->getOpOperands())
        if (operand.get() == leaf.value)
          buffer = copies_.lookup(&operand);
    stage.leaves.push_back({leaf, buffer ? buffer : memory_.of(leaf.value)});
  }
  kernel_.addStage(stage, [&](Value value) { return isLeaf(value); }, body);
}

/// Results of one operation, inlined into its own stage.
void KernelBuilder::emitElementwise(ArrayRef<Value> roots) {
  AffineMap identity = identityOf(roots.front());
  LinalgStage stage{roots.front().getLoc()};
  stage.iterators.assign(identity.getNumDims(), IteratorType::parallel);
  for (Value root : roots) {
    stage.accesses.push_back({root, identity});
    stage.outs.push_back({memory_.of(root), StageUse::Write, identity});
  }
  current_ = roots.front().getDefiningOp();
  addStage(std::move(stage), [](OpBuilder &, ArrayRef<Value> elements, ValueRange) {
    return SmallVector<Value>(elements);
  });
  current_ = nullptr;
}

void KernelBuilder::materialize(Value value) {
  if (isLeaf(value))
    return;
  roots_.insert(value);
  emitElementwise(value);
}

void KernelBuilder::fill(Value root, TypedAttr value) {
  LinalgStage stage{root.getLoc()};
  stage.iterators.assign(size_t(typeOf(root).getRank()), IteratorType::parallel);
  stage.outs.push_back({memory_.of(root), StageUse::Write, identityOf(root)});
  addStage(std::move(stage), [&](OpBuilder &inner, ArrayRef<Value>, ValueRange) {
    return SmallVector<Value>{arith::ConstantOp::create(inner, root.getLoc(), value)};
  });
}

/// A value that does not vary along some loop gets memory; a constant does not, however large it
/// is: a stage says how long the loops over it are.
void KernelBuilder::coverLoops(ArrayRef<ElementAccess> accesses, ArrayRef<AffineMap> writes) {
  llvm::SmallBitVector covered(writes.front().getNumDims());
  auto cover = [&](AffineMap map) {
    for (AffineExpr result : map.getResults())
      if (std::optional<unsigned> loop = getLoop(result, map.getNumDims()))
        covered.set(*loop);
  };
  llvm::for_each(writes, cover);
  for (const ElementAccess &leaf : leavesOf(accesses))
    cover(leaf.map);
  if (!covered.all())
    for (const ElementAccess &access : accesses)
      if (!access.value.getDefiningOp()->hasTrait<OpTrait::ConstantLike>())
        materialize(access.value);
}

/// A stage a nest. What a reduction sums up to begins at its start, a variable that is read at its
/// old value.
void KernelBuilder::emitStructured(StructuredOpInterface op) {
  VariableNames read = getReadVariables(op), written = getWrittenVariables(op);
  for (const LoopNest &nest : op.getLoopNests()) {
    LinalgStage stage{op.getLoc(), nest.iterators};
    for (const LoopNest::Read &element : nest.reads)
      stage.accesses.push_back({op->getOperand(element.operand), element.map});
    if (nest.isReduction()) {
      coverLoops(stage.accesses, nest.writes);
      for (OpResult result : op->getResults())
        fill(result, op.getStart(result.getResultNumber()));
    }
    for (OpResult result : op->getResults())
      stage.outs.push_back({memory_.of(result),
                            nest.isReduction() ? StageUse::Update : StageUse::Write,
                            nest.writes[result.getResultNumber()]});
    for (auto [name, map] :
         llvm::zip_equal(written, ArrayRef(nest.writes).drop_front(op->getNumResults())))
      stage.outs.push_back({memory_.ofVariable(name.getValue()),
                            llvm::is_contained(read, name) ? StageUse::Update : StageUse::Write,
                            map});
    addStage(
        std::move(stage),
        [&](OpBuilder &inner, ArrayRef<Value> elements, ValueRange old) {
          return op.buildBody(inner, elements, old, [&](unsigned loop) -> Value {
            return linalg::IndexOp::create(inner, op.getLoc(), uint64_t(loop));
          });
        },
        op);
  }
}

/// The loops are built on memory that stands for each operand and out alone, as two of them may be
/// one argument; what was promised is checked on it, and the arguments take its place. What the
/// loops do not look at, a constant of which they know all elements, has no memory.
LogicalResult KernelBuilder::emitLoops(ExplicitLoopsOpInterface op) {
  VariableNames read = getReadVariables(op);
  OpBuilder &builder = kernel_.getBuilder();
  SmallVector<Operation *> standIns;
  auto standIn = [&](Type tensor) -> Value {
    auto type = cast<RankedTensorType>(tensor);
    standIns.push_back(UnrealizedConversionCastOp::create(
        builder, op.getLoc(),
        MemRefType::get(type.getShape(), getStoredElement(type.getElementType())), ValueRange()));
    return standIns.back()->getResult(0);
  };
  auto arrive = [&](Value standIn, llvm::function_ref<Value()> buffer, StageUse use) {
    if (!standIn.use_empty())
      standIn.replaceAllUsesWith(kernel_.getArgument(buffer(), use));
    standIn.getDefiningOp()->erase();
  };
  SmallVector<Value> operands, outs, variables;
  for (Value operand : op->getOperands())
    operands.push_back(standIn(operand.getType()));
  for (Value result : op->getResults())
    outs.push_back(standIn(result.getType()));
  for (FlatSymbolRefAttr name : getWrittenVariables(op)) {
    variables.push_back(memory_.ofVariable(name.getValue()));
    auto type = cast<MemRefType>(variables.back().getType());
    outs.push_back(standIn(RankedTensorType::get(type.getShape(), type.getElementType())));
  }
  if (const int64_t parts = getLoopParts(op); parts > 1)
    PartLoop::create(builder, op.getLoc(), parts, [&](Value first, Value limit) {
      cast<LoopPartsOpInterface>(op.getOperation())
          .buildParts(builder, operands, outs, first, limit, target_);
    });
  else
    op.buildLoops(builder, operands, outs, target_);
  builder.setInsertionPointToEnd(builder.getBlock());
  SmallVector<Operation *> made;
  for (Operation *next = standIns.back()->getNextNode(); next; next = next->getNextNode())
    made.push_back(next);
  if (failed(verifyLoops(op, made, operands, outs)))
    return failure();
  for (auto [operand, memoryOf] : llvm::zip_equal(op->getOpOperands(), operands))
    arrive(
        memoryOf,
        [&] {
          Value copy = copies_.lookup(&operand);
          return copy ? copy : memory_.of(operand.get());
        },
        StageUse::Read);
  for (auto [result, out] : llvm::zip(op->getResults(), outs))
    arrive(out, [&] { return memory_.of(result); }, StageUse::Write);
  for (auto [name, variable, out] : llvm::zip_equal(getWrittenVariables(op), variables,
                                                    ArrayRef(outs).drop_front(op->getNumResults())))
    arrive(
        out, [&] { return variable; },
        llvm::is_contained(read, name) ? StageUse::Update : StageUse::Write);
  return success();
}

//===------------------------------------------------------------------------------------------===//
// State
//===------------------------------------------------------------------------------------------===//

/// An update may not read what an update before it (or itself, elsewhere) has written: such values
/// get memory first.
void KernelBuilder::protectUpdates(ArrayRef<Operation *> updates) {
  llvm::DenseMap<Value, unsigned> writtenBy;
  for (auto [i, op] : llvm::enumerate(updates))
    for (FlatSymbolRefAttr name : getWrittenVariables(op))
      writtenBy.try_emplace(memory_.ofVariable(name.getValue()), unsigned(i));
  for (auto [i, op] : llvm::enumerate(updates)) {
    bool anywhere = isa<ExplicitLoopsOpInterface>(op);
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      bool endangered = llvm::any_of(
          leavesOf(ElementAccess{value, identityOf(value)}), [&](const ElementAccess &leaf) {
            auto written = writtenBy.find(memory_.of(leaf.value));
            return written != writtenBy.end() &&
                   (written->second < i || anywhere || !leaf.map.isIdentity());
          });
      if (!endangered)
        continue;
      if (!isLeaf(value)) {
        materialize(value);
        continue;
      }
      Value copy = memory_.makeLike(value);
      kernel_.addCopy(op->getLoc(), memory_.of(value), copy);
      copies_[&operand] = copy;
    }
  }
}

//===------------------------------------------------------------------------------------------===//
// The kernel
//===------------------------------------------------------------------------------------------===//

LogicalResult KernelBuilder::emit(Operation *op) {
  // a value read before its variable changes, kept beyond the change
  if (auto read = dyn_cast<ReadOp>(op))
    kernel_.addCopy(op->getLoc(), memory_.ofVariable(read.getVariable()),
                    memory_.of(read.getResult()));
  else if (auto loops = dyn_cast<ExplicitLoopsOpInterface>(op))
    return emitLoops(loops);
  else if (isInlinable(op))
    emitElementwise(getRootsOf(op));
  else
    emitStructured(cast<StructuredOpInterface>(op));
  return success();
}

FailureOr<OwningOpRef<func::FuncOp>> KernelBuilder::build() {
  findRoots();
  reuseMemory();
  SmallVector<Operation *> updates;
  uint64_t flops = 0;
  for (Operation *op : ops_) {
    if (auto cost = dyn_cast<CostOpInterface>(op))
      flops = base::addOps(flops, cost.getFlops());
    if (op->getNumResults() == 0)
      updates.push_back(op);
    else if (!getRootsOf(op).empty() && failed(emit(op)))
      return failure();
  }
  protectUpdates(updates);
  for (Operation *op : updates)
    if (failed(emit(op)))
      return failure();
  for (Operation *op : ops_) // the call waits for what it is given
    if (auto after = dyn_cast<dist::AfterOp>(op); after && !isMember(after.getOther()))
      kernel_.getArgument(memory_.of(after.getOther()), StageUse::Read);
  return kernel_.take(flops);
}

std::string KernelBuilder::getStem() const {
  Operation *op = ops_.back();
  std::string stem = op->getName().stripDialect().str();
  if (VariableNames names = getWrittenVariables(op); !names.empty())
    stem += "_" + names.front().getValue().str();
  return stem;
}

} // namespace graphc
