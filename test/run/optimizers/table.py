"""The rows of docs/optimizers.md: code of PyTorch or optax, and the same in graphc."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs/optimizers.md"
SECTIONS = {"From PyTorch": "torch", "From optax": "optax", "Around the optimizer": "optax", "Schedules": "schedule"}


def rows():
    """(kind, code of the framework, code of graphc) of each row of the page's tables."""
    for section, kind in SECTIONS.items():
        body = re.search(rf"^##+ {section}\n(.*?)(?=^##|\Z)", PAGE.read_text(), re.S | re.M)[1]
        for line in re.findall(r"^\| (`.*)$", body, re.M):
            theirs, ours = re.match(r"`([^`]+)` \| `([^`]+)` \|", line).groups()
            yield kind, theirs, ours
