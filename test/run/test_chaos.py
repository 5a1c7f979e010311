"""15 cases of test/chaos of each kind, always the same ones; 100 others of each with --long."""

import sys

import pytest
from box import LONG, ROOT

sys.path.insert(0, str(ROOT / "test/chaos"))
import chaos  # noqa: E402


FEW = 246, 15  # of 6,000 seeds the one whose few cases have the most of what can be drawn
SEED, CASES = (2, 100) if LONG else FEW
RETURNS = (42, 100) if LONG else (41, 15)


@pytest.mark.parametrize("seed, cases", [(SEED, CASES)], ids=[f"seed-{SEED}"])
def test_chaos(seed, cases):
    """Something dies, stops or loses its network, and no run hangs, has another result or leaves
    anything."""
    verdict(seed, chaos.run(seed, range(cases), jobs=5))


def test_drawn():
    """The few cases of an ordinary run have every strategy, fault, moment and kind of victim, each
    of which is killed, and a recovery from memory."""
    drawn = [chaos.Case(FEW[0], number) for number in range(FEW[1])]
    assert {case.mode for case in drawn} == set(chaos.MODES)
    assert {case.fault for case in drawn} == set(chaos.FAULTS)
    assert {case.moment for case in drawn} == set(chaos.MOMENTS)
    assert {case.kind for case in drawn if case.fault == "kill"} == {
        "launcher",
        "chief",
        "worker",
        "ps",
        "evaluator",
    }
    assert any(case.memory and case.restarts and case.fault == "kill" for case in drawn)
    assert sum(case.restarts > 0 for case in drawn) >= 6 and {case.transport for case in drawn} == {
        "shm",
        "grpc",
    }


@pytest.mark.parametrize("seed, cases", [RETURNS], ids=[f"seed-{RETURNS[0]}"])
def test_returns(seed, cases):
    """Asynchronous workers die, and most of them come back to others that go on; each update counts
    once."""
    verdict(seed, chaos.run(seed, range(cases), jobs=5, returns=True))


def verdict(seed, failed):
    if failed:
        pytest.fail(
            f"seed {seed}: "
            + "\n\n".join(f"case {number}: {wrong}" for number, wrong in failed.items())
        )
