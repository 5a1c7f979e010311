#!/usr/bin/env bash
# Another user of the machine: a false chief for waiting servers and for tasks by hand, one who listens at the chief's port, one who
# wants to join, floods of the ports of a run. Nothing of the victim's is run, shown, ended or slowed for good, and its memory does not grow.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
[ "$(id -u)" -eq 0 ] || { echo "skipped: only root can be two users"; exit 77; }
# Users of this test alone: numbers that no account has. What both run lies where both can read it.
victim=61001 neighbour=61002
for user in $victim $neighbour; do getent passwd $user >/dev/null && fail "the number $user is an account's here"; done
chmod 711 "$box" && mkdir -p bin lib v n && chown $victim v && chown $neighbour n && chmod 700 v n
cp "$GRAPHC_BUILD/bin/graphrun" bin/ && cp "$GRAPHC_BUILD/lib/libgraphc_onednn.so" lib/ && cp "$here/neighbour.py" bin/ || fail "what both run"
as() { # NAME USER FOLDER: makes a command that runs another as that user, in that folder, with a home and a key of its own
  cat >"bin/$1" <<SH
#!/bin/sh
cd "$box/$3" && exec setpriv --reuid $2 --regid $2 --clear-groups env -u XDG_RUNTIME_DIR HOME="$box/$3" XDG_STATE_HOME="$box/$3/state" \
  TMPDIR="$box/$3" "\$@"
SH
  chmod 755 "bin/$1"
}
as asv $victim v
as asn $neighbour n
export PATH=$box/bin:$PATH
port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
peak() { awk '/^VmHWM/ { print $2 }' "/proc/$1/status"; } # KiB
ended() { # NAME: what `aside` began has ended
  for _ in $(seq 600); do [ -s "$1.rc" ] && return; sleep 0.1; done
  fail "$1 ends within a minute"
}
plan two 2 1 sync
a=$(port) b=$(port)
echo "{\"worker\": [\"localhost:$a\", \"localhost:$b\"], \"strategy\": \"mirrored\"}" >servers.json
graphc --partition servers.json "$here/models/mlp.mlir" -o many.plan 2>graphc.txt || fail "graphc"
cp two.plan many.plan servers.json v/; cp two.plan many.plan servers.json n/; chmod 644 v/* n/*
asv timeout 60 graphrun two.plan --steps 300 --dump_variables alone >out.txt 2>err.txt || fail "the victim's run, launched"

# A waiting server, and a client of another user where its chief would be.
{ asv graphrun server --job_name worker --task_index 1 --cluster servers.json & } >server.txt 2>&1
await server.txt 'waits for a client'
asn timeout 60 graphrun many.plan --master grpc://localhost:$a --steps 3 --join_deadline 3 >false.txt 2>&1
[ $? -eq 1 ] || fail "the false client has exit status 1"
expect server.txt "no client at localhost:$a: what listens there does not know this run's secret: it is another user's process"
expect false.txt 'worker/task:1' "the false client misses the server"
grep -q 'runs mlp' server.txt && fail "the server has run another user's plan"
# One that only listens hears a greeting and random numbers: 40 bytes of each who calls.
aside heard asn python3 "$box/bin/neighbour.py" listen $a 4
sleep 0.5
asv timeout 60 graphrun many.plan --job_name worker --task_index 1 --cluster servers.json --join_deadline 30 >join.txt 2>&1
[ $? -eq 1 ] || fail "a task that finds a stranger where its chief should be has exit status 1"
expect join.txt 'the chief /job:worker/task:0 at localhost:.*: what listens there does not know this run.s secret'
ended heard
[ "$(grep -c . heard.txt)" -ge 2 ] || fail "somebody called the listener"
grep -vqE '^[0-9a-f]{0,80}$' heard.txt && fail "a caller has said more than a greeting"
key=$(od -An -tx1 v/state/graphc/key | tr -d ' \n' | head -c 64)
grep -q "$key" heard.txt && fail "the key was heard"
# The victim's own client is served as ever.
asv timeout 60 graphrun many.plan --master grpc://localhost:$a --steps 3 >out.txt 2>err.txt || fail "the server's own client"
await server.txt 'the run has finished'
kill $(pgrep -u $victim -f 'graphrun server') || fail "no server"

# Tasks by hand that train over gRPC, with few descriptors; the neighbour floods the chief's port, and a worker's.
base=$((20000 + RANDOM % 20000))
hosts=(--ps_hosts "127.0.0.1:$base" --worker_hosts "127.0.0.1:$((base + 1)),127.0.0.1:$((base + 2))")
hand() { aside "$1" asv sh -c 'ulimit -n 300; exec "$@"' sh graphrun two.plan --transport grpc "${@:2}" "${hosts[@]}"; }
training=(--steps 100000000 --checkpoint_dir saved --checkpoint_every_seconds 1)
hand w0 --job_name worker "${training[@]}"
hand w1 --job_name worker --task_index 1 "${training[@]}"
hand ps --job_name ps "${training[@]}"
await_checkpoint v/saved
chief=$(pgrep -u $victim -f -- '--job_name worker --steps') worker=$(pgrep -u $victim -f -- '--job_name worker --task_index 1')
before=$(peak "$chief") beforeWorker=$(peak "$worker")
newest() { ls v/saved | grep -oE '[0-9]+$' | sort -n | tail -1; }
for kind in big resets idle garbage calls; do
  saved=$(newest)
  for at in $((base + 1)) $((base + 2)); do aside "flood-$at" asn python3 "$box/bin/neighbour.py" $kind $at 2.5; done
  for at in $((base + 1)) $((base + 2)); do
    ended "flood-$at"
    [ "$(cat "flood-$at.rc")" = 0 ] || fail "the neighbour's $kind"
  done
  [ "$(newest)" -gt "$saved" ] || fail "a checkpoint is written during $kind"
done
# Who asks to be a task of the run does not come as far as its name.
asn timeout 60 graphrun two.plan --steps 3 --transport grpc --job_name worker --task_index 1 --ps_hosts "127.0.0.1:$base" \
  --worker_hosts "127.0.0.1:$((base + 1)),127.0.0.1:$(port)" >joins.txt 2>&1
[ $? -eq 1 ] || fail "the neighbour's task is refused"
expect joins.txt "does not know this run's secret"
grown=$(($(peak "$chief") - before)) grownWorker=$(($(peak "$worker") - beforeWorker))
[ $grown -le 32768 ] && [ $grownWorker -le 32768 ] || fail "the floods cost the chief $grown KiB, a worker $grownWorker"
kill -TERM "$chief"
for name in w0 w1 ps; do ended $name; done
[ "$(cat w0.rc)" = 1 ] && expect w0.txt 'stopped at step [0-9]+ of 100000000 as asked' "the run goes on through the floods until it is asked to stop"

# A run that comes together while its ports are flooded does come together.
for at in $((base + 1)) $((base + 2)); do for i in 1 2 3; do aside "idle-$at-$i" asn python3 "$box/bin/neighbour.py" idle $at 8; done; done
sleep 0.3
whole=(--steps 300 --dump_variables flooded)
hand w0 --job_name worker "${whole[@]}"
hand w1 --job_name worker --task_index 1 "${whole[@]}"
hand ps --job_name ps "${whole[@]}"
for name in w0 w1 ps; do ended $name; [ "$(cat $name.rc)" = 0 ] || fail "$name, whose ports were flooded when it came"; done
same_weights v/alone v/flooded
pkill -u $neighbour python3; wait

# A launched run has no address at all: of all sockets that the machine shows, the neighbour can call none of it.
{ asv graphrun two.plan --steps 100000000 --checkpoint_dir launched --checkpoint_every_seconds 1 --transport grpc & } >launched.txt 2>&1
await_checkpoint v/launched
asn python3 - >called.txt <<'PY'
import socket
for line in open("/proc/net/unix").readlines()[1:]:
    fields = line.split(None, 7)
    if len(fields) < 8 or "graphc" not in fields[7]:
        continue
    name = fields[7].rstrip("\n")
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
        try:
            socket.socket(socket.AF_UNIX, kind).connect("\0" + name[1:] if name.startswith("@") else name)
            print("called", name)
        except OSError:
            pass
PY
[ -s called.txt ] && fail "the neighbour has called $(head -1 called.txt)"
launcher=$(pgrep -u $victim -o -f 'graphrun two.plan')
kill -TERM "$launcher"
timeout 60 tail -s 0.1 --pid="$launcher" -f /dev/null || fail "the launched run ends"
pgrep -u $victim,$neighbour >/dev/null && fail "a process of the two users is left: $(pgrep -u $victim,$neighbour -a)"
ls -d v/graphc-* n/graphc-* 2>/dev/null && fail "a socket's folder is left"
echo "another user: no word, no plan, no task; five floods cost the chief $grown KiB and the worker $grownWorker"
