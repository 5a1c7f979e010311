#include "passes/schedule/SplitTransfers.h"

#include "passes/schedule/BufferUses.h"

using namespace mlir;

namespace graphc {

/// Of a step, or of an iteration: up to `end`. `releasesLast`: messages are given back there, not
/// behind their last use.
static LogicalResult splitTransfers(Block &block, Block::iterator end, const BufferUses &bufferUses,
                                    bool releasesLast) {
  struct Sending {
    Value root;
    Location loc;
    FlatSymbolRefAttr channel;
  };
  SmallVector<Sending> inFlight;
  // by root; finished ones are empty in inFlight
  llvm::DenseMap<Value, SmallVector<size_t>> inFlightOf;
  struct Message {
    dist::ReceiveOp receive;
    Operation *lastUse; ///< null: to the end of the step
  };
  llvm::DenseMap<Value, Message> messages;
  SmallVector<Value> received; // in order

  auto leave = [&](Value root, Location loc, FlatSymbolRefAttr channel) {
    inFlightOf[root].push_back(inFlight.size());
    inFlight.push_back({root, loc, channel});
  };
  auto finish = [](OpBuilder &builder, const Sending &sending) {
    dist::SendDoneOp::create(builder, sending.loc, sending.channel);
  };

  for (Operation &op : llvm::make_early_inc_range(llvm::make_range(block.begin(), end))) {
    if (isDeclaration(op))
      continue;
    FailureOr<SmallVector<BufferUse>> uses = bufferUses.get(&op);
    if (failed(uses))
      return failure();
    OpBuilder builder(&op);
    if (isa<dist::ControlReceiveOp>(op)) {
      // before a commit point (OrderPhase.cpp), behind which nothing waits
      for (const Sending &sending : inFlight)
        if (sending.root)
          finish(builder, sending);
      inFlight.clear();
      inFlightOf.clear();
    }
    for (const BufferUse &use : *uses) {
      if (auto sent = inFlightOf.find(use.root); use.written && sent != inFlightOf.end()) {
        for (size_t sending : sent->second) {
          finish(builder, inFlight[sending]);
          inFlight[sending].root = Value();
        }
        inFlightOf.erase(sent);
      }
      if (auto message = messages.find(use.root);
          message != messages.end() && message->second.lastUse)
        message->second.lastUse = use.until == dist::BufferHold::End ? &op : nullptr;
      if (use.until == dist::BufferHold::SendDone)
        leave(use.root, op.getLoc(),
              cast<dist::ChannelEndOpInterface>(op).getUsedChannels().front());
    }
    if (auto receive = dyn_cast<dist::ReceiveOp>(op)) {
      Operation *last = receive; // a release may not stand between the receive and its views
      while (isa_and_present<dist::ViewOp>(last->getNextNode()))
        last = last->getNextNode();
      messages[receive.getValue()] = {receive, last};
      received.push_back(receive.getValue());
    }
    if (auto send = dyn_cast<dist::SendOp>(op)) {
      auto start =
          dist::SendStartOp::create(builder, send.getLoc(), send.getChannel(), send.getValue(),
                                    send.getCount(), /*ahead=*/false, send.getDeal());
      start->setDiscardableAttrs(send->getDiscardableAttrDictionary());
      send.erase();
    }
  }

  OpBuilder atEnd(&block, end);
  for (const Sending &sending : inFlight)
    if (sending.root)
      finish(atEnd, sending);
  for (Value root : received) {
    Message &message = messages[root];
    OpBuilder builder = atEnd;
    if (message.lastUse && !releasesLast)
      builder.setInsertionPointAfter(message.lastUse);
    dist::ReleaseOp::create(builder, message.receive.getLoc(), message.receive.getChannelAttr());
  }
  return success();
}

LogicalResult splitTransfers(dist::ProgramOp program, const SymbolTable &symbols) {
  BufferUses bufferUses(program, symbols);
  Block &block = program.getBlock();
  for (auto repeat : block.getOps<dist::RepeatOp>())
    // A queue is given all of its work before the program waits for the copy of a message; a loop's
    // channel has a slot for the next.
    if (Block &body = repeat.getBody().front();
        failed(splitTransfers(body, body.end(), bufferUses, /*releasesLast=*/program.hasQueues())))
      return failure();
  Operation *end = block.getTerminator();
  if (Operation *control = end->getPrevNode(); control && isa<dist::ControlReceiveOp>(control))
    end = control; // the control message is the last thing that a step does
  return splitTransfers(block, end->getIterator(), bufferUses, /*releasesLast=*/false);
}

} // namespace graphc
