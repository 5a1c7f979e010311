#!/usr/bin/env bash
# Strategy all_reduce: no server, every worker keeps the variables. Bit for bit the weights of one device with as many micro-batches:
# 2, 3 and 4 workers, shared memory and gRPC, gradients in one message and each alone; checkpoints, death of each worker.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
workers() { # NAME N [MORE_SETTINGS]
  echo "{\"worker\": $2, \"strategy\": {\"name\": \"all_reduce\"${3:-}}}" >"$1.json"
  graphc --partition "$1.json" "$here/models/mlp.mlir" -o "$1.plan" 2>graphc.txt || fail "graphc, $1"
}
count=0
for n in 2 3 4; do
  plan one one_device $n
  run one.plan --steps 30 --dump_variables "one-$n"
  [ "$(ls "one-$n" | wc -l)" -eq 9 ] || fail "4 variables, 4 slots and global_step, got $(ls "one-$n")"
  reference=$(grep -oE '^test accuracy.*' out.txt)
  workers together $n
  workers alone $n ', "bucket_bytes": 1'
  [ "$(graphc --partition alone.json "$here/models/mlp.mlir" --emit=plan-text -o - 2>/dev/null | grep -c 'all_to_all: true')" -eq 4 ] ||
    fail "a message for each of 4 gradients"
  for plan in together alone; do
    for transport in shm grpc; do
      delay=
      [ $n = 3 ] && delay=worker:0=3000,worker:1=1500,worker:2=0
      GRAPHC_TEST_DELAY_US=$delay run $plan.plan --steps 30 --transport=$transport --dump_variables "$plan-$n-$transport" --stats stats.json
      same_weights "one-$n" "$plan-$n-$transport"
      [ "$(grep -oE '^test accuracy.*' out.txt)" = "$reference" ] || fail "the accuracy is one device's: $reference"
      count=$((count + 1))
    done
  done
done
nothing_left

# Killed and started again, each worker in turn: named, nothing left, and the end is that of an uninterrupted run.
workers two 2
run two.plan --steps 300 --dump_variables straight
for worker in 0 1; do dies two $worker; done
run two.plan --steps 150 --checkpoint_dir half
[ "$(ls half/step-150/*.safetensors | wc -l)" -eq 1 ] || fail "the chief alone saves, one copy of each variable"
run two.plan --steps 300 --checkpoint_dir half --dump_variables resumed
same_weights straight resumed
# A checkpoint belongs to the model and not to the strategy: one device goes on from it.
plan one one_device 2
run one.plan --steps 300 --dump_variables one-straight
same_weights straight one-straight
echo "$count runs equal to one device, bit for bit; killed and resumed"
