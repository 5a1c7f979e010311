// RUN: graph-opt %s --schedule --verify-partitioned --verify-liveness --split-input-file | FileCheck %s
// RUN: graph-opt %s --schedule --split-input-file | graph-opt --verify-liveness --split-input-file | FileCheck %s
// Where calls alone read the sums of an all-reduce, each instance may read the others' where those were made: the plan says so by a
// release behind the last such call, which each other's send_done waits for.

// Behind the last call that reads a part of them, and of sums that nobody reads behind their end.
// CHECK-LABEL: dist.program @a
// CHECK-SAME: dist.event_ranks
// CHECK: dist.all_reduce_done @a.sum
// CHECK: dist.call @use(%{{.*}}, %{{.*}})
// CHECK: dist.call @use(%{{.*}}, %{{.*}})
// CHECK-NEXT: dist.release @a.sum
// CHECK: dist.all_reduce_done @a.unread
// CHECK-NEXT: dist.release @a.unread
// CHECK: dist.send_done @a.
graph.variable @w : tensor<16384xf32> = #graph.zeros
dist.phase @a.phase {role = #graph.role<train>}
dist.channel @a.sum : tensor<32768xf32> from @a to @a {all_to_all, instances = 2, algorithm = "scatter", chunk = 16384}
dist.channel @a.unread : tensor<32768xf32> from @a to @a {all_to_all, instances = 2, algorithm = "scatter", chunk = 16384}
dist.channel @a.control : tensor<i64> from @a to @a {control, instances = 2}
func.func private @add(memref<16384xf32> {dist.access = "read_write"}, memref<16384xf32> {dist.access = "read"})
func.func private @make(memref<32768xf32> {dist.access = "write"})
func.func private @use(memref<16384xf32> {dist.access = "read_write"}, memref<16384xf32> {dist.access = "read"})
dist.program @a of @a.phase on "/job:worker/device:CPU:0" replicas(2) {
  dist.control_send [@a.control]
  %w = dist.variable_buffer @w : memref<16384xf32>
  %bucket = dist.buffer : memref<32768xf32>
  %first = dist.view %bucket : memref<32768xf32> to memref<16384xf32>
  %second = dist.view %bucket {offset = 65536} : memref<32768xf32> to memref<16384xf32>
  %scratch = dist.buffer : memref<16384xf32>
  %unread = dist.buffer : memref<32768xf32>
  %scratch2 = dist.buffer : memref<16384xf32>
  dist.call @make(%bucket) : memref<32768xf32>
  dist.all_reduce_start @a.sum, %bucket scratch %scratch by @add : memref<32768xf32>, memref<16384xf32>
  dist.all_reduce_done @a.sum, %bucket scratch %scratch : memref<32768xf32>, memref<16384xf32>
  dist.call @use(%w, %first) : memref<16384xf32>, memref<16384xf32>
  dist.call @use(%w, %second) : memref<16384xf32>, memref<16384xf32>
  dist.call @make(%unread) : memref<32768xf32>
  dist.all_reduce_start @a.unread, %unread scratch %scratch2 by @add : memref<32768xf32>, memref<16384xf32>
  dist.all_reduce_done @a.unread, %unread scratch %scratch2 : memref<32768xf32>, memref<16384xf32>
  dist.control_receive @a.control local
  dist.end
}

// -----

// No release where something needs them in the bucket: a fetch, a call that writes there (behind the send_done); where what sums is no
// tree of whole pages.
// CHECK: dist.channel @b.shown {{.*}} zero_copy}
// CHECK: dist.channel @b.written {{.*}} zero_copy}
// CHECK: dist.channel @b.ring {{.*}} zero_copy}
// CHECK: dist.channel @b.small {{.*}} zero_copy}
// CHECK-LABEL: dist.program @b
// CHECK-NOT: dist.release
// CHECK: dist.all_reduce_done @b.written
// CHECK-NOT: dist.release
// CHECK: dist.end
graph.variable @w : tensor<16384xf32> = #graph.zeros
dist.phase @b.phase {role = #graph.role<train>}
dist.channel @b.shown : tensor<32768xf32> from @b to @b {all_to_all, instances = 2, algorithm = "scatter", chunk = 16384}
dist.channel @b.written : tensor<32768xf32> from @b to @b {all_to_all, instances = 2, algorithm = "scatter", chunk = 16384}
dist.channel @b.ring : tensor<32768xf32> from @b to @b {all_to_all, instances = 2, algorithm = "ring", chunk = 16384}
dist.channel @b.small : tensor<16384xf32> from @b to @b {all_to_all, instances = 2, algorithm = "scatter", chunk = 8192}
dist.channel @b.control : tensor<i64> from @b to @b {control, instances = 2}
func.func private @add(memref<16384xf32> {dist.access = "read_write"}, memref<16384xf32> {dist.access = "read"})
func.func private @add_small(memref<8192xf32> {dist.access = "read_write"}, memref<8192xf32> {dist.access = "read"})
func.func private @make(memref<32768xf32> {dist.access = "write"})
func.func private @make_small(memref<16384xf32> {dist.access = "write"})
func.func private @use(memref<16384xf32> {dist.access = "read_write"}, memref<16384xf32> {dist.access = "read"})
dist.program @b of @b.phase on "/job:worker/device:CPU:0" replicas(2) {
  dist.control_send [@b.control]
  %w = dist.variable_buffer @w : memref<16384xf32>
  %shown = dist.buffer : memref<32768xf32>
  %0 = dist.view %shown : memref<32768xf32> to memref<16384xf32>
  %scratch = dist.buffer : memref<16384xf32>
  dist.call @make(%shown) : memref<32768xf32>
  dist.all_reduce_start @b.shown, %shown scratch %scratch by @add : memref<32768xf32>, memref<16384xf32>
  dist.all_reduce_done @b.shown, %shown scratch %scratch : memref<32768xf32>, memref<16384xf32>
  dist.call @use(%w, %0) : memref<16384xf32>, memref<16384xf32>
  dist.fetch "gradient", %0 : memref<16384xf32>

  %written = dist.buffer : memref<32768xf32>
  %1 = dist.view %written : memref<32768xf32> to memref<16384xf32>
  %2 = dist.view %written {offset = 65536} : memref<32768xf32> to memref<16384xf32>
  %scratch1 = dist.buffer : memref<16384xf32>
  dist.call @make(%written) : memref<32768xf32>
  dist.all_reduce_start @b.written, %written scratch %scratch1 by @add : memref<32768xf32>, memref<16384xf32>
  dist.all_reduce_done @b.written, %written scratch %scratch1 : memref<32768xf32>, memref<16384xf32>
  dist.call @use(%1, %2) : memref<16384xf32>, memref<16384xf32>
  dist.call @use(%w, %1) : memref<16384xf32>, memref<16384xf32>

  %ring = dist.buffer : memref<32768xf32>
  %3 = dist.view %ring : memref<32768xf32> to memref<16384xf32>
  %scratch2 = dist.buffer : memref<16384xf32>
  dist.call @make(%ring) : memref<32768xf32>
  dist.all_reduce_start @b.ring, %ring scratch %scratch2 by @add : memref<32768xf32>, memref<16384xf32>
  dist.all_reduce_done @b.ring, %ring scratch %scratch2 : memref<32768xf32>, memref<16384xf32>
  dist.call @use(%w, %3) : memref<16384xf32>, memref<16384xf32>

  %small = dist.buffer : memref<16384xf32>
  %scratch3 = dist.buffer : memref<8192xf32>
  dist.call @make_small(%small) : memref<16384xf32>
  dist.all_reduce_start @b.small, %small scratch %scratch3 by @add_small : memref<16384xf32>, memref<8192xf32>
  dist.all_reduce_done @b.small, %small scratch %scratch3 : memref<16384xf32>, memref<8192xf32>
  dist.call @use(%w, %small) : memref<16384xf32>, memref<16384xf32>
  dist.control_receive @b.control local
  dist.end
}

// -----

// A loop before the all-reduce changes nothing: micro-batches, of which the last is written out. Sums that a loop reads stay in the
// bucket, since an accumulate reads nothing elsewhere.
// CHECK-LABEL: dist.program @c
// CHECK: dist.repeat 4
// CHECK: dist.all_reduce_done @c.sum
// CHECK-NEXT: dist.call @use
// CHECK-NEXT: dist.release @c.sum
// CHECK: dist.all_reduce_done @c.looped
// CHECK-NEXT: dist.repeat 2
// CHECK-NOT: dist.release
// CHECK: dist.end
graph.variable @w : tensor<32768xf32> = #graph.zeros
dist.phase @c.phase {role = #graph.role<train>}
dist.channel @c.sum : tensor<32768xf32> from @c to @c {all_to_all, instances = 2, algorithm = "scatter", chunk = 16384}
dist.channel @c.looped : tensor<32768xf32> from @c to @c {all_to_all, instances = 2, algorithm = "scatter", chunk = 16384}
dist.channel @c.control : tensor<i64> from @c to @c {control, instances = 2}
func.func private @add(memref<16384xf32> {dist.access = "read_write"}, memref<16384xf32> {dist.access = "read"})
func.func private @add_whole(memref<32768xf32> {dist.access = "read_write"}, memref<32768xf32> {dist.access = "read"})
func.func private @make(memref<32768xf32> {dist.access = "write"})
func.func private @use(memref<32768xf32> {dist.access = "read_write"}, memref<32768xf32> {dist.access = "read"})
dist.program @c of @c.phase on "/job:worker/device:CPU:0" replicas(2) {
  dist.control_send [@c.control]
  %w = dist.variable_buffer @w : memref<32768xf32>
  %g = dist.buffer : memref<32768xf32>
  %s0 = dist.buffer : memref<32768xf32>
  %s1 = dist.buffer : memref<32768xf32>
  %s2 = dist.buffer : memref<32768xf32>
  %bucket = dist.buffer : memref<32768xf32>
  %scratch = dist.buffer : memref<16384xf32>
  dist.repeat 4 {
    dist.call @make(%g) : memref<32768xf32>
    dist.accumulate %g into(%s0, %s1, %s2) by @add_whole : memref<32768xf32>, memref<32768xf32>, memref<32768xf32>, memref<32768xf32>
  }
  dist.call @make(%bucket) : memref<32768xf32>
  dist.call @add_whole(%bucket, %s2) : memref<32768xf32>, memref<32768xf32>
  dist.all_reduce_start @c.sum, %bucket scratch %scratch by @add : memref<32768xf32>, memref<16384xf32>
  dist.all_reduce_done @c.sum, %bucket scratch %scratch : memref<32768xf32>, memref<16384xf32>
  dist.call @use(%w, %bucket) : memref<32768xf32>, memref<32768xf32>

  %looped = dist.buffer : memref<32768xf32>
  %scratch2 = dist.buffer : memref<16384xf32>
  dist.call @make(%looped) : memref<32768xf32>
  dist.all_reduce_start @c.looped, %looped scratch %scratch2 by @add : memref<32768xf32>, memref<16384xf32>
  dist.all_reduce_done @c.looped, %looped scratch %scratch2 : memref<32768xf32>, memref<16384xf32>
  dist.repeat 2 {
    dist.call @use(%w, %looped) : memref<32768xf32>, memref<32768xf32>
  }
  dist.control_receive @c.control local
  dist.end
}
