#include "runtime/observe/HistoryFile.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/observe/JsonNumber.h"

#include "absl/strings/str_cat.h"
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::observe {
using Json = nlohmann::ordered_json;

namespace {
/// Whether the steps of this line are made again. One that is no record says nothing of steps.
bool isMadeAgain(std::string_view line, const ResumePoint &restart) {
  nlohmann::json json =
      nlohmann::json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  auto step = json.is_object() ? json.find("step") : json.end();
  if (!json.is_object() || step == json.end() || !step->is_number_unsigned())
    return false;
  return step->get<uint64_t>() > (json.contains("task") ? restart.stepOfTask : restart.step);
}

struct Kept {
  std::string text;
  size_t dropped = 0; ///< whole lines
  bool cut = false; ///< a last line without its end
};

Kept keep(std::string_view text, const ResumePoint &restart) {
  Kept kept;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      kept.cut = true;
      break;
    }
    const std::string_view line = text.substr(0, end + 1);
    if (isMadeAgain(line.substr(0, end), restart))
      ++kept.dropped;
    else
      kept.text += line;
    text.remove_prefix(end + 1);
  }
  return kept;
}

absl::Status goOn(const std::string &path, const ResumePoint &restart,
                  const std::function<void(const std::string &)> &say) {
  Kept kept;
  {
    GRAPHC_ASSIGN_OR_RETURN(base::MappedFile file, base::MappedFile::open(path));
    kept = keep(file.view(), restart);
  }
  if (!kept.dropped && !kept.cut)
    return absl::OkStatus();
  GRAPHC_RETURN_IF_ERROR(base::writeFileAtomic(path, kept.text));
  if (kept.dropped)
    say(absl::StrCat("--history ", path, ": ", kept.dropped, kept.dropped == 1 ? " line" : " lines",
                     " behind step ", restart.step, " dropped: these steps are made again"));
  return absl::OkStatus();
}

absl::Status moveAway(const std::string &path,
                      const std::function<void(const std::string &)> &say) {
  GRAPHC_ASSIGN_OR_RETURN(std::string old, base::moveAway(path));
  say(absl::StrCat("--history ", path, ": what another run has written there is ", old, " now"));
  return absl::OkStatus();
}
} // namespace

std::string toJson(const StepRecord &record) {
  Json json;
  json["step"] = record.step;
  json["wall_time"] = static_cast<double>(absl::ToUnixMicros(record.time)) * 1e-6;
  if (record.epoch)
    json["epoch"] = *record.epoch;
  json["phase"] = record.phase;
  if (!record.task.empty())
    json["task"] = record.task;
  json["values"] = Json::object();
  for (const auto &[name, value] : record.scalars)
    json["values"][name] = number(value);
  for (const auto &[name, histogram] : record.histograms) {
    Json &one = json["histograms"][name] = {{"count", histogram.count()},
                                            {"min", number(histogram.min())},
                                            {"max", number(histogram.max())},
                                            {"mean", number(histogram.mean())},
                                            {"stddev", number(histogram.standardDeviation())}};
    if (histogram.notFinite())
      one["not_finite"] = histogram.notFinite();
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::StatusOr<std::unique_ptr<HistoryFile>>
HistoryFile::open(const std::string &path, const ResumePoint &restart,
                  const std::function<void(const std::string &)> &say) {
  struct stat info{};
  const bool exists = ::stat(path.c_str(), &info) == 0, regular = exists && S_ISREG(info.st_mode);
  if (regular && info.st_size > 0)
    GRAPHC_RETURN_IF_ERROR(restart.restored ? goOn(path, restart, say) : moveAway(path, say));
  base::UniqueFd fd(::open(
      path.c_str(),
      O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (exists && !regular ? O_NONBLOCK : 0), 0644));
  if (!fd)
    return errno == ENXIO ? absl::UnavailableError(absl::StrCat(path, ": nobody reads this pipe"))
                          : base::errnoStatus(path, errno);
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) & ~O_NONBLOCK);
  return std::unique_ptr<HistoryFile>(new HistoryFile(path, std::move(fd)));
}

absl::Status HistoryFile::write(const StepRecord &record) {
  const std::string line = toJson(record) + "\n";
  return base::writeAll(fd_.get(), line.data(), line.size(), path_);
}

} // namespace graphc::observe
