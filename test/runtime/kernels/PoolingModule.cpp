//===- PoolingModule.cpp ----------------------------------------------------------------------===//
//
// A module of the tests that serves library calls of the kernel `average_pool`.
//
// The mean over windows of the last two dimensions of an f32 tensor of three: `window` = [rows,
// columns], which divide them, times `scale`. The post-op `bias` adds a number a plane. It copies
// the plane to scratch memory first, so that this is asked for as well.
//
//===------------------------------------------------------------------------------------------===//

#include "runtime/common/abi/KernelAbi.h"
#include "runtime/common/abi/LibraryAbi.h"

#include <cstdio>
#include <cstring>
#include <string_view>

namespace {

struct Pooling {
  int64_t planes, rows, columns, windowRows, windowColumns;
  float scale;
  bool bias;
};

const char *read(const GraphcLibraryCall &call, Pooling &p) {
  if (call.attributeCount != 2 || std::string_view(call.attributes[0].name) != "scale" ||
      std::string_view(call.attributes[1].name) != "window")
    return "expected scale and window";
  const GraphcLibraryAttribute &scale = call.attributes[0], &window = call.attributes[1];
  if (scale.numberCount != 1 || window.integerCount != 2)
    return "expected scale, a number, and window, two integers";
  p.scale = float(scale.numbers[0]);
  p.windowRows = window.integers[0], p.windowColumns = window.integers[1];
  p.bias = call.postOpCount == 1 && std::string_view(call.postOps[0]) == "bias";
  if (call.postOpCount != uint64_t(p.bias))
    return "bias is the one post-op";
  if (call.operandCount != 2 + uint64_t(p.bias))
    return "expected an input, the bias where there is one, and a result";
  const GraphcLibraryOperand &in = call.operands[0], &out = call.operands[call.operandCount - 1];
  for (uint64_t i = 0; i < call.operandCount; ++i)
    if (call.operands[i].element != GRAPHC_F32 ||
        call.operands[i].access != (i + 1 < call.operandCount ? GRAPHC_READ : GRAPHC_WRITE))
      return "expected operands of f32 that are read, and a result that is written";
  if (in.rank != 3 || out.rank != 3)
    return "expected three dimensions";
  p.planes = in.shape[0], p.rows = in.shape[1], p.columns = in.shape[2];
  if (p.windowRows < 1 || p.windowColumns < 1 || p.rows % p.windowRows ||
      p.columns % p.windowColumns || out.shape[0] != p.planes ||
      out.shape[1] != p.rows / p.windowRows || out.shape[2] != p.columns / p.windowColumns)
    return "windows do not make the result of the input";
  if (p.bias && call.operands[1].bytes != uint64_t(p.planes) * 4)
    return "expected a number a plane as bias";
  return nullptr;
}

int check(const GraphcLibraryCall *call, uint64_t *flops, char *message, size_t messageBytes) {
  Pooling pooling;
  if (const char *wrong = read(*call, pooling)) {
    snprintf(message, messageBytes, "%s", wrong);
    return 1;
  }
  *flops = call->operands[0].bytes / 4 + call->operands[call->operandCount - 1].bytes / 4;
  return 0;
}

int create(const GraphcLibraryCall *call, void **kernel, uint64_t *scratchBytes, char *, size_t) {
  auto *pooling = new Pooling;
  read(*call, *pooling);
  *scratchBytes = uint64_t(pooling->rows * pooling->columns) * 4;
  *kernel = pooling;
  return 0;
}

int run(void *kernel, void *const *buffers) {
  const auto &p = *static_cast<const Pooling *>(kernel);
  const auto *in = static_cast<const float *>(buffers[0]),
             *bias = static_cast<const float *>(buffers[1]);
  auto *out = static_cast<float *>(buffers[1 + p.bias]),
       *plane = static_cast<float *>(buffers[2 + p.bias]);
  for (int64_t i = 0; i < p.planes; ++i) {
    memcpy(plane, in + i * p.rows * p.columns, size_t(p.rows * p.columns) * 4);
    for (int64_t r = 0; r < p.rows; r += p.windowRows)
      for (int64_t c = 0; c < p.columns; c += p.windowColumns) {
        float sum = 0;
        for (int64_t y = 0; y < p.windowRows; ++y)
          for (int64_t x = 0; x < p.windowColumns; ++x)
            sum += plane[(r + y) * p.columns + c + x];
        *out++ = sum / float(p.windowRows * p.windowColumns) * p.scale + (p.bias ? bias[i] : 0);
      }
  }
  return 0;
}

void destroy(void *kernel) { delete static_cast<Pooling *>(kernel); }

constexpr GraphcLibraryKernel kernels[] = {{"average_pool", check, create, run, destroy}};
constexpr GraphcLibraryModule module = {GRAPHC_LIBRARY_ABI_VERSION, 1, kernels};

} // namespace

extern "C" __attribute__((visibility("default"))) const GraphcLibraryModule *
graphc_library_module(void) {
  return &module;
}
