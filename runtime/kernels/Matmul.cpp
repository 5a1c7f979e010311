//===- Matmul.cpp - opens libgraphc_onednn.so and makes kernels of it -------------------------------------------------===//

#include "runtime/kernels/Matmul.h"

#include "runtime/base/Status.h"
#include "runtime/kernels/LibraryKernel.h"
#include "runtime/kernels/OnednnAbi.h"

#include "absl/strings/str_cat.h"

#include <cstdlib>
#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

namespace graphc::kernels {
namespace {

constexpr char moduleName[] = "libgraphc_onednn.so";

// Beside the executable, or where build tree and installation keep libraries relative to it.
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
  return paths;
}

absl::StatusOr<const GraphcOnednnApi *> openModule() {
  std::string tried;
  for (const std::string &path : modulePaths()) {
    if (::access(path.c_str(), R_OK) != 0) {
      absl::StrAppend(&tried, tried.empty() ? "" : ", ", path);
      continue;
    }
    void *handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle)
      return absl::FailedPreconditionError(absl::StrCat("cannot open the matmul library: ", dlerror()));
    auto get = reinterpret_cast<GraphcOnednnGetApi>(::dlsym(handle, "graphc_onednn_api"));
    const GraphcOnednnApi *api = get ? get() : nullptr;
    if (!api || api->version != GRAPHC_ONEDNN_ABI_VERSION)
      return absl::FailedPreconditionError(
          absl::StrCat(path, " does not belong to this build (its interface version differs)"));
    return api;
  }
  return absl::NotFoundError(absl::StrCat("cannot find ", moduleName, ", which holds the f32 matmul; looked for ",
                                          tried, "; GRAPHC_ONEDNN may name it"));
}

const absl::StatusOr<const GraphcOnednnApi *> &module() {
  static const auto *api = new absl::StatusOr<const GraphcOnednnApi *>(openModule());
  return *api;
}

class OnednnMatmul final : public LibraryKernel {
public:
  OnednnMatmul(const GraphcOnednnApi *api, void *kernel) : api(api), kernel(kernel) {}
  ~OnednnMatmul() override { api->destroy(kernel); }
  int run(void *const *buffers) override { return api->run(kernel, buffers); }

private:
  const GraphcOnednnApi *api;
  void *kernel;
};

absl::StatusOr<std::unique_ptr<LibraryKernel>> make(const MatmulDesc &desc, uint64_t &scratchBytes) {
  if (!module().ok())
    return module().status();
  if (desc.type != MatmulType::F32 || desc.m <= 0 || desc.n <= 0 || desc.k <= 0 || desc.batch <= 0 || desc.threads == 0)
    return absl::InvalidArgumentError(absl::StrCat(describe(desc), ": the library has no such kernel"));
  const GraphcOnednnApi *api = *module();
  GraphcMatmulDesc raw = {desc.m,          desc.n,    desc.k,    desc.batch,          desc.transposeA,
                          desc.transposeB, desc.bias, desc.relu, uint32_t(desc.type), desc.threads};
  void *kernel = nullptr;
  char message[256] = "";
  if (api->create(&raw, &kernel, &scratchBytes, message, sizeof message) != 0)
    return absl::InternalError(absl::StrCat(describe(desc), ": ", message));
  return std::make_unique<OnednnMatmul>(api, kernel);
}

} // namespace

std::string describe(const MatmulDesc &d) {
  return absl::StrCat("matmul f32 ", d.batch == 1 ? "" : absl::StrCat(d.batch, "x"), d.m, "x", d.n, "x", d.k,
                      d.transposeA ? " transpose_a" : "", d.transposeB ? " transpose_b" : "", d.bias ? " +bias" : "",
                      d.relu ? " +relu" : "", ", ", d.threads, d.threads == 1 ? " thread" : " threads");
}

absl::StatusOr<uint64_t> matmulScratchBytes(const MatmulDesc &desc) {
  uint64_t bytes = 0;
  if (auto kernel = make(desc, bytes); !kernel.ok())
    return kernel.status();
  return (bytes + 63) / 64 * 64;
}

absl::StatusOr<std::unique_ptr<LibraryKernel>> makeMatmul(const MatmulDesc &desc, uint64_t scratchBytes) {
  uint64_t needed = 0;
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<LibraryKernel> kernel, make(desc, needed));
  if (needed > scratchBytes)
    return absl::FailedPreconditionError(absl::StrCat(describe(desc), ": the library needs ", needed,
                                                      " bytes of scratch on this CPU, the plan gives ", scratchBytes,
                                                      "; compile the plan on this kind of machine"));
  return kernel;
}

} // namespace graphc::kernels
