#!/usr/bin/env bash
# Makes the seeds of the fuzz targets from real files: build/fuzz-seeds/TARGET/. The target's name says what it reads.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
graphc=build/release/bin/graphc
for target in build/asan/test/fuzz/*; do
  name=$(basename "$target")
  seeds=build/fuzz-seeds/$name
  mkdir -p "$seeds"
  case $name in
    *lan*)
      for model in examples/*/model.mlir; do
        folder=$(dirname "$model")
        "$graphc" "$model" -o "$seeds/$(basename "$folder").plan" 2>/dev/null
        for cluster in "$folder"/cluster*.json; do
          "$graphc" --partition "$cluster" "$model" -o "$seeds/$(basename "$folder")-$(basename "$cluster" .json).plan" 2>/dev/null
        done
      done ;;
    *luster*)
      for cluster in examples/*/cluster*.json; do
        cp "$cluster" "$seeds/$(basename "$(dirname "$cluster")")-$(basename "$cluster")"
      done ;;
    *dx*)
      python3 - "$seeds" <<'PY'
import gzip, struct, sys
image = struct.pack(">HBB3I", 0, 8, 3, 3, 4, 5) + bytes(range(60))
label = struct.pack(">HBB1I", 0, 8, 1, 3) + bytes([1, 2, 3])
real = struct.pack(">HBB2I", 0, 0x0D, 2, 2, 2) + struct.pack(">4f", 1, 2, 3, 4)
for name, data in {"image": image, "label": label, "float": real}.items():
    open(f"{sys.argv[1]}/{name}", "wb").write(data)
    open(f"{sys.argv[1]}/{name}.gz", "wb").write(gzip.compress(data, mtime=0))
PY
      ;;
    *) echo "fuzz_seeds.sh: no seeds are known for $name; add a case" >&2; exit 1 ;;
  esac
done
