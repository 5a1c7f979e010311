#!/usr/bin/env bash
# The bits of a model's variables are its own: a further minimize, data set or phase in the same plan, before it in the text or behind it,
# changes none, on one device, on a parameter server with two workers and by all-reduce. A metric behind the training is that of --entry eval.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"

# A network, and a product of one row; what is further has the same numbers as a column, which is one operand to the library.
own_variables='graph.variable @w1 : tensor<40x64xf32> = #graph.glorot_uniform<seed = 1>
graph.variable @w2 : tensor<64x10xf32> = #graph.glorot_uniform<seed = 2>
graph.variable @row : tensor<1x2000xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 3>
graph.variable @under : tensor<2000x64xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 4>
graph.dataset @own : (tensor<40xf32>, tensor<i32>) = #graph.synthetic<samples = 50, seed = 5, limits = [0, 10]> {shuffle = true, seed = 6}'
own='  %x, %y = graph.next_batch @own {batch = 8} : tensor<8x40xf32>, tensor<8xi32>
  %w1 = graph.read @w1 : tensor<40x64xf32>
  %w2 = graph.read @w2 : tensor<64x10xf32>
  %h = graph.matmul %x, %w1 : (tensor<8x40xf32>, tensor<40x64xf32>) -> tensor<8x64xf32>
  %r = graph.relu %h : tensor<8x64xf32>
  %z = graph.matmul %r, %w2 : (tensor<8x64xf32>, tensor<64x10xf32>) -> tensor<8x10xf32>
  %e = graph.softmax_cross_entropy %z, %y : (tensor<8x10xf32>, tensor<8xi32>) -> tensor<f32>
  %row = graph.read @row : tensor<1x2000xf32>
  %under = graph.read @under : tensor<2000x64xf32>
  %p = graph.matmul %row, %under : (tensor<1x2000xf32>, tensor<2000x64xf32>) -> tensor<1x64xf32>
  %s = graph.multiply %p, %p : tensor<1x64xf32>
  %m = graph.reduce_mean %s dimensions = [0, 1] : (tensor<1x64xf32>) -> tensor<f32>
  %loss = graph.add %e, %m : tensor<f32>
  graph.minimize %loss {optimizer = #graph.momentum<learning_rate = RATE, momentum = 0.9>, variables = [@w1, @w2, @row, @under]} : tensor<f32>'
further_variables='graph.variable @column : tensor<2000x1xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 3>
graph.variable @below : tensor<2000x64xf32> = #graph.uniform<low = -1.0, high = 1.0, seed = 4>'
further_minimize='  %column = graph.read @column : tensor<2000x1xf32>
  %below = graph.read @below : tensor<2000x64xf32>
  %fp = graph.matmul %column, %below {transpose_a} : (tensor<2000x1xf32>, tensor<2000x64xf32>) -> tensor<1x64xf32>
  %fs = graph.multiply %fp, %fp : tensor<1x64xf32>
  %further = graph.reduce_mean %fs dimensions = [0, 1] : (tensor<1x64xf32>) -> tensor<f32>
  graph.minimize %further {optimizer = #graph.sgd<learning_rate = 0.0001>, variables = [@column, @below]} : tensor<f32>'
further_set='graph.dataset @further : (tensor<40xf32>) = #graph.synthetic<samples = 30, seed = 9> {shuffle = true, seed = 8}
graph.variable @sum : tensor<f32> = #graph.zeros {aggregation = "mean", trainable = false}'
further_batch='  %fx = graph.next_batch @further {batch = 8} : tensor<8x40xf32>
  %fm = graph.reduce_mean %fx dimensions = [0, 1] : (tensor<8x40xf32>) -> tensor<f32>
  graph.assign_add @sum, %fm : tensor<f32>'
further_phase='graph.func @eval_step() -> () attributes {role = #graph.role<eval>} {
  %x, %ok = graph.next_batch @tests {batch = 1, pad_last} : tensor<1x2000xf32>, tensor<1xi1>
  %under = graph.read @under : tensor<2000x64xf32>
  %f = graph.matmul %x, %under : (tensor<1x2000xf32>, tensor<2000x64xf32>) -> tensor<1x64xf32>
  %c = graph.transpose %x permutation = [1, 0] : (tensor<1x2000xf32>) -> tensor<2000x1xf32>
  %g = graph.matmul %c, %under {transpose_a} : (tensor<2000x1xf32>, tensor<2000x64xf32>) -> tensor<1x64xf32>
  %s = graph.add %f, %g : tensor<1x64xf32>
  %m = graph.reduce_mean %s dimensions = [1] : (tensor<1x64xf32>) -> tensor<1xf32>
  %k = graph.constant dense<65536.0> : tensor<1xf32>
  %large = graph.multiply %m, %k : tensor<1xf32>
  %whole = graph.convert %large : (tensor<1xf32>) -> tensor<1xi32>
  %floor = graph.convert %whole : (tensor<1xi32>) -> tensor<1xf32>
  %low = graph.subtract %large, %floor : tensor<1xf32>
  graph.metric "m", %m, %ok : tensor<1xf32>, tensor<1xi1>
  graph.metric "low", %low, %ok : tensor<1xf32>, tensor<1xi1>
  graph.return
}
graph.dataset @tests : (tensor<2000xf32>) = #graph.synthetic<samples = 5, seed = 1>'
model() { # NAME DECLARATIONS BEFORE BEHIND MORE_FUNCTIONS
  printf '%s\n' "$own_variables" "$2" 'graph.func @train_step() -> (tensor<f32> {graph.name = "loss"}) attributes {role = #graph.role<train>} {' \
    "$3" "$own" "$4" '  graph.return %loss : tensor<f32>' '}' "$5" | sed "s/RATE/${rate:-0.01}/" >"$1.mlir"
}
model alone '' '' '' ''
model minimize "$further_variables" '' "$further_minimize" ''
model minimize-first "$further_variables" "$further_minimize" '' ''
model set "$further_set" '' "$further_batch" ''
model set-first "$further_set" "$further_batch" '' ''
model phase '' '' '' "$further_phase"
model all "$further_variables
$further_set" "$further_batch" "$further_minimize" "$further_phase"
rate=0.011 model other '' '' '' ''
own_names='w1 w2 row under w1_Momentum w2_Momentum row_Momentum under_Momentum'
count=0
for cluster in '{"worker": 1}' '{"worker": 2, "ps": 1}' '{"worker": 2, "strategy": "all_reduce"}'; do
  for name in alone minimize minimize-first set set-first phase all other; do
    MODEL=$box/$name.mlir compile "$name" "$cluster"
    rm -rf "$name"
    run "$name.plan" --steps 20 --dump_variables "$name"
    differ=
    for variable in $own_names; do
      file=$(ls alone | grep -E "^${variable/_/.*}\.npy$") && [ "$(wc -l <<<"$file")" -eq 1 ] || fail "one file of $variable among $(ls alone)"
      cmp -s "alone/$file" "$name/$file" || differ+=" $variable"
    done
    case $name in
      alone) ;;
      other) [ "$(wc -w <<<"$differ")" -eq 8 ] || fail "another learning rate gives other bits of all; it gives those of$differ" ;;
      *) [ -z "$differ" ] || fail "$name, $cluster: other bits of$differ"; count=$((count + 1)) ;;
    esac
  done
done

# The metric of a checkpoint is one number to its last bit (`low` shows the last ones), whatever the process has computed before.
MODEL=$box/all.mlir compile all '{"worker": 1}'
run all.plan --steps 3 --checkpoint_dir trained
behind=$(grep -E '^test ' out.txt)
run all.plan --entry eval --checkpoint_dir trained
[ "$(grep -cE '^test (m|low) -?[0-9]' <<<"$behind")" -eq 2 ] || fail "two metrics, got '$behind'"
[ "$(grep -E '^test ' out.txt)" = "$behind" ] || fail "behind the training '$behind', alone '$(cat out.txt)'"
run all.plan --steps 4 --checkpoint_dir trained
[ "$(grep -E '^test low' out.txt)" != "$(grep 'low' <<<"$behind")" ] || fail "another step gives other last bits"
nothing_left
echo "$count runs with something further have the bits of the model alone"
