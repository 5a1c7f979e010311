"""What graphrun submit --engine jobset prints: admitted by the published schema, and run as its
pods would be (pods.py). No Kubernetes is here."""

import copy
import sys

import pytest
from box import BUILD, LOST, ROOT, delay, same
from pods import Pods, admit, manifest

sys.path.append(str(BUILD.parent / "python"))  # of test/requirements.txt
MODEL = ROOT / "examples/linear-regression/model.mlir"
SLOW = delay(worker1=1000)


@pytest.fixture
def submit(box):
    """The manifest of a plan, which lies in a volume with all that it writes, mounted where it is
    here."""

    def submit(plan, *arguments):
        return manifest(
            box.graphrun(
                "submit",
                "--engine",
                "jobset",
                "--image",
                "registry/model:1",
                "--volume",
                f"claim:{box.folder}",
                "--restarts",
                3,
                box / plan,
                *arguments,
                "--job_dir",
                box / "jobs",
            ).out
        )

    return submit


@pytest.fixture
def plan(box):
    return box.servers("lin_reg", workers=2, ps=1, model=MODEL)


@pytest.fixture
def printed(submit, plan):
    return submit(plan, "--steps", 60)


def test_admitted(submit, plan, box):
    """The schema takes it; each job of the plan is one replicated job, and TF_CONFIG in its pods
    says who is where."""
    made = submit(plan, "--steps", 60)
    admit(made)
    jobs = {job["name"]: job["template"]["spec"] for job in made["spec"]["replicatedJobs"]}
    assert {name: (job["parallelism"], job["completions"]) for name, job in jobs.items()} == {
        "ps": (1, 1),
        "worker": (2, 2),
    }
    (container,) = jobs["worker"]["template"]["spec"]["containers"]
    assert container["command"] == [
        "graphrun",
        str(box / plan),
        "--steps",
        "60",
        "--job_dir",
        str(box / "jobs"),
    ]


def test_gpus(submit, box):
    """Pods of a job that has GPUs ask for them, the others for none; a job's name with capitals and
    '_' is one of Kubernetes' without."""
    box.withFakeCuda(gpus=2)
    made = submit(
        box.compile(
            "gpus",
            {
                "Big_ps": 1,
                "chief": 1,
                "worker": 2,
                "devices": {"worker": ["CPU:0", "GPU:0", "GPU:1"]},
                "strategy": "in_graph",
                "placement": [{"name": "w", "device": "/job:worker/task:1/gpu:1"}],
            },
            MODEL,
        )
    )
    admit(made)
    limits = {
        job["name"]: job["template"]["spec"]["template"]["spec"]["containers"][0].get("resources")
        for job in made["spec"]["replicatedJobs"]
    }
    assert limits["worker"] == {"limits": {"nvidia.com/gpu": "2"}} and set(limits) == {
        "big-ps",
        "chief",
        "worker",
    }
    assert limits["big-ps"] is None and limits["chief"] is None


def test_beside(submit, box):
    """A parameter server's pod wants the node of the worker with its index; workers go where they
    like. There are no more servers than workers."""
    plan = box.servers("pairs", workers=2, ps=2, model=MODEL)
    made = manifest(
        box.graphrun(
            "submit", "--engine", "jobset", "--image", "a", "--beside", plan, "--job_dir", "/a"
        ).out
    )
    admit(made)
    pods = {
        job["name"]: job["template"]["spec"]["template"]["spec"]
        for job in made["spec"]["replicatedJobs"]
    }
    assert "affinity" not in pods["worker"]
    (term,) = pods["ps"]["affinity"]["podAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]
    assert term["labelSelector"]["matchLabels"] == {
        "jobset.sigs.k8s.io/jobset-name": "pairs",
        "jobset.sigs.k8s.io/replicatedjob-name": "worker",
    }
    assert (
        term["matchLabelKeys"] == ["batch.kubernetes.io/job-completion-index"]
        and term["topologyKey"] == "kubernetes.io/hostname"
    )
    broken = copy.deepcopy(made)
    (server,) = [job for job in broken["spec"]["replicatedJobs"] if job["name"] == "ps"]
    server["template"]["spec"]["template"]["spec"]["affinity"]["podAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ] = term
    with pytest.raises(Exception):
        admit(broken)
    more = box.servers("more", workers=1, ps=2, model=MODEL)
    box.refused(
        "--beside: job ps has 2 tasks, and worker, beside whose tasks they would be, 1",
        "submit",
        "--engine",
        "jobset",
        "--image",
        "a",
        "--beside",
        more,
        "--job_dir",
        "/a",
    )


def test_apart(submit, box):
    """A parameter server's pods want nodes of their own, with a label: no node with a pod of
    another job of this set."""
    plan = box.servers("apart", workers=2, ps=2, model=MODEL)
    arguments = ["submit", "--engine", "jobset", "--image", "a"]
    for flag, selector in (
        ("ps", None),
        ("ps:pool.example.com/kind=cpu-only", {"pool.example.com/kind": "cpu-only"}),
    ):
        made = manifest(box.graphrun(*arguments, "--apart", flag, plan, "--job_dir", "/a").out)
        admit(made)
        pods = {
            job["name"]: job["template"]["spec"]["template"]["spec"]
            for job in made["spec"]["replicatedJobs"]
        }
        assert "affinity" not in pods["worker"] and "nodeSelector" not in pods["worker"]
        assert pods["ps"].get("nodeSelector") == selector
        (term,) = pods["ps"]["affinity"]["podAntiAffinity"][
            "requiredDuringSchedulingIgnoredDuringExecution"
        ]
        assert term == {
            "topologyKey": "kubernetes.io/hostname",
            "labelSelector": {
                "matchLabels": {"jobset.sigs.k8s.io/jobset-name": "apart"},
                "matchExpressions": [
                    {
                        "key": "jobset.sigs.k8s.io/replicatedjob-name",
                        "operator": "NotIn",
                        "values": ["ps"],
                    }
                ],
            },
        }
        broken = copy.deepcopy(made)
        (server,) = [job for job in broken["spec"]["replicatedJobs"] if job["name"] == "ps"]
        server["template"]["spec"]["template"]["spec"]["affinity"]["podAntiAffinity"] = [term]
        with pytest.raises(Exception):
            admit(broken)
    for flag, said in {
        "worker": "the chief's job is what all others are apart from",
        "psx": "the plan has no job psx",
        "ps=2": "the plan has no job ps=2",
        "ps:": "expected JOB or JOB:LABEL=VALUE",
        "ps:pool": "expected JOB",
        "ps:pool=-cpu": "expected JOB",
        "ps:a/b/c=d": "expected JOB",
        "ps:" + "p" * 64 + "=cpu": "expected JOB",
        "ps:p..q/kind=cpu": "expected JOB",
        "ps:P.q/kind=cpu": "expected JOB",
    }.items():
        box.refused(
            f"--apart {flag}: .*{said}", *arguments, "--apart", flag, plan, "--job_dir", "/a"
        )
    box.refused(
        "--apart and --beside", *arguments, "--apart", "ps", "--beside", plan, "--job_dir", "/a"
    )
    box.refused(
        "--apart is for --engine slurm and jobset, not mpi",
        "submit",
        "--engine",
        "mpi",
        "--apart",
        "ps",
        plan,
    )


def test_names(box):
    """Jobs that Kubernetes cannot have are refused by name."""
    arguments = ["submit", "--engine", "jobset", "--image", "a"]

    def refused(pattern, cluster, *flags):
        plan = box.compile("named", {"strategy": "in_graph", **cluster}, MODEL)
        box.refused(pattern, *arguments, *flags, plan, "--job_dir", "a")

    refused(
        "job worker_ would be called worker-, and no name of Kubernetes ends in '-'", {"worker_": 2}
    )
    refused("jobs a_b and A_B would both be called a-b", {"worker": 1, "a_b": 1, "A_B": 1})
    refused(
        "the host name named-w*-0-1 has 74 characters, and Kubernetes takes 63; give a shorter --name",
        {"w" * 64: 2},
    )
    refused("the host name x-w*-0-1 has 70 characters", {"w" * 64: 2}, "--name", "x")


def place(made, *keys):
    """What is at the end of these keys, and the last of them."""
    for key in keys[:-1]:
        made = made[key]
    return made, keys[-1]


JOB = ("spec", "replicatedJobs", 1, "template", "spec")
CONTAINER = (*JOB, "template", "spec", "containers", 0)
BROKEN = {
    "misspelt": ((*JOB, "paralelism"), 2),
    "another-type": ((*JOB, "parallelism"), "2"),
    "no-such-policy": ((*JOB, "template", "spec", "restartPolicy"), "Sometimes"),
    "no-such-operator": (
        (*JOB, "podFailurePolicy", "rules", 0, "onExitCodes", "operator"),
        "NotAnyOf",
    ),
    "statuses-in-disorder": (
        (*JOB, "podFailurePolicy", "rules", 0, "onExitCodes", "values"),
        [138, 137],
    ),
    "another-container": (
        (*JOB, "podFailurePolicy", "rules", 0, "onExitCodes", "containerName"),
        "main",
    ),
    "no-name": ((*CONTAINER, "name"), None),
    "no-such-volume": ((*CONTAINER, "volumeMounts", 0, "name"), "volume-7"),
    "port-as-text": ((*CONTAINER, "ports", 0, "containerPort"), "2222"),
    "limits-as-list": ((*CONTAINER, "resources"), {"limits": {"nvidia.com/gpu": ["1"]}}),
    "variable-too-early": (
        (*CONTAINER, "env"),
        [{"name": "TF_CONFIG", "value": "$(JOB_COMPLETION_INDEX)"}],
    ),
    "no-such-action": (("spec", "failurePolicy", "rules", 0, "action"), "FailJobset"),
    "name-of-a-rule": (("spec", "failurePolicy", "rules", 0, "name"), "give up"),
    "restarts-as-text": (("spec", "failurePolicy", "maxRestarts"), "ten"),
    "capitals": (("metadata", "name"), "Lin_Reg"),
    "long-names": (("metadata", "name"), "a" * 60),
    "another-kind": (("kind",), "Job"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken(printed, name):
    """The check can fail: each of these would be refused by a cluster, and is here."""
    keys, value = BROKEN[name]
    admit(printed)
    broken = copy.deepcopy(printed)
    inner, last = place(broken, *keys)
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    with pytest.raises((AssertionError, ValueError)):
        admit(broken)


@pytest.fixture
def pods(box, machines):
    return lambda made: Pods(box, machines, made)


@pytest.mark.parametrize("without", [(), ("TF_CONFIG",)], ids=["as-printed", "host-names-alone"])
def test_runs(box, plan, submit, pods, without):
    """Pods in any order, one of which others cannot find at first, for Kubernetes knows a name when
    its pod is there: the launcher's weights. Without TF_CONFIG a pod knows its task by its index
    and its host's name."""
    launched = box.weights(plan, "--steps", 60)
    set = pods(submit(plan, "--steps", 60, "--dump_variables", box / "far"))
    chief = set.pod("worker", 0)
    set.known([pod for pod in set.pods if pod is not chief])
    early = {(pod.job, pod.index): set.start(pod, without) for pod in set.pods if pod is not chief}
    early["ps", 0].err.waitFor("waiting for the chief /job:worker/task:0")
    set.known(set.pods)
    first = set.start(chief, without)
    assert set.decision({("worker", 0): first, **early}) == "Completed"
    same(launched, box / "far")
    first.err.expect(
        "rank 0 of the JobSet lin-reg"
        if without
        else "addresses from the environment variable TF_CONFIG"
    )


def test_begins_again(box, two, submit, pods):
    """kill -9 of a pod begins the set again, which goes on from its checkpoint."""
    straight = box.weights(two, "--steps", 400)
    set = pods(
        submit(
            two,
            "--steps",
            400,
            "--checkpoint_dir",
            box / "kept",
            "--save_checkpoint_steps",
            50,
            "--dump_variables",
            box / "far",
        )
    )
    processes = set.startAll(env=SLOW)
    box.checkpoint("kept")
    processes["ps", 0].kill()
    assert set.decision(processes) == "RestartJobSet"
    assert {process.status for name, process in processes.items() if name != ("ps", 0)} == {LOST}
    again = set.startAll()
    assert set.decision(again) == "Completed"
    again["worker", 0].err.expect("going on from .*/kept/step-")
    same(straight, box / "far")


def test_evaluator(box, two, submit, pods):
    """A role of one pod beside the tasks: it evaluates to the end. Its death is nobody else's: its
    job makes another pod, and the set completes with the weights of an undisturbed run."""
    straight = box.weights(two, "--steps", 400)
    made = submit(
        two,
        "--steps",
        400,
        "--checkpoint_dir",
        box / "kept",
        "--save_checkpoint_steps",
        50,
        "--dump_variables",
        box / "far",
        "--evaluator",
    )
    admit(made)
    (job,) = [job for job in made["spec"]["replicatedJobs"] if job["name"] == "evaluator"]
    assert (job["template"]["spec"]["parallelism"], job["template"]["spec"]["completions"]) == (
        1,
        1,
    )
    set = pods(made)
    evaluator = set.pod("evaluator", 0)
    assert '"task":{"type":"evaluator","index":0}' in evaluator.environment()["TF_CONFIG"]
    assert "evaluator" not in evaluator.environment()["TF_CONFIG"].replace(
        '"type":"evaluator"', ""
    ), "nobody calls it"
    processes = set.startAll(env=SLOW)
    first = processes.pop(("evaluator", 0))
    first.out.waitFor("^step [0-9]+: accuracy")
    first.kill()
    assert set.reason(evaluator, first.status) is None
    processes["evaluator", 0] = set.start(evaluator)
    assert set.decision(processes) == "Completed"
    same(straight, box / "far")
    processes["evaluator", 0].out.expect("^step 400: accuracy")
    assert set.reason(evaluator, 2) == "PodFailurePolicy", "what is refused would be again"
    box.refused(
        "an evaluator follows the checkpoints of a training: give --checkpoint_dir",
        "submit",
        "--engine",
        "jobset",
        "--image",
        "a",
        two,
        "--job_dir",
        "a",
        "--evaluator",
    )


def test_gives_up(box, submit, pods):
    """What would fail again does not begin again: a loss that is infinite."""
    box.write(
        "diverging.mlir", MODEL.read_text().replace("learning_rate = 0.01", "learning_rate = 1.0")
    )
    plan = box.servers("diverging", workers=2, ps=1, model="diverging.mlir")
    set = pods(submit(plan, "--steps", 2000))
    processes = set.startAll()
    assert set.decision(processes) == "FailJobSet"
    processes["worker", 0].err.expect("loss is infinite at step")
