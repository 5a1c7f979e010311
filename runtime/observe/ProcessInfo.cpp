#include "runtime/observe/ProcessInfo.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <climits>
#include <ctime>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace graphc::observe {
namespace {
std::string readAll(const char *path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string linkTarget(const char *path) {
  char target[PATH_MAX];
  ssize_t length = readlink(path, target, sizeof target);
  return length > 0 ? std::string(target, length) : std::string();
}
} // namespace

double secondsSinceProcessStart() {
  // Field 22 of /proc/self/stat, in clock ticks since boot; the name in field 2 may hold spaces, so
  // count from its ')'.
  std::string stat = readAll("/proc/self/stat");
  size_t afterName = stat.rfind(')');
  if (afterName == std::string::npos)
    return 0;
  std::vector<std::string> fields = absl::StrSplit(stat.substr(afterName + 2), ' ');
  double ticks = 0;
  if (fields.size() < 20 || !absl::SimpleAtod(fields[19], &ticks))
    return 0;
  timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) -
         ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

uint64_t residentBytes() {
  std::vector<std::string> fields = absl::StrSplit(readAll("/proc/self/statm"), ' ');
  uint64_t pages = 0;
  if (fields.size() < 2 || !absl::SimpleAtoi(fields[1], &pages))
    return 0;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint64_t peakResidentBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

std::string hostName() {
  utsname name{};
  return uname(&name) == 0 ? name.nodename : "localhost";
}

std::string hostId() {
  std::string boot = readAll("/proc/sys/kernel/random/boot_id");
  return absl::StrCat(
      std::string(boot.begin(), boot.begin() + static_cast<long>(boot.find_last_not_of('\n') + 1)),
      "/", linkTarget("/proc/self/ns/ipc"), "/", linkTarget("/proc/self/ns/net"), "/",
      linkTarget("/proc/self/ns/pid"));
}

bool isStopped(int64_t pid) {
  const std::string stat = readAll(absl::StrCat("/proc/", pid, "/stat").c_str());
  const size_t afterName = stat.rfind(')'); // which may hold anything
  return afterName != std::string::npos && afterName + 2 < stat.size() &&
         (stat[afterName + 2] == 'T' || stat[afterName + 2] == 't');
}

} // namespace graphc::observe
