#include "tools/graphrun/RunFlags.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/base/Version.h"
#include "runtime/common/cluster/TaskAddresses.h"
#include "runtime/executor/ControlMessage.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace graphc::graphrun {
namespace {
constexpr char kDescription[] =
    "Runs a plan made by graphc: every task of it as a process of this machine, with "
    "--job_name, or where srun, mpirun, torchrun or a JobSet has started it, one task here, "
    "with --master on waiting servers.";
constexpr char kServerDescription[] =
    "graphrun server: a task without plan and data. Waits for the cluster's chief (graphrun model.plan --master "
    "grpc://HOST:PORT), runs its part of that plan, and waits for the next client, until SIGTERM or Ctrl-C.";
constexpr char kServerFooter[] = R"(Example, a cluster of two tasks in two terminals:
  graphrun server --job_name worker --task_index 1 --cluster cluster.json
  graphrun model.plan --master grpc://localhost:2222
Exit status: 0 it was stopped as asked; 1 it was stopped at once; 2 the command line or a file named on it is wrong.)";
constexpr char kFooter[] = R"(Addresses, one flag a job of the plan:
  --ps_hosts HOST:PORT,…  --worker_hosts HOST:PORT,…  --JOB_hosts HOST:PORT,…
Flags may be written with - in place of _.
Which task this is, by the first of these that says so: --job_name, --master, --local; "task" of --cluster; of TF_CONFIG; torchrun's
variables (RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT), Open MPI's (OMPI_COMM_WORLD_…), a step of Slurm's (SLURM_PROCID, …), a JobSet's
(JOB_COMPLETION_INDEX and the host's name). Rank 0 is the chief, the other ranks are the other tasks in the plan's order, or in
that of --rank_order.
Commands beside that (each has its --help):
  graphrun server     a task that waits for a client's plan
  graphrun check      finds what would go wrong, before the run; takes the same flags
  graphrun status     shows how this user's runs are doing
  graphrun show       says what is in a plan or a checkpoint
  graphrun explain    says why a run has failed, by what its tasks recorded (--failure_dir)
  graphrun certs      makes certificates for tasks on several machines
  graphrun submit     prints, or submits, a batch file for Slurm, Open MPI or Kubernetes
  graphrun calibrate  measures this machine for graphc's predictions
Examples:
  graphrun model.plan --epochs 5 --checkpoint_dir run1
  graphrun model.plan --job_name ps --task_index 0 --ps_hosts localhost:2222 --worker_hosts localhost:2223,localhost:2224
  srun -n3 graphrun model.plan --epochs 5
Exit status, in each of its tasks: 0 the run finished; 1 it failed or was stopped (SIGTERM, Ctrl-C; what is saved is saved); 2 the command
line or a file named on it is wrong; 138 another task was lost, which did not fail by itself (killed, silent, unreachable): start it again.)";

constexpr char kCheckDescription[] =
    "graphrun check: looks for what would go wrong, before the run. Started like the "
    "run, on the same machines with the same "
    "flags; the tasks look at themselves and at each other, and the chief prints a "
    "line for each task, link, data set and "
    "checkpoint folder: ok, or wrong and why. Nothing is trained and nothing is left.";
constexpr char kCheckFooter[] =
    R"(What is looked at: certificates, ports, that every task can be reached; plan and graphrun the same everywhere; the CPU;
data files, the same where tasks share them; the checkpoint folder, shared and writable; latency and bandwidth of each
link, beside what "links" in cluster.json says. Flags that say how a run goes (--steps, --fetch, …) are taken and not used.
Examples:
  graphrun check model.plan --data_dir data --checkpoint_dir run1
  graphrun check model.plan --cluster cluster.json --job_name worker --task_index 1 --tls_cert …
  graphrun check model.plan --master grpc://localhost:2222
Exit status: 0 all is well; 1 something is wrong; 2 the command line or a file named on it cannot be read.)";

const CLI::Validator kAboveZero(
    [](const std::string &text) -> std::string {
      double value = 0;
      return absl::SimpleAtod(text, &value) && value > 0
                 ? ""
                 : absl::StrCat("must be a number above 0, not ", text);
    },
    "above 0");

const CLI::Validator kIndex(
    [](const std::string &text) -> std::string {
      uint32_t value = 0;
      return absl::SimpleAtoi(text, &value)
                 ? ""
                 : absl::StrCat("must be a whole number, 0 or more, not ", text);
    },
    "index");

/// "--ps-hosts=a" → "--ps_hosts=a": only the name, and only of long flags.
std::string canonical(const std::string &argument) {
  if (!absl::StartsWith(argument, "--"))
    return argument;
  std::string result = argument;
  size_t end = std::min(result.find('='), result.size());
  std::replace(result.begin() + 2, result.begin() + static_cast<long>(end), '-', '_');
  return result;
}

absl::Status checkEvaluation(const RunFlags &flags) {
  if (flags.noEval && flags.entry != "train")
    return absl::InvalidArgumentError(
        absl::StrCat("--no_eval is for --entry train, not ", flags.entry));
  if (flags.noEval && flags.evalEveryEpochs)
    return absl::InvalidArgumentError(
        "--no_eval and --eval_every_epochs contradict each other; give one of them");
  if (flags.earlyStop && !flags.evalEveryEpochs)
    return absl::InvalidArgumentError(
        "--early_stop compares the evaluations made during training: also give --eval_every_epochs N");
  return absl::OkStatus();
}

absl::Status checkExports(const RunFlags &flags) {
  if (!flags.exportDirectory.empty() && flags.checkpointDirectory.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("--export_dir needs --checkpoint_dir: what is exported is its ",
                     flags.exportBest ? "best" : "last", " checkpoint"));
  if (!flags.exportDirectory.empty() && flags.entry != "train")
    return absl::InvalidArgumentError(
        absl::StrCat("--export_dir is for --entry train, not ", flags.entry));
  if (!flags.exportBest)
    return absl::OkStatus();
  if (flags.exportDirectory.empty())
    return absl::InvalidArgumentError(
        "--export best needs --export_dir DIR, the folder to export to");
  if (!flags.evalEveryEpochs)
    return absl::InvalidArgumentError(
        "--export best compares the evaluations made during training: also give --eval_every_epochs N");
  return absl::OkStatus();
}

absl::Status checkTogether(const RunFlags &flags, bool launched) {
  if (flags.epochs && flags.steps)
    return absl::InvalidArgumentError(
        "--epochs and --steps both say how long to train; give one of them");
  if (flags.epochs && (!std::isfinite(*flags.epochs) || *flags.epochs < 0))
    return absl::InvalidArgumentError("--epochs must be 0 or more");
  if (flags.entry != "train" && flags.epochs)
    return absl::InvalidArgumentError(
        absl::StrCat("--epochs is for --entry train, not ", flags.entry));
  if (flags.entry != "train" && flags.steps == 0u)
    return absl::InvalidArgumentError(
        absl::StrCat("--steps 0: --entry ", flags.entry, " makes at least one step"));
  if (flags.entry != "train" && !flags.initFrom.empty() && !flags.checkpointDirectory.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("--init_from and --checkpoint_dir both give the variables of --entry ",
                     flags.entry, "; give one of them"));
  if (flags.taskIndex && flags.jobName.empty())
    return absl::InvalidArgumentError("--task_index needs --job_name");
  if (flags.profileSteps && flags.traceFile.empty())
    return absl::InvalidArgumentError("--profile_steps needs --trace FILE, to which it is written");
  if ((flags.saveCheckpointSecs || flags.saveCheckpointSteps) && flags.checkpointDirectory.empty())
    return absl::InvalidArgumentError("--save_checkpoint_… needs --checkpoint_dir");
  if (flags.saveSummariesSteps && flags.saveSummariesSeconds)
    return absl::InvalidArgumentError(
        "--save_summaries_steps and --save_summaries_secs both say which steps are written; give one of them");
  if ((flags.saveSummariesSteps || flags.saveSummariesSeconds) && flags.historyFile.empty() &&
      flags.summaryFolder.empty())
    return absl::InvalidArgumentError(
        "--save_summaries_… needs --history FILE or --summary_dir DIR");
  GRAPHC_RETURN_IF_ERROR(checkEvaluation(flags));
  GRAPHC_RETURN_IF_ERROR(checkExports(flags));
  if (flags.evaluator && !launched && (!flags.master.empty() || !flags.jobName.empty()))
    return absl::InvalidArgumentError(
        "--evaluator starts one beside the tasks that graphrun starts all here; elsewhere it is a process of its own: "
        "graphrun model.plan --job_name evaluator --checkpoint_dir DIR");
  if (flags.maxRestarts > 0) {
    if (flags.checkpointDirectory.empty())
      return absl::InvalidArgumentError(
          "--max_restarts needs --checkpoint_dir: tasks that are started again go on from its last checkpoint");
    if (flags.entry != "train")
      return absl::InvalidArgumentError(
          absl::StrCat("--max_restarts is for --entry train, not ", flags.entry));
    if (!launched && (!flags.master.empty() || !flags.jobName.empty()))
      return absl::InvalidArgumentError(
          absl::StrCat("--max_restarts is for a run whose tasks graphrun starts all here: leave ",
                       flags.master.empty() ? "--job_name" : "--master",
                       " out, or have what starts this task start it again"));
  }
  if (!flags.master.empty() && (flags.local || !flags.jobName.empty()))
    return absl::InvalidArgumentError(
        absl::StrCat("--master makes this process the chief of waiting servers: leave ",
                     flags.local ? "--local" : "--job_name", " out"));
  if (!flags.jobDirectory.empty() && !flags.master.empty())
    return absl::InvalidArgumentError(
        "--job_dir is for tasks that begin together; servers that wait (--master) have "
        "certificates of --tls_cert, --tls_key and --tls_ca");
  if (!flags.jobDirectory.empty() && !flags.tls.certificate.empty())
    return absl::InvalidArgumentError(
        "--job_dir and --tls_cert both say by what tasks know each other; give one of them");
  if (!flags.rankOrder.empty() &&
      (flags.local || !flags.jobName.empty() || !flags.master.empty()) && !launched)
    return absl::InvalidArgumentError(
        "--rank_order says which task each process of another launcher is, and here a flag says it: leave it out");
  if (flags.local && !flags.jobName.empty() && !launched)
    return absl::InvalidArgumentError(
        "--local starts every task here; --job_name starts one: give one of them");
  return absl::OkStatus();
}

/// "2,11": the first and the last.
absl::StatusOr<std::pair<uint64_t, uint64_t>> parseProfileSteps(const std::string &text) {
  const std::vector<std::string> parts = absl::StrSplit(text, ',');
  uint64_t first = 0, last = 0;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &first) ||
      !absl::SimpleAtoi(parts[1], &last) || first == 0 || last < first ||
      last > executor::kMostSteps)
    return absl::InvalidArgumentError(absl::StrCat(
        "--profile_steps ", text,
        ": expected two step numbers, the first and the last to trace, counted from 1: 10,20"));
  return std::pair(first, last);
}

/// "last" (none), "best", "best:METRIC", "best:METRIC:min", "best:METRIC:max".
absl::StatusOr<std::optional<session::BestExport>> parseExport(const std::string &text) {
  if (text == "last")
    return std::nullopt;
  const std::vector<std::string> parts = absl::StrSplit(text, ':');
  session::BestExport best;
  if (parts.size() > 1)
    best.metric = parts[1];
  if (parts.size() > 2)
    best.better = parts[2];
  if (parts[0] != "best" || parts.size() > 3 || (parts.size() > 1 && best.metric.empty()) ||
      (parts.size() > 2 && best.better != "min" && best.better != "max"))
    return absl::InvalidArgumentError(absl::StrCat(
        "--export ", text, ": expected last, best, best:METRIC or best:METRIC:min|max"));
  return best;
}

/// Whether a flag is one of graphrun server's; what a run does is the client's to say.
bool isOfServers(const CLI::Option &option) {
  static const std::set<std::string> kFlags = {
      "help",     "version", "data_dir",   "data_cache_mb",    "log_file",
      "job_name", "cluster", "task_index", "intra_op_threads", "tls_cert",
      "tls_key",  "tls_ca",  "failure_dir"};
  return !option.get_lnames().empty() && kFlags.count(option.get_lnames().front());
}

/// Whether a flag has an effect on graphrun check.
bool isOfChecks(const CLI::Option &option) {
  static const std::set<std::string> kFlags = {
      "entry", "checkpoint_dir", "init_from", "transport", "master",
      "local", "feed",           "timeout",   "job_dir",   "rank_order"};
  const std::string name = option.get_lnames().empty() ? "" : option.get_lnames().front();
  return name.empty() || (isOfServers(option) && name != "log_file" && name != "failure_dir") ||
         kFlags.count(name);
}

/// What --help calls the values. What a check accepts is said in the descriptions, in words.
void showValues(CLI::App &app) {
  using Rows = std::vector<std::pair<const char *, std::vector<const char *>>>;
  static const Rows kPlain = {
      {"FILE",
       {"plan", "--stats", "--log_file", "--trace", "--history", "--status_secret", "--cluster"}},
      {"N", {"--epochs"}},
      {"DIR",
       {"--data_dir", "--checkpoint_dir", "--summary_dir", "--dump_variables", "--export_dir",
        "--failure_dir"}},
      {"FROM", {"--init_from"}},
      {"A,B", {"--profile_steps"}},
      {"NAME[=FILE]", {"--fetch"}},
      {"NAME=FILE", {"--feed"}},
      {"HOST:PORT", {"--status_address"}},
      {"JOB", {"--job_name"}},
      {"URL", {"--master"}},
      {"METRIC:PATIENCE", {"--early_stop"}},
      {"last|best", {"--export"}}};
  static const Rows kChecked = {
      {"N",
       {"--steps", "--data_cache_mb", "--save_checkpoint_steps", "--keep_checkpoint_max",
        "--log_step_count_steps", "--max_restarts", "--eval_every_epochs", "--save_summaries_steps",
        "--intra_op_threads", "--task_index"}},
      {"NAME", {"--entry", "--transport"}},
      {"S",
       {"--save_checkpoint_secs", "--save_summaries_secs", "--deadline", "--wait_deadline",
        "--join_deadline"}},
      {"stop|raise", {"--nan"}}};
  for (const auto &[value, flags] : kPlain)
    for (const char *flag : flags)
      app.get_option(flag)->type_name(value);
  for (const auto &[value, flags] : kChecked)
    for (const char *flag : flags) {
      app.get_option(flag)->type_name(value);
      app.get_option(flag)->get_validator()->description("");
    }
}
} // namespace

absl::StatusOr<std::vector<std::string>> commandLine(int argc, char **argv, HostFlags *hosts) {
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    std::string argument = canonical(argv[i]);
    size_t equals = std::min(argument.find('='), argument.size());
    std::string name = argument.substr(0, equals);
    std::string job = absl::StartsWith(name, "--") && absl::EndsWith(name, "_hosts")
                          ? name.substr(2, name.size() - 8)
                          : "";
    if (job.empty() || !cluster::isJobName(job)) {
      arguments.push_back(argument);
      continue;
    }
    if (equals == argument.size() && i + 1 == argc)
      return absl::InvalidArgumentError(
          absl::StrCat(name, " needs addresses: ", name, " host:port,host:port"));
    GRAPHC_ASSIGN_OR_RETURN(
        (*hosts)[job],
        cluster::parseHostList(equals == argument.size() ? argv[++i] : argument.substr(equals + 1),
                               name));
  }
  std::reverse(arguments.begin(), arguments.end()); // as CLI11 takes them
  return arguments;
}

/// Flags of earlier versions.
static const std::map<std::string, std::string> kRenamed = {
    {"--checkpoint_every_steps", "--save_checkpoint_steps"},
    {"--checkpoint_every_seconds", "--save_checkpoint_secs"}};

static const std::vector<std::string> kCommands = {"check", "certs",  "explain", "server",
                                                   "show",  "status", "submit"};

absl::Status checkExtras(const CLI::App &app) {
  std::vector<std::string> known;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      known.push_back("--" + name);
  const CLI::Option *plan = app.get_option_no_throw("plan");
  const std::string given = plan && plan->count() ? plan->as<std::string>() : "";
  const std::string first = base::exists(given) ? "" : given; // perhaps a command
  for (const std::string &extra : app.remaining()) {
    if (!absl::StartsWith(extra, "-"))
      return absl::InvalidArgumentError(
          absl::StrCat("one ", plan ? "plan" : "folder", " at a time: '", extra, "' is too many",
                       first.empty() ? "" : base::didYouMean(first, kCommands)));
    std::string name = extra.substr(0, extra.find('='));
    const auto renamed = kRenamed.find(name);
    return absl::InvalidArgumentError(absl::StrCat(
        "unknown flag ", name,
        renamed == kRenamed.end() ? base::didYouMean(name, known)
                                  : absl::StrCat("; did you mean ", renamed->second, "?"),
        " (see --help)"));
  }
  return absl::OkStatus();
}

void addTlsFlags(CLI::App &app, tls::CredentialFiles *files) {
  app.add_option("--tls_cert", files->certificate,
                 "this task's certificate (PEM; see graphrun certs)")
      ->type_name("FILE");
  app.add_option("--tls_key", files->key, "its private key, mode 0600")->type_name("FILE");
  app.add_option("--tls_ca", files->authority, "the authority that all tasks' certificates are of")
      ->type_name("FILE");
}

namespace {

/// Values that are read once all flags are there.
struct FlagTexts {
  std::vector<std::string> fetches, feeds;
  std::string earlyStop, profileSteps, exported = "last";
};

void addWorkFlags(CLI::App &app, RunFlags &flags, bool server) {
  app.add_option("plan", flags.plan,
                 "the plan, or the folder of an export; - reads a plan from standard input")
      ->required(!server);
  app.add_option(
      "--epochs", flags.epochs,
      "train until the data was seen this often, counted in samples from the very first");
  app.add_option(
         "--steps,--stop_at_step", flags.steps,
         "train until so many steps were made, counted from the very first (--entry eval, predict: of this run)")
      ->check(CLI::Range(uint64_t(0), executor::kMostSteps));
  app.add_option("--entry", flags.entry, "what to run: train, eval or predict")
      ->check(CLI::IsMember({"train", "eval", "predict"}));
  app.add_option("--data_dir", flags.dataDirectory, "where data files are looked for first");
  app.add_option(
         "--data_cache_mb", flags.dataCacheMb,
         "decoded .gz data is kept in ~/.cache/graphc ($XDG_CACHE_HOME/graphc) up to this size (default 4096; 0: none)")
      ->check(CLI::Range(uint64_t(0), uint64_t(1) << 40));
  app.add_option(
         "--intra_op_threads", flags.intraOpThreads,
         "threads of one matmul (default: what graphc was given, else 1); the results are the same with any number")
      ->check(CLI::Range(1u, 1024u));
}

void addCheckpointFlags(CLI::App &app, RunFlags &flags) {
  app.add_option(
      "--checkpoint_dir", flags.checkpointDirectory,
      "restore from here if there is a checkpoint, and save here; --entry eval and predict take the newest, or "
      "where DIR is a checkpoint itself (run1/step-200) that one");
  app.add_option(
      "--init_from", flags.initFrom,
      "start with the values in FROM for variables of the same name and type (any --entry). FROM is a checkpoint, "
      "a --checkpoint_dir (its newest), FILE.npz (numpy.savez) or FILE.safetensors of any program. The step and the "
      "optimizer's slots are not loaded. Training ignores it if --checkpoint_dir already has a checkpoint");
  app.add_option("--save_checkpoint_steps", flags.saveCheckpointSteps,
                 "also save every N steps (default: at the end of each epoch)")
      ->check(kAboveZero);
  app.add_option("--save_checkpoint_secs", flags.saveCheckpointSecs,
                 "also save when this long has passed")
      ->check(kAboveZero);
  app.add_option("--keep_checkpoint_max", flags.keepCheckpointMax,
                 "so many of the newest checkpoints stay (default 5; 0: all)")
      ->check(kIndex);
}

void addTrainingFlags(CLI::App &app, RunFlags &flags, FlagTexts &texts) {
  app.add_option(
         "--log_step_count_steps", flags.logStepCountSteps,
         "a line that stays, with step, steps/s and loss, about every N steps (default: a line a second where "
         "there is no terminal)")
      ->check(kAboveZero);
  app.add_option(
         "--nan", flags.nan,
         "where a loss is NaN or infinite: raise (default), the run fails; stop, training ends in good order; "
         "neither saves anything behind it")
      ->check(CLI::IsMember({"stop", "raise"}));
  app.add_option(
      "--early_stop", texts.earlyStop,
      "METRIC:PATIENCE: end training after so many evaluations in a row without a better one (with "
      "--eval_every_epochs); the best checkpoint stays; METRIC:PATIENCE:min or :max where the name does not "
      "say what is better");
  app.add_option("--eval_every_epochs", flags.evalEveryEpochs,
                 "evaluate in between; the progress line shows the metrics")
      ->check(kAboveZero);
  app.add_flag("--no_eval", flags.noEval,
               "skip the evaluation at the end of training; its data sets are not opened");
}

void addOutputFlags(CLI::App &app, RunFlags &flags, FlagTexts &texts) {
  app.add_option("--stats", flags.statsFile,
                 "write times, bytes and results to this JSON file at the end");
  app.add_option(
      "--trace", flags.traceFile,
      "write what every task did in some steps to this file, which ui.perfetto.dev opens");
  app.add_option(
      "--profile_steps", texts.profileSteps,
      "which steps --trace is about: the first and the last, counted as --steps is (default: ten steps, from the "
      "run's second on)");
  app.add_option("--log_file", flags.logFile, "write the log as JSON lines to this file too");
  app.add_option(
      "--history", flags.historyFile,
      "write results of training steps and metrics of evaluations to this file, a JSON object a line");
  app.add_option(
      "--summary_dir", flags.summaryFolder,
      "the same as event files for TensorBoard (its --logdir), with histograms and the graph");
  app.add_option(
         "--save_summaries_steps", flags.saveSummariesSteps,
         "for --history and --summary_dir: every N steps of training (default 100), beside the first and the last")
      ->check(kAboveZero);
  app.add_option("--save_summaries_secs", flags.saveSummariesSeconds,
                 "instead of that: a step every so many seconds")
      ->check(kAboveZero);
  app.add_option(
      "--status_address", flags.statusAddress,
      "HOST:PORT where the chief shows how the run is doing, as a page, JSON (/status.json) and for Prometheus "
      "(/metrics): with the run's certificates or --status_secret; without this only to graphrun status of this user");
  app.add_option(
      "--status_secret", flags.statusSecret,
      "a file, mode 0600, with the secret that who asks there brings (Authorization: Bearer)");
  app.add_option(
         "--fetch", texts.fetches,
         "print this result of every step (asynchronous: of each task), or with NAME=FILE.npy write it: of "
         "training a value a step, of --entry eval and predict a row a sample; may be given again; by hand "
         "the chief's counts")
      ->expected(1)
      ->take_all();
  app.add_option("--feed", texts.feeds,
                 "NAME=FILE.npy: the value of an argument of the entry; may be given again")
      ->expected(1)
      ->take_all();
  app.add_option("--dump_variables", flags.dumpDirectory,
                 "write every variable to DIR/NAME.npy at the end");
  app.add_option(
      "--export_dir", flags.exportDirectory,
      "at the end of training write the model's predict function and the variables of the checkpoint that --export "
      "chooses, as the next version there (DIR/1, DIR/2, …), which graphrun runs as it does a plan");
  app.add_option(
      "--export", texts.exported,
      "which checkpoint --export_dir exports: last (default), or best, the one with the best evaluation (with "
      "--eval_every_epochs), by the metric of --early_stop or the model's only one; best:METRIC or "
      "best:METRIC:min or :max names another");
}

void addTaskFlags(CLI::App &app, RunFlags &flags) {
  app.add_option("--transport", flags.transport,
                 "how tasks exchange tensors: auto (shm on one machine), shm or grpc")
      ->check(CLI::IsMember({"auto", "shm", "grpc"}));
  app.add_option("--job_name", flags.jobName, "run one task of this job here");
  app.add_option("--task_index", flags.taskIndex, "which task of --job_name (default 0)")
      ->check(kIndex);
  app.add_option("--cluster", flags.clusterFile,
                 "cluster.json with the addresses; --ps_hosts, --worker_hosts, … go before it");
  app.add_option(
      "--master", flags.master,
      "grpc://HOST:PORT of the cluster's chief: be it, on servers that wait (graphrun server)");
  app.add_option(
         "--rank_order", flags.rankOrder,
         "under srun, mpirun or torchrun: rank 0 is the chief, and the ranks behind it are the tasks of these "
         "jobs, one job after "
         "the other (default: in the plan's order)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("JOB,…");
  app.add_option(
         "--job_dir", flags.jobDirectory,
         "a folder that all tasks see (mode 0700): on several machines they find each other and get certificates "
         "for this run there")
      ->type_name("DIR");
  app.add_flag("--local", flags.local, "start every task on this machine, whatever addresses say");
  app.add_flag(
      "--evaluator", flags.evaluator,
      "start an evaluator beside the tasks: a process that evaluates each checkpoint as it comes (by hand: "
      "--job_name evaluator)");
  app.add_option(
         "--max_restarts", flags.maxRestarts,
         "start a task that was killed or lost again, and go on from the last checkpoint, so often (default 0)")
      ->check(CLI::Range(0u, 1000000u));
  app.add_flag(
      "--new_algorithms", flags.newAlgorithms,
      "go on where another GPU or cuBLASLt made the checkpoint's products, or where tasks' CPUs make them in "
      "unlike ways: with other bits");
}

void addDeadlineFlags(CLI::App &app, RunFlags &flags) {
  app.add_option("--deadline", flags.deadlineSeconds,
                 "end the run when a task has not got on for this many seconds (default 300)")
      ->check(kAboveZero);
  app.add_option(
      "--failure_dir", flags.failureDirectory,
      "each task records here what it did last, in a small file that stays if the run fails (graphrun explain DIR)");
  app.add_option(
         "--wait_deadline", flags.waitSeconds,
         "end the run, by the name of the cause, when a task has waited this many seconds for one message, "
         "batch or device (default: as --deadline); by hand the chief's counts")
      ->check(kAboveZero);
  app.add_option(
         "--join_deadline", flags.joinSeconds,
         "how many seconds to wait for tasks that have not come (default: 60 for tasks started here together, 600 for "
         "those started by hand)")
      ->check(kAboveZero);
}

/// No flag has an empty value, and a server has none that its client says.
absl::Status checkGiven(const CLI::App &app, const RunFlags &flags, bool server) {
  GRAPHC_RETURN_IF_ERROR(checkExtras(app));
  for (const CLI::Option *option : app.get_options())
    for (const std::string &value : option->results())
      if (value.empty() && !option->get_lnames().empty())
        return absl::InvalidArgumentError(
            absl::StrCat("--", option->get_lnames().front(),
                         ": its value is empty; give one or leave the flag out"));
  if (server)
    for (const CLI::Option *option : app.get_options())
      if (option->count() && !isOfServers(*option))
        return absl::InvalidArgumentError(
            option->get_lnames().empty() // positional
                ? absl::StrCat("the client brings the plan: leave ", flags.plan, " out")
                : absl::StrCat("--", option->get_lnames().front(),
                               " is for the client (graphrun model.plan --master …) to say"));
  return absl::OkStatus();
}

absl::Status readTexts(const FlagTexts &texts, RunFlags &flags) {
  for (const std::string &fetch : texts.fetches) {
    const size_t equals = fetch.find('=');
    if (equals == std::string::npos) {
      flags.fetches.push_back(fetch);
      continue;
    }
    if (equals == 0 || !absl::EndsWith(fetch, ".npy") || equals + 5 >= fetch.size())
      return absl::InvalidArgumentError(
          absl::StrCat("--fetch ", fetch, ": expected NAME or NAME=FILE.npy"));
    flags.fetchFiles.emplace_back(fetch.substr(0, equals), fetch.substr(equals + 1));
  }
  for (const std::string &feed : texts.feeds) {
    size_t equals = feed.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == feed.size())
      return absl::InvalidArgumentError(absl::StrCat("--feed ", feed, ": expected NAME=FILE.npy"));
    flags.feeds[feed.substr(0, equals)] = feed.substr(equals + 1);
  }
  if (!texts.profileSteps.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(flags.profileSteps, parseProfileSteps(texts.profileSteps));
  }
  if (!texts.earlyStop.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(flags.earlyStop, session::EarlyStop::parse(texts.earlyStop));
  }
  GRAPHC_ASSIGN_OR_RETURN(flags.exportBest, parseExport(texts.exported));
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<ParsedFlags> parseFlags(int argc, char **argv, CommandKind command, bool launched) {
  ParsedFlags parsed;
  RunFlags &flags = parsed.flags;
  bool server = command == CommandKind::Server, check = command == CommandKind::Check;
  CLI::App app(server  ? kServerDescription
               : check ? kCheckDescription
                       : kDescription,
               server  ? "graphrun server"
               : check ? "graphrun check"
                       : "graphrun");
  app.footer(server ? kServerFooter : check ? kCheckFooter : kFooter);
  app.allow_extras();
  app.set_version_flag("--version", absl::StrCat("graphrun ", base::version()));
  FlagTexts texts;
  addWorkFlags(app, flags, server);
  addCheckpointFlags(app, flags);
  addTrainingFlags(app, flags, texts);
  addOutputFlags(app, flags, texts);
  addTaskFlags(app, flags);
  addDeadlineFlags(app, flags);
  if (check)
    app.add_option("--timeout", flags.timeoutSeconds,
                   "no wait for a task or for a file is longer than this many seconds (default 30)")
        ->check(kAboveZero)
        ->type_name("S")
        ->get_validator()
        ->description("");

  addTlsFlags(app, &flags.tls);
  showValues(app);
  for (CLI::Option *option : app.get_options())
    if ((server && !isOfServers(*option)) || (check && !isOfChecks(*option)))
      option->group(""); // out of --help

  auto arguments = commandLine(argc, argv, &flags.hosts);
  if (!arguments.ok())
    return arguments.status();
  // CLI11 reports by exception; they end here.
  try {
    app.parse(*std::move(arguments));
  } catch (const CLI::Success &wanted) {
    parsed.exitStatus = app.exit(wanted);
    return parsed;
  } catch (const CLI::ParseError &error) {
    std::string message = error.what();
    if (flags.plan.empty() && absl::StrContains(message, "plan is required"))
      message = check ? "which plan? graphrun check model.plan (see --help)"
                      : "which plan? graphrun model.plan (see --help)";
    return absl::InvalidArgumentError(message);
  }
  GRAPHC_RETURN_IF_ERROR(checkGiven(app, flags, server));
  GRAPHC_RETURN_IF_ERROR(readTexts(texts, flags));
  GRAPHC_RETURN_IF_ERROR(checkTogether(flags, launched));
  return parsed;
}

} // namespace graphc::graphrun
