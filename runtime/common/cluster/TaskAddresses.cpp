#include "runtime/common/cluster/TaskAddresses.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <set>

namespace graphc::cluster {
namespace {

/// Splits at the last colon; false where there is none.
bool split(std::string_view address, std::string_view &host, std::string_view &port) {
  size_t colon = address.rfind(':');
  if (colon == std::string_view::npos)
    return false;
  host = address.substr(0, colon);
  port = address.substr(colon + 1);
  return true;
}

std::string jobsText(const std::map<std::string, uint32_t> &jobs) {
  return absl::StrJoin(jobs, ", ", [](std::string *out, const auto &job) {
    absl::StrAppend(out, job.second, " ", job.first, job.second == 1 ? " task" : " tasks");
  });
}

std::map<std::string, uint32_t> countsOf(const ClusterConfig &config) {
  std::map<std::string, uint32_t> counts;
  for (const JobConfig &job : config.jobs)
    counts[job.name] = job.tasks;
  return counts;
}

} // namespace

void renameMaster(ClusterConfig &config) {
  if (config.findJob("chief"))
    return;
  for (JobConfig &job : config.jobs)
    if (job.name == "master")
      job.name = "chief";
  if (config.task && config.task->job == "master")
    config.task->job = "chief";
}

absl::Status checkAddress(std::string_view address) {
  std::string_view host, port;
  auto bad = [&](std::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("malformed address ",
                                                   base::quoteJson(address.substr(0, 80)), ": ",
                                                   base::view(why), "; expected \"host:port\""));
  };
  if (address.size() > 300)
    return bad("longer than 300 characters");
  if (!split(address, host, port))
    return bad("no port");
  uint32_t number = 0;
  if (port.empty() || port.size() > 5 ||
      !std::all_of(port.begin(), port.end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(base::view(port), &number) || number < 1 || number > 65535)
    return bad("the port must be a number from 1 to 65535");
  if (host.empty())
    return bad("no host");
  bool v6 = host.front() == '[' && host.back() == ']' && host.size() > 3;
  if (v6)
    host = host.substr(1, host.size() - 2);
  for (char c : host)
    if (!(absl::ascii_isalnum(c) || c == '.' || c == '-' || c == '_' ||
          (v6 && (c == ':' || c == '%'))))
      return bad(
          v6 ? "the host is no IPv6 address"
             : "a host has letters, digits, '.', '-' and '_' (an IPv6 address stands in brackets)");
  return absl::OkStatus();
}

bool isLoopbackAddress(std::string_view address) {
  std::string_view host, port;
  if (!split(address, host, port))
    return false;
  if (absl::AsciiStrToLower(base::view(host)) == "localhost" || host == "[::1]")
    return true;
  // 127.0.0.0/8 and nothing that only looks like it ("127.evil.example").
  std::vector<std::string> parts = absl::StrSplit(base::view(host), '.');
  if (parts.size() != 4 || parts[0] != "127")
    return false;
  return std::all_of(parts.begin(), parts.end(), [](const std::string &part) {
    uint32_t number = 0;
    return !part.empty() && part.size() <= 3 &&
           std::all_of(part.begin(), part.end(), absl::ascii_isdigit) &&
           absl::SimpleAtoi(part, &number) && number < 256;
  });
}

absl::StatusOr<std::vector<std::string>> parseHostList(std::string_view text,
                                                       std::string_view flag) {
  std::vector<std::string> hosts = absl::StrSplit(base::view(text), ',');
  if (hosts.size() > 65536)
    return absl::InvalidArgumentError(
        absl::StrCat(base::view(flag), ": more than 65536 addresses"));
  for (std::string &host : hosts) {
    host = std::string(absl::StripAsciiWhitespace(host));
    if (absl::Status s = checkAddress(host); !s.ok())
      return absl::InvalidArgumentError(absl::StrCat(base::view(flag), ": ", s.message()));
  }
  return hosts;
}

absl::StatusOr<ResolvedAddresses> resolveAddresses(const std::vector<PlanJob> &plan,
                                                   const AddressSources &sources) {
  std::map<std::string, uint32_t> planCounts;
  for (const PlanJob &job : plan)
    planCounts[job.name] = job.tasks;
  ResolvedAddresses result;

  std::vector<std::string> used;
  auto take = [&](const ClusterConfig &config) {
    for (const JobConfig &job : config.jobs)
      if (!job.addresses.empty())
        result.addresses[job.name] = job.addresses;
    result.task = config.task;
  };

  bool hasEnvironment = sources.environment && !sources.environment->empty();
  if (sources.file) {
    if (countsOf(*sources.file) != planCounts)
      return absl::FailedPreconditionError(
          absl::StrCat(sources.file->file, " has ", jobsText(countsOf(*sources.file)),
                       ", but the plan was compiled for ", jobsText(planCounts),
                       "; compile the model again for this cluster"));
    take(*sources.file);
    if (!result.addresses.empty())
      used.push_back(absl::StrCat("from ", sources.file->file));
    if (hasEnvironment)
      result.notes.push_back(
          absl::StrCat("TF_CONFIG is not used: ", sources.file->file, " is given"));
  } else if (hasEnvironment) {
    absl::StatusOr<ClusterConfig> config = parseTfConfig(*sources.environment);
    if (config.ok() && planCounts.contains("chief") && !planCounts.contains("master"))
      renameMaster(*config);
    if (!config.ok()) {
      result.notes.push_back(absl::StrCat("TF_CONFIG is not used: ", config.status().message()));
    } else if (countsOf(*config) != planCounts) {
      result.notes.push_back(absl::StrCat("TF_CONFIG is not used: it has ",
                                          jobsText(countsOf(*config)), ", the plan has ",
                                          jobsText(planCounts)));
    } else {
      take(*config);
      used.push_back("from the environment variable TF_CONFIG");
    }
  }

  for (const auto &[job, hosts] : sources.flags) {
    auto planned = planCounts.find(job);
    if (planned == planCounts.end() && job == kEvaluator)
      continue; // nobody calls it
    if (planned == planCounts.end())
      return absl::FailedPreconditionError(
          absl::StrCat("--", job, "_hosts is given, but the plan has no job \"", job,
                       "\"; it was compiled for ", jobsText(planCounts)));
    if (hosts.size() != planned->second)
      return absl::FailedPreconditionError(absl::StrCat(
          "--", job, "_hosts names ", hosts.size(), " ", job,
          hosts.size() == 1 ? " task" : " tasks", ", but the plan was compiled for ",
          jobsText(planCounts), "; name ", planned->second, " or compile the model again"));
    result.addresses[job] = hosts;
    used.push_back(absl::StrCat("from --", job, "_hosts"));
  }

  std::map<std::string, std::string> taskOf;
  for (const auto &[job, hosts] : result.addresses)
    for (size_t i = 0; i < hosts.size(); ++i) {
      std::string task = taskName(job, static_cast<uint32_t>(i));
      auto [other, isNew] = taskOf.try_emplace(hosts[i], task);
      if (!isNew)
        return absl::InvalidArgumentError(
            absl::StrCat("address ", hosts[i], " is given to both ", other->second, " and ", task));
    }
  if (!result.addresses.empty() && result.addresses.size() != planCounts.size()) {
    std::vector<std::string> missing;
    for (const auto &[job, tasks] : planCounts)
      if (!result.addresses.contains(job))
        missing.push_back(absl::StrCat("--", job, "_hosts"));
    return absl::FailedPreconditionError(
        absl::StrCat("some tasks have no address; also give ", absl::StrJoin(missing, ", ")));
  }
  if (!used.empty())
    result.notes.insert(result.notes.begin(),
                        absl::StrCat("addresses ", absl::StrJoin(used, ", ")));
  return result;
}

} // namespace graphc::cluster
