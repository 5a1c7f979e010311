#!/usr/bin/env bash
# What a neighbour's flood of a port costs a run that trains by hand over gRPC on this machine: one parameter server, two workers, the
# chief's port flooded by one process that does not know the secret.   test/bench/run.sh flood [--rounds N]
# One JSON object a line: the mean step without (none) and with each flood, and beside a process that only computes (busy), since any
# neighbour takes a part of the cores; the last lines are ratios.
source "$(dirname "${BASH_SOURCE[0]}")/../run/harness.bash"
rounds=3
case ${1:-} in
  "") ;;
  --rounds) rounds=$2 ;;
  *) echo "flood: unknown argument '$1'; known: --rounds N" >&2; exit 2 ;;
esac
bench=$GRAPHC_ROOT/test/run
MODEL=$bench/models/mlp.mlir plan two 2 1 sync
steps=${STEPS:-4000}

measure() { # KIND: the run's mean step in milliseconds
  local base=$((20000 + RANDOM % 20000)) flood= hosts
  hosts=(--ps_hosts "127.0.0.1:$base" --worker_hosts "127.0.0.1:$((base + 1)),127.0.0.1:$((base + 2))" --transport grpc --steps "$steps")
  aside w0 graphrun two.plan --job_name worker "${hosts[@]}" --stats stats.json
  aside w1 graphrun two.plan --job_name worker --task_index 1 "${hosts[@]}"
  aside ps graphrun two.plan --job_name ps "${hosts[@]}"
  case $1 in
    none) ;;
    busy) { timeout 60 sh -c 'while :; do :; done' & } >/dev/null 2>&1; flood=$! ;;
    *) { timeout 60 python3 "$bench/neighbour.py" "$1" $((base + 1)) 60 & } >/dev/null 2>&1; flood=$! ;;
  esac
  for _ in $(seq 600); do [ -s w0.rc ] && break; sleep 0.1; done
  [ -z "$flood" ] || kill "$flood" || fail "$1 goes on until the run ends"
  wait
  [ "$(cat w0.rc)" = 0 ] || fail "the run beside $1"
  python3 - "$1" <<'PY'
import json, sys
tasks = json.load(open("stats.json"))["tasks"].values()
print(json.dumps(dict(peer="graphc", case="flood", beside=sys.argv[1], mean_ms=round(max(1e3 / t["steps_per_s"] for t in tasks), 4))))
PY
}
for _ in $(seq "$rounds"); do
  for kind in none busy big resets idle garbage calls; do measure $kind; done
done | tee rows.jsonl
python3 - <<'PY'
import json, statistics
rows = {}
for line in open("rows.jsonl"):
    found = json.loads(line)
    rows.setdefault(found["beside"], []).append(found["mean_ms"])
means = {kind: statistics.median(found) for kind, found in rows.items()}
for kind in means:
    if kind not in ("none", "busy"):
        print(json.dumps(dict(ratio=f"flood {kind}", to_none=round(means[kind] / means["none"], 2), to_busy=round(means[kind] / means["busy"], 2), required_to_none=2)))
PY
