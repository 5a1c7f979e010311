#!/usr/bin/env bash
# A model whose own words say which worker computes what trains under every strategy, byte for byte the same file. In-graph it goes where it
# says. Replicas, towers and one device compute it on tasks of their own, which a remark says at each device's line; the bits stay those
# of one device with as many micro-batches, as of a model without a word.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
MODEL=$here/models/annotated.mlir
at=annotated.mlir:[0-9]+:[0-9]+
task='"/job:worker/task:'
count=0
same() { # NAME MICRO_BATCHES: over shared memory and gRPC
  for transport in shm grpc; do
    run "$1.plan" --steps 30 --transport=$transport --dump_variables "$1-$transport"
    same_weights "one-$2" "$1-$transport"
    nothing_left
    count=$((count + 1))
  done
}
remarked() { for pattern in "$@"; do expect graphc.txt "$at: remark: $pattern" "the remark '$pattern'"; done; }

for n in 1 2; do
  plan one one_device $n
  remarked "is placed on ${task}1\" by the model, like [0-9]+ other operations and variables elsewhere; strategy one_device computes everything on ${task}0/"
  run one.plan --steps 30 --dump_variables "one-$n"
done
diff -r one-1 one-2 >/dev/null && fail "two micro-batches must differ from one"
grep -vE '^//' "$MODEL" | sed -E 's/ attributes \{graph.device = [^}]*\}//; s/ \{graph.colocate_with = @w2\}//' >plain.mlir
grep -q 'graph.device\|colocate' plain.mlir && fail "a model without a word"
MODEL=plain.mlir plan plain one_device 2
grep remark graphc.txt && fail "no remark without a word"
run plain.plan --steps 30 --dump_variables plain
same_weights one-2 plain

# One copy of the model: each half where the model says, and nothing to remark.
compile graph '{"worker": 2, "strategy": "in_graph"}'
grep remark graphc.txt && fail "in_graph follows the model"
graphc --partition graph.json --log-device-placement "$MODEL" -o graph.plan 2>log.txt || fail "graphc, in_graph"
for what in 0:w1 0:train_step/matmul 1:w2 1:b2/Momentum 1:train_step/softmax_cross_entropy 1:train_step/matmul_3; do
  expect log.txt "^${what#*:}: .*/job:worker/replica:0/task:${what%%:*}/" "${what#*:} on task ${what%%:*}"
done
same graph 1

# A replica on each worker.
compile ps '{"ps": 1, "worker": 2, "strategy": "parameter_server"}'
remarked "is pinned to ${task}0\", but its variable @w1 is on \"/job:ps/task:0/device:CPU:0\"; state is touched where it is stored" \
  "is placed on ${task}0\" by the model or a placement rule; every replica computes it" "is placed on ${task}1\" .* every replica computes it"
same ps 2
compile split '{"ps": 2, "worker": 2, "strategy": {"name": "parameter_server", "placement": "split", "min_shard_bytes": 8}}'
remarked "is placed on ${task}0\" .* every replica computes it" "is placed on ${task}1\" .* every replica computes it"
same split 2
compile sums '{"worker": 2, "strategy": "all_reduce"}'
remarked "is on every replica under the strategy all_reduce; its device ${task}0\" has no effect" "is on every replica .* its device ${task}1\" has no effect"
[ "$(grep -c remark: graphc.txt)" -eq 2 ] || fail "a remark for each device that has no effect, not for each operation"
same sums 2

# A tower on each worker, its variables where the model says or on the parameter server.
compile towers '{"worker": 2, "strategy": "mirrored"}'
remarked "is placed on ${task}0\" by the model or a placement rule; every tower computes it" "is placed on ${task}1\" .* every tower computes it"
same towers 2
compile served '{"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "replication": "in_graph"}}'
remarked "is placed on ${task}0\" .* every tower computes it" "is placed on ${task}1\" .* every tower computes it"
same served 2

# Two equal values, one of them beside a variable: merged all the same, so that the gradient has the terms that it has without a word.
equal() { # ATTRIBUTE
  cat <<MLIR
graph.variable @b : tensor<6xf32> = #graph.uniform<low = 0.1, high = 1.0, seed = 1> {trainable = false}
graph.variable @w : tensor<6xf32> = #graph.uniform<low = 0.1, high = 1.0, seed = 2>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %b = graph.read @b : tensor<6xf32>
  %w = graph.read @w : tensor<6xf32>
  %p = graph.multiply %w, %b $1 : tensor<6xf32>
  %q = graph.multiply %w, %b : tensor<6xf32>
  %t = graph.tanh %p : tensor<6xf32>
  %e = graph.exponential %q : tensor<6xf32>
  %s = graph.add %t, %e : tensor<6xf32>
  %loss = graph.reduce_mean %s dimensions = [0] : (tensor<6xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
MLIR
}
equal "" >equal.mlir
equal "{graph.colocate_with = @b}" >beside.mlir
equal '{graph.device = #graph.device<"/job:worker/task:0">}' >on.mlir
for name in equal beside on; do
  graphc $name.mlir -o $name.plan 2>graphc.txt || fail "graphc, $name"
  run $name.plan --steps 3 --dump_variables $name
  same_weights equal $name
done

# What no batch reaches is one number for all replicas: fetched once, no mean of it. 0.09016 + 0.09016 + 0.09016 over 3 is another number.
cat >shared.mlir <<'MLIR'
graph.variable @w : tensor<f32> = #graph.value<dense<0.09016> : tensor<f32>> {trainable = false}
graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}
graph.func @train_step() -> (tensor<f32> {graph.name = "w"}, tensor<f32> {graph.name = "n", graph.reduction = "sum"}) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<f32>
  %n = graph.negate %w : tensor<f32>
  graph.summary "same", %n : tensor<f32>
  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return %w, %n : tensor<f32>, tensor<f32>
}
MLIR
MODEL=shared.mlir
fetched() { run "$1.plan" --steps 2 --fetch w --fetch same --fetch n; sort out.txt >"$1.values"; cmp one.values "$1.values" || fail "$1 fetches what one device does"; }
compile one '{"worker": 1, "strategy": {"name": "one_device", "micro_batches": 3}}'
run one.plan --steps 2 --fetch w --fetch same --fetch n; sort out.txt >one.values
expect one.values 'w 0.09016\b'
expect one.values 'same -0.09016\b'
compile reduced '{"worker": 3, "strategy": "all_reduce"}'; fetched reduced
compile towers '{"worker": 3, "strategy": "mirrored"}'; fetched towers
compile served '{"ps": 1, "worker": 3, "strategy": "parameter_server"}'; fetched served
nothing_left
echo "$count runs of a model with devices equal to one device, bit for bit; what has no effect is remarked"
