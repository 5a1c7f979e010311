// RUN: graph-opt %s --schedule --verify-liveness | FileCheck %s --check-prefix=EQUAL
// RUN: sed 's/^module {/module attributes {graph.links = [[#graph.device<"\/job:slow">, #graph.device<"\/job:t">, 0.001, 500.0]]} {/' %s | graph-opt --schedule --verify-liveness | FileCheck %s --check-prefix=SLOW

// Two values come from two tasks, each with work that waits for it. Over equal links the work goes as the text has it; where
// the link of the first is slow, the other one's work is done meanwhile.

module {
dist.phase @p {role = #graph.role<predict>}
dist.channel @p.x : tensor<1024xf32> from @p.a to @p.c
dist.channel @p.y : tensor<1024xf32> from @p.b to @p.c
func.func private @f(memref<1024xf32> {dist.access = "read"}, memref<1024xf32> {dist.access = "write"})
    attributes {dist.flops = 1024 : i64}
func.func private @g(memref<1024xf32> {dist.access = "read"}, memref<1024xf32> {dist.access = "write"})
    attributes {dist.flops = 1024 : i64}
dist.program @p.a of @p on "/job:slow/task:0/device:CPU:0" {
  %x = dist.buffer : memref<1024xf32>
  dist.feed_into "x", %x : memref<1024xf32>
  dist.send @p.x, %x : memref<1024xf32>
  dist.end
}
dist.program @p.b of @p on "/job:fast/task:0/device:CPU:0" {
  %y = dist.buffer : memref<1024xf32>
  dist.feed_into "y", %y : memref<1024xf32>
  dist.send @p.y, %y : memref<1024xf32>
  dist.end
}
// EQUAL: dist.receive @p.x
// EQUAL: dist.call @f
// EQUAL: dist.receive @p.y
// EQUAL: dist.call @g
// SLOW: dist.receive @p.y
// SLOW: dist.call @g
// SLOW: dist.receive @p.x
// SLOW: dist.call @f
dist.program @p.c of @p on "/job:t/task:0/device:CPU:0" {
  %x = dist.receive @p.x : memref<1024xf32>
  %fx = dist.buffer : memref<1024xf32>
  dist.call @f(%x, %fx) : memref<1024xf32>, memref<1024xf32>
  %y = dist.receive @p.y : memref<1024xf32>
  %gy = dist.buffer : memref<1024xf32>
  dist.call @g(%y, %gy) : memref<1024xf32>, memref<1024xf32>
  dist.fetch "fx", %fx : memref<1024xf32>
  dist.fetch "gy", %gy : memref<1024xf32>
  dist.end
}
}
