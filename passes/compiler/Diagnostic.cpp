//===- Diagnostic.cpp - a message as text -----------------------------------------------------------------------===//
#include "passes/compiler/Diagnostic.h"

#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace graphc {

static llvm::SourceMgr::DiagKind getKind(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return llvm::SourceMgr::DK_Error;
  case Severity::Warning:
    return llvm::SourceMgr::DK_Warning;
  case Severity::Remark:
    return llvm::SourceMgr::DK_Remark;
  case Severity::Note:
    return llvm::SourceMgr::DK_Note;
  }
  return llvm::SourceMgr::DK_Error;
}

void print(const Diagnostic &diagnostic, llvm::raw_ostream &os) {
  llvm::SourceMgr::DiagKind kind = getKind(diagnostic.severity);
  if (!diagnostic.sourceLine.empty()) {
    static const llvm::SourceMgr kNone; // only ever asked for what it has not
    llvm::SMDiagnostic(kNone, llvm::SMLoc(), diagnostic.file, int(diagnostic.line), int(diagnostic.column) - 1, kind,
                       diagnostic.message, diagnostic.sourceLine, {})
        .print(nullptr, os);
  } else {
    std::string place = diagnostic.file;
    if (diagnostic.line)
      place += ":" + std::to_string(diagnostic.line) + ":" + std::to_string(diagnostic.column);
    llvm::SMDiagnostic(place, kind, diagnostic.message).print(nullptr, os);
  }
  for (const Diagnostic &note : diagnostic.notes)
    print(note, os);
}

std::string toText(const Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(diagnostic, os);
  return text;
}

} // namespace graphc
