//===- FindCheckpoint.h - what reads checkpoints has of FindCheckpoint.cpp; private to this folder ----------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_CHECKPOINT_FINDCHECKPOINT_H
#define GRAPHC_RUNTIME_CHECKPOINT_FINDCHECKPOINT_H

#include "runtime/base/File.h"
#include "runtime/checkpoint/Checkpoint.h"

namespace graphc::checkpoint {

/// Checks size and both checksums of a shard; the mapping on success.
absl::StatusOr<base::MappedFile> openShard(const Found &checkpoint, const ShardInfo &shard);

} // namespace graphc::checkpoint
#endif
