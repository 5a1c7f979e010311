//===- OutlineKernels.cpp - programs of buffers and calls -------------------------------------===//
#include "passes/LibraryKind.h"
#include "passes/Passes.h"
#include "passes/outline/DuplicateCheapOps.h"
#include "passes/outline/KernelBuilder.h"
#include "passes/outline/KernelGrouping.h"
#include "passes/outline/KernelTable.h"
#include "runtime/common/plan/SumTree.h"
#include "runtime/kernels/KernelRegistry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

namespace graphc {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// How many elements of a sum over replicas are added at once: a divisor of their number, so that
/// one kernel does it all. At most 64 KiB, of which a second-level cache holds several, or 16 KiB
/// with partial sums beside it, which a first-level cache then holds as well; at least 4 KiB, below
/// which calls cost more than they save.
int64_t getChunk(MemRefType type, bool partials = false) {
  const int64_t kMostBytes = partials ? 16 << 10 : 64 << 10;
  constexpr int64_t kLeastBytes = 4 << 10, kAlignment = 64; // of what a kernel is given
  int64_t elements = type.getNumElements(), size = graph::getElementBytes(type.getElementType());
  if (elements * size <= kMostBytes)
    return elements;
  for (int64_t chunk = kMostBytes / size; chunk * size >= kLeastBytes; chunk -= kAlignment / size)
    if (elements % chunk == 0)
      return chunk;
  return elements;
}

/// Memory for so many partial sums of a chunk of `sum`.
MemRefType getPartials(int64_t partials, int64_t chunk, MemRefType sum) {
  const auto width = uint64_t(graph::getElementBytes(sum.getElementType()));
  return MemRefType::get(partials * int64_t(plan::partialStride(uint64_t(chunk) * width) / width),
                         sum.getElementType());
}

class ProgramOutliner : ProgramMemory {
public:
  ProgramOutliner(dist::ProgramOp program, KernelTable &kernels)
      : program_(program), kernels_(kernels), declarations_(program.getContext()),
        builder_(program.getContext()) {}

  LogicalResult run();
  unsigned numCalls = 0;

private:
  Value of(Value value) override;
  Value ofVariable(StringRef name) override;
  Value makeLike(Value value) override { return newBuffer(bufferType(value), value.getLoc()); }
  bool reuse(Value donor, Value value) override {
    // The next time of a loop reads it again; and what a loop's sums are kept in stays in the
    // arena, where its value may leave in a slot.
    if (donor.getParentBlock() != value.getParentBlock() || donor.getDefiningOp<graph::RepeatOp>())
      return false;
    Value buffer = of(donor);
    if (!buffer.getDefiningOp<dist::BufferOp>())
      return false;
    if (auto [placed, isNew] = memory_.try_emplace(value, buffer); !isNew) { // its part of a pack
      Value part = placed->second;
      if (!part.getDefiningOp<dist::ViewOp>() || part.getType() != buffer.getType())
        return false;
      buffer.replaceAllUsesWith(part);
      for (auto &entry : memory_) // whatever is written over by the donor, and the donor
        if (entry.second == buffer)
          entry.second = part;
    }
    return true;
  }

  Value countOf(dist::ChannelEndOpInterface end) {
    Value count = end.getMessageCount();
    return count ? of(count) : Value();
  }

  static MemRefType bufferType(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return MemRefType::get(type.getShape(), type.getElementType());
  }
  Value newBuffer(Type type, Location loc) {
    return dist::BufferOp::create(declarations_, loc, type, IntegerAttr(), /*host=*/false);
  }

  /// Graph operations whose value nobody wants; users first.
  static void eraseDead(Block &block) {
    SmallVector<Operation *> ops;
    for (Operation &op : block.without_terminator())
      if (isa<graph::GraphDialect>(op.getDialect()) ||
          llvm::any_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>))
        ops.push_back(&op);
    for (Operation *op : llvm::reverse(ops))
      if (op->getNumResults() && op->use_empty() &&
          (isMemoryEffectFree(op) || isa<graph::ReadOp>(op)))
        op->erase();
  }

  LogicalResult emit(const ProgramGraph::Group &group) {
    return group.kind == ProgramGraph::Kind::Compute   ? emitKernel(group)
           : group.kind == ProgramGraph::Kind::Library ? emitLibraryCall(group)
                                                       : emitOther(group.ops.front());
  }
  StringRef libraryKind() { return getLibraryKind(program_); }
  LogicalResult emitKernel(const ProgramGraph::Group &group);
  LogicalResult emitRepeat(graph::RepeatOp repeat);
  LogicalResult emitLibraryCall(const ProgramGraph::Group &group);
  LogicalResult emitOther(Operation *op);
  void emit(dist::ReceiveOp receive);
  void emit(dist::SendOp send);
  void emit(dist::CollectOp collect);
  void emit(dist::AggregateOp aggregate);
  void emit(dist::UnpackOp unpack);
  void emit(dist::AggregateChosenOp aggregate);
  void emit(dist::ChooseOp choose);
  void emit(dist::FeedOp feed);
  void emit(dist::FetchOp fetch);
  void emit(dist::MetricOp metric);
  void emit(graph::NextBatchOp next);
  void emit(graph::MicroBatchIndexOp index);
  void placeInPacks(const ProgramGraph &graph);
  void emit(dist::PackOp pack);
  void startAllReduce(dist::SendOp send, dist::ChannelOp channel);
  dist::ChannelOp getChannel(FlatSymbolRefAttr name) {
    return kernels_.getSymbols().lookup<dist::ChannelOp>(name.getAttr());
  }

  dist::ProgramOp program_;
  KernelTable &kernels_;
  OpBuilder declarations_; ///< buffers, at the start of the program
  OpBuilder builder_;
  llvm::DenseMap<Value, Value> memory_;
  llvm::StringMap<Value> variables_;
  /// by channel: the buffer and the scratch memory
  llvm::StringMap<std::pair<Value, Value>> allReduces_;
};

Value ProgramOutliner::ofVariable(StringRef name) {
  Value &buffer = variables_[name];
  if (!buffer) {
    auto variable = kernels_.getSymbols().lookup<graph::VariableOp>(name);
    auto type = MemRefType::get(variable.getTensorType().getShape(),
                                variable.getTensorType().getElementType());
    buffer = dist::VariableBufferOp::create(declarations_, variable.getLoc(), type, name);
  }
  return buffer;
}

Value ProgramOutliner::of(Value value) {
  if (Value known = memory_.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  Value buffer;
  if (auto read = dyn_cast<graph::ReadOp>(op)) // one that is copied has its buffer by now
    buffer = ofVariable(read.getVariable());
  else if (ElementsAttr constant; matchPattern(value, m_Constant(&constant)))
    buffer = dist::ConstantBufferOp::create(declarations_, op->getLoc(), bufferType(value),
                                            constant, /*host=*/false);
  else
    buffer = newBuffer(bufferType(value), op->getLoc());
  memory_[value] = buffer;
  return buffer;
}

LogicalResult ProgramOutliner::emitKernel(const ProgramGraph::Group &group) {
  for (Operation *op : group.ops)
    if (auto read = dyn_cast<graph::ReadOp>(op))
      memory_[read.getResult()] = newBuffer(bufferType(read.getResult()), op->getLoc());
  KernelBuilder kernel(group.ops, *this, graph::LoopTarget::of(program_.getDeviceKind()));
  FailureOr<OwningOpRef<func::FuncOp>> function = kernel.build();
  if (failed(function))
    return failure();
  SmallVector<Value> buffers = kernel.getBuffers();
  if (buffers.empty())
    return success(); // nothing that anybody sees
  SmallVector<Location> locations;
  for (Operation *op : group.ops)
    locations.push_back(op->getLoc());
  FlatSymbolRefAttr name = kernels_.insert(std::move(*function), kernel.getStem());
  dist::CallOp::create(builder_, builder_.getFusedLoc(locations), name, buffers,
                       /*queue=*/IntegerAttr());
  ++numCalls;
  return success();
}

LogicalResult ProgramOutliner::emitLibraryCall(const ProgramGraph::Group &group) {
  auto library = cast<graph::LibraryKernelOpInterface>(group.ops.front());
  const StringRef name = library.getLibraryKernel(libraryKind());
  DictionaryAttr descriptor = library.getLibraryDescriptor(name);
  SmallVector<Value> inputs(library->getOperands());
  SmallVector<StringRef> postOps;
  SmallVector<Location> locations{library.getLoc()};
  for (Operation *op : ArrayRef(group.ops).drop_front()) {
    auto post = cast<graph::LibraryPostOpInterface>(op);
    postOps.push_back(post.getPostOpName());
    locations.push_back(op->getLoc());
    for (OpOperand &operand : op->getOpOperands())
      if (&operand != &post.getPostOpInput())
        inputs.push_back(operand.get());
  }
  ResultRange results = group.ops.back()->getResults();
  auto call = dist::makeLibraryCall([&] { return library->emitOpError(); }, name, descriptor,
                                    postOps, ValueRange(inputs).getTypes(), results.getTypes());
  if (failed(call))
    return failure();
  absl::StatusOr<kernels::CallFacts> facts = kernels::checkCall(*call);
  absl::StatusOr<uint64_t> scratchBytes =
      facts.ok() ? kernels::scratchBytesOf(*call) : absl::StatusOr<uint64_t>(facts.status());
  if (!scratchBytes.ok())
    return library->emitOpError("cannot be planned: ")
           << std::string(scratchBytes.status().message());
  auto buffersOf = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return of(value); });
  };
  SmallVector<Value> inputBuffers = buffersOf(inputs), outputBuffers = buffersOf(results);
  Value scratch;
  if (*scratchBytes)
    scratch =
        newBuffer(MemRefType::get(int64_t(*scratchBytes), builder_.getI8Type()), library.getLoc());
  dist::LibraryCallOp::create(builder_, builder_.getFusedLoc(locations), name, inputBuffers,
                              outputBuffers, scratch, descriptor, builder_.getStrArrayAttr(postOps),
                              /*queue=*/IntegerAttr());
  ++numCalls;
  return success();
}

/// What a kernel or the library computes for a pack alone is written where it belongs in it;
/// emitPack copies the rest.
void ProgramOutliner::placeInPacks(const ProgramGraph &graph) {
  llvm::DenseSet<Operation *> computed;
  for (const ProgramGraph::Group &group : graph.getGroups())
    if (group.kind == ProgramGraph::Kind::Compute || group.kind == ProgramGraph::Kind::Library)
      computed.insert(group.ops.begin(), group.ops.end());
  for (auto pack : program_.getBlock().getOps<dist::PackOp>()) {
    int64_t elements;
    SmallVector<int64_t> offsets = dist::getPackOffsets(pack.getValues().getTypes(), elements);
    Value whole = of(pack.getPacked());
    for (auto [value, offset] : llvm::zip_equal(pack.getValues(), offsets)) {
      Value source = value; // a view of a whole is that whole
      while (source.hasOneUse() && isWholeView(source.getDefiningOp()) &&
             !computed.contains(source.getDefiningOp()))
        source = source.getDefiningOp()->getOperand(0);
      Operation *def = source.getDefiningOp();
      if (source.hasOneUse() && computed.contains(def) && !isa<graph::ReadOp>(def) &&
          !memory_.contains(source))
        memory_[source] = dist::ViewOp::create(declarations_, def->getLoc(), bufferType(source),
                                               whole, uint64_t(offset));
    }
  }
}

void ProgramOutliner::emit(dist::PackOp pack) {
  int64_t elements;
  SmallVector<int64_t> offsets = dist::getPackOffsets(pack.getValues().getTypes(), elements);
  Value whole = of(pack.getPacked());
  for (auto [value, offset] : llvm::zip_equal(pack.getValues(), offsets)) {
    Value here = of(value);
    Operation *at = here.getDefiningOp();
    while (auto view = dyn_cast<dist::ViewOp>(at))
      at = view.getSource().getDefiningOp();
    if (at == whole.getDefiningOp())
      continue;
    Value there =
        dist::ViewOp::create(builder_, pack.getLoc(), bufferType(value), whole, uint64_t(offset));
    dist::CallOp::create(builder_, pack.getLoc(),
                         kernels_.getCopy(bufferType(value), pack.getLoc()),
                         ValueRange{there, here}, /*queue=*/IntegerAttr());
    ++numCalls;
  }
}

/// In place where nobody but the sum wants what is summed.
void ProgramOutliner::startAllReduce(dist::SendOp send, dist::ChannelOp channel) {
  Value value = send.getValue(), buffer = of(value);
  bool onlySummed =
      value.getDefiningOp<dist::PackOp>() && llvm::all_of(value.getUsers(), [&](Operation *user) {
        auto aggregate = dyn_cast<dist::AggregateOp>(user);
        return user == send || (aggregate && aggregate.getChannelAttr() == send.getChannelAttr());
      });
  if (!onlySummed) {
    Value copy = newBuffer(bufferType(value), send.getLoc());
    dist::CallOp::create(builder_, send.getLoc(),
                         kernels_.getCopy(bufferType(value), send.getLoc()),
                         ValueRange{copy, buffer}, /*queue=*/IntegerAttr());
    ++numCalls;
    buffer = copy;
  }
  Type element = bufferType(value).getElementType();
  const auto partials = int64_t(channel.getAllReducePartialSums());
  int64_t chunk = getChunk(MemRefType::get(int64_t(*channel.getChunk()), element), partials > 1);
  Value scratch = newBuffer(MemRefType::get(partials * chunk, element), send.getLoc());
  allReduces_[send.getChannel()] = {buffer, scratch};
  dist::AllReduceStartOp::create(builder_, send.getLoc(), send.getChannelAttr(), buffer, scratch,
                                 kernels_.getAdd(element, chunk, send.getLoc()));
}

/// The body as a program is made, each value that is summed right behind what makes it, while it is
/// in a cache.
LogicalResult ProgramOutliner::emitRepeat(graph::RepeatOp repeat) {
  Block &body = repeat.getBody().front();
  eraseDead(body);
  copyForUsers(body);
  auto loop = dist::RepeatOp::create(builder_, repeat.getLoc(), repeat.getCount());
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToEnd(&loop.getBody().emplaceBlock());
  llvm::MapVector<Value, SmallVector<size_t>> summed; // a value, as which ones it is yielded
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
    summed[value].push_back(i);
  auto accumulate = [&](Value value) {
    MemRefType type = bufferType(value);
    // What a queue is given is no slower for being large, and no cache keeps it until the next.
    const int64_t chunk =
        program_.hasQueues() ? type.getNumElements() : getChunk(type, /*partials=*/true);
    const unsigned kept = repeat.getKept();
    for (size_t i : summed.lookup(value)) {
      auto partials = llvm::map_to_vector(repeat.getPartials().slice(i * kept, kept),
                                          [&](Value partial) { return of(partial); });
      dist::AccumulateOp::create(builder_, value.getLoc(), of(value), partials,
                                 kernels_.getAdd(type.getElementType(), chunk, value.getLoc()),
                                 builder_.getI64IntegerAttr(int64_t(repeat.getPerLeaf())),
                                 chunk == type.getNumElements() ? IntegerAttr()
                                                                : builder_.getI64IntegerAttr(chunk),
                                 IntegerAttr());
    }
    summed.erase(value);
  };
  const ProgramGraph graph(body, libraryKind());
  for (const ProgramGraph::Group &group : graph.getGroups()) {
    if (failed(emit(group)))
      return failure();
    for (Operation *op : group.ops)
      for (Value result : op->getResults())
        if (summed.contains(result))
          accumulate(result);
  }
  while (!summed.empty()) // the same each time, made before the loop
    accumulate(summed.front().first);
  return success();
}

void ProgramOutliner::emit(dist::ReceiveOp receive) {
  memory_[receive.getValue()] =
      dist::ReceiveOp::create(builder_, receive.getLoc(), bufferType(receive.getValue()),
                              receive.getChannel(), countOf(receive));
}

void ProgramOutliner::emit(dist::SendOp send) {
  if (dist::ChannelOp channel = getChannel(send.getChannelAttr()); channel.getAlgorithm()) {
    startAllReduce(send, channel);
    return;
  }
  dist::SendOp::create(builder_, send.getLoc(), send.getChannel(), of(send.getValue()),
                       countOf(send), send.getDeal());
}

void ProgramOutliner::emit(dist::CollectOp collect) {
  dist::CollectIntoOp::create(builder_, collect.getLoc(), collect.getChannel(),
                              of(collect.getValue()), countOf(collect));
}

void ProgramOutliner::emit(dist::AggregateOp aggregate) {
  if (auto reducing = allReduces_.find(aggregate.getChannel()); reducing != allReduces_.end()) {
    auto [buffer, scratch] = reducing->second;
    memory_[aggregate.getValue()] = buffer;
    dist::AllReduceDoneOp::create(builder_, aggregate.getLoc(), aggregate.getChannelAttr(), buffer,
                                  scratch);
    return;
  }
  MemRefType type = bufferType(aggregate.getValue());
  const int64_t partials = plan::partialSums(getChannel(aggregate.getChannelAttr()).getInstances()),
                chunk = getChunk(type, partials > 0);
  Value scratch;
  if (partials)
    scratch = newBuffer(getPartials(partials, chunk, type), aggregate.getLoc());
  dist::AggregateIntoOp::create(
      builder_, aggregate.getLoc(), aggregate.getChannelAttr(), of(aggregate.getValue()),
      aggregate.getOwn() ? of(aggregate.getOwn()) : Value(), scratch,
      kernels_.getAdd(type.getElementType(), chunk, aggregate.getLoc()),
      chunk == type.getNumElements() ? IntegerAttr() : builder_.getI64IntegerAttr(chunk));
}

void ProgramOutliner::emit(dist::UnpackOp unpack) {
  int64_t elements;
  SmallVector<int64_t> offsets = dist::getPackOffsets(unpack.getValues().getTypes(), elements);
  for (auto [value, offset] : llvm::zip_equal(unpack.getValues(), offsets))
    memory_[value] = dist::ViewOp::create(builder_, unpack.getLoc(), bufferType(value),
                                          of(unpack.getPacked()), uint64_t(offset));
}

void ProgramOutliner::emit(dist::AggregateChosenOp aggregate) {
  MemRefType type = bufferType(aggregate.getValue());
  int64_t chunk = getChunk(type);
  dist::AggregateChosenIntoOp::create(
      builder_, aggregate.getLoc(), aggregate.getChannelAttr(), of(aggregate.getValue()),
      kernels_.getAdd(type.getElementType(), chunk, aggregate.getLoc()), of(aggregate.getSet()),
      chunk == type.getNumElements() ? IntegerAttr() : builder_.getI64IntegerAttr(chunk));
}

void ProgramOutliner::emit(dist::ChooseOp choose) {
  dist::ChooseIntoOp::create(builder_, choose.getLoc(), choose.getChannel(),
                             of(choose.getVersion()), of(choose.getSet()), choose.getTake());
}

void ProgramOutliner::emit(dist::FeedOp feed) {
  dist::FeedIntoOp::create(builder_, feed.getLoc(), feed.getName(), of(feed.getValue()));
}

void ProgramOutliner::emit(dist::FetchOp fetch) {
  dist::FetchOp::create(builder_, fetch.getLoc(), fetch.getName(), of(fetch.getValue()),
                        fetch.getReduction(), fetch.getMicroBatches());
}

void ProgramOutliner::emit(dist::MetricOp metric) {
  dist::MetricOp::create(builder_, metric.getLoc(), metric.getName(), of(metric.getSum()),
                         of(metric.getCount()));
}

void ProgramOutliner::emit(graph::NextBatchOp next) {
  SmallVector<Value> buffers;
  for (Value output : next.getOutputs())
    buffers.push_back(of(output));
  Value valid = next.getPadLast() ? buffers.pop_back_val() : Value();
  dist::NextBatchIntoOp::create(builder_, next.getLoc(), next.getDataset(), buffers, valid,
                                next.getBatch(), next.getPadLast(), next.getMicroBatch(),
                                next.getMicroBatches(), next.getClassesAttr(), next.getOffset(),
                                next.getStrideAttr());
}

void ProgramOutliner::emit(graph::MicroBatchIndexOp index) {
  dist::MicroBatchIndexIntoOp::create(builder_, index.getLoc(), of(index.getResult()),
                                      index.getMicroBatch(), index.getMicroBatches());
}

LogicalResult ProgramOutliner::emitOther(Operation *op) {
  if (isView(op)) {
    Value view = op->getResult(0), source = of(op->getOperand(0));
    memory_[view] = dist::ViewOp::create(builder_, op->getLoc(), bufferType(view), source,
                                         uint64_t(getViewOffset(op)));
    return success();
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](graph::RepeatOp repeat) { return emitRepeat(repeat); })
      .Case<dist::ReceiveOp, dist::SendOp, dist::CollectOp, dist::AggregateOp, dist::UnpackOp,
            dist::AggregateChosenOp, dist::ChooseOp, dist::FeedOp, dist::FetchOp, dist::MetricOp,
            graph::NextBatchOp, graph::MicroBatchIndexOp, dist::PackOp>([&](auto op) {
        emit(op);
        return success();
      })
      .Case<dist::ControlSendOp, dist::ControlReceiveOp, dist::TicketOp>([&](auto) {
        builder_.clone(*op);
        return success();
      })
      .Default([](Operation *op) -> LogicalResult {
        return op->emitOpError("cannot be outlined; expected the primitives that decompose leaves");
      });
}

LogicalResult ProgramOutliner::run() {
  Block &block = program_.getBlock();
  eraseDead(block);
  copyForUsers(block);
  ProgramGraph graph(block, libraryKind());
  SmallVector<Operation *> old; // goes at once when what stands for it is there
  for (Operation &op : block.without_terminator())
    old.push_back(&op);
  auto *marker = dist::EndOp::create(declarations_, program_.getLoc()).getOperation();
  block.push_front(marker); // declarations before it; it goes away at the end
  declarations_.setInsertionPoint(marker);
  builder_.setInsertionPoint(block.getTerminator());
  placeInPacks(graph);
  for (const ProgramGraph::Group &group : graph.getGroups())
    if (failed(emit(group)))
      return failure();
  for (Operation *op : old)
    op->dropAllReferences();
  for (Operation *op : old)
    op->erase();
  marker->erase();
  return success();
}

struct OutlineKernelsPass : impl::OutlineKernelsBase<OutlineKernelsPass> {
  using OutlineKernelsBase::OutlineKernelsBase;

  /// Loops that ops write themselves are of scf (ExplicitLoopsOpInterface), and no dialect of
  /// theirs has to load it.
  void getDependentDialects(DialectRegistry &registry) const override {
    OutlineKernelsBase::getDependentDialects(registry);
    registry.insert<scf::SCFDialect>();
  }

  void runOnOperation() override {
    KernelTable kernels(getOperation());
    for (auto program : getOperation().getOps<dist::ProgramOp>()) {
      ProgramOutliner outliner(program, kernels);
      if (failed(outliner.run()))
        return signalPassFailure();
      numCalls += outliner.numCalls;
    }
    numKernels += kernels.size();
  }
};

} // namespace
} // namespace graphc
