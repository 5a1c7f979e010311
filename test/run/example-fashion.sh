#!/usr/bin/env bash
# examples/fashion-mnist: five epochs as separate processes reach 0.86 on the test images; async and 2 PS + 3 workers 0.83.
set -uo pipefail
example=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../examples/fashion-mnist" && pwd)
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
fail() { echo "wrong: $1"; tail -n 40 "$box"/*.txt; exit 1; }
cd "$box" || exit 1
accuracy() { python3 -c 'import json, sys; print(json.load(open("stats.json"))["final"]["accuracy"])'; }

for cluster in sync async 2ps-3workers; do
  graphc --partition "$example/cluster-$cluster.json" "$example/model.mlir" -o model.plan 2>table.txt || fail "graphc, $cluster"
  timeout 200 graphrun model.plan --epochs 5 --stats stats.json >out.txt 2>err.txt || fail "graphrun, $cluster"
  reached=$(accuracy) || fail "no accuracy in the statistics, $cluster"
  # Asynchronous updates at this rate reached 0.848 to 0.867 in four runs, three workers (782 steps) 0.855: docs/open.md.
  least=0.86
  [ $cluster = sync ] || least=0.83
  awk -v a="$reached" -v least=$least 'BEGIN { exit !(a >= least && a <= 1) }' || fail "accuracy $reached, $cluster"
  echo "$cluster: test accuracy $reached"
  if [ $cluster = sync ]; then   # 5 · 60,000 / (2 · 128), rounded up
    steps=$(python3 -c 'import json; print(json.load(open("stats.json"))["tasks"]["/job:worker/task:0"]["steps"])')
    [ "$steps" -eq 1172 ] || fail "1172 steps, got $steps"
  fi
done
