#!/usr/bin/env bash
# A task that is frozen before it joins is named in the middle of the wait and ends the run at its end, also where it is the chief; by
# hand too. A chief that freezes later is named by all, and no innocent one. A run that was stopped as asked ends with 1 in each task.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
plan two 2 1 sync
cat >frozen.c <<'C'
#include <signal.h>
#include <stdlib.h>
#include <string.h>
/* Stops the task that FROZEN names by its flag, before its main. */
__attribute__((constructor)) static void freeze(int argc, char **argv) {
  const char *name = getenv("FROZEN");
  for (int i = 1; name && i < argc; ++i)
    if (strcmp(argv[i], name) == 0)
      raise(SIGSTOP);
}
C
cc -shared -fPIC -o frozen.so frozen.c || fail "the compiler"
FROZEN=--job_name=ps LD_PRELOAD=$box/frozen.so timeout 60 graphrun two.plan --steps 5 --join_deadline 4 >out.txt 2>err.txt
[ $? -eq 1 ] || fail "exit status 1"
expect err.txt 'waiting for /job:ps/task:0 for 2s; the run ends in 2s without it \(--join_deadline\)' "it is named in the middle of the wait"
expect err.txt '^graphrun: .*gave up after 4s: /job:ps/task:0 did not come \(--join_deadline\)' "it is named at the end"
one_error_line err.txt
nothing_left
FROZEN=--job_name=worker LD_PRELOAD=$box/frozen.so timeout 60 graphrun two.plan --steps 5 --join_deadline 2 >out.txt 2>err.txt
[ $? -eq 1 ] || fail "exit status 1"
expect err.txt '^graphrun: .*the chief /job:worker/task:0 did not come within 2s' "a frozen chief is named"
nothing_left
graphrun --help | grep -q 'default: 60 for tasks started here together' || fail "--help says how long"

take_ports
task() { aside "$1" graphrun two.plan --job_name "${1%[0-9]}" --task_index "${1: -1}" "${hosts[@]}" "${@:2}"; }
want=1
task ps0 --steps 5 --join_deadline 4
task worker0 --steps 5 --join_deadline 4
status ps0 worker0
for name in ps0 worker0; do expect $name.txt 'waiting for /job:worker/task:1' "$name says who is missing"; done
expect worker0.txt 'gave up after 4s: /job:worker/task:1 did not come'

task ps0 --steps 100000000
task worker1 --steps 100000000
task worker0 --steps 100000000
await worker0.txt 'step [1-9]'
chief=$(pgrep -f -- "^graphrun two.plan --job_name worker --task_index 0 .*localhost:$base ")
kill -STOP "$chief"
for _ in $(seq 300); do [ -s ps0.rc ] && [ -s worker1.rc ] && break; sleep 0.1; done
kill -9 "$chief"
wait
for name in ps0 worker1; do
  expect $name.txt '^graphrun: .*the chief /job:worker/task:0 did not answer for [0-9]+s' "$name names the chief"
  grep -q '^graphrun: .*data stream' $name.txt && fail "$name blames another: $(grep ^graphrun: $name.txt)"
done

task ps0 --steps 100000000 --checkpoint_dir stopped
task worker1 --steps 100000000 --checkpoint_dir stopped
task worker0 --steps 100000000 --checkpoint_dir stopped
await worker0.txt 'step [1-9]'
kill -TERM "$(pgrep -f -- "^graphrun two.plan --job_name worker --task_index 0 .*localhost:$base ")"
status ps0 worker0 worker1
expect worker0.txt 'stopped at step [0-9]+ of 100000000 as asked; start again with --checkpoint_dir stopped'
for name in ps0 worker1; do expect $name.txt 'the run was stopped, as asked' "$name says why it ends with 1"; done
nothing_left
echo "frozen before it joins, as chief, by hand; a frozen chief; a stopped run"
