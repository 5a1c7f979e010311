#include "runtime/observe/ProgressLine.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cmath>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::observe {
namespace {
/// How often it is asked whether somebody reads; when it is said that nobody does, and again; after
/// how long a stop ends the wait.
constexpr absl::Duration kLook = absl::Milliseconds(100), kSayUnread = absl::Seconds(3),
                         kSayAgain = absl::Minutes(1), kStopUnread = absl::Seconds(1);

std::string duration(double seconds) {
  auto whole = static_cast<int64_t>(std::ceil(seconds));
  if (whole >= 3600)
    return absl::StrFormat("%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
  return absl::StrFormat("%d:%02d", whole / 60, whole % 60);
}
} // namespace

std::string withThousands(uint64_t value) {
  std::string digits = absl::StrCat(value);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<size_t>(at), ",");
  return digits;
}

std::string formatProgress(const ProgressSnapshot &snapshot, int barWidth) {
  std::string line;
  if (snapshot.epochs)
    absl::StrAppend(&line, "epoch ", snapshot.epoch, "/", snapshot.epochs, "  ");
  absl::StrAppend(&line, "step ", snapshot.step);
  if (snapshot.steps)
    absl::StrAppend(&line, "/", snapshot.steps);
  if (snapshot.stepsPerSecond > 0)
    absl::StrAppendFormat(&line, "  %.*f steps/s", snapshot.stepsPerSecond < 10 ? 2 : 0,
                          snapshot.stepsPerSecond);
  if (snapshot.loss)
    absl::StrAppendFormat(&line, "  loss %.4g", *snapshot.loss);
  for (const auto &[name, value] : snapshot.metrics)
    absl::StrAppendFormat(&line, "  %s %.4g", name, value);
  if (barWidth > 0 && snapshot.steps) {
    double part = static_cast<double>(std::min(snapshot.step, snapshot.steps)) /
                  static_cast<double>(snapshot.steps);
    int filled = static_cast<int>(barWidth * part);
    std::string done = filled == 0 ? ""
                                   : absl::StrCat(std::string(static_cast<size_t>(filled - 1), '='),
                                                  filled == barWidth ? "=" : ">");
    absl::StrAppend(&line, "  [", done, std::string(static_cast<size_t>(barWidth - filled), ' '),
                    "]");
    if (snapshot.stepsPerSecond > 0 && snapshot.step < snapshot.steps)
      absl::StrAppend(
          &line, " eta ",
          duration(static_cast<double>(snapshot.steps - snapshot.step) / snapshot.stepsPerSecond));
  }
  return line;
}

std::string toJson(const ProgressSnapshot &snapshot) {
  nlohmann::json json = {{"step", snapshot.step},
                         {"steps", snapshot.steps},
                         {"epoch", snapshot.epoch},
                         {"epochs", snapshot.epochs},
                         {"steps_per_s", snapshot.stepsPerSecond},
                         {"last", snapshot.last}};
  if (snapshot.logged)
    json["logged"] = *snapshot.logged;
  if (snapshot.loss)
    json["loss"] = *snapshot.loss; // NaN becomes null
  for (const auto &[name, value] : snapshot.metrics)
    json["metrics"].push_back({{"name", name}, {"value", value}});
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

absl::StatusOr<ProgressSnapshot> progressFromJson(const std::string &text) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.value("step", nlohmann::json()).is_number_unsigned())
    return absl::InvalidArgumentError(absl::StrCat("no progress: ", text));
  ProgressSnapshot snapshot;
  auto count = [&](const char *key) {
    return json.contains(key) && json[key].is_number_unsigned() ? json[key].get<uint64_t>() : 0;
  };
  auto number = [](const nlohmann::json &value) {
    return value.is_number() ? value.get<double>() : std::nan("");
  };
  auto real = [&](const char *key) -> std::optional<double> {
    return json.contains(key) ? std::optional(number(json[key])) : std::nullopt;
  };
  snapshot.step = count("step");
  snapshot.steps = count("steps");
  snapshot.epoch = count("epoch");
  snapshot.epochs = count("epochs");
  snapshot.stepsPerSecond = real("steps_per_s").value_or(0);
  snapshot.loss = real("loss");
  for (const nlohmann::json &metric : json.value("metrics", nlohmann::json::array()))
    if (metric.is_object() && metric.contains("name") && metric["name"].is_string() &&
        metric.contains("value"))
      snapshot.metrics.emplace_back(metric["name"].get<std::string>(), number(metric["value"]));
  if (json.contains("logged") && json["logged"].is_boolean())
    snapshot.logged = json["logged"].get<bool>();
  snapshot.last = json.contains("last") && json["last"].is_boolean() && json["last"].get<bool>();
  return snapshot;
}

/// What the line says but for the rate, which changes while nothing is made.
static std::string withoutRate(ProgressSnapshot snapshot) {
  snapshot.stepsPerSecond = 0;
  return formatProgress(snapshot, /*barWidth=*/0);
}

ProgressLine::ProgressLine(std::FILE *out) : out_(out), terminal_(isatty(fileno(out)) == 1) {}

void ProgressLine::erase() {
  if (!drawn_.empty())
    std::fputs("\r\033[K", out_);
}

void ProgressLine::show(const ProgressSnapshot &snapshot) {
  if (snapshot.last) {
    base::MutexLock lock(mutex_);
    draw(snapshot);
  } else if (mutex_.try_lock()) {
    draw(snapshot);
    mutex_.unlock();
  }
}

void ProgressLine::draw(const ProgressSnapshot &snapshot) {
  absl::Time now = absl::Now();
  if (terminal_) {
    erase();
    drawn_ = formatProgress(snapshot, kBarWidth);
    // A line that wraps could not be drawn over: a shorter bar, else none, else what there is room
    // for. All of it is ASCII.
    winsize window{};
    if (ioctl(fileno(out_), TIOCGWINSZ, &window) == 0 && window.ws_col > 2) {
      int over = static_cast<int>(drawn_.size()) - (window.ws_col - 2);
      if (over > 0)
        drawn_ = formatProgress(snapshot, over <= kBarWidth - 4 ? kBarWidth - over : 0);
      drawn_.resize(std::min<size_t>(drawn_.size(), window.ws_col - 2u));
    }
    absl::FPrintF(out_, " %s", drawn_);
    if (snapshot.last || snapshot.logged.value_or(false)) {
      std::fputc('\n', out_);
      drawn_.clear();
    }
    std::fflush(out_);
  } else if (snapshot.last || (snapshot.logged ? *snapshot.logged
                                               : now - lastWritten_ >= absl::Seconds(1) &&
                                                     withoutRate(snapshot) != written_)) {
    lastWritten_ = now;
    written_ = withoutRate(snapshot);
    absl::FPrintF(out_, " %s\n", formatProgress(snapshot, /*barWidth=*/0));
    std::fflush(out_);
  }
}

/// A pipe that poll() calls writable takes PIPE_BUF bytes, so no write() waits. False: not all of
/// it arrived.
bool ProgressLine::write(int fd, std::string_view text) {
  absl::Time since = absl::Now();
  while (!text.empty() && !unread_) {
    pollfd one{fd, POLLOUT, 0};
    if (poll(&one, 1, static_cast<int>(absl::ToInt64Milliseconds(kLook))) > 0) {
      const ssize_t bytes = ::write(fd, text.data(), std::min<size_t>(text.size(), PIPE_BUF));
      if (bytes <= 0 && errno != EINTR && errno != EAGAIN)
        return false;
      if (bytes > 0) {
        text.remove_prefix(static_cast<size_t>(bytes));
        since = absl::Now();
      }
      continue;
    }
    const absl::Time now = absl::Now();
    if (now - since >= kSayUnread && now - said_ >= kSayAgain) {
      said_ = now;
      say(fd,
          "nobody reads standard output, where the results go; the run waits for that. Ctrl-C or SIGTERM ends it");
    }
    if (now - since >= kStopUnread && stops_ && stops_()) {
      unread_ = true;
      say(fd,
          "nobody reads standard output, and the run is to stop: results are lost from here on");
    }
  }
  return text.empty();
}

/// Unless standard error is what nobody reads, or would be waited for as well.
void ProgressLine::say(int unread, const std::string &line) {
  const int fd = fileno(out_);
  struct stat here{}, there{};
  pollfd one{fd, POLLOUT, 0};
  if (!says_ || fstat(fd, &here) != 0 || fstat(unread, &there) != 0 ||
      (here.st_dev == there.st_dev && here.st_ino == there.st_ino) || poll(&one, 1, 0) <= 0)
    return;
  const std::string text = absl::StrCat("graphrun: ", line, "\n");
  (void)!::write(fd, text.data(), text.size());
}

void ProgressLine::print(std::FILE *to, const std::string &line) {
  base::MutexLock lock(mutex_);
  erase();
  std::fflush(out_);
  if (to == out_) {
    absl::FPrintF(to, "%s\n", line);
    std::fflush(to);
  } else if (std::fflush(to) != 0 || !write(fileno(to), line + "\n")) {
    lost_ = true;
  }
  if (!drawn_.empty()) {
    absl::FPrintF(out_, " %s", drawn_);
    std::fflush(out_);
  }
}

bool ProgressLine::flush(std::FILE *to) {
  base::MutexLock lock(mutex_);
  return std::fflush(to) == 0 && !std::ferror(to) && (to == out_ || !lost_);
}

void ProgressLine::finish() {
  if (!mutex_.try_lock())
    return;
  if (!drawn_.empty()) {
    std::fputc('\n', out_);
    std::fflush(out_);
    drawn_.clear();
  }
  mutex_.unlock();
}

} // namespace graphc::observe
