//===- OnednnModule.cpp - libgraphc_onednn.so: matmul through oneDNN 2.6 ---------------------------------------------===//
//
// Plain row-major memory on both sides (no reorder at run time), user-mode scratchpad, primitive and memory objects made
// once. Exceptions of oneDNN's C++ interface end here; run() uses the C interface, which does not throw.
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "runtime/kernels/OnednnAbi.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <cstdio>
#include <memory>

// The two functions of libgomp that are used; clang finds no omp.h of GCC's.
extern "C" int omp_get_max_threads(void);
extern "C" void omp_set_num_threads(int);

namespace {

struct MatmulKernel {
  dnnl::engine engine;
  dnnl::stream stream;
  dnnl::matmul primitive;
  dnnl::memory a, b, bias, c, scratch;
  dnnl_exec_arg_t arguments[5];
  dnnl::memory *memories[5];
  int argumentCount = 0;
  int threads = 1;
};

// The thread count is a property of the calling thread in OpenMP; the primitive must be made and run under the same one.
void setThreads(int threads) {
  if (omp_get_max_threads() != threads)
    omp_set_num_threads(threads);
}

dnnl::engine &cpuEngine() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

void makeKernel(const GraphcMatmulDesc &d, MatmulKernel &kernel, uint64_t &scratchBytes) {
  using dnnl::memory;
  kernel.threads = int(d.threads);
  setThreads(kernel.threads);
  kernel.engine = cpuEngine();
  kernel.stream = dnnl::stream(kernel.engine);
  const auto f32 = memory::data_type::f32;
  auto matrix = [&](int64_t rows, int64_t columns, bool transposed) {
    int64_t rowStride = transposed ? 1 : columns, columnStride = transposed ? rows : 1;
    if (d.batch == 1)
      return memory::desc({rows, columns}, f32, memory::dims{rowStride, columnStride});
    return memory::desc({d.batch, rows, columns}, f32, memory::dims{rows * columns, rowStride, columnStride});
  };
  memory::desc a = matrix(d.m, d.k, d.transposeA != 0), b = matrix(d.k, d.n, d.transposeB != 0),
               c = matrix(d.m, d.n, false);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (d.relu) {
    dnnl::post_ops post;
    post.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
    attributes.set_post_ops(post);
  }
  memory::desc bias;
  if (d.bias)
    bias = d.batch == 1 ? memory::desc({1, d.n}, f32, memory::format_tag::ab)
                        : memory::desc({1, 1, d.n}, f32, memory::format_tag::abc);
  dnnl::matmul::desc operation = d.bias ? dnnl::matmul::desc(a, b, bias, c) : dnnl::matmul::desc(a, b, c);
  dnnl::matmul::primitive_desc description(operation, attributes, kernel.engine);
  kernel.primitive = dnnl::matmul(description);
  scratchBytes = description.scratchpad_desc().get_size();

  auto add = [&](memory &object, const memory::desc &desc, int argument) {
    object = memory(desc, kernel.engine, DNNL_MEMORY_NONE);
    kernel.arguments[kernel.argumentCount] = {argument, object.get()};
    kernel.memories[kernel.argumentCount++] = &object;
  };
  add(kernel.a, a, DNNL_ARG_SRC);
  add(kernel.b, b, DNNL_ARG_WEIGHTS);
  if (d.bias)
    add(kernel.bias, bias, DNNL_ARG_BIAS);
  add(kernel.c, c, DNNL_ARG_DST);
  if (scratchBytes)
    add(kernel.scratch, description.scratchpad_desc(), DNNL_ARG_SCRATCHPAD);
}

int create(const GraphcMatmulDesc *desc, void **kernel, uint64_t *scratchBytes, char *message, size_t messageBytes) {
  try {
    auto made = std::make_unique<MatmulKernel>();
    makeKernel(*desc, *made, *scratchBytes);
    *kernel = made.release();
    return 0;
  } catch (const dnnl::error &error) {
    snprintf(message, messageBytes, "oneDNN error %d: %s", int(error.status), error.what());
  } catch (const std::exception &error) {
    snprintf(message, messageBytes, "%s", error.what());
  }
  return 1;
}

int run(void *opaque, void *const *buffers) {
  MatmulKernel &kernel = *static_cast<MatmulKernel *>(opaque);
  setThreads(kernel.threads);
  for (int i = 0; i < kernel.argumentCount; ++i)
    if (dnnl_status_t status =
            dnnl_memory_set_data_handle_v2(kernel.memories[i]->get(), buffers[i], kernel.stream.get());
        status != dnnl_success)
      return int(status);
  dnnl_status_t status =
      dnnl_primitive_execute(kernel.primitive.get(), kernel.stream.get(), kernel.argumentCount, kernel.arguments);
  return status == dnnl_success ? 0 : int(status);
}

void destroy(void *kernel) { delete static_cast<MatmulKernel *>(kernel); }

constexpr GraphcOnednnApi api = {GRAPHC_ONEDNN_ABI_VERSION, create, run, destroy};

} // namespace

extern "C" __attribute__((visibility("default"))) const GraphcOnednnApi *graphc_onednn_api(void) { return &api; }
