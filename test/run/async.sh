#!/usr/bin/env bash
# Asynchronous training: --steps counts applied updates, every worker ends, a kill is survived, a slow worker holds nobody up.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
plan async 3 2 async
for transport in shm grpc; do
  timeout 60 graphrun async.plan --steps 300 --transport=$transport --stats stats.json --dump_variables dump >out.txt 2>err.txt || fail "async over $transport"
  python3 - <<'PY' || fail "300 updates over $transport"
import json, struct
data = open("dump/global_step.npy", "rb").read()
assert struct.unpack("<q", data[-8:])[0] == 300, struct.unpack("<q", data[-8:])
steps = [t["steps"] for n, t in json.load(open("stats.json"))["tasks"].items() if "worker" in n]
assert sum(steps) == 300, steps
PY
  nothing_left
done
timeout 60 graphrun async.plan --steps 300 --fetch loss >out.txt 2>err.txt || fail "--fetch"
[ "$(grep -cE '^/job:worker/task:[0-2] loss [0-9.e+-]+$' out.txt)" -eq 300 ] || fail "the loss of each of the 300 updates, whoever made it"
GRAPHC_TEST_DELAY_US=worker:2=50000 timeout 60 graphrun async.plan --steps 300 --stats stats.json >out.txt 2>err.txt || fail "a slow worker"
python3 - <<'PY' || fail "the slow worker makes fewer steps"
import json
tasks = json.load(open("stats.json"))["tasks"]
assert tasks["/job:worker/task:2"]["steps"] < tasks["/job:worker/task:0"]["steps"], tasks
PY
launch graphrun async.plan --steps 100000000 --checkpoint_dir dir --checkpoint_every_steps 200
await_checkpoint dir
kill -9 "$(task_pid $launcher worker 2)"
ends && fail "exit status 1"
expect err.txt '^graphrun: /job:worker/task:2 .* was killed by signal 9'
nothing_left
timeout 60 graphrun async.plan --epochs 1 --checkpoint_dir dir >out.txt 2>err.txt || fail "going on"
expect err.txt 'going on from dir/step-'
echo "asynchronous over both transports"
