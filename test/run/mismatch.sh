#!/usr/bin/env bash
# Workers that do not fit each other: plans of different models, data sets of different sizes; and a data set that is smaller than
# one step of all workers together, which is no mistake. Each ends by itself, with the cause in one line.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
take_ports
task() { aside "$1" graphrun "${@:2}" "${hosts[@]}"; } # NAME PLAN ARGUMENTS…

# The same cluster and strategy, another model.
plan two 2 1 sync
MODEL=$here/models/bottleneck.mlir plan other 2 1 sync
task w0 two.plan --steps 30 --job_name worker --task_index 0 --join_deadline 20
await w0.txt 'waiting for /job:worker/task:1'
timeout 60 graphrun other.plan --steps 30 --job_name worker --task_index 1 "${hosts[@]}" >refused.txt 2>&1
[ $? -eq 1 ] || fail "exit status 1 of a worker with another model's plan"
expect refused.txt '/job:worker/task:1 has another plan: its fingerprint is '"$(fingerprint other.plan)"', the chief.s '"$(fingerprint two.plan)"'; start every task with the same plan file' "both fingerprints"
# The refused one changed nothing: with the right plan the run goes on.
task w1 two.plan --steps 30 --job_name worker --task_index 1
task ps two.plan --steps 30 --job_name ps
status w0 w1 ps

# One worker has fewer samples: synchronous aggregation would wait for gradients that never come, or mix epochs.
python3 - <<'PY'
import os, struct
for folder, samples in ("many", 50), ("few", 20), ("tiny", 3):
    os.makedirs(folder)
    open(f"{folder}/images", "wb").write(struct.pack(">HBB3I", 0, 8, 3, samples, 2, 3) + bytes(i * 7 % 256 for i in range(samples * 6)))
    open(f"{folder}/labels", "wb").write(struct.pack(">HBBI", 0, 8, 1, samples) + bytes(i % 3 for i in range(samples)))
PY
for update in sync async; do
  MODEL=$here/models/idx.mlir plan idx 2 1 $update
  task w0 idx.plan --steps 300 --job_name worker --task_index 0 --data_dir many
  task w1 idx.plan --steps 300 --job_name worker --task_index 1 --data_dir few
  task ps idx.plan --steps 300 --job_name ps
  wait
  for name in w0 w1 ps; do
    [ "$(cat $name.rc)" = 1 ] || fail "$name ends with status 1, $update"
    expect $name.txt 'data set train has 50 samples on /job:worker/task:0 and 20 on /job:worker/task:1; all workers take turns in one stream, so give them the same files' "$name, $update"
  done
done
# The same without a server, where everybody would wait for sums.
export MODEL=$here/models/idx.mlir
compile sums '{"worker": 2, "strategy": "all_reduce"}'
for few in 0 1; do # the chief or the other one has fewer
  alone=("${hosts[@]:2}" --steps 300 --job_name worker --task_index)
  aside w0 graphrun sums.plan "${alone[@]}" 0 --data_dir $([ $few = 0 ] && echo few || echo many)
  aside w1 graphrun sums.plan "${alone[@]}" 1 --data_dir $([ $few = 1 ] && echo few || echo many)
  want=1 status w0 w1
  for name in w0 w1; do
    expect $name.txt "data set train has $((few ? 50 : 20)) samples on /job:worker/task:0 and $((few ? 20 : 50)) on /job:worker/task:1; all workers take turns" "$name, all_reduce"
  done
done
unset MODEL

# Three samples for two workers of four: the stream goes on from epoch to epoch, nobody runs out, and the bits are one device's.
MODEL=$here/models/idx.mlir plan idx 2 1 sync
MODEL=$here/models/idx.mlir plan one one_device 2
timeout 60 graphrun one.plan --steps 40 --data_dir tiny --dump_variables one >out.txt 2>err.txt || fail "one device"
for plan in idx sums; do
  timeout 60 graphrun $plan.plan --steps 40 --data_dir tiny --dump_variables two-$plan >out.txt 2>err.txt || fail "two workers, $plan"
  same_weights one two-$plan
done
nothing_left
echo "mismatches end with their cause"
