#include "runtime/service/RootCause.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace graphc::service {
namespace {
/// How long a report "my peer is gone" waits for the peer's own words or for its stream to break,
/// which say more.
constexpr absl::Duration kSuspicionGrace = absl::Seconds(1);
/// And this long for a heartbeat of the peer, by which it is not the peer that is gone.
constexpr absl::Duration kSuspicionLimit = absl::Milliseconds(2500);
} // namespace

std::string RootCause::describe() const {
  std::string message(status.message());
  // a lane's error names its task already
  return message.rfind(task, 0) == 0 ? message : absl::StrCat(task, ": ", message);
}

SuspectedCause SuspectedCause::of(const TaskTable &tasks, const Hello &reporter,
                                  const std::string &suspect, absl::Status status) {
  SuspectedCause made;
  made.reporter = reporter.name();
  made.since = absl::Now();
  const Hello *named = &reporter;
  for (uint32_t other = 0; other < tasks.size(); ++other)
    if (tasks[other].member && tasks[other].hello.name() == suspect) {
      named = &tasks[other].hello;
      made.suspect = other;
    }
  made.cause = {named->name(), named->host(), named->pid(), std::move(status), true};
  return made;
}

std::optional<RootCause> SuspectedCause::ripe(const TaskTable &tasks, absl::Time now) const {
  if (now - since <= kSuspicionGrace)
    return std::nullopt;
  if (!suspect)
    return cause;
  const TaskRow &row = tasks[*suspect];
  if (row.member && row.heard > since) {
    RootCause between = cause;
    between.task = absl::StrCat("the connection between ", reporter, " and ", cause.task);
    between.status = absl::UnavailableError(absl::StrCat(
        cause.status.message(),
        "; both answer the chief, so that the connection is half open, or something on the way cut it"));
    return between;
  }
  return now - since > kSuspicionLimit || row.leaving ? std::optional(cause) : std::nullopt;
}

} // namespace graphc::service
