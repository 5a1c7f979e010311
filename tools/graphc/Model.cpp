//===- Model.cpp - reading the model ------------------------------------------------------------------------------===//
#include "tools/graphc/Model.h"

#include "dialects/dist/DistDialect.h"
#include "dialects/graph/GraphDialect.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace graphc {

/// MLIR's parser is recursive, so text that nests without end would end its stack. Where text nests deeper than any
/// model does: the place; else null. Brackets in strings and comments do not count, nor do < and >, which are
/// relations and arrows as well; attributes between them nest in brackets too.
static const char *findTooDeep(StringRef text) {
  constexpr int kDeepest = 500;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        i += text[i] == '\\';
    } else if (c == '/' && text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '(' || c == '[' || c == '{') {
      if (++depth > kDeepest)
        return text.data() + i;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    }
  }
  return nullptr;
}

OwningOpRef<ModuleOp> readModel(const std::string &path, llvm::SourceMgr &sources, MLIRContext &context) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!file) {
    llvm::errs() << "graphc: " << path << ": cannot read the model: " << file.getError().message() << '\n';
    return {};
  }
  bool isText = !isBytecode((*file)->getMemBufferRef());
  const char *tooDeep = isText ? findTooDeep((*file)->getBuffer()) : nullptr;
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  if (tooDeep) {
    auto [line, column] = sources.getLineAndColumn(llvm::SMLoc::getFromPointer(tooDeep));
    emitError(FileLineColLoc::get(&context, path, line, column))
        << "brackets are nested too deeply here, expected at most 500 open ones";
    return {};
  }
  return parseSourceFile<ModuleOp>(sources, &context);
}

LogicalResult checkHasWork(ModuleOp module, Stage stage) {
  bool partitioned = stage >= Stage::Partitioned;
  bool hasWork = partitioned ? !module.getOps<dist::ProgramOp>().empty() : !module.getOps<graph::FuncOp>().empty();
  if (hasWork)
    return success();
  // A module without a `module { }` of its own has no line.
  Location location = module.getLoc();
  if (auto file = dyn_cast<FileLineColLoc>(location); file && file.getLine() == 0)
    location = FileLineColLoc::get(file.getFilename(), 1, 1);
  return emitError(location) << "there is nothing to compile: a module of stage \"" << getStageName(stage)
                             << (partitioned ? "\" needs a dist.program" : "\" needs a graph.func");
}

} // namespace graphc
