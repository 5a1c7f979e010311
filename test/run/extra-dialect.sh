#!/usr/bin/env bash
# A dialect that passes and runtime do not know: a model of its ops (test/dialects/extra) is differentiated, partitioned and
# trained, with the bits of one device; the step's loss falls.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
MODEL=$here/../dialects/extra/Inputs/model.mlir
tools=$(dirname "$(dirname "$(command -v graphc)")")/test/bin
command graphc "$MODEL" -o known.plan 2>unknown.txt && fail "graphc itself does not know the dialect"
expect unknown.txt "extra"
graphc() { "$tools/extra-graphc" "$@"; }

export GRAPHC_LIBRARIES=${GRAPHC_BUILD:-$here/../../build/release}/test/lib/libgraphc_test_pooling.so

train() { run "$1.plan" --steps 20 --dump_variables "$1" --fetch loss; mv out.txt "$1.losses"; }
# trained: each strategy, with the weights and losses of one device
trained() {
  rm -rf one servers split reduced mirrored
  plan one one_device 2 && train one
  plan servers 2 1 sync && train servers
  plan split 2 2 sync ', "placement": "split", "min_shard_bytes": 8' && train split
  compile reduced '{"worker": 2, "strategy": "all_reduce"}' && train reduced
  compile mirrored '{"worker": 2, "strategy": "mirrored"}' && train mirrored
  for other in servers reduced mirrored; do
    same_weights one "$other"
  done
  [ "$(find one -type f | wc -l)" -gt 1 ] || fail "there are weights to compare"
  python3 - one.losses split.losses <<'PY' || fail "the loss falls, and is that of one device"
import re, sys
losses = [[float(n) for n in re.findall(r"loss[ =]+(-?[0-9.e+-]+)", open(name).read())] for name in sys.argv[1:]]
assert len(losses[0]) == 20 and losses[0][-1] < losses[0][0], losses[0]
assert losses[0] == losses[1], losses
PY
  echo "$(find one -type f | wc -l) files of variables are the same, byte for byte"
}
trained
graphc --emit=scheduled --partition servers.json "$MODEL" >scheduled.mlir 2>graphc.txt || fail "graphc --emit=scheduled"
expect scheduled.mlir 'dist.library_call "average_pool".*post_ops = \["bias"\]' "the library does the sum too"
# An update with loops of its own takes the whole gradient, so that its variables stay in one piece.
sed 's/#extra.adagrad</#extra.normalized</' "$MODEL" >normalized.mlir
MODEL=normalized.mlir
trained
(unset GRAPHC_LIBRARIES; graphc --partition servers.json "$MODEL" -o unserved.plan) 2>graphc.txt && fail "nobody serves the call"
expect graphc.txt "error: 'extra.average_pool' op cannot be planned: no library has a kernel 'average_pool'"
