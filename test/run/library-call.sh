#!/usr/bin/env bash
# A kernel that graphc and graphrun do not know by name, served by a module: compiled into a plan, checked against it, run, and refused
# by name where the module is not there.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
module=${GRAPHC_BUILD:-$here/../../build/release}/test/lib/libgraphc_test_pooling.so
device='{graph.device = #graph.device<"/job:t/task:0/device:CPU:0">}'
cat >pool.mlir <<MLIR
dist.phase @p {role = #graph.role<train>}
graph.variable @x : tensor<2x4x6xf32> = #graph.value<dense<[$(python3 -c '
print(", ".join("[%s]" % ", ".join("[%s]" % ", ".join(f"{i * 24 + j * 6 + k}.0" for k in range(6)) for j in range(4)) for i in range(2)))
')]> : tensor<2x4x6xf32>> $device
graph.variable @b : tensor<2xf32> = #graph.value<dense<[10.0, 20.0]> : tensor<2xf32>> $device
graph.variable @plain : tensor<2x2x2xf32> = #graph.zeros $device
graph.variable @biased : tensor<2x2x2xf32> = #graph.zeros $device
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
MLIR
refused() { # STATUS TEXT COMMAND…: ends so, with this on stderr
  local status=$1 text=$2; shift 2
  "$@" >out.txt 2>err.txt
  [ $? -eq "$status" ] || fail "exit status $status of $*"
  expect err.txt "$text"
}

refused 1 "pool.mlir:13:3: error: 'dist.library_call' op is no call that can be made: no library has a kernel 'average_pool', but matmul; GRAPHC_LIBRARIES may name" \
  graphc pool.mlir -o pool.plan
refused 1 "GRAPHC_LIBRARIES: cannot open a module: .*nowhere.so" env GRAPHC_LIBRARIES=/nowhere.so graphc pool.mlir -o pool.plan
export GRAPHC_LIBRARIES=$module
sed 's/2, 3>}}/3, 3>}}/' pool.mlir >wrong.mlir
refused 1 "average_pool: windows do not make the result of the input" graphc wrong.mlir -o wrong.plan
graphc pool.mlir -o pool.plan 2>graphc.txt || fail "graphc"
graphc --verify-plan pool.plan >out.txt 2>&1 || fail "the plan is verified"
run pool.plan --steps 2 --dump_variables dumped
python3 - <<'PY' || fail "what the module computed"
import struct
def read(path):
    data = open(path, "rb").read()
    return list(struct.unpack("<8f", data[-32:]))
means = [4.0, 7.0, 16.0, 19.0, 28.0, 31.0, 40.0, 43.0]
assert read("dumped/plain.npy") == [m * 0.5 for m in means], read("dumped/plain.npy")
assert read("dumped/biased.npy") == [m + (10.0 if i < 4 else 20.0) for i, m in enumerate(means)], read("dumped/biased.npy")
PY

unset GRAPHC_LIBRARIES
refused 2 "kernel average_pool: no library has a kernel 'average_pool', but matmul; GRAPHC_LIBRARIES may name" \
  graphrun pool.plan --steps 1
refused 1 "kernel average_pool: no library has a kernel 'average_pool'" graphc --verify-plan pool.plan
exit 0
