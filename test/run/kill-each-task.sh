#!/usr/bin/env bash
# kill -9 of each task in turn, over both transports: graphrun ends the others within 5 s, exits with 1 and names the task and the
# signal; nothing is left; started again with the same --checkpoint_dir it goes on, and ends bit-equal to an uninterrupted run.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
plan two 2 1 sync
timeout 120 graphrun two.plan --steps 600 --dump_variables straight >out.txt 2>err.txt || fail "the uninterrupted run"

kill_one() { # TRANSPORT JOB INDEX DIR
  local launcher status begin took
  launch graphrun two.plan --steps 100000000 --transport="$1" --checkpoint_dir "$4" --checkpoint_every_steps 100 --log_file "$4.json"
  await_checkpoint "$4"
  begin=$(date +%s%N)
  kill -9 "$(task_pid $launcher "$2" "$3")" || fail "no process of $2:$3"
  ends
  status=$?
  took=$((($(date +%s%N) - begin) / 1000000))
  [ $status -eq 1 ] || fail "exit status 1 after the death of $2:$3 over $1, got $status"
  [ $took -lt 20000 ] || fail "5 s to end after the death of $2:$3 (20 where the machine is busy), took $took ms"
  expect err.txt "^graphrun: /job:$2/task:$3 \(process [0-9]+ on .*\) was killed by signal 9" "root cause $2:$3"
  expect err.txt "--checkpoint_dir $4" "how to go on"
  expect "$4.json" "\"task\":\"launcher\",\"message\":\"/job:$2/task:$3 .* was killed by signal 9" "the root cause in the log file"
  nothing_left
  echo "$2:$3 over $1: $took ms"
}
for transport in shm grpc; do
  kill_one $transport ps 0 "ckpt-$transport-ps"
  kill_one $transport worker 0 "ckpt-$transport-w0"
  kill_one $transport worker 1 "ckpt-$transport-w1"
done

# Going on: a run that is killed early enough is finished to the same 600 steps.
launch graphrun two.plan --steps 600 --checkpoint_dir go --checkpoint_every_steps 50
await_checkpoint go
kill -9 "$(task_pid $launcher ps 0)" 2>/dev/null
ends
timeout 120 graphrun two.plan --steps 600 --checkpoint_dir go --dump_variables resumed >out.txt 2>err.txt || fail "the resumed run"
expect err.txt 'going on from go/step-[0-9]+' "it says where it goes on from"
same_weights straight resumed
timeout 120 graphrun two.plan --steps 600 --checkpoint_dir go >out.txt 2>err.txt || fail "a finished run"
expect err.txt 'nothing to train: the run is at step 600' "a finished run says so"
expect out.txt '^test accuracy' "and evaluates"
echo "each task killed, twice; the resumed run is bit-equal"
