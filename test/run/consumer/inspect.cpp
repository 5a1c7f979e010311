// Prints what is in a plan, with the installed headers and libraries alone. Includes every public
// header.
#include "graphc.h"
#include "graphc/ClusterOptions.h"
#include "graphc/Compiler.h"
#include "graphc/Device.h"
#include "graphc/Diagnostic.h"
#include "graphc/Hook.h"
#include "graphc/LibraryAbi.h"
#include "graphc/PlanFile.h"
#include "graphc/PlanTypes.h"
#include "graphc/Run.h"
#include "graphc/Session.h"
// The paths of 0.1.0.
#include "runtime/device/Device.h"
#include "runtime/kernels/LibraryAbi.h"
#include "runtime/plan/PlanFile.h"
#include "runtime/plan/Types.h"
#include "runtime/session/ClusterOptions.h"
#include "runtime/session/Hook.h"
#include "runtime/session/Run.h"
#include "runtime/session/Session.h"
#include "runtime/session/master/MasterDriver.h"

#include <cstdio>
#include <type_traits>

// Types by their names of 0.1.0.
static_assert(std::is_same_v<graphc::cluster::DeviceName, graphc::cluster::DeviceSpec>);
static_assert(std::is_same_v<graphc::data::DataSearch, graphc::data::DatasetSearchPath>);
static_assert(std::is_same_v<graphc::device::Memory, graphc::device::MemoryRegion>);
static_assert(std::is_same_v<graphc::kernels::Pool, graphc::kernels::ThreadPool>);
static_assert(std::is_same_v<graphc::tls::Credentials, graphc::tls::TlsCredentials>);

int main(int argc, char **argv) {
  auto loaded = graphc::plan::loadPlan(argc > 1 ? argv[1] : "");
  if (!loaded.ok()) {
    std::fprintf(stderr, "%s\n", std::string(loaded.status().message()).c_str());
    return 1;
  }
  graphc::session::DriverOptions options;
  options.steps = 3;
  bool runs = graphc::session::MasterDriver::validate(loaded->plan, options).ok();
  for (const auto &task : graphc::plan::allTasks(loaded->plan))
    std::printf("%s\n", graphc::plan::taskText(loaded->plan, task).c_str());
  std::printf("%s\n", runs ? "can be trained" : "cannot be trained");
}
