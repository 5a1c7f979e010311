#!/usr/bin/env bash
# What the plan says of bytes and memory is what the runtime measures: payload bytes exactly, by the transport's own count;
# arena bytes never more and at least 95 % of it.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
cat >compare.py <<'PY'
# compare.py PLAN-TEXT STATS STEPS: sums over each task's programs of the train phase.
import json, re, sys
text = open(sys.argv[1]).read()
tasks, steps = json.load(open(sys.argv[2]))["tasks"], int(sys.argv[3])

def blocks(name):  # top-level `name { … }` of a protobuf in text form
    for found in re.finditer(rf"^{name} \{{\n(.*?)^\}}", text, re.M | re.S):
        yield found.group(1)

def number(block, field, default=0):
    found = re.search(rf"^  {field}: (\d+)", block, re.M)
    return int(found.group(1)) if found else default

jobs = [re.search(r'name: "(\w+)"', b).group(1) for b in blocks("jobs")]
phases = list(blocks("phases"))
want = {name: [0, 0, 0] for name in tasks}
arenas = {}  # phases take turns, so a task needs the largest of theirs
for program in blocks("programs"):
    train = "role:" not in phases[number(program, "phase")]   # TRAIN is 0, which the text form leaves out
    spread = re.search(r"^  spread: true", program, re.M)
    owner = re.search(r"^  task \{\n(.*?)^  \}", program, re.M | re.S)
    job = re.search(r"job: (\d+)", owner.group(1)) if owner else None
    index = re.search(r"index: (\d+)", owner.group(1)) if owner else None
    home = f"/job:{jobs[int(job.group(1)) if job else 0]}/task:{index.group(1) if index else 0}"
    for name in tasks:
        lanes = name.startswith("/job:worker") if spread else number(program, "instances", 1) * (name == home)
        if lanes:
            key = (name, number(program, "phase"))
            arenas[key] = arenas.get(key, 0) + number(program, "arena_bytes") * lanes
            want[name][2] = max(want[name][2], arenas[key])
            if train:
                want[name][0] += number(program, "bytes_sent_per_step") * lanes * steps
                want[name][1] += number(program, "bytes_received_per_step") * lanes * steps
bad = 0
for name, (sent, received, arena) in want.items():
    got = tasks[name]
    touched = got["arena_bytes_touched"]
    print(f"{name}: sent {got['bytes_sent']} of {sent}, received {got['bytes_received']} of {received}, arena {touched} of {arena}")
    bad += got["bytes_sent"] != sent or got["bytes_received"] != received
    bad += touched > arena or touched < 0.95 * arena
    if len(tasks) > 1 and not (sent and received):
        print("  a task of several that exchanges nothing: the plan text was not understood")
        bad += 1
sys.exit(bad > 0)
PY
check() { # NAME STEPS GRAPHRUN-ARGUMENTS...
  local name=$1 steps=$2
  shift 2
  graphc --partition "$name.json" "$here/models/mlp.mlir" --emit=plan-text >"$name.text" 2>graphc.txt || fail "graphc --emit=plan-text, $name"
  timeout 120 graphrun "$name.plan" --steps "$steps" --entry train --stats stats.json "$@" >out.txt 2>err.txt || fail "graphrun, $name $*"
  python3 compare.py "$name.text" stats.json "$steps" >accounts.txt || fail "the accounts of $name $*"
  echo "$name $*"
  cat accounts.txt
}
plan sync 2 1 sync
plan wide 3 2 sync
check sync 25 --transport=shm
check sync 25 --transport=grpc
check wide 25 --transport=shm
check wide 25 --transport=grpc
