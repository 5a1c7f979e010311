#!/usr/bin/env bash
# Each library and each program builds alone in an empty folder, each file by itself and without
# precompiled headers, so that each file includes what it uses: with --long alone, minutes with a
# compiler cache.
# (targets.test says of every build whether it would.)
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
[ -n "${GRAPHC_LONG:-}" ] || { echo "only with --long"; exit 77; }
command -v ccache >/dev/null || { echo "needs ccache"; exit 77; }
box=$PWD/build/alone log=$PWD/build/alone.log
rm -rf "$box"
trap 'rm -rf "$box" "$log"' EXIT
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
cmake --preset release -B "$box" -D GRAPHC_TESTS=OFF -D GRAPHC_PRECOMPILED=OFF -D GRAPHC_UNITY=OFF >"$log" 2>&1 || { tail -20 "$log"; exit 1; }
mapfile -t targets < <(ninja -C "$box" -t targets all | sed -nE 's/^([^:]*): C(XX)?_[A-Z_]+_LINKER__.*/\1/p')
[ ${#targets[@]} -ge 20 ] || { echo "found ${#targets[@]} targets"; exit 1; }
bad=0
for target in "${targets[@]}"; do
  ninja -C "$box" -t clean >/dev/null && ninja -C "$box" "$target" >"$log" 2>&1 && continue
  bad=1
  echo "$target does not build alone:"
  grep -m 5 -E 'error|FAILED' "$log"
done
[ $bad = 0 ] && echo "${#targets[@]} targets, each alone"
exit $bad
