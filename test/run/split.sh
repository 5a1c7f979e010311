#!/usr/bin/env bash
# placement: split. A checkpoint written in parts goes on under any other placement, strategy and number of servers, and the reverse,
# bit for bit; a dump is one file a variable of the model; manifests whose parts make no whole are named and skipped.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
parts=', "placement": "split", "min_shard_bytes": 8'
plan two 2 2 sync "$parts"
plan three 2 3 sync "$parts"
plan four 2 2 sync "$parts, \"max_shards\": 4"
plan balanced 2 2 sync ', "placement": "balanced"'
plan whole 2 1 sync
plan one one_device 2
compile ring '{"worker": 2, "strategy": "all_reduce"}'
compile towers '{"ps": 2, "worker": 2, "strategy": {"name": "parameter_server", "replication": "in_graph", "placement": "split", "min_shard_bytes": 8}}'

# Where each part is; the first rows of w1 are not on the server of the last.
graphc --partition three.json --log-device-placement "$here/models/mlp.mlir" -o three.plan 2>placed.txt || fail "graphc --log-device-placement"
for part in w1/part_0 w1/part_1 w1/part_2 w1/Momentum/part_0 b1/part_2 w2/part_1; do expect placed.txt "^$part: \(variable\): /job:ps/"; done
[ "$(grep -oE '^w1/part_.*task:[0-9]' placed.txt | grep -oE '[0-9]$' | sort -u | wc -l)" -eq 3 ] || fail "three parts on three servers"

# Checkpoints: each plan goes on where the one before it was, which stored the variables in other parts.
run one.plan --steps 66 --dump_variables expected
step=0
for name in two three whole two balanced three ring two four one towers; do
  step=$((step + 6))
  run $name.plan --steps $step --checkpoint_dir c --dump_variables got
  [ $step -eq 6 ] || expect err.txt "going on from c/step-$((step - 6))$" "$name goes on"
done
same_weights expected got
run three.plan --steps 66 --dump_variables unbroken --transport=grpc
same_weights expected unbroken
[ -z "$(ls -A got | grep -v '\.npy$')" ] || fail "only variables in a dump, got $(ls -A got)"
run two.plan --steps 67 --dump_variables other
cmp -s expected/w1.npy other/w1.npy && fail "another step must differ"

# A file of an earlier dump that is longer is not left as it is.
rm -rf old && mkdir old && head -c 100000 /dev/urandom >old/w1.npy
run two.plan --steps 66 --dump_variables old
same_weights expected old

# Asynchronously: the number of updates, a checkpoint in parts, and on from there with other parts.
plan async-two 2 2 async "$parts"
plan async-three 2 3 async "$parts, \"max_staleness\": 2"
run async-two.plan --steps 30 --checkpoint_dir d
run async-three.plan --steps 50 --checkpoint_dir d
expect err.txt 'going on from d/step-30'
[ -d d/step-50 ] || fail "50 updates, got $(ls -A d)"

# A manifest with a right sum and wrong parts.
run two.plan --steps 10 --checkpoint_dir e
run two.plan --steps 20 --checkpoint_dir e
expect e/step-20/manifest.json '"name": "w1/part_1", "type": "f32", "shape": \[10, 64\], "part_of": \{"name": "w1", "shape": \[20, 64\], "row": 10\}' "whose rows a tensor has"
damage() { # NAME OLD NEW EXPECTED
  rm -rf f && cp -r e f
  python3 - f/step-20/manifest.json "$2" "$3" <<'END' || fail "$1: nothing was changed"
import hashlib, re, sys
path, old, new = sys.argv[1:]
text = open(path).read()
body = text[:text.rindex(',\n  "sha256"')]
changed, count = re.subn(old, new, body)
assert count == 1, count
open(path, "w").write(f'{changed},\n  "sha256": "{hashlib.sha256(changed.encode()).hexdigest()}"\n}}\n')
END
  run two.plan --steps 12 --checkpoint_dir f
  expect err.txt "checkpoint f/step-20 is skipped: f/step-20/manifest.json.*$4" "$1 is named"
  expect err.txt 'going on from f/step-13' "the one before it, of the epoch's end"
}
part='\{"name": "w1/part_1"[^}]*\}\}'
damage "a part left out" ", $part|$part, " '' 'a part of variable "w1" is missing: nothing holds what lies behind "w1/part_0"'
damage "two of the same rows" '("name": "w1/part_1".*?"row": )10' '\g<1>4' 'variable "w1" is given twice: "w1/part_0" and "w1/part_1" have rows in common'
damage "rows beyond the end" '("name": "w1/part_1".*?"row": )10' '\g<1>11' 'variable "w1/part_1" is tensor<10x64xf32>, which is not the rows from 11 of tensor<20x64xf32>'
damage "a part that is another variable's" '"name": "b2/part_0"(.*?)"name": "b2"' '"name": "b2/part_0"\g<1>"name": "b3"' 'a part of variable "b2" is missing: nothing holds what lies before "b2/part_1"'

# Two servers and one variable that is most of the model: said at compile time, with the remedy.
cat >large.mlir <<'END'
graph.variable @w : tensor<1024x1024xf32> = #graph.normal<stddev = 0.1, truncated = true>
graph.variable @b : tensor<1024xf32> = #graph.zeros
graph.dataset @train : (tensor<1024xf32>) = #graph.synthetic<samples = 100, seed = 1>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %x = graph.next_batch @train {batch = 2} : tensor<2x1024xf32>
  %w = graph.read @w : tensor<1024x1024xf32>
  %b = graph.read @b : tensor<1024xf32>
  %h = graph.matmul %x, %w : (tensor<2x1024xf32>, tensor<1024x1024xf32>) -> tensor<2x1024xf32>
  %y = graph.bias_add %h, %b : tensor<2x1024xf32>, tensor<1024xf32>
  %s = graph.multiply %y, %y : tensor<2x1024xf32>
  %loss = graph.reduce_mean %s dimensions = [0, 1] : (tensor<2x1024xf32>) -> tensor<f32>
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = 0.1, momentum = 0.9>} : tensor<f32>
  graph.return %loss : tensor<f32>
}
END
echo '{"ps": 2, "worker": 2, "strategy": "parameter_server"}' >dealt.json
echo '{"ps": 2, "worker": 2, "strategy": {"name": "parameter_server", "placement": "split"}}' >cut.json
graphc --partition dealt.json large.mlir -o large.plan 2>remark.txt || fail "graphc, large"
expect remark.txt 'remark: /job:ps/task:0/device:CPU:0 stores 8.0 MiB of the 8.0 MiB of variables.*"placement": "split".*no task stores more than 4.0 MiB'
graphc --partition cut.json large.mlir -o cut.plan 2>quiet.txt || fail "graphc, cut"
grep -q remark quiet.txt && fail "with the remedy there is nothing to say"
echo '{"worker": 1, "strategy": {"name": "one_device", "micro_batches": 2}}' >single.json
graphc --partition single.json large.mlir -o single.plan || fail "graphc, single"
run single.plan --steps 5 --dump_variables single
run cut.plan --steps 5 --dump_variables cut
same_weights single cut

# Parts whose bytes are no multiple of a kernel's alignment: a gradient of which a part goes to each server.
cat >unaligned.mlir <<'END'
graph.variable @w : tensor<10x100001xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 1>
graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<10x100001xf32>
  %t = graph.tanh %w : tensor<10x100001xf32>
  %s = graph.reduce_sum %t dimensions = [0, 1] : (tensor<10x100001xf32>) -> tensor<f32>
  graph.minimize %s {optimizer = #graph.sgd<learning_rate = 0.1>} : tensor<f32>
  graph.return %s : tensor<f32>
}
END
for name in cut single; do
  graphc --partition $name.json unaligned.mlir -o $name.plan 2>graphc.txt || fail "graphc, unaligned, $name"
  run $name.plan --steps 3 --dump_variables unaligned-$name
done
same_weights unaligned-single unaligned-cut
nothing_left
echo "parts in checkpoints, dumps, manifests; the remedy is named"
