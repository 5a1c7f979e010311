#!/usr/bin/env bash
# The row all-reduce-in-graph of the strategy table in docs/status.md, cell by cell (strategies.json).
exec python3 "$(dirname "${BASH_SOURCE[0]}")/strategies.py" all-reduce-in-graph "$@"
