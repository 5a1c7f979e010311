//===- Compilation.cpp - one compilation, step by step, and the straight line through it ---------------------------===//
#include "passes/compiler/Compilation.h"

#include "dialects/graph/GraphDialect.h"
#include "passes/Passes.h"
#include "passes/compiler/Budget.h"
#include "passes/compiler/Cluster.h"
#include "passes/compiler/FitBudget.h"
#include "passes/compiler/Idle.h"
#include "passes/compiler/Model.h"
#include "passes/emit/Emit.h"
#include "passes/emit/NativeCode.h"
#include "passes/emit/PtxCode.h"
#include "runtime/common/base/Version.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace graphc {

static std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registerDialects(registry);
  auto context = std::make_unique<MLIRContext>(registry);
  context->printOpOnDiagnostic(false); // the user's own line stands below each error
  return context;
}

CompilerInstance::CompilerInstance(CompileOptions options, DiagnosticSink sink)
    : options(std::move(options)), sink(std::move(sink)), own(makeContext()), inUse(own.get()),
      recorder(inUse, sources, this->sink), name("model"), used(cluster::ClusterConfig::oneTask()) {}

CompilerInstance::CompilerInstance(ModuleOp module, std::string name, CompileOptions options, DiagnosticSink sink)
    : options(std::move(options)), sink(std::move(sink)), inUse(module.getContext()),
      recorder(inUse, sources, this->sink), name(std::move(name)), current(module.clone()),
      used(cluster::ClusterConfig::oneTask()) {
  DialectRegistry registry;
  registerDialects(registry);
  inUse->appendDialectRegistry(registry);
}

CompilerInstance::~CompilerInstance() = default;

LogicalResult CompilerInstance::fail(std::string message) {
  Diagnostic diagnostic;
  diagnostic.file = name;
  diagnostic.message = std::move(message);
  sink(diagnostic);
  return failure();
}

LogicalResult CompilerInstance::read(std::unique_ptr<llvm::MemoryBuffer> model) {
  name = model->getBufferIdentifier().str();
  current = readModel(std::move(model), options, sources, *inUse, sink);
  return current ? begin() : failure();
}

LogicalResult CompilerInstance::begin() {
  FailureOr<PipelineStage> stage = getStage(*current);
  if (failed(stage))
    return failure();
  reached = *stage;
  return checkHasWork(*current, reached);
}

bool CompilerInstance::isPlaced() { return reached >= PipelineStage::Placed && (*current)->hasAttr(graph::GraphDialect::kCluster); }

LogicalResult CompilerInstance::useCluster(const MaybeCluster &cluster) {
  if (cluster && isPlaced())
    return fail("is of stage \"" + getStageName(reached).str() +
                "\" and placed already; a cluster is for modules of stage graph or differentiated");
  if (options.noCublaslt)
    (*current)->setAttr(graph::GraphDialect::kNoCublaslt, UnitAttr::get((*current)->getContext()));
  auto brings = [&](StringRef attribute) { return (*current)->hasAttr(attribute); };
  const bool hasCluster = brings(graph::GraphDialect::kCluster);
  given = cluster.has_value();
  if (given)
    used = *cluster;
  else if (hasCluster && (reached < PipelineStage::Partitioned || brings(graph::GraphDialect::kStrategy) ||
                          brings(graph::GraphDialect::kDistribution)))
    return success();
  else if (reached >= PipelineStage::Partitioned)
    return attachFromPrograms(*current);
  return attachCluster(*current, used, options.softPlacement, sink);
}

LogicalResult CompilerInstance::run(ModuleOp module, PipelineStage from, PipelineStage to) {
  PassManager manager(module->getName(), PassManager::Nesting::Implicit);
  if (setUp && failed(setUp(manager)))
    return failure();
  buildPipeline(manager, from, to);
  return manager.run(module);
}

LogicalResult CompilerInstance::lower(PipelineStage stage) {
  if (stage >= PipelineStage::Outlined && reached < PipelineStage::Outlined && !used.budget.memory.empty() &&
      failed(lowerWithinBudget(stage)))
    return failure();
  if (failed(run(*current, reached, stage)))
    return failure();
  reached = std::max(reached, stage);
  return success();
}

/// As far as the partitioned stage, and where `stage` is behind it to the scheduled one.
LogicalResult CompilerInstance::lowerWithinBudget(PipelineStage stage) {
  if (failed(run(*current, reached, PipelineStage::Partitioned)))
    return failure();
  reached = PipelineStage::Partitioned;
  FitBudget fit(used.budget);
  OwningOpRef<ModuleOp> trial;
  const auto tryIt = [&]() -> FailureOr<bool> {
    trial = current->clone();
    fit.apply(*trial);
    if (failed(run(*trial, PipelineStage::Partitioned, PipelineStage::Scheduled)))
      return failure();
    FailureOr<plan::Plan> plan = emit(*trial, /*withCode=*/false);
    if (failed(plan))
      return failure();
    return fit.wantsMore(*plan);
  };
  FailureOr<bool> more = true;
  while (succeeded(more) && *more)
    more = tryIt();
  if (failed(more))
    return failure();
  if (stage >= PipelineStage::Scheduled && fit.isLastBest()) {
    current = std::move(trial);
    reached = PipelineStage::Scheduled;
    return success();
  }
  fit.useBest();
  fit.apply(*current);
  return success();
}

FailureOr<plan::Plan> CompilerInstance::emit() { return emit(*current, nativeCode); }

FailureOr<plan::Plan> CompilerInstance::emit(ModuleOp module, bool withCode) {
  EmitOptions emit;
  emit.producer = absl::StrCat("graphc ", base::version());
  emit.model = llvm::sys::path::filename(name).str();
  emit.targetCpu = options.targetCpu;
  emit.cudaArchs = options.cudaArchs;
  emit.keepCode = options.keepCode;
  emit.nativeCode = withCode;
  FailureOr<plan::Plan> plan = emitPlan(module, emit);
  if (succeeded(plan) && options.intraOpThreads > 1)
    plan->set_intra_op_threads(options.intraOpThreads);
  return plan;
}

/// What can only be said of the plan: whether it keeps the budget, and which devices of the cluster it leaves idle.
LogicalResult CompilerInstance::check(const plan::Plan &plan) {
  if (!keepsBudget(plan, used, sink))
    return failure();
  if (given)
    remarkOnIdleDevices(plan, used, sink);
  return success();
}

//===----------------------------------------------------------------------------------------------------------===//
// The straight line
//===----------------------------------------------------------------------------------------------------------===//

/// `begin`: reads the model, or looks at the module.
static void compile(CompilerInstance &compilation, llvm::function_ref<LogicalResult()> begin, const MaybeCluster &cluster,
                    CompileResult &result) {
  if (failed(begin()) || failed(compilation.useCluster(cluster)) || failed(compilation.lower(PipelineStage::Llvm)))
    return;
  FailureOr<plan::Plan> plan = compilation.emit();
  if (succeeded(plan) && succeeded(compilation.check(*plan)))
    result.plan = std::move(*plan);
}

static bool checkOptions(const CompileOptions &options, CompileResult &result) {
  auto refuse = [&](std::string message) {
    result.diagnostics.emplace_back().message = std::move(message);
    return false;
  };
  if (options.intraOpThreads < 1 || options.intraOpThreads > 1024)
    return refuse("intra_op_threads is " + std::to_string(options.intraOpThreads) + "; expected 1 to 1024");
  if (llvm::Expected<NativeTarget> target = NativeTarget::create(options.targetCpu); !target)
    return refuse(llvm::toString(target.takeError()));
  if (llvm::Error error = checkCudaArchs(options.cudaArchs))
    return refuse(llvm::toString(std::move(error)));
  return true;
}

static CompileResult compile(std::unique_ptr<llvm::MemoryBuffer> model, const MaybeCluster &cluster,
                             const CompileOptions &options) {
  CompileResult result;
  if (!checkOptions(options, result))
    return result;
  CompilerInstance compilation(options, [&](const Diagnostic &diagnostic) { result.diagnostics.push_back(diagnostic); });
  compile(compilation, [&] { return compilation.read(std::move(model)); }, cluster, result);
  return result;
}

CompileResult compile(std::string_view model, std::string_view name, const MaybeCluster &cluster,
                      const CompileOptions &options) {
  // Bytecode has to lie at a multiple of its largest alignment; the parser of text wants a zero behind it.
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(model.size(), StringRef(name), llvm::Align(64));
  llvm::copy(model, buffer->getBufferStart());
  return compile(std::move(buffer), cluster, options);
}

CompileResult compileFile(const std::string &path, const MaybeCluster &cluster, const CompileOptions &options) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = llvm::MemoryBuffer::getFile(path);
  if (file)
    return compile(std::move(*file), cluster, options);
  CompileResult result;
  Diagnostic &diagnostic = result.diagnostics.emplace_back();
  diagnostic.file = path;
  diagnostic.message = "cannot read the model: " + file.getError().message();
  return result;
}

CompileResult compile(ModuleOp module, std::string_view name, const MaybeCluster &cluster,
                      const CompileOptions &options) {
  CompileResult result;
  if (!checkOptions(options, result))
    return result;
  if (!options.imports.empty()) {
    result.diagnostics.emplace_back().message = "imports are read beside a model's text; expected none beside a module";
    return result;
  }
  CompilerInstance compilation(module, std::string(name), options,
                          [&](const Diagnostic &diagnostic) { result.diagnostics.push_back(diagnostic); });
  compile(compilation, [&] { return compilation.begin(); }, cluster, result);
  return result;
}

} // namespace graphc
