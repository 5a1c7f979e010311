// libcublasLt.so.13 for tests: the functions of cuBLASLt that runtime/device/cuda uses, by loops on
// the CPU, as work of the simulated driver's streams. Written from NVIDIA's documentation: matrices
// are column-major, attributes have its numbers and sizes, a preference that is not said has its
// default. Algorithms differ as the real ones do: in how many parts they cut k, where they keep the
// parts, and which alignment they rely on. GRAPHC_FAKE_CUBLASLT is the library's version (130100);
// another one cuts k in other places. An algorithm of one version is none of another. "130100:3"
// likes three parts, as if the heuristic had changed.
#include "test/cuda/SimulatedLaunch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace {

using Result = int;
constexpr Result kSuccess = 0, kNotInitialized = 1, kInvalidValue = 7, kExecutionFailed = 13,
                 kNotSupported = 15;
constexpr int kCompute32F = 68, kComputeFast16BF = 75, kComputeFastTF32 = 77, kReal32F = 0;

struct Operation {
  int compute = 0;
  int32_t transposeA = 0, transposeB = 0;
};
struct Layout {
  uint64_t rows = 0, columns = 0;
  int64_t leading = 0;
  int32_t batch = 1;
  int64_t stride = 0;
};
struct Preference {
  uint64_t workspace = 0;
  uint32_t schemes = 7, alignments[4] = {256, 256, 256, 256};
};
struct Algorithm {
  uint64_t version, parts, alignment, compute, reserved[4];
};
struct Heuristic {
  Algorithm algorithm;
  size_t workspace;
  Result state;
  float waves;
  int reserved[4];
};

uint64_t version() {
  const char *text = std::getenv("GRAPHC_FAKE_CUBLASLT");
  return text ? std::strtoull(text, nullptr, 10) : 130100;
}

/// To so many significant bits, ties to even; what is not finite stays.
float rounded(float value, int bits) {
  const auto word = std::bit_cast<uint32_t>(value);
  if ((word & 0x7f800000) == 0x7f800000)
    return value;
  const int gone = 24 - bits;
  return std::bit_cast<float>((word + ((1u << (gone - 1)) - 1) + ((word >> gone) & 1)) >>
                              gone << gone);
}

/// A product as cublasLtMatmul was told of it: d (rows x columns) = op(a) x op(b), k long.
struct Product {
  Operation operation;
  Layout a, b, d;
  uint64_t rows = 0, columns = 0, k = 0;

  static bool read(const Operation &operation, const Layout &a, const Layout &b, const Layout &c,
                   const Layout &d, Product &out) {
    out = {operation, a, b, d};
    const uint64_t kOfB = operation.transposeB ? b.columns : b.rows;
    out.rows = operation.transposeA ? a.columns : a.rows;
    out.k = operation.transposeA ? a.rows : a.columns;
    out.columns = operation.transposeB ? b.rows : b.columns;
    auto isStored = [](const Layout &layout) {
      return layout.leading >= int64_t(layout.rows) && layout.batch >= 1 &&
             (layout.batch == 1 || layout.stride >= layout.leading * int64_t(layout.columns));
    };
    return out.k == kOfB && d.rows == out.rows && d.columns == out.columns && c.rows == d.rows &&
           c.columns == d.columns && c.leading == d.leading && a.batch == b.batch &&
           a.batch == d.batch && isStored(a) && isStored(b) && isStored(d);
  }
  static uint64_t bytes(const Layout &layout) {
    return (uint64_t(layout.batch - 1) * uint64_t(layout.stride) +
            uint64_t(layout.leading) * (layout.columns - 1) + layout.rows) *
           4;
  }

  float factor(float value) const {
    return operation.compute == kComputeFastTF32   ? rounded(value, 11)
           : operation.compute == kComputeFast16BF ? rounded(value, 8)
                                                   : value;
  }

  /// The part of the sums that is of `begin` ≤ k < `end`, into dense columns.
  void sum(const float *x, const float *y, uint64_t begin, uint64_t end, float *to) const {
    std::vector<float> column(rows);
    std::fill(to, to + rows * columns, 0.0f);
    for (uint64_t p = begin; p < end; ++p) {
      for (uint64_t i = 0; i < rows; ++i)
        column[i] = factor(operation.transposeA ? x[p + i * uint64_t(a.leading)]
                                                : x[i + p * uint64_t(a.leading)]);
      for (uint64_t j = 0; j < columns; ++j) {
        const float by = factor(operation.transposeB ? y[j + p * uint64_t(b.leading)]
                                                     : y[p + j * uint64_t(b.leading)]);
        float *out = to + j * rows;
        for (uint64_t i = 0; i < rows; ++i)
          out[i] += column[i] * by;
      }
    }
  }

  void run(const float *x, const float *y, float *z, uint64_t parts, float *workspace) const {
    std::vector<float> own(parts == 1 ? rows * columns : 0);
    float *sums = parts == 1 ? own.data() : workspace;
    for (int32_t each = 0; each < d.batch; ++each) {
      for (uint64_t part = 0; part < parts; ++part)
        sum(x + each * a.stride, y + each * b.stride, k * part / parts, k * (part + 1) / parts,
            sums + part * rows * columns);
      for (uint64_t j = 0; j < columns; ++j)
        for (uint64_t i = 0; i < rows; ++i) {
          float total = sums[i + j * rows];
          for (uint64_t part = 1; part < parts; ++part)
            total += sums[part * rows * columns + i + j * rows];
          z[each * d.stride + int64_t(i) + int64_t(j) * d.leading] = total;
        }
    }
  }

  uint64_t workspace(uint64_t parts) const { return parts == 1 ? 0 : parts * rows * columns * 4; }
};

template <typename T> Result destroy(T *object) {
  delete object;
  return kSuccess;
}
template <typename T> Result assign(T &to, const void *value, size_t bytes) {
  if (bytes != sizeof to)
    return kInvalidValue;
  memcpy(&to, value, bytes);
  return kSuccess;
}

} // namespace

#define LT_FUNCTION extern "C" __attribute__((visibility("default")))

LT_FUNCTION size_t cublasLtGetVersion() { return version(); }
LT_FUNCTION const char *cublasLtGetStatusName(Result result) {
  return result == kInvalidValue   ? "CUBLAS_STATUS_INVALID_VALUE"
         : result == kNotSupported ? "CUBLAS_STATUS_NOT_SUPPORTED"
                                   : "CUBLAS_STATUS_EXECUTION_FAILED";
}
LT_FUNCTION const char *cublasLtGetStatusString(Result) { return "an error"; }
LT_FUNCTION Result cublasLtCreate(void **handle) {
  *handle = new int(0);
  return kSuccess;
}
LT_FUNCTION Result cublasLtDestroy(void *handle) { return destroy(static_cast<int *>(handle)); }
LT_FUNCTION Result cublasLtMatmulDescCreate(Operation **operation, int compute, int scaleType) {
  if (scaleType != kReal32F ||
      (compute != kCompute32F && compute != kComputeFast16BF && compute != kComputeFastTF32))
    return kNotSupported;
  *operation = new Operation{compute};
  return kSuccess;
}
LT_FUNCTION Result cublasLtMatmulDescDestroy(Operation *operation) { return destroy(operation); }
LT_FUNCTION Result cublasLtMatmulDescSetAttribute(Operation *operation, int attribute,
                                                  const void *value, size_t bytes) {
  return attribute == 3   ? assign(operation->transposeA, value, bytes)
         : attribute == 4 ? assign(operation->transposeB, value, bytes)
                          : kInvalidValue;
}
LT_FUNCTION Result cublasLtMatrixLayoutCreate(Layout **layout, int type, uint64_t rows,
                                              uint64_t columns, int64_t leading) {
  if (type != kReal32F)
    return kNotSupported;
  *layout = new Layout{rows, columns, leading};
  return kSuccess;
}
LT_FUNCTION Result cublasLtMatrixLayoutDestroy(Layout *layout) { return destroy(layout); }
LT_FUNCTION Result cublasLtMatrixLayoutSetAttribute(Layout *layout, int attribute,
                                                    const void *value, size_t bytes) {
  return attribute == 5   ? assign(layout->batch, value, bytes)
         : attribute == 6 ? assign(layout->stride, value, bytes)
                          : kInvalidValue;
}
LT_FUNCTION Result cublasLtMatmulPreferenceCreate(Preference **preference) {
  *preference = new Preference;
  return kSuccess;
}
LT_FUNCTION Result cublasLtMatmulPreferenceDestroy(Preference *preference) {
  return destroy(preference);
}
LT_FUNCTION Result cublasLtMatmulPreferenceSetAttribute(Preference *preference, int attribute,
                                                        const void *value, size_t bytes) {
  return attribute == 1   ? assign(preference->workspace, value, bytes)
         : attribute == 3 ? assign(preference->schemes, value, bytes)
         : attribute >= 5 && attribute <= 8
             ? assign(preference->alignments[attribute - 5], value, bytes)
             : kInvalidValue;
}

/// As many parts as the version likes and the workspace holds, for sums that are long.
LT_FUNCTION Result cublasLtMatmulAlgoGetHeuristic(void *handle, Operation *operation, Layout *a,
                                                  Layout *b, Layout *c, Layout *d,
                                                  Preference *preference, int wanted,
                                                  Heuristic *results, int *found) {
  Product product;
  *found = 0;
  if (!handle)
    return kNotInitialized;
  if (wanted < 1 || !Product::read(*operation, *a, *b, *c, *d, product))
    return kInvalidValue;
  const char *text = std::getenv("GRAPHC_FAKE_CUBLASLT"),
             *liked = text ? strchr(text, ':') : nullptr;
  uint64_t parts = product.k < 32 ? 1
                   : liked        ? std::strtoull(liked + 1, nullptr, 10)
                                  : 2 + version() / 100 % 3;
  constexpr uint32_t kOutOfPlace = 2 | 4;
  while (parts > 1 &&
         (!(preference->schemes & kOutOfPlace) || product.workspace(parts) > preference->workspace))
    --parts;
  const uint32_t alignment =
      *std::min_element(std::begin(preference->alignments), std::end(preference->alignments));
  results[0] = {{version(), parts, alignment, uint64_t(operation->compute), {}},
                product.workspace(parts),
                kSuccess,
                1,
                {}};
  *found = 1;
  return kSuccess;
}

LT_FUNCTION Result cublasLtMatmulAlgoCheck(void *handle, Operation *operation, Layout *a, Layout *b,
                                           Layout *c, Layout *d, const Algorithm *algorithm,
                                           Heuristic *result) {
  Product product;
  if (!handle)
    return kNotInitialized;
  if (!Product::read(*operation, *a, *b, *c, *d, product))
    return kInvalidValue;
  if (algorithm->version != version() || algorithm->compute != uint64_t(operation->compute) ||
      !algorithm->parts || algorithm->parts > 16)
    return kNotSupported;
  *result = {*algorithm, product.workspace(algorithm->parts), kSuccess, 1, {}};
  return kSuccess;
}

LT_FUNCTION Result cublasLtMatmul(void *handle, Operation *operation, const void *alpha,
                                  const void *a, Layout *layoutA, const void *b, Layout *layoutB,
                                  const void *beta, const void *c, Layout *layoutC, void *d,
                                  Layout *layoutD, const Algorithm *algorithm, void *workspace,
                                  size_t workspaceBytes, void *stream) {
  Heuristic checked;
  if (Result result = cublasLtMatmulAlgoCheck(handle, operation, layoutA, layoutB, layoutC, layoutD,
                                              algorithm, &checked))
    return result;
  float one, zero;
  memcpy(&one, alpha, 4);
  memcpy(&zero, beta, 4);
  auto number = [](const void *address) { return uint64_t(reinterpret_cast<uintptr_t>(address)); };
  if (one != 1 || zero != 0 || c != d || checked.workspace > workspaceBytes ||
      number(workspace) % 256 || !stream)
    return kInvalidValue;
  for (const void *address : {a, b, static_cast<const void *>(d)})
    if (number(address) % algorithm->alignment)
      return kInvalidValue;
  Product product;
  Product::read(*operation, *layoutA, *layoutB, *layoutC, *layoutD, product);
  const int result = graphcSimulatedLaunch(
      stream,
      [=, parts = algorithm->parts, at = number(workspace), bytes = checked.workspace,
       x = number(a), y = number(b),
       z = number(d)](const simulated::FindMemory &find) -> std::string {
        uint8_t *first = find(x, Product::bytes(product.a)),
                *second = find(y, Product::bytes(product.b)),
                *to = find(z, Product::bytes(product.d)),
                *space = bytes ? find(at, bytes) : nullptr;
        if (!first || !second || !to || (bytes && !space))
          return "cublasLtMatmul: a matrix or the workspace is not in one allocation";
        product.run(reinterpret_cast<const float *>(first), reinterpret_cast<const float *>(second),
                    reinterpret_cast<float *>(to), parts, reinterpret_cast<float *>(space));
        return "";
      });
  return result == 0 ? kSuccess : kExecutionFailed;
}
