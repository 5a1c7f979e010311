"""A kernel that graphc and graphrun do not know by name, served by a module."""
import pytest
from arrays import read
from box import BUILD

ON = '{graph.device = #graph.device<"/job:t/task:0/device:CPU:0">}'
INPUT = ", ".join("[%s]" % ", ".join("[%s]" % ", ".join(f"{i * 24 + j * 6 + k}.0" for k in range(6)) for j in range(4)) for i in range(2))
POOL = f"""\
dist.phase @p {{role = #graph.role<train>}}
graph.variable @x : tensor<2x4x6xf32> = #graph.value<dense<[{INPUT}]> : tensor<2x4x6xf32>> {ON}
graph.variable @b : tensor<2xf32> = #graph.value<dense<[10.0, 20.0]> : tensor<2xf32>> {ON}
graph.variable @plain : tensor<2x2x2xf32> = #graph.zeros {ON}
graph.variable @biased : tensor<2x2x2xf32> = #graph.zeros {ON}
""" """\
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
"""


@pytest.fixture
def module(box):
    """The environment in which there is one that knows the kernel."""
    box.write("pool.mlir", POOL)
    return {"GRAPHC_LIBRARIES": str(BUILD / "test/lib/libgraphc_test_pooling.so")}


def test_compiled_and_run(box, module):
    """Compiled into a plan, checked against it, run; and refused by name where the module is not there."""
    box.graphc("pool.mlir", "-o", "pool.plan", env=module)
    box.graphc("--verify-plan", "pool.plan", env=module)
    dumped = box.weights("pool.plan", "--steps", 2, env=module)
    means = [4.0, 7.0, 16.0, 19.0, 28.0, 31.0, 40.0, 43.0]
    assert list(read(dumped / "plain.npy")[1]) == [mean * 0.5 for mean in means]
    assert list(read(dumped / "biased.npy")[1]) == [mean + (10.0 if i < 4 else 20.0) for i, mean in enumerate(means)]
    box.graphrun("pool.plan", "--steps", 1, status=2).err.expect(
        "kernel average_pool: no library has a kernel 'average_pool', but matmul; GRAPHC_LIBRARIES may name")
    box.graphc("--verify-plan", "pool.plan", status=1).err.expect("kernel average_pool: no library has a kernel 'average_pool'")


def test_refused(box, module):
    """No module, one that is nowhere, a call that the kernel does not make."""
    box.graphc("pool.mlir", "-o", "pool.plan", status=1).err.expect(
        "pool.mlir:13:3: error: 'dist.library_call' op is no call that can be made: no library has a kernel 'average_pool', but matmul; GRAPHC_LIBRARIES may name")
    box.graphc("pool.mlir", "-o", "pool.plan", status=1, env={"GRAPHC_LIBRARIES": "/nowhere.so"}).err.expect("GRAPHC_LIBRARIES: cannot open a module: .*nowhere.so")
    box.write("wrong.mlir", POOL.replace("2, 3>}}", "3, 3>}}", 1))
    box.graphc("wrong.mlir", "-o", "wrong.plan", status=1, env=module).err.expect("average_pool: windows do not make the result of the input")
