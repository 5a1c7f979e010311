#include "passes/analysis/ArenaLayout.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace graphc {
namespace {

uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// A request that has its place: bytes [begin, end) between two positions in time.
struct Placed {
  uint64_t begin, end;
  uint32_t first, last;
};

/// Places the requests in the given order, each in the smallest gap that holds it between those
/// alive at the same time. What is placed stays sorted by its begin, so that a request's neighbours
/// in time come by in the order of their bytes: one pass over a dense array a request and no sort.
ArenaPlan place(const std::vector<ArenaRequest> &requests, const std::vector<size_t> &order) {
  ArenaPlan plan;
  plan.offsets.assign(requests.size(), 0);
  std::vector<Placed> placed;
  placed.reserve(requests.size());
  for (size_t index : order) {
    const ArenaRequest &request = requests[index];
    if (request.bytes == 0)
      continue;
    uint64_t cursor = 0, best = 0, bestGap = UINT64_MAX;
    for (const Placed &other : placed) {
      if (request.first > other.last || other.first > request.last)
        continue;
      if (other.begin >= cursor + request.bytes && other.begin - cursor < bestGap) {
        best = cursor;
        bestGap = other.begin - cursor;
      }
      cursor = std::max(cursor, alignUp(other.end, request.alignment));
    }
    uint64_t begin = bestGap == UINT64_MAX ? cursor : best;
    Placed entry{begin, begin + request.bytes, request.first, request.last};
    auto behind =
        std::upper_bound(placed.begin(), placed.end(), begin,
                         [](uint64_t value, const Placed &other) { return value < other.begin; });
    placed.insert(behind, entry);
    plan.offsets[index] = begin;
    plan.bytes = std::max(plan.bytes, entry.end);
  }
  return plan;
}

} // namespace

ArenaPlan planArena(const std::vector<ArenaRequest> &requests) {
  auto length = [&](size_t i) { return requests[i].last - requests[i].first; };
  std::vector<size_t> inOrder(requests.size());
  std::iota(inOrder.begin(), inOrder.end(), 0);
  auto sortedBy = [&](auto key) { // and where that is equal, in order
    std::vector<size_t> order = inOrder;
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return std::pair(key(a), a) < std::pair(key(b), b); });
    return order;
  };
  // the biggest first
  std::vector<size_t> bySize = sortedBy([&](size_t i) { return ~requests[i].bytes; });
  std::vector<size_t> byArea =
      sortedBy([&](size_t i) { return -(double(requests[i].bytes) * (length(i) + 1)); });
  std::vector<size_t> byStart = sortedBy([&](size_t i) { return requests[i].first; });
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
