#include "tools/graphrun/status/FindRuns.h"
#include "tools/graphrun/status/StatusServer.h"

#include "runtime/http/HttpClient.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <dirent.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::graphrun {
namespace {
/// Entries of a folder of /proc that are numbers.
std::vector<uint32_t> numbersIn(const std::string &path) {
  std::vector<uint32_t> numbers;
  std::unique_ptr<DIR, int (*)(DIR *)> folder(opendir(path.c_str()), closedir);
  while (const dirent *entry = folder ? readdir(folder.get()) : nullptr)
    if (uint32_t number = 0; absl::SimpleAtoi(entry->d_name, &number))
      numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// Of a socket that was made as StatusServer's: ".../graphc-XXXXXX/status (deleted)".
bool isStatusSocket(const std::string &descriptor) {
  char target[512];
  const ssize_t size = readlink(descriptor.c_str(), target, sizeof target);
  const std::string text(target, static_cast<size_t>(std::max<ssize_t>(size, 0)));
  const std::string end = absl::StrCat("/", kStatusSocket, " (deleted)");
  struct stat info{};
  return absl::EndsWith(text, end) && absl::StrContains(text, "/graphc-") &&
         stat(descriptor.c_str(), &info) == 0 && S_ISSOCK(info.st_mode) && info.st_uid == geteuid();
}
} // namespace

std::vector<std::string> statusSockets() {
  std::vector<std::string> found;
  for (uint32_t process : numbersIn("/proc")) {
    const std::string folder = absl::StrCat("/proc/", process);
    struct stat info{};
    if (stat(folder.c_str(), &info) != 0 || info.st_uid != geteuid())
      continue;
    for (uint32_t number : numbersIn(folder + "/fd"))
      if (std::string descriptor = absl::StrCat(folder, "/fd/", number); isStatusSocket(descriptor))
        found.push_back(descriptor);
  }
  return found;
}

std::vector<FoundRun> findRuns(absl::Duration limit) {
  std::vector<FoundRun> runs;
  for (const std::string &socket : statusSockets()) {
    auto json = http::get({socket, nullptr, ""}, "/status.json", absl::Now() + limit);
    if (!json.ok())
      continue;
    if (auto status = observe::runStatusFromJson(*json); status.ok())
      runs.push_back({socket, *std::move(json), *std::move(status)});
  }
  std::sort(runs.begin(), runs.end(), [](auto &a, auto &b) {
    return std::pair(a.status.started, a.status.pid) < std::pair(b.status.started, b.status.pid);
  });
  return runs;
}

} // namespace graphc::graphrun
