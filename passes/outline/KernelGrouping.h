//===- KernelGrouping.h - which operations of a program become one kernel -----------*- C++ -*-===//
//
// The operations of a program, or of what is repeated in one, in groups: a *kernel* is a connected
// set of computing operations, everything else (communication, library calls, data) is a group of
// its own. Two computing operations share a kernel if they are joined by values or by the order of
// a variable's reads and writes, and have the same *depth*: the number of times that a path from
// the start of the step to them leaves or enters a kernel. Hence the groups are never in a circle.
// The order of communication counts as a path too, so that merging cannot make a send wait for a
// later receive. What stands on both sides of sums that are kept (`graph.kept`) shares no kernel:
// it would make the values of the later side live beside those of the earlier one. Where a step may
// be gone through again what a write takes, and others take too, is not made by the kernel that
// writes. At last kernels that only update small variables, and for which nothing waits, become one
// where they wait for the same messages.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_OUTLINE_KERNELGROUPING_H
#define GRAPHC_PASSES_OUTLINE_KERNELGROUPING_H

#include "dialects/dist/DistDialect.h"
#include "dialects/graph/GraphDialect.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace graphc {

class ProgramGraph {
public:
  enum class Kind { Free, Compute, Library, Other };
  struct Group {
    Kind kind;
    /// in text order, one update behind the other where small ones are joined; a library call: the
    /// op, then its post-ops
    llvm::SmallVector<mlir::Operation *> ops;
  };

  /// `block`: of a program, or what is repeated in one. `kind`: of the program's device, whose
  /// libraries serve what they can; empty: none does.
  ProgramGraph(mlir::Block &block, llvm::StringRef kind);

  /// Whether a kernel of both would have no loop that threads could share, where each by itself has
  /// one.
  static bool areApart(mlir::Operation *def, mlir::Operation *user);

  /// In an order that keeps every dependence and the order of communication.
  llvm::ArrayRef<Group> getGroups() const { return groups_; }

private:
  struct Dependence {
    unsigned on;
    bool separate; ///< not in one kernel
    bool inOrder; ///< communication after communication
  };

  const llvm::StringRef kind_;
  /// steps may be gone through again where a worker was lost (executor/RejoinableTasks.h)
  bool goesAgain_ = false;

  Kind classify(mlir::Operation *op);
  void absorbIntoLibrary(graph::LibraryKernelOpInterface call);
  void findSections();
  void findDependences();
  void addStateDependences();
  unsigned getDepth(unsigned op);
  void sinkCheapOps();
  void makeGroups();
  void sortGroups();
  void joinSmallUpdates();
  unsigned find(unsigned op);
  void depend(unsigned op, mlir::Operation *on, bool separate = false);

  llvm::SmallVector<mlir::Operation *> ops_; ///< representatives only have dependences
  llvm::DenseMap<mlir::Operation *, unsigned> indexOf_; ///< of its representative
  llvm::SmallVector<Kind> kinds_;
  /// of the text, which `graph.kept` ends: no kernel has operations of two
  llvm::SmallVector<unsigned> sections_;
  llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> absorbed_;
  llvm::SmallVector<llvm::SmallVector<Dependence>> dependences_;
  llvm::SmallVector<int> depths_;
  llvm::SmallVector<unsigned> parents_, groupOf_;
  /// reads whose variable is written while the value is still wanted
  llvm::DenseSet<mlir::Operation *> copied_;
  llvm::SmallVector<Group> groups_;
};

} // namespace graphc
#endif
