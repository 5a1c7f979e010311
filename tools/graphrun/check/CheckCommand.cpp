// The task's side of graphrun check: joins the chief, obeys its orders, says what is wrong here.
#include "tools/graphrun/check/CheckCommand.h"

#include "runtime/checkpoint/WarmStart.h"
#include "runtime/common/base/CpuFeatures.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/base/Version.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/data/PhaseBatches.h"
#include "runtime/executor/LoadedKernels.h"
#include "runtime/launch/LaunchContext.h"
#include "runtime/launch/StopSignals.h"
#include "runtime/observe/ProcessInfo.h"
#include "runtime/service/MasterService.h"
#include "runtime/service/RunSecret.h"
#include "runtime/service/TaskServer.h"
#include "runtime/session/peers/TaskTransports.h"
#include "runtime/session/task/OrderValidator.h"
#include "tools/graphrun/check/CheckDriver.h"
#include "tools/graphrun/check/RunWithDeadline.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <csignal>
#include <future>
#include <thread>
#include <unistd.h>

namespace graphc::graphrun {
namespace {
constexpr absl::Duration kPeerReach = absl::Seconds(3);
/// A task that cannot join for its certificate's sake keeps its port open for so long, so that the
/// chief sees the trouble too.
constexpr absl::Duration kLinger = absl::Seconds(3);
constexpr uint64_t kTimedBytes = 512 << 10;
constexpr uint32_t kCapacity = 4;

class CheckTask {
public:
  CheckTask(const RunFlags &flags, const plan::LoadedPlan &plan, const TaskSetup &setup,
            std::vector<std::string> wrong)
      : flags_(flags), loaded_(plan), plan_(plan.plan), setup_(setup),
        timeout_(absl::Seconds(flags.timeoutSeconds)), tasks_(plan::allTasks(plan_)),
        self_(tasks_[setup.task]), name_(plan::taskText(plan_, self_)), orders_(plan_, setup.task),
        wrong_(std::move(wrong)) {
    chief_ = plan::taskNumber(plan_, plan_.chief());
    alone_ = tasks_.size() == 1;
    address_ = setup.addresses.empty() ? "" : setup.addresses[setup.task];
  }

  int run() {
    service::silenceGrpc();
    bool isChief = setup_.task == chief_;
    if (!alone_ && setup_.addresses.empty()) { // without good certificates: this machine alone
      look(nullptr);
      return end({"nothing but this machine could be looked at"});
    }
    if (alone_) { // nobody comes but this task
      auto own = base::UnnamedListener::make(SOCK_STREAM);
      if (!own.ok())
        return end({base::describe(own.status())});
      address_ = own->inheritedAddress();
      setup_.addresses = {address_};
      setup_.identity = {service::randomHex(32), nullptr};
      setup_.listenerFd = own->listener.release();
      alonePath_ = std::move(own->path);
    }
    std::vector<std::string> names;
    for (const plan::Task &task : tasks_)
      names.push_back(plan::taskText(plan_, task));
    service::CheckService check(names);
    service::TaskCoordinator::Options every;
    every.fingerprint = loaded_.fingerprint;
    every.version = base::version();
    every.taskNames = names;
    service::TaskCoordinator servers(std::move(every));
    std::unique_ptr<service::MasterService> master;
    service::PlanOffer offer;
    if (setup_.client) {
      auto made = makeOffer(flags_, plan_, setup_.run);
      if (!made.ok())
        return end({base::describe(made.status())});
      offer = *std::move(made);
      offer.check = true;
      master = std::make_unique<service::MasterService>(servers, &offer);
    }
    if (setup_.identity.credentials)
      if (absl::Status own = setup_.identity.credentials->checkOwn(name_, address_); !own.ok())
        wrong_.push_back(base::describe(own));
    service::TaskServer::Options options;
    options.address = address_;
    options.listener = base::UniqueFd(std::exchange(setup_.listenerFd, -1));
    options.identity = setup_.identity;
    options.mostConnections = service::TaskServer::Options::connectionsOf(tasks_.size());
    auto server = service::TaskServer::start(
        std::move(options),
        {isChief ? static_cast<grpc::Service *>(&check) : nullptr, master.get()});
    if (server.ok())
      server_ = *std::move(server);
    else
      wrong_.push_back(base::describe(server.status()));
    if (!isChief)
      return end(join());
    if (!server_) { // the others cannot come: what is wrong here is all there is to say
      look(nullptr);
      return end({});
    }
    CheckChief chief(flags_, loaded_, setup_, check);
    std::vector<std::string> lost;
    std::thread own([&] { lost = join(); });
    chief.run([&]() -> std::string {
      std::optional<service::RootCause> cause = servers.rootCause();
      return cause ? cause->describe() : "";
    });
    own.join();
    check.close();
    if (master)
      master->close();
    std::fputs(chief.report().text().c_str(), stdout);
    uint32_t wrong = chief.report().wrongs();
    size_t links = alone_ ? 0 : linkedTasks(plan_).size();
    std::printf(
        "%zu task%s, %zu link%s: %s\n", tasks_.size(), tasks_.size() == 1 ? "" : "s", links,
        links == 1 ? "" : "s",
        wrong == 0
            ? "all is well"
            : absl::StrCat(wrong, wrong == 1 ? " thing is" : " things are", " wrong").c_str());
    return leave(wrong == 0 && lost.empty() ? 0 : 1);
  }

private:
  using Report = service::CheckReport;
  using Order = service::CheckOrder;

  /// Says what the chief cannot have printed. `lost`: why there is no chief, or no longer.
  int end(std::vector<std::string> lost) {
    bool chiefPrints = lost.empty() && ended_;
    if (!chiefPrints) {
      for (const std::string &line : wrong_)
        std::printf("wrong  %s: %s\n", name_.c_str(), line.c_str());
      for (const std::string &line : lost)
        std::printf("wrong  %s: %s\n", name_.c_str(), line.c_str());
    } else if (setup_.reportFd < 0) {
      for (const std::string &line : wrong_)
        std::printf("wrong  %s: %s\n", name_.c_str(), line.c_str());
      std::string all = wrongInAll_ == 0   ? "all is well"
                        : wrongInAll_ == 1 ? "1 thing is wrong"
                                           : absl::StrCat(wrongInAll_, " things are wrong");
      std::printf("%-6s %s: %s; the whole stands where the chief %s was started\n",
                  wrongInAll_ == 0 ? "ok" : "-", name_.c_str(), all.c_str(),
                  plan::taskText(plan_, plan_.chief()).c_str());
    }
    return leave(chiefPrints && wrongInAll_ == 0 ? 0 : 1);
  }

  /// The servers' callbacks end first; then the process goes without waiting for what may hang on a
  /// disk that is away.
  [[noreturn]] int leave(int status) {
    transports_.reset();
    if (server_)
      server_->shutdown();
    if (setup_.folder)
      setup_.folder->remove();
    std::fflush(nullptr);
    _exit(status);
  }

  /// From the first word with the chief to its last. What is returned ended it before its time.
  std::vector<std::string> join() {
    const std::string chiefName = plan::taskText(plan_, plan_.chief());
    const std::string &address = setup_.addresses[chief_];
    auto channel = service::TaskDialer(address, setup_.identity)
                       .await({absl::StrCat("the chief ", chiefName, " at ", address),
                               absl::Now() + timeout_, [](const std::string &text) {
                                 std::fprintf(stderr, "graphrun check: %s\n", text.c_str());
                               }});
    if (!channel.ok()) {
      look(nullptr); // whoever stands at this machine wants to know the rest as well
      std::vector<std::string> lost = {std::string(channel.status().message())};
      if (absl::IsUnauthenticated(channel.status()))
        absl::SleepFor(kLinger);
      return lost;
    }
    auto stub = service::Check::NewStub(*channel);
    Report report;
    *report.mutable_self() =
        session::introduce(loaded_, setup_.task, server_ ? address_ : "", incarnation_,
                           base::version()); // no server: no port
    report.set_cpu(base::cpuModelName());
    for (const std::string &line : wrong_)
      report.add_wrong(line);
    while (true) {
      auto order = service::nextCheckOrder(*stub, report);
      if (!order.ok())
        return {absl::StrCat("the chief ", chiefName, setup_.reportFd < 0 ? " at " + address : "",
                             ": ", base::describe(order.status()))};
      report.clear_wrong();
      report.clear_data();
      report.clear_links();
      report.clear_path();
      report.set_id(order->id());
      size_t before = wrong_.size();
      if (absl::Status status = orders_.take(*order); !status.ok())
        return {absl::StrCat("the chief ", chiefName, ": ", status.message())};
      obey(*order, &report);
      for (size_t i = before; i < wrong_.size(); ++i)
        report.add_wrong(wrong_[i]);
      if (order->has_end()) {
        ended_ = true;
        wrongInAll_ = order->end().wrong();
        if (!order->end().why().empty())
          wrong_.push_back(base::foreignText(order->end().why()));
        return {};
      }
    }
  }

  void obey(const Order &order, Report *report) {
    switch (order.kind_case()) {
    case Order::kLook:
      return look(report);
    case Order::kReach:
      return reach(order.reach(), report);
    case Order::kPrepare:
      note(prepare(order.prepare()));
      return report->set_path(transports_ ? transports_->path() : "");
    case Order::kConnect:
      return note(transports_ ? transports_->connect({order.connect().paths().begin(),
                                                      order.connect().paths().end()},
                                                     absl::Now() + timeout_ / 2)
                              : absl::OkStatus());
    case Order::kMeasure:
      return measure(order.measure(), report);
    default:
      return;
    }
  }
  void note(const absl::Status &status) {
    if (!status.ok())
      wrong_.push_back(base::describe(status));
  }

  void look(Report *report) {
    note(executor::LoadedKernels::loadFor(plan_, self_).status());
    struct Found {
      std::vector<service::CheckedData> data;
      std::vector<std::string> wrong;
    };
    auto found = std::make_shared<Found>();
    bool done = within(timeout_, [found, &plan = plan_, self = self_, search = dataSearch(flags_)] {
      auto note = [&](const absl::Status &status) {
        std::string text = base::describe(status);
        if (!status.ok() &&
            std::find(found->wrong.begin(), found->wrong.end(), text) == found->wrong.end())
          found->wrong.push_back(std::move(text)); // once, where several phases take the same
      };
      data::DatasetCache datasets(plan, search);
      for (uint32_t phase = 0; phase < static_cast<uint32_t>(plan.phases_size()); ++phase) {
        if (!data::readsData(plan, phase, self))
          continue;
        for (const data::SampleStream &stream : data::streamsOf(plan, phase)) {
          uint32_t set = stream.dataset;
          auto opened = datasets.open(set);
          if (!opened.ok()) {
            note(opened.status());
            continue;
          }
          note(data::checkLabels(plan, phase, set, **opened));
          if (std::any_of(found->data.begin(), found->data.end(),
                          [&](auto &one) { return one.dataset() == set; }))
            continue;
          service::CheckedData &data = found->data.emplace_back();
          data.set_dataset(set);
          data.set_source((*opened)->description());
          data.set_samples((*opened)->samples());
          data.set_crc((*opened)->crc());
          note((*opened)->check());
        }
      }
    });
    if (!done) {
      wrong_.push_back(absl::StrCat("its data files could not be read within ",
                                    absl::FormatDuration(timeout_),
                                    "; if they are that large, give a longer --timeout"));
      return;
    }
    wrong_.insert(wrong_.end(), found->wrong.begin(), found->wrong.end());
    for (const service::CheckedData &data : found->data)
      if (report)
        *report->add_data() = data;
  }

  void reach(const Order::Reach &order, Report *report) {
    std::vector<std::thread> threads;
    std::vector<absl::Status> found(static_cast<size_t>(order.peers_size()));
    for (int i = 0; i < order.peers_size(); ++i)
      threads.emplace_back([&, i] {
        found[static_cast<size_t>(i)] =
            service::TaskDialer(order.peers(i).address(), setup_.identity).reach(kPeerReach);
      });
    for (std::thread &thread : threads)
      thread.join();
    for (int i = 0; i < order.peers_size(); ++i)
      if (const absl::Status &status = found[static_cast<size_t>(i)]; !status.ok()) {
        service::CheckedLink &link = *report->add_links();
        link.set_peer(order.peers(i).task());
        link.set_wrong(absl::StrCat(order.peers(i).address(), ": ", status.message()));
      }
    for (const plan::Variable &variable : plan_.variables())
      report->set_owns_variables(report->owns_variables() || plan::stores(plan_, variable, self_));
    if (report->owns_variables() && order.has_init_file())
      compareInitFile(order);
    if (!report->owns_variables() || order.nonce().empty())
      return;
    auto status = std::make_shared<absl::Status>();
    bool done = within(
        timeout_, [status, folder = std::string(order.checkpoint_dir()), nonce = order.nonce()] {
          *status = checkpoint::checkNonce(folder, nonce);
          if (status->ok())
            *status = base::checkWritable(folder);
        });
    note(done ? *status : absl::DeadlineExceededError("the checkpoint folder does not answer"));
  }

  /// Whether the file of --init_from is the chief's.
  void compareInitFile(const Order::Reach &order) {
    auto status = std::make_shared<absl::Status>();
    const bool done =
        within(timeout_, [status, path = std::string(order.init_from()), file = order.init_file()] {
          *status =
              checkpoint::WarmStartSource::openFile(path, file.bytes(), file.crc32c()).status();
        });
    note(done ? base::annotate(*status, "--init_from")
              : absl::DeadlineExceededError("the file of --init_from is not read in time"));
  }

  /// Where the channels of the link between two tasks begin.
  TimedChannels channelsWith(uint32_t other) const {
    uint32_t low = std::min(other, setup_.task), high = std::max(other, setup_.task);
    return TimedChannels(TimedChannels::kCount *
                             (low * static_cast<uint32_t>(tasks_.size()) + high),
                         kTimedBytes, kCapacity);
  }

  absl::Status prepare(const Order::Prepare &order) {
    std::vector<service::Peer> peers(tasks_.size());
    peers[setup_.task].set_name(name_);
    peers[setup_.task].set_host_id(observe::hostId());
    std::vector<executor::ChannelEndpoint> ends;
    for (const service::Peer &peer : order.peers()) {
      peers[peer.task()] = peer;
      TimedChannels channels = channelsWith(peer.task());
      bool near = setup_.task < peer.task();
      for (const transport::ChannelSpec &spec : channels.there)
        ends.push_back({spec, near, tasks_[peer.task()], 0});
      for (const transport::ChannelSpec &spec : channels.back)
        ends.push_back({spec, !near, tasks_[peer.task()], 0});
    }
    if (ends.empty() || !server_)
      return absl::OkStatus();
    session::TransportOptions options;
    options.kind = order.transport(); // the chief's flag counts, as in a run
    options.fingerprint = loaded_.fingerprint;
    options.run = order.run();
    options.identity = setup_.identity;
    options.task = setup_.task;
    options.incarnation = incarnation_;
    options.data = &server_->data();
    GRAPHC_ASSIGN_OR_RETURN(
        transports_, session::TaskTransports::prepare(plan_, ends, peers, {}, std::move(options)));
    return absl::OkStatus();
  }

  void measure(const Order::Measure &order, Report *report) {
    service::CheckedLink &link = *report->add_links();
    link.set_peer(order.peer());
    if (!transports_) {
      link.set_wrong("it has no link with that task");
      return;
    }
    TimedChannels channels = channelsWith(order.peer());
    absl::Duration limit = timeout_ / 3;
    if (order.answers()) {
      if (absl::Status status = answerLink(transports_->all(), channels, limit); !status.ok())
        link.set_wrong(base::describe(status));
      return;
    }
    auto figures = timeLink(transports_->all(), channels, order.seconds(), limit);
    if (!figures.ok()) {
      link.set_wrong(base::describe(figures.status()));
      return;
    }
    link.set_latency_us(figures->latencyMicroseconds);
    link.set_there_gbps(figures->there);
    link.set_back_gbps(figures->back);
  }

  const RunFlags &flags_;
  const plan::LoadedPlan &loaded_;
  const plan::Plan &plan_;
  TaskSetup setup_;
  const absl::Duration timeout_;
  const std::vector<plan::Task> tasks_;
  const plan::Task self_;
  const std::string name_;
  const uint64_t incarnation_ = service::randomIncarnation();
  session::CheckOrderValidator orders_; ///< which may come next
  uint32_t chief_ = 0;
  bool alone_ = false;
  std::string address_;
  std::vector<std::string> wrong_; ///< of this task, in the order in which it was found
  bool ended_ = false; ///< by the chief, which has printed what is wrong
  uint32_t wrongInAll_ = 0;
  base::UniqueFd alonePath_; ///< of one task's own socket
  std::unique_ptr<service::TaskServer> server_;
  std::unique_ptr<session::TaskTransports> transports_;
};
} // namespace

int checkTask(const RunFlags &flags, const plan::LoadedPlan &plan, const TaskSetup &setup,
              std::vector<std::string> wrong) {
  signal(SIGPIPE, SIG_IGN);
  if (setup.reportFd >= 0)
    launch::unblockStops();
  CheckTask task(flags, plan, setup, std::move(wrong));
  return task.run();
}

} // namespace graphc::graphrun
