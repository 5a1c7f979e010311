#include "runtime/launch/RejoinReports.h"

#include "runtime/common/base/File.h"

#include <nlohmann/json.hpp>

namespace graphc::launch {

session::RejoinOptions returnsByLauncher(int pipe, absl::Duration joinDeadline) {
  const auto report = [pipe](const nlohmann::json &json) {
    const std::string line =
        json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    (void)base::writeAll(pipe, line.data(), line.size(),
                         "the launcher's pipe"); // one that is gone ends us by other ways
  };
  session::RejoinOptions options;
  options.away = [report](uint32_t task, int64_t process, const std::string &how) {
    report({{"away", task}, {"pid", process}, {"why", how}});
  };
  options.back = [report](uint32_t task, int64_t process) {
    report({{"back", task}, {"pid", process}});
  };
  options.judges = [report](bool judges) { report({{"judges", judges}}); };
  options.joinDeadline = joinDeadline;
  return options;
}

} // namespace graphc::launch
