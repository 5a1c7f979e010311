#!/usr/bin/env bash
# README command 1: sets up, builds what it needs, partitions the model over one parameter server and two workers, trains
# five epochs as three processes, and evaluates.   run.sh [--yes] [cluster file, default cluster-sync.json]
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
root=$(cd "$here/../.." && pwd)
setup=() cluster=$here/cluster-sync.json
for argument in "$@"; do
  case $argument in
    --yes) setup=(--yes) ;;
    -*) echo "run.sh: unknown argument '$argument'; usage: run.sh [--yes] [cluster file]" >&2; exit 2 ;;
    *) cluster=$argument ;;
  esac
done

"$root/tools/setup.sh" "${setup[@]}"
cd "$root"
mkdir -p build/examples
echo "building graphc and graphrun (build/release)"
cmake --preset release >build/examples/configure.log || { cat build/examples/configure.log; exit 1; }
cmake --build --preset release --target graphc graphrun

plan=build/examples/fashion-mnist.plan stats=build/examples/fashion-mnist.json
build/release/bin/graphc --partition "$cluster" "$here/model.mlir" -o "$plan"
build/release/bin/graphrun "$plan" --epochs 5 --stats "$stats"

# The figure that this example promises: 0.86 of the 10,000 test images.
python3 - "$stats" <<'PY'
import json, sys
accuracy = json.load(open(sys.argv[1]))["final"]["accuracy"]
print(f"test accuracy {accuracy:.4f}: {'as promised' if accuracy >= 0.86 else 'below the 0.86 that was promised'}")
sys.exit(accuracy < 0.86)
PY
