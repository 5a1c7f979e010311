//===- OnednnAbi.h - the C interface of the module libgraphc_onednn.so ----------------*- C -*-===//
//
// The module is opened with dlopen on the first library kernel; this is all that the runtime knows
// of it.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_KERNELS_ONEDNNABI_H
#define GRAPHC_RUNTIME_KERNELS_ONEDNNABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GRAPHC_ONEDNN_ABI_VERSION 6

/// c = a x b [+ bias] [relu] on the calling thread. All matrices are dense, those of a batch follow
/// each other; elements of a lie `aRow` apart from row to row and `aColumn` from column to column,
/// one of which is 1, those of b likewise; c is row-major.
typedef struct GraphcMatmulDesc {
  int64_t m, n, k, batch;
  int64_t aRow, aColumn, bRow, bColumn;
  uint32_t bias, relu;
  uint32_t type; ///< MatmulType
  /// by the library's kernel that packs b as it goes ("gemm:jit"), not in pieces for each group of
  /// rows ("brg")
  uint32_t packed;
} GraphcMatmulDesc;

/// Which of a convolution's tensors is computed from the other two.
enum GraphcConvolutionKind {
  GRAPHC_CONVOLUTION_RESULT = 0,
  GRAPHC_CONVOLUTION_INPUT = 1,
  GRAPHC_CONVOLUTION_FILTER = 2
};

/// A convolution, or its gradient by its input or its filter. Tensors are dense: input and result
/// batch, features, space (nhwc: features last), the filter outputs, inputs, window (hwio: window,
/// inputs, outputs). Unused dimensions of space are 0.
typedef struct GraphcConvolutionDesc {
  int64_t batch, groups, inputs, outputs; ///< features of all groups
  int64_t space; ///< 1 to 3 dimensions
  int64_t input[3], window[3], result[3], stride[3], low[3], high[3], dilation[3];
  uint32_t kind; ///< GraphcConvolutionKind
  uint32_t nhwc, hwio;
  uint32_t reserved; ///< 0
} GraphcConvolutionDesc;

typedef struct GraphcOnednnApi {
  uint32_t version;
  /// Makes a kernel; 0, or not 0 with `message` filled. `scratchBytes` is what it needs. Equal
  /// descriptors give equal kernels, whatever was made before.
  int (*create)(const GraphcMatmulDesc *desc, void **kernel, uint64_t *scratchBytes, char *message,
                size_t messageBytes);
  /// a, b, [bias], c, [scratch]. One thread at a time for one kernel.
  int (*run)(void *kernel, void *const *buffers);
  void (*destroy)(void *kernel);
  /// The same of a convolution, whose filter is in the library's own order, of `filterBytes`.
  int (*createConvolution)(const GraphcConvolutionDesc *desc, void **kernel, uint64_t *filterBytes,
                           uint64_t *scratchBytes, char *message, size_t messageBytes);
  /// input, filter, result, [scratch], whichever of them is computed.
  int (*runConvolution)(void *kernel, void *const *buffers);
  /// Brings the filter from the descriptor's order into the library's; where the filter is what is
  /// computed, the other way.
  int (*reorderFilter)(void *kernel, void *from, void *to);
  void (*destroyConvolution)(void *kernel);
  /// Version of the library and which of its kernels it took, for people; lives as long as the
  /// process. The bits may depend on it.
  const char *(*implementation)(void *kernel);
  const char *(*implementationOfConvolution)(void *kernel);
} GraphcOnednnApi;

/// The module's one symbol: `const GraphcOnednnApi *graphc_onednn_api(uint32_t maxLevel)`.
/// `maxLevel` is the highest x86-64 level of the psABI (2, 3 or 4) whose instructions the library
/// may use; 0 is no limit. The first call decides.
typedef const GraphcOnednnApi *(*GraphcOnednnGetApi)(uint32_t maxLevel);

#ifdef __cplusplus
}
#endif
#endif
