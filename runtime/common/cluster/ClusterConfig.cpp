#include "runtime/common/cluster/ClusterConfig.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/cluster/TaskAddresses.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <bit>
#include <set>

namespace graphc::cluster {

std::string_view StrategyConfig::name() const {
  switch (kind) {
  case StrategyKind::OneDevice:
    return "one_device";
  case StrategyKind::InGraph:
    return "in_graph";
  case StrategyKind::Mirrored:
    return "mirrored";
  case StrategyKind::ParameterServer:
    return "parameter_server";
  case StrategyKind::AllReduce:
    return "all_reduce";
  }
  return "";
}

ClusterConfig ClusterConfig::oneTask() {
  ClusterConfig config;
  config.file = "<one task>";
  config.jobs.emplace_back().name = "worker";
  config.jobs.back().tasks = 1;
  return config;
}

const JobConfig *ClusterConfig::findJob(std::string_view name) const {
  for (const JobConfig &job : jobs)
    if (job.name == name)
      return &job;
  return nullptr;
}

uint32_t ClusterConfig::taskCount() const {
  uint32_t count = 0;
  for (const JobConfig &job : jobs)
    count += job.tasks;
  return count;
}

TaskRef ClusterConfig::chief() const {
  for (const char *name : {"chief", "worker"})
    if (findJob(name))
      return {name, 0};
  for (const JobConfig &job : jobs)
    if (job.name != "ps" && job.name != "evaluator")
      return {job.name, 0};
  return {jobs.empty() ? "worker" : jobs.front().name, 0};
}

std::vector<TaskRange>
defaultReplicas(const std::function<uint32_t(std::string_view job)> &tasksOf) {
  std::vector<TaskRange> ranges;
  for (const char *job : {"chief", "worker"})
    if (uint32_t tasks = tasksOf(job))
      ranges.push_back({job, 0, tasks});
  return ranges;
}

std::vector<TaskRange> ClusterConfig::replicas() const {
  std::vector<TaskRange> ranges = defaultReplicas([this](std::string_view name) {
    const JobConfig *job = findJob(name);
    return job ? job->tasks : 0;
  });
  if (ranges.empty())
    ranges.push_back({chief().job, 0, 1});
  return ranges;
}

uint32_t ClusterConfig::replicaCount() const {
  uint32_t count = 0;
  for (const TaskRange &range : replicas())
    count += range.count;
  return count;
}

std::string ClusterConfig::hostOf(std::string_view job, uint32_t task) const {
  const JobConfig *found = findJob(job);
  if (!found || task >= found->addresses.size() || isLoopbackAddress(found->addresses[task]))
    return "";
  return absl::AsciiStrToLower(found->addresses[task].substr(0, found->addresses[task].rfind(':')));
}

bool ClusterConfig::replicasShareHost() const {
  std::set<std::string> hosts;
  for (const TaskRange &range : replicas())
    for (uint32_t i = 0; i < range.count; ++i)
      hosts.insert(hostOf(range.job, range.first + i));
  return hosts.size() == 1;
}

bool ClusterConfig::tasksShareHost() const {
  std::set<std::string> hosts;
  for (const JobConfig &job : jobs)
    for (uint32_t task = 0; task < job.tasks; ++task)
      hosts.insert(hostOf(job.name, task));
  return hosts.size() == 1;
}

uint32_t ClusterConfig::hostsOfSums() const {
  // hosts and how many replicas in a row each has
  std::vector<std::pair<std::string, uint32_t>> rows;
  for (const TaskRange &range : replicas())
    for (uint32_t i = 0; i < range.count; ++i) {
      std::string host = hostOf(range.job, range.first + i);
      if (rows.empty() || rows.back().first != host)
        rows.emplace_back(std::move(host), 0);
      ++rows.back().second;
    }
  std::set<std::string> seen;
  const uint32_t each = rows.front().second;
  for (const auto &[host, count] : rows)
    if (count != each || !seen.insert(host).second)
      return 1;
  return each > 1 && std::has_single_bit(each) ? uint32_t(rows.size()) : 1;
}

std::vector<std::string> ClusterConfig::deviceNames(size_t limit) const {
  std::vector<std::string> names;
  for (const JobConfig &job : jobs)
    for (uint32_t task = 0; task < job.tasks; ++task)
      for (const std::string &device : job.devices) {
        if (names.size() == limit)
          return names;
        names.push_back(absl::StrCat(taskName(job.name, task), "/device:", device));
      }
  return names;
}

static uint32_t countOf(const JobConfig &job, const device::DeviceKind &kind) {
  return uint32_t(
      std::count_if(job.devices.begin(), job.devices.end(),
                    [&](const std::string &name) { return device::kindOf(name) == kind.name; }));
}

bool ClusterConfig::hasDevices(const device::DeviceKind &kind) const {
  return std::any_of(jobs.begin(), jobs.end(),
                     [&](const JobConfig &job) { return countOf(job, kind) > 0; });
}

/// Those from `first` on go.
static void dropDevices(JobConfig &job, const device::DeviceKind &kind, uint32_t first) {
  std::erase_if(job.devices, [&](const std::string &name) {
    // the parser has read it
    absl::StatusOr<DeviceSpec> device = DeviceSpec::parse(absl::StrCat("/device:", name));
    return device::kindOf(name) == kind.name && device.ok() && device->index.value_or(0) >= first;
  });
  if (job.devices.empty())
    job.devices.push_back(device::hostDevice());
}

absl::Status ClusterConfig::giveDevices(const device::DeviceKind &kind, uint32_t count) {
  for (JobConfig &job : jobs) {
    const uint32_t named = countOf(job, kind);
    if (count == 0) {
      dropDevices(job, kind, 0);
    } else if (job.name != "ps" && job.name != "evaluator" && named != count) {
      if (job.devicesGiven)
        return error(job.position,
                     absl::StrCat("\"devices\" names ", named, " ", base::view(kind.name),
                                  named == 1 ? "" : "s", " for each task of job ",
                                  base::quoteJson(job.name), ", but --num_gpus=", count,
                                  " is given; leave one of them out"));
      for (uint32_t i = 0; i < count; ++i)
        job.devices.push_back(absl::StrCat(base::view(kind.name), ":", i));
    }
  }
  moveTowers();
  return absl::OkStatus();
}

std::vector<const JobConfig *> ClusterConfig::limitDevices(const device::DeviceKind &kind,
                                                           uint32_t count) {
  std::vector<const JobConfig *> limited;
  for (JobConfig &job : jobs) {
    bool isHere = true;
    for (uint32_t task = 0; task < job.tasks; ++task)
      isHere &= hostOf(job.name, task).empty();
    if (!isHere || countOf(job, kind) <= count)
      continue;
    dropDevices(job, kind, count);
    limited.push_back(&job);
  }
  moveTowers();
  return limited;
}

/// Towers of devices that are gone are on the first of their task, once.
void ClusterConfig::moveTowers() {
  std::vector<DeviceSpec> kept;
  for (DeviceSpec device : strategy.devices) {
    if (const JobConfig *job = findJob(device.job.value_or("")); job && !hasDevice(device)) {
      absl::StatusOr<DeviceSpec> first =
          DeviceSpec::parse(absl::StrCat("/device:", job->devices.front()));
      if (first.ok())
        device = first->mergedInto({device.job, device.task, {}, {}});
    }
    if (std::find(kept.begin(), kept.end(), device) == kept.end())
      kept.push_back(std::move(device));
  }
  strategy.devices = std::move(kept);
}

bool ClusterConfig::hasDevice(const DeviceSpec &full) const {
  if (!full.isFull())
    return false;
  const JobConfig *job = findJob(*full.job);
  return job && *full.task < job->tasks &&
         std::find(job->devices.begin(), job->devices.end(),
                   absl::StrCat(*full.type, ":", *full.index)) != job->devices.end();
}

} // namespace graphc::cluster
