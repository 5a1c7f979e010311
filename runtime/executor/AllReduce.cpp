#include "runtime/executor/AllReduce.h"

#include <cstring>

namespace graphc::executor {

using plan::Move;
using transport::PollState;

AllReduce::Outcome AllReduce::advance(uint64_t step, const GraphcContext &context) {
  for (; next < moves.size(); ++next) {
    const Move &move = moves[next];
    if (move.kind == Move::Send) {
      // The chunk is written again while the message travels, so the transport has to have it.
      transport::SendPort *port = at.sends[move.peer];
      if (PollState state = port->start(chunk(move), step, transport::SendMode::Copy); state != PollState::Ready)
        return {state, port, true, move.peer};
      continue;
    }
    if (move.kind == Move::Sum) {
      if (Outcome outcome = sum(move, context); outcome.state != PollState::Ready || outcome.code)
        return outcome;
      continue;
    }
    transport::RecvPort *port = at.receives[move.peer];
    const void *message = nullptr;
    if (PollState state = port->poll(&message); state != PollState::Ready)
      return {state, port, false, move.peer};
    if (move.kind == Move::Take)
      memcpy(chunk(move), message, at.chunkBytes);
    else if (int code = add(chunk(move), message, context))
      return {PollState::Ready, nullptr, false, move.peer, code};
    port->release();
  }
  return {};
}

// m0 + m1 + …: instances 0 and 1 can add to their own (m1 + m0 is m0 + m1), the others begin with another's message.
AllReduce::Outcome AllReduce::sum(const Move &move, const GraphcContext &context) {
  uint8_t *own = chunk(move), *to = at.self < 2 ? own : at.scratch;
  for (; summed < at.receives.size(); ++summed) {
    if (summed == at.self) {
      if (to == own)
        continue;
      if (int code = add(to, own, context))
        return {PollState::Ready, nullptr, false, summed, code};
      continue;
    }
    transport::RecvPort *port = at.receives[summed];
    const void *message = nullptr;
    if (PollState state = port->poll(&message); state != PollState::Ready)
      return {state, port, false, summed};
    if (summed == 0 && to != own)
      memcpy(to, message, at.chunkBytes);
    else if (int code = add(to, message, context))
      return {PollState::Ready, nullptr, false, summed, code};
    port->release();
  }
  if (to != own)
    memcpy(own, to, at.chunkBytes);
  summed = 0;
  return {};
}

} // namespace graphc::executor
