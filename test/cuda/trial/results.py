"""What was found, written as it is found: JSON lines, and a table for people."""

import json
import os
import time

from machine import DamagedBundle


class OutOfTime(Exception):
    """The part's minutes were over before a run was."""


class Results:
    """One part's. Ends with a line that says whether all is well."""

    def __init__(self, folder, part, seconds, on, machine):
        os.makedirs(folder, exist_ok=True)
        self.part, self.on, self.machine, self.until = part, on, machine, time.monotonic() + seconds
        self.lines, self.core, self.rows = [], {}, []
        self.table = os.path.join(folder, f"table-{part}.txt")
        self.jsonl = open(os.path.join(folder, f"results-{part}.jsonl"), "w")

    def __enter__(self):
        self.write(kind="machine", **self.machine)
        self.say(
            ", ".join(
                f"{name} {value}"
                for name, value in self.machine.items()
                if value not in (None, False)
            )
        )
        return self

    def __exit__(self, *_):
        verdict = self.verdict()
        self.write(kind="verdict", status=self.status(), text=verdict)
        self.say(verdict)
        self.jsonl.close()

    @property
    def left(self):
        """Seconds until nothing runs any more."""
        return self.until - time.monotonic()

    def write(self, **what):
        self.jsonl.write(json.dumps({"part": self.part, **what}) + "\n")
        self.jsonl.flush()

    def say(self, line):
        print(line, flush=True)
        self.lines.append(line)
        with open(self.table, "w") as file:
            file.write("\n".join(self.lines) + "\n")

    def record(self, status, name, detail="", core=False, **more):
        """`core`: without it the part proves nothing."""
        if core:
            self.core[name] = status
        self.rows.append(status)
        self.write(kind="result", name=name, status=status, detail=detail, **more)
        self.say(f" {status:8}{name}{': ' if detail else ''}{detail.strip()[-1500:]}")

    def passed(self, name, detail="", **more):
        self.record("ok", name, detail, **more)

    def failed(self, name, detail="", **more):
        self.record("FAILED", name, detail, **more)

    def skipped(self, name, why, **more):
        self.record("skipped", name, why, **more)

    def attempt(self, name, check, core=False):
        """Calls `check`, unless there is no time for it; where there was too little it is as if it
        had never begun. Says so."""
        try:
            if self.left > 0:
                return check()
        except OutOfTime:
            pass
        except DamagedBundle as error:
            return self.failed(name, f"the bundle is damaged: {error}", core=core)
        return self.skipped(name, "out of time", core=core)

    def run(self, command, seconds, environment=None, onLine=None):
        """Machine.run, but not for longer than there is time."""
        status, said = self.on.run(command, min(seconds, self.left), environment, onLine)
        if status is None and self.left <= 0:
            raise OutOfTime
        return status, said

    def missing(self):
        return [name for name, status in self.core.items() if status == "skipped"]

    def status(self):
        return 1 if "FAILED" in self.rows or self.missing() or "ok" not in self.rows else 0

    def verdict(self):
        counts = ", ".join(
            f"{self.rows.count(status)} {word}"
            for status, word in (("ok", "right"), ("FAILED", "wrong"), ("skipped", "skipped"))
        )
        missing = f"; what must run did not: {', '.join(self.missing())}" if self.missing() else ""
        simulated = (
            "; simulated driver, so nothing here is about a GPU"
            if self.machine["simulated"]
            else ""
        )
        return f"{self.part}: {counts}{missing}{simulated}"
