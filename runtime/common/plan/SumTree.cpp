#include "runtime/common/plan/SumTree.h"

#include "absl/strings/str_cat.h"

#include <functional>

namespace graphc::plan {
namespace {

constexpr uint64_t kMostDefaultLeaves = 16;
constexpr uint64_t kMostMicroBatches = uint64_t(1) << 26; // as many as cluster.json takes

bool fits(uint64_t m, uint64_t w, uint64_t n) {
  if (m == 0 || n == 0 || m % n)
    return false;
  if (w == 0)
    w = defaultSumLeaves(m, n);
  return m % w == 0 && w % n == 0 && (n == 1 || std::has_single_bit(w / n));
}

std::vector<uint64_t> divisorsOf(uint64_t m) {
  std::vector<uint64_t> small, large;
  for (uint64_t d = 1; d * d <= m; ++d)
    if (m % d == 0) {
      small.push_back(d);
      if (d * d < m)
        large.push_back(m / d);
    }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

/// Those around `from`: whatever fits some multiple fits one of these.
std::vector<uint64_t> multiplesOf(uint64_t step, uint64_t from) {
  constexpr uint64_t kAround = 64;
  std::vector<uint64_t> multiples;
  for (uint64_t i = from / step > kAround ? from / step - kAround : 1; i <= from / step + kAround;
       ++i)
    multiples.push_back(i * step);
  return multiples;
}

/// Of ascending candidates those next to `from` for which it is so, at most one below and one
/// above, which is not far; "" where there are none.
std::string nearest(uint64_t from, const std::vector<uint64_t> &candidates,
                    const std::function<bool(uint64_t)> &isFitting) {
  std::string below;
  for (uint64_t candidate : candidates)
    if (candidate < from && isFitting(candidate))
      below = absl::StrCat(candidate);
    else if (candidate > from && candidate <= 4 * from + 4 && isFitting(candidate))
      return absl::StrCat(below, below.empty() ? "" : " or ", candidate);
  return below;
}

} // namespace

uint64_t defaultSumLeaves(uint64_t microBatches, uint64_t replicas) {
  uint64_t leaves = kMostDefaultLeaves;
  while (microBatches % leaves)
    --leaves;
  return std::max(replicas, leaves);
}

std::vector<uint64_t> sumStops(uint64_t values, uint64_t perLeaf) {
  const uint64_t most = mostHeld(values / perLeaf);
  auto partials = [&](uint64_t done) {
    return uint64_t(std::popcount(done / perLeaf)) + (done % perLeaf != 0);
  };
  std::vector<uint64_t> stops;
  uint64_t last = 0;
  for (uint64_t done = 1; done < values; ++done) {
    // once the next value is there
    auto held = [&](uint64_t stop) { return partials(stop) + done + 1 - stop; };
    if (held(last) <= most)
      continue;
    uint64_t best = done;
    for (uint64_t stop = done - 1; stop > last; --stop)
      if (held(stop) <= most && partials(stop) < partials(best))
        best = stop;
    stops.push_back(last = best);
  }
  return stops;
}

std::string whyNoSumTree(uint64_t m, uint64_t w, uint64_t n) {
  if (fits(m, w, n))
    return "";
  const uint64_t leaves = w ? w : defaultSumLeaves(m, n);
  std::string why;
  if (m % n)
    why = absl::StrCat("\"micro_batches\": ", m, " cannot be shared by ", n, " replicas");
  else if (m % leaves)
    why = absl::StrCat("\"micro_batches\": ", m, " cannot be summed in ", leaves,
                       " leaves of equal size");
  else if (leaves % n)
    why = absl::StrCat("the ", leaves, " leaves of the sum of ", m,
                       " micro-batches cannot be shared by ", n, " replicas");
  else
    why = absl::StrCat("the sum of ", m, " micro-batches has ", leaves, " leaves, ", leaves / n,
                       " for each of ", n, " replicas; expected 1, 2, 4, 8, … for each");
  std::string remedies;
  auto offer = [&](std::string_view what, const std::string &numbers) {
    if (!numbers.empty())
      absl::StrAppend(&remedies, remedies.empty() ? "" : ", ",
                      absl::string_view(what.data(), what.size()), numbers);
  };
  offer("replicas: ", nearest(n, divisorsOf(m), [&](uint64_t other) { return fits(m, w, other); }));
  offer("\"micro_batches\": ", nearest(m, multiplesOf(w ? w : n, m), [&](uint64_t other) {
          return other <= kMostMicroBatches && fits(other, w, n);
        }));
  offer("\"sum_leaves\": ",
        nearest(leaves, divisorsOf(m), [&](uint64_t other) { return fits(m, other, n); }));
  return absl::StrCat(why, remedies.empty() ? "" : "; what fits next to that is ", remedies);
}

} // namespace graphc::plan
