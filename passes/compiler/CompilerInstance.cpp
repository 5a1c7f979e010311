//===- CompilerInstance.cpp - one compilation, step by step, and the straight line through it -===//
#include "passes/compiler/CompilerInstance.h"

#include "dialects/graph/GraphDialect.h"
#include "passes/Passes.h"
#include "passes/compiler/AttachCluster.h"
#include "passes/compiler/CheckBudget.h"
#include "passes/compiler/FitBudget.h"
#include "passes/compiler/IdleDevices.h"
#include "passes/compiler/ModelReader.h"
#include "passes/emit/NativeCode.h"
#include "passes/emit/PlanEmitter.h"
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
    : options_(std::move(options)), sink_(std::move(sink)), own_(makeContext()), inUse_(own_.get()),
      recorder_(inUse_, sources_, this->sink_), name_("model"),
      used_(cluster::ClusterConfig::oneTask()) {}

CompilerInstance::CompilerInstance(ModuleOp module, std::string name, CompileOptions options,
                                   DiagnosticSink sink)
    : options_(std::move(options)), sink_(std::move(sink)), inUse_(module.getContext()),
      recorder_(inUse_, sources_, this->sink_), name_(std::move(name)), current_(module.clone()),
      used_(cluster::ClusterConfig::oneTask()) {
  DialectRegistry registry;
  registerDialects(registry);
  inUse_->appendDialectRegistry(registry);
}

CompilerInstance::~CompilerInstance() = default;

LogicalResult CompilerInstance::fail(std::string message) {
  Diagnostic diagnostic;
  diagnostic.file = name_;
  diagnostic.message = std::move(message);
  sink_(diagnostic);
  return failure();
}

LogicalResult CompilerInstance::read(std::unique_ptr<llvm::MemoryBuffer> model) {
  name_ = model->getBufferIdentifier().str();
  current_ = readModel(std::move(model), options_, sources_, *inUse_, sink_);
  return current_ ? begin() : failure();
}

LogicalResult CompilerInstance::begin() {
  FailureOr<PipelineStage> stage = getStage(*current_);
  if (failed(stage))
    return failure();
  reached_ = *stage;
  return checkHasWork(*current_, reached_);
}

bool CompilerInstance::isPlaced() {
  return reached_ >= PipelineStage::Placed && (*current_)->hasAttr(graph::GraphDialect::kCluster);
}

LogicalResult CompilerInstance::useCluster(const MaybeCluster &cluster) {
  if (cluster && isPlaced())
    return fail("is of stage \"" + getStageName(reached_).str() +
                "\" and placed already; a cluster is for modules of stage graph or differentiated");
  if (options_.noCublaslt)
    (*current_)->setAttr(graph::GraphDialect::kNoCublaslt,
                         UnitAttr::get((*current_)->getContext()));
  auto brings = [&](StringRef attribute) { return (*current_)->hasAttr(attribute); };
  const bool hasCluster = brings(graph::GraphDialect::kCluster);
  given_ = cluster.has_value();
  if (given_)
    used_ = *cluster;
  else if (hasCluster &&
           (reached_ < PipelineStage::Partitioned || brings(graph::GraphDialect::kStrategy) ||
            brings(graph::GraphDialect::kDistribution)))
    return success();
  else if (reached_ >= PipelineStage::Partitioned)
    return attachFromPrograms(*current_);
  return attachCluster(*current_, used_, options_.softPlacement, sink_);
}

LogicalResult CompilerInstance::run(ModuleOp module, PipelineStage from, PipelineStage to) {
  PassManager manager(module->getName(), PassManager::Nesting::Implicit);
  if (setUp && failed(setUp(manager)))
    return failure();
  buildPipeline(manager, from, to);
  return manager.run(module);
}

LogicalResult CompilerInstance::lower(PipelineStage stage) {
  if (stage >= PipelineStage::Outlined && reached_ < PipelineStage::Outlined &&
      !used_.budget.memory.empty() && failed(lowerWithinBudget(stage)))
    return failure();
  if (failed(run(*current_, reached_, stage)))
    return failure();
  reached_ = std::max(reached_, stage);
  return success();
}

/// As far as the partitioned stage, and where `stage` is behind it to the scheduled one.
LogicalResult CompilerInstance::lowerWithinBudget(PipelineStage stage) {
  if (failed(run(*current_, reached_, PipelineStage::Partitioned)))
    return failure();
  reached_ = PipelineStage::Partitioned;
  FitBudget fit(used_.budget);
  OwningOpRef<ModuleOp> trial;
  const auto tryIt = [&]() -> FailureOr<bool> {
    trial = current_->clone();
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
    current_ = std::move(trial);
    reached_ = PipelineStage::Scheduled;
    return success();
  }
  fit.useBest();
  fit.apply(*current_);
  return success();
}

FailureOr<plan::Plan> CompilerInstance::emit() { return emit(*current_, nativeCode); }

FailureOr<plan::Plan> CompilerInstance::emit(ModuleOp module, bool withCode) {
  EmitOptions emit;
  emit.producer = absl::StrCat("graphc ", base::version());
  emit.model = llvm::sys::path::filename(name_).str();
  emit.targetCpu = options_.targetCpu;
  emit.cudaArchs = options_.cudaArchs;
  emit.keepCode = options_.keepCode;
  emit.nativeCode = withCode;
  FailureOr<plan::Plan> plan = emitPlan(module, emit);
  if (succeeded(plan) && options_.intraOpThreads > 1)
    plan->set_intra_op_threads(options_.intraOpThreads);
  return plan;
}

/// What can only be said of the plan: whether it keeps the budget, and which devices of the cluster
/// it leaves idle.
LogicalResult CompilerInstance::check(const plan::Plan &plan) {
  if (!keepsBudget(plan, used_, sink_))
    return failure();
  if (given_)
    remarkOnIdleDevices(plan, used_, sink_);
  return success();
}

//===------------------------------------------------------------------------------------------===//
// The straight line
//===------------------------------------------------------------------------------------------===//

/// `begin`: reads the model, or looks at the module.
static void compile(CompilerInstance &compilation, llvm::function_ref<LogicalResult()> begin,
                    const MaybeCluster &cluster, CompileResult &result) {
  if (failed(begin()) || failed(compilation.useCluster(cluster)) ||
      failed(compilation.lower(PipelineStage::Llvm)))
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
    return refuse("intra_op_threads is " + std::to_string(options.intraOpThreads) +
                  "; expected 1 to 1024");
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
  CompilerInstance compilation(
      options, [&](const Diagnostic &diagnostic) { result.diagnostics.push_back(diagnostic); });
  compile(compilation, [&] { return compilation.read(std::move(model)); }, cluster, result);
  return result;
}

CompileResult compile(std::string_view model, std::string_view name, const MaybeCluster &cluster,
                      const CompileOptions &options) {
  // Bytecode has to lie at a multiple of its largest alignment; the parser of text wants a zero
  // behind it.
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(model.size(), StringRef(name),
                                                                  llvm::Align(64));
  llvm::copy(model, buffer->getBufferStart());
  return compile(std::move(buffer), cluster, options);
}

CompileResult compileFile(const std::string &path, const MaybeCluster &cluster,
                          const CompileOptions &options) {
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
    result.diagnostics.emplace_back().message =
        "imports are read beside a model's text; expected none beside a module";
    return result;
  }
  CompilerInstance compilation(
      module, std::string(name), options,
      [&](const Diagnostic &diagnostic) { result.diagnostics.push_back(diagnostic); });
  compile(compilation, [&] { return compilation.begin(); }, cluster, result);
  return result;
}

} // namespace graphc
