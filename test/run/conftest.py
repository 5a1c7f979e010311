"""The fixtures of the end-to-end tests; CONTRIBUTING.md says how to write one.
By hand: pytest-3 test/run/test_stop.py"""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import pytest  # noqa: E402
from box import BUILD, Box  # noqa: E402
from machines import Machines  # noqa: E402
from ports import Ports  # noqa: E402

os.environ["PATH"] = os.pathsep.join(
    [str(BUILD / "bin"), "/usr/lib/llvm-22/bin", os.environ["PATH"]]
)
BOXES = pytest.StashKey[dict[str, Box]]()  # of a test or a file: by fixture


def boxed(request, name):
    made = Box(name.removeprefix("test_").split("[")[0].replace("_", "-"))
    request.node.stash.setdefault(BOXES, {})[request.fixturename] = made
    yield made
    made.close()


@pytest.fixture
def box(request):
    """A folder of the test's own, in which its processes run; kept where the test fails, in its
    set-up too."""
    yield from boxed(request, request.node.name)


@pytest.fixture(scope="module")
def shared(request):
    """The same for a file's fixtures of scope "module": what they make once, tests read."""
    yield from boxed(request, request.node.path.stem)


@pytest.fixture
def two(box):
    """The plan that most tests run: models/mlp.mlir on one parameter server and two workers,
    synchronously."""
    return box.servers("two", workers=2, ps=1)


@pytest.fixture
def cache(box):
    """The folder in which graphc and graphrun keep what they have measured and decoded, of this
    test alone."""
    box.environment["XDG_CACHE_HOME"] = str(box / "cache")
    return box / "cache/graphc"


@pytest.fixture(params=["shm", "grpc"])
def transport(request):
    """A test that takes it runs with each."""
    return request.param


@pytest.fixture
def ports():
    """Sixteen ports of this machine that are nobody's."""
    made = Ports()
    yield made
    made.held.close()


@pytest.fixture
def task(box, ports):
    """A task by hand of a plan with one parameter server and two workers, at ports.flags or other
    hosts: task("worker-1", plan, flags…)."""
    return lambda name, *arguments, hosts=ports.flags, **how: box.task(
        name, *arguments, *hosts, **how
    )


@pytest.fixture
def machines(box):
    """Machines on one switch: network namespaces. Skips where the kernel does not permit them."""
    made = Machines(box)
    yield made
    made.close()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if not report.failed:
        return
    for name, made in [
        pair for node in item.listchain() for pair in node.stash.get(BOXES, {}).items()
    ]:
        if name in item.fixturenames or made.kept:
            made.kept = True
            if hasattr(report.longrepr, "addsection"):
                for process in made.processes[-8:]:
                    report.longrepr.addsection(process.name, process.report())
                report.longrepr.addsection("kept", str(made.folder))


# test/run.sh runs groups of tests side by side: those of a file, apart from each other where the
# file says so by parameter `row`.


def pytest_addoption(parser):
    parser.addoption("--groups", help="write the tests, group by group, to this file")


def pytest_collection_finish(session):
    if path := session.config.getoption("groups"):
        groups = {}
        for item in session.items:
            row = getattr(item, "callspec", None) and item.callspec.params.get("row")
            groups.setdefault(item.path.stem + (f" {row}" if row else ""), []).append(item.nodeid)
        with open(path, "w") as file:
            json.dump(groups, file)
