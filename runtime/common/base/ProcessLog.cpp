#include "runtime/common/base/ProcessLog.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"

#include "absl/strings/str_cat.h"

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

namespace {

// The message, escaped, as %* of a pattern.
class JsonMessage final : public spdlog::custom_flag_formatter {
public:
  void format(const spdlog::details::log_msg &message, const std::tm &,
              spdlog::memory_buf_t &out) override {
    std::string text = escapeJson({message.payload.data(), message.payload.size()});
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
    return std::make_unique<JsonMessage>();
  }
};

/// What logFields() was given, with a comma before it, as %k of a pattern. It comes where spdlog
/// has the name of a function.
class JsonFields final : public spdlog::custom_flag_formatter {
public:
  void format(const spdlog::details::log_msg &message, const std::tm &,
              spdlog::memory_buf_t &out) override {
    if (message.source.funcname) {
      const std::string_view fields = message.source.funcname;
      out.push_back(',');
      out.append(fields.data(), fields.data() + fields.size());
    }
  }
  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
    return std::make_unique<JsonFields>();
  }
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

void logFields(spdlog::level::level_enum level, std::string_view message,
               const std::string &fields) {
  logger().log(spdlog::source_loc{"", 1, fields.c_str()}, level, "{}", message);
}

absl::Status initializeLog(const LogOptions &options) {
  auto logger = makeLogger(options.prefix);
  if (!options.file.empty()) {
    // spdlog throws where it cannot open; find out first, without exceptions.
    int fd =
        ::open(options.file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
    if (fd < 0 && errno == ENXIO)
      return absl::UnavailableError(
          absl::StrCat("--log_file ", options.file, ": nobody reads this pipe"));
    if (fd < 0)
      return errnoStatus(absl::StrCat("--log_file ", options.file), errno);
    ::close(fd);
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(options.file);
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    std::string task = options.task.empty() ? options.prefix : options.task;
    std::erase_if(task, [](char c) { return c == '[' || c == ']' || c == ' ' || c == '%'; });
    formatter->add_flag<JsonMessage>('*').add_flag<JsonFields>('k').set_pattern(
        absl::StrCat("{\"time\":\"%Y-%m-%dT%H:%M:%S.%e%z\",\"level\":\"%l\",\"task\":\"",
                     escapeJson(task), "\",\"message\":\"%*\"%k}"));
    sink->set_formatter(std::move(formatter));
    logger->sinks().front()->set_level(options.level);
    logger->sinks().push_back(std::move(sink));
    logger->set_level(std::min(options.level, spdlog::level::debug));
  } else {
    logger->set_level(options.level);
  }
  logger->flush_on(spdlog::level::debug);
  // A full disk: said once, in one line like all others; the run goes on without its log.
  logger->set_error_handler(
      [file = options.file, said = std::make_shared<std::atomic_flag>()](const std::string &why) {
        if (!said->test_and_set())
          std::fprintf(stderr, "graphrun: --log_file %s: the log is cut short: %s\n", file.c_str(),
                       why.c_str());
      });
  instance() = std::move(logger);
  return absl::OkStatus();
}

} // namespace graphc::base
