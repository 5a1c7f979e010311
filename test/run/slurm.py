"""Debian's Slurm for a test: munged, slurmctld and slurmd on the loopback, with keys, state and logs in the test's folder; no cgroups."""
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
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={port}
SlurmdPort={nodePort}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/linear
SchedulerParameters=sched_interval=1
ReturnToService=2
KillWait=5
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8
"""


class Slurm:
    """One node with eight places for tasks, however many CPUs the machine has. `env` is what srun and its kin need beside the box's own."""

    def __init__(self, box, ports):
        for tool in ("munged", "slurmctld", "slurmd", "srun", "sbatch"):
            if not shutil.which(tool):
                pytest.skip(f"{tool} is missing (tools/setup.sh --tests installs Slurm)")
        self.box, self.folder = box, box.folder / "slurm"
        for name in "munge", "state", "spool":
            (self.folder / name).mkdir(parents=True)
        key = self.folder / "munge/key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        config = self.folder / "slurm.conf"
        config.write_text(CONFIG.format(host=socket.gethostname().split(".")[0], user=pwd.getpwuid(os.geteuid()).pw_name,
                                        port=ports[14], nodePort=ports[15], folder=self.folder))
        self.env = {"SLURM_CONF": str(config)}
        munge = self.folder / "munge"
        self.daemons = [box.start("munged", "--foreground", "--force", f"--socket={munge}/socket", f"--key-file={key}",
                                  f"--pid-file={munge}/pid", f"--seed-file={munge}/seed", f"--log-file={munge}/log")]
        until((munge / "socket").exists, "munged has its socket")
        self.daemons += [box.start("slurmctld", "-D", env=self.env), box.start("slurmd", "-D", env=self.env)]
        until(lambda: self.ask("sinfo", "-h", "-o", "%T").strip() == "idle", "Slurm's node is idle")

    def start(self, *command, **how):
        return self.box.start(*command, env={**self.env, **how.pop("env", {})}, **how)

    def run(self, *command, status=0, **how):
        __tracebackhide__ = True
        return self.start(*command, **how).ends(status)

    def ask(self, *command):
        """What one of Slurm's tools says, whatever its exit status; asked again and again it is no process to report."""
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
