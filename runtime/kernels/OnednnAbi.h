//===- OnednnAbi.h - the C interface of the module libgraphc_onednn.so ---------------------------------------------*- C -*-===//
//
// The module is opened with dlopen on the first library kernel; this is all that the runtime knows of it.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_KERNELS_ONEDNNABI_H
#define GRAPHC_RUNTIME_KERNELS_ONEDNNABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GRAPHC_ONEDNN_ABI_VERSION 2

/// c = a x b [+ bias] [relu] on the calling thread. All matrices are dense, those of a batch follow each other; elements of a lie
/// `aRow` apart from row to row and `aColumn` from column to column, one of which is 1, those of b likewise; c is row-major.
typedef struct GraphcMatmulDesc {
  int64_t m, n, k, batch;
  int64_t aRow, aColumn, bRow, bColumn;
  uint32_t bias, relu;
  uint32_t type; ///< MatmulType
  uint32_t reserved; ///< 0
} GraphcMatmulDesc;

typedef struct GraphcOnednnApi {
  uint32_t version;
  /// Makes a kernel; 0, or not 0 with `message` filled. `scratchBytes` is what it needs. Equal descriptors give equal kernels,
  /// whatever was made before.
  int (*create)(const GraphcMatmulDesc *desc, void **kernel, uint64_t *scratchBytes, char *message,
                size_t messageBytes);
  /// a, b, [bias], c, [scratch]. One thread at a time for one kernel.
  int (*run)(void *kernel, void *const *buffers);
  void (*destroy)(void *kernel);
} GraphcOnednnApi;

/// The module's one symbol: `const GraphcOnednnApi *graphc_onednn_api(void)`.
typedef const GraphcOnednnApi *(*GraphcOnednnGetApi)(void);

#ifdef __cplusplus
}
#endif
#endif
