//===- AllReduceMoves.h - what each instance of a program does in one all-reduce ----*- C++ -*-===//
//
// The one place that knows the algorithms of channels that have one (little data goes whole to
// everybody instead, one hop). A buffer of `chunks` equal chunks is summed over the N instances of
// a program, in place, by moves that each instance makes in order. graphc counts messages with it,
// the verifier checks plans with it, the executor carries it out.
//
//   Scatter   the i-th of N equal pieces belongs to instance i, which sums its chunks by the tree and sends the sums to
//             all. Each instance sends 2 (N - 1) / N of the buffer: no algorithm sends less. The rounds of N chunks, one of
//             each piece, are a pipeline of three.
//             Over H hosts with N / H instances each, a power of two, a host's instances are a node of the tree. They scatter among
//             themselves, so that a piece is N / H times as large and its sums are those of the host. Of these each chunk belongs to
//             one host, whose instance of that piece adds the other hosts' sums to its own and sends the result to their instances of that
//             piece, which hand it on. So each instance sends 2 (H - 1) / N of the buffer to other hosts, as much in all as without hosts.
//   Ring      the same amount, among neighbours only, but the order of a sum is that of the ring.
//   Doubling  log2 N exchanges of everything with the instance whose number differs in one bit; N is a power of two.
//
// In Scatter and Doubling a sum has the tree of SumTree.h whatever arrives first. In all of them
// every instance ends with the same bits. Messages from one instance to another are taken in the
// order in which they were sent, and with allReduceCapacity slots a port no instance can be waiting
// for a slot while all others wait for it (test/runtime/common/plan).
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_ALLREDUCEMOVES_H
#define GRAPHC_RUNTIME_COMMON_PLAN_ALLREDUCEMOVES_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/status/status.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace graphc::plan {

/// Slots that each port of an all-reduce needs at least. Scatter and Doubling: a pipeline of three
/// rounds, and one in reserve.
/// Ring: the rounds that are under way together, so many because a worker that waits for its
/// neighbour's turn on a core should have something to do meanwhile; it has the slots of one
/// neighbour alone.
uint32_t allReduceCapacity(AllReduceAlgorithm algorithm);

/// The executor keeps a list of moves; a plan whose chunks make it longer than this is refused.
inline constexpr uint64_t kMostAllReduceMessages = uint64_t(1) << 22;

/// Who sum together, and how.
struct AllReduceShape {
  AllReduceAlgorithm algorithm = WHOLE;
  uint32_t instances = 0;
  uint32_t hosts = 1; ///< sums are made within each first; instances in a row share one

  static AllReduceShape of(const Channel &channel) {
    return {channel.algorithm(), channel.instances(), std::max(1u, channel.hosts())};
  }
  uint32_t onHost() const { return instances / hosts; }
};

/// Instances between which sums are made: `first`, `first + stride`, …; one of them is at `place`.
struct AllReduceGroup {
  uint32_t first = 0, stride = 0, count = 0, place = 0;
  uint32_t member(uint32_t i) const { return first + i * stride; }
};

struct AllReduceMove {
  enum Kind : uint8_t {
    Send, ///< the chunk to `peer`
    /// the chunk becomes the sum of every instance's of this host, by the tree; one message of each
    /// other one
    Sum,
    /// the chunk becomes the sum of every host's, by the tree; one message of each other host's
    /// instance of that piece
    SumHosts,
    Add, ///< the chunk += the message of `peer`
    Take, ///< the chunk = the message of `peer`
  };
  Kind kind;
  uint32_t peer;
  uint64_t chunk;
  friend bool operator==(const AllReduceMove &, const AllReduceMove &) = default;
};

/// Whether receivers may read what is sent where the sender has it: no instance then writes a chunk
/// that it has sent before its receiver has released it, but for what it sent last, which stays as
/// it is until the next step (test/runtime/common/plan). Not WHOLE: to wait for everybody's release
/// of a little data takes longer than to copy it.
bool readsInPlace(AllReduceAlgorithm algorithm);

/// Whether a piece's sums lie in its instance's buffer, and each other instance of the host takes
/// them there last of all: so they can be read where they lie.
constexpr bool leavesSums(AllReduceAlgorithm algorithm) { return algorithm == SCATTER; }

/// Pieces of a multiple of so many bytes, in a buffer that begins at one, can be mapped: a page.
inline constexpr uint64_t kMappableBytes = 4096;
/// Smaller chunks are copied: they are in a cache, and to wait until everybody has read takes
/// longer.
inline constexpr uint64_t kLeastMappedBytes = 64 << 10;
/// Whether sums in chunks of so many bytes are read where they lie, where all instances share a
/// host.
constexpr bool mapsSums(AllReduceAlgorithm algorithm, uint64_t chunkBytes) {
  return leavesSums(algorithm) && chunkBytes >= kLeastMappedBytes &&
         chunkBytes % kMappableBytes == 0;
}

/// Why the hosts of a channel are none that sums can be made within first; OK where they are, or
/// where there are none.
absl::Status checkAllReduceHosts(const AllReduceShape &shape);

/// Why a buffer of `chunks` chunks cannot be summed so; OK where it can.
absl::Status checkAllReduce(const AllReduceShape &shape, uint64_t chunks);

/// What instance `self` does. The arguments pass checkAllReduce.
std::vector<AllReduceMove> allReduceMoves(const AllReduceShape &shape, uint64_t chunks,
                                          uint32_t self);

/// Whose sum a Sum or a SumHosts of instance `self` is.
AllReduceGroup allReduceGroup(const AllReduceShape &shape, AllReduceMove::Kind kind, uint32_t self);

/// Messages of one chunk that each instance sends, and receives; WHOLE: the chunk is everything.
uint64_t allReduceMessages(const AllReduceShape &shape, uint64_t chunks);

/// Those of them that one instance sends to another.
uint64_t allReduceMessages(const AllReduceShape &shape, uint64_t chunks, uint32_t from,
                           uint32_t to);

/// SCATTER and WHOLE, where all instances send alike: those that leave a host with `onHost`
/// instances in a row for others that have as many, of all its instances together.
uint64_t allReduceMessagesLeavingHost(const AllReduceShape &shape, uint32_t onHost,
                                      uint64_t chunks);

/// Whether messages of an all_to_all channel travel from one instance to another: around a ring
/// only to the next one. So a ring's memory does not grow with its length.
bool carries(const AllReduceShape &shape, uint32_t from, uint32_t to);

/// How many others each instance receives from, and sends to; there are at least 2 instances.
uint64_t allReducePeers(const AllReduceShape &shape);

/// Parts of scratch memory that an instance needs: one for each partial sum besides its own chunk,
/// one at least.
uint64_t allReducePartialSums(const AllReduceShape &shape);

/// Messages on the way one after another, at the least, and those before and behind them that do
/// not leave their host.
uint64_t allReduceHops(const AllReduceShape &shape);
uint64_t allReduceHopsWithinHosts(const AllReduceShape &shape);

/// Messages that each instance adds to another, the work of an all-reduce.
uint64_t allReduceAdditions(const AllReduceShape &shape, uint64_t chunks);

} // namespace graphc::plan
#endif
