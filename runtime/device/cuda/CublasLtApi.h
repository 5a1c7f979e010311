//===- CublasLtApi.h - what of cuBLASLt is used, found at run time ------------------*- C++ -*-===//
//
// The library (libcublasLt.so.13, or .12) is opened when the first product of a GPU is made.
// Nothing of CUDA is needed to build: these are the types and the numbers of its C interface that
// we use, as NVIDIA's documentation of cuBLASLt has them.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DEVICE_CUDA_CUBLASLTAPI_H
#define GRAPHC_RUNTIME_DEVICE_CUDA_CUBLASLTAPI_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace graphc::device::cuda::lt {

using Result = int;
inline constexpr Result kOk = 0, kInvalidValue = 7, kNotSupported = 15;
using Handle = struct HandleState *;
using Operation = struct OperationState *; ///< a matmul descriptor
using Layout = struct LayoutState *;
using Preference = struct PreferenceState *;
using StreamHandle = void *; ///< the driver's

/// Opaque; means something to the version of the library and the GPU that made it.
struct Algorithm {
  uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  size_t workspaceBytes;
  Result state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Algorithm) == 64 && sizeof(Heuristic) == 96);

// cublasComputeType_t
inline constexpr int kComputeF32 = 68, kComputeFastBf16 = 75, kComputeFastTf32 = 77;
inline constexpr int kTypeF32 = 0; // cudaDataType_t
inline constexpr int32_t kNotTransposed = 0, kTransposed = 1; // cublasOperation_t
enum OperationAttribute : int { kTransposeA = 3, kTransposeB = 4 }; // int32
enum LayoutAttribute : int { kBatchCount = 5 /* int32 */, kBatchStride = 6 /* int64, elements */ };
enum PreferenceAttribute : int {
  kMostWorkspace = 1, ///< uint64
  kReductionSchemes = 3, ///< uint32, bits
  kAlignmentA = 5, ///< uint32, and the next three for B, C and D
};
/// How an algorithm that cuts k adds up the parts: with one writer in a row into the result (in
/// place), or apart in the workspace.
inline constexpr uint32_t kReduceInPlace = 1, kReduceInComputeType = 2, kReduceInOutputType = 4;

/// The library's functions by their names without "cublasLt".
struct CublasLtApi {
  size_t (*getVersion)();
  const char *(*getStatusName)(Result result);
  const char *(*getStatusString)(Result result);
  Result (*create)(Handle *handle);
  Result (*destroy)(Handle handle);
  Result (*matmulDescCreate)(Operation *operation, int compute, int scaleType);
  Result (*matmulDescDestroy)(Operation operation);
  Result (*matmulDescSetAttribute)(Operation operation, int attribute, const void *value,
                                   size_t bytes);
  Result (*matrixLayoutCreate)(Layout *layout, int type, uint64_t rows, uint64_t columns,
                               int64_t leading);
  Result (*matrixLayoutDestroy)(Layout layout);
  Result (*matrixLayoutSetAttribute)(Layout layout, int attribute, const void *value, size_t bytes);
  Result (*matmulPreferenceCreate)(Preference *preference);
  Result (*matmulPreferenceDestroy)(Preference preference);
  Result (*matmulPreferenceSetAttribute)(Preference preference, int attribute, const void *value,
                                         size_t bytes);
  Result (*matmulAlgoGetHeuristic)(Handle handle, Operation operation, Layout a, Layout b, Layout c,
                                   Layout d, Preference preference, int wanted, Heuristic *results,
                                   int *found);
  Result (*matmulAlgoCheck)(Handle handle, Operation operation, Layout a, Layout b, Layout c,
                            Layout d, const Algorithm *algorithm, Heuristic *result);
  Result (*matmul)(Handle handle, Operation operation, const void *alpha, const void *a,
                   Layout layoutA, const void *b, Layout layoutB, const void *beta, const void *c,
                   Layout layoutC, void *d, Layout layoutD, const Algorithm *algorithm,
                   void *workspace, size_t workspaceBytes, StreamHandle stream);

  /// Opened once a process; why there is none, and what to do.
  static absl::StatusOr<const CublasLtApi *> open();
  /// The first of these files that there is; for good.
  static absl::StatusOr<const CublasLtApi *> openFile(const std::vector<std::string> &names);
  /// "cublasLtMatmul: CUBLAS_STATUS_NOT_SUPPORTED (…)". `what` is whose call it was.
  absl::Status status(Result result, const char *call, const std::string &what) const;
};

} // namespace graphc::device::cuda::lt
#endif
