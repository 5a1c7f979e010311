# Sourced by the end-to-end tests of this folder: a scratch folder, plans of models/mlp.mlir, and what must be true after each run.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
box=$(mktemp -d)
export XDG_STATE_HOME=$box/state TMPDIR=$box/tmp
unset TF_CONFIG
mkdir "$box/tmp" "$box/state"
trap 'end_children; rm -rf "$box"' EXIT
cd "$box" || exit 1

end_children() { local pids; pids=$(jobs -p); [ -z "$pids" ] || kill -9 $pids 2>/dev/null; }
fail() {
  echo "wrong: $1"
  for file in "$box"/*.txt; do [ -s "$file" ] && { echo "-- $(basename "$file")"; tail -30 "$file"; }; done
  exit 1
}
expect() { grep -qE -- "$2" "$1" || fail "${3:-$1 must say '$2'}"; }
one_error_line() { # FILE: what the user reads is one line
  local lines; lines=$(grep -c '^graphrun: ' "$1")
  [ "$lines" -eq 1 ] || fail "one line of error in $1, got $lines"
}

# compile NAME CLUSTER: a cluster's JSON becomes NAME.json and, with the model, NAME.plan.
compile() {
  echo "$2" >"$1.json"
  graphc --partition "$1.json" "${MODEL:-$here/models/mlp.mlir}" -o "$1.plan" 2>graphc.txt || fail "graphc, $1"
}
# plan NAME WORKERS PS UPDATE [MORE_SETTINGS], or plan NAME one_device MICRO_BATCHES
plan() {
  if [ "$2" = one_device ]; then
    compile "$1" "{\"worker\": 1, \"strategy\": {\"name\": \"one_device\", \"micro_batches\": $3}}"
  else
    compile "$1" "{\"worker\": $2, \"ps\": $3, \"strategy\": {\"name\": \"parameter_server\", \"update\": \"$4\"${5:-}}}"
  fi
}
# Addresses of N workers, each on a host of its own: what graphc compiles for several hosts. graphrun starts all here, for it sees none.
apart() { seq -f '"host%g:2222"' -s ', ' "$1"; }
same_weights() { diff -r "$1" "$2" >/dev/null || fail "the weights of $1 and $2 differ: $(diff -rq "$1" "$2" | head -3)"; }

fingerprint() { python3 -c 'import sys; print(open(sys.argv[1], "rb").read()[24:56].hex())' "$1"; } # of a plan

# run ARGUMENTS…: graphrun, which has to end well.
run() { timeout 120 graphrun "$@" >out.txt 2>err.txt || fail "graphrun $*"; }
# What goes to the background gets its files from the shell in front, `{ … & } >FILE`, so that they are new before anything waits for a
# line in them: `… >FILE &` empties them some time later, and `await` finds what the run before has said.
# launch COMMAND…: in the background, its output in out.txt and err.txt, its process in $launcher.
launch() { { "$@" & } >out.txt 2>err.txt; launcher=$!; }
# ends [SECONDS]: what was launched has to end within so many, three minutes; the exit status is its own.
ends() { timeout "${1:-180}" tail -s 0.1 --pid="$launcher" -f /dev/null || fail "what was launched ends within ${1:-180} s"; wait "$launcher"; }
# With --fetch loss: steps made so far, one line each; more N [SECONDS]: waits for N more within so many seconds, a minute. $before: those
# made when it began, $took: the milliseconds that it took.
steps() { wc -l <out.txt; }
more() {
  local begin; before=$(steps) begin=$(date +%s%3N)
  for _ in $(seq $((${2:-60} * 50))); do
    [ "$(steps)" -ge $((before + $1)) ] && { took=$(($(date +%s%3N) - begin)); return; }
    sleep 0.02
  done
  return 1
}
# aside NAME COMMAND…: in the background, its output in NAME.txt and its exit status in NAME.rc. status NAME…: all have ended, with $want
# or 0.
aside() {
  local name=$1; shift
  rm -f "$name.rc"
  { { timeout 60 "$@"; echo $? >"$name.rc"; } & } >"$name.txt" 2>&1
}
status() { wait; for name in "$@"; do [ "$(cat "$name.rc")" = "${want:-0}" ] || fail "$name: exit status $(cat "$name.rc")"; done; }
# Addresses of one parameter server and two workers on this machine, from the port $base on, as flags in $hosts.
take_ports() {
  base=$((20000 + RANDOM % 20000))
  hosts=(--ps_hosts "localhost:$base" --worker_hosts "127.0.0.1:$((base + 1)),localhost:$((base + 2))")
}
# tls TASK [FOLDER]: the flags of a task, "ps-0", whose files `graphrun certs` has made.
tls() { echo "--tls_cert ${2:-certs}/$1.crt --tls_key ${2:-certs}/$1.key --tls_ca ${2:-certs}/ca.crt"; }

# The process of a task that the launcher $1 has started.
task_pid() { pgrep -P "$1" -f -- "--job_name=$2 --task_index=$3"; }
# Waits until DIR has a checkpoint.
await_checkpoint() {
  for _ in $(seq 1200); do compgen -G "$1/step-*[0-9]/manifest.json" >/dev/null && return; sleep 0.05; done
  fail "a checkpoint in $1 within a minute"
}
# dies PLAN INDEX: worker INDEX is killed while PLAN trains with checkpoints in ckpt-PLAN-INDEX; graphrun ends and names it.
dies() {
  local folder=ckpt-$1-$2 launcher
  launch graphrun "$1.plan" --steps 100000000 --checkpoint_dir "$folder" --checkpoint_every_steps 50
  await_checkpoint "$folder"
  kill -9 "$(task_pid $launcher worker "$2")" || fail "no process of worker:$2"
  ends
  [ $? -eq 1 ] || fail "exit status 1 after the death of worker:$2"
  expect err.txt "^graphrun: /job:worker/task:$2 \(process [0-9]+ on .*\) was killed by signal 9" "root cause worker:$2"
  nothing_left
}
# Waits until FILE matches PATTERN.
await() {
  for _ in $(seq 600); do grep -qE -- "$2" "$1" 2>/dev/null && return; sleep 0.1; done
  fail "${3:-$1 says '$2' within a minute}"
}
# Nothing of this test's runs is left: no process (with it go its sockets and memory), no temporary file.
nothing_left() {
  local left pid
  for _ in $(seq 100); do
    left=
    for pid in $(pgrep graphrun); do [ "$(readlink "/proc/$pid/cwd")" = "$box" ] && left+=" $pid"; done
    [ -z "$left" ] && break
    sleep 0.1
  done
  [ -z "$left" ] || fail "processes are left behind:$left"
  [ -z "$(ls -A "$box/tmp")" ] || fail "files are left behind: $(ls -A "$box/tmp")"
}
