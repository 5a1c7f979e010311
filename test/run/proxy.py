"""A proxy for TCP with faults, and a network of them between the tasks of a run.

    network = Network(box, {"ps-0": 20000, "worker-0": 20001})   # the ports at which they listen, at 127.0.0.1
    task = box.task("ps-0", plan, *network.flags, env=network.of("ps-0"))
    network.between("ps-0", "worker-0").silent()                 # or .between("ps-0"): with everybody
"""

import select
import socket
import struct
import threading
import time

# connect() of a task goes to its proxy for the task that it calls: PROXY="20000=41000,20001=41001".
# What tasks prove to each other names both ends of their connection, so that nobody can stand
# between (service/SecretProof.h); here both ends of each have the same name.
CONNECT = r"""
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
int connect(int fd, const struct sockaddr *address, socklen_t size) {
  struct sockaddr_in other;
  if (address->sa_family == AF_INET && size >= sizeof other) {
    memcpy(&other, address, sizeof other);
    for (const char *pair = getenv("PROXY"); pair && *pair; pair = strchr(pair, ',') ? strchr(pair, ',') + 1 : NULL)
      if (ntohs(other.sin_port) == atoi(pair)) {
        other.sin_port = htons(atoi(strchr(pair, '=') + 1));
        return (int)syscall(SYS_connect, fd, &other, sizeof other);
      }
  }
  return (int)syscall(SYS_connect, fd, address, size);
}
static int name(int which, int fd, struct sockaddr *address, socklen_t *size) {
  struct sockaddr_storage other;
  socklen_t room = sizeof other;
  int result = (int)syscall(which, fd, address, size);
  if (result == 0 && address->sa_family == AF_INET && syscall(SYS_getpeername, fd, &other, &room) == 0)
    ((struct sockaddr_in *)address)->sin_port = htons(1);
  return result;
}
int getsockname(int fd, struct sockaddr *address, socklen_t *size) { return name(SYS_getsockname, fd, address, size); }
int getpeername(int fd, struct sockaddr *address, socklen_t *size) { return name(SYS_getpeername, fd, address, size); }
"""


class Proxy:
    """Hands on what comes to 127.0.0.1:.port to another port there, and back. One fault at a time,
    until heal()."""

    def __init__(self, target):
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.changed = threading.Condition()
        self.fault, self.argument, self.open, self.over = None, 0, set(), False
        threading.Thread(target=self._accept, daemon=True).start()

    def delay(self, seconds):
        """What comes is handed on so much later."""
        self._become("delay", seconds)

    def slow(self, rate):
        """So many bytes a second, in each direction of each connection."""
        self._become("slow", rate)

    def silent(self):
        """Nothing is handed on, and nothing closed: a cable that was pulled. What came meanwhile is
        handed on after heal()."""
        self._become("silent", 0)

    def cut(self):
        """Connections are reset, new ones at once."""
        self._become("cut", 0)
        for one in list(self.open):
            self._reset(one)

    def heal(self):
        self._become(None, 0)

    def close(self):
        self.over = True
        self.listener.close()
        self.cut()

    def _become(self, fault, argument):
        with self.changed:
            self.fault, self.argument = fault, argument
            self.changed.notify_all()

    def _reset(self, one):
        self.open.discard(one)
        try:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            one.shutdown(socket.SHUT_RDWR)  # wakes who reads there, who closes it
        except OSError:
            pass

    def _accept(self):
        while not self.over:
            try:
                if not select.select([self.listener], [], [], 0.5)[0]:
                    continue
                caller, _ = self.listener.accept()
                with self.changed:
                    self.changed.wait_for(lambda: self.fault != "silent" or self.over)
                if self.fault == "cut":
                    raise OSError
                called = socket.create_connection(("127.0.0.1", self.target))
            except (OSError, ValueError):
                if "caller" in locals():
                    caller.close()
                continue
            for one in caller, called:
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.open.add(one)
            ends = [2]  # of the pair that are left
            for source, sink in (caller, called), (called, caller):
                threading.Thread(target=self._hand, args=(source, sink, ends), daemon=True).start()

    def _hand(self, source, sink, ends):
        try:
            while data := source.recv(1 << 16):
                with self.changed:
                    self.changed.wait_for(lambda: self.fault != "silent")
                    fault, argument = self.fault, self.argument
                if fault == "cut":
                    break
                time.sleep(
                    argument if fault == "delay" else len(data) / argument if fault == "slow" else 0
                )
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            for one in source, sink:
                self._reset(one)
        with self.changed:
            ends[0] -= 1
            last = ends[0] == 0
        if last:
            for one in source, sink:
                self.open.discard(one)
                one.close()


class Several:
    """A fault of several proxies at once."""

    def __init__(self, proxies):
        self.proxies = proxies

    def __getattr__(self, name):
        def each(*arguments):
            for proxy in self.proxies:
                getattr(proxy, name)(*arguments)

        return each


class Network:
    """A proxy for each task that calls and each task that is called."""

    def __init__(self, box, ports):
        self.ports = ports
        box.preload("connect", CONNECT)
        self.library = str(box / "connect.so")
        self.proxies = {
            (caller, called): Proxy(port)
            for caller in ports
            for called, port in ports.items()
            if caller != called
        }
        jobs = {}
        for task, port in ports.items():
            jobs.setdefault(task.split("-")[0], []).append(f"127.0.0.1:{port}")
        self.flags = [
            word
            for job, addresses in jobs.items()
            for word in (f"--{job}_hosts", ",".join(addresses))
        ] + ["--transport=grpc"]

    def of(self, task):
        """The environment in which it reaches the others."""
        ways = ",".join(
            f"{self.ports[called]}={proxy.port}"
            for (caller, called), proxy in self.proxies.items()
            if caller == task
        )
        return {"LD_PRELOAD": self.library, "PROXY": ways}

    def between(self, one, other=None):
        """Both directions, whoever has called."""
        return Several(
            [
                proxy
                for pair, proxy in self.proxies.items()
                if one in pair and (other is None or other in pair)
            ]
        )

    def close(self):
        Several(list(self.proxies.values())).close()
