// Convolutions in tiles beside their definition, in f64.
#include "runtime/kernels/WinogradConvolution.h"
#include "runtime/device/MemoryRegion.h"
#include "test/runtime/kernels/RandomFloats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace graphc::kernels {
namespace {

GraphcConvolutionDesc descOf(uint32_t kind, int64_t batch, int64_t height, int64_t width,
                             int64_t inputs, int64_t outputs) {
  GraphcConvolutionDesc d{};
  d.kind = kind;
  d.batch = batch;
  d.groups = 1;
  d.inputs = inputs;
  d.outputs = outputs;
  d.space = 2;
  d.nhwc = d.hwio = 1;
  const int64_t sizes[2] = {height, width};
  for (int i = 0; i < 2; ++i) {
    d.input[i] = sizes[i];
    d.window[i] = 3;
    d.stride[i] = d.dilation[i] = d.low[i] = d.high[i] = 1;
    d.result[i] = sizes[i];
  }
  return d;
}
void pad(GraphcConvolutionDesc &d, int i, int64_t low, int64_t high) {
  d.low[i] = low;
  d.high[i] = high;
  d.result[i] = d.input[i] + low + high - 2;
}

struct Tensors {
  std::vector<float> input, filter, result;
};

/// Every element of the input within the window of every result: visit(input, filter, result), as
/// indices.
template <typename Visit> void visitProducts(const GraphcConvolutionDesc &d, Visit visit) {
  for (int64_t n = 0; n < d.batch; ++n)
    for (int64_t y = 0; y < d.result[0]; ++y)
      for (int64_t x = 0; x < d.result[1]; ++x)
        for (int64_t k = 0; k < 9; ++k) {
          const int64_t row = y + k / 3 - d.low[0], column = x + k % 3 - d.low[1];
          if (row < 0 || row >= d.input[0] || column < 0 || column >= d.input[1])
            continue;
          for (int64_t i = 0; i < d.inputs; ++i)
            for (int64_t o = 0; o < d.outputs; ++o)
              visit(((n * d.input[0] + row) * d.input[1] + column) * d.inputs + i,
                    d.hwio ? (k * d.inputs + i) * d.outputs + o : (o * d.inputs + i) * 9 + k,
                    ((n * d.result[0] + y) * d.result[1] + x) * d.outputs + o);
        }
}

std::vector<float> &computed(const GraphcConvolutionDesc &d, Tensors &t) {
  return d.kind == GRAPHC_CONVOLUTION_RESULT  ? t.result
         : d.kind == GRAPHC_CONVOLUTION_INPUT ? t.input
                                              : t.filter;
}

/// Between pages that may not be touched; memory that nothing has been written to is NaN.
std::vector<float> run(const GraphcConvolutionDesc &d, Tensors t, bool isNarrow) {
  const WinogradConvolution kernel(d, isNarrow);
  std::vector<device::MemoryRegion> memory;
  auto place = [&](uint64_t bytes, const std::vector<float> *from) -> float * {
    memory.push_back(
        *device::MemoryRegion::allocate(bytes, device::MemoryRegion::Guard::Pages, "test"));
    memset(memory.back().data(), 0xff, bytes);
    if (from)
      memcpy(memory.back().data(), from->data(), bytes);
    return static_cast<float *>(static_cast<void *>(memory.back().data()));
  };
  auto given = [&](std::vector<float> &values) {
    return &values == &computed(d, t) ? nullptr : &values;
  };
  float *input = place(t.input.size() * 4, given(t.input)),
        *filter = place(t.filter.size() * 4, given(t.filter)),
        *result = place(t.result.size() * 4, given(t.result)),
        *own = place(kernel.filterBytes(), nullptr),
        *scratch = place(kernel.scratchBytes(), nullptr);
  if (d.kind != GRAPHC_CONVOLUTION_FILTER)
    kernel.reorderFilter(filter, own);
  void *buffers[] = {input, own, result, scratch};
  kernel.run(buffers);
  if (d.kind == GRAPHC_CONVOLUTION_FILTER)
    kernel.reorderFilter(own, filter);
  std::vector<float> &out = computed(d, t);
  memcpy(out.data(),
         d.kind == GRAPHC_CONVOLUTION_RESULT  ? result
         : d.kind == GRAPHC_CONVOLUTION_INPUT ? input
                                              : filter,
         out.size() * 4);
  return out;
}

void check(const GraphcConvolutionDesc &d) {
  SCOPED_TRACE(testing::Message() << "kind " << d.kind << ", " << d.batch << "x" << d.input[0]
                                  << "x" << d.input[1] << "x" << d.inputs << " to " << d.outputs
                                  << ", padding " << d.low[0] << " " << d.high[0] << ", "
                                  << d.low[1] << " " << d.high[1] << (d.hwio ? ", hwio" : ""));
  if (!winogradServes(d))
    GTEST_SKIP() << "no fused multiply-adds on this CPU";
  RandomFloats random(1);
  Tensors t;
  auto fill = [&](std::vector<float> &values, int64_t count) {
    values.resize(size_t(count));
    for (float &value : values)
      value = random.draw();
  };
  fill(t.input, d.batch * d.input[0] * d.input[1] * d.inputs);
  fill(t.filter, 9 * d.inputs * d.outputs);
  fill(t.result, d.batch * d.result[0] * d.result[1] * d.outputs);
  // The sum, and of how large numbers it is one.
  std::vector<double> sums(computed(d, t).size()), sizes(sums.size());
  visitProducts(d, [&](int64_t i, int64_t f, int64_t r) {
    auto add = [&](int64_t at, double a, double b) {
      sums[size_t(at)] += a * b;
      sizes[size_t(at)] += std::abs(a * b);
    };
    if (d.kind == GRAPHC_CONVOLUTION_RESULT)
      add(r, t.input[size_t(i)], t.filter[size_t(f)]);
    else if (d.kind == GRAPHC_CONVOLUTION_INPUT)
      add(i, t.result[size_t(r)], t.filter[size_t(f)]);
    else
      add(f, t.input[size_t(i)], t.result[size_t(r)]);
  });
  const std::vector<float> found = run(d, t, /*isNarrow=*/false),
                           narrow = run(d, t, /*isNarrow=*/true);
  EXPECT_EQ(memcmp(found.data(), narrow.data(), found.size() * 4), 0) << "the vectors' width shows";
  for (size_t i = 0; i < sums.size(); ++i)
    // 16 units of the last place: the tiles' transforms add numbers larger than the products.
    ASSERT_NEAR(double(found[i]), sums[i], 2e-6 * (sizes[i] + 4)) << "element " << i;
}

TEST(WinogradConvolution, IsTheDefinition) {
  for (uint32_t kind :
       {GRAPHC_CONVOLUTION_RESULT, GRAPHC_CONVOLUTION_INPUT, GRAPHC_CONVOLUTION_FILTER}) {
    for (int64_t features : {16, 32, 48, 64, 128})
      check(descOf(kind, 2, 8, 8, features, features));
    // tiles that reach out of the result, groups that are not full
    check(descOf(kind, 3, 7, 5, 16, 64));
    check(descOf(kind, 1, 1, 1, 64, 16));
    for (uint32_t hwio : {0u, 1u})
      for (int64_t low : {0, 1, 2}) {
        GraphcConvolutionDesc d = descOf(kind, 2, 9, 6, 32, 16);
        d.hwio = hwio;
        pad(d, 0, low, 1);
        pad(d, 1, 2, 2 - low);
        check(d);
      }
  }
}

TEST(WinogradConvolution, TakesWhatItsTilesAreMadeFor) {
  const GraphcConvolutionDesc good = descOf(GRAPHC_CONVOLUTION_RESULT, 2, 8, 8, 16, 32);
  auto serves = [&](auto change) {
    GraphcConvolutionDesc d = good;
    change(d);
    return winogradServes(d);
  };
  if (!winogradServes(good))
    GTEST_SKIP() << "no fused multiply-adds on this CPU";
  EXPECT_FALSE(serves([](auto &d) { d.stride[1] = 2; }));
  EXPECT_FALSE(serves([](auto &d) { d.dilation[0] = 2; }));
  EXPECT_FALSE(serves([](auto &d) { d.window[0] = 1; }));
  EXPECT_FALSE(serves([](auto &d) { d.inputs = 8; }));
  EXPECT_FALSE(serves([](auto &d) { d.outputs = 144; }));
  EXPECT_FALSE(serves([](auto &d) { d.groups = 2; }));
  EXPECT_FALSE(serves([](auto &d) { d.nhwc = 0; }));
  EXPECT_FALSE(serves([](auto &d) { d.space = 3; }));
}

} // namespace
} // namespace graphc::kernels
