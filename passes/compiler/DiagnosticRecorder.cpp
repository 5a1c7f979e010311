//===- DiagnosticRecorder.cpp - MLIR's diagnostics as records ---------------------------------===//
#include "passes/compiler/DiagnosticRecorder.h"

#include "passes/compiler/SyntaxHints.h"
#include "runtime/common/base/TextUtils.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace graphc {

static constexpr unsigned kMostCallers = 10;
static constexpr uint64_t kMostFileBytes = uint64_t(64) << 20;
/// Of a message: one may quote an attribute, and that may be as long as the model.
static constexpr size_t kLongestMessage = 4000, kEnd = 200;

/// Without its middle where it is longer than anyone reads.
static std::string shorten(std::string message) {
  if (message.size() <= kLongestMessage)
    return message;
  size_t head = kLongestMessage - kEnd, tail = message.size() - kEnd;
  while (base::continuesUtf8(message[head]))
    --head;
  while (tail < message.size() && base::continuesUtf8(message[tail]))
    ++tail;
  return message.substr(0, head) + " … " + message.substr(tail);
}

static Severity getSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return Severity::Note;
  case DiagnosticSeverity::Warning:
    return Severity::Warning;
  case DiagnosticSeverity::Error:
    return Severity::Error;
  case DiagnosticSeverity::Remark:
    return Severity::Remark;
  }
  return Severity::Error;
}

/// The call that a location is inside of, where it is inside of one.
static std::optional<CallSiteLoc> findCall(Location location) {
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return call;
  if (auto named = dyn_cast<NameLoc>(location))
    return findCall(named.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (std::optional<CallSiteLoc> call = findCall(part))
        return call;
  return std::nullopt;
}

DiagnosticRecorder::DiagnosticRecorder(MLIRContext *context, llvm::SourceMgr &sources,
                                       DiagnosticSink sink)
    : ScopedDiagnosticHandler(context), sources_(sources), sink_(std::move(sink)) {
  setHandler([this](mlir::Diagnostic &diagnostic) { this->sink_(record(diagnostic)); });
}

Diagnostic DiagnosticRecorder::record(const mlir::Diagnostic &diagnostic) {
  Location location = diagnostic.getLocation();
  Diagnostic result = record(location, getSeverity(diagnostic.getSeverity()),
                             shorten(diagnostic.str()), /*withLine=*/true);
  if (result.severity == Severity::Error)
    addHint(result, location);
  std::optional<CallSiteLoc> call = findCall(location);
  for (unsigned depth = 0; call && depth < kMostCallers; ++depth) {
    location = call->getCaller();
    result.notes.push_back(record(location, Severity::Note, "called from", /*withLine=*/true));
    call = findCall(location);
  }
  for (const mlir::Diagnostic &note : const_cast<mlir::Diagnostic &>(diagnostic).getNotes()) {
    result.notes.push_back(record(note.getLocation(), getSeverity(note.getSeverity()),
                                  shorten(note.str()), location != note.getLocation()));
    location = note.getLocation();
  }
  return result;
}

Diagnostic DiagnosticRecorder::record(Location location, Severity severity, std::string message,
                                      bool withLine) {
  Diagnostic result;
  result.severity = severity;
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place) {
    llvm::raw_string_ostream os(result.message);
    if (!isa<UnknownLoc>(location))
      os << location << ": ";
    os << message;
    return result;
  }
  result.file = place.getFilename().str();
  result.line = place.getLine();
  result.column = place.getColumn();
  result.message = std::move(message);
  if (llvm::SMLoc line = withLine ? findLine(place) : llvm::SMLoc(); line.isValid())
    result.sourceLine =
        sources_.GetMessage(line, llvm::SourceMgr::DK_Error, "").getLineContents().str();
  return result;
}

/// Adds a note with the right syntax, where the error is a usual mistake.
void DiagnosticRecorder::addHint(Diagnostic &error, Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  const llvm::SMLoc at = place ? findLine(place) : llvm::SMLoc();
  if (!at.isValid())
    return;
  const StringRef text =
      sources_.getMemoryBuffer(sources_.FindBufferContainingLoc(at))->getBuffer();
  const SyntaxHint hint =
      findSyntaxHint(error.message, text, size_t(at.getPointer() - text.data()));
  if (hint.text.empty())
    return;
  auto [line, column] =
      sources_.getLineAndColumn(llvm::SMLoc::getFromPointer(text.data() + hint.offset));
  const auto where = FileLineColLoc::get(place.getFilename(), line, column);
  error.notes.push_back(
      record(where, Severity::Note, hint.text, /*withLine=*/line != place.getLine()));
}

llvm::SMLoc DiagnosticRecorder::findLine(FileLineColLoc place) {
  unsigned buffer = place.getLine() && place.getColumn() ? findBuffer(place.getFilename()) : 0;
  return buffer ? sources_.FindLocForLineAndColumn(buffer, place.getLine(), place.getColumn())
                : llvm::SMLoc();
}

unsigned DiagnosticRecorder::findBuffer(StringRef file) {
  for (unsigned i = 1; i <= sources_.getNumBuffers(); ++i)
    if (sources_.getMemoryBuffer(i)->getBufferIdentifier() == file)
      return i;
  llvm::sys::fs::file_status status; // a pipe might never end
  if (llvm::sys::fs::status(file, status) ||
      status.type() != llvm::sys::fs::file_type::regular_file || status.getSize() > kMostFileBytes)
    return 0;
  auto opened = llvm::MemoryBuffer::getFile(file);
  return opened ? sources_.AddNewSourceBuffer(std::move(*opened), llvm::SMLoc()) : 0;
}

} // namespace graphc
