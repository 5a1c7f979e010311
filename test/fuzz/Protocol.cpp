#include "test/fuzz/Protocol.h"

#include "runtime/common/plan/VerifyPlan.h"
#include "test/runtime/session/LonePlan.h"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace graphc::test {

const plan::LoadedPlan &protocolPlan(bool several) {
  auto load = [](plan::Plan plan) {
    if (!plan::verifyPlan(plan).ok())
      abort();
    return plan::LoadedPlan{std::move(plan), std::string(64, 'a')};
  };
  static const plan::LoadedPlan plans[] = {load(plan::lonePlan()),
                                           load(plan::parameterServerPlan({1, 2}))};
  return plans[several];
}

const std::string &scratchFolder() {
  static const std::string folder = [] {
    std::string root = access("/dev/shm", W_OK) == 0
                           ? "/dev/shm"
                           : std::filesystem::temp_directory_path().string();
    std::string made = root + "/graphc-fuzz-" + std::to_string(getpid());
    std::filesystem::create_directories(made);
    return made;
  }();
  [[maybe_unused]] static const bool removed =
      std::atexit([] {
        std::error_code error;
        std::filesystem::remove_all(scratchFolder(), error);
      }) == 0;
  return folder;
}

} // namespace graphc::test
