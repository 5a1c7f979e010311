// The kernels for AVX-512; CMakeLists.txt says so to the compiler.
#include "runtime/kernels/SimdKernels.h"

namespace graphc::kernels {
namespace {
#include "runtime/kernels/SimdTile.h"

#include "runtime/kernels/SimdAttention.h"
#include "runtime/kernels/SimdDirect.h"
#include "runtime/kernels/SimdNarrow.h"
} // namespace

const SimdKernels kSimdAvx512 = {"AVX-512",  attention, attentionGrad, narrowAcross, narrowColumn,
                                 narrowDots, direct,    1 << 17,       nullptr};

} // namespace graphc::kernels
