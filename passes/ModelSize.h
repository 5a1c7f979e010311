//===- ModelSize.h - how many operations a model may have ---------------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_MODELSIZE_H
#define GRAPHC_PASSES_MODELSIZE_H

#include <cstdint>

namespace graphc {

/// Limit on the operations that inlining calls or unrolling loops may create. A larger model is a
/// mistake, such as functions that each call the next one twice, forty deep.
inline constexpr uint64_t kMostModelOps = uint64_t(1) << 18;

} // namespace graphc
#endif
