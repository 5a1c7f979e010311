"""Processes that a test owns: each has a process group and files of its own, and is ended by its id
however the test ends."""

import ctypes
import os
import re
import resource
import signal
import subprocess
import time

import pytest

# What an idle machine does at once has a minute, a whole run three. Tests are about what comes,
# never about how fast it does, and two tests compute beside each other on a busy machine: no test
# has a smaller number of its own for something that has to happen. What ends because somebody has
# died takes at most 5 s there, and is given 20.
SOON, END, DEATH = 60, 180, 20
TRAINS = "step [1-9]"  # what a run's errors say once it makes steps
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


def until(condition, what, seconds=SOON):
    """Waits for a true value of condition() and returns it; fails with `what` (or what it then
    returns) after so many seconds."""
    __tracebackhide__ = True
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            pytest.fail(f"{what() if callable(what) else what}: not within {seconds} s")
        time.sleep(0.02)
    return value


def always(condition, what, seconds):
    """The opposite: condition() stays true for so many seconds."""
    __tracebackhide__ = True
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not condition():
            pytest.fail(f"{what}: not after all")
        time.sleep(0.02)


class Said:
    """A text that grows. Patterns are regular expressions of which one line has to have a match."""

    name = ""

    def text(self):
        raise NotImplementedError

    def over(self):
        """Nothing more will be said."""
        return False

    def matches(self, pattern):
        """All matches; of the first group where the pattern has one."""
        return re.findall(pattern, self.text(), re.M)

    def lines(self):
        return self.text().splitlines()

    def expect(self, *patterns):
        __tracebackhide__ = True
        for pattern in patterns:
            if not self.matches(pattern):
                pytest.fail(f"{self.name} must say '{pattern}'")

    def never(self, *patterns):
        __tracebackhide__ = True
        for pattern in patterns:
            if found := re.search(f".*(?:{pattern}).*", self.text(), re.M):
                pytest.fail(f"{self.name} must not say '{pattern}', but says '{found[0]}'")

    def waitFor(self, pattern, seconds=SOON):
        """Waits until it is said; not for a process that has ended."""
        __tracebackhide__ = True
        until(
            lambda: self.matches(pattern) or self.over(), f"{self.name} says '{pattern}'", seconds
        )
        self.expect(pattern)


class Text(Said):
    """What is in a string, or in a file that something else writes."""

    def __init__(self, source, name=None, writer=None):
        self.source, self.name, self.writer = source, name or str(source)[:80], writer

    def over(self):
        return self.writer is not None and not self.writer.running

    def text(self):
        if isinstance(self.source, str):
            return self.source
        return self.source.read_bytes().decode(errors="replace") if self.source.exists() else ""


class Process(Said):
    """A process. What it says is in .out and .err, and in the process itself both."""

    def __init__(self, command, files, name, stdin=None, stdout=None, cwd=None, env=None):
        self.command, self.name = [str(word) for word in command], name
        self.out = Text(files.with_suffix(".out"), f"{name}'s output", self)
        self.err = Text(files.with_suffix(".err"), f"{name}'s errors", self)
        with open(self.out.source, "wb") as out, open(self.err.source, "wb") as err:
            self.child = subprocess.Popen(
                self.command,
                stdin=stdin or subprocess.DEVNULL,
                stdout=stdout or out,
                stderr=err,
                cwd=cwd,
                env=env,
                process_group=0,
                preexec_fn=dieWithTheTest,
            )
        self.pid = self.child.pid

    def text(self):
        return self.out.text() + self.err.text()

    def over(self):
        return not self.running

    @property
    def status(self):
        """None while it runs; as a shell has it, 128 + 9 after a signal 9."""
        code = self.child.poll()
        return code if code is None or code >= 0 else 128 - code

    @property
    def running(self):
        return self.status is None

    def ends(self, status=0, seconds=END):
        """It has to end by itself, with this status (or one of these; None: any)."""
        __tracebackhide__ = True
        try:
            self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            pytest.fail(f"{self.name} has not ended after {seconds} s")
        if status is not None and self.status not in (
            status if isinstance(status, tuple) else (status,)
        ):
            pytest.fail(f"{self.name}: exit status {self.status}, not {status}")
        return self

    def signal(self, number):
        __tracebackhide__ = True
        if not self.running:
            pytest.fail(f"{self.name} has ended before {signal.Signals(number).name}")
        os.kill(self.pid, number)

    def stop(self, status=0, seconds=END):
        """SIGTERM, and the end that it asks for."""
        __tracebackhide__ = True
        self.signal(signal.SIGTERM)
        return self.ends(status, seconds)

    def kill(self):
        """kill -9, of this process alone."""
        __tracebackhide__ = True
        self.signal(signal.SIGKILL)
        return self.ends(128 + signal.SIGKILL)

    def end(self):
        """Whatever it does: it and its whole group are gone afterwards."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        if self.running:
            self.child.kill()
        self.child.wait()

    def oneError(self):
        """The one line of error that a user reads; where addresses were found, and which task this
        is, is none."""
        __tracebackhide__ = True
        found = re.findall(
            r"^graphrun(?: \w+)?: (?!addresses from |this is /job:).*", self.text(), re.M
        )
        if len(found) != 1:
            pytest.fail(f"{self.name} must say one line of error, not {len(found)}: {found}")
        return found[0]

    def pidOf(self, task):
        """The id of a task that this launcher has started, "worker-1", once it is there."""
        __tracebackhide__ = True
        found = until(
            lambda: self.pidNow(task) or self.over(), f"{self.name} has a process of {task}"
        )
        if found is True:
            pytest.fail(f"{self.name} has ended, with no process of {task}")
        return found

    def pidNow(self, task):
        job, index = task.split("-")
        for child in children(self.pid):
            line = commandLine(child)
            if f"--job_name={job}" in line and f"--task_index={index}" in line:
                return child
        return None

    def peak(self):
        """Of its memory so far, in KiB."""
        with open(f"/proc/{self.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))

    def report(self):
        """Its last words, for the message of a failure."""
        state = "still runs" if self.running else f"exit status {self.status}"
        body = "".join(
            f"-- {text.name}\n" + "\n".join(text.lines()[-20:]) + "\n"
            for text in (self.out, self.err)
            if text.text().strip()
        )
        return f"$ {' '.join(self.command)[:1000]}\n{state}\n{body}"


def ended(tasks, status=0, seconds=END):
    """Each of them ends by itself, with this status."""
    __tracebackhide__ = True
    for task in tasks:
        task.ends(status, seconds)


def processorTime(command):
    """Seconds, user and system, of the processes that command() runs to their end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def grows(few, many, most, floor=0):
    """many() takes at most so many times the processor time of few(), of which less than `floor`
    seconds are too short to be compared: the least of some rounds, more of them where that is too
    long, since other processes only make it longer."""
    __tracebackhide__ = True
    least, found = min(processorTime(few) for _ in range(3)), processorTime(many)
    for _ in range(12):
        if found <= most * max(least, floor):
            return
        least, found = min(least, processorTime(few)), min(found, processorTime(many))
    pytest.fail(f"it takes {found:.2f} s, more than {most} times {max(least, floor):.2f} s")


def dieWithTheTest():
    """Between fork and exec: also where the test itself is killed, what it has started ends."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # The tests themselves may have been started by nohup.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def children(pid):
    found = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as file:
                found += map(int, file.read().split())
    except OSError:
        pass
    return found


def commandLine(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().decode(errors="replace").split("\0")[:-1]
    except OSError:
        return []


def living(folder):
    """(id, command line) of the processes that work in a folder."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            if (
                entry.isdigit()
                and int(entry) != os.getpid()
                and os.readlink(f"/proc/{entry}/cwd").startswith(str(folder))
            ):
                with open(f"/proc/{entry}/stat") as stat:
                    if stat.read().rsplit(")", 1)[1].split()[0] not in "ZX":
                        found.append((int(entry), " ".join(commandLine(int(entry)))))
        except OSError:
            pass
    return found


def endAll(find):
    """Kills the processes that find() gives until it gives none: what they start meanwhile too."""
    __tracebackhide__ = True

    def none():
        left = find()
        for pid, _ in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return not left

    until(none, lambda: f"no process is left of {find()}")
