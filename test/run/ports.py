"""Ports for a test."""

import random
import socket

import pytest


class Ports:
    """Sixteen ports of this machine that are nobody's, from .base on, and the flags of one
    parameter server and two workers there."""

    def __init__(self):
        # Below the range from which the kernel takes ports for outgoing connections; held against
        # tests beside this one by a name that goes with the process that has it.
        for _ in range(1000):
            self.base = random.randrange(20000, 32000, 16)
            self.held = socket.socket(socket.AF_UNIX)
            try:
                self.held.bind(f"\0graphc-test-ports-{self.base}")
                for port in range(self.base, self.base + 16):
                    with socket.socket() as probe:
                        probe.bind(("", port))
                break
            except OSError:
                self.held.close()
        else:
            pytest.fail("no ports are free")
        self.flags = self.of(0)

    def of(self, first):
        at = self.base + first
        return [
            "--ps_hosts",
            f"localhost:{at}",
            "--worker_hosts",
            f"127.0.0.1:{at + 1},localhost:{at + 2}",
        ]

    def addresses(self, number):
        return [f"localhost:{self.base + n}" for n in range(number)]

    def __getitem__(self, number):
        return self.base + number
