#!/usr/bin/env bash
# Writes docs/dialects/*.md, docs/passes.md and docs/status.md from TableGen.   tools/docs.sh [--check]
#   --check   write nothing; fail where they differ
set -euo pipefail
case ${1:-} in
  "" | --check) ;;
  --help | -h) sed -n '2,3s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) echo "docs.sh: unknown argument '$1'; known: --check" >&2; exit 2 ;;
esac
root=$(cd "$(dirname "$0")/.." && pwd)
config=${LLVM_CONFIG:-llvm-config-22}
tblgen="$("$config" --bindir)/mlir-tblgen"
include=$("$config" --includedir)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

generate() { # backend input output [flags]
  local backend=$1 input=$2 output=$3
  shift 3
  mkdir -p "$scratch/$(dirname "$output")"
  "$tblgen" "$backend" "$@" -I"$root" -I"$include" "$root/$input" -o "$scratch/$output"
  sed -i '/^\[TOC\]$/,+1d' "$scratch/$output" # not Markdown: only MLIR's site expands it
}
generate -gen-dialect-doc dialects/graph/GraphOps.td docs/dialects/graph.md -dialect=graph
generate -gen-dialect-doc dialects/dist/DistAllOps.td docs/dialects/dist.md -dialect=dist
generate -gen-pass-doc passes/Passes.td docs/passes.md
"$("$config" --bindir)/llvm-tblgen" --dump-json -I"$root" -I"$include" "$root/dialects/graph/GraphOps.td" -o "$scratch/ops.json"
{
  python3 "$root/tools/status_table.py" "$scratch/ops.json" "$root"
  printf '\n# Status of the strategies\n\nThe same four models, byte for byte (examples/linear-regression,
examples/fashion-mnist on the largest cluster, test/run/models/mlp.mlir and
bottleneck.mlir), on two to eight tasks with one to three parameter servers; nothing but
cluster.json differs. Each cell names its test in `test/run/test_strategies.py`.\n\n'
  python3 "$root/test/run/strategies.py" --table
  printf '\n# Status of the launchers\n\nWhat starts the tasks, and what was tried of it ([launchers.md](launchers.md)); the tests are in test/run/test_launchers.py and
test_submit.py and test_jobset.py.\n\n'
  printf '| launcher | one host | several hosts | a lost task begins it again |\n|---|---|---|---|\n'
  printf '| graphrun itself | run | one task a command, in network namespaces | `submit --engine local`, run |\n'
  printf '| Slurm | run, `srun` and `sbatch` of Debian 12, also as a heterogeneous job | two nodes that are network namespaces; not run on a cluster | `submit --engine slurm`, run |\n'
  printf '| Open MPI | run, `mpirun` of Debian 12 | not run on a cluster | no |\n'
  printf '| torchrun | its variables, set by a test | the same, in network namespaces | no |\n'
  printf '| JobSet | | its pods, in network namespaces, by the manifest that `submit --engine jobset` prints; not run on a cluster | the same, policies by a table of the test; not run on a cluster |\n'
} >"$scratch/docs/status.md"

status=0
for page in docs/dialects/graph.md docs/dialects/dist.md docs/passes.md docs/status.md; do
  if [[ ${1:-} == --check ]]; then
    if ! diff -u "$root/$page" "$scratch/$page" | head -20; then
      echo "$page is not what TableGen says; run tools/docs.sh and commit it" >&2
      status=1
    fi
  else
    mkdir -p "$root/$(dirname "$page")"
    cp "$scratch/$page" "$root/$page"
  fi
done
exit $status
