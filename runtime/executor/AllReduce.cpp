#include "runtime/executor/AllReduce.h"

#include <cstring>

namespace graphc::executor {

using plan::Move;
using transport::PollState;

ResumableAllReduce::ResumableAllReduce(const Setting &setting, std::vector<plan::AllReduceMove> moves)
    : at(setting), moves(std::move(moves)), nearOthers(othersOf(setting.near)), farOthers(othersOf(setting.far)),
      messages(setting.receives.size()),
      heldFrom(this->moves.size() - (setting.pieces.empty() ? 0 : setting.near.count - 1)) {
  awaited.reserve(messages.size());
}

std::vector<transport::RecvPort *> ResumableAllReduce::othersOf(const plan::AllReduceGroup &group) const {
  std::vector<transport::RecvPort *> ports;
  for (uint32_t i = 0; i < group.count; ++i)
    if (i != group.place)
      ports.push_back(at.receives[group.member(i)]);
  return ports;
}

/// Goes on with the moves, in their order, until one would block. A message is released as soon as it is used, but for
/// those in whose senders' memory sums are read.
ResumableAllReduce::Outcome ResumableAllReduce::advance(uint64_t step, const GraphcContext &context) {
  for (; next < moves.size(); ++next) {
    const AllReduceMove &move = moves[next];
    if (move.kind == AllReduceMove::Send) {
      // The chunk is written again before done(): a transport that does not have it read in place has to copy it now.
      transport::SendPort *port = at.sends[move.peer];
      if (PollState state = port->start(chunk(move), step, transport::SendMode::Copy); state != PollState::Ready)
        return {state, port, true, move.peer};
      continue;
    }
    if (move.kind == AllReduceMove::Sum || move.kind == AllReduceMove::SumHosts) {
      if (Outcome outcome = sum(move, context); outcome.state != PollState::Ready || outcome.code)
        return outcome;
      continue;
    }
    transport::RecvPort *port = at.receives[move.peer];
    const void *message = nullptr;
    if (PollState state = port->poll(&message); state != PollState::Ready)
      return {state, port, false, move.peer, 0, following(next)};
    if (move.kind == AllReduceMove::Take) {
      const uint8_t *piece = at.pieces.empty() ? nullptr : at.pieces[move.peer];
      if (!piece)
        memcpy(chunk(move), message, at.chunkBytes);
      else if (message != piece + move.chunk % at.rounds * at.chunkBytes)
        return {PollState::Ready, nullptr, false, move.peer, 0, {}, /*elsewhere=*/true};
    } else if (int code = add(chunk(move), static_cast<const uint8_t *>(message), context)) {
      return {PollState::Ready, nullptr, false, move.peer, code};
    }
    if (next < heldFrom)
      port->release();
  }
  return {};
}

void ResumableAllReduce::release() {
  for (size_t i = heldFrom; i < moves.size(); ++i)
    at.receives[moves[i].peer]->release();
}

std::span<transport::RecvPort *const> ResumableAllReduce::following(size_t first) {
  awaited.clear();
  auto round = [&](size_t i) { return moves[i].chunk % at.rounds; };
  for (size_t i = first; i < moves.size() && moves[i].kind == moves[first].kind && round(i) == round(first); ++i)
    awaited.push_back(at.receives[moves[i].peer]);
  return awaited;
}

int ResumableAllReduce::add(uint8_t *to, const uint8_t *message, const GraphcContext &context) const {
  for (uint64_t offset = 0; offset < at.chunkBytes; offset += at.addBytes)
    if (int code = addPart(to + offset, message + offset, context))
      return code;
  return 0;
}

// Once all messages are there, in one pass over the chunk, by the tree over the group.
ResumableAllReduce::Outcome ResumableAllReduce::sum(const plan::AllReduceMove &move, const GraphcContext &context) {
  const plan::AllReduceGroup &group = move.kind == AllReduceMove::Sum ? at.near : at.far;
  const std::span<transport::RecvPort *const> others = move.kind == AllReduceMove::Sum ? nearOthers : farOthers;
  for (; arrived < group.count; ++arrived) {
    const void *message = chunk(move);
    if (arrived != group.place) {
      transport::RecvPort *port = at.receives[group.member(arrived)];
      if (PollState state = port->poll(&message); state != PollState::Ready)
        return {state, port, false, group.member(arrived), 0, others.subspan(arrived - (arrived > group.place))};
    }
    messages[arrived] = static_cast<const uint8_t *>(message);
  }
  const TreeSum tree{at.add, &context, at.addBytes, messages.data(), at.scratch};
  for (uint64_t offset = 0; offset < at.chunkBytes; offset += at.addBytes)
    if (int code = tree.addOthers(chunk(move) + offset, group.place, group.count, offset))
      return {PollState::Ready, nullptr, false, at.self, code};
  for (transport::RecvPort *port : others)
    port->release();
  arrived = 0;
  return {};
}

} // namespace graphc::executor
