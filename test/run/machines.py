"""Machines for a test: network namespaces joined by veth pairs and a bridge, in a namespace that a
process of the test holds."""

import os
import shutil
import subprocess

import pytest
from process import until

os.environ["PATH"] += ":/usr/sbin:/sbin"
PROBE = "mount -t tmpfs none /run && ip netns add probe && ip link add probe0 type veth peer name probe1"


def namespaces(kinds, probe, cwd="/"):
    """The command that enters namespaces of these kinds in which the probe succeeds, as a user that
    is not root where need be; or None."""
    for command in ["unshare", *kinds], ["unshare", "--user", "--map-root-user", *kinds]:
        if (
            subprocess.run([*command, "sh", "-c", probe], cwd=cwd, capture_output=True).returncode
            == 0
        ):
            return command
    return None


class Machines:
    """machines.start(N, COMMAND…) runs on machine N, at 10.77.0.N; what it starts is the process
    itself, not one that waits for it."""

    def __init__(self, box):
        self.box = box
        for tool in ("ip", "tc", "unshare", "nsenter"):
            if not shutil.which(tool):
                pytest.skip(f"{tool} is missing (tools/setup.sh installs iproute2)")
        enter = namespaces(["--net", "--mount"], PROBE)
        if not enter:
            pytest.skip(
                "this machine does not permit network namespaces (root, or unprivileged user namespaces)"
            )
        # It ends with the pipe that it reads, so with the test.
        reading, self.writing = os.pipe()
        self.holder = subprocess.Popen(
            [*enter, "sh", "-c", "mount -t tmpfs none /run && echo there && exec cat"],
            stdin=reading,
            stdout=subprocess.PIPE,
            cwd="/",
            process_group=0,
        )
        os.close(reading)
        until(lambda: self.holder.stdout.readline() == b"there\n", "a namespace of the test's own")
        self.inside = ["nsenter", "--target", str(self.holder.pid), "--net", "--mount"]
        if "--user" in enter:
            self.inside += ["--user", "--preserve-credentials"]
        self.ip("link add switch type bridge")
        self.ip("link set switch up")
        self.ip("link set lo up")
        self.ip("addr add 10.77.0.254/24 dev switch")
        self.made = 0

    def ip(self, words):
        subprocess.run([*self.inside, "ip", *words.split()], check=True)

    def add(self, number=1):
        """So many more of them."""
        for n in range(self.made + 1, self.made + number + 1):
            self.ip(f"netns add m{n}")
            self.ip(f"link add port{n} type veth peer name eth0 netns m{n}")
            self.ip(f"link set port{n} master switch up")
            self.ip(f"-n m{n} link set lo up")
            self.ip(f"-n m{n} link set eth0 up")
            self.ip(f"-n m{n} addr add 10.77.0.{n}/24 dev eth0")
        self.made += number

    def start(self, n, *command, cwd=None, **how):
        place = self.box.folder / (cwd or ".")
        how.setdefault("name", f"{command[0]}-on-{n}")
        return self.box.start(
            *self.inside,
            f"--wdns={place}",
            "ip",
            "netns",
            "exec",
            f"m{n}",
            *command,
            cwd=cwd,
            **how,
        )

    def crossed(self):
        """Bytes that the machines gave the switch so far."""
        with open(f"/proc/{self.holder.pid}/net/dev") as file:
            return sum(
                int(line.split(":")[1].split()[0])
                for line in file
                if line.strip().startswith("port")
            )

    def close(self):
        os.close(self.writing)
        self.holder.stdout.close()
        self.holder.wait()
