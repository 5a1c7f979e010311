"""The worked change of docs/howto, in a copy of the sources: it builds, and its own test passes."""

import os
import shutil

import pytest
from box import LONG, ROOT

MINUTE = 60


@pytest.mark.skipif(not LONG, reason="--long alone")
@pytest.mark.parametrize(
    "page,tests",
    [
        (
            "add-an-instruction",
            [
                "test/tools/graphrun/fill.test",
                "test/docs/instructions.test",
                "test/docs/generated.test",
            ],
        )
    ],
)
def test_change(box, page, tests):
    """A newcomer who does what the page says has a graphc and a graphrun with it."""
    copy, build = box / "copy", box / "copy/build/release"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("build", ".git", "__pycache__"))
    box.run("git", "init", "-q", copy)
    box.run("git", "-C", copy, "apply", f"docs/howto/{page}.patch")
    box.run("cmake", "-S", copy, "--preset", "release", cwd=copy, seconds=5 * MINUTE)
    box.run(
        "cmake",
        "--build",
        build,
        "--target",
        "graphc",
        "graphrun",
        "plan_test",
        "-j",
        os.environ.get("GRAPHC_JOBS", "2"),
        seconds=50 * MINUTE,
    )
    box.run(build / "test/bin/plan_test")
    box.run(
        "/usr/lib/llvm-22/bin/lit",
        "-v",
        *(copy / test for test in tests),
        env={"GRAPHC_BUILD": str(build)},
        seconds=5 * MINUTE,
    )
