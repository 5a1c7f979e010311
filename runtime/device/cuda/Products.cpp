#include "runtime/device/cuda/Products.h"

#include "runtime/common/base/Status.h"
#include "runtime/common/base/Text.h"
#include "runtime/kernels/Matmul.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace graphc::device::cuda {

using namespace lt;

/// What every buffer of a plan begins at a multiple of.
constexpr uint32_t kAlignment = 64;
/// What the library's workspace has to begin at a multiple of, since version 12.9 on some GPUs: the scratch gives up so much at its start.
constexpr uint64_t kWorkspaceAlignment = 256;
constexpr uint64_t usable(uint64_t scratchBytes) {
  return scratchBytes - std::min<uint64_t>(scratchBytes, kWorkspaceAlignment - kAlignment);
}

/// One product: what it is, told in the library's words, and its algorithm.
///
/// The library's matrices are column-major, and a row-major matrix is its transpose there. So the transposes are multiplied, with the factors'
/// roles changed: of c = a x b it makes c' = b' x a'.
class Product final : public StreamKernel {
public:
  Product(std::shared_ptr<CublasMatmul> products, const kernels::MatmulDesc &desc)
      : products(std::move(products)), desc(desc) {}
  ~Product() override {
    const CublasLtApi &api = products->api;
    if (operation)
      api.matmulDescDestroy(operation);
    for (Layout layout : {first, second, result})
      if (layout)
        api.matrixLayoutDestroy(layout);
  }

  absl::Status describe() {
    const CublasLtApi &api = products->api;
    const int compute = desc.precision == kernels::MatmulPrecision::Tf32   ? kComputeFastTf32
                        : desc.precision == kernels::MatmulPrecision::Bf16 ? kComputeFastBf16
                                                                     : kComputeF32;
    GRAPHC_RETURN_IF_ERROR(check(api.matmulDescCreate(&operation, compute, kTypeF32), "cublasLtMatmulDescCreate"));
    GRAPHC_RETURN_IF_ERROR(set(kTransposeA, desc.transposeB));
    GRAPHC_RETURN_IF_ERROR(set(kTransposeB, desc.transposeA));
    // As they are stored: rows of the library's run along our columns.
    GRAPHC_RETURN_IF_ERROR(lay(first, desc.transposeB ? desc.k : desc.n, desc.transposeB ? desc.n : desc.k));
    GRAPHC_RETURN_IF_ERROR(lay(second, desc.transposeA ? desc.m : desc.k, desc.transposeA ? desc.k : desc.m));
    return lay(result, desc.n, desc.m);
  }

  /// The first that the library's heuristic names.
  absl::Status choose(uint64_t scratchBytes) {
    const CublasLtApi &api = products->api;
    Preference preference = nullptr;
    GRAPHC_RETURN_IF_ERROR(check(api.matmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate"));
    auto prefer = [&](int attribute, auto value) {
      return api.matmulPreferenceSetAttribute(preference, attribute, &value, sizeof value);
    };
    Heuristic found{};
    int count = 0;
    Result result = prefer(kMostWorkspace, usable(scratchBytes));
    // Parts of a sum meet in the workspace, in a step of their own, and not in the order in which they come.
    if (result == kOk)
      result = prefer(kReductionSchemes, kReduceInComputeType | kReduceInOutputType);
    for (int operand = 0; operand < 4 && result == kOk; ++operand)
      result = prefer(kAlignmentA + operand, kAlignment);
    if (result == kOk)
      result = api.matmulAlgoGetHeuristic(products->handle, operation, first, second, this->result, this->result,
                                          preference, 1, &found, &count);
    api.matmulPreferenceDestroy(preference);
    GRAPHC_RETURN_IF_ERROR(check(result == kOk && count == 1 ? found.state
                                 : result == kOk             ? kNotSupported
                                                             : result,
                                 "cublasLtMatmulAlgoGetHeuristic"));
    chosen = found.algorithm;
    workspaceBytes = found.workspaceBytes;
    return workspaceBytes <= usable(scratchBytes) ? absl::OkStatus()
                                                  : check(kInvalidValue, "cublasLtMatmulAlgoGetHeuristic");
  }

  /// The one that was told before, perhaps elsewhere.
  absl::Status restore(std::string_view told, uint64_t scratchBytes) {
    const size_t space = told.rfind(' ');
    const std::string_view identity = space == told.npos ? told : told.substr(0, space);
    if (identity != products->identity)
      return absl::FailedPreconditionError(
          absl::StrCat(what(), ": it was made by ", base::view(identity), ", and here is ", products->identity));
    const std::string_view digits = told.substr(space + 1);
    if (digits.size() != 2 * sizeof(Algorithm) || digits.find_first_not_of("0123456789abcdef") != digits.npos)
      return absl::InvalidArgumentError(absl::StrCat(what(), ": '", base::view(told), "' is no algorithm"));
    memcpy(&chosen, absl::HexStringToBytes(base::view(digits)).data(), sizeof chosen);
    Heuristic found{};
    GRAPHC_RETURN_IF_ERROR(check(
        products->api.matmulAlgoCheck(products->handle, operation, first, second, result, result, &chosen, &found),
        "cublasLtMatmulAlgoCheck"));
    workspaceBytes = found.workspaceBytes;
    return workspaceBytes <= usable(scratchBytes) ? absl::OkStatus() : check(kInvalidValue, "cublasLtMatmulAlgoCheck");
  }

  std::string algorithm() const override {
    return absl::StrCat(products->identity, " ",
                        absl::BytesToHexString({reinterpret_cast<const char *>(&chosen), sizeof chosen}));
  }

  absl::Status enqueue(void *stream, void *const *buffers) override {
    static constexpr float kOne = 1, kZero = 0;
    const CublasLtApi &api = products->api;
    const auto scratch = reinterpret_cast<uintptr_t>(buffers[3]);
    void *workspace = reinterpret_cast<void *>((scratch + kWorkspaceAlignment - 1) & ~(kWorkspaceAlignment - 1));
    return check(api.matmul(products->handle, operation, &kOne, buffers[1], first, buffers[0], second, &kZero,
                            buffers[2], result, buffers[2], result, &chosen, workspace, workspaceBytes, stream),
                 "cublasLtMatmul");
  }

private:
  std::string what() const { return absl::StrCat(products->gpu, ": ", kernels::describe(desc)); }
  absl::Status check(Result result, const char *call) const {
    return result == kOk ? absl::OkStatus() : products->api.status(result, call, what());
  }
  absl::Status set(int attribute, bool transposed) {
    const int32_t value = transposed ? kTransposed : kNotTransposed;
    return check(products->api.matmulDescSetAttribute(operation, attribute, &value, sizeof value),
                 "cublasLtMatmulDescSetAttribute");
  }
  absl::Status lay(Layout &layout, int64_t rows, int64_t columns) {
    const CublasLtApi &api = products->api;
    GRAPHC_RETURN_IF_ERROR(check(api.matrixLayoutCreate(&layout, kTypeF32, uint64_t(rows), uint64_t(columns), rows),
                                 "cublasLtMatrixLayoutCreate"));
    if (desc.batch == 1)
      return absl::OkStatus();
    const auto count = int32_t(desc.batch);
    const int64_t stride = rows * columns;
    GRAPHC_RETURN_IF_ERROR(check(api.matrixLayoutSetAttribute(layout, kBatchCount, &count, sizeof count),
                                 "cublasLtMatrixLayoutSetAttribute"));
    return check(api.matrixLayoutSetAttribute(layout, kBatchStride, &stride, sizeof stride),
                 "cublasLtMatrixLayoutSetAttribute");
  }

  const std::shared_ptr<CublasMatmul> products;
  const kernels::MatmulDesc desc;
  Operation operation = nullptr;
  Layout first = nullptr, second = nullptr, result = nullptr;
  Algorithm chosen{};
  size_t workspaceBytes = 0;
};

absl::StatusOr<std::shared_ptr<CublasMatmul>> CublasMatmul::open(const std::string &gpu, const std::string &model) {
  absl::StatusOr<const CublasLtApi *> api = CublasLtApi::open();
  if (!api.ok())
    return base::annotate(api.status(), absl::StrCat("the plan's products on ", gpu));
  auto products =
      std::make_shared<CublasMatmul>(**api, gpu, absl::StrCat("cuBLASLt ", (*api)->getVersion(), " on ", model));
  GRAPHC_RETURN_IF_ERROR((*api)->status((*api)->create(&products->handle), "cublasLtCreate", gpu));
  return products;
}

CublasMatmul::CublasMatmul(const CublasLtApi &api, std::string gpu, std::string identity)
    : api(api), gpu(std::move(gpu)), identity(std::move(identity)) {}

CublasMatmul::~CublasMatmul() {
  if (handle)
    api.destroy(handle);
}

absl::StatusOr<std::unique_ptr<StreamKernel>> CublasMatmul::make(const kernels::LibraryCall &call,
                                                             const KernelOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(kernels::MatmulDesc desc, kernels::readGpuMatmul(call));
  auto product = std::make_unique<Product>(shared_from_this(), desc);
  GRAPHC_RETURN_IF_ERROR(product->describe());
  if (options.algorithm.empty())
    GRAPHC_RETURN_IF_ERROR(product->choose(options.scratchBytes));
  else
    GRAPHC_RETURN_IF_ERROR(product->restore(options.algorithm, options.scratchBytes));
  return product;
}

} // namespace graphc::device::cuda
