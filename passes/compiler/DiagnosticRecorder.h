//===- DiagnosticRecorder.h - MLIR's diagnostics as records -------------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_COMPILER_DIAGNOSTICRECORDER_H
#define GRAPHC_PASSES_COMPILER_DIAGNOSTICRECORDER_H

#include "passes/compiler/Diagnostic.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

namespace graphc {

/// While it lives, what is emitted in the context goes to the sink, as
/// mlir::SourceMgrDiagnosticHandler would print it: at the first line of a file that the location
/// has, with callers as notes, and a note's line where it is another than the one before.
class DiagnosticRecorder : public mlir::ScopedDiagnosticHandler {
public:
  /// `sources` has the model. Other files that locations name (cluster.json) are opened as they are
  /// needed, files of reasonable size alone, for the line that is shown.
  DiagnosticRecorder(mlir::MLIRContext *context, llvm::SourceMgr &sources, DiagnosticSink sink);

private:
  Diagnostic record(const mlir::Diagnostic &diagnostic);
  Diagnostic record(mlir::Location location, Severity severity, std::string message, bool withLine);
  void addHint(Diagnostic &error, mlir::Location location);
  llvm::SMLoc findLine(mlir::FileLineColLoc place);
  unsigned findBuffer(llvm::StringRef file);

  llvm::SourceMgr &sources_;
  DiagnosticSink sink_;
};

} // namespace graphc

#endif
