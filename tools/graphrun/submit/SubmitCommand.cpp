#include "tools/graphrun/submit/SubmitCommand.h"

#include "runtime/api/RankRendezvous.h"
#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/cluster/ClusterConfig.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/launch/GpuAssignment.h"
#include "runtime/launch/LaunchContext.h"
#include "tools/graphrun/EvaluatorMain.h"
#include "tools/graphrun/submit/JobSetManifest.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <numeric>
#include <optional>
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
  graphrun submit --engine slurm --nodes 4 --partition gpu --apart ps=2:cpu model.plan --job_dir jobs
  graphrun submit --engine jobset --image registry/model:1 --volume claim:/model /model/model.plan --job_dir /model/jobs
  graphrun submit --engine jobset --image registry/model:1 --apart ps:pool=cpu model.plan --job_dir jobs
Exit status: 0 it was printed or submitted; 2 the command line or the plan is wrong; with --yes that of sbatch, mpirun, kubectl or graphrun.)";

/// As a shell reads one word.
std::string quoted(const std::string &word) {
  bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || strchr("_-./:=,@%+", c) != nullptr;
  });
  return plain ? word : absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

std::string commandOf(const SubmittedJob &job) {
  return absl::StrCat(
      "graphrun ", absl::StrJoin(job.arguments, " ", [](std::string *out, const std::string &word) {
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

/// Lines behind which $status is that of `training`; with --evaluator that of both, one evaluator
/// beside it. The evaluator ends by itself behind training's good end, and is told of any other;
/// who is told to end here tells training.
std::string statusOf(const SubmittedJob &job, const std::string &training) {
  if (!job.flags.evaluator)
    return absl::StrCat(training, "\nstatus=$?\n");
  return absl::StrCat(
      commandOf(job), " --job_name evaluator &\nevaluator=$!\n", training,
      " &\ntraining=$!\ntrap 'kill $training' HUP INT TERM\n"
      "wait $training; status=$?\n"
      "while kill -0 $training 2>/dev/null; do wait $training; status=$?; done # a signal ends a wait\n"
      "[ $status = 0 ] || kill $evaluator\n"
      "wait $evaluator; evaluated=$?\n"
      "[ $status != 0 ] || status=$evaluated\n");
}

/// The lines of one component: of all jobs but what has nodes of its own, or of that job alone.
std::string slurmComponent(const SubmittedJob &job, bool own) {
  const std::vector<uint32_t> gpus = launch::gpusOfTasks(job.plan.plan);
  uint32_t tasks = 0, gpusOfAll = 0, first = 0;
  int jobs = 0;
  for (const plan::Job &one : job.plan.plan.jobs()) {
    if (own == (job.own && one.name() == job.own->job)) {
      ++jobs;
      tasks += one.tasks();
      gpusOfAll += std::accumulate(gpus.begin() + first, gpus.begin() + first + one.tasks(), 0u);
    }
    first += one.tasks();
  }
  const uint32_t nodes = own ? job.own->nodes : job.nodes;
  const std::string &partition = own ? job.own->partition : job.partition;
  std::string text = absl::StrCat("#SBATCH --nodes=", nodes, "\n#SBATCH --ntasks=", tasks, "\n");
  if (!partition.empty())
    absl::StrAppend(&text, "#SBATCH --partition=", partition, "\n");
  if (gpusOfAll > 0)
    absl::StrAppend(&text, "#SBATCH --gpus-per-node=", (gpusOfAll + nodes - 1) / nodes, "\n");
  if (nodes > 1 && jobs > 1) // each node has its share of each job: a server beside each worker
    absl::StrAppend(&text, "#SBATCH --distribution=cyclic\n");
  return text;
}

std::string slurmScript(const SubmittedJob &job) {
  std::string text =
      absl::StrCat("#!/bin/sh\n#SBATCH --job-name=", job.name, "\n", slurmComponent(job, false),
                   "#SBATCH --requeue --open-mode=append\n");
  std::string start = absl::StrCat("srun ", commandOf(job));
  if (job.own) { // the second component's processes are numbered behind the first's
    std::vector<std::string> order;
    for (const plan::Job &one : job.plan.plan.jobs())
      if (one.name() != job.own->job)
        order.push_back(one.name());
    order.push_back(job.own->job);
    absl::StrAppend(&text, "#SBATCH hetjob\n", slurmComponent(job, true), "#SBATCH --requeue\n");
    start = absl::StrCat("srun --het-group=0-1 ", commandOf(job), " --rank_order ",
                         absl::StrJoin(order, ","));
  }
  absl::StrAppend(
      &text, statusOf(job, start), "# ", launch::kPeerLost,
      ": another task was lost; 137: srun's word for that one, which was killed. Any other status is final.\n"
      "case $status in 137 | ",
      launch::kPeerLost, ") [ ${SLURM_RESTART_COUNT:-0} -ge ", job.restarts,
      " ] || scontrol requeue $SLURM_JOB_ID ;; esac\nexit $status\n");
  return text;
}

std::string mpiScript(const SubmittedJob &job) {
  const std::string command = absl::StrCat("mpirun -n ", job.tasks, " ", commandOf(job));
  return job.flags.evaluator ? absl::StrCat("#!/bin/sh\n", statusOf(job, command), "exit $status\n")
                             : absl::StrCat("#!/bin/sh\nexec ", command, "\n");
}

/// graphrun's own launcher begins again by itself, from a checkpoint, and has its own way with an
/// evaluator.
std::string localScript(const SubmittedJob &job) {
  const bool again = !job.flags.checkpointDirectory.empty() && job.restarts > 0;
  return absl::StrCat("#!/bin/sh\nexec ", commandOf(job), job.flags.evaluator ? " --evaluator" : "",
                      " --local", again ? absl::StrCat(" --max_restarts ", job.restarts) : "",
                      "\n");
}

struct Engine {
  const char *name;
  std::string (*print)(const SubmittedJob &);
  std::vector<const char *> command; ///< takes it as a file
};
const Engine kEngines[] = {{"slurm", slurmScript, {"sbatch"}},
                           {"mpi", mpiScript, {"sh"}},
                           {"jobset", jobSetManifest, {"kubectl", "apply", "-f"}},
                           {"local", localScript, {"sh"}}};

size_t tasksApart(const SubmittedJob &job) {
  size_t tasks = 0;
  for (const plan::Job &one : job.plan.plan.jobs())
    tasks += job.own && one.name() == job.own->job ? one.tasks() : 0;
  return tasks;
}

/// One of Slurm's partitions, or several with commas between.
bool isPartition(const std::string &name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || strchr("_-.,", c) != nullptr;
  });
}

/// At most 63 letters, digits and `signs`, the first and the last of them no sign.
bool isLabelPart(std::string_view text, const char *signs) {
  return !text.empty() && text.size() <= 63 &&
         absl::ascii_isalnum(static_cast<unsigned char>(text.front())) &&
         absl::ascii_isalnum(static_cast<unsigned char>(text.back())) &&
         std::all_of(text.begin(), text.end(), [&](unsigned char c) {
           return absl::ascii_isalnum(c) || (c != 0 && strchr(signs, c) != nullptr);
         });
}

constexpr char kLabelSigns[] = "-_.";

/// NAME or DOMAIN/NAME, as Kubernetes has it: a domain has at most 253 characters, small ones.
bool isLabel(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos)
    return isLabelPart(text, kLabelSigns);
  const std::string domain(text.substr(0, slash));
  const std::vector<std::string> parts = absl::StrSplit(domain, '.');
  return slash <= 253 && absl::AsciiStrToLower(domain) == domain &&
         std::all_of(parts.begin(), parts.end(),
                     [](const std::string &part) { return isLabelPart(part, "-"); }) &&
         isLabelPart(text.substr(slash + 1), kLabelSigns);
}

/// JOB=N[:PARTITION] for Slurm, JOB[:LABEL=VALUE] for Kubernetes.
bool parseApart(const std::string &engine, const std::string &text, NodeSelector *own) {
  if (engine == "slurm") {
    const std::vector<std::string> halves = absl::StrSplit(text, absl::MaxSplits('=', 1));
    const std::vector<std::string> parts = absl::StrSplit(halves.back(), absl::MaxSplits(':', 1));
    own->job = halves[0];
    own->partition = parts.size() > 1 ? parts[1] : "";
    return halves.size() == 2 && absl::SimpleAtoi(parts[0], &own->nodes) && own->nodes > 0 &&
           (parts.size() == 1 || isPartition(own->partition));
  }
  const std::vector<std::string> halves = absl::StrSplit(text, absl::MaxSplits(':', 1));
  own->job = halves[0];
  if (halves.size() == 1)
    return true;
  const std::vector<std::string> parts = absl::StrSplit(halves[1], absl::MaxSplits('=', 1));
  own->label = parts[0];
  own->value = parts.back();
  return parts.size() == 2 && isLabel(own->label) && isLabelPart(own->value, kLabelSigns);
}

absl::Status readApart(SubmittedJob *job) {
  if (job->apart.empty() || (job->engine != "slurm" && job->engine != "jobset"))
    return absl::OkStatus();
  NodeSelector own;
  if (!parseApart(job->engine, job->apart, &own))
    return absl::InvalidArgumentError(absl::StrCat(
        "--apart ", job->apart, ": expected ",
        job->engine == "slurm"
            ? "JOB=N or JOB=N:PARTITION, a job of the plan, how many nodes are its own, and of "
              "which partition"
            : "JOB or JOB:LABEL=VALUE, a job of the plan whose pods have nodes of their own, and a "
              "label of such nodes"));
  const plan::Job *found = nullptr;
  for (const plan::Job &one : job->plan.plan.jobs())
    if (one.name() == own.job)
      found = &one;
  if (!found || found == &chiefsJob(*job))
    return absl::InvalidArgumentError(absl::StrCat(
        "--apart ", job->apart, ": ",
        found ? "the chief's job is what all others are apart from; name another job of the plan"
              : absl::StrCat("the plan has no job ", own.job)));
  if (own.nodes > found->tasks())
    return absl::InvalidArgumentError(absl::StrCat("--apart ", job->apart, ": job ", own.job,
                                                   " has ", found->tasks(),
                                                   found->tasks() == 1 ? " task" : " tasks"));
  job->own = own;
  return absl::OkStatus();
}

/// Own flags stand before the plan, the run's behind it: where the plan is, both know.
absl::Status check(const SubmittedJob &job) {
  const bool onSeveralHosts = job.engine == "jobset" || job.nodes > 1 || job.own;
  if (!job.flags.jobName.empty() || !job.flags.master.empty() || job.flags.local)
    return absl::InvalidArgumentError(
        "--job_name, --master and --local say which task a process is, which is the "
        "engine's to say; leave them out");
  if (job.flags.maxRestarts > 0)
    return absl::InvalidArgumentError(
        "--max_restarts is for a run that graphrun starts by itself; --restarts before the "
        "plan says how often the engine begins again");
  if (job.flags.evaluator)
    GRAPHC_RETURN_IF_ERROR(checkEvaluator(job.plan.plan, job.flags));
  if (job.flags.evaluator && !isEvaluator(job.plan.plan, cluster::kEvaluator))
    return absl::InvalidArgumentError(
        "--evaluator: the plan has a job evaluator of its own; call that otherwise");
  if (job.engine == "jobset" && job.image.empty())
    return absl::InvalidArgumentError(
        "--engine jobset needs --image IMAGE, a container image with graphrun");
  if (job.engine == "jobset")
    GRAPHC_RETURN_IF_ERROR(checkPodNames(job));
  if (job.engine != "jobset" && (!job.image.empty() || !job.volumes.empty()))
    return absl::InvalidArgumentError("--image and --volume are for --engine jobset");
  if (job.nodes > 1 && job.engine != "slurm")
    return absl::InvalidArgumentError(
        absl::StrCat("--nodes is for --engine slurm, not ", job.engine));
  if (!job.partition.empty() && job.engine != "slurm")
    return absl::InvalidArgumentError(
        absl::StrCat("--partition is for --engine slurm, not ", job.engine));
  if (!job.apart.empty() && !job.own)
    return absl::InvalidArgumentError(
        absl::StrCat("--apart is for --engine slurm and jobset, not ", job.engine));
  if (job.own && job.beside)
    return absl::InvalidArgumentError(
        "--apart and --beside: a job has nodes of its own, or is on the chief's; give "
        "one of them");
  if (!job.partition.empty() && !isPartition(job.partition))
    return absl::InvalidArgumentError(absl::StrCat(
        "--partition ", job.partition, ": expected a name of letters, digits, '_', '-' and '.'"));
  if (job.beside && job.engine != "jobset")
    return absl::InvalidArgumentError(
        "--beside is for --engine jobset; under slurm --nodes N for as many servers as "
        "workers has one of both on each node");
  if (job.beside)
    for (const plan::Job &one : job.plan.plan.jobs())
      if (one.tasks() > chiefsJob(job).tasks())
        return absl::InvalidArgumentError(absl::StrCat(
            "--beside: job ", one.name(), " has ", one.tasks(), " tasks, and ",
            chiefsJob(job).name(), ", beside whose tasks they would be, ", chiefsJob(job).tasks()));
  GRAPHC_RETURN_IF_ERROR(session::checkRankOrder(job.plan.plan, job.flags.rankOrder));
  if (!job.flags.rankOrder.empty() && (job.own || job.engine == "jobset" || job.engine == "local"))
    return absl::InvalidArgumentError(
        "--rank_order is for ranks of another launcher: submit itself says it where a "
        "job is apart, and a JobSet and graphrun have none; leave it out");
  if (const size_t tasks = job.tasks - tasksApart(job); job.nodes > tasks)
    return absl::InvalidArgumentError(absl::StrCat("--nodes ", job.nodes, ": the plan has ", tasks,
                                                   tasks == 1 ? " task" : " tasks",
                                                   job.own ? " for them" : ""));
  if (onSeveralHosts && job.tasks > 1 && job.flags.jobDirectory.empty())
    return absl::InvalidArgumentError(
        "tasks on several hosts need mutual TLS; give --job_dir DIR behind the plan, a "
        "folder that all of them see");
  for (const std::string &volume : job.volumes)
    if (size_t colon = volume.find(':');
        colon == 0 || colon == std::string::npos || volume.substr(colon + 1, 1) != "/")
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
  std::fprintf(stderr, "graphrun submit: cannot run %s: %s; is it installed, and in PATH?\n",
               pointers[0], std::strerror(errno));
  return 1;
}
} // namespace

int submit(int argc, char **argv) {
  CLI::App app(kDescription, "graphrun submit");
  app.footer(kFooter);
  app.allow_extras();
  app.prefix_command(); // from the plan on all is the run's
  SubmittedJob job;
  bool yes = false;
  std::vector<std::string> names;
  for (const Engine &engine : kEngines)
    names.push_back(engine.name);
  app.add_option("--engine", job.engine, "slurm, mpi, jobset or local")
      ->check(CLI::IsMember(names))
      ->type_name("NAME");
  app.add_option("--name", job.name, "the job's name (default: the plan's)")->type_name("NAME");
  app.add_option("--nodes", job.nodes, "slurm: on how many nodes (default 1)")
      ->check(CLI::Range(1u, 65536u))
      ->type_name("N");
  app.add_option("--partition", job.partition, "slurm: of which partition they are")
      ->type_name("NAME");
  app.add_option(
         "--apart", job.apart,
         "this job of the plan, as parameter servers that want no GPU, has nodes of its own. slurm: JOB=N or "
         "JOB=N:PARTITION, N nodes beside those of --nodes, in a heterogeneous job. jobset: JOB or "
         "JOB:LABEL=VALUE, no node with another job's pod, and only nodes with that label")
      ->type_name("JOB...");
  app.add_flag(
      "--beside", job.beside,
      "jobset: each task of another job is on the node of that task of the chief's job that has its index");
  app.add_option(
         "--restarts", job.restarts,
         "slurm, jobset, local (there with --checkpoint_dir): begin again at most so often (default 10)")
      ->check(CLI::Range(0u, 1000000u))
      ->type_name("N");
  app.add_option("--image", job.image,
                 "jobset: the container image, with graphrun in it, of all tasks")
      ->type_name("IMAGE");
  app.add_option(
         "--volume", job.volumes,
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
    return usage(
        "--engine slurm, mpi, jobset or local is missing; it stands before the plan: graphrun submit --engine "
        "slurm model.plan");
  job.arguments = app.remaining();
  std::vector<char *> own = {argv[0]};
  for (std::string &argument : job.arguments)
    own.push_back(argument.data());
  if (!job.arguments.empty() && absl::StartsWith(job.arguments.front(), "-"))
    return usage(absl::StrCat("unknown flag ", job.arguments.front(),
                              " (see --help); flags of the run stand behind the plan"));
  auto parsed = parseFlags(static_cast<int>(own.size()), own.data());
  if (!parsed.ok())
    return usage(base::describe(parsed.status()));
  if (parsed->exitStatus)
    return *parsed->exitStatus;
  job.flags = parsed->flags;
  std::erase_if(job.arguments, [](const std::string &one) { return one == "--evaluator"; });
  auto plan = plan::loadPlan(job.flags.plan);
  if (!plan.ok())
    return usage(base::describe(plan.status()));
  job.plan = *std::move(plan);
  job.tasks = plan::allTasks(job.plan.plan).size();
  job.name = nameOf(job.name.empty() ? job.flags.plan : job.name);
  absl::Status status = readApart(&job);
  if (status.ok())
    status = check(job);
  if (!status.ok())
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
