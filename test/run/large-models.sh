#!/usr/bin/env bash
# Large models. Compile time grows with them and not with their square: 4,000 operations take at most eight times the CPU time of 1,000
# (benchmarks: at most 4.5; here other processes are beside). And however their kernels are cut, the bits are those of one device.
# test/passes/outline/pieces.test has exact counts of what the kernels are.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
bench=$here/../bench/compile.py
cat >grow.py <<'PY'
import importlib.util, sys
spec = importlib.util.spec_from_file_location("bench", sys.argv[1])
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)

FEW, MANY, MOST, FLOOR = 1000, 4000, 8, 0.1 # a process that does nothing takes some hundredths of a second
for kind, make in bench.KINDS.items():
    commands = {size: bench.write(".", make, size) for size in (FEW, MANY)}
    least = {FEW: 1e9, MANY: 1e9}
    for attempt in range(8): # once is enough where it is enough: other processes only make it longer
        for size, command in commands.items():
            found = bench.measure(command)
            if not found:
                sys.exit(f"{kind}, {size} operations: graphc failed")
            least[size] = min(least[size], found[0])
        if least[MANY] <= MOST * max(least[FEW], FLOOR):
            break
    print(f"{kind}: {least[FEW]:.2f} and {least[MANY]:.2f} s", flush=True)
    if least[MANY] > MOST * max(least[FEW], FLOOR):
        sys.exit(f"{kind}: {MANY} operations take more than {MOST} times what {FEW} take")
PY
timeout 500 python3 grow.py "$bench" >grow.txt 2>&1 || fail "4,000 operations compile like four times 1,000"
cat grow.txt

# Each task's pieces are others than one device's.
python3 "$bench" --write . layers variables --sizes 500 >/dev/null
echo '{"ps": 2, "worker": 2}' >servers.json
echo '{"worker": 2, "strategy": "all_reduce"}' >reduce.json
echo '{"worker": 1, "strategy": {"name": "one_device", "micro_batches": 2}}' >one.json
for model in layers variables; do
  for cluster in one servers reduce; do
    graphc --partition $cluster.json $model-500.mlir -o $cluster.plan 2>graphc.txt || fail "graphc, $model, $cluster"
    run $cluster.plan --steps 5 --dump_variables $model-$cluster
    [ $cluster = one ] || same_weights $model-one $model-$cluster
  done
done
nothing_left
echo "six kinds of models grow as they should; layers and variables have the bits of one device"
