//===- OnednnModule.cpp - libgraphc_onednn.so: matmul through oneDNN 2.6 ----------------------===//
//
// Plain row-major memory on both sides (no reorder at run time), user-mode scratchpad, primitive
// and memory objects made once. Exceptions of oneDNN's C++ interface end here; run() uses the C
// interface, which does not throw.
//
// Which of its kernels oneDNN takes shall follow from the descriptor and the CPU: it is told what
// it would else read from the environment, it runs on the calling thread alone, and its cache is
// off. That cache takes two products for the same that differ in the step along a dimension of size
// 1, and gives both the kernel of whichever was made first; find() compares all bytes.
//
//===------------------------------------------------------------------------------------------===//

#include "runtime/kernels/OnednnEngine.h"

#include <unistd.h>

// The two functions of libgomp that are used; clang finds no omp.h of GCC's.
extern "C" int omp_get_max_threads(void);
extern "C" void omp_set_num_threads(int);

namespace graphc::onednn {

void useOneThread() {
  if (omp_get_max_threads() != 1)
    omp_set_num_threads(1);
}

uint32_t &maxLevel() {
  static uint32_t level = 0;
  return level;
}

/// The instruction sets of an x86-64 level, as oneDNN names them.
static dnnl_cpu_isa_t instructionsOf(uint32_t level) {
  switch (level) {
  case 2:
    return dnnl_cpu_isa_sse41;
  case 3:
    return dnnl_cpu_isa_avx2;
  case 4:
    return dnnl_cpu_isa_avx512_core;
  default:
    return dnnl_cpu_isa_all;
  }
}

dnnl::engine &cpuEngine() {
  static dnnl::engine engine = [] {
    // These two fail where a kernel was made before, which is not so, or where oneDNN was built
    // without them.
    (void)dnnl_set_max_cpu_isa(instructionsOf(maxLevel()));
    (void)dnnl_set_cpu_isa_hints(dnnl_cpu_isa_no_hints);
    dnnl::set_primitive_cache_capacity(0);
    return dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return engine;
}

/// The instructions that oneDNN takes for f32: two of its kernels of one name ("gemm:jit") differ
/// in their blocks, and so in their bits.
static const char *instructions() {
  switch (dnnl_get_effective_cpu_isa()) {
  case dnnl_cpu_isa_sse41:
    return "SSE4.1";
  case dnnl_cpu_isa_avx:
    return "AVX";
  case dnnl_cpu_isa_avx2:
  case dnnl_cpu_isa_avx2_vnni:
    return "AVX2";
  case dnnl_cpu_isa_avx512_core:
  case dnnl_cpu_isa_avx512_core_vnni:
  case dnnl_cpu_isa_avx512_core_bf16:
  case dnnl_cpu_isa_avx512_core_amx:
    return "AVX-512";
  default:
    return "another CPU";
  }
}

std::string describe(const char *implementation) {
  const dnnl_version_t *version = dnnl_version();
  char text[200];
  snprintf(text, sizeof text, "oneDNN %d.%d.%d %s for %s, caches of %ld and %ld bytes",
           version->major, version->minor, version->patch, implementation, instructions(),
           sysconf(_SC_LEVEL1_DCACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
  return text;
}

namespace {

/// What is the same for all kernels of one descriptor: runs on several threads at once.
struct Product {
  dnnl::memory::desc a, b, bias, c, scratch;
  dnnl::matmul primitive;
  std::string implementation;
};

struct MatmulKernel {
  std::shared_ptr<const Product> product;
  dnnl::stream stream;
  Arguments arguments;
};

static_assert(sizeof(GraphcMatmulDesc) == 8 * 8 + 4 * 4 &&
                  sizeof(GraphcConvolutionDesc) == (5 + 7 * 3) * 8 + 4 * 4,
              "no padding");

Product makeProduct(const GraphcMatmulDesc &d) {
  using dnnl::memory;
  Product product;
  const auto f32 = memory::data_type::f32;
  auto matrix = [&](int64_t rows, int64_t columns, int64_t row, int64_t column) {
    if (d.batch == 1)
      return memory::desc({rows, columns}, f32, memory::dims{row, column});
    return memory::desc({d.batch, rows, columns}, f32, memory::dims{rows * columns, row, column});
  };
  product.a = matrix(d.m, d.k, d.aRow, d.aColumn);
  product.b = matrix(d.k, d.n, d.bRow, d.bColumn);
  product.c = matrix(d.m, d.n, d.n, 1);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
  if (d.relu) {
    dnnl::post_ops post;
    post.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
    attributes.set_post_ops(post);
  }
  if (d.bias)
    product.bias = d.batch == 1 ? memory::desc({1, d.n}, f32, memory::format_tag::ab)
                                : memory::desc({1, 1, d.n}, f32, memory::format_tag::abc);
  dnnl::matmul::desc operation =
      d.bias ? dnnl::matmul::desc(product.a, product.b, product.bias, product.c)
             : dnnl::matmul::desc(product.a, product.b, product.c);
  dnnl::matmul::primitive_desc description(operation, attributes, cpuEngine());
  while (d.packed && strncmp(description.impl_info_str(), "brg", 3) == 0 &&
         description.next_impl()) {
  }
  product.primitive = dnnl::matmul(description);
  product.scratch = description.scratchpad_desc();
  product.implementation = describe(description.impl_info_str());
  return product;
}

int create(const GraphcMatmulDesc *d, void **kernel, uint64_t *scratchBytes, char *message,
           size_t messageBytes) {
  return guarded(message, messageBytes, [&] {
    auto made = std::make_unique<MatmulKernel>();
    useOneThread();
    made->product = find<GraphcMatmulDesc, Product, makeProduct>(*d);
    made->stream = dnnl::stream(cpuEngine());
    const Product &product = *made->product;
    made->arguments.add(product.a, DNNL_ARG_SRC);
    made->arguments.add(product.b, DNNL_ARG_WEIGHTS);
    if (d->bias)
      made->arguments.add(product.bias, DNNL_ARG_BIAS);
    made->arguments.add(product.c, DNNL_ARG_DST);
    *scratchBytes = product.scratch.get_size();
    if (*scratchBytes)
      made->arguments.add(product.scratch, DNNL_ARG_SCRATCHPAD);
    *kernel = made.release();
  });
}

int run(void *opaque, void *const *buffers) {
  MatmulKernel &kernel = *static_cast<MatmulKernel *>(opaque);
  return kernel.arguments.run(kernel.product->primitive, kernel.stream, buffers);
}

void destroy(void *kernel) { delete static_cast<MatmulKernel *>(kernel); }

const char *implementation(void *kernel) {
  return static_cast<MatmulKernel *>(kernel)->product->implementation.c_str();
}

constexpr GraphcOnednnApi api = {GRAPHC_ONEDNN_ABI_VERSION,
                                 create,
                                 run,
                                 destroy,
                                 createConvolution,
                                 runConvolution,
                                 reorderFilter,
                                 destroyConvolution,
                                 implementation,
                                 implementationOfConvolution};

} // namespace
} // namespace graphc::onednn

extern "C" __attribute__((visibility("default"))) const GraphcOnednnApi *
graphc_onednn_api(uint32_t maxLevel) {
  graphc::onednn::maxLevel() = maxLevel;
  return &graphc::onednn::api;
}
