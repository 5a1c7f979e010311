#include "runtime/data/ConsumedRanges.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace graphc::data {
namespace {
constexpr uint64_t kFurthest = uint64_t{1} << 62;
constexpr uint64_t kMostShares = uint64_t{1} << 21; ///< that are looked at
} // namespace

absl::Status ConsumedRanges::check(uint64_t position, std::span<const uint64_t> ahead) {
  const auto wrong = [](const char *what) {
    return absl::InvalidArgumentError(absl::StrCat("what was taken ahead of other samples ", what));
  };
  if (ahead.empty())
    return absl::OkStatus();
  if (ahead.size() % 2 || ahead.size() / 2 > kMostRanges)
    return wrong("has a begin without an end, or too many ranges");
  if (std::adjacent_find(ahead.begin(), ahead.end(), std::greater_equal<>()) != ahead.end() ||
      ahead.back() > kFurthest)
    return wrong("is out of order");
  uint64_t samples = 0;
  for (size_t i = 0; i < ahead.size(); i += 2)
    samples += ahead[i + 1] - ahead[i];
  return samples <= position && position - samples < ahead.front()
             ? absl::OkStatus()
             : wrong("is more than all that was taken, or not ahead");
}

ConsumedRanges::ConsumedRanges(uint64_t position, std::span<const uint64_t> ahead)
    : position_(position) {
  std::vector<Range> ranges;
  uint64_t samples = 0;
  for (size_t i = 0; i + 1 < ahead.size(); i += 2) {
    ranges.push_back({ahead[i], ahead[i + 1], 0});
    samples += ahead[i + 1] - ahead[i];
  }
  set(position - samples, std::move(ranges));
}

std::vector<uint64_t> ConsumedRanges::ahead() const {
  std::vector<uint64_t> ends;
  for (const Range &range : ranges_)
    ends.insert(ends.end(), {range.begin, range.end});
  return ends;
}

uint64_t ConsumedRanges::place(uint64_t number) const {
  const auto range =
      std::upper_bound(ranges_.begin(), ranges_.end(), number,
                       [](uint64_t sought, const Range &one) { return sought < one.number(); });
  return number - (range == ranges_.end() ? 0 : range->behind);
}

/// The places of the numbers from here to there: a range for each gap that they fill.
void ConsumedRanges::addPlaces(uint64_t number, uint64_t end, std::vector<Range> &to) const {
  auto range =
      std::upper_bound(ranges_.begin(), ranges_.end(), number,
                       [](uint64_t sought, const Range &one) { return sought < one.number(); });
  for (; number < end; ++range) {
    const bool isLast = range == ranges_.end();
    const uint64_t stop = isLast ? end : std::min(end, range->number()),
                   behind = isLast ? 0 : range->behind;
    to.push_back({number - behind, stop - behind, 0});
    number = stop;
    if (isLast)
      break;
  }
}

/// All before `first` was taken, and these: those that touch become one, and what touches `first`
/// is not ahead.
void ConsumedRanges::set(uint64_t first, std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
  ranges_.clear();
  for (const Range &range : ranges)
    if (range.begin <= first)
      first = std::max(first, range.end);
    else if (!ranges_.empty() && range.begin <= ranges_.back().end)
      ranges_.back().end = std::max(ranges_.back().end, range.end);
    else
      ranges_.push_back(range);
  uint64_t behind = 0;
  for (auto range = ranges_.rbegin(); range != ranges_.rend(); ++range)
    range->behind = behind += range->end - range->begin;
  position_ = first + behind;
}

void ConsumedRanges::advance(const StreamWalk &walk, uint64_t steps) {
  const uint64_t to = walk.after(position_, steps);
  if (ranges_.empty()) {
    position_ = to;
    return;
  }
  const uint64_t first = place(position_);
  std::vector<Range> ranges = ranges_;
  addPlaces(position_, to, ranges);
  set(first, std::move(ranges));
}

bool ConsumedRanges::advance(const StreamWalk &rows, uint64_t share,
                             std::span<const uint64_t> steps) {
  const auto [least, most] = std::minmax_element(steps.begin(), steps.end());
  const uint64_t all = *least, end = *most;
  advance(rows, all); // what all have taken
  if (all == end)
    return true;
  const uint64_t begin = position_;
  if (end - all > kMostShares / steps.size() || rows.after(begin, end - all) >= kFurthest) {
    position_ = std::min(kFurthest, begin + std::accumulate(steps.begin(), steps.end(), uint64_t{0},
                                                            [&](uint64_t sum, uint64_t one) {
                                                              return sum + (one - all) * share;
                                                            }));
    ranges_.clear();
    return false;
  }
  const uint64_t first = place(position_);
  std::vector<Range> ranges = ranges_;
  for (uint64_t row = 0; row < end - all; ++row) {
    const uint64_t at = rows.after(begin, row), next = rows.after(begin, row + 1);
    for (size_t replica = 0; replica < steps.size(); ++replica)
      if (steps[replica] - all > row)
        addPlaces(std::min(at + replica * share, next), std::min(at + (replica + 1) * share, next),
                  ranges);
  }
  set(first, std::move(ranges));
  if (ranges_.size() <= kMostRanges)
    return true;
  ranges_.clear();
  return false;
}

} // namespace graphc::data
