"""A program with a session of its own, by examples/session/graphc.py: stepper.py '{"library": …,
"plan": …, "options": {…}, …}'."""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples/session"))
from graphc import Hook, Session  # noqa: E402

ASKED = json.loads(sys.argv[1])


def say(*words):
    print(*words, flush=True)


class Watcher(Hook):
    """Says each call and what it gets; stops, fails, or dies in the step that it is told."""

    def begin(self, session):
        say("begin")

    def after_create_session(self, session):
        say("created", session.global_step, session.restored_from or "-")

    def before_run(self, session):
        for name in ASKED.get("fetch", []):
            if session.global_step % ASKED.get("every", 1) == 0:
                session.want(name)

    def after_run(self, session):
        step = session.global_step
        for name in ASKED.get("fetch", []):
            if (step - 1) % ASKED.get("every", 1) == 0:
                say(name, step, session.fetched(name)[1][0])
        time.sleep(ASKED.get("slow", 0) / 1000)
        if step == ASKED.get("fail"):
            raise ValueError("enough is enough")
        if step == ASKED.get("die"):
            os.kill(os.getpid(), 9)
        if step == ASKED.get("stop"):
            session.request_stop()
        if step == ASKED.get("pause"):
            say("waiting")
            while not Path("killed").exists():  # the test writes it after it has killed a task
                time.sleep(0.01)
            Path("killed").unlink()
            time.sleep(1)  # meanwhile the loss is noticed

    def end(self, session):
        say("end")


if ASKED.get("sigterm"):  # all threads of this process leave it to one
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
session = Session(
    ASKED["library"],
    ASKED["plan"],
    ASKED.get("options", {}),
    [Watcher()],
    log=lambda line: print(line, file=sys.stderr, flush=True),
)
if ASKED.get("sigterm"):
    threading.Thread(
        target=lambda: (signal.sigwait([signal.SIGTERM]), session.request_stop()), daemon=True
    ).start()
while not session.should_stop():
    for name in ASKED.get("outside", []):
        session.want(name)
    session.run()
    for name in ASKED.get("outside", []):
        say("outside", session.global_step, session.fetched(name)[1][0])
    if session.global_step % 1000 == 0:
        say("at", session.global_step)
    if session.global_step == ASKED.get("late"):
        session._c.graphc_session_set(session._session, b"steps", b"5")
steps = session.global_step
status = session.close()
say("closed", steps, status, session.ended_early or "-")
if session.error:
    print(session.error, file=sys.stderr)
session.free()
sys.exit(status)
