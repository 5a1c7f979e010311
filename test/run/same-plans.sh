#!/usr/bin/env bash
# The same model and cluster give the same plan, byte for byte, from two directories and with and without MLIR's threads;
# two synchronous runs leave the same checkpoint, byte for byte.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
examples=$(cd "$here/../../examples" && pwd)
mkdir -p a/deeper/folder b
for example in distributed-matmul linear-regression fashion-mnist; do
  cp "$examples/$example"/*.json "$examples/$example/model.mlir" a/deeper/folder
  cp "$examples/$example"/*.json "$examples/$example/model.mlir" b
  for cluster in "$examples/$example"/cluster*.json; do
    cluster=$(basename "$cluster")
    (cd a/deeper/folder && graphc --partition "$cluster" model.mlir -o ../../../first.plan) 2>graphc.txt || fail "graphc, $example $cluster"
    (cd b && graphc --partition "$cluster" model.mlir --mlir-disable-threading -o ../second.plan) 2>graphc.txt || fail "graphc in b, $example $cluster"
    cmp first.plan second.plan || fail "the plans of $example, $cluster, differ"
  done
done
# The comparison can fail: another model gives another plan.
sed 's/0\.05/0.06/' b/model.mlir >b/other.mlir
graphc --partition b/cluster-sync.json b/other.mlir -o other.plan 2>graphc.txt || fail "graphc, another rate"
graphc --partition b/cluster-sync.json b/model.mlir -o model.plan 2>graphc.txt || fail "graphc, this rate"
cmp -s model.plan other.plan && fail "another learning rate must give another plan"

plan two 2 1 sync
for run in first second; do
  timeout 120 graphrun two.plan --steps 30 --checkpoint_dir "$run" >out.txt 2>err.txt || fail "graphrun, $run"
done
(cd first && find . -type f | sort) >first.txt
(cd second && find . -type f | sort) >second.txt
[ -s first.txt ] && cmp first.txt second.txt || fail "the two checkpoints have the same files, at least one"
while read -r file; do
  cmp "first/$file" "second/$file" || fail "$file of the two checkpoints differs"
done <first.txt
echo "plans and $(wc -l <first.txt) checkpoint files are the same, byte for byte"
