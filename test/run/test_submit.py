"""graphrun submit: what it prints runs. Slurm's batch file is run in test_launchers.py."""
import json
import os
import signal

import pytest
from box import ROOT, same
from process import living, until

SUBMIT = ["submit", "--engine"]


@pytest.fixture
def plan(box):
    return box.servers("lin_reg", workers=2, ps=1, model=ROOT / "examples/linear-regression/model.mlir")


def test_slurm(box, plan):
    """Printed, not submitted; words are a shell's, and several nodes need a folder for certificates."""
    printed = box.graphrun(*SUBMIT, "slurm", "--nodes", 2, plan, "--steps", 60, "--job_dir", "it's here").out
    assert printed.lines()[:6] == ["#!/bin/sh", "#SBATCH --job-name=lin-reg", "#SBATCH --nodes=2", "#SBATCH --ntasks=3", "#SBATCH --requeue --open-mode=append",
                                   "srun graphrun lin_reg.plan --steps 60 --job_dir 'it'\\''s here'"]
    box.graphrun(*SUBMIT, "slurm", "--nodes", 2, plan, status=2).err.expect("tasks on several hosts need mutual TLS; give --job_dir")


def test_mpi(box, plan):
    allowed = {name: "1" for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe")}
    box.graphrun(*SUBMIT, "mpi", "--yes", plan, "--steps", 60, "--dump_variables", "mpi", env=allowed)
    same(box.weights(plan, "--steps", 60), box / "mpi")


def test_local(box, two):
    """It begins again by itself where a task was lost, and goes on."""
    straight = box.weights(two, "--steps", 2000)
    run = box.launch(*SUBMIT, "local", "--yes", two, "--steps", 2000, "--checkpoint_dir", "kept", "--save_checkpoint_steps", 50, "--dump_variables", "again")
    box.checkpoint("kept")
    server = until(lambda: [pid for pid, line in living(box.folder) if "--job_name=ps" in line], "a process of the server")
    os.kill(server[0], signal.SIGKILL)
    run.ends()
    run.err.expect("was killed by signal 9", "going on from kept/step-")
    same(straight, box / "again")


def test_jobset(box, plan):
    """Each job of the plan is one replicated job, whose pods TF_CONFIG names; what its names and files are checked against is Kubernetes' own schema."""
    arguments = [*SUBMIT, "jobset", "--image", "registry/model:1", "--volume", "claim:/model", plan, "--job_dir", "/model/jobs"]
    manifest = json.loads(box.graphrun(*arguments).out.text())
    jobs = {job["name"]: job["template"]["spec"] for job in manifest["spec"]["replicatedJobs"]}
    assert {name: (job["parallelism"], job["completions"]) for name, job in jobs.items()} == {"ps": (1, 1), "worker": (2, 2)}
    (container,) = jobs["worker"]["template"]["spec"]["containers"]
    assert container["command"] == ["graphrun", plan, "--job_dir", "/model/jobs"]
    variables = {one["name"]: one.get("value") for one in container["env"]}
    config = json.loads(variables["TF_CONFIG"].replace("$(JOB_COMPLETION_INDEX)", "1"))
    assert config == {"cluster": {"ps": ["lin-reg-ps-0-0.lin-reg:2222"], "worker": ["lin-reg-worker-0-0.lin-reg:2222", "lin-reg-worker-0-1.lin-reg:2222"]},
                      "task": {"type": "worker", "index": 1}}
    # A pod with this environment knows who it is, and looks for its chief.
    pod = box.graphrun(plan, "--job_dir", "jobs", "--join_deadline", 1, status=1, env={"TF_CONFIG": json.dumps(config)})
    pod.err.expect("addresses from the environment variable TF_CONFIG", "the chief /job:worker/task:0 did not come within 1s: jobs/by-hand-")


def test_refused(box, plan):
    def refuse(pattern, *arguments):
        box.refused(pattern, *SUBMIT, *arguments)

    refuse("--engine", "pbs", plan)
    box.refused("--engine slurm, mpi, jobset or local is missing; it stands before the plan", "submit", plan, "--engine", "slurm")
    refuse("unknown flag --steps .*flags of the run stand behind the plan", "slurm", "--steps", 3, plan)
    refuse("unknown flag --stepps; did you mean .--steps", "slurm", plan, "--stepps", 3)
    refuse("none.plan", "slurm", "none.plan")
    refuse("--engine jobset needs --image", "jobset", plan, "--job_dir", "a")
    refuse("--volume a: expected CLAIM:/PATH", "jobset", "--image", "a", "--volume", "a", plan, "--job_dir", "a")
    refuse("--job_name, --master and --local say which task", "mpi", plan, "--job_name", "ps")
    refuse("--max_restarts is for graphrun's own launcher; --restarts before the plan", "slurm", plan, "--max_restarts", 2, "--checkpoint_dir", "a")
    refuse("--nodes is for --engine slurm", "mpi", "--nodes", 2, plan)
    refuse("--nodes 4: the plan has 3 tasks", "slurm", "--nodes", 4, plan, "--job_dir", "a")
    refuse("--image and --volume are for --engine jobset", "slurm", "--image", "a", plan)
    box.graphrun(*SUBMIT, "jobset", "--yes", "--image", "a", plan, "--job_dir", "a", status=1, env={"PATH": str(box / "none") + ":" + os.environ["PATH"].split(":")[0]}
                 ).err.expect("cannot run kubectl: No such file or directory")
