// What a call of the library matmul looks like, on CPUs and on GPUs. MatmulKernel.cpp makes and
// runs the first, runtime/device/cuda/CublasMatmul.cpp the second.
#include "runtime/common/base/OpCount.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/kernels/KernelRegistry.h"
#include "runtime/kernels/MatmulKernel.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace graphc::kernels {
namespace {

template <typename... Parts> absl::Status invalid(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat("matmul: ", parts...));
}

/// What a GPU's product is given to work in, for parts of a sum that are added up afterwards: eight
/// of 1,024 x 128 elements. The library takes no algorithm that needs more.
constexpr uint64_t kGpuScratchBytes = 4 << 20;

absl::Status readAttributes(const LibraryCall &call, MatmulDesc &desc) {
  for (const CallAttribute &attribute : call.attributes) {
    if (attribute.integers.size() != 1 || !attribute.numbers.empty())
      return invalid(attribute.name, " is not one integer");
    int64_t value = attribute.integers.front();
    constexpr int64_t most = int64_t(1) << 31;
    const bool isPrecision = attribute.name == "tf32" || attribute.name == "bf16";
    bool isFlag = isPrecision || attribute.name == "transpose_a" || attribute.name == "transpose_b";
    if (value < 1 || value > (isFlag ? 1 : most))
      return invalid(attribute.name, " is ", value, ", which is out of range");
    if (attribute.name == "m")
      desc.m = value;
    else if (attribute.name == "n")
      desc.n = value;
    else if (attribute.name == "k")
      desc.k = value;
    else if (attribute.name == "batch")
      desc.batch = value;
    else if (attribute.name == "transpose_a")
      desc.transposeA = true;
    else if (attribute.name == "transpose_b")
      desc.transposeB = true;
    else if (isPrecision && desc.precision == MatmulPrecision::Ieee)
      desc.precision = attribute.name == "tf32" ? MatmulPrecision::Tf32 : MatmulPrecision::Bf16;
    else if (isPrecision)
      return invalid("two precisions");
    else
      return invalid("'", attribute.name,
                     "' is none of m, n, k, batch, transpose_a, transpose_b, tf32, bf16");
  }
  if (!desc.m || !desc.n || !desc.k)
    return invalid("m, n or k is missing");
  return absl::OkStatus();
}

absl::StatusOr<MatmulDesc> readCall(const LibraryCall &call, bool onGpu) {
  MatmulDesc desc;
  GRAPHC_RETURN_IF_ERROR(readAttributes(call, desc));
  for (const std::string &name : call.postOps) {
    if (onGpu)
      return invalid("the post-op '", name, "'; a GPU's has none");
    if (name == "bias" && !desc.bias && !desc.relu)
      desc.bias = true;
    else if (name == "relu" && !desc.relu)
      desc.relu = true;
    else
      return invalid("the post-op '", name, "'; expected bias, relu, or relu behind bias");
  }
  struct Expected {
    const char *name;
    unsigned __int128 elements;
    GraphcAccess access;
  };
  unsigned __int128 batch = uint64_t(desc.batch);
  std::vector<Expected> expected = {{"a", batch * desc.m * desc.k, GRAPHC_READ},
                                    {"b", batch * desc.k * desc.n, GRAPHC_READ}};
  if (desc.bias)
    expected.push_back({"bias", (unsigned __int128)desc.n, GRAPHC_READ});
  expected.push_back({"c", batch * desc.m * desc.n, GRAPHC_WRITE});
  if (call.operands.size() != expected.size())
    return invalid(call.operands.size(), " operands, expected ", expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const CallOperand &operand = call.operands[i];
    if (operand.element != GRAPHC_F32)
      return invalid(expected[i].name, " is not of f32");
    if (operand.access != expected[i].access)
      return invalid(expected[i].name, " is ", operand.access == GRAPHC_READ ? "read" : "written",
                     ", expected the other");
    // a product of four sizes of at most 2^31 may be more than 64 bits
    if (operand.bytes != expected[i].elements * 4)
      return invalid(expected[i].name, " has ", operand.bytes / 4, " elements, expected ",
                     expected[i].elements >= (1ull << 62)
                         ? "more than there can be"
                         : absl::StrCat(uint64_t(expected[i].elements)));
  }
  return desc;
}

absl::StatusOr<CallFacts> factsOf(const LibraryCall &call, bool onGpu) {
  GRAPHC_ASSIGN_OR_RETURN(MatmulDesc desc, readCall(call, onGpu));
  CallFacts facts;
  facts.name = absl::StrCat(call.kernel, "_", desc.m, "x", desc.n, "x", desc.k,
                            desc.batch == 1 ? "" : absl::StrCat("_batch", desc.batch),
                            desc.transposeA ? "_ta" : "", desc.transposeB ? "_tb" : "",
                            desc.precision == MatmulPrecision::Tf32   ? "_tf32"
                            : desc.precision == MatmulPrecision::Bf16 ? "_bf16"
                                                                      : "",
                            desc.bias ? "_bias" : "", desc.relu ? "_relu" : "");
  facts.flops = base::multiplyOps(
      {2, uint64_t(desc.batch), uint64_t(desc.m), uint64_t(desc.n), uint64_t(desc.k)});
  facts.onGpu = onGpu;
  return facts;
}

class MatmulLibrary final : public KernelProvider {
public:
  absl::StatusOr<CallFacts> check(const LibraryCall &call) const override {
    return factsOf(call, /*onGpu=*/false);
  }
  absl::StatusOr<uint64_t> scratchBytes(const LibraryCall &call) const override {
    GRAPHC_ASSIGN_OR_RETURN(MatmulDesc desc, readCall(call, /*onGpu=*/false));
    return matmulScratchBytes(desc);
  }
  absl::StatusOr<std::unique_ptr<LibraryKernel>>
  make(const LibraryCall &call, uint64_t scratchBytes, ThreadPool *pool) const override {
    GRAPHC_ASSIGN_OR_RETURN(MatmulDesc desc, readCall(call, /*onGpu=*/false));
    return makeMatmul(desc, scratchBytes, pool);
  }
  uint32_t parts(const LibraryCall &call, uint32_t threads) const override {
    absl::StatusOr<MatmulDesc> desc = readCall(call, /*onGpu=*/false);
    return desc.ok() ? matmulParts(*desc, threads) : 1;
  }
};

class GpuMatmulLibrary final : public KernelProvider {
public:
  absl::StatusOr<CallFacts> check(const LibraryCall &call) const override {
    return factsOf(call, /*onGpu=*/true);
  }
  absl::StatusOr<uint64_t> scratchBytes(const LibraryCall &) const override {
    return kGpuScratchBytes;
  }
  absl::StatusOr<std::unique_ptr<LibraryKernel>> make(const LibraryCall &call, uint64_t,
                                                      ThreadPool *) const override {
    return absl::FailedPreconditionError(
        absl::StrCat(call.kernel, ": a lane's thread does no product of a GPU's"));
  }
};

} // namespace

const KernelProvider &matmulLibrary() {
  static const MatmulLibrary library;
  return library;
}

const KernelProvider &gpuMatmulLibrary() {
  static const GpuMatmulLibrary library;
  return library;
}

absl::StatusOr<MatmulDesc> readGpuMatmul(const LibraryCall &call) {
  return readCall(call, /*onGpu=*/true);
}

} // namespace graphc::kernels
