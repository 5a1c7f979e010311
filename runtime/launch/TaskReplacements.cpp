#include "runtime/launch/TaskReplacements.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include <nlohmann/json.hpp>

#include <algorithm>

namespace graphc::launch {
namespace {
/// The chief notices a death by a connection that ends; where it is stopped itself, that is found
/// later.
constexpr absl::Duration kVerdict = absl::Seconds(8);
/// Of one that dies before it is back: the chief is to hear of that end before the next one says
/// hello.
constexpr absl::Duration kBetween = absl::Milliseconds(500);
} // namespace

bool TaskReplacements::isOne(const LaunchedChild &lost,
                             const std::vector<LaunchedChild> &children) const {
  return restarts_.mayBeOne(absl::Now()) &&
         std::any_of(children.begin(), children.end(), [&](const LaunchedChild &one) {
           return &one != &lost && (one.again || one.joins);
         });
}

bool TaskReplacements::hears(const nlohmann::json &line, std::vector<LaunchedChild> &children) {
  const auto numbered = [&](const char *key) -> LaunchedChild * {
    const auto found = line.find(key);
    return found != line.end() && found->is_number_unsigned() && *found < children.size()
               ? &children[found->get<size_t>()]
               : nullptr;
  };
  if (line.contains("judges")) {
    judges_ = line["judges"] == true;
  } else if (LaunchedChild *lost = numbered("away")) {
    if (line.value("pid", int64_t{0}) == lost->pid && !stopped_)
      again(*lost, line.value("why", ""), isOne(*lost, children));
  } else if (LaunchedChild *returned = numbered("back")) {
    // Another pid: it was lost again, and another process joins.
    if (line.value("pid", int64_t{0}) == returned->pid)
      returned->joins = false;
  } else {
    return false;
  }
  return true;
}

void TaskReplacements::died(LaunchedChild &child, const std::string &how,
                            const std::vector<LaunchedChild> &children) {
  if (!judges_ || stopped_ || (restarts_.made() >= restarts_.most() && !isOne(child, children)))
    return;
  if (child.joins) // the chief waits for the next one
    again(child, how, /*isOne=*/false, kBetween);
  else
    child.heldUntil = absl::Now() + kVerdict;
}

void TaskReplacements::again(LaunchedChild &lost, const std::string &why, bool isOne,
                             absl::Duration least) {
  if (lost.again)
    return;
  std::optional<absl::Duration> pause = restarts_.again(absl::Now(), isOne);
  lost.heldUntil = absl::InfinitePast();
  lost.again = pause.has_value();
  lost.givenUp = !pause; // it counts as lost, as it is
  if (!pause)
    return;
  pause = std::max(*pause, least);
  lost.startAt = absl::Now() + *pause;
  say_(absl::StrCat(lost.task->name, ": ", why, "; the others go on; restarting ", lost.task->name,
                    *pause > absl::ZeroDuration() ? " in " + absl::FormatDuration(*pause)
                                                  : " at once",
                    ", to join them (restart ", restarts_.made(), " of ", restarts_.most(), ")"));
}

absl::Time TaskReplacements::next(const std::vector<LaunchedChild> &children) {
  absl::Time at = absl::InfiniteFuture();
  for (const LaunchedChild &child : children) {
    if (child.again && child.status)
      at = std::min(at, child.startAt);
    if (!child.again && child.heldUntil > absl::Now())
      at = std::min(at, child.heldUntil);
  }
  return at;
}

} // namespace graphc::launch
