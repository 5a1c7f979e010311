//===- ParserInputCheck.h - what is too large in a text before a parser has read it -*- C++ -*-===//
//
// MLIR's parser, and all that walks what it made, calls itself where text nests, and would end its
// stack. A text need not be large for that, nor for what has no end: an alias (`#a = […]`, `!t =
// …`) stands for its text wherever it is named, in other aliases too.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_COMPILER_PARSERINPUTCHECK_H
#define GRAPHC_PASSES_COMPILER_PARSERINPUTCHECK_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace graphc {

struct TextExcess {
  const char *place; ///< in the text
  std::string message;
};

/// The first place where a model's text nests deeper, or its aliases stand for more, than those of
/// any model; none where it does not.
std::optional<TextExcess> findTextExcess(mlir::StringRef text);

} // namespace graphc

#endif
