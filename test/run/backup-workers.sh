#!/usr/bin/env bash
# replicas_to_aggregate 2 of 3: a worker that is stopped (SIGSTOP) does not hold the others up, and what it sends late is dropped and counted.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
plan backup 3 2 sync ', "replicas_to_aggregate": 2'
for transport in shm grpc; do
  GRAPHC_TEST_DELAY_US=worker:0=200,worker:1=200,worker:2=200 launch graphrun backup.plan --steps 3000 --fetch loss \
    --transport=$transport --stats stats.json --dump_variables dump
  more 30 && more 300 || fail "the first steps over $transport"
  usual=$took
  worker=$(task_pid $launcher worker 2)
  kill -STOP "$worker" || fail "a process of worker:2"
  more 300 || fail "the others go on while worker:2 is stopped over $transport"
  # Whoever waited 15 ms a step for the one that is stopped would be seen, however busy the machine is.
  [ "$took" -le $((4 * usual + 3000)) ] || fail "300 steps took $took ms without worker:2 and $usual ms with it over $transport"
  kill -CONT "$worker"
  ends || fail "the run ends well over $transport"
  nothing_left
  python3 - <<'PY' || fail "3000 updates of two gradients each, the rest dropped, over $transport"
import json, struct
assert struct.unpack("<q", open("dump/global_step.npy", "rb").read()[-8:])[0] == 3000
tasks = json.load(open("stats.json"))["tasks"]
made = [tasks[f"/job:worker/task:{i}"]["steps"] for i in range(3)]
(chooser,) = [t for t in tasks.values() if "dropped" in t]
dropped = chooser["dropped_by_replica"]
assert chooser["dropped"] == sum(dropped) and dropped[2] >= 1, dropped
# Each gradient was applied or dropped; at most the last of each worker was never seen.
assert abs(sum(made) - 6000 - sum(dropped)) <= 3, (made, dropped)
assert made[2] < max(made[:2]) - 20, made
PY
done
# Late gradients change nothing: every sample is the same here, so two of three give the bits of one device with two micro-batches.
cat >same.mlir <<'MLIR'
graph.variable @w : tensor<6x3xf32> = #graph.glorot_uniform<seed = 1>
graph.dataset @train : (tensor<6xf32>, tensor<i32>) = #graph.synthetic<samples = 1, seed = 7, limits = [0, 3]>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x, %y = graph.next_batch @train {batch = 4} : tensor<4x6xf32>, tensor<4xi32>
  %w = graph.read @w : tensor<6x3xf32>
  %l = graph.matmul %x, %w : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  %loss = graph.softmax_cross_entropy %l, %y : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.05, momentum = 0.9>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
MLIR
MODEL=same.mlir plan one one_device 2
timeout 60 graphrun one.plan --steps 200 --dump_variables one >out.txt 2>err.txt || fail "one device"
for ps in 1 2; do
  MODEL=same.mlir plan three 3 $ps sync ', "replicas_to_aggregate": 2'
  timeout 60 graphrun three.plan --steps 200 --dump_variables three >out.txt 2>err.txt || fail "two of three, $ps PS"
  same_weights one three
done
# All of them to aggregate is the plain synchronous strategy, and more than there are is a mistake.
MODEL=same.mlir plan all 2 1 sync ', "replicas_to_aggregate": 2'
MODEL=same.mlir plan plain 2 1 sync
timeout 60 graphrun all.plan --steps 50 --dump_variables all >out.txt 2>err.txt || fail "two of two"
timeout 60 graphrun plain.plan --steps 50 --dump_variables plain >out.txt 2>err.txt || fail "plain"
same_weights all plain
echo '{"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "replicas_to_aggregate": 3}}' >many.json
graphc --partition many.json same.mlir -o many.plan 2>err.txt && fail "3 of 2 must be refused"
expect err.txt 'many.json:1:.*replicas_to_aggregate' "which key is wrong"
# Going on from a checkpoint after a death.
launch graphrun backup.plan --steps 100000000 --checkpoint_dir dir --checkpoint_every_steps 50
await_checkpoint dir
kill -9 "$(task_pid $launcher worker 1)"
ends && fail "exit status 1"
expect err.txt '^graphrun: /job:worker/task:1 .* was killed by signal 9'
nothing_left
timeout 60 graphrun backup.plan --epochs 1 --checkpoint_dir dir >out.txt 2>err.txt || fail "going on"
expect err.txt 'going on from dir/step-'
echo "backup workers"
