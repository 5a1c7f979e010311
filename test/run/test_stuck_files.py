"""Files of a checkpoint that neither come nor fail."""

import os
import shutil
import time

import pytest
from box import FOREVER
from process import always

# A disk that hangs: opening a manifest in the folder `hangs` never returns.
HANG = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
static int slow(const char *path) { return strstr(path, "hangs/") && strstr(path, "manifest.json"); }
#define OPEN(name)                                                                                                     \
  int name(const char *path, int flags, ...) {                                                                         \
    va_list more;                                                                                                      \
    va_start(more, flags);                                                                                             \
    int mode = va_arg(more, int);                                                                                      \
    va_end(more);                                                                                                      \
    while (slow(path))                                                                                                 \
      sleep(1000);                                                                                                     \
    return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name))(path, flags, mode);                              \
  }
OPEN(open)
OPEN(open64)
"""


@pytest.fixture
def whole(box, two):
    """Checkpoints of steps 2 and 3."""
    box.graphrun(two, "--steps", 3, "--checkpoint_dir", "whole", "--save_checkpoint_steps", 2)
    return box / "whole"


@pytest.mark.parametrize("file", ["manifest.json", "ps-0.safetensors"])
def test_fifo(box, two, whole, file):
    """A FIFO in the place of a file is skipped with a line; where it is of the only checkpoint,
    nothing begins anew unasked."""
    shutil.copytree(whole / "step-3", box / "fifo/step-3")
    (box / f"fifo/step-3/{file}").unlink()
    os.mkfifo(box / f"fifo/step-3/{file}")
    refused = box.graphrun(two, "--steps", 6, "--checkpoint_dir", "fifo", status=1)
    refused.err.expect(
        f"checkpoint fifo/step-3 is skipped: fifo/step-3/{file}: not a regular file",
        "fifo has no checkpoint that is whole; move its step-… away to begin anew",
    )
    shutil.copytree(whole / "step-2", box / "fifo/step-2")
    box.graphrun(two, "--steps", 6, "--checkpoint_dir", "fifo").err.expect(
        "going on from fifo/step-2"
    )


@pytest.fixture
def hangs(box, whole):
    shutil.copytree(whole, box / "hangs")
    return box.preload("hang", HANG)


def test_deadline(box, two, hangs):
    """A disk that hangs ends the run past --deadline, with words that say who hangs on what."""
    run = box.graphrun(
        two, "--steps", 6, "--checkpoint_dir", "hangs", "--deadline", 3, status=1, env=hangs
    )
    run.err.expect("/job:worker/task:0.*reading the checkpoints of hangs takes longer than 3s")


def test_stop(box, two, hangs):
    """A stop meanwhile ends the run at once."""
    run = box.launch(two, "--steps", 6, "--checkpoint_dir", "hangs", env=hangs)
    always(lambda: run.running, "it hangs", 2)
    run.stop(status=1)
    run.err.expect("stopped before the first step, as asked")


@pytest.mark.parametrize("milliseconds", [5, 10, 15, 20, 30, 50, 80, 120])
def test_stopped_at_once(box, two, milliseconds):
    """In any of its first milliseconds a run ends in words and never by a signal that a task did
    not await."""
    run = box.launch(two, "--steps", FOREVER)
    time.sleep(milliseconds / 1000)
    run.stop(status=(1, 143))  # 143: no task was there yet
    run.never("killed by signal")
