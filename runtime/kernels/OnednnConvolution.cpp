//===- OnednnConvolution.cpp - convolutions through oneDNN 2.6 --------------------------------===//
//
// Input and result with features last are taken as they are: the library's kernels for them are as
// fast as for its blocked order. Features first are brought into that and back, within the call.
// The filter is in the library's order always; who calls brings it there once.
//
//===------------------------------------------------------------------------------------------===//
#include "runtime/kernels/OnednnEngine.h"

#include <stdexcept>
#include <vector>

namespace graphc::onednn {
namespace {

using dnnl::memory;

/// A tensor in the descriptor's order and in the library's.
struct Orders {
  memory::desc given, own;
  bool same() const { return given == own; }
};

struct Convolution {
  Orders input, filter, result;
  std::string implementation;
  memory::desc scratch;
  dnnl::primitive primitive;
  dnnl::reorder toOwnInput, toOwnResult,
      toOwnFilter; ///< or from it, of what is computed; empty where the orders are one
};

memory::dims placesOf(const GraphcConvolutionDesc &d, const int64_t *sizes) {
  return memory::dims(sizes, sizes + d.space);
}

/// Dense; the dimensions from the outermost to the innermost are `order`.
memory::desc denseIn(const memory::dims &sizes, const std::vector<size_t> &order) {
  memory::dims steps(sizes.size());
  int64_t step = 1;
  for (size_t i = order.size(); i-- > 0; step *= sizes[order[i]])
    steps[order[i]] = step;
  return memory::desc(sizes, memory::data_type::f32, steps);
}

memory::desc activations(const GraphcConvolutionDesc &d, int64_t features, const int64_t *places) {
  memory::dims sizes{d.batch, features};
  std::vector<size_t> order{0};
  for (size_t i = 0; i < size_t(d.space); ++i) {
    sizes.push_back(places[i]);
    order.push_back(2 + i);
  }
  order.insert(d.nhwc ? order.end() : order.begin() + 1, 1);
  return denseIn(sizes, order);
}

/// Groups, where there are several, are the outer part of the outputs.
memory::desc filterOf(const GraphcConvolutionDesc &d) {
  const size_t first = d.groups > 1;
  memory::dims sizes{d.outputs / d.groups, d.inputs / d.groups};
  std::vector<size_t> window, outputs{first};
  if (first) {
    sizes.insert(sizes.begin(), d.groups);
    outputs.insert(outputs.begin(), 0);
  }
  for (size_t i = 0; i < size_t(d.space); ++i) {
    sizes.push_back(d.window[i]);
    window.push_back(first + 2 + i);
  }
  std::vector<size_t> order = d.hwio ? window : outputs;
  order.push_back(first + 1);
  const std::vector<size_t> &rest = d.hwio ? outputs : window;
  order.insert(order.end(), rest.begin(), rest.end());
  return denseIn(sizes, order);
}

memory::desc anyOrder(const memory::desc &given) {
  return memory::desc(given.dims(), memory::data_type::f32, memory::format_tag::any);
}

Convolution makeConvolution(const GraphcConvolutionDesc &d) {
  Convolution made;
  made.input.given = activations(d, d.inputs, d.input);
  made.result.given = activations(d, d.outputs, d.result);
  made.filter.given = filterOf(d);
  const memory::desc input = d.nhwc ? made.input.given : anyOrder(made.input.given);
  const memory::desc result = d.nhwc ? made.result.given : anyOrder(made.result.given),
                     filter = anyOrder(made.filter.given);
  const memory::dims strides = placesOf(d, d.stride), low = placesOf(d, d.low),
                     high = placesOf(d, d.high);
  memory::dims dilations = placesOf(d, d.dilation);
  for (int64_t &dilation : dilations)
    --dilation; // the library counts what is left out
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
  const auto algorithm = dnnl::algorithm::convolution_direct;
  dnnl::convolution_forward::primitive_desc forward(
      dnnl::convolution_forward::desc(dnnl::prop_kind::forward_training, algorithm, input, filter,
                                      result, strides, dilations, low, high),
      attributes, cpuEngine());
  auto take = [&](const auto &description, const memory::desc &input, const memory::desc &filter,
                  const memory::desc &result) {
    made.input.own = input;
    made.filter.own = filter;
    made.result.own = result;
    made.scratch = description.scratchpad_desc();
    made.implementation = describe(description.impl_info_str());
  };
  if (d.kind == GRAPHC_CONVOLUTION_RESULT) {
    take(forward, forward.src_desc(), forward.weights_desc(), forward.dst_desc());
    made.primitive = dnnl::convolution_forward(forward);
  } else if (d.kind == GRAPHC_CONVOLUTION_INPUT) {
    dnnl::convolution_backward_data::primitive_desc backward(
        dnnl::convolution_backward_data::desc(algorithm, input, filter, result, strides, dilations,
                                              low, high),
        attributes, cpuEngine(), forward);
    take(backward, backward.diff_src_desc(), backward.weights_desc(), backward.diff_dst_desc());
    made.primitive = dnnl::convolution_backward_data(backward);
  } else {
    dnnl::convolution_backward_weights::primitive_desc backward(
        dnnl::convolution_backward_weights::desc(algorithm, input, filter, result, strides,
                                                 dilations, low, high),
        attributes, cpuEngine(), forward);
    take(backward, backward.src_desc(), backward.diff_weights_desc(), backward.diff_dst_desc());
    made.primitive = dnnl::convolution_backward_weights(backward);
  }
  auto reorder = [&](const Orders &orders, bool computed) {
    const memory::desc &from = computed ? orders.own : orders.given,
                       &to = computed ? orders.given : orders.own;
    dnnl::primitive_attr user;
    user.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    dnnl::reorder::primitive_desc description(cpuEngine(), from, cpuEngine(), to, user);
    if (description.scratchpad_desc().get_size())
      throw std::runtime_error("a reorder needs scratch memory");
    return dnnl::reorder(description);
  };
  if (!made.input.same())
    made.toOwnInput = reorder(made.input, d.kind == GRAPHC_CONVOLUTION_INPUT);
  if (!made.result.same())
    made.toOwnResult = reorder(made.result, d.kind == GRAPHC_CONVOLUTION_RESULT);
  made.toOwnFilter = reorder(made.filter, d.kind == GRAPHC_CONVOLUTION_FILTER);
  return made;
}

uint64_t aligned(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

/// Two memory objects and what moves one into the other.
struct Move {
  Arguments arguments;
  void set(const memory::desc &from, const memory::desc &to) {
    arguments.add(from, DNNL_ARG_FROM);
    arguments.add(to, DNNL_ARG_TO);
  }
};

struct Kernel {
  std::shared_ptr<const Convolution> convolution;
  uint32_t kind = 0;
  dnnl::stream stream;
  Arguments arguments;
  Move input, result, filter;
  /// of scratch memory, for what is not in the library's order
  uint64_t inputBytes = 0, resultBytes = 0;

  void make(const GraphcConvolutionDesc &d) {
    useOneThread();
    convolution = find<GraphcConvolutionDesc, Convolution, makeConvolution>(d);
    const Convolution &c = *convolution;
    kind = d.kind;
    stream = dnnl::stream(cpuEngine());
    arguments.add(c.input.own, kind == GRAPHC_CONVOLUTION_INPUT ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC);
    arguments.add(c.filter.own,
                  kind == GRAPHC_CONVOLUTION_FILTER ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS);
    arguments.add(c.result.own,
                  kind == GRAPHC_CONVOLUTION_RESULT ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST);
    if (c.scratch.get_size())
      arguments.add(c.scratch, DNNL_ARG_SCRATCHPAD);
    auto prepare = [](Move &move, const Orders &orders, bool computed) {
      move.set(computed ? orders.own : orders.given, computed ? orders.given : orders.own);
    };
    prepare(filter, c.filter, kind == GRAPHC_CONVOLUTION_FILTER);
    if (!c.input.same()) {
      prepare(input, c.input, kind == GRAPHC_CONVOLUTION_INPUT);
      inputBytes = aligned(c.input.own.get_size());
    }
    if (!c.result.same()) {
      prepare(result, c.result, kind == GRAPHC_CONVOLUTION_RESULT);
      resultBytes = aligned(c.result.own.get_size());
    }
  }
  uint64_t scratchBytes() const {
    return inputBytes + resultBytes + convolution->scratch.get_size();
  }

  int run(void *const *buffers) {
    auto *scratch = static_cast<uint8_t *>(buffers[3]);
    void *ownInput = inputBytes ? scratch : buffers[0],
         *ownResult = resultBytes ? scratch + inputBytes : buffers[2];
    void *own[] = {ownInput, buffers[1], ownResult, scratch + inputBytes + resultBytes};
    const Convolution &c = *convolution;
    const bool computesInput = kind == GRAPHC_CONVOLUTION_INPUT,
               computesResult = kind == GRAPHC_CONVOLUTION_RESULT;
    int code = 0;
    auto move = [&](Move &move, const dnnl::reorder &reorder, void *from, void *to) {
      void *both[] = {from, to};
      if (!code)
        code = move.arguments.run(reorder, stream, both);
    };
    if (inputBytes && !computesInput)
      move(input, c.toOwnInput, buffers[0], ownInput);
    if (resultBytes && !computesResult)
      move(result, c.toOwnResult, buffers[2], ownResult);
    if (!code)
      code = arguments.run(c.primitive, stream, own);
    if (inputBytes && computesInput)
      move(input, c.toOwnInput, ownInput, buffers[0]);
    if (resultBytes && computesResult)
      move(result, c.toOwnResult, ownResult, buffers[2]);
    return code;
  }
};

} // namespace

int createConvolution(const GraphcConvolutionDesc *desc, void **kernel, uint64_t *filterBytes,
                      uint64_t *scratchBytes, char *message, size_t messageBytes) {
  return guarded(message, messageBytes, [&] {
    auto made = std::make_unique<Kernel>();
    made->make(*desc);
    *filterBytes = made->convolution->filter.own.get_size();
    *scratchBytes = made->scratchBytes();
    *kernel = made.release();
  });
}

int runConvolution(void *kernel, void *const *buffers) {
  return static_cast<Kernel *>(kernel)->run(buffers);
}

int reorderFilter(void *opaque, void *from, void *to) {
  Kernel &kernel = *static_cast<Kernel *>(opaque);
  void *both[] = {from, to};
  return kernel.filter.arguments.run(kernel.convolution->toOwnFilter, kernel.stream, both);
}

void destroyConvolution(void *kernel) { delete static_cast<Kernel *>(kernel); }

const char *implementationOfConvolution(void *kernel) {
  return static_cast<Kernel *>(kernel)->convolution->implementation.c_str();
}

} // namespace graphc::onednn
