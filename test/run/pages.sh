#!/usr/bin/env bash
# Every command that the README, the tutorial and the examples' pages show is run, and prints what they say it prints.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root" || exit 1
export XDG_STATE_HOME; XDG_STATE_HOME=$(mktemp -d)
trap 'rm -rf "$XDG_STATE_HOME"' EXIT
python3 test/docs/pages.py "$root" README.md docs/tutorial.md docs/cluster.md docs/reports.md docs/editors.md examples/*/README.md
