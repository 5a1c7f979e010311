// The kernels for AVX2 and FMA; CMakeLists.txt says so to the compiler.
#include "runtime/kernels/SimdKernels.h"

namespace graphc::kernels {
namespace {
#include "runtime/kernels/SimdTile.h"

#include "runtime/kernels/SimdAttention.h"
#include "runtime/kernels/SimdDirect.h"
#include "runtime/kernels/SimdNarrow.h"
#include "runtime/kernels/SimdPacked.h"
} // namespace

const SimdKernels kSimdAvx2 = {"AVX2 and FMA", attention, attentionGrad, narrowAcross, narrowColumn,
                               narrowDots,     direct,    1 << 15,       packed};

} // namespace graphc::kernels
