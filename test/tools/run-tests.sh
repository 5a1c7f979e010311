#!/usr/bin/env bash
# test/ci/run_tests.py on a tree of our own: what passes, fails and skips is counted, named and explained, and the very
# last line is 'N passed, N failed' alone.
set -uo pipefail
runner=$(cd "$(dirname "${BASH_SOURCE[0]}")/../ci" && pwd)/run_tests.py
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
fail() { echo "wrong: $1"; sed 's/^/  | /' "$box/out"; exit 1; }
mkdir -p "$box/tools" "$box/build/asan"
script() { printf '#!/bin/sh\n%s\n' "$2" >"$box/$1"; chmod +x "$box/$1"; }
run() { python3 "$runner" --root "$box" "$@" >"$box/out" 2>&1; }

script tools/lint.sh 'exit 0'
run --build tsan:passed:7 --before 12 || :
grep -q 'ctest list of build/tsan' "$box/out" || fail "a build that CTest cannot list is a failure"

script tools/lint.sh 'exit 0'
run || fail "one test that passes: status 0"
[ "$(tail -n 1 "$box/out")" = "1 passed, 0 failed" ] || fail "the last line"

script tools/lint.sh 'echo trying; echo "needs a network"; exit 77'
run && fail "nothing passed: status 1"
grep -qx '  sh tools/lint.sh: needs a network' "$box/out" || fail "a skip is listed with its reason"
[ "$(tail -n 1 "$box/out")" = "0 passed, 1 failed" ] || fail "nothing passed counts as a failure"
tail -n 2 "$box/out" | head -n 1 | grep -q '^0 passed, 1 failed, 1 skipped, tests [0-9]* s' || fail "skips are counted on the line before"

script tools/lint.sh 'echo "the reason"; exit 3'
run --build release:failed:9 --before 12 && fail "a failure: status 1"
grep -q 'the reason' "$box/out" || fail "the output of what failed is shown"
grep -q 'exit status 3' "$box/out" || fail "its exit status too"
grep -qx '  build release' "$box/out" || fail "a build that broke is a failure by name"
grep -qE '^the ten slowest tests:' "$box/out" || fail "the slowest tests are listed"
tail -n 2 "$box/out" | head -n 1 | grep -qE 'tests [0-9]+ s, in all 1[2-9] s$' || fail "the time of everything is said"
tail -n 1 "$box/out" | grep -qE '^0 passed, [0-9]+ failed$' || fail "the last line after failures"
echo "counted, named, explained"
