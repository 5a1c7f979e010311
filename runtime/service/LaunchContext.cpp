#include "runtime/service/LaunchContext.h"

#include <nlohmann/json.hpp>

namespace graphc::service {

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
                        {"program_fd", context.programFd},
                        {"plan_fd", context.planFd},
                        {"report_fd", context.reportFd}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace graphc::service
