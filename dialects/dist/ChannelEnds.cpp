// ChannelEndOpInterface of every operation that acts on a channel, and the checks that they share.
#include "dialects/dist/DistDialect.h"
#include "dialects/graph/GraphDialect.h"

using namespace mlir;

namespace graphc::dist {

// BufferVerifiers.cpp
LogicalResult verifyAllReduceStart(AllReduceStartOp start, SymbolTableCollection &symbols);
LogicalResult verifyAggregateInto(AggregateIntoOp aggregate, SymbolTableCollection &symbols);

static bool sameShapeAndElement(Type value, RankedTensorType channel) {
  auto shaped = dyn_cast<ShapedType>(value);
  return shaped && shaped.hasRank() && shaped.getShape() == channel.getShape() &&
         shaped.getElementType() == channel.getElementType();
}

Block *getLoopBody(Operation *op) {
  return isa_and_present<RepeatOp, graph::RepeatOp>(op) ? &op->getRegion(0).front() : nullptr;
}

bool isTalkingLoop(Operation *op) {
  Block *body = getLoopBody(op);
  return body && llvm::any_of(*body, llvm::IsaPred<ChannelEndOpInterface>);
}

/// Where the other end of `channel` is, for a note; the channel itself where it has none.
static Operation *findOtherEnd(ChannelOp channel, ProgramOp other, Operation *self) {
  Operation *found = channel;
  if (other)
    other.walk([&](ChannelEndOpInterface end) {
      if (end == self || found != channel.getOperation())
        return;
      if (end.getChannelEnd() != ChannelEnd::Send && end.getChannelEnd() != ChannelEnd::Receive)
        return;
      if (llvm::is_contained(end.getUsedChannels(),
                             FlatSymbolRefAttr::get(channel.getSymNameAttr())))
        found = end;
    });
  return found;
}

/// (E1) to (E4) and (A1) for one end of one channel.
static LogicalResult verifyEnd(ChannelEndOpInterface end, FlatSymbolRefAttr name,
                               SymbolTableCollection &symbols) {
  Operation *op = end;
  auto channel = symbols.lookupNearestSymbolFrom<ChannelOp>(op, name);
  if (!channel)
    return op->emitOpError("names the channel @")
           << name.getValue() << ", which this module does not declare";
  auto program = op->getParentOfType<ProgramOp>();
  if (!program) // in a graph.repeat of a function
    return op->emitOpError("stands in no dist.program; expected one of the programs that @")
           << name.getValue() << " joins around it";
  bool sends = end.getChannelEnd() == ChannelEnd::Send ||
               end.getChannelEnd() == ChannelEnd::Complete ||
               end.getChannelEnd() == ChannelEnd::Acquire;
  StringRef side = sends ? channel.getFrom() : channel.getTo();
  if (program.getSymName() != side) { // (E1)
    InFlightDiagnostic diag = op->emitOpError("acts on the ")
                              << (sends ? "sending" : "receiving") << " side of @"
                              << name.getValue() << " in program @" << program.getSymName()
                              << ", but that side is program @" << side;
    diag.attachNote(channel.getLoc())
        << "channel declared here, from @" << channel.getFrom() << " to @" << channel.getTo();
    return diag;
  }
  auto other = symbols.lookupNearestSymbolFrom<ProgramOp>(
      op, FlatSymbolRefAttr::get(op->getContext(), sends ? channel.getTo() : channel.getFrom()));
  if (channel.getControl() != end.isControl()) { // (E3)
    InFlightDiagnostic diag = op->emitOpError("expects a ")
                              << (end.isControl() ? "control" : "data") << " channel, but @"
                              << name.getValue() << " is a "
                              << (channel.getControl() ? "control" : "data") << " channel";
    diag.attachNote(channel.getLoc()) << "channel declared here";
    return diag;
  }
  const bool all = end.hasAllMessages();
  if (all && sends && (program.isReplicated() || !other || !other.isReplicated())) { // (DL1)
    InFlightDiagnostic diag =
        op->emitOpError("deals pieces of its value to the instances of a replicated program; @")
        << channel.getFrom() << " has " << program.getReplicas() << " instance(s) and @"
        << channel.getTo() << " has " << (other ? other.getReplicas() : 0);
    diag.attachNote(channel.getLoc()) << "channel declared here";
    return diag;
  }
  if (Type type = end.getMessageType();
      type && !sameShapeAndElement(type, all ? graph::getJoinedType(channel.getTensorType(),
                                                                    int64_t(channel.getInstances()))
                                             : channel.getTensorType())) { // (E2), (DL1), (CL1)
    InFlightDiagnostic diag = op->emitOpError("has a value of type ")
                              << type << ", but channel @" << name.getValue() << " carries "
                              << channel.getType();
    if (all)
      diag << ", of which there are " << channel.getInstances() << ", end to end along dimension 0";
    diag.attachNote(findOtherEnd(channel, other, op)->getLoc()) << "the other end is here";
    return diag;
  }
  if (end.getChannelEnd() == ChannelEnd::Send || end.getChannelEnd() == ChannelEnd::Receive) {
    // (SZ1)
    Value count = end.getMessageCount();
    auto expected =
        RankedTensorType::get(all ? ArrayRef(int64_t(channel.getInstances())) : ArrayRef<int64_t>(),
                              IntegerType::get(op->getContext(), 64));
    if (bool(count) != channel.getSized() ||
        (count && !sameShapeAndElement(count.getType(), expected)) ||
        (count && sends && !all && channel.getInstances() != program.getReplicas())) {
      InFlightDiagnostic diag = op->emitOpError();
      if (!channel.getSized())
        diag << "has a count, but messages of @" << name.getValue() << " have their type's size";
      else
        diag << "expects a count of type " << expected << ", how many entries of dimension 0 "
             << (all ? "each message" : "its one message") << " of @" << name.getValue() << " has";
      diag.attachNote(channel.getLoc()) << "channel declared here";
      return diag;
    }
  }
  if (end.getChannelEnd() == ChannelEnd::Receive && end.hasOwnMessage() != channel.getAllToAll()) {
    // (A1)
    InFlightDiagnostic diag =
        op->emitOpError(channel.getAllToAll() ? "expects `own`, what this instance adds to the sum,"
                                              : "has `own`, but no instance takes part in it")
        << " because @" << name.getValue() << (channel.getAllToAll() ? " is" : " is not")
        << " all_to_all";
    diag.attachNote(channel.getLoc()) << "channel declared here";
    return diag;
  }
  if (end.getChannelEnd() == ChannelEnd::Acquire &&
      (channel.getAllToAll() || channel.getInstances() != program.getReplicas())) // (AQ1)
    return op->emitOpError("takes one slot of @") << name.getValue() << ", whose messages go to "
                                                  << channel.getInstances() << " instances";
  if (end.getChannelEnd() == ChannelEnd::Receive && !channel.getControl() &&
      !channel.getAllToAll() && other) {
    if (end.takesAllInstances() && (!other.isReplicated() || program.isReplicated())) { // (A1)
      InFlightDiagnostic diag =
          op->emitOpError(
              "takes the messages of all instances of a replicated program in a program of one instance; @")
          << channel.getFrom() << " has " << other.getReplicas() << " instance(s) and @"
          << channel.getTo() << " has " << program.getReplicas();
      diag.attachNote(other.getLoc()) << "sending program declared here";
      return diag;
    }
    if (!end.takesAllInstances() && other.isReplicated() && !program.isReplicated()) { // (E4)
      InFlightDiagnostic diag = op->emitOpError("takes one message, but the sending program @")
                                << channel.getFrom() << " has " << other.getReplicas()
                                << " instances; take their sum with dist.aggregate";
      diag.attachNote(other.getLoc()) << "sending program declared here";
      return diag;
    }
  }
  return success();
}

/// verifyEnd for each channel that the operation names: one, but for a control_send, which names
/// any number.
static LogicalResult verifyEnds(ChannelEndOpInterface end, SymbolTableCollection &symbols) {
  for (FlatSymbolRefAttr name : end.getUsedChannels())
    if (failed(verifyEnd(end, name, symbols)))
      return failure();
  return success();
}

/// How often the loop around it repeats an operation, before and after `outline`; 0: it is in none.
static uint64_t getIterations(Operation *op) {
  if (auto repeat = dyn_cast<RepeatOp>(op->getParentOp()))
    return repeat.getCount();
  auto repeat = dyn_cast<graph::RepeatOp>(op->getParentOp());
  return repeat ? uint64_t(repeat.getCount()) : 0;
}

/// (CH10)
static LogicalResult verifyLoops(PhaseOp phase, ChannelOp channel, Operation *send,
                                 Operation *receive) {
  auto where = [](Operation *end) {
    const uint64_t count = getIterations(end);
    return count ? "in a loop of " + std::to_string(count) : std::string("outside of loops");
  };
  const uint64_t count = getIterations(send);
  if (count == getIterations(receive) && !(count && phase.getEndsByEndOfStream()))
    return success();
  InFlightDiagnostic diag = receive->emitOpError("receives from @")
                            << channel.getSymName() << " " << where(receive);
  if (count == getIterations(receive))
    diag << ", but phase @" << phase.getSymName()
         << " ends by end of stream, which could come between two iterations";
  else
    diag << ", but it is sent " << where(send)
         << "; expected both ends in loops of equal count, or both outside";
  diag.attachNote(send->getLoc()) << "sent here";
  return diag;
}

/// (CH5) for all channels between programs of the phase: each program is looked through once. What
///       else a channel has to
/// be comes first.
LogicalResult verifyOneEndEachSide(PhaseOp phase, SymbolTableCollection &symbols) {
  auto module = cast<ModuleOp>(phase->getParentOp());
  llvm::DenseMap<StringAttr, ProgramOp> programs;
  using Key = std::pair<ProgramOp, StringAttr>; // of a program, a channel
  llvm::DenseMap<Key, SmallVector<Operation *, 1>> sends, receives;
  for (auto program : module.getOps<ProgramOp>()) {
    if (program.getPhase() != phase.getSymName())
      continue;
    programs[program.getSymNameAttr()] = program;
    program.walk([&](ChannelEndOpInterface end) {
      if (end.getChannelEnd() != ChannelEnd::Send && end.getChannelEnd() != ChannelEnd::Receive)
        return;
      for (FlatSymbolRefAttr name : end.getUsedChannels())
        (end.getChannelEnd() == ChannelEnd::Send ? sends : receives)[{program, name.getAttr()}]
            .push_back(end);
    });
  }
  auto verify = [&](ChannelOp channel, ProgramOp program, ProgramOp other,
                    bool sending) -> LogicalResult {
    StringRef noun = sending ? "sender" : "receiver";
    SmallVector<Operation *, 1> ends =
        (sending ? sends : receives).lookup({program, channel.getSymNameAttr()});
    if (ends.size() == 1)
      return success();
    if (ends.size() > 1) {
      InFlightDiagnostic diag = ends[1]->emitOpError("is a second ")
                                << noun << " of channel @" << channel.getSymName()
                                << "; expected exactly one";
      diag.attachNote(ends[0]->getLoc()) << "the first " << noun << " is here";
      diag.attachNote(channel.getLoc()) << "channel declared here";
      return diag;
    }
    InFlightDiagnostic diag = channel.emitOpError("has no ")
                              << noun << " in program @" << program.getSymName();
    SmallVector<Operation *, 1> others =
        (sending ? receives : sends).lookup({other, channel.getSymNameAttr()});
    if (!others.empty())
      diag.attachNote(others.front()->getLoc())
          << (sending ? "and would be received here" : "and is sent here");
    else
      diag.attachNote(program.getLoc()) << "program declared here";
    return diag;
  };
  for (auto channel : module.getOps<ChannelOp>()) {
    ProgramOp from = programs.lookup(channel.getFromAttr().getAttr());
    ProgramOp to = programs.lookup(channel.getToAttr().getAttr());
    if (!from || !to)
      continue;
    if (failed(channel.verifySymbolUses(symbols)) ||
        failed(verify(channel, from, to, /*sending=*/true)) ||
        failed(verify(channel, to, from, /*sending=*/false)))
      return failure();
    if (failed(verifyLoops(phase, channel, sends[{from, channel.getSymNameAttr()}].front(),
                           receives[{to, channel.getSymNameAttr()}].front())))
      return failure();
  }
  return success();
}

#define GRAPHC_CHANNEL_END(OpType, End)                                                            \
  ChannelEnd OpType::getChannelEnd() { return ChannelEnd::End; }                                   \
  SmallVector<FlatSymbolRefAttr> OpType::getUsedChannels() { return {getChannelAttr()}; }          \
  LogicalResult OpType::verifySymbolUses(SymbolTableCollection &symbols) {                         \
    return verifyEnds(*this, symbols);                                                             \
  }

GRAPHC_CHANNEL_END(SendOp, Send)
GRAPHC_CHANNEL_END(SendStartOp, Send)
GRAPHC_CHANNEL_END(AcquireOp, Acquire)
GRAPHC_CHANNEL_END(SendDoneOp, Complete)
GRAPHC_CHANNEL_END(ReceiveOp, Receive)
GRAPHC_CHANNEL_END(ReleaseOp, Release)
GRAPHC_CHANNEL_END(AggregateOp, Receive)
GRAPHC_CHANNEL_END(CollectOp, Receive)
GRAPHC_CHANNEL_END(CollectIntoOp, Receive)
GRAPHC_CHANNEL_END(AllReduceDoneOp, Receive)
#undef GRAPHC_CHANNEL_END

/// One i1 an instance of the replicated program that sends over a conflating channel: (A2), (CO1).
static LogicalResult verifySet(Operation *op, FlatSymbolRefAttr name, Type set,
                               SymbolTableCollection &symbols) {
  auto channel = symbols.lookupNearestSymbolFrom<ChannelOp>(op, name);
  if (!channel.getConflating()) {
    InFlightDiagnostic diag =
        op->emitOpError("expects a conflating channel, whose messages can be passed over; @")
        << name.getValue() << " is a fifo";
    diag.attachNote(channel.getLoc()) << "channel declared here";
    return diag;
  }
  auto shaped = cast<ShapedType>(set);
  if (shaped.getRank() != 1 || shaped.getDimSize(0) != int64_t(channel.getInstances()) ||
      !shaped.getElementType().isInteger(1))
    return op->emitOpError("has a set of type ")
           << set << "; expected one i1 for each of the " << channel.getInstances() << " instances";
  return success();
}

// (CO1)
template <typename Op> static LogicalResult verifyChoice(Op op, SymbolTableCollection &symbols) {
  if (failed(verifyEnds(op, symbols)) ||
      failed(verifySet(op, op.getChannelAttr(), op.getSet().getType(), symbols)))
    return failure();
  auto channel = symbols.lookupNearestSymbolFrom<ChannelOp>(op, op.getChannelAttr());
  auto word = RankedTensorType::get({}, IntegerType::get(op.getContext(), 64));
  if (channel.getTensorType() != word || !sameShapeAndElement(op.getVersion().getType(), word))
    return op.emitOpError("compares versions of type ")
           << op.getVersion().getType() << " and " << channel.getType() << "; expected " << word;
  if (op.getTake() > channel.getInstances())
    return op.emitOpError("takes ")
           << op.getTake() << " of " << channel.getInstances() << " instances";
  return success();
}

// (A2)
template <typename Op> static LogicalResult verifySum(Op op, SymbolTableCollection &symbols) {
  return failed(verifyEnds(op, symbols))
             ? failure()
             : verifySet(op, op.getChannelAttr(), op.getSet().getType(), symbols);
}

ChannelEnd AggregateChosenOp::getChannelEnd() { return ChannelEnd::Receive; }
SmallVector<FlatSymbolRefAttr> AggregateChosenOp::getUsedChannels() { return {getChannelAttr()}; }
LogicalResult AggregateChosenOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifySum(*this, symbols);
}
Type AggregateChosenOp::getMessageType() { return getValue().getType(); }
bool AggregateChosenOp::takesAllInstances() { return true; }
ChannelEnd AggregateChosenIntoOp::getChannelEnd() { return ChannelEnd::Receive; }
SmallVector<FlatSymbolRefAttr> AggregateChosenIntoOp::getUsedChannels() {
  return {getChannelAttr()};
}
LogicalResult AggregateChosenIntoOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifySum(*this, symbols);
}
Type AggregateChosenIntoOp::getMessageType() { return getAccumulator().getType(); }
bool AggregateChosenIntoOp::takesAllInstances() { return true; }

ChannelEnd ChooseOp::getChannelEnd() { return ChannelEnd::Receive; }
SmallVector<FlatSymbolRefAttr> ChooseOp::getUsedChannels() { return {getChannelAttr()}; }
LogicalResult ChooseOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyChoice(*this, symbols);
}
ChannelEnd ChooseIntoOp::getChannelEnd() { return ChannelEnd::Receive; }
SmallVector<FlatSymbolRefAttr> ChooseIntoOp::getUsedChannels() { return {getChannelAttr()}; }
LogicalResult ChooseIntoOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyChoice(*this, symbols);
}
bool ChooseOp::takesAllInstances() { return true; }
bool ChooseIntoOp::takesAllInstances() { return true; }

Type SendOp::getMessageType() { return getValue().getType(); }
Type SendStartOp::getMessageType() { return getValue().getType(); }
bool SendOp::hasAllMessages() { return getDeal(); }
bool SendStartOp::hasAllMessages() { return getDeal(); }
Value SendOp::getMessageCount() { return getCount(); }
Value SendStartOp::getMessageCount() { return getCount(); }
Value ReceiveOp::getMessageCount() { return getCount(); }
Value CollectOp::getMessageCount() { return getCount(); }
Value CollectIntoOp::getMessageCount() { return getCount(); }
Type CollectOp::getMessageType() { return getValue().getType(); }
bool CollectOp::takesAllInstances() { return true; }
bool CollectOp::hasAllMessages() { return true; }
Type CollectIntoOp::getMessageType() { return getValue().getType(); }
bool CollectIntoOp::takesAllInstances() { return true; }
bool CollectIntoOp::hasAllMessages() { return true; }
Type AcquireOp::getMessageType() { return getBuffer().getType(); }
Type ReceiveOp::getMessageType() { return getValue().getType(); }
Type AggregateOp::getMessageType() { return getValue().getType(); }
bool AggregateOp::takesAllInstances() { return true; }
bool AggregateOp::hasOwnMessage() { return bool(getOwn()); }
Type AggregateIntoOp::getMessageType() { return getAccumulator().getType(); }
bool AggregateIntoOp::takesAllInstances() { return true; }
Type AllReduceDoneOp::getMessageType() { return getBuffer().getType(); }
bool AllReduceDoneOp::takesAllInstances() { return true; }
bool AllReduceDoneOp::hasOwnMessage() { return true; }

ChannelEnd AllReduceStartOp::getChannelEnd() { return ChannelEnd::Send; }
SmallVector<FlatSymbolRefAttr> AllReduceStartOp::getUsedChannels() { return {getChannelAttr()}; }
Type AllReduceStartOp::getMessageType() { return getBuffer().getType(); }
/// First the end of the channel, then the sum: verifyAllReduceStart takes it that the channel
/// exists and carries such a value.
LogicalResult AllReduceStartOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return failed(verifyEnds(*this, symbols)) ? failure() : verifyAllReduceStart(*this, symbols);
}

ChannelEnd AggregateIntoOp::getChannelEnd() { return ChannelEnd::Receive; }
SmallVector<FlatSymbolRefAttr> AggregateIntoOp::getUsedChannels() { return {getChannelAttr()}; }
bool AggregateIntoOp::hasOwnMessage() { return bool(getOwn()); }
/// First the end of the channel, then where the sum goes: verifyAggregateInto takes it that the
/// channel exists and carries such a value.
LogicalResult AggregateIntoOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return failed(verifyEnds(*this, symbols)) ? failure() : verifyAggregateInto(*this, symbols);
}

ChannelEnd ControlSendOp::getChannelEnd() { return ChannelEnd::Send; }
bool ControlSendOp::isControl() { return true; }
SmallVector<FlatSymbolRefAttr> ControlSendOp::getUsedChannels() {
  return llvm::to_vector(getChannels().getAsRange<FlatSymbolRefAttr>());
}
/// Each of the channels is one of control whose sending side is this program.
LogicalResult ControlSendOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyEnds(*this, symbols);
}

ChannelEnd ControlReceiveOp::getChannelEnd() { return ChannelEnd::Receive; }
bool ControlReceiveOp::isControl() { return true; }
SmallVector<FlatSymbolRefAttr> ControlReceiveOp::getUsedChannels() {
  if (FlatSymbolRefAttr channel = getChannelAttr())
    return {channel};
  return {};
}
/// The channel, where there is one, is one of control whose receiving side is this program.
/// verify() checks who receives the control message without one.
LogicalResult ControlReceiveOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyEnds(*this, symbols);
}

/// (CR1): without a channel a lane hears what the chief decides in that lane's own program, of
/// which there is one.
LogicalResult ControlReceiveOp::verify() {
  auto program = (*this)->getParentOfType<ProgramOp>();
  if (!getChannelAttr() && (!getLocal() || (program && program.isReplicated())))
    return emitOpError("needs a control channel, because ")
           << (getLocal() ? "its program has instances that did not decide"
                          : "it is not local to the chief's program");
  return success();
}

} // namespace graphc::dist
