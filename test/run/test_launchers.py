"""Tasks that other launchers start, Debian's Open MPI and Slurm: no address is given, and the
weights are those of graphrun's own."""

import json
import os
import re
import signal

import pytest
from box import FOREVER, LOST, ROOT, asFlags, delay, same
from process import END, TRAINS, ended, living, until
from slurm import Slurm

MODEL = ROOT / "examples/linear-regression/model.mlir"
STEPS = ["--steps", 60]
STEPPED = " step [1-9][0-9]*/"  # and no step of Slurm's
SLOW = delay(worker1=1000)  # 400 steps of `two` take two seconds
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n"]


@pytest.fixture
def plan(box):
    return box.compile("plan", {"ps": 1, "worker": 2, "strategy": "parameter_server"}, MODEL)


@pytest.fixture
def slurm(box, ports):
    made = Slurm(box, ports)
    yield made
    made.close()


def pidOf(box, rank, variable="SLURM_PROCID"):
    """Of a task that Slurm, or another launcher, has started."""
    for pid, _ in living(box.folder):
        with open(f"/proc/{pid}/environ") as environment, open(f"/proc/{pid}/comm") as name:
            if f"{variable}={rank}\0" in environment.read() and name.read() == "graphrun\n":
                return pid
    return None


def test_open_mpi(box, plan):
    """Three ranks are the chief and then the other tasks; two are too few, and both numbers are
    said."""
    launched = box.weights(plan, *STEPS)
    run = box.run(*MPIRUN, 3, "graphrun", plan, *STEPS, "--dump_variables", "mpi")
    same(launched, box / "mpi")
    run.err.expect(
        "^graphrun: this is /job:worker/task:0, rank 0 of Open MPI's job [0-9]+: rank 0 is worker:0, 1 is ps:0, 2 is worker:1$",
        "^graphrun: this is /job:ps/task:0, rank 1 of Open MPI's job [0-9]+$",
    )
    few = box.run(*MPIRUN, 2, "graphrun", plan, *STEPS, status=2)
    few.err.expect(
        r"^graphrun: Open MPI's job [0-9]+ has 2 processes \(OMPI_COMM_WORLD_SIZE\), but the plan was compiled for 3 tasks "
        r"\(1 ps task, 2 worker tasks\); start it with mpirun -n 3, "
    )
    checked = box.run(*MPIRUN, 3, "graphrun", "check", plan)
    checked.out.expect("^3 tasks, 3 links: all is well$")
    alone = box.run(*MPIRUN, 1, "graphrun", plan, *STEPS, "--local", "--dump_variables", "local")
    alone.err.never("rank 0")
    same(launched, box / "local")


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_open_mpi_killed(box, two, rank):
    """A task of mpirun's is killed behind a checkpoint: all end, and the same command goes on from
    there, with the weights of an undisturbed run."""
    flags = [two, "--steps", 400]
    straight = box.weights(*flags)
    kept = [
        *flags,
        "--checkpoint_dir",
        "kept",
        "--save_checkpoint_steps",
        50,
        "--dump_variables",
        "again",
    ]
    run = box.start(*MPIRUN, 3, "graphrun", *kept, env=SLOW)
    box.checkpoint("kept")
    os.kill(
        until(lambda: pidOf(box, rank, "OMPI_COMM_WORLD_RANK"), "a process of that rank"),
        signal.SIGKILL,
    )
    run.ends((LOST, 128 + signal.SIGKILL))  # mpirun's is that of the rank which it hears of first
    until(lambda: not living(box.folder), "all ranks have ended")
    box.run(*MPIRUN, 3, "graphrun", *kept).err.expect("going on from kept/step-[0-9]+")
    same(straight, box / "again")


def test_slurm(box, plan, two, slurm):
    """The same by srun; a task that is killed ends the others with 138, and the same command goes
    on from the checkpoint."""
    launched = box.weights(plan, *STEPS)
    run = slurm.run("srun", "-n3", "graphrun", plan, *STEPS, "--dump_variables", "by-srun")
    same(launched, box / "by-srun")
    run.err.expect(
        r"^graphrun: this is /job:worker/task:0, rank 0 of Slurm's step 1\.0: rank 0 is worker:0, 1 is ps:0, 2 is worker:1$"
    )
    slurm.run("srun", "-n2", "graphrun", plan, *STEPS, status=2).err.expect(
        r"has 2 processes \(SLURM_STEP_NUM_TASKS\), but the plan .* 3 tasks"
    )
    flags = [two, "--steps", 400]
    straight = box.weights(*flags)
    kept = [
        *flags,
        "--checkpoint_dir",
        "kept",
        "--save_checkpoint_steps",
        50,
        "--dump_variables",
        "again",
    ]
    long = slurm.start("srun", "-n3", "graphrun", *kept, env=SLOW)
    box.checkpoint("kept")
    os.kill(until(lambda: pidOf(box, 2), "a process of the server"), signal.SIGKILL)
    long.ends((LOST, 128 + signal.SIGKILL))  # whichever srun hears of last
    long.err.expect(
        "^graphrun: /job:ps/task:0: process [0-9]+ on .* is gone",
        "tasks 0-1: Exited with exit code 138",
    )
    slurm.run("srun", "-n3", "graphrun", *kept).err.expect("going on from kept/step-[0-9]+")
    same(straight, box / "again")


def test_slurm_on_two_nodes(box, plan, ports, machines):
    """Each a machine of its own: a step over both, and a heterogeneous job whose parameter server
    has a node of its own, servers and workers side by side; the folder brings them together."""
    launched = box.weights(plan, *STEPS)
    machines.add(2)
    slurm = Slurm(box, ports, machines, nodes=2)
    run = slurm.run(
        "srun",
        "-N2",
        "-n3",
        "graphrun",
        plan,
        *STEPS,
        "--job_dir",
        "job",
        "--dump_variables",
        "by-srun",
    )
    same(launched, box / "by-srun")
    run.err.expect(
        r"^graphrun: this is /job:worker/task:0, rank 0 of Slurm's step 1\.0: rank 0 is worker:0, 1 is ps:0, 2 is worker:1$"
    )
    slurm.run("srun", "-N2", "-n3", "graphrun", plan, *STEPS, status=2).err.expect(
        "has processes on several hosts, which need mutual TLS .*--job_dir"
    )
    submitted = slurm.run(
        "graphrun",
        "submit",
        "--engine",
        "slurm",
        "--apart",
        "ps=1",
        "--yes",
        plan,
        *STEPS,
        "--job_dir",
        "job",
        "--dump_variables",
        "apart",
    )
    (job,) = submitted.out.matches("^Submitted batch job ([0-9]+)$")
    until(
        lambda: slurm.job(f"{job}+0", "JobState") in ("COMPLETED", "FAILED"),
        "the job has ended",
        END,
    )
    said = (box / f"slurm-{job}.out").read_text()
    assert "rank 0 to 1 are worker:0 to worker:1, 2 is ps:0\n" in said, said
    assert [slurm.job(f"{job}+{component}", "NodeList") for component in (0, 1)] == [
        "node1",
        "node2",
    ]
    same(launched, box / "apart")
    _sideBySide(box, slurm)
    slurm.close()


def _sideBySide(box, slurm):
    """What submit prints for two servers and two workers, with a line of each rank's place: each
    node has one of both."""
    four = box.servers("four", 2, 2)
    launched = box.weights(four, *STEPS, to="four-launched")
    printed = box.graphrun(
        "submit",
        "--engine",
        "slurm",
        "--nodes",
        2,
        four,
        *STEPS,
        "--job_dir",
        "job",
        "--dump_variables",
        "side-by-side",
    ).out.text()
    said = "srun sh -c 'echo \"at $SLURMD_NODENAME: rank $SLURM_PROCID\" >&2; exec graphrun \"$@\"' graphrun "
    assert printed.count("\nsrun graphrun ") == 1
    box.write("four.sh", printed.replace("\nsrun graphrun ", f"\n{said}"))
    (job,) = slurm.run("sbatch", "four.sh").out.matches("^Submitted batch job ([0-9]+)$")
    until(lambda: slurm.job(job, "JobState") in ("COMPLETED", "FAILED"), "the job has ended", END)
    text = (box / f"slurm-{job}.out").read_text()
    assert "rank 0 to 1 are worker:0 to worker:1, 2 to 3 are ps:0 to ps:1\n" in text, text
    assert sorted(re.findall("^at (node[12]): rank ([0-3])$", text, re.MULTILINE)) == [
        ("node1", "0"),
        ("node1", "2"),
        ("node2", "1"),
        ("node2", "3"),
    ], text
    same(launched, box / "side-by-side")


def test_requeued(box, two, slurm):
    """A batch job of which a task is killed is requeued on 138, goes on from its checkpoint, and
    has the weights of an undisturbed one. So does the evaluator that the batch file starts beside
    it."""
    flags = [two, "--steps", 400]
    straight = box.weights(*flags)
    submitted = slurm.run(
        "graphrun",
        "submit",
        "--engine",
        "slurm",
        "--yes",
        *flags,
        "--checkpoint_dir",
        "kept",
        "--save_checkpoint_steps",
        50,
        "--dump_variables",
        "requeued",
        "--evaluator",
        env=SLOW,
    )
    (job,) = submitted.out.matches("^Submitted batch job ([0-9]+)$")
    box.checkpoint("kept", there=lambda: slurm.job(job, "JobState") in ("PENDING", "RUNNING"))
    os.kill(until(lambda: pidOf(box, 2), "a process of the server"), signal.SIGKILL)
    until(
        lambda: slurm.job(job, "Restarts") == "1" or slurm.job(job, "JobState") == "FAILED",
        "the job is requeued",
    )
    # It would wait for two minutes; at once, the node takes it for the one that has just been
    # ended.
    slurm.ask("scontrol", "update", f"JobId={job}", "StartTime=now+4seconds")
    until(lambda: slurm.job(job, "JobState") in ("COMPLETED", "FAILED"), "the job has ended", END)
    box.file(f"slurm-{job}.out").expect(
        "^graphrun: /job:ps/task:0: process [0-9]+ on .* is gone",
        "going on from kept/step-[0-9]+",
        "step 400/400",
        "evaluator was stopped, as asked",
        "^step 400: accuracy",
        "its last checkpoint, step-400, evaluated",
    )
    same(straight, box / "requeued")


def test_not_requeued(box, slurm):
    """What would fail again: a loss that is no number is status 1, and the batch job's end."""
    box.write(
        "diverging.mlir", MODEL.read_text().replace("learning_rate = 0.01", "learning_rate = 1.0")
    )
    plan = box.compile(
        "diverging", {"ps": 1, "worker": 2, "strategy": "parameter_server"}, "diverging.mlir"
    )
    submitted = slurm.run(
        "graphrun", "submit", "--engine", "slurm", "--yes", plan, *STEPS, "--checkpoint_dir", "kept"
    )
    (job,) = submitted.out.matches("^Submitted batch job ([0-9]+)$")
    until(lambda: slurm.job(job, "JobState") in ("COMPLETED", "FAILED"), "the job has ended", END)
    assert [slurm.job(job, field) for field in ("JobState", "ExitCode", "Restarts")] == [
        "FAILED",
        "1:0",
        "0",
    ]
    box.file(f"slurm-{job}.out").expect("loss is infinite at step")


def test_apart_requeued(box, two, ports, machines):
    """A heterogeneous job of which a task is killed is requeued as a whole, and goes on from its
    checkpoint. Slurm looks at a queue with such jobs when something has changed in it: a job that
    somebody submits when the wait is over."""
    flags = [two, "--steps", 400]
    straight = box.weights(*flags)
    machines.add(2)
    slurm = Slurm(box, ports, machines, nodes=2)
    submitted = slurm.run(
        "graphrun",
        "submit",
        "--engine",
        "slurm",
        "--apart",
        "ps=1",
        "--yes",
        *flags,
        "--job_dir",
        "job",
        "--checkpoint_dir",
        "kept",
        "--save_checkpoint_steps",
        50,
        "--dump_variables",
        "apart",
        env=SLOW,
    )
    (job,) = submitted.out.matches("^Submitted batch job ([0-9]+)$")
    both = [f"{job}+0", f"{job}+1"]
    box.checkpoint("kept", there=lambda: slurm.job(both[0], "JobState") in ("PENDING", "RUNNING"))
    os.kill(until(lambda: pidOf(box, 2), "a process of the server"), signal.SIGKILL)
    until(
        lambda: (
            {slurm.job(one, "Reason") for one in both} == {"BeginTime"}
            or slurm.job(both[0], "JobState") == "FAILED"
        ),
        "the job is requeued",
    )
    for one in both:  # it would wait for two minutes
        slurm.ask("scontrol", "update", f"JobId={one}", "StartTime=now+4seconds")
    until(lambda: {slurm.job(one, "Reason") for one in both} == {"None"}, "its wait is over")
    slurm.ask("sbatch", "-n1", "--wrap", "true")
    until(
        lambda: slurm.job(both[0], "JobState") in ("COMPLETED", "FAILED"), "the job has ended", END
    )
    box.file(f"slurm-{job}.out").expect(
        "^graphrun: /job:ps/task:0: process [0-9]+ on .* is gone",
        "going on from kept/step-[0-9]+",
        "step 400/400",
    )
    same(straight, box / "apart")
    slurm.close()


def by(rank, port):
    """torchrun's variables."""
    return {
        "RANK": str(rank),
        "WORLD_SIZE": "3",
        "LOCAL_WORLD_SIZE": "3",
        "MASTER_ADDR": "localhost",
        "MASTER_PORT": str(port),
    }


def test_torchruns_variables(box, plan, ports):
    """Emulated: three processes with them, in the order in which nobody waits for nobody."""
    launched = box.weights(plan, *STEPS)
    flags = [plan, *STEPS, "--dump_variables", "ranks"]
    first = box.launch(*flags, env=by(2, ports[0]))
    first.err.waitFor(
        rf"waiting for the chief /job:worker/task:0 at 127.0.0.1:{ports[0]} \(Connection refused\)"
    )
    ended([first, box.launch(*flags, env=by(1, ports[0])), box.launch(*flags, env=by(0, ports[0]))])
    same(launched, box / "ranks")


def test_first_that_is_set(box, plan, ports):
    """A flag goes before a file's task, that before TF_CONFIG, and that before a launcher's rank;
    the page and --help have this order."""
    box.graphrun("--help").out.expect(
        "--job_name, --master, --local; .* of TF_CONFIG; torchrun's$",
        "--job_dir DIR",
        "138 another task was lost",
    )
    box.write(
        "cluster.json",
        cluster := {
            "ps": [f"localhost:{ports[0]}"],
            "worker": [f"localhost:{ports[1]}", f"localhost:{ports[2]}"],
        },
    )
    config = '{"cluster": %s, "task": {"type": "worker", "index": 1}, "rpc_layer": "grpc"}' % str(
        cluster
    ).replace("'", '"')
    box.write("own.json", json.dumps({"cluster": cluster, "task": {"type": "ps", "index": 0}}))
    rank = by(2, ports[3])
    flag = box.launch(plan, *STEPS, "--job_name", "worker", env={**rank, "TF_CONFIG": config})
    named = box.launch(plan, *STEPS, env={**rank, "TF_CONFIG": config})
    own = box.launch(plan, *STEPS, "--cluster", "own.json", env={**rank, "TF_CONFIG": config})
    ended([flag, named, own])
    flag.err.expect("step 60/60")
    flag.err.never("this is")
    named.err.expect("^graphrun: this is /job:worker/task:1, as TF_CONFIG says$")
    own.err.expect("^graphrun: this is /job:ps/task:0, as own.json says$")
    flag = box.launch(plan, *STEPS, "--job_name", "worker", env={**rank, "TF_CONFIG": config})
    named = box.launch(plan, *STEPS, env={**rank, "TF_CONFIG": config})
    ranked = box.launch(plan, *STEPS, "--cluster", "cluster.json", env=by(1, ports[3]))
    ended([flag, named, ranked])
    ranked.err.expect("^graphrun: this is /job:ps/task:0, rank 1 of torchrun's run at localhost:")


def test_refused(box, plan, ports):
    """What launchers say that cannot be, and a port that somebody has."""
    box.refused('RANK="one": expected a whole number', plan, env={**by(0, ports[0]), "RANK": "one"})
    box.refused(
        "--max_restarts is for a run whose tasks graphrun starts all here, and this is a process of torchrun's",
        plan,
        "--checkpoint_dir",
        "kept",
        "--max_restarts",
        1,
        env=by(0, ports[0]),
    )
    box.refused(
        "has processes on several hosts, .* give --job_dir DIR",
        plan,
        env={**by(0, ports[0]), "LOCAL_WORLD_SIZE": "1"},
    )
    box.refused(
        "an evaluator follows the checkpoints of a training: give --checkpoint_dir",
        plan,
        env={
            "TF_CONFIG": '{"cluster": {"ps": ["a:1"], "worker": ["a:2", "a:3"]}, "task": {"type": "evaluator", "index": 0}}'
        },
    )
    taken = box.launch(plan, *STEPS, env=by(0, ports[0]))
    taken.err.waitFor("waiting for")
    box.graphrun(plan, *STEPS, status=1, env=by(0, ports[0])).err.expect(
        f"cannot listen on 127.0.0.1:{ports[0]}, where the tasks of torchrun's run .* look for the chief: another process has this port"
    )
    taken.stop(status=1)


@pytest.fixture
def far(plan, machines):
    """Starts rank 0 on machine 1 and so on; they know nothing of each other but a folder."""
    machines.add(3)

    def start(rank, *arguments, of=None, **how):
        env = {**by(rank, 29500), "LOCAL_WORLD_SIZE": "1", "MASTER_ADDR": "10.77.0.1"}
        return machines.start(
            rank + 1,
            "graphrun",
            *(of or [plan]),
            *arguments,
            "--job_dir",
            "job",
            env=env,
            name=f"rank-{rank}",
            **how,
        )

    return start


def test_several_hosts(box, plan, far):
    """Certificates come through the folder, whoever is there first, and go with the chief; what a
    killed chief leaves disturbs nobody."""
    launched = box.weights(plan, *STEPS)
    flags = [*STEPS, "--dump_variables", "far"]
    others = [far(rank, *flags) for rank in (1, 2)]
    others[0].err.waitFor(
        r"waiting for the chief /job:worker/task:0 \(job/torchrun-.* is not there yet\)"
    )
    chief = far(0, *flags)
    ended([chief, *others])
    same(launched, box / "far")
    assert os.listdir(box / "job") == [] and (box / "job").stat().st_mode & 0o777 == 0o700
    (killed, *survivors) = [far(rank, "--steps", FOREVER) for rank in range(3)]
    killed.err.waitFor(STEPPED)
    (left,) = os.listdir(box / "job")
    assert not (box / f"job/{left}/ca.key").exists()
    killed.kill()
    ended(survivors, LOST)
    first = far(1, *flags)
    first.err.waitFor(rf"it has not answered job/{left}/ps-0\.[0-9a-f]+\.host")
    ended([first, far(0, *flags), far(2, *flags)])
    checked = [far(rank, of=["check", plan]) for rank in range(3)]
    ended(checked)
    checked[0].out.expect("^3 tasks, 3 links: all is well$")
    assert os.listdir(box / "job") == []


def test_job_dir_by_hand(box, two, machines):
    """It takes the place of --tls_cert and its kin."""
    machines.add(3)
    flags = [
        "--ps_hosts",
        "10.77.0.1:2222",
        "--worker_hosts",
        "10.77.0.2:2222,10.77.0.3:2222",
        "--steps",
        30,
        "--dump_variables",
        "far",
    ]
    ended(
        [
            machines.start(n, "graphrun", two, *asFlags(name), *flags, "--job_dir", "job")
            for n, name in ((1, "ps-0"), (2, "worker-0"), (3, "worker-1"))
        ]
    )
    same(box.weights(two, "--steps", 30), box / "far")


def test_job_dir_refused(box, plan, ports):
    """A folder that others can read, a chief that does not come, flags that do not go together."""
    (box / "open").mkdir()
    (box / "open").chmod(0o755)
    box.refused(
        "--job_dir: open is open to others, and keys will lie there; chmod 700 open",
        plan,
        "--job_dir",
        "open",
        env=by(0, ports[0]),
    )
    box.graphrun(
        plan, "--job_dir", "none", "--join_deadline", 2, status=1, env=by(1, ports[0])
    ).err.expect(
        r"^graphrun: --job_dir: the chief /job:worker/task:0 did not come within 2s: none/torchrun-.* is not there yet"
    )
    box.refused(
        "--job_dir and --tls_cert both say",
        plan,
        "--job_dir",
        "job",
        "--tls_cert",
        "a",
        "--job_name",
        "ps",
    )
    box.refused(
        "--job_dir is for tasks that begin together",
        plan,
        "--job_dir",
        "job",
        "--master",
        "grpc://localhost:1",
    )
    box.graphrun(plan, *STEPS, "--job_dir", "job").err.expect("--job_dir is not used")


@pytest.mark.parametrize("name", ["worker-1", "worker-0", "ps-0"])
def test_exit_status_by_hand(two, task, name):
    """Whoever has lost another one ends with 138, whichever it is."""
    tasks = {one: task(one, two, "--steps", FOREVER) for one in ("ps-0", "worker-1", "worker-0")}
    tasks["worker-0"].err.waitFor(TRAINS)
    tasks.pop(name).kill()
    ended(tasks.values(), LOST)


def test_exit_status_of_a_task_that_fails(box, task):
    """A task's own error, here a loss that is infinite, is no loss of a task: every task ends with
    1."""
    box.write(
        "diverging.mlir", MODEL.read_text().replace("learning_rate = 0.01", "learning_rate = 1.0")
    )
    diverging = box.compile(
        "diverging", {"ps": 1, "worker": 2, "strategy": "parameter_server"}, "diverging.mlir"
    )
    tasks = [task(one, diverging, "--steps", FOREVER) for one in ("ps-0", "worker-1", "worker-0")]
    ended(tasks, 1)
    tasks[2].err.expect("loss is infinite at step")
