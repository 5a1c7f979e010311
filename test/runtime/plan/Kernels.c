/* Kernels of hand-made plans: the table is ordered by size, then by PlanBuilder.h's TestKernel. */
#include "runtime/kernels/KernelAbi.h"

#define KERNELS(N)                                                                                                     \
  static int add##N(void *const *b, const GraphcContext *c) {                                                          \
    float *restrict acc = b[0];                                                                                        \
    const float *restrict x = b[1];                                                                                    \
    for (long i = 0; i < N; ++i)                                                                                       \
      acc[i] += x[i];                                                                                                  \
    return 0;                                                                                                          \
  }                                                                                                                    \
  static int gradient##N(void *const *b, const GraphcContext *c) {                                                     \
    const float *restrict w = b[0];                                                                                    \
    float *restrict out = b[1];                                                                                        \
    float shift = 0.25f * (float)(c->replica + 1) + 0.001f * (float)c->step;                                           \
    for (long i = 0; i < N; ++i)                                                                                       \
      out[i] = w[i] * 0.5f + shift;                                                                                    \
    return 0;                                                                                                          \
  }                                                                                                                    \
  static int apply##N(void *const *b, const GraphcContext *c) {                                                        \
    float *restrict w = b[0];                                                                                          \
    const float *restrict g = b[1];                                                                                    \
    for (long i = 0; i < N; ++i)                                                                                       \
      w[i] -= 0.1f * g[i];                                                                                             \
    return 0;                                                                                                          \
  }                                                                                                                    \
  static int divide##N(void *const *b, const GraphcContext *c) {                                                       \
    float *restrict acc = b[0];                                                                                        \
    float by = *(const float *)b[1];                                                                                   \
    for (long i = 0; i < N; ++i)                                                                                       \
      acc[i] /= by;                                                                                                    \
    return 0;                                                                                                          \
  }                                                                                                                    \
  static int fail##N(void *const *b, const GraphcContext *c) { return c->step == 3 ? 7 : 0; }                          \
  static int sum##N(void *const *b, const GraphcContext *c) {                                                          \
    const float *x = b[0];                                                                                             \
    float sum = 0;                                                                                                     \
    for (long i = 0; i < N; ++i)                                                                                       \
      sum += x[i];                                                                                                     \
    *(float *)b[1] = sum;                                                                                              \
    return 0;                                                                                                          \
  }
#define TABLE(N) add##N, gradient##N, apply##N, divide##N, increment, fail##N, sum##N

static int increment(void *const *b, const GraphcContext *c) {
  ++*(int64_t *)b[0];
  return 0;
}
KERNELS(1)
KERNELS(16)
KERNELS(4096)
KERNELS(16777216)

static const GraphcKernel kernels[] = {TABLE(1), TABLE(16), TABLE(4096), TABLE(16777216)};
__attribute__((visibility("default"))) const GraphcKernelTable graphc_kernels = {
    GRAPHC_KERNEL_ABI_VERSION, sizeof kernels / sizeof *kernels, kernels};
