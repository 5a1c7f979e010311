"""test/cuda/bundle.sh and device.sh (docs/cuda.md), from an empty folder to their exit status, on
the driver that runs PTX on the CPU."""

import gzip
import importlib.util
import json
import shutil
import time

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


def device(box, *arguments, status, driver="driver", tools="/usr/bin:/bin"):
    """device.sh without an environment; the lines of its results."""
    run = box.run(
        "env",
        "-i",
        f"PATH={tools}",
        f"LD_LIBRARY_PATH={box / driver}",
        box / "elsewhere/device.sh",
        *arguments,
        status=status,
    )
    lines = [
        json.loads(line)
        for line in (box / arguments[1] / f"results-{arguments[0]}.jsonl").read_text().splitlines()
    ]
    assert (
        lines[0]["kind"] == "machine"
        and lines[-1]["kind"] == "verdict"
        and lines[-1]["status"] == status
    )
    assert (box / arguments[1] / f"table-{arguments[0]}.txt").read_text() == run.out.text()
    return lines[1:-1], run


@pytest.mark.parametrize("part", PARTS)
def test_part(bare, part):
    """All that runs without a GPU is right; what needs one is skipped and says so, and no figure is
    given that could be a GPU's."""
    lines, run = device(bare, part, "found", status=0)
    assert {line["status"] for line in lines} <= {"ok", "skipped"}
    assert all(
        "simulated driver" in line["detail"] for line in lines if line["status"] == "skipped"
    )
    run.out.expect("simulated driver, so nothing here is about a GPU")
    assert "µs" not in run.out.text() and "_us" not in json.dumps(lines)
    names = {line["name"] for line in lines if line["status"] == "ok"}
    assert (
        names
        >= {
            "check": {
                "the device's own tests",
                "ops f32",
                "ops i64",
                "sums",
                "loop of 6",
                "one GPU linear-regression 1",
                "ps-sync linear-regression 2ps-2worker ps on CPU",
                "3 runs with equal bits: one GPU linear-regression 1",
            },
            "time": {"graphc null", "graphc mlp", "graphc matmul 16 ieee"},
            "memory": {"memory of null", "memory of mlp"},
        }[part]
    )


def test_wrong(bare):
    """Other bits, a plan that does not run, and variables that nobody expected are found, by
    name."""
    path = bare / "elsewhere/expected/ops-i32/divide.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"\x55")
    (bare / "elsewhere/expected/random-30001/sum-of-nothing.npy").write_bytes(b"")
    plan, torn = (
        bare / "elsewhere/plans/ops-i1.plan.gz",
        bare / "elsewhere/plans/random-graph-30002.plan.gz",
    )
    plan.write_bytes(gzip.compress(gzip.decompress(plan.read_bytes())[:-9]))
    torn.write_bytes(torn.read_bytes()[:-9])
    lines, _ = device(bare, "check", "found", status=1)
    wrong = {line["name"]: line["detail"] for line in lines if line["status"] == "FAILED"}
    assert sorted(wrong) == ["ops i1", "ops i32", "random graph 30001", "random graph 30002"]
    assert (
        "divide.npy differs in 1 bytes" in wrong["ops i32"]
        and "exit status" in wrong["ops i1"]
        and "sum-of-nothing.npy" in wrong["random graph 30001"]
    )


def test_nothing_ran(bare):
    """Without a driver, and without the time for what must run, all is not well."""
    (line,), run = device(bare, "check", "no-driver", status=1, driver="elsewhere")
    assert line["name"] == "a GPU" and "libcuda.so.1" in line["detail"]
    lines, run = device(bare, "check", "no-time", "--minutes", "0", status=1)
    assert {line["status"] for line in lines} == {"skipped"}
    run.out.expect("what must run did not: the device's own tests, ops f32")


def test_cut_off(bare):
    """Nothing runs on when the part's minutes are over; what was under way is left out as what had
    not begun."""
    for program in "graphrun", "device_test":
        standIn(bare / "elsewhere/bin" / program, "import time\ntime.sleep(100)\n")
    for part in PARTS:
        begun = time.monotonic()
        lines, run = device(bare, part, "short", "--minutes", "0.02", status=1)
        assert time.monotonic() - begun < 30
        assert {line["status"] for line in lines} == {"skipped"}
        run.out.expect(f"^{part}: 0 right, 0 wrong, .*; what must run did not")


# What there would be on a GPU: a driver that names one, graphrun and the tools, each as little as
# device.sh sees of it.
DRIVER = """
#include <string.h>
int cuInit(unsigned flags) { return 0; }
int cuDeviceGetCount(int *count) { return *count = 1, 0; }
int cuDriverGetVersion(int *version) { return *version = 12080, 0; }
int cuDeviceGet(int *device, int number) { return *device = number, 0; }
int cuDeviceGetName(char *name, int length, int device) { return strncpy(name, "NVIDIA H100 80GB HBM3", length), 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return *bytes = 80ull << 30, 0; }
int cuDeviceGetAttribute(int *value, int which, int device) { return *value = which == 75 ? 9 : 0, 0; }
"""
GRAPHRUN = """
import json, os, shutil, sys, time
here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
given = json.load(open(os.path.join(here, "cases.json")))
plan = os.path.join("plans", os.path.basename(sys.argv[1]))
flags = dict(zip(sys.argv[2::2], sys.argv[3::2]))
if "--stats" in flags:  # 8 µs a step without work, else 50
    rate = 125000 if "null" in plan else 20000
    stats = {"steps_per_s": rate, "step_ms": {"median": 1e3 / rate}, "first_step_s": 0.5, "steps": int(flags["--steps"])}
    json.dump({"tasks": {"/job:worker/task:0": stats}}, open(flags["--stats"], "w"))
elif "--dump_variables" in flags:
    case = next(case for case in given["checks"] if case["plan"] == plan)
    case = next((other for other in given["checks"] if other["name"] == case.get("same_as")), case)
    shutil.copytree(os.path.join(here, case["expected"]), flags["--dump_variables"])
else:
    case = next(case for case in given["memory"] if case["plan"] == plan)
    used, seen = (os.path.join(here, name) for name in ("used", "seen"))
    if os.path.exists(seen):  # of the case before
        os.remove(seen)
    open(used + ".new", "w").write(str(500 + case["bytes"] * int(open(os.path.join(here, "factor")).read()) // 2**20))
    os.rename(used + ".new", used)
    while not os.path.exists(seen):  # until nvidia-smi has read it
        time.sleep(0.02)
    os.remove(used)
"""
NVIDIA_SMI = """
import os, sys
used, seen = (os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "elsewhere", name) for name in ("used", "seen"))
if "--query-gpu=memory.used" in sys.argv:
    found = open(used).read() if os.path.exists(used) else None
    print(found or 17)
    if found:
        open(seen, "w").close()
elif "--query-gpu=driver_version" in sys.argv:
    print("570.86.15")
"""
SANITIZER = """
import os, sys
tool, children, code, *command = sys.argv[1:]
assert tool.startswith("--tool=") and children == "--target-processes=all" and code == "--error-exitcode=9"
if tool == "--tool=racecheck" and "ops-i64" in command[1]:
    print("========= Error: Potential WAW hazard detected")
    sys.exit(9)
os.execv(command[0], command)
"""
PEER = """
import json
def row(case, **more):
    print(json.dumps({"peer": "PEER", "case": case, **more}), flush=True)
for case, mean in ("null", 16.0), ("mlp", 100.0), ("mlp, data there", 60.0):
    row(case, mean_us=mean, synced_us=2 * mean, steps=10)
row("matmul 16 bf16", why="no such kernel")
"""


def standIn(path, text):
    path.write_text("#!/usr/bin/env python3\n" + text)
    path.chmod(0o755)


@pytest.fixture
def likeAGpu(bare):
    """The bundle on a machine that is like one with a GPU, of which all is made up."""
    bare.preload("driver/libcuda", DRIVER)
    (bare / "driver/libcuda.so").replace(bare / "driver/libcuda.so.1")
    (bare / "tools").mkdir()
    standIn(bare / "tools/nvidia-smi", NVIDIA_SMI)
    standIn(bare / "tools/compute-sanitizer", SANITIZER)
    standIn(bare / "elsewhere/bin/graphrun", GRAPHRUN)
    standIn(bare / "elsewhere/bin/device_test", "print('[  PASSED  ] 40 tests.')\n")
    for peer in "jax", "torch":
        standIn(bare / f"elsewhere/trial/peers/{peer}_gpu.py", PEER.replace("PEER", peer))
    (bare / "elsewhere/factor").write_text("1")
    return bare


def onGpu(box, part, status):
    lines, run = device(box, part, "found", status=status, tools=f"{box / 'tools'}:/usr/bin:/bin")
    assert "simulated" not in run.out.text()
    run.out.expect(
        "^gpu NVIDIA H100 80GB HBM3, arch sm_90, gpus 1, memory_mib 81920, driver 570.86.15, cuda 12.8, "
    )
    return lines, run


def test_sanitizer(likeAGpu):
    """Each of its tools looks at each small case; what one finds is wrong."""
    lines, _ = onGpu(likeAGpu, "check", status=1)
    found = {line["name"]: line for line in lines if line["name"].startswith("compute-sanitizer")}
    assert sorted(found) == [
        f"compute-sanitizer {tool}check: {case}"
        for tool in ("mem", "race", "sync")
        for case in ("loop of 6", "one GPU linear-regression 1", "ops f32", "ops i64")
    ]
    assert [name for name, line in found.items() if line["status"] != "ok"] == [
        "compute-sanitizer racecheck: ops i64"
    ]
    assert (
        "exit status 9: ========= Error: Potential WAW hazard"
        in found["compute-sanitizer racecheck: ops i64"]["detail"]
    )
    assert all(line["status"] == "ok" for line in lines if line["name"] not in found)


def test_times(likeAGpu):
    """A peer's time to graphc's, the share of the peak and the aims: 8 and 50 µs of graphc's beside
    16, 100 and 60 of the peers'."""
    lines, run = onGpu(likeAGpu, "time", status=0)
    table = {
        line[:28].strip(): line[28:].split()
        for line in run.out.text().splitlines()
        if line.startswith(" ") and line[28:29] == " "
    }
    assert table["null"] == ["ieee", "8.00", "-", "16.00", "2.00", "16.00", "2.00"]
    assert table["mlp"] == ["ieee", "50.00", "-", "100.00", "2.00", "100.00", "2.00"]
    assert table["mlp, data there"][-2:] == ["60.00", "1.20"] and table["matmul 16 tf32"] == [
        "tf32",
        "50.00",
        "-",
        "-",
        "-",
        "-",
        "-",
    ]
    run.out.expect("aim: null: at most 10 µs: 8.00, reached$")
    run.out.expect("aim: mlp: at least 1.5 times as fast as JAX: 2.00, reached$")
    run.out.expect("skipped torch matmul 16 bf16: no such kernel$")
    kept = [line for line in lines if line["kind"] == "time"]
    # Before the peers, and after them.
    assert len([line for line in kept if line["peer"] == "graphc"]) == 2 * len(
        likeAGpu.json("elsewhere/cases.json")["time"]
    )
    assert [line["mean_us"] for line in kept if line["peer"] == "jax"] == [16, 100, 60] and not any(
        line["simulated"] for line in kept
    )


def test_aims_that_are_missed(likeAGpu):
    """Slower steps, a peer that fails, and a large product's share of the peak."""
    box = likeAGpu
    for path, before, after in (
        ("bin/graphrun", "125000 if", "50000 if"),
        ("trial/peers/torch_gpu.py", "import json", "raise SystemExit('no torch today')"),
        ("trial/peers/jax_gpu.py", "100.0", "60.0"),
        ("cases.json", '"flops": 8192', '"flops": 3350000000'),
    ):
        text = (box / "elsewhere" / path).read_text()
        assert before in text
        (box / "elsewhere" / path).write_text(text.replace(before, after))
    _, run = onGpu(box, "time", status=0)
    run.out.expect("aim: null: at most 10 µs: 20.00, missed$")
    run.out.expect("aim: mlp: at least 1.5 times as fast as JAX: 1.20, missed$")
    run.out.expect("skipped torch: ended early: no torch today$")
    run.out.expect("^ matmul 16 ieee +ieee +50.00 +100.0% +-")  # 67 TFLOP/s
    run.out.expect("^ matmul 16 tf32 +tf32 +50.00 +13.5% +-")


def test_memory_that_is_measured(likeAGpu):
    """What nvidia-smi sees beside what the plan said; the first case shows what the driver takes
    itself."""
    path = likeAGpu / "elsewhere/cases.json"
    cases = json.loads(path.read_text())
    cases["memory"][1]["bytes"] = 200 << 20
    path.write_text(json.dumps(cases))
    lines, run = onGpu(likeAGpu, "memory", status=0)
    first, second = lines
    assert (
        first["measured"] == (500 - 17) << 20
        and second["measured"] == second["planned"] == 200 << 20
    )
    run.out.expect("memory of mlp: planned 200.0 MiB, measured 200 MiB more than the first$")
    (likeAGpu / "elsewhere/factor").write_text("2")
    lines, _ = onGpu(likeAGpu, "memory", status=1)
    assert [line["status"] for line in lines] == ["ok", "FAILED"]


@pytest.mark.parametrize("peer, module", [("jax", "jax"), ("torch", "torch")])
def test_peers(bare, peer, module):
    """Their scripts give a row a case, or say why they have none; on a CPU where the peer is
    installed."""
    run = bare.run(
        "python3",
        "-B",
        bare / f"elsewhere/trial/peers/{peer}_gpu.py",
        bare / "elsewhere/cases.json",
        "--seconds",
        "0.01",
        "--device",
        "cpu",
        seconds=300,
    )
    rows = [json.loads(line) for line in run.out.lines()]
    assert {row["case"] for row in rows} == {
        case["name"] for case in bare.json("elsewhere/cases.json")["time"]
    }
    installed = importlib.util.find_spec(module)
    assert all(
        ("mean_us" in row) if installed else row["why"] == f"No module named '{module}'"
        for row in rows
    )


def test_command_line(bare):
    """The scripts say what is wrong with how they are called, and write nothing."""
    for command, words in (
        ("elsewhere/device.sh tidy found", "invalid choice: 'tidy'"),
        (f"{ROOT}/test/cuda/device.sh check found", "make a bundle first"),
        (f"{ROOT}/test/cuda/bundle.sh elsewhere", "elsewhere is there already"),
        (f"{ROOT}/test/cuda/bundle.sh new --tiny", "unknown argument '--tiny'"),
    ):
        bare.run(*command.split(), status=2)
        bare.last.err.expect(words)
    assert not (bare / "found").exists() and not (bare / "new").exists()
