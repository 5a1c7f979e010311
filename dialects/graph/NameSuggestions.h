//===- NameSuggestions.h - what an unknown name was probably meant to be ------------*- C++ -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_NAMESUGGESTIONS_H
#define GRAPHC_DIALECTS_GRAPH_NAMESUGGESTIONS_H

#include "mlir/IR/MLIRContext.h"

#include <string>

namespace graphc::graph {

/// "; did you mean 'X'?; known are A, B", with the nearest of the known names where one is near.
std::string suggestName(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> known);

/// "; did you mean 'graph.X'?" for the name of an unknown op, with or without a dialect: what is
/// spelt alike, or what other frameworks call so. Where there is nothing of the kind, says that or
/// where the ops are listed.
std::string suggestOp(llvm::StringRef op, mlir::MLIRContext *context);

/// The same for the mnemonic of an unknown attribute: `adam`.
std::string suggestAttribute(llvm::StringRef mnemonic);
/// Whether the dialect has an attribute #graph.WORD.
bool isAttributeMnemonic(llvm::StringRef word);

} // namespace graphc::graph

#endif
