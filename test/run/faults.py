"""Faults of one task of a run: a disk that fails, and kill -9 at one operation on it
(test/faults/faults.c before the others); a signal where its process begins or ends."""

from box import ROOT

FAULTS = ROOT / "test/faults"


def fault(box, what, at, task, root, once=True):
    """The environment in which `what` (kill, half, eio, enospc, short, stop) meets the task
    ("worker-0") at its operation number `at` on files whose path has `root` in it: in the first
    process that comes so far, or in each."""
    __tracebackhide__ = True
    if not (box / "faults.so").exists():
        box.write("faults.h", (FAULTS / "faults.h").read_text())
        box.preload("faults", (FAULTS / "faults.c").read_text())
    return {
        "LD_PRELOAD": str(box / "faults.so"),
        "FAULT": what,
        "FAULT_AT": str(at),
        "FAULT_TASK": task,
        "FAULT_ROOT": root,
        "FAULT_FIRED": str(box / "fired") if once else "",
    }


SIGNALS = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
__attribute__((WHEN)) static void signalled(void) {
  char line[4096];
  FILE *file = fopen("/proc/self/cmdline", "r");
  size_t size = file ? fread(line, 1, sizeof line, file) : 0;
  if (memmem(line, size, FLAG, sizeof FLAG))
    raise(SIGNAL);
}
"""


def signalled(box, job, when, signal):
    """The environment in which each process that is a task of this job gets the signal ("SIGKILL")
    before it has done anything ("constructor") or behind all ("destructor")."""
    return box.preload(
        "signalled",
        SIGNALS.replace("WHEN", when)
        .replace("FLAG", f'"--job_name={job}"')
        .replace("SIGNAL", signal),
    )


HOLDS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int launched; // by a launcher: graphrun clears the variable soon
__attribute__((constructor)) static void look(void) { launched = getenv("GRAPHC_LAUNCH_FD") != 0; }
int pthread_create(pthread_t *thread, const pthread_attr_t *with, void *(*what)(void *), void *of) {
  while (launched && access("HELD", F_OK) == 0)
    usleep(10000);
  int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
  return real(thread, with, what, of);
}
"""


def holds(box):
    """The environment in which a launched task that starts a thread waits while the box's file
    "held" is there: as gRPC does for ever where a thread is refused."""
    return box.preload("holds", HOLDS.replace("HELD", str(box / "held")))
