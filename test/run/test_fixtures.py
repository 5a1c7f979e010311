"""What the fixtures of these tests promise: whatever goes wrong ends as a failure that shows what
the processes said, and leaves none."""

import re
from pathlib import Path

from box import HERE
from ports import Ports
from process import Text, living

TESTS = """
import pytest
from box import same
from process import always, until

@pytest.fixture
def half(box):
    box.run("sh", "-c", "echo half of it; exit 5")
@pytest.fixture(scope="module")
def together(shared):
    shared.run("sh", "-c", "echo for all; exit 6")

def test_good(box):
    assert box.run("sh", "-c", "echo well; echo done >&2", seconds=20).text() == "well\\ndone\\n"
def test_hangs(box):
    begun = box.start("sh", "-c", "echo so far; exec sleep 1000")
    begun.waitFor("so far")
    begun.ends(seconds=1)
def test_waits(box):
    begun = box.start("sh", "-c", "echo so far; exec sleep 1000")
    begun.waitFor("so far")
    begun.waitFor("never said", seconds=1)
def test_status(box):
    box.run("sh", "-c", "echo the reason >&2; exit 3")
def test_stays(box):
    box.start("sh", "-c", "exec sleep 1000")
def test_escapes(monkeypatch, box):
    monkeypatch.setattr("box.until", lambda condition, what: until(condition, what, 1))
    box.run("sh", "-c", "setsid sh -c 'sleep 0.3; exec sleep 1000' & exit 0")
def test_set_up(half):
    pass
def test_set_up_of_all(together):
    pass
def test_file(box):
    box.write("tmp/left", "x")
def test_words(box):
    box.run("sh", "-c", "echo 'graphrun: one'; echo 'graphrun: two'").oneError()
def test_never(box):
    box.run("sh", "-c", "echo a fault there").never("fault")
def test_bits(box):
    box.write("a/w", b"1"), box.write("b/w", b"2"), box.write("b/v", b"2")
    same(box / "a", box / "b")
def test_nothing_to_compare(box):
    same(box / "tmp", box / "tmp")
def test_changes(box):
    begun = box.start("sh", "-c", "sleep 0.5")
    always(lambda: begun.running, "it runs", 5)
def test_graphc(box):
    box.compile("none", {"worker": 0})
def test_machines(machines, box):
    machines.add(2)
    far = machines.start(1, "sh", "-c", "ip -br addr show dev eth0; exec sleep 1000", name="far")
    far.waitFor("10.77.0.1/24")
    far.waitFor("10.77.0.2", seconds=2)
"""
# Of each: the failure, and last words of a process.
SAYS = {
    "hangs": ("sh has not ended after 1 s", "^so far$"),
    "waits": ("sh says 'never said': not within 1 s", "^so far$"),
    "status": ("sh: exit status 3, not 0", "^the reason$"),
    "stays": (r"\['sh'\] still run at the end of the test",),
    "escapes": (r"all processes end, but there are \[\(\d+, '.*sleep ",),
    "set_up": ("sh: exit status 5, not 0", "^half of it$"),
    "set_up_of_all": ("sh: exit status 6, not 0", "^for all$"),
    "file": (r"files are left behind: \['left'\]",),
    "words": ("must say one line of error, not 2", "^graphrun: two$"),
    "never": ("must not say 'fault', but says 'a fault there'",),
    "bits": (r"a and b differ in \['v', 'w'\]",),
    "nothing_to_compare": ("has no file",),
    "changes": ("it runs: not after all",),
    "graphc": ("graphc-none: exit status 1, not 0", "none.json:1"),
    "machines": ("far says '10.77.0.2': not within 2 s", "10.77.0.1/24"),
}


def inner(box, text):
    box.write("inner/test_inner.py", text)
    return box.start(
        "pytest-3",
        "-s",
        "-rA",
        "-p",
        "conftest",
        "-p",
        "no:cacheprovider",
        "--tb=short",
        "test_inner.py",
        cwd="inner",
        env={"PYTHONPATH": str(HERE), "TMPDIR": str(box / "inner")},
    )


def test_failures(box):
    """Each of them is told by its name, with the last words of its processes, and its folder is
    kept; no process is."""
    run = inner(box, TESTS).ends(1)
    run.expect("^PASSED .*test_good")
    parts = re.split(
        r"^_+ (?:ERROR at (?:setup|teardown) of )?test_(\w+) _+$", run.text(), flags=re.M
    )
    failures = dict(zip(parts[1::2], parts[2::2]))
    if "skipped" in run.lines()[-1]:  # no namespaces here
        failures.setdefault("machines", "".join(SAYS["machines"]))
    for name, words in SAYS.items():
        Text(failures.get(name, ""), name).expect(*words)
        if name != "machines":
            kept = re.search(r"^-+ kept -+\n(.*)$", failures[name], re.M)
            assert kept and Path(kept[1]).is_dir(), name
    assert not living(box.folder)


def test_killed(box):
    """A test that is killed takes along what it has started."""
    run = inner(
        box,
        "import time\ndef test_long(box):\n    box.start('sleep', '1000')\n    print('started', flush=True)\n    time.sleep(1000)\n",
    )
    run.waitFor("started")
    run.kill()


def test_ports(ports):
    """Sixteen that nobody has and that no other test gets."""
    others = [Ports() for _ in range(20)]
    assert len({other.base for other in [ports, *others]}) == 21
    for other in others:
        other.held.close()
