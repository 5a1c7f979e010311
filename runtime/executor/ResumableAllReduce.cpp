#include "runtime/executor/ResumableAllReduce.h"

#include <cstring>

namespace graphc::executor {

using plan::AllReduceMove;
using transport::PollState;

ResumableAllReduce::ResumableAllReduce(const Setting &setting,
                                       std::vector<plan::AllReduceMove> moves)
    : at_(setting), moves_(std::move(moves)), nearOthers_(othersOf(setting.near)),
      farOthers_(othersOf(setting.far)), messages_(setting.receives.size()),
      heldFrom_(this->moves_.size() - (setting.pieces.empty() ? 0 : setting.near.count - 1)) {
  awaited_.reserve(messages_.size());
}

std::vector<transport::RecvPort *>
ResumableAllReduce::othersOf(const plan::AllReduceGroup &group) const {
  std::vector<transport::RecvPort *> ports;
  for (uint32_t i = 0; i < group.count; ++i)
    if (i != group.place)
      ports.push_back(at_.receives[group.member(i)]);
  return ports;
}

/// Goes on with the moves, in their order, until one would block. A message is released as soon as
/// it is used, but for those in whose senders' memory sums are read.
ResumableAllReduce::Outcome ResumableAllReduce::advance(uint64_t step,
                                                        const GraphcContext &context) {
  for (; next_ < moves_.size(); ++next_) {
    const AllReduceMove &move = moves_[next_];
    if (move.kind == AllReduceMove::Send) {
      // The chunk is written again before done(): a transport that does not have it read in place
      // has to copy it now.
      transport::SendPort *port = at_.sends[move.peer];
      if (PollState state = port->start(chunk(move), step, transport::SendMode::Copy);
          state != PollState::Ready)
        return {state, port, true, move.peer};
      continue;
    }
    if (move.kind == AllReduceMove::Sum || move.kind == AllReduceMove::SumHosts) {
      if (Outcome outcome = sum(move, context); outcome.state != PollState::Ready || outcome.code)
        return outcome;
      continue;
    }
    transport::RecvPort *port = at_.receives[move.peer];
    const void *message = nullptr;
    if (PollState state = port->poll(&message); state != PollState::Ready)
      return {state, port, false, move.peer, 0, following(next_)};
    if (move.kind == AllReduceMove::Take) {
      const uint8_t *piece = at_.pieces.empty() ? nullptr : at_.pieces[move.peer];
      if (!piece)
        memcpy(chunk(move), message, at_.chunkBytes);
      else if (message != piece + move.chunk % at_.rounds * at_.chunkBytes)
        return {PollState::Ready, nullptr, false, move.peer, 0, {}, /*elsewhere=*/true};
    } else if (int code = add(chunk(move), static_cast<const uint8_t *>(message), context)) {
      return {PollState::Ready, nullptr, false, move.peer, code};
    }
    if (next_ < heldFrom_)
      port->release();
  }
  return {};
}

void ResumableAllReduce::release() {
  for (size_t i = heldFrom_; i < moves_.size(); ++i)
    at_.receives[moves_[i].peer]->release();
}

std::span<transport::RecvPort *const> ResumableAllReduce::following(size_t first) {
  awaited_.clear();
  auto round = [&](size_t i) { return moves_[i].chunk % at_.rounds; };
  for (size_t i = first;
       i < moves_.size() && moves_[i].kind == moves_[first].kind && round(i) == round(first); ++i)
    awaited_.push_back(at_.receives[moves_[i].peer]);
  return awaited_;
}

int ResumableAllReduce::add(uint8_t *to, const uint8_t *message,
                            const GraphcContext &context) const {
  for (uint64_t offset = 0; offset < at_.chunkBytes; offset += at_.addBytes)
    if (int code = addPart(to + offset, message + offset, context))
      return code;
  return 0;
}

// Once all messages are there, in one pass over the chunk, by the tree over the group.
ResumableAllReduce::Outcome ResumableAllReduce::sum(const plan::AllReduceMove &move,
                                                    const GraphcContext &context) {
  const plan::AllReduceGroup &group = move.kind == AllReduceMove::Sum ? at_.near : at_.far;
  const std::span<transport::RecvPort *const> others =
      move.kind == AllReduceMove::Sum ? nearOthers_ : farOthers_;
  for (; arrived_ < group.count; ++arrived_) {
    const void *message = chunk(move);
    if (arrived_ != group.place) {
      transport::RecvPort *port = at_.receives[group.member(arrived_)];
      if (PollState state = port->poll(&message); state != PollState::Ready)
        return {state, port,
                false, group.member(arrived_),
                0,     others.subspan(arrived_ - (arrived_ > group.place))};
    }
    messages_[arrived_] = static_cast<const uint8_t *>(message);
  }
  const TreeSum tree{at_.add, &context, at_.addBytes, messages_.data(), at_.scratch};
  for (uint64_t offset = 0; offset < at_.chunkBytes; offset += at_.addBytes)
    if (int code = tree.addOthers(chunk(move) + offset, group.place, group.count, offset))
      return {PollState::Ready, nullptr, false, at_.self, code};
  for (transport::RecvPort *port : others)
    port->release();
  arrived_ = 0;
  return {};
}

} // namespace graphc::executor
