//===- SyntaxHints.h - notes on common mistakes in hand-written MLIR ----------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_COMPILER_SYNTAXHINTS_H
#define GRAPHC_PASSES_COMPILER_SYNTAXHINTS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace graphc {

struct SyntaxHint {
  std::string text; ///< "a role is written #graph.role<train>"; empty: there is none
  size_t offset = 0; ///< of what it is about
};

/// The right syntax for what the error `message` at `offset` of the file's `text` is about. MLIR's
/// messages name tokens, and their place may lie after the mistake.
SyntaxHint findSyntaxHint(llvm::StringRef message, llvm::StringRef text, size_t offset);

} // namespace graphc

#endif
