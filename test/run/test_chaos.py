"""15 cases of test/chaos of each kind, always the same ones; 100 others of each with --long."""
import sys

import pytest
from box import LONG, ROOT

sys.path.insert(0, str(ROOT / "test/chaos"))
import chaos  # noqa: E402


def test_chaos():
    """Something dies, stops or loses its network, and no run hangs, has another result or leaves anything."""
    seed, cases = (2, 100) if LONG else (9, 15)
    verdict(seed, chaos.run(seed, range(cases), jobs=5))


def test_returns():
    """Asynchronous workers die, and most of them come back to others that go on; each update counts once."""
    seed, cases = (42, 100) if LONG else (41, 15)
    verdict(seed, chaos.run(seed, range(cases), jobs=5, returns=True))


def verdict(seed, failed):
    if failed:
        pytest.fail(f"seed {seed}: " + "\n\n".join(f"case {number}: {wrong}" for number, wrong in failed.items()))
