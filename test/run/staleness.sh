#!/usr/bin/env bash
# max_staleness: a worker that is stopped (SIGSTOP) stops the others after S steps, with words that say who waits for whom; they go
# on when it does (SIGCONT). Without the bound nobody waits. The distances are in --stats.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
start() { # PLAN: the run in the background, paced so that it lasts a few seconds; worker 2 stopped after the first steps
  GRAPHC_TEST_DELAY_US=worker:0=300,worker:1=300,worker:2=300 launch graphrun "$1" --steps 1500 --fetch loss \
    --deadline "$2" --transport="${transport:-shm}" --stats stats.json
  for _ in $(seq 600); do [ "$(steps)" -gt 30 ] && break; sleep 0.05; done
  worker=$(task_pid $launcher worker 2)
  kill -STOP "$worker" || fail "a process of worker:2"
}
finish() {
  kill -CONT "$worker"
  ends || fail "the run goes on and ends well"
  [ "$(grep -cE '^/job:worker/task:[0-2] loss' out.txt)" -eq 1500 ] || fail "1500 steps"
  nothing_left
}
for transport in shm grpc; do
  plan bounded 3 2 async ', "max_staleness": 2'
  start bounded.plan 12
  # Each way of the wait: who waits, for whom, how far that one is.
  await err.txt '^\[ps:[01]\] .*waits at step [0-9]+ for /job:worker/task:2, the slowest worker at step [0-9]+, before it hands step [0-9]+ to /job:worker/task:[01] \(max_staleness is 2\)' \
    "the wait is named"
  more 1 1 && fail "nobody makes a step while worker:2 is stopped: $before, then $(steps)"
  finish
  python3 - <<'PY' || fail "the distances over $transport"
import json
tasks = json.load(open("stats.json"))["tasks"]
(staleness,) = [t["staleness"] for t in tasks.values() if "staleness" in t]
assert staleness["max"] == 2 and staleness["waits"] >= 2, staleness
assert sum(staleness["steps_ahead"].values()) == 1500 and max(map(int, staleness["steps_ahead"])) <= 2, staleness
made = [t["steps"] for name, t in tasks.items() if "worker" in name]
assert max(made) - min(made) <= 3, made
PY
done
plan free 3 2 async
start free.plan 60
more 200 60 || fail "without a bound the others go on: $before, then $(steps)"
finish
python3 - <<'PY' || fail "without a bound the others are far ahead of the one that was stopped"
import json
(staleness,) = [t["staleness"] for t in json.load(open("stats.json"))["tasks"].values() if "staleness" in t]
assert staleness["max"] > 50, staleness # 200 steps by two: one of them has made 100
PY
# Whoever dies while others wait for it: the run ends at once and names it.
start bounded.plan 60
sleep 0.3
kill -9 "$worker"
ends && fail "exit status 1"
expect err.txt '^graphrun: /job:worker/task:2 .* was killed by signal 9'
nothing_left
echo "bounded and unbounded staleness"
