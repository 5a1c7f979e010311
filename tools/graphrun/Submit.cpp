#include "tools/graphrun/Submit.h"

#include "runtime/base/File.h"
#include "runtime/base/Status.h"
#include "runtime/cluster/Rank.h"
#include "runtime/plan/PlanFile.h"
#include "runtime/plan/Types.h"
#include "tools/graphrun/Flags.h"
#include "tools/graphrun/GpuShares.h"
#include "tools/graphrun/LaunchContext.h"
#include "tools/graphrun/Ranks.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <numeric>
#include <unistd.h>

namespace graphc::graphrun {
namespace {
constexpr char kDescription[] =
    "graphrun submit: prints the batch file or manifest with which a cluster runs a plan, requeued where a task was "
    "lost "
    "(exit status 138) and only there. What follows the plan are flags of the run. Nothing is submitted without --yes.";
constexpr char kFooter[] = R"(Examples:
  graphrun submit --engine slurm model.plan --epochs 5 --checkpoint_dir run1
  graphrun submit --engine slurm --nodes 2 --yes model.plan --epochs 5 --checkpoint_dir run1 --job_dir jobs
  graphrun submit --engine jobset --image registry/model:1 --volume claim:/model /model/model.plan --job_dir /model/jobs
Exit status: 0 it was printed or submitted; 2 the command line or the plan is wrong; with --yes that of sbatch, mpirun, kubectl or graphrun.)";

struct Job {
  std::string engine, name, image;
  uint32_t nodes = 1;
  uint32_t restarts = 10;
  std::vector<std::string> volumes; ///< CLAIM:PATH
  std::vector<std::string> arguments; ///< of graphrun, the plan first
  Flags flags; ///< these, read
  plan::LoadedPlan plan;
  size_t tasks = 0;
};

/// As a shell reads one word.
std::string quoted(const std::string &word) {
  bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || strchr("_-./:=,@%+", c) != nullptr;
  });
  return plain ? word : absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

std::string commandOf(const Job &job) {
  return absl::StrCat("graphrun ", absl::StrJoin(job.arguments, " ", [](std::string *out, const std::string &word) {
                        absl::StrAppend(out, quoted(word));
                      }));
}

/// What Kubernetes takes for a name, and Slurm too.
std::string nameOf(std::string text) {
  text = text.substr(text.rfind('/') + 1);
  text = absl::AsciiStrToLower(text.substr(0, text.find('.')));
  for (char &c : text)
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)))
      c = '-';
  while (!text.empty() && !absl::ascii_islower(static_cast<unsigned char>(text.front())))
    text.erase(0, 1);
  while (!text.empty() && text.back() == '-')
    text.pop_back();
  return text.empty() ? "graphrun" : text.substr(0, 30);
}

std::string slurmScript(const Job &job) {
  std::string text = absl::StrCat("#!/bin/sh\n#SBATCH --job-name=", job.name, "\n#SBATCH --nodes=", job.nodes,
                                  "\n#SBATCH --ntasks=", job.tasks, "\n");
  if (std::vector<uint32_t> gpus = gpusOfTasks(job.plan.plan);
      std::any_of(gpus.begin(), gpus.end(), [](uint32_t n) { return n > 0; }))
    absl::StrAppend(
        &text, "#SBATCH --gpus-per-node=", std::accumulate(gpus.begin(), gpus.end(), job.nodes - 1) / job.nodes, "\n");
  if (job.nodes > 1 &&
      job.plan.plan.jobs_size() > 1) // each node has its share of each job: a server beside each worker
    absl::StrAppend(&text, "#SBATCH --distribution=cyclic\n");
  absl::StrAppend(
      &text, "#SBATCH --requeue --open-mode=append\nsrun ", commandOf(job), "\nstatus=$?\n# ", kPeerLost,
      ": another task was lost; 137: srun's word for that one, which was killed. Any other status is final.\n"
      "case $status in 137 | ",
      kPeerLost, ") [ ${SLURM_RESTART_COUNT:-0} -ge ", job.restarts,
      " ] || scontrol requeue $SLURM_JOB_ID ;; esac\nexit $status\n");
  return text;
}

std::string mpiScript(const Job &job) {
  return absl::StrCat("#!/bin/sh\nexec mpirun -n ", job.tasks, " ", commandOf(job), "\n");
}

/// graphrun's own launcher begins again by itself, from a checkpoint.
std::string localScript(const Job &job) {
  const bool again = !job.flags.checkpointDirectory.empty() && job.restarts > 0;
  return absl::StrCat("#!/bin/sh\nexec ", commandOf(job), " --local",
                      again ? absl::StrCat(" --max_restarts ", job.restarts) : "", "\n");
}

/// TF_CONFIG of a job's pods, as hosted services give it; Kubernetes puts the index in.
std::string tfConfig(const Job &job, const std::string &type) {
  nlohmann::ordered_json cluster;
  for (const plan::Job &one : job.plan.plan.jobs())
    for (uint32_t i = 0; i < one.tasks(); ++i)
      cluster[one.name()].push_back(
          absl::StrCat(job.name, "-", cluster::podName(one.name()), "-0-", i, ".", job.name, ":", cluster::kPodPort));
  return absl::StrCat("{\"cluster\":", cluster.dump(), ",\"task\":{\"type\":\"", type,
                      "\",\"index\":$(JOB_COMPLETION_INDEX)}}");
}

std::string jobSetManifest(const Job &job) {
  using Json = nlohmann::ordered_json;
  std::vector<uint32_t> gpus = gpusOfTasks(job.plan.plan);
  Json mounts = Json::array(), volumes = Json::array(), jobs = Json::array();
  for (size_t i = 0; i < job.volumes.size(); ++i) {
    std::vector<std::string> parts = absl::StrSplit(job.volumes[i], absl::MaxSplits(':', 1));
    std::string name = absl::StrCat("volume-", i);
    mounts.push_back({{"name", name}, {"mountPath", parts[1]}});
    volumes.push_back({{"name", name}, {"persistentVolumeClaim", {{"claimName", parts[0]}}}});
  }
  size_t first = 0;
  for (const plan::Job &one : job.plan.plan.jobs()) {
    const uint32_t most = *std::max_element(gpus.begin() + static_cast<long>(first),
                                            gpus.begin() + static_cast<long>(first + one.tasks()));
    first += one.tasks();
    Json command = Json::array({"graphrun"});
    for (const std::string &argument : job.arguments)
      command.push_back(argument);
    Json container = {
        {"name", "graphrun"},
        {"image", job.image},
        {"command", command},
        {"env",
         {{{"name", "JOB_COMPLETION_INDEX"},
           {"valueFrom",
            {{"fieldRef", {{"fieldPath", "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}}}}},
          {{"name", "TF_CONFIG"}, {"value", tfConfig(job, one.name())}}}},
        {"ports", Json::array({{{"containerPort", cluster::kPodPort}}})},
        {"volumeMounts", mounts}};
    if (most > 0) // whoever has none, as parameter servers, is put where GPUs are not wanted
      container["resources"] = {{"limits", {{"nvidia.com/gpu", absl::StrCat(most)}}}};
    Json pod = {{"restartPolicy", "Never"}, {"containers", Json::array({container})}, {"volumes", volumes}};
    // The statuses after which the set begins again: a loss, and what a lost pod itself ends with (SIGKILL, SIGTERM).
    Json final = {{"action", "FailJob"},
                  {"onExitCodes",
                   {{"containerName", "graphrun"}, {"operator", "NotIn"}, {"values", {128 + 9, kPeerLost, 128 + 15}}}}};
    jobs.push_back({{"name", cluster::podName(one.name())},
                    {"replicas", 1},
                    {"template",
                     {{"spec",
                       {{"parallelism", one.tasks()},
                        {"completions", one.tasks()},
                        {"completionMode", "Indexed"},
                        {"backoffLimit", 0},
                        {"podFailurePolicy", {{"rules", Json::array({final})}}},
                        {"template", {{"spec", pod}}}}}}}});
  }
  Json giveUp = {
      {"name", "final"}, {"action", "FailJobSet"}, {"onJobFailureReasons", Json::array({"PodFailurePolicy"})}};
  Json manifest = {{"apiVersion", "jobset.x-k8s.io/v1alpha2"},
                   {"kind", "JobSet"},
                   {"metadata", {{"name", job.name}}},
                   {"spec",
                    {{"network", {{"enableDNSHostnames", true}, {"subdomain", job.name}}},
                     {"failurePolicy", {{"maxRestarts", job.restarts}, {"rules", Json::array({giveUp})}}},
                     {"replicatedJobs", jobs}}}};
  return manifest.dump(2) + "\n";
}

struct Engine {
  const char *name;
  std::string (*print)(const Job &);
  std::vector<const char *> command; ///< takes it as a file
};
const Engine kEngines[] = {{"slurm", slurmScript, {"sbatch"}},
                           {"mpi", mpiScript, {"sh"}},
                           {"jobset", jobSetManifest, {"kubectl", "apply", "-f"}},
                           {"local", localScript, {"sh"}}};

/// Each pod's name, which is its host's, has to be one that Kubernetes takes.
absl::Status checkNames(const Job &job) {
  constexpr size_t kMost = 63; // of a label, RFC 1123
  std::map<std::string, std::string> jobs;
  for (const plan::Job &one : job.plan.plan.jobs()) {
    const std::string name = cluster::podName(one.name());
    const std::string pod = absl::StrCat(job.name, "-", name, "-0-", one.tasks() - 1);
    if (absl::EndsWith(name, "-"))
      return absl::InvalidArgumentError(absl::StrCat("job ", one.name(), " would be called ", name,
                                                     ", and no name of Kubernetes ends in '-'; call it otherwise"));
    if (auto [other, added] = jobs.emplace(name, one.name()); !added)
      return absl::InvalidArgumentError(absl::StrCat("jobs ", other->second, " and ", one.name(),
                                                     " would both be called ", name,
                                                     " by Kubernetes; call one otherwise"));
    if (pod.size() > kMost)
      return absl::InvalidArgumentError(absl::StrCat("the host name ", pod, " has ", pod.size(),
                                                     " characters, and Kubernetes takes ", kMost,
                                                     "; give a shorter --name, or call the job otherwise"));
  }
  return absl::OkStatus();
}

/// Own flags stand before the plan, the run's behind it: where the plan is, both know.
absl::Status check(const Job &job) {
  const bool apart = job.engine == "jobset" || job.nodes > 1;
  if (!job.flags.jobName.empty() || !job.flags.master.empty() || job.flags.local)
    return absl::InvalidArgumentError("--job_name, --master and --local say which task a process is, which is the "
                                      "engine's to say; leave them out");
  if (job.flags.maxRestarts > 0)
    return absl::InvalidArgumentError(
        "--max_restarts is for a run that graphrun starts by itself; --restarts before the "
        "plan says how often the engine begins again");
  if (job.engine == "jobset" && job.image.empty())
    return absl::InvalidArgumentError("--engine jobset needs --image IMAGE, a container image with graphrun");
  if (job.engine == "jobset")
    GRAPHC_RETURN_IF_ERROR(checkNames(job));
  if (job.engine != "jobset" && (!job.image.empty() || !job.volumes.empty()))
    return absl::InvalidArgumentError("--image and --volume are for --engine jobset");
  if (job.nodes > 1 && job.engine != "slurm")
    return absl::InvalidArgumentError(absl::StrCat("--nodes is for --engine slurm, not ", job.engine));
  if (job.nodes > job.tasks)
    return absl::InvalidArgumentError(
        absl::StrCat("--nodes ", job.nodes, ": the plan has ", job.tasks, job.tasks == 1 ? " task" : " tasks"));
  if (apart && job.tasks > 1 && job.flags.jobDirectory.empty())
    return absl::InvalidArgumentError("tasks on several hosts need mutual TLS; give --job_dir DIR behind the plan, a "
                                      "folder that all of them see");
  for (const std::string &volume : job.volumes)
    if (size_t colon = volume.find(':'); colon == 0 || colon == std::string::npos || volume.substr(colon + 1, 1) != "/")
      return absl::InvalidArgumentError(absl::StrCat("--volume ", volume,
                                                     ": expected CLAIM:/PATH, a persistent volume "
                                                     "claim and where it is mounted"));
  return absl::OkStatus();
}

int execute(const Engine &engine, const std::string &text) {
  auto file = base::sealedMemfd("job", text);
  if (!file.ok()) {
    std::fprintf(stderr, "graphrun submit: %s\n", base::describe(file.status()).c_str());
    return 1;
  }
  fcntl(file->get(), F_SETFD, 0);
  const std::string name = absl::StrCat("/proc/self/fd/", file->get());
  std::vector<char *> pointers;
  for (const char *word : engine.command)
    pointers.push_back(const_cast<char *>(word));
  pointers.push_back(const_cast<char *>(name.c_str()));
  pointers.push_back(nullptr);
  std::fflush(nullptr);
  execvp(pointers[0], pointers.data());
  std::fprintf(stderr, "graphrun submit: cannot run %s: %s; is it installed, and in PATH?\n", pointers[0],
               std::strerror(errno));
  return 1;
}
} // namespace

int submit(int argc, char **argv) {
  CLI::App app(kDescription, "graphrun submit");
  app.footer(kFooter);
  app.allow_extras();
  app.prefix_command(); // from the plan on all is the run's
  Job job;
  bool yes = false;
  std::vector<std::string> names;
  for (const Engine &engine : kEngines)
    names.push_back(engine.name);
  app.add_option("--engine", job.engine, "slurm, mpi, jobset or local")->check(CLI::IsMember(names))->type_name("NAME");
  app.add_option("--name", job.name, "the job's name (default: the plan's)")->type_name("NAME");
  app.add_option("--nodes", job.nodes, "slurm: on how many nodes (default 1)")
      ->check(CLI::Range(1u, 65536u))
      ->type_name("N");
  app.add_option("--restarts", job.restarts,
                 "slurm, jobset, local (there with --checkpoint_dir): begin again at most so often (default 10)")
      ->check(CLI::Range(0u, 1000000u))
      ->type_name("N");
  app.add_option("--image", job.image, "jobset: the container image, with graphrun in it, of all tasks")
      ->type_name("IMAGE");
  app.add_option("--volume", job.volumes,
                 "jobset: CLAIM:/PATH, a persistent volume claim and where it is mounted; may be given again")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("CLAIM:/PATH");
  app.add_flag("--yes", yes, "submit it: sbatch, mpirun, kubectl apply, or graphrun here");
  auto usage = [](const std::string &message) {
    std::fprintf(stderr, "graphrun submit: %s\n", message.c_str());
    return 2;
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError &error) {
    return usage(error.what());
  }
  if (job.engine.empty())
    return usage("--engine slurm, mpi, jobset or local is missing; it stands before the plan: graphrun submit --engine "
                 "slurm model.plan");
  job.arguments = app.remaining();
  std::vector<char *> own = {argv[0]};
  for (std::string &argument : job.arguments)
    own.push_back(argument.data());
  if (!job.arguments.empty() && absl::StartsWith(job.arguments.front(), "-"))
    return usage(
        absl::StrCat("unknown flag ", job.arguments.front(), " (see --help); flags of the run stand behind the plan"));
  auto parsed = parseFlags(static_cast<int>(own.size()), own.data());
  if (!parsed.ok())
    return usage(base::describe(parsed.status()));
  if (parsed->exitStatus)
    return *parsed->exitStatus;
  job.flags = parsed->flags;
  auto plan = plan::loadPlan(job.flags.plan);
  if (!plan.ok())
    return usage(base::describe(plan.status()));
  job.plan = *std::move(plan);
  job.tasks = plan::allTasks(job.plan.plan).size();
  job.name = nameOf(job.name.empty() ? job.flags.plan : job.name);
  if (absl::Status status = check(job); !status.ok())
    return usage(base::describe(status));
  const Engine &engine = *std::find_if(std::begin(kEngines), std::end(kEngines),
                                       [&](const Engine &one) { return job.engine == one.name; });
  const std::string text = engine.print(job);
  if (!yes) {
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  return execute(engine, text);
}

} // namespace graphc::graphrun
