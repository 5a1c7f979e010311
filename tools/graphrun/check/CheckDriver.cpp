#include "tools/graphrun/check/CheckDriver.h"

#include "runtime/checkpoint/WarmStart.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/Version.h"
#include "runtime/common/base/WaitDurationText.h"
#include "runtime/common/cluster/TaskAddresses.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/executor/PhaseSetup.h"
#include "runtime/service/RunSecret.h"
#include "runtime/session/master/AnswerValidator.h"
#include "tools/graphrun/check/RunWithDeadline.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <thread>
#include <unistd.h>

namespace graphc::graphrun {
namespace {
constexpr absl::Duration kAnnounceEvery = absl::Seconds(5), kReach = absl::Seconds(1);
/// Links are measured one after the other, since they may share a cable; all of them together take
/// about so long.
constexpr double kMeasureSeconds = 20, kMostPerLink = 0.5, kLeastPerLink = 0.08;

bool isUnix(const std::string &address) { return address.rfind("unix", 0) == 0; }

std::string short8(const std::string &fingerprint) { return fingerprint.substr(0, 8); }
} // namespace

std::vector<std::pair<uint32_t, uint32_t>> linkedTasks(const plan::Plan &plan) {
  std::vector<plan::Task> tasks = plan::allTasks(plan);
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers; // (job, index) → task
  for (uint32_t i = 0; i < tasks.size(); ++i)
    numbers[{tasks[i].job(), tasks[i].index()}] = i;
  std::set<std::pair<uint32_t, uint32_t>> pairs;
  for (uint32_t i = 0; i < tasks.size(); ++i)
    for (const executor::ChannelEndpoint &end : executor::taskEndpoints(plan, tasks[i]))
      if (uint32_t other = numbers[{end.peer.job(), end.peer.index()}]; other != i)
        pairs.insert(std::minmax(i, other));
  return {pairs.begin(), pairs.end()};
}

CheckChief::CheckChief(const RunFlags &flags, const plan::LoadedPlan &plan, const TaskSetup &setup,
                       service::CheckService &service)
    : flags_(flags), loaded_(plan), plan_(plan.plan), setup_(setup), service_(service),
      timeout_(absl::Seconds(flags.timeoutSeconds)), tasks_(plan::allTasks(plan.plan)) {
  for (const plan::Task &task : tasks_)
    names_.push_back(plan::taskText(plan_, task));
  // Both were read before: what is wrong with them was said.
  if (!flags.clusterFile.empty()) {
    if (auto file = cluster::readClusterFile(flags.clusterFile); file.ok())
      said_ = file->links;
  } else if (const char *text = std::getenv("TF_CONFIG"); text && *text) {
    if (auto config = cluster::parseTfConfig(text); config.ok())
      said_ = config->links;
  }
}

void CheckChief::run(const std::function<std::string()> &elsewhere) {
  report_.ok(absl::StrCat("plan ", short8(loaded_.fingerprint), "… of ", plan_.model(),
                          ", graphrun ", base::version()));
  gather(elsewhere);
  compareSelves();
  look();
  reach();
  measure();
  closeCheckpoints();
  for (const std::string &line : service_.refused())
    report_.wrong(line);
  service::CheckOrder end;
  end.mutable_end()->set_wrong(report_.wrongs());
  for (uint32_t task : left())
    service_.giveOrder(task, end);
}

void CheckChief::say(const std::string &line) const {
  std::fprintf(stderr, "%s%s\n", setup_.reportFd < 0 ? "graphrun check: " : "", line.c_str());
}

std::vector<uint32_t> CheckChief::left() const {
  std::vector<uint32_t> tasks;
  for (uint32_t task = 0; task < reports_.size(); ++task)
    if (reports_[task])
      tasks.push_back(task);
  return tasks;
}

/// What a task has said of itself; some errors name their task already.
void CheckChief::wrong(uint32_t task, const std::string &line) {
  report_.wrong(absl::StartsWith(line, names_[task]) ? line
                                                     : absl::StrCat(names_[task], ": ", line));
}

void CheckChief::drop(uint32_t task, const std::string &why) {
  report_.wrong(absl::StrCat(names_[task], " ", why));
  reports_[task].reset();
}

/// Why a task that has not come has not, as far as its port shows.
absl::Status CheckChief::lookAt(uint32_t task) const {
  const std::string &address = setup_.addresses[task];
  absl::Status status = service::TaskDialer(address, setup_.identity).reach(kReach);
  if (status.ok())
    return absl::FailedPreconditionError(
        "something of graphrun answers there that takes no part in the check: a run, a server that waits (then check "
        "with --master)");
  bool refused = status.message() == "Connection refused";
  return refused ? absl::UnavailableError(
                       "Connection refused: graphrun check was not started there, or has ended")
                 : status;
}

void CheckChief::gather(const std::function<std::string()> &elsewhere) {
  const absl::Time begin = absl::Now(), until = begin + timeout_;
  absl::Time announceAt = begin + absl::Seconds(1);
  std::map<uint32_t, absl::Status> seen; // of those that are missing
  while (true) {
    reports_ = service_.waitForTasks(std::min(until, absl::Now() + absl::Seconds(1)));
    std::vector<uint32_t> missing;
    std::vector<std::string> names;
    for (uint32_t task = 0; task < reports_.size(); ++task)
      if (!reports_[task]) {
        missing.push_back(task);
        names.push_back(names_[task]);
      }
    bool late = absl::Now() >= until, hopeless = true;
    std::vector<std::thread> threads;
    std::vector<absl::Status> found(missing.size());
    for (size_t i = 0; i < missing.size(); ++i)
      if (const std::string &address = setup_.addresses[missing[i]];
          !address.empty() && !isUnix(address) && !absl::IsUnauthenticated(seen[missing[i]]))
        threads.emplace_back([&, i] { found[i] = lookAt(missing[i]); });
    for (std::thread &thread : threads)
      thread.join();
    for (size_t i = 0; i < missing.size(); ++i) {
      if (!found[i].ok())
        seen[missing[i]] = found[i];
      // nobody comes whom the chief would not let in
      hopeless &= absl::IsUnauthenticated(seen[missing[i]]);
    }
    std::string why = elsewhere ? elsewhere() : "";
    if (late || hopeless || !why.empty()) {
      reports_ = service_.waitForTasks(absl::Now());
      for (uint32_t task : missing)
        if (!reports_[task])
          drop(task,
               absl::StrCat(
                   setup_.addresses[task].empty() ? "" : "at " + setup_.addresses[task] + ": ",
                   seen[task].ok() ? (why.empty() ? absl::StrCat("did not come within ",
                                                                 absl::FormatDuration(timeout_))
                                                  : why)
                                   : std::string(seen[task].message())));
      break;
    }
    if (absl::Now() >= announceAt) {
      say(absl::StrCat("waiting for ", absl::StrJoin(names, ", "),
                       base::waitSoFar(absl::Now() - begin, until - absl::Now())));
      announceAt = absl::Now() + kAnnounceEvery;
    }
  }
}

/// What each task is: all must run the same program and plan.
void CheckChief::compareSelves() {
  for (uint32_t task : left()) {
    const service::Hello self = reports_[task]->self();
    std::string place =
        absl::StrCat(self.address().empty() || isUnix(self.address()) ? "" : self.address() + ", ",
                     "process ", self.pid(), " on ", self.host(), ", ", reports_[task]->cpu());
    for (const std::string &line : reports_[task]->wrong())
      wrong(task, line);
    std::string differs;
    if (self.version() != base::version())
      differs = absl::StrCat("runs graphrun ", self.version(), ", the chief ", base::version(),
                             "; install the same on every machine");
    else if (self.fingerprint() != loaded_.fingerprint)
      differs = absl::StrCat("has another plan: its fingerprint is ", self.fingerprint(),
                             ", the chief's ", loaded_.fingerprint,
                             "; copy the same plan file to every machine");
    if (differs.empty()) {
      report_.ok(absl::StrCat(names_[task], " ", place));
      continue;
    }
    drop(task, absl::StrCat("(", place, ") ", differs));
    service::CheckOrder end;
    end.mutable_end()->set_wrong(report_.wrongs());
    end.mutable_end()->set_why(differs);
    service_.giveOrder(task, end);
  }
}

/// The answer to an order, where one comes that is one.
std::optional<service::CheckReport>
CheckChief::collect(uint32_t task, const service::CheckOrder &order, absl::Time deadline) {
  std::optional<service::CheckReport> answer = service_.collect(task, deadline);
  if (!answer)
    return std::nullopt;
  if (absl::Status status = session::checkAnswer(plan_, task, order, *answer); !status.ok()) {
    wrong(task, std::string(status.message()));
    return std::nullopt;
  }
  return answer;
}

/// One order to all that are left. Their answers are in answers_; who does not answer is dropped.
/// False: nobody is left.
bool CheckChief::atAll(const std::string &what,
                       const std::function<service::CheckOrder(uint32_t)> &order) {
  answers_.assign(tasks_.size(), std::nullopt);
  std::map<uint32_t, service::CheckOrder> orders;
  for (uint32_t task : left())
    service_.giveOrder(task, orders[task] = order(task));
  absl::Time deadline = absl::Now() + timeout_;
  for (uint32_t task : left()) {
    answers_[task] = collect(task, orders[task], deadline);
    if (!answers_[task]) {
      drop(task, absl::StrCat("did not answer within ", absl::FormatDuration(timeout_), " while ",
                              what, "; if it needs that long, give a longer --timeout"));
      continue;
    }
    for (const std::string &line : answers_[task]->wrong())
      wrong(task, line);
  }
  return !left().empty();
}

void CheckChief::look() {
  bool any = atAll("looking at its CPU and data files", [](uint32_t) {
    service::CheckOrder order;
    order.mutable_look();
    return order;
  });
  if (!any)
    return;
  std::vector<std::string> sets;
  for (const plan::Dataset &set : plan_.datasets())
    sets.push_back(set.name());
  compareData(names_, sets, answers_, &report_);
}

void CheckChief::openCheckpoints(service::CheckOrder::Reach *order) {
  const std::string &folder = flags_.checkpointDirectory;
  if (folder.empty())
    return;
  struct Opened {
    absl::Status status;
    bool made = false;
    std::string nonce;
    std::optional<checkpoint::CommittedCheckpoint> found;
    std::vector<std::string> warnings;
    std::optional<checkpoint::CheckpointDirectory> directory;
  };
  auto opened = std::make_shared<Opened>();
  bool trains = flags_.entry == "train";
  auto open = [opened, folder, trains, &plan = plan_] {
    Opened &result = *opened;
    if (trains) {
      result.made = access(folder.c_str(), F_OK) != 0;
      auto directory = checkpoint::CheckpointDirectory::open(folder);
      if (!directory.ok()) {
        result.status = directory.status();
        return;
      }
      result.directory.emplace(*std::move(directory));
      result.nonce = result.directory->nonce();
    }
    auto found = checkpoint::findNewest(folder, result.warnings);
    result.status = found.status();
    if (found.ok() && *found) {
      result.status = checkpoint::checkVariables(**found, plan, result.warnings);
      result.found = *std::move(found);
    } else if (found.ok() && !trains) {
      result.status =
          absl::NotFoundError(absl::StrCat("--checkpoint_dir ", folder, " has no checkpoint"));
    }
  };
  if (!within(timeout_, open)) {
    report_.wrong(absl::StrCat("--checkpoint_dir ", folder, " did not open within ",
                               absl::FormatDuration(timeout_)));
    return;
  }
  if (!opened->status.ok())
    report_.wrong(base::describe(opened->status));
  for (const std::string &warning : opened->warnings)
    report_.note(warning);
  goesOn_ = opened->found.has_value();
  if (goesOn_)
    report_.ok(absl::StrCat("--checkpoint_dir: the run goes on from ", opened->found->path));
  if (opened->made)
    checkpoints_ = folder;
  if (opened->directory)
    directory_.emplace(*std::move(opened->directory));
  if (!opened->nonce.empty()) {
    order->set_checkpoint_dir(folder);
    order->set_nonce(opened->nonce);
  }
}

void CheckChief::readInitFrom(service::CheckOrder::Reach *order) {
  const std::string &folder = flags_.initFrom;
  if (goesOn_)
    return;
  if (folder.empty()) {
    if (absl::Status status = checkpoint::checkInitialized(plan_); !status.ok())
      report_.wrong(base::describe(status));
    return;
  }
  struct Opened {
    std::string path;
    absl::StatusOr<checkpoint::WarmStart> made;
    std::optional<service::ValuesFile> file;
    std::vector<std::string> warnings;
  };
  auto opened = std::make_shared<Opened>();
  const bool inTime = within(timeout_, [opened, folder, &plan = plan_] {
    auto origin = checkpoint::WarmStartSource::find(folder, opened->warnings);
    if (!origin.ok()) {
      opened->made = origin.status();
      return;
    }
    opened->path = origin->path();
    opened->made = origin->beginnings(plan);
    if (opened->made.ok())
      if (absl::Status sound = origin->check(*opened->made, plan); !sound.ok())
        opened->made = sound;
    if (const checkpoint::ValuesFile *file = origin->file(); file && opened->made.ok()) {
      const absl::StatusOr<uint32_t> sum = file->crc32c();
      if (!sum.ok()) {
        opened->made = sum.status();
        return;
      }
      opened->file.emplace();
      opened->file->set_bytes(file->bytes());
      opened->file->set_crc32c(*sum);
    }
  });
  const std::string flag = absl::StrCat("--init_from ", folder);
  if (!inTime)
    return report_.wrong(
        absl::StrCat(flag, " did not open within ", absl::FormatDuration(timeout_)));
  for (const std::string &warning : opened->warnings)
    report_.note(warning);
  if (!opened->made.ok())
    return report_.wrong(absl::StrCat(flag, ": ", base::describe(opened->made.status())));
  if (opened->file) {
    order->set_init_from(opened->path);
    *order->mutable_init_file() = *opened->file;
  }
  report_.ok(absl::StrCat("--init_from: the run begins with variables of ", opened->path, ": ",
                          opened->made->sources.size(),
                          "; with values of their own: ", opened->made->others.size()));
}

void CheckChief::closeCheckpoints() {
  directory_.reset();
  if (!checkpoints_.empty())
    // the run makes it again; stays where something has been put into it
    rmdir(checkpoints_.c_str());
}

/// Both are there, and have a port for each other.
bool CheckChief::canLink(const Link &link) const {
  return reports_[link.low] && reports_[link.high] &&
         !reports_[link.low]->self().address().empty() &&
         !reports_[link.high]->self().address().empty();
}

std::string CheckChief::ends(const Link &link) const {
  return absl::StrCat(names_[link.low], " -> ", names_[link.high],
                      !canLink(link)      ? ""
                      : link.sharedMemory ? " shm"
                                          : " grpc");
}

void CheckChief::reach() {
  if (tasks_.size() > 1)
    for (auto [low, high] : linkedTasks(plan_)) {
      Link link{low, high};
      if (reports_[low] && reports_[high])
        link.sharedMemory = flags_.transport != "grpc" &&
                            reports_[low]->self().host_id() == reports_[high]->self().host_id();
      links_.push_back(link);
    }
  service::CheckOrder::Reach common;
  openCheckpoints(&common);
  readInitFrom(&common);
  std::vector<uint32_t> here = left();
  std::vector<std::string> sharing;
  atAll("reaching its peers", [&](uint32_t task) {
    service::CheckOrder order;
    *order.mutable_reach() = common;
    for (const Link &link : links_)
      if (link.low == task && canLink(link) && !link.sharedMemory) {
        service::Peer &peer = *order.mutable_reach()->add_peers();
        peer.set_task(link.high);
        peer.set_address(reports_[link.high]->self().address());
      }
    return order;
  });
  for (uint32_t task : here)
    if (answers_[task] && answers_[task]->owns_variables() && !common.nonce().empty() &&
        answers_[task]->wrong().empty())
      sharing.push_back(names_[task]);
  if (!sharing.empty())
    report_.ok(absl::StrCat("--checkpoint_dir ", flags_.checkpointDirectory,
                            ": writable, the same folder on ", absl::StrJoin(sharing, ", ")));
  for (Link &link : links_) {
    if (!canLink(link)) {
      link.good = false;
      report_.skipped(absl::StrCat(
          ends(link), ": not tried, since one of the two is not there or has no port"));
      continue;
    }
    if (!link.sharedMemory && flags_.transport == "shm") {
      link.good = false;
      report_.wrong(absl::StrCat(
          ends(link), ": --transport shm, and the two are on different hosts or in different "
                      "containers; use --transport auto"));
      continue;
    }
    for (const service::CheckedLink &found : answers_[link.low]->links())
      if (found.peer() == link.high && !found.wrong().empty()) {
        link.good = false;
        report_.wrong(absl::StrCat(ends(link), ": ", found.wrong()));
      }
  }
}

void CheckChief::measure() {
  size_t count =
      std::count_if(links_.begin(), links_.end(), [](const Link &link) { return link.good; });
  if (count == 0)
    return;
  const std::string run = absl::StrCat("check-", service::randomHex(16));
  atAll("preparing its links", [&](uint32_t task) {
    service::CheckOrder order;
    order.mutable_prepare()->set_run(run);
    order.mutable_prepare()->set_transport(flags_.transport);
    for (const Link &link : links_) {
      if (!link.good || (link.low != task && link.high != task))
        continue;
      uint32_t other = link.low == task ? link.high : link.low;
      const service::Hello &self = reports_[other]->self();
      service::Peer &peer = *order.mutable_prepare()->add_peers();
      peer.set_task(other);
      peer.set_name(names_[other]);
      peer.set_address(self.address());
      peer.set_incarnation(self.incarnation());
      peer.set_host(self.host());
      peer.set_host_id(self.host_id());
    }
    return order;
  });
  service::CheckOrder connect;
  connect.mutable_connect();
  for (const auto &prepared : answers_)
    connect.mutable_connect()->add_paths(prepared ? prepared->path() : "");
  atAll("connecting to its peers", [&](uint32_t) { return connect; });
  double seconds =
      std::clamp(kMeasureSeconds / static_cast<double>(count), kLeastPerLink, kMostPerLink);
  if (static_cast<double>(count) * seconds > 2)
    say(absl::StrCat("measuring ", count, " links, about ",
                     static_cast<int>(seconds * static_cast<double>(count)) + 1, " s"));
  for (const Link &link : links_) {
    if (!link.good || !reports_[link.low] || !reports_[link.high] || !answers_[link.low] ||
        !answers_[link.high] || !answers_[link.low]->wrong().empty() ||
        !answers_[link.high]->wrong().empty())
      continue;
    service::CheckOrder orders[2]; // of link.high, of link.low
    for (uint32_t task : {link.high, link.low}) {
      service::CheckOrder &order = orders[task == link.low];
      order.mutable_measure()->set_seconds(seconds);
      order.mutable_measure()->set_peer(task == link.low ? link.high : link.low);
      order.mutable_measure()->set_answers(task == link.high);
      service_.giveOrder(task, order);
    }
    absl::Time deadline = absl::Now() + timeout_;
    auto asked = collect(link.low, orders[1], deadline),
         answered = collect(link.high, orders[0], deadline);
    if (!asked || !answered) {
      drop(asked ? link.high : link.low,
           absl::StrCat("did not answer within ", absl::FormatDuration(timeout_), " while ",
                        ends(link), " was measured"));
      continue;
    }
    if (asked->links_size() == 0 || !asked->links(0).wrong().empty()) {
      report_.wrong(absl::StrCat(ends(link), ": ",
                                 asked->links_size() ? asked->links(0).wrong() : "no figures"));
      continue;
    }
    const service::CheckedLink &found = asked->links(0);
    auto refOf = [&](uint32_t task) {
      return cluster::TaskRef{plan_.jobs(static_cast<int>(tasks_[task].job())).name(),
                              tasks_[task].index()};
    };
    bool far = false;
    std::string text =
        linkText(ends(link), {found.latency_us(), found.there_gbps(), found.back_gbps()},
                 findLink(said_, refOf(link.low), refOf(link.high)), &far);
    far ? report_.note(text) : report_.ok(text);
  }
}

} // namespace graphc::graphrun
