#!/usr/bin/env bash
# Closing the terminal ends a run in good order, of a launcher and of a lone task, with a checkpoint; so for a task by hand and for a server. Where
# SIGHUP was ignored at the start (nohup) the run goes on.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"

# on_terminal COMMAND…: COMMAND in the foreground of a terminal, which is closed once the run trains. As a shell does, the leader of the
# session passes the hang-up on to all processes of its job, and the kernel tells them again when the leader has gone. What COMMAND
# writes goes to err.txt, its exit status to status.txt.
on_terminal() {
  rm -f status.txt
  timeout 100 python3 - "$@" <<'PY' >out.txt 2>&1
import os, pty, signal, subprocess, sys, time
leader, terminal = pty.fork()
if leader == 0:
    signal.signal(signal.SIGHUP, lambda *_: (os.killpg(job, signal.SIGHUP), os._exit(0)))
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        signal.signal(signal.SIGHUP, signal.SIG_IGN) # the one that waits for it
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        log = os.open("err.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        status = subprocess.call(sys.argv[1:], stdout=log, stderr=log, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
        open("status.txt", "w").write(str(status))
        os._exit(0)
    while True:
        time.sleep(60)
deadline = time.time() + 60
while not (os.path.exists("err.txt") and b" step " in open("err.txt", "rb").read()) and time.time() < deadline:
    time.sleep(0.05)
os.close(terminal)
os.waitpid(leader, 0)
PY
  for _ in $(seq 300); do [ -s status.txt ] && break; sleep 0.1; done
  status=$(cat status.txt)
}

plan ps 2 1 sync
plan one one_device 2
compile reduce '{"worker": 2, "strategy": "all_reduce"}'
for name in ps one reduce; do
  rm -f err.txt
  on_terminal graphrun "$name.plan" --steps 100000000 --checkpoint_dir "ckpt-$name"
  expect err.txt 'stopped at step [0-9]+ of 100000000 as asked; start again with --checkpoint_dir ckpt-' "$name ends in order when its terminal closes"
  [ $status -eq 1 ] || fail "$name: exit status 1, got $status"
  step=$(sed -nE 's/.*stopped at step ([0-9]+) of.*/\1/p' err.txt | head -1)
  [ -f "ckpt-$name/step-$step/manifest.json" ] || fail "$name: the checkpoint of its last step"
  nothing_left
done

# nohup: what it asks for holds, for the launcher, for its tasks and for a lone task.
for name in ps one; do
  launch nohup graphrun "$name.plan" --steps 100000000 --checkpoint_dir "kept-$name"
  await err.txt 'step [1-9]'
  for pid in $launcher $(pgrep -P "$launcher"); do kill -HUP "$pid"; done
  sleep 1
  kill -0 $launcher 2>/dev/null || fail "$name: nohup was overridden"
  grep -q 'stopping' err.txt && fail "$name: nohup was overridden"
  kill -TERM $launcher
  ends && fail "it was stopped before its end"
  expect err.txt 'stopped at step [0-9]+ of 100000000 as asked'
done

# Tasks by hand, told twice, by the kernel and by the shell; and a server, idle and in the middle of a run.
take_ports
want=1
for task in "worker 0" "worker 1" "ps 0"; do
  read -r job index <<<"$task"
  aside "$job$index" graphrun ps.plan --steps 100000000 --job_name "$job" --task_index "$index" "${hosts[@]}" --checkpoint_dir by-hand
done
await worker0.txt 'step [1-9]'
pid=$(pgrep -f -- "^graphrun ps.plan.*--job_name worker --task_index 1 .*localhost:$((base + 2))")
kill -HUP $pid; kill -HUP $pid 2>/dev/null
wait
expect worker0.txt 'stopped at step [0-9]+ of 100000000 as asked; start again with --checkpoint_dir by-hand' "tasks by hand"
compgen -G 'by-hand/step-*/manifest.json' >/dev/null || fail "a checkpoint of the tasks by hand"
echo "{\"worker\": [\"localhost:$base\", \"localhost:$((base + 1))\"], \"strategy\": \"mirrored\"}" >cluster.json
graphc --partition cluster.json "$here/models/mlp.mlir" -o served.plan 2>graphc.txt || fail "graphc"
{ graphrun server --job_name worker --task_index 1 --cluster cluster.json & } >server.txt 2>&1
server=$!
launch graphrun served.plan --master "grpc://localhost:$base" --steps 100000000 --checkpoint_dir served
await err.txt 'step [1-9]'
kill -HUP $server; kill -HUP $server 2>/dev/null
ends && fail "a stopped run has not finished"
expect err.txt 'stopped at step [0-9]+ of 100000000 as asked; start again with --checkpoint_dir served'
wait $server || fail "a server whose terminal closes ends with 0, got $?"
expect server.txt 'shut down as asked'
nothing_left
echo "three strategies, nohup, by hand, a server"
