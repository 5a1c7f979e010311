#!/usr/bin/env bash
# Tries a GPU with what test/cuda/bundle.sh made, and builds and installs nothing.   device.sh check|time|memory RESULTS [--minutes N]
#   check    every op, the examples and every strategy against expected bits, the device's own tests, compute-sanitizer, 100 equal runs
#   time     steps and products beside JAX and PyTorch, where they are installed
#   memory   what the driver says is used, beside what the plan said
#   RESULTS  a folder: results-PART.jsonl, a line each as it is found, and table-PART.txt; what was there of that part is replaced
#   --minutes N   what has not ended by then is cut off and left out (8)
# Exit status: 0 all that ran is right, and what must run did; 1 not so; 2 the command line or the
# bundle is wrong.
# What a machine lacks (PyTorch, compute-sanitizer, …) is said and left out. docs/cuda.md has the
# commands.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
case ${1:-} in --help | -h | "") sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac
exec python3 -B "$here/trial/trial.py" --bundle "$here" "$@"
