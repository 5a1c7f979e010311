"""The worked change of docs/howto, in a copy of the sources: it builds, and its own test passes."""
import shutil

import pytest
from box import LONG, ROOT

MINUTE = 60


@pytest.mark.skipif(not LONG, reason="--long alone")
@pytest.mark.parametrize("page,tests", [("add-an-instruction", ["test/tools/graphrun/fill.test", "test/docs/instructions.test", "test/docs/generated.test"])])
def test_change(box, page, tests):
    """A newcomer who does what the page says has a graphc and a graphrun with it."""
    copy, build = box / "copy", box / "copy/build/release"
    for name in box.run("git", "-C", ROOT, "ls-files").lines():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    box.run("patch", "-p1", "-d", copy, "-i", ROOT / f"docs/howto/{page}.patch")
    box.run("cmake", "-S", copy, "--preset", "release", "-DGRAPHC_TESTS=OFF", cwd=copy, seconds=5 * MINUTE)
    box.run("cmake", "--build", build, "--target", "graphc", "graphrun", seconds=120 * MINUTE)
    box.run("/usr/lib/llvm-22/bin/lit", "-v", *(copy / test for test in tests), env={"GRAPHC_BUILD": str(build)}, seconds=5 * MINUTE)
