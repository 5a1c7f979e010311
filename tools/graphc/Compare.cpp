//===- Compare.cpp - graphc --compare ----------------------------------------------------------------------------===//
#include "tools/graphc/Compare.h"

#include "passes/compiler/Budget.h"
#include "passes/compiler/Cluster.h"
#include "passes/compiler/PlanFacts.h"
#include "runtime/base/Text.h"
#include "runtime/device/Kinds.h"
#include "tools/graphc/Prediction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace graphc {
namespace {

/// "parameter_server:async:max_staleness=2" as the JSON object of cluster.json. Words that are settings by themselves need
/// no key. Returns nothing for a word that is neither, having said so.
std::optional<std::string> toStrategyJson(StringRef text, const cluster::ClusterConfig &cluster) {
  static constexpr std::pair<StringLiteral, StringLiteral> kWords[] = {
      {"sync", "update"},        {"async", "update"},         {"round_robin", "placement"},
      {"balanced", "placement"}, {"split", "placement"},      {"reproducible", "order"},
      {"fast", "order"},         {"in_graph", "replication"}, {"between_graph", "replication"}};
  auto quote = [](StringRef word) { return base::quoteJson(std::string_view(word.data(), word.size())); };
  SmallVector<StringRef> words;
  text.split(words, ':');
  std::string json = "{\"name\": " + quote(words[0]);
  for (StringRef word : llvm::drop_begin(words)) {
    auto [key, value] = word.split('=');
    const auto *known = llvm::find_if(kWords, [&](auto &entry) { return entry.first == word; });
    uint64_t number;
    if (known != std::end(kWords))
      json += ", " + quote(known->second) + ": " + quote(word);
    else if (!value.empty())
      json += ", " + quote(key) + ": " + (value.getAsInteger(10, number) ? quote(value) : value.str());
    else {
      llvm::errs() << "graphc: --compare: \"" << word << "\" in \"" << text
                   << "\" is no setting; expected sync, async, round_robin, balanced, split, reproducible, fast, "
                      "in_graph, between_graph or KEY=VALUE\n";
      return std::nullopt;
    }
  }
  // As many samples a step as the replicas take together, so that the rows can be compared.
  if (words[0] == "one_device" && !text.contains("micro_batches"))
    json += ", \"micro_batches\": " + std::to_string(cluster.replicaCount());
  return json + "}";
}

/// One row: the strategy compiled on a copy of the module, or why it cannot be. What the compiler remarks on the way goes to `remarks`.
std::vector<std::string> makeRow(Compilation &original, const Options &options, StringRef name, StringRef json,
                                 cluster::ClusterConfig cluster, const cluster::Calibration &calibration,
                                 std::vector<std::string> &remarks) {
  std::string reason;
  Compilation compilation(original.module(), options.model, options.compile, [&](const graphc::Diagnostic &said) {
    if (said.severity == Severity::Error) {
      if (reason.empty())
        reason = said.message;
    } else if (!llvm::is_contained(remarks, said.message)) {
      remarks.push_back(said.message);
    }
  });
  compilation.setUp = original.setUp;
  compilation.nativeCode = false;
  FailureOr<plan::Plan> plan = failure();
  absl::StatusOr<cluster::StrategyConfig> strategy =
      cluster::parseStrategyFlag(std::string_view(json.data(), json.size()), cluster);
  if (!strategy.ok()) {
    reason = std::string(strategy.status().message());
  } else {
    cluster.strategy = *strategy;
    if (succeeded(compilation.begin()) && succeeded(compilation.useCluster(cluster)) &&
        succeeded(compilation.lower(Stage::Scheduled)))
      plan = compilation.emit();
  }
  if (failed(plan))
    return {name.str(), "not possible: " + StringRef(reason).split('\n').first.str()};
  Footprint footprint = computeFootprint(*plan);
  Prediction prediction = predict(*plan, cluster, calibration);
  std::string memory;
  for (const Footprint::Device &device : footprint.devices) {
    StringRef shown = device.name;
    shown.consume_front("/job:");
    shown.consume_back("/device:" + device::hostDevice());
    std::string task = shown.str();
    if (size_t at = task.find("/task:"); at != std::string::npos)
      task.replace(at, 6, ":");
    memory += (memory.empty() ? "" : ", ") + task + " " + inBytes(device.total()) +
              (device.ownMemory ? " and " + inBytes(device.ofHost()) + " of the host" : "") +
              (device.instances > 1 ? " (×" + std::to_string(device.instances) + ")" : "");
  }
  std::string warning = keepsBudget(*plan, cluster, [](const graphc::Diagnostic &) {}) ? "" : "over budget";
  return {name.str(), inSeconds(prediction.step), inCounts(uint64_t(prediction.samplesPerSecond)),
          inBytes(footprint.bytesPerStep) +
              (prediction.bytesBetweenHosts ? ", " + inBytes(prediction.bytesBetweenHosts) + " between hosts" : "") +
              (footprint.hasOwnMemory() ? ", " + inBytes(footprint.copied().total()) + " over PCIe" : ""),
          memory + (warning.empty() ? "" : "; " + warning)};
}

} // namespace

int compareStrategies(Compilation &original, const Options &options) {
  if (original.stage() >= Stage::Placed) {
    llvm::errs() << "graphc: --compare takes a model of stage graph or differentiated; " << options.model
                 << " is of stage \"" << getStageName(original.stage()) << "\" and has its strategy\n";
    return 1;
  }
  absl::StatusOr<cluster::ClusterConfig> read = readClusterOf(options);
  if (!read.ok()) {
    llvm::errs() << std::string(read.status().message()) << '\n';
    return 1;
  }
  const cluster::ClusterConfig &cluster = *read;
  if (!isSupported(cluster, [](const graphc::Diagnostic &said) { print(said, llvm::errs()); }))
    return 1;
  absl::StatusOr<cluster::Calibration> calibration = cluster::loadCalibration(options.calibration);
  if (!calibration.ok()) {
    llvm::errs() << "graphc: " << std::string(calibration.status().message()) << '\n';
    return 1;
  }
  std::vector<std::vector<std::string>> lines = {
      {"strategy", "step", "samples/s", "bytes/step", "memory of each task"}};
  std::string notes;
  for (const std::string &name : options.strategies) {
    std::optional<std::string> json = toStrategyJson(name, cluster);
    if (!json)
      return 2;
    std::vector<std::string> remarks;
    lines.push_back(makeRow(original, options, name, *json, cluster, *calibration, remarks));
    for (const std::string &remark : remarks)
      notes += " " + name + ": " + remark + "\n";
  }
  const bool hasGpu = cluster.hasDevices(device::gpuKind());
  llvm::outs() << formatColumns(lines) << " predicted from " << sourceText(*calibration, hasGpu)
               << "; the step of an asynchronous strategy is one update\n"
               << notes;
  return llvm::all_of(llvm::drop_begin(lines), [](auto &line) { return line.size() == 2; }) ? 1 : 0;
}

} // namespace graphc
