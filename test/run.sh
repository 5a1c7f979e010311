#!/usr/bin/env bash
# Everything: set-up, build, every test.   test/run.sh [--long] [--yes] [--no-sanitizers] [--only REGEX]
#   --long            more seeds, ten minutes a fuzz target, clang-tidy over every source, each target alone in an empty folder
#   --yes             do not ask before packages are installed
#   --no-sanitizers   leave out the address and thread sanitizer builds (and the fuzz targets, which need the former)
#   --only REGEX      only the tests whose name matches, as they are listed at the end: 'pytest test_stop.test_sigterm', 'lit .*deadlock',
#                     'gtest transport_test' (a binary, with all that is in it), 'sh tools/lint.sh'; everything is built all the same
# GRAPHC_JOBS=N: so many compilers (default: one a core) and quick tests (default: 2) at once.
# At the end: the ten slowest tests, skipped tests with their reasons, 'N passed, N failed, N
# skipped', and as the very last line 'N passed, N failed' alone. Exit status 0 only when none
# failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
root=$PWD
setup=() sanitizers=true run=()
while [ $# -gt 0 ]; do
  case $1 in
    --long) export GRAPHC_LONG=1; run+=(--long) ;;
    --yes | -y) setup+=(--yes) ;;
    --no-sanitizers | --no_sanitizers) sanitizers=false ;;
    --only) run+=(--only "${2:?--only needs a regular expression}"); shift ;;
    --help | -h) sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "run.sh: unknown argument '$1'; see --help" >&2; exit 2 ;;
  esac
  shift
done

say() { printf '== %s (%d s)\n' "$1" "$SECONDS"; }
say "set-up"
# What cannot be had costs its tests alone (a browser, Slurm, Open MPI): they are skipped, and that
# is a failure of its own.
builds=()
if ! "$root/tools/setup.sh" --tests "${setup[@]}"; then
  "$root/tools/setup.sh" "${setup[@]}" || { echo "set-up failed"; echo "0 passed, 1 failed"; exit 1; }
  builds+=("--build=programs-of-tests:failed:0")
fi

# The same of what Python's tests import.
if ! cmp -s test/requirements.txt build/python/requirements.txt; then
  rm -rf build/python
  /usr/bin/python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
    --no-warn-script-location --target build/python -r test/requirements.txt &&
    cp test/requirements.txt build/python/ || builds+=("--build=python:failed:0")
fi

# A build that breaks counts as one failure, and the tests of what was built still run.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
build() { # PRESET TARGET...: as far as it gets
  local preset=$1 log=$root/build/$1/build.log start=$SECONDS
  shift
  say "build $preset"
  mkdir -p "build/$preset"
  if cmake --preset "$preset" >"$log" 2>&1 &&
    ninja -C "build/$preset" -j "${GRAPHC_JOBS:-$(nproc)}" -k 0 "$@" 2>&1 | tee -a "$log" | "$root/test/ci/progress.sh"; then
    local outcome=passed
    # The compiler itself refuses warnings where there are threads (graphc_check_locks); here are
    # the others, but those of the distribution's headers.
    grep -E ': warning: ' "$log" | grep -vE '^/usr/' | head -40 | grep . && outcome=failed
    builds+=("--build=$preset:$outcome:$((SECONDS - start))")
  else
    grep -E '(error|FAILED|Error)' "$log" | head -40 || tail -40 "$log"
    builds+=("--build=$preset:failed:$((SECONDS - start))")
  fi
}
build release
if $sanitizers; then
  build asan
  build tsan
fi
say "tests"
python3 "$root/test/ci/run_tests.py" --root "$root" --before "$SECONDS" "${builds[@]}" "${run[@]}"
