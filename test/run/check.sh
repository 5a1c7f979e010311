#!/usr/bin/env bash
# graphrun check on one machine: all is well (launched, alone, by hand, with waiting servers), and each kind of wrong by its name, all of
# them and not only the first, within the time limit.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
plan two 2 1 sync
plan one one_device 2
take_ports
good() { # NAME ARGUMENTS…
  local name=$1; shift
  timeout 60 graphrun check "$@" >"$name.txt" 2>"$name.err.txt" || fail "graphrun check $* must find nothing, exit status $?"
}
bad() { # PATTERN ARGUMENTS…: exit status 1, a line that begins with "wrong" and goes on so
  local pattern=$1; shift
  timeout 60 graphrun check "$@" >bad.txt 2>bad.err.txt
  local status=$?
  [ $status -eq 1 ] || fail "exit status 1 of graphrun check $*, got $status"
  expect bad.txt "^wrong  .*$pattern" "graphrun check $* must say '$pattern'"
}
task() { # NAME ARGUMENTS…: one of several, in the background; they wait $limit seconds (40) for each other
  local name=$1; shift
  rm -f "$name.rc"
  { { timeout 60 graphrun check "$@" "${hosts[@]}" --timeout ${limit:-40}; echo $? >"$name.rc"; } & } >"$name.txt" 2>"$name.err.txt"
}

# All is well; a checkpoint folder that the check made is gone again, one that was there is as it was.
good one one.plan
expect one.txt '^1 task, 0 links: all is well$'
good launched two.plan --checkpoint_dir run
for line in 'ok     plan [0-9a-f]{8}… of mlp.mlir, graphrun ' 'ok     /job:ps/task:0 process [0-9]+ on ' 'ok     data set train: 203 samples, the same on /job:worker/task:0, /job:worker/task:1' \
  'ok     --checkpoint_dir run: writable, the same folder on /job:ps/task:0' 'ok     /job:worker/task:1 -> /job:ps/task:0 shm: [0-9.]+ µs one way, [0-9.e+]+ .bit/s there, [0-9.e+]+ .bit/s back' \
  '3 tasks, 3 links: all is well'; do expect launched.txt "^$line"; done
[ ! -e run ] || fail "the check leaves no folder"
good grpc two.plan --transport grpc
expect grpc.txt '^ok     /job:worker/task:0 -> /job:ps/task:0 grpc: '
timeout 60 graphrun two.plan --steps 30 --checkpoint_dir run >out.txt 2>err.txt || fail "a run"
before=$(ls -A run)
good again two.plan --checkpoint_dir run
expect again.txt '^ok     --checkpoint_dir: the run goes on from run/step-30'
[ "$(ls -A run)" = "$before" ] || fail "the folder is as it was"

# What is wrong with a file of the whole run is said once, however many tasks there are, also with one that the launcher alone looks at.
bad '--stats no/such/stats.json: .*No such file' two.plan --stats no/such/stats.json
expect bad.txt '^3 tasks, 3 links: 1 thing is wrong$' "one thing, found by one"
bad '--dump_variables /proc/dump' two.plan --dump_variables /proc/dump
expect bad.txt '^3 tasks, 3 links: 1 thing is wrong$' "one thing, found by one"

# A task of a launched check takes a stop, and the launcher's own stop ends all of them.
halted() { # starts a check, of which one task stands still; sets launcher
  { graphrun check two.plan --timeout 60 & } >halted.txt 2>halted.err.txt
  launcher=$!
  for _ in $(seq 600); do held=$(task_pid $launcher ps 0) && kill -STOP "$held" && break; sleep 0.01; done
  for _ in $(seq 600); do task_pid $launcher worker 1 >/dev/null && break; sleep 0.01; done
  sleep 1 # beyond the start, where a stop is held back
}
halted
kill -TERM "$(task_pid $launcher worker 1)" || fail "no process of worker:1"
ends 20
[ $? -eq 1 ] || fail "exit status 1 of a check whose task was stopped"
expect halted.err.txt '/job:worker/task:1 .* was killed by signal 15'
halted
kill -TERM $launcher
ends 20
[ $? -eq 1 ] || fail "exit status 1 of a check that was stopped"
expect halted.err.txt '^graphrun: the check was stopped, as asked$'

# By hand, in any order; links in the cluster file are compared.
cat >cluster.json <<JSON
{"cluster": {"ps": ["localhost:$base"], "worker": ["127.0.0.1:$((base + 1))", "localhost:$((base + 2))"]},
 "links": [{"from": "/job:worker/task:0", "to": "/job:ps", "gigabits_per_second": 4000, "latency_us": 5000},
           {"from": "/job:worker", "to": "/job:ps", "gigabits_per_second": 0.001, "latency_us": 1}]}
JSON
task w1 two.plan --job_name worker --task_index 1
await w1.err.txt 'waiting for the chief /job:worker/task:0 at 127.0.0.1:[0-9]+ \(Connection refused\)'
task ps two.plan --job_name ps --steps 30
task w0 two.plan --job_name worker --cluster cluster.json --transport grpc --fetch loss
status w0 w1 ps
expect w0.txt '^note   /job:worker/task:0 -> /job:ps/task:0 .*; links says 5e\+03 µs, 4e\+03 Gbit/s: .* times less bandwidth and .* less latency than said'
expect w0.txt '^note   /job:worker/task:1 -> /job:ps/task:0 .* times more bandwidth'
expect w1.txt '^ok     /job:worker/task:1: all is well; the whole stands where the chief /job:worker/task:0 was started'

# Somebody does not come, has another plan, is there twice, has no port; all of it in one list.
plan other 2 1 async
want=1 limit=10
task w0 two.plan --job_name worker
task ps other.plan --job_name ps
status w0 ps
expect w0.txt "^wrong  /job:worker/task:1 at localhost:$((base + 2)): Connection refused: graphrun check was not started there"
expect w0.txt '^wrong  /job:ps/task:0 .* has another plan: its fingerprint is [0-9a-f]{64}, the chief.s [0-9a-f]{64}'
expect w0.txt '^-      /job:worker/task:0 -> /job:ps/task:0: not tried'
expect w0.txt '^3 tasks, 3 links: 2 things are wrong$'
expect ps.txt '^wrong  /job:ps/task:0: has another plan: its fingerprint is'
limit=
{ python3 -c "
import socket, time
taken = socket.socket(); taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
taken.bind(('127.0.0.1', $base)); taken.listen(); print('listens', flush=True); time.sleep(600)" & } >taken.txt
holder=$!
await taken.txt listens
task w1 two.plan --job_name worker --task_index 1
task again two.plan --job_name worker --task_index 1
await w1.err.txt 'waiting for the chief'
await again.err.txt 'waiting for the chief'
task w0 two.plan --job_name worker
for _ in $(seq 300); do [ -s w1.rc ] || [ -s again.rc ] && break; sleep 0.1; done # the second is sent away at once
task ps two.plan --job_name ps
for _ in $(seq 100); do [ -s w0.rc ] && break; sleep 0.2; done
kill $holder; wait $holder 2>/dev/null
status w0 ps w1 again
expect w0.txt "^wrong  /job:ps/task:0: cannot listen on localhost:$base: another process has this port"
expect ps.txt "^wrong  /job:ps/task:0: cannot listen on localhost:$base: another process has this port"
expect w0.txt '^-      /job:worker/task:1 -> /job:ps/task:0: not tried, since one of the two is not there or has no port'
expect w0.txt '^wrong  a second process says it is /job:worker/task:1: process [0-9]+ on .* besides process [0-9]+ on'
bad 'the chief /job:worker/task:0 at 127.0.0.1:[0-9]+ did not come within 1s \(Connection refused\)' two.plan --job_name ps "${hosts[@]}" --timeout 1

# A check where a run should be, and a run (of another chief) where a check should be.
limit=10
task w1 two.plan --job_name worker --task_index 1
task w0 two.plan --job_name worker
await w0.err.txt 'waiting for /job:ps/task:0'
timeout 60 graphrun two.plan --steps 30 --job_name ps "${hosts[@]}" >run.txt 2>&1 && fail "a run's task ends with the reason"
expect run.txt 'what answers as the chief .* takes no runs; is it graphrun check\?'
{ timeout 60 graphrun two.plan --steps 30 --job_name ps "${hosts[@]}" --worker_hosts "localhost:$((base + 7)),localhost:$((base + 8))" & } >run.txt 2>&1
run=$!
for _ in $(seq 300); do [ -s w0.rc ] && [ -s w1.rc ] && break; sleep 0.1; done
kill $run
status w0 w1
expect w0.txt '^wrong  /job:ps/task:0 at .*something of graphrun answers there that takes no part in the check'

# A task that stops answering is named, and the rest is checked.
task w0 two.plan --job_name worker
task w1 two.plan --job_name worker --task_index 1
await w0.err.txt 'waiting for /job:ps/task:0'
kill -STOP "$(pgrep -f -- "^graphrun check two.plan --job_name worker --task_index 1 --ps_hosts localhost:$base")" || fail "worker:1"
task ps two.plan --job_name ps
for _ in $(seq 300); do [ -s w0.rc ] && break; sleep 0.1; done
kill -CONT "$(pgrep -f -- "^graphrun check two.plan --job_name worker --task_index 1 --ps_hosts localhost:$base")"
status w0 ps w1
expect w0.txt '^wrong  /job:worker/task:1 did not answer within 10s while looking at its CPU and data files'
expect w0.txt '^ok     /job:worker/task:0 -> /job:ps/task:0 shm: '
want=0 limit=

# Data files: missing, differing in a byte, and a task without them.
python3 - <<'PY'
import os, struct
for folder, byte in (("one", 7), ("other", 8), ("fewer", 7)):
    os.makedirs(folder)
    count = 49 if folder == "fewer" else 50
    images = bytes([byte]) + bytes(count * 6 - 1)
    open(f"{folder}/images", "wb").write(struct.pack(">HBB3I", 0, 8, 3, count, 2, 3) + images)
    open(f"{folder}/labels", "wb").write(struct.pack(">HBB1I", 0, 8, 1, count) + bytes(count))
PY
MODEL=$here/models/idx.mlir plan idx 2 1 sync
good data idx.plan --data_dir one
bad '/job:worker/task:1: data set train: data file images.gz not found; looked in nowhere' idx.plan --data_dir nowhere --checkpoint_dir /proc/run
expect bad.txt '^wrong  .*--checkpoint_dir.*/proc/run' "the folder is named in the same list"
expect bad.txt '^3 tasks, 3 links: [34] things are wrong$'
for folder in other fewer; do
  want=1
  task w1 idx.plan --job_name worker --task_index 1 --data_dir $folder
  task ps idx.plan --job_name ps
  task w0 idx.plan --job_name worker --data_dir one
  status w0 w1 ps
  expect w0.txt "^wrong  data set train differs: 50 samples from one/images.* on /job:worker/task:0, (50|49) samples from $folder/images.* on /job:worker/task:1"
  expect w0.txt '1 thing is wrong$'
done
want=0

# A CPU that lacks what the code needs, here something that no CPU has.
graphc --partition two.json --target-cpu x86-64-v3 "$here/models/mlp.mlir" -o v3.plan 2>graphc.txt || fail "graphc for x86-64-v3"
good v3 v3.plan
python3 - <<'PY'
import hashlib
plan = open("v3.plan", "rb").read()
assert plan.count(b"\x05movbe") == 1
body = plan[56:].replace(b"\x05movbe", b"\x05avx99")
open("cpu.plan", "wb").write(plan[:24] + hashlib.sha256(body).digest() + body)
PY
timeout 60 graphrun check cpu.plan >out.txt 2>err.txt && fail "a CPU that lacks something"
for name in ps/task:0 worker/task:0 worker/task:1; do
  expect out.txt "^wrong  /job:$name: the plan.s code was compiled with --target-cpu=x86-64-v3 and needs avx99, which this CPU .* does not have"
done
expect out.txt '^ok     /job:worker/task:0 -> /job:ps/task:0 shm: ' "the rest is checked all the same"

# Certificates: of another authority, of another host, and a key that is not there.
graphrun certs "${hosts[@]}" >/dev/null && graphrun certs foreign "${hosts[@]}" >/dev/null || fail "graphrun certs"
task w0 two.plan --job_name worker $(tls worker-0)
task w1 two.plan --job_name worker --task_index 1 $(tls worker-1)
task ps two.plan --job_name ps $(tls ps-0)
status w0 w1 ps
want=1
task w0 two.plan --job_name worker $(tls worker-0)
task w1 two.plan --job_name worker --task_index 1 $(tls worker-1)
task ps two.plan --job_name ps $(tls ps-0 foreign)
status w0 w1 ps
expect ps.txt '^wrong  /job:ps/task:0: the chief .*: the certificate that .* shows is not accepted by --tls_ca here'
expect w0.txt '^wrong  /job:ps/task:0 at .*: the certificate that .* shows is not accepted by --tls_ca here'
task w0 two.plan --job_name worker $(tls worker-0)
task w1 two.plan --job_name worker --task_index 1 $(tls worker-0)
task ps two.plan --job_name ps $(tls ps-0)
status w0 w1 ps
expect w1.txt '^wrong  /job:worker/task:1: --tls_cert certs/worker-0.crt is of /job:worker/task:0, but this task is /job:worker/task:1'
expect w0.txt '^wrong  /job:worker/task:1 is refused: the certificate at the other end is of /job:worker/task:0, and not of /job:worker/task:1; give each task its own'
bad '--tls_cert certs/none.crt: No such file' two.plan --job_name ps $(tls none) "${hosts[@]}"
bad 'nothing but this machine could be looked at' idx.plan --job_name worker $(tls none) "${hosts[@]}"
expect bad.txt '^wrong  .*images.gz not found' "what else is wrong on this machine"
want=0

# Waiting servers take part, and are servers again afterwards; one that is not there is missed.
echo "{\"worker\": [\"localhost:$base\", \"localhost:$((base + 1))\", \"localhost:$((base + 2))\"], \"strategy\": \"mirrored\"}" >servers.json
graphc --partition servers.json "$here/models/mlp.mlir" -o many.plan 2>graphc.txt || fail "graphc"
{ graphrun server --job_name worker --task_index 1 --cluster servers.json & } >server1.txt 2>&1; one=$!
await server1.txt 'waits for a client'
bad '/job:worker/task:2 did not come within 2s' many.plan --master grpc://localhost:$base --timeout 2
{ graphrun server --job_name worker --task_index 2 --cluster servers.json & } >server2.txt 2>&1; two=$!
await server2.txt 'waits for a client'
good servers many.plan --master grpc://localhost:$base
expect servers.txt '^3 tasks, 3 links: all is well$'
expect server1.txt 'checks mlp.mlir for process'
timeout 60 graphrun many.plan --master grpc://localhost:$base --steps 5 >out.txt 2>err.txt || fail "a run after the check"
kill $one $two
wait $one && wait $two || fail "the servers end well"

timeout 20 graphrun check >out.txt 2>&1
[ $? -eq 2 ] || fail "no plan: exit status 2"
expect out.txt 'which plan\? graphrun check model.plan'
rm -rf certs foreign
nothing_left
echo "graphrun check: ten ways to be well, sixteen to be wrong"
