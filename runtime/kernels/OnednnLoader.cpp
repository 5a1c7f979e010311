//===- OnednnLoader.cpp - opens libgraphc_onednn.so -------------------------------------------===//
#include "runtime/kernels/OnednnLoader.h"

#include "runtime/common/base/CpuFeatures.h"
#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"

#include <cstdlib>
#include <dlfcn.h>
#include <limits.h>
#include <optional>
#include <unistd.h>
#include <vector>

namespace graphc::kernels {
namespace {

constexpr char moduleName[] = "libgraphc_onednn.so";

// Beside the executable, or where build tree and installation keep libraries relative to it; last
// by name alone, which a program of somebody else's finds through the RPATH that
// find_package(graphc) gives it.
std::vector<std::string> modulePaths() {
  if (const char *path = getenv("GRAPHC_ONEDNN"))
    return {path};
  char buffer[PATH_MAX];
  ssize_t n = ::readlink("/proc/self/exe", buffer, sizeof buffer - 1);
  std::string directory = n > 0 ? std::string(buffer, size_t(n)) : std::string();
  directory.resize(directory.rfind('/') == std::string::npos ? 0 : directory.rfind('/'));
  std::vector<std::string> paths;
  for (const char *relative : {"/", "/../lib/", "/../../lib/", "/../lib/graphc/"})
    paths.push_back(absl::StrCat(directory, relative, moduleName));
  paths.emplace_back(moduleName);
  return paths;
}

absl::StatusOr<const GraphcOnednnApi *> openModule() {
  std::string tried;
  for (const std::string &path : modulePaths()) {
    const bool byName = path == moduleName;
    if (!byName && ::access(path.c_str(), R_OK) != 0) {
      absl::StrAppend(&tried, tried.empty() ? "" : ", ", path);
      continue;
    }
    void *handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle && byName)
      break;
    if (!handle)
      return absl::FailedPreconditionError(
          absl::StrCat("cannot open the library of products and convolutions: ", dlerror()));
    auto get = reinterpret_cast<GraphcOnednnGetApi>(::dlsym(handle, "graphc_onednn_api"));
    GRAPHC_ASSIGN_OR_RETURN(const std::optional<base::CpuLevel> limit, base::maxCpuLevel());
    const GraphcOnednnApi *api = get ? get(limit ? uint32_t(*limit) : 0) : nullptr;
    if (!api || api->version != GRAPHC_ONEDNN_ABI_VERSION)
      return absl::FailedPreconditionError(
          absl::StrCat(path, " does not belong to this build (its interface version differs)"));
    return api;
  }
  return absl::NotFoundError(absl::StrCat(
      "cannot find ", moduleName, ", which holds products and convolutions of f32; looked for ",
      tried, "; GRAPHC_ONEDNN may name it"));
}

} // namespace

const absl::StatusOr<const GraphcOnednnApi *> &onednn() {
  static const auto *api = new absl::StatusOr<const GraphcOnednnApi *>(openModule());
  return *api;
}

} // namespace graphc::kernels
