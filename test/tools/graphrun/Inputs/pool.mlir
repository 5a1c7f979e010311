dist.phase @p {role = #graph.role<train>}
graph.variable @x : tensor<2x4x6xf32> = #graph.value<dense<[[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0, 11.0], [12.0, 13.0, 14.0, 15.0, 16.0, 17.0], [18.0, 19.0, 20.0, 21.0, 22.0, 23.0]], [[24.0, 25.0, 26.0, 27.0, 28.0, 29.0], [30.0, 31.0, 32.0, 33.0, 34.0, 35.0], [36.0, 37.0, 38.0, 39.0, 40.0, 41.0], [42.0, 43.0, 44.0, 45.0, 46.0, 47.0]]]> : tensor<2x4x6xf32>> {graph.device = #graph.device<"/job:t/task:0/device:CPU:0">}
graph.variable @b : tensor<2xf32> = #graph.value<dense<[10.0, 20.0]> : tensor<2xf32>> {graph.device = #graph.device<"/job:t/task:0/device:CPU:0">}
graph.variable @plain : tensor<2x2x2xf32> = #graph.zeros {graph.device = #graph.device<"/job:t/task:0/device:CPU:0">}
graph.variable @biased : tensor<2x2x2xf32> = #graph.zeros {graph.device = #graph.device<"/job:t/task:0/device:CPU:0">}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.variable_buffer @x : memref<2x4x6xf32>
  %b = dist.variable_buffer @b : memref<2xf32>
  %plain = dist.variable_buffer @plain : memref<2x2x2xf32>
  %biased = dist.variable_buffer @biased : memref<2x2x2xf32>
  %s = dist.buffer : memref<128xi8>
  dist.control_send []
  dist.library_call "average_pool"(%x) into(%plain) scratch %s {descriptor = {scale = 0.5 : f64, window = array<i64: 2, 3>}}
      : memref<2x4x6xf32> into memref<2x2x2xf32> scratch memref<128xi8>
  dist.library_call "average_pool"(%x, %b) into(%biased) scratch %s
      {descriptor = {scale = 1.0 : f64, window = array<i64: 2, 3>}, post_ops = ["bias"]}
      : memref<2x4x6xf32>, memref<2xf32> into memref<2x2x2xf32> scratch memref<128xi8>
  dist.control_receive local
  dist.end
}
