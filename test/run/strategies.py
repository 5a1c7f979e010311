"""The rows of strategies.json, run: strategies.py ROW [CELL…]; strategies.py --table writes the table of docs/status.md.

Each row is one strategy; each cell of it one promise, tried on every model and cluster of the row. The models are the same
files for all rows; nothing but cluster.json differs. Sourced by no one; test/run/strategy-ROW.sh runs one row.
"""
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
STEPS = 20
WAIT = 120  # seconds; a run takes less than one
with open(os.path.join(HERE, "strategies.json")) as table:
    DATA = json.load(table)
CELLS = list(DATA["cells"])
MODELS = {"linear-regression": "examples/linear-regression/model.mlir", "mlp": "test/run/models/mlp.mlir",
          "fashion-mnist": "examples/fashion-mnist/model.mlir", "bottleneck": "test/run/models/bottleneck.mlir"}


def fail(what, *files):
    print(f"wrong: {what}")
    for path in files:
        with open(path, errors="replace") as file:
            print(f"-- {path}\n{file.read()[-3000:]}")
    sys.exit(1)


def nameOf(cluster):
    return "-".join(f"{tasks}{job}" for job, tasks in cluster.items())


def replicasOf(row, cluster):
    return cluster[row["replicas"]] if isinstance(row.get("replicas"), str) else row.get("replicas", 1)


def compilePlan(model, config, name):
    with open(f"{name}.json", "w") as file:
        json.dump(config, file)
    done = subprocess.run(["graphc", "--partition", f"{name}.json", os.path.join(ROOT, MODELS[model]), "-o",
                           f"{name}.plan"], capture_output=True, text=True)
    if done.returncode:
        fail(f"graphc, {name}: {done.stderr}")
    return f"{name}.plan"


def planOf(row, model, cluster):
    """The plan of a cell, made once."""
    name = f"{model}-{nameOf(cluster)}"
    if os.path.exists(f"{name}.plan"):
        return f"{name}.plan"
    jobs = {job: [f"{job}{i}:2222" for i in range(tasks)] for job, tasks in cluster.items()} if row.get("apart") else cluster
    config = {**jobs, "strategy": row["strategy"], "devices": row.get("devices", {})}
    rules = row.get("placement", {}).get(model)
    if rules:
        job, tasks = next(iter(cluster.items()))
        config["placement"] = [{"name": pattern, "device": f"/job:{job}/task:{task % tasks}"} for pattern, task in rules]
    return compilePlan(model, config, name)


def reference(row, model, cluster):
    replicas = replicasOf(row, cluster)
    folder = f"one-{model}-{replicas}"
    if not os.path.isdir(folder):
        strategy = {"name": "one_device", "micro_batches": replicas}
        run(compilePlan(model, {"worker": 1, "strategy": strategy}, folder), "--dump_variables", folder)
    return folder


def run(plan, *arguments, steps=STEPS):
    with open("out.txt", "w") as out, open("err.txt", "w") as err:
        done = subprocess.run(["timeout", str(WAIT), "graphrun", plan, "--steps", str(steps), *arguments], stdout=out,
                              stderr=err)
    if done.returncode:
        fail(f"graphrun {plan} {' '.join(arguments)}", "out.txt", "err.txt")


def stepsIn(folder):
    with open(os.path.join(folder, "global_step.npy"), "rb") as file:
        return struct.unpack("<q", file.read()[-8:])[0]


def compare(row, model, cluster, folder, what):
    if "inexact" in row:
        if stepsIn(folder) != STEPS:
            fail(f"{what}: {stepsIn(folder)} updates, expected {STEPS}")
        return
    sameFiles(reference(row, model, cluster), folder, f"{what}, and one_device with {replicasOf(row, cluster)} micro-batches")


def sameFiles(one, other, what):
    names = sorted(os.listdir(one))
    if names != sorted(os.listdir(other)):
        fail(f"{what}: the variables are {names} and {os.listdir(other)}")
    for name in names:
        with open(os.path.join(one, name), "rb") as a, open(os.path.join(other, name), "rb") as b:
            if a.read() != b.read():
                fail(f"{what}: {name} differs")


def overTransport(row, transport):
    for model in MODELS:
        # Each run of Fashion-MNIST evaluates on 10,000 images: the smallest cluster and the largest.
        for cluster in row["clusters"] if model != "fashion-mnist" else [row["clusters"][0], row["clusters"][-1]]:
            what = f"{model} on {nameOf(cluster)} over {transport}"
            folder = f"{model}-{nameOf(cluster)}-{transport}"
            run(planOf(row, model, cluster), f"--transport={transport}", "--dump_variables", folder)
            compare(row, model, cluster, folder, what)


def cell_exact(row):
    """Can fail: a run of other steps differs, and so does another number of micro-batches."""
    model, cluster = "mlp", row["clusters"][-1]
    run(planOf(row, model, cluster), "--dump_variables", "right")
    compare(row, model, cluster, "right", "mlp")
    run(planOf(row, model, cluster), "--dump_variables", "other", steps=STEPS + 1)
    if all(open(f"right/{n}", "rb").read() == open(f"other/{n}", "rb").read() for n in os.listdir("right") if n[0] == "w"):
        fail("one step more must give other weights")


def cell_shm(row):
    overTransport(row, "shm")


def cell_grpc(row):
    overTransport(row, "grpc")


def tasksOf(cluster):
    return [(job, index) for job, tasks in cluster.items() for index in range(tasks)]


def cell_processes(row):
    model, cluster = "bottleneck", row["clusters"][-1]
    plan = planOf(row, model, cluster)
    base = random.randrange(20000, 40000)
    hosts, port = [], base
    for job, tasks in cluster.items():
        hosts += [f"--{job}_hosts", ",".join(f"127.0.0.1:{port + i}" for i in range(tasks))]
        port += tasks
    started = []
    for number, (job, index) in enumerate(tasksOf(cluster)):
        command = ["timeout", str(WAIT), "graphrun", plan, "--steps", str(STEPS), "--job_name", job, "--task_index",
                   str(index), *hosts, "--dump_variables", "by-hand"]
        started.append(subprocess.Popen(command, stdout=open(f"task{number}.txt", "w"), stderr=subprocess.STDOUT))
    for number, process in enumerate(started):
        if process.wait():
            fail(f"task {number} of {nameOf(cluster)}", *[f"task{i}.txt" for i in range(len(started))])
    compare(row, model, cluster, "by-hand", "by hand")


def cell_apart(row):
    """Returns why it was skipped, if it was."""
    smallest, largest = row["clusters"][0], row["clusters"][-1]
    runs, arguments = [("linear-regression", smallest), ("mlp", largest), ("bottleneck", largest), *row.get("alsoApart", [])], []
    for model, cluster in runs:
        arguments += [os.path.abspath(planOf(row, model, cluster)), " ".join(f"{job}={tasks}" for job, tasks in cluster.items()),
                      os.path.abspath(f"{model}-{nameOf(cluster)}-apart")]
    done = subprocess.run(["bash", os.path.join(HERE, "apart.bash"), str(STEPS), *arguments], capture_output=True, text=True)
    if done.returncode == 77:
        return done.stdout.strip().splitlines()[-1]
    if done.returncode:
        fail(f"each task on a machine of its own\n{done.stdout[-6000:]}{done.stderr[-3000:]}")
    for model, cluster in runs:
        folder, what = f"{model}-{nameOf(cluster)}-apart", f"{model} on {nameOf(cluster)}, each task on a machine of its own"
        compare(row, model, cluster, folder, what)
        if row.get("sameInEveryRun"):
            here = f"{model}-{nameOf(cluster)}-here"
            run(planOf(row, model, cluster), "--dump_variables", here)
            sameFiles(here, folder, f"{what}, and on this one")


def childOf(launcher, job, index):
    done = subprocess.run(["pgrep", "-P", str(launcher), "-f", "--", f"--job_name={job} --task_index={index}"],
                          capture_output=True, text=True)
    return int(done.stdout.split()[0]) if done.stdout.split() else None


def cell_lost(row):
    model, cluster = "mlp", row["clusters"][-1]
    tasks = tasksOf(cluster)
    chief = next(t for t in tasks if t[0] == "worker")
    other = tasks[0] if tasks[0] != chief else tasks[-1]
    for job, index in (chief, other, tasks[-1]):
        with open("out.txt", "w") as out, open("err.txt", "w") as err:
            launcher = subprocess.Popen(["graphrun", planOf(row, model, cluster), "--steps", "1000000000", "--checkpoint_dir",
                                         "kept", "--checkpoint_every_steps", "50"], stdout=out, stderr=err)
        deadline = time.time() + WAIT
        while not (os.path.isdir("kept") and any(name.startswith("step-") for name in os.listdir("kept"))):
            if time.time() > deadline or launcher.poll() is not None:
                launcher.kill()
                fail("a checkpoint", "out.txt", "err.txt")
            time.sleep(0.02)
        os.kill(childOf(launcher.pid, job, index), signal.SIGKILL)
        try:
            status = launcher.wait(timeout=WAIT)
        except subprocess.TimeoutExpired:
            launcher.kill()
            fail(f"the run goes on without {job}:{index}", "err.txt")
        said = open("err.txt").read()
        if status != 1 or f"/job:{job}/task:{index} " not in said or "was killed by signal 9" not in said:
            fail(f"status 1 and the name of {job}:{index} after its death, got {status}", "err.txt")
        shutil.rmtree("kept")


def cellName(row, cell):
    return f"strategy-{row['name']}.sh {cell}"


def writeTable():
    """Fails where a cell names a test that is not there, or a test is in no row."""
    scripts = {name for name in os.listdir(HERE) if re.fullmatch(r"strategy-.*\.sh", name)}
    named = {f"strategy-{row['name']}.sh" for row in DATA["rows"]}
    if scripts != named:
        sys.exit(f"test/run: {', '.join(sorted(scripts ^ named))} stands in strategies.json or in the folder, not in both")
    print("\n".join(f"- **{cell}**: {text}" for cell, text in DATA["cells"].items()) + "\n")
    print("| strategy | " + " | ".join(CELLS) + " |\n" + "|---" * (len(CELLS) + 1) + "|")
    for row in DATA["rows"]:
        cells = []
        for cell in CELLS:
            cells.append(row["inexact"] if cell == "exact" and "inexact" in row else f"`{cellName(row, cell)}`")
        print(f"| {row['title']} | " + " | ".join(cells) + " |")


def main():
    if sys.argv[1:] == ["--table"]:
        return writeTable()
    rows = {row["name"]: row for row in DATA["rows"]}
    if len(sys.argv) < 2 or sys.argv[1] not in rows or any(c not in CELLS for c in sys.argv[2:]):
        sys.exit(f"usage: strategies.py ROW [CELL…] with ROW of {', '.join(rows)} and CELL of {', '.join(CELLS)}")
    row = rows[sys.argv[1]]
    os.environ.pop("TF_CONFIG", None)
    with tempfile.TemporaryDirectory() as box:
        os.chdir(box)
        os.environ.update(XDG_STATE_HOME=os.path.join(box, "state"))
        skipped = []
        for cell in sys.argv[2:] or [c for c in CELLS if c != "exact" or "inexact" not in row]:
            begin = time.time()
            why = globals()[f"cell_{cell}"](row)
            print(f"{cellName(row, cell)}: {why or f'{time.time() - begin:.1f} s'}", flush=True)
            if why:
                skipped.append(f"{cell}: {why}")
        os.chdir("/")
    if skipped:  # the other cells have passed
        print("; ".join(skipped))
        sys.exit(77)


if __name__ == "__main__":
    main()
