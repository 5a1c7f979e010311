//===- MatchStateResults.h --------------------------------------------------------------------===//
//
// Which results of an imported function are next values of variables.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_IMPORT_MATCHSTATERESULTS_H
#define GRAPHC_PASSES_IMPORT_MATCHSTATERESULTS_H

#include "passes/import/ArgumentNames.h"

#include "llvm/ADT/ArrayRef.h"

namespace graphc {

/// A leaf that a function takes or gives back, as JAX calls it.
struct StateLeaf {
  std::optional<TreePath> path; ///< of a result with the root "result"
  mlir::Type type;
  std::string name; ///< for messages
};

/// Of each result the number of the state whose next value it is, or -1. A result is one where its
/// path ends with that of the state, with or without the state's root, and its type is the state's;
/// the longer match comes first, then what has numbers alone before it: result[1]['mean']. Where
/// two match alike, `ambiguity` says so.
std::vector<int> matchStates(llvm::ArrayRef<StateLeaf> states, llvm::ArrayRef<StateLeaf> results,
                             std::string &ambiguity);

} // namespace graphc

#endif
