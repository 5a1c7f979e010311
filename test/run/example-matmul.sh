#!/usr/bin/env bash
# examples/distributed-matmul: 200 steps, each prints [[20]], on two processes; then the same on one device.
set -uo pipefail
example=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../examples/distributed-matmul" && pwd)
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
fail() { echo "wrong: $1"; cat "$box"/*.txt; exit 1; }
cd "$box" || exit 1

graphc --partition "$example/cluster.json" "$example/model.mlir" -o matmul.plan 2>table.txt || fail "graphc"
grep -q '/job:ps/task:0/device:CPU:0' table.txt || fail "the table names the parameter server"
grep -q '/job:worker/.*device:CPU:0' table.txt || fail "the table names the worker"
for transport in shm grpc; do
  timeout 60 graphrun matmul.plan --fetch mat --steps 200 --transport="$transport" >out.txt 2>err.txt || fail "graphrun over $transport"
  [ "$(grep -c '\[\[20\]\]' out.txt)" -eq 200 ] || fail "200 lines of [[20]] over $transport, got $(grep -c '\[\[20\]\]' out.txt)"
done

graphc "$example/model.mlir" -o one.plan 2>table.txt || fail "graphc on one device"
timeout 60 graphrun one.plan --fetch mat --steps 3 >out.txt 2>err.txt || fail "graphrun on one device"
[ "$(grep -c '\[\[20\]\]' out.txt)" -eq 3 ] || fail "three lines of [[20]] on one device"
echo "a product across two processes, 200 times"
