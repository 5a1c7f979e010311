//===- Model.cpp - reading the model ------------------------------------------------------------------------------===//
#include "passes/compiler/Model.h"

#include "dialects/dist/DistDialect.h"
#include "dialects/graph/CarriedAttributes.h"
#include "dialects/graph/CheckedOps.h"
#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/Suggestions.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

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

/// What is neither text nor bytecode, in a word; "" where it may be either.
static StringRef findForeign(StringRef text) {
  if (text.starts_with("GRAPHCPL"))
    return "this is a plan, not a model; graphrun runs it, graphc --verify-plan and --diff read it";
  if (text.take_front(4096).contains('\0'))
    return "this is no model: neither text nor MLIR's bytecode";
  return "";
}

/// MLIR lets a module carry attributes of dialects that do not exist; a misspelt one would have no effect.
static LogicalResult checkModuleAttributes(ModuleOp module) {
  for (NamedAttribute attribute : module->getDiscardableAttrs()) {
    StringRef name = attribute.getName(), dialect = name.split('.').first;
    if (!llvm::is_contained(module->getContext()->getAvailableDialects(), dialect))
      return module.emitOpError() << "has no attribute '" << name << "'"
                                  << graph::suggestName(name, graph::getCarriedNames(module->getName()));
  }
  return success();
}

/// Text, verified behind the parser and not by it: an op in generic form, or one whose name is declared behind it (`loc(#name)`), has its
/// place only from what the parser remembers of the text, and the verifier's messages need it.
static OwningOpRef<ModuleOp> parseText(llvm::SourceMgr &sources, MLIRContext &context) {
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  const llvm::MemoryBuffer *text = sources.getMemoryBuffer(sources.getMainFileID());
  Block block;
  AsmParserState places;
  if (failed(parseAsmSourceFile(sources, &block, config, &places)))
    return {};
  for (const AsmParserState::OperationDefinition &definition : places.getOpDefs()) {
    Location location = definition.op->getLoc();
    if (!isa<NameLoc>(location) || location->findInstanceOf<FileLineColLoc>())
      continue;
    auto [line, column] = sources.getLineAndColumn(definition.loc.Start);
    definition.op->setLoc(
        graph::keepPlace(location, FileLineColLoc::get(&context, text->getBufferIdentifier(), line, column)));
  }
  OwningOpRef<ModuleOp> module = mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(
      &block, &context, FileLineColLoc::get(&context, text->getBufferIdentifier(), 0, 0));
  if (!module || failed(verify(*module)))
    return {};
  return module;
}

OwningOpRef<ModuleOp> readModel(std::unique_ptr<llvm::MemoryBuffer> model, llvm::SourceMgr &sources,
                                MLIRContext &context, const DiagnosticSink &sink) {
  const std::string name = model->getBufferIdentifier().str();
  bool isText = !isBytecode(model->getMemBufferRef());
  if (StringRef what = isText ? findForeign(model->getBuffer()) : ""; !what.empty()) {
    graphc::Diagnostic foreign; // not through MLIR, which would show the line
    foreign.file = name;
    foreign.line = foreign.column = 1;
    foreign.message = what.str();
    sink(foreign);
    return {};
  }
  const char *tooDeep = isText ? findTooDeep(model->getBuffer()) : nullptr;
  sources.AddNewSourceBuffer(std::move(model), llvm::SMLoc());
  if (tooDeep) {
    auto [line, column] = sources.getLineAndColumn(llvm::SMLoc::getFromPointer(tooDeep));
    emitError(FileLineColLoc::get(&context, name, line, column))
        << "brackets are nested too deeply here, expected at most 500 open ones";
    return {};
  }
  context.loadDialect<graph::GraphDialect,
                      dist::DistDialect>(); // so that suggestions know their ops from the first line on
  OwningOpRef<ModuleOp> module;
  {
    graph::ParseMessages messages(&context);
    module = isText ? parseText(sources, context) : parseSourceFile<ModuleOp>(sources, &context);
  }
  if (!module)
    return {};
  // A module without a `module { }` of its own has no line.
  if (auto place = dyn_cast<FileLineColLoc>(module->getLoc()); place && place.getLine() == 0)
    (*module)->setLoc(FileLineColLoc::get(place.getFilename(), 1, 1));
  if (failed(checkModuleAttributes(*module)))
    return {};
  return module;
}

/// Before `partition` what runs are functions, behind it programs.
LogicalResult checkHasWork(ModuleOp module, Stage stage) {
  bool partitioned = stage >= Stage::Partitioned;
  bool hasWork = partitioned ? !module.getOps<dist::ProgramOp>().empty()
                             : llvm::any_of(module.getOps<graph::FuncOp>(), [](auto f) { return !f.isPrivate(); });
  if (hasWork)
    return success();
  return module.emitError() << "there is nothing to compile: a module of stage \"" << getStageName(stage)
                            << (partitioned ? "\" needs a dist.program" : "\" needs a graph.func with a role");
}

} // namespace graphc
