"""Kubernetes, as far as a JobSet's manifest needs it: whether it would be admitted, and its pods,
each a process on a machine of its own (machines.py) with the host name, addresses, environment,
volumes and command of the manifest, and what the controllers make of their exit statuses."""

import json
import os
import re
import shlex

import pytest
from box import BUILD

LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"  # RFC 1123
SCHEMA = "no kubeflow-trainer-api (test/run.sh installs it into build/python)"


def schema(name):
    """One of the models that are made of JobSet's and Kubernetes' published OpenAPI documents."""
    return getattr(pytest.importorskip("kubeflow_trainer_api.models", reason=SCHEMA), name)


def taken(given, read, path=""):
    """The models leave out what they do not know, and put defaults, or nothing at all, where
    something is missing."""
    __tracebackhide__ = True
    if isinstance(given, dict) and isinstance(read, dict):
        assert not given.keys() - read.keys(), (
            f"the schema has no {path}.{min(given.keys() - read.keys())}"
        )
        for name, value in read.items():
            assert name in given or value, f"{path}.{name} is missing"
            taken(given.get(name, value), value, f"{path}.{name}")
    elif isinstance(given, list) and isinstance(read, list):
        assert len(given) == len(read), path
        for one, other in zip(given, read):
            taken(one, other, path + "[]")
    else:
        assert given == read and type(given) is type(read), path


def admit(manifest):
    """Fails where the API server would refuse it: unknown or missing fields, types and enumerations
    (the published models), and what those say in words alone."""
    __tracebackhide__ = True
    taken(manifest, schema("JobsetV1alpha2JobSet").from_dict(manifest).to_dict())
    assert manifest["apiVersion"] == "jobset.x-k8s.io/v1alpha2" and manifest["kind"] == "JobSet"
    spec, name = manifest["spec"], manifest["metadata"]["name"]
    assert re.fullmatch(LABEL, name) and re.fullmatch(LABEL, spec["network"]["subdomain"])
    rule = schema("JobsetV1alpha2FailurePolicyRule").model_fields
    (pattern,) = re.findall(r'regular expression "(\S+)"', rule["name"].description)
    actions = re.findall(r"\w+", rule["action"].description.split("Valid values are")[1])
    for one in spec["failurePolicy"]["rules"]:
        assert re.fullmatch(pattern, one["name"]) and one["action"] in actions
    assert len({job["name"] for job in spec["replicatedJobs"]}) == len(spec["replicatedJobs"])
    for job in spec["replicatedJobs"]:
        template = job["template"]["spec"]
        assert re.fullmatch(
            LABEL, f"{name}-{job['name']}-{job['replicas'] - 1}-{template['completions'] - 1}"
        ), "the host name of a pod"
        pod = template["template"]["spec"]
        assert pod["restartPolicy"] == "Never", "podFailurePolicy asks for it"
        containers = {container["name"]: container for container in pod["containers"]}
        for rule in template["podFailurePolicy"]["rules"]:
            if "onPodConditions" in rule:  # a pod that goes with its node has no status
                assert rule["action"] == "Ignore" and job["name"] == "evaluator"
                continue
            codes = rule["onExitCodes"]
            assert codes["containerName"] in containers and codes["values"] == sorted(
                set(codes["values"])
            )
        for container in pod["containers"]:
            assert {mount["name"] for mount in container["volumeMounts"]} <= {
                volume["name"] for volume in pod["volumes"]
            }
            known = set()
            for variable in container["env"]:
                assert set(re.findall(r"\$\((\w+)\)", variable.get("value", ""))) <= known, (
                    "a variable can name those before it alone"
                )
                known.add(variable["name"])


class Pod:
    """One of a JobSet: pods of the job `name`, this one at `index`."""

    def __init__(self, manifest, job, index):
        self.set, self.job, self.index = manifest["metadata"]["name"], job["name"], index
        self.host = f"{self.set}-{self.job}-0-{index}"
        self.policy = job["template"]["spec"]["podFailurePolicy"]
        self.backoffLimit = job["template"]["spec"]["backoffLimit"]
        pod = job["template"]["spec"]["template"]["spec"]
        (self.container,) = pod["containers"]
        self.claims = {
            volume["name"]: volume["persistentVolumeClaim"]["claimName"]
            for volume in pod["volumes"]
        }

    def environment(self):
        """The container's, as the kubelet makes it."""
        made = {}
        for variable in self.container["env"]:
            if "valueFrom" in variable:
                assert variable["valueFrom"] == {
                    "fieldRef": {
                        "fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"
                    }
                }
                value = str(self.index)
            else:
                value = re.sub(
                    r"\$\((\w+)\)", lambda found: made.get(found[1], found[0]), variable["value"]
                )
            made[variable["name"]] = value
        return made


class Pods:
    """Those of a manifest, each with an address. The box's folder is what is in its one persistent
    volume claim; outside of the volume a pod does not see it."""

    def __init__(self, box, machines, manifest):
        self.box, self.machines, self.manifest = box, machines, manifest
        self.pods = [
            Pod(manifest, job, index)
            for job in manifest["spec"]["replicatedJobs"]
            for index in range(job["template"]["spec"]["completions"])
        ]
        machines.add(len(self.pods))
        self.subdomain = manifest["spec"]["network"]["subdomain"]
        self.names = box.write("hosts", "")
        self.known(self.pods)

    def known(self, pods):
        """From now on the names of these lead to their addresses, as the subdomain's service has
        them. Every pod has this file as /etc/hosts."""
        lines = [
            f"10.77.0.{self.pods.index(pod) + 1} {pod.host}.{self.subdomain}\n" for pod in pods
        ]
        with open(self.names, "r+") as file:  # the same file: it is mounted
            file.truncate()
            file.write("127.0.0.1 localhost\n" + "".join(lines))

    def pod(self, job, index):
        return next(pod for pod in self.pods if (pod.job, pod.index) == (job, index))

    def start(self, pod, without=(), env=None):
        """Its process, which has nothing of the test's environment but the limit on the CPU;
        `without`: variables of the manifest that are left out, `env`: others that it has."""
        (mount,) = pod.container["volumeMounts"]
        assert pod.claims[mount["name"]]
        folder, path = (shlex.quote(str(one)) for one in (self.box.folder, mount["mountPath"]))
        script = [
            "set -e",
            f"hostname {pod.host}",
            f"mount --bind {shlex.quote(str(self.names))} /etc/hosts",
            "mkdir -p /run/volume",
            f"mount --bind {folder} /run/volume",
            f"mount -t tmpfs none {folder}",
            f"mkdir -p {path}",
            f"mount --move /run/volume {path}",
        ]
        limit = {name: os.environ[name] for name in ("GRAPHC_MAX_CPU_ISA",) if name in os.environ}
        environment = {
            "PATH": f"{BUILD}/bin:{os.environ['PATH']}",
            "HOME": str(self.box.folder),
            "HOSTNAME": pod.host,
            "KUBERNETES_SERVICE_HOST": "10.96.0.1",
            "KUBERNETES_SERVICE_PORT": "443",
            **limit,
            **{name: value for name, value in pod.environment().items() if name not in without},
            **(env or {}),
        }
        script.append('exec env -i "$@"')
        return self.machines.start(
            self.pods.index(pod) + 1,
            "unshare",
            "--uts",
            "--mount",
            "sh",
            "-c",
            "\n".join(script),
            "sh",
            *(f"{name}={value}" for name, value in environment.items()),
            *pod.container["command"],
            name=f"{pod.job}-{pod.index}",
        )

    def startAll(self, **how):
        return {(pod.job, pod.index): self.start(pod, **how) for pod in self.pods}

    def decision(self, processes):
        """Waits for the ends, and says what the controllers of jobs and of the set do then."""
        reasons = []
        for (job, index), process in processes.items():
            process.ends(None)
            if process.status != 0:
                reasons += (
                    [reason]
                    if (reason := self.reason(self.pod(job, index), process.status))
                    else []
                )
        if not reasons:
            return "Completed"
        for rule in self.manifest["spec"]["failurePolicy"]["rules"]:
            if reasons[0] in rule["onJobFailureReasons"]:
                return rule["action"]
        return (
            "RestartJobSet"
            if self.manifest["spec"]["failurePolicy"]["maxRestarts"] > 0
            else "FailJobSet"
        )

    @staticmethod
    def reason(pod, status):
        """Why the job of a pod with this status fails; None: it does not, and makes another pod."""
        for rule in pod.policy["rules"]:
            if "onExitCodes" not in rule:
                continue
            among = status in rule["onExitCodes"]["values"]
            if among == (rule["onExitCodes"]["operator"] == "In"):
                assert rule["action"] in ("FailJob", "Ignore")
                return "PodFailurePolicy" if rule["action"] == "FailJob" else None
        assert pod.backoffLimit == 0
        return "BackoffLimitExceeded"


def manifest(said):
    return json.loads(said.text())
