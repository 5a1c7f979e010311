#include "runtime/launch/OomKills.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <fstream>
#include <unistd.h>
#include <vector>

namespace graphc::launch {
namespace {
/// "7:memory,cpu:/a/b" has the controllers "memory,cpu" and the path "/a/b". Version 2 has none.
std::string eventsFile(absl::string_view line, const std::string &root) {
  const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
  if (parts.size() != 3)
    return "";
  const bool isSecond = parts[1].empty();
  const std::vector<std::string> controllers = absl::StrSplit(parts[1], ',');
  if (!isSecond && std::count(controllers.begin(), controllers.end(), "memory") == 0)
    return "";
  const std::string below = isSecond ? root : root + "/memory";
  const char *name = isSecond ? "memory.events" : "memory.oom_control";
  for (const std::string &path : {parts[2], std::string("/")})
    if (std::string file = absl::StrCat(below, path == "/" ? "" : path, "/", name);
        access(file.c_str(), R_OK) == 0)
      return file;
  return "";
}
} // namespace

std::string findOomFile(const std::string &cgroups, const std::string &root,
                        const std::string &machine) {
  for (absl::string_view line : absl::StrSplit(cgroups, '\n', absl::SkipEmpty()))
    if (std::string file = eventsFile(line, root); !file.empty())
      return file;
  return machine;
}

uint64_t OomKills::read() const {
  std::ifstream file(file_);
  std::string line;
  uint64_t kills = 0;
  while (std::getline(file, line))
    if (absl::StartsWith(line, "oom_kill ") &&
        absl::SimpleAtoi(absl::string_view(line).substr(9), &kills))
      return kills;
  return 0;
}

bool OomKills::take() {
  if (read() <= seen_)
    return false;
  ++seen_;
  return true;
}

void OomKills::forgetUnclaimed(absl::Time now) {
  constexpr absl::Duration limit = absl::Seconds(5), every = absl::Seconds(1);
  if (now < next_)
    return;
  next_ = now + every;
  if (now - since_ >= limit) {
    seen_ = std::max(seen_, noticed_);
    since_ = absl::InfiniteFuture();
  }
  const uint64_t kills = read();
  if (kills <= seen_)
    since_ = absl::InfiniteFuture();
  else if (since_ == absl::InfiniteFuture())
    since_ = now, noticed_ = kills;
}

} // namespace graphc::launch
