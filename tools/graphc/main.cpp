//===- main.cpp - graphc: a model and a cluster into a plan -----------------------------------===//
//
// Exit status: 0 done; 1 the model, the cluster or the environment is wrong; 2 the command line is.
//
//===------------------------------------------------------------------------------------------===//
#include "passes/Passes.h"
#include "passes/compiler/AttachCluster.h"
#include "passes/compiler/CompilerInstance.h"
#include "passes/emit/NativeCode.h"
#include "passes/emit/PtxCode.h"
#include "passes/place/PlacementLog.h"
#include "passes/report/CostTable.h"
#include "passes/report/PlanReport.h"
#include "passes/report/StepPrediction.h"
#include "passes/report/StrategyComparison.h"
#include "runtime/common/base/CpuFeatures.h"
#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/device/DeviceKinds.h"
#include "runtime/common/plan/PlanFile.h"
#include "tools/graphc/CommandLineOptions.h"
#include "tools/graphc/PlanCommands.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

#include <google/protobuf/text_format.h>

#include <chrono>
#include <csignal>
#include <unistd.h>

using namespace mlir;
using namespace graphc;

namespace {

enum ExitStatus { kDone = 0, kWrong = 1, kUsage = 2 };

int complain(const llvm::Twine &message) {
  llvm::errs() << "graphc: " << message << '\n';
  return kWrong;
}

/// Writes what `print` prints to --output, which it replaces as a whole, or to standard output.
int writeText(const CommandLineOptions &options,
              llvm::function_ref<void(llvm::raw_ostream &)> print) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  bool toFile = !options.output.empty() && options.output != "-";
  absl::Status status =
      toFile ? base::writeFileAtomic(options.output, text)
             : base::writeAll(STDOUT_FILENO, text.data(), text.size(), "standard output");
  return status.ok() ? kDone
                     : complain("cannot write the output: " + std::string(status.message()));
}

/// model.mlir becomes model.plan beside it; standard input becomes standard output.
std::string getPlanPath(const CommandLineOptions &options) {
  if (!options.output.empty() || options.model == "-")
    return options.output.empty() ? "-" : options.output;
  llvm::SmallString<128> path(options.model);
  llvm::sys::path::replace_extension(path, "plan");
  return path.str().str();
}

std::string printPlanText(plan::Plan plan) {
  auto shorten = [](std::string *bytes) {
    *bytes = "<" + std::to_string(bytes->size()) + " bytes>";
  };
  for (plan::Code &code : *plan.mutable_code()) { // --keep_code shows it better
    shorten(code.mutable_elf());
    for (plan::Code::Cubin &cubin : *code.mutable_cubins())
      shorten(cubin.mutable_elf());
  }
  std::string text;
  google::protobuf::TextFormat::PrintToString(plan, &text);
  return text;
}

std::optional<cluster::MachineCalibration> readCalibration(const CommandLineOptions &options) {
  absl::StatusOr<cluster::MachineCalibration> read = cluster::loadCalibration(options.calibration);
  if (read.ok())
    return *std::move(read);
  complain(std::string(read.status().message()));
  return std::nullopt;
}

/// Of --measured; an error names the file.
absl::StatusOr<MeasuredTimes> readMeasured(const plan::Plan &plan, const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(std::string file, plan::encodePlan(plan));
  GRAPHC_ASSIGN_OR_RETURN(plan::LoadedPlan loaded, plan::decodePlan(file, "the plan"));
  GRAPHC_ASSIGN_OR_RETURN(std::string bytes, base::readFile(path, trace::kMostTraceBytes));
  absl::StatusOr<trace::MeasuredTrace> trace = trace::readTrace(bytes);
  absl::StatusOr<MeasuredTimes> measured = trace.ok()
                                               ? measure(plan, loaded.fingerprint, *trace)
                                               : absl::StatusOr<MeasuredTimes>(trace.status());
  return measured.ok() ? measured : base::annotate(measured.status(), path);
}

int writeReport(const plan::Plan &plan, const cluster::ClusterConfig &cluster,
                const CommandLineOptions &options) {
  std::optional<cluster::MachineCalibration> calibration = readCalibration(options);
  if (!calibration)
    return kWrong;
  std::optional<MeasuredTimes> measured;
  if (!options.measured.empty()) {
    absl::StatusOr<MeasuredTimes> read = readMeasured(plan, options.measured);
    if (!read.ok())
      return complain("--measured " + std::string(read.status().message()));
    measured = *std::move(read);
  }
  absl::Status status =
      base::writeFileAtomic(options.report, makeReport(plan, cluster, *calibration, options.model,
                                                       measured ? &*measured : nullptr));
  if (!status.ok())
    return complain("cannot write the report: " + std::string(status.message()));
  llvm::errs() << " report " << options.report << ", times predicted from "
               << sourceText(*calibration, hasGpu(plan)) << '\n';
  return kDone;
}

/// --compare: one row a strategy. 1 where none of them is possible.
int compareStrategies(CompilerInstance &compilation, const CommandLineOptions &options) {
  if (compilation.stage() >= PipelineStage::Placed)
    return complain("--compare takes a model of stage graph or differentiated; " + options.model +
                    " is of stage \"" + getStageName(compilation.stage()) +
                    "\" and has its strategy");
  absl::StatusOr<cluster::ClusterConfig> cluster = readClusterOf(options);
  if (!cluster.ok()) {
    llvm::errs() << std::string(cluster.status().message()) << '\n';
    return kWrong;
  }
  if (!isSupported(*cluster, [](const graphc::Diagnostic &said) { print(said, llvm::errs()); }))
    return kWrong;
  std::optional<cluster::MachineCalibration> calibration = readCalibration(options);
  if (!calibration)
    return kWrong;
  std::vector<ComparedStrategy> rows;
  for (const std::string &name : options.strategies) {
    absl::StatusOr<std::string> strategy = toStrategyJson(name, *cluster);
    if (!strategy.ok())
      return complain("--compare: " + std::string(strategy.status().message())), kUsage;
    rows.push_back(compare(compilation, options.model, options.compile, name, *strategy, *cluster,
                           *calibration));
  }
  llvm::outs() << toText(rows) << " predicted from "
               << sourceText(*calibration, cluster->hasDevices(device::gpuKind()))
               << "; the step of an asynchronous strategy is one update\n";
  for (const ComparedStrategy &row : rows)
    for (const std::string &remark : row.remarks)
      llvm::outs() << ' ' << row.strategy << ": " << remark << '\n';
  return llvm::all_of(rows, [](const ComparedStrategy &row) { return !row.whyNot.empty(); })
             ? kWrong
             : kDone;
}

int writePlan(CompilerInstance &compilation, const CommandLineOptions &options,
              std::chrono::steady_clock::time_point start) {
  FailureOr<plan::Plan> plan = compilation.emit();
  if (failed(plan) || failed(compilation.check(*plan)))
    return kWrong;
  if (!options.report.empty() && writeReport(*plan, compilation.cluster(), options) != kDone)
    return kWrong;
  if (options.emit == EmitKind::PlanText)
    return writeText(options, [&](llvm::raw_ostream &os) { os << printPlanText(*plan); });
  if (options.emit == EmitKind::Table)
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

/// What the user said of one of MLIR's flags, whose default is not ours.
bool isAsked(StringRef flag) {
  auto found = llvm::cl::getRegisteredOptions().find(flag);
  return found != llvm::cl::getRegisteredOptions().end() &&
         found->second->getNumOccurrences() > 0 &&
         static_cast<llvm::cl::opt<bool> *>(found->second)->getValue();
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

/// Given for the model: its reader says so, and nothing is written.
bool isPlanFile(StringRef path) {
  auto begin = llvm::MemoryBuffer::getFileSlice(path, 8, 0);
  return begin && (*begin)->getBuffer() == "GRAPHCPL";
}

/// What would be written over a file that is read, or over the other output; "" where nothing is.
/// Text goes to standard output unless -o is given.
std::string findOverwriting(const CommandLineOptions &options) {
  std::string output = options.emit == EmitKind::Plan ? getPlanPath(options) : options.output;
  if (output == "-")
    output.clear();
  for (const auto &[flag, written] :
       {std::pair("-o", output), std::pair("--report", options.report)}) {
    for (const std::string &input : options.compile.imports)
      if (!written.empty() && isSameFile(written, input))
        return written + " is imported and would be overwritten; name another file with " + flag;
    for (const auto &[what, input] :
         {std::pair("model", options.model), std::pair("cluster", options.cluster.value_or("")),
          std::pair("trace", options.measured), std::pair("calibration", options.calibration)})
      if (!written.empty() && !input.empty() && input != "-" && isSameFile(written, input) &&
          !(input == options.model && isPlanFile(input)))
        return written + " is read as the " + what +
               " and would be overwritten; name another file with " + flag;
  }
  if (!output.empty() && !options.report.empty() && isSameFile(output, options.report))
    return options.report + " would be both the report and " +
           (options.emit == EmitKind::Plan ? "the plan" : "what --emit prints") +
           "; name another file with --report or -o";
  return "";
}

/// Whether reading could wait for ever, or never end; a pipe that the caller handed over is a file.
bool isEndless(StringRef path) {
  llvm::sys::fs::file_status status;
  if (path == "-" || llvm::sys::fs::status(path, status))
    return false;
  bool handedOver =
      path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
  return status.type() == llvm::sys::fs::file_type::character_file ||
         (status.type() == llvm::sys::fs::file_type::fifo_file && !handedOver);
}

/// The cluster of --partition with --strategy in place of its own; nothing where nothing is said of
/// one.
absl::StatusOr<MaybeCluster> readCluster(const CommandLineOptions &options) {
  if (!options.cluster && !options.strategy && !options.numGpus && !options.recovery)
    return std::nullopt;
  GRAPHC_ASSIGN_OR_RETURN(cluster::ClusterConfig cluster, readClusterOf(options));
  if (options.strategy) {
    absl::StatusOr<cluster::StrategyConfig> read =
        cluster::parseStrategyFlag(*options.strategy, cluster);
    if (!read.ok())
      return base::annotate(read.status(), "graphc");
    cluster.strategy = *std::move(read);
  }
  if (options.recovery)
    cluster.strategy.recovery = *options.recovery == "memory" ? cluster::RecoveryMode::Memory
                                                              : cluster::RecoveryMode::Checkpoint;
  if (std::string misfit = options.recovery ? findMisfitOf(cluster) : ""; !misfit.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("graphc: --recovery=", *options.recovery, ": ", misfit));
  return cluster;
}

int run(const CommandLineOptions &options, std::chrono::steady_clock::time_point start) {
  if (const auto &limit = base::maxCpuLevel(); !limit.ok())
    return complain(std::string(limit.status().message())), kUsage;
  // Before all the work, and where no code is made as well: a misspelt target never passes.
  if (llvm::Expected<NativeTarget> target = NativeTarget::create(options.compile.targetCpu);
      !target)
    return complain("--target_cpu: " + llvm::toString(target.takeError())), kUsage;
  if (llvm::Error error = checkCudaArchs(options.compile.cudaArchs))
    return complain("--cuda_arch: " + llvm::toString(std::move(error))), kUsage;
  if (std::string why = findOverwriting(options); !why.empty())
    return complain(why), kUsage;
  if (isEndless(options.model))
    return complain(options.model + ": cannot read the model: not a regular file");
  for (const std::string &input : options.compile.imports)
    if (input == "-" || isEndless(input))
      return complain(input + ": cannot import it: not a regular file");
  if (!options.measured.empty() && isEndless(options.measured))
    return complain("--measured " + options.measured + ": not a regular file");
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> model =
      llvm::MemoryBuffer::getFileOrSTDIN(options.model);
  if (!model)
    return complain(options.model + ": cannot read the model: " + model.getError().message());
  DefaultTimingManager timing;
  applyDefaultTimingManagerCLOptions(timing);
  TimingScope scope = timing.getRootScope();
  CompilerInstance compilation(options.compile,
                               [](const graphc::Diagnostic &said) { print(said, llvm::errs()); });
  compilation.context().printOpOnDiagnostic(isAsked("mlir-print-op-on-diagnostic"));
  compilation.setUp = [&](PassManager &manager) {
    manager.enableTiming(scope);
    return applyPassManagerCLOptions(manager);
  };
  if (failed(compilation.read(std::move(*model))))
    return kWrong;
  if (options.mode == ToolMode::Compare)
    return compareStrategies(compilation, options);
  absl::StatusOr<MaybeCluster> cluster = readCluster(options);
  if (!cluster.ok()) {
    llvm::errs() << std::string(cluster.status().message()) << '\n';
    return kWrong;
  }
  if (*cluster && compilation.isPlaced())
    return complain(options.model + " is of stage \"" + getStageName(compilation.stage()) +
                    "\" and placed already; " +
                    (options.cluster    ? "--partition"
                     : options.strategy ? "--strategy"
                                        : "--num_gpus") +
                    " is for modules of stage graph or differentiated");
  if (failed(compilation.useCluster(*cluster)))
    return kWrong;
  PipelineStage target = options.emit == EmitKind::StageText ? options.stage : PipelineStage::Llvm;
  if (target < compilation.stage())
    return complain(options.model + " is of stage \"" + getStageName(compilation.stage()) +
                    "\" already; --emit=" + getStageName(target) + " lies before it");
  if (options.logDevicePlacement && compilation.stage() <= PipelineStage::Placed &&
      target >= PipelineStage::Placed) {
    if (failed(compilation.lower(PipelineStage::Placed)))
      return kWrong;
    logPlacement(compilation.module(), llvm::errs());
  }
  if (failed(compilation.lower(target)))
    return kWrong;
  if (options.emit == EmitKind::StageText)
    return writeText(options, [&](llvm::raw_ostream &os) {
      compilation.module()->print(os);
      os << '\n';
    });
  return writePlan(compilation, options, start);
}

} // namespace

int main(int argc, char **argv) {
  auto start = std::chrono::steady_clock::now();
  llvm::InitLLVM init(argc, argv);
  signal(SIGXFSZ, SIG_IGN); // a write beyond ulimit -f becomes an error with the file's name
  registerPasses(); // so that --mlir-print-ir-after and the like know their names
  std::optional<CommandLineOptions> options = parseOptions(argc, argv);
  if (!options)
    return kUsage;
  switch (options->mode) {
  case ToolMode::VerifyPlan:
    return verifyPlanFile(*options);
  case ToolMode::Diff:
    return diffPlans(*options);
  default:
    return run(*options, start);
  }
}
