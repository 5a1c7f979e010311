//===- PassPipelines.cpp - the order of passes, decided here alone ----------------------------===//
#include "passes/PassPipelines.h"

#include "dialects/dist/DistDialect.h"
#include "dialects/graph/GraphDialect.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace graphc {

static constexpr llvm::StringLiteral kStageNames[] = {"graph",      "differentiated", "placed",
                                                      "replicated", "partitioned",    "outlined",
                                                      "scheduled",  "linalg",         "llvm"};

StringRef getStageName(PipelineStage stage) { return kStageNames[static_cast<unsigned>(stage)]; }

std::optional<PipelineStage> parseStage(StringRef name) {
  for (auto [i, known] : llvm::enumerate(kStageNames))
    if (name == known)
      return static_cast<PipelineStage>(i);
  return std::nullopt;
}

/// What the operations of a module without graph.stage show.
static PipelineStage inferStage(ModuleOp module) {
  bool hasPrograms = false;
  for (auto program : module.getOps<dist::ProgramOp>()) {
    hasPrograms = true;
    for (Operation &op : program.getBlock())
      for (Type type : op.getResultTypes())
        if (isa<MemRefType>(type))
          return program.getArenaBytes() ? PipelineStage::Scheduled : PipelineStage::Outlined;
  }
  if (hasPrograms)
    return PipelineStage::Partitioned;
  for (auto func : module.getOps<graph::FuncOp>())
    if (graph::getDevice(func))
      return PipelineStage::Placed;
  return PipelineStage::Graph;
}

FailureOr<PipelineStage> getStage(ModuleOp module) {
  auto name = module->getAttrOfType<StringAttr>(graph::GraphDialect::kStage);
  if (!name)
    return inferStage(module);
  if (std::optional<PipelineStage> stage = parseStage(name.getValue()))
    return *stage;
  return module.emitError("unknown stage \"")
         << name.getValue() << "\"; expected one of "
         << llvm::join(std::begin(kStageNames), std::end(kStageNames), ", ");
}

//===------------------------------------------------------------------------------------------===//
// One function a stage: how a module of the stage before comes to it
//===------------------------------------------------------------------------------------------===//

static void buildDifferentiated(OpPassManager &manager) {
  manager.addPass(createInlineCalls());
  manager.addPass(createFlattenScopes()); // before all that looks at operations one by one
  manager.addPass(createNumberDraws()); // before anything merges what is equal
  manager.addPass(createAssignSamples()); // calls are inlined: the text is the order of execution
  manager.addPass(createSimplifyModel()); // so that no gradient is built for what folds away
  // behind it: of the forms that canonicalisation leaves
  manager.addPass(createRecognizeComposites());
  manager.addPass(createBoundLabels()); // while losses are as the user wrote them
  manager.addPass(createDifferentiateModel());
  // rounding is fixed here, on the unpartitioned graph: the last rewrite of it
  manager.addPass(createSimplifyModel());
  manager.addPass(createVerifyModel());
}

static void buildPlaced(OpPassManager &manager) {
  manager.addPass(createResolveStrategy()); // once: all behind it read what it leaves
  // after differentiate: rounding is that of the whole; before what places parts
  manager.addPass(createSplitVariables());
  manager.addPass(createPlaceOps()); // after differentiate: gradients and slots are placed as well
  manager.addPass(createVerifyPlaced());
}

static void buildReplicated(OpPassManager &manager) {
  // after place: what leaves the replica domain is seen by its device
  manager.addPass(createReplicateModel());
  manager.addPass(createVerifyReplicated());
  manager.addPass(createVerifyPlaced()); // what replicate made is placed too
}

static void buildPartitioned(OpPassManager &manager) {
  manager.addPass(createPartitionFunctions());
  manager.addPass(createVerifyPartitioned());
}

static void buildOutlined(OpPassManager &manager) {
  OpPassManager &programs = manager.nest<dist::ProgramOp>();
  programs.addPass(createWidenElements());
  // after partition: what crosses a channel is the user's value, not a part of one
  programs.addPass(createDecomposeComposites());
  programs.addPass(createCSEPass()); // forward and backward expansions share their common parts
  // behind it: what shares no value is what is rematerialized
  programs.addPass(createRematerializeValues());
  manager.addPass(createOutlineKernels());
  manager.addPass(createVerifyOutlined());
}

static void buildScheduled(OpPassManager &manager) {
  // It solves the order that it has made and leaves what it found on the programs; separate code
  // proves that from the plan alone (emit/PlanEmitter.cpp).
  manager.addPass(createSchedulePrograms());
}

/// Kernels alone from here on: no call is added, dropped or moved, no memory allocated.
static void buildLinalg(OpPassManager &manager) {
  OpPassManager &kernels = manager.nest<func::FuncOp>();
  kernels.addPass(createCSEPass());
  kernels.addPass(createVerifyKernels());
}

void buildGpuCode(OpPassManager &manager) {
  manager.addPass(createKernelsToGpu());
  OpPassManager &code = manager.nest<gpu::GPUModuleOp>();
  OpPassManager &launches = code.nest<gpu::GPUFuncOp>();
  launches.addPass(createExpandMath());
  launches.addPass(createCanonicalizerPass());
  launches.addPass(createCSEPass());
  code.addPass(createGpuToNvvm());
}

static void buildLlvm(OpPassManager &manager) {
  buildGpuCode(manager); // before the host's loops: both begin with linalg
  OpPassManager &kernels = manager.nest<func::FuncOp>();
  kernels.addPass(createLowerNests());
  kernels.addPass(createExpandMath());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  manager.addPass(createKernelsToLLVM());
}

/// A module that begins at a later stage, made by hand or not, skipped the passes that check it:
/// what they would have refused is refused here.
static void checkFromHere(OpPassManager &manager, PipelineStage from) {
  if (from >= PipelineStage::Placed)
    manager.addPass(createResolveStrategy()); // of a module made by hand
  if (from == PipelineStage::Placed || from == PipelineStage::Replicated)
    manager.addPass(createVerifyPlaced());
  if (from == PipelineStage::Replicated)
    manager.addPass(createVerifyReplicated());
  if (from < PipelineStage::Partitioned)
    return;
  manager.addPass(createVerifyPartitioned());
  if (from >= PipelineStage::Outlined)
    manager.addPass(createVerifyOutlined());
  manager.addPass(createVerifyLiveness());
}

void buildPipeline(OpPassManager &manager, PipelineStage from, PipelineStage to) {
  using Builder = void (*)(OpPassManager &);
  static constexpr std::pair<PipelineStage, Builder> kStages[] = {
      {PipelineStage::Differentiated, buildDifferentiated},
      {PipelineStage::Placed, buildPlaced},
      {PipelineStage::Replicated, buildReplicated},
      {PipelineStage::Partitioned, buildPartitioned},
      {PipelineStage::Outlined, buildOutlined},
      {PipelineStage::Scheduled, buildScheduled},
      {PipelineStage::Linalg, buildLinalg},
      {PipelineStage::Llvm, buildLlvm},
  };
  checkFromHere(manager, from);
  for (auto [stage, build] : kStages) {
    if (stage <= from || stage > to)
      continue;
    build(manager);
    manager.addPass(createSetStage({getStageName(stage).str()}));
  }
}

} // namespace graphc
