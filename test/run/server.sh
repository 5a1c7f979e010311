#!/usr/bin/env bash
# graphrun server: servers in any order, early ones wait and say for whom; a client with --master drives them, one after the other, with
# the weights of one device; a second client while they are busy is refused by name; a killed client leaves the servers waiting; a killed
# server ends the client with its name; SIGTERM ends a server in good order, also in the middle of a run.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
a=$(port) b=$(port) c=$(port)
master=grpc://localhost:$a
echo "{\"worker\": [\"localhost:$a\", \"localhost:$b\", \"localhost:$c\"], \"strategy\": \"mirrored\"}" >cluster.json
graphc --partition cluster.json "$here/models/mlp.mlir" -o many.plan 2>graphc.txt || fail "graphc"
plan one one_device 3
timeout 120 graphrun one.plan --steps 40 --dump_variables one >out.txt 2>err.txt || fail "one device"

server() { # INDEX; its pid in $!
  { graphrun server --job_name worker --task_index "$1" --cluster cluster.json & } >"server$1.txt" 2>&1
}
idle() { # INDEX LOG: it waits as the last thing it said
  for _ in $(seq 300); do tail -1 "server$1.txt" | grep -q "waits for a client, /job:worker/task:0 at localhost:$a" && return; sleep 0.1; done
  fail "server $1 waits for a client"
}
server 2; two=$!
idle 2
# The client comes before the last server, and says whom it waits for.
launch graphrun many.plan --master "$master" --steps 40 --dump_variables early
client=$launcher
await err.txt 'waiting for /job:worker/task:1' "the client says which server is missing"
server 1; one=$!
wait $client || fail "the first client"
same_weights one early
expect server1.txt 'runs mlp.mlir for process [0-9]+ on ' "the server says whose run it is"
await server1.txt 'the run has finished'
idle 1; idle 2

# The same servers, the next clients: over gRPC, and another plan of the same cluster.
timeout 120 graphrun many.plan --master "$master" --steps 40 --transport grpc --dump_variables again >out.txt 2>err.txt || fail "the second client"
same_weights one again
idle 1
printf '{"worker": 3, "strategy": "in_graph"}' >alone.json
graphc --partition alone.json "$here/models/mlp.mlir" -o alone.plan 2>graphc.txt || fail "graphc, in_graph"
timeout 60 graphrun alone.plan --master "$master" --steps 3 >out.txt 2>err.txt || fail "another plan"
idle 1

# Data files that the client alone has, in a folder that its own folder holds: the servers have none and need none.
mkdir -p client/data
python3 - <<'PY'
import struct
open("client/data/images", "wb").write(struct.pack(">HBB3I", 0, 8, 3, 50, 2, 3) + bytes(i * 7 % 256 for i in range(300)))
open("client/data/labels", "wb").write(struct.pack(">HBBI", 0, 8, 1, 50) + bytes(i % 3 for i in range(50)))
PY
MODEL=$here/models/idx.mlir
compile filed-3 '{"worker": 3, "strategy": "mirrored"}'
compile filed-1 '{"worker": 3, "strategy": "in_graph", "placement": [{"name": "w", "device": "/job:worker/task:2"}]}'
for n in 1 3; do
  plan filed-one one_device $n
  timeout 60 graphrun filed-one.plan --data_dir client/data --steps 40 --dump_variables "filed-one-$n" >out.txt 2>err.txt || fail "one device, data files"
  (cd client && timeout 60 graphrun "../filed-$n.plan" --master "$master" --data_dir data --steps 40 --dump_variables "$box/filed-$n") >out.txt 2>err.txt ||
    fail "filed-$n with the client's data files"
  same_weights "filed-one-$n" "filed-$n"
  idle 1; idle 2
done
unset MODEL

# While a client is there, another one is told who.
{ graphrun many.plan --master "$master" --steps 100000000 & } >long.txt 2>&1
client=$!
await long.txt 'step [1-9]' "the long run trains"
timeout 60 graphrun many.plan --master "$master" --steps 3 >out.txt 2>err.txt && fail "a second client must be refused"
expect err.txt "the cluster is busy: its client at localhost:$a is process $client on .*, which runs mlp.mlir" "the refusal names the client"
# The client dies: the servers notice and wait again.
kill -9 $client
wait $client 2>/dev/null
await server1.txt 'the run has failed' "server 1 notices that its client died"
idle 1; idle 2
timeout 120 graphrun many.plan --master "$master" --steps 40 --dump_variables after >out.txt 2>err.txt || fail "a client after a killed one"
same_weights one after
idle 1; idle 2

# A plan for another cluster is refused with both sides' tasks, and leaves the servers waiting.
compile two '{"worker": 2, "strategy": "mirrored"}'
timeout 60 graphrun two.plan --master "$master" --steps 3 >out.txt 2>err.txt && fail "a plan for two workers must be refused"
expect err.txt "the server's cluster has the tasks 3 worker, the plan of mlp.mlir is for 2 worker"

# A server dies: the client ends and names it.
{ graphrun many.plan --master "$master" --steps 100000000 & } >long.txt 2>&1
client=$!
await long.txt 'step [1-9]' "the long run trains"
kill -9 $two
wait $client && fail "the client must fail"
expect long.txt '/job:worker/task:2.*is gone' "the client names the lost server"
idle 1
server 2; two=$!

# SIGTERM in the middle of a run: everyone ends at a step's boundary, the server with it.
{ graphrun many.plan --master "$master" --steps 100000000 & } >long.txt 2>&1
client=$!
await long.txt 'step [1-9]' "the long run trains"
kill -TERM $one
wait $client && fail "a stopped run has not finished"
expect long.txt 'stopped at step [0-9]+ of 100000000 as asked'
wait $one || fail "a server that is told to stop ends with 0, got $?"
expect server1.txt 'shut down as asked'
kill -TERM $two
wait $two || fail "an idle server ends with 0, got $?"
grep -h CANCELLED server?.txt && fail "what a client says while it ends is no reason"

# What cannot be is said at once.
refused() { # PATTERN ARGUMENTS…
  local pattern=$1; shift
  timeout 20 graphrun "$@" >out.txt 2>err.txt
  [ $? -eq 2 ] || fail "exit status 2 of graphrun $*"
  expect err.txt "$pattern"
}
refused 'is the chief of this cluster, which is the client.s place: graphrun model.plan --master grpc://localhost' server --job_name worker --cluster cluster.json
refused 'there is no /job:worker/task:7 in cluster.json' server --job_name worker --task_index 7 --cluster cluster.json
refused 'the client brings the plan: leave many.plan out' server many.plan --job_name worker --task_index 1 --cluster cluster.json
refused '--steps is for the client' server --steps 3 --job_name worker --task_index 1 --cluster cluster.json
refused 'has no addresses for job worker' server --job_name worker --task_index 1 --cluster two.json
refused 'expected grpc://host:port' many.plan --master localhost:$a
graphc "$here/models/mlp.mlir" -o one.plan 2>graphc.txt || fail "graphc, one device"
refused 'the plan has one task, /job:worker/task:0, which is this process' one.plan --master "$master"
refused 'leave --job_name out' many.plan --master "$master" --job_name worker
nothing_left
echo "servers: seven clients, one killed; one server killed, two told to stop"
