#!/usr/bin/env bash
# A run that goes on from a checkpoint sees the samples and makes the steps that it would have without interruption: several minimize,
# several data sets, several batch sizes, padded training batches, kill -9, another strategy; epochs count samples seen under any of them.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
models=$here/models/resume
one='{"worker": 1}'

# Each model: 7 steps at once, and 2, 1 and 4 of them.
for model in two-minimizes two-data-sets pad-last-train; do
  MODEL=$models/$model.mlir compile "$model" "$one"
  run "$model.plan" --steps 7 --fetch loss --dump_variables straight --checkpoint_dir "whole-$model"
  mv out.txt straight.txt
  : >resumed.txt
  for steps in 2 3 7; do
    run "$model.plan" --steps $steps --fetch loss --dump_variables resumed --checkpoint_dir "pieces-$model"
    cat out.txt >>resumed.txt
  done
  diff straight.txt resumed.txt >differences.txt || fail "$model: other results after a restart"
  [ "$(wc -l <straight.txt)" -eq 7 ] || fail "$model: seven steps"
  same_weights straight resumed
  diff -r "whole-$model/step-7" "pieces-$model/step-7" >differences.txt || fail "$model: another checkpoint after a restart"
  rm -r straight resumed
done

# The second data set too, under a strategy with two replicas, over a change of strategy, and where it was killed.
MODEL=$models/two-data-sets.mlir
compile second-one '{"worker": 1, "strategy": {"name": "one_device", "micro_batches": 2}}'
compile second-two '{"worker": 2, "strategy": "mirrored"}'
unset MODEL
run second-one.plan --steps 7 --dump_variables straight
run second-two.plan --steps 3 --checkpoint_dir mixed
run second-one.plan --steps 5 --checkpoint_dir mixed
run second-two.plan --steps 7 --checkpoint_dir mixed --dump_variables resumed
same_weights straight resumed
expect mixed/step-7/manifest.json '"data_position": \{"train_step": 28, "train_step @other #1": 42\}' "where both data sets stand"
launch graphrun second-two.plan --steps 2000 --checkpoint_dir killed --checkpoint_every_steps 10
await_checkpoint killed
kill -9 $launcher
ends 2>/dev/null
nothing_left
run second-two.plan --steps 2000 --checkpoint_dir killed --dump_variables after
grep -q 'going on from killed/step-' err.txt || grep -q 'nothing to train' err.txt || fail "it goes on where it was killed"
run second-one.plan --steps 2000 --dump_variables never-killed
same_weights never-killed after

# A padded epoch covers every sample once, each epoch anew: 10 samples in batches of 4 make 3 steps.
run pad-last-train.plan --epochs 3 --fetch valid
[ "$(wc -l <out.txt)" -eq 9 ] || fail "three epochs of three steps"
[ "$(grep -c 'true true false false' out.txt)" -eq 3 ] && ! grep -q 'false false false false' out.txt || fail "no batch of padding alone"

# One epoch of 203 samples on one device, 8 a step, then two in all on a parameter server with two workers, 16 a step.
plan single one_device 1
plan pair 2 1 sync
run single.plan --epochs 1 --checkpoint_dir changed
expect changed/step-26/manifest.json '"train_step": 208'
run pair.plan --epochs 2 --checkpoint_dir changed
expect changed/step-39/manifest.json '"train_step": 416' "the second epoch, whose first 5 samples were seen already"
expect err.txt ' epoch 2/2  step 39/39 ' "the second epoch"
run pair.plan --epochs 2 --checkpoint_dir changed
expect err.txt 'nothing to train: the run is at step 39 and 39 make the epochs asked for'
run single.plan --epochs 2.5 --checkpoint_dir changed
expect changed/step-51/manifest.json '"train_step": 512'

# The second data set in batches of another size: it goes on where it was, and nothing stays of what was. 3 steps of 3, 2 of 6, 4 of 3.
sed 's/@other {batch = 3}/@other {batch = 6}/; s/3xf32/6xf32/g' "$models/two-data-sets.mlir" >six.mlir
MODEL=six.mlir compile six "$one"
run two-data-sets.plan --steps 3 --checkpoint_dir sizes
run six.plan --steps 5 --checkpoint_dir sizes
expect sizes/step-5/manifest.json '"data_position": \{"train_step": 10, "train_step @other #1": 21\}' "3 x 3 + 2 x 6"
run two-data-sets.plan --steps 9 --checkpoint_dir sizes
expect sizes/step-9/manifest.json '"data_position": \{"train_step": 18, "train_step @other #1": 33\}' "and 4 x 3"

# A checkpoint of an earlier version names the second by its batch, perhaps by several, or has the position of the first data set alone:
# the others follow from its steps then.
rename() { # FOLDER POSITIONS: of @other, in place of what is there
  python3 - "$@" <<'PY'
import hashlib, sys
name = sys.argv[1] + "/step-7/manifest.json"
text = open(name).read().replace(', "train_step @other #1": 42', sys.argv[2])
body = text[:text.index(',\n  "sha256": "', text.rindex("]"))]
open(name, "w").write(body + ',\n  "sha256": "' + hashlib.sha256(body.encode()).hexdigest() + '"\n}\n')
PY
}
run second-one.plan --steps 9 --dump_variables nine
for old in '' ', "train_step @other 3": 42' ', "train_step @other 3": 6, "train_step @other 6": 42' ', "train_step @gone #1": 5, "train_step @other #1": 42'; do
  cp -r mixed old
  rename old "$old"
  run second-two.plan --steps 9 --checkpoint_dir old --dump_variables old-nine
  same_weights nine old-nine
  expect old/step-9/manifest.json '"data_position": \{"train_step": 36, "train_step @other #1": 54\}' "names of today alone, behind '$old'"
  rm -r old old-nine
done
nothing_left
echo "three models in pieces, killed, over three strategies, by epochs, in other batches"
