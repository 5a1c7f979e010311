#!/usr/bin/env bash
# Checkpoints of synchronous runs: byte-identical for two equal runs, over either transport, and from one device; a run resumed,
# also with other numbers of tasks, ends bit-equal; damaged ones are skipped with a line; the last five are kept.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
plan two 2 1 sync
plan wide 2 2 sync
plan one one_device 2

run two.plan --steps 60 --checkpoint_dir a
run two.plan --steps 60 --checkpoint_dir b --transport=grpc
diff -r a b >differences.txt || fail "two equal runs write equal checkpoints"
[ "$(ls -A a | sort -V | tail -1)" = step-60 ] || fail "the last step is saved, got $(ls -A a)"
[ -z "$(ls -A a | grep -vE '^step-[0-9]+$')" ] || fail "checkpoints and nothing else, got $(ls -A a)"
[ "$(ls -A a/step-60 | tr '\n' ' ')" = "manifest.json ps-0.safetensors " ] || fail "a shard and the manifest, got $(ls -A a/step-60)"
run two.plan --steps 61 --checkpoint_dir other
cmp -s a/step-60/ps-0.safetensors other/step-61/ps-0.safetensors && fail "another step must differ"

# In three pieces, on three clusters; the data goes on where it was.
run two.plan --steps 20 --checkpoint_dir c
run wide.plan --steps 45 --checkpoint_dir c
expect err.txt 'going on from c/step-20'
run one.plan --steps 50 --checkpoint_dir c
expect err.txt 'going on from c/step-45'
run two.plan --steps 60 --checkpoint_dir c
cmp a/step-60/ps-0.safetensors c/step-60/ps-0.safetensors || fail "the resumed run's weights"
cmp a/step-60/manifest.json c/step-60/manifest.json || fail "the resumed run's manifest"

# A damaged newest one is skipped with a line, and written again.
for damage in flip cut gone manifest; do
  rm -rf d && cp -r c d
  case $damage in
    flip) printf '\xa5' | dd of=d/step-60/ps-0.safetensors bs=1 seek=900 conv=notrunc status=none ;;
    cut) truncate -s -1 d/step-60/ps-0.safetensors ;;
    gone) rm d/step-60/ps-0.safetensors ;;
    manifest) sed -i 's/"global_step": 60/"global_step": 61/' d/step-60/manifest.json ;;
  esac
  run two.plan --steps 60 --checkpoint_dir d
  expect err.txt 'checkpoint d/step-60 is skipped: d/step-60/' "$damage is named"
  expect err.txt 'going on from d/step-5[01]$' "the one before it after $damage"
  diff -r c/step-60 d/step-60 >differences.txt || fail "after $damage the same is written again"
done

run two.plan --steps 40 --checkpoint_dir e --checkpoint_every_steps 5
[ "$(ls e | wc -l)" -eq 5 ] && [ "$(ls e | sort -V | tail -1)" = step-40 ] || fail "the last five, got $(ls -A e)"

# Another model's checkpoint; a folder in use.
sed 's/64x4xf32/64x5xf32/g; s/8x4xf32/8x5xf32/g; s/10x4xf32/10x5xf32/g; s/tensor<4xf32>/tensor<5xf32>/g' "$here/models/mlp.mlir" >five.mlir
MODEL=$box/five.mlir plan five 2 1 sync
timeout 30 graphrun five.plan --steps 70 --checkpoint_dir a >refused.txt 2>&1 && fail "another model's checkpoint"
expect refused.txt 'variable .* is tensor<.*>, the plan has tensor<.*use another --checkpoint_dir'
grep -q 'start again' refused.txt && fail "what is refused is not to be started again"
{ graphrun two.plan --steps 100000000 --checkpoint_dir busy & } >busy.txt 2>&1
holder=$!
for _ in $(seq 100); do [ -d busy ] && ! flock -n busy true && break; sleep 0.1; done
timeout 30 graphrun two.plan --steps 5 --checkpoint_dir busy >refused.txt 2>&1
status=$?
kill -TERM $holder
wait $holder
[ $status -eq 1 ] || fail "a folder in use must be refused, got status $status"
expect refused.txt 'checkpoint_dir busy is in use by another run'

# Evaluating reads, also while a run trains there, and does not make up what is not there.
run two.plan --steps 60 --checkpoint_dir c --stats trained.json
run two.plan --entry eval --checkpoint_dir c --stats evaluated.json
expect err.txt 'going on from c/step-60'
python3 -c 'import json; a, b = (json.load(open(f))["final"]["accuracy"] for f in ("trained.json", "evaluated.json")); assert a == b, (a, b)' ||
  fail "the accuracy of the checkpoint"
timeout 30 graphrun two.plan --entry eval --checkpoint_dir nowhere >refused.txt 2>&1 && fail "no checkpoint to evaluate"
expect refused.txt '--checkpoint_dir nowhere has no checkpoint for --entry eval'
[ ! -e nowhere ] || fail "a folder was made"
{ graphrun two.plan --steps 100000000 --checkpoint_dir busy2 --checkpoint_every_seconds 1 & } >busy.txt 2>&1
holder=$!
await_checkpoint busy2
timeout 60 graphrun two.plan --entry eval --checkpoint_dir busy2 >out.txt 2>err.txt || fail "evaluating while another run trains"
kill -TERM $holder
wait $holder
nothing_left
echo "equal runs, resumed runs, damaged checkpoints"
