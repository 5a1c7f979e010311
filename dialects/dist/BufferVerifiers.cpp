// Verifiers of the operations after `outline`.
#include "dialects/dist/DistDialect.h"
#include "dialects/graph/GraphDialect.h"
#include "runtime/common/plan/SumTree.h"

using namespace mlir;

namespace graphc::dist {

// (B1), (B2)
LogicalResult BufferOp::verify() {
  if (!graph::isSizeWithinLimits(cast<MemRefType>(getBuffer().getType()).getShape()))
    return emitOpError("is a ") << getBuffer().getType() << ", expected at most 2^37 elements";
  if (std::optional<uint64_t> offset = getOffset();
      offset && (int64_t(*offset) < 0 || *offset % 64))
    return emitOpError("has offset ")
           << *offset << ", expected a multiple of 64 that is not negative";
  return success();
}

// (VB1)
LogicalResult VariableBufferOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto variable = symbols.lookupNearestSymbolFrom<graph::VariableOp>(*this, getVariableAttr());
  if (!variable)
    return emitOpError("names the variable @")
           << getVariable() << ", which this module does not declare";
  auto declared = cast<RankedTensorType>(variable.getType());
  auto type = cast<MemRefType>(getBuffer().getType());
  if (declared.getShape() == type.getShape() && declared.getElementType() == type.getElementType())
    return success();
  InFlightDiagnostic diag = emitOpError("is a ") << type << ", but the variable @" << getVariable()
                                                 << " is a " << declared;
  diag.attachNote(variable.getLoc()) << "variable declared here";
  return diag;
}

// (CB1)
LogicalResult ConstantBufferOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  auto value = cast<ShapedType>(getValue().getType());
  if (value.getShape() != type.getShape() || value.getElementType() != type.getElementType())
    return emitOpError("has data of type ") << value << " in a " << type;
  return success();
}

// (VW1)
LogicalResult ViewOp::verify() {
  auto from = cast<MemRefType>(getSource().getType()), to = cast<MemRefType>(getBuffer().getType());
  if (from.getElementType() != to.getElementType())
    return emitOpError("expects elements of the same type, but goes from ") << from << " to " << to;
  int64_t offset = int64_t(getOffset()), width = graph::getElementBytes(from.getElementType());
  if (offset < 0 || offset % 64) // (VW2)
    return emitOpError("begins at byte ") << offset << ", expected a multiple of 64";
  if (offset / width > from.getNumElements() ||
      to.getNumElements() > from.getNumElements() - offset / width)
    return emitOpError("goes from ")
           << from << " to " << to << " at byte " << offset << ", which is beyond its end";
  // (VW2)
  if (from.getNumElements() != to.getNumElements() && !getSource().getDefiningOp<BufferOp>())
    return emitOpError("is a part of ")
           << from << "; expected as many elements, or a dist.buffer to take a part of";
  return success();
}

// (SA1); (SA2) is of the program
LogicalResult SendStartOp::verify() {
  if (!getAhead())
    return success();
  Value memory = getValue();
  while (auto view = memory.getDefiningOp<ViewOp>())
    memory = view.getSource();
  if (!memory.getDefiningOp<VariableBufferOp>()) {
    InFlightDiagnostic diag =
        emitOpError("sends ahead what is no variable; expected a dist.variable_buffer, whose value "
                    "lasts from one step to the next");
    diag.attachNote(memory.getLoc()) << "the value is made here";
    return diag;
  }
  return success();
}

/// (K1) for `count` buffers.
static LogicalResult verifyKernel(Operation *op, FlatSymbolRefAttr name, unsigned count,
                                  SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(op, name);
  if (!kernel)
    return op->emitOpError("calls the kernel @")
           << name.getValue() << ", which this module does not define";
  // Once lowered, a kernel takes the array of pointers and the context of
  // runtime/common/abi/KernelAbi.h.
  const unsigned takes = getBufferCount(kernel);
  if (kernel->getName().getDialectNamespace() == "llvm" || takes == count)
    return success();
  InFlightDiagnostic diag = op->emitOpError("passes ")
                            << count << " buffers to the kernel @" << name.getValue()
                            << ", which takes " << takes;
  diag.attachNote(kernel.getLoc()) << "kernel defined here";
  return diag;
}

// (K1): so each buffer has an argument, whose `dist.access` says how the call uses it
LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyKernel(*this, getKernelAttr(), getBuffers().size(), symbols);
}

// (AI1)
template <typename Op> static LogicalResult verifyChunk(Op op, Value whole, StringRef what) {
  int64_t elements = cast<MemRefType>(whole.getType()).getNumElements();
  if (std::optional<uint64_t> chunk = op.getChunk(); chunk && elements % int64_t(*chunk))
    return op.emitOpError("sums chunks of ")
           << *chunk << " elements, which do not divide the " << elements << " of its " << what;
  return success();
}

// (RP1), (RP2)
LogicalResult RepeatOp::verify() {
  if (getCount() > INT32_MAX || getBody().front().empty()) // (RP3)
    return emitOpError("repeats ")
           << std::distance(getBody().front().begin(), getBody().front().end()) << " operations "
           << getCount() << " times; expected some, at most " << INT32_MAX << " times";
  for (Operation &op : getBody().front()) {
    auto send = dyn_cast<SendStartOp>(op);
    if (!isa<CallOp, LibraryCallOp, CopyOp, SignalOp, WaitOp, NextBatchIntoOp,
             MicroBatchIndexIntoOp, AccumulateOp, ViewOp>(op) &&
        (!op.hasTrait<graph::MayBeRepeated>() || (send && send.getAhead()))) {
      InFlightDiagnostic diag = op.emitOpError(
          "is repeated; what is repeated calls, copies, takes batches, accumulates, names parts "
          "of memory, signals and waits, or sends and receives, but nothing ahead");
      diag.attachNote(getLoc()) << "repeated by this";
      return diag;
    }
    if (auto next = dyn_cast<NextBatchIntoOp>(op);
        next && next.getMicroBatch() + getCount() > next.getMicroBatches())
      return op.emitOpError("takes micro-batches ")
             << next.getMicroBatch() << " to " << next.getMicroBatch() + getCount() - 1
             << ", but a step has " << next.getMicroBatches();
    if (auto index = dyn_cast<MicroBatchIndexIntoOp>(op);
        index && index.getMicroBatch() + getCount() > index.getMicroBatches())
      return op.emitOpError("numbers micro-batches ")
             << index.getMicroBatch() << " to " << index.getMicroBatch() + getCount() - 1
             << ", but a step has " << index.getMicroBatches();
  }
  return success();
}

// (AC1), (AC2)
LogicalResult AccumulateOp::verify() {
  auto repeat = dyn_cast<RepeatOp>((*this)->getParentOp());
  if (!repeat)
    return emitOpError("stands outside of a dist.repeat");
  const uint64_t values = repeat.getCount() + 1;
  if (values % getPerLeaf())
    return emitOpError("sums ") << values << " values, which are no whole leaves of "
                                << getPerLeaf();
  if (uint64_t kept = plan::keptSums(values, getPerLeaf()); getPartials().size() != kept)
    return emitOpError("has ") << getPartials().size() << " partial sums, expected " << kept
                               << " for " << values / getPerLeaf() << " leaves of " << getPerLeaf();
  auto type = cast<MemRefType>(getValue().getType());
  for (auto [i, partial] : llvm::enumerate(getPartials())) // (AC3)
    if (partial == getValue() || llvm::is_contained(getPartials().take_front(i), partial))
      return emitOpError("has one buffer for two of its sums or its value; expected one for each");
  if (llvm::any_of(getPartials().getTypes(), [&](Type partial) { return partial != type; }))
    return emitOpError("has partial sums of another type than its value's, ") << type;
  return verifyChunk(*this, getValue(), "value");
}
uint64_t AccumulateOp::getAdditions() {
  const uint64_t count = cast<RepeatOp>((*this)->getParentOp()).getCount();
  return count - plan::waitingSums(count + 1, getPerLeaf());
}
// (K1) `add` takes two buffers: one to add to, and what is added
LogicalResult AccumulateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyKernel(*this, getAddAttr(), 2, symbols);
}

LogicalResult AggregateIntoOp::verify() {
  return verifyChunk(*this, getAccumulator(), "accumulator");
}
LogicalResult AggregateChosenIntoOp::verify() {
  return verifyChunk(*this, getAccumulator(), "accumulator");
}

/// (AI2)
LogicalResult verifyAggregateInto(AggregateIntoOp aggregate, SymbolTableCollection &symbols) {
  auto channel = symbols.lookupNearestSymbolFrom<ChannelOp>(aggregate, aggregate.getChannelAttr());
  auto sum = cast<MemRefType>(aggregate.getAccumulator().getType());
  const uint64_t partials = plan::partialSums(channel.getInstances());
  const uint64_t width = uint64_t(graph::getElementBytes(sum.getElementType()));
  const uint64_t chunk = aggregate.getChunk().value_or(uint64_t(sum.getNumElements()));
  const uint64_t elements = partials * plan::partialStride(chunk * width) / width;
  auto scratch =
      aggregate.getScratch() ? cast<MemRefType>(aggregate.getScratch().getType()) : MemRefType();
  if (scratch ? partials && scratch.getElementType() == sum.getElementType() &&
                    uint64_t(scratch.getNumElements()) == elements
              : !partials)
    return success();
  InFlightDiagnostic diag = aggregate.emitOpError("sums ")
                            << channel.getInstances() << " messages with " << partials
                            << " partial sums beside the sum, expected ";
  if (partials)
    diag << "scratch memory of " << elements << " " << sum.getElementType();
  else
    diag << "no scratch memory";
  return diag;
}

/// (AR1): what the start needs beside what every end of a channel does.
LogicalResult verifyAllReduceStart(AllReduceStartOp start, SymbolTableCollection &symbols) {
  auto channel = symbols.lookupNearestSymbolFrom<ChannelOp>(start, start.getChannelAttr());
  if (!channel.getChunk()) {
    InFlightDiagnostic diag = start.emitOpError("sums over @")
                              << start.getChannel()
                              << ", which has no algorithm; expected one on its dist.channel";
    diag.attachNote(channel.getLoc()) << "channel declared here";
    return diag;
  }
  auto scratch = cast<MemRefType>(start.getScratch().getType());
  const uint64_t partials = channel.getAllReducePartialSums();
  const uint64_t elements = uint64_t(scratch.getNumElements()), part = elements / partials;
  if (part == 0 || elements % partials || *channel.getChunk() % part ||
      (partials > 1 && part * uint64_t(graph::getElementBytes(scratch.getElementType())) % 64) ||
      scratch.getElementType() != channel.getTensorType().getElementType())
    return start.emitOpError("has scratch memory of type ")
           << scratch << ", expected "
           << (partials > 1 ? "for each of " + std::to_string(partials) +
                                  " partial sums a multiple of 64 bytes with "
                            : "")
           << "as many elements as divide the " << *channel.getChunk() << " of one chunk";
  return verifyKernel(start, start.getAddAttr(), 2, symbols);
}

// (MI1), (MI2)
LogicalResult MicroBatchIndexIntoOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  if (type.getRank() != 0 || !type.getElementType().isInteger(64))
    return emitOpError("gives a scalar i64, got ") << type;
  if (getMicroBatch() < getMicroBatches())
    return success();
  return emitOpError("has micro_batch ")
         << getMicroBatch() << ", expected one below micro_batches, " << getMicroBatches();
}

/// The data set exists; numbers of classes are as many as buffers; its samples are among those of
/// the micro-batch.
LogicalResult NextBatchIntoOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (getClasses() && getClasses()->size() != getBuffers().size())
    return emitOpError("has ") << getClasses()->size() << " classes, expected one number a buffer, "
                               << getBuffers().size();
  if (const uint64_t samples = getStride().value_or(getBatch()); getOffset() + getBatch() > samples)
    return emitOpError("takes samples ") << getOffset() << " to " << getOffset() + getBatch() - 1
                                         << " of each micro-batch, which has " << samples
                                         << "; offset + batch must be at most stride";
  if (symbols.lookupNearestSymbolFrom<graph::DatasetOp>(*this, getDatasetAttr()))
    return success();
  return emitOpError("names the data set @")
         << getDataset() << ", which this module does not declare";
}

} // namespace graphc::dist
