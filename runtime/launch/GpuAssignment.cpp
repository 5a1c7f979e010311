#include "runtime/launch/GpuAssignment.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/device/MachineDevices.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <numeric>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace graphc::launch {
namespace {
constexpr size_t kMostNamed = 8;
constexpr absl::Duration kLongestCount = absl::Minutes(1); // a cold driver takes seconds

/// Asked in a process of its own: a launcher has no driver in its memory, and need not wait for one
/// that hangs. The process prints a count, or why there is none.
absl::StatusOr<uint32_t> countGpus() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return base::errnoStatus("cannot make a pipe", errno);
  base::UniqueFd ours(ends[0]), theirs(ends[1]);
  const pid_t child = fork();
  if (child < 0)
    return base::errnoStatus("cannot start a process", errno);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const absl::StatusOr<uint32_t> count = device::countDevices(device::gpuKind());
    const std::string text =
        count.ok() ? absl::StrCat(*count) : std::string(count.status().message());
    (void)!write(theirs.get(), text.data(), text.size());
    _exit(0);
  }
  theirs.reset();
  std::string text;
  char buffer[4096];
  const absl::Time end = absl::Now() + kLongestCount;
  for (;;) {
    pollfd told{.fd = ours.get(), .events = POLLIN, .revents = 0};
    const int ready =
        poll(&told, 1, int(std::max<int64_t>(0, absl::ToInt64Milliseconds(end - absl::Now()))));
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready == 0) {
      kill(child, SIGKILL); // not waited for: a process that the driver holds may not die
      return absl::DeadlineExceededError(absl::StrCat("the CUDA driver has not told within ",
                                                      absl::FormatDuration(kLongestCount),
                                                      " how many GPUs there are"));
    }
    const ssize_t bytes = read(ours.get(), buffer, sizeof buffer);
    if (bytes < 0 && errno == EINTR)
      continue;
    if (bytes <= 0)
      break;
    text.append(buffer, size_t(bytes));
  }
  int status = 0;
  waitpid(child, &status, 0);
  uint32_t count = 0;
  if (absl::SimpleAtoi(text, &count))
    return count;
  return absl::NotFoundError(
      text.empty() ? "the CUDA driver ended the process that asked how many there are" : text);
}

std::string numbers(uint32_t first, uint32_t count) {
  std::vector<uint32_t> all(count);
  std::iota(all.begin(), all.end(), first);
  return absl::StrJoin(all, " and ");
}
} // namespace

std::vector<uint32_t> gpusOfTasks(const plan::Plan &plan) {
  std::vector<uint32_t> needed(plan::allTasks(plan).size());
  auto note = [&](const plan::Task &task, const std::string &device) {
    uint32_t index = 0;
    if (device::runsPtx(device::kindOf(device)) &&
        absl::SimpleAtoi(device.substr(device.find(':') + 1), &index))
      needed[plan::taskNumber(plan, task)] =
          std::max(needed[plan::taskNumber(plan, task)], index + 1);
  };
  for (const plan::Program &program : plan.programs())
    for (uint32_t i = 0; i < program.instances(); ++i)
      note(plan::instanceTask(plan, program, i), program.device());
  for (const plan::Variable &variable : plan.variables())
    note(variable.owner(), variable.device());
  return needed;
}

GpuShares dealGpus(const std::vector<uint32_t> &needed, const std::vector<std::string> &labels,
                   uint32_t there) {
  GpuShares shares;
  uint32_t next = 0;
  std::vector<std::string> said;
  for (size_t task = 0; task < needed.size(); ++task) {
    if (next + needed[task] > there)
      next = 0;
    shares.firsts.push_back(needed[task] ? next : 0);
    if (needed[task])
      said.push_back(absl::StrCat(labels[task], " has ", numbers(next, needed[task])));
    next += needed[task];
  }
  const uint64_t all = std::accumulate(needed.begin(), needed.end(), uint64_t(0));
  if (said.size() < 2)
    return shares;
  const size_t more = said.size() > kMostNamed ? said.size() - kMostNamed : 0;
  said.resize(said.size() - more);
  shares.said = absl::StrCat(
      all <= there ? "each task has GPUs of its own: " : "the tasks share this machine's ",
      all <= there ? ""
      : there == 1 ? "GPU: "
                   : absl::StrCat(there, " GPUs: "),
      absl::StrJoin(said, ", "), more ? absl::StrCat(" and ", more, " more") : "");
  return shares;
}

absl::StatusOr<GpuShares> shareGpus(const plan::Plan &plan,
                                    const std::vector<std::string> &labels) {
  const std::vector<uint32_t> needed = gpusOfTasks(plan);
  std::vector<std::string> names;
  for (size_t task = 0; task < needed.size(); ++task)
    if (needed[task])
      names.push_back(labels[task]);
  if (names.size() < 2)
    return dealGpus(needed, labels, UINT32_MAX);
  const absl::StatusOr<uint32_t> there = countGpus();
  if (!there.ok())
    return base::annotate(there.status(),
                          absl::StrCat("the plan has work for GPUs of ", names.front(), " and ",
                                       names.size() - 1,
                                       names.size() == 2 ? " other task" : " other tasks"));
  return dealGpus(needed, labels, *there);
}

} // namespace graphc::launch
