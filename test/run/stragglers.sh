#!/usr/bin/env bash
# A worker that is stopped (SIGSTOP) for longer than silence counts as death, where the others do not wait for it: they go on, its
# silence and its return are said, and only --deadline ends the run. A killed one is named at once. A synchronous worker has no such grace.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
plan backup 3 1 sync ', "replicas_to_aggregate": 2'
plan async 2 1 async
plan sync 2 1 sync
begin() { # PLAN ARGUMENTS…: its launcher in $launcher, one line a step in out.txt
  launch graphrun "$1.plan" --steps 1000000000 --fetch loss "${@:2}"
  for _ in $(seq 600); do [ "$(wc -l <out.txt)" -gt 30 ] && break; sleep 0.05; done
  worker=$(task_pid $launcher worker "$last") || fail "a process of worker:$last"
}
goes_on() { # WHEN: more steps are made
  local before; before=$(wc -l <out.txt)
  for _ in $(seq 200); do [ "$(wc -l <out.txt)" -ge $((before + 50)) ] && return; sleep 0.05; done
  fail "the others go on $1"
}
runs=("backup --transport=shm" "async --transport=grpc")
[ -z "${GRAPHC_LONG:-}" ] || runs+=("backup --transport=grpc" "async --transport=shm")
for run in "${runs[@]}"; do
  last=2; [ "${run%% *}" = async ] && last=1
  begin $run
  kill -STOP "$worker"
  # Longer than 8 s of heartbeats and than 10 s of gRPC's own pings.
  await err.txt "/job:worker/task:$last \(process $worker on .*\) does not answer for 8s; the others go on without it, and the run ends if it is silent for 5m \(--deadline\)"
  sleep 12
  goes_on "while worker:$last is stopped, $run"
  kill -0 $launcher || fail "the run goes on, $run"
  kill -CONT "$worker"
  await err.txt "/job:worker/task:$last \(process $worker on .*\) answers again, after (1|2)[0-9]s"
  goes_on "when worker:$last is back, $run"
  kill -TERM $launcher
  ends && fail "a stopped run has not finished"
  expect err.txt 'stopped at step [0-9]+ of 1000000000 as asked' "the run ends in good order, $run"
  nothing_left
done

# Past --deadline it ends, by the name of the silent one; a killed one is named at once.
last=2
begin backup --deadline 12
kill -STOP "$worker"
stopped=$SECONDS
ends && fail "exit status 1 past the deadline"
[ $((SECONDS - stopped)) -ge 10 ] || fail "not before the deadline"
expect err.txt '^graphrun: .*/job:worker/task:2' "the silent worker's name"
nothing_left
begin backup
kill -9 "$worker"
killed=$SECONDS
ends && fail "exit status 1"
[ $((SECONDS - killed)) -le 7 ] || fail "a death is noticed at once"
expect err.txt '^graphrun: /job:worker/task:2 .* was killed by signal 9'
nothing_left
last=1
begin sync
kill -STOP "$worker"
ends && fail "exit status 1"
expect err.txt '/job:worker/task:1.*did not answer for 8s' "a synchronous worker is missed after 8 s"
nothing_left
echo "stragglers: reported, waited for up to the deadline, welcomed back"
