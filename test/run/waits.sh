#!/usr/bin/env bash
# A wait that lasts is explained (who, on what, from whom, which source line) and past --deadline ends the run with those words.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
plan two 2 1 sync
for transport in shm grpc; do
  GRAPHC_TEST_DELAY_US=worker:1=60000000 timeout 60 graphrun two.plan --steps 10 --transport=$transport --deadline 4 >out.txt 2>err.txt
  [ $? -eq 1 ] || fail "exit status 1 over $transport"
  expect err.txt '^\[(ps|worker):[0-9]\] .* waits at step 0 .*[a-z]+\.mlir:[0-9]+:[0-9]+' "the wait is explained over $transport"
  expect err.txt '^graphrun: .*[a-z]+\.mlir:[0-9]+:[0-9]+.*' "the root cause names the source line over $transport"
  nothing_left
done
echo "waits are explained and end"
