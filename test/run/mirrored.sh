#!/usr/bin/env bash
# In-graph data parallel gives, bit for bit, the weights of one device with as many micro-batches: towers on two devices of one task,
# on 2, 3 and 4 tasks, and on the workers of 1 and 2 parameter servers; over shared memory and gRPC, with one tower much later than the
# others. A lost task ends the run with its name.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
in_graph='"strategy": {"name": "parameter_server", "replication": "in_graph"}'
compile local-2 '{"worker": 1, "devices": {"worker": ["CPU:0", "CPU:1"]}, "strategy": "mirrored"}'
expect graphc.txt '/job:worker/task:0/device:CPU:1 ' "the table has the second device"
expect graphc.txt 'strategy mirrored, 2 towers, batch 8 each' "the summary counts the towers"
compile tasks-2 '{"worker": 2, "strategy": "mirrored"}'
compile tasks-3 '{"chief": 1, "worker": 2, "strategy": "mirrored"}'
compile named-2 '{"worker": 3, "strategy": {"name": "mirrored", "devices": ["/job:worker/task:2/cpu:0", "/job:worker/task:1/cpu:0"]}}'
compile mixed-4 '{"worker": 2, "devices": {"worker": ["CPU:0", "CPU:1"]}, "strategy": {"name": "mirrored", "devices":
  ["/job:worker/task:0/cpu:0", "/job:worker/task:0/cpu:1", "/job:worker/task:1/cpu:0", "/job:worker/task:1/cpu:1"]}}'
compile tasks-4 '{"worker": 4, "strategy": "mirrored"}'
compile servers1-2 "{\"worker\": 2, \"ps\": 1, $in_graph}"
compile servers2-3 "{\"worker\": 3, \"ps\": 2, $in_graph}"
for towers in 2 3 4; do
  plan one one_device $towers
  run one.plan --steps 40 --dump_variables "one-$towers"
  reference=$(grep -oE '^test accuracy.*' out.txt)
  [ -n "$reference" ] || fail "the accuracy on one device"
  for many in *-"$towers".plan; do
    for transport in shm grpc; do
      GRAPHC_TEST_DELAY_US=worker:0=2000 run "$many" --steps 40 --transport=$transport --dump_variables "${many%.plan}-$transport"
      same_weights "one-$towers" "${many%.plan}-$transport"
      [ "$(grep -oE '^test accuracy.*' out.txt)" = "$reference" ] || fail "the accuracy is one device's: $reference, $many"
      nothing_left
    done
  done
done
diff -r one-2 one-3 >/dev/null && fail "three micro-batches must differ from two"

for transport in shm grpc; do
  launch graphrun tasks-3.plan --steps 100000000 --transport=$transport
  await err.txt 'step [0-9]' "the first steps of three tasks"
  kill -9 "$(task_pid $launcher worker 1)" || fail "no process of worker:1"
  ends && fail "a run whose worker was killed must fail"
  expect err.txt '/job:worker/task:1.*(is gone|killed)' "the lost task is named"
  nothing_left
done
echo "8 clusters equal to one device, bit for bit"
