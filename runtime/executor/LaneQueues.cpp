#include "runtime/executor/LaneQueues.h"

#include "runtime/base/Status.h"

#include "absl/strings/str_cat.h"

namespace graphc::executor {

absl::Status LaneQueues::make(const transport::Transport &transport, const std::string &lane) {
  const size_t count = program.signals.size();
  if (const uint32_t most = program.device->limits().queues; count > most)
    return absl::ResourceExhaustedError(
        absl::StrCat(lane, ": ", count, " queues, but ", program.device->name(), " has ", most));
  queues.reserve(count);
  ports.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<device::Queue> queue, program.device->makeQueue());
    queues.push_back(std::move(queue));
    ports.emplace_back(*queues.back(), transport);
  }
  return absl::OkStatus();
}

} // namespace graphc::executor
