//===- main.cpp - graphc: a model and a cluster into a plan --------------------------------------------------------===//
//
// Exit status: 0 done; 1 the model, the cluster or the environment is wrong; 2 the command line is.
//
//===----------------------------------------------------------------------------------------------------------===//
#include "dialects/graph/GraphDialect.h"
#include "passes/Passes.h"
#include "passes/Pipelines.h"
#include "passes/emit/NativeCode.h"
#include "passes/place/PlacementLog.h"
#include "runtime/plan/PlanFile.h"
#include "tools/graphc/Budget.h"
#include "tools/graphc/Cluster.h"
#include "tools/graphc/Compile.h"
#include "tools/graphc/Idle.h"
#include "tools/graphc/Model.h"
#include "tools/graphc/Options.h"
#include "tools/graphc/PlanModes.h"
#include "tools/graphc/Report.h"
#include "tools/graphc/Table.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

#include <google/protobuf/text_format.h>

#include <chrono>

using namespace mlir;
using namespace graphc;

namespace {

enum ExitStatus { kDone = 0, kWrong = 1, kUsage = 2 };

int complain(const llvm::Twine &message) {
  llvm::errs() << "graphc: " << message << '\n';
  return kWrong;
}

/// Writes what `print` prints to --output or standard output.
int writeText(const Options &options, llvm::function_ref<void(llvm::raw_ostream &)> print) {
  std::error_code error;
  llvm::ToolOutputFile file(options.output.empty() ? "-" : options.output, error, llvm::sys::fs::OF_None);
  if (error)
    return complain(options.output + ": cannot write: " + error.message());
  print(file.os());
  file.os().flush();
  if (file.os().has_error()) {
    std::string reason = file.os().error().message();
    file.os().clear_error();
    return complain((options.output.empty() ? std::string("standard output") : options.output) +
                    ": cannot write: " + reason);
  }
  file.keep();
  return kDone;
}

/// model.mlir becomes model.plan beside it; standard input becomes standard output.
std::string getPlanPath(const Options &options) {
  if (!options.output.empty() || options.model == "-")
    return options.output.empty() ? "-" : options.output;
  llvm::SmallString<128> path(options.model);
  llvm::sys::path::replace_extension(path, "plan");
  return path.str().str();
}

std::string printPlanText(plan::Plan plan) {
  for (plan::Code &code : *plan.mutable_code()) // --keep-code shows it better
    code.set_elf("<" + std::to_string(code.elf().size()) + " bytes>");
  std::string text;
  google::protobuf::TextFormat::PrintToString(plan, &text);
  return text;
}

int writePlan(ModuleOp module, const Options &options, const cluster::ClusterConfig &cluster,
              std::chrono::steady_clock::time_point start) {
  FailureOr<plan::Plan> plan = makePlan(module, options);
  if (failed(plan) || !keepsBudget(*plan, cluster, llvm::errs()))
    return kWrong;
  if (options.cluster)
    remarkOnIdleDevices(*plan, cluster, llvm::errs());
  if (!options.report.empty() && !writeReport(*plan, cluster, options))
    return kWrong;
  if (options.emit == Output::PlanText)
    return writeText(options, [&](llvm::raw_ostream &os) { os << printPlanText(*plan); });
  if (options.emit == Output::Table)
    return writeText(options, [&](llvm::raw_ostream &os) {
      printTable(*plan, /*exact=*/true, os);
      os << ' ' << summarize(*plan) << '\n';
    });
  std::string path = getPlanPath(options);
  if (path == "-" && llvm::outs().is_displayed())
    return complain("a plan is binary and standard output is a terminal; name a file with -o");
  if (absl::Status status = plan::writePlan(path, *plan); !status.ok())
    return complain("cannot write the plan: " + std::string(status.message()));
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  printTable(*plan, /*exact=*/false, llvm::errs());
  llvm::errs() << ' ' << summarize(*plan) << ", " << llvm::format("%.1f", seconds) << " s, wrote "
               << (path == "-" ? "standard output" : path) << '\n';
  return kDone;
}

/// Whether the user said something of one of MLIR's flags, whose default is not ours.
bool isGiven(StringRef flag) {
  auto found = llvm::cl::getRegisteredOptions().find(flag);
  return found != llvm::cl::getRegisteredOptions().end() && found->second->getNumOccurrences() > 0;
}

/// Whether writing one path would write over the other: both are one file, or would be once made.
bool isSameFile(StringRef a, StringRef b) {
  namespace fs = llvm::sys::fs;
  if (fs::exists(a) || fs::exists(b))
    return fs::is_regular_file(a) && fs::equivalent(a, b);
  auto inRealFolder = [](StringRef path) {
    llvm::SmallString<128> full(path), real;
    fs::make_absolute(full);
    StringRef folder = llvm::sys::path::parent_path(full);
    if (fs::real_path(folder, real))
      real = folder;
    llvm::sys::path::append(real, llvm::sys::path::filename(full));
    return real.str().str();
  };
  return inRealFolder(a) == inRealFolder(b);
}

/// What would be written over a file that is read, or over the other output; "" where nothing is. Text goes to standard
/// output unless -o is given.
std::string findOverwriting(const Options &options) {
  std::string output = options.emit == Output::Plan ? getPlanPath(options) : options.output;
  if (output == "-")
    output.clear();
  for (auto [flag, written] : {std::pair("-o", output), std::pair("--report", options.report)})
    for (auto [what, input] : {std::pair("model", options.model), std::pair("cluster", options.cluster.value_or("")),
                               std::pair("calibration", options.calibration)})
      if (!written.empty() && !input.empty() && input != "-" && isSameFile(written, input))
        return written + " is read as the " + what + " and would be overwritten; name another file with " + flag;
  if (!output.empty() && !options.report.empty() && isSameFile(output, options.report))
    return options.report + " would be both the report and " +
           (options.emit == Output::Plan ? "the plan" : "what --emit prints") +
           "; name another file with --report or -o";
  return "";
}

/// Whether reading could wait for ever, or never end; a pipe that the caller handed over is a file.
bool isEndless(StringRef path) {
  llvm::sys::fs::file_status status;
  if (path == "-" || llvm::sys::fs::status(path, status))
    return false;
  bool handedOver = path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
  return status.type() == llvm::sys::fs::file_type::character_file ||
         (status.type() == llvm::sys::fs::file_type::fifo_file && !handedOver);
}

int run(const Options &options, std::chrono::steady_clock::time_point start) {
  // Before all the work, and where no code is made as well: a misspelt CPU never passes.
  if (llvm::Expected<NativeTarget> target = NativeTarget::create(options.targetCpu); !target)
    return complain("--target-cpu: " + llvm::toString(target.takeError())), kUsage;
  if (std::string why = findOverwriting(options); !why.empty())
    return complain(why), kUsage;
  if (isEndless(options.model))
    return complain(options.model + ": cannot read the model: not a regular file");
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  if (!isGiven("mlir-print-op-on-diagnostic"))
    context.printOpOnDiagnostic(false); // the user's own line stands below each error
  DefaultTimingManager timing;
  applyDefaultTimingManagerCLOptions(timing);
  TimingScope scope = timing.getRootScope();
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context, llvm::errs());

  OwningOpRef<ModuleOp> module = readModel(options.model, sources, context);
  if (!module)
    return kWrong;
  FailureOr<Stage> stage = getStage(*module);
  if (failed(stage) || failed(checkHasWork(*module, *stage)))
    return kWrong;
  if (options.mode == Mode::Compare)
    return compareStrategies(*module, *stage, options, scope);
  std::optional<cluster::ClusterConfig> cluster = readCluster(options, llvm::errs());
  if (cluster)
    cluster = attachCluster(*module, *stage, options, *std::move(cluster), llvm::errs());
  if (!cluster)
    return kWrong;
  Stage target = options.emit == Output::StageText ? options.stage : Stage::Llvm;
  if (target < *stage)
    return complain(options.model + " is of stage \"" + getStageName(*stage) +
                    "\" already; --emit=" + getStageName(target) + " lies before it");
  if (options.logDevicePlacement && *stage <= Stage::Placed && target >= Stage::Placed) {
    if (failed(runPasses(*module, *stage, Stage::Placed, options, scope)))
      return kWrong;
    stage = Stage::Placed;
    logPlacement(*module, llvm::errs());
  }
  if (failed(runPasses(*module, *stage, target, options, scope)))
    return kWrong;
  if (options.emit == Output::StageText)
    return writeText(options, [&](llvm::raw_ostream &os) {
      module->print(os);
      os << '\n';
    });
  return writePlan(*module, options, *cluster, start);
}

} // namespace

int main(int argc, char **argv) {
  auto start = std::chrono::steady_clock::now();
  llvm::InitLLVM init(argc, argv);
  registerPasses(); // so that --mlir-print-ir-after and the like know their names
  std::optional<Options> options = parseOptions(argc, argv);
  if (!options)
    return kUsage;
  switch (options->mode) {
  case Mode::VerifyPlan:
    return verifyPlanFile(*options);
  case Mode::Diff:
    return diffPlans(*options);
  default:
    return run(*options, start);
  }
}
