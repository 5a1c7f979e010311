#!/usr/bin/env bash
# docs/multi-host.md, word for word: its cluster.json and its commands, with two network namespaces as the machines.
source "$(dirname "${BASH_SOURCE[0]}")/netns.bash"
page=$GRAPHC_ROOT/docs/multi-host.md
machine 1; machine 2
mkdir m1 m2
ln -s "$GRAPHC_ROOT/examples" m1/examples
sed -n '/^```json cluster.json$/,/^```$/p' "$page" | sed '1d;$d' >m1/cluster.json
sed -n '/^```sh$/,/^```$/p' "$page" | grep -v '^```' >commands
[ "$(wc -l <commands)" -eq 9 ] || fail "the page has nine lines to type"
line() { sed -n "$1p" "$box/commands"; }
rsync() { # stands for the way to the other machine: -R FILES… 10.77.0.2:
  [ "$1" = -R ] && [ "${*: -1}" = 10.77.0.2: ] || return 1
  shift
  cp --parents "${@:1:$#-1}" "$box/m2/"
}
cd m1 || exit 1
for number in 1 2 3; do eval "$(line $number)" >"$box/step$number.txt" 2>&1 || fail "line $number: $(line $number)"; done
cd "$box" || exit 1
[ ! -e m2/certs/ca.key ] || fail "the authority's key must not be copied"
tasks() { # FIRST LINE: the parameter server's, then the second worker's, then the chief's
  start ps 1 bash -c "cd m1 && $(line "$1")"
  start w1 2 bash -c "cd m2 && $(line $(($1 + 1)))"
  start w0 1 bash -c "cd m1 && $(line $(($1 + 2)))"
  ended "${2:-0}" ps w0 w1
}
tasks 4
# The lines that the page shows, but for numbers and names of machines.
shape() { sed -E 's/[0-9a-f]{8}…/PLAN/; s/(process [0-9]+ on ).*/\1X/; s/[0-9][0-9.e+]* (µs|[MG]bit)/N \1/g; s/[MG]bit/Bit/g; s/[0-9]+/N/g'; }
diff <(sed -n '/^```text$/,/^```$/p' "$page" | grep -v '^```' | shape | sort) <(grep -E '^(ok|[0-9])' w0.txt | shape | sort) >diff.txt ||
  fail "what the check prints is not what the page shows"
expect w0.txt '^3 tasks, [0-9]+ links: all is well$'
# What goes wrong most often: an old plan on one machine. The check says it, and the plan copied again makes it well.
cp m2/model.plan kept.plan
(cd m1 && graphc examples/linear-regression/model.mlir --partition cluster.json --target-cpu x86-64-v2 -o ../m2/model.plan) 2>graphc.txt || fail "another plan"
tasks 4 1
expect w0.txt '^wrong  /job:worker/task:1 .* has another plan'
cp kept.plan m2/model.plan
tasks 7
echo '{"worker": 1, "strategy": {"name": "one_device", "micro_batches": 2}}' >one.json
graphc --partition one.json --target-cpu x86-64-v3 "$GRAPHC_ROOT/examples/linear-regression/model.mlir" -o one.plan 2>graphc.txt &&
  timeout 60 graphrun one.plan --steps 60 --fetch loss >one.txt 2>/dev/null || fail "one device"
[ "$(grep -c '^loss ' one.txt)" -eq 60 ] || fail "sixty losses of one device"
diff <(grep '^loss ' one.txt) <(grep '^loss ' w0.txt) >/dev/null || fail "the losses differ from one device's"
echo "the page's nine lines on two machines: all is well, and the digits of one device"
