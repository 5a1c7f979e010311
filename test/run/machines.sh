#!/usr/bin/env bash
# Tasks on machines of their own (network namespaces) over mutual TLS: every strategy gives what it gives on one machine, waiting
# servers too, and every failure is named.
source "$(dirname "${BASH_SOURCE[0]}")/netns.bash"
machine 1; machine 2; machine 3
graphrun certs --ps_hosts 10.77.0.1:2222 --worker_hosts 10.77.0.2:2222,10.77.0.3:2222 >certs.txt || fail "graphrun certs"
hosts=(--ps_hosts 10.77.0.1:2222 --worker_hosts 10.77.0.2:2222,10.77.0.3:2222)
run() { # PLAN ARGUMENTS…: all three tasks; the chief last
  local plan=$1; shift
  start ps 1 graphrun "$plan" --job_name ps "${hosts[@]}" $(tls ps-0) "$@"
  start w1 3 graphrun "$plan" --job_name worker --task_index 1 "${hosts[@]}" $(tls worker-1) "$@"
  start w0 2 graphrun "$plan" --job_name worker --task_index 0 "${hosts[@]}" $(tls worker-0) "$@"
}
workers() { # PLAN ARGUMENTS…: the two workers alone
  local plan=$1; shift
  start w1 3 graphrun "$plan" --job_name worker --task_index 1 "${hosts[@]:2}" $(tls worker-1) "$@"
  start w0 2 graphrun "$plan" --job_name worker --task_index 0 "${hosts[@]:2}" $(tls worker-0) "$@"
}

# One device, with as many micro-batches as there are replicas, is what the others are to equal.
plan one one_device 2
timeout 60 graphrun one.plan --steps 30 --dump_variables one >out.txt 2>&1 || fail "one device"
plan alone one_device 1
timeout 60 graphrun alone.plan --steps 30 --dump_variables alone >out.txt 2>&1 || fail "one device, one batch"

# A parameter server and two workers.
plan sync 2 1 sync
run sync.plan --steps 30 --dump_variables sync --stats stats.json
ended 0 ps w0 w1
same_weights one sync
compile towers '{"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "replication": "in_graph"}}'
run towers.plan --steps 30 --dump_variables towers
ended 0 ps w0 w1
same_weights one towers
for update in '"update": "async"' '"update": "async", "max_staleness": 1' '"replicas_to_aggregate": 1'; do
  compile inexact "{\"ps\": 1, \"worker\": 2, \"strategy\": {\"name\": \"parameter_server\", $update}}"
  rm -rf inexact
  run inexact.plan --steps 30 --dump_variables inexact
  ended 0 ps w0 w1
  python3 -c 'import struct; assert struct.unpack("<q", open("inexact/global_step.npy", "rb").read()[-8:])[0] == 30' || fail "30 updates with $update"
done

# Two workers and nobody else: ops where the model says, towers, all-reduce.
compile ingraph '{"worker": 2, "strategy": "in_graph", "placement": [{"name": "w1", "device": "/job:worker/task:1"}]}'
compile mirrored '{"worker": 2, "strategy": "mirrored"}'
compile allreduce '{"worker": 2, "strategy": "all_reduce"}'
for name in ingraph mirrored allreduce; do
  workers $name.plan --steps 30 --dump_variables $name
  ended 0 w0 w1
  same_weights $([ $name = ingraph ] && echo alone || echo one) $name
done

# Two workers on one machine and one on another: the same sums are read in place here and copied from there.
graphrun certs mixed --worker_hosts 10.77.0.2:2222,10.77.0.2:2223,10.77.0.3:2222 >certs.txt || fail "graphrun certs mixed"
MODEL=$here/models/wide.mlir
plan wide one_device 3
timeout 60 graphrun wide.plan --steps 20 --dump_variables wide >out.txt 2>&1 || fail "one device, three batches"
compile sums '{"worker": 3, "strategy": "all_reduce"}'
for task in 2:3 1:2 0:2; do
  GRAPHC_TEST_DELAY_US=worker:0=50000,worker:1=50000,worker:2=50000 start "w${task%:*}" "${task#*:}" graphrun sums.plan --job_name worker --task_index "${task%:*}" $(tls "worker-${task%:*}" mixed) \
    --worker_hosts 10.77.0.2:2222,10.77.0.2:2223,10.77.0.3:2222 --steps 20 --dump_variables sums
done
published() { # N: the memory, in which peers read in place, that worker N has mapped, its own and others', in maps.N
  local pid
  for pid in $(pgrep -f -- "^graphrun sums.plan --job_name worker --task_index $1"); do
    [ "$(readlink "/proc/$pid/cwd")" = "$box" ] || continue
    awk '/memfd:graphc-published/ { print $5 }' "/proc/$pid/maps" 2>/dev/null | sort -u >maps.new
    [ ! -s maps.new ] || mv maps.new "maps.$1"
  done
}
both() { comm -12 "maps.$1" "maps.$2"; }
touch maps.0 maps.1 maps.2
for _ in $(seq 600); do
  for n in 0 1 2; do published $n; done
  [ -n "$(both 0 1)" ] && [ -s maps.2 ] && break
  sleep 0.1
done
[ -n "$(both 0 1)" ] || fail "workers 0 and 1 read each other's sums in place"
[ -s maps.2 ] && [ -z "$(both 0 2)$(both 1 2)" ] || fail "worker 2 has memory of its own alone"
ended 0 w0 w1 w2
same_weights wide sums
unset MODEL

# The same two plans on a waiting server, which a client with --master reaches over TLS, checks and drives; it stays.
echo '{"worker": ["10.77.0.2:2222", "10.77.0.3:2222"]}' >servers.json
start server 3 graphrun server --job_name worker --task_index 1 --cluster servers.json $(tls worker-1)
await server.txt 'waits for a client'
start w0 2 graphrun check mirrored.plan --master grpc://10.77.0.2:2222 $(tls worker-0)
ended 0 w0
expect w0.txt '^ok     /job:worker/task:0 -> /job:worker/task:1 grpc: '
for name in ingraph mirrored; do
  start w0 2 graphrun $name.plan --master grpc://10.77.0.2:2222 $(tls worker-0) --steps 30 --dump_variables served-$name
  ended 0 w0
  same_weights $name served-$name
done
graphrun certs foreign --worker_hosts 10.77.0.2:2222 >certs.txt || fail "another authority"
start w0 2 graphrun mirrored.plan --master grpc://10.77.0.2:2222 --join_deadline 3 --tls_cert foreign/worker-0.crt \
  --tls_key foreign/worker-0.key --tls_ca foreign/ca.crt
ended 1 w0
expect w0.txt '/job:worker/task:1 did not come' "a client of another authority gets no server"
start w0 2 graphrun mirrored.plan --master grpc://10.77.0.2:2222 $(tls worker-0) --steps 3
ended 0 w0
kill -TERM "$(pgrep -f -- '^graphrun server --job_name worker --task_index 1 --cluster servers.json')"
ended 0 server

# graphrun check: all is well; then a link without a way, a folder that is not shared, a machine that is off, in one list each.
check() { # ARGUMENTS…
  start ps 1 graphrun check sync.plan --job_name ps "${hosts[@]}" $(tls ps-0) "$@"
  start w1 3 graphrun check sync.plan --job_name worker --task_index 1 "${hosts[@]}" $(tls worker-1) "$@"
  start w0 2 graphrun check sync.plan --job_name worker --task_index 0 "${hosts[@]}" $(tls worker-0) "$@"
}
check
ended 0 ps w0 w1
expect w0.txt '^ok     /job:worker/task:1 -> /job:ps/task:0 grpc: [0-9.]+ µs one way'
ip -n m3 route add blackhole 10.77.0.1
mkdir there
start ps 1 bash -c 'cd there && exec "$@"' - graphrun check ../sync.plan --job_name ps "${hosts[@]}" $(tls ps-0 | sed 's|certs/|../certs/|g') --checkpoint_dir run
start w1 3 graphrun check sync.plan --job_name worker --task_index 1 "${hosts[@]}" $(tls worker-1) --checkpoint_dir run
start w0 2 graphrun check sync.plan --job_name worker "${hosts[@]}" $(tls worker-0) --checkpoint_dir run
ended 1 ps w0 w1
expect w0.txt '^wrong  /job:worker/task:1 -> /job:ps/task:0 grpc: 10.77.0.1:2222: ' "the link that has no way"
expect w0.txt '^wrong  /job:ps/task:0: run is not the chief.s folder of that name'
expect w0.txt '^ok     /job:worker/task:0 -> /job:ps/task:0 grpc: .* one way' "the other links are measured"
expect w0.txt '^3 tasks, 3 links: 2 things are wrong$'
ip -n m3 route del blackhole 10.77.0.1
ip link set port3 down
check --timeout 4
ended 1 ps w0 w1
expect w0.txt '^wrong  /job:worker/task:1 at 10.77.0.3:2222: (no answer|No route to host)' "the machine that is off"
expect w1.txt '^wrong  /job:worker/task:1: the chief /job:worker/task:0 at 10.77.0.2:2222 did not come within 4s'
ip link set port3 up

# kill -9 of a task ends the others with its name.
run sync.plan --steps 100000000 --transport grpc
await w0.txt 'step|loss'
kill -9 "$(pgrep -f -- "^graphrun sync.plan --job_name worker --task_index 1")"
ended 1 ps w0
expect w0.txt '/job:worker/task:1.*is gone' "the chief names the task that was killed"
expect ps.txt '/job:worker/task:1.*is gone' "the parameter server names the task that was killed"
wait
workers allreduce.plan --steps 100000000
await w0.txt 'step|loss'
kill -9 "$(pgrep -f -- "^graphrun allreduce.plan --job_name worker --task_index 1")"
ended 1 w0
expect w0.txt '/job:worker/task:1.*is gone' "the chief names the worker that was killed"

# A cable is pulled: by their heartbeats' deadline both sides end and say whom they lost.
wait
run sync.plan --steps 100000000
await w0.txt 'step|loss'
ip link set port3 down
ended 1 ps w0 w1
expect w0.txt '/job:worker/task:1' "the chief names the task that it lost"
expect w1.txt 'the chief .*did not answer for|lost the chief' "the task behind the cut names the chief"
ip link set port3 up
echo "three machines, eight strategies: the bits of one device; servers; checks; kills and a cut are named"
