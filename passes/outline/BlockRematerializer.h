//===- BlockRematerializer.h - what a block keeps, and its values rematerialized ----*- C++ -*-===//
//
// The operations of a program, or of a loop in it, as passes/analysis/RematerializationChoice.h
// sees them, and what it chooses done to them.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_OUTLINE_BLOCKREMATERIALIZER_H
#define GRAPHC_PASSES_OUTLINE_BLOCKREMATERIALIZER_H

#include "dialects/dist/DistDialect.h"
#include "passes/analysis/RematerializationChoice.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <memory>

namespace graphc {

class BlockRematerializer {
public:
  /// Gives users copies as `outline` does (DuplicateCheapOps.h), and moves what is inlined to its
  /// first user: what is left is kept.
  /// `kind`: whose libraries serve it.
  BlockRematerializer(mlir::Block &block, llvm::StringRef kind);

  /// Bytes at the fullest position, by estimate, those of loops included.
  uint64_t getPeak() const;

  struct Result {
    unsigned values = 0; ///< that are rematerialized
    uint64_t bytes = 0; ///< of them
    double seconds = 0; ///< in a step
    bool isEnough = true; ///< nothing is left above the target
  };
  /// Rematerializes what brings the peak to `target`, or as near as there is something to
  /// rematerialize.
  Result rematerialize(uint64_t target, const TimeModel &time, TimeModel::Engine engine);

private:
  struct Loop {
    uint32_t position;
    std::unique_ptr<BlockRematerializer> body;
    uint64_t count;
  };

  void sink();
  void read();
  void addResult(mlir::OpResult result, uint32_t position);
  bool hasMemory(mlir::OpResult result) const;
  bool isCompiled(mlir::Operation *op) const;
  mlir::Value rootOf(mlir::Value value) const;
  std::vector<uint64_t> bytesOfLoops() const;
  /// False where it would not come late.
  bool clone(const RematerializedValue &chosen);
  mlir::Value findWait(mlir::Operation *user, const RematerializedValue &chosen) const;
  void replaceLate(mlir::Value old, mlir::Value by, uint32_t firstLate);

  mlir::Block &block_;
  const llvm::StringRef kind_;
  llvm::DenseMap<mlir::Operation *, uint32_t> positions_;
  llvm::SmallVector<mlir::Operation *> ops_; ///< by position
  llvm::SmallVector<mlir::Value> roots_; ///< by number
  llvm::DenseMap<mlir::Value, uint32_t> numbers_; ///< of what has memory, or none
  std::vector<BlockValue> values_;
  llvm::SmallVector<Loop, 0> loops_;
  llvm::DenseSet<uint32_t> gone_; ///< values that are chosen: not kept all the time
  uint64_t afterwards_ = 0; ///< the peak with what was chosen
};

} // namespace graphc
#endif
