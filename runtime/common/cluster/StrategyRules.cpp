//===- StrategyRules.cpp - which settings of a strategy go together ---------------------------===//

#include "runtime/common/cluster/StrategyRules.h"

#include "runtime/common/base/TextUtils.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace graphc::cluster {
namespace {
using base::quoteJson;

std::string_view nameOf(StrategyKind kind) {
  StrategyConfig strategy;
  strategy.kind = kind;
  return strategy.name();
}

/// The strategies that a setting belongs to, and whether one has it.
struct Setting {
  const char *key;
  std::vector<StrategyKind> owners;
  bool (*isSet)(const StrategyConfig &);
};

const std::vector<Setting> &settings() {
  using enum StrategyKind;
  static const auto &table = *new std::vector<Setting>{
      {"replication",
       {ParameterServer, AllReduce},
       [](auto &s) { return s.kind == OneDevice && s.replication == ReplicationMode::InGraph; }},
      {"devices", {Mirrored}, [](auto &s) { return !s.devices.empty(); }},
      {"update", {ParameterServer}, [](auto &s) { return s.update == UpdateMode::Async; }},
      {"placement",
       {ParameterServer},
       [](auto &s) { return s.placement != VariablePlacement::RoundRobin; }},
      {"min_shard_bytes", {ParameterServer}, [](auto &s) { return s.minShardBytes.has_value(); }},
      {"max_shards", {ParameterServer}, [](auto &s) { return s.maxShards.has_value(); }},
      {"max_staleness", {ParameterServer}, [](auto &s) { return s.maxStaleness.has_value(); }},
      {"replicas_to_aggregate",
       {ParameterServer},
       [](auto &s) { return s.replicasToAggregate.has_value(); }},
      {"order", {AllReduce}, [](auto &s) { return s.order == ReduceOrder::Fast; }},
      {"bucket_bytes", {AllReduce}, [](auto &s) { return s.bucketBytes.has_value(); }},
      {"recovery", {AllReduce}, [](auto &s) { return s.recovery == RecoveryMode::Memory; }},
      {"embedding_rows",
       {InGraph, Mirrored, ParameterServer},
       [](auto &s) { return s.embeddingRows.has_value(); }},
  };
  return table;
}
} // namespace

std::optional<SettingConflict> findForeign(std::string_view key, StrategyKind kind) {
  for (const Setting &setting : settings()) {
    if (key != setting.key || std::count(setting.owners.begin(), setting.owners.end(), kind))
      continue;
    std::string owners;
    for (StrategyKind owner : setting.owners)
      absl::StrAppend(&owners, owners.empty() ? "" : " and ", quoteJson(nameOf(owner)));
    return SettingConflict{setting.key,
                           absl::StrCat(quoteJson(key), " belongs to the ",
                                        setting.owners.size() > 1 ? "strategies " : "strategy ",
                                        owners, ", not to ", quoteJson(nameOf(kind)))};
  }
  return std::nullopt;
}

std::optional<SettingConflict> findMisfit(const StrategyConfig &strategy) {
  for (const Setting &setting : settings())
    if (setting.isSet(strategy))
      if (std::optional<SettingConflict> foreign = findForeign(setting.key, strategy.kind))
        return foreign;
  const bool async = strategy.update == UpdateMode::Async,
             inGraph = strategy.replication == ReplicationMode::InGraph;
  const char *parts = strategy.minShardBytes ? "min_shard_bytes"
                      : strategy.maxShards   ? "max_shards"
                                             : nullptr;
  if (parts && strategy.placement != VariablePlacement::Split)
    return SettingConflict{parts,
                           absl::StrCat(quoteJson(parts),
                                        " is about parts of variables; expected \"placement\": "
                                        "\"split\" beside it")};
  if (strategy.maxStaleness && !async)
    return SettingConflict{
        "max_staleness",
        "\"max_staleness\" bounds asynchronous updates; expected \"update\": \"async\" beside it"};
  if (strategy.replicasToAggregate && async)
    return SettingConflict{
        "replicas_to_aggregate",
        "\"replicas_to_aggregate\" is for synchronous updates; asynchronous ones are applied one by one"};
  const char *shared = strategy.microBatches ? "micro_batches"
                       : strategy.sumLeaves  ? "sum_leaves"
                                             : nullptr;
  if (shared && async)
    return SettingConflict{
        shared,
        absl::StrCat(quoteJson(shared),
                     " is about a sum over a step's batches; asynchronous updates have no such "
                     "step: leave it out, or \"update\": \"async\"")};
  if (strategy.sumLeaves && strategy.replicasToAggregate)
    return SettingConflict{
        "sum_leaves",
        "\"sum_leaves\" gives the sum of all replicas one shape; with \"replicas_to_aggregate\" those that "
        "come first are summed in their order: leave one of the two out"};
  if (strategy.embeddingRows && strategy.replicasToAggregate)
    return SettingConflict{
        "embedding_rows",
        "\"embedding_rows\" says which rows of a table travel; with \"replicas_to_aggregate\" whole "
        "variables and their gradients do: leave one of the two out"};
  if (strategy.recovery == RecoveryMode::Memory && inGraph)
    return SettingConflict{
        "recovery",
        "\"recovery\": \"memory\" needs tasks that have all variables each; with \"replication\": "
        "\"in_graph\" one task has them: leave one of the two out"};
  const char *between = strategy.bucketBytes                  ? "bucket_bytes"
                        : strategy.order == ReduceOrder::Fast ? "order"
                                                              : nullptr;
  if (between && inGraph)
    return SettingConflict{
        between,
        absl::StrCat(quoteJson(between),
                     " is about gradients that replicas send each other; with \"replication\": "
                     "\"in_graph\" one client drives all towers and sums in their order: leave "
                     "one of the two out")};
  return std::nullopt;
}

} // namespace graphc::cluster
