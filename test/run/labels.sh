#!/usr/bin/env bash
# Labels that are none of the loss's classes end the run, by name of data set, file, sample, label and classes: those of a file before the first
# step, for training and evaluation alike and by graphrun check as well; those that no file has at the batch that has them, also where
# only one worker's does.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
export XDG_CACHE_HOME=$box/cache
python3 - <<'PY'
import os, struct
def idx(*shape):
    return struct.pack(f">HBB{len(shape)}I", 0, 8, len(shape), *shape)
def put(folder, labels):
    os.makedirs(folder)
    open(f"{folder}/images", "wb").write(idx(60, 2, 3) + bytes(i * 7 % 256 for i in range(360)))
    open(f"{folder}/labels", "wb").write(idx(60) + bytes(labels))
good = [i % 3 for i in range(60)]
put("good", good)
put("one", good[:41] + [3] + good[42:])
put("many", [label + 1 for label in good])
PY
sed 's/\.gz"/"/g' "$here/models/idx.mlir" >both.mlir
cat >>both.mlir <<'MLIR'
graph.dataset @test : (tensor<6xf32>, tensor<i32>) = #graph.idx<files = ["images", "labels"], scale = 0.125>
graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %y = graph.next_batch @test {batch = 4} : tensor<4x6xf32>, tensor<4xi32>
  %w = graph.read @w : tensor<6x3xf32>
  %l = graph.matmul %x, %w : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  %p = graph.log_softmax %l : tensor<4x3xf32>
  %loss = graph.nll_loss %p, %y : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>
  graph.metric "loss", %loss : tensor<f32>
  graph.return
}
MLIR
sed -e 's/%y : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>/%none : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>/' \
    -e '/@train_step/a\  %none = graph.constant dense<0> : tensor<4xi32>' both.mlir | awk '/@eval_step/{seen=1} seen{sub("%none", "%y")} {print}' >eval.mlir
MODEL=$box/both.mlir plan two 2 1 sync
MODEL=$box/both.mlir plan one one_device 2
MODEL=$box/eval.mlir plan eval one_device 1
refuse() { # PATTERN COMMAND…
  local pattern=$1; shift
  timeout 60 "$@" >out.txt 2>err.txt
  [ $? -eq 1 ] || fail "exit status 1 of $*"
  expect err.txt "$pattern"
  one_error_line err.txt
  nothing_left
}
for name in two one; do
  timeout 60 graphrun $name.plan --steps 20 --data_dir good >out.txt 2>err.txt || fail "labels that are classes"
  refuse '^graphrun: .*data set train: 1 of the 60 labels in one/labels is none of the classes 0 to 2 of the loss that takes them: it is 3, of sample 41; correct' \
    graphrun $name.plan --steps 20 --data_dir one
  refuse 'data set train: 20 of the 60 labels in many/labels are none of the classes 0 to 2 .*: the first is 3, of sample 2;' \
    graphrun $name.plan --steps 20 --data_dir many
  grep -q 'step [1-9]' out.txt err.txt && fail "no step is made with such labels"
done
refuse 'data set test: 1 of the 60 labels in one/labels is none of' graphrun eval.plan --steps 20 --data_dir one
timeout 60 graphrun check two.plan --data_dir many >out.txt 2>&1 && fail "graphrun check must find them"
expect out.txt 'data set train: 20 of the 60 labels in many/labels'
expect out.txt 'data set test: 20 of the 60 labels in many/labels'
timeout 60 graphrun check two.plan --data_dir good >out.txt 2>&1 || fail "graphrun check of labels that are classes"

# Labels of no file, below 4 where the loss has 3 classes: of 8 samples sample 6 alone has 3, and is in the second worker's batch.
sed 's/#graph.idx<[^>]*>/#graph.synthetic<samples = 8, seed = 4, limits = [0, 4]>/; s/{shuffle = true, seed = 3}//' "$here/models/idx.mlir" >synthetic.mlir
MODEL=$box/synthetic.mlir plan synthetic 2 1 sync
MODEL=$box/synthetic.mlir plan alone one_device 1
stray='data set train: 1 of the 4 labels in one batch is none of the classes 0 to 2 .*: it is 3, of sample 6;'
refuse "^graphrun: /job:worker/task:1 .*$stray" graphrun synthetic.plan --steps 20
timeout 60 graphrun alone.plan --steps 1 >out.txt 2>err.txt || fail "a batch without such a label"
refuse "^graphrun: $stray" graphrun alone.plan --steps 20
echo "labels that are no classes are counted and named"
