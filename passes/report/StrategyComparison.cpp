//===- StrategyComparison.cpp - one model under several strategies ----------------------------===//
#include "passes/report/StrategyComparison.h"

#include "passes/compiler/AttachCluster.h"
#include "passes/compiler/CheckBudget.h"
#include "passes/compiler/PlanFacts.h"
#include "passes/report/StepPrediction.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/device/DeviceKinds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace graphc {

absl::StatusOr<std::string> toStrategyJson(std::string_view given,
                                           const cluster::ClusterConfig &cluster) {
  const StringRef text(given);
  static constexpr std::pair<StringLiteral, StringLiteral> kWords[] = {
      {"sync", "update"},        {"async", "update"},         {"round_robin", "placement"},
      {"balanced", "placement"}, {"split", "placement"},      {"reproducible", "order"},
      {"fast", "order"},         {"in_graph", "replication"}, {"between_graph", "replication"}};
  auto quote = [](StringRef word) {
    return base::quoteJson(std::string_view(word.data(), word.size()));
  };
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
      json +=
          ", " + quote(key) + ": " + (value.getAsInteger(10, number) ? quote(value) : value.str());
    else {
      return absl::InvalidArgumentError(
          "\"" + word.str() + "\" in \"" + text.str() +
          "\" is no setting; expected sync, async, round_robin, balanced, split, reproducible, fast, "
          "in_graph, between_graph or KEY=VALUE");
    }
  }
  // As many samples a step as the replicas take together, so that the rows can be compared.
  if (words[0] == "one_device" && !text.contains("micro_batches"))
    json += ", \"micro_batches\": " + std::to_string(cluster.replicaCount());
  return json + "}";
}

ComparedStrategy compare(CompilerInstance &original, std::string_view model,
                         const CompileOptions &options, std::string_view name,
                         std::string_view strategyJson, cluster::ClusterConfig cluster,
                         const cluster::MachineCalibration &calibration) {
  ComparedStrategy row;
  row.strategy = std::string(name);
  std::string reason;
  CompilerInstance compilation(original.module(), std::string(model), options,
                               [&](const graphc::Diagnostic &said) {
                                 if (said.severity == Severity::Error) {
                                   if (reason.empty())
                                     reason = said.message;
                                 } else if (!llvm::is_contained(row.remarks, said.message)) {
                                   row.remarks.push_back(said.message);
                                 }
                               });
  compilation.setUp = original.setUp;
  compilation.nativeCode = false;
  FailureOr<plan::Plan> plan = failure();
  absl::StatusOr<cluster::StrategyConfig> strategy =
      cluster::parseStrategyFlag(strategyJson, cluster);
  if (!strategy.ok()) {
    reason = std::string(strategy.status().message());
  } else {
    cluster.strategy = *strategy;
    if (succeeded(compilation.begin()) && succeeded(compilation.useCluster(cluster)) &&
        succeeded(compilation.lower(PipelineStage::Scheduled)))
      plan = compilation.emit();
  }
  if (failed(plan)) {
    row.whyNot = StringRef(reason).split('\n').first.str();
    return row;
  }
  PlanFootprint footprint = computeFootprint(*plan);
  StepPrediction prediction = predict(*plan, cluster, calibration);
  for (const PlanFootprint::Device &device : footprint.devices) {
    StringRef shown = device.name;
    shown.consume_front("/job:");
    shown.consume_back("/device:" + device::hostDevice());
    std::string task = shown.str();
    if (size_t at = task.find("/task:"); at != std::string::npos)
      task.replace(at, 6, ":");
    row.memory += (row.memory.empty() ? "" : ", ") + task + " " + inBytes(device.total()) +
                  (device.ownMemory ? " and " + inBytes(device.ofHost()) + " of the host" : "") +
                  (device.instances > 1 ? " (×" + std::to_string(device.instances) + ")" : "");
  }
  if (!keepsBudget(*plan, cluster, [](const graphc::Diagnostic &) {}))
    row.memory += "; over budget";
  row.step = inSeconds(prediction.step);
  row.samplesPerSecond = inCounts(uint64_t(prediction.samplesPerSecond));
  row.bytes =
      inBytes(footprint.bytesPerStep) +
      (prediction.bytesBetweenHosts
           ? ", " + inBytes(prediction.bytesBetweenHosts) + " between hosts"
           : "") +
      (footprint.hasOwnMemory() ? ", " + inBytes(footprint.copied().total()) + " over PCIe" : "");
  return row;
}

std::string toText(const std::vector<ComparedStrategy> &rows) {
  std::vector<std::vector<std::string>> lines = {
      {"strategy", "step", "samples/s", "bytes/step", "memory of each task"}};
  for (const ComparedStrategy &row : rows) {
    if (row.whyNot.empty())
      lines.push_back({row.strategy, row.step, row.samplesPerSecond, row.bytes, row.memory});
    else
      lines.push_back({row.strategy, "not possible: " + row.whyNot});
  }
  return formatColumns(lines);
}

} // namespace graphc
