#!/usr/bin/env bash
# Compiled plans, synchronous and asynchronous, under 1,000 seeds each of delay, of loss and of death (10,000 with --long): every
# run ends with the right values or an error that names its cause, never stuck.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
sim=${GRAPHC_BUILD:-$here/../../build/release}/test/bin/plan-sim
if [ -n "${GRAPHC_LONG:-}" ]; then seeds=10000; else seeds=1000; fi
plan sync 2 1 sync
plan sync-2ps 3 2 sync
plan async 2 1 async
plan async-2ps 3 2 async
plan stale-2ps 3 2 async ', "max_staleness": 1'
echo '{"worker": 3, "strategy": "all_reduce"}' >all-reduce.json
graphc --partition all-reduce.json "$here/models/mlp.mlir" -o all-reduce.plan 2>graphc.txt || fail "graphc, all_reduce"
graphc --partition all-reduce.json "$here/../../examples/linear-regression/model.mlir" -o one-sum.plan 2>graphc.txt || fail "graphc, one sum a step"
plan backup-2ps 3 2 sync ', "replicas_to_aggregate": 2'
for order in reproducible fast; do # gradients in chunks
  echo "{\"worker\": [$(apart 3)], \"strategy\": {\"name\": \"all_reduce\", \"order\": \"$order\", \"bucket_bytes\": 1}}" >chunks.json
  graphc --partition chunks.json "$here/models/wide.mlir" -o $order.plan 2>graphc.txt || fail "graphc, $order"
done
for name in all-reduce one-sum reproducible fast sync sync-2ps async async-2ps stale-2ps backup-2ps; do
  timeout 600 "$sim" $name.plan --seeds $seeds --delay 50000 >seeds.txt 2>&1 || fail "$name, delays"
  timeout 600 "$sim" $name.plan --seeds $seeds --delay 50000 --loss 0.004 >seeds.txt 2>&1 || fail "$name, losses"
  timeout 600 "$sim" $name.plan --seeds $seeds --delay 50000 --loss 0.001 --death 0.003 >seeds.txt 2>&1 || fail "$name, deaths"
  cat seeds.txt
done
