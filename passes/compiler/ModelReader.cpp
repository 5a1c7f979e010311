//===- ModelReader.cpp - reading the model ----------------------------------------------------===//
#include "passes/compiler/ModelReader.h"

#include "passes/compiler/ParserInputCheck.h"
#include "passes/import/ArgumentNames.h"
#include "passes/import/ImportStablehlo.h"

#include "dialects/dist/DistDialect.h"
#include "dialects/graph/DiscardableAttributes.h"
#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/KnownAttributeCheck.h"
#include "dialects/graph/NameSuggestions.h"
#include "dialects/graph/ops/PassOpBuilders.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace graphc {

/// What is neither text nor bytecode, in a word; "" where it may be either.
static StringRef findForeign(StringRef text) {
  if (text.starts_with("GRAPHCPL"))
    return "this is a plan, not a model; graphrun runs it, graphrun show says what is in it, graphc --verify_plan and "
           "--diff read it";
  if (StringRef begin = text.ltrim(); begin.starts_with("{") && !begin.starts_with("{-#"))
    return "this is JSON, not a model; a cluster.json goes to --partition";
  if (text.take_front(4096).contains('\0'))
    return "this is no model: neither text nor MLIR's bytecode";
  return "";
}

/// MLIR lets a module carry attributes of dialects that do not exist; a misspelt one would have no
/// effect.
static LogicalResult checkModuleAttributes(ModuleOp module) {
  for (NamedAttribute attribute : module->getDiscardableAttrs()) {
    StringRef name = attribute.getName(), dialect = name.split('.').first;
    if (!llvm::is_contained(module->getContext()->getAvailableDialects(), dialect))
      return module.emitOpError() << "has no attribute '" << name << "'"
                                  << graph::suggestName(name,
                                                        graph::getCarriedNames(module->getName()));
  }
  return success();
}

/// Text, verified behind the parser and not by it: an op in generic form, or one whose name is
/// declared behind it (`loc(#name)`), has its place only from what the parser remembers of the
/// text, and the verifier's messages need it.
static OwningOpRef<ModuleOp> parseText(const llvm::MemoryBuffer &text, MLIRContext &context) {
  llvm::SourceMgr sources; // the parser reads its first buffer
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text.getMemBufferRef()),
                             llvm::SMLoc());
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  Block block;
  AsmParserState places;
  if (failed(parseAsmSourceFile(sources, &block, config, &places)))
    return {};
  for (const AsmParserState::OperationDefinition &definition : places.getOpDefs()) {
    Location location = definition.op->getLoc();
    if (!isa<NameLoc, UnknownLoc>(location) || location->findInstanceOf<FileLineColLoc>())
      continue;
    auto [line, column] = sources.getLineAndColumn(definition.loc.Start);
    auto place = FileLineColLoc::get(&context, text.getBufferIdentifier(), line, column);
    definition.op->setLoc(isa<UnknownLoc>(location) ? Location(place)
                                                    : graph::keepPlace(location, place));
  }
  return mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(
      &block, &context, FileLineColLoc::get(&context, text.getBufferIdentifier(), 0, 0));
}

/// How deep attributes, types and places lie inside of each other; each is looked at once.
class DepthOf {
public:
  bool isTooDeep(Attribute root) { return measure(root.getAsOpaquePointer(), root, {}) > kDeepest; }
  bool isTooDeep(Type root) { return measure(root.getAsOpaquePointer(), {}, root) > kDeepest; }
  static constexpr unsigned kDeepest = 500;

private:
  struct Entry {
    const void *key;
    Attribute attribute;
    Type type;
    bool isOpen = false;
  };

  static void forParts(const Entry &entry, function_ref<void(Attribute)> attribute,
                       function_ref<void(Type)> type) {
    if (entry.attribute)
      entry.attribute.walkImmediateSubElements(attribute, type);
    else if (entry.type)
      entry.type.walkImmediateSubElements(attribute, type);
  }

  /// Without recursion, which is what it looks for.
  unsigned measure(const void *key, Attribute attribute, Type type) {
    SmallVector<Entry> stack{{key, attribute, type}};
    while (!stack.empty()) {
      if (depths_.contains(stack.back().key)) {
        stack.pop_back();
        continue;
      }
      Entry entry = stack.back();
      if (!entry.isOpen) {
        stack.back().isOpen = true;
        forParts(
            entry, [&](Attribute part) { push(stack, part.getAsOpaquePointer(), part, {}); },
            [&](Type part) { push(stack, part.getAsOpaquePointer(), {}, part); });
        continue;
      }
      unsigned deepest = 0;
      auto take = [&](const void *part) { deepest = std::max(deepest, depths_.lookup(part)); };
      forParts(
          entry, [&](Attribute part) { take(part.getAsOpaquePointer()); },
          [&](Type part) { take(part.getAsOpaquePointer()); });
      depths_[entry.key] = deepest + 1;
      stack.pop_back();
    }
    return depths_.lookup(key);
  }

  void push(SmallVectorImpl<Entry> &stack, const void *key, Attribute attribute, Type type) {
    if (key && !depths_.contains(key))
      stack.push_back({key, attribute, type});
  }

  llvm::DenseMap<const void *, unsigned> depths_;
};

/// What bytecode nests, which has no brackets to count: what comes behind walks it by recursion.
static LogicalResult checkDepth(ModuleOp module) {
  DepthOf depths;
  auto isTooDeep = [&](auto parts) {
    return llvm::any_of(parts, [&](auto part) { return depths.isTooDeep(part); });
  };
  SmallVector<std::pair<Operation *, unsigned>> todo{{module, 0}};
  while (!todo.empty()) {
    auto [op, depth] = todo.pop_back_val();
    const bool hasPlace = !depths.isTooDeep(Attribute(op->getLoc()));
    bool found = depth > DepthOf::kDeepest || !hasPlace ||
                 depths.isTooDeep(op->getAttrDictionary()) || isTooDeep(op->getResultTypes());
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        found |= isTooDeep(block.getArgumentTypes());
        for (Operation &inner : block)
          todo.emplace_back(&inner, depth + 1);
      }
    if (found)
      return emitError(hasPlace ? op->getLoc() : UnknownLoc::get(op->getContext()))
             << "regions, attributes or types are nested too deeply here, expected at most "
             << DepthOf::kDeepest;
  }
  return success();
}

static OwningOpRef<ModuleOp> parseBytecode(const llvm::MemoryBuffer &bytes, MLIRContext &context) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(bytes.getMemBufferRef(), false),
                             llvm::SMLoc());
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(&context, /*verifyAfterParse=*/false));
  return module && succeeded(checkDepth(*module)) ? std::move(module) : OwningOpRef<ModuleOp>();
}

/// Booleans in hexadecimal digits, a byte each, as JAX writes more than a hundred of them; MLIR 22
/// has eight in a byte.
static std::string packBooleans(StringRef text) {
  constexpr StringLiteral kBegin = "dense<\"0x";
  std::string packed;
  size_t done = 0;
  for (size_t at = text.find(kBegin); at != StringRef::npos; at = text.find(kBegin, at + 1)) {
    const size_t digits = at + kBegin.size(), end = text.find('"', digits);
    StringRef shape = end == StringRef::npos ? StringRef() : text.substr(end);
    if (!shape.consume_front("\"> : tensor<"))
      continue;
    uint64_t elements = 1, size = 0;
    while (!shape.consumeInteger(10, size) && shape.consume_front("x"))
      elements = llvm::SaturatingMultiply(elements, size);
    if (!shape.starts_with("i1>") || elements < 9 || (end - digits) / 2 != elements ||
        (end - digits) % 2 != 0)
      continue;
    if (!llvm::all_of(text.slice(digits, end), llvm::isHexDigit))
      continue;
    packed += text.slice(done, digits);
    for (uint64_t first = 0; first < elements; first += 8) {
      unsigned byte = 0;
      for (uint64_t i = first; i < std::min(first + 8, elements); ++i)
        byte |= unsigned(text[digits + 2 * i] != '0' || text[digits + 2 * i + 1] != '0')
                << (i - first);
      packed += llvm::toHex(StringRef(reinterpret_cast<const char *>(&byte), 1));
    }
    done = end;
  }
  return done ? packed + text.substr(done).str() : "";
}

/// One file, not verified yet, which `sources` keeps.
static OwningOpRef<ModuleOp> parseFile(std::unique_ptr<llvm::MemoryBuffer> file,
                                       llvm::SourceMgr &sources, MLIRContext &context,
                                       const DiagnosticSink &sink) {
  const std::string name = file->getBufferIdentifier().str();
  // the byte order mark of some editors
  if (StringRef text = file->getBuffer(); text.starts_with("\xEF\xBB\xBF"))
    file = llvm::MemoryBuffer::getMemBufferCopy(text.drop_front(3), name);
  bool isText = !isBytecode(file->getMemBufferRef());
  if (StringRef what = isText ? findForeign(file->getBuffer()) : ""; !what.empty()) {
    graphc::Diagnostic foreign; // not through MLIR, which would show the line
    foreign.file = name;
    foreign.line = foreign.column = 1;
    foreign.message = what.str();
    sink(foreign);
    return {};
  }
  if (std::string packed = isText ? packBooleans(file->getBuffer()) : ""; !packed.empty())
    file = llvm::MemoryBuffer::getMemBufferCopy(packed, name);
  std::optional<TextExcess> excess = isText ? findTextExcess(file->getBuffer()) : std::nullopt;
  const llvm::MemoryBuffer &kept =
      *sources.getMemoryBuffer(sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc()));
  if (excess) {
    auto [line, column] = sources.getLineAndColumn(llvm::SMLoc::getFromPointer(excess->place));
    emitError(FileLineColLoc::get(&context, name, line, column)) << excess->message;
    return {};
  }
  graph::ParseMessages messages(&context);
  OwningOpRef<ModuleOp> module = isText ? parseText(kept, context) : parseBytecode(kept, context);
  if (module && ((*module)->getNumRegions() != 1 || !module->getBodyRegion().hasOneBlock())) {
    module->emitError() << "has no body";
    return {};
  }
  // A module without a `module { }` of its own has no line.
  if (auto place = module ? dyn_cast<FileLineColLoc>(module->getLoc()) : FileLineColLoc();
      place && place.getLine() == 0)
    (*module)->setLoc(FileLineColLoc::get(place.getFilename(), 1, 1));
  return module;
}

/// What a file has that the model imports becomes the model's, before what begins at `begin`; a
/// variable that both declare is the model's.
static LogicalResult merge(ModuleOp imported, ModuleOp model, Block::iterator begin) {
  auto isDeclared = [&](graph::VariableOp variable) -> FailureOr<bool> {
    auto there = model.lookupSymbol<graph::VariableOp>(variable.getSymName());
    if (!there || there.getType() == variable.getType())
      return bool(there);
    InFlightDiagnostic error = there.emitError()
                               << "@" << variable.getSymName() << " is of " << there.getType()
                               << "; expected " << variable.getType()
                               << ", as the file has it that the model imports";
    error.attachNote(variable.getLoc()) << "which is here";
    return error;
  };
  for (Operation &op : llvm::make_early_inc_range(*imported.getBody())) {
    if (auto variable = dyn_cast<graph::VariableOp>(op)) {
      FailureOr<bool> there = isDeclared(variable);
      if (failed(there))
        return failure();
      if (*there) {
        auto kept = model.lookupSymbol<graph::VariableOp>(variable.getSymName());
        // of state that a function gives back
        if (!kept.getAggregation() && variable.getAggregation())
          kept.setAggregation(variable.getAggregation());
        continue;
      }
    }
    op.moveBefore(model.getBody(), begin);
  }
  return success();
}

/// What a file of the graph dialect has that a model imports: what is the model's alone is refused.
static LogicalResult checkLibrary(ModuleOp library) {
  for (NamedAttribute attribute : library->getDiscardableAttrs())
    return library.emitError()
           << "has the attribute '" << attribute.getName().getValue()
           << "', which is for the model alone; expected functions, variables and data sets";
  for (auto function : library.getOps<graph::FuncOp>())
    if (!function.isPrivate())
      return function.emitError()
             << "@" << function.getSymName()
             << " is what a phase runs, in a file that a model imports; expected private "
                "functions, or this file before "
                "those whose functions it calls";
  WalkResult unknown = library.walk([](Operation *op) {
    if (op->isRegistered())
      return WalkResult::advance();
    op->emitError() << "custom op '" << op->getName() << "' is unknown"
                    << graph::suggestOp(op->getName().getStringRef(), op->getContext());
    return WalkResult::interrupt();
  });
  return failure(unknown.wasInterrupted());
}

/// Reads what the model imports.
class Importer {
public:
  Importer(ModuleOp model, const CompileOptions &options, llvm::SourceMgr &sources,
           const DiagnosticSink &sink)
      : model_(model), options_(options), sources_(sources), sink_(sink),
        begin_(model.getBody()->begin()) {}

  LogicalResult run() {
    for (const std::string &path : options_.imports)
      if (failed(import(path)))
        return failure();
    // Networks may share flags, and one need not have all trees behind the first, which is trained
    // (buffers, batch statistics). One is misspelt whose name is nearly another's, which is none of
    // them.
    llvm::StringSet<> roots, leaves;
    for (const std::string &name : arguments_)
      if (std::optional<TreePath> path = parseTreePath(name))
        (path->keys.empty() ? leaves : roots).insert(path->root);
    ArrayRef<std::string> trees = options_.importVariables;
    if (trees == ArrayRef(CompileOptions().importVariables))
      return success();
    auto isMisspelt = [&](StringRef tree) {
      return llvm::any_of(roots.keys(), [&](StringRef root) {
        return !llvm::is_contained(trees, root) &&
               root.edit_distance(tree) <= (tree.size() + 1) / 3;
      });
    };
    for (const std::string &tree : trees)
      if (!tree.empty() && !roots.contains(tree) && !leaves.contains(tree) &&
          (tree == trees.front() || isMisspelt(tree)))
        return say(
            "",
            "--import_variables=" + tree +
                ": no argument of a function that is imported belongs to a tree of that name; " +
                (arguments_.empty() ? "none has a name: JAX writes them with enable_debug_info=True"
                                    : "they are " + listFirst(arguments_)));
    return success();
  }

private:
  LogicalResult say(const std::string &file, std::string message) {
    graphc::Diagnostic said;
    said.file = file;
    said.message = std::move(message);
    sink_(said);
    return failure();
  }
  LogicalResult import(const std::string &path);
  static std::string listFirst(ArrayRef<std::string> names) {
    return llvm::join(names.take_front(16), ", ") + (names.size() > 16 ? ", …" : "");
  }

  ModuleOp model_;
  const CompileOptions &options_;
  llvm::SourceMgr &sources_;
  const DiagnosticSink &sink_;
  const Block::iterator begin_;
  std::vector<std::string> arguments_; ///< names of those of imported functions
};

LogicalResult Importer::import(const std::string &path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return say(path, "cannot read the file that is imported: " + file.getError().message());
  const StringRef kVhlo("\0vhlo\0", 6), kStablehlo("\0stablehlo\0", 11); // names of dialects
  if (StringRef bytes = (*file)->getBuffer(); isBytecode((*file)->getMemBufferRef()) &&
                                              (bytes.contains(kVhlo) || bytes.contains(kStablehlo)))
    return say(
        path,
        "this is StableHLO's bytecode; expected its text in MLIR's generic form (docs/import.md)");
  MLIRContext &context = *model_.getContext();
  // what nobody knows is listed with all else that cannot be imported
  context.allowUnregisteredDialects();
  OwningOpRef<ModuleOp> imported = parseFile(std::move(*file), sources_, context, sink_);
  const bool isStablehlo = imported && hasStablehlo(*imported);
  const bool isWell = imported && (!isStablehlo || succeeded(verify(*imported)));
  context.allowUnregisteredDialects(false);
  if (!isWell || (!isStablehlo && failed(checkLibrary(*imported))))
    return failure();
  if (isStablehlo) {
    llvm::append_range(arguments_, listArguments(*imported));
    if (failed(importStablehlo(*imported, options_.importVariables)))
      return failure();
  }
  return merge(*imported, model_, begin_);
}

/// The first variable that a function gives a new value, or one that it calls; null where there is
/// none.
static FlatSymbolRefAttr findAssigned(graph::FuncOp function, const SymbolTable &symbols,
                                      llvm::DenseSet<Operation *> &seen) {
  FlatSymbolRefAttr found;
  SmallVector<graph::FuncOp> todo{function};
  while (!found && !todo.empty()) {
    graph::FuncOp next = todo.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    next.walk([&](Operation *op) {
      if (auto variable = op->getAttrOfType<FlatSymbolRefAttr>("variable");
          variable && graph::isAssign(op) && !found)
        found = variable;
      if (auto call = dyn_cast<graph::CallOp>(op))
        if (auto callee = symbols.lookup<graph::FuncOp>(call.getCallee()))
          todo.push_back(callee);
    });
  }
  return found;
}

/// Running averages that validation data go into are a mistake that nothing else shows.
static void warnOfStateInEvaluation(ModuleOp module) {
  SymbolTable symbols(module);
  for (auto function : module.getOps<graph::FuncOp>()) {
    if (function.getRole() != graph::Role::Eval)
      continue;
    llvm::DenseSet<Operation *> seen;
    function.walk([&](graph::CallOp call) {
      auto callee = symbols.lookup<graph::FuncOp>(call.getCallee());
      if (FlatSymbolRefAttr variable =
              callee ? findAssigned(callee, symbols, seen) : FlatSymbolRefAttr())
        call.emitWarning()
            << "@" << call.getCallee() << " gives " << variable
            << " a new value, in an evaluation too; expected a function that gives no state back";
    });
  }
}

OwningOpRef<ModuleOp> readModel(std::unique_ptr<llvm::MemoryBuffer> file,
                                const CompileOptions &options, llvm::SourceMgr &sources,
                                MLIRContext &context, const DiagnosticSink &sink) {
  // so that suggestions know their ops from the first line on
  context.loadDialect<graph::GraphDialect, dist::DistDialect>();
  const std::string name = file->getBufferIdentifier().str();
  OwningOpRef<ModuleOp> module = parseFile(std::move(file), sources, context, sink);
  if (!module)
    return {};
  if (failed(Importer(*module, options, sources, sink).run()))
    return {};
  const bool isForeign = hasStablehlo(*module);
  if (failed(verify(*module)) ||
      (isForeign && failed(importStablehlo(*module, options.importVariables))))
    return {};
  if (isForeign) {
    emitError(module->getLoc())
        << "there is nothing to compile: these are functions that a model calls; expected that "
           "before this file: graphc model.mlir "
        << name;
    return {};
  }
  if (failed(checkModuleAttributes(*module)))
    return {};
  if (!options.imports.empty())
    warnOfStateInEvaluation(*module);
  return module;
}

/// Before `partition` what runs are functions, behind it programs.
LogicalResult checkHasWork(ModuleOp module, PipelineStage stage) {
  bool partitioned = stage >= PipelineStage::Partitioned;
  bool hasWork = partitioned ? !module.getOps<dist::ProgramOp>().empty()
                             : llvm::any_of(module.getOps<graph::FuncOp>(),
                                            [](auto f) { return !f.isPrivate(); });
  if (hasWork)
    return success();
  return module.emitError() << "there is nothing to compile: a module of stage \""
                            << getStageName(stage)
                            << (partitioned ? "\" needs a dist.program"
                                            : "\" needs a graph.func with a role");
}

} // namespace graphc
