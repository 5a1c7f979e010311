#include "runtime/device/cuda/CublasLtApi.h"

#include "runtime/device/cuda/CudaDriverApi.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <type_traits>

namespace graphc::device::cuda::lt {
namespace {

constexpr char kRemedy[] =
    "; install it (it comes with the CUDA toolkit, and as the package nvidia-cublas of PyPI) "
    "where LD_LIBRARY_PATH finds it, or "
    "compile the model with graphc --no_cublaslt";
/// What changes the bits of a product whatever it is asked for. NVIDIA's documentation names these.
constexpr const char *kMeddlers[] = {"NVIDIA_TF32_OVERRIDE", "CUBLAS_EMULATE_SINGLE_PRECISION",
                                     "CUBLAS_EMULATION_STRATEGY"};

absl::StatusOr<const CublasLtApi *> openLibrary() {
  for (const char *name : kMeddlers)
    if (std::getenv(name))
      return absl::FailedPreconditionError(absl::StrCat(
          "the environment variable ", name,
          " is set, by which cuBLASLt computes other bits than the plan asks for; unset it"));
  if (const char *own = std::getenv("GRAPHC_CUBLASLT"))
    return CublasLtApi::openFile({own});
  return CublasLtApi::openFile({"libcublasLt.so.13", "libcublasLt.so.12"});
}

} // namespace

absl::StatusOr<const CublasLtApi *> CublasLtApi::openFile(const std::vector<std::string> &names) {
  const std::string tried = absl::StrJoin(names, " or ");
  void *library = nullptr;
  for (size_t i = 0; i < names.size() && !library; ++i)
    library = ::dlopen(names[i].c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library)
    return absl::NotFoundError(absl::StrCat("no cuBLASLt (", tried, ") on this machine", kRemedy));
  auto api = std::make_unique<CublasLtApi>();
  std::string missing;
  auto find = [&](auto &function, const char *name) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    if (!function && missing.empty())
      missing = name;
  };
  find(api->getVersion, "cublasLtGetVersion");
  find(api->getStatusName, "cublasLtGetStatusName");
  find(api->getStatusString, "cublasLtGetStatusString");
  find(api->create, "cublasLtCreate");
  find(api->destroy, "cublasLtDestroy");
  find(api->matmulDescCreate, "cublasLtMatmulDescCreate");
  find(api->matmulDescDestroy, "cublasLtMatmulDescDestroy");
  find(api->matmulDescSetAttribute, "cublasLtMatmulDescSetAttribute");
  find(api->matrixLayoutCreate, "cublasLtMatrixLayoutCreate");
  find(api->matrixLayoutDestroy, "cublasLtMatrixLayoutDestroy");
  find(api->matrixLayoutSetAttribute, "cublasLtMatrixLayoutSetAttribute");
  find(api->matmulPreferenceCreate, "cublasLtMatmulPreferenceCreate");
  find(api->matmulPreferenceDestroy, "cublasLtMatmulPreferenceDestroy");
  find(api->matmulPreferenceSetAttribute, "cublasLtMatmulPreferenceSetAttribute");
  find(api->matmulAlgoGetHeuristic, "cublasLtMatmulAlgoGetHeuristic");
  find(api->matmulAlgoCheck, "cublasLtMatmulAlgoCheck");
  find(api->matmul, "cublasLtMatmul");
  if (!missing.empty())
    return absl::FailedPreconditionError(
        absl::StrCat("cuBLASLt (", tried, ") has no ", missing, kRemedy));
  return api.release(); // for good, as its library
}

absl::StatusOr<const CublasLtApi *> CublasLtApi::open() {
  static const auto *api = new absl::StatusOr<const CublasLtApi *>(openLibrary());
  return *api;
}

absl::Status CublasLtApi::status(Result result, const char *call, const std::string &what) const {
  if (result == kOk)
    return absl::OkStatus();
  return absl::InternalError(
      errorText(what, call, result, getStatusName(result), getStatusString(result)));
}

} // namespace graphc::device::cuda::lt
