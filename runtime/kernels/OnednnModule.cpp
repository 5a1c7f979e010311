//===- OnednnModule.cpp - libgraphc_onednn.so: matmul through oneDNN 2.6 ---------------------------------------------===//
//
// Plain row-major memory on both sides (no reorder at run time), user-mode scratchpad, primitive and memory objects made
// once. Exceptions of oneDNN's C++ interface end here; run() uses the C interface, which does not throw.
//
// Which of its kernels oneDNN takes shall follow from the descriptor and the CPU: it is told what it would else read from the
// environment, it runs on the calling thread alone, and its cache is off. That cache takes two products for the same that differ in
// the step along a dimension of size 1, and gives both the kernel of whichever was made first; the one here compares all bytes.
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "runtime/base/Mutex.h"
#include "runtime/kernels/OnednnAbi.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <cstdio>
#include <cstring>
#include <map>
#include <memory>

// The two functions of libgomp that are used; clang finds no omp.h of GCC's.
extern "C" int omp_get_max_threads(void);
extern "C" void omp_set_num_threads(int);

namespace {

/// What is the same for all kernels of one descriptor: runs on several threads at once.
struct Product {
  dnnl::memory::desc a, b, bias, c, scratch;
  dnnl::matmul primitive;
};

struct MatmulKernel {
  std::shared_ptr<const Product> product;
  dnnl::stream stream;
  dnnl::memory memories[5];
  dnnl_exec_arg_t arguments[5];
  int argumentCount = 0;
};

// The thread count is a property of the calling thread in OpenMP; with one, oneDNN enters no parallel region.
void useOneThread() {
  if (omp_get_max_threads() != 1)
    omp_set_num_threads(1);
}

dnnl::engine &cpuEngine() {
  static dnnl::engine engine = [] {
    // These two fail where a kernel was made before, which is not so, or where oneDNN was built without them.
    (void)dnnl_set_max_cpu_isa(dnnl_cpu_isa_all);
    (void)dnnl_set_cpu_isa_hints(dnnl_cpu_isa_no_hints);
    dnnl::set_primitive_cache_capacity(0);
    return dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return engine;
}

std::shared_ptr<const Product> makeProduct(const GraphcMatmulDesc &d) {
  using dnnl::memory;
  auto product = std::make_shared<Product>();
  const auto f32 = memory::data_type::f32;
  auto matrix = [&](int64_t rows, int64_t columns, int64_t row, int64_t column) {
    if (d.batch == 1)
      return memory::desc({rows, columns}, f32, memory::dims{row, column});
    return memory::desc({d.batch, rows, columns}, f32, memory::dims{rows * columns, row, column});
  };
  product->a = matrix(d.m, d.k, d.aRow, d.aColumn);
  product->b = matrix(d.k, d.n, d.bRow, d.bColumn);
  product->c = matrix(d.m, d.n, d.n, 1);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
  if (d.relu) {
    dnnl::post_ops post;
    post.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
    attributes.set_post_ops(post);
  }
  if (d.bias)
    product->bias = d.batch == 1 ? memory::desc({1, d.n}, f32, memory::format_tag::ab)
                                 : memory::desc({1, 1, d.n}, f32, memory::format_tag::abc);
  dnnl::matmul::desc operation = d.bias ? dnnl::matmul::desc(product->a, product->b, product->bias, product->c)
                                        : dnnl::matmul::desc(product->a, product->b, product->c);
  dnnl::matmul::primitive_desc description(operation, attributes, cpuEngine());
  product->primitive = dnnl::matmul(description);
  product->scratch = description.scratchpad_desc();
  return product;
}

/// Made once a process: lanes, phases and blocks of one size share it.
std::shared_ptr<const Product> findProduct(const GraphcMatmulDesc &desc) {
  struct Less {
    bool operator()(const GraphcMatmulDesc &a, const GraphcMatmulDesc &b) const { return memcmp(&a, &b, sizeof a) < 0; }
  };
  static_assert(sizeof(GraphcMatmulDesc) == 8 * 8 + 4 * 4, "no padding");
  static graphc::base::Mutex mutex;
  static auto &products =
      *new std::map<GraphcMatmulDesc, std::shared_ptr<const Product>, Less>; // under `mutex`, never ended
  graphc::base::MutexLock lock(mutex);
  std::shared_ptr<const Product> &product = products[desc];
  if (!product)
    product = makeProduct(desc);
  return product;
}

void makeKernel(const GraphcMatmulDesc &d, MatmulKernel &kernel, uint64_t &scratchBytes) {
  useOneThread();
  dnnl::engine &engine = cpuEngine();
  kernel.product = findProduct(d);
  kernel.stream = dnnl::stream(engine);
  const Product &product = *kernel.product;
  auto add = [&](const dnnl::memory::desc &desc, int argument) {
    dnnl::memory &object = kernel.memories[kernel.argumentCount];
    object = dnnl::memory(desc, engine, DNNL_MEMORY_NONE);
    kernel.arguments[kernel.argumentCount++] = {argument, object.get()};
  };
  add(product.a, DNNL_ARG_SRC);
  add(product.b, DNNL_ARG_WEIGHTS);
  if (d.bias)
    add(product.bias, DNNL_ARG_BIAS);
  add(product.c, DNNL_ARG_DST);
  scratchBytes = product.scratch.get_size();
  if (scratchBytes)
    add(product.scratch, DNNL_ARG_SCRATCHPAD);
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
  useOneThread();
  for (int i = 0; i < kernel.argumentCount; ++i)
    if (dnnl_status_t status =
            dnnl_memory_set_data_handle_v2(kernel.memories[i].get(), buffers[i], kernel.stream.get());
        status != dnnl_success)
      return int(status);
  dnnl_status_t status = dnnl_primitive_execute(kernel.product->primitive.get(), kernel.stream.get(),
                                                kernel.argumentCount, kernel.arguments);
  return status == dnnl_success ? 0 : int(status);
}

void destroy(void *kernel) { delete static_cast<MatmulKernel *>(kernel); }

constexpr GraphcOnednnApi api = {GRAPHC_ONEDNN_ABI_VERSION, create, run, destroy};

} // namespace

extern "C" __attribute__((visibility("default"))) const GraphcOnednnApi *graphc_onednn_api(void) { return &api; }
