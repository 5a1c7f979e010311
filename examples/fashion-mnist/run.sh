#!/usr/bin/env bash
# The first command of the README: sets up, builds what it needs, partitions the model over one parameter server and two workers, trains
# five epochs as three processes, and evaluates.
#   run.sh [--yes] [cluster file]     --yes: install without asking; the file is cluster-sync.json of this folder by default
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
root=$(cd "$here/../.." && pwd)
setup=() cluster=$here/cluster-sync.json
for argument in "$@"; do
  case $argument in
    --yes | -y) setup=(--yes) ;;
    --help | -h) sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "run.sh: unknown argument '$argument'; usage: run.sh [--yes] [cluster file]" >&2; exit 2 ;;
    *) cluster=$argument ;;
  esac
done
[ -f "$cluster" ] || { echo "run.sh: no cluster file $cluster; there are: $(ls "$here"/cluster-*.json | xargs)" >&2; exit 2; }
cluster=$(readlink -f "$cluster")

"$root/tools/setup.sh" "${setup[@]}"
cd "$root"
mkdir -p build/examples
echo "building graphc and graphrun (build/release)"
cmake --preset release >build/examples/configure.log || { cat build/examples/configure.log; exit 1; }
cmake --build --preset release --parallel "$(nproc)" --target graphc graphrun

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
