#!/usr/bin/env bash
# SIGTERM stops at a step boundary with a checkpoint; the launcher's own death by kill -9 takes its tasks along; a stopped process is
# found by its silence.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
plan two 2 1 sync
launch graphrun two.plan --steps 100000000 --checkpoint_dir dir
await err.txt 'step [0-9]+'
kill -TERM $launcher
ends && fail "a run that was stopped did not finish: exit status 1"
expect err.txt '^graphrun: stopped at step [0-9]+ of 100000000 as asked; start again with --checkpoint_dir dir' "what was done and how to go on"
[ "$(ls -d dir/step-*/ | wc -l)" -ge 1 ] || fail "a checkpoint"
nothing_left

# Stopped and resumed in the middle of an epoch is bit-equal to uninterrupted.
# The signal goes to the whole process group, as Ctrl-C does, and is one request all the same.
timeout 120 graphrun two.plan --steps 1000 --dump_variables straight >out.txt 2>err.txt || fail "the uninterrupted run"
GRAPHC_TEST_DELAY_US=worker:1=10000 launch setsid graphrun two.plan --steps 1000 --checkpoint_dir middle --checkpoint_every_steps 100000
await err.txt 'step [1-9]'
kill -INT -- -$launcher
ends && fail "it was stopped before its end"
expect err.txt 'start again with --checkpoint_dir middle' "one request, not two"
timeout 120 graphrun two.plan --steps 1000 --checkpoint_dir middle --dump_variables resumed >out.txt 2>err.txt || fail "the resumed run"
expect err.txt 'going on from middle/step-' "it goes on"
same_weights straight resumed

launch graphrun two.plan --steps 100000000
await err.txt 'step [0-9]+'
kill -9 $launcher
ends 2>/dev/null
nothing_left

launch graphrun two.plan --steps 100000000
await err.txt 'step [0-9]+'
kill -STOP "$(task_pid $launcher worker 1)"
ends
[ $? -eq 1 ] || fail "exit status 1"
expect err.txt '/job:worker/task:1.*did not' "the silent task is named"
nothing_left

# All of them stopped for longer than silence is borne (Ctrl-Z, a machine that sleeps): nobody is lost.
launch setsid graphrun two.plan --steps 100000000 --checkpoint_dir slept
await err.txt 'step [1-9]'
kill -STOP -- -$launcher
sleep 10
kill -CONT -- -$launcher
sleep 1
kill -TERM $launcher
ends
expect err.txt 'stopped at step [0-9]+ of 100000000 as asked' "it went on after it was stopped"
nothing_left

# Started by a parent that ignores SIGCHLD, whose children would inherit that: it sees its tasks end all the same.
timeout -k 5 60 python3 -c '
import os, signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execvp("graphrun", ["graphrun", "two.plan", "--steps", "5"])' >out.txt 2>err.txt || fail "graphrun where SIGCHLD was ignored"
nothing_left
echo "stopped, resumed, killed, frozen, slept"
