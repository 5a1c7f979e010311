#!/usr/bin/env bash
# Each task by hand, in any order; and everything that is refused: another plan, a second worker:1, a port in use, another machine.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
plan two 2 1 sync
timeout 60 graphrun two.plan --steps 30 --dump_variables launched >out.txt 2>err.txt || fail "the launched run"
take_ports
task() { aside "$1" graphrun "${@:2}"; } # NAME PLAN ARGUMENTS…

# Last the chief, then last the parameter server.
task w1 two.plan --steps 30 --job_name worker --task_index 1 "${hosts[@]}"
task ps two.plan --steps 30 --job-name=ps "${hosts[@]}"
await w1.txt 'waiting for the chief /job:worker/task:0 at 127.0.0.1'
task w0 two.plan --steps 30 --job_name worker --task_index 0 "${hosts[@]}" --dump_variables by-hand --fetch loss
status ps w0 w1
[ "$(grep -c '^loss [0-9]' w0.txt)" = 30 ] || fail "--fetch is given to the chief alone, and every task sends its values"
same_weights launched by-hand
task w0 two.plan --steps 30 --job_name worker "${hosts[@]}"
task w1 two.plan --steps 30 --job_name worker --task_index 1 "${hosts[@]}"
await w0.txt 'waiting for /job:ps/task:0'
await w1.txt 'waiting for /job:ps/task:0'

# While these two wait: another plan's parameter server, a second worker:1 (there, and on another port).
plan other 2 1 async
want=1
timeout 60 graphrun other.plan --steps 30 --job_name ps "${hosts[@]}" >refused.txt 2>&1
[ $? -eq 1 ] || fail "another plan: exit status 1"
expect refused.txt "$(fingerprint other.plan)" "the fingerprint of the task's plan"
expect refused.txt "$(fingerprint two.plan)" "the fingerprint of the chief's plan"
timeout 60 graphrun two.plan --steps 30 --job_name worker --task_index 1 "${hosts[@]}" >refused.txt 2>&1
[ $? -eq 1 ] || fail "refused: exit status 1"
expect refused.txt "cannot listen on localhost:$((base + 2)): another process has this port" "port in use"
timeout 60 graphrun two.plan --steps 30 --job_name worker --task_index 1 --ps_hosts "localhost:$base" \
  --worker_hosts "127.0.0.1:$((base + 1)),localhost:$((base + 3))" >refused.txt 2>&1
[ $? -eq 1 ] || fail "refused: exit status 1"
expect refused.txt 'there is a /job:worker/task:1 already \(process [0-9]+ on ' "a second worker:1"
# Another user's key.
XDG_STATE_HOME=$box/tmp/other timeout 60 graphrun two.plan --steps 30 --job_name ps "${hosts[@]}" >refused.txt 2>&1
[ $? -eq 1 ] || fail "refused: exit status 1"
expect refused.txt "what listens there does not know this run's secret: it is another user's process, or" "another user's task"
rm -rf "$box/tmp/other"
want=0
task ps two.plan --steps 30 --job_name ps "${hosts[@]}"
status ps w0 w1

# Asked to stop while they wait: the chief for the others, another for the chief.
for job in worker ps; do
  { graphrun two.plan --steps 30 --job_name $job "${hosts[@]}" & } >stopped.txt 2>&1
  pid=$!
  await stopped.txt 'waiting for'
  kill -TERM $pid
  wait $pid
  expect stopped.txt "/job:$job/task:0: stopped while waiting for the .*, as asked" "$job stops while it waits"
done

# Two runs of one plan at once, on other ports.
for run in 10 20; do
  hosts=(--ps_hosts "localhost:$((base + run))" --worker_hosts "localhost:$((base + run + 1)),localhost:$((base + run + 2))")
  task "ps$run" two.plan --steps 30 --job_name ps "${hosts[@]}"
  task "w0$run" two.plan --steps 30 --job_name worker "${hosts[@]}" --dump_variables "by-hand$run"
done
for run in 10 20; do
  hosts=(--ps_hosts "localhost:$((base + run))" --worker_hosts "localhost:$((base + run + 1)),localhost:$((base + run + 2))")
  task "w1$run" two.plan --steps 30 --job_name worker --task_index 1 "${hosts[@]}"
done
status ps10 w010 w110 ps20 w020 w120
same_weights launched by-hand10
same_weights launched by-hand20

# Files and environment; what is not used is said.
echo "{\"cluster\": {\"ps\": [\"localhost:$base\"], \"worker\": [\"localhost:$((base + 1))\", \"localhost:$((base + 2))\"]}}" >cluster.json
task ps two.plan --steps 5 --job_name ps --cluster cluster.json
task w1 two.plan --steps 5 --job_name worker --task_index 1 --cluster cluster.json
TF_CONFIG="$(sed 's/}}$/}, "task": {"type": "worker", "index": 0}}/' cluster.json)" task w0 two.plan --steps 5
status ps w0 w1
expect w0.txt 'TF_CONFIG' "it says that it used TF_CONFIG"
TF_CONFIG='{"cluster": {"worker": ["a:1"]}}' timeout 60 graphrun two.plan --steps 5 --job_name ps >refused.txt 2>&1
[ $? -eq 2 ] || fail "no addresses: exit status 2"
expect refused.txt 'TF_CONFIG' "it says why TF_CONFIG was not used"
expect refused.txt '--ps_hosts localhost:PORT.*--cluster FILE' "it says what is missing"

refuse() { # PATTERN ARGUMENTS…
  local pattern=$1; shift
  timeout 20 graphrun "$@" >refused.txt 2>&1
  [ $? -eq 2 ] || fail "exit status 2 of graphrun $*"
  expect refused.txt "$pattern" "graphrun $* must say '$pattern'"
}
refuse 'mutual TLS; give --tls_cert' two.plan --job_name ps --ps_hosts 10.0.0.7:1 --worker_hosts localhost:2,localhost:3
refuse 'worker:1 is 10.0.0.7:3.*--local.*--job_name' two.plan --ps_hosts localhost:1 --worker_hosts localhost:2,10.0.0.7:3
timeout 60 graphrun two.plan --steps 5 --local --ps_hosts localhost:1 --worker_hosts localhost:2,10.0.0.7:3 >out.txt 2>&1 || fail "--local"
refuse 'worker' two.plan --job_name ps --ps_hosts localhost:1 --worker_hosts localhost:2
XDG_STATE_HOME= HOME=/dev/null refuse 'secret by which this user.s tasks know each other.*XDG_STATE_HOME.*/dev/null' two.plan --job_name ps "${hosts[@]}"
refuse '--task_index 7.*2 tasks of job worker' two.plan --job_name worker --task_index 7
echo "by hand, in three orders; nine refusals"
