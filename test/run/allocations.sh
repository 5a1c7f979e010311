#!/usr/bin/env bash
# A step allocates nothing in our code, over shared memory and over gRPC: no place in graphrun (the runtime is linked into it)
# is called for memory once a step. What oneDNN and gRPC take for themselves is printed.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
"${CC:-clang-22}" -O1 -shared -fPIC -o count.so "$here/allocations.c" -ldl || fail "cannot compile the preloaded library"
sed 's/x64x/x128x/g; s/<64x/<128x/g' "$here/models/mlp.mlir" >wide.mlir # large enough for oneDNN
MODEL=wide.mlir plan two 2 1 sync
cat >compare.py <<'PY'
# compare.py SHORT LONG STEPS: allocations a step, from two runs that differ in STEPS steps.
import bisect, collections, os, subprocess, sys
def load(folder, task):
    places = collections.Counter()
    for line in open(f"{folder}/{task}"):
        count, file, offset = line.split()
        places[os.path.basename(file), offset] += int(count)
    return places
# What is linked as an archive is known by its name: gRPC, Abseil, protobuf and what they bring.
THEIRS = ("grpc", "gpr_", "absl::", "google::protobuf", "upb_", "_upb", "re2::", "ares_", "address_sorting")
symbols = sorted((int(line.split(None, 2)[0], 16), line.split(None, 2)[2].strip())
                 for line in subprocess.run(["nm", "-C", "--defined-only", sys.argv[4]], capture_output=True, text=True,
                                            check=True).stdout.splitlines() if line.split(None, 2)[1] in "tTwWuV")
assert any("graphc::executor" in name for _, name in symbols), "graphrun has no symbols"
starts = [start for start, _ in symbols]
def ours(place):
    if place[0] not in ("graphrun", "exe"):
        return False
    name = symbols[bisect.bisect_right(starts, int(place[1], 16)) - 1][1]
    return "graphc::" in name or not any(part in name for part in THEIRS)
short, long, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
tasks = ["ps-0", "worker-0", "worker-1"]
bad, seen = 0, collections.Counter()
for task in tasks:
    before, after = load(short, task), load(long, task)
    owners = collections.Counter()
    for place in after:
        rate = (after[place] - before[place]) / steps
        owners["archives" if place[0] in ("graphrun", "exe") and not ours(place) else place[0]] += rate
        if rate > 0.5 and ours(place):  # the heartbeat allocates, a few times a second
            print(f"  {task}: graphrun+0x{place[1]} allocates {rate:.2f} times a step")
            bad += 1
    seen += owners
    if not any(ours(place) for place in after):
        print(f"  {task}: nothing of graphrun itself was counted")
        bad += 1
    print(f"{task}: " + ", ".join(f"{owner} {rate:.1f}" for owner, rate in sorted(owners.items()) if rate >= 0.5))
if not any("dnnl" in owner and rate > 1 for owner, rate in seen.items()):
    print("oneDNN allocates in each step; that it was not seen says that nothing was counted")
    bad += 1
sys.exit(bad > 0)
PY
for transport in shm grpc; do
  for steps in 300 1800; do
    mkdir "$transport-$steps"
    ALLOCATIONS=$box/$transport-$steps LD_PRELOAD=$box/count.so timeout 120 graphrun two.plan --entry train --steps $steps \
      --transport=$transport >out.txt 2>err.txt || fail "graphrun over $transport"
  done
  echo "allocations a step over $transport, by whose code asks:"
  python3 compare.py "$transport-300" "$transport-1800" 1500 "$(command -v graphrun)" >counts.txt || fail "allocations over $transport"
  cat counts.txt
done
