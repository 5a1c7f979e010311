#include "passes/analysis/Arena.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace graphc {
namespace {

uint64_t alignUp(uint64_t value) { return (value + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment; }

bool overlap(const ArenaRequest &a, const ArenaRequest &b) { return a.first <= b.last && b.first <= a.last; }

/// Places the requests in the given order, each in the smallest gap that holds it between those alive at the same time.
ArenaPlan place(const std::vector<ArenaRequest> &requests, const std::vector<size_t> &order) {
  ArenaPlan plan;
  plan.offsets.assign(requests.size(), 0);
  std::vector<size_t> placed;
  for (size_t index : order) {
    const ArenaRequest &request = requests[index];
    if (request.bytes == 0)
      continue;
    std::vector<std::pair<uint64_t, uint64_t>> taken; // [begin, end) of the neighbours in time
    for (size_t other : placed)
      if (overlap(request, requests[other]))
        taken.emplace_back(plan.offsets[other], plan.offsets[other] + requests[other].bytes);
    std::sort(taken.begin(), taken.end());
    uint64_t cursor = 0, best = 0, bestGap = UINT64_MAX;
    for (auto [begin, end] : taken) {
      if (begin >= cursor + request.bytes && begin - cursor < bestGap) {
        best = cursor;
        bestGap = begin - cursor;
      }
      cursor = std::max(cursor, alignUp(end));
    }
    plan.offsets[index] = bestGap == UINT64_MAX ? cursor : best;
    plan.bytes = std::max(plan.bytes, plan.offsets[index] + request.bytes);
    placed.push_back(index);
  }
  return plan;
}

} // namespace

ArenaPlan planArena(const std::vector<ArenaRequest> &requests) {
  auto length = [&](size_t i) { return requests[i].last - requests[i].first; };
  std::vector<size_t> inOrder(requests.size());
  std::iota(inOrder.begin(), inOrder.end(), 0);
  std::vector<size_t> bySize = inOrder, byArea = inOrder, byStart = inOrder;
  std::stable_sort(bySize.begin(), bySize.end(),
                   [&](size_t a, size_t b) { return requests[a].bytes > requests[b].bytes; });
  std::stable_sort(byArea.begin(), byArea.end(), [&](size_t a, size_t b) {
    return double(requests[a].bytes) * (length(a) + 1) > double(requests[b].bytes) * (length(b) + 1);
  });
  std::stable_sort(byStart.begin(), byStart.end(),
                   [&](size_t a, size_t b) { return requests[a].first < requests[b].first; });
  ArenaPlan best = place(requests, bySize);
  for (const std::vector<size_t> &order : {byArea, byStart}) {
    ArenaPlan plan = place(requests, order);
    if (plan.bytes < best.bytes)
      best = std::move(plan);
  }
  return best;
}

uint64_t arenaLowerBound(const std::vector<ArenaRequest> &requests) {
  std::map<uint64_t, int64_t> change;
  for (const ArenaRequest &request : requests) {
    change[request.first] += int64_t(request.bytes);
    change[uint64_t(request.last) + 1] -= int64_t(request.bytes);
  }
  int64_t alive = 0, most = 0;
  for (auto [position, delta] : change)
    most = std::max(most, alive += delta);
  return uint64_t(most);
}

} // namespace graphc
