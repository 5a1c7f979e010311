#!/usr/bin/env bash
# 200 random small graphs under random placements give the bits of one device (1,000 with --long).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
if [ -n "${GRAPHC_LONG:-}" ]; then graphs=1000; else graphs=200; fi
# Two at a time; each half has its own folder and seeds.
python3 "$here/random_graphs.py" "$(mktemp -d -p "$box")" --graphs $((graphs / 2)) --seed 1 >"$box/first.txt" 2>&1 &
first=$!
python3 "$here/random_graphs.py" "$(mktemp -d -p "$box")" --graphs $((graphs / 2)) --seed 10001 >"$box/second.txt" 2>&1 && status=0 || status=$?
wait $first || status=$?
cat "$box/first.txt" "$box/second.txt"
exit $status
