//===- CommandLineOptions.cpp - the command line of graphc ------------------------------------===//
#include "tools/graphc/CommandLineOptions.h"

#include "passes/compiler/Diagnostic.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/Version.h"
#include "runtime/device/MachineDevices.h"
#include "tools/FlagSpelling.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"

namespace cl = llvm::cl;
using llvm::StringRef;

namespace graphc {
namespace {

cl::OptionCategory category("graphc options");

struct Flags {
  cl::list<std::string> inputs{
      cl::Positional,
      cl::desc("<model.mlir, bytecode, or - for stdin> [<files of functions that it calls>...]"),
      cl::cat(category)};
  cl::opt<std::string> output{
      "o",
      cl::desc("Where the plan (default: MODEL.plan) or what --emit asks for (default: -) goes; "
               "-: standard output"),
      cl::value_desc("path"), cl::cat(category)};
  cl::opt<std::string> partition{"partition",
                                 cl::desc("The cluster and the strategy; without it: one device"),
                                 cl::value_desc("cluster.json"), cl::cat(category)};
  cl::opt<std::string> strategy{
      "strategy",
      cl::desc(
          "one_device, in_graph, mirrored, parameter_server or all_reduce, or the JSON object of "
          "cluster.json; beats the file's"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> recovery{
      "recovery",
      cl::desc(
          "memory or checkpoint: where an all_reduce run under graphrun --max_restarts that has lost a task goes "
          "on from (default checkpoint); beats the file's"),
      cl::value_desc("where"), cl::cat(category)};
  cl::opt<std::string> emit{
      "emit",
      cl::desc("Stop at a stage and print it: graph, differentiated, placed, replicated, "
               "partitioned, outlined, scheduled, linalg, llvm, plan-text, table; "
               "plan (the default) writes the plan"),
      cl::value_desc("stage"), cl::init("plan"), cl::cat(category)};
  cl::opt<bool> logDevicePlacement{
      "log_device_placement",
      cl::desc("One line on stderr for each variable and operation: where it is placed"),
      cl::cat(category)};
  cl::opt<bool> softPlacement{
      "soft_placement",
      cl::desc(
          "Where the model names a device that its task lacks (a GPU, where cluster.json lists none), take "
          "another one of that task and say so, instead of refusing it; where cluster.json lists GPUs for tasks "
          "of this machine that it does not have, compile for the CPU"),
      cl::cat(category)};
  cl::opt<unsigned> numGpus{
      "num_gpus",
      cl::desc("GPUs of each task that computes, where cluster.json does not name its devices; "
               "0: none, whatever it names"),
      cl::value_desc("n"), cl::cat(category)};
  cl::opt<std::string> targetCpu{
      "target_cpu",
      cl::desc("The CPU to compile for, as LLVM names it (default native, this one; x86-64-v3: any "
               "with AVX2)"),
      cl::value_desc("cpu"), cl::init("native"), cl::cat(category)};
  cl::list<std::string> cudaArchs{
      "cuda_arch",
      cl::desc(
          "The GPUs to compile for, as LLVM names them (default sm_80,sm_90,sm_100): PTX for the oldest, which "
          "later ones run too, and machine code for each where ptxas is on PATH or in CUDA_HOME"),
      cl::value_desc("archs"), cl::CommaSeparated, cl::cat(category)};
  cl::opt<bool> noCublaslt{
      "no_cublaslt",
      cl::desc("Compile all matrix products of GPUs: the plan needs no cuBLASLt, and large "
               "products are slow"),
      cl::cat(category)};
  cl::opt<std::string> keepCode{
      "keep_code",
      cl::desc("Keep the native code's LLVM IR, object and library there, with the "
               "model's lines for gdb and perf, and the PTX of GPUs"),
      cl::value_desc("folder"), cl::cat(category)};
  cl::opt<unsigned> intraOpThreads{
      "intra_op_threads",
      cl::desc("Threads of one matmul, where graphrun is not told another number (default "
               "1); the results are the same with any"),
      cl::value_desc("n"), cl::init(1), cl::cat(category)};
  cl::list<std::string> importVariables{
      "import_variables", cl::CommaSeparated,
      cl::desc(
          "Trees of arguments of StableHLO's functions that are variables (default params): params['w'] is "
          "@params.w; those of the first are trained"),
      cl::value_desc("names"), cl::cat(category)};
  cl::opt<bool> verifyPlan{
      "verify_plan",
      cl::desc("Prove once more, from the plan alone, that it is well formed and cannot hang"),
      cl::cat(category)};
  cl::opt<bool> diff{"diff",
                     cl::desc("Say what moved between two plans, what now crosses a link, and why"),
                     cl::cat(category)};
  cl::list<std::string> compare{
      "compare", cl::CommaSeparated,
      cl::desc(
          "One table of strategies, such as one_device,parameter_server:async,all_reduce:fast: predicted step "
          "time, memory and bytes of each"),
      cl::value_desc("strategies"), cl::cat(category)};
  cl::opt<std::string> report{
      "report",
      cl::desc("Write a page beside the plan: partition, predicted timeline, memory, traffic"),
      cl::value_desc("report.html"), cl::cat(category)};
  cl::opt<std::string> measured{
      "measured",
      cl::desc("What graphrun --trace has written of a run of this plan: --report shows it "
               "beside its predictions"),
      cl::value_desc("run.pftrace"), cl::cat(category)};
  cl::opt<std::string> calibration{
      "calibration",
      cl::desc("What graphrun calibrate measured, for predicted times (default: "
               "~/.cache/graphc/calibration.json, else built-in figures)"),
      cl::value_desc("path"), cl::cat(category)};
};

bool complain(const llvm::Twine &message) {
  llvm::errs() << "graphc: " << message << "; graphc --help lists the flags\n";
  return false;
}

/// Which mode the flags ask for, and its inputs.
bool readMode(const Flags &flags, CommandLineOptions &options) {
  size_t inputs = flags.inputs.size();
  bool compares = flags.compare.getNumOccurrences() > 0;
  if (flags.verifyPlan + flags.diff + compares > 1)
    return complain("--verify_plan, --diff and --compare exclude each other");
  options.mode = flags.verifyPlan ? ToolMode::VerifyPlan
                 : flags.diff     ? ToolMode::Diff
                 : compares       ? ToolMode::Compare
                                  : ToolMode::Compile;
  const bool reads = flags.verifyPlan || flags.diff;
  if (inputs == 0 || (reads && inputs != (flags.diff ? 2 : 1))) {
    if (flags.diff)
      return complain("--diff compares two plans; " + llvm::Twine(inputs) + " given");
    if (inputs == 0)
      return complain(flags.verifyPlan ? "no plan given" : "no model given");
    return complain("one plan at a time; \"" + flags.inputs[1] + "\" is one too many");
  }
  options.model = flags.inputs[0];
  if (flags.diff)
    options.otherPlan = flags.inputs[1];
  else
    options.compile.imports.assign(std::next(flags.inputs.begin()), flags.inputs.end());
  if (flags.importVariables.getNumOccurrences())
    options.compile.importVariables.assign(flags.importVariables.begin(),
                                           flags.importVariables.end());
  options.strategies.assign(flags.compare.begin(), flags.compare.end());
  options.report = flags.report;
  options.measured = flags.measured;
  options.calibration = flags.calibration;
  bool compiles = options.mode == ToolMode::Compile || compares;
  if (!compiles && (flags.partition.getNumOccurrences() || flags.strategy.getNumOccurrences() ||
                    flags.numGpus.getNumOccurrences() || flags.emit.getNumOccurrences()))
    return complain(
        "--partition, --strategy, --num_gpus and --emit compile a model; --verify_plan and --diff read plans");
  if (compares && (flags.strategy.getNumOccurrences() || flags.emit.getNumOccurrences() ||
                   flags.output.getNumOccurrences()))
    return complain(
        "--compare writes no plan and takes the strategies from its list; leave -o, --strategy and --emit out");
  if (flags.report.getNumOccurrences() &&
      (options.mode != ToolMode::Compile || options.report.empty()))
    return complain("--report=PATH is for the compilation of a model");
  if (flags.measured.getNumOccurrences() && (options.report.empty() || options.measured.empty()))
    return complain("--measured=PATH is for the page of --report; add that, or leave it out");
  if (flags.calibration.getNumOccurrences() && options.report.empty() && !compares)
    return complain(
        "--calibration is for predicted times; add --report or --compare, or leave it out");
  if (compares) {
    for (const std::string &strategy : options.strategies) {
      if (StringRef(strategy).trim().empty())
        return complain(
            "--compare: expected strategies with commas between, such as one_device,all_reduce:fast");
      if (StringRef(strategy).contains_insensitive("{"))
        return complain(
            "--compare: \"" + strategy +
            "\": expected NAME:KEY=VALUE:..., such as one_device:micro_batches=2; the JSON object of "
            "cluster.json is for --strategy");
    }
    if (options.strategies.empty())
      return complain(
          "--compare: expected strategies with commas between, such as one_device,all_reduce:fast");
  }
  return true;
}

bool readEmit(const Flags &flags, CommandLineOptions &options) {
  std::string emit = hyphenate(flags.emit.getValue());
  if (std::optional<PipelineStage> stage = parseStage(emit)) {
    options.emit = EmitKind::StageText;
    options.stage = *stage;
  } else if (emit == "plan") {
    options.emit = EmitKind::Plan;
  } else if (emit == "plan-text") {
    options.emit = EmitKind::PlanText;
  } else if (emit == "table") {
    options.emit = EmitKind::Table;
  } else {
    return complain(
        "--emit=" + flags.emit.getValue() +
        ": expected graph, differentiated, placed, replicated, partitioned, outlined, scheduled, linalg, "
        "llvm, plan, plan-text or table");
  }
  return true;
}

} // namespace

std::optional<CommandLineOptions> parseOptions(int argc, char **argv) {
  static Flags flags;
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) { os << "graphc " << base::version() << '\n'; });

  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char *> arguments = spellRegisteredFlags(argc, argv, saver);
  for (StringRef argument : arguments)
    if (StringRef flag = argument.ltrim('-').split('=').first;
        argument.starts_with("-") && flag == "cluster")
      return complain("unknown flag " + argument +
                      "; the cluster and the strategy are given with --partition cluster.json"),
             std::nullopt;
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  const char *overview =
      "graphc [--partition cluster.json] model.mlir [-o PATH]\n\n"
      "Compiles a model for a cluster into a plan that graphrun executes. A module of any stage is\n"
      "accepted and goes on from there. MLIR's own flags are listed by --help-hidden.\n"
      "Flags may be written with - in place of _.\n\n"
      "  graphc model.mlir                           one device, writes model.plan\n"
      "  graphc --partition cluster.json model.mlir  for the tasks of cluster.json\n"
      "  graphc --emit=placed model.mlir             the text of a stage on standard output\n"
      "  graphc --compare one_device,parameter_server model.mlir --partition cluster.json\n"
      "  graphc --diff old.plan new.plan             what moved and why\n"
      "  graphc --verify_plan model.plan             the proof that it cannot hang, checked\n\n"
      "Exit status: 0 done; 1 the model, the cluster or the environment is wrong; 2 the command line is.\n";
  if (!cl::ParseCommandLineOptions(arguments.size(), arguments.data(), overview, &stream)) {
    llvm::errs() << StringRef(errors).rtrim() << '\n';
    return std::nullopt;
  }
  CommandLineOptions options;
  if (!readMode(flags, options))
    return std::nullopt;
  options.output = flags.output;
  if (flags.partition.getNumOccurrences())
    options.cluster = flags.partition;
  if (flags.strategy.getNumOccurrences())
    options.strategy = flags.strategy;
  if (flags.recovery.getNumOccurrences()) {
    options.recovery = flags.recovery;
    if (options.mode != ToolMode::Compile)
      return complain("--recovery is for the compilation of a model"), std::nullopt;
    if (options.recovery != "memory" && options.recovery != "checkpoint")
      return complain("--recovery=" + *options.recovery + ": expected memory or checkpoint"),
             std::nullopt;
  }
  if (flags.numGpus.getNumOccurrences())
    options.numGpus = flags.numGpus;
  options.logDevicePlacement = flags.logDevicePlacement;
  options.compile.softPlacement = flags.softPlacement;
  options.compile.noCublaslt = flags.noCublaslt;
  options.compile.targetCpu = flags.targetCpu;
  if (!flags.cudaArchs.empty())
    options.compile.cudaArchs = {flags.cudaArchs.begin(), flags.cudaArchs.end()};
  options.compile.keepCode = flags.keepCode;
  options.compile.intraOpThreads = flags.intraOpThreads;
  if (options.compile.intraOpThreads < 1 || options.compile.intraOpThreads > 1024)
    return complain("--intra_op_threads=" + llvm::Twine(options.compile.intraOpThreads) +
                    ": expected 1 to 1024"),
           std::nullopt;
  if (options.numGpus.value_or(0) > 64)
    return complain("--num_gpus=" + llvm::Twine(*options.numGpus) + ": expected 0 to 64"),
           std::nullopt;
  if (!readEmit(flags, options))
    return std::nullopt;
  if (!options.report.empty() && options.emit == EmitKind::StageText)
    return complain("--report shows a plan; --emit=" + flags.emit.getValue() +
                    " stops before there is one"),
           std::nullopt;
  return options;
}

/// Soft placement: GPUs that this machine lacks, by what its driver says, are left out of the tasks
/// that run here.
static void leaveOutMissing(cluster::ClusterConfig &config) {
  const device::DeviceKind &kind = device::gpuKind();
  if (!config.hasDevices(kind))
    return;
  const absl::StatusOr<uint32_t> there = device::countDevices(kind);
  std::string why = there.ok() ? "this machine has " + std::to_string(*there)
                               : std::string(there.status().message());
  for (const cluster::JobConfig *job : config.limitDevices(kind, there.value_or(0))) {
    Diagnostic said;
    said.severity = Severity::Warning;
    said.file = config.file;
    said.line = job->position.line;
    said.column = job->position.column;
    said.message = "soft placement: job \"" + job->name + "\" has " +
                   llvm::join(job->devices, ", ") + " instead of the " + std::string(kind.name) +
                   "s that it names: " + StringRef(why).split(';').first.str();
    print(said, llvm::errs());
  }
}

absl::StatusOr<cluster::ClusterConfig> readClusterOf(const CommandLineOptions &options) {
  absl::StatusOr<cluster::ClusterConfig> config = options.cluster
                                                      ? cluster::readClusterFile(*options.cluster)
                                                      : cluster::ClusterConfig::oneTask();
  if (config.ok() && options.numGpus)
    GRAPHC_RETURN_IF_ERROR(config->giveDevices(device::gpuKind(), *options.numGpus));
  if (config.ok() && options.compile.softPlacement)
    leaveOutMissing(*config);
  return config;
}

} // namespace graphc
