//===- Diagnostic.cpp - a message as text -----------------------------------------------------===//
#include "passes/compiler/Diagnostic.h"

#include "runtime/common/base/TextUtils.h"

#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

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

/// Of a line that is too long to be read as a whole: what is around the column, with a caret below
/// it.
static void printAround(llvm::StringRef line, size_t column, llvm::raw_ostream &os) {
  constexpr size_t before = 60, shown = 160;
  auto isInside = [&](size_t at) { return at < line.size() && base::continuesUtf8(line[at]); };
  size_t begin =
      std::min(column, line.size()) > before ? std::min(column, line.size()) - before : 0;
  while (isInside(begin))
    ++begin;
  size_t end = std::min(line.size(), begin + shown);
  while (isInside(end))
    ++end;
  os << (begin ? "… " : "") << line.slice(begin, end) << (end < line.size() ? " …" : "") << '\n';
  size_t blanks = begin ? 2 : 0;
  for (size_t at = begin; at < column; ++at)
    blanks += !isInside(at);
  os.indent(unsigned(blanks)) << "^\n";
}

void print(const Diagnostic &diagnostic, llvm::raw_ostream &os) {
  constexpr size_t longest = 1000; // of a line that is shown as it is
  llvm::SourceMgr::DiagKind kind = getKind(diagnostic.severity);
  if (!diagnostic.sourceLine.empty() && diagnostic.sourceLine.size() <= longest) {
    static const llvm::SourceMgr kNone; // only ever asked for what it has not
    llvm::SMDiagnostic(kNone, llvm::SMLoc(), diagnostic.file, int(diagnostic.line),
                       int(diagnostic.column) - 1, kind, diagnostic.message, diagnostic.sourceLine,
                       {})
        .print(nullptr, os);
  } else {
    std::string place = diagnostic.file;
    if (diagnostic.line)
      place += ":" + std::to_string(diagnostic.line) + ":" + std::to_string(diagnostic.column);
    llvm::SMDiagnostic(place, kind, diagnostic.message).print(nullptr, os);
    if (!diagnostic.sourceLine.empty())
      printAround(diagnostic.sourceLine, diagnostic.column ? diagnostic.column - 1 : 0, os);
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
