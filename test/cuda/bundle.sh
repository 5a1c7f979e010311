#!/usr/bin/env bash
# Makes a folder with all that a machine with a GPU needs to run device.sh, which lies in it then.   test/cuda/bundle.sh OUT [--data DIR] [--small]
#   --data DIR   Fashion-MNIST's four files are there: the example is trained as its page says (30 MB more)
#   --small      few cases and small ones: for the test of these scripts
# GRAPHC_BUILD names the build (build/release): graphc, graphrun and device_test have to be built.
# The folder has at most 60 MiB.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${GRAPHC_BUILD:-$root/build/release}
out='' data='' small=()
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    --data) data=${2:?--data needs a folder}; shift ;;
    --small) small=(--small) ;;
    -*) echo "bundle.sh: unknown argument '$1'; see --help" >&2; exit 2 ;;
    *) [ -z "$out" ] || { echo "bundle.sh: one folder, not '$out' and '$1'" >&2; exit 2; }; out=$1 ;;
  esac
  shift
done
[ -n "$out" ] || { echo "bundle.sh: where to? see --help" >&2; exit 2; }
[ ! -e "$out" ] || { echo "bundle.sh: $out is there already" >&2; exit 2; }
for needed in bin/graphc bin/graphrun test/bin/device_test; do
  [ -x "$build/$needed" ] || { echo "bundle.sh: $build/$needed is missing; build it (cmake --build --preset release)" >&2; exit 2; }
done
mkdir -p "$out"
out=$(cd "$out" && pwd)

# graphrun and what it loads but glibc; oneDNN stays here: no plan of the bundle calls it.
mkdir "$out/tree"
for component in runtime libraries; do
  cmake --install "$build" --prefix "$out/tree" --component "$component" --strip >/dev/null
done
mkdir -p "$out/lib"
mv "$out/tree/bin" "$out/bin"
mv "$out/tree/lib/graphc" "$out/lib/graphc"
rm -r "$out/tree" "$out/lib/graphc/libgraphc_onednn.so"
cp "$build/test/bin/device_test" "$out/bin/"
strip "$out/bin/device_test"
cp "$root/LICENSE" "$root/test/cuda/device.sh" "$out/"
mkdir -p "$out/trial/peers"
cp "$root"/test/cuda/trial/*.py "$out/trial/"
cp "$root"/test/cuda/trial/peers/*.py "$out/trial/peers/"

tree=$(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo unknown)
[ -z "$(git -C "$root" status --porcelain 2>/dev/null)" ] || tree+=", changed"
glibc=$(objdump -T "$out"/bin/* "$out"/lib/graphc/* 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)
glibc=${glibc#GLIBC_}
PATH=$build/bin:$PATH python3 -B "$root/test/cuda/bundle.py" "$out" --tree "$tree" --glibc "$glibc" ${data:+--data "$data"} "${small[@]}"

bytes=$(du -sb "$out" | cut -f1)
echo "$out: $((bytes / 1048576)) MiB, for x86-64-v3 and glibc $glibc; tree $tree"
[ "$bytes" -le $((60 << 20)) ] || { echo "bundle.sh: more than 60 MiB" >&2; exit 1; }
