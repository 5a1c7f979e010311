"""test/cuda/bundle.sh and device.sh (docs/cuda.md), from an empty folder to their exit status, on the driver that runs PTX on the CPU."""
import json
import shutil

import pytest
from box import BUILD, ROOT

PARTS = "check", "time", "memory"


@pytest.fixture(scope="module")
def made(shared):
    shared.run(ROOT / "test/cuda/bundle.sh", "made", "--small")
    return shared / "made"


@pytest.fixture
def bare(box, made):
    """The bundle elsewhere, and the driver beside it: nothing of the build is needed."""
    shutil.copytree(made, box / "elsewhere")
    (box / "driver").mkdir()
    shutil.copy(BUILD / "test/cuda/libcuda.so.1", box / "driver")
    return box


def device(box, *arguments, status, driver="driver"):
    """device.sh without an environment; the lines of its results."""
    run = box.run("env", "-i", "PATH=/usr/bin:/bin", f"LD_LIBRARY_PATH={box / driver}", box / "elsewhere/device.sh", *arguments, status=status)
    lines = [json.loads(line) for line in (box / arguments[1] / f"results-{arguments[0]}.jsonl").read_text().splitlines()]
    assert lines[0]["kind"] == "machine" and lines[-1]["kind"] == "verdict" and lines[-1]["status"] == status
    assert (box / arguments[1] / f"table-{arguments[0]}.txt").read_text() == run.out.text()
    return lines[1:-1], run


@pytest.mark.parametrize("part", PARTS)
def test_part(bare, part):
    """All that runs without a GPU is right; what needs one is skipped and says so, and no figure is given that could be a GPU's."""
    lines, run = device(bare, part, "found", status=0)
    assert {line["status"] for line in lines} <= {"ok", "skipped"}
    assert all("simulated driver" in line["detail"] for line in lines if line["status"] == "skipped")
    run.out.expect("simulated driver, so nothing here is about a GPU")
    assert "µs" not in run.out.text() and "_us" not in json.dumps(lines)
    names = {line["name"] for line in lines if line["status"] == "ok"}
    assert names >= {"check": {"the device's own tests", "ops f32", "ops i64", "sums", "one GPU linear-regression 1", "ps-sync linear-regression 2ps-2worker ps on CPU",
                               "3 runs with equal bits: one GPU linear-regression 1"},
                     "time": {"graphc null", "graphc mlp", "graphc matmul 16 ieee"}, "memory": {"memory of null", "memory of mlp"}}[part]


def test_wrong(bare):
    """Other bits, a plan that does not run, and variables that nobody expected are found, by name."""
    path = bare / "elsewhere/expected/ops-i32/divide.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"\x55")
    (bare / "elsewhere/expected/random-30001/sum-of-nothing.npy").write_bytes(b"")
    plan = bare / "elsewhere/plans/ops-i1.plan"
    plan.write_bytes(plan.read_bytes()[:-9])
    lines, _ = device(bare, "check", "found", status=1)
    wrong = {line["name"]: line["detail"] for line in lines if line["status"] == "FAILED"}
    assert sorted(wrong) == ["ops i1", "ops i32", "random graph 30001"]
    assert "divide.npy differs in 1 bytes" in wrong["ops i32"] and "exit status" in wrong["ops i1"] and "sum-of-nothing.npy" in wrong["random graph 30001"]


def test_nothing_ran(bare):
    """Without a driver, and without the time for what must run, all is not well."""
    (line,), run = device(bare, "check", "no-driver", status=1, driver="elsewhere")
    assert line["name"] == "a GPU" and "libcuda.so.1" in line["detail"]
    lines, run = device(bare, "check", "no-time", "--minutes", "0", status=1)
    assert {line["status"] for line in lines} == {"skipped"}
    run.out.expect("what must run did not: the device's own tests, ops f32")


def test_command_line(bare):
    """The scripts say what is wrong with how they are called, and write nothing."""
    for command, words in (("elsewhere/device.sh tidy found", "invalid choice: 'tidy'"), (f"{ROOT}/test/cuda/device.sh check found", "make a bundle first"),
                           (f"{ROOT}/test/cuda/bundle.sh elsewhere", "elsewhere is there already"), (f"{ROOT}/test/cuda/bundle.sh new --tiny", "unknown argument '--tiny'")):
        bare.run(*command.split(), status=2)
        bare.last.err.expect(words)
    assert not (bare / "found").exists() and not (bare / "new").exists()
