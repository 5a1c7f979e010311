"""terminal.py LOG STATUS COMMAND…: COMMAND in the foreground of a terminal that is closed once LOG,
what COMMAND writes, has a step. As a shell does, the leader of the session passes the hang-up on to
all processes of its job, and the kernel tells them again when the leader has gone. The exit status
of COMMAND goes to STATUS."""

import os
import pty
import signal
import subprocess
import sys
import time

LOG, STATUS, COMMAND = sys.argv[1], sys.argv[2], sys.argv[3:]
leader, terminal = pty.fork()
if leader == 0:
    signal.signal(signal.SIGHUP, lambda *_: (os.killpg(job, signal.SIGHUP), os._exit(0)))
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the one that waits for it
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        with open(LOG, "wb") as log:
            status = subprocess.call(
                COMMAND,
                stdout=log,
                stderr=log,
                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
            )
        with open(STATUS + ".new", "w") as file:
            file.write(str(status))
        os.rename(STATUS + ".new", STATUS)
        os._exit(0)
    while True:
        time.sleep(60)
end = time.time() + 60
while not (os.path.exists(LOG) and b" step " in open(LOG, "rb").read()) and time.time() < end:
    time.sleep(0.05)
os.close(terminal)
os.waitpid(leader, 0)
