//===- StrategyParser.cpp - how the model is spread: the key "strategy" of cluster.json -------===//

#include "runtime/common/cluster/ConfigReader.h"
#include "runtime/common/cluster/StrategyRules.h"

#include "absl/strings/ascii.h"

#include <algorithm>

namespace graphc::cluster {

absl::Status StrategyParser::parse(const JsonValue &value, StrategyConfig &strategy) const {
  const JsonValue *name = value.is(Kind::Object) ? value.find("name") : &value;
  if (value.is(Kind::Object)) {
    if (absl::Status s = checkKeys(value, " in \"strategy\"", keysOf("strategy")); !s.ok())
      return s;
    if (!name)
      return config.error(value.position, "\"strategy\" lacks \"name\"");
  }
  if (absl::Status s = readWord<StrategyKind>(*name, "strategy",
                                              {{"one_device", StrategyKind::OneDevice},
                                               {"in_graph", StrategyKind::InGraph},
                                               {"mirrored", StrategyKind::Mirrored},
                                               {"parameter_server", StrategyKind::ParameterServer},
                                               {"all_reduce", StrategyKind::AllReduce}},
                                              strategy.kind);
      !s.ok())
    return s;
  strategy.given = true;
  strategy.position = value.position;
  for (const JsonMember &member : value.members)
    if (absl::Status s = parseSetting(member, strategy); !s.ok())
      return s;
  if (std::optional<SettingConflict> misfit = findMisfit(strategy)) {
    const JsonValue *given = value.find(misfit->key);
    return config.error(given ? given->position : value.position, misfit->message);
  }
  return absl::OkStatus();
}

absl::Status StrategyParser::parseSetting(const JsonMember &member,
                                          StrategyConfig &strategy) const {
  const JsonValue &value = member.value;
  const std::string &key = member.key;
  if (std::optional<SettingConflict> foreign = findForeign(key, strategy.kind))
    return config.error(member.position, foreign->message);
  int64_t count = 0;
  absl::Status status;
  if (key == "replication") {
    status = readWord<ReplicationMode>(
        value, key,
        {{"in_graph", ReplicationMode::InGraph}, {"between_graph", ReplicationMode::BetweenGraph}},
        strategy.replication);
  } else if (key == "micro_batches") {
    status = readCount(value, key, 1, kMostMicroBatches, count);
    strategy.microBatches = static_cast<uint32_t>(count);
    strategy.microBatchesPosition = value.position;
  } else if (key == "sum_leaves") {
    status = readCount(value, key, 1, kMostMicroBatches, count);
    strategy.sumLeaves = static_cast<uint32_t>(count);
  } else if (key == "devices") {
    if (!value.is(Kind::Array) || value.elements.empty())
      return expected(
          value, "a list of devices such as [\"/job:worker/task:0/device:CPU:0\"] for \"devices\"");
    for (const JsonValue &element : value.elements) {
      DeviceSpec device;
      if (status = readDevice(element, device); !status.ok())
        return status;
      // "/gpu:1" is the chief's
      if (const TaskRef chief = config.chief(); !device.job && !device.task)
        device = device.mergedInto({chief.job, chief.index, {}, {}});
      if (!config.hasDevice(device))
        return config.error(element.position,
                            absl::StrCat("no device ", quoteJson(element.string),
                                         "; expected full names, of ",
                                         listOf(config.deviceNames(/*limit=*/8))));
      for (const DeviceSpec &other : strategy.devices)
        if (other == device)
          return config.error(element.position, absl::StrCat("device ", quoteJson(element.string),
                                                             " is given twice"));
      strategy.devices.push_back(device);
    }
  } else if (key == "update") {
    status = readWord<UpdateMode>(
        value, key, {{"sync", UpdateMode::Sync}, {"async", UpdateMode::Async}}, strategy.update);
  } else if (key == "placement") {
    status = readWord<VariablePlacement>(value, "placement of variables",
                                         {{"round_robin", VariablePlacement::RoundRobin},
                                          {"balanced", VariablePlacement::Balanced},
                                          {"split", VariablePlacement::Split}},
                                         strategy.placement);
  } else if (key == "min_shard_bytes") {
    status = readBytes(value, key, strategy.minShardBytes.emplace());
  } else if (key == "max_shards") {
    status = readCount(value, key, 2, kMostTasks, count);
    strategy.maxShards = static_cast<uint32_t>(count);
  } else if (key == "max_staleness") {
    status = readCount(value, key, 0, 1 << 20, count);
    strategy.maxStaleness = static_cast<uint32_t>(count);
  } else if (key == "replicas_to_aggregate") {
    status = readCount(value, key, 1, kMostTasks, count);
    strategy.replicasToAggregate = static_cast<uint32_t>(count);
  } else if (key == "order") {
    status = readWord<ReduceOrder>(
        value, key, {{"reproducible", ReduceOrder::Reproducible}, {"fast", ReduceOrder::Fast}},
        strategy.order);
  } else if (key == "bucket_bytes") {
    status = readBytes(value, key, strategy.bucketBytes.emplace());
  } else if (key == "recovery") {
    status = readWord<RecoveryMode>(
        value, key, {{"checkpoint", RecoveryMode::Checkpoint}, {"memory", RecoveryMode::Memory}},
        strategy.recovery);
  } else if (key == "embedding_rows") {
    status = readWord<EmbeddingRows>(
        value, key, {{"all", EmbeddingRows::All}, {"distinct", EmbeddingRows::Distinct}},
        strategy.embeddingRows.emplace());
  }
  return status;
}

/// A job whose name is probably a misspelt role that no job has, and that role.
std::pair<const JobConfig *, std::string> StrategyParser::misspeltRole() const {
  std::vector<std::string> roles;
  if (!config.findJob("worker"))
    roles.push_back("worker");
  if (roles.size() && !config.findJob("chief"))
    roles.push_back("chief");
  if (!config.findJob("ps"))
    roles.push_back("ps");
  for (const JobConfig &job : config.jobs) {
    std::string name = absl::AsciiStrToLower(job.name), near = nearestWord(name, roles);
    bool isRole =
        job.name == "worker" || job.name == "chief" || job.name == "ps" || job.name == "evaluator";
    // much is near to two letters
    if (!isRole && !near.empty() && (name.size() > 2 || name == "ps" || name == "sp"))
      return {&job, near};
  }
  return {};
}

absl::Status StrategyParser::finish(StrategyConfig &strategy) const {
  bool hasPs = config.findJob("ps"),
       hasWorkers = config.findJob("worker") || config.findJob("chief");
  auto [misspelt, role] = misspeltRole();
  // Jobs may have any names; which strategy is meant is read from them alone, where none is given.
  if (misspelt && (!strategy.given || strategy.kind == StrategyKind::ParameterServer ||
                   (strategy.kind == StrategyKind::AllReduce && role != "ps")))
    return config.error(misspelt->position,
                        absl::StrCat("the job ", quoteJson(misspelt->name), " is none that ",
                                     strategy.given
                                         ? absl::StrCat("the strategy ", quoteJson(strategy.name()))
                                         : "a cluster without a \"strategy\"",
                                     " knows; did you mean ", quoteJson(role), "?"));
  if (!strategy.given) {
    strategy.kind = hasPs && hasWorkers       ? StrategyKind::ParameterServer
                    : config.taskCount() == 1 ? StrategyKind::OneDevice
                                              : StrategyKind::InGraph;
    return absl::OkStatus();
  }
  if (strategy.kind == StrategyKind::ParameterServer && !(hasPs && hasWorkers))
    return config.error(
        strategy.position,
        absl::StrCat(
            "the strategy \"parameter_server\" needs the job \"ps\" and a job \"worker\" or "
            "\"chief\"; the cluster lacks ",
            hasPs ? "the latter" : "\"ps\""));
  if (strategy.kind == StrategyKind::AllReduce && !hasWorkers)
    return config.error(
        strategy.position,
        "the strategy \"all_reduce\" needs a job \"worker\" or \"chief\"; the cluster "
        "has neither");
  const bool betweenGraph = (strategy.kind == StrategyKind::ParameterServer ||
                             strategy.kind == StrategyKind::AllReduce) &&
                            strategy.replication == ReplicationMode::BetweenGraph;
  if (const int64_t sharers = betweenGraph ? std::max(1u, config.replicaCount()) : 1;
      strategy.microBatches && *strategy.microBatches > kMostCopies * sharers)
    return config.error(
        strategy.microBatchesPosition,
        absl::StrCat("\"micro_batches\" is ", *strategy.microBatches, "; expected at most ",
                     kMostCopies * sharers,
                     sharers > 1 ? absl::StrCat(", ", kMostCopies, " for each replica") : "",
                     ", since each may have to be compiled by itself"));
  if (strategy.replicasToAggregate && *strategy.replicasToAggregate > config.replicaCount())
    return config.error(strategy.position,
                        absl::StrCat("\"replicas_to_aggregate\" is ", *strategy.replicasToAggregate,
                                     ", but the cluster "
                                     "has ",
                                     config.replicaCount(), " replicas"));
  return absl::OkStatus();
}

} // namespace graphc::cluster
