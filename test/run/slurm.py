"""Debian's Slurm for a test: munged, slurmctld and slurmd, on the loopback or on machines of the
test, with keys, state and logs in the test's folder; no cgroups."""

import os
import pwd
import re
import shutil
import socket
import time

import pytest
from process import until

os.environ["PATH"] += ":/usr/sbin:/sbin"
CONFIG = """ClusterName=graphc
SlurmctldHost={host}({address})
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={port}
SlurmdPort={nodePort}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/linear
SchedulerParameters=sched_interval=1,bf_interval=1
ReturnToService=2
KillWait=5
{nodes}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8
"""


def named(host):
    """What runs the command behind it on a machine of that name."""
    return ["unshare", "--uts", "sh", "-c", f'hostname {host} && exec "$0" "$@"']


class Slurm:
    """Nodes with eight places for tasks each, however many CPUs the machine has: this one, or the
    first `nodes` of `machines`, whose scheduler and tools are on none of them. `env` is what srun
    and its kin need beside the box's own."""

    def __init__(self, box, ports, machines=None, nodes=0):
        for tool in ("munged", "slurmctld", "slurmd", "srun", "sbatch"):
            if not shutil.which(tool):
                pytest.skip(f"{tool} is missing (tools/setup.sh --tests installs Slurm)")
        self.box, self.folder = box, box.folder / "slurm"
        here = socket.gethostname().split(".")[0]
        names = [f"node{n}" for n in range(1, nodes + 1)] or [here]
        for name in "munge", "state", *(f"spool-{node}" for node in names):
            (self.folder / name).mkdir(parents=True)
        key = self.folder / "munge/key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        config = self.folder / "slurm.conf"
        addresses = [f"10.77.0.{n}" for n in range(1, nodes + 1)] or ["127.0.0.1"]
        config.write_text(
            CONFIG.format(
                host="front" if nodes else here,
                address="10.77.0.254" if nodes else "127.0.0.1",
                user=pwd.getpwuid(os.geteuid()).pw_name,
                port=ports[14],
                nodePort=ports[15],
                folder=self.folder,
                nodes="\n".join(
                    f"NodeName={node} NodeAddr={address} CPUs=8 State=UNKNOWN"
                    for node, address in zip(names, addresses)
                ),
            )
        )
        self.env = {"SLURM_CONF": str(config)}
        self.front = [*machines.inside, f"--wdns={box.folder}", *named("front")] if nodes else []
        munge = self.folder / "munge"
        self.daemons = [
            box.start(
                "munged",
                "--foreground",
                "--force",
                f"--socket={munge}/socket",
                f"--key-file={key}",
                f"--pid-file={munge}/pid",
                f"--seed-file={munge}/seed",
                f"--log-file={munge}/log",
            )
        ]
        until((munge / "socket").exists, "munged has its socket")
        # Not by `ip netns exec`, whose /sys has no cgroups, without which slurmd does not start.
        there = [
            [*machines.inside, "nsenter", f"--net=/run/netns/m{n}", *named(f"node{n}")]
            for n in range(1, nodes + 1)
        ] or [[]]
        self.daemons += [
            self.start("slurmctld", "-D"),
            *(
                box.start(*place, "slurmd", "-D", env=self.env, name=f"slurmd-{node}")
                for node, place in zip(names, there)
            ),
        ]
        until(
            lambda: self.ask("sinfo", "-h", "-o", "%T").split() == ["idle"],
            "Slurm's nodes are idle",
        )

    def start(self, *command, **how):
        return self.box.start(
            *self.front,
            *command,
            env={**self.env, **how.pop("env", {})},
            name=how.pop("name", command[0]),
            **how,
        )

    def run(self, *command, status=0, **how):
        __tracebackhide__ = True
        return self.start(*command, **how).ends(status)

    def ask(self, *command):
        """What one of Slurm's tools says, whatever its exit status; asked again and again it is no
        process to report."""
        time.sleep(0.1)
        process = self.run(*command, status=None)
        self.box.processes.remove(process)
        return process.out.text()

    def job(self, number, field):
        """Of a job: "JobState" is "RUNNING", "PENDING", "COMPLETED", …"""
        return re.search(rf"\b{field}=(\S*)", self.ask("scontrol", "-o", "show", "job", number))[1]

    def close(self):
        self.run("scancel", "--user", str(os.geteuid()), status=None)
        until(lambda: not self.ask("squeue", "-h").strip(), "Slurm has no job left")
        for daemon in reversed(self.daemons):
            daemon.stop(status=None)
