// A file system that fails on request: at the n-th operation that changes something below a folder,
// the process is killed or the operation fails. Linked into a GoogleTest binary, whose functions
// arm it; or preloaded (test/run/faults.py), then by the environment.
#ifndef GRAPHC_TEST_FAULTS_FAULTS_H
#define GRAPHC_TEST_FAULTS_FAULTS_H

#ifdef __cplusplus
extern "C" {
#endif

enum FaultAction {
  kNoFault, // counts alone
  kKill, // SIGKILL before it
  kHalf, // SIGKILL behind it, behind half of a write
  kShort, // a write takes half of what it is given; nothing else fails
  kIoError, // EIO
  kNoSpace, // ENOSPC, and so do all later ones that need space
  kStop, // SIGSTOP before it; made once the process goes on
};

// From now on operations below `root` (a piece of their paths) count, from 1, and `action` comes at
// number `at`. fsync is left out where `fast`: a process that is killed loses nothing without it.
void faultsArm(const char *root, long at, enum FaultAction action, int fast);
// How many there were; nothing counts any more.
long faultsDisarm(void);
// What they were, "write\tPATH\n" each, since faultsArm: the first 64 KiB of it.
const char *faultsTrace(void);

#ifdef __cplusplus
}
#endif
#endif
