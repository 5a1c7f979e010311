//===- ClusterParser.cpp - JSON to ClusterConfig; every refusal names file, line and column ---===//

#include "runtime/common/cluster/ConfigReader.h"
#include "runtime/common/cluster/NamePattern.h"
#include "runtime/common/cluster/TaskAddresses.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sys/stat.h>

namespace graphc::cluster {

const std::vector<ClusterKeys> &clusterKeys() {
  static const auto &keys = *new std::vector<ClusterKeys>{
      {"",
       {"cluster", "task", "environment", "devices", "links", "placement", "strategy", "budget"}},
      {"task", {"type", "index"}},
      {"link", {"from", "to", "gigabits_per_second", "latency_us"}},
      {"placement", {"name", "device"}},
      {"strategy",
       {"name", "replication", "micro_batches", "sum_leaves", "devices", "update", "placement",
        "min_shard_bytes", "max_shards", "max_staleness", "replicas_to_aggregate", "order",
        "bucket_bytes", "embedding_rows", "recovery"}},
      {"budget", {"memory", "pinned_memory", "bytes_per_step", "pcie_bytes_per_step"}},
  };
  return keys;
}

namespace {

class ClusterParser : ConfigReader {
public:
  ClusterParser(ClusterConfig &config, bool ofOthers) : ConfigReader(config), ofOthers_(ofOthers) {}

  absl::Status parse(const JsonValue &root) {
    if (!root.is(Kind::Object))
      return config.error(
          root.position,
          absl::StrCat("expected a JSON object (a TF_CONFIG or a ClusterSpec), found ",
                       root.describe()));
    const JsonValue *cluster = root.find("cluster");
    absl::Status status =
        cluster && cluster->is(Kind::Object) ? parseTfConfig(root, *cluster) : parseBare(root);
    if (!status.ok())
      return status;
    if (config.jobs.empty())
      return config.error(
          root.position,
          "no job; expected something like {\"ps\": [\"localhost:2222\"], \"worker\": "
          "[\"localhost:2223\"]} or {\"ps\": 1, \"worker\": 2}");
    for (const JobConfig &job : config.jobs)
      if (job.name == "chief" && job.tasks != 1)
        return config.error(job.position, absl::StrCat("job \"chief\" has ", job.tasks,
                                                       " tasks; there is exactly one chief"));
    return parseRest(root);
  }

private:
  absl::Status parseTfConfig(const JsonValue &root, const JsonValue &cluster) {
    if (absl::Status s = ofOthers_ ? absl::OkStatus() : checkKeys(root, "", keysOf("")); !s.ok())
      return s;
    if (const JsonValue *environment = root.find("environment");
        environment && !environment->is(Kind::String))
      return expected(*environment, "a string for \"environment\" (it has no effect here)");
    for (const JsonMember &member : cluster.members)
      if (absl::Status s = parseJob(member); !s.ok())
        return s;
    return absl::OkStatus();
  }

  /// A ClusterSpec: every member is a job but for the reserved keys. A value that cannot be a job
  /// is a misspelt key.
  absl::Status parseBare(const JsonValue &root) {
    const std::vector<std::string> &known = keysOf("");
    for (const JsonMember &member : root.members) {
      if (member.key == "cluster")
        return expected(member.value, "an object of jobs for \"cluster\"");
      if (std::find(known.begin(), known.end(), member.key) != known.end())
        continue;
      bool jobLike = member.value.is(Kind::Integer) || member.value.is(Kind::Array) ||
                     member.value.is(Kind::Float);
      if (!jobLike ||
          (!nearestWord(member.key, known).empty() && !member.value.is(Kind::Integer) &&
           !(member.value.elements.size() && member.value.elements[0].is(Kind::String))))
        return unknownKey(member, " (and not a job: a job is a list of addresses or a task count)",
                          known);
      if (absl::Status s = parseJob(member); !s.ok())
        return s;
    }
    return absl::OkStatus();
  }

  absl::Status parseJob(const JsonMember &member) {
    if (!isJobName(member.key))
      return config.error(member.position,
                          absl::StrCat("job name ", quoteJson(member.key),
                                       " is not letters, digits and '_' after a letter"));
    JobConfig job;
    job.name = member.key;
    job.position = member.position;
    const JsonValue &value = member.value;
    if (value.is(Kind::Integer)) {
      if (value.integer < 1 || value.integer > kMostTasks)
        return expected(value, absl::StrCat("a task count from 1 to ", kMostTasks, " for job ",
                                            quoteJson(job.name)));
      job.tasks = static_cast<uint32_t>(value.integer);
    } else if (value.is(Kind::Array) && !value.elements.empty()) {
      for (const JsonValue &element : value.elements)
        if (absl::Status s = parseAddress(element, job); !s.ok())
          return s;
      job.tasks = static_cast<uint32_t>(job.addresses.size());
    } else {
      return expected(value, absl::StrCat("a list of \"host:port\" or a task count for job ",
                                          quoteJson(job.name)));
    }
    total_ += job.tasks;
    if (total_ > kMostTasks)
      return config.error(member.position,
                          absl::StrCat("more than ", kMostTasks, " tasks in the cluster"));
    config.jobs.push_back(std::move(job));
    return absl::OkStatus();
  }

  absl::Status parseAddress(const JsonValue &element, JobConfig &job) {
    if (!element.is(Kind::String))
      return expected(element, "an address \"host:port\"");
    if (absl::Status s = checkAddress(element.string); !s.ok())
      return config.error(element.position, std::string(s.message()));
    auto [at, isNew] = addresses_.try_emplace(element.string, element.position);
    if (!isNew)
      return config.error(element.position, absl::StrCat("address ", quoteJson(element.string),
                                                         " is given twice; first at ",
                                                         at->second.line, ":", at->second.column));
    job.addresses.push_back(element.string);
    return absl::OkStatus();
  }

  absl::Status parseRest(const JsonValue &root) {
    const JsonValue *strategy = nullptr;
    for (const JsonMember &member : root.members) {
      absl::Status status;
      if (member.key == "task")
        status = parseTask(member.value);
      else if (member.key == "devices")
        status = parseDevices(member.value);
      else if (member.key == "links")
        status = parseLinks(member.value);
      else if (member.key == "placement")
        status = parsePlacement(member.value);
      else if (member.key == "budget")
        status = parseBudget(member.value);
      else if (member.key == "strategy")
        strategy = &member.value;
      if (!status.ok())
        return status;
    }
    if (absl::Status s = checkMemory(); !s.ok())
      return s;
    if (config.jobs.size() > 1)
      std::erase_if(config.jobs, [](const JobConfig &job) { return job.name == kEvaluator; });
    if (strategy)
      if (absl::Status s = StrategyParser(config).parse(*strategy, config.strategy); !s.ok())
        return s;
    return StrategyParser(config).finish(config.strategy);
  }

  /// Each device that the budget gives memory is one of the cluster, which is known when all is
  /// read.
  absl::Status checkMemory() const {
    for (const MemoryLimit &limit : config.budget.memory) {
      bool isThere = false;
      for (const JobConfig &job : config.jobs)
        for (const std::string &device : job.devices)
          if (absl::StatusOr<DeviceSpec> name =
                  DeviceSpec::parse(absl::StrCat("/job:", job.name, "/device:", device));
              name.ok())
            isThere |= limit.device.compatibleWith(*name);
      if (!isThere)
        return config.error(limit.position,
                            absl::StrCat("the budget is for ", limit.device.str(),
                                         ", which no device of the cluster is; it has ",
                                         listOf(config.deviceNames(4))));
    }
    return absl::OkStatus();
  }

  absl::Status parseTask(const JsonValue &value) {
    if (!value.is(Kind::Object))
      return expected(value, "an object {\"type\": JOB, \"index\": N} for \"task\"");
    if (absl::Status s =
            ofOthers_ ? absl::OkStatus() : checkKeys(value, " in \"task\"", keysOf("task"));
        !s.ok())
      return s;
    const JsonValue *type = value.find("type"), *index = value.find("index");
    if (!type || !index)
      return config.error(value.position,
                          absl::StrCat("\"task\" lacks ", type ? "\"index\"" : "\"type\""));
    if (!type->is(Kind::String))
      return expected(*type, "a job name");
    const JobConfig *job = config.findJob(type->string);
    if (!job && type->string == kEvaluator) { // which need not be listed
      if (!index->is(Kind::Integer) || index->integer < 0 || index->integer >= kMostTasks)
        return expected(*index, "the evaluator's index, 0");
      config.task = TaskRef{kEvaluator, static_cast<uint32_t>(index->integer)};
      return absl::OkStatus();
    }
    if (!job)
      return unknownJob(type->position, type->string);
    if (!index->is(Kind::Integer) || index->integer < 0 || index->integer >= job->tasks)
      return expected(*index, absl::StrCat("a task index from 0 to ", job->tasks - 1, " of job ",
                                           quoteJson(job->name)));
    config.task = TaskRef{job->name, static_cast<uint32_t>(index->integer)};
    return absl::OkStatus();
  }

  absl::Status parseDevices(const JsonValue &value) {
    if (!value.is(Kind::Object))
      return expected(value, "an object {JOB: [\"CPU:0\", …]} for \"devices\"");
    for (const JsonMember &member : value.members) {
      auto job = std::find_if(config.jobs.begin(), config.jobs.end(),
                              [&](auto &j) { return j.name == member.key; });
      if (job == config.jobs.end())
        return unknownJob(member.position, member.key);
      if (!member.value.is(Kind::Array) || member.value.elements.empty())
        return expected(member.value, "a list of devices such as [\"CPU:0\"]");
      job->devices.clear();
      job->devicesGiven = true;
      for (const JsonValue &element : member.value.elements) {
        if (!element.is(Kind::String))
          return expected(element, "a device such as \"CPU:0\"");
        absl::StatusOr<DeviceSpec> given =
            DeviceSpec::parse(absl::StrCat("/device:", element.string));
        if (!given.ok() || !given->type || !given->index || *given->index > 63)
          return expected(element,
                          absl::StrCat("a device such as \"CPU:0\" (", device::listKinds("or"),
                                       ", an index from 0 to 63)"));
        std::string name = absl::StrCat(*given->type, ":", *given->index);
        if (std::find(job->devices.begin(), job->devices.end(), name) != job->devices.end())
          return config.error(element.position,
                              absl::StrCat("device ", quoteJson(name), " is given twice"));
        job->devices.push_back(name);
      }
    }
    return absl::OkStatus();
  }

  absl::Status parseLinks(const JsonValue &value) {
    if (!value.is(Kind::Array))
      return expected(value, "a list of links");
    for (const JsonValue &element : value.elements) {
      if (!element.is(Kind::Object))
        return expected(element,
                        "a link {\"from\": DEVICE, \"to\": DEVICE, \"gigabits_per_second\": X}");
      if (absl::Status s = checkKeys(element, " in a link", keysOf("link")); !s.ok())
        return s;
      LinkConfig link;
      link.position = element.position;
      if (absl::Status s = readMemberDevice(element, "from", "a link", link.from); !s.ok())
        return s;
      if (absl::Status s = readMemberDevice(element, "to", "a link", link.to); !s.ok())
        return s;
      for (auto [key, target] : {std::pair("gigabits_per_second", &link.gigabitsPerSecond),
                                 std::pair("latency_us", &link.latencyMicroseconds)})
        if (const JsonValue *number = element.find(key)) {
          if ((!number->is(Kind::Integer) && !number->is(Kind::Float)) || !(number->number > 0))
            return expected(*number, absl::StrCat("a number above 0 for \"", key, "\""));
          *target = number->number;
        }
      config.links.push_back(std::move(link));
    }
    return absl::OkStatus();
  }

  absl::Status parsePlacement(const JsonValue &value) {
    if (!value.is(Kind::Array))
      return expected(value,
                      "a list of rules {\"name\": PATTERN, \"device\": DEVICE} for \"placement\"");
    for (const JsonValue &element : value.elements) {
      if (!element.is(Kind::Object))
        return expected(element, "a rule {\"name\": PATTERN, \"device\": DEVICE}");
      if (absl::Status s = checkKeys(element, " in a placement rule", keysOf("placement")); !s.ok())
        return s;
      PlacementRule rule;
      rule.position = element.position;
      const JsonValue *name = element.find("name");
      if (!name)
        return config.error(element.position, "a placement rule lacks \"name\"");
      if (!name->is(Kind::String) || name->string.empty())
        return expected(*name, "a name pattern such as \"layer1/*\"");
      if (name->string.size() > kMostPatternBytes)
        return config.error(name->position,
                            absl::StrCat("the name of a placement rule has ", name->string.size(),
                                         " bytes; expected at most ", kMostPatternBytes,
                                         ", and * stands for any run"));
      if (hasControlCharacter(name->string))
        return config.error(
            name->position,
            "the name of a placement rule has a control character, which no variable's "
            "name has; ? stands for any one character");
      rule.name = name->string;
      if (absl::Status s = readMemberDevice(element, "device", "a placement rule", rule.device);
          !s.ok())
        return s;
      if (rule.device.isEmpty())
        return expected(*element.find("device"),
                        "a device such as \"/job:ps/task:0\" for a placement rule");
      config.placement.push_back(std::move(rule));
    }
    return absl::OkStatus();
  }

  absl::Status parseBudget(const JsonValue &value) {
    if (!value.is(Kind::Object))
      return expected(value,
                      "an object {\"memory\": BYTES, \"bytes_per_step\": BYTES} for \"budget\"");
    if (absl::Status s = checkKeys(value, " in \"budget\"", keysOf("budget")); !s.ok())
      return s;
    config.budget.position = value.position;
    for (const JsonMember &member : value.members) {
      if (member.key == "memory") {
        if (absl::Status s = parseMemory(member.value); !s.ok())
          return s;
        continue;
      }
      std::optional<uint64_t> &out = member.key == "pinned_memory" ? config.budget.pinnedMemory
                                     : member.key == "bytes_per_step"
                                         ? config.budget.bytesPerStep
                                         : config.budget.pcieBytesPerStep;
      if (absl::Status s = readBytes(member.value, member.key, out.emplace()); !s.ok())
        return s;
    }
    return absl::OkStatus();
  }

  /// Of all devices, or by device: {"GPU:0": BYTES, "/job:ps": BYTES}.
  absl::Status parseMemory(const JsonValue &value) {
    std::vector<MemoryLimit> &limits = config.budget.memory;
    if (!value.is(Kind::Object)) {
      MemoryLimit &limit = limits.emplace_back();
      limit.position = config.budget.position;
      return readBytes(value, "memory", limit.bytes);
    }
    for (const JsonMember &member : value.members) {
      MemoryLimit &limit = limits.emplace_back();
      limit.position = member.position;
      JsonValue name;
      name.kind = Kind::String;
      name.position = member.position;
      name.string =
          member.key.substr(0, 1) == "/" ? member.key : absl::StrCat("/device:", member.key);
      if (absl::Status s = readDevice(name, limit.device); !s.ok())
        return s;
      if (absl::Status s = readBytes(member.value, member.key, limit.bytes); !s.ok())
        return s;
    }
    return absl::OkStatus();
  }

  const bool ofOthers_; ///< written for other programs too: unknown keys may be theirs
  std::map<std::string, JsonPosition> addresses_;
  uint64_t total_ = 0;
};

absl::StatusOr<ClusterConfig> parse(std::string_view text, std::string_view file, bool ofOthers) {
  ClusterConfig config;
  config.file = std::string(file);
  absl::StatusOr<JsonValue> root = base::parseJson(text, file);
  if (!root.ok())
    return root.status();
  if (absl::Status s = ClusterParser(config, ofOthers).parse(*root); !s.ok())
    return s;
  return config;
}
} // namespace

absl::StatusOr<ClusterConfig> parseCluster(std::string_view text, std::string_view file) {
  return parse(text, file, /*ofOthers=*/false);
}

absl::StatusOr<ClusterConfig> parseTfConfig(std::string_view text) {
  return parse(text, "TF_CONFIG", /*ofOthers=*/true);
}

absl::StatusOr<ClusterConfig> readClusterFile(const std::string &path) {
  struct stat info{};
  bool there = stat(path.c_str(), &info) == 0;
  bool handedOver = path == "/dev/stdin" || path.rfind("/dev/fd/", 0) == 0 ||
                    path.rfind("/proc/self/fd/", 0) == 0;
  // it might never end, or never begin
  if (there && !S_ISREG(info.st_mode) && !(S_ISFIFO(info.st_mode) && handedOver))
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": cannot read the cluster description: not a regular file"));
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return absl::NotFoundError(
        absl::StrCat(path, ": cannot open the cluster description: ", std::strerror(errno)));
  // One byte more than the limit, so that parseJson refuses what is too long.
  std::string text(base::JsonLimits().bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (in.fail() && !in.eof()))
    return absl::UnavailableError(absl::StrCat(path, ": cannot read the cluster description"));
  text.resize(static_cast<size_t>(in.gcount()));
  return parseCluster(text, path);
}

absl::StatusOr<StrategyConfig> parseStrategyFlag(std::string_view text,
                                                 const ClusterConfig &cluster) {
  ClusterConfig named = cluster;
  named.file = "--strategy";
  size_t start = text.find_first_not_of(" \t\n\r");
  std::string json =
      start != std::string_view::npos && text[start] == '{' ? std::string(text) : quoteJson(text);
  absl::StatusOr<JsonValue> value = base::parseJson(json, named.file);
  if (!value.ok())
    return value.status();
  StrategyConfig strategy;
  strategy.file = named.file;
  StrategyParser parser(named);
  if (absl::Status s = parser.parse(*value, strategy); !s.ok())
    return s;
  if (absl::Status s = parser.finish(strategy); !s.ok())
    return s;
  return strategy;
}

} // namespace graphc::cluster
