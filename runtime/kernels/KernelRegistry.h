//===- KernelRegistry.h - calls of library kernels, by name -------------------------*- C++ -*-===//
//
// An operation that a library serves becomes a call: the kernel's name, a descriptor, post-ops,
// operands with type and access. Whoever registers a kernel says what its calls look like, so
// dialect, plan, verifier and executor know no kernel by name. `matmul`, `gpu_matmul`
// (MatmulKernel.h), convolutions (ConvolutionKernel.h) and attention (AttentionKernel.cpp) are
// built in; others come from modules (LibraryAbi.h).
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_KERNELS_KERNELREGISTRY_H
#define GRAPHC_RUNTIME_KERNELS_KERNELREGISTRY_H

#include "runtime/common/abi/KernelAbi.h"
#include "runtime/common/abi/LibraryAbi.h"
#include "runtime/kernels/LibraryKernel.h"

#include "absl/status/statusor.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::kernels {

/// A fact of the descriptor; one of the two lists is empty. What is only there or not is the
/// integer 1.
struct CallAttribute {
  std::string name;
  std::vector<int64_t> integers;
  std::vector<double> numbers;
};

/// Row-major and dense.
struct CallOperand {
  GraphcElement element = GRAPHC_F32;
  std::vector<int64_t> shape;
  GraphcAccess access = GRAPHC_READ;
  uint64_t bytes = 0;
};

struct LibraryCall {
  std::string kernel;
  std::vector<CallAttribute> attributes; ///< by name, each once
  std::vector<std::string> postOps; ///< done to the result, in order
  /// the kernel's, those of the post-ops, the results; not scratch
  std::vector<CallOperand> operands;
};

/// What is known of a call without making its kernel.
struct CallFacts {
  std::string name; ///< for people: "matmul_128x512x784_bias_relu"
  uint64_t flops = 0;
  /// done by a queue of a GPU, whose device makes it (Device::make); else by a lane's thread
  bool onGpu = false;
};

/// Who serves the calls of one kernel.
class KernelProvider {
public:
  virtual ~KernelProvider() = default;
  /// Whether the call is one of its own, in every respect: it may come from a damaged plan. Opens
  /// no library.
  virtual absl::StatusOr<CallFacts> check(const LibraryCall &call) const = 0;
  /// Of a call that check() took: bytes of scratch memory, on this machine's CPU where that does
  /// it; a multiple of 64, possibly 0.
  virtual absl::StatusOr<uint64_t> scratchBytes(const LibraryCall &call) const = 0;
  /// Of a call that check() took. Less scratch memory than it needs here is an error; `pool` as for
  /// makeMatmul (LibraryKernel.h).
  virtual absl::StatusOr<std::unique_ptr<LibraryKernel>>
  make(const LibraryCall &call, uint64_t scratchBytes, ThreadPool *pool) const = 0;
  /// Over how many of `threads` it shares a call out.
  virtual uint32_t parts(const LibraryCall &call, uint32_t threads) const { return 1; }
};

/// The library of the call's kernel, asked. Where there is none, the error says which kernels there
/// are.
absl::StatusOr<CallFacts> checkCall(const LibraryCall &call);
absl::StatusOr<uint64_t> scratchBytesOf(const LibraryCall &call);
absl::StatusOr<std::unique_ptr<LibraryKernel>> makeKernel(const LibraryCall &call,
                                                          uint64_t scratchBytes, ThreadPool *pool);
uint32_t partsOf(const LibraryCall &call, uint32_t threads);

/// The matmul's (MatmulKernel.h): {m, n, k}, {batch} where it is not 1, {transpose_a},
/// {transpose_b}, {tf32} or {bf16} where factors may be rounded to that; post-ops bias, with its
/// operand, and relu.
const KernelProvider &matmulLibrary();
/// The same on GPUs, without post-ops.
const KernelProvider &gpuMatmulLibrary();
/// `convolution`, `convolution_input_grad` and `convolution_filter_grad` on CPUs
/// (dialects/graph/ops/ConvolutionOps.td): the attributes of these ops, all of `window_strides`,
/// `padding_low`, `padding_high`, `rhs_dilation`; no post-ops.
std::vector<std::pair<std::string, const KernelProvider *>> convolutionLibraries();
/// `attention` and `attention_grad` on CPUs, kernels of this project: operands and results of these
/// ops, {causal}, scale; no post-ops. `packed_attention` and `packed_attention_grad`: query, key
/// and value of all heads side by side, {heads} besides.
std::vector<std::pair<std::string, const KernelProvider *>> attentionLibraries();
/// Of a call that it took.
absl::StatusOr<MatmulDesc> readGpuMatmul(const LibraryCall &call);

} // namespace graphc::kernels
#endif
