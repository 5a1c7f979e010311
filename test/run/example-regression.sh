#!/usr/bin/env bash
# examples/linear-regression: the losses that can be worked out on paper, from 1 PS + 2 workers and from one device.
set -uo pipefail
example=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../examples/linear-regression" && pwd)
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
fail() { echo "wrong: $1"; cat "$box"/*.txt; exit 1; }
cd "$box" || exit 1

# The first number after "loss" of each line on standard output.
losses() { grep -oE 'loss[^0-9-]*[0-9][0-9.e+-]*' out.txt | grep -oE '[0-9][0-9.e+-]*$'; }
check() { # within float32 rounding of 400 · 0.16^step
  losses | awk 'BEGIN { want = 400 } { d = $1 / want - 1; if (d > 1e-5 || d < -1e-5) exit 1; want *= 0.16; n++ } END { exit n != 6 }'
}
graphc --partition "$example/cluster.json" "$example/model.mlir" -o two.plan 2>table.txt || fail "graphc"
timeout 60 graphrun two.plan --fetch loss --steps 6 >out.txt 2>err.txt || fail "graphrun, 1 PS + 2 workers"
check || fail "losses of 1 PS + 2 workers"
losses >two
graphc "$example/model.mlir" -o one.plan 2>table.txt || fail "graphc on one device"
timeout 60 graphrun one.plan --fetch loss --steps 6 >out.txt 2>err.txt || fail "graphrun on one device"
check || fail "losses of one device"
losses | cmp - two || fail "the two runs print the same digits"
echo "400, 64, 10.24, … from two workers and from one device"
