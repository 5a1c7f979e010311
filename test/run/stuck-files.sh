#!/usr/bin/env bash
# Files of a checkpoint that neither come nor fail: a FIFO in the place of one is refused, a disk that hangs ends the run past
# --deadline with words that name it, a stop meanwhile ends at once. The disk is played by a preloaded library.
source "$(dirname "${BASH_SOURCE[0]}")/harness.bash"
plan two 2 1 sync
timeout 60 graphrun two.plan --steps 3 --checkpoint_dir whole --checkpoint_every_steps 2 >out.txt 2>err.txt || fail "three steps"

for file in manifest.json ps-0.safetensors; do
  rm -rf fifo && cp -r whole fifo && rm -r fifo/step-2
  rm fifo/step-3/$file && mkfifo fifo/step-3/$file
  timeout 30 graphrun two.plan --steps 6 --checkpoint_dir fifo >out.txt 2>err.txt
  [ $? -eq 1 ] || fail "a FIFO as $file, the only checkpoint: exit status 1"
  expect err.txt "checkpoint fifo/step-3 is skipped: fifo/step-3/$file: not a regular file"
  expect err.txt 'fifo has no checkpoint that is whole; move its step-… away to begin anew' "nothing begins anew unasked"
  cp -r whole/step-2 fifo
  timeout 60 graphrun two.plan --steps 6 --checkpoint_dir fifo >out.txt 2>err.txt || fail "from the one before a FIFO as $file"
  expect err.txt 'going on from fifo/step-2'
done

# The chief's own reading of the manifest hangs.
cat >hang.c <<'C'
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
C
"${CC:-clang-22}" -shared -fPIC -w -o hang.so hang.c -ldl || fail "cannot compile the preloaded library"
cp -r whole hangs
export LD_PRELOAD=$box/hang.so
timeout 60 graphrun two.plan --steps 6 --checkpoint_dir hangs --deadline 3 >out.txt 2>err.txt
[ $? -eq 1 ] || fail "past --deadline: exit status 1"
expect err.txt '/job:worker/task:0.*reading the checkpoints of hangs takes longer than 3s' "who hangs on what"
launch graphrun two.plan --steps 6 --checkpoint_dir hangs
sleep 2
begin=$SECONDS
kill -TERM $launcher
ends && fail "stopped before it began"
[ $((SECONDS - begin)) -lt 30 ] || fail "a stop before training ends at once, not after $((SECONDS - begin)) s"
expect err.txt 'stopped before the first step, as asked'
unset LD_PRELOAD

# Stopped at any moment of its first milliseconds, a run ends in words and never by a signal that a task did not await.
for wait in 0.005 0.01 0.015 0.02 0.03 0.05 0.08 0.12; do
  launch graphrun two.plan --steps 100000000
  sleep $wait
  kill -TERM $launcher
  ends
  status=$?
  grep -q 'killed by signal' err.txt && fail "SIGTERM after $wait s"
  [ $status -eq 1 ] || [ $status -eq 143 ] || fail "exit status of a stop after $wait s: $status" # 143: no task was there yet
done
nothing_left
echo "files that hang, stops before the first step"
