"""A kernel of so many buffers, called by a GPU."""

import sys

count = int(sys.argv[1])
names = [f"%x{i}" for i in range(count)]
print('''module attributes {graph.cluster = #graph.cluster<jobs = [worker = 1], chief = "/job:worker/task:0">,
                   graph.strategy = #graph.strategy<name = "one_device">} {''')
print(
    "func.func private @many("
    + ", ".join(f'{name}: memref<f32> {{dist.access = "write"}}' for name in names)
    + ") {"
)
print("  %c = arith.constant 1.0 : f32")
for name in names:
    print(
        "  linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs("
        + name
        + " : memref<f32>) {"
    )
    print("  ^bb0(%o: f32):\n    linalg.yield %c : f32\n  }")
print("  return\n}")
print(
    'dist.phase @s {role = #graph.role<train>}\ndist.program @s.worker of @s on "/job:worker/task:0/device:GPU:0" {'
)
for name in names:
    print(f"  {name} = dist.buffer : memref<f32>")
print(
    "  dist.call @many("
    + ", ".join(names)
    + ") {queue = 1 : i64} : "
    + ", ".join(["memref<f32>"] * count)
    + "\n  dist.end\n}\n}"
)
