#!/usr/bin/env bash
# Runs of which something dies, by a seed that is printed.   test/chaos/run.sh [--seed N] [--cases N] [--only K] [--jobs N] [--returns]
# graphc and graphrun have to be built. For a night: test/chaos/run.sh --cases 1000
python=python3
$python -c 'import pytest' 2>/dev/null || python=/usr/bin/python3 # Debian's, whose pytest the tests use
exec $python "$(dirname "${BASH_SOURCE[0]}")/chaos.py" "$@"
