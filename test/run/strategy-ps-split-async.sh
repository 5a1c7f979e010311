#!/usr/bin/env bash
# The row ps-split-async of the strategy table in docs/status.md, cell by cell (strategies.json).
exec python3 "$(dirname "${BASH_SOURCE[0]}")/strategies.py" ps-split-async "$@"
