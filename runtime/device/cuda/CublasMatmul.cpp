#include "runtime/device/cuda/CublasMatmul.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/kernels/MatmulKernel.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace graphc::device::cuda {

using namespace lt;

/// What every buffer of a plan begins at a multiple of.
constexpr uint32_t kAlignment = 64;
/// What the library's workspace has to begin at a multiple of, since version 12.9 on some GPUs: the
/// scratch gives up so much at its start.
constexpr uint64_t kWorkspaceAlignment = 256;
constexpr uint64_t usable(uint64_t scratchBytes) {
  return scratchBytes - std::min<uint64_t>(scratchBytes, kWorkspaceAlignment - kAlignment);
}

/// One product: what it is, told in the library's words, and its algorithm.
///
/// The library's matrices are column-major, and a row-major matrix is its transpose there. So the
/// transposes are multiplied, with the factors' roles changed: of c = a x b it makes c' = b' x a'.
class Product final : public StreamKernel {
public:
  Product(std::shared_ptr<CublasMatmul> products, const kernels::MatmulDesc &desc)
      : products_(std::move(products)), desc_(desc) {}
  ~Product() override {
    const CublasLtApi &api = products_->api_;
    if (operation_)
      api.matmulDescDestroy(operation_);
    for (Layout layout : {first_, second_, result_})
      if (layout)
        api.matrixLayoutDestroy(layout);
  }

  absl::Status describe() {
    const CublasLtApi &api = products_->api_;
    const int compute = desc_.precision == kernels::MatmulPrecision::Tf32   ? kComputeFastTf32
                        : desc_.precision == kernels::MatmulPrecision::Bf16 ? kComputeFastBf16
                                                                            : kComputeF32;
    GRAPHC_RETURN_IF_ERROR(
        check(api.matmulDescCreate(&operation_, compute, kTypeF32), "cublasLtMatmulDescCreate"));
    GRAPHC_RETURN_IF_ERROR(set(kTransposeA, desc_.transposeB));
    GRAPHC_RETURN_IF_ERROR(set(kTransposeB, desc_.transposeA));
    // As they are stored: rows of the library's run along our columns.
    GRAPHC_RETURN_IF_ERROR(
        lay(first_, desc_.transposeB ? desc_.k : desc_.n, desc_.transposeB ? desc_.n : desc_.k));
    GRAPHC_RETURN_IF_ERROR(
        lay(second_, desc_.transposeA ? desc_.m : desc_.k, desc_.transposeA ? desc_.k : desc_.m));
    return lay(result_, desc_.n, desc_.m);
  }

  /// The first that the library's heuristic names.
  absl::Status choose(uint64_t scratchBytes) {
    const CublasLtApi &api = products_->api_;
    Preference preference = nullptr;
    GRAPHC_RETURN_IF_ERROR(
        check(api.matmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate"));
    auto prefer = [&](int attribute, auto value) {
      return api.matmulPreferenceSetAttribute(preference, attribute, &value, sizeof value);
    };
    Heuristic found{};
    int count = 0;
    Result result = prefer(kMostWorkspace, usable(scratchBytes));
    // Parts of a sum meet in the workspace, in a step of their own, and not in the order in which
    // they come.
    if (result == kOk)
      result = prefer(kReductionSchemes, kReduceInComputeType | kReduceInOutputType);
    for (int operand = 0; operand < 4 && result == kOk; ++operand)
      result = prefer(kAlignmentA + operand, kAlignment);
    if (result == kOk)
      result =
          api.matmulAlgoGetHeuristic(products_->handle_, operation_, first_, second_, this->result_,
                                     this->result_, preference, 1, &found, &count);
    api.matmulPreferenceDestroy(preference);
    GRAPHC_RETURN_IF_ERROR(check(result == kOk && count == 1 ? found.state
                                 : result == kOk             ? kNotSupported
                                                             : result,
                                 "cublasLtMatmulAlgoGetHeuristic"));
    chosen_ = found.algorithm;
    workspaceBytes_ = found.workspaceBytes;
    return workspaceBytes_ <= usable(scratchBytes)
               ? absl::OkStatus()
               : check(kInvalidValue, "cublasLtMatmulAlgoGetHeuristic");
  }

  /// The one that was told before, perhaps elsewhere.
  absl::Status restore(std::string_view told, uint64_t scratchBytes) {
    const size_t space = told.rfind(' ');
    const std::string_view identity = space == told.npos ? told : told.substr(0, space);
    if (identity != products_->identity_)
      return absl::FailedPreconditionError(absl::StrCat(what(), ": it was made by ",
                                                        base::view(identity), ", and here is ",
                                                        products_->identity_));
    const std::string_view digits = told.substr(space + 1);
    if (digits.size() != 2 * sizeof(Algorithm) ||
        digits.find_first_not_of("0123456789abcdef") != digits.npos)
      return absl::InvalidArgumentError(
          absl::StrCat(what(), ": '", base::view(told), "' is no algorithm"));
    memcpy(&chosen_, absl::HexStringToBytes(base::view(digits)).data(), sizeof chosen_);
    Heuristic found{};
    GRAPHC_RETURN_IF_ERROR(
        check(products_->api_.matmulAlgoCheck(products_->handle_, operation_, first_, second_,
                                              result_, result_, &chosen_, &found),
              "cublasLtMatmulAlgoCheck"));
    workspaceBytes_ = found.workspaceBytes;
    return workspaceBytes_ <= usable(scratchBytes)
               ? absl::OkStatus()
               : check(kInvalidValue, "cublasLtMatmulAlgoCheck");
  }

  std::string algorithm() const override {
    return absl::StrCat(
        products_->identity_, " ",
        absl::BytesToHexString({reinterpret_cast<const char *>(&chosen_), sizeof chosen_}));
  }

  absl::Status enqueue(void *stream, void *const *buffers) override {
    static constexpr float kOne = 1, kZero = 0;
    const CublasLtApi &api = products_->api_;
    const auto scratch = reinterpret_cast<uintptr_t>(buffers[3]);
    void *workspace =
        reinterpret_cast<void *>((scratch + kWorkspaceAlignment - 1) & ~(kWorkspaceAlignment - 1));
    return check(api.matmul(products_->handle_, operation_, &kOne, buffers[1], first_, buffers[0],
                            second_, &kZero, buffers[2], result_, buffers[2], result_, &chosen_,
                            workspace, workspaceBytes_, stream),
                 "cublasLtMatmul");
  }

private:
  std::string what() const { return absl::StrCat(products_->gpu_, ": ", kernels::describe(desc_)); }
  absl::Status check(Result result, const char *call) const {
    return result == kOk ? absl::OkStatus() : products_->api_.status(result, call, what());
  }
  absl::Status set(int attribute, bool transposed) {
    const int32_t value = transposed ? kTransposed : kNotTransposed;
    return check(
        products_->api_.matmulDescSetAttribute(operation_, attribute, &value, sizeof value),
        "cublasLtMatmulDescSetAttribute");
  }
  absl::Status lay(Layout &layout, int64_t rows, int64_t columns) {
    const CublasLtApi &api = products_->api_;
    GRAPHC_RETURN_IF_ERROR(
        check(api.matrixLayoutCreate(&layout, kTypeF32, uint64_t(rows), uint64_t(columns), rows),
              "cublasLtMatrixLayoutCreate"));
    if (desc_.batch == 1)
      return absl::OkStatus();
    const auto count = int32_t(desc_.batch);
    const int64_t stride = rows * columns;
    GRAPHC_RETURN_IF_ERROR(
        check(api.matrixLayoutSetAttribute(layout, kBatchCount, &count, sizeof count),
              "cublasLtMatrixLayoutSetAttribute"));
    return check(api.matrixLayoutSetAttribute(layout, kBatchStride, &stride, sizeof stride),
                 "cublasLtMatrixLayoutSetAttribute");
  }

  const std::shared_ptr<CublasMatmul> products_;
  const kernels::MatmulDesc desc_;
  Operation operation_ = nullptr;
  Layout first_ = nullptr, second_ = nullptr, result_ = nullptr;
  Algorithm chosen_{};
  size_t workspaceBytes_ = 0;
};

absl::StatusOr<std::shared_ptr<CublasMatmul>> CublasMatmul::open(const std::string &gpu,
                                                                 const std::string &model) {
  absl::StatusOr<const CublasLtApi *> api = CublasLtApi::open();
  if (!api.ok())
    return base::annotate(api.status(), absl::StrCat("the plan's products on ", gpu));
  auto products = std::make_shared<CublasMatmul>(
      **api, gpu, absl::StrCat("cuBLASLt ", (*api)->getVersion(), " on ", model));
  GRAPHC_RETURN_IF_ERROR((*api)->status((*api)->create(&products->handle_), "cublasLtCreate", gpu));
  return products;
}

CublasMatmul::CublasMatmul(const CublasLtApi &api, std::string gpu, std::string identity)
    : api_(api), gpu_(std::move(gpu)), identity_(std::move(identity)) {}

CublasMatmul::~CublasMatmul() {
  if (handle_)
    api_.destroy(handle_);
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
