#include "runtime/common/plan/AllReduceMoves.h"

#include "runtime/common/plan/SumTree.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <bit>

namespace graphc::plan {
namespace {

constexpr uint64_t kRingRounds = 16; // under way together

class Moves {
public:
  Moves(const AllReduceShape &shape, uint64_t chunks, uint32_t self)
      : count_(shape.instances), hosts_(shape.hosts), chunks_(chunks), self_(self),
        near_(allReduceGroup(shape, AllReduceMove::Sum, self)),
        far_(allReduceGroup(shape, AllReduceMove::SumHosts, self)) {}

  std::vector<AllReduceMove> take() { return std::move(moves_); }

  /// Chunk k of every piece begins its way at time k. `lag` later the sum of a host's is with the
  /// host that it belongs to, after as long again the sum of all with every host: in both the other
  /// chunks of a round are under way meanwhile.
  void scatter() {
    const uint64_t each = chunks_ / near_.count, lag = hosts_ == 1 ? 0 : hosts_;
    for (uint64_t time = 0; time < each + 2 * lag + 2; ++time) {
      if (time < each)
        withOthers(AllReduceMove::Send, near_,
                   [&](uint32_t place) { return chunkOf(place, time); });
      if (time >= 1 && time - 1 < each)
        sumOfHost(time - 1);
      if (lag && time >= 1 + lag && time - 1 - lag < each && ownerOf(time - 1 - lag) == far_.place)
        sumOfAll(time - 1 - lag);
      if (time >= 1 + 2 * lag && time - 1 - 2 * lag < each)
        handOn(time - 1 - 2 * lag);
      if (time >= 2 + 2 * lag && time - 2 - 2 * lag < each)
        withOthers(AllReduceMove::Take, near_,
                   [&](uint32_t place) { return chunkOf(place, time - 2 - 2 * lag); });
    }
  }

  void ring() {
    const uint64_t rounds = chunks_ / count_;
    for (uint64_t first = 0; first < rounds; first += kRingRounds) {
      const uint64_t last = std::min(rounds, first + kRingRounds);
      pass(AllReduceMove::Add, 0, first, last);
      pass(AllReduceMove::Take, 1, first, last);
    }
  }

  void doubling() {
    for (uint32_t bit = 1; bit < count_; bit <<= 1)
      for (uint64_t c = 0; c < chunks_; ++c) {
        moves_.push_back({AllReduceMove::Send, self_ ^ bit, c});
        moves_.push_back({AllReduceMove::Add, self_ ^ bit, c});
      }
  }

private:
  uint32_t other(uint32_t distance) const { return (self_ + distance) % count_; }
  uint64_t chunkOf(uint32_t piece, uint64_t round) const {
    return piece * (chunks_ / near_.count) + round;
  }
  /// The host that the sums of chunk k of this instance's piece belong to: at any time of the
  /// pieces of a host different ones.
  uint32_t ownerOf(uint64_t k) const { return uint32_t((k + near_.place) % hosts_); }

  /// With each other member, from the next on, so that not all send to one.
  template <typename Chunk>
  void withOthers(AllReduceMove::Kind kind, const AllReduceGroup &group, Chunk &&chunk) {
    for (uint32_t d = 1; d < group.count; ++d) {
      const uint32_t place = (group.place + d) % group.count;
      moves_.push_back({kind, group.member(place), chunk(place)});
    }
  }
  void sumOfHost(uint64_t k) {
    moves_.push_back({AllReduceMove::Sum, self_, chunkOf(near_.place, k)});
    if (ownerOf(k) != far_.place)
      moves_.push_back({AllReduceMove::Send, far_.member(ownerOf(k)), chunkOf(near_.place, k)});
  }
  void sumOfAll(uint64_t k) {
    moves_.push_back({AllReduceMove::SumHosts, self_, chunkOf(near_.place, k)});
    withOthers(AllReduceMove::Send, far_, [&](uint32_t) { return chunkOf(near_.place, k); });
  }
  void handOn(uint64_t k) {
    if (ownerOf(k) != far_.place)
      moves_.push_back({AllReduceMove::Take, far_.member(ownerOf(k)), chunkOf(near_.place, k)});
    withOthers(AllReduceMove::Send, near_, [&](uint32_t) { return chunkOf(near_.place, k); });
  }

  /// N - 1 steps once around the ring; in step s instance r sends piece r + ahead - s.
  void pass(AllReduceMove::Kind kind, uint32_t ahead, uint64_t first, uint64_t last) {
    for (uint32_t s = 0; s + 1 < count_; ++s)
      for (uint64_t k = first; k < last; ++k) {
        uint32_t piece = other(count_ + ahead - s);
        moves_.push_back({AllReduceMove::Send, other(1), chunkOf(piece, k)});
        moves_.push_back({kind, other(count_ - 1), chunkOf((piece + count_ - 1) % count_, k)});
      }
  }

  const uint32_t count_, hosts_;
  const uint64_t chunks_;
  const uint32_t self_;
  /// this host's instances; each host's instance of the same piece
  const AllReduceGroup near_, far_;
  std::vector<AllReduceMove> moves_;
};

} // namespace

/// Sums within each host first are a part of the tree of all only where each host's instances are a
/// node of it: as many on each, a power of two. The other algorithms have no such first part.
absl::Status checkAllReduceHosts(const AllReduceShape &shape) {
  if (shape.hosts == 1 ||
      (shape.algorithm == SCATTER && hostsAreNodes(shape.instances, shape.hosts)))
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("all-reduce ", AllReduceAlgorithm_Name(shape.algorithm), " over ",
                   shape.instances, " instances on ", shape.hosts,
                   " hosts; expected SCATTER and on each of them as many, 2, 4, 8 or so on"));
}

/// What allReduceMoves relies on: two instances at least, chunks that can be shared as the
/// algorithm does, and no longer list of moves than the executor keeps.
absl::Status checkAllReduce(const AllReduceShape &shape, uint64_t chunks) {
  const AllReduceAlgorithm algorithm = shape.algorithm;
  const uint32_t instances = shape.instances;
  if (!AllReduceAlgorithm_IsValid(algorithm) || algorithm == WHOLE)
    return absl::InvalidArgumentError(
        absl::StrCat("unknown all-reduce algorithm ", int(algorithm)));
  const std::string &name = AllReduceAlgorithm_Name(algorithm);
  if (instances < 2 || chunks == 0)
    return absl::InvalidArgumentError(
        absl::StrCat("all-reduce ", name, " of ", chunks, " chunks over ", instances,
                     " instances; expected at least one chunk and two instances"));
  if (absl::Status status = checkAllReduceHosts(shape); !status.ok())
    return status;
  if ((algorithm == SCATTER || algorithm == RING) && chunks % instances != 0)
    return absl::InvalidArgumentError(absl::StrCat("all-reduce ", name, " of ", chunks,
                                                   " chunks over ", instances,
                                                   " instances, which do not divide the chunks"));
  if (algorithm == DOUBLING && !std::has_single_bit(instances))
    return absl::InvalidArgumentError(absl::StrCat("all-reduce ", name, " over ", instances,
                                                   " instances, expected a power of two"));
  if (chunks > kMostAllReduceMessages || allReduceMessages(shape, chunks) > kMostAllReduceMessages)
    return absl::InvalidArgumentError(
        absl::StrCat("all-reduce ", name, " of ", chunks, " chunks over ", instances,
                     " instances takes more than ", kMostAllReduceMessages,
                     " messages an instance; expected larger chunks"));
  return absl::OkStatus();
}

std::vector<AllReduceMove> allReduceMoves(const AllReduceShape &shape, uint64_t chunks,
                                          uint32_t self) {
  Moves moves(shape, chunks, self);
  switch (shape.algorithm) {
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

AllReduceGroup allReduceGroup(const AllReduceShape &shape, AllReduceMove::Kind kind,
                              uint32_t self) {
  const uint32_t onHost = shape.onHost(), host = self / onHost, place = self % onHost;
  return kind == AllReduceMove::SumHosts ? AllReduceGroup{place, onHost, shape.hosts, host}
                                         : AllReduceGroup{host * onHost, 1, onHost, place};
}

uint64_t allReduceMessages(const AllReduceShape &shape, uint64_t chunks) {
  switch (shape.algorithm) {
  case SCATTER:
  case RING:
    return 2 * (chunks / shape.instances) * (shape.instances - 1);
  default: // everything to each peer
    return chunks * allReducePeers(shape);
  }
}

uint64_t allReduceMessages(const AllReduceShape &shape, uint64_t chunks, uint32_t from,
                           uint32_t to) {
  if (!carries(shape, from, to))
    return 0;
  switch (shape.algorithm) {
  case SCATTER:
    return 2 * (chunks /
                (from / shape.onHost() == to / shape.onHost() ? shape.onHost() : shape.instances));
  case RING:
    return allReduceMessages(shape, chunks);
  default:
    return chunks;
  }
}

uint64_t allReduceMessagesLeavingHost(const AllReduceShape &shape, uint32_t onHost,
                                      uint64_t chunks) {
  uint64_t ofFirst = 0;
  for (uint32_t to = onHost; to < shape.instances; ++to)
    ofFirst += allReduceMessages(shape, chunks, 0, to);
  return onHost * ofFirst;
}

bool readsInPlace(AllReduceAlgorithm algorithm) {
  return algorithm == SCATTER || algorithm == RING;
}

uint32_t allReduceCapacity(AllReduceAlgorithm algorithm) {
  return algorithm == RING ? kRingRounds : 4;
}

bool carries(const AllReduceShape &shape, uint32_t from, uint32_t to) {
  const uint32_t onHost = shape.onHost();
  switch (shape.algorithm) {
  case RING:
    return to == (from + 1) % shape.instances;
  case DOUBLING:
    return std::has_single_bit(from ^ to);
  default:
    return from != to && (from / onHost == to / onHost || from % onHost == to % onHost);
  }
}

uint64_t allReducePeers(const AllReduceShape &shape) {
  return shape.algorithm == RING       ? 1
         : shape.algorithm == DOUBLING ? uint64_t(std::bit_width(shape.instances) - 1)
                                       : shape.onHost() - 1 + shape.hosts - 1;
}

uint64_t allReducePartialSums(const AllReduceShape &shape) {
  return shape.algorithm == SCATTER ? partialSumsWithinHosts(shape.instances, shape.hosts) : 1;
}

uint64_t allReduceHops(const AllReduceShape &shape) {
  return shape.algorithm == RING       ? 2 * (uint64_t(shape.instances) - 1)
         : shape.algorithm == DOUBLING ? uint64_t(std::bit_width(shape.instances) - 1)
         : shape.algorithm == SCATTER  ? 2
                                       : 1;
}

uint64_t allReduceHopsWithinHosts(const AllReduceShape &shape) { return shape.hosts > 1 ? 2 : 0; }

uint64_t allReduceAdditions(const AllReduceShape &shape, uint64_t chunks) {
  const uint64_t messages = allReduceMessages(shape, chunks);
  return shape.algorithm == SCATTER || shape.algorithm == RING ? messages / 2 : messages;
}

} // namespace graphc::plan
