#!/usr/bin/env bash
# What the plan says of bytes and memory is what the runtime measures: payload bytes exactly, by the transport's own count, in a
# phase that ends by closing with those of the step within which each program ends; arena bytes never more and at least 95 % of it.
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

def instructions(program):  # (kind, channel), …
    for found in re.finditer(r"^  instructions \{\n    (\w+) \{(.*?)^  \}", program, re.M | re.S):
        channel = re.search(r"^      channel: (\d+)", found.group(2), re.M)
        yield found.group(1), int(channel.group(1)) if channel else 0

def last_steps(programs, channels):
    """Sent and received by one instance of each program in the step within which an asynchronous phase ends: the ticket is refused,
    and whoever receives what is not sent any more ends there."""
    stops = [next((i for i, (kind, _) in enumerate(all) if kind == "ticket"), None) for all in programs]
    while True:
        found = list(stops)
        for p, all in enumerate(programs):
            for i, (kind, channel) in enumerate(all):
                sender = number(channels[channel], "sender")
                sent = [k for k, what in enumerate(programs[sender]) if what == ("send_start", channel)]
                if kind == "receive" and stops[sender] is not None and stops[sender] <= sent[0]:
                    found[p] = i if found[p] is None else min(i, found[p])
        if found == stops:
            break
        stops = found
    done = [all[:stop] for all, stop in zip(programs, stops)]
    return [[sum(number(channels[c], "bytes") for kind, c in all if kind == way) for way in ("send_start", "release")] for all in done]

jobs = [re.search(r'name: "(\w+)"', b).group(1) for b in blocks("jobs")]
phases, programs = list(blocks("phases")), list(blocks("programs"))
lasts = last_steps([list(instructions(program)) for program in programs], list(blocks("channels")))
want = {name: [0, 0, 0] for name in tasks}
arenas = {}  # phases take turns, so a task needs the largest of theirs
for at, program in enumerate(programs):
    phase = phases[number(program, "phase")]
    train = "role:" not in phase   # TRAIN is 0, which the text form leaves out
    closing = "ends_by_closing: true" in phase
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
            # Instance r of every program makes the steps that worker r makes, all together `steps`.
            made = steps * lanes if not closing else tasks[name]["steps"] if spread else steps
            if train:
                for way, field in enumerate(("bytes_sent_per_step", "bytes_received_per_step")):
                    want[name][way] += number(program, field) * made + (lasts[at][way] * lanes if closing else 0)
bad = 0
for name, (sent, received, arena) in want.items():
    got = tasks[name]
    touched = got["arena_bytes_touched"]
    print(f"{name}: sent {got['bytes_sent']} of {sent}, received {got['bytes_received']} of {received}, arena {touched} of {arena}")
    bad += got["bytes_sent"] != sent or got["bytes_received"] != received
    if not got["steps"]:  # an asynchronous worker may come when all updates are made
        continue
    bad += touched > arena or touched < 0.95 * arena
    if len(tasks) > 1 and not (sent and received):
        print("  a task of several that exchanges nothing: the plan text was not understood")
        bad += 1
sys.exit(bad > 0)
PY
check() { # NAME STEPS GRAPHRUN-ARGUMENTS...
  local name=$1 steps=$2
  shift 2
  graphc --partition "$name.json" "${MODEL:-$here/models/mlp.mlir}" --emit=plan-text >"$name.text" 2>graphc.txt || fail "graphc --emit=plan-text, $name"
  timeout 120 graphrun "$name.plan" --steps "$steps" --entry train --stats stats.json "$@" >out.txt 2>err.txt || fail "graphrun, $name $*"
  python3 compare.py "$name.text" stats.json "$steps" >accounts.txt || fail "the accounts of $name $*"
  echo "$name $*"
  cat accounts.txt
}
# Updates in any order, of workers that make as many as they come to.
for more in '' ', "max_staleness": 1'; do
  plan async 3 2 async "$more"
  check async 40 --transport=shm
  check async 40 --transport=grpc
done
plan sync 2 1 sync
plan wide 3 2 sync
check sync 25 --transport=shm
check sync 25 --transport=grpc
check wide 25 --transport=shm
check wide 25 --transport=grpc
# all_reduce, small messages whole and large ones in chunks, by each way of summing them.
reduce() { # NAME TASKS MODEL [MORE_SETTINGS]
  echo "{\"worker\": $2, \"strategy\": {\"name\": \"all_reduce\"${4:-}}}" >"$1.json"
  graphc --partition "$1.json" "$here/models/$3.mlir" -o "$1.plan" 2>graphc.txt || fail "graphc, $1"
  for transport in shm grpc; do
    MODEL=$here/models/$3.mlir check "$1" 6 --transport=$transport
  done
}
for n in 2 3 5; do
  reduce whole $n mlp
  reduce scatter $n wide
  reduce ring "[$(apart $n)]" wide ', "order": "fast"'
done

# The other strategies, and a worker that does more than its family: where a rule puts a variable.
every() { # NAME CLUSTER
  compile "$1" "$2"
  check "$1" 25 --transport=grpc
}
every mirrored '{"worker": 2, "strategy": "mirrored"}'
every towers '{"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "replication": "in_graph"}}'
every in-graph '{"worker": 2, "strategy": "in_graph", "placement": [{"name": "w2", "device": "/job:worker/task:1"}]}'
every own '{"ps": 1, "worker": 3, "placement": [{"name": "w1", "device": "/job:worker/task:1"}]}'

# The table has a row for that worker and counts it alone.
graphc --partition own.json "$here/models/mlp.mlir" --emit=table >table.txt 2>graphc.txt || fail "the table of own"
cat >rows.py <<'PY'
# rows.py TABLE STATS STEPS: sent, received and arena of each row are those of each of its tasks.
import json, re, sys
tasks, steps = json.load(open(sys.argv[2]))["tasks"], int(sys.argv[3])
rows, bad = {}, 0
for line in open(sys.argv[1]):
    found = re.match(r" /job:(\w+)(?:/task:(\d+))?/device:\S+(?:  \(×(\d+)\))?((?: +\d+)+)$", line.rstrip())
    if found:
        cells = [int(cell) for cell in found.group(4).split()]
        rows[found.group(1), found.group(2)] = (int(found.group(3) or 1), cells[2], cells[4], cells[5])
covered = {}
for name, got in tasks.items():
    job, number = re.match(r"/job:(\w+)/task:(\d+)", name).groups()
    key = (job, number) if (job, number) in rows else (job, None)
    covered[key] = covered.get(key, 0) + 1
    _, arena, received, sent = rows[key]
    print(f"{name}: sent {got['bytes_sent']} of {sent * steps}, received {got['bytes_received']} of {received * steps}, arena {got['arena_bytes_touched']} of {arena}")
    bad += got["bytes_sent"] != sent * steps or got["bytes_received"] != received * steps
    bad += not 0.95 * arena <= got["arena_bytes_touched"] <= arena
bad += any(covered.get(key) != row[0] for key, row in rows.items())
sys.exit(bad > 0)
PY
python3 rows.py table.txt stats.json 25 >accounts.txt || fail "the rows of own: $(cat table.txt accounts.txt)"
cat accounts.txt

# The table's arenas, of the examples as they are (the data made up, so that nothing is fetched), with all their phases.
cat >table.py <<'PY'
# table.py TABLE STATS: each task has touched at most what its devices' rows say, and at least 95 % of it.
import json, re, sys
lines = open(sys.argv[1]).read().splitlines()
tasks = json.load(open(sys.argv[2]))["tasks"]
def cells(line): return re.split(r" {2,}", re.sub(r" +\(×\d+\)", "", line).strip())
header, want, bad, most = cells(lines[0]), {}, 0, 0
for row in map(cells, lines[1:]):
    if not row[0].startswith("/job:"):
        continue
    jobs, task = re.match(r"/job:([\w,]+)(?:/task:(\d+))?/device:", row[0]).groups()
    for name in tasks:
        job, number = re.match(r"/job:(\w+)/task:(\d+)", name).groups()
        if job in jobs.split(",") and task in (None, number):
            want[name] = want.get(name, 0) + int(row[header.index("arena")])
for name in tasks:
    touched, arena = tasks[name]["arena_bytes_touched"], want[name]
    print(f"{name}: touched {touched} of the table's {arena}")
    made = tasks[name]["steps"]  # an asynchronous worker may come when all steps are made
    most = max(most, made)
    bad += touched > arena or (made and touched < 0.95 * arena)
sys.exit(bad > 0 or not most or not any(want.values()))
PY
examples=$here/../../examples
sed 's/= *$/= #graph.synthetic<samples = 256, seed = 7, limits = [0, 10]> {shuffle = true, seed = 7}/; /^ *#graph.idx/d; /^ *{shuffle/d' \
  "$examples/fashion-mnist/model.mlir" >fashion-mnist.mlir
cp "$examples/linear-regression/model.mlir" linear-regression.mlir
for model in fashion-mnist linear-regression; do
  for update in sync async; do
    echo "{\"worker\": 2, \"ps\": 1, \"strategy\": {\"name\": \"parameter_server\", \"update\": \"$update\"}}" >cluster.json
    graphc --partition cluster.json $model.mlir --emit=table >table.txt 2>graphc.txt || fail "the table of $model, $update"
    graphc --partition cluster.json $model.mlir -o $model.plan 2>graphc.txt || fail "graphc, $model, $update"
    timeout 120 graphrun $model.plan --steps 40 --stats stats.json >out.txt 2>err.txt || fail "graphrun, $model, $update"
    echo "$model $update"
    python3 table.py table.txt stats.json >accounts.txt || fail "the table's arenas of $model, $update"
    cat accounts.txt
  done
done
