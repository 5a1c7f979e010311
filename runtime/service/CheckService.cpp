#include "runtime/service/CheckService.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/service/PeerCheck.h"
#include "runtime/tls/PeerCertificate.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"

#include <algorithm>

namespace graphc::service {
namespace {
/// A call stays open so long before it is answered with Wait, and a task waits so long for an
/// answer.
constexpr absl::Duration kOpen = absl::Seconds(1), kSilence = absl::Seconds(10);
/// Bytes of one report, which names files and what is wrong with them; lines about callers that
/// were sent away.
constexpr size_t kMostReport = 1 << 20, kMostRefused = 32;
} // namespace

CheckService::CheckService(std::vector<std::string> tasks)
    : tasks_(std::move(tasks)), slots_(tasks_.size()) {}

/// With texts that people can read.
static CheckReport shown(CheckReport report) {
  report.set_cpu(base::foreignText(report.cpu()));
  for (std::string &line : *report.mutable_wrong())
    line = base::foreignText(line);
  for (CheckedData &data : *report.mutable_data())
    data.set_source(base::foreignText(data.source()));
  for (CheckedLink &link : *report.mutable_links())
    link.set_wrong(base::foreignText(link.wrong()));
  return report;
}

/// The caller is a task of the plan, and the only process that says so. Its first report stays, and
/// the last one that is no mere return from a wait.
absl::Status CheckService::admit(const CheckReport &report) {
  const Hello &self = report.self();
  if (closed_)
    return absl::UnavailableError("the check is over");
  GRAPHC_RETURN_IF_ERROR(base::annotate(checkHello(self), "what the task says of itself"));
  if (report.ByteSizeLong() > kMostReport)
    return absl::ResourceExhaustedError(
        absl::StrCat("a report of ", report.ByteSizeLong(), " bytes"));
  if (self.task() >= slots_.size() || tasks_[self.task()] != self.name())
    return absl::InvalidArgumentError(absl::StrCat(
        self.name(), ", process ", self.pid(), " on ", self.host(),
        ", is no task of the chief's plan; its tasks are ", absl::StrJoin(tasks_, ", ")));
  Slot &slot = slots_[self.task()];
  if (slot.incarnation != 0 && slot.incarnation != self.incarnation())
    return absl::AlreadyExistsError(
        absl::StrCat("a second process says it is ", self.name(), ": process ", self.pid(), " on ",
                     self.host(), " besides process ", slot.first->self().pid(), " on ",
                     slot.first->self().host(), "; give each task its own --task_index"));
  if (report.id() > slot.orderId)
    return absl::InvalidArgumentError(
        absl::StrCat(self.name(), " answers order ", report.id(), ", the last was ", slot.orderId));
  slot.incarnation = self.incarnation();
  if (!slot.first)
    slot.first = shown(report);
  if (!report.waits())
    slot.last = shown(report);
  return absl::OkStatus();
}

/// On gRPC's thread: a task reports. Its call gets the order that lies ready, or stays open for the
/// next one (order, wait, close). A second call of the same task ends the first.
grpc::ServerUnaryReactor *CheckService::Next(grpc::CallbackServerContext *context,
                                             const CheckReport *report, CheckOrder *answer) {
  grpc::ServerUnaryReactor *reactor = context->DefaultReactor();
  absl::Status named =
      tls::certificateOf(*context->auth_context()).checkTask(report->self().name());
  // one without a server has none, and says why
  if (named.ok() && !report->self().address().empty())
    named = tls::certificateOf(*context->auth_context())
                .check(report->self().name(), report->self().address());
  grpc::ServerUnaryReactor *stale = nullptr;
  grpc::Status status;
  bool open = false;
  {
    base::MutexLock lock(mutex_);
    if (absl::Status admitted = named.ok() ? admit(*report) : named; !admitted.ok()) {
      status = {static_cast<grpc::StatusCode>(admitted.code()), std::string(admitted.message())};
      if (!closed_ && refused_.size() < kMostRefused)
        refused_.insert(base::foreignText(
            named.ok()
                ? base::describe(admitted)
                : absl::StrCat(report->self().name(), " is refused: ", base::describe(named))));
    } else {
      Slot &slot = slots_[report->self().task()];
      stale = std::exchange(slot.call, nullptr);
      if (slot.next) {
        *answer = *std::exchange(slot.next, std::nullopt);
      } else {
        slot.call = reactor;
        slot.answer = answer;
        slot.since = absl::Now();
        open = true;
      }
      changed_.notifyAll();
    }
  }
  if (stale)
    stale->Finish({grpc::StatusCode::ABORTED, "the task has called again"});
  if (!open)
    reactor->Finish(status);
  return reactor;
}

/// Until `done` holds or the time has come; meanwhile calls that were open for long are answered
/// with Wait.
template <class Done> void CheckService::wait(absl::Time until, Done done) {
  while (true) {
    std::vector<grpc::ServerUnaryReactor *> waiting;
    {
      base::MutexLock lock(mutex_);
      if (done(slots_) || absl::Now() >= until)
        return;
      for (Slot &slot : slots_)
        if (slot.call && absl::Now() - slot.since > kOpen) {
          slot.answer->mutable_wait();
          waiting.push_back(std::exchange(slot.call, nullptr));
        }
      if (waiting.empty())
        changed_.waitUntil(mutex_, std::min(until, absl::Now() + kOpen / 2));
    }
    for (grpc::ServerUnaryReactor *call : waiting)
      call->Finish(grpc::Status::OK);
  }
}

std::vector<std::optional<CheckReport>> CheckService::waitForTasks(absl::Time until) {
  wait(until, [](const std::vector<Slot> &slots) {
    return std::all_of(slots.begin(), slots.end(),
                       [](const Slot &slot) { return slot.first.has_value(); });
  });
  base::MutexLock lock(mutex_);
  std::vector<std::optional<CheckReport>> reports;
  for (const Slot &slot : slots_)
    reports.push_back(slot.first);
  return reports;
}

/// On the script's thread: into the call that is open, or to lie ready for the next one.
void CheckService::giveOrder(uint32_t task, CheckOrder order) {
  grpc::ServerUnaryReactor *call;
  {
    base::MutexLock lock(mutex_);
    Slot &slot = slots_[task];
    order.set_id(++slot.orderId);
    call = std::exchange(slot.call, nullptr);
    if (call)
      *slot.answer = std::move(order);
    else
      slot.next = std::move(order);
  }
  if (call)
    call->Finish(grpc::Status::OK);
}

std::optional<CheckReport> CheckService::collect(uint32_t task, absl::Time deadline) {
  auto came = [task](const std::vector<Slot> &slots) {
    const Slot &slot = slots[task];
    return slot.last && slot.last->id() == slot.orderId;
  };
  wait(deadline, came);
  base::MutexLock lock(mutex_);
  return came(slots_) ? slots_[task].last : std::nullopt;
}

std::vector<std::string> CheckService::refused() {
  base::MutexLock lock(mutex_);
  return {refused_.begin(), refused_.end()};
}

void CheckService::close() {
  std::vector<grpc::ServerUnaryReactor *> open;
  {
    base::MutexLock lock(mutex_);
    closed_ = true;
    for (Slot &slot : slots_)
      if (slot.call)
        open.push_back(std::exchange(slot.call, nullptr));
  }
  for (grpc::ServerUnaryReactor *call : open)
    call->Finish({grpc::StatusCode::UNAVAILABLE, "the check is over"});
}

/// On the task's thread: calls again whenever the chief has answered "wait".
absl::StatusOr<CheckOrder> nextCheckOrder(Check::Stub &stub, CheckReport report) {
  while (true) {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + kSilence));
    CheckOrder order;
    grpc::Status status = stub.Next(&context, report, &order);
    if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED)
      return absl::UnavailableError(
          absl::StrCat("did not answer for ", absl::FormatDuration(kSilence)));
    if (status.error_code() == grpc::StatusCode::UNIMPLEMENTED)
      return absl::FailedPreconditionError(
          "is not there to check but to run: graphrun check goes before the run, on every machine");
    if (!status.ok())
      return base::foreignStatus(status.error_code(), status.error_message());
    if (!order.has_wait())
      return order;
    report.set_waits(true);
  }
}

} // namespace graphc::service
