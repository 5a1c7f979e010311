//===- TwoLayers.h - a model of two layers, of whatever width -----------------------*- C++ -*-===//
#ifndef GRAPHC_TEST_PASSES_COMPILER_TWOLAYERS_H
#define GRAPHC_TEST_PASSES_COMPILER_TWOLAYERS_H

#include "absl/strings/str_replace.h"

#include <string>

namespace graphc {

/// Text of a model whose gradients leave while others are still computed; the second weight's
/// gradient needs a buffer again.
inline std::string twoLayers(int inputs, int hidden) {
  constexpr char text[] =
      R"(graph.variable @w : tensor<INxHIDxf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 3>
graph.variable @v : tensor<HIDx1xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 4>
graph.dataset @d : (tensor<INxf32>, tensor<1xf32>) = #graph.synthetic<samples = 96, seed = 7>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %t = graph.next_batch @d {batch = 8} : tensor<8xINxf32>, tensor<8x1xf32>
  %w = graph.read @w : tensor<INxHIDxf32>
  %v = graph.read @v : tensor<HIDx1xf32>
  %h = graph.matmul %x, %w : (tensor<8xINxf32>, tensor<INxHIDxf32>) -> tensor<8xHIDxf32>
  %a = graph.tanh %h : tensor<8xHIDxf32>
  %y = graph.matmul %a, %v : (tensor<8xHIDxf32>, tensor<HIDx1xf32>) -> tensor<8x1xf32>
  %e = graph.subtract %y, %t : tensor<8x1xf32>
  %square = graph.multiply %e, %e : tensor<8x1xf32>
  %loss = graph.reduce_mean %square dimensions = [0, 1] : (tensor<8x1xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
)";
  return absl::StrReplaceAll(text,
                             {{"IN", std::to_string(inputs)}, {"HID", std::to_string(hidden)}});
}

} // namespace graphc

#endif
