#include "runtime/plan/AllReduce.h"

#include "runtime/plan/SumTree.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <bit>

namespace graphc::plan {
namespace {

constexpr uint64_t kRingRounds = 16; // under way together

class Moves {
public:
  Moves(uint32_t instances, uint64_t chunks, uint32_t self) : count(instances), chunks(chunks), self(self) {}

  std::vector<Move> take() { return std::move(moves); }

  void scatter() {
    const uint64_t rounds = chunks / count;
    for (uint64_t k = 0; k < rounds + 2; ++k) {
      if (k < rounds)
        for (uint32_t d = 1; d < count; ++d)
          moves.push_back({Move::Send, other(d), chunkOf(other(d), k)});
      if (k > 0 && k <= rounds) {
        moves.push_back({Move::Sum, self, chunkOf(self, k - 1)});
        for (uint32_t d = 1; d < count; ++d)
          moves.push_back({Move::Send, other(d), chunkOf(self, k - 1)});
      }
      if (k > 1)
        for (uint32_t d = 1; d < count; ++d)
          moves.push_back({Move::Take, other(d), chunkOf(other(d), k - 2)});
    }
  }

  void ring() {
    const uint64_t rounds = chunks / count;
    for (uint64_t first = 0; first < rounds; first += kRingRounds) {
      const uint64_t last = std::min(rounds, first + kRingRounds);
      pass(Move::Add, 0, first, last);
      pass(Move::Take, 1, first, last);
    }
  }

  void doubling() {
    for (uint32_t bit = 1; bit < count; bit <<= 1)
      for (uint64_t c = 0; c < chunks; ++c) {
        moves.push_back({Move::Send, self ^ bit, c});
        moves.push_back({Move::Add, self ^ bit, c});
      }
  }

private:
  uint32_t other(uint32_t distance) const { return (self + distance) % count; }
  uint64_t chunkOf(uint32_t piece, uint64_t round) const { return piece * (chunks / count) + round; }

  /// N - 1 steps once around the ring; in step s instance r sends piece r + ahead - s.
  void pass(Move::Kind kind, uint32_t ahead, uint64_t first, uint64_t last) {
    for (uint32_t s = 0; s + 1 < count; ++s)
      for (uint64_t k = first; k < last; ++k) {
        uint32_t piece = other(count + ahead - s);
        moves.push_back({Move::Send, other(1), chunkOf(piece, k)});
        moves.push_back({kind, other(count - 1), chunkOf((piece + count - 1) % count, k)});
      }
  }

  const uint32_t count;
  const uint64_t chunks;
  const uint32_t self;
  std::vector<Move> moves;
};

} // namespace

absl::Status checkAllReduce(AllReduceAlgorithm algorithm, uint64_t instances, uint64_t chunks) {
  if (!AllReduceAlgorithm_IsValid(algorithm) || algorithm == WHOLE)
    return absl::InvalidArgumentError(absl::StrCat("unknown all-reduce algorithm ", int(algorithm)));
  const std::string &name = AllReduceAlgorithm_Name(algorithm);
  if (instances < 2 || chunks == 0)
    return absl::InvalidArgumentError(absl::StrCat("all-reduce ", name, " of ", chunks, " chunks over ", instances,
                                                   " instances; expected at least one chunk and two instances"));
  if ((algorithm == SCATTER || algorithm == RING) && chunks % instances != 0)
    return absl::InvalidArgumentError(absl::StrCat("all-reduce ", name, " of ", chunks, " chunks over ", instances,
                                                   " instances, which do not divide the chunks"));
  if (algorithm == DOUBLING && !std::has_single_bit(instances))
    return absl::InvalidArgumentError(
        absl::StrCat("all-reduce ", name, " over ", instances, " instances, expected a power of two"));
  if (chunks > kMostAllReduceMessages || allReduceMessages(algorithm, instances, chunks) > kMostAllReduceMessages)
    return absl::InvalidArgumentError(absl::StrCat("all-reduce ", name, " of ", chunks, " chunks over ", instances,
                                                   " instances takes more than ", kMostAllReduceMessages,
                                                   " messages an instance; expected larger chunks"));
  return absl::OkStatus();
}

std::vector<Move> allReduceMoves(AllReduceAlgorithm algorithm, uint32_t instances, uint64_t chunks, uint32_t self) {
  Moves moves(instances, chunks, self);
  switch (algorithm) {
  case SCATTER:
    moves.scatter();
    break;
  case RING:
    moves.ring();
    break;
  case DOUBLING:
    moves.doubling();
    break;
  default:
    break; // checkAllReduce refuses it
  }
  return moves.take();
}

uint64_t allReduceMessages(AllReduceAlgorithm algorithm, uint64_t instances, uint64_t chunks) {
  switch (algorithm) {
  case SCATTER:
  case RING:
    return 2 * (chunks / instances) * (instances - 1);
  case DOUBLING:
    return chunks * uint64_t(std::bit_width(instances) - 1);
  default:
    return 0;
  }
}

bool readsInPlace(AllReduceAlgorithm algorithm) { return algorithm == SCATTER || algorithm == RING; }

uint32_t allReduceCapacity(AllReduceAlgorithm algorithm) { return algorithm == RING ? kRingRounds : 4; }

bool carries(AllReduceAlgorithm algorithm, uint32_t instances, uint32_t from, uint32_t to) {
  if (algorithm == RING)
    return to == (from + 1) % instances;
  return from != to && (algorithm != DOUBLING || std::has_single_bit(from ^ to));
}

uint64_t allReducePeers(AllReduceAlgorithm algorithm, uint64_t instances) {
  return algorithm == RING ? 1 : algorithm == DOUBLING ? uint64_t(std::bit_width(instances) - 1) : instances - 1;
}

uint64_t allReducePartialSums(AllReduceAlgorithm algorithm, uint64_t instances) {
  return algorithm == SCATTER ? std::max(1u, partialSumsOfAny(instances)) : 1;
}

uint64_t allReduceHops(AllReduceAlgorithm algorithm, uint64_t instances) {
  return algorithm == RING       ? 2 * (instances - 1)
         : algorithm == DOUBLING ? uint64_t(std::bit_width(instances) - 1)
         : algorithm == SCATTER  ? 2
                                 : 1;
}

uint64_t allReduceAdditions(AllReduceAlgorithm algorithm, uint64_t instances, uint64_t chunks) {
  uint64_t messages = allReduceMessages(algorithm, instances, chunks);
  return algorithm == SCATTER || algorithm == RING ? messages / 2 : messages;
}

} // namespace graphc::plan
