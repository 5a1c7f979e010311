#!/usr/bin/env bash
# The fuzz targets by hand: test/fuzz/run.sh [SECONDS [TARGET…]], 30 s and all of them by default.
# test/run.sh runs them too. Prints each target's coverage; stops at the first input that breaks one
# and leaves it in build/fuzz/TARGET/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
seconds=${1:-30}
[ $# -eq 0 ] || shift
[ -f build/asan/build.ninja ] || cmake --preset asan >/dev/null
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(fuzz_plan fuzz_cluster fuzz_idx fuzz_npy fuzz_csv fuzz_text
  fuzz_cifar fuzz_calls fuzz_checkpoint fuzz_http fuzz_task fuzz_master fuzz_recording fuzz_data)
ninja -C build/asan -j "${GRAPHC_JOBS:-2}" "${targets[@]}" make_seeds >/dev/null
test/ci/fuzz_seeds.sh
for target in "${targets[@]}"; do
  folder=build/fuzz/$target
  mkdir -p "$folder/corpus"
  echo "== $target, $seconds s"
  "build/asan/test/fuzz/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$folder/" "$folder/corpus" "build/fuzz-seeds/$target" >"$folder/log" 2>&1 ||
    { tail -60 "$folder/log"; echo "$target: broken by an input in $folder/"; exit 1; }
  grep -E 'cov: ' "$folder/log" | tail -1
done
