#include "runtime/launch/LaunchContext.h"

#include "runtime/common/base/File.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace graphc::launch {

std::string encode(const LaunchContext &context) {
  return nlohmann::json{{"run", context.run},
                        {"secret", context.secret},
                        {"listener_fd", context.listenerFd},
                        {"addresses", context.addresses},
                        {"wrong", context.wrong},
                        {"first_gpu", context.firstGpu},
                        {"restarts", context.restarts},
                        {"session", context.session},
                        {"words_fd", context.wordsFd},
                        {"launcher_pid", context.launcherPid},
                        {"program_fd", context.programFd},
                        {"plan_fd", context.planFd},
                        {"report_fd", context.reportFd}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

absl::StatusOr<std::optional<LaunchContext>> takeLaunchContext() {
  const char *variable = std::getenv(kLaunchVariable);
  if (!variable)
    return std::nullopt;
  int fd = -1;
  if (!absl::SimpleAtoi(variable, &fd) || fd < 3)
    return absl::InvalidArgumentError(
        absl::StrCat(kLaunchVariable, "=", variable, " is for graphrun's own use; unset it"));
  unsetenv(kLaunchVariable);
  auto text = base::readFile(absl::StrCat("/proc/self/fd/", fd), 16 << 20);
  if (!text.ok())
    return absl::InvalidArgumentError(absl::StrCat(
        kLaunchVariable, " is for graphrun's own use; unset it (", text.status().message(), ")"));
  close(fd);
  nlohmann::json json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  bool good = json.is_object() && json.contains("run") && json["run"].is_string() &&
              json.contains("secret") && json["secret"].is_string() &&
              json.contains("listener_fd") && json["listener_fd"].is_number_integer() &&
              json.contains("addresses") && json["addresses"].is_array() &&
              json.contains("wrong") && json["wrong"].is_array() && json.contains("plan_fd") &&
              json["plan_fd"].is_number_integer() && json.contains("first_gpu") &&
              json["first_gpu"].is_number_unsigned() && json.contains("restarts") &&
              json["restarts"].is_number_unsigned() && json.contains("report_fd") &&
              json["report_fd"].is_number_integer() && json.contains("session") &&
              json["session"].is_number_unsigned() && json.contains("words_fd") &&
              json["words_fd"].is_number_integer() && json.contains("program_fd") &&
              json["program_fd"].is_number_integer();
  if (!good)
    return absl::InvalidArgumentError(
        absl::StrCat(kLaunchVariable, " names something that no launcher wrote; unset it"));
  LaunchContext context;
  context.run = json["run"];
  context.secret = json["secret"];
  context.listenerFd = json["listener_fd"];
  for (auto [name, texts] :
       {std::pair("addresses", &context.addresses), std::pair("wrong", &context.wrong)})
    for (auto &text : json[name])
      texts->push_back(text.is_string() ? text.get<std::string>() : "");
  context.firstGpu = json["first_gpu"];
  context.restarts = json["restarts"];
  context.session = json["session"];
  context.wordsFd = json["words_fd"];
  if (json.contains("launcher_pid") && json["launcher_pid"].is_number_integer())
    context.launcherPid = json["launcher_pid"];
  context.programFd = json["program_fd"];
  context.planFd = json["plan_fd"];
  context.reportFd = json["report_fd"];
  for (int inherited : {context.reportFd, context.listenerFd, context.wordsFd, context.programFd})
    fcntl(inherited, F_SETFD, FD_CLOEXEC);
  for (const std::string &address : context.addresses) // "unix:/proc/self/fd/7"
    if (int path = -1; absl::SimpleAtoi(address.substr(address.rfind('/') + 1), &path))
      fcntl(path, F_SETFD, FD_CLOEXEC);
  if (context.launcherPid > 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); // the launcher's death by kill -9 included
    // 0: of another PID namespace
    if (const pid_t parent = getppid(); parent != context.launcherPid && parent != 0)
      _exit(1); // it had died before
  }
  return context;
}

std::string encode(const ErrorReport &report) {
  return nlohmann::json{{"error",
                         {{"task", report.task},
                          {"message", report.message},
                          {"secondary", report.secondary},
                          {"lost", report.lost}}}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string encodeLeft(uint64_t session) { return nlohmann::json{{"left", session}}.dump(); }
std::string encodeJoined(uint64_t session) { return nlohmann::json{{"joined", session}}.dump(); }

bool hasEnded(int process) {
  pollfd one{process, POLLIN, 0};
  return process >= 0 && poll(&one, 1, 0) > 0;
}

} // namespace graphc::launch
