// Which of oneDNN's kernels is faster for a product of dense f32, on one thread: the one that it takes by itself, or the next in its list
// (docs/decisions/2026-11-28-few-rows-by-a-large-matrix.md). In turns, each time with 4 MiB of other memory touched before. A line a product.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <dnnl.hpp>
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
  const matmul::desc wanted(matrix(m, k, transposeA), matrix(k, n, transposeB), matrix(m, n, false));
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

int main() {
  struct Shape {
    int64_t m, k, n;
    bool transposeA = false, transposeB = false;
  };
  stream calls(cpu);
  std::vector<float> other(1 << 20);
  for (const Shape &s : {Shape{4, 4096, 4096},
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
                         {1000, 100, 1100, true}}) {
    Kernel kernels[] = {make(s.m, s.k, s.n, s.transposeA, s.transposeB, false),
                        make(s.m, s.k, s.n, s.transposeA, s.transposeB, true)};
    for (int round = 0; round < 60; ++round)
      for (Kernel &kernel : kernels) {
        for (size_t i = 0; i < other.size(); i += 16)
          other[i] += 1;
        const auto begin = std::chrono::steady_clock::now();
        kernel.product.execute(calls, kernel.arguments);
        calls.wait();
        kernel.times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() * 1e6);
      }
    for (Kernel &kernel : kernels)
      std::sort(kernel.times.begin(), kernel.times.end());
    const double first = kernels[0].times[30], second = kernels[1].times[30];
    printf("{\"m\": %ld, \"k\": %ld, \"n\": %ld, \"transpose\": \"%s%s\", \"%s_us\": %.1f, \"%s_us\": %.1f, \"ratio\": "
           "%.3f}\n",
           long(s.m), long(s.k), long(s.n), s.transposeA ? "a" : "", s.transposeB ? "b" : "", kernels[0].name.c_str(),
           first, kernels[1].name.c_str(), second, second / first);
  }
}
