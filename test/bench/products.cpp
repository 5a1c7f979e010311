// Which kernel is faster for a product of dense f32, on one thread: of oneDNN's, the one that it
// takes by itself or the next in its list
// (docs/decisions/2026-11-28-few-rows-by-a-large-matrix.md); of products with few columns or one
// row, and of operands that a cache holds, the first of these or this project's own
// (docs/decisions/2026-11-28-few-columns.md, 2026-11-28-products-without-copies.md); of large
// operands on AVX2, oneDNN's or this project's (2026-12-01-products-of-packed-operands.md). In
// turns, each time with 4 MiB of other memory touched before. A line a product. With avx2 or sse:
// our own kernels for such CPUs; "avx2 packed" measures the last part alone.
#include "runtime/kernels/OnednnLoader.h"
#include "runtime/kernels/SimdKernels.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <dnnl.hpp>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

using namespace dnnl;

struct Kernel {
  matmul product;
  std::unordered_map<int, memory> arguments;
  std::string name;
  std::vector<double> times;
};

static const engine cpu(engine::kind::cpu, 0);

static Kernel make(int64_t m, int64_t k, int64_t n, bool transposeA, bool transposeB, bool next) {
  auto matrix = [](int64_t rows, int64_t columns, bool transposed) {
    return memory::desc({rows, columns}, memory::data_type::f32,
                        transposed ? memory::dims{1, rows} : memory::dims{columns, 1});
  };
  primitive_attr attributes;
  attributes.set_scratchpad_mode(scratchpad_mode::user);
  const matmul::desc wanted(matrix(m, k, transposeA), matrix(k, n, transposeB),
                            matrix(m, n, false));
  matmul::primitive_desc description(wanted, attributes, cpu);
  while (next && strncmp(description.impl_info_str(), "brg", 3) == 0 && description.next_impl()) {
  }
  Kernel made{matmul(description), {}, description.impl_info_str(), {}};
  for (auto [argument, type] : {std::pair{DNNL_ARG_SRC, description.src_desc()},
                                {DNNL_ARG_WEIGHTS, description.weights_desc()},
                                {DNNL_ARG_DST, description.dst_desc()},
                                {DNNL_ARG_SCRATCHPAD, description.scratchpad_desc()}}) {
    memory values(type, cpu);
    auto *data = static_cast<float *>(values.get_data_handle());
    for (size_t i = 0; i < type.get_size() / 4; ++i)
      data[i] = float(i % 7) * 0.1f - 0.3f;
    made.arguments.emplace(argument, values);
  }
  return made;
}

/// Microseconds of each, the medians.
static std::vector<double> timesOf(const std::vector<std::function<void()>> &kernels) {
  static std::vector<float> other(1 << 20);
  std::vector<std::vector<double>> times(kernels.size());
  for (int round = 0; round < 60; ++round)
    for (size_t i = 0; i < kernels.size(); ++i) {
      for (size_t j = 0; j < other.size(); j += 16)
        other[j] += 1;
      const auto begin = std::chrono::steady_clock::now();
      kernels[i]();
      times[i].push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() * 1e6);
    }
  std::vector<double> medians;
  for (std::vector<double> &each : times) {
    std::sort(each.begin(), each.end());
    medians.push_back(each[30]);
  }
  return medians;
}

struct Shape {
  int64_t m, k, n;
  bool transposeA = false, transposeB = false;
};

static void print(const Shape &s, const std::string &first, const std::string &second,
                  const std::vector<double> &times) {
  printf(
      "{\"m\": %ld, \"k\": %ld, \"n\": %ld, \"transpose\": \"%s%s\", \"%s_us\": %.1f, \"%s_us\": %.1f, \"ratio\": "
      "%.3f}\n",
      long(s.m), long(s.k), long(s.n), s.transposeA ? "a" : "", s.transposeB ? "b" : "",
      first.c_str(), times[0], second.c_str(), times[1], times[1] / times[0]);
}

static void ofTheLibrary(const Shape &s) {
  stream calls(cpu);
  std::vector<Kernel> kernels = {make(s.m, s.k, s.n, s.transposeA, s.transposeB, false),
                                 make(s.m, s.k, s.n, s.transposeA, s.transposeB, true)};
  std::vector<std::function<void()>> runs;
  for (Kernel &kernel : kernels)
    runs.push_back([&] {
      kernel.product.execute(calls, kernel.arguments);
      calls.wait();
    });
  print(s, kernels[0].name, kernels[1].name, timesOf(runs));
}

static float *argument(Kernel &kernel, int which) {
  return static_cast<float *>(kernel.arguments.at(which).get_data_handle());
}

static void besideTheLibrary(const Shape &s, Kernel &library, const char *name,
                             const std::function<void()> &own) {
  stream calls(cpu);
  print(s, library.name, name,
        timesOf({[&] {
                   library.product.execute(calls, library.arguments);
                   calls.wait();
                 },
                 own}));
}

/// As NarrowMatmul.cpp (where one row by a matrix is that matrix, transposed, by a column) and
/// DirectMatmul.cpp have them.
static void ofOurOwn(const Shape &s, const graphc::kernels::SimdKernels &kernels) {
  using namespace graphc::kernels;
  Kernel library = make(s.m, s.k, s.n, s.transposeA, s.transposeB, false);
  const bool isRow = s.m == 1, isAcross = isRow ? !s.transposeB : s.transposeA;
  SimdProduct own{};
  own.m = isRow ? s.n : s.m, own.n = isRow ? 1 : s.n, own.k = s.k;
  own.a = argument(library, isRow ? DNNL_ARG_WEIGHTS : DNNL_ARG_SRC),
  own.b = argument(library, isRow ? DNNL_ARG_SRC : DNNL_ARG_WEIGHTS);
  own.aRow = s.transposeA ? 1 : s.k, own.aColumn = s.transposeA ? s.m : 1;
  own.bRow = own.n, own.bColumn = 1, own.c = argument(library, DNNL_ARG_DST);
  auto *kernel = own.n > kMostNarrow ? kernels.direct
                 : !isAcross         ? kernels.narrowDots
                 : own.n > 1         ? kernels.narrowAcross
                                     : kernels.narrowColumn;
  besideTheLibrary(s, library, "own",
                   [&] { kernel(own, 0, kernel == kernels.direct ? own.n : own.m); });
}

/// As PackedMatmul.cpp calls the kernel.
static void ofPacked(const Shape &s, const graphc::kernels::SimdKernels &kernels) {
  using namespace graphc::kernels;
  Kernel library = make(s.m, s.k, s.n, s.transposeA, s.transposeB, false);
  SimdProduct own{};
  own.m = s.m, own.n = s.n, own.k = s.k, own.a = argument(library, DNNL_ARG_SRC),
  own.b = argument(library, DNNL_ARG_WEIGHTS);
  own.aRow = s.transposeA ? 1 : s.k, own.aColumn = s.transposeA ? s.m : 1;
  own.bRow = s.transposeB ? 1 : s.n, own.bColumn = s.transposeB ? s.k : 1,
  own.c = argument(library, DNNL_ARG_DST);
  Bytes scratch(kPackedScratchBytes);
  besideTheLibrary(s, library, "packed", [&] { kernels.packed(own, s.n, scratch.data); });
}

static const Shape kOfTheLibrary[] = {{4, 4096, 4096},
                                      {8, 1024, 1024},
                                      {32, 4096, 1024},
                                      {64, 1024, 4096},
                                      {32, 1000, 1100},
                                      {128, 2048, 2048},
                                      {512, 2048, 2048},
                                      {128, 1024, 1024},
                                      {128, 784, 512},
                                      {1024, 768, 768},
                                      {256, 512, 640},
                                      {64, 50000, 32},
                                      {128, 1024, 1024, false, true},
                                      {1024, 512, 1024, true},
                                      {1000, 100, 1100, true}};
static const Shape kOfOurOwn[] = {{512, 128, 10, true},
                                  {512, 512, 10, true},
                                  {64, 64, 10, true},
                                  {500, 100, 10, true},
                                  {4096, 32, 10, true},
                                  {512, 512, 16, true},
                                  {256, 1024, 2, true},
                                  {784, 64, 1, true},
                                  {1024, 256, 1, true},
                                  {64, 784, 1},
                                  {32, 4096, 1},
                                  {1, 784, 512},
                                  {1, 1024, 1024},
                                  {1, 4096, 4096},
                                  {1, 256, 50257},
                                  {1, 256, 50257, false, true},
                                  {1, 1024, 1024, false, true},
                                  {2, 784, 512},
                                  {3, 784, 512},
                                  {8, 512, 512},
                                  {8, 256, 1024},
                                  {16, 784, 512},
                                  {32, 512, 512},
                                  {32, 512, 1024},
                                  {64, 784, 512},
                                  {64, 1024, 512},
                                  {128, 784, 512},
                                  {128, 784, 128},
                                  {128, 256, 1024},
                                  {128, 1024, 512},
                                  {256, 512, 512},
                                  {784, 128, 512, true},
                                  {784, 64, 512, true},
                                  {512, 128, 256, true},
                                  {256, 256, 256, true}};
static const Shape kPacked[] = {{128, 784, 512},
                                {784, 128, 512, true},
                                {64, 784, 512},
                                {392, 128, 512, true},
                                {32, 784, 512},
                                {16, 784, 512},
                                {128, 10, 512, false, true},
                                {1024, 256, 768},
                                {1024, 256, 256},
                                {1024, 256, 1024},
                                {1024, 1024, 256},
                                {1024, 768, 256, false, true},
                                {1024, 256, 1024, false, true},
                                {1024, 1024, 256, false, true},
                                {256, 1024, 1024, true},
                                {1024, 1024, 256, true},
                                {256, 1024, 768, true},
                                {256, 1024, 256, true},
                                {2080, 96, 384},
                                {2080, 384, 96},
                                {96, 2080, 384, true},
                                {384, 2080, 96, true},
                                {2080, 384, 96, false, true},
                                {2080, 96, 96, false, true},
                                {64, 64, 64},
                                {32, 4096, 1024},
                                {1024, 1024, 1024}};

int main(int argc, char **argv) {
  using namespace graphc::kernels;
  const std::string kind = argc > 1 ? argv[1] : "";
  const SimdKernels &kernels = kind == "avx2"  ? kSimdAvx2
                               : kind == "sse" ? kSimdBase
                                               : simdKernels();
  const bool onlyPacked = argc > 2 && std::string(argv[2]) == "packed";
  for (const Shape &s : kOfTheLibrary)
    if (!onlyPacked)
      ofTheLibrary(s);
  for (const Shape &s : kOfOurOwn)
    if (!onlyPacked)
      ofOurOwn(s, kernels);
  for (const Shape &s : kPacked)
    if (kernels.packed)
      ofPacked(s, kernels);
}
