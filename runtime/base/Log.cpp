#include "runtime/base/Log.h"
#include "runtime/base/Status.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace graphc::base {

// How many bytes the UTF-8 character at the start of `text` has; 0: none is there, as in a file name of another encoding.
static size_t utf8Length(std::string_view text) {
  unsigned char first = text[0];
  size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length > text.size())
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((text[i] & 0xc0) != 0x80)
      return 0;
  // Overlong forms, surrogates and what lies behind U+10FFFF.
  unsigned char second = length > 1 ? text[1] : 0;
  bool bad = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
             (first == 0xf4 && second > 0x8f);
  return bad ? 0 : length;
}

std::string jsonEscape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char c = text[i];
    if (c >= 0x80) {
      size_t length = utf8Length(text.substr(i));
      out += length ? text.substr(i, length) : std::string_view("\xef\xbf\xbd"); // U+FFFD
      i += length ? length - 1 : 0;
      continue;
    }
    if (c == '"' || c == '\\')
      out += '\\', out += char(c);
    else if (c == '\n')
      out += "\\n";
    else if (c < 0x20 || c == 0x7f)
      absl::StrAppendFormat(&out, "\\u%04x", c);
    else
      out += char(c);
  }
  return out;
}

namespace {

// The message, escaped, as %* of a pattern.
class JsonMessage final : public spdlog::custom_flag_formatter {
public:
  void format(const spdlog::details::log_msg &message, const std::tm &, spdlog::memory_buf_t &out) override {
    std::string text = jsonEscape({message.payload.data(), message.payload.size()});
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override { return std::make_unique<JsonMessage>(); }
};

std::shared_ptr<spdlog::logger> makeLogger(const std::string &prefix) {
  auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  std::string escaped;
  for (char c : prefix)
    escaped += c == '%' ? std::string("%%") : std::string(1, c);
  sink->set_pattern(escaped + "%v");
  return std::make_shared<spdlog::logger>("graphc", std::move(sink));
}

std::shared_ptr<spdlog::logger> &instance() {
  // Leaked on purpose: other static destructors may still log.
  static auto *logger = new std::shared_ptr<spdlog::logger>(makeLogger(""));
  return *logger;
}

} // namespace

spdlog::logger &logger() { return *instance(); }

absl::Status initializeLog(const LogOptions &options) {
  auto logger = makeLogger(options.prefix);
  if (!options.file.empty()) {
    // spdlog throws where it cannot open; find out first, without exceptions.
    int fd = ::open(options.file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
    if (fd < 0 && errno == ENXIO)
      return absl::UnavailableError(absl::StrCat("--log_file ", options.file, ": nobody reads this pipe"));
    if (fd < 0)
      return errnoStatus(absl::StrCat("--log_file ", options.file), errno);
    ::close(fd);
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(options.file);
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    std::string task = options.task.empty() ? options.prefix : options.task;
    std::erase_if(task, [](char c) { return c == '[' || c == ']' || c == ' ' || c == '%'; });
    formatter->add_flag<JsonMessage>('*').set_pattern(
        absl::StrCat("{\"time\":\"%Y-%m-%dT%H:%M:%S.%e%z\",\"level\":\"%l\",\"task\":\"", jsonEscape(task),
                     "\",\"message\":\"%*\"}"));
    sink->set_formatter(std::move(formatter));
    logger->sinks().front()->set_level(options.level);
    logger->sinks().push_back(std::move(sink));
    logger->set_level(std::min(options.level, spdlog::level::debug));
  } else {
    logger->set_level(options.level);
  }
  logger->flush_on(spdlog::level::debug);
  // A full disk: said once, in one line like all others; the run goes on without its log.
  logger->set_error_handler([file = options.file, said = std::make_shared<std::atomic_flag>()](const std::string &why) {
    if (!said->test_and_set())
      std::fprintf(stderr, "graphrun: --log_file %s: the log is cut short: %s\n", file.c_str(), why.c_str());
  });
  instance() = std::move(logger);
  return absl::OkStatus();
}

} // namespace graphc::base
