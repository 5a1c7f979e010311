// Library calls as a plan's bytes may describe them: one that is consistent, of which up to three
// numbers are changed. What a library takes and is small is made and run three times, between pages
// that may not be touched: the results have the same bits whatever was in scratch memory, on one
// thread and on three.
#include "runtime/device/MemoryRegion.h"
#include "runtime/kernels/KernelRegistry.h"
#include "runtime/kernels/ThreadPool.h"

#include "absl/strings/str_cat.h"

#include <cstdlib>
#include <cstring>
#include <fuzzer/FuzzedDataProvider.h>

using namespace graphc;
using namespace graphc::kernels;

namespace {

using Shape = std::vector<int64_t>;

class Maker {
public:
  explicit Maker(FuzzedDataProvider &bytes) : bytes(bytes) {}

  LibraryCall make() {
    switch (bytes.ConsumeIntegralInRange(0, 3)) {
    case 0:
      makeMatmul();
      break;
    case 1:
      makeConvolution();
      break;
    default:
      makeAttention();
    }
    for (int changes = bytes.ConsumeIntegralInRange(0, 3); changes > 0; --changes)
      change();
    for (CallOperand &operand : call.operands)
      if (bytes.ConsumeIntegralInRange(0, 31) != 31) // what verifyPlan sees to
        operand.bytes = bytesOf(operand);
    return call;
  }

private:
  int64_t size(int64_t most = 20) { return bytes.ConsumeIntegralInRange<int64_t>(1, most); }
  bool maybe() { return bytes.ConsumeBool(); }

  static uint64_t bytesOf(const CallOperand &operand) {
    unsigned __int128 count = operand.element == GRAPHC_F32   ? 4
                              : operand.element == GRAPHC_F64 ? 8
                                                              : 1;
    for (int64_t size : operand.shape)
      if (count *= uint64_t(size); size < 0 || count > (1ull << 62))
        return 0;
    return uint64_t(count);
  }

  void add(GraphcAccess access, Shape shape, GraphcElement element = GRAPHC_F32) {
    call.operands.push_back({element, std::move(shape), access, 0});
  }
  void say(const char *name, Shape integers) {
    call.attributes.push_back({name, std::move(integers), {}});
  }

  void makeMatmul() {
    call.kernel = maybe() ? "matmul" : "gpu_matmul";
    const int64_t m = size(), n = size(), k = size(), batch = size(3);
    const bool a = maybe(), b = maybe();
    say("m", {m}), say("n", {n}), say("k", {k});
    if (batch > 1)
      say("batch", {batch});
    if (a)
      say("transpose_a", {1});
    if (b)
      say("transpose_b", {1});
    add(GRAPHC_READ, a ? Shape{batch, k, m} : Shape{batch, m, k});
    add(GRAPHC_READ, b ? Shape{batch, n, k} : Shape{batch, k, n});
    if (maybe())
      call.postOps.push_back("bias"), add(GRAPHC_READ, {n});
    if (maybe())
      call.postOps.push_back("relu");
    add(GRAPHC_WRITE, {batch, m, n});
  }

  void makeConvolution() {
    const int kind = bytes.ConsumeIntegralInRange(0, 2);
    call.kernel =
        (const char *[]){"convolution", "convolution_input_grad", "convolution_filter_grad"}[kind];
    const bool tiles = maybe(); // those that are our own
    const int64_t space = tiles ? 2 : size(3), groups = !tiles && maybe() ? size(4) : 1,
                  inputs = groups * (tiles ? 16 * size(3) : size(6)),
                  outputs = groups * (tiles ? 16 * size(3) : size(6));
    const bool last = tiles || maybe(), hwio = tiles || maybe();
    Shape stride, dilation, low, high, from, to, window;
    for (int64_t i = 0; i < space; ++i) {
      window.push_back(tiles ? 3 : size(4)), dilation.push_back(!tiles && maybe() ? size(3) : 1);
      stride.push_back(!tiles && maybe() ? size(3) : 1);
      const int64_t reach = (window.back() - 1) * dilation.back();
      low.push_back(bytes.ConsumeIntegralInRange<int64_t>(0, reach));
      high.push_back(bytes.ConsumeIntegralInRange<int64_t>(0, reach));
      to.push_back(size(9));
      from.push_back((to.back() - 1) * stride.back() + reach + 1 - low.back() - high.back() +
                     bytes.ConsumeIntegralInRange<int64_t>(0, stride.back() - 1));
    }
    if (groups > 1)
      say("feature_group_count", {groups});
    if (hwio)
      say("hwio", {1});
    if (last)
      say("nhwc", {1});
    say("padding_high", high), say("padding_low", low), say("rhs_dilation", dilation),
        say("window_strides", stride);
    auto places = [&](int64_t batch, int64_t features, Shape shape) {
      shape.insert(last ? shape.end() : shape.begin(), features);
      shape.insert(shape.begin(), batch);
      return shape;
    };
    const int64_t batch = size(4);
    const Shape input = places(batch, inputs, from), result = places(batch, outputs, to);
    Shape filter = window;
    if (hwio)
      filter.insert(filter.end(), {inputs / groups, outputs});
    else
      filter.insert(filter.begin(), {outputs, inputs / groups});
    add(GRAPHC_READ, kind == 1 ? result : input);
    add(GRAPHC_READ, kind == 2 ? result : filter);
    add(GRAPHC_WRITE, kind == 0 ? result : kind == 1 ? input : filter);
  }

  void makeAttention() {
    const bool gradient = maybe(), packed = maybe();
    call.kernel = absl::StrCat(packed ? "packed_" : "", gradient ? "attention_grad" : "attention");
    Shape leading;
    for (int i = bytes.ConsumeIntegralInRange(0, 2); i > 0; --i)
      leading.push_back(size(3));
    auto of = [&](int64_t rows, int64_t columns) {
      Shape shape = leading;
      shape.insert(shape.end(), {rows, columns});
      return shape;
    };
    const int64_t heads = packed ? size(4) : 1, queries = size(80),
                  keys = packed ? queries : size(80);
    const int64_t width = size(), values = packed ? width : size();
    if (maybe())
      say("causal", {1});
    if (packed)
      say("heads", {heads});
    call.attributes.push_back(
        {"scale", {}, {maybe() ? 0.5 : bytes.ConsumeFloatingPoint<double>()}});
    const Shape q = of(queries, packed ? 3 * heads * width : width), k = of(keys, width),
                v = of(keys, values), o = of(queries, heads * values);
    add(GRAPHC_READ, q);
    if (!packed)
      add(GRAPHC_READ, k), add(GRAPHC_READ, v);
    if (gradient)
      add(GRAPHC_READ, o), add(GRAPHC_READ, o);
    if (maybe()) {
      Shape mask = of(queries, keys);
      if (packed)
        mask.insert(mask.end() - 2, heads);
      for (int64_t &entry : mask)
        entry = maybe() ? entry : 1;
      add(GRAPHC_READ, mask, GRAPHC_I1);
    }
    if (gradient)
      add(GRAPHC_WRITE, q);
    if (gradient && !packed)
      add(GRAPHC_WRITE, k), add(GRAPHC_WRITE, v);
    if (!gradient)
      add(GRAPHC_WRITE, o);
  }

  /// One number, name, operand or attribute.
  void change() {
    std::vector<int64_t *> numbers;
    for (CallOperand &operand : call.operands)
      for (int64_t &entry : operand.shape)
        numbers.push_back(&entry);
    for (CallAttribute &attribute : call.attributes)
      for (int64_t &entry : attribute.integers)
        numbers.push_back(&entry);
    const size_t which = bytes.ConsumeIntegralInRange<size_t>(0, numbers.size() + 7);
    CallOperand &operand =
        call.operands[bytes.ConsumeIntegralInRange<size_t>(0, call.operands.size() - 1)];
    if (which < numbers.size())
      *numbers[which] = maybe() ? bytes.ConsumeIntegralInRange<int64_t>(-2, 70)
                                : bytes.ConsumeIntegral<int64_t>();
    else if (which == numbers.size())
      operand.element = GraphcElement(bytes.ConsumeIntegralInRange(0, 9));
    else if (which == numbers.size() + 1)
      operand.access = GraphcAccess(bytes.ConsumeIntegralInRange(0, 3));
    else if (which == numbers.size() + 2)
      operand.shape.push_back(size());
    else if (which == numbers.size() + 3 && !operand.shape.empty())
      operand.shape.pop_back();
    else if (which == numbers.size() + 4)
      call.operands.push_back(CallOperand(operand));
    else if (which == numbers.size() + 5 && call.operands.size() > 1)
      call.operands.pop_back();
    else if (which == numbers.size() + 6 && !call.attributes.empty())
      call.attributes.pop_back();
    else
      call.attributes.push_back({bytes.ConsumeRandomLengthString(8), {size()}, {}});
  }

  FuzzedDataProvider &bytes;
  LibraryCall call;
};

/// The results of a call whose scratch memory holds `fill` before.
std::string resultsOf(const LibraryCall &call, uint64_t scratch, int fill, ThreadPool *pool) {
  auto kernel = makeKernel(call, scratch, pool);
  if (!kernel.ok())
    return std::string(kernel.status().message());
  std::vector<device::MemoryRegion> memory;
  std::vector<void *> buffers;
  auto add = [&](uint64_t bytes) {
    memory.push_back(
        *device::MemoryRegion::allocate(bytes, device::MemoryRegion::Guard::Pages, "fuzz"));
    buffers.push_back(memory.back().data());
    memset(buffers.back(), fill, bytes);
  };
  for (const CallOperand &operand : call.operands) {
    add(operand.bytes);
    if (operand.access != GRAPHC_READ)
      continue;
    for (uint64_t i = 0; i < operand.bytes / 4 && operand.element == GRAPHC_F32; ++i)
      static_cast<float *>(buffers.back())[i] = float(int(i * 7 % 13) - 6) / 4;
    for (uint64_t i = 0; i < operand.bytes && operand.element == GRAPHC_I1; ++i)
      static_cast<uint8_t *>(buffers.back())[i] = i % 3 != 0;
  }
  add(scratch);
  if ((*kernel)->run(buffers.data()) != 0)
    abort();
  std::string results;
  for (size_t i = 0; i < call.operands.size(); ++i)
    if (call.operands[i].access == GRAPHC_WRITE)
      results.append(static_cast<const char *>(buffers[i]), call.operands[i].bytes);
  return results;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FuzzedDataProvider bytes(data, size);
  const LibraryCall call = Maker(bytes).make();
  auto facts = checkCall(call);
  if (!facts.ok())
    return 0;
  (void)partsOf(call, 4);
  uint64_t held = 0;
  for (const CallOperand &operand : call.operands)
    held += operand.bytes;
  if (facts->onGpu || held > (1 << 20) || facts->flops > (1 << 24))
    return 0;
  auto scratch = scratchBytesOf(call);
  if (!scratch.ok())
    return 0;
  if (*scratch > (1 << 24))
    abort();
  static ThreadPool &pool = *new ThreadPool(3);
  const std::string results = resultsOf(call, *scratch, 0, nullptr);
  if (results != resultsOf(call, *scratch, 0xFF, nullptr) ||
      results != resultsOf(call, *scratch, 0x55, &pool))
    abort();
  return 0;
}
