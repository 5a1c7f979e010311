#include "tools/graphrun/check/RunWithDeadline.h"

#include <future>
#include <memory>
#include <thread>

namespace graphc::graphrun {

bool within(absl::Duration limit, std::function<void()> work) {
  auto done = std::make_shared<std::promise<void>>();
  std::future<void> future = done->get_future();
  std::thread([done, work = std::move(work)] {
    work();
    done->set_value();
  }).detach();
  return future.wait_for(absl::ToChronoMilliseconds(limit)) == std::future_status::ready;
}

} // namespace graphc::graphrun
