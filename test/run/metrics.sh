#!/usr/bin/env bash
# Each metric is shown under its own name with its digits, all of them, those of the training function too; the last line shows the last
# evaluation and not the one before; samples that are taken twice are remarked, and that nothing was trained.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
MODEL=$here/models/metrics.mlir
compile one '{"worker": 1}'
compile two '{"worker": 2, "ps": 1, "strategy": "parameter_server"}'
run one.plan --epochs 3 --eval_every_epochs 1 --stats stats.json
grep -q 'accuracy' out.txt err.txt && fail "there is no accuracy"
expect out.txt '^train error 0\.[0-9]{4,7}  \(20 samples\)$' "the metric of the training function"
expect out.txt '^test error 0\.[0-9]{4,7}  \(23 samples\)$'
expect out.txt '^test reconstruction_mse 0\.[0-9]{4,7}  \(23 samples\)$'
for epoch in 1 2 3; do expect err.txt " epoch $epoch/3 .*  train error 0\.[0-9]+  error 0\.[0-9]+  reconstruction_mse 0\.[0-9]+" "epoch $epoch"; done
python3 - <<'PY' || fail "the last line shows the last evaluation, and --stats has all metrics"
import json, re
final = json.load(open("stats.json"))["final"]
printed = {name: float(value) for name, value in re.findall(r"^(\S+ \S+) (\S+)  \(", open("out.txt").read(), re.M)}
last = [line for line in open("err.txt") if "epoch 3/3" in line][-1]
for name in ("error", "reconstruction_mse"):
    assert abs(printed["test " + name] - final[name]) <= 1e-5 * final[name], name
    assert f"  {name} {final[name]:.4g}" in last, (name, final[name], last)
assert abs(printed["train error"] - final["train error"]) <= 1e-5 * final["train error"]
earlier = [line for line in open("err.txt") if "epoch 2/3" in line and "error" in line][-1]
assert re.findall(r"mse (\S+)", earlier) != re.findall(r"mse (\S+)", last)
PY
mv out.txt alone.txt
# The same in the mean over all replicas.
MODEL=$MODEL compile ref '{"worker": 1, "strategy": {"name": "one_device", "micro_batches": 2}}'
run ref.plan --steps 5 --fetch loss
grep '^test' out.txt >ref.txt
run two.plan --steps 5 --fetch loss
diff ref.txt <(grep '^test' out.txt) || fail "two workers' metrics"
expect out.txt '^train error 0\.[0-9]+  \([0-9]+ samples\)$' "the training's metric of two workers"

# Computed where no data is read, they are of the last epoch all the same, and not of all three.
sed 's/next_batch @train {batch = 4}/next_batch @train {batch = 4, graph.device = #graph.device<"\/job:worker\/task:1">}/' "$MODEL" >apart.mlir
MODEL=apart.mlir compile apart '{"worker": 2, "strategy": "in_graph"}'
run apart.plan --epochs 3
grep '^train' out.txt >apart.txt
run one.plan --epochs 3
diff <(grep '^train' out.txt) apart.txt || fail "the training's metric of a task that reads no data"

# 23 samples in batches of 5, not padded.
sed -n '/^graph.dataset @test/p; /^graph.variable/p' "$MODEL" >plain.mlir
cat >>plain.mlir <<'M'
graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x = graph.next_batch @test {batch = 5} : tensor<5xf32>
  graph.metric "mean", %x : tensor<5xf32>
  graph.return
}
M
graphc plain.mlir -o plain.plan 2>graphc.txt || fail "graphc, plain"
run plain.plan --entry eval
expect err.txt 'eval_step: 2 of the 23 samples of data set test are taken twice, since steps of 5 do not divide it; next_batch with pad_last' "a remark"
run one.plan --entry eval
grep -q 'taken twice' err.txt && fail "padded batches take none twice"
expect err.txt '--entry eval without --checkpoint_dir: every variable has its initial value, nothing is trained' "a remark"
run one.plan --steps 2 --checkpoint_dir trained
run one.plan --entry eval --checkpoint_dir trained
grep -q 'nothing is trained' err.txt && fail "it was trained"
nothing_left
echo "metrics by name, of training too, current; two remarks"
