#include "passes/analysis/LivenessProof.h"

#include <algorithm>
#include <deque>

namespace graphc {

uint32_t LivenessProof::addProgram() {
  programs_.emplace_back();
  return uint32_t(programs_.size() - 1);
}

uint32_t LivenessProof::addChannel(uint32_t capacity, uint32_t tokens, bool zeroCopy) {
  channels_.push_back({capacity, tokens, zeroCopy});
  return uint32_t(channels_.size() - 1);
}

uint32_t LivenessProof::append(uint32_t program, Action action, uint32_t channel) {
  nodes_.push_back({program, action, channel});
  programs_[program].push_back(uint32_t(nodes_.size() - 1));
  return uint32_t(nodes_.size() - 1);
}

uint32_t LivenessProof::addLoops() {
  nodes_.push_back({0, Action::Send, kNoChannel});
  return uint32_t(nodes_.size() - 1);
}

std::vector<LivenessProof::Ends> LivenessProof::endsOfChannels() const {
  std::vector<Ends> ends(channels_.size());
  for (uint32_t node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].channel == kNoChannel)
      continue;
    Ends &of = ends[nodes_[node].channel];
    switch (nodes_[node].action) {
    case Action::Send:
      of.sends.push_back(node);
      break;
    case Action::SendDone:
      of.dones.push_back(node);
      break;
    case Action::Receive:
      of.receives.push_back(node);
      break;
    case Action::Release:
      of.releases.push_back(node);
      break;
    case Action::Acquire:
      of.acquires.push_back(node);
      break;
    }
  }
  return ends;
}

/// Adds the channel's edges of distance 0. With n messages a step, the i-th receive of a step takes
/// the message of send i - tokens: of this step where that is not negative, of an earlier one
/// otherwise. Send i needs the release of message i + tokens - capacity likewise.
void LivenessProof::addMatching(uint32_t channel, const Ends &ends, Edges &edges,
                                Result &result) const {
  const std::vector<uint32_t> &sends = ends.sends, &receives = ends.receives;
  if (sends.size() != receives.size()) {
    result.mismatches.push_back({channel, uint32_t(sends.size()), uint32_t(receives.size())});
    return;
  }
  const std::vector<uint32_t> &releases =
      ends.releases.size() == receives.size() ? ends.releases : receives;
  const std::vector<uint32_t> &takers =
      ends.acquires.size() == sends.size() ? ends.acquires : sends;
  int64_t tokens = channels_[channel].tokens, capacity = channels_[channel].capacity;
  for (int64_t i = 0; i < int64_t(sends.size()); ++i) {
    if (i - tokens >= 0)
      edges[sends[i - tokens]].push_back({receives[i], Reason::Message});
    if (i + tokens - capacity >= 0 && i + tokens - capacity < int64_t(sends.size()))
      edges[releases[i + tokens - capacity]].push_back({takers[i], Reason::Capacity});
  }
  const std::vector<uint32_t> &dones = ends.dones;
  if (channels_[channel].zeroCopy && dones.size() == releases.size())
    for (size_t i = 0; i < dones.size(); ++i)
      edges[releases[i]].push_back({dones[i], Reason::Borrow});
}

/// Numbers each node one more than the largest before it, in linear time. False where a cycle is
/// left; then `incoming` is not 0 for the nodes that may lie on one.
bool LivenessProof::rank(const Edges &edges, std::vector<uint32_t> &ranks,
                         std::vector<uint32_t> &incoming) const {
  ranks.assign(nodes_.size(), 1);
  incoming.assign(nodes_.size(), 0);
  for (const auto &out : edges)
    for (Edge edge : out)
      ++incoming[edge.to];
  std::vector<uint32_t> ready;
  for (uint32_t node = 0; node < nodes_.size(); ++node)
    if (incoming[node] == 0)
      ready.push_back(node);
  for (size_t i = 0; i < ready.size(); ++i)
    for (Edge edge : edges[ready[i]]) {
      ranks[edge.to] = std::max(ranks[edge.to], ranks[ready[i]] + 1);
      if (--incoming[edge.to] == 0)
        ready.push_back(edge.to);
    }
  return ready.size() == nodes_.size();
}

/// Breadth first from every node that can lie on a cycle: the graph is small (communication only).
std::vector<LivenessProof::Step>
LivenessProof::shortestCycle(const Edges &edges, const std::vector<uint32_t> &incoming) const {
  std::vector<Step> best;
  for (uint32_t start = 0; start < nodes_.size(); ++start) {
    if (incoming[start] == 0)
      continue;
    std::vector<std::pair<int64_t, Reason>> from(nodes_.size(), {-1, Reason::Order});
    std::deque<uint32_t> queue{start};
    bool closed = false;
    while (!queue.empty() && !closed) {
      uint32_t node = queue.front();
      queue.pop_front();
      for (Edge edge : edges[node]) {
        if (from[edge.to].first >= 0 || incoming[edge.to] == 0)
          continue;
        from[edge.to] = {node, edge.reason};
        if ((closed = edge.to == start))
          break;
        queue.push_back(edge.to);
      }
    }
    if (!closed)
      continue;
    std::vector<Step> cycle;
    uint32_t node = start;
    do {
      auto [previous, reason] = from[node];
      cycle.push_back({uint32_t(previous), reason});
      node = uint32_t(previous);
    } while (node != start);
    std::reverse(cycle.begin(), cycle.end());
    if (best.empty() || cycle.size() < best.size())
      best = std::move(cycle);
  }
  return best;
}

LivenessProof::Result LivenessProof::check() const {
  Result result;
  Edges edges(nodes_.size());
  for (const std::vector<uint32_t> &order : programs_)
    for (size_t i = 1; i < order.size(); ++i) {
      const bool loops =
          nodes_[order[i - 1]].channel == kNoChannel || nodes_[order[i]].channel == kNoChannel;
      edges[order[i - 1]].push_back({order[i], loops ? Reason::Loop : Reason::Order});
    }
  std::vector<Ends> ends = endsOfChannels();
  for (uint32_t channel = 0; channel < channels_.size(); ++channel)
    addMatching(channel, ends[channel], edges, result);
  std::vector<uint32_t> incoming;
  if (!rank(edges, result.ranks, incoming))
    result.cycle = shortestCycle(edges, incoming);
  if (!result.live())
    result.ranks.clear();
  return result;
}

} // namespace graphc
