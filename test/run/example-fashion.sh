#!/usr/bin/env bash
# examples/fashion-mnist: five epochs as separate processes reach 0.86 on the test images, with each of its cluster files.
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
  awk -v a="$reached" 'BEGIN { exit !(a >= 0.86 && a <= 1) }' || fail "accuracy $reached, $cluster"
  echo "$cluster: test accuracy $reached"
  if [ $cluster = sync ]; then   # 5 · 60,000 / (2 · 128), rounded up
    steps=$(python3 -c 'import json; print(json.load(open("stats.json"))["tasks"]["/job:worker/task:0"]["steps"])')
    [ "$steps" -eq 1172 ] || fail "1172 steps, got $steps"
  fi
done
