#!/usr/bin/env bash
# Finds out whether a change of the sources changes any plan.   tools/plans.sh record|compare [FILE]
#   record    compile every case and write one line for each to FILE: SHA-256 and name
#   compare   do the same and print what differs from FILE; exit status 1 where anything does
# FILE: test/plans.sha256 unless given, the plans of version 0.1.0. A case is a plan or the text of
# a stage (--emit): of an example with one of its clusters, or of a model of the benchmarks under
# one of five strategies. All are compiled for x86-64-v3, as on such a CPU, so any CPU that has AVX2
# may record and any may compare. Machine code depends on LLVM too: FILE begins with LLVM's version,
# and another version is an error.
set -euo pipefail
# one order of names; no machine code for GPUs of a toolkit that happens to be here; products shared
# among threads as the library does on a CPU without AVX-512
export LC_ALL=C CUDA_HOME= GRAPHC_MAX_CPU_ISA=x86-64-v3
usage() { sed -n '2,9s/^# \{0,1\}//p' "$0"; }
case ${1:-} in
  record | compare) ;;
  --help | -h) usage; exit 0 ;;
  *) echo "plans.sh: expected record or compare, got '${1:-}'; tools/plans.sh --help explains both" >&2; exit 2 ;;
esac
mode=$1
root=$(cd "$(dirname "$0")/.." && pwd)
file=${2:-$root/test/plans.sha256}
export GRAPHC=${GRAPHC_BUILD:-$root/build/release}/bin/graphc
[ -x "$GRAPHC" ] || { echo "plans.sh: no $GRAPHC; build it first: cmake --build --preset release --target graphc" >&2; exit 1; }
[ "$mode" = record ] || [ -f "$file" ] || { echo "plans.sh: no $file; tools/plans.sh record writes it" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# one NAME FOLDER OUTPUT ARGUMENTS...: compiles in FOLDER and writes NAME's line. What graphc
# refuses is a result as well.
one() {
  local name=$1 folder=$2 output=$3 made
  made=$(mktemp -p "$SCRATCH")
  shift 3
  if (cd "$folder" && "$GRAPHC" --target_cpu x86-64-v3 "$@" "--emit=$output" -o "$made") 2>"$made.err"; then
    printf '%s  %s\n' "$(sha256sum "$made" | cut -d' ' -f1)" "$name"
  else
    printf '%-64s  %s\n' refused "$name"
    printf '%s: %s\n' "$name" "$(grep -m 1 error: "$made.err" || tail -1 "$made.err")" >>"$SCRATCH/refused"
  fi
  rm -f "$made" "$made.err"
}
export -f one
export SCRATCH=$scratch

stages="plan plan-text table graph differentiated placed replicated partitioned outlined scheduled linalg llvm"
cases() { # a line each: the command that compiles it
  local cluster folder models stage strategy
  for cluster in "$root"/examples/*/cluster*.json; do
    folder=${cluster%/*}
    models=model.mlir
    [ -f "$folder/train.mlir" ] && models="train.mlir loss.mlir logits.mlir"
    [ -f "$folder/${models%% *}" ] || models=../fashion-mnist/model.mlir
    for stage in $stages; do
      printf '%s\n' "one examples/${folder##*/}/${cluster##*/}:$stage '$folder' $stage --partition ${cluster##*/} $models$(imports "$folder")"
    done
  done
  mkdir "$scratch/bench" # the texts of stages name the cluster's file as it was given
  cp "$root"/test/bench/models/*.mlir "$scratch/bench"
  while read -r strategy cluster; do
    printf '%s' "$cluster" >"$scratch/bench/$strategy.json"
    for model in "$root"/test/bench/models/*.mlir; do
      for stage in $stages; do
        printf '%s\n' "one bench/$(basename "$model" .mlir):$strategy:$stage '$scratch/bench' $stage --partition $strategy.json ${model##*/}"
      done
    done
  done <<'STRATEGIES'
in_graph {"worker": 2, "strategy": "in_graph"}
mirrored {"worker": 4, "strategy": "mirrored"}
all_reduce {"worker": 3, "strategy": "all_reduce"}
parameter_server {"ps": 2, "worker": 3, "strategy": "parameter_server"}
parameter_server_async {"ps": 1, "worker": 2, "strategy": {"name": "parameter_server", "update": "async"}}
STRATEGIES
}
imports() { [ "${1##*/}" != from-pytorch ] || printf ' --import_variables=params,buffers'; } # as its README does

cases >"$scratch/cases"
echo "plans.sh: $(wc -l <"$scratch/cases") cases" >&2
{
  "$(command -v "${LLVM_CONFIG:-llvm-config-22}")" --version | sed 's/^/# LLVM /'
  xargs -P "$(nproc)" -d '\n' -I{} bash -c {} <"$scratch/cases" | sort -k2
} >"$scratch/made"
if [ "$mode" = record ]; then
  mkdir -p "$(dirname "$file")"
  cp "$scratch/made" "$file"
  [ ! -f "$scratch/refused" ] || sort "$scratch/refused" | sed 's/^/plans.sh: refused: /' >&2
  echo "$(grep -vc '^#' "$file") recorded in $file, $(grep -c '^refused' "$file" || true) of them refused"
  exit
fi
if [ "$(head -1 "$scratch/made")" != "$(head -1 "$file")" ]; then
  echo "plans.sh: $file was recorded with $(head -1 "$file" | cut -c3-), here is $(head -1 "$scratch/made" | cut -c3-); record it anew with the earlier sources" >&2
  exit 1
fi
if differs=$(diff <(grep -v '^#' "$file") <(grep -v '^#' "$scratch/made") | sed -n 's/^[<>] .\{64\}  //p' | sort -u) && [ -z "$differs" ]; then
  echo "$(grep -vc '^#' "$file") equal"
else
  sed 's/^/differs: /' <<<"$differs" | head -20
  echo "$(wc -w <<<"$differs") of $(grep -vc '^#' "$file") differ"
  exit 1
fi
