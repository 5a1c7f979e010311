//===- ArenaLayout.h - offsets for buffers by their lifetimes -----------------------*- C++ -*-===//
//
// A program's buffers live in one arena whose layout repeats every step. Each request names the
// positions in the program's total order between which its bytes must stay; two requests whose
// lifetimes touch never share a byte.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_ANALYSIS_ARENALAYOUT_H
#define GRAPHC_PASSES_ANALYSIS_ARENALAYOUT_H

#include <cstdint>
#include <vector>

namespace graphc {

/// Alignment of every buffer, in bytes: a cache line, and a vector of AVX-512.
constexpr uint64_t kArenaAlignment = 64;

struct ArenaRequest {
  uint64_t bytes = 0;
  uint32_t first = 0; ///< position of the first write, inclusive
  uint32_t last = 0; ///< position of the last use, inclusive
  uint64_t alignment = kArenaAlignment; ///< a multiple of that
};

struct ArenaPlan {
  std::vector<uint64_t> offsets; ///< one a request, multiples of its alignment
  uint64_t bytes = 0; ///< the largest end of a request: what the runtime allocates
};

/// Best fit over several orders of placement; the smallest arena wins, the earlier order where two
/// are equal, so the result depends on the requests alone.
ArenaPlan planArena(const std::vector<ArenaRequest> &requests);

/// The most bytes alive at one position: no plan can be smaller (alignment aside).
uint64_t arenaLowerBound(const std::vector<ArenaRequest> &requests);

} // namespace graphc
#endif
