"""Variables without a value of their own (#graph.uninitialized), and --init_from of files that
other programs have written."""

import json
import os
import signal
import struct
import sys
import zipfile

import pytest
from box import BUILD, MLP, asName, delay, same, steps
from formats import savedValues, updates, write
from process import until
from test_restarts import alone, pids

sys.path.append(str(BUILD.parent / "python"))  # of test/requirements.txt, which has numpy
GIVEN = (
    MLP.read_text()
    .replace("#graph.glorot_uniform<seed = 1>", "#graph.uninitialized")
    .replace("#graph.glorot_uniform<seed = 2>", "#graph.uninitialized")
)
NAMES = "w1", "b1", "w2", "b2"
SPLIT = {"placement": "split", "min_shard_bytes": 64}


def npz(path, folder, names=NAMES, method=zipfile.ZIP_STORED, **arrays):
    """As numpy.savez does it: of arrays in files, or as given."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name in names:
            if name not in arrays:
                arrays[name] = (folder / f"{name}.npy").read_bytes()
        for name, data in arrays.items():
            archive.writestr(f"{name}.npy", data)


def array(folder, dtype, shape, elements, **how):
    write(folder / "array.npy", dtype, shape, elements, **how)
    return (folder / "array.npy").read_bytes()


@pytest.fixture
def given(box):
    return box.write("given.mlir", GIVEN)


@pytest.fixture
def first(box):
    """Another training: its checkpoint, and its variables in files of every kind."""
    box.graphrun(
        box.oneDevice("first", 2),
        "--steps",
        20,
        "--checkpoint_dir",
        "first",
        "--dump_variables",
        "dumped",
    )
    npz(box / "first.npz", box / "dumped")
    npz(box / "packed.npz", box / "dumped", method=zipfile.ZIP_DEFLATED)
    box.write("first.safetensors", (box / "first/step-20/worker-0.safetensors").read_bytes())
    return savedValues(box / "first/step-20")


FILES = "first.npz", "packed.npz", "first.safetensors"


def test_strategies(box, first, given):
    """Under every strategy a run from a file has the bits of one from a checkpoint with these
    values."""
    one = box.oneDevice("one", 2, given)
    box.graphrun(one, "--steps", 9, "--init_from", "first", "--dump_variables", "reference")
    plans = {
        "one": one,
        "servers": box.servers("two", 2, 2, "sync", given),
        "split": box.servers("split", 2, 2, "sync", given, **SPLIT),
        "all_reduce": box.compile("ring", {"worker": 2, "strategy": "all_reduce"}, given),
    }
    assert "part_of" in box.graphrun("show", plans["split"], "--json").out.text()
    for name, plan in plans.items():
        for file in FILES if name in ("one", "split") else FILES[1:2]:
            run = box.graphrun(
                plan, "--steps", 9, "--init_from", file, "--dump_variables", f"{name}-{file}"
            )
            run.err.expect(rf"beginning with 4 variables of {file}$")
            same(box / "reference", box / f"{name}-{file}")


def test_the_values(box, first, given):
    """What is there before the first step; a moving average begins as its variable, and what the
    file does not have with its own value."""
    npz(box / "some.npz", box / "dumped", ("w1", "w2"))
    averaged = box.write(
        "averaged.mlir", GIVEN.replace("momentum = 0.9>}", "momentum = 0.9>, moving_average = 0.9}")
    )
    for name, plan in (
        ("one", box.oneDevice("averaged", 1, averaged)),
        ("split", box.servers("averages", 2, 2, "sync", averaged, **SPLIT)),
    ):
        run = box.graphrun(plan, "--steps", 0, "--init_from", "some.npz", "--dump_variables", name)
        run.err.expect(
            r"beginning with 4 variables of some.npz; with values of their own begin b1 \(not there\), b1/ExponentialMovingAverage \(not there\), b2 "
        )
        for variable in "w1", "w2":
            for file in f"{variable}.npy", f"{variable}.ExponentialMovingAverage.npy":
                assert (box / name / file).read_bytes() == (
                    box / f"dumped/{variable}.npy"
                ).read_bytes()
        assert not any(savedBytes := (box / name / "b1.npy").read_bytes()[128:]), savedBytes


def test_goes_on(box, first, given):
    """Its own checkpoint comes first; evaluation takes that too."""
    plan = box.oneDevice("given", 2, given)
    flags = "--init_from", "packed.npz", "--checkpoint_dir", "own"
    box.graphrun(plan, "--steps", 5, *flags).err.expect("beginning with 4 variables of packed.npz$")
    (box / "packed.npz").unlink()
    run = box.graphrun(plan, "--steps", 9, *flags, "--dump_variables", "end")
    run.err.expect("going on from own/step-5")
    box.graphrun(plan, "--steps", 9, "--init_from", "first.npz", "--dump_variables", "whole")
    same(box / "whole", box / "end")
    box.graphrun(plan, "--entry", "eval", "--checkpoint_dir", "own")


@pytest.mark.parametrize("kind", ["one", "servers", "split", "async", "all_reduce"])
def test_without_values(box, given, kind):
    """No run begins without them, whatever it is to do: status 1, the variables with their places,
    the remedy; nothing is started again for it."""
    plan = {
        "one": lambda: box.oneDevice("given", 2, given),
        "servers": lambda: box.servers("two", 2, 2, "sync", given),
        "split": lambda: box.servers("split", 2, 2, "sync", given, **SPLIT),
        "async": lambda: box.servers("async", 2, 1, "async", given),
        "all_reduce": lambda: box.compile(
            "ring", {"worker": 2, "strategy": {"name": "all_reduce", "recovery": "memory"}}, given
        ),
    }[kind]()
    plan.err.never("uninitialized|warning")
    words = r"2 variables have no values to begin with \(#graph.uninitialized\): w1 of .*given.mlir:2:1, w2 of .*given.mlir:4:1; a run takes them with --init_from FILE.npz"
    for flags in ("--steps", 3, "--checkpoint_dir", "none"), ("--steps", 0), ("--entry", "eval"):
        box.refused(words, plan, *flags, status=1)
    if kind != "one":
        run = box.graphrun(
            plan, "--steps", 3, "--checkpoint_dir", "none", "--max_restarts", 3, status=1
        )
        run.err.expect(words, "no restart: the same would happen again")
    assert not list((box / "none").glob("step-*"))
    box.graphrun("check", plan, status=1).expect(f"^wrong +{words}")


def test_refused(box, first, given):
    """What the file lacks or has in other elements is said by name, by the run and by its check."""
    dumped, plan = box / "dumped", box.oneDevice("given", 2, given)
    split = box.servers("split", 2, 2, "sync", given, **SPLIT)
    half, numbers = (box / "dumped/w2.npy").read_bytes(), [0.5] * 256
    damaged = bytearray((box / "first.npz").read_bytes())
    damaged[damaged.index((dumped / "w1.npy").read_bytes()) + 2000] ^= 1
    files = {
        "missing": (
            {"names": ["b1", "b2"]},
            r"lacks the values of 2 variables that have none of their own \(#graph.uninitialized\): w1 of .*:2:1 \(not there\), w2 of .*:4:1 \(not there\)",
        ),
        "shape": (
            {"w2": array(box.folder, "<f4", (4, 64), numbers)},
            r"lacks the values of a variable .*: w2 of .*:4:1 \(tensor<4x64xf32> there, tensor<64x4xf32> in the plan\)",
        ),
        "f64": (
            {"w2": array(box.folder, "<f8", (64, 4), numbers)},
            r"cannot give: w2 is tensor<64x4xf64> there, tensor<64x4xf32> in the plan; save array.astype\(…\)",
        ),
        "own": (
            {"b1": array(box.folder, "<i4", (64,), [1] * 64)},
            r"cannot give: b1 is tensor<64xi32> there, tensor<64xf32> in the plan",
        ),
        "fortran": (
            {"w2": array(box.folder, "<f4", (64, 4), numbers, fortran=True)},
            r"fortran.npz:w2: not a usable .npy: column-major order; save numpy.ascontiguousarray\(array\)",
        ),
        "endian": (
            {"w2": half.replace(b"<f4", b">f4", 1)},
            r"endian.npz:w2: not a usable .npy: element type '>f4'; .*array.astype\(…\)",
        ),
        "cut": (
            {"w2": half[:-1]},
            r"cut.npz:w2: its shape needs 1024 bytes, its elements have 1023",
        ),
        "none": (
            {"names": [], "x": half},
            r"has no variable of the model by name and type; it has x, the model w1 \(not there\)",
        ),
        "empty": (
            {"names": []},
            r"has no variable of the model by name and type; it has none, the model w1 \(not there\)",
        ),
        "damaged": (
            bytes(damaged),
            r"damaged.npz:w1: the entry does not have the sum that its directory has",
        ),
        "short": (bytes(damaged[:-30]), r"short.npz: not a whole .npz"),
    }
    for name, (how, words) in files.items():
        box.write(f"{name}.npz", how) if isinstance(how, bytes) else npz(
            box / f"{name}.npz", dumped, **how
        )
        for one in (plan, split) if name in ("missing", "f64", "damaged") else (plan,):
            box.refused(
                f"--init_from {name}.npz: .*{words}",
                one,
                "--steps",
                1,
                "--init_from",
                f"{name}.npz",
                status=1,
            ).err.never("beginning with")
    for name in "missing", "damaged":
        box.graphrun("check", plan, "--init_from", f"{name}.npz", status=1).expect(
            f"^wrong +--init_from {name}.npz: .*{files[name][1]}"
        )
    box.graphrun("check", plan, "--init_from", "first.npz").expect(
        "^ok +--init_from: the run begins with variables of first.npz: 4; with values of their own: 0$"
    )
    for name, words in (
        ("none/x.npz", "No such file or directory"),
        ("dumped/w1.npy", "a file of values is FILE.npz or FILE.safetensors"),
    ):
        box.refused(
            f"--init_from {name}: .*{words}", plan, "--steps", 1, "--init_from", name, status=1
        )
    os.mkfifo(box / "pipe.npz")
    box.refused(
        "pipe.npz: not a regular file", plan, "--steps", 1, "--init_from", "pipe.npz", status=1
    )


def test_bf16(box):
    """Only safetensors has it."""
    plan = box.compile(
        "narrow",
        {"worker": 1},
        box.write(
            "narrow.mlir",
            """\
graph.variable @w : tensor<2x2xbf16> = #graph.uninitialized
graph.func @predict_step() -> (tensor<2x2xbf16> {graph.name = "w"}) attributes {role = #graph.role<predict>} {
  %w = graph.read @w : tensor<2x2xbf16>
  graph.return %w : tensor<2x2xbf16>
}
graph.func @train_step() attributes {role = #graph.role<train>} {
  %w = graph.read @w : tensor<2x2xbf16>
  graph.assign @w, %w : tensor<2x2xbf16>
  graph.return
}
""",
        ),
    )
    header = json.dumps(
        {
            "w": {"dtype": "BF16", "shape": [2, 2], "data_offsets": [0, 8]},
            "other": {"dtype": "F16", "shape": [1], "data_offsets": [8, 10]},
        }
    ).encode()
    # 1, 2, 3, 4 in bf16, and a 0 in f16.
    box.write(
        "w.safetensors",
        struct.pack("<Q", len(header)) + header + bytes.fromhex("803f0040404080400000"),
    )
    box.graphrun(plan, "--steps", 1, "--init_from", "w.safetensors", "--checkpoint_dir", "trained")
    box.graphrun(
        plan, "--entry", "predict", "--steps", 1, "--checkpoint_dir", "trained", "--fetch", "w"
    ).out.expect("1.*2.*3.*4")
    with zipfile.ZipFile(box / "w.npz", "w") as archive:
        archive.writestr("w.npy", array(box.folder, "<f4", (2, 2), [1, 2, 3, 4]))
    box.refused(
        "w is tensor<2x2xf32> there, tensor<2x2xbf16> in the plan; NumPy has no bf16, give it in a FILE.safetensors",
        plan,
        "--steps",
        1,
        "--init_from",
        "w.npz",
        status=1,
    )


@pytest.mark.parametrize("there", ["another", "none"])
def test_on_another_machine(box, task, first, given, there):
    """Each owner reads the file itself, and it has to be the chief's."""
    plan = box / box.servers("servers", 2, 1, "sync", given)
    words = (
        "first.npz is another file than the chief's: [0-9]+ bytes of CRC-32C [0-9a-f]{8} here"
        if there == "another"
        else "first.npz: No such file or directory; each task that has variables reads the file of --init_from itself: put it there"
    )
    (box / "elsewhere").mkdir()
    if there == "another":
        npz(
            box / "elsewhere/first.npz",
            box / "dumped",
            b1=(box / "dumped/b1.npy").read_bytes()[:-4] + b"\0\0\0\0",
        )
    run = plan, "--steps", 9, "--init_from", "first.npz"
    tasks = [task("worker-0", *run), task("worker-1", *run), task("ps-0", *run, cwd="elsewhere")]
    for one in tasks:
        one.ends(None)
    # The other worker hears the cause, or that the chief is gone.
    assert tasks[0].status == tasks[2].status == 1
    tasks[0].expect(f"{asName('ps-0')}.*{words}")
    check = "check", *run[:1], *run[3:]
    tasks = [
        task("worker-0", *check),
        task("worker-1", *check),
        task("ps-0", *check, cwd="elsewhere"),
    ]
    for one in tasks:
        one.ends(None)
    tasks[0].expect(
        f"^wrong +{asName('ps-0')}: --init_from: {words}",
        "^ok +--init_from: the run begins with variables of first.npz: 4",
    )


@pytest.mark.parametrize(
    "kind,victim",
    [
        ("sync", "worker-1"),
        ("sync", "ps-0"),
        ("async", "ps-0"),
        ("async", "worker-1"),
        ("memory", "worker-1"),
    ],
)
def test_restarted_at_the_start(box, first, given, kind, victim):
    """A run that lost a task before its first checkpoint begins with the file once more, or from
    memory; a worker that comes back to its servers needs neither."""
    plan = (
        box.compile(
            "memory", {"worker": 2, "strategy": {"name": "all_reduce", "recovery": "memory"}}, given
        )
        if kind == "memory"
        else box.servers(kind, 2, 1, kind, given)
    )
    flags = "--steps", 80, "--init_from", "packed.npz"
    late = 4000 if kind == "sync" else 6000  # the run takes more than a second
    run = box.launch(
        plan,
        *flags,
        "--max_restarts",
        2,
        "--checkpoint_dir",
        "ckpt",
        "--save_checkpoint_secs",
        1000,
        "--dump_variables",
        "dump",
        "--fetch",
        "loss",
        env=delay(worker0=late, worker1=late),
    )
    run.err.waitFor("beginning with 4 variables of packed.npz")
    before = pids(run, ["worker-0", "worker-1"] + ["ps-0"] * (kind != "memory"))
    until(lambda: steps(run) > 5, "the first steps")
    os.kill(before[victim], signal.SIGKILL)
    if (kind, victim) == ("async", "worker-1"):
        run.err.waitFor("restarting /job:worker/task:1 at once, to join them")
    else:
        alone(run, before, victim)
    run.ends()
    begun = len(run.err.matches("beginning with 4 variables of packed.npz"))
    assert begun == (1 if kind == "memory" or (kind, victim) == ("async", "worker-1") else 2)
    assert updates(box / "dump") == 80
    if kind != "async":
        same(box.weights(plan, *flags), box / "dump")


def test_numpy_itself(box, first, given):
    """What numpy.savez and savez_compressed write of arrays that numpy holds."""
    np = pytest.importorskip("numpy", reason="no numpy (test/run.sh installs it into build/python)")
    arrays = {name: np.load(box / f"dumped/{name}.npy") for name in NAMES}
    np.savez(box / "of-numpy.npz", **arrays)
    np.savez_compressed(box / "of-numpy-packed.npz", **arrays)
    plan = box.oneDevice("given", 2, given)
    for file in "of-numpy.npz", "of-numpy-packed.npz":
        box.graphrun(
            plan, "--steps", 0, "--init_from", file, "--dump_variables", f"{file}-dump"
        ).err.expect(f"beginning with 4 variables of {file}$")
        for name in NAMES:
            assert (np.load(box / f"{file}-dump/{name}.npy") == arrays[name]).all()
    for name, wrong, remedy in (
        ("order", np.asfortranarray(arrays["w1"]), "ascontiguousarray"),
        ("endian", arrays["w1"].astype(">f4"), "astype"),
        ("wide", arrays["w1"].astype(np.float64), "astype"),
    ):
        np.savez(box / f"{name}.npz", **{**arrays, "w1": wrong})
        box.refused(f"w1.*{remedy}", plan, "--steps", 1, "--init_from", f"{name}.npz", status=1)
