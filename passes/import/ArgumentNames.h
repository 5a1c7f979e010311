//===- ArgumentNames.h - what arguments of an imported function are called ----------*- C++ -*-===//
#ifndef GRAPHC_PASSES_IMPORT_ARGUMENTNAMES_H
#define GRAPHC_PASSES_IMPORT_ARGUMENTNAMES_H

#include "mlir/IR/Value.h"

#include <optional>
#include <string>
#include <vector>

namespace graphc {

/// A leaf of a tree that a function takes: "params['Dense_0']['kernel']" of JAX.
struct TreePath {
  std::string root; ///< "params"
  std::vector<std::string> keys; ///< "Dense_0", "kernel"; none where the tree is a leaf
  /// "params.Dense_0.kernel"
  std::string text() const;
};

/// Nothing where the name is of another form. Keys are ['…'], ["…"], [0] and .name.
std::optional<TreePath> parseTreePath(llvm::StringRef name);

/// As its location has it.
std::optional<std::string> findArgumentName(mlir::BlockArgument argument);
/// The same, or "argument 3".
std::string getArgumentName(mlir::BlockArgument argument);

} // namespace graphc

#endif
