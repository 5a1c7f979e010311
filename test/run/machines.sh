#!/usr/bin/env bash
# Tasks on machines of their own (network namespaces) over mutual TLS: the same bits as one device, and every failure named.
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

# One parameter server, two workers, three machines.
plan one one_device 2
timeout 60 graphrun one.plan --steps 30 --dump_variables one >out.txt 2>&1 || fail "one device"
plan sync 2 1 sync
run sync.plan --steps 30 --dump_variables sync --stats stats.json
ended 0 ps w0 w1
same_weights one sync
plan async 2 1 async
run async.plan --steps 30
ended 0 ps w0 w1

# kill -9 of a task ends the others with its name.
run sync.plan --steps 100000000 --transport grpc
await w0.txt 'step|loss'
kill -9 "$(pgrep -f -- "^graphrun sync.plan --job_name worker --task_index 1")"
ended 1 ps w0
expect w0.txt '/job:worker/task:1.*is gone' "the chief names the task that was killed"
expect ps.txt '/job:worker/task:1.*is gone' "the parameter server names the task that was killed"

# A cable is pulled: by their heartbeats' deadline both sides end and say whom they lost.
wait
run sync.plan --steps 100000000
await w0.txt 'step|loss'
ip link set port3 down
ended 1 ps w0 w1
expect w0.txt '/job:worker/task:1' "the chief names the task that it lost"
expect w1.txt 'the chief .*did not answer for|lost the chief' "the task behind the cut names the chief"
ip link set port3 up
echo "three machines: the bits of one device; a kill and a cut are named"
