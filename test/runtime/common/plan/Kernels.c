/* Kernels of hand-made plans: the table is ordered by size, then by PlanBuilder.h's TestKernel. */
#include "runtime/common/abi/KernelAbi.h"

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
#define ARGUMENTS(N)                                                                                                   \
  {4 * (uint64_t)N, GRAPHC_READ_WRITE}, {4 * (uint64_t)N, GRAPHC_READ},           /* add */                            \
      {4 * (uint64_t)N, GRAPHC_READ}, {4 * (uint64_t)N, GRAPHC_WRITE},            /* gradient */                       \
      {4 * (uint64_t)N, GRAPHC_READ_WRITE}, {4 * (uint64_t)N, GRAPHC_READ},       /* apply */                          \
      {4 * (uint64_t)N, GRAPHC_READ_WRITE}, {4, GRAPHC_READ},                     /* divide */                         \
      {8, GRAPHC_READ_WRITE}, {4 * (uint64_t)N, GRAPHC_READ_WRITE},               /* increment, fail */                \
      {4 * (uint64_t)N, GRAPHC_READ}, {4, GRAPHC_WRITE}                           /* sum */
/* `at` of twelve arguments a size. */
#define TABLE(N, at)                                                                                                   \
  {add##N, 12 * at, 2}, {gradient##N, 12 * at + 2, 2}, {apply##N, 12 * at + 4, 2}, {divide##N, 12 * at + 6, 2},        \
      {increment, 12 * at + 8, 1}, {fail##N, 12 * at + 9, 1}, {sum##N, 12 * at + 10, 2}

static int increment(void *const *b, const GraphcContext *c) {
  ++*(int64_t *)b[0];
  return 0;
}
KERNELS(1)
KERNELS(16)
KERNELS(4096)
KERNELS(16384)
KERNELS(16777216)

static const GraphcArgument arguments[] = {ARGUMENTS(1), ARGUMENTS(16), ARGUMENTS(4096), ARGUMENTS(16384),
                                           ARGUMENTS(16777216)};
static const GraphcKernelEntry kernels[] = {TABLE(1, 0), TABLE(16, 1), TABLE(4096, 2), TABLE(16384, 3),
                                             TABLE(16777216, 4)};
__attribute__((visibility("default"))) const GraphcKernelTable graphc_kernels = {
    GRAPHC_KERNEL_ABI_VERSION, sizeof kernels / sizeof *kernels, kernels, arguments,
    sizeof arguments / sizeof *arguments};
