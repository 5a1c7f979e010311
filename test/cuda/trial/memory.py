"""device.sh memory: what a plan says it needs on the GPU, beside what the driver counts."""

import threading

MIB = 1 << 20
LONGEST = 300  # seconds of one run
SLACK = 64 * MIB, 1.05  # what the driver takes beside, and its rounding of allocations


class Watch:
    """The most memory in use on GPU 0 while it is entered, as nvidia-smi has it; None where it says
    nothing."""

    def __init__(self, machine):
        self.machine, self.most, self.over = machine, None, threading.Event()
        self.thread = threading.Thread(target=self.look)

    def used(self):
        said = self.machine.said(
            "nvidia-smi", "--id=0", "--query-gpu=memory.used", "--format=csv,noheader,nounits"
        )
        return int(said) * MIB if said and said.isdigit() else None

    def look(self):
        while not self.over.wait(0.05):
            used = self.used()
            self.most = used if self.most is None else max(self.most, used or 0)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def watched(machine, case, results):
    with Watch(machine) as watch:
        before = watch.used()
        return *results.run([machine.graphrun, *machine.plan(case)], LONGEST), before, watch


def run(machine, cases, results):
    beside = None  # what a run takes whose plan needs next to nothing: the driver's own
    for case in cases["memory"]:
        name = f"memory of {case['name']}"
        if machine.simulated and case.get("large"):
            results.skipped(name, "too large for the simulated driver")
            continue
        ran = results.attempt(name, lambda: watched(machine, case, results), core=True)
        if not ran:
            continue
        status, said, before, watch = ran
        planned = case["bytes"]
        if status != 0:
            results.failed(name, machine.failure(status, said), core=True)
            continue
        if machine.simulated or before is None or watch.most is None:
            why = "simulated driver" if machine.simulated else "no nvidia-smi"
            results.passed(
                name,
                f"ran; planned {planned} bytes, measured nothing: {why}",
                core=True,
                planned=planned,
            )
            continue
        taken = watch.most - before
        if beside is None:
            beside = taken
            results.passed(
                name,
                f"the driver takes {taken / MIB:.0f} MiB beside {planned} bytes of the plan",
                core=True,
                planned=planned,
                measured=taken,
            )
            continue
        measured = taken - beside
        text = f"planned {planned / MIB:.1f} MiB, measured {measured / MIB:.0f} MiB more than the first"
        wrong = measured > planned * SLACK[1] + SLACK[0] or measured < planned * 0.5 - SLACK[0]
        results.record(
            "FAILED" if wrong else "ok", name, text, core=True, planned=planned, measured=measured
        )
