#!/usr/bin/env bash
# Over gRPC a step of a parameter server takes one message each way and worker, and one more for the chief's word: a slot that is free
# again is told with one of them. What they carry besides payload is known to the byte, but for messages that share a head.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
MODEL=$here/../bench/models/null.mlir plan null 2 1 sync
timeout 120 graphrun null.plan --steps 400 --transport=grpc --stats stats.json >out.txt 2>err.txt || fail "graphrun"
python3 - <<'PY' || fail "control bytes of a step"
import json
HEAD, FRAME, CREDIT, WORD = 24, 48, 16, 8
tasks = json.load(open("stats.json"))["tasks"]
value = HEAD + FRAME + CREDIT  # parameters or gradient, and the credit of the last ones
word = HEAD + FRAME + WORD  # the credit of which is part of the next parameters
want = {"/job:ps/task:0": 4 * value + word + CREDIT, "/job:worker/task:0": 2 * value + word + CREDIT + word + HEAD + CREDIT,
        "/job:worker/task:1": 2 * value + word + HEAD + CREDIT}  # among workers that credit has nothing to go with
bad = False
for name, most in want.items():
    found = tasks[name]["control_bytes"] / tasks[name]["steps"]
    print(f"{name}: {found:.1f} control bytes a step, at most {most}")
    bad |= not most - 3 * HEAD <= found <= most
raise SystemExit(bad)
PY
