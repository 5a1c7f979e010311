#!/usr/bin/env bash
# A plan for a CPU that is not this one, older of another maker or newer, is refused before it runs, by the features that are missing,
# and graphrun check finds it; one for what every x86-64 has runs. Launched, and by a server.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
two='{"worker": 1, "ps": 1, "strategy": "parameter_server"}'
for cpu in bdver4:fma4,.*\ tbm,\ xop diamondrapids:egpr; do
  name=${cpu%%:*} missing=${cpu#*:}
  for cluster in '{"worker": 1}' "$two"; do
    echo "$cluster" >cluster.json
    graphc --partition cluster.json --target-cpu=$name "$here/models/mlp.mlir" -o other.plan 2>graphc.txt || fail "graphc, $name"
    timeout 60 graphrun other.plan --steps 3 >out.txt 2>err.txt
    status=$?
    [ $status -eq 1 ] || fail "$name: exit status 1, got $status"
    one_error_line err.txt
    expect err.txt "was compiled with --target-cpu=$name and needs .*$missing.*, which this CPU \(.*\) does not have.*; compile it again" "$name is refused by its features"
    grep -q 'Illegal instruction' err.txt && fail "$name: it ran"
    timeout 60 graphrun check other.plan >out.txt 2>err.txt
    [ $? -eq 1 ] || fail "$name: graphrun check finds nothing wrong"
    expect out.txt "needs .*$missing.*, which this CPU" "graphrun check of $name"
  done
done
graphc --partition cluster.json --target-cpu=x86-64 "$here/models/mlp.mlir" -o any.plan 2>graphc.txt || fail "graphc, x86-64"
run any.plan --steps 3
nothing_left
echo "two other CPUs refused, any x86-64 runs"
