#!/usr/bin/env bash
# graphc --compare over one parameter server and 1,000 workers takes, a strategy at a time, at most 14 times the CPU time that it takes over 100:
# nothing grows with the square of what a plan holds, where each worker has a program of its own. docs/benchmarks.md has the seconds.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
cat >compare.py <<'PY'
import json, resource, subprocess, sys
FEW, MANY = 100, 1000
LONGEST = 60 # seconds: a hundred times what is usual is no noise of the machine

def compare(strategy, workers): # seconds of the child alone, user and system
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["graphc", "--compare", strategy, sys.argv[1], "--partition", f"{workers}.json"],
                          capture_output=True, text=True, timeout=LONGEST)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    rows = [line.split() for line in done.stdout.splitlines()[1:] if line.split()[0] == strategy]
    if done.returncode or len(rows) != 1 or rows[0][2] not in ("µs", "ms", "s"):
        sys.exit(f"graphc --compare {strategy}, {workers} workers: no predicted step: {done.stdout}{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

for workers in FEW, MANY:
    with open(f"{workers}.json", "w") as file:
        json.dump({"ps": 1, "worker": workers}, file)
for strategy in ("one_device", "in_graph", "mirrored", "parameter_server", "parameter_server:async", "parameter_server:in_graph",
                 "all_reduce", "all_reduce:in_graph"):
    least = {FEW: 1e9, MANY: 1e9}
    for attempt in range(10): # once, and more often where that is too long: other processes only make it longer
        least = {workers: min(least[workers], compare(strategy, workers)) for workers in (FEW, MANY)}
        if least[MANY] <= 14 * least[FEW]:
            break
    print(f"{strategy}: {least[FEW]:.2f} and {least[MANY]:.2f} s", flush=True)
    if least[MANY] > 14 * least[FEW]:
        sys.exit(f"{strategy}: {MANY} workers take more than 14 times what {FEW} take")
PY
timeout 600 python3 compare.py "$here/models/mlp.mlir" >compare.txt 2>&1 || fail "a comparison over a thousand workers takes no square of the time of a hundred"
cat compare.txt
