#!/usr/bin/env bash
# docs/multi-host.md, word for word: its cluster.json and its commands, with two network namespaces as the machines.
source "$(dirname "${BASH_SOURCE[0]}")/netns.bash"
page=$GRAPHC_ROOT/docs/multi-host.md
machine 1; machine 2
mkdir m1 m2
ln -s "$GRAPHC_ROOT/examples" m1/examples
sed -n '/^```json cluster.json$/,/^```$/p' "$page" | sed '1d;$d' >m1/cluster.json
sed -n '/^```sh$/,/^```$/p' "$page" | grep -v '^```' >commands
[ "$(wc -l <commands)" -eq 6 ] || fail "the page has six lines to type"
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
start ps 1 bash -c "cd m1 && $(line 4)"
start w1 2 bash -c "cd m2 && $(line 5)"
start w0 1 bash -c "cd m1 && $(line 6)"
ended 0 ps w0 w1
echo '{"worker": 1, "strategy": {"name": "one_device", "micro_batches": 2}}' >one.json
graphc --partition one.json --target-cpu x86-64-v3 "$GRAPHC_ROOT/examples/linear-regression/model.mlir" -o one.plan 2>graphc.txt &&
  timeout 60 graphrun one.plan --steps 60 --fetch loss >one.txt 2>/dev/null || fail "one device"
[ "$(grep -c '^loss ' one.txt)" -eq 60 ] || fail "sixty losses of one device"
diff <(grep '^loss ' one.txt) <(grep '^loss ' w0.txt) >/dev/null || fail "the losses differ from one device's"
echo "the page's six lines on two machines: the digits of one device"
