// RUN: graph-opt %s --split-input-file --verify-diagnostics --kernels-to-gpu

// Four sums of two levels share 4 x 2 x 1,024 elements of 8 bytes.
#all = affine_map<(i) -> (i)>
#sum = affine_map<(i) -> ()>
module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device">} {
  // expected-error @below {{kernel 'sums' shares 65536 bytes in a block; a GPU has 49152 for it}}
  func.func private @sums(%x: memref<2097152xf64> {dist.access = "read"}, %a: memref<f64> {dist.access = "read_write"},
      %b: memref<f64> {dist.access = "read_write"}, %c: memref<f64> {dist.access = "read_write"}, %d: memref<f64> {dist.access = "read_write"}) {
    linalg.generic {indexing_maps = [#all, #sum, #sum, #sum, #sum], iterator_types = ["reduction"]} ins(%x : memref<2097152xf64>)
        outs(%a, %b, %c, %d : memref<f64>, memref<f64>, memref<f64>, memref<f64>) {
    ^bb0(%v: f64, %o: f64, %p: f64, %q: f64, %r: f64):
      %0 = arith.addf %o, %v : f64
      %1 = arith.addf %p, %v : f64
      %2 = arith.addf %q, %v : f64
      %3 = arith.addf %r, %v : f64
      linalg.yield %0, %1, %2, %3 : f64, f64, f64, f64
    }
    return
  }
  dist.phase @s {role = #graph.role<train>}
  dist.program @s.worker of @s on "/job:worker/task:0/device:GPU:0" {
    %x = dist.buffer : memref<2097152xf64>
    %a = dist.buffer : memref<f64>
    %b = dist.buffer : memref<f64>
    %c = dist.buffer : memref<f64>
    %d = dist.buffer : memref<f64>
    dist.call @sums(%x, %a, %b, %c, %d) {queue = 1 : i64} : memref<2097152xf64>, memref<f64>, memref<f64>, memref<f64>, memref<f64>
    dist.end
  }
}
