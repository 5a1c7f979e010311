#include "tools/graphrun/submit/JobSetManifest.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/cluster/ClusterConfig.h"
#include "runtime/common/cluster/LauncherRank.h"
#include "runtime/common/plan/StandalonePlan.h"
#include "runtime/launch/GpuAssignment.h"
#include "runtime/launch/LaunchContext.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace graphc::graphrun {
namespace {
/// TF_CONFIG of a job's pods, as hosted services give it; Kubernetes puts the index in.
std::string tfConfig(const SubmittedJob &job, const std::string &type) {
  nlohmann::ordered_json cluster;
  for (const plan::Job &one : job.plan.plan.jobs())
    for (uint32_t i = 0; i < one.tasks(); ++i)
      cluster[one.name()].push_back(absl::StrCat(job.name, "-", cluster::podName(one.name()), "-0-",
                                                 i, ".", job.name, ":", cluster::kPodPort));
  return absl::StrCat("{\"cluster\":", cluster.dump(), ",\"task\":{\"type\":\"", type,
                      "\",\"index\":$(JOB_COMPLETION_INDEX)}}");
}

/// What all replicated jobs of a JobSet are made of.
struct Pods {
  std::string name;
  uint32_t count = 1;
  uint32_t gpus = 0; ///< of each
  std::vector<std::string> arguments; ///< of graphrun
  nlohmann::ordered_json onExit; ///< rules of the job's podFailurePolicy
};

nlohmann::ordered_json onExit(const char *action, const char *statuses, std::vector<int> values) {
  return {{"action", action},
          {"onExitCodes",
           {{"containerName", "graphrun"}, {"operator", statuses}, {"values", std::move(values)}}}};
}

/// On no node with a pod of another job of the set: neither goes where the other is. Where a label
/// is given, on nodes that have it.
void apart(const SubmittedJob &job, nlohmann::ordered_json *pod) {
  using Json = nlohmann::ordered_json;
  if (!job.own->label.empty())
    (*pod)["nodeSelector"] = {{job.own->label, job.own->value}};
  const Json others = {
      {"matchLabels", {{"jobset.sigs.k8s.io/jobset-name", job.name}}},
      {"matchExpressions",
       Json::array({{{"key", "jobset.sigs.k8s.io/replicatedjob-name"},
                     {"operator", "NotIn"},
                     {"values", Json::array({cluster::podName(job.own->job)})}}})}};
  (*pod)["affinity"] = {
      {"podAntiAffinity",
       {{"requiredDuringSchedulingIgnoredDuringExecution",
         Json::array({{{"topologyKey", "kubernetes.io/hostname"}, {"labelSelector", others}}})}}}};
}

nlohmann::ordered_json replicatedJob(const SubmittedJob &job, const Pods &pods) {
  using Json = nlohmann::ordered_json;
  Json mounts = Json::array(), volumes = Json::array();
  for (size_t i = 0; i < job.volumes.size(); ++i) {
    std::vector<std::string> parts = absl::StrSplit(job.volumes[i], absl::MaxSplits(':', 1));
    std::string name = absl::StrCat("volume-", i);
    mounts.push_back({{"name", name}, {"mountPath", parts[1]}});
    volumes.push_back({{"name", name}, {"persistentVolumeClaim", {{"claimName", parts[0]}}}});
  }
  Json command = Json::array({"graphrun"});
  for (const std::string &argument : pods.arguments)
    command.push_back(argument);
  Json container = {
      {"name", "graphrun"},
      {"image", job.image},
      {"command", command},
      {"env",
       {{{"name", "JOB_COMPLETION_INDEX"},
         {"valueFrom",
          {{"fieldRef",
            {{"fieldPath", "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}}}}},
        {{"name", "TF_CONFIG"}, {"value", tfConfig(job, pods.name)}}}},
      {"ports", Json::array({{{"containerPort", cluster::kPodPort}}})},
      {"volumeMounts", mounts}};
  if (pods.gpus > 0) // whoever has none, as parameter servers, is put where GPUs are not wanted
    container["resources"] = {{"limits", {{"nvidia.com/gpu", absl::StrCat(pods.gpus)}}}};
  Json pod = {
      {"restartPolicy", "Never"}, {"containers", Json::array({container})}, {"volumes", volumes}};
  if (job.own && job.own->job == pods.name)
    apart(job, &pod);
  const std::string &chief = chiefsJob(job).name();
  if (job.beside && pods.name != chief && pods.name != cluster::kEvaluator)
    // on the node of the task of the chief's job that has the same index
    pod["affinity"] = {
        {"podAffinity",
         {{"requiredDuringSchedulingIgnoredDuringExecution",
           Json::array({{{"topologyKey", "kubernetes.io/hostname"},
                         {"labelSelector",
                          {{"matchLabels",
                            {{"jobset.sigs.k8s.io/jobset-name", job.name},
                             {"jobset.sigs.k8s.io/replicatedjob-name", cluster::podName(chief)}}}}},
                         {"matchLabelKeys",
                          Json::array({"batch.kubernetes.io/job-completion-index"})}}})}}}};
  return {{"name", cluster::podName(pods.name)},
          {"replicas", 1},
          {"template",
           {{"spec",
             {{"parallelism", pods.count},
              {"completions", pods.count},
              {"completionMode", "Indexed"},
              {"backoffLimit", 0},
              {"podFailurePolicy", {{"rules", pods.onExit}}},
              {"template", {{"spec", pod}}}}}}}};
}

/// No task: nobody waits for it, and its pod is made anew whatever it ends by, its node's loss too,
/// until it has the last checkpoint (status 0). What would be refused again (2) is as final as a
/// task's.
Pods evaluatorPod(const SubmittedJob &job) {
  Pods pods;
  pods.name = cluster::kEvaluator;
  if (auto alone = plan::standalonePlan(job.plan.plan, plan::EVAL, cluster::kEvaluator); alone.ok())
    pods.gpus = launch::gpusOfTasks(*alone).front();
  pods.arguments = job.arguments;
  pods.arguments.insert(pods.arguments.end(), {"--job_name", cluster::kEvaluator});
  const nlohmann::ordered_json isDisrupted = {{{"type", "DisruptionTarget"}, {"status", "True"}}};
  pods.onExit =
      nlohmann::ordered_json::array({{{"action", "Ignore"}, {"onPodConditions", isDisrupted}},
                                     onExit("FailJob", "In", {2}),
                                     onExit("Ignore", "NotIn", {2})});
  return pods;
}
} // namespace

std::string jobSetManifest(const SubmittedJob &job) {
  using Json = nlohmann::ordered_json;
  std::vector<uint32_t> gpus = launch::gpusOfTasks(job.plan.plan);
  Json jobs = Json::array();
  size_t first = 0;
  for (const plan::Job &one : job.plan.plan.jobs()) {
    const uint32_t most = *std::max_element(gpus.begin() + static_cast<long>(first),
                                            gpus.begin() + static_cast<long>(first + one.tasks()));
    first += one.tasks();
    // The statuses after which the set begins again: a loss, and what a lost pod itself ends with
    // (SIGKILL, SIGTERM).
    const Json final = onExit("FailJob", "NotIn", {128 + 9, launch::kPeerLost, 128 + 15});
    jobs.push_back(
        replicatedJob(job, {one.name(), one.tasks(), most, job.arguments, Json::array({final})}));
  }
  if (job.flags.evaluator)
    jobs.push_back(replicatedJob(job, evaluatorPod(job)));
  Json giveUp = {{"name", "final"},
                 {"action", "FailJobSet"},
                 {"onJobFailureReasons", Json::array({"PodFailurePolicy"})}};
  Json manifest = {
      {"apiVersion", "jobset.x-k8s.io/v1alpha2"},
      {"kind", "JobSet"},
      {"metadata", {{"name", job.name}}},
      {"spec",
       {{"network", {{"enableDNSHostnames", true}, {"subdomain", job.name}}},
        {"failurePolicy", {{"maxRestarts", job.restarts}, {"rules", Json::array({giveUp})}}},
        {"replicatedJobs", jobs}}}};
  return manifest.dump(2) + "\n";
}

absl::Status checkPodNames(const SubmittedJob &job) {
  std::map<std::string, std::string> jobs;
  const auto checkLength = [&](const std::string &name, uint32_t tasks) {
    constexpr size_t kMost = 63; // of a label, RFC 1123
    const std::string pod = absl::StrCat(job.name, "-", name, "-0-", tasks - 1);
    return pod.size() <= kMost ? absl::OkStatus()
                               : absl::InvalidArgumentError(absl::StrCat(
                                     "the host name ", pod, " has ", pod.size(),
                                     " characters, and Kubernetes takes ", kMost,
                                     "; give a shorter --name, or call the job otherwise"));
  };
  if (job.flags.evaluator) {
    jobs.emplace(cluster::kEvaluator, "that of --evaluator");
    GRAPHC_RETURN_IF_ERROR(checkLength(cluster::kEvaluator, 1));
  }
  for (const plan::Job &one : job.plan.plan.jobs()) {
    const std::string name = cluster::podName(one.name());
    if (absl::EndsWith(name, "-"))
      return absl::InvalidArgumentError(
          absl::StrCat("job ", one.name(), " would be called ", name,
                       ", and no name of Kubernetes ends in '-'; call it otherwise"));
    if (auto [other, added] = jobs.emplace(name, one.name()); !added)
      return absl::InvalidArgumentError(absl::StrCat("jobs ", other->second, " and ", one.name(),
                                                     " would both be called ", name,
                                                     " by Kubernetes; call one otherwise"));
    GRAPHC_RETURN_IF_ERROR(checkLength(name, one.tasks()));
  }
  return absl::OkStatus();
}

} // namespace graphc::graphrun
