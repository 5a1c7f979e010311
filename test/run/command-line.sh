#!/usr/bin/env bash
# One line of error with cause and remedy, exit status 2, for every command line, plan and data that cannot run.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
plan two 2 1 sync
refuse() { # STATUS PATTERN ARGUMENTS…
  local wanted=$1 pattern=$2; shift 2
  timeout 30 graphrun "$@" >refused.txt 2>&1
  local status=$?
  [ $status -eq "$wanted" ] || fail "exit status $wanted of graphrun $*, got $status"
  expect refused.txt "$pattern" "graphrun $* must say '$pattern'"
  one_error_line refused.txt
}
refuse 2 'which plan\?'
refuse 2 'unknown flag --stepz; did you mean "--steps"' two.plan --stepz 3
refuse 2 "'more.plan' is too many" two.plan more.plan
refuse 2 '--epochs and --steps' two.plan --epochs 1 --steps 2
refuse 2 '--task_index needs --job_name' two.plan --task_index 1
refuse 2 '--entry predict.*it has train, eval' two.plan --entry predict
refuse 2 '--fetch lose.*did you mean "loss"' two.plan --fetch lose
refuse 2 '--feed x: expected NAME=FILE.npy' two.plan --feed x
refuse 2 'missing.plan: No such file' missing.plan
refuse 2 'did you mean "worker"' two.plan --job_name wroker
refuse 2 '--checkpoint_every_' two.plan --checkpoint_every_steps 4
MODEL=$here/../bench/models/mlp.mlir plan library one_device 1 # large enough for the library's matmul
head -c 1000 two.plan >short.plan
refuse 2 'short.plan' short.plan
{ cat two.plan; echo; } >long.plan
refuse 2 'long.plan' long.plan
cp two.plan flipped.plan
printf '\xff' | dd of=flipped.plan bs=1 seek=700 conv=notrunc status=none
refuse 2 'flipped.plan.*' flipped.plan
echo '{"ps": 1, "wroker": 2' >broken.json
refuse 2 'broken.json:[12]:' two.plan --cluster broken.json
refuse 2 'its name is empty' ""
refuse 2 '--deadline: must be a number above 0, not 0' two.plan --deadline 0
refuse 2 '--epochs' two.plan --epochs -1
refuse 2 '--steps.*1.5' two.plan --steps 1.5
refuse 2 '--stats no/such/file.json: no/such' two.plan --steps 3 --stats no/such/file.json
refuse 2 '--stats /proc/stats' two.plan --steps 3 --stats /proc/stats
refuse 2 "--log_file $box: it is a folder" two.plan --steps 3 --log_file "$box"

# Feeds: each mistake before anything is started.
cat >feed.mlir <<'MLIR'
graph.variable @w : tensor<3x2xf32> = #graph.glorot_uniform<seed = 1>
graph.func @apply(%x: tensor<2x3xf32> {graph.name = "x"}) -> (tensor<2x2xf32> {graph.name = "y"}) attributes {role = #graph.role<predict>} {
  %w = graph.read @w : tensor<3x2xf32>
  %y = graph.matmul %x, %w : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  graph.return %y : tensor<2x2xf32>
}
MLIR
MODEL=feed.mlir plan feed 1 1 sync
python3 - <<'PY'
import struct
def npy(name, dtype, fortran, shape, data):
    header = f"{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    open(name, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)
six = struct.pack("<6f", 1, 2, 3, 4, 5, 6)
npy("good.npy", "<f4", False, (2, 3), six)
npy("double.npy", "<f8", False, (2, 3), struct.pack("<6d", *range(6)))
npy("turned.npy", "<f4", False, (3, 2), six)
npy("column.npy", "<f4", True, (2, 3), six)
npy("short.npy", "<f4", False, (2, 3), six[:-1])
open("junk.npy", "wb").write(b"junk")
PY
feed() { refuse 2 "$1" feed.plan --entry predict --fetch y "${@:2}"; }
feed 'apply has the argument x : tensor<2x3xf32>; give its value with --feed x=FILE.npy'
feed '--feed xx: the plan has no argument of this name; did you mean "x"' --feed xx=good.npy
feed '--feed x: expected tensor<2x3xf32>, double.npy has tensor<2x3xf64>' --feed x=double.npy
feed '--feed x: expected tensor<2x3xf32>, turned.npy has tensor<3x2xf32>' --feed x=turned.npy
feed 'column.npy: .*column-major.*ascontiguousarray' --feed x=column.npy
feed 'short.npy: .*needs 24 bytes, found 23' --feed x=short.npy
feed 'junk.npy: .*NumPy' --feed x=junk.npy
feed 'none.npy: No such file' --feed x=none.npy
timeout 30 graphrun feed.plan --entry predict --fetch y --feed x=good.npy >out.txt 2>err.txt || fail "a good feed"
expect out.txt '^y \[\[.*\] \[.*\]\]$'

# Standard output: a full disk is an error, a reader that has seen enough ends the run, a closed descriptor is nobody's file.
timeout 30 graphrun two.plan --steps 3 --fetch loss >/dev/full 2>err.txt
[ $? -eq 1 ] || fail "exit status 1 where results are lost"
expect err.txt 'could not be written to standard output'
timeout 30 graphrun two.plan --steps 100000000 --fetch loss 2>err.txt | head -1 >out.txt
[ "${PIPESTATUS[0]}" -eq 141 ] || fail "SIGPIPE ends it"
timeout 30 graphrun two.plan --steps 3 --stats stats.json <&- >&- 2>&- || fail "with no standard streams"
nothing_left

# Limits of the machine: one line, not an abort.
(ulimit -n 12; refuse 1 'Too many open files; raise ulimit -n' two.plan --steps 3) || exit 1
(ulimit -f 1000; timeout 30 graphrun library.plan --steps 3 --checkpoint_dir small >refused.txt 2>&1)
expect refused.txt 'small/step-3.partial/.*: File too large' "ulimit -f is named"
[ -z "$(ls small)" ] || fail "nothing half written is left, got $(ls small)"

# Folders that cannot be written, before anything is started.
refuse 2 '--dump_variables /proc/no/such: /proc' two.plan --steps 3 --dump_variables /proc/no/such
refuse 2 '--checkpoint_dir /proc/no/such: /proc' two.plan --steps 3 --checkpoint_dir /proc/no/such
refuse 2 '--checkpoint_dir: its value is empty' two.plan --steps 3 --checkpoint_dir ''
refuse 2 '--task_index: must be a whole number, 0 or more, not -1' two.plan --job_name ps --task_index -1

# What never ends, or never begins, is refused at once where a file is meant; a pipe that is open is read, once, for all tasks.
mkfifo fifo
for odd in fifo /dev/zero; do
  refuse 2 "$odd: not a regular file" $odd
  refuse 2 "$odd: .*not a regular file" two.plan --cluster $odd
  refuse 2 "$odd: not a regular file" feed.plan --entry predict --fetch y --feed x=$odd
done
refuse 2 '--log_file fifo: nobody reads this pipe' two.plan --steps 3 --log_file fifo
timeout 30 graphrun <(cat two.plan) --steps 3 --stats - >out.txt 2>err.txt || fail "a plan through a pipe, and statistics to standard output"
expect out.txt '"/job:worker/task:1"'
timeout 30 graphrun /dev/stdin --steps 3 --local=true <two.plan >out.txt 2>err.txt || fail "a plan from /dev/stdin, --local=true"
expect err.txt 'step 3/3'
timeout 30 graphrun two.plan --steps 3 --log_file /dev/full >out.txt 2>err.txt || fail "a log that cannot be written ends no run"
expect err.txt '--log_file /dev/full: the log is cut short: .*No space left'
grep -v 'cut short' err.txt | grep -q 'No space' && fail "it is said in one kind of line"

# An output is never an input.
cp two.plan kept.plan
refuse 2 '--stats kept.plan: that is the plan, which would be overwritten' kept.plan --steps 3 --stats kept.plan
refuse 2 '--log_file ./kept.plan: that is the plan' kept.plan --steps 3 --log_file ./kept.plan
cmp two.plan kept.plan || fail "the plan is as it was"

# A TF_CONFIG that cannot be used: a line, and where it names this task a refusal.
TF_CONFIG='{"cluster": {"worker": ["a:1"]}}' timeout 60 graphrun two.plan --steps 3 >out.txt 2>err.txt || fail "a TF_CONFIG of others"
expect err.txt 'TF_CONFIG is not used: it has 1 worker task, the plan has'
export TF_CONFIG='{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}}'
refuse 2 'TF_CONFIG is not used: it has .*names this process.s task' two.plan --steps 3
timeout 60 graphrun two.plan --steps 3 --local >out.txt 2>err.txt || fail "--local with a TF_CONFIG of others"
unset TF_CONFIG
echo '{"cluster": {"ps": ["localhost:1"], "worker": ["localhost:2", "localhost:3"]}}' >addresses.json
timeout 60 graphrun two.plan --steps 3 --cluster addresses.json >out.txt 2>err.txt || fail "addresses and no task"
expect err.txt 'no task is named, so every task starts here and the addresses from addresses.json are not used'

# Two variables, one file.
sed 's/@w"*/@"a\/b"/; ' feed.mlir >/dev/null
cat >names.mlir <<'MLIR'
graph.variable @"a/b" : tensor<2xf32> = #graph.zeros
graph.variable @"a.b" : tensor<2xf32> = #graph.zeros
graph.func @apply() -> (tensor<2xf32> {graph.name = "y"}) attributes {role = #graph.role<predict>} {
  %a = graph.read @"a/b" : tensor<2xf32>
  %b = graph.read @"a.b" : tensor<2xf32>
  %y = graph.add %a, %b : tensor<2xf32>
  graph.return %y : tensor<2xf32>
}
MLIR
MODEL=names.mlir plan names 1 1 sync
refuse 2 '--dump_variables: @"a/b" and @"a.b" would both be a.b.npy' names.plan --entry predict --dump_variables names

# A folder whose name is no UTF-8.
timeout 60 graphrun two.plan --steps 3 --dump_variables $'dump\xff' --checkpoint_dir $'check\xff' --log_file odd.json >out.txt 2>err.txt || fail "names of another encoding"
[ -f $'dump\xff/w1.npy' ] && [ -d $'check\xff/step-3' ] || fail "files in folders of such names"
: >$'file\xff'
timeout 60 graphrun two.plan --steps 3 --checkpoint_dir $'file\xff' --log_file odd.json >out.txt 2>refused.txt && fail "a file is no folder"
LC_ALL=C grep -qa 'file.*: Not a directory' refused.txt || fail "the error names the folder"
python3 -c 'import json; [json.loads(line) for line in open("odd.json", encoding="utf-8")]' || fail "the log file is JSON all the same"

graphrun --help >help.txt || fail "--help"
for flag in epochs steps data_dir checkpoint_dir stats entry intra_op_threads job_name task_index cluster local transport \
  eval_every_epochs log_file fetch feed dump_variables; do
  expect help.txt "--$flag" "--help knows --$flag"
done
[ "$(graphrun --version)" = "graphrun 0.1.0" ] || fail "--version"

# '-' is standard input, '-' and '_' in flags are alike, results go to standard output and progress to standard error.
timeout 60 graphrun - --steps 3 --fetch loss --dump-variables=a <two.plan >out.txt 2>err.txt || fail "plan from standard input"
[ "$(grep -c '^loss [0-9]' out.txt)" -eq 3 ] || fail "three losses"
timeout 60 graphrun two.plan --steps 3 --dump_variables b >out.txt 2>err.txt || fail "--dump_variables"
same_weights a b
expect err.txt 'epoch 1/1  step 3/3'
timeout 60 graphrun two.plan --epochs 2 --stats stats.json --log-file log.json >out.txt 2>err.txt || fail "--epochs 2"
python3 - <<'PY' || fail "the log file"
import json
lines = [json.loads(line) for line in open("log.json")]
assert all({"time", "level", "task", "message"} <= set(line) for line in lines)
assert any("step 26/26" in line["message"] and line["task"] == "worker:0" for line in lines), lines
assert any("test accuracy" in line["message"] for line in lines)
PY
[ "$(grep -cE '^test accuracy 0\.[0-9]{3,6}  \(57 samples\)$' out.txt)" -eq 1 ] || fail "the accuracy line"
python3 - <<'PY' || fail "the statistics"
import json
stats = json.load(open("stats.json"))
assert set(stats["tasks"]) == {"/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"}, stats["tasks"].keys()
steps = -(-2 * 203 // 16)
for name, task in stats["tasks"].items():
    assert task["steps"] == steps, (name, task["steps"], steps)
    assert 0 < task["first_step_s"] < 30 and task["rss_bytes"] > 1e6 and task["step_ms"]["min"] <= task["step_ms"]["median"] <= task["step_ms"]["p99"]
assert sum(t["bytes_sent"] for t in stats["tasks"].values()) == sum(t["bytes_received"] for t in stats["tasks"].values()) > 0
assert stats["tasks"]["/job:worker/task:0"]["bytes_sent"] == stats["tasks"]["/job:worker/task:1"]["bytes_sent"]
assert 0 <= stats["final"]["accuracy"] <= 1 and stats["final"]["loss"] > 0
PY
timeout 60 graphrun two.plan --entry eval --steps 6 >out.txt 2>err.txt || fail "--entry eval"
expect out.txt '^test accuracy .* \(57 samples\)'
timeout 60 graphrun two.plan --epochs 3 --eval_every_epochs 1 >out.txt 2>err.txt || fail "--eval_every_epochs"
expect err.txt 'accuracy 0\.'
echo "command lines, plans and results"
