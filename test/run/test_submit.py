"""graphrun submit: what it prints runs. Slurm's batch file is run in test_launchers.py, JobSet's
manifest in test_jobset.py."""

import os
import signal

import pytest
from box import FOREVER, LOST, ROOT, delay, same
from process import living, until

SUBMIT = ["submit", "--engine"]


@pytest.fixture
def plan(box):
    return box.servers(
        "lin_reg", workers=2, ps=1, model=ROOT / "examples/linear-regression/model.mlir"
    )


def test_slurm(box, plan):
    """Printed, not submitted; words are a shell's, several nodes need a folder for certificates,
    and each has its share of servers and workers."""
    printed = box.graphrun(
        *SUBMIT, "slurm", "--nodes", 2, plan, "--steps", 60, "--job_dir", "it's here"
    ).out
    assert printed.lines()[:7] == [
        "#!/bin/sh",
        "#SBATCH --job-name=lin-reg",
        "#SBATCH --nodes=2",
        "#SBATCH --ntasks=3",
        "#SBATCH --distribution=cyclic",
        "#SBATCH --requeue --open-mode=append",
        "srun graphrun lin_reg.plan --steps 60 --job_dir 'it'\\''s here'",
    ]
    box.graphrun(*SUBMIT, "slurm", plan).out.never("--distribution")
    box.graphrun(*SUBMIT, "slurm", "--nodes", 2, plan, status=2).err.expect(
        "tasks on several hosts need mutual TLS; give --job_dir"
    )


def test_slurm_apart(box):
    """A heterogeneous job: the job that is apart is its second component, and the ranks are told
    so."""
    many = box.servers(
        "many", workers=4, ps=2, model=ROOT / "examples/linear-regression/model.mlir"
    )
    flags = ["--nodes", 2, "--partition", "fast", "--apart", "ps=2:cpu", many, "--job_dir", "a"]
    assert box.graphrun(*SUBMIT, "slurm", *flags).out.lines()[:11] == [
        "#!/bin/sh",
        "#SBATCH --job-name=many",
        "#SBATCH --nodes=2",
        "#SBATCH --ntasks=4",
        "#SBATCH --partition=fast",
        "#SBATCH --requeue --open-mode=append",
        "#SBATCH hetjob",
        "#SBATCH --nodes=2",
        "#SBATCH --ntasks=2",
        "#SBATCH --partition=cpu",
        "#SBATCH --requeue",
    ]
    box.graphrun(*SUBMIT, "slurm", *flags).out.expect(
        "^srun --het-group=0-1 graphrun many.plan --job_dir a --rank_order worker,ps$"
    )

    def refuse(pattern, *arguments):
        box.refused(pattern, *SUBMIT, *arguments, many, "--job_dir", "a")

    for wrong in ("ps", "ps=0", "ps=x", "ps=1:", "ps=1:a b"):
        refuse(f"--apart {wrong}: expected JOB=N or JOB=N:PARTITION", "slurm", "--apart", wrong)
    refuse("--apart master=1: the plan has no job master", "slurm", "--apart", "master=1")
    refuse(
        "--apart worker=1: the chief's job is what all others are apart from",
        "slurm",
        "--apart",
        "worker=1",
    )
    refuse("--apart ps=3: job ps has 2 tasks", "slurm", "--apart", "ps=3")
    refuse("--nodes 5: the plan has 4 tasks for them", "slurm", "--nodes", 5, "--apart", "ps=1")
    refuse("--apart is for --engine slurm and jobset, not mpi", "mpi", "--apart", "ps=1")
    refuse("--beside is for --engine jobset", "slurm", "--beside")
    box.refused(
        "--rank_order wrker,ps: expected each job of the plan once",
        *SUBMIT,
        "mpi",
        many,
        "--rank_order",
        "wrker,ps",
    )
    box.refused(
        "--rank_order is for ranks of another launcher",
        *SUBMIT,
        "local",
        many,
        "--rank_order",
        "worker,ps",
    )
    box.refused(
        "--rank_order says which task each process of another launcher is",
        many,
        "--rank_order",
        "worker,ps",
        "--local",
    )
    box.refused(
        "--rank_order ps: expected each job of the plan once: ps, worker",
        many,
        "--rank_order",
        "ps",
        env={"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "6"},
    )


def test_mpi(box, plan):
    allowed = {
        name: "1"
        for name in (
            "OMPI_ALLOW_RUN_AS_ROOT",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
            "OMPI_MCA_rmaps_base_oversubscribe",
        )
    }
    box.graphrun(
        *SUBMIT, "mpi", "--yes", plan, "--steps", 60, "--dump_variables", "mpi", env=allowed
    )
    same(box.weights(plan, "--steps", 60), box / "mpi")


def evaluating(box, two, *arguments, **how):
    """Through mpirun, as a shell's job would be."""
    allowed = {
        name: "1"
        for name in (
            "OMPI_ALLOW_RUN_AS_ROOT",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
            "OMPI_MCA_rmaps_base_oversubscribe",
        )
    }
    return box.launch(
        *SUBMIT,
        "mpi",
        "--yes",
        two,
        "--save_checkpoint_steps",
        20,
        "--evaluator",
        *arguments,
        env={**allowed, **delay(worker0=3000)},
        **how,
    )


def test_evaluator(box, two):
    """Beside mpirun and srun the script starts one: it evaluates, and ends behind training, whose
    status counts."""
    run = evaluating(box, two, "--steps", 200, "--checkpoint_dir", "ends").ends()
    assert run.out.matches("^step ([0-9]+): accuracy")[-1] == "200"
    box.nothingLeft()
    run = evaluating(box, two, "--steps", FOREVER, "--checkpoint_dir", "dies")
    run.out.waitFor("^step [0-9]+: accuracy")
    (worker,) = [
        pid
        for pid, line in living(box.folder)
        if line.startswith("graphrun") and "evaluator" not in line
    ][:1]
    os.kill(worker, signal.SIGKILL)
    run.ends((137, LOST))
    run.err.expect("evaluator was stopped, as asked")
    box.nothingLeft()
    run = evaluating(box, two, "--steps", FOREVER, "--checkpoint_dir", "stops")
    run.out.waitFor("^step [0-9]+: accuracy")
    run.signal(signal.SIGTERM)
    run.ends(None)
    assert run.status not in (0, 128 + signal.SIGTERM), "the script has waited for both"
    box.nothingLeft()
    printed = box.graphrun(*SUBMIT, "slurm", two, "--checkpoint_dir", "ckpt", "--evaluator").out
    printed.expect(
        "^graphrun two.plan --checkpoint_dir ckpt --job_name evaluator &$",
        "^srun graphrun two.plan --checkpoint_dir ckpt &$",
    )
    box.graphrun(*SUBMIT, "local", two, "--evaluator", "--checkpoint_dir", "a").out.expect(
        "^exec graphrun two.plan --checkpoint_dir a --evaluator --local"
    )
    box.refused(
        "an evaluator follows the checkpoints of a training: give --checkpoint_dir",
        *SUBMIT,
        "slurm",
        two,
        "--evaluator",
    )


def test_local(box, two):
    """graphrun's own launcher begins again by itself where a task was lost, and goes on."""
    assert box.graphrun(
        *SUBMIT, "local", "--restarts", 3, two, "--checkpoint_dir", "it's here"
    ).out.lines() == [
        "#!/bin/sh",
        "exec graphrun two.plan --checkpoint_dir 'it'\\''s here' --local --max_restarts 3",
    ]
    box.graphrun(*SUBMIT, "local", two).out.expect("^exec graphrun two.plan --local$")
    straight = box.weights(two, "--steps", 400)
    run = box.launch(
        *SUBMIT,
        "local",
        "--yes",
        two,
        "--steps",
        400,
        "--checkpoint_dir",
        "kept",
        "--save_checkpoint_steps",
        50,
        "--dump_variables",
        "again",
        env=delay(worker1=1000),
    )
    box.checkpoint("kept")
    server = until(
        lambda: [pid for pid, line in living(box.folder) if "--job_name=ps" in line],
        "a process of the server",
    )
    os.kill(server[0], signal.SIGKILL)
    run.ends()
    run.err.expect(
        "was killed by signal 9 .*; restarting /job:ps/task:0 from step", "going on from kept/step-"
    )
    same(straight, box / "again")


def test_jobset(box, plan):
    """--yes hands kubectl the manifest that is printed without it, and has its status: one of the
    test's, since there is no Kubernetes here."""
    box.write(
        "bin/kubectl",
        "#!/bin/sh\n[ \"$1 $2\" = 'apply -f' ] && cat \"$3\" >applied && echo jobset.jobset.x-k8s.io/x created && exit 3\n",
    ).chmod(0o755)
    flags = "jobset", "--image", "a", plan, "--job_dir", "a"
    printed = box.graphrun(*SUBMIT, *flags).out.text()
    run = box.graphrun(
        *SUBMIT,
        flags[0],
        "--yes",
        *flags[1:],
        status=3,
        env={"PATH": f"{box / 'bin'}:{os.environ['PATH']}"},
    )
    run.out.expect("^jobset.jobset.x-k8s.io/x created$")
    assert (box / "applied").read_text() == printed


def test_refused(box, plan):
    def refuse(pattern, *arguments):
        box.refused(pattern, *SUBMIT, *arguments)

    refuse("--engine", "pbs", plan)
    box.refused(
        "--engine slurm, mpi, jobset or local is missing; it stands before the plan",
        "submit",
        plan,
        "--engine",
        "slurm",
    )
    refuse(
        "unknown flag --steps .*flags of the run stand behind the plan", "slurm", "--steps", 3, plan
    )
    refuse("unknown flag --stepps; did you mean .--steps", "slurm", plan, "--stepps", 3)
    refuse("none.plan", "slurm", "none.plan")
    refuse("--engine jobset needs --image", "jobset", plan, "--job_dir", "a")
    refuse(
        "--volume a: expected CLAIM:/PATH",
        "jobset",
        "--image",
        "a",
        "--volume",
        "a",
        plan,
        "--job_dir",
        "a",
    )
    refuse("--job_name, --master and --local say which task", "mpi", plan, "--job_name", "ps")
    refuse(
        "--max_restarts is for a run that graphrun starts by itself; --restarts before the plan",
        "slurm",
        plan,
        "--max_restarts",
        2,
        "--checkpoint_dir",
        "a",
    )
    refuse("--nodes is for --engine slurm", "mpi", "--nodes", 2, plan)
    refuse("--nodes 4: the plan has 3 tasks", "slurm", "--nodes", 4, plan, "--job_dir", "a")
    refuse("--image and --volume are for --engine jobset", "slurm", "--image", "a", plan)
    box.graphrun(
        *SUBMIT,
        "jobset",
        "--yes",
        "--image",
        "a",
        plan,
        "--job_dir",
        "a",
        status=1,
        env={"PATH": str(box / "none") + ":" + os.environ["PATH"].split(":")[0]},
    ).err.expect("cannot run kubectl: No such file or directory")
