#!/usr/bin/env bash
# test/ci/run_tests.py on a tree of our own: what passes, fails and skips is counted, named and
# explained, and the very last line is 'N passed, N failed' alone.
set -uo pipefail
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
runner=$tests/ci/run_tests.py
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
grep -qx '  build release: see build/release/build.log' "$box/out" || fail "a build that broke is a failure by name"
grep -qE '^the ten slowest tests:' "$box/out" || fail "the slowest tests are listed"
grep -qE '^ +[0-9.]+ s  sh tools/lint.sh$' <(sed -n '/most CPU time/,$p' "$box/out") || fail "the CPU time of each group is listed"
tail -n 2 "$box/out" | head -n 1 | grep -qE 'tests [0-9]+ s \([0-9]+ s of CPU time\), in all (1[2-9]|[2-9][0-9]|[0-9]{3,}) s$' || fail "the time of everything is said"
tail -n 1 "$box/out" | grep -qE '^0 passed, [0-9]+ failed$' || fail "the last line after failures"

# End-to-end tests: each counted by its name, also where its process dies; one of them alone.
mkdir -p "$box/test/run"
cp "$tests"/run/{conftest,process,box,machines,ports}.py "$tests/run/pytest.ini" "$box/test/run"
cat >"$box/test/run/test_some.py" <<'PY'
import os, subprocess
import pytest
@pytest.mark.parametrize("number", [1, 2])
def test_number(number):
    assert number == 1, "this number"
def test_skips():
    pytest.skip("needs another machine")
@pytest.mark.parametrize("row", ["a", "b"])
def test_rows(row):
    pass
PY
cat >"$box/test/run/test_dies.py" <<'PY'
import os, subprocess
def test_before(): pass
def test_dies(): os._exit(7)
def test_behind(): pass
PY
cat >"$box/test/run/test_leaves.py" <<'PY'
import subprocess
def test_leaves(): subprocess.Popen(["sleep", "1000"])
def test_escapes(): subprocess.Popen(["sleep", "1001"], start_new_session=True)
PY
run --only pytest --build release:passed:1 && fail "end-to-end tests that fail: status 1"
for name in 'test_some.test_number[2]' 'test_dies' 'test_leaves leaves nothing behind'; do
  grep -qF "FAILED pytest $name" "$box/out" || fail "$name is a failure by name"
done
grep -q 'this number' "$box/out" && grep -q 'exit status 7' "$box/out" && grep -q -E 'still running: (sleep 1000; sleep 1001|sleep 1001; sleep 1000)' "$box/out" || fail "what failed is explained"
grep -qxF '  pytest test_some.test_skips: needs another machine' "$box/out" || fail "a test that skips is listed with its reason"
grep -q 'pytest test_some: 3 tests' "$box/out" && grep -q 'pytest test_some b: 1 tests' "$box/out" || fail "rows of a file run apart"
for sleeper in $(pgrep -f '^sleep 100[01]$'); do
  [ "$(readlink "/proc/$sleeper/cwd")" != "$box/test/run" ] || fail "what a test has left is ended"
done
tail -n 2 "$box/out" | head -n 1 | grep -q '^7 passed, [0-9]* failed, 1 skipped' || fail "each test counts"
run --only 'test_number.1' --build release:passed:1
grep -q 'pytest test_some: 1 tests' "$box/out" && ! grep -q 'FAILED pytest' "$box/out" || fail "one test alone"
echo 'this is no Python' >"$box/test/run/test_broken.py"
run --only 'test_number.1' --build release:passed:1
grep -q 'FAILED pytest collects test/run' "$box/out" && grep -q 'pytest test_some: 1 tests' "$box/out" || fail "a file that cannot be read is a failure, and the others run"
rm "$box/test/run/test_broken.py"

# Some tests run again as on an older CPU: which levels follows from the CPU's flags, and the tests
# find the level in their environment.
cat >"$box/test/run/test_sync_bits.py" <<'PY'
import os
def test_level():
    level = os.environ.get("GRAPHC_MAX_CPU_ISA")
    assert not level, f"the level is {level}"
PY
env -u GRAPHC_MAX_CPU_ISA PYTHONPATH="$tests/ci" PYTHONDONTWRITEBYTECODE=1 python3 - --root "$box" --only 'pytest test_sync_bits' --build release:passed:1 >"$box/out" 2>&1 <<'PY'
import levels
import run_tests
newer = {"avx2", "avx512f"}
assert [levels.levelsOf(flags, long) for long in (False, True) for flags in ({"sse4_2"}, {"avx2"}, newer)] == [
    [], [], ["x86-64-v3"], [], ["x86-64-v2"], ["x86-64-v3", "x86-64-v2"]]
levels.cpuFlags = lambda: newer
run_tests.main()
PY
grep -q '^  pytest test_sync_bits: 1 tests' "$box/out" || fail "a test of the CPU's own level passes"
grep -qx 'FAILED x86-64-v3 pytest test_sync_bits.test_level ([0-9.]* s)' "$box/out" && grep -q 'the level is x86-64-v3' "$box/out" || fail "the same test of an older level has its own name and environment"
tail -n 1 "$box/out" | grep -qx '2 passed, [0-9]* failed' || fail "both count, and the build"
echo "counted, named, explained"
