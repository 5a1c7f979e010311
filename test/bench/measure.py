"""One measurement of one peer or of this project, as normalised rows. Python's standard library
only.

A row: {peer, case, strategy, sync, workers, threads, bytes, median_ms, p99_ms, first_step_s, cpu};
what a peer does not report is null. `workers` counts the processes that compute, `bytes` the
parameters that cross between two tasks in one direction, a worker and step. first_step_s counts
from the start of the process.
"""

import concurrent.futures
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(ROOT, "test/bench")
BIN = os.path.join(ROOT, "build/release/bin")
PEERS = os.environ.get("PEERS", os.path.join(ROOT, "build/peers"))
BYTES = {
    "linreg": 16,
    "null": 4,
    "resnet20": 4 * 272_282,
    "gpt": 4 * 3_454_464,
    "dense": 64 << 20,
    "mlp": 4 * (784 * 512 + 512 + 512 * 10 + 10),
    "ingraph-send": 64 << 20,
}


# Variables that limit this project, oneDNN, PyTorch, MKL and XLA to a level of x86-64.
LIMITS = {
    "x86-64-v3": {
        "GRAPHC_MAX_CPU_ISA": "x86-64-v3",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "XLA_FLAGS": "--xla_cpu_max_isa=AVX2",
    }
}


def limitTo(level):
    """Limits every program that is measured afterwards to this level."""
    os.environ.update(LIMITS[level])
    # torch.compile's code for one level crashes in a process of another one
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(ROOT, "build/bench/inductor-" + level)


def cpuName():
    """As "2 x AMD EPYC, family 26, model 17, AVX-512", since model names of servers do not name the
    kind."""
    with open("/proc/cpuinfo") as info:
        about = dict(re.findall(r"^([\w ]+?)\s*: (.*)$", info.read(), re.M))
    level = os.environ.get("GRAPHC_MAX_CPU_ISA")
    flags = about.get("flags", "").split()
    isa = next((isa for isa in ("avx512f", "avx2", "avx") if isa in flags), "SSE")
    return ", ".join(
        [
            f"{os.cpu_count()} x {about.get('model name', 'unknown')}",
            f"family {about.get('cpu family', '?')}",
            f"model {about.get('model', '?')}",
            f"limited to {level}" if level else isa.upper().replace("AVX512F", "AVX-512"),
        ]
    )


def row(
    peer,
    case,
    strategy,
    workers,
    threads,
    median,
    p99=None,
    first=None,
    sync=None,
    bytes_=0,
    **more,
):
    return dict(
        peer=peer,
        case=case,
        strategy=strategy,
        sync=sync,
        workers=workers,
        threads=threads,
        bytes=bytes_,
        median_ms=median,
        p99_ms=p99,
        first_step_s=first,
        cpu=cpuName(),
        **more,
    )


def installed(peer):
    return os.path.exists(os.path.join(PEERS, peer, "bin/python"))


def python(peer):
    return os.path.join(PEERS, peer, "bin/python")


def environment():
    """torch's wheel loads CUDA libraries at import, GPU or not; those of an installed toolkit
    do."""
    cuda = os.environ.get("CUDA_LIB")
    if not cuda and shutil.which("nvcc"):
        cuda = os.path.join(
            os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("nvcc")))), "lib64"
        )
    return {**os.environ, "LD_LIBRARY_PATH": cuda or ""}


def jsonLines(text):
    for line in text.splitlines():
        if line.startswith("{"):
            yield json.loads(line)


def complain(what, text):
    tail = (text.strip().splitlines() or ["no message"])[-1]
    print(f"bench: {what}: {tail}", file=sys.stderr, flush=True)


def freePorts(count):
    base = random.randrange(20000, 40000)
    return [base + i for i in range(count)]


# ---- this project


def compilePlan(case, folder, cluster=None, threads=1, model=None, more=()):
    """Returns (path, milliseconds of graphc, process start to end)."""
    plan = os.path.join(folder, f"{case}.plan")
    command = [
        os.path.join(BIN, "graphc"),
        model or os.path.join(HERE, "models", f"{case}.mlir"),
        *more,
        "-o",
        plan,
        f"--intra_op_threads={threads}",
    ]
    if cluster:
        path = os.path.join(folder, "cluster.json")
        with open(path, "w") as file:
            json.dump(cluster, file)
        command[1:1] = ["--partition", path]
    start = time.time()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"graphc {case}: {done.stderr.strip()}")
    return plan, (time.time() - start) * 1e3


CALIBRATION = os.path.join(ROOT, "build/bench/calibration.json")


def calibrate():
    """Once a run of the benchmarks: the figures of this machine that graphc predicts from."""
    os.makedirs(os.path.dirname(CALIBRATION), exist_ok=True)
    subprocess.run(
        [os.path.join(BIN, "graphrun"), "calibrate", "-o", CALIBRATION],
        check=True,
        capture_output=True,
    )


def peak(cores):
    """Gflop/s of fused multiply-adds of f32 of so many cores at once, all together; None where
    there is no compiler."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "peak")
        try:
            subprocess.run(
                [
                    "clang-22",
                    "-O3",
                    f"-march={os.environ.get('GRAPHC_MAX_CPU_ISA', 'native')}",
                    "-mprefer-vector-width=512",
                    "-ffp-contract=fast",
                    os.path.join(HERE, "peak.c"),
                    "-o",
                    program,
                ],
                check=True,
            )
            running = [
                subprocess.Popen(
                    ["taskset", "-c", str(core), program], stdout=subprocess.PIPE, text=True
                )
                for core in range(cores)
            ]
            return sum(float(each.communicate()[0]) for each in running)
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            complain("peak", str(error))
            return None


def flopsOf(plan):
    """Of a step of training, by the definitions of its ops; None of an earlier build, which does
    not tell."""
    shown = subprocess.run(
        [os.path.join(BIN, "graphrun"), "show", "--json", plan], capture_output=True, text=True
    )
    if shown.returncode or "flops_per_step" not in shown.stdout:
        return None
    shown = json.loads(shown.stdout)
    return sum(
        program["flops_per_step"]
        for program in shown["programs"]
        if program["phase"] == "train_step"
    )


def predicted(case, folder, cluster, name):
    """Milliseconds of a step as `graphc --compare` has them, from calibrate's figures; None where
    it cannot say."""
    path = os.path.join(folder, "compared.json")
    with open(path, "w") as file:
        json.dump(cluster, file)
    done = subprocess.run(
        [
            os.path.join(BIN, "graphc"),
            "--compare",
            name,
            os.path.join(HERE, "models", f"{case}.mlir"),
            "--partition",
            path,
            "--calibration",
            CALIBRATION,
        ],
        capture_output=True,
        text=True,
    )
    found = re.search(
        rf"^ {re.escape(name)} +([0-9.]+) (ns|us|µs|ms|s) ", done.stdout + done.stderr, re.M
    )
    return found and round(
        float(found[1]) * {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1, "s": 1e3}[found[2]], 5
    )


def pinTasks(launcher, tasks):
    """Task i of one job on core i mod cores, as torch_gloo.py pins its ranks: every thread that is
    there when the task is."""
    end, pinned = time.time() + 2, {}
    while time.time() < end and launcher.poll() is None:
        for pid in subprocess.run(
            ["pgrep", "-P", str(launcher.pid)], capture_output=True, text=True
        ).stdout.split():
            try:
                with open(f"/proc/{pid}/cmdline") as file:
                    index = re.search(r"--task_index=(\d+)", file.read())
                for thread in os.listdir(f"/proc/{pid}/task") if index else ():
                    os.sched_setaffinity(int(thread), {int(index[1]) % os.cpu_count()})
                    pinned[pid] = thread
            except (OSError, ProcessLookupError):
                pass  # it has ended
        if len(pinned) == tasks:
            return
        time.sleep(0.005)


def runPlan(plan, steps, pin=None, timeout=200, pinned=0, flags=()):
    """The statistics of graphrun, by task. `pinned`: so many tasks, each to stay on a core."""
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        command = [
            os.path.join(BIN, "graphrun"),
            plan,
            "--steps",
            str(steps),
            "--stats",
            stats,
            *flags,
        ]
        if pin is not None:
            command = ["taskset", "-c", str(pin)] + command
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        try:
            if pinned:
                pinTasks(process, pinned)
            errors = process.communicate(timeout=timeout)[1]
        finally:
            process.kill()
            process.wait()
        if process.returncode:
            raise RuntimeError(f"graphrun: {errors.strip()}")
        with open(stats) as file:
            return json.load(file)["tasks"]


SINGLE_STEPS = dict(linreg=20000, mlp=600, resnet20=20, gpt=30, vit=100)


def alone(name, plan, compileMs, threads, steps, pin, flags=()):
    """The row of a plan of one task."""
    (task,) = runPlan(plan, steps, pin=pin, flags=flags).values()
    step = task["step_ms"]
    return row(
        "graphc",
        name,
        "one_device",
        1,
        threads,
        step["median"],
        step["p99"],
        task["first_step_s"],
        min_ms=step["min"],
        mean_ms=round(1e3 / task["steps_per_s"], 8),
        compile_ms=round(compileMs, 1),
        rss_mb=round(task["rss_bytes"] / 1e6, 1),
    )


def graphcSingle(case, threads):
    with tempfile.TemporaryDirectory() as folder:
        plan, compileMs = compilePlan(case, folder, threads=threads)
        yield {
            **alone(
                case, plan, compileMs, threads, SINGLE_STEPS[case], 0 if threads == 1 else None
            ),
            "flops": flopsOf(plan),
        }


def exported(case, folder):
    """The loss of the peer single.py in JAX, imported: the model's path, what stands behind it on
    graphc's command line, and its weights. Data and optimizer are those of the case's model."""
    done = subprocess.run(
        [python("jax"), "single.py", "jax", case, "1", folder],
        cwd=os.path.join(HERE, "peers"),
        capture_output=True,
        text=True,
        timeout=300,
        env=environment(),
    )
    if done.returncode:
        raise RuntimeError(f"export of {case}: {done.stderr.strip()}")
    with open(os.path.join(HERE, "models", f"{case}.mlir")) as file:
        text = file.read()
    dataset, batch, update = (
        re.search(rf"^ *{words}", text, re.M)[0]
        for words in (
            "graph.dataset @train .*",
            "%.* = graph.next_batch @train .*",
            r"graph.minimize %loss (.*\n)*?.*: tensor<f32>$",
        )
    )
    operands, types = re.match(r" *(%\w+, %\w+) = .* : (.*)$", batch).groups()
    model = os.path.join(folder, "train.mlir")
    with open(model, "w") as file:
        file.write(f"""{dataset}
graph.func @train_step() -> (tensor<f32> {{graph.name = "loss"}}) attributes {{role = #graph.role<train>}} {{
{batch}
  %loss = graph.call @loss({operands}) : ({types}) -> tensor<f32>
{update}
  graph.return %loss : tensor<f32>
}}
""")
    return model, [os.path.join(folder, "loss.mlir")], os.path.join(folder, "params.npz")


def graphcImported(case, threads):
    """The case's loss as JAX wrote it, by graphc."""
    with tempfile.TemporaryDirectory() as folder:
        model, more, weights = exported(case, folder)
        plan, compileMs = compilePlan(case, folder, threads=threads, model=model, more=more)
        yield {
            **alone(
                case,
                plan,
                compileMs,
                threads,
                SINGLE_STEPS[case],
                0 if threads == 1 else None,
                ["--init_from", weights],
            ),
            "peer": "graphc from JAX",
        }


def graphcMicroBatches(count):
    """The MLP on one core, with so many micro-batches a step."""
    with tempfile.TemporaryDirectory() as folder:
        plan, compileMs = compilePlan(
            "mlp",
            folder,
            {"cluster": {"worker": 1}, "strategy": {"name": "one_device", "micro_batches": count}},
        )
        yield alone(f"mlp, {count} micro-batches", plan, compileMs, 1, 1600 // count, 0)


def graphcTasks(case, strategy, jobs, steps, sync=None):
    """One process a task of `jobs` ({job: tasks}); the workers' figures. `strategy` as in
    cluster.json."""
    workers = jobs["worker"]
    with tempfile.TemporaryDirectory() as folder:
        plan, _ = compilePlan(case, folder, {"cluster": jobs, "strategy": strategy})
        name = strategy["name"] + (f":{strategy['update']}" if "update" in strategy else "")
        foreseen = predicted(case, folder, {"cluster": jobs}, name)
        tasks = runPlan(plan, steps)
        of = [
            task for name, task in tasks.items() if name.startswith("/job:worker") and task["steps"]
        ]
        yield row(
            "graphc",
            case,
            strategy["name"],
            workers,
            1,
            median([t["step_ms"]["median"] for t in of]),
            max(t["step_ms"]["p99"] for t in of),
            max(t["first_step_s"] for t in of),
            sync,
            BYTES.get(case, 0),
            mean_ms=round(median([1e3 / t["steps_per_s"] for t in of]), 5),
            predicted_ms=foreseen,
            rss_mb=round(max(t["rss_bytes"] for t in tasks.values()) / 1e6, 1),
        )


def graphcDistributed(case, sync, workers):
    # Null steps come in bursts while both ends spin; only a long run has the sleeps and the
    # scheduler's ticks in its figures too.
    steps = dict(null=200000, mlp=600, dense=150, resnet20=40, gpt=40)[case] * (
        1 if sync else workers
    )
    yield from graphcTasks(
        case,
        {"name": "parameter_server", "update": "sync" if sync else "async"},
        {"ps": 1, "worker": workers},
        steps,
        sync,
    )


def idleServer():
    """Resident megabytes of a `graphrun server` that waits for a client; a page counts where it is
    shared too."""
    with tempfile.TemporaryDirectory() as folder:
        cluster = os.path.join(folder, "cluster.json")
        with open(cluster, "w") as file:
            json.dump({"worker": [f"localhost:{port}" for port in freePorts(2)]}, file)
        server = subprocess.Popen(
            [
                os.path.join(BIN, "graphrun"),
                "server",
                "--job_name",
                "worker",
                "--task_index",
                "1",
                "--cluster",
                cluster,
            ],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            if not any("waits for a client" in line for line in server.stdout):
                raise OSError("the server did not begin to wait")
            with open(f"/proc/{server.pid}/status") as status:
                return next(
                    (
                        round(int(line.split()[1]) * 1024 / 1e6, 1)
                        for line in status
                        if line.startswith("VmRSS:")
                    ),
                    None,
                )
        finally:
            server.terminate()
            server.wait()


def graphcAllReduce(case, workers):
    yield from graphcTasks(
        case,
        {"name": "all_reduce"},
        {"worker": workers},
        dict(linreg=20000, mlp=600, resnet20=40, gpt=40)[case],
        True,
    )


def graphcInGraph(case, tasks):
    """The model's own annotations place it on two tasks; the figures are those of the client, which
    drives both."""
    steps = dict(linreg=20000, pingpong=5000, mlp=600)[case]
    cluster = {
        "cluster": {"worker": [f"localhost:{1 + i}" for i in range(tasks)]},
        "strategy": "in_graph",
    }
    with tempfile.TemporaryDirectory() as folder:
        plan, _ = compilePlan(f"ingraph-{case}", folder, cluster)
        foreseen = predicted(f"ingraph-{case}", folder, cluster, "in_graph")
        client = runPlan(plan, steps)["/job:worker/task:0"]
        yield row(
            "graphc",
            f"ingraph-{case}",
            "in_graph",
            tasks,
            1,
            client["step_ms"]["median"],
            client["step_ms"]["p99"],
            client["first_step_s"],
            mean_ms=round(1e3 / client["steps_per_s"], 5),
            predicted_ms=foreseen,
        )


def beyond(step, local):
    """Milliseconds of a step beyond those of its local work, at least the 2 % of these that no two
    runs agree on."""
    return round(max(0.02 * local, step - local), 5)


def graphcSend():
    """One tensor from task 0 to task 1. The step makes it and reads it too, one after the other;
    what that takes on one device (local_ms) is taken off."""
    case, steps = "ingraph-send", 200
    with tempfile.TemporaryDirectory() as folder:
        alone, _ = compilePlan(case, folder)
        (local,) = runPlan(alone, steps).values()
        plan, _ = compilePlan(
            case,
            folder,
            {"cluster": {"worker": ["localhost:1", "localhost:2"]}, "strategy": "in_graph"},
        )
        client = runPlan(plan, steps)["/job:worker/task:0"]
        step, own = client["step_ms"]["median"], local["step_ms"]["median"]
        yield row(
            "graphc",
            case,
            "in_graph",
            2,
            1,
            beyond(step, own),
            first=client["first_step_s"],
            bytes_=BYTES[case],
            mean_ms=beyond(1e3 / client["steps_per_s"], 1e3 / local["steps_per_s"]),
            step_ms=step,
            local_ms=own,
        )


def graphcBareAllReduce(bytes_, workers):
    """The all-reduce of one gradient. Its step makes the gradient and updates the variable too,
    which `workers` processes of the same model without an all-reduce do at the same time; what
    their step takes (local_ms, before and after) is taken off."""
    steps = max(40, min(20000, (16 << 30) // bytes_))
    with open(os.path.join(HERE, "models/allreduce.mlir")) as file:
        text = file.read().replace("4096", str(math.isqrt(bytes_ // 4)))
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.mlir")
        with open(model, "w") as file:
            file.write(text)
        alone, _ = compilePlan("alone", folder, model=model)

        def local():
            with concurrent.futures.ThreadPoolExecutor(workers) as pool:
                runs = [
                    pool.submit(runPlan, alone, steps, pin=rank % os.cpu_count())
                    for rank in range(workers)
                ]
                return median(
                    [1e3 / task["steps_per_s"] for run in runs for task in run.result().values()]
                )

        before = local()
        plan, _ = compilePlan(
            "together",
            folder,
            {"cluster": {"worker": workers}, "strategy": "all_reduce"},
            model=model,
        )
        of = list(runPlan(plan, steps, pinned=workers).values())
        step, mean = (
            median(values)
            for values in (
                [t["step_ms"]["median"] for t in of],
                [1e3 / t["steps_per_s"] for t in of],
            )
        )
        after = local()
        own = (before + after) / 2
        yield row(
            "graphc",
            f"allreduce-{sizeName(bytes_)}",
            "all_reduce",
            workers,
            1,
            beyond(step, own),
            first=max(t["first_step_s"] for t in of),
            sync=True,
            bytes_=bytes_,
            mean_ms=beyond(mean, own),
            step_ms=step,
            local_ms=[round(before, 5), round(after, 5)],
            rss_mb=round(max(t["rss_bytes"] for t in of) / 1e6, 1),
        )


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


# ---- the peers


def peerSingle(peer, case, threads):
    folder = peer.partition(".")[0].replace("tensorflow", "tf")
    script = {"tensorflow": "tf", "tensorflow.xla": "tfxla", "torch.compile": "torchc"}.get(
        peer, peer
    )
    done = subprocess.run(
        [python(folder), "single.py", script, case, str(threads)],
        cwd=os.path.join(HERE, "peers"),
        capture_output=True,
        text=True,
        timeout=300,
        env=environment(),
    )
    for found in jsonLines(done.stdout):
        more = {"compile_ms": found["compile_s"] * 1e3} if "compile_s" in found else {}
        yield row(
            peer,
            case,
            "one_device",
            1,
            threads,
            found["median_ms"],
            found.get("p99_ms"),
            found["start_to_2steps_s"],
            min_ms=found["min_ms"],
            mean_ms=found.get("mean_ms"),
            **more,
        )
    if done.returncode:
        complain(f"{peer} {case}", done.stderr)


def tensorflowPs(case, sync, workers):
    steps = dict(null=800 if sync else 1500, mlp=400, dense=30, resnet20=30, gpt=30)[case] // (
        4 if workers > 4 else 1
    )
    ports = freePorts(1 + workers)
    hosts = [f"127.0.0.1:{port}" for port in ports]
    with tempfile.TemporaryDirectory() as folder:
        common = [
            python("tf"),
            "tf_ps.py",
            "--ps_hosts",
            hosts[0],
            "--worker_hosts",
            ",".join(hosts[1:]),
            "--case",
            case,
            "--sync",
            str(int(sync)),
            "--barrier",
            os.path.join(folder, "barrier"),
            "--steps",
            str(steps),
        ]

        def start(job, index):
            return subprocess.Popen(
                common + ["--job_name", job, "--task_index", str(index)],
                text=True,
                cwd=os.path.join(HERE, "peers"),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment(),
            )

        server = start("ps", 0)
        tasks = [start("worker", index) for index in range(workers)]
        found = []
        try:
            for task in tasks:
                found += jsonLines(task.communicate(timeout=240)[0])
        except subprocess.TimeoutExpired:
            complain(f"tensorflow {case}", "ran past 240 s")
        finally:
            for process in [server] + tasks:
                process.kill()
                process.wait()
    if found:
        yield row(
            "tensorflow",
            case,
            "parameter_server",
            workers,
            1,
            median([f["median_ms"] for f in found]),
            max(f["p99_ms"] for f in found),
            max(f["session_ready_s"] for f in found),
            sync,
            BYTES[case],
            mean_ms=median([f["mean_ms"] for f in found]),
        )


def sizeName(count):
    return (
        f"{count >> 20}MiB"
        if count >= 1 << 20
        else f"{count >> 10}KiB"
        if count >= 1 << 10
        else f"{count}B"
    )


def torch(ranks, case):
    """What the ranks of test/bench/peers/torch_gloo.py say, each pinned to core `rank` mod 2."""
    (port,) = freePorts(1)
    tasks = [
        subprocess.Popen(
            [python("torch"), "torch_gloo.py", str(rank), str(ranks), str(port), case],
            text=True,
            cwd=os.path.join(HERE, "peers"),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
        )
        for rank in range(ranks)
    ]
    found = []
    try:
        for rank, task in enumerate(tasks):
            found += jsonLines(task.communicate(timeout=200)[0])
            if task.returncode:
                complain(f"torch {case}", f"rank {rank} ended with {task.returncode}")
    except subprocess.TimeoutExpired:
        complain(f"torch {case}", "ran past 200 s")
    finally:
        for task in tasks:
            task.kill()
            task.wait()
    return found


def torchGloo(ranks):
    """Bare all-reduce of buffers from 4 bytes to 64 MiB."""
    for found in torch(ranks, "allreduce"):
        yield row(
            "torch-gloo",
            f"allreduce-{sizeName(found['bytes'])}",
            "all_reduce",
            ranks,
            1,
            found["median_us"] / 1e3,
            sync=True,
            bytes_=found["bytes"],
        )


def torchSend():
    """64 MiB from one rank to the other: half of there and back. Nothing is computed."""
    for found in torch(2, "p2p"):
        if found["bytes"] == BYTES["ingraph-send"]:
            yield row(
                "torch-gloo",
                "ingraph-send",
                "in_graph",
                2,
                1,
                found["oneway_us"] / 1e3,
                bytes_=found["bytes"],
            )


def torchDdp(case, ranks):
    if found := torch(ranks, case):
        yield row(
            "torch-ddp",
            case,
            "all_reduce",
            ranks,
            1,
            median([f["median_ms"] for f in found]),
            max(f["p99_ms"] for f in found),
            max(f["first_step_s"] for f in found),
            True,
            BYTES[case],
            mean_ms=median([f["mean_ms"] for f in found]),
        )


def tensorflowInGraph(case, tasks):
    base = freePorts(1)[0]
    start = time.time()
    processes = [
        subprocess.Popen(
            [python("tf"), "tf_ingraph.py", str(index), str(base), case],
            text=True,
            cwd=os.path.join(HERE, "peers"),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
        )
        for index in range(tasks)
    ]
    found = []
    try:
        found += jsonLines(processes[0].communicate(timeout=240)[0])
    except subprocess.TimeoutExpired:
        complain(f"tensorflow ingraph-{case}", f"ran past {int(time.time() - start)} s")
    finally:
        for process in processes:
            process.kill()
            process.wait()
    for one in found:
        yield row("tensorflow", f"ingraph-{case}", "in_graph", tasks, 1, one["median_ms"])
