#include "runtime/kernels/SimdKernels.h"

#include "runtime/common/base/CpuFeatures.h"

namespace graphc::kernels {

// As attention() and attentionGrad() in SimdAttention.h take it.
uint64_t attentionScratchBytes(const AttentionShape &s) {
  const int64_t width = paddedRow(s.width);
  const int64_t values = areWhole(s.width, s.valueStep) ? 0 : s.keys * width;
  return uint64_t((s.size + s.rows) * scoreRow(s) + s.rows * width + values) * 4;
}

uint64_t attentionGradScratchBytes(const AttentionShape &s) {
  const int64_t size = paddedRow(s.size), width = paddedRow(s.width);
  const int64_t ofQueries = areWhole(s.size, s.queryStep) ? 0 : 2 * s.queries * size;
  const int64_t ofKeys = areWhole(s.size, s.keyStep) ? 0 : 2 * s.keys * size;
  const int64_t ofValues = areWhole(s.width, s.valueStep) ? 0 : s.keys * width;
  const int64_t ofOutput = areWhole(s.width, s.outputStep) ? 0 : s.queries * width;
  return uint64_t((s.size + s.width + 2 * s.rows) * scoreRow(s) + ofQueries + ofKeys + ofValues +
                  ofOutput) *
         4;
}

const SimdKernels &simdKernels() {
  static const SimdKernels &found = []() -> const SimdKernels & {
    const bool avx2 = base::hasCpuFeatures({"avx2", "fma"});
    const bool avx512 =
        avx2 && base::hasCpuFeatures({"avx512f", "avx512dq", "avx512bw", "avx512vl"});
    return avx512 ? kSimdAvx512 : avx2 ? kSimdAvx2 : kSimdBase;
  }();
  return found;
}

} // namespace graphc::kernels
