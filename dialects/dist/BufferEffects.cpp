// What each operation of a program of buffers does to memory: one table, a row an operation that
// does not say it in its definition.
#include "dialects/dist/DistDialect.h"

using namespace mlir;

namespace graphc::dist {

using Effects = SmallVector<BufferEffect>;

static Effects read(ValueRange buffers, BufferHold until = BufferHold::End) {
  return llvm::map_to_vector(
      buffers, [&](Value buffer) { return BufferEffect{buffer, BufferAccess::Read, until}; });
}
static Effects write(ValueRange buffers) {
  return llvm::map_to_vector(
      buffers, [&](Value buffer) { return BufferEffect{buffer, BufferAccess::Write}; });
}
/// Optional operands may be missing.
static Effects both(Effects reads, Effects writes) {
  reads.append(writes);
  llvm::erase_if(reads, [](const BufferEffect &effect) { return !effect.buffer; });
  return reads;
}

SmallVector<BufferEffect> plainEffects(ArrayRef<Value> reads, ArrayRef<Value> writes) {
  return both(read(ValueRange(reads)), write(ValueRange(writes)));
}

/// As the kernel's arguments say.
static FailureOr<Effects> ofCall(CallOp call, const SymbolTable &symbols) {
  FunctionOpInterface kernel = findKernelBody(symbols, call.getKernel());
  if (!kernel)
    return call.emitOpError("calls the kernel @")
           << call.getKernel() << ", which is no function of this module";
  Effects effects;
  for (auto [i, buffer] : llvm::enumerate(call.getBuffers())) {
    std::optional<BufferAccess> access = getAccess(kernel, unsigned(i));
    if (!access) {
      InFlightDiagnostic diag = call.emitOpError("calls the kernel @")
                                << call.getKernel()
                                << ", which does not say how it uses its argument " << i;
      diag.attachNote(kernel.getLoc())
          << "expected the argument attribute dist.access = \"read\", \"write\" or \"read_write\"";
      return diag;
    }
    effects.push_back({buffer, *access});
  }
  return effects;
}

/// Whether its memory is that of an iteration alone: a message, or the slot of one.
static bool isMadeIn(RepeatOp repeat, Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewOp>())
    buffer = view.getSource();
  return buffer.getParentBlock() == &repeat.getBody().front();
}

/// What is done in it to what is made outside; an iteration ends with its sends done.
static FailureOr<Effects> ofRepeat(RepeatOp repeat, const SymbolTable &symbols) {
  Effects effects;
  for (Operation &op : repeat.getBody().front())
    if (auto inside = dyn_cast<BufferEffectsOpInterface>(op)) {
      FailureOr<Effects> own = inside.getBufferEffects(symbols);
      if (failed(own))
        return failure();
      for (BufferEffect effect : *own)
        if (!isMadeIn(repeat, effect.buffer))
          effects.push_back({effect.buffer, effect.access});
    }
  return effects;
}

#define GRAPHC_EFFECTS(OpType, ...)                                                                \
  FailureOr<Effects> OpType::getBufferEffects(const SymbolTable &symbols) {                        \
    return FailureOr<Effects>(__VA_ARGS__);                                                        \
  }
#define GRAPHC_NO_EFFECTS(OpType) GRAPHC_EFFECTS(OpType, Effects())

// Compute.
GRAPHC_EFFECTS(CallOp, ofCall(*this, symbols))
GRAPHC_EFFECTS(LibraryCallOp,
               both(read(getInputs()), both(write(getOutputs()), write(getScratch()))))
// Queues.
GRAPHC_EFFECTS(CopyOp, both(read(getFrom()), write(getTo())))
GRAPHC_NO_EFFECTS(SignalOp)
GRAPHC_NO_EFFECTS(WaitOp)
// Loops.
GRAPHC_EFFECTS(RepeatOp, ofRepeat(*this, symbols))
GRAPHC_EFFECTS(AccumulateOp, both(read(getValue()), write(getPartials())))
// Messages.
GRAPHC_EFFECTS(SendOp, both(read(getValue(), BufferHold::SendDone), read({getCount()})))
GRAPHC_EFFECTS(SendStartOp, both(read(getValue(), BufferHold::SendDone), read({getCount()})))
GRAPHC_NO_EFFECTS(SendDoneOp)
GRAPHC_NO_EFFECTS(AcquireOp)
GRAPHC_EFFECTS(ReceiveOp, both(read({getCount()}), write(getValue())))
GRAPHC_NO_EFFECTS(ReleaseOp)
// Sums.
GRAPHC_EFFECTS(AggregateIntoOp, both(read({getOwn()}), write({getAccumulator(), getScratch()})))
GRAPHC_EFFECTS(CollectIntoOp, both(read({getCount()}), write(getValue())))
GRAPHC_EFFECTS(AggregateChosenIntoOp, both(read(getSet()), write(getAccumulator())))
GRAPHC_EFFECTS(ChooseIntoOp, both(read(getVersion()), write(getSet())))
GRAPHC_EFFECTS(AllReduceStartOp,
               Effects{{getBuffer(), BufferAccess::ReadWrite, BufferHold::AllReduceDone},
                       {getScratch(), BufferAccess::Write, BufferHold::AllReduceDone}})
// The others may still take their sums from the buffer.
GRAPHC_EFFECTS(AllReduceDoneOp,
               Effects{{getBuffer(), BufferAccess::ReadWrite, BufferHold::SendDone},
                       {getScratch(), BufferAccess::Write}})
// The control message, update tickets.
GRAPHC_NO_EFFECTS(ControlSendOp)
GRAPHC_NO_EFFECTS(ControlReceiveOp)
GRAPHC_NO_EFFECTS(TicketOp)
GRAPHC_NO_EFFECTS(EndOp)
// The host's side.
GRAPHC_EFFECTS(NextBatchIntoOp, both({}, write((*this)->getOperands())))
GRAPHC_EFFECTS(FetchOp, read(getValue(), BufferHold::StepEnd))
GRAPHC_EFFECTS(MetricOp, read({getSum(), getCount()}, BufferHold::StepEnd))

#undef GRAPHC_EFFECTS
#undef GRAPHC_NO_EFFECTS

} // namespace graphc::dist
