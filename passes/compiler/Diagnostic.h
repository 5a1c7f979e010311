//===- Diagnostic.h - what the compiler says to the user ----------------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_COMPILER_DIAGNOSTIC_H
#define GRAPHC_PASSES_COMPILER_DIAGNOSTIC_H

#include <functional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace graphc {

enum class Severity { Error, Warning, Remark, Note };

/// One message, about a line of the model or of cluster.json.
struct Diagnostic {
  Severity severity = Severity::Error;
  std::string file; ///< as its source was named; empty: about no file
  unsigned line = 0, column = 0; ///< from 1; 0: not known
  std::string message;
  /// the user's line; empty where it is not at hand, or was shown by the message before
  std::string sourceLine;
  std::vector<Diagnostic> notes;
};

/// Hears of each message as it is said, on the thread that compiles.
using DiagnosticSink = std::function<void(const Diagnostic &)>;

/// "model.mlir:20:8: error: …", below it the user's line with a caret, below that the notes; in
/// colours on a terminal.
void print(const Diagnostic &diagnostic, llvm::raw_ostream &os);
/// The same as text.
std::string toText(const Diagnostic &diagnostic);

} // namespace graphc

#endif
