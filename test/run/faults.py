"""A disk that fails, and kill -9 at one operation on it: test/faults/faults.c before the others, in one task of a run."""
from box import ROOT

FAULTS = ROOT / "test/faults"


def fault(box, what, at, task, root, once=True):
    """The environment in which `what` (kill, half, eio, enospc, short, stop) meets the task ("worker-0") at its operation number `at` on files whose
    path has `root` in it: in the first process that comes so far, or in each."""
    __tracebackhide__ = True
    if not (box / "faults.so").exists():
        box.write("faults.h", (FAULTS / "faults.h").read_text())
        box.preload("faults", (FAULTS / "faults.c").read_text())
    return {"LD_PRELOAD": str(box / "faults.so"), "FAULT": what, "FAULT_AT": str(at), "FAULT_TASK": task, "FAULT_ROOT": root,
            "FAULT_FIRED": str(box / "fired") if once else ""}
