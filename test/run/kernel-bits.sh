#!/usr/bin/env bash
# Which kernel computes something, what it gives and how much scratch it wants follow from the operation and its types: not from what the
# process made before, not from threads, the environment or where the operands lie. All kernels of all models of the tests, and
# products with ones in every position, are made in several orders, together and each in a process of its own.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
bits=${GRAPHC_BUILD:-$here/../../build/release}/test/bin/kernel-bits
n=0
for model in "$here"/models/*.mlir "$here"/../bench/models/*.mlir "$here"/../../examples/*/model.mlir; do
  name=$((n++))-$(basename "$model" .mlir)
  graphc "$model" -o "$name.plan" 2>graphc.txt || graphc --strategy in_graph "$model" -o "$name.plan" 2>graphc.txt || fail "graphc $model"
done
mkdir plans; mv ./*.plan plans
[ "$n" -ge 15 ] || fail "at least 15 models, found $n"

give() { # NAME FLAGS…: the lines of all kernels
  local name=$1; shift
  "$bits" "$@" --sweep plans/*.plan >"$name.lines" 2>err.txt || fail "kernel-bits $*"
}
same() { give "$@"; cmp -s expected.lines "$1.lines" || { diff expected.lines "$1.lines" >difference.txt; fail "$1: the same bits and scratch"; }; }
give expected
count=$(wc -l <expected.lines)
[ "$count" -ge 1200 ] || fail "at least 1,200 kernels, found $count"
[ "$(awk '{print $NF}' expected.lines | sort -u | wc -l)" -ge 500 ] || fail "the sums tell kernels apart"
same order --seed 1
same two-threads --seed 2 --threads 2 --shift 64
same three-threads --seed 3 --threads 3 --shift 192
same four-threads --seed 4 --threads 4 --shift 4032
ONEDNN_MAX_CPU_ISA=SSE41 OMP_NUM_THREADS=5 ONEDNN_PRIMITIVE_CACHE_CAPACITY=3 ONEDNN_DEFAULT_FPMATH_MODE=BF16 same environment
give alone --alone --every 4 --seed $((RANDOM % 4)) --threads 2
[ "$(wc -l <alone.lines)" -ge 300 ] || fail "300 kernels alone"
grep -vxFf expected.lines alone.lines >difference.txt && fail "alone: the same bits and scratch"

# A row and the same numbers stored as a column are one operand: the same kernel.
for shape in "1x64x2000 transpose_a" "1x4096x1 transpose_a" "2000x1x64 transpose_b" "64x2000x1 transpose_a transpose_b"; do
  sums=$(grep -E "^matmul f32 (${shape%% *}|$shape) scratch" expected.lines | sed 's/.*scratch/scratch/' | uniq -c | awk '{print $1}')
  [ "$sums" = 2 ] || fail "$shape: the same bits and scratch as without"
done

# A product of one row stored as a column, one stored as a row: on one task, on two, in either order; another entry, alone.
products() { # FIRST SECOND: the columns' model with its products in this order
  local at name type flags=""
  for at in "$@"; do
    name=$at type=1x2000; [ $at = column ] && type=2000x1 flags=" {transpose_a}" || flags=""
    echo "  %$name = graph.read @$name : tensor<${type}xf32>
  %w$name = graph.read @w$name : tensor<2000x64xf32>
  %p$name = graph.matmul %$name, %w$name$flags : (tensor<${type}xf32>, tensor<2000x64xf32>) -> tensor<1x64xf32>
  graph.assign @p$name, %p$name : tensor<1x64xf32>"
  done
}
for order in "column row" "row column"; do
  {
    for name in column row; do
      type=1x2000; [ $name = column ] && type=2000x1
      echo "graph.variable @$name : tensor<${type}xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 1> {trainable = false}
graph.variable @w$name : tensor<2000x64xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 2> {trainable = false}
graph.variable @p$name : tensor<1x64xf32> = #graph.zeros {trainable = false}"
    done
    echo "graph.variable @global_step : tensor<i64> = #graph.zeros {trainable = false}"
    echo "graph.func @train_step() attributes {role = #graph.role<train>} {"
    products $order
    echo "  %one = graph.constant dense<1> : tensor<i64>
  graph.assign_add @global_step, %one : tensor<i64>
  graph.return
}
graph.func @predict() -> (tensor<1x64xf32> {graph.name = \"y\"}) attributes {role = #graph.role<predict>} {"
    products ${order#* } | grep -v assign
    echo "  graph.return %p${order#* } : tensor<1x64xf32>
}"
  } >model.mlir
  rules=$(printf '{"name": "%s", "device": "/job:worker/task:1"}, ' row wrow prow)
  echo "{\"worker\": 2, \"strategy\": \"in_graph\", \"placement\": [${rules%, }]}" >two.json
  graphc model.mlir -o one.plan 2>graphc.txt || fail "graphc, $order"
  graphc --partition two.json model.mlir -o two.plan 2>graphc.txt || fail "graphc on two tasks, $order"
  rm -rf one two
  run one.plan --steps 1 --dump_variables one
  run two.plan --steps 1 --dump_variables two
  same_weights one two
  run one.plan --entry predict
done

# Any number of threads, with the bits of one: the plan's own is what counts where the run names none.
graphc --intra-op-threads=2 "$here/../bench/models/mlp.mlir" -o mlp.plan 2>graphc.txt || fail "graphc --intra-op-threads=2"
run mlp.plan --steps 5 --dump_variables threads-2
for threads in 1 3 4; do
  run mlp.plan --steps 5 --dump_variables threads-$threads --intra_op_threads $threads
  same_weights threads-2 threads-$threads
done
nothing_left
echo "$count kernels of $n models and of the sweep have their bits and scratch in every order"
