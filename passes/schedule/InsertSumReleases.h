//===- InsertSumReleases.h - sums that are read where the instances made them -------*- C++ -*-===//
#ifndef GRAPHC_PASSES_SCHEDULE_INSERTSUMRELEASES_H
#define GRAPHC_PASSES_SCHEDULE_INSERTSUMRELEASES_H

#include "dialects/dist/DistDialect.h"

namespace graphc {

/// Whether the channel sums in pieces of whole pages, which others may map where the bucket begins
/// at one.
bool sumsAreMappable(dist::ChannelOp channel);

/// Puts a release of each zero-copy channel that sums in chunks behind the last call that reads its
/// sums, where calls alone read them, all of them before the `send_done`: then each instance may
/// read the others' pieces where they lie. Elsewhere, and where pieces are no whole pages, there is
/// none, and the sums are copied. Memory has been planned. Returns the releases.
mlir::FailureOr<llvm::SmallVector<dist::ReleaseOp>> releaseSums(dist::ProgramOp program,
                                                                const mlir::SymbolTable &symbols);

} // namespace graphc
#endif
