#!/usr/bin/env bash
# Model parallel: a deeper perceptron with a narrow middle, placed by cluster.json's rules alone on three devices, gives bit for bit the
# weights of one device: on 2, 3 and 4 tasks and on three devices of one, over shared memory and gRPC. The same model.mlir, byte for byte,
# trains under the other strategies. A lost task ends the run with its name.
MODEL=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/models/deep-mlp.mlir
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
ruled() { # NAME CLUSTER
  compile "$@"
  grep remark graphc.txt && fail "every rule of $1 has an effect"
}
rules() { # ENCODER BOTTLENECK DECODER: the devices of the three parts
  printf '"strategy": "in_graph", "placement": [{"name": "encoder/*", "device": "%s"}, {"name": "bottleneck/*", "device": "%s"},
    {"name": "decoder/*", "device": "%s"}]' "$1" "$2" "$3"
}
w=/job:worker/task:
ruled tasks-2 "{\"worker\": 2, $(rules ${w}0 ${w}1 ${w}0)}"
ruled tasks-3 "{\"worker\": 3, $(rules ${w}0 ${w}1 ${w}2)}"
ruled tasks-4 "{\"worker\": 4, $(rules ${w}1 ${w}2 ${w}3)}"
ruled local-3 "{\"worker\": 1, \"devices\": {\"worker\": [\"CPU:0\", \"CPU:1\", \"CPU:2\"]}, $(rules /cpu:0 /cpu:1 /cpu:2)}"
# Each part's variables, slots and operations are on its device, gradients included; the data is the client's.
graphc --partition tasks-4.json --log-device-placement "$MODEL" -o tasks-4.plan 2>log.txt
expect log.txt '^encoder/w1/Momentum: \(variable\): /job:worker/replica:0/task:1/device:CPU:0'
expect log.txt '^bottleneck/w: \(variable\): /job:worker/replica:0/task:2/device:CPU:0'
expect log.txt '^train_step/next_batch: .*task:0/device:CPU:0'
[ "$(grep -c '^train_step/matmul.*task:2/' log.txt)" -eq 3 ] || fail "the bottleneck's product and its two gradients are on task 2"

plan one one_device 1
run one.plan --steps 40 --dump_variables one
reference=$(grep -oE '^test accuracy.*' out.txt)
[ -n "$reference" ] || fail "the accuracy on one device"
for many in tasks-2 tasks-3 tasks-4 local-3; do
  for transport in shm grpc; do
    run "$many.plan" --steps 40 --transport=$transport --stats stats.json --dump_variables "$many-$transport"
    same_weights one "$many-$transport"
    [ "$(grep -oE '^test accuracy.*' out.txt)" = "$reference" ] || fail "the accuracy is one device's: $reference, $many"
    nothing_left
  done
done
# What the client hands out is in the table: on 4 tasks the batch of 8 x 24 f32 and 8 i32, and no weight.
expect log.txt 'task:0/device:CPU:0 .* 800 B *$' "the table says 800 B a step from the client"

# The same file under the other strategies.
plan two-mb one_device 2
run two-mb.plan --steps 20 --dump_variables two-mb
compile ps '{"worker": 2, "ps": 2, "strategy": "parameter_server"}'
compile mirrored '{"worker": 2, "strategy": "mirrored"}'
for many in ps mirrored; do
  run $many.plan --steps 20 --dump_variables "$many"
  same_weights two-mb "$many"
done

# A task hands on some rows of a product: of a buffer of a page or more, one part is sent.
cat >rows.mlir <<'END'
graph.variable @x : tensor<64x64xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 3> {graph.device = #graph.device<"/job:worker/task:0">}
graph.variable @z : tensor<3x64xf32> = #graph.zeros {graph.device = #graph.device<"/job:worker/task:1">}
graph.variable @global_step : tensor<i64> = #graph.zeros
graph.func @train_step() attributes {role = #graph.role<train>} {
  %x = graph.read @x : tensor<64x64xf32>
  %y = graph.matmul %x, %x {graph.device = #graph.device<"/job:worker/task:0">} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = graph.slice %y start_indices = [16, 0] limit_indices = [19, 64] strides = [1, 1] {graph.device = #graph.device<"/job:worker/task:0">} : (tensor<64x64xf32>) -> tensor<3x64xf32>
  %e = graph.exponential %s {graph.device = #graph.device<"/job:worker/task:1">} : tensor<3x64xf32>
  graph.assign_add @z, %e : tensor<3x64xf32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}
END
echo '{"worker": 1}' >alone.json
echo '{"worker": 2, "strategy": "in_graph"}' >pair.json
for name in alone pair; do
  graphc --partition $name.json rows.mlir -o $name.plan 2>graphc.txt || fail "graphc, rows, $name"
  run $name.plan --steps 3 --dump_variables rows-$name
done
same_weights rows-alone rows-pair

for transport in shm grpc; do
  launch graphrun tasks-4.plan --steps 100000000 --transport=$transport
  await err.txt 'step [1-9]' "the first steps of four tasks"
  kill -9 "$(task_pid $launcher worker 2)" || fail "no process of worker:2"
  ends && fail "a run whose worker was killed must fail"
  expect err.txt '/job:worker/task:2.*(is gone|killed)' "the lost task is named"
  nothing_left
done
echo "4 clusters equal to one device, bit for bit"
