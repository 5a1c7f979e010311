#include "runtime/launch/LauncherMessages.h"

#include "runtime/common/base/Socket.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <poll.h>
#include <sys/socket.h>

namespace graphc::launch {
namespace {
using nlohmann::json;

std::string dumped(const json &word) {
  return word.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

/// No word: not an object with a session and these texts.
std::optional<json> parse(const std::string &line, std::initializer_list<const char *> texts) {
  json word = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!word.is_object() || !word.contains("session") || !word["session"].is_number_unsigned())
    return std::nullopt;
  for (const char *text : texts)
    if (!word.contains(text) || !word[text].is_string())
      return std::nullopt;
  return word;
}
} // namespace

std::string encode(const SessionLost &word) {
  return dumped({{"session", word.session}, {"task", word.task}, {"why", word.why}});
}
std::string encode(const NextSession &word) {
  return dumped({{"session", word.session}, {"run", word.run}});
}

std::optional<std::string> LauncherMessages::line() {
  while (true) {
    if (size_t end = rest_.find('\n'); end != std::string::npos) {
      std::string found = rest_.substr(0, end);
      rest_.erase(0, end + 1);
      return found;
    }
    char buffer[4096];
    const ssize_t got = over_ ? -1 : recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (got <= 0) {
      over_ |= got == 0 || (errno != EAGAIN && errno != EINTR);
      return std::nullopt;
    }
    rest_.append(buffer, static_cast<size_t>(got));
  }
}

std::optional<SessionLost> LauncherMessages::lost(uint64_t session) {
  while (std::optional<std::string> one = line())
    if (std::optional<json> word = parse(*one, {"task", "why"});
        word && (*word)["session"] == session)
      return SessionLost{session, (*word)["task"], (*word)["why"]};
  return std::nullopt;
}

bool LauncherMessages::isOver() {
  while (line()) {
  }
  return over_;
}

std::optional<NextSession> LauncherMessages::next(uint64_t session, absl::Time deadline) {
  while (true) {
    while (std::optional<std::string> one = line())
      if (std::optional<json> word = parse(*one, {"run"}); word && (*word)["session"] > session)
        return NextSession{(*word)["session"], (*word)["run"]};
    if (over_ || absl::Now() >= deadline)
      return std::nullopt;
    (void)base::waitFor(socket_.get(), POLLIN, deadline);
  }
}

} // namespace graphc::launch
