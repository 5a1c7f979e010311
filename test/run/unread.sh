#!/usr/bin/env bash
# Results that the chief does not print, since nobody reads what it prints, wait in their task up to a limit; then its step waits, is named as waiting
# for the chief, and ends the run at --deadline. The chief takes nobody who speaks to it for silent meanwhile; once it is read again, the run goes on.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
# Two workers that never wait for each other: a result of 1,000 elements a step, 4 KB that become a line of several KB.
cat >model.mlir <<'MLIR'
graph.variable @w : tensor<1000xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 1>
graph.dataset @d : (tensor<1000xf32>) = #graph.synthetic<samples = 64, seed = 1>
graph.func @train_step() -> (tensor<1000xf32> {graph.name = "all", graph.reduction = "first_replica"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @d {batch = 1} : tensor<1x1000xf32>
  %r = graph.reshape %x : (tensor<1x1000xf32>) -> tensor<1000xf32>
  %w = graph.read @w : tensor<1000xf32>
  %s = graph.subtract %w, %r : tensor<1000xf32>
  %q = graph.multiply %s, %s : tensor<1000xf32>
  %loss = graph.reduce_mean %q dimensions = [0] : (tensor<1000xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.sgd<learning_rate = 0.001>} : tensor<f32>
  graph.return %s : tensor<1000xf32>
}
MLIR
MODEL=$box/model.mlir plan two 2 1 async
take_ports
mkfifo printed
exec 3<>printed
memory() { awk '/VmHWM/ {print int($2 / 1024)}' "/proc/$1/status"; }
begin() { # STEPS FLAGS…: all tasks, with more flags for the second worker, the chief with its results into the pipe; $chief, $ps, $worker
  local steps=$1; shift
  { graphrun two.plan --job_name worker --task_index 0 "${hosts[@]}" --fetch all --steps "$steps" & } >printed 2>chief.txt; chief=$!
  { graphrun two.plan --job_name ps --task_index 0 "${hosts[@]}" --steps "$steps" & } >ps.txt 2>&1; ps=$!
  { graphrun two.plan --job_name worker --task_index 1 "${hosts[@]}" --steps "$steps" "$@" & } >worker.txt 2>&1; worker=$!
}
begin 100000000 --deadline 14
await worker.txt 'waits at step [0-9]+ for the chief /job:worker/task:0 to take the results'
[ "$(memory $worker)" -le 400 ] || fail "what waits is bounded, but the worker has $(memory $worker) MiB"
[ "$(memory $worker)" -ge 80 ] || fail "64 MiB wait before the step does, but the worker has $(memory $worker) MiB"
grep -q 'did not answer' chief.txt ps.txt worker.txt && fail "nobody is silent"
timeout 40 tail -s 0.1 --pid=$worker -f /dev/null || fail "the worker ends at its deadline"
expect worker.txt '^graphrun: .*to take the results .*, for more than the deadline of 14s'
cat <printed >/dev/null 3>&- & reader=$!
timeout 40 tail -s 0.1 --pid=$chief -f /dev/null || fail "the chief ends when it is read"
timeout 40 tail -s 0.1 --pid=$ps -f /dev/null || fail "the server ends"
kill $reader
wait
expect chief.txt '^graphrun: /job:worker/task:1: '

# Read again within the deadline, all goes on to its end.
take_ports
begin 40000
await worker.txt 'waits at step [0-9]+ for the chief /job:worker/task:0 to take the results'
grep -c . <printed >lines.txt 3>&- & reader=$!
for task in $chief $ps $worker; do
  timeout 60 tail -s 0.1 --pid=$task -f /dev/null || fail "the run goes on when the chief is read"
  wait $task || fail "exit status 0 of each task"
done
exec 3>&-
wait $reader
[ "$(cat lines.txt)" -eq 40000 ] || fail "each result is printed once, got $(cat lines.txt)"
nothing_left
echo "results that nobody reads wait up to a limit"
