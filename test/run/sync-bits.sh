#!/usr/bin/env bash
# Synchronous training gives, bit for bit, the weights of one device with as many micro-batches: 2 and 3 workers, 1 and 2 parameter
# servers, shared memory and gRPC; with 3 workers the gradients are made to arrive in reverse order.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
count=0
for workers in 2 3; do
  plan one one_device $workers
  run one.plan --steps 40 --dump_variables "one-$workers"
  [ "$(ls "one-$workers" | wc -l)" -ge 9 ] || fail "4 variables, 4 slots and global_step, got $(ls "one-$workers")"
  reference=$(grep -oE '^test accuracy.*' out.txt)
  [ -n "$reference" ] || fail "the accuracy on one device"
  for ps in 1 2; do
    plan many $workers $ps sync
    graphc --partition many.json "$here/models/mlp.mlir" --emit=plan-text 2>graphc.txt >many.txt
    expect many.txt 'published: true' "what crosses is read in place as well"
    for transport in shm grpc; do
      delay=
      [ $workers = 3 ] && delay=worker:0=3000,worker:1=1500,worker:2=0
      GRAPHC_TEST_DELAY_US=$delay run many.plan --steps 40 --transport=$transport --dump_variables "many-$workers-$ps-$transport"
      same_weights "one-$workers" "many-$workers-$ps-$transport"
      [ "$(grep -oE '^test accuracy.*' out.txt)" = "$reference" ] || fail "the accuracy is one device's: $reference"
      nothing_left
      count=$((count + 1))
    done
  done
done
# The library's matrix products too, which the model above is too small for.
sed 's/x64x/x128x/g; s/<64x/<128x/g' "$here/models/mlp.mlir" >wide.mlir
export MODEL=$box/wide.mlir
for workers in 2 3; do
  plan one-wide one_device $workers
  plan many-wide $workers 1 sync
  graphc --partition many-wide.json wide.mlir --emit=scheduled 2>graphc.txt | grep -c dist.library_call >calls.txt
  [ "$(cat calls.txt)" -ge 4 ] || fail "products of oneDNN in the wide model, got $(cat calls.txt)"
  run one-wide.plan --steps 20 --dump_variables "one-wide-$workers"
  for transport in shm grpc; do
    run many-wide.plan --steps 20 --transport=$transport --dump_variables "many-wide-$workers-$transport"
    same_weights "one-wide-$workers" "many-wide-$workers-$transport"
    nothing_left
    count=$((count + 1))
  done
done
# Parameters and gradients of 5 MiB, each message of which goes by several gRPC streams.
sed 's/x64x/x65536x/g; s/<64x/<65536x/g' "$here/models/mlp.mlir" >large.mlir
export MODEL=$box/large.mlir
plan one-large one_device 2
plan many-large 2 1 sync
run one-large.plan --steps 5 --dump_variables one-large
run many-large.plan --steps 5 --transport=grpc --dump_variables many-large
same_weights one-large many-large
count=$((count + 1))
# The comparison can fail: another number of steps gives other weights.
run many.plan --steps 41 --dump_variables other
diff -r one-3 other >/dev/null && fail "41 steps must differ from 40"
echo "$count runs equal to one device, bit for bit"
