#!/usr/bin/env python3
"""Chaos: runs of which something dies, stops, is told to end or loses its network, at a time and
place drawn from a seed.

    test/chaos/chaos.py [--seed N] [--cases N] [--only K] [--jobs N] [--returns]

With --returns each case is of asynchronous workers with --max_restarts, most of them of workers
that are to come back while the others go on.

Each case is one run of a strategy and one fault, sometimes with --max_restarts or an evaluator.
The verdict:
  no hang          it ends by itself within LIMIT seconds, which is many times what it takes
  no wrong result  what ends well, at once or started again, has the weights of an undisturbed run
                   (asynchronous and with backup workers: its number of updates)
  recovery         with --max_restarts the death of a task ends well by itself; who is not named as
                   started again is the process that it was
  evaluator        whatever happens to it, training ends well, at once; whatever happens to others,
                   it ends with the run, and where it lives behind a good end it has evaluated the
                   last checkpoint, with the numbers of one that is started by hand there and, where
                   bits are an undisturbed run's, of that run's evaluator
  nothing left     no process, no temporary file, no shared memory; whole checkpoints alone

Prints a line a case, and for one that fails how to run it again and where its folder is. Exit
status 0: none failed.
"""

import argparse
import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import sys
import time
import traceback
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "run"))
from box import BUILD, MLP, Box, asName, delay, differences, servers  # noqa: E402
from formats import updates  # noqa: E402
from ports import Ports  # noqa: E402
from process import living, until  # noqa: E402
from proxy import Network  # noqa: E402

LIMIT = 120
STEPS = 240
EVERY = 15
EVALUATE = "--eval_every_epochs", 4
# By name: cluster, the tasks (the first is the chief), and whether the bits are those of an
# undisturbed run.
MODES = {
    "ps-sync": (servers(2, 1), ["worker-0", "worker-1", "ps-0"], True),
    "async": (servers(2, 1, "async"), ["worker-0", "worker-1", "ps-0"], False),
    "async-two": (
        servers(3, 2, "async"),
        ["worker-0", "worker-1", "worker-2", "ps-0", "ps-1"],
        False,
    ),
    "async-stale": (
        servers(3, 2, "async", max_staleness=3),
        ["worker-0", "worker-1", "worker-2", "ps-0", "ps-1"],
        False,
    ),
    "backup": (
        servers(3, 1, replicas_to_aggregate=2),
        ["worker-0", "worker-1", "worker-2", "ps-0"],
        False,
    ),
    "all-reduce": (
        {"worker": 2, "strategy": {"name": "all_reduce"}},
        ["worker-0", "worker-1"],
        True,
    ),
    "in-graph": (
        {
            "worker": 2,
            "strategy": {"name": "in_graph"},
            "placement": [
                {"name": "w1", "device": "/job:worker/task:0"},
                {"name": "w2", "device": "/job:worker/task:1"},
            ],
        },
        ["worker-0", "worker-1"],
        True,
    ),
}
FAULTS = "kill", "kill", "kill", "stop", "pause", "term", "hup", "cut", "silence", "hiccup"
EVALUATOR = "evaluator-0"
MOMENTS = "start", "first", "middle", "checkpoint", "evaluation", "end"


def evaluations(run):
    """[(step, what the evaluator has said of it)]"""
    return [(int(step), said) for step, said in run.out.matches(r"^step ([0-9]+): (.*)$")]


def compiled(box, mode, cluster):
    """Of a model whose evaluations take long enough to be met."""
    few, many = "samples = 57", "samples = 800"
    text = MLP.read_text()
    assert text.count(few) == 1
    return box.compile(mode, cluster, model=box.write("evaluated.mlir", text.replace(few, many)))


class Reference:
    """An undisturbed run of a mode: its variables, the steps behind which it evaluates, and what an
    evaluator says of its checkpoints."""

    def __init__(self, box, mode, isEvaluated):
        plan = compiled(box, mode, MODES[mode][0])
        ckpt = (
            [
                "--checkpoint_dir",
                f"ckpt-{mode}",
                "--save_checkpoint_steps",
                EVERY,
                "--keep_checkpoint_max",
                0,
                "--evaluator",
            ]
            if isEvaluated
            else []
        )
        history = f"{mode}.jsonl"
        self.dump = box.weights(
            plan, "--steps", STEPS, *ckpt, *EVALUATE, "--history", history, to=f"dump-{mode}"
        )
        self.evaluations = dict(evaluations(box.last))
        records = [json.loads(line) for line in (box / history).read_text().splitlines()]
        self.evaluated = [record["step"] for record in records if record["phase"] == "eval"]


class Wrong(Exception):
    """A verdict."""


class Case:
    """One of them, drawn from seed and number alone."""

    def __init__(self, seed, number, returns=False):
        draw = self.draw = random.Random(f"{seed}/{number}")
        self.number = number
        self.mode = draw.choice(list(MODES))
        self.cluster, self.tasks, self.exact = MODES[self.mode]
        self.fault = draw.choice(FAULTS)
        self.network = self.fault in ("cut", "silence", "hiccup")
        self.moment = draw.choice(MOMENTS)
        self.victim = draw.choice(self.tasks if self.network else ["launcher", *self.tasks])
        self.restarts = 0 if self.network or self.victim == "launcher" else draw.choice([0, 3])
        self.transport = draw.choice(["shm", "grpc"])
        self.later = draw.random()  # how long behind the moment, in its own measure
        self.step = draw.randrange(20, STEPS - 20)
        # More than once: again when it goes on, at other moments.
        self.times = 1 if self.network else draw.choice([1, 1, 2, 3])
        # Drawn last: a case without an evaluator is what it was before there were any.
        self.evaluator = not self.network and draw.random() < 0.4
        if self.evaluator and draw.random() < 0.6:
            self.victim = EVALUATOR
            self.restarts = draw.choice([0, 3])
        self.memory = self.mode == "all-reduce" and draw.random() < 0.5
        if self.memory:
            self.cluster = {
                **self.cluster,
                "strategy": {"name": "all_reduce", "recovery": "memory"},
            }
        self.deadline, self.returned, self.second, self.returns = 20, 0, None, returns
        self.met = False  # the fault came while an evaluation ran
        self.steps, self.every = STEPS, EVERY
        if returns:
            self._drawReturn(draw)

    def _drawReturn(self, draw):
        self.mode = draw.choice([mode for mode in MODES if mode.startswith("async")])
        self.cluster, self.tasks, self.exact = MODES[self.mode]
        self.network = self.memory = False
        self.evaluator = draw.random() < 0.15
        self.fault = draw.choice(["kill"] * 8 + ["stop", "pause"])
        self.moment = draw.choice(MOMENTS + ("middle",) * 3)
        mayReturn = [task for task in self.tasks[1:] if task.startswith("worker")]
        self.victim = draw.choice(mayReturn * 3 + self.tasks)
        self.restarts, self.deadline = 9, 6
        self.times = draw.choice([1, 2, 3, 4])
        # Between two phases nobody comes back.
        self.steps, self.every = draw.choice([(STEPS, EVERY), (4 * STEPS, 10 * EVERY)])
        self.step = draw.randrange(5, self.steps - 20)
        self.second = draw.choice([None, *mayReturn])  # dies right behind the first

    @property
    def kind(self):
        """Of the victim."""
        return "chief" if self.victim == self.tasks[0] else re.sub("-[0-9]+$", "", self.victim)

    def __str__(self):
        how = (
            "by hand, over a proxy"
            if self.network
            else f"{self.transport}{f', --max_restarts {self.restarts}' if self.restarts else ''}"
        )
        times = f"{self.times} times " if self.times > 1 else ""
        beside = (f", {self.second} too" if self.second else "") + (
            ", --evaluator" if self.evaluator else ""
        )
        mode = f"{self.mode} with recovery from memory" if self.memory else self.mode
        return f"{self.number}: {mode}, {times}{self.fault} of {self.victim}, {self.moment}, {how}{beside}"

    def flags(self):
        # --deadline: a worker that the others do not wait for may be silent so long;
        # --join_deadline: who cannot be reached at the start.
        return [
            "--steps",
            self.steps,
            "--checkpoint_dir",
            "ckpt",
            "--save_checkpoint_steps",
            self.every,
            *EVALUATE,
            "--fetch",
            "loss",
            "--dump_variables",
            "dump",
            "--deadline",
            self.deadline,
            "--join_deadline",
            15,
        ]

    def run(self, reference):
        """None, or what is wrong."""
        box = Box(f"chaos-{self.number}")
        try:
            self._run(box, reference)
            box.close()
            return None
        except BaseException as error:  # pytest.fail is none of Exception
            box.kept = True
            said = "".join(f"\n{process.report()}" for process in box.processes[-5:])
            where = (
                ""
                if isinstance(error, Wrong)
                else "".join(traceback.format_tb(error.__traceback__)[-3:])
            )
            try:
                box.close()
            except BaseException:
                pass
            return f"{type(error).__name__}: {error}\n{where}{said}\nkept: {box.folder}"

    def _run(self, box, reference):
        plan = compiled(box, self.mode, self.cluster)
        left = 1 if self.restarts or self.victim == EVALUATOR else self.times
        while left > 0 and not self._once(box, plan, reference):
            left -= 1
        if left == 0:
            run = box.graphrun(plan, *self.flags(), *self._beside(), seconds=LIMIT)
            self._looksAtEvaluations(box, plan, reference, run)
        self._compare(box, reference.dump)

    def _beside(self):
        return ["--evaluator"] if self.evaluator else []

    def _once(self, box, plan, reference):
        """A run and the fault; whether it ended well all the same."""
        slow = delay(worker1=1500)
        if self.network:
            ports = Ports()
            network = Network(box, {task: ports[n] for n, task in enumerate(self.tasks)})
            started = [
                box.task(
                    task, plan, *self.flags(), *network.flags, env={**slow, **network.of(task)}
                )
                for task in self.tasks
            ]
            chief, act = started[0], lambda: self._disturb(network)
        else:
            flags = ["--max_restarts", self.restarts] if self.restarts else []
            chief = box.launch(
                plan,
                *self.flags(),
                f"--transport={self.transport}",
                *flags,
                *self._beside(),
                env=slow,
            )
            started, act = [chief], lambda: self._signal(chief)
        self._await(box, chief, reference)
        before = self._pids(chief)
        hit = act()
        if self.victim == EVALUATOR:
            for _ in range(1, self.times):
                self._awaitAnother(chief, hit)
                time.sleep(self.draw.random() * 1.5)
                hit = act() or hit
        elif self.restarts:
            self._stay(chief, before)
            for time_ in range(1, self.times):
                self._awaitRestart(chief, time_)
                # One that is stopped before it has said hello is waited for until --join_deadline.
                time.sleep(
                    self.draw.random()
                    * (
                        self.draw.choice([1.5, 0.1])
                        if self.returns and self.fault == "kill"
                        else 1.5
                    )
                    + (0.4 if self.returns and self.fault != "kill" else 0)
                )
                act()
        for process in started:
            try:
                process.child.wait(LIMIT)
            except Exception:
                raise Wrong(
                    f"{process.name} hangs: it has not ended {LIMIT} s after the fault"
                ) from None
        if self.network:
            network.close()
        self.returned += len(
            chief.err.matches(r" is back .process [0-9]+., and goes on with its step")
        )
        self._clearSocketFolders(box)
        box.nothingLeft()
        status = max(process.status for process in started)
        # 143, 129: no task was there yet.
        launchers = (
            {"kill": (137,), "stop": (137,), "term": (143,), "hup": (129,)}
            if self.victim == "launcher"
            else {}
        )
        if status not in (0, 1, 138, *launchers.get(self.fault, ())):
            raise Wrong(f"exit status {status}")
        ends = all(process.status == 0 for process in started)
        if self.victim == EVALUATOR and not ends:
            self._endsWithoutIt(box, chief, hit)
            return True
        if ends:
            self._looksAtEvaluations(box, plan, reference, chief)
        if (
            hit
            and not ends
            and (
                self.restarts
                and self.fault in ("kill", "stop", "pause")
                or self.fault in ("hiccup", "pause")
                and not self.restarts
            )
        ):
            raise Wrong("it does not go on by itself")
        if not ends:
            if not hit:
                raise Wrong("it fails, and nothing was done to it")
            self._saysWhy(started)
        self.step, self.moment = 5, self.draw.choice(MOMENTS)
        return ends

    def _clearSocketFolders(self, box):
        """Whoever is killed while it makes a socket, within some 0.1 ms, leaves the folder around
        that (docs/open.md)."""
        if self.fault in ("kill", "stop"):
            until(
                lambda: not living(box.folder),
                lambda: f"all processes end, but there are {living(box.folder)}",
            )
            for folder in (box / "tmp").glob("graphc-??????"):
                if all(path.is_socket() for path in folder.iterdir()):
                    shutil.rmtree(folder)

    def _endsWithoutIt(self, box, run, hit):
        """Training is over, and was told that there is no evaluator: one that is asked to stop is
        not started again."""
        if (
            not hit
            or self.fault not in ("term", "hup")
            or not run.err.matches("^graphrun: the evaluator .*as asked; there is none any more$")
        ):
            raise Wrong("the run fails by its evaluator")
        if box.json("ckpt/finished.json")["step"] != self.steps:
            raise Wrong("training has not come to its end")

    def _looksAtEvaluations(self, box, plan, reference, run):
        """Behind a good end. Who begins anew has older lines again, and goes on with the newest
        checkpoint: what counts are the numbers, and the last."""
        if (
            not self.evaluator
            or self.victim == "launcher"
            and run.err.matches("the evaluator was stopped, as asked$")
        ):
            return  # a stop of all came behind training's end, and before its own
        found = evaluations(run)
        if not found or found[-1][0] != self.steps:
            raise Wrong(f"the evaluator's last checkpoint is not step-{self.steps}: {found}")
        byHand = box.graphrun(
            plan,
            "--job_name",
            "evaluator",
            "--checkpoint_dir",
            "ckpt",
            "--steps",
            self.steps,
            name="evaluator by hand",
            seconds=LIMIT,
        )
        for known in [dict(evaluations(byHand)), *([reference.evaluations] if self.exact else [])]:
            if wrong := [
                (step, said, known[step])
                for step, said in found
                if step in known and said != known[step]
            ]:
                raise Wrong(f"the evaluator has other numbers than an undisturbed one: {wrong}")

    def _pids(self, run):
        return {} if self.network else {task: run.pidNow(task) for task in self.tasks}

    def _stay(self, run, before):
        """Behind the first restart, where it is seen at once: as the launcher says it, processes
        are new ones or those of before."""
        if None in before.values() or self.fault not in ("kill", "stop", "pause"):
            return
        self._awaitRestart(run, 1)
        said = run.err.matches(r"; restarting (.*?) (?:from|at once|in) .*.restart 1 of")
        after = self._pids(run)
        if not said or run.err.matches("restart 2 of") or None in after.values():
            return
        killed = run.err.matches(
            r"graphrun: (\S+) .*(?:while it waits, is killed, and started again|while it waited, and is started again)$"
        )
        # A restart that is in vain is taken back: several may be the first.
        named = set(killed).union(*(line.split(", ") for line in said))
        again = {task for task in self.tasks if asName(task) in named or "all tasks" in named}
        if new := {task for task in self.tasks if before[task] != after[task]} - again:
            raise Wrong(f"{new} are new processes, and only {again} are said to be")

    def _awaitAnother(self, run, last):
        """Until another evaluator is there than the one that was hit last, or the run is over."""
        end = time.monotonic() + LIMIT
        while run.running and run.pidNow(EVALUATOR) in (None, last) and time.monotonic() < end:
            time.sleep(0.01)

    def _awaitRestart(self, run, number):
        end = time.monotonic() + LIMIT
        while (
            run.running and not run.err.matches(f"restart {number} of") and time.monotonic() < end
        ):
            time.sleep(0.01)

    def _await(self, box, chief, reference):
        """Until the moment, or until the run is over."""

        def steps():  # lines of --fetch
            return chief.out.source.read_bytes().count(b"loss ")

        def wait(condition):
            end = time.monotonic() + LIMIT
            while chief.running and not condition():
                if time.monotonic() > end:
                    raise Wrong(f"it does not come to its moment ({steps()} steps)")
                time.sleep(0.001)

        if self.moment == "start":
            time.sleep(self.later * 0.3)
        elif self.moment == "first":
            wait(lambda: steps() >= 1)
        elif self.moment == "middle":
            wait(lambda: steps() >= self.step)
        elif self.moment == "checkpoint":
            wait(lambda: steps() >= self.step)
            wait(lambda: any(name.endswith(".partial") for name in os.listdir(box / "ckpt")))
            time.sleep(self.later * 0.01)
        elif self.moment == "evaluation":
            wait(lambda: steps() >= 1)  # it has said by then what it goes on from
            begun = max([0, *map(int, chief.err.matches(r"going on from .*step-([0-9]+)$"))])
            due = [step for step in reference.evaluated if step > begun]
            wait(lambda: not due or begun + steps() >= due[0])
            time.sleep(self.later * 0.05)
            self.met = bool(due) and begun + steps() == due[0] and not chief.err.matches("accuracy")
        else:
            wait(lambda: steps() >= self.steps)
            time.sleep(self.later * 0.15)
        if self.victim == EVALUATOR and self.moment not in ("start", "end"):
            wait(lambda: chief.pidNow(EVALUATOR))

    def _signal(self, run):
        """Who was hit; None: there was nobody."""
        if self.second and run.running and (pid := run.pidNow(self.second)):
            try:
                os.kill(pid, signal.SIGKILL)
                time.sleep(self.draw.choice([0, 0.01, 0.1]))
            except ProcessLookupError:
                pass
        pid = run.pid if self.victim == "launcher" else run.pidNow(self.victim)
        if not run.running or not pid:
            return None
        try:
            if self.fault == "term" or self.fault == "hup":
                os.kill(pid, signal.SIGTERM if self.fault == "term" else signal.SIGHUP)
            elif self.fault == "kill":
                os.kill(pid, signal.SIGKILL)
            else:
                os.kill(pid, signal.SIGSTOP)
                if self.fault == "pause":
                    time.sleep(self.later * 3)
                    os.kill(pid, signal.SIGCONT)
                elif self.victim == "launcher":
                    # Its tasks have nobody to end them: they have to end with it.
                    time.sleep(1)
                    os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return None
        return pid

    def _disturb(self, network):
        way = network.between(
            self.victim,
            self.draw.choice([None, *[task for task in self.tasks if task != self.victim]]),
        )
        if self.fault == "cut":
            way.cut()
        else:
            way.silent()
        if self.fault == "hiccup":
            time.sleep(0.2 + 1.8 * self.later)
            way.heal()
        return True

    def _saysWhy(self, started):
        """Whoever fails says it in words, the launcher in a line of its own."""
        if self.victim == "launcher" and (
            self.fault in ("kill", "stop") or started[0].status > 128
        ):
            return
        if not any(
            re.search("^graphrun: ", process.text(), re.M) for process in started if process.status
        ):
            raise Wrong("it fails and says nothing")

    def _compare(self, box, reference):
        dump = box / "dump"
        if sorted(os.listdir(dump)) != sorted(os.listdir(reference)):
            raise Wrong(f"the dump has {sorted(os.listdir(dump))}")
        if self.exact and (found := differences(reference, dump)):
            raise Wrong(f"other weights than an undisturbed run's: {found}")
        if updates(dump) != self.steps:
            raise Wrong(f"{updates(dump)} updates instead of {self.steps}")
        # A write that a kill interrupted leaves a temporary file until the next write.
        names = [
            name
            for name in os.listdir(box / "ckpt")
            if not re.fullmatch(r"finished\.json|evaluations\.json(\.graphc-tmp-\d+)?", name)
        ]
        # One is of whoever dies between a commit and the removal of the oldest: it stays until the
        # next save.
        most = 5 + 1
        if (
            any(not re.fullmatch("step-[0-9]+", name) for name in names)
            or len(names) > most
            or f"step-{self.steps}" not in names
        ):
            raise Wrong(f"the checkpoints are {sorted(names)}")


def run(seed, numbers, jobs, returns=False, say=print):
    """Runs the cases; those that failed, with what was wrong."""
    shared = Box("chaos")
    failed = {}
    try:
        cases = [Case(seed, number, returns) for number in numbers]
        references = {
            mode: Reference(
                shared, mode, any(case.mode == mode and case.evaluator for case in cases)
            )
            for mode in {case.mode for case in cases}
        }
        with concurrent.futures.ProcessPoolExecutor(jobs) as pool:  # forked: they know the plans
            futures = {
                pool.submit(one, seed, case.number, references[case.mode], returns): case
                for case in cases
            }
            for future in concurrent.futures.as_completed(futures):
                case, (wrong, seconds, returned, met) = futures[future], future.result()
                back = f" ({returned} came back)" if returned else " (while it ran)" if met else ""
                say(f"{'FAILED' if wrong else 'ok    '} {seconds:5.1f} s  {case}{back}", flush=True)
                if wrong:
                    failed[case.number] = wrong
                    say(
                        f"{wrong}\nagain: test/chaos/run.sh --seed {seed} --only {case.number}{' --returns' * returns}",
                        flush=True,
                    )
    finally:
        shared.kept = False
        shared.close()
    return failed


def one(seed, number, reference, returns):
    begun, case = time.monotonic(), Case(seed, number, returns)
    return case.run(reference), time.monotonic() - begun, case.returned, case.met


def main():
    parser = argparse.ArgumentParser(
        description="Runs of which something dies; see the head of this file."
    )
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1000000))
    parser.add_argument("--cases", type=int, default=15)
    parser.add_argument("--only", type=int, help="this one alone")
    parser.add_argument("--jobs", type=int, default=3, help="so many at once")
    parser.add_argument(
        "--returns", action="store_true", help="asynchronous workers that are to come back, alone"
    )
    arguments = parser.parse_args()
    print(f"chaos: seed {arguments.seed}", flush=True)
    numbers = [arguments.only] if arguments.only is not None else range(arguments.cases)
    begun, shm = time.monotonic(), set(os.listdir("/dev/shm"))
    failed = run(arguments.seed, numbers, arguments.jobs, arguments.returns)
    print(
        f"chaos: seed {arguments.seed}: {len(numbers)} cases in {time.monotonic() - begun:.0f} s, {len(failed)} failed"
        + (f": {sorted(failed)}" if failed else "")
    )
    if left := {name for name in set(os.listdir("/dev/shm")) - shm if "graphc" in name}:
        print(f"chaos: left in /dev/shm: {left}")
    return 1 if failed or left else 0


os.environ["PATH"] = os.pathsep.join([str(BUILD / "bin"), os.environ["PATH"]])
if __name__ == "__main__":
    sys.exit(main())
